"""shoal demo: the whole way on a real data set, in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import console, options


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="The release folder to make.")] = Path("demo-release"),
    k: Annotated[int, typer.Option("-k", help="Everybody is hidden among at least k.")] = 5,
    force: options.Force = False,
) -> None:
    """Anonymize a real data set (messages among students, or a made-up messenger) and verify the release."""
    from shoal.anonymize import anonymize
    from shoal.audit.verify import verify
    from shoal.datasets import irvine, messenger
    from shoal.errors import InputError
    from shoal.write import check_target

    check_target(output, force=force)
    try:
        graph = irvine(slice="1w")
        typer.echo("Data: messages in an online community of students at UC Irvine, 2004, week by week.")
    except InputError as missing:
        typer.echo(f"({missing})")
        graph = messenger(2000, seed=1)
        typer.echo("Data: a made-up messenger, day by day.")
    typer.echo(console.describe_input(graph))
    progress = console.progress(quiet=False)
    with console.own_stdout():
        release = anonymize(graph, k, progress=progress)
    release.save(output, force=force, progress=progress)
    for sentence in console.describe_release(release):
        typer.echo(sentence)
    verdict = verify(output)
    typer.echo(
        f"Release in {output}; `shoal verify {output}` says: {'it holds' if verdict else 'IT DOES NOT HOLD'} at k = {k}."
    )
    typer.echo(f"Open {output / 'report.html'} for the pictures.")
    raise typer.Exit(0 if verdict else 1)
