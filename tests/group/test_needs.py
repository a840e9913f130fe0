"""The groups of `needs_groups` are valid always, cheap nearly always, and the same on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.group._need_search import anneal
from shoal.group._need_state import total_cost
from shoal.group.levels import by_level, needs_bound
from shoal.group.needs import COSTS, _first_state, needs_groups
from shoal.group.neighbours import find_crowd
from tests.group.needs_oracle import cheapest, cost_of
from tests.uncompiled import examples


@st.composite
def cases(draw, max_n=24):
    n, width = draw(st.integers(1, max_n)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = rng.integers(0, draw(st.sampled_from([1, 2, 5, 40])), (n, width), endpoint=True)
    need = rng.integers(0, draw(st.integers(1, n)), n, endpoint=True)
    need[rng.random(n) < draw(st.sampled_from([0, 0.5, 0.9]))] = 1
    pinned = rng.random(n) < draw(st.sampled_from([0, 0.1, 0.5, 1]))
    return rows, need, pinned, draw(st.sampled_from(COSTS))


def groups(rows, need, seed=0, **options):
    return needs_groups(rows, need, rng=np.random.default_rng(seed), **options)


def assert_in_order(labels):
    first = np.unique(labels, return_index=True)[1]
    assert (np.diff(first) > 0).all()
    assert labels.dtype == np.int32


@examples(150)
@given(cases())
def test_valid_without_pins(case):
    rows, need, pinned, cost = case
    labels = groups(rows, need, cost=cost, effort="fast")
    assert cost_of(rows, need, np.zeros_like(pinned), cost, labels) is not None
    assert_in_order(labels)


@examples(150)
@given(cases())
def test_valid_with_pins_or_refused(case):
    rows, need, pinned, cost = case
    try:
        labels = groups(rows, need, cost=cost, pinned=pinned, effort="fast")
    except InputError:
        return
    assert cost_of(rows, need, pinned, cost, labels) is not None
    assert_in_order(labels)


@examples(60)
@given(cases(max_n=6))
def test_refused_only_when_impossible(case):
    rows, need, pinned, cost = case
    best = cheapest(rows, need, pinned, cost)
    if best is None:
        with pytest.raises(InputError, match="pinned"):
            groups(rows, need, cost=cost, pinned=pinned, effort="fast")
    else:
        assert cost_of(rows, need, pinned, cost, groups(rows, need, cost=cost, pinned=pinned, effort="fast")) >= best
        assert needs_bound(rows, need) <= best


def test_nearly_always_optimal():
    rng = np.random.default_rng(0)
    hits = []
    for seed in range(90):
        n = int(rng.integers(2, 8))
        rows, need = rng.integers(0, rng.choice([2, 4, 10]), (n, rng.integers(1, 4))), rng.integers(1, min(n, 4) + 1, n)
        pinned, cost = (rng.random(n) < 0.3) & (seed % 2 == 1), COSTS[seed % 3]
        best = cheapest(rows, need, pinned, cost)
        if best is not None:
            hits.append(cost_of(rows, need, pinned, cost, groups(rows, need, seed, cost=cost, pinned=pinned)) == best)
    assert np.mean(hits) > 0.9


@example(  # a pinned person takes the place of one whose row they could not share
    (np.array([[2], [1], [1], [0], [0], [0], [0]]), np.array([0, 0, 2, 1, 2, 1, 1]), np.arange(7) == 6, "max")
)
@examples(60)
@given(cases(max_n=40))
def test_deltas_are_exact_and_needs_hold_throughout(case):
    rows, need, pinned, cost = case
    rows, need = rows.astype(np.int32), np.maximum(need, 1)
    if need.max() == 1:
        return
    crowd = find_crowd(rows, int(need.max()))
    nodes = np.lexsort((-need, crowd.label))
    signed = -rows if cost == "min" else rows
    try:
        state, web = _first_state(signed, need, pinned, cost != "median", crowd, nodes)
    except InputError:
        return
    for seed in range(1, 4):
        size = state.groups["count"]
        spare = np.concatenate([np.flatnonzero(size == 0), np.flatnonzero(size)])
        before = total_cost(state)
        pick = np.flatnonzero(state.people["need"] > 1)
        options = np.int64(2_000), np.uint64(seed), np.int64(16)
        delta, n_spare = anneal(state, web, pick, spare, np.sum(size == 0), np.float64(9), np.float64(0.1), *options)
        assert total_cost(state) - before == delta
        assert n_spare == np.sum(size == 0)
        labels = state.people["label"].copy()
        labels[labels < 0] = labels.max() + 1 + np.arange(np.sum(labels < 0))
        found = cost_of(rows[nodes], need[nodes], pinned[nodes], cost, labels)
        assert found == total_cost(state)


@pytest.mark.compiled
def test_same_groups_on_any_number_of_threads():
    rng = np.random.default_rng(1)
    rows, need = rng.poisson(1.5, (3_000, 6)), rng.choice([1, 1, 2, 5], 3_000)
    one, two = (groups(rows, need, 3, effort="fast", jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one, two)
    assert cost_of(rows, need, np.zeros(3_000, bool), "median", one) >= needs_bound(rows, need, jobs=2)


def test_needs_beyond_the_neighbour_lists():
    rng = np.random.default_rng(2)
    rows, need = rng.integers(0, 60, (400, 3)), rng.choice([1, 2, 90, 150], 400)
    labels = groups(rows, need, effort="fast")
    assert cost_of(rows, need, np.zeros(400, bool), "median", labels) >= needs_bound(rows, need)


def test_large_classes_are_settled_and_serve_others():
    rows = np.concatenate([np.zeros((500, 2)), np.ones((500, 2)), [[0, 1], [9, 9]]]).astype(int)
    need = np.concatenate([np.full(500, 3), np.ones(500), [7, 2]]).astype(int)
    labels = groups(rows, need)
    assert cost_of(rows, need, np.zeros(len(rows), bool), "median", labels) == 1 + 16


def test_whoever_is_far_from_the_protected_stays_alone():
    rows = np.array([[0, 0], [0, 1], [1, 0], [50, 50], [51, 50], [80, 3]])
    assert groups(rows, np.array([3, 1, 1, 1, 1, 1])).tolist() == [0, 0, 0, 1, 2, 3]


def test_pinned_people_pull_others_onto_their_row():
    rows = np.array([[4, 4], [3, 4], [9, 9], [9, 9], [0, 0]])
    pinned = np.array([True, False, False, False, False])
    assert groups(rows, np.array([2, 1, 1, 1, 1]), pinned=pinned).tolist() == [0, 0, 1, 2, 3]
    assert groups(rows, np.array([2, 1, 1, 1, 1]), pinned=pinned, cost="min").tolist() == [0, 1, 0, 2, 3]


def test_errors_are_one_sentence():
    rows = np.arange(6).reshape(3, 2)
    with pytest.raises(InputError, match="somebody needs 4"):
        groups(rows, np.array([1, 4, 1]))
    with pytest.raises(InputError, match="pinned rows"):
        groups(rows, np.array([2, 2, 2]), pinned=np.array([True, True, False]))
    with pytest.raises(InputError, match="cost"):
        groups(rows, np.array([2, 2, 2]), cost="mean")
    with pytest.raises(InputError, match="one value for each"):
        groups(rows, np.array([2, 2]))


def test_nobody_needs_anything():
    assert groups(np.zeros((3, 2), int), np.array([1, 0, -4])).tolist() == [0, 1, 2]
    assert groups(np.zeros((0, 2), int), np.zeros(0, int)).tolist() == []


def chunks_of(rows, k):
    return np.minimum(np.arange(len(rows)) // k, len(rows) // k - 1)


@examples(100)
@given(cases())
def test_by_level_meets_every_need(case):
    rows, need, pinned, _ = case
    labels = by_level(rows, need, chunks_of)
    assert cost_of(rows, need, np.zeros_like(pinned), "median", labels) is not None
    assert_in_order(labels)


def test_bound_counts_in_whole_numbers():
    rows, need = np.array([[0, 0], [0, 1], [3, 3], [3, 3], [9, 9]]), np.array([3, 1, 2, 1, 1])
    assert needs_bound(rows, need) == 2  # half of (1 + 6) / 2, and nothing for the twins
    assert needs_bound(rows, np.ones(5, int)) == 0
