"""Kernels of the degree program: a local search over group degrees and deletions."""

from __future__ import annotations

import numpy as np

from shoal._numba import lean, njit
from shoal.realize._path_kernels import NOBODY, new_scratch, note, settle, walk
from shoal.realize._program_kernels import Program, State, count_tight, flip


@lean
def _lower(g, limit, p, s, t, rng):
    """One degree less for a group: every tight member loses an edge, along the best path."""
    if s.target[g] <= p.low[g]:
        return np.inf
    who, rest, target, begin = p.who, s.rest, s.target, p.first[g]
    size = p.first[g + 1] - begin
    turn = np.int64(rng.random() * size)
    target[g] -= 1
    count_tight(g, p, s)
    note(-1 - 2 * g, t)
    delta = -p.weight[g]
    for q in range(size):
        i = who[begin + (q + turn) % size]
        if rest[i] > target[g]:
            t.counts[1] += 1
            delta += walk(i, g, p, s, t, rng)
            if delta == np.inf or t.counts[0] > limit:
                return np.inf
    return delta - settle(g, p, s, t)


@lean
def _raise(g, limit, p, s, t, rng):
    """One degree more for a group: its members take back what they can, along the best paths."""
    if s.target[g] >= p.high[g]:
        return np.inf
    who, start, rest, target, begin = p.who, p.start, s.rest, s.target, p.first[g]
    size = p.first[g + 1] - begin
    turn = np.int64(rng.random() * size)
    target[g] += 1
    s.tight[g] = 0
    note(-2 - 2 * g, t)
    delta = p.weight[g]
    for q in range(size):
        i = who[begin + (q + turn) % size]
        while rest[i] < target[g] and rest[i] < start[i + 1] - start[i] and t.counts[0] < limit:
            t.counts[1] += 1
            change = walk(i, g, p, s, t, rng)
            if change == np.inf:
                break
            delta += change
    return delta


@lean
def _next_lower(p, s, t, rng):
    """A group weakened by the deletions of a move, the one with the most weight per tight member; -1 if none."""
    us, vs, labels, weight, journal = p.us, p.vs, p.labels, p.weight, t.journal
    deleted, rest, target, tight = s.deleted, s.rest, s.target, s.tight
    best, best_score = -1, 0.0
    for q in range(t.counts[0]):
        e = journal[q]
        if e >= 0 and deleted[e]:
            for i in (us[e], vs[e]):
                h = labels[i]
                if rest[i] < target[h] and tight[h] > 0:
                    score = weight[h] / tight[h] * (0.8 + 0.4 * rng.random())
                    if score > best_score:
                        best, best_score = h, score
    return best


@lean
def _next_raise(g, p, s, rng):
    """A group that keeps members of ``g`` from taking an edge back; -1 if none."""
    us, vs, labels, weight, who, start, at = p.us, p.vs, p.labels, p.weight, p.who, p.start, p.at
    deleted, rest, target = s.deleted, s.rest, s.target[g]
    best, best_score = -1, 0.0
    for r in range(p.first[g], p.first[g + 1]):
        i = who[r]
        if rest[i] < target and rest[i] < start[i + 1] - start[i]:
            for q in range(start[i], start[i + 1]):
                e = at[q]
                if deleted[e]:
                    h = labels[us[e] + vs[e] - i]
                    score = rng.random() / max(weight[h], 0.5)
                    if h != g and weight[h] > 0 and score > best_score:
                        best, best_score = h, score
    return best


