"""Rebuild a slice within limits on what may change: one degree per group, few changes, and every limit kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.errors import GuaranteeError, NoReleaseError
from shoal.realize._paths import members_of
from shoal.realize._prices import prices
from shoal.realize._program_kernels import anneal
from shoal.rebuild.within._drive_kernels import drive, fits, lift_all
from shoal.rebuild.within._edit_kernels import polish
from shoal.rebuild.within._level_kernels import Groups
from shoal.rebuild.within._state_kernels import State, new_state, toggle_all
from shoal.rebuild.within.board import Board, SliceLimits
from shoal.rebuild.within.exact import relax, solve_exactly

LAST_RESORT = 4_000  # free pairs up to which the solver has the last word
SMALL = 1_000  # free pairs up to which it is asked anyway
NODES, GAP = 20, 1e-3  # of the solver's search tree, where an answer is known already; relative
RELAXED_EDGES = 10_000  # edges up to which removals start from the linear relaxation
ROUNDINGS = (0.001, 0.3, 0.5)  # what is added to its degrees before they are cut to whole ones
CHANGES = 300  # groups that may give way where both directions are open
LARGE, EFFORT = 20_000, 1e5  # as in the program without limits

Start = tuple[np.ndarray, np.ndarray, tuple[int, int]]


def rebuild_within(
    edges: np.ndarray,
    n: int,
    labels: np.ndarray,
    sizes: np.ndarray,
    limits: SliceLimits,
    *,
    directed: bool = False,
    deletion_weight: float = 1.0,
    rng: np.random.Generator,
) -> np.ndarray:
    """A simple slice in which all members of a group have one degree (directed: one in- and one out-degree).

    Degrees start where the fewest edges change: at the largest of every group if edges are only added, near what a
    linear relaxation keeps if they are only removed, else where the degree program puts them. Then free pairs are
    toggled along alternating walks until everybody has the degree of the group; where that gets stuck, groups give way.
    With only additions degrees only rise, with only removals they only fall, so both come to an end, at the latest
    with all free pairs joined or none. With both open the number of steps is limited. What this leaves unsolved goes to
    an exact solver, if the slice is small. Raises :class:`~shoal.errors.NoReleaseError` where no slice was found; other
    groups may have one.

    >>> path = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32)
    >>> groups = np.array([0, 0, 1, 1]), np.array([2, 2])
    >>> rng = np.random.default_rng(0)
    >>> rebuild_within(path, 4, *groups, SliceLimits("add"), rng=rng).tolist()
    [[0, 1], [0, 3], [1, 2], [2, 3]]
    >>> rebuild_within(path, 4, *groups, SliceLimits("remove"), rng=rng).tolist()
    [[0, 1], [2, 3]]
    """
    board = Board(edges, n, labels, sizes, limits, directed)
    why = board.conflict()
    if why:
        raise NoReleaseError(why)
    stuck = np.empty(0, dtype=np.int64)
    found: list[np.ndarray] = []
    for starts in _starts(board, deletion_weight, rng):
        for start in starts:
            keys, left = _attempt(board, *start, rng)
            if left.size:
                stuck = left
            else:
                found.append(keys)
        if found:
            break
    if board.n_pairs <= (SMALL if found else LAST_RESORT):
        toggled, _ = solve_exactly(board, deletion_weight, NODES if found else 100 * NODES, GAP)
        if toggled is not None:
            found.append(np.setxor1d(board.keys, toggled))
    if found:
        return as_edges(board, min(found, key=lambda keys: board.changes(keys, deletion_weight)))
    people = np.unique(stuck % n)
    shown = ", ".join(limits.name(int(i)) for i in people[:3]) + (" and others" if people.size > 3 else "")
    raise NoReleaseError(
        f"in {limits.where} no way was found to make {shown or 'everybody'} look like the others of their crowd, with {limits}"
    )


def _starts(board: Board, deletion_weight: float, rng: np.random.Generator) -> Iterator[list[Start]]:
    """Degrees to start from, edges to delete for them, and whether groups may then rise or sink.

    They come in lists, of which the first with a success suffices.
    """
    low, high = board.bounds
    nothing = np.zeros(board.us.size, dtype=bool)
    top = low.copy()
    np.maximum.at(top, board.labels, board.degrees)
    top = np.clip(top, low, high)
    floor, alive = _floor(board)
    if board.may_add and board.may_remove:
        yield [(*_by_program(board, deletion_weight, rng), (1, 1))]
    if board.may_add:
        yield [(top, nothing, (1, 0))]
        yield [(top, nothing, (1, 1))]
    if board.may_remove:
        if not board.may_add and np.count_nonzero(alive) <= RELAXED_EDGES:
            relaxed, deleted = relax(board, floor, alive)
            yield [(np.floor(relaxed + up).astype(np.int64), deleted, (0, 1)) for up in ROUNDINGS]
        yield [(floor, nothing, (0, 1))]
        yield [(low, nothing, (1, 1)), (floor, nothing, (1, 1))]


def _floor(board: Board) -> tuple[np.ndarray, np.ndarray]:
    """The smallest degree in every group, once the edges are gone of those who must lose all; and the edges left."""
    low, high = board.bounds
    alive = np.ones(board.us.size, dtype=bool)
    while True:
        level = high.copy()
        degrees = np.bincount(np.concatenate([board.us[alive], board.vs[alive]]), minlength=board.n_nodes)
        np.minimum.at(level, board.labels, degrees)
        level = np.maximum(level, low)
        idle = level[board.labels] == 0
        left = alive & ~(idle[board.us] | idle[board.vs])
        if left.sum() == alive.sum():
            return level, alive
        alive = left


def _by_program(board: Board, deletion_weight: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The degree program, with edges that stay too dear to delete and the degrees of pinned groups given.

    See :mod:`shoal.realize.choose`; groups without weight are those that the search leaves alone.
    """
    low, high = board.bounds
    cost = np.where(board.stays, 1e6, 1.0 + deletion_weight)
    weight = np.where(low < high, board.sizes / 2.0, 0.0)
    size = board.us.size + board.n_groups
    rounds = 100 if size <= LARGE else int(np.clip(10 * board.sizes.mean(), 20, 100))
    mean, level = prices(board.us, board.vs, cost, board.labels, weight, board.degrees.astype(float), rounds)
    level = np.clip(np.floor(level + 0.5).astype(np.int64), low, high)
    odd = np.zeros_like(board.sizes) if board.half else np.where(low < high, board.sizes % 2, 0)
    effort = min(20.0, max(0.3, EFFORT / size * min(1.0, LARGE / size)))
    depth = 2 if effort > 2 else 1
    _, deleted, level = anneal(
        board.us, board.vs, cost, board.labels, weight, odd, mean > 0.5, level, effort, 0.05, 0.01, False, depth, rng
    )
    return np.clip(level, low, high), deleted & ~board.stays


