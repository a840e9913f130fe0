"""The contacts behind the edges of a release, drawn slice by slice; each slice a pure function of it and its own chance.

Nothing but the released edges and pools of the slice, in which nobody has more than a k-th, decides what an edge gets: which
original edge had how many contacts, and when, does not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.common.checks import shown, yes_or_no
from shoal.common.progress import run_jobs
from shoal.common.randomness import Randomness
from shoal.contacts.behind import KINDS, EdgeContacts, joined
from shoal.demands.promise import Promise
from shoal.draw.counts import draw_counts
from shoal.draw.shared import share_counts
from shoal.draw.times import draw_times
from shoal.errors import GuaranteeError, InputError
from shoal.graph import TemporalGraph

__all__ = ["check_contacts", "draw_contacts", "kept"]


def kept(kind: str | None) -> str | None:
    """What a file must be read with so that this can be published; nonsense is refused before anything is read."""
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise _no_such(kind)
    return kind


def _no_such(kind: object) -> InputError:
    if isinstance(kind, str) and kind == "carried":
        return InputError(
            "contacts can only be carried along where whole ties move (--against graph --move tie), which this version does not "
            "offer; --contacts times and --contacts counts draw them"
        )
    return InputError(f"contacts must be one of {', '.join(KINDS)}; got {shown(kind)}")


def check_contacts(graph: TemporalGraph, kind: str | None, *, protected: bool = False) -> None:
    """Refuse what cannot be drawn, before any work."""
    if kept(kind) is None:
        if yes_or_no("protect_counts", protected):
            raise InputError("--protect-counts is about contacts that are published; say --contacts counts or times")
        return
    if graph.contacts is None:
        raise InputError(f"this graph does not keep the contacts behind its edges; read it with contacts='{kind}'")
    if kind == "times" and graph.contacts.times is None:
        raise InputError(
            "this graph keeps how many contacts are behind its edges, not when; read it with contacts='times'"
        )


def draw_contacts(
    graph: TemporalGraph,
    released: TemporalGraph,
    kind: str,
    promise: Promise,
    chance: Randomness,
    jobs: int,
    tell: Callable[[float], None],
) -> EdgeContacts:
    """Contacts for the edges of a release, from those of its original; in each slice from a stream of its own.

    Where the promise is about contacts too, they are shared out so that everybody of a crowd has as many.
    """
    behind = graph.contacts
    assert behind is not None
    clock = behind.clock if kind == "times" else None
    crowds = promise.crowd_labels(released) if promise.contacts else []

    def draw(t: int) -> tuple[np.ndarray, np.ndarray | None]:
        counts, times = behind.of_slice(graph._starts[t], graph._starts[t + 1])
        rng = chance.stream(f"contacts/{t}")
        drawn = draw_counts(graph.edges(t), counts, released.edges(t), graph.n_nodes, promise.k, rng)
        if promise.contacts:
            mine = crowds[promise.blocks[t]]
            drawn = share_counts(released.edges(t), drawn, mine, directed=graph.directed, rng=rng)
        if clock is None or times is None:
            return drawn, None
        return drawn, draw_times(counts, times, drawn, clock, t, promise.k, rng)

    parts = run_jobs(draw, range(graph.n_slices), jobs, tell)
    found = joined(parts, clock, "shared" if promise.contacts else "freely")
    if promise.contacts:
        _check_shared(released, found, promise, crowds)
    return found


def _check_shared(released: TemporalGraph, found: EdgeContacts, promise: Promise, crowds: list[np.ndarray]) -> None:
    """Everybody of a crowd has as many contacts, counted from what is about to be given away."""
    released.contacts = found
    strengths = released.strength_matrix()
    for block, crowd in enumerate(crowds):
        rows = strengths[:, promise.columns(block, directed=released.directed)]
        first = np.unique(crowd, return_index=True)[1]
        if not np.array_equal(rows, rows[first][crowd]):
            raise GuaranteeError(
                "somebody has other contacts than their crowd; nothing was released, please report this"
            )
