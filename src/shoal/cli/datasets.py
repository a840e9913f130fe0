"""shoal datasets: public sets, and how to get them from their publishers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import console, options

if TYPE_CHECKING:
    from shoal.datasets.catalogue import PublicSet
    from shoal.datasets.download import Hear

datasets = typer.Typer(invoke_without_command=True)


@datasets.callback()
def show(context: typer.Context, json: options.Json = False) -> None:
    """List public sets with publisher, licence, size and citation; `fetch` brings one here."""
    if context.invoked_subcommand is not None:
        return
    from shoal.datasets.catalogue import as_table, public_sets

    if json:
        console.print_json(as_table())
        return
    for one in public_sets().values():
        for line in describe(one):
            typer.echo(line)
    typer.echo(
        "Fetch one with `shoal datasets fetch NAME`. Licences are what the publishers state; read their pages before use."
    )


@datasets.command()
def fetch(
    name: Annotated[str, typer.Argument(help="The set, as `shoal datasets` names it.", show_default=False)],
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where sets are kept (default: $SHOAL_DATA, else the user's cache).")
    ] = None,
    accept_changed: Annotated[
        bool, typer.Option("--accept-changed", help="Download again, and believe a file unlike the first one.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Download a set from its publisher, check it, keep it, and print the command that anonymizes it."""
    from shoal.datasets.catalogue import find, words_for_bytes
    from shoal.datasets.public import obtain

    what = find(name)
    with _bar(name, quiet or json) as hear:
        got = obtain(what, folder, accept_changed=accept_changed, hear=hear)
    size, command = got.path.stat().st_size, what.command(got.path)
    if json:
        console.print_json(
            {
                "name": name,
                "path": str(got.path),
                "bytes": size,
                "sha256": got.sha256,
                "new": got.new,
                "command": command,
            }
        )
    elif not quiet:
        checked = "recorded now, to compare with from now on" if got.first else "as expected"
        typer.echo(f"{'Fetched' if got.new else 'Here already'}: {got.path} ({words_for_bytes(size)}).")
        typer.echo(f"SHA-256 {got.sha256}, {checked}.")
        typer.echo(f"Licence: {what.licence} ({what.page}).")
        typer.echo(f"Cite: {what.cite}.")
        typer.echo(f"Anonymize it:\n  {command}")


def describe(what: PublicSet) -> Iterator[str]:
    """A set in a few lines."""
    counts = [
        console.plural(what.people, "person", "people") if what.people else "",
        console.plural(what.contacts, "contact") if what.contacts else "",
    ]
    yield f"{what.name}: {what.title}. {', '.join(filter(None, counts))}".rstrip()
    yield f"    publisher  {what.publisher}, {what.page}"
    yield f"    licence    {what.licence}"
    yield f"    size       {what.size}"
    yield f"    from       {what.address or f'by hand: {what.by_hand}'}"
    yield f"    checksum   {what.check}"
    yield f"    cite       {what.cite}"
    yield ""


@contextmanager
def _bar(name: str, quiet: bool) -> Iterator[Hear | None]:
    """A bar of bytes where somebody can see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(name, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
