"""Kernels of retying: edges of one slice swap ends until they look as they should, and every degree stays.

Every node has as many stubs as edges, numbered from ``start[i]``; an edge is two stubs that are tied to one another. A swap
takes two edges p-d and r-y (stubs) and ties p-r and d-y. Nodes are those of `SliceView`: people, or senders below ``half`` and
receivers from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import lean, njit
from shoal.realize.ties import AFTER, BEFORE
from shoal.rebuild._edgeset import EdgeSet, has, insert, key_of, place_of, remove
from shoal.rebuild._propose_kernels import OTHERS, mate, propose

HERE, FIXED = 4, 8  # of a pair, beside BEFORE and AFTER: was an edge here; must stay as it is
STEP, LEAST, MOST, COMMON, KIND, EVER = range(1, 7)  # what is counted of edges, beside OTHERS
BUCKETS, HALF = 32, 16  # of each


class Around(NamedTuple):
    """What a slice sees around it: pairs that meet in other slices, or were edges of it, and about its nodes."""

    pairs: EdgeSet
    others: np.ndarray  # of each pair: in how many other slices it meets, and the marks above
    marks: np.ndarray
    start: np.ndarray  # the others of the pairs of node i: near[start[i]:start[i + 1]]
    near: np.ndarray
    wished: np.ndarray  # (pairs, 2) to aim at: those of the slices before and after first, ``beside`` of them
    beside: int
    kind: np.ndarray  # of each node, for pairs of one kind; negative: of no kind
    ever: np.ndarray  # (int8) the logarithm of how many people each node meets over all slices, in steps
    exempt: np.ndarray
    pull: np.ndarray  # what a contact with each node adds to somebody's PageRank; none where that does not count
    share: np.ndarray  # (2, nodes) what a contact that is there in the slice before, after, adds to the correlation
    busy: np.ndarray  # (int8) the bucket of how busy each node is: of its edges here, unless something else is said
    by_kind: bool  # whether the busier of two is counted for edges between kinds, and inside them from HALF on
    common: bool  # whether contacts that two share are looked at


class Ties(NamedTuple):
    """A slice while its edges swap ends. Slot e is an edge; ``seen[e]`` holds its buckets, as they were when it was tied."""

    half: int
    start: np.ndarray
    owner: np.ndarray  # of stubs
    ends: np.ndarray  # (slots, 2) stubs
    slot: np.ndarray  # of stubs
    current: EdgeSet
    seen: np.ndarray
    repeats: np.ndarray  # (slots, 2) what the edge adds to the correlation with the slice before, after
    listed: np.ndarray  # slots[:counts[0]] are the edges that are counted, and that swaps begin with
    where: np.ndarray  # the place of a slot there, or -1
    counts: np.ndarray  # edges counted, edits left to spend
    off: np.ndarray  # by how much each node's contacts add more to its PageRank than wanted


class Aim(NamedTuple):
    """How many of the edges counted should be in each bucket of each feature or below, and what being off by one costs."""

    wanted: np.ndarray
    most: np.ndarray  # the highest bucket that occurs
    weight: np.ndarray
    repeats: np.ndarray  # and the correlation, over all edges
    worth: np.ndarray
    new: float  # what a pair costs that meets nowhere else, over all edges
    edit: float  # and what an edit costs
    all_count: bool  # or only those that were not edges of the original


@lean
def bucket(x: int) -> int:
    """0, 1, 2, 3, then two for every doubling: 4-5, 6-7, 8-11, 12-15, 16-23 ..."""
    if x < 2:
        return x
    low, b = 2, 2
    while x >= 2 * low:
        low *= 2
        b += 2
    return min(b + (x - low >= low // 2), BUCKETS - 1)


@lean
def _common(u, v, skip, other_skip, n, t):
    """Contacts that u and v share here."""
    if t.start[u + 1] - t.start[u] > t.start[v + 1] - t.start[v]:
        u, v = v, u
    found = 0
    for p in range(t.start[u], t.start[u + 1]):
        z = t.owner[mate(p, t)]
        if z != skip and z != other_skip and z != v and has(key_of(z, v, n), t.current):
            found += 1
    return found


@lean
def look(e, u, v, at, skip, other_skip, n, a, t):
    """Write down the buckets of the pair u-v, found at this place, at slot e, and what it adds to the correlation."""
    others, marks = (a.others[at], a.marks[at]) if at >= 0 else (np.int64(0), np.int64(0))
    seen, one, other = t.seen[e], a.busy[u], a.busy[v]
    seen[OTHERS] = bucket(others)
    seen[STEP] = (marks & BEFORE > 0) + (marks & AFTER > 0)
    seen[KIND] = a.kind[u] >= 0 and a.kind[u] == a.kind[v]
    seen[LEAST], seen[MOST] = min(one, other), max(one, other)
    if a.by_kind:
        seen[MOST] = min(seen[MOST], HALF - 1) + HALF * seen[KIND]
    seen[COMMON] = 0 if t.half or not a.common else bucket(_common(u, v, skip, other_skip, n, t))
    seen[EVER] = a.ever[u] + a.ever[v]
    for side in range(2):
        t.repeats[e, side] = a.share[side, u] + a.share[side, v] if marks & (1 << side) else 0.0


@lean
def weigh(e, marks, step, aim, have, total, t):
    """Count an edge in (``step`` 1) or out (-1); the change of the distance."""
    change = 0.0
    for side in range(2):
        off, x = total[side] - aim.repeats[side], step * t.repeats[e, side]
        change += aim.worth[side] * x * (2.0 * off + x)
        total[side] += x
    if not t.seen[e, OTHERS]:
        change += step * aim.new
    if aim.all_count or not marks & HERE:
        for f in range(have.shape[0]):
            for b in range(t.seen[e, f], aim.most[f]):
                change += aim.weight[f] * (2.0 * step * (have[f, b] - aim.wanted[f, b]) + 1.0)
                have[f, b] += step
    return change


@lean
def _list(e, counted, t):
    """Put a slot on the list of edges that count, or take it off."""
    if counted and t.where[e] < 0:
        t.where[e] = t.counts[0]
        t.listed[t.counts[0]] = e
        t.counts[0] += 1
    elif not counted and t.where[e] >= 0:
        t.counts[0] -= 1
        last = t.listed[t.counts[0]]
        t.listed[t.where[e]], t.where[last] = last, t.where[e]
        t.where[e] = -1


@lean
def _tie(e, p, q, seen_at, marks, n, aim, t):
    """Slot e becomes p-q, which was looked at already."""
    t.ends[e, 0], t.ends[e, 1] = p, q
    t.slot[p] = t.slot[q] = e
    for f in range(t.seen.shape[1]):
        t.seen[e, f] = t.seen[seen_at, f]
    for side in range(2):
        t.repeats[e, side] = t.repeats[seen_at, side]
    insert(key_of(t.owner[p], t.owner[q], n), t.current)
    _list(e, aim.all_count or not marks & HERE, t)


@lean
def _marks(at, u, v, a):
    """The marks of a pair at this place; FIXED where somebody is exempt, or where it is nobody's pair."""
    if u == v or a.exempt[u] or a.exempt[v]:
        return np.int64(FIXED)
    return a.marks[at] if at >= 0 else np.int64(0)


