"""shoal sweep: several k, slice widths and protections side by side, or the one that fulfils a wish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import bundles, console, options

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.graph import TemporalGraph
    from shoal.sweep import Cell, Sweep


_WISH = "The question turned round"


@bundles.with_shared
def sweep(
    input: options.Input,
    load: bundles.Load,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the results; a sweep begun there goes on.")],
    k: Annotated[
        str | None,
        typer.Option("-k", help="The k to try, such as 2,5,10,20 (with a wish: 2 to 50).", show_default=False),
    ] = None,
    slice: Annotated[str | None, typer.Option("--slice", help="The slice widths to try, such as 1d,1w,1mo.")] = None,
    against: Annotated[str, typer.Option("--against", help="numbers, graph, or both: numbers,graph.")] = "numbers",
    known: Annotated[
        str, typer.Option("--known", help="The share of the slices that the attacker with a second graph holds.")
    ] = "50%",
    budget: Annotated[
        str | None, typer.Option("--budget", help="Find the largest k that changes at most this share of the edges.")
    ] = None,
    most_people: Annotated[
        bool,
        typer.Option(
            "--most-people", help="With --budget, find for how many people it buys protection at each k instead."
        ),
    ] = False,
    left_out: Annotated[
        str | None,
        typer.Option("--left-out", help="With --most-people, the others are withheld (the default) or exempt."),
    ] = None,
    at_most_learned: Annotated[
        str | None,
        typer.Option(
            "--at-most-learned", help="Find a release that teaches at most so much, such as 3%.", rich_help_panel=_WISH
        ),
    ] = None,
    outbreak_within: Annotated[
        str | None,
        typer.Option(
            "--outbreak-within", help="… in which outbreaks are off by at most so much.", rich_help_panel=_WISH
        ),
    ] = None,
    effort: options.Effort = "balanced",
    seed: Annotated[int, typer.Option("--seed", help="Of the anonymizations.", min=0)] = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what each k costs and buys, for several slice widths and protections, and suggest one.

    With a wish: find the finest slices and the largest k that fulfil it. Exit code 1 where it cannot be met.
    """
    from shoal.errors import InputError
    from shoal.sweep import sweep as run

    try:
        ks = None if k is None else [int(text) for text in k.split(",")]
    except ValueError:
        raise InputError(f"-k is a list of whole numbers such as 2,5,10; got '{k}'") from None
    if ks is None and at_most_learned is None and outbreak_within is None:
        raise InputError("a sweep needs the k to try (-k 2,5,10), or a wish (--at-most-learned, --outbreak-within)")

    def graph_of(width: str | None) -> Callable[[], TemporalGraph]:
        return lambda: load(input, slice=width)

    widths = [w.strip() for w in slice.split(",")] if slice else [None]
    graphs = {width or "as it is": graph_of(width) for width in widths}
    with console.own_stdout():
        found = run(
            graphs, ks, against=[one.strip() for one in against.split(",")], folder=output,
            known=bundles.share("--known", known),
            budget=bundles.some_share("--budget", budget), most_people=most_people, left_out=left_out,
            at_most_learned=bundles.some_share("--at-most-learned", at_most_learned),
            outbreak_within=bundles.some_share("--outbreak-within", outbreak_within), seed=seed, progress=console.progress(quiet),
            effort=effort,
        )  # fmt: skip
    if json:
        console.print_json(found.to_dict())
    elif not quiet:
        _tell(found, output)
    raise typer.Exit(1 if found.wish is not None and found.wish.cell is None else 0)


def _tell(found: Sweep, output: Path) -> None:
    for cell in found.cells:
        kept = f"{cell.kept_share:>4.0%} of {cell.edges:,} edges kept"
        kept = kept if cell.against == "numbers" else f"{cell.edges:,} edges change hands"
        typer.echo(
            f"slice {cell.slice:>8}  k = {cell.k:<4} {kept}, a guess is right with {cell.success_after:.1%} "
            f"(before: {cell.success_before:.1%})" + _learned_and_kept(cell)
        )
    for row in found.within_budget:
        typer.echo(f"Within {found.budget:.0%} of the edges, slice {row['slice']}, {_bought(row)}.")
    if found.wish is not None:
        typer.echo(f"{'Found' if found.wish.cell is not None else 'Not found'}: {found.wish.words}.")
    else:
        typer.echo(f"Suggested: {found.suggestion.setting()}: {found.reason}.")
    if any("protected" in row for row in found.within_budget):
        typer.echo("To make such a release: shoal anonymize with the same --budget, --left-out, --slice and -k.")
    typer.echo(f"The curves are in {output / 'index.html'}.")


def _bought(row: dict[str, Any]) -> str:
    """What a budget buys: the largest k for everybody, or protection for so many people."""
    if "protected" not in row:
        return f"against {row['against']}: k = {row['k']}"
    others = row["n_nodes"] - row["protected"]
    if not row["protected"]:
        return f"k = {row['k']}: nobody can be protected, or no way was found"
    words = f"k = {row['k']}: {row['protected']:,} of {row['n_nodes']:,} people can be protected"
    if not others:
        return words
    gone = f" and {row['gone_share']:.0%} of the edges with them" if row["left_out"] == "withheld" else ""
    kind = (
        f"{others:,} are withheld{gone}" if row["left_out"] == "withheld" else f"{others:,} are exempt, NOT protected"
    )
    return f"{words}; {kind}"


def _learned_and_kept(cell: Cell) -> str:
    """What is learned beyond what was known, and what is kept; nothing of what cannot be measured."""
    told = [
        (f", {words} {value:+.1%}" if value is not None else "")
        for words, value in (("learned of new pairs", cell.new_pairs), ("of known ties", cell.known_ties))
    ]
    kept = [
        ("outbreaks", "outbreak_si_20"), ("and", "outbreak_si_50"), ("persistence", "temporal_correlation"),
        ("PageRank", "pagerank_similarity"), ("communities", "communities"),
    ]  # fmt: skip
    agreed = [f"{words} {cell.agreements[name]:.2f}" for words, name in kept if cell.agreements.get(name) is not None]
    agreed += [] if cell.degree_distance is None else [f"degrees {1 - cell.degree_distance:.2f}"]
    return "".join(told) + (f"; agreement of {', '.join(agreed).replace(', and', ' and')}" if agreed else "")
