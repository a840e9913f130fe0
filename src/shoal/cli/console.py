"""Talking to a person: bars on stderr while working, plain sentences on stdout at the end."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from shoal.progress import Progress

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph
    from shoal.release import Release


class Bars(Progress):
    """A progress bar per stage with steps done and time left, drawn on a terminal and nowhere else."""

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[float], None]]:
        """Draw a bar for this stage, and take it away at its end."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (
            TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("left"), TimeRemainingColumn(),
        )  # fmt: skip
        with RichProgress(*columns, console=Console(stderr=True), transient=True) as bars:
            task = bars.add_task(name, total=total)
            yield lambda share: bars.update(task, completed=round(share * total))


def progress(quiet: bool) -> Progress:
    """Bars where somebody can see them."""
    return Bars() if sys.stderr.isatty() and not quiet else Progress()


@contextmanager
def own_stdout() -> Iterator[None]:
    """Keep stdout for our data: the solver's C++ code now and then prints a line of its own there."""
    sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def own_warnings() -> Iterator[None]:
    """Warnings as sentences on stderr, also of those who want to hear nothing else."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for one in caught:
        typer.echo(f"Warning: {one.message}", err=True)


def plural(count: int, one: str, many: str | None = None) -> str:
    """'1 slice', '1,234 slices'."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def describe_input(graph: TemporalGraph) -> str:
    """What was read, what was guessed and what was left out: a sentence each."""
    text = f"{plural(graph.n_nodes, 'person', 'people')}, {plural(graph.n_slices, 'slice')}, {plural(graph.n_edges, 'edge')}."
    tally = graph.tally
    if tally is None:
        return text
    notes = [f"{plural(tally.self_loops, 'self-loop')} dropped"] if tally.self_loops else []
    notes += [f"{plural(tally.repeats, 'repeated contact')} merged"] if tally.repeats else []
    lines = [f"{plural(tally.rows, 'contact')} read: {text}" + (f" ({', '.join(notes)})" if notes else "")]
    if tally.guessed:
        words = {"source": "one person", "target": "the other", "time": "the time", "layer": "the layer"}
        taken = [f"'{name}' is {words[role]} (--{role})" for role, name in tally.guessed.items()]
        lines.append(f"Guessed: column {', column '.join(taken)}.")
    if tally.unused:
        many = "column" if len(tally.unused) == 1 else "columns"
        shown = ", ".join(f"'{name}'" for name in tally.unused[:12]) + (", …" if len(tally.unused) > 12 else "")
        lines.append(f"Not used: {many} {shown}.")
    return "\n".join([*lines, *(f"Note: {remark}." for remark in tally.remarks)])


def tell_input(graph: TemporalGraph, *, quiet: bool, json: bool) -> None:
    """Say what was read: on stdout, or on stderr where that belongs to JSON and there is something to know."""
    if quiet:
        return
    tally = graph.tally
    if not json:
        typer.echo(describe_input(graph))
    elif tally is not None and (tally.guessed or tally.remarks):
        typer.echo(describe_input(graph), err=True)


def describe_release(release: Release) -> list[str]:
    """What was done, in plain words."""
    promise, edges, directed = release.promise, release.edges, release.graph.directed
    before = promise.crowds(release.original.degree_matrix(), directed=directed).min(axis=0)
    people, alone = release.graph.n_nodes, int((before == 1).sum())
    where = f" within one of {promise.n_blocks:,} blocks of the calendar" if promise.n_blocks > 1 else ""
    if promise.k == 1:
        now = "k is 1, so nobody is protected."
    elif promise.for_everybody:
        now = f"Now: nobody. Everybody shares these numbers with at least {release.min_class_size - 1:,} others."
    else:
        levels = ", ".join(f"{n:,} with at least {k - 1:,}" for k, n in promise.people_by_level().items() if k > 1)
        now = f"Now people share these numbers with as many others as they asked for: {levels}."
    return [
        f"Before: {alone:,} of {people:,} people can be singled out by their number of contacts per slice{where}.",
        now,
        f"Edges: {edges.kept:,} of {edges.original:,} kept ({edges.kept_share:.0%}), "
        f"{edges.removed:,} removed, {edges.added:,} added.",
    ]


def print_json(content: Any) -> None:
    """JSON to stdout."""
    import json

    typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
