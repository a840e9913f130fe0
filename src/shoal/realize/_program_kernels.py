"""Kernels of the degree program: a local search over group degrees and deletions (state and paths: ``_paths``)."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.realize._paths import REACH, count_tight, flip, incidence, members_of, settle, walk

WALKS = 32  # paths that belong to one step of the search; a move of a large group takes one for every member


@njit
def _lower(g, graph, state, scratch, stamp, journal, used, limit, rng):
    """One degree less for a group: every tight member loses an edge, along the best path."""
    weight, first, who = graph[6], graph[7], graph[8]
    _, rest, level, _ = state
    size = first[g + 1] - first[g]
    turn = np.int64(rng.random() * size)
    level[g] -= 1
    count_tight(g, graph, state)
    journal[used] = -1 - 2 * g
    used += 1
    delta = -weight[g]
    for q in range(size):
        i = who[first[g] + (q + turn) % size]
        if rest[i] > level[g]:
            stamp += 1
            found, change, used = walk(i, True, g, graph, state, scratch, stamp, journal, used, rng)
            if not found or used > limit:
                return np.inf, used, stamp
            delta += change
    gain, used = settle(g, graph, state, journal, used)
    return delta - gain, used, stamp


@njit
def _raise(g, graph, state, scratch, stamp, journal, used, limit, rng):
    """One degree more for a group: its members take back what they can, along the best paths."""
    start, weight, first, who = graph[3], graph[6], graph[7], graph[8]
    _, rest, level, tight = state
    size = first[g + 1] - first[g]
    turn = np.int64(rng.random() * size)
    level[g] += 1
    tight[g] = 0
    journal[used] = -2 - 2 * g
    used += 1
    delta = weight[g]
    for q in range(size):
        i = who[first[g] + (q + turn) % size]
        while rest[i] < level[g] and rest[i] < start[i + 1] - start[i] and used < limit:
            stamp += 1
            found, change, used = walk(i, False, g, graph, state, scratch, stamp, journal, used, rng)
            if not found:
                break
            delta += change
    return delta, used, stamp


@njit
def _change(g, up, graph, state, scratch, stamp, journal, used, limit, rng):
    if up:
        return _raise(g, graph, state, scratch, stamp, journal, used, limit, rng)
    return _lower(g, graph, state, scratch, stamp, journal, used, limit, rng)


@njit
def _next_lower(graph, state, journal, used, rng):
    """A group weakened by the deletions of a move, the one with the most weight per tight member; -1 if none."""
    us, vs, _, _, _, labels, weight, _, _ = graph
    deleted, rest, level, tight = state
    best, best_score = -1, 0.0
    for q in range(used):
        e = journal[q]
        if e >= 0 and deleted[e]:
            for i in (us[e], vs[e]):
                h = labels[i]
                if rest[i] < level[h] and tight[h] > 0:
                    score = weight[h] / tight[h] * (0.8 + 0.4 * rng.random())
                    if score > best_score:
                        best, best_score = h, score
    return best


@njit
def _next_raise(g, graph, state, rng):
    """A group that keeps members of ``g`` from taking an edge back; -1 if none."""
    us, vs, _, start, at, labels, weight, first, who = graph
    deleted, rest, level, _ = state
    best, best_score = -1, 0.0
    for p in range(first[g], first[g + 1]):
        i = who[p]
        if rest[i] < level[g] and rest[i] < start[i + 1] - start[i]:
            for q in range(start[i], start[i + 1]):
                e = at[q]
                if deleted[e]:
                    h = labels[us[e] + vs[e] - i]
                    score = rng.random() / max(weight[h], 0.5)
                    if h != g and weight[h] > 0 and score > best_score:
                        best, best_score = h, score
    return best


@njit
def _undo(graph, state, journal, used):
    level = state[2]
    for q in range(used - 1, -1, -1):
        if journal[q] >= 0:
            flip(journal[q], graph, state)
        else:
            code = -1 - journal[q]
            level[code // 2] += -1 if code & 1 else 1
            count_tight(code // 2, graph, state)


@njit
def _parity_change(odd, journal, used):
    p = 0
    for q in range(used):
        if journal[q] < 0:
            p ^= odd[(-1 - journal[q]) // 2]
    return p & 1


@njit
def _even_out(odd, graph, state, scratch, stamp, journal, limit, rng):
    """Change one odd-sized group by one, where that costs least among a random hundred; the degree sum becomes even."""
    level = state[2]
    choices = np.flatnonzero(odd)
    start = np.int64(rng.random() * choices.size)
    best, best_delta, best_up = choices[start], np.inf, choices.size > 0
    none = np.int64(0)  # constants would each compile everything again
    for q in range(min(100, choices.size)):
        g = choices[(start + q) % choices.size]
        for turn in range(2):
            up = turn == 0
            if not up and level[g] == 0:
                continue
            delta, used, stamp = _change(g, up, graph, state, scratch, stamp, journal, none, limit, rng)
            if _parity_change(odd, journal, used) and delta < best_delta:
                best, best_delta, best_up = g, delta, up
            _undo(graph, state, journal, used)
    delta, used, stamp = _change(best, best_up, graph, state, scratch, stamp, journal, none, limit, rng)
    return delta, _parity_change(odd, journal, used)


@njit
def anneal(us, vs, cost, labels, weight, odd, deleted, level, rounds, hot, cold, fixed, depth, rng):
    """Anneal ``sum cost[deleted] + sum weight * level``; return the best (total, deleted, level) with an even sum.

    Moves: lower or raise a group by one, or shift a deletion along a path. A level move may draw
    a chain of up to ``depth`` groups with it. ``fixed`` keeps the levels, which leaves the
    covering of surplus degrees. The best state is looked at every few moves only, so that saving it stays cheap.
    """
    n, n_edges, m = labels.size, us.size, weight.size
    start, at = incidence(us, vs, n)
    first, who = members_of(labels, m)
    graph = (us, vs, cost, start, at, labels, weight, first, who)
    rest = np.zeros(n, np.int64)
    for e in range(n_edges):
        if not deleted[e]:
            rest[us[e]] += 1
            rest[vs[e]] += 1
    state = (deleted, rest, level, np.zeros(m, np.int64))
    total, parity, widest = 0.0, 0, 1
    for g in range(m):
        count_tight(g, graph, state)
        widest = max(widest, first[g + 1] - first[g])
    limit = 64 * widest + 64
    journal = np.empty(2 * limit + 4 * REACH, np.int64)
    scratch = (
        np.zeros(n, np.int64),
        np.empty(REACH, np.int64),
        np.empty(REACH, np.int64),
        np.empty(REACH, np.int64),
        np.empty(REACH, np.int64),
        np.empty(REACH),
    )
    none, nobody = np.int64(0), np.int64(-2)  # constants would each compile everything again
    stamp = none
    for i in range(n):  # a start above the levels is covered first
        while rest[i] > level[labels[i]]:
            stamp += 1
            walk(i, True, nobody, graph, state, scratch, stamp, journal, none, rng)
    for g in range(m):
        count_tight(g, graph, state)
        if not fixed:
            settle(g, graph, state, journal, none)
        total += weight[g] * level[g]
        parity ^= (odd[g] & level[g]) & 1
    for e in range(n_edges):
        if deleted[e]:
            total += cost[e]
    best_total = total if parity == 0 or fixed else np.inf
    best_deleted = deleted.copy()
    best_level = level.copy()
    steps = np.int64(rounds * (m + n_edges)) if n_edges else 0
    stride = max(1, (n + n_edges) // 48)
    since = 0
    temperature = hot
    cool = (cold / hot) ** (1.0 / max(1, steps // 256))
    step, cooled, walked = none, none, stamp
    while step < steps:
        while cooled < (step + 1) // 256:
            temperature *= cool
            cooled += 1
        step += 1 + max(none, stamp - walked - WALKS)  # every further path of the last move is a step of its own
        walked = stamp
        e = np.int64(rng.random() * n_edges)
        a, b = us[e], vs[e]
        if rng.random() < 0.5:
            a, b = b, a
        g = labels[a]
        if deleted[e] and (fixed or rng.random() < 0.4):
            # shift: a-b comes back, b loses another edge instead
            if rest[a] >= level[g]:
                continue
            flip(e, graph, state)
            journal[0] = e
            used = none + 1
            delta = -cost[e]
            if rest[b] > level[labels[b]]:
                stamp += 1
                scratch[0][a] = stamp
                found, change, used = walk(
                    b, True, -2 if fixed else -1, graph, state, scratch, stamp, journal, used, rng
                )
                delta = delta + change if found else np.inf
            threshold = 1e-9 - temperature * np.log(1.0 - rng.random())
        elif fixed or weight[g] == 0 or not (deleted[e] or rest[a] == level[g]):
            continue
        else:
            threshold = 1e-9 - temperature * np.log(1.0 - rng.random())
            delta = 0.0
            used = none
            rising = deleted[e]
            for _ in range(depth):
                change, used, stamp = _change(g, rising, graph, state, scratch, stamp, journal, used, limit, rng)
                delta += change
                if delta <= threshold or delta > 4.0 + 2 * weight[g] or used > limit // 2:
                    break
                g = _next_raise(g, graph, state, rng) if rising else _next_lower(graph, state, journal, used, rng)
                if g < 0:
                    break
        if delta <= threshold:
            total += delta
            parity ^= _parity_change(odd, journal, used)
        else:
            _undo(graph, state, journal, used)
        since += 1
        if since >= stride and (parity == 0 or fixed) and total < best_total - 1e-9:
            since = 0
            best_total = total
            best_deleted[:] = deleted
            best_level[:] = level
    if parity and not fixed:
        delta, change = _even_out(odd, graph, state, scratch, stamp, journal, limit, rng)
        total += delta
        parity ^= change
    if (parity == 0 or fixed) and total < best_total - 1e-9:
        best_total = total
        best_deleted[:] = deleted
        best_level[:] = level
    return best_total, best_deleted, best_level
