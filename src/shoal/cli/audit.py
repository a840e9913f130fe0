"""shoal audit: how exposed are the people of a file, or of a release?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import bundles, console, options, released

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.audit.learn import Known
    from shoal.graph import TemporalGraph

_Other = Annotated[
    Path | None,
    typer.Argument(
        help="A second release of the same people, to lay over the first.",
        parser=options.contacts,
        show_default=False,
    ),
]
_Original = Annotated[
    Path | None,
    typer.Option(
        "--original",
        help="What INPUT, a release, was made from: what do attackers who hold a part of it learn?",
        parser=options.contacts,
    ),
]
_Records = Annotated[
    list[Path] | None,
    typer.Option(
        "--record",
        help="The private record of the release, which says who is who and has which level; one for each of two releases.",
    ),
]

NOT_OF_A_FOLDER = "{} does not go with a folder of Parquet; it works on a single file"
NOT_OVER_ANOTHER = "{} does not go with a second release, which is laid over the first and nothing else"
HALF = 0.5  # of the slices is known to an attacker of whom nothing is said
_Known = Annotated[
    float | None,
    typer.Option(
        "--known", help="The share of the slices, from the first on, that an attacker holds with names (0.5)."
    ),
]
_KnownEdges = Annotated[
    float | None, typer.Option("--known-edges", help="The attacker holds a random share of the edges instead.")
]
_KnownLayers = Annotated[
    str | None, typer.Option("--known-layers", help="The attacker holds these layers instead, such as work,lunch.")
]
_KnownContacts = Annotated[
    Path | None,
    typer.Option("--known-contacts", help="The attacker holds this file instead; it is read like the original."),
]
_Strength = Annotated[
    bool, typer.Option("--strength", help="Also try whoever knows numbers of contacts, not of people.")
]
_GroupsKnown = Annotated[
    bool,
    typer.Option("--groups-known", help="Also try an attacker who was told the groups, which the record knows."),
]
_SameIds = Annotated[bool, typer.Option("--same-ids", help="INPUT, from whatever tool, has the ids of the original.")]


@bundles.with_shared
def audit(
    input: Annotated[
        Path,
        typer.Argument(
            help="A file of contacts, a query, or a release folder.", parser=options.contacts, show_default=False
        ),
    ],
    load: bundles.Load,
    other: _Other = None,
    k: Annotated[
        int | None, typer.Option("-k", help="Crowds below this are too small (default: the release's k, or 5).", min=1)
    ] = None,
    original: _Original = None,
    record: _Records = None,
    same_ids: _SameIds = False,
    known: _Known = None,
    known_edges: _KnownEdges = None,
    known_layers: _KnownLayers = None,
    known_contacts: _KnownContacts = None,
    strength: _Strength = False,
    groups_known: _GroupsKnown = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the attackers: same seed, same numbers.", min=0)] = 0,
    jobs: options.Jobs = None,
    engine: options.EngineName = "local",
    scheduler: options.Scheduler = None,
    worker_memory: options.Memory = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Tell how many people can be singled out, by whom, which slices give them away, and what attackers learn from a release."""
    progress = console.progress(quiet)
    with progress.stage("starting", 1):
        from shoal.audit import audit as run
        from shoal.errors import InputError

    records = record or []
    parts = {"": known, "-edges": known_edges, "-layers": known_layers, "-contacts": known_contacts}
    _refuse_alone(original, records, groups_known=groups_known, same_ids=same_ids and other is None, parts=parts)
    if bundles.is_contacts_folder(input):
        where = {"jobs": jobs, "engine": scheduler or engine, "worker_memory": worker_memory}
        refused = {"--original": original, "--record": records, "OTHER": other, "--strength": strength, "--seed": seed}
        _refuse(NOT_OF_A_FOLDER, refused, f"{input}: ")
        return _audit_folder(input, k or 5, {**load.options, **where}, json=json, quiet=quiet)
    if scheduler or engine != "local" or worker_memory:
        raise InputError(
            "an engine and the memory of its workers go with a folder of Parquet; a file is audited in memory"
        )
    if other is not None:
        _refuse(NOT_OVER_ANOTHER, {"--original": original, "-k": k, "--strength": strength})
        released_both = all((one / "certificate.json").is_file() for one in (input, other))
        read = load if released_both else load.beside  # options are for the one that is no release
        graphs = read(input, progress), read(other, progress)
        return _lay_over(input, other, graphs, records, same_ids=same_ids, seed=seed, jobs=jobs, json=json, quiet=quiet)
    before, part, levels, counts = None, None, None, "counts" if strength else None
    graph = load(input, progress, contacts=counts) if original is None else load.beside(input, progress)
    kept = _record(records, same_ids=same_ids)
    if original is not None:
        before = released.without_withheld(load(original, progress, contacts=counts), kept)
        graph = released.under_original_ids(input, graph, before, kept, same_ids=same_ids)
        held = None if known_contacts is None else load(known_contacts, progress)
        part = _known(known, known_edges, known_layers, held)
    if kept is not None:
        levels = released.of_everybody("levels", graph, kept, renamed=original is not None)
    groups = released.of_everybody("groups", graph, kept, renamed=True) if groups_known and kept is not None else {}
    promised, note = _promised(input, graph, levels) if (input / "certificate.json").is_file() else ({"k": 5}, None)
    asked = promised | ({"k": k} if k else {})
    console.tell_input(graph, quiet=quiet, json=json)
    with console.own_stdout():
        found = run(
            graph, **asked, original=before, known=part, groups=list(groups.values()) or None,
            seed=seed, progress=progress, jobs=jobs,
        )  # fmt: skip
        was = None if before is None else run(before, **asked, jobs=jobs)
    if json:
        console.print_json(found.to_dict() | ({} if was is None else {"stronger": found.stronger_than(was)}))
    elif not quiet:
        _print(found, is_release=input.is_dir())
        for sentence in [] if was is None else found.stronger_than(was):
            typer.echo(sentence)
        if note and not k:
            typer.echo(note)


