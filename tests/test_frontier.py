"""Other people's methods in benchmarks/, where they are subtle."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from shoal.datasets import messenger

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
methods = pytest.importorskip("methods")
GRAPH = messenger(80, 4, seed=3)


def shared(one, other):
    return sum(
        len(set(map(tuple, a.tolist())) & set(map(tuple, b.tolist())))
        for (_, a), (_, b) in zip(one, other, strict=True)
    )


def test_switching_keeps_degrees_and_replaces_what_was_asked():
    for share in (0.1, 0.4):
        made = methods.switched(GRAPH, share, np.random.default_rng(0))
        assert np.array_equal(made.degree_matrix(), GRAPH.degree_matrix())
        gone = 1 - shared(GRAPH, made) / GRAPH.n_edges
        assert share <= gone <= share + 2 * GRAPH.n_slices / GRAPH.n_edges
    drawn = methods.surrogate(GRAPH, 0, np.random.default_rng(0))
    assert np.array_equal(drawn.degree_matrix(), GRAPH.degree_matrix())
    assert shared(GRAPH, drawn) < GRAPH.n_edges / 2


def test_each_slice_by_liu_and_terzi_is_anonymous_alone():
    made = methods.liu_terzi(GRAPH, 5, np.random.default_rng(0))
    for column in made.degree_matrix().T:
        assert np.bincount(column)[column].min() >= 5


def test_the_filter_keeps_more_the_larger_the_budget_and_about_as_many():
    rng = np.random.default_rng(0)
    kept = [shared(GRAPH, methods.top_m_each(GRAPH, epsilon, rng)) / GRAPH.n_edges for epsilon in (0.5, 5, 10, 40)]
    assert kept == sorted(kept)
    assert kept[0] < 0.3
    assert kept[-1] > 0.95
    assert abs(methods.top_m_each(GRAPH, 10, rng).n_edges / GRAPH.n_edges - 1) < 0.1


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0, 6.0, 9.0])
def test_as_many_noisy_cells_pass_the_threshold_as_there_are_edges(epsilon):
    """The threshold of the paper, against the sum of both tails of Laplace's distribution."""
    cells, m = 200_000, 150

    def above(x):
        return 0.5 * np.exp(-epsilon * x) if x > 0 else 1 - 0.5 * np.exp(epsilon * x)

    theta = methods.threshold(cells, m, epsilon)
    assert m * above(theta - 1) + (cells - m) * above(theta) == pytest.approx(m)
