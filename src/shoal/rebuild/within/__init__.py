"""Rebuild a slice within limits on what may change: one degree per group, few changes, and every limit kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from shoal.errors import GuaranteeError, NoReleaseError
from shoal.realize._program_kernels import buckets
from shoal.realize.close import close, steps_ahead
from shoal.realize.degrees import Chosen
from shoal.realize.view import SliceView
from shoal.rebuild._rewire_kernels import Rewiring, drop_surplus, join_lacking, toggle_all
from shoal.rebuild.rewire import begin, keys_of
from shoal.rebuild.within._group_kernels import Groups, fits, serve_all
from shoal.rebuild.within.exact import relax, solve_exactly

LAST_RESORT = 4_000  # free pairs up to which the solver has the last word
SMALL = 1_000  # free pairs up to which it is asked anyway
NODES, GAP = 20, 1e-3  # of the solver's search tree, where an answer is known already; relative
RELAXED_EDGES = 10_000  # free pairs up to which removals start from the linear relaxation
ROUNDINGS = (0.001, 0.3, 0.5)  # what is added to its degrees before they are cut to whole ones
CHANGES = 300  # groups that may give way where both directions are open


class Start(NamedTuple):
    """Degrees to start from, edges to delete for them, and whether groups may then rise or sink."""

    target: np.ndarray
    deleted: np.ndarray
    may_rise: bool
    may_sink: bool


def rebuild_within(
    view: SliceView,
    choose: Callable[[], Chosen] | None = None,
    *,
    removal_weight: float = 1.0,
    exact_pairs: int = SMALL,
    rng: np.random.Generator,
) -> np.ndarray:
    """A simple slice in which all members of a group have one degree (directed: one in- and one out-degree).

    Degrees start where the fewest edges change: at the largest of every group if edges are only added, near what a
    linear relaxation keeps if they are only removed, else where ``choose`` puts them. Then free pairs are
    toggled along alternating walks until everybody has the degree of the group; where that gets stuck, groups give way.
    With only additions degrees only rise, with only removals they only fall, so both come to an end, at the latest
    with all free pairs joined or none. With both open the number of steps is limited. What this leaves unsolved goes to
    an exact solver, if the slice is small; with up to ``exact_pairs`` free pairs it is asked anyway. Raises
    :class:`~shoal.errors.NoReleaseError` where no slice was found; other groups may have one.

    >>> from shoal.realize import SliceLimits
    >>> path, groups = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32), np.array([0, 0, 1, 1])
    >>> rng = np.random.default_rng(0)
    >>> rebuild_within(SliceView(path, groups, limits=SliceLimits("add")), rng=rng).tolist()
    [[0, 1], [0, 3], [1, 2], [2, 3]]
    >>> rebuild_within(SliceView(path, groups, limits=SliceLimits("remove")), rng=rng).tolist()
    [[0, 1], [2, 3]]
    """
    why = view.conflict()
    if why:
        raise NoReleaseError(why)
    stuck = np.empty(0, np.int64)
    found: list[np.ndarray] = []
    for starts in _starts(view, choose):
        for start in starts:
            keys, left = _attempt(view, start, rng)
            if left.size:
                stuck = left
            else:
                found.append(keys)
        if found:
            break
    if view.n_pairs <= (exact_pairs if found else LAST_RESORT):
        toggled, _ = solve_exactly(view, removal_weight, NODES if found else 100 * NODES, GAP)
        if toggled is not None:
            found.append(np.setxor1d(view.keys, toggled))
    if found:
        return as_edges(view, min(found, key=lambda keys: view.changes(keys, removal_weight)))
    people, limits = np.unique(stuck % view.people), view.limits
    shown = ", ".join(limits.name(int(i)) for i in people[:3]) + (" and others" if people.size > 3 else "")
    raise NoReleaseError(
        f"in {limits.where} no way was found to make {shown or 'everybody'} look like the others of their crowd, with {limits}"
    )


def _starts(view: SliceView, choose: Callable[[], Chosen] | None) -> Iterator[list[Start]]:
    """Where to start from, in lists, of which the first with a success suffices."""
    low, high = view.bounds
    nothing = np.zeros(view.us.size, bool)
    top = low.copy()
    np.maximum.at(top, view.labels, view.degrees)
    top, floor = np.minimum(top, high), high.copy()
    np.minimum.at(floor, view.labels, view.degrees)
    floor = np.maximum(floor, low)
    if choose is not None and view.may_add and view.may_remove:
        chosen = choose()
        deleted = nothing if chosen.deleted is None else chosen.deleted & ~view.must_keep
        yield [Start(np.clip(chosen.targets, low, high), deleted, True, True)]
    if view.may_add:
        yield [Start(top, nothing, True, False)]
        yield [Start(top, nothing, True, True)]
    if view.may_remove:
        relaxed = relax(view) if not view.may_add and view.n_pairs <= RELAXED_EDGES else None
        if relaxed is not None:
            yield [Start(np.floor(relaxed[0] + up).astype(np.int64), relaxed[1], False, True) for up in ROUNDINGS]
        yield [Start(floor, nothing, False, True)]
        yield [Start(low, nothing, True, True), Start(floor, nothing, True, True)]


def _attempt(view: SliceView, start: Start, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Keys of the slice reached from these degrees, and the nodes that are left without theirs.

    The arrays have room for a slice of about this size; if it outgrows them, start again with more, where it stood.
    """
    (low, high), target = view.bounds, start.target.astype(np.int64)
    complete = int(view.ranges[1].sum()) // 2 + view.n_nodes + 64
    both = start.may_rise and start.may_sink
    changes = CHANGES + view.n_groups // 10 if both else int((high - low).sum()) + 1
    (first, who), met = buckets(view.labels, view.n_groups), np.zeros((2, view.n_groups), np.int64)
    groups = Groups(target, low, high, view.labels, first, who, start.may_rise, start.may_sink, met)
    while True:
        room = min(complete, 2 * max(view.us.size, int((target * view.sizes).sum()) // 2) + 2 * view.n_nodes + 1024)
        s = begin(view, target[view.labels], room)
        toggle_all(view.keys[start.deleted], s)
        stuck = _drive(view, groups, changes, s, rng)
        if stuck.size == 0 or fits(s):
            return keys_of(s), stuck


def _drive(view: SliceView, groups: Groups, changes: int, s: Rewiring, rng: np.random.Generator) -> np.ndarray:
    """Serve everybody, letting groups give way at most ``changes`` times; returns the nodes that are left in need."""
    _balance(view, groups, s, rng)
    drop_surplus(keys_of(s), 2, s, rng)
    while fits(s):
        if view.may_add:
            join_lacking(False, s, rng)
        moved = serve_all(changes, groups, s, rng)
        if moved == 0:
            break
        changes -= moved
        _balance(view, groups, s, rng)
    return np.flatnonzero(s.lack)


def _balance(view: SliceView, groups: Groups, s: Rewiring, rng: np.random.Generator) -> None:
    """Change a few groups so that the degrees can add up, where their bounds let them.

    About what that costs, in half edges: who has just enough must lose an edge to go lower.
    """
    target, ahead = groups.target, np.arange(steps_ahead(view.n_groups))[:, None]

    def prices(now: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        room = s.lack + (now - target)[view.labels]
        tight = np.bincount(view.labels, room <= 0, view.n_groups)
        chance = rng.random(view.n_groups)
        rise = np.where(groups.may_rise & (now + ahead < groups.high), view.sizes + chance, np.inf)
        lower = groups.may_sink & (now - ahead > groups.low) & (ahead == 0)  # counted for one step only
        fall = np.where(lower, np.maximum(1, 4 * tight - view.sizes) + chance, np.inf)
        return rise, fall

    closed = close(target, view.sizes, view.side, prices)
    s.lack[:] += (closed - target)[view.labels]
    target[:] = closed


def as_edges(view: SliceView, keys: np.ndarray) -> np.ndarray:
    """The keys as edges, once it has been looked at again that everything holds."""
    degrees = np.bincount(np.concatenate([keys // view.n_nodes, keys % view.n_nodes]), minlength=view.n_nodes)
    low, high = np.full(view.n_groups, view.n_nodes), np.zeros(view.n_groups, np.int64)
    np.minimum.at(low, view.labels, degrees)
    np.maximum.at(high, view.labels, degrees)
    if (low < high).any() or not view.keeps(keys):
        raise GuaranteeError("a slice was rebuilt against its limits; nothing was released, please report this")
    return view.as_edges(keys)