def _refuse(why: str, given: dict[str, Any], where: str = "") -> None:
    """Refuse the first option of these that was given."""
    from shoal.errors import InputError

    for name, value in given.items():
        if value not in (None, False, 0, []):
            raise InputError(where + why.format(name))


def _refuse_alone(
    original: Path | None, records: list[Path], *, groups_known: bool, same_ids: bool, parts: dict[str, Any]
) -> None:
    """Refuse what is judged by the original where there is none."""
    from shoal.errors import InputError

    if groups_known and not (original and records):
        raise InputError("--groups-known needs --original, and --record, which knows the groups")
    if original is None:
        given = {f"--known{part}": value is not None for part, value in parts.items()} | {"--same-ids": same_ids}
        _refuse("{} is about a part of the original, by which a release is judged; give --original", given)


def _audit_folder(folder: Path, k: int, given: dict[str, Any], *, json: bool, quiet: bool) -> None:
    """Count who is exposed to somebody who knows all degrees; other attackers need a graph that fits a process."""
    from shoal.large import audit_folder

    exposed = audit_folder(folder, k=k, **given, progress=console.progress(quiet))
    if json:
        console.print_json(exposed)
    elif not quiet:
        typer.echo(
            f"{exposed['unique']:,} of {exposed['people']:,} people can be singled out by their number of edges per slice; "
            f"{exposed['below']:,} are in a crowd smaller than {k}."
        )


def _known(share: float | None, edges: float | None, layers: str | None, contacts: TemporalGraph | None) -> Known:
    from shoal.audit.learn import Known
    from shoal.errors import InputError

    if sum(one is not None for one in (share, edges, layers, contacts)) > 1:
        raise InputError("of --known, --known-edges, --known-layers and --known-contacts one goes at a time")
    if contacts is not None:
        return Known(contacts=contacts)
    if layers is not None:
        return Known(layers=[name.strip() for name in layers.split(",")])
    if edges is not None:
        return Known(edges, edges=True)
    return Known(HALF if share is None else share)


def _lay_over(
    input: Path,
    other: Path,
    graphs: tuple[TemporalGraph, TemporalGraph],
    records: list[Path],
    *,
    same_ids: bool,
    seed: int,
    jobs: int | None,
    json: bool,
    quiet: bool,
) -> None:
    """Two releases: by their records (or the ids of the original, in both) a judge knows who is who."""
    from shoal.audit.learn import two_releases
    from shoal.errors import InputError

    if len(records) not in (0, 2):
        raise InputError("two releases have two records: give --record twice, in their order")
    one, two = graphs
    if records:
        parts = zip(graphs, (input, other), map(released.opened, records), strict=True)
        one, two = (released.with_original_ids(*part) for part in parts)
    found = two_releases(one, two, same=same_ids or bool(records), seed=seed, jobs=jobs)
    if json:
        console.print_json({"n_nodes": one.n_nodes, "attackers": [found.to_dict()]})
    elif not quiet:
        typer.echo(found.in_words())


def _promised(folder: Path, graph: TemporalGraph, levels: dict[Any, int] | None) -> tuple[dict[str, Any], str | None]:
    """What a release promises, to be judged by that: its k or everybody's level, and its horizon; and what is not known."""
    from shoal.audit._released import read_certificate
    from shoal.demands.promise import make_promise
    from shoal.errors import InputError

    claims = read_certificate(folder)
    horizon, by_level = claims.get("horizon"), {int(level): n for level, n in claims["people_by_k"].items()}
    if len(by_level) < 2:
        return {"k": claims["k"], "horizon": horizon}, None
    if levels is not None:
        return {"k": levels, "horizon": horizon}, None
    if sum(by_level.values()) != graph.n_nodes or min(by_level.values()) < 1:
        raise InputError(f"{folder}: the certificate does not give everybody a level")
    promise = make_promise(graph, 1, horizon=horizon)
    smallest = promise.crowds(graph).min(axis=0)
    guessed = [0] * graph.n_nodes
    in_turn = (level for level in sorted(by_level) for _ in range(by_level[level]))
    for person, level in zip(smallest.argsort(kind="stable").tolist(), in_turn, strict=True):
        guessed[person] = level
    note = (
        "Who has which level only the private record tells (--record): here people in the largest crowds are taken for those "
        "of the highest."
    )
    return {"k": guessed, "horizon": horizon}, note


def _record(records: list[Path], *, same_ids: bool) -> released.Opened | None:
    """The one record of the one release, read."""
    from shoal.errors import InputError

    if len(records) > 1:
        raise InputError("one release has one record; --record was given more than once")
    if records and same_ids:
        raise InputError("--record and --same-ids do not go together: a record says whose pseudonym is whose")
    return released.opened(records[0] if records else None)


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
    if found.learned:
        typer.echo("What attackers learn who hold more than numbers:")
        for sentence in found.what_is_learned():
            typer.echo(f"- {sentence}")
