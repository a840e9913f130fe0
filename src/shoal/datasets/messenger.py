"""A synthetic instant messenger, shaped like the paper's Yahoo graph, of any size and without any real person in it."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.errors import InputError
from shoal.graph import Slice, TemporalGraph

_TIES_PER_NODE = 3.4  # distinct partners begun per person; chosen for about 20 edges per person over 28 days


def messenger(n_nodes: int, n_slices: int = 28, seed: int = 0) -> TemporalGraph:
    """People of very different activity who write to the same few partners on many days, less at weekends.

    Activity follows a Pareto law (tail exponent 1.6, cut at 60). Each tie joins a person drawn by activity with somebody
    near in a circle (60 %) or with anybody by activity; it has its own daily probability (a gamma law), and 60 % of it at weekends.
    About 20 edges per person over 28 days.

    >>> messenger(1000, seed=1).n_slices
    28
    """
    if n_nodes < 2 or n_slices < 1:
        raise InputError("a messenger graph needs at least 2 people and 1 slice")
    rng = np.random.default_rng(seed)
    activity = np.minimum(rng.pareto(1.6, n_nodes) + 0.3, 60)
    share = np.cumsum(activity) / activity.sum()

    def drawn(size: int) -> np.ndarray:
        return np.minimum(np.searchsorted(share, rng.random(size)), n_nodes - 1)

    n_ties = int(_TIES_PER_NODE * n_nodes)
    one = drawn(n_ties)
    step = rng.geometric(0.02, n_ties) * rng.choice([-1, 1], n_ties)
    other = np.where(rng.random(n_ties) < 0.6, (one + step) % n_nodes, drawn(n_ties))
    low, high = np.minimum(one, other).astype(np.int64), np.maximum(one, other)
    ties, first = np.unique(low * n_nodes + high, return_index=True)
    real = low[first] != high[first]
    ties, chance = ties[real], np.clip(rng.gamma(0.6, 0.4, n_ties), 0.01, 0.95)[first][real]
    parts = []
    for day in range(n_slices):
        on = ties[rng.random(len(ties)) < chance * (0.6 if day % 7 >= 5 else 1.0)]
        parts.append(np.column_stack([on // n_nodes, on % n_nodes]).astype(np.int32))
    starts = np.concatenate([[0], np.cumsum([len(p) for p in parts], dtype=np.int64)])
    labels = [Slice(f"day-{day + 1:02}", None, f"day-{day + 1:02}") for day in range(n_slices)]
    people = pl.Series(np.arange(n_nodes, dtype=np.int64))
    return TemporalGraph(people, labels, np.concatenate(parts), starts)