@lean
def _pull(u, lost, gained, a, t):
    """What it costs that u has another contact in the place of one."""
    x = a.pull[gained] - a.pull[lost]
    return x * (2.0 * t.off[u] + x)


@lean
def _gain(marks):
    """Edits that are gained by adding a pair: -1 where it was an edge of the original, else 1."""
    return -1 if marks & HERE else 1


@lean
def retie(
    steps: int,
    n: int,
    hot: float,
    aimed: float,
    a: Around,
    aim: Aim,
    have: np.ndarray,
    total: np.ndarray,
    t: Ties,
    rng: np.random.Generator,
) -> int:
    """Swap ends, as long as the edges come nearer to what is aimed at, or stay as near; how many swaps were made.

    Proposals aim at a pair that is wished for with the chance ``aimed``, others begin with an edge that counts. One is taken
    that costs no more edits than are left to spend, touches nothing fixed, and makes no edge twice. Equal distances are
    taken too, so that nothing but chance decides among equals.
    """
    made, owner, spare = 0, t.owner, t.seen.shape[0] - 2
    for _ in range(steps if t.counts[0] else 0):
        p, r = propose(n, aimed, a, t, rng)
        if r < 0 or t.slot[r] == t.slot[p]:
            continue
        e, f, q, s = t.slot[p], t.slot[r], mate(p, t), mate(r, t)
        u, v, x, y = owner[p], owner[q], owner[r], owner[s]
        if has(key_of(u, x, n), t.current) or has(key_of(v, y, n), t.current):
            continue
        at, other_at = place_of(key_of(u, x, n), a.pairs), place_of(key_of(v, y, n), a.pairs)
        new, new_other = _marks(at, u, x, a), _marks(other_at, v, y, a)
        old = _marks(place_of(key_of(u, v, n), a.pairs), u, v, a)
        old_other = _marks(place_of(key_of(x, y, n), a.pairs), x, y, a)
        edits = _gain(new) + _gain(new_other) - _gain(old) - _gain(old_other)
        if (old | old_other | new | new_other) & FIXED or edits > t.counts[1]:
            continue
        if t.half and (abs(u - x) == t.half or abs(v - y) == t.half):
            continue
        look(spare, u, x, at, v, y, n, a, t)
        look(spare + 1, v, y, other_at, u, x, n, a, t)
        change = weigh(e, old, -1.0, aim, have, total, t) + weigh(f, old_other, -1.0, aim, have, total, t)
        change += weigh(spare, new, 1.0, aim, have, total, t) + weigh(spare + 1, new_other, 1.0, aim, have, total, t)
        change += aim.edit * edits
        if a.pull.size:
            change += _pull(u, v, x, a, t) + _pull(v, u, y, a, t) + _pull(x, y, u, a, t) + _pull(y, x, v, a, t)
        if change > 1e-9 - hot * np.log(1.0 - rng.random()):
            weigh(spare, new, -1.0, aim, have, total, t)
            weigh(spare + 1, new_other, -1.0, aim, have, total, t)
            weigh(e, old, 1.0, aim, have, total, t)
            weigh(f, old_other, 1.0, aim, have, total, t)
            continue
        remove(key_of(u, v, n), t.current)
        remove(key_of(x, y, n), t.current)
        _tie(e, p, r, spare, new, n, aim, t)
        _tie(f, q, s, spare + 1, new_other, n, aim, t)
        t.counts[1] -= edits
        if a.pull.size:
            t.off[u] += a.pull[x] - a.pull[v]
            t.off[v] += a.pull[y] - a.pull[u]
            t.off[x] += a.pull[u] - a.pull[y]
            t.off[y] += a.pull[v] - a.pull[x]
        made += 1
    return made


@njit
def start_ties(n: int, a: Around, all_count: bool, t: Ties) -> None:
    """Tie the stubs to the edges ``t.current`` holds, look at each of them, and list those that count."""
    fill = t.start.copy()
    for e in range(t.current.counts[0]):
        key = t.current.items[e]
        for side, i in enumerate((key // n, key % n)):
            t.owner[fill[i]], t.slot[fill[i]], t.ends[e, side] = i, e, fill[i]
            fill[i] += 1
    for e in range(t.current.counts[0]):
        u, v = t.owner[t.ends[e, 0]], t.owner[t.ends[e, 1]]
        at = place_of(key_of(u, v, n), a.pairs)
        look(e, u, v, at, np.int64(-1), np.int64(-1), n, a, t)
        _list(e, all_count or at < 0 or not a.marks[at] & HERE, t)
