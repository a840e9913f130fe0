"""Loops of the attackers who learn. Arrays in, arrays out, nothing is checked here."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit


@njit
def _offer(value: np.float32, item: int, values: np.ndarray, items: np.ndarray, count: int) -> int:
    """Put an item into a heap of the best, whose worst is on top; gives how many are in it then."""
    most = len(values)
    if count < most:
        at = count
        while at > 0 and values[(at - 1) // 2] > value:
            values[at], items[at] = values[(at - 1) // 2], items[(at - 1) // 2]
            at = (at - 1) // 2
        values[at], items[at] = value, item
        return count + 1
    if value <= values[0]:
        return count
    at = 0
    while True:
        child = 2 * at + 1
        if child >= most:
            break
        if child + 1 < most and values[child + 1] < values[child]:
            child += 1
        if values[child] >= value:
            break
        values[at], items[at] = values[child], items[child]
        at = child
    values[at], items[at] = value, item
    return count


@njit
def unlike(one: np.ndarray, other: np.ndarray) -> np.float32:
    """How far two rows are apart: the square of the l2 distance of the square roots of their degrees."""
    total = np.float32(0.0)
    for t in range(len(one)):
        gap = one[t] - other[t]
        total += gap * gap
    return total


@njit
def nearest(
    people: np.ndarray, roots: np.ndarray, reach: np.ndarray, seen: np.ndarray, walk: tuple[np.ndarray, ...], most: int
) -> tuple[np.ndarray, np.ndarray]:
    """For these people: the nodes with the nearest rows, -1 where there are none, and how far they are.

    Nodes are walked in the order of the lengths of their rows, outwards from the person's own (`reach`): the difference
    of two lengths is never more than the distance of the rows, so the walk may stop early. A `walk` is the nodes in that
    order, their lengths, and whether the row of each is that of the one before it, which is never so where the walk starts.
    """
    order, lengths, same = walk
    found = np.full((len(people), most), -1, np.int32)
    apart = np.full((len(people), most), np.float32(np.inf), np.float32)
    values, items = np.empty(most, np.float32), np.empty(most, np.int64)
    for place in range(len(people)):
        i = people[place]
        length = reach[i]
        if length == 0.0:  # nothing is known of them
            continue
        up = np.searchsorted(lengths, length)
        down, count = up - 1, 0
        far_up = far_down = np.float32(0.0)
        while up < len(order) or down >= 0:
            above = lengths[up] - length if up < len(order) else np.float32(np.inf)
            below = length - lengths[down] if down >= 0 else np.float32(np.inf)
            gap = min(above, below)
            if count == most and gap * gap >= -values[0]:
                break
            if above <= below:
                j = order[up]
                far_up = far_up if same[up] else unlike(roots[i], seen[j])
                far, up = far_up, up + 1
            else:
                j = order[down]
                far_down = far_down if same[down + 1] else unlike(roots[i], seen[j])
                far, down = far_down, down - 1
            count = _offer(-far, j, values, items, count)
        for c in range(count):
            found[place, c] = items[c]
            apart[place, c] = -values[c]
    return found, apart


@njit
def spread(
    people: np.ndarray,
    known: tuple[np.ndarray, ...],
    seen: tuple[np.ndarray, ...],
    lengths: tuple[np.ndarray, np.ndarray],
    candidates: np.ndarray,
    belief: np.ndarray,
    near: np.ndarray,
    gain: float,
    flip: int,
    most: int,
) -> tuple[np.ndarray, np.ndarray]:
    """For these people: the nodes that fit best, given what is believed of their contacts, and how well.

    A node's score is `gain` times the belief that contacts of the person are contacts of the node in the same slice, over the
    geometric mean of the numbers of links of the two, less the distance of their rows. `known` and `seen` are fields of a `Side`;
    links of a person are walked contact by contact, so that what is read of a contact's candidates is near at hand.
    """
    starts, _, contacts, labels, sizes, roots = known
    starts_seen, ends_seen, _, _, sizes_seen, roots_seen = seen
    reach, reach_seen = lengths
    n_labels = (len(starts) - 1) // len(sizes)
    found = np.full((len(people), most), -1, np.int32)
    scores = np.full((len(people), most), np.float32(-np.inf), np.float32)
    sums = np.zeros(len(sizes_seen), np.float32)
    touched = np.empty(len(sizes_seen), np.int32)
    values, items = np.empty(most, np.float32), np.empty(most, np.int64)
    for place in range(len(people)):
        i = people[place]
        if sizes[i] == 0:
            continue
        n_touched = 0
        for at in range(starts[i * n_labels], starts[(i + 1) * n_labels]):
            contact = contacts[at]
            for c in range(candidates.shape[1]):
                node, weight = candidates[contact, c], belief[contact, c]
                if node < 0 or weight < 1e-3:
                    continue
                # whoever has a link of this kind to the node is in the node's list of the other direction
                back = np.int64(node) * n_labels + (labels[at] ^ flip)
                for k in range(starts_seen[back], starts_seen[back + 1]):
                    j = ends_seen[k]
                    if sums[j] == 0.0:
                        touched[n_touched] = j
                        n_touched += 1
                    sums[j] += weight
        for c in range(near.shape[1]):
            if near[i, c] >= 0 and sums[near[i, c]] == 0.0:
                touched[n_touched] = near[i, c]
                n_touched += 1
        count = 0
        for k in range(
            n_touched - 1, -1, -1
        ):  # the nearest rows first: for most others the lengths alone say enough then
            j = touched[k]
            fit = np.float32(gain * sums[j] / np.sqrt((sizes[i] + 1.0) * (sizes_seen[j] + 1.0)))
            gap, sums[j] = reach[i] - reach_seen[j], 0.0
            if count < most or fit - gap * gap > values[0]:
                count = _offer(fit - unlike(roots[i], roots_seen[j]), j, values, items, count)
        for c in range(count):
            found[place, c] = items[c]
            scores[place, c] = values[c]
    return found, scores


@njit
def share_out(candidates: np.ndarray, belief: np.ndarray, n_nodes: int, rounds: int) -> None:
    """Sinkhorn's scaling, in place: rows sum to 1, then no node is believed to be more than about one person."""
    n_people, most = candidates.shape
    columns = np.empty(n_nodes, np.float32)
    for turn in range(rounds + 1):
        columns[:] = 0.0
        for i in range(n_people):
            total = np.float32(0.0)
            for c in range(most):
                total += belief[i, c]
            for c in range(most):
                if candidates[i, c] >= 0 and total > 0.0:
                    belief[i, c] /= total
                    columns[candidates[i, c]] += belief[i, c]
        if turn == rounds:
            break
        for i in range(n_people):
            for c in range(most):
                if candidates[i, c] >= 0 and columns[candidates[i, c]] > 0.0:
                    belief[i, c] /= columns[candidates[i, c]]


@njit
def greedy(one: np.ndarray, other: np.ndarray, order: np.ndarray, n_one: int, n_other: int) -> np.ndarray:
    """Pairs are taken in this order, as long as both sides are free; gives whom each of the others was taken by, -1 for nobody."""
    free, taken = np.ones(n_one, np.bool_), np.full(n_other, -1, np.int64)
    for at in order:
        if free[one[at]] and taken[other[at]] < 0:
            free[one[at]], taken[other[at]] = False, one[at]
    return taken
