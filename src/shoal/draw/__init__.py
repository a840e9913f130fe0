"""The contacts behind the edges of a release, drawn slice by slice; each slice a pure function of it and its own chance.

Nothing but the released edges and pools of the slice, in which nobody has more than a k-th, decides what an edge gets: which
original edge had how many contacts, and when, does not. Where ties were moved, pools are those of the moved slice; there an
edge may be told what its own tie had (`carried`), and only others are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.common.checks import shown, yes_or_no
from shoal.common.randomness import Randomness
from shoal.contacts.behind import KINDS, Behind, Clock, EdgeContacts, reordered
from shoal.demands.against import TIE
from shoal.demands.request import Request
from shoal.draw.counts import draw_counts
from shoal.draw.shared import share_counts
from shoal.draw.times import draw_times
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.errors import GuaranteeError, InputError
from shoal.graph import TemporalGraph

__all__ = ["Pool", "check_contacts", "draw_contacts", "kept"]


class Pool(NamedTuple):
    """What is drawn from in a slice: edges of the original, moved where ties were moved, and the contacts behind them."""

    edges: Array
    behind: Behind


class DrawPiece(NamedTuple):
    """A slice: what is drawn from, the released edges, and its own chance.

    `clock` is there where times are drawn; `crowd` where everybody of a crowd is to have as many contacts.
    """

    t: int
    pool: Pool
    released: Array
    crowd: Array | None
    clock: Clock | None
    carried: bool
    n_nodes: int
    directed: bool
    k: int
    rng: np.random.Generator


def kept(kind: str | None) -> str | None:
    """What a file must be read with so that this can be published; nonsense is refused before anything is read."""
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise InputError(f"contacts must be one of {', '.join(KINDS)}; got {shown(kind)}")
    return kind


def check_contacts(graph: TemporalGraph, kind: str | None, move: str | None, *, protected: bool = False) -> None:
    """Refuse what cannot be drawn, before any work; `move` says how long moved ties keep their hands, where they move."""
    if kept(kind) is None:
        if yes_or_no("protect_counts", protected):
            raise InputError("--protect-counts is about contacts that are published; say --contacts counts or times")
        return
    if kind == "carried" and move != TIE:
        raise InputError(
            "contacts can only be carried along where whole ties move, by --against graph --move tie; --contacts times and "
            "--contacts counts draw them anew"
        )
    if kind == "carried" and yes_or_no("protect_counts", protected):
        raise InputError(
            "contacts that are carried along with their tie are not shared out alike in a crowd; say --contacts counts or times "
            "with --protect-counts"
        )
    if graph.contacts is None:
        raise InputError(f"this graph does not keep the contacts behind its edges; read it with contacts='{kind}'")
    if kind == "times" and graph.contacts.clock is None:
        raise InputError(
            "this graph keeps how many contacts are behind its edges, not when; read it with contacts='times'"
        )


def draw_contacts(
    request: Request,
    released: TemporalGraph,
    pools: Sequence[Pool] | None,
    chance: Randomness,
    run: Runner,
    tell: Tell,
) -> EdgeContacts:
    """Contacts for the edges of a release, from pools of the slices of its original; in each from a stream of its own.

    Where the promise is about contacts too, they are shared out so that everybody of a crowd has as many.
    """
    graph, promise, kind = request.graph, request.promise, request.contacts
    behind = graph.contacts
    assert behind is not None
    if pools is None:
        pools = [Pool(graph.held(t), one) for t, one in enumerate(behind.behind)]
    clock = None if kind == "counts" else behind.clock
    crowds = promise.crowd_labels(released) if promise.contacts else []
    held = [run.keep(f"crowds-{block:05}", crowd) for block, crowd in enumerate(crowds)]
    pieces = [
        DrawPiece(
            t,
            pool,
            released.held(t),
            held[promise.blocks[t]] if held else None,
            clock,
            kind == "carried",
            graph.n_nodes,
            graph.directed,
            promise.k,
            chance.stream(f"contacts/{t}"),
        )
        for t, pool in enumerate(pools)
    ]
    done = [Behind(one.arrays["counts"], one.arrays.get("times")) for one in run("contacts", _draw, pieces, tell)]
    found = EdgeContacts(tuple(done), clock, "shared" if held else "carried" if kind == "carried" else "freely")
    if promise.contacts:
        released.contacts = found
        _check_shared(released, request, crowds)
    return found


def _draw(piece: DrawPiece, threads: int, tell: Tell) -> Result:
    edges, released = load(piece.pool.edges), load(piece.released)
    counts, times = piece.pool.behind.loaded()
    own = _places(edges, released, piece.n_nodes) if piece.carried else np.full(len(released), -1)
    mine, taken = own < 0, counts[own[own >= 0]]
    drawn = draw_counts(edges, counts, released, mine, int(taken.sum()), piece.n_nodes, piece.k, piece.rng)
    if piece.crowd is not None:
        drawn = share_counts(released, drawn, load(piece.crowd), directed=piece.directed, rng=piece.rng)
    moments = None
    if piece.clock is not None and times is not None:
        moments = draw_times(counts, times, drawn, piece.clock, piece.t, piece.k, piece.rng)
    if len(taken):
        place = np.where(mine, len(counts) + np.cumsum(mine) - 1, own)
        every = None if moments is None or times is None else np.concatenate([times, moments])
        drawn, moments = reordered(np.concatenate([counts, drawn]), every, place)
    return Result({}, {"counts": drawn} | ({} if moments is None else {"times": moments}))


def _places(edges: np.ndarray, released: np.ndarray, n: int) -> np.ndarray:
    """Where every released edge stands among the others, -1 where it does not; both are sorted."""
    if not len(edges):
        return np.full(len(released), -1)
    known, wanted = (some.astype(np.int64) @ np.array([n, 1]) for some in (edges, released))
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, place, -1)


def _check_shared(released: TemporalGraph, request: Request, crowds: list[np.ndarray]) -> None:
    """Everybody of a crowd has as many contacts, counted from what is about to be given away."""
    for block, crowd in enumerate(crowds):
        first = np.unique(crowd, return_index=True)[1]
        for column in request.promise.columns(block, directed=released.directed).tolist():
            numbers = released.strength_column(column)
            if not np.array_equal(numbers, numbers[first][crowd]):
                raise GuaranteeError(
                    "somebody has other contacts than their crowd; nothing was released, please report this"
                )
