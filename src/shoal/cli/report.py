"""shoal report: the report with exact numbers, later on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import bundles, console, options, released


@bundles.with_shared
def report(
    release: Annotated[Path, typer.Argument(help="A release folder.", show_default=False)],
    original: Annotated[
        Path,
        typer.Option("--original", help="The contacts it was made from.", parser=options.contacts, show_default=False),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="A .html or .json file, or a folder for both. Keep it secret.", show_default=False
        ),
    ],
    load: bundles.Load,
    record: released.Record = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the report with exact numbers about a release and its original. It is for whoever holds the original."""
    from shoal.report import Report
    from shoal.report.reopened import reopened
    from shoal.write.private import check_private_report, write_private_report

    check_private_report(output, release.absolute(), force=force)
    progress = console.progress(quiet)
    before, after = released.both(load, original, release, record, progress)
    made = reopened(release, before, after, record)
    with console.own_stdout():
        measured = Report(made).measure(progress)
        with progress.stage("drawing", 1):
            html, numbers = measured.private()
    with progress.stage("writing", 1):
        write_private_report(html, numbers, output)
    if not quiet:
        typer.echo(f"Exact numbers about the original stand in {output}: keep it secret.")
