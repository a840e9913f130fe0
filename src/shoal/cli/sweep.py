"""shoal sweep: several k and slice widths side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import bundles, console, options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shoal.graph import TemporalGraph


@bundles.with_shared
def sweep(
    input: options.Input,
    k: Annotated[str, typer.Option("-k", help="The k to try, such as 2,5,10,20.", show_default=False)],
    load: bundles.Load,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the results; a sweep begun there goes on.")],
    slice: Annotated[str | None, typer.Option("--slice", help="The slice widths to try, such as 1d,1w,1mo.")] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", help="Find the largest k that changes at most this share of the edges.")
    ] = None,
    effort: options.Effort = "balanced",
    seed: Annotated[int, typer.Option("--seed", help="Of the anonymizations.", min=0)] = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what each k costs and buys, for several slice widths, and suggest one."""
    from shoal.errors import InputError
    from shoal.sweep import sweep as run

    try:
        ks = [int(text) for text in k.split(",")]
    except ValueError:
        raise InputError(f"-k is a list of whole numbers such as 2,5,10; got '{k}'") from None

    def graph_of(width: str | None) -> Callable[[], TemporalGraph]:
        return lambda: load(input, slice=width)

    widths = [w.strip() for w in slice.split(",")] if slice else [None]
    graphs = {width or "as it is": graph_of(width) for width in widths}
    with console.own_stdout():
        found = run(
            graphs, ks, folder=output, budget=budget, seed=seed, progress=console.progress(quiet), effort=effort
        )
    if json:
        console.print_json(found.to_dict())
    elif not quiet:
        for cell in found.cells:
            typer.echo(
                f"slice {cell.slice:>8}  k = {cell.k:<4} {cell.kept_share:>4.0%} of {cell.edges:,} edges kept, "
                f"a guess is right with {cell.success_after:.1%} (before: {cell.success_before:.1%})"
                + _over_time(cell.agreements)
            )
        for row in found.within_budget:
            typer.echo(f"Within {budget:.0%} of the edges, slice {row['slice']}: k = {row['k']}.")
        typer.echo(f"Suggested: slice {found.suggestion.slice}, k = {found.suggestion.k}: {found.reason}.")
        typer.echo(f"The curves are in {output / 'index.html'}.")


def _over_time(agreements: Mapping[str, float | None]) -> str:
    """What is kept of contacts over time; nothing where slices have no order."""
    told = [(words, agreements[name]) for name, words in (("reach", "reach"), ("outbreak_si_50", "outbreaks"))]
    return "".join(f", agreement of {words} {value:.2f}" for words, value in told if value is not None)
