"""The three stages as tasks over files: cut people into shards, group a shard, rebuild a slice, count crowds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np

from shoal.common.edges import edge_keys
from shoal.engine import Done, Tell
from shoal.engine.parts import read_array
from shoal.group.cut import Cuts, shard_of
from shoal.stages import How, group_people, rebuild_slice


def sample_rows(slices: list[Path], count: int) -> np.ndarray:
    """The rows of the first people, who are a fair sample: their numbers are random."""
    return np.column_stack([read_array(path, "degrees/0")[:count] for path in slices])


def sort_block(piece: tuple[int, int, list[Path], Cuts], threads: int, tell: Tell) -> Done:
    """A block of people by leaf of the tree of cuts: their numbers and their rows."""
    block, first, slices, cuts = piece
    rows = np.column_stack([read_array(path, f"degrees/{block}") for path in slices])
    leaf = shard_of(rows, cuts)
    order = np.argsort(leaf, kind="stable")
    bounds = np.searchsorted(leaf[order], np.arange(cuts.n_leaves + 1))
    arrays = {}
    for i, (a, b) in enumerate(pairwise(bounds)):
        arrays[f"people/{i}"] = (order[a:b] + first).astype(np.int32)
        arrays[f"rows/{i}"] = rows[order[a:b]]
    return Done({"counts": np.diff(bounds).tolist()}, arrays)


def group_shard(piece: tuple[list[int], list[Path], int, How, np.random.Generator], threads: int, tell: Tell) -> Done:
    """Stage 1 for a shard, which is one leaf or a few."""
    leaves, blocks, k, how, rng = piece
    people = np.concatenate([read_array(path, f"people/{leaf}") for path in blocks for leaf in leaves])
    rows = np.concatenate([read_array(path, f"rows/{leaf}") for path in blocks for leaf in leaves]).astype(np.int32)
    needs = np.full(len(rows), k)
    labels = group_people(rows, needs, how, bounded=False, rng=rng, jobs=threads, tell=tell).labels
    return Done({"groups": int(labels.max()) + 1}, {"people": people, "labels": labels.astype(np.int32)})


def join_groups(piece: tuple[list[Path], list[int], int], threads: int, tell: Tell) -> Done:
    """Everybody's group, numbered over all shards."""
    shards, first, n = piece
    labels = np.full(n, -1, np.int32)
    for path, offset in zip(shards, first, strict=True):
        labels[read_array(path, "people")] = read_array(path, "labels") + np.int32(offset)
    sizes = np.bincount(labels)  # refuses somebody without a group
    return Done({"groups": len(sizes), "smallest": int(sizes.min())}, {"labels": labels, "sizes": sizes})


def rebuild(piece: tuple[Path, Path, How, np.random.Generator], threads: int, tell: Tell) -> Done:
    """Stages 2 and 3 for a slice: its new edges, the degree of every group, and what it cost."""
    slice_path, groups, how, rng = piece
    edges, labels = read_array(slice_path, "edges"), read_array(groups, "labels")
    n = len(labels)
    made = rebuild_slice(edges, labels, how, directed=False, rng=rng)
    old, new = np.bincount(edges.ravel(), minlength=n), np.bincount(made.ravel(), minlength=n)
    levels = np.zeros(int(labels.max()) + 1, np.int32)
    levels[labels] = new
    shared = len(np.intersect1d(edge_keys(edges), edge_keys(made), assume_unique=True))
    facts = {
        "original": len(edges),
        "released": len(made),
        "added": len(made) - shared,
        "removed": len(edges) - shared,
        "l1": int(np.abs(old - new).sum()),
    }
    return Done(facts, {"edges": made, "levels": levels})


def count_crowds(piece: tuple[Path, list[Path]], threads: int, tell: Tell) -> Done:
    """Crowds of the release: groups with the same degree in every slice are one."""
    groups, slices = piece
    sizes = read_array(groups, "sizes")
    return Done(*_crowd_facts(np.zeros(len(sizes), np.int64), sizes, (read_array(path, "levels") for path in slices)))


def count_exposed(piece: tuple[list[Path], int, int, int], threads: int, tell: Tell) -> Done:
    """Crowds of the input: how many people the vector attacker finds, and how many stand in a crowd below k."""
    slices, n, n_blocks, k = piece
    degrees = (np.concatenate([read_array(path, f"degrees/{b}") for b in range(n_blocks)]) for path in slices)
    facts, arrays = _crowd_facts(np.zeros(n, np.int64), np.ones(n, np.int64), degrees)
    crowds = arrays["crowds"]
    return Done({**facts, "unique": int((crowds == 1).sum()), "below": int(crowds[crowds < k].sum())}, {})


def _crowd_facts(
    crowd: np.ndarray, sizes: np.ndarray, columns: Iterable[np.ndarray]
) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    for column in columns:
        crowd = np.unique(crowd * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    crowds = np.bincount(crowd, weights=sizes).astype(np.int64)
    return {"smallest": int(crowds.min()), "classes": len(crowds)}, {"crowds": crowds}
