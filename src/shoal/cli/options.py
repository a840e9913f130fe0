"""Options that several commands share, each written down once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    pass

_TIME = "Time and slices"
_INPUT = "Input"
_OUTPUT = "Output"
_WHERE = "Where it runs"
PEOPLE = "About people"
CHANGE = "What may change"


def contacts(text: str) -> Path:
    """Where contacts are: a path, or a query such as sqlite:///calls.db?query=SELECT ..., which is a path that knows more."""
    if "://" not in text:
        return Path(text)
    from shoal.read.sql import place

    return place(text)


Input = Annotated[
    Path,
    typer.Argument(
        help="A file of contacts (CSV, TSV, Excel, Parquet, GraphML, GEXF or a dialect; gzip or zstd too), a folder of Parquet "
        "of any size, or a query: 'sqlite:///calls.db?query=SELECT ...'.",
        parser=contacts,
        show_default=False,
    ),
]
Width = Annotated[
    str | None,
    typer.Option(
        "--slice",
        help="Width of a slice: 1h, 1d, 1w, 1mo, 1y, or 'value' for each distinct value.",
        rich_help_panel=_TIME,
    ),
]
Parts = Annotated[
    int | None, typer.Option("--slices", help="Cut time into N slices of equal length.", rich_help_panel=_TIME)
]
Zone = Annotated[str, typer.Option("--timezone", help="Whose calendar, such as Europe/Zurich.", rich_help_panel=_TIME)]
Offset = Annotated[
    str | None, typer.Option("--offset", help="Begin slices later by this much, such as 5h.", rich_help_panel=_TIME)
]
TimeFormat = Annotated[
    str | None,
    typer.Option(
        "--time-format", help="strptime format of times that are neither numbers nor ISO 8601.", rich_help_panel=_TIME
    ),
]
TimeUnit = Annotated[
    str, typer.Option("--time-unit", help="Unit of numeric times: s, ms, us or ns.", rich_help_panel=_TIME)
]
DayFirst = Annotated[
    bool | None,
    typer.Option("--day-first/--month-first", help="Whether 03/04/2021 is the third of April.", rich_help_panel=_TIME),
]
Origin = Annotated[
    str | None,
    typer.Option("--origin", help="The date that small numbers count from, such as 2024-05-01.", rich_help_panel=_TIME),
]
Source = Annotated[
    str | None, typer.Option("--source", help="Column of one person (default: guessed).", rich_help_panel=_INPUT)
]
Target = Annotated[
    str | None, typer.Option("--target", help="Column of the other (default: guessed).", rich_help_panel=_INPUT)
]
Time = Annotated[
    str | None, typer.Option("--time", help="Column of the time (default: guessed).", rich_help_panel=_INPUT)
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names columns.", rich_help_panel=_INPUT),
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of text that is not UTF-8, such as cp1252.", rich_help_panel=_INPUT)
]
Layer = Annotated[
    str | None,
    typer.Option(
        "--layer", help="Column of the layer; one slice per layer, or per layer and time bin.", rich_help_panel=_INPUT
    ),
]
Dialect = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        help="csv, xlsx, parquet, snap, konect, sociopatterns, multiplex, multinet, simplices, graphml or gexf.",
        rich_help_panel=_INPUT,
    ),
]
Nodes = Annotated[
    Path | None,
    typer.Option("--nodes", help="A file with more people, who may have no contact at all.", rich_help_panel=_INPUT),
]
Directed = Annotated[
    bool,
    typer.Option(
        "--directed", help="Contacts go from source to target; both directions count.", rich_help_panel=_INPUT
    ),
]
Contacts = Annotated[
    str | None,
    typer.Option(
        "--contacts",
        help="Also publish contacts, drawn from everybody's of a slice: times, or counts of each edge; or carried along with their "
        "tie, where whole ties move (--against graph --move tie).",
        rich_help_panel=_OUTPUT,
    ),
]
ProtectCounts = Annotated[
    bool,
    typer.Option(
        "--protect-counts",
        help="The attacker knows numbers of contacts too: everybody in a crowd gets as many.",
        rich_help_panel=_OUTPUT,
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        "--count",
        help="Column that says how many contacts a line stands for, or how long it lasted.",
        rich_help_panel=_INPUT,
    ),
]
Attributes = Annotated[
    str | None,
    typer.Option(
        "--attributes",
        help="Columns of the --nodes file to publish, which an attacker knows: sex,age:10,department (age in tens).",
        rich_help_panel=PEOPLE,
    ),
]
Hierarchy = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        help="What rare values of an attribute are merged into: department=FILE, a line for each value as ARX writes it.",
        rich_help_panel=PEOPLE,
    ),
]
Stratum = Annotated[
    int | None,
    typer.Option(
        "--stratum",
        help="People share their attributes with at least so many (default: k): more values are merged, and fewer edges change.",
        min=1,
        rich_help_panel=PEOPLE,
    ),
]
Sensitive = Annotated[
    str | None,
    typer.Option(
        "--sensitive", help="A column of the --nodes file to publish that nobody knows.", rich_help_panel=PEOPLE
    ),
]
Diverse = Annotated[
    int,
    typer.Option(
        "--diverse", help="Every crowd has so many different sensitive values, or none.", min=1, rich_help_panel=PEOPLE
    ),
]
Output = Annotated[
    Path,
    typer.Option("-o", "--output", help="The release folder to make.", rich_help_panel=_OUTPUT, show_default=False),
]
Private = Annotated[
    Path | None,
    typer.Option(
        "--private",
        help="Also write who is who, the seed and the changes to this file. Keep it secret.",
        rich_help_panel=_OUTPUT,
    ),
]
PrivateReport = Annotated[
    Path | None,
    typer.Option(
        "--private-report",
        help="Also write the report with exact numbers: a .html or .json file, or a folder. Keep it secret.",
        rich_help_panel=_OUTPUT,
    ),
]
KeepIds = Annotated[
    bool, typer.Option("--keep-ids", help="Publish the original ids, not pseudonyms.", rich_help_panel=_OUTPUT)
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Tables as csv (the default) or parquet; a folder of Parquet becomes one, a file for each slice.",
        rich_help_panel=_OUTPUT,
    ),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Do not write report.html.", rich_help_panel=_OUTPUT)]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing release.", rich_help_panel=_OUTPUT)]
