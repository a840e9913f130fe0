"""Stages 2 and 3 against a second graph: move the ties of every slice, give groups the mean of their degrees, rebuild, swap.

Everything after the moving sees the moved slices, the groups and the published totals alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.common.randomness import Randomness
from shoal.contacts.behind import Behind, reordered
from shoal.demands.against import SLICE
from shoal.demands.request import Request
from shoal.draw import Pool
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.errors import GuaranteeError
from shoal.graph import TemporalGraph
from shoal.move.guide import activity_of, group_kinds
from shoal.move.match import Looks, Totals, find_totals, match_totals
from shoal.move.permute import move_slice
from shoal.realize.mean import mean_degrees
from shoal.realize.view import SliceView
from shoal.rebuild import rewire
from shoal.rebuild._retie_kernels import BUCKETS, HALF
from shoal.rebuild.retie import buckets

# Two people of one community meet in a slice with at most this chance: whoever finds somebody's community, and guesses that two
# of it met, is right as often. More than that is led out of the community. Chosen on two sets by benchmarks/against.py.
DENSEST = 0.08
# In a slice of which no more than this share is led out, those who meet are as busy as after moving, over all slices. Where more
# is, it would undo the leading out.
FEW_LED_OUT = 0.05


class Moved(NamedTuple):
    """How ties were moved: how long they keep their hands, the secret of the permutations, and the totals that were matched."""

    move: str
    secret: bytes
    totals: Totals

    def to_carry_on(self) -> dict[str, str]:
        """What a later release needs, for the private record."""
        return {"move": self.move, "secret": self.secret.hex()}


class MovePiece(NamedTuple):
    """A slice: its edges, what is behind them where contacts are told, everybody's group, the key of its permutations, chance."""

    edges: Array
    behind: Behind | None
    labels: Array
    key: np.ndarray
    directed: bool
    rng: np.random.Generator


class ActivePiece(NamedTuple):
    """All slices as they were rebuilt, and how many people there are."""

    slices: list[Array]
    n_people: int


class MixPiece(NamedTuple):
    """A moved slice, everybody's kind, and their contacts over all slices."""

    moved: Array
    kind: Array
    active: Array
    directed: bool


def rebuild_moved(
    request: Request, secret: bytes, labels: list[np.ndarray], chance: Randomness, run: Runner, tell: Tell
) -> tuple[TemporalGraph, Totals, list[Pool]]:
    """The slices after moving, rebuilding and swapping, the totals that were matched, and what contacts are drawn from."""
    graph, promise, moving = request.graph, request.promise, request.moving
    assert moving is not None
    held = [run.keep(f"labels-{block:05}", of) for block, of in enumerate(labels)]
    behind = None if request.contacts is None or graph.contacts is None else graph.contacts.behind
    pieces = [
        MovePiece(
            graph.held(t),
            None if behind is None else behind[t],
            held[block],
            moving.key(secret, t),
            graph.directed,
            chance.stream(f"rebuild/{t}"),
        )
        for t, block in enumerate(promise.blocks)
    ]
    made = run("slice", _move, pieces, lambda share: tell(0.5 * share))
    moved, rebuilt = ([done.arrays[name] for done in made] for name in ("moved", "edges"))
    blocks = [[moved[t] for t in promise.slices(block)] for block in range(promise.n_blocks)]
    kinds = group_kinds(zip(blocks, held, strict=True), chance, run)
    kinds = [kinds[block] for block in promise.blocks]
    (done,) = run("active", _active, [ActivePiece(rebuilt, graph.n_nodes)])
    active = done.arrays["active"]
    looks = [MixPiece(moved[t], kinds[t], active, graph.directed) for t in range(graph.n_slices)]
    mixing = run("mixing", _looks, looks)
    totals = find_totals(graph, run)
    led_out = sum(done.facts["led_out"] for done in mixing) / max(graph.n_edges, 1)
    tied = match_totals(
        graph,
        rebuilt,
        [Looks(done.facts["inside"], active, done.arrays.get("busy")) for done in mixing],
        kinds,
        totals.wider(led_out),
        request.settings.effort,
        chance,
        run,
        lambda share: tell(0.5 + 0.5 * share),
        mix=moving.move == SLICE,
    )
    pools = [
        Pool(done.arrays["moved"], Behind(done.arrays["counts"], done.arrays.get("times")))
        for done in (made if behind is not None else ())
    ]
    return graph.with_edges(tied), totals, pools


def _move(piece: MovePiece, threads: int, tell: Tell) -> Result:
    labels = load(piece.labels)
    moved, order = move_slice(load(piece.edges), labels, piece.key, directed=piece.directed)
    made = rebuild_mean(moved, labels, directed=piece.directed, rng=piece.rng)
    arrays = {"moved": moved, "edges": made}
    if piece.behind is not None:
        counts, times = reordered(*piece.behind.loaded(), order)
        arrays |= {"counts": counts} | ({} if times is None else {"times": times})
    return Result({}, arrays)


def rebuild_mean(edges: np.ndarray, labels: np.ndarray, *, directed: bool, rng: np.random.Generator) -> np.ndarray:
    """A slice in which every group has the mean of its members' degrees, near to the given one."""
    view = SliceView(edges, labels, directed=directed)
    if len(edges) == 0:
        return edges
    wanted = mean_degrees(view, rng)[view.labels]
    made = rewire(view, wanted, rng=rng)
    if not np.array_equal(SliceView(made, labels, directed=directed).degrees, wanted):
        raise GuaranteeError(
            "a slice was rebuilt with other degrees than chosen; nothing was released, please report this"
        )
    return made


def _active(piece: ActivePiece, threads: int, tell: Tell) -> Result:
    return Result({}, {"active": activity_of(piece.slices, piece.n_people)})


def _looks(piece: MixPiece, threads: int, tell: Tell) -> Result:
    """The share of the edges that is to be inside communities, how many are led out of dense ones, and how busy both ends are."""
    kind, moved = load(piece.kind), load(piece.moved)
    ends, sizes = kind[moved], np.bincount(kind)
    there = np.bincount(ends[ends[:, 0] == ends[:, 1], 0], minlength=len(sizes))
    inside = np.minimum(there, DENSEST * sizes * (sizes - 1) / (1 if piece.directed else 2)).sum()
    led_out = float(there.sum() - inside)
    busy = {"busy": how_busy(load(piece.active)[moved], ends)} if led_out <= FEW_LED_OUT * len(ends) else {}
    return Result({"inside": float(inside) / max(len(ends), 1), "led_out": led_out}, busy)


def how_busy(active: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """(2, buckets) how often the less busy of two has so many contacts, and the busier: in the upper half those of one kind.

    >>> counts = how_busy(np.array([[3, 1], [2, 2], [1, 1]]), np.array([[0, 1], [0, 0], [0, 1]]))
    >>> counts[0, :4].tolist(), counts[1, :4].tolist(), counts[1, HALF : HALF + 4].tolist()
    ([0.0, 2.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0])
    """
    less, more = buckets(np.sort(active, axis=1)).T
    more = np.minimum(more, HALF - 1) + HALF * (kinds[:, 0] == kinds[:, 1])
    return np.stack([np.bincount(of, minlength=BUCKETS).astype(float) for of in (less, more)])
