"""shoal audit: how exposed are the people of a file, or of a release?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import console, large, options

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.graph import TemporalGraph


@options.reads_contacts
def audit(
    input: Annotated[
        Path,
        typer.Argument(
            help="A file of contacts, a query, or a release folder.", parser=options.contacts, show_default=False
        ),
    ],
    load: options.Load,
    k: Annotated[
        int | None, typer.Option("-k", help="Crowds below this are too small (default: the release's k, or 5).", min=1)
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(
            "--original",
            help="What INPUT, a release, was made from: simulate re-identification.",
            parser=options.contacts,
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", help="The private record of the release, which says who is who and has which level."),
    ] = None,
    jobs: options.Jobs = None,
    engine: options.EngineName = "local",
    scheduler: options.Scheduler = None,
    worker_memory: options.Memory = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Tell how many people can be singled out, by whom, and which slices give them away."""
    from shoal.audit import audit as run
    from shoal.large import is_contacts_folder

    if is_contacts_folder(input):
        where = {"jobs": jobs, "engine": scheduler or engine, "worker_memory": worker_memory}
        exposed = large.audit(input, k or 5, load.options, {"--original": original, "--record": record}, where)
        if json:
            console.print_json(exposed)
        elif not quiet:
            typer.echo(large.describe_audit(exposed, k or 5))
        return
    graph = load(input)
    before, levels = None if original is None else load(original), None
    if record is not None:
        graph, levels = _with_record(graph, record, rename=original is not None)
    promised, note = _promised(input, graph, levels) if (input / "certificate.json").is_file() else ({"k": 5}, None)
    asked = promised | ({"k": k} if k else {})
    found = run(graph, **asked, original=before, progress=console.progress(quiet), jobs=jobs)
    was = None if before is None else run(before, **asked, jobs=jobs)
    if json:
        console.print_json(found.to_dict() | ({} if was is None else {"stronger": found.stronger_than(was)}))
    elif not quiet:
        typer.echo(console.describe_input(graph))
        _print(found, is_release=input.is_dir())
        for sentence in [] if was is None else found.stronger_than(was):
            typer.echo(sentence)
        if note and not k:
            typer.echo(note)


def _promised(folder: Path, graph: TemporalGraph, levels: dict[str, int] | None) -> tuple[dict[str, Any], str | None]:
    """What a release promises, to be judged by that: its k or everybody's level, and its horizon; and what is not known."""
    from shoal.audit._released import read_certificate
    from shoal.errors import InputError
    from shoal.promise import make_promise

    claims = read_certificate(folder)
    horizon, by_level = claims.get("horizon"), {int(level): n for level, n in claims["people_by_k"].items()}
    if len(by_level) < 2:
        return {"k": claims["k"], "horizon": horizon}, None
    if levels is not None:
        return {"k": levels, "horizon": horizon}, None
    if sum(by_level.values()) != graph.n_nodes or min(by_level.values()) < 1:
        raise InputError(f"{folder}: the certificate does not give everybody a level")
    promise = make_promise(graph, 1, horizon=horizon)
    smallest = promise.crowds(graph.degree_matrix(), directed=graph.directed).min(axis=0)
    needs = [0] * graph.n_nodes
    in_turn = (level for level in sorted(by_level) for _ in range(by_level[level]))
    for person, level in zip(smallest.argsort(kind="stable").tolist(), in_turn, strict=True):
        needs[person] = level
    note = (
        "Who has which level only the private record tells (--record): here people in the largest crowds are taken for those "
        "of the highest."
    )
    return {"k": needs, "horizon": horizon}, note


def _with_record(release: TemporalGraph, record: Path, *, rename: bool) -> tuple[TemporalGraph, dict[str, int]]:
    """The release, under the original ids where these are wanted, and everybody's level, by the private record."""
    from shoal.build import ids_as_series
    from shoal.errors import InputError
    from shoal.extend import read_record

    known = read_record(record)
    names = [str(node) for node in release.nodes.to_list()]
    if not all(name in known["ids"] for name in names):
        raise InputError(f"{record}: is not the private record of this release")
    shown = [known["ids"][name] if rename else name for name in names]
    levels = {one: known["levels"][name] for one, name in zip(shown, names, strict=True)}
    return (release.renamed(ids_as_series(shown).alias("node")) if rename else release), levels


def _print(found: Audit, *, is_release: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    small = f"smaller than {found.k}" if len(found.levels) == 1 else "below their own level"
    for e in found.attackers:
        if e.name in ("vector", "one-block"):
            within = ", within one block of the calendar" if e.name == "one-block" else ""
            typer.echo(
                f"{e.unique:,} of {found.n_nodes:,} people can be singled out by their number of edges per slice{within}; "
                f"{e.below_k:,} are in a crowd {small}."
            )
    table = Table(box=None, pad_edge=False)
    table.add_column("somebody who", ratio=1)
    for title in found.heads()[1:]:
        table.add_column(title, justify="right", no_wrap=True)
    for row in found.rows():
        table.add_row(*row)
    Console().print(table)
    for sentence in found.in_words() if is_release else found.what_stands_out():
        typer.echo(sentence)
