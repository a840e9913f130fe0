"""Shards: people cut by locality in degree space, so that each shard can be grouped on its own.

Recursive splits are found on a sample: of a few directions the one along which the rows are spread widest is cut where the
wanted number of people lies on each side. Equal rows never part, and all is done in whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SHARD_PEOPLE = 50_000
SAMPLE = 100_000
DIRECTIONS = 24
SMALL = 4  # a shard below a quarter of the wanted size joins its neighbour


class Cuts(NamedTuple):
    """A binary tree: node i sends rows with ``row @ direction[i] < threshold[i]`` to below[i], the others to above[i].

    Negative children are leaves: -1 is leaf 0, -2 leaf 1.
    """

    direction: np.ndarray
    threshold: np.ndarray
    below: np.ndarray
    above: np.ndarray

    @property
    def n_leaves(self) -> int:
        """Leaves of the tree, one more than cuts."""
        return len(self.threshold) + 1


def find_cuts(sample: np.ndarray, n_shards: int, rng: np.random.Generator) -> Cuts:
    """Cuts that part rows like those of the sample into about equal shards."""
    width = sample.shape[1]
    nodes: list[list[np.ndarray | int]] = []
    leaves = 0

    def grow(rows: np.ndarray, wanted: int) -> int:
        nonlocal leaves
        found = _split(rows, wanted // 2 / wanted, rng) if wanted > 1 else None
        if found is None:
            leaves += 1
            return -leaves
        direction, threshold, low = found
        here = len(nodes)
        nodes.append([direction, threshold, 0, 0])
        nodes[here][2] = grow(rows[low], wanted // 2)
        nodes[here][3] = grow(rows[~low], wanted - wanted // 2)
        return here

    grow(np.ascontiguousarray(sample, dtype=np.int64), n_shards)
    table = list(zip(*nodes, strict=True)) if nodes else [[], [], [], []]
    return Cuts(np.array(table[0], np.int64).reshape(-1, width), *(np.array(column, np.int64) for column in table[1:]))


def _split(rows: np.ndarray, share: float, rng: np.random.Generator) -> tuple[np.ndarray, int, np.ndarray] | None:
    """The direction of the widest spread, where to cut it, and who lies below; None where all rows are equal."""
    if len(rows) < 2:
        return None
    few = rows[rng.integers(len(rows), size=2_000)]
    ends = rows[rng.integers(len(rows), size=(DIRECTIONS, 2))]
    tried = np.concatenate([np.ones((1, rows.shape[1]), np.int64), ends[:, 0] - ends[:, 1]])
    tried = tried[np.abs(tried).sum(axis=1) > 0]
    spread = np.array([(few @ direction).var() / (direction @ direction) for direction in tried])
    for direction in tried[np.argsort(-spread, kind="stable")]:
        along = rows @ direction
        values = np.unique(along)
        if len(values) > 1:
            middle = np.sort(along)[int(share * len(along))]
            threshold = int(values[max(np.searchsorted(values, middle), 1)])
            return direction, threshold, along < threshold
    return None


def shard_of(rows: np.ndarray, cuts: Cuts) -> np.ndarray:
    """The leaf of every row."""
    at = np.zeros(len(rows), np.int64) if len(cuts.threshold) else np.full(len(rows), -1)
    wide = rows.astype(np.int64)
    for i in range(len(cuts.threshold)):  # children come after their parents
        here = np.flatnonzero(at == i)
        low = wide[here] @ cuts.direction[i] < cuts.threshold[i]
        at[here] = np.where(low, cuts.below[i], cuts.above[i])
    return -1 - at


def join_small(counts: np.ndarray, at_least: int | np.ndarray) -> np.ndarray:
    """The shard of every leaf: leaves with too few people for those in them join the next one, the last the ones before.

    ``at_least`` is one number for all leaves, or what the people of each ask for.

    >>> join_small(np.array([5, 1, 1, 9, 2]), np.array([4, 4, 2, 8, 10])).tolist()
    [0, 1, 1, 1, 1]
    """
    wanted = np.broadcast_to(at_least, len(counts))
    shards: list[tuple[int, int, int]] = []  # leaves, people, and how many they ask for
    leaves = people = asked = 0
    for count, least in zip(counts.tolist(), wanted.tolist(), strict=True):
        leaves, people, asked = leaves + 1, people + count, max(asked, least)
        if people >= asked:
            shards.append((leaves, people, asked))
            leaves = people = asked = 0
    while people < asked and shards:
        more = shards.pop()
        leaves, people, asked = leaves + more[0], people + more[1], max(asked, more[2])
    lengths = [shard[0] for shard in shards] + ([leaves] if leaves else [])
    return np.repeat(np.arange(len(lengths)), lengths)


def wanted_shards(n_people: int, shard_people: int) -> int:
    """How many shards of about this size; one below one and a half of it."""
    return max(int(n_people / shard_people + 0.5), 1)


def smallest_shard(k: int | np.ndarray, shard_people: int) -> np.ndarray:
    """Fewer people than this do not make a shard of their own."""
    return np.maximum(2 * np.asarray(k), shard_people // SMALL)