@lean
def _undo(p, s, t):
    for q in range(t.counts[0] - 1, -1, -1):
        if t.journal[q] >= 0:
            flip(t.journal[q], p, s)
        else:
            code = -1 - t.journal[q]
            s.target[code // 2] += -1 if code & 1 else 1
            count_tight(code // 2, p, s)


@lean
def _sum_change(p, t):
    """By how much a move changes the sum of all degrees."""
    change = 0
    for q in range(t.counts[0]):
        code = -1 - t.journal[q]
        if code >= 0:
            change += p.size[code // 2] * (1 if code & 1 else -1)
    return change


@lean
def _strays(degrees, p):
    """What a sum of degrees costs that is outside its range."""
    return p.total[2] * max(p.total[0] - degrees, degrees - p.total[1], 0.0)


@lean
def _shift(e, a, b, fixed, p, s, t, rng):
    """A deleted edge a-b comes back, b loses another one instead; the change of the total."""
    flip(e, p, s)
    note(e, t)
    if s.rest[b] <= s.target[p.labels[b]]:
        return -p.cost[e]
    t.counts[1] += 1
    t.seen[a] = t.counts[1]
    return walk(b, np.int64(NOBODY if fixed else -1), p, s, t, rng) - p.cost[e]


@lean
def _move(g, rising, depth, threshold, limit, p, s, t, rng):
    """Raise or lower a group, and up to ``depth`` - 1 others that this draws with it; the change of the total."""
    delta = 0.0
    for _ in range(depth):
        delta += _raise(g, limit, p, s, t, rng) if rising else _lower(g, limit, p, s, t, rng)
        if delta <= threshold or delta > 4.0 + 2 * p.weight[g] or t.counts[0] > limit // 2:
            break
        g = _next_raise(g, p, s, rng) if rising else _next_lower(p, s, t, rng)
        if g < 0:
            break
    return delta


@njit
def _begin(deleted, target, fixed, limit, p, rng):
    """The state, its total and the sum of degrees: a start above the targets is covered first, then groups sink nobody holds up."""
    n, m = p.labels.size, p.weight.size
    s, t = State(deleted, np.zeros(n, np.int64), target, np.zeros(m, np.int64)), new_scratch(n, limit)
    for e in range(p.us.size):
        if not deleted[e]:
            s.rest[p.us[e]] += 1
            s.rest[p.vs[e]] += 1
    for g in range(m):
        count_tight(g, p, s)
    for i in range(n):
        while s.rest[i] > target[p.labels[i]]:
            t.counts[0] = 0
            t.counts[1] += 1
            walk(i, np.int64(NOBODY), p, s, t, rng)
    total, degrees = 0.0, 0
    for g in range(m):
        t.counts[0] = 0
        count_tight(g, p, s)
        if not fixed:
            settle(g, p, s, t)
        total += p.weight[g] * target[g]
        degrees += p.size[g] * target[g]
    for e in range(p.us.size):
        if deleted[e]:
            total += p.cost[e]
    return s, t, total + _strays(degrees, p), degrees


@lean
def _keep(s, deleted, target):
    """Copy deletions and targets; numba takes a second to compile an assignment of whole arrays."""
    for e in range(deleted.size):
        deleted[e] = s.deleted[e]
    for g in range(target.size):
        target[g] = s.target[g]


@njit
def anneal(
    p: Program,
    deleted: np.ndarray,
    target: np.ndarray,
    rounds: float,
    hot: float,
    cold: float,
    fixed: bool,
    depth: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Anneal ``sum cost[deleted] + sum weight * target`` from a guess; return the best (deleted, target) met.

    Moves: lower or raise a group by one, or shift a deletion along a path. A target move may draw a chain of up to
    ``depth`` groups with it. ``fixed`` keeps the targets, which leaves the covering of surplus degrees. The best state is
    looked at every few moves only, so that saving it stays cheap, and only where the sum of the degrees is even, if it has to be.
    A sum outside its range costs what ``total`` says.
    """
    us, vs, labels, weight = p.us, p.vs, p.labels, p.weight
    n, n_edges, m, widest = labels.size, us.size, weight.size, 1
    for g in range(m):
        widest = max(widest, p.first[g + 1] - p.first[g])
    limit = 64 * widest + 64
    s, t, total, degrees = _begin(deleted, target, fixed, limit, p, rng)
    rest, counts = s.rest, t.counts
    even = np.int64(p.total[3])
    best_total, best_deleted, best_target = np.inf if degrees % even else total, deleted.copy(), target.copy()
    steps = np.int64(rounds * (m + n_edges)) if n_edges else 0
    stride, since = max(1, (n + n_edges) // 48), 0
    temperature, cool = hot, (cold / hot) ** (1.0 / max(1, steps // 256))
    for step in range(steps):
        if step % 256 == 255:
            temperature *= cool
        e = np.int64(rng.random() * n_edges)
        a, b = us[e], vs[e]
        if rng.random() < 0.5:
            a, b = b, a
        g = labels[a]
        counts[0] = 0
        if deleted[e] and (fixed or rng.random() < 0.4):
            if rest[a] >= target[g]:
                continue
            delta = _shift(e, a, b, fixed, p, s, t, rng)
            threshold = 1e-9 - temperature * np.log(1.0 - rng.random())
        elif fixed or weight[g] == 0 or not (deleted[e] or rest[a] == target[g]):
            continue
        else:
            threshold = 1e-9 - temperature * np.log(1.0 - rng.random())
            delta = _move(g, deleted[e], depth, threshold, limit, p, s, t, rng)
        if delta <= threshold + _strays(degrees, p):
            after = degrees + _sum_change(p, t)
            delta += _strays(after, p) - _strays(degrees, p)
        else:
            after = degrees
        if delta <= threshold:
            total += delta
            degrees = after
        else:
            _undo(p, s, t)
        since += 1
        if since >= stride and degrees % even == 0 and total < best_total - 1e-9:
            since, best_total = 0, total
            _keep(s, best_deleted, best_target)
    if (degrees % even == 0 or best_total == np.inf) and total < best_total - 1e-9:
        _keep(s, best_deleted, best_target)
    return best_deleted, best_target