MustKeep = Annotated[
    Path | None,
    typer.Option("--must-keep", help="A file of edges (source,target[,slice]) that must stay.", rich_help_panel=CHANGE),
]
Forbid = Annotated[
    Path | None,
    typer.Option(
        "--forbid", help="A file of pairs (source,target[,slice]) that must not be joined.", rich_help_panel=CHANGE
    ),
]
Exempt = Annotated[
    Path | None,
    typer.Option("--exempt", help="A file of people about whom nothing may change.", rich_help_panel=CHANGE),
]
RemovalWeight = Annotated[
    float,
    typer.Option(
        "--removal-weight",
        help="How many added edges a removed one is worth; above 1, rather add edges than remove them.",
        rich_help_panel=CHANGE,
    ),
]
Title = Annotated[
    str | None, typer.Option("--title", help="What the report is called; it is published.", rich_help_panel=_OUTPUT)
]
By = Annotated[str | None, typer.Option("--by", help="Who makes the release, for the report.", rich_help_panel=_OUTPUT)]
Date = Annotated[
    str | None,
    typer.Option(
        "--date", help="The day, for the report: 2026-03-01, or today (default: none).", rich_help_panel=_OUTPUT
    ),
]
Effort = Annotated[str, typer.Option("--effort", help="fast, balanced or thorough.")]
Density = Annotated[
    str | None,
    typer.Option(
        "--density",
        help="keep (every slice has as many edges as before within 2 %, the default), or free (the fewest edges change).",
        rich_help_panel=CHANGE,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON to stdout instead of sentences.", rich_help_panel=_OUTPUT)
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing unless something is wrong.", rich_help_panel=_OUTPUT)
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", help="For a release that can be made again. Keep it secret too.", min=0, show_default=False),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", help="Threads or worker processes; all cores by default. The result is the same.", min=1),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine", help="local (threads) or dask (processes). The result is the same.", rich_help_panel=_WHERE
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", help="The address of a running Dask scheduler to use.", rich_help_panel=_WHERE),
]
Memory = Annotated[
    str | None,
    typer.Option("--worker-memory", help="What each worker process may use, such as 6GB.", rich_help_panel=_WHERE),
]
ShardPeople = Annotated[
    int,
    typer.Option(
        "--shard-people", help="More people are cut into shards of about this many.", min=1, rich_help_panel=_WHERE
    ),
]
WorkDir = Annotated[
    Path | None,
    typer.Option(
        "--work-dir", help="Keep checkpoints here until the release is there. Keep it secret.", rich_help_panel=_WHERE
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with the killed run in --work-dir.", rich_help_panel=_WHERE)
]
SHARD_PEOPLE = 50_000  # group.cut.SHARD_PEOPLE, which imports numpy
