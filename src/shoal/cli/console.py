"""Talking to a person: bars on stderr while working, plain sentences on stdout at the end."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.common.progress import Progress
from shoal.common.solver import own_stdout
from shoal.common.words import in_words, plural

__all__ = [
    "describe_input",
    "describe_release",
    "own_stdout",
    "own_warnings",
    "plural",
    "print_json",
    "progress",
    "tell_input",
]

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph
    from shoal.release import Release


def progress(quiet: bool) -> Progress:
    """Bars on a terminal, lines in a log, nothing for those who want to hear nothing."""
    from shoal.common.display import visible_progress

    return Progress() if quiet else visible_progress()


@contextmanager
def own_warnings() -> Iterator[None]:
    """Warnings as sentences on stderr, also of those who want to hear nothing else."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for one in caught:
        typer.echo(f"Warning: {one.message}", err=True)


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


def tell_input(graph: TemporalGraph, *, quiet: bool, json: bool, effort: str | None = None) -> None:
    """Say what was read: on stdout, or on stderr where that belongs to JSON and there is something to know.

    With an effort, also how long a release of it takes, where that is long.
    """
    from shoal.common.display import estimate, pace

    if quiet:
        return
    tally = graph.tally
    if not json:
        typer.echo(describe_input(graph))
    elif tally is not None and (tally.guessed or tally.remarks):
        typer.echo(describe_input(graph), err=True)
    if effort and graph.n_edges > 500_000:  # fewer are over before anybody looks up, on the slowest computer
        how_long = estimate(graph.n_nodes, graph.n_slices, graph.n_edges, effort, pace())
        if how_long is not None:
            typer.echo(
                f"This takes {how_long}, guessed from its size and from how fast this computer is now.", err=True
            )


MOVED = (
    "Contacts changed hands inside groups: importance, persistence, reach and who mixes with whom can be studied "
    "(dense communities are thinned), contacts of particular people cannot."
)


def describe_release(release: Release) -> list[str]:
    """What was done, in plain words."""
    promise, edges = release.promise, release.edges
    before = promise.crowds(release.original).min(axis=0)
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
    left_out = release.left_out
    if left_out is not None and not left_out.withheld:
        hidden = people - len(left_out.people)
        now = f"Now: {found:,}. {hidden:,} people share these numbers with at least {promise.k - 1:,} others."
    became = (
        f"Edges: {edges.kept:,} of {edges.original:,} kept ({edges.kept_share:.0%}), "
        f"{edges.removed:,} removed, {edges.added:,} added."
    )
    if release.moved is not None:
        became = f"Edges: {edges.released:,}, before {edges.original:,}. {MOVED}"
    return [
        f"Before: {alone:,} of {people:,} people can be singled out by their number of edges per slice{where}.",
        now,
        became,
        *_left_out(release),
        *_contacts(release),
        *_traits(release),
        *filter(None, [release.density_in_words()]),
    ]


def _left_out(release: Release) -> list[str]:
    """Whom a budget did not reach, and what became of them."""
    left_out = release.left_out
    if left_out is None:
        return []
    gone = f" {plural(left_out.edges, 'edge is', 'edges are')} gone with them." if left_out.withheld else ""
    return [f"Left out: {left_out.in_words()}{gone}"]


def _traits(release: Release) -> list[str]:
    """What became of the columns of people."""
    traits, found = release.traits, list[str]()
    if traits is not None and traits.attributes:
        cells = len(traits.attributes) * release.graph.n_nodes
        found.append(
            f"Attributes: {in_words(traits.attributes)}, in {plural(int(traits.strata.max()) + 1, 'stratum', 'strata')}; "
            f"{traits.starred:,} of {cells:,} values are *, {traits.raised:,} are merged upwards."
        )
    if traits is not None and traits.sensitive is not None:
        found.append(
            f"Sensitive: {traits.sensitive} of {release.graph.n_nodes - traits.withheld:,} people, every crowd with at least "
            f"{traits.diverse} different values; withheld from {plural(traits.withheld, 'person', 'people')}."
        )
    return found


def _contacts(release: Release) -> list[str]:
    """How many contacts the released edges stand for, where they were drawn."""
    before, now = release.original.contacts, release.graph.contacts
    if before is None or now is None:
        return []
    first, last = before.totals(), now.totals()
    lost = sum(a != b for a, b in zip(first, last, strict=True))
    how = "shared out alike in every crowd" if release.promise.contacts else "with the total of every slice"
    why = "for want of equal shares" if release.promise.contacts else "having too few edges or too many"
    but = f"; {plural(lost, 'slice has', 'slices have')} another total, {why}" if lost else ""
    made = "carried along with their ties, or drawn," if now.drawn == "carried" else "drawn"
    return [f"Contacts: {sum(last):,} {made} for {sum(first):,}, {how}{but}."]


def describe_memory(peaks: Mapping[str, int]) -> list[str]:
    """How much memory the largest process took, where that was counted."""
    largest = max(peaks.values(), default=0) / 1e9
    return (
        [f"Peak memory: {largest:.2f} GB in the largest of {plural(len(peaks), 'process', 'processes')}."]
        if peaks
        else []
    )


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
    if certificate.get("left_out", {}).get("how") == "withheld":
        words.append(
            f"NOT in it: {plural(certificate['left_out']['people'], 'person', 'people')} whom the budget did not reach."
        )
    if certificate["ids"] == "original":
        words.append("NOT replaced: the ids. People go by their ORIGINAL ids, which name them whatever k is.")
    if k > 1 and certificate["against"] == "graph":
        words.append(
            "What holds against contacts with names: knowing some of somebody's contacts says nothing about their others "
            "beyond what is true of all members of their group. NOT hidden: what that is, such as how often two groups meet."
        )
    elif k > 1:
        words.append(
            f"NOT stopped: whoever knows more, such as who had contact with whom (shoal audit {output} counts)."
        )
    return words


def print_json(content: Any) -> None:
    """JSON to stdout."""
    import json

    typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
