"""People sorted into shards that are grouped each on its own, block by block of people, in memory or over files.

A shard is a leaf or a few of a tree of cuts in degree space (`group.cut`), which is found on a sample of the rows. What comes out
does not depend on the blocks: a shard's people are put in order again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.common.randomness import Randomness
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.group.cut import SAMPLE, Cuts, find_cuts, join_small, shard_of, smallest_shard, wanted_shards

BLOCK_PEOPLE = 250_000  # people whose rows are sorted at once: a few hundred megabytes at 365 slices


class Shard(NamedTuple):
    """People of a shard, their k and their rows, each in parts."""

    people: list[Array]
    levels: list[Array]
    rows: list[Array]


class CutPiece(NamedTuple):
    """A block of people: their numbers, their k, and columns of their degrees, to be sorted by the leaves of a tree of cuts."""

    people: np.ndarray
    levels: np.ndarray
    first: int
    columns: list[Array]
    cuts: Cuts


def cut_people(
    degrees: list[list[Array]],
    columns: list[np.ndarray],
    people: np.ndarray,
    levels: np.ndarray,
    sizes: list[int | None],
    chance: Randomness,
    run: Runner,
) -> list[list[Shard]]:
    """The shards of every block of the calendar, of about the wanted size; one where it is None.

    `degrees` are the columns of each block of people, of which `columns` says those of each block of the calendar; `people`
    are those to sort, ascending, and `needs` their k.
    """
    cuts = []
    for block, chosen in enumerate(columns):
        size, rng = sizes[block], chance.stream(f"shards/{block}")
        n_shards = 1 if size is None else wanted_shards(len(people), size)
        cuts.append(find_cuts(_sample(degrees, chosen, people, n_shards, rng), n_shards, rng))
    bounds = np.searchsorted(people, np.arange(len(degrees) + 1) * BLOCK_PEOPLE)
    pieces = [
        CutPiece(people[a:b], levels[a:b], i * BLOCK_PEOPLE, [degrees[i][c] for c in columns[block]], cuts[block])
        for block in range(len(columns))
        for i, (a, b) in enumerate(pairwise(bounds))
    ]
    done = run("cut", _cut, pieces)
    found = []
    for block, size in enumerate(sizes):
        parts = done[block * len(degrees) : (block + 1) * len(degrees)]
        leaves = [[0]] if size is None else _shards(parts, size)
        found.append([_shard(parts, some) for some in leaves])
    return found


def _shard(parts: Sequence[Result], leaves: list[int]) -> Shard:
    held = [(part.arrays, leaf) for part in parts for leaf in leaves]
    return Shard(*([arrays[f"{what}/{leaf}"] for arrays, leaf in held] for what in Shard._fields))


def _sample(
    degrees: list[list[Array]], columns: np.ndarray, people: np.ndarray, n_shards: int, rng: np.random.Generator
) -> np.ndarray:
    """The rows by which to find the cuts, of all people or of as many as suffice; none where nothing is cut."""
    if n_shards > 1 and len(people) > SAMPLE:
        people = people[rng.choice(len(people), SAMPLE, replace=False)]
    sample = np.zeros((len(people) if n_shards > 1 else 0, len(columns)), np.int32)
    for i, c in enumerate(columns if len(sample) else ()):
        sample[:, i] = np.concatenate([load(block[c]) for block in degrees])[people]
    return sample


def _shards(parts: Sequence[Result], shard_people: int) -> list[list[int]]:
    """The leaves of every shard: all have at least twice as many people as any of them asks for."""
    counts = np.sum([part.facts["counts"] for part in parts], axis=0)
    asked = np.max([part.facts["asked"] for part in parts], axis=0)
    last = int(np.flatnonzero(counts).max(initial=0)) + 1
    shard = join_small(counts[:last], smallest_shard(asked[:last], shard_people))
    return [np.flatnonzero(shard == s).tolist() for s in range(int(shard.max()) + 1)]


def _cut(piece: CutPiece, threads: int, tell: Tell) -> Result:
    """A block of people by leaf: their numbers, their k, their rows; how many there are, and the highest k."""
    people, levels, first, columns, cuts = piece
    rows = np.stack([load(column)[people - first] for column in columns], axis=1)
    leaf = shard_of(rows, cuts)
    asked = np.ones(cuts.n_leaves, np.int64)
    np.maximum.at(asked, leaf, levels)
    order = np.argsort(leaf, kind="stable")
    counts = np.bincount(leaf, minlength=cuts.n_leaves)
    arrays: dict[str, Array] = {}
    for i, here in enumerate(np.split(order, np.cumsum(counts)[:-1])):
        arrays |= {f"people/{i}": people[here], f"levels/{i}": levels[here], f"rows/{i}": rows[here]}
    return Result({"counts": counts.tolist(), "asked": asked.tolist()}, arrays)