def _attempt(
    board: Board, level: np.ndarray, deleted: np.ndarray, ways: tuple[int, int], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Keys of the slice reached from these degrees, and the nodes that are left without theirs.

    The arrays have room for a slice of about this size; if it outgrows them, start again with more, where it stood.
    """
    low, high = board.bounds
    rule = np.array([board.n_nodes, board.half, board.may_add, board.may_remove], dtype=np.int64)
    fixed = np.concatenate([board.keys[board.stays], board.shut])
    complete = int(board.most.sum()) // 2 + board.n_nodes + 64
    changes = CHANGES + board.n_groups // 10 if all(ways) else int((high - low).sum()) + 1
    first, who = members_of(board.labels, board.n_groups)
    level = level.astype(np.int64)
    met = np.zeros((2, board.n_groups), dtype=np.int64)
    groups = Groups(level, low, high, first, who, board.labels, np.array(ways, dtype=np.int64), met)
    while True:
        room = min(complete, 2 * max(board.us.size, int((level * board.sizes).sum()) // 2) + 2 * board.n_nodes + 1024)
        s = new_state(rule, board.keys, fixed, board.still, board.labels, level, room)
        toggle_all(board.keys[deleted], s)
        stuck = drive(groups, np.int64(changes), s, rng)
        if stuck.size == 0:
            if not board.may_add:
                lift_all(groups, np.int64(3), s, rng)
            polish(s, rng)
        if stuck.size == 0 or fits(s):
            return _keys(s), stuck


def _keys(s: State) -> np.ndarray:
    return np.sort(s.current[2][: s.current[3][0]])


def as_edges(board: Board, keys: np.ndarray) -> np.ndarray:
    """The keys as edges, once it has been looked at again that everything holds."""
    us, vs = keys // board.n_nodes, keys % board.n_nodes
    degrees = np.bincount(np.concatenate([us, vs]), minlength=board.n_nodes)
    low, high = np.full(board.n_groups, board.n_nodes), np.zeros(board.n_groups, dtype=np.int64)
    np.minimum.at(low, board.labels, degrees)
    np.maximum.at(high, board.labels, degrees)
    if (low < high).any() or not board.keeps(keys):
        raise GuaranteeError("a slice was rebuilt against its limits; nothing was released, please report this")
    return np.stack([us, vs - board.half], axis=1).astype(np.int32)
