"""shoal compare: what a release still says about its original."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import bundles, console, options, released


@bundles.with_shared
def compare(
    original: Annotated[
        Path, typer.Argument(help="A file of contacts, or a query.", parser=options.contacts, show_default=False)
    ],
    release: Annotated[Path, typer.Argument(help="The release folder made from it.", show_default=False)],
    load: bundles.Load,
    record: released.Record = None,
    jobs: options.Jobs = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure what a release still says about its original. The answer is for whoever holds the original."""
    from shoal.measure import compare as run

    progress = console.progress(quiet)
    before, after = released.both(load, original, release, record, progress)
    found = run(before, after, jobs=jobs, progress=progress)
    if json:
        console.print_json(found.to_dict())
    elif not quiet:
        typer.echo(repr(found))
