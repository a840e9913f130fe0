"""shoal paper: the experiments of Rossi, Musolesi & Torsello (2015), measured again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import console, options


def paper(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the page; a run begun there goes on.")],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Folder with the sets (enron-jhu184/, uci-collegemsg/, RelationshipsFromSurveys.csv)."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few repetitions and small graphs, about three minutes.")
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Reproduce every figure and table of the paper, and check what its text claims."""
    from shoal.paper import FULL, QUICK, reproduce

    with console.own_stdout():
        claims, missing = reproduce(output, data, plan=QUICK if quick else FULL, progress=console.progress(quiet))
    if quiet:
        return
    for name in missing:
        typer.echo(f"Missing: {name}.")
    for claim in claims:
        typer.echo(f"{claim.verdict:>14}  {claim.says}")
    typer.echo(f"Figures, tables and numbers are in {output / 'index.html'}.")
