"""Talking to a person: bars on stderr while working, plain sentences on stdout at the end."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
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
    """What was read, in one or two sentences."""
    text = f"{plural(graph.n_nodes, 'person', 'people')}, {plural(graph.n_slices, 'slice')}, {plural(graph.n_edges, 'edge')}."
    if graph.tally is None:
        return text
    tally = graph.tally
    notes = [f"{plural(tally.self_loops, 'self-loop')} dropped"] if tally.self_loops else []
    notes += [f"{plural(tally.repeats, 'repeated contact')} merged"] if tally.repeats else []
    return f"{plural(tally.rows, 'contact')} read: {text}" + (f" ({', '.join(notes)})" if notes else "")


def describe_release(release: Release) -> list[str]:
    """What was done, in plain words."""
    promise, edges, directed = release.promise, release.edges, release.graph.directed
    before = promise.crowds(release.original.degree_matrix(), directed=directed).min(axis=0)
    people, alone = release.graph.n_nodes, int((before == 1).sum())
    where = f" within one of {promise.n_blocks:,} blocks of the calendar" if promise.n_blocks > 1 else ""
    found = int((release.crowds.min(axis=0) == 1).sum())
    if promise.k == 1:
        now = f"Now: {found:,}. k is 1, so nobody is protected."
    elif promise.for_everybody:
        others = plural(release.min_class_size - 1, "other")
        now = f"Now: nobody. Everybody shares these numbers with at least {others}."
    else:
        levels = ", ".join(f"{n:,} with at least {k - 1:,}" for k, n in promise.people_by_level().items() if k > 1)
        now = f"Now: {found:,}. People share these numbers with as many others as they asked for: {levels}."
    return [
        f"Before: {alone:,} of {people:,} people can be singled out by their number of edges per slice{where}.",
        now,
        f"Edges: {edges.kept:,} of {edges.original:,} kept ({edges.kept_share:.0%}), "
        f"{edges.removed:,} removed, {edges.added:,} added.",
    ]


def describe_folder(certificate: Mapping[str, Any], output: Path, also: str = "") -> list[str]:
    """Where a release is, what holds for whom, and who is not stopped; the certificate is that of the folder."""
    levels = {int(level): count for level, count in certificate["people_by_k"].items()}
    unprotected, k = levels.get(1, 0), certificate["k"]
    stretch = " of one block of the calendar" if certificate["n_blocks"] > 1 else ""
    knows = f"whoever knows somebody's number of edges in every slice{stretch}, and nothing else,"
    if k == 1:
        holds = "It protects nobody"
    elif len(levels) == 1:
        holds = f"What holds: {knows} is left with at least {k:,} candidates"
    else:
        whose = "" if not unprotected else f" if it is one of {certificate['n_nodes'] - unprotected:,} people"
        holds = f"What holds{whose}: {knows} is left with as many candidates as that person's level"
        holds += f". NOT protected: the other {unprotected:,}" if unprotected else ""
    words = [f"Verified{also}, and written to {output}. {holds}."]
    if certificate["ids"] == "original":
        words.append("NOT replaced: the ids. People go by their ORIGINAL ids, which name them whatever k is.")
    if k > 1:
        words.append(
            f"NOT stopped: whoever knows more, such as who had contact with whom (shoal audit {output} counts)."
        )
    return words


def print_json(content: Any) -> None:
    """JSON to stdout."""
    import json

    typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
