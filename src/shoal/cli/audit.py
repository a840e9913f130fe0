"""shoal audit: how exposed are the people of a file, or of a release?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import console, large, options, released

if TYPE_CHECKING:
    from shoal.audit import Audit


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
    record: released.Record = None,
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
    progress = console.progress(quiet)
    graph = load(input, progress)
    before = None
    if original is not None:
        before = load(original, progress)
        graph = released.with_original_ids(graph, input, record)
    console.tell_input(graph, quiet=quiet, json=json)
    found = run(graph, k=k or _k_of(input), original=before, progress=progress, jobs=jobs)
    if json:
        console.print_json(found.to_dict())
    elif not quiet:
        _print(found, is_release=input.is_dir())


def _k_of(path: Path) -> int:
    """What a release promises; 5 for anything else."""
    from shoal.audit._released import read_certificate

    return int(read_certificate(path)["k"]) if (path / "certificate.json").is_file() else 5


def _print(found: Audit, *, is_release: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    vector = found["vector"]
    typer.echo(
        f"{vector.unique:,} of {found.n_nodes:,} people can be singled out by their number of contacts per slice; "
        f"{vector.below_k:,} are in a crowd smaller than {found.k}."
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
