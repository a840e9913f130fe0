"""shoal verify: prove a release folder from its files alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import console, options


def verify(
    release: Annotated[
        list[Path], typer.Argument(help="A release folder, or all releases of the same people.", show_default=False)
    ],
    k: Annotated[
        int | None, typer.Option("-k", help="The k that must hold (default: the certificate's).", min=1)
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", help="The private record, where people have levels of protection of their own."),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check that a release keeps its promise: exit code 0 if it does, 1 if it does not."""
    from shoal.audit.verify import verify as run

    with console.progress(quiet or json).stage("verifying", 1) as tell:
        verdict = run(release, k, record=record, tell=tell)
    if json:
        console.print_json(verdict.to_dict())
    elif not quiet:
        for check in verdict.checks:
            line = f"{'ok  ' if check.passed else 'FAIL'}  {check.name}: {check.detail}"
            typer.secho(line, fg=None if check.passed or "NO_COLOR" in os.environ else "red")
        if verdict.claimed_not_checked:
            typer.echo(f"claimed, not checked: {', '.join(verdict.claimed_not_checked)}")
        typer.echo(f"{verdict.in_words()}.")
    raise typer.Exit(0 if verdict.holds else 1)
