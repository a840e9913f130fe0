from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.paper.nearest import nearest_realizable
from shoal.realize import enforce_realizability, is_graphical, realize_slice, satisfies_erdos_gallai
from tests import naive
from tests.strategies import grouped_degrees


def spread(degrees, sizes):
    return np.repeat(degrees, sizes).tolist()


@given(grouped_degrees())
def test_erdos_gallai_agrees_with_the_theorem_and_networkx(case):
    degrees, sizes = map(np.array, case)
    assert satisfies_erdos_gallai(degrees, sizes) == naive.erdos_gallai(spread(degrees, sizes))
    assert is_graphical(degrees, sizes) == nx.is_graphical(spread(degrees, sizes))


@given(st.lists(st.integers(-1, 12), max_size=12))
def test_any_sequence_is_judged_as_networkx_judges_it(sequence):
    assert is_graphical(np.array(sequence, np.int64)) == nx.is_graphical(sequence)


@example(([10, 2, 5, 0], [3, 2, 2, 2]))  # the pivot falls below a group that follows it
@given(grouped_degrees())
def test_enforce_only_lowers_keeps_the_order_and_leaves_realizable_ones_alone(case):
    degrees, sizes = map(np.array, case)
    enforced = enforce_realizability(degrees, sizes)
    assert satisfies_erdos_gallai(enforced, sizes)
    assert (enforced >= 0).all()
    assert (enforced <= degrees).all()
    order = np.argsort(-degrees, kind="stable")
    assert (np.diff(enforced[order]) <= 0).all()
    if satisfies_erdos_gallai(degrees, sizes):
        assert np.array_equal(enforced, degrees)


def test_enforce_is_close_to_the_integer_program_on_1000_sequences_over_10_nodes():
    rng = np.random.default_rng(0)
    ours, best = [], []
    while len(ours) < 1000:
        k = int(rng.integers(1, 6))
        sizes = np.full(10 // k, k)
        sizes[: 10 % k] += 1
        degrees = rng.integers(0, 10, len(sizes))
        if sizes.sum() != 10 or satisfies_erdos_gallai(degrees, sizes):
            continue
        optimum = nearest_realizable(degrees, sizes)
        assert satisfies_erdos_gallai(optimum, sizes)
        best.append(int(np.abs(optimum - degrees) @ sizes))
        ours.append(int(np.abs(enforce_realizability(degrees, sizes) - degrees) @ sizes))
    assert all(a >= b for a, b in zip(ours, best, strict=True))
    assert sum(ours) <= 1.06 * sum(best)


@given(grouped_degrees(max_groups=4))
def test_the_integer_program_is_exact(case):
    """Against all sequences that are constant on groups and keep their order."""
    degrees, sizes = map(np.array, case)
    sizes = np.minimum(sizes, 2)
    top = int(sizes.sum()) - 1
    optimum = nearest_realizable(degrees, sizes, even=True)
    assert is_graphical(optimum, sizes)
    order = np.argsort(-degrees, kind="stable")
    costs = [
        np.abs(np.array(x) - degrees) @ sizes
        for x in np.ndindex(*[top + 1] * len(sizes))
        if is_graphical(np.array(x), sizes) and (np.diff(np.array(x)[order]) <= 0).all()
    ]
    assert np.abs(optimum - degrees) @ sizes == min(costs)


@given(grouped_degrees(), st.integers(0, 2**32))
def test_a_slice_ends_realizable_and_constant_on_groups(case, seed):
    degrees, sizes = map(np.array, case)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    members = np.random.default_rng(seed).integers(0, len(labels), len(labels))
    final = realize_slice(degrees, sizes, members, labels)
    assert is_graphical(final, sizes)
    assert nx.is_graphical(spread(final, sizes))


def test_parity_takes_the_cheapest_group():
    sizes, degrees = np.array([3, 3, 2]), np.array([1, 2, 1])
    members = np.array([1, 1, 1, 3, 3, 3, 1, 1])
    assert realize_slice(degrees, sizes, members, np.repeat(np.arange(3), sizes)).tolist() == [1, 3, 1]
