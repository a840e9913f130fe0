"""Groups for people with levels of their own are valid always, cheap nearly always, and the same on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.group import search
from shoal.group._cost_kernels import change, total_cost
from shoal.group._move_kernels import Scratch
from shoal.group._search_kernels import Stretch, anneal
from shoal.group._state import FAR
from shoal.group._state_kernels import fits, put
from shoal.group.bound import lower_bound
from shoal.group.exact import cheapest_cuts, cheapest_runs
from shoal.group.levels import by_level
from shoal.group.neighbours import find_crowds
from shoal.group.search import COSTS, search_groups
from shoal.group.start import Problem, first_state
from tests.group.oracle import cheapest, cost_of, group_cost
from tests.uncompiled import examples


@st.composite
def cases(draw, max_n=24):
    n, width = draw(st.integers(1, max_n)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = rng.integers(0, draw(st.sampled_from([1, 2, 5, 40])), (n, width), endpoint=True)
    ks = rng.integers(1, draw(st.integers(1, n)), n, endpoint=True)
    ks[rng.random(n) < draw(st.sampled_from([0, 0.5, 0.9]))] = 1
    exempt = rng.random(n) < draw(st.sampled_from([0, 0.1, 0.5, 1]))
    return rows, ks, exempt, draw(st.sampled_from(COSTS))


def groups(rows, ks, seed=0, **options):
    return search_groups(rows, ks, rng=np.random.default_rng(seed), **options)


def first(rows, ks, exempt, cost):
    """State of the first groups, and who is who in it; None where nobody is protected or no grouping is valid."""
    rows = rows.astype(np.int32)
    if ks.max() == 1:
        return None, None
    crowds = find_crowds(rows, ks)
    nodes = np.lexsort((-ks, crowds.label))
    try:
        state = first_state(Problem(-rows if cost == "min" else rows, ks, exempt, cost != "median"), crowds, nodes)
    except InputError:
        return None, None
    return state, nodes


def run(state, seed, n_steps):
    size = state.groups["count"]
    spare = np.concatenate([np.flatnonzero(size == 0), np.flatnonzero(size)])
    pick, longest = np.flatnonzero(state.people["k"] > 1), 2 * state.groups["room"].max() + 1
    tmp = Scratch(0, np.array([seed], np.uint64), *np.empty((3, longest), np.int64))
    return anneal(state, tmp, Stretch(pick, spare, int(np.sum(size == 0)), 9.0, 0.1, n_steps, 16))


def apart(labels):
    """Everybody of group -1 in a group of their own."""
    return np.where(labels < 0, labels.max() + np.cumsum(labels < 0), labels)


def assert_in_order(labels):
    first = np.unique(labels, return_index=True)[1]
    assert (np.diff(first) > 0).all()
    assert labels.dtype == np.int32


@examples(150)
@given(cases())
def test_valid_without_pins(case):
    rows, ks, exempt, cost = case
    labels = groups(rows, ks, cost=cost, effort="fast")
    assert cost_of(rows, ks, np.zeros_like(exempt), cost, labels) is not None
    assert_in_order(labels)


@examples(150)
@given(cases())
def test_valid_with_pins_or_refused(case):
    rows, ks, exempt, cost = case
    try:
        labels = groups(rows, ks, cost=cost, exempt=exempt, effort="fast")
    except InputError:
        return
    assert cost_of(rows, ks, exempt, cost, labels) is not None
    assert_in_order(labels)


@examples(60)
@given(cases(max_n=6))
def test_refused_only_when_impossible(case):
    rows, ks, exempt, cost = case
    best = cheapest(rows, ks, exempt, cost)
    if best is None:
        with pytest.raises(InputError, match="exempt people"):
            groups(rows, ks, cost=cost, exempt=exempt, effort="fast")
    else:
        assert cost_of(rows, ks, exempt, cost, groups(rows, ks, cost=cost, exempt=exempt, effort="fast")) >= best
        assert lower_bound(rows, ks) <= best


def test_nearly_always_optimal():
    rng = np.random.default_rng(0)
    hits = []
    for seed in range(90):
        n = int(rng.integers(2, 8))
        rows, ks = rng.integers(0, rng.choice([2, 4, 10]), (n, rng.integers(1, 4))), rng.integers(1, min(n, 4) + 1, n)
        exempt, cost = (rng.random(n) < 0.3) & (seed % 2 == 1), COSTS[seed % 3]
        best = cheapest(rows, ks, exempt, cost)
        if best is not None:
            hits.append(cost_of(rows, ks, exempt, cost, groups(rows, ks, seed, cost=cost, exempt=exempt)) == best)
    assert np.mean(hits) > 0.9


@example(  # a exempt person takes the place of one whose row they could not share
    (np.array([[2], [1], [1], [0], [0], [0], [0]]), np.array([0, 0, 2, 1, 2, 1, 1]), np.arange(7) == 6, "max")
)
@examples(60)
@given(cases(max_n=40))
def test_deltas_are_exact_and_levels_hold_throughout(case):
    rows, ks, exempt, cost = case
    state, nodes = first(rows, ks, exempt, cost)
    if state is None:
        return
    for seed in range(1, 4):
        before = total_cost(state)
        delta, n_spare = run(state, seed, 2_000)
        assert total_cost(state) - before == delta
        assert n_spare == np.sum(state.groups["count"] == 0)
        labels = apart(state.people["label"])
        assert cost_of(rows[nodes], ks[nodes], exempt[nodes], cost, labels) == total_cost(state)


@pytest.mark.compiled
def test_same_groups_on_any_number_of_threads():
    rng = np.random.default_rng(1)
    rows, ks = rng.poisson(1.5, (3_000, 6)), rng.choice([1, 1, 2, 5], 3_000)
    one, two = (groups(rows, ks, 3, effort="fast", jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one, two)
    assert cost_of(rows, ks, np.zeros(3_000, bool), "median", one) >= lower_bound(rows, ks, jobs=2)


def test_levels_beyond_the_neighbour_lists():
    rng = np.random.default_rng(2)
    rows, ks = rng.integers(0, 60, (400, 3)), rng.choice([1, 2, 90, 150], 400)
    labels = groups(rows, ks, effort="fast")
    assert cost_of(rows, ks, np.zeros(400, bool), "median", labels) >= lower_bound(rows, ks)


def test_large_classes_are_settled_and_serve_others():
    rows = np.concatenate([np.zeros((500, 2)), np.ones((500, 2)), [[0, 1], [9, 9]]]).astype(int)
    ks = np.concatenate([np.full(500, 3), np.ones(500), [7, 2]]).astype(int)
    labels = groups(rows, ks)
    assert cost_of(rows, ks, np.zeros(len(rows), bool), "median", labels) == 1 + 16


def test_whoever_is_far_from_the_protected_stays_alone():
    rows = np.array([[0, 0], [0, 1], [1, 0], [50, 50], [51, 50], [80, 3]])
    assert groups(rows, np.array([3, 1, 1, 1, 1, 1])).tolist() == [0, 0, 0, 1, 2, 3]


def test_exempt_people_pull_others_onto_their_row():
    rows = np.array([[4, 4], [3, 4], [9, 9], [9, 9], [0, 0]])
    exempt = np.array([True, False, False, False, False])
    assert groups(rows, np.array([2, 1, 1, 1, 1]), exempt=exempt).tolist() == [0, 0, 1, 2, 3]
    assert groups(rows, np.array([2, 1, 1, 1, 1]), exempt=exempt, cost="min").tolist() == [0, 1, 0, 2, 3]


def test_errors_are_one_sentence():
    rows = np.arange(6).reshape(3, 2)
    with pytest.raises(InputError, match="k must lie between 1 and the number of rows, 3; got 4"):
        groups(rows, np.array([1, 4, 1]))
    with pytest.raises(InputError, match="exempt people"):
        groups(rows, np.array([2, 2, 2]), exempt=np.array([True, True, False]))
    with pytest.raises(InputError, match="cost"):
        groups(rows, np.array([2, 2, 2]), cost="mean")
    with pytest.raises(InputError, match="one value for each"):
        groups(rows, np.array([2, 2]))


def test_nobody_is_protected():
    assert groups(np.zeros((3, 2), int), np.array([1, 1, 1])).tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="k must lie between 1 and the number of rows, 3; got 0"):
        groups(np.zeros((3, 2), int), np.array([1, 0, -4]))
    assert groups(np.zeros((0, 2), int), np.zeros(0, int)).tolist() == []


def chunks_of(rows, k):
    return np.minimum(np.arange(len(rows)) // k, len(rows) // k - 1)


@examples(100)
@given(cases())
def test_by_level_meets_every_level(case):
    rows, ks, exempt, _ = case
    labels = by_level(rows, ks, chunks_of)
    assert cost_of(rows, ks, np.zeros_like(exempt), "median", labels) is not None
    assert_in_order(labels)


def test_bound_counts_in_whole_numbers():
    rows, ks = np.array([[0, 0], [0, 1], [3, 3], [3, 3], [9, 9]]), np.array([3, 1, 2, 1, 1])
    assert lower_bound(rows, ks) == 2  # half of (1 + 6) / 2, and nothing for the twins
    assert lower_bound(rows, np.ones(5, int)) == 0


@examples(60)
@given(cases(max_n=16), st.randoms(use_true_random=False))
def test_closed_forms(case, random):
    """What a change of members costs, and whether it may be, against the oracle: for every cost, with exempt people too."""
    rows, ks, exempt, cost = case
    state, nodes = first(rows, ks, exempt, cost)
    if state is None:
        return
    rows, ks, exempt, people = rows[nodes], ks[nodes], exempt[nodes], state.people
    for _ in range(20):
        a, b = random.randrange(len(rows)), random.randrange(len(rows))
        g = int(people["label"][a])
        out = a if g >= 0 else -1
        g = g if g >= 0 else random.choice(np.flatnonzero(state.groups["count"]).tolist())
        add = b if people["label"][b] != g and random.random() < 0.7 else -1
        members = [i for i in range(len(rows)) if (people["label"][i] == g or i == add) and i != out]
        if (out, add) == (-1, -1) or not members:
            continue
        before, after = total_cost(state), np.array(members)
        valid = 2 <= ks[after].max() <= len(after) <= state.groups["room"][g]
        assert fits(state, g, np.int64(out), np.int64(add)) == valid
        wanted, now = group_cost(rows[after], exempt[after], cost), people["label"] == g
        delta = change(state, g, np.int64(out), np.int64(add))
        if wanted is None:
            assert delta >= FAR // 2
        else:
            assert delta == wanted - group_cost(rows[now], exempt[now], cost)
        if valid and wanted is not None and (add < 0 or people["label"][add] < 0):
            put(state, np.int64(-1), np.int64(out)) if out >= 0 else None
            put(state, np.int64(g), np.int64(add)) if add >= 0 else None
            assert total_cost(state) - before == delta
            assert state.groups["top"][g] == ks[after].max()
            assert state.groups["n_top"][g] == np.sum(ks[after] == ks[after].max())


@examples(100)
@given(cases(max_n=7))
def test_cheapest_runs_are_the_cheapest_valid_runs(case):
    rows, ks, _, _ = case
    values, n = rows[:, 0], len(rows)
    nobody = np.zeros(n, bool)
    order = np.lexsort((ks, values))
    cuts = [np.array([int(bit) for bit in f"0{i:0{n - 1}b}"]).cumsum() for i in range(2 ** (n - 1))] if n > 1 else [[0]]
    costs = [cost_of(values[order, None], ks[order], nobody, "median", np.array(cut)) for cut in cuts]
    best = min(c for c in costs if c is not None)
    assert cheapest_cuts(values[order], ks[order])[0] == best
    assert cost_of(values[:, None], ks, nobody, "median", cheapest_runs(values, ks)) == best


def test_runs_can_be_beaten_where_levels_differ():
    values, ks = np.array([[0], [0], [0], [5], [5], [10]]), np.array([4, 4, 4, 2, 2, 4])
    assert cheapest_cuts(values[:, 0], ks)[0] == 20
    assert cheapest(values, ks, np.zeros(6, bool), "median") == 10
    assert cost_of(values, ks, np.zeros(6, bool), "median", groups(values, ks)) == 10


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_zones_with_levels_give_the_same_groups_on_any_number_of_threads(monkeypatch, jobs):
    monkeypatch.setattr(search, "ZONE_PEOPLE", 60)
    rng = np.random.default_rng(1)
    rows, ks = rng.poisson(1.5, (900, 6)), rng.choice([1, 1, 2, 5], 900)
    exempt = rng.random(900) < 0.02
    for options in ({}, {"cost": "max"}, {"exempt": exempt}):
        labels = groups(rows, ks, 3, effort="fast", jobs=jobs, **options)
        assert np.array_equal(labels, groups(rows, ks, 3, effort="fast", **options))
        still = options.get("exempt", np.zeros(900, bool))
        assert cost_of(rows, ks, still, options.get("cost", "median"), labels) is not None


def test_zones_hold(monkeypatch):
    """A stretch moves people within their zone and touches nobody else: so threads need not wait for one another."""
    monkeypatch.setattr(search, "ZONE_PEOPLE", 40)
    rng = np.random.default_rng(5)
    rows, ks = rng.poisson(1.5, (400, 4)), rng.choice([1, 2, 3], 400)
    state, _ = first(rows, ks, np.zeros(400, bool), "median")
    spare, zone_of_spare = search.deal_zones(state, rng)
    people = state.people
    zones = people["zone"].copy()
    assert len(np.unique(zones)) == 8
    labels = people["label"].copy()
    for g in np.unique(labels[labels >= 0]):
        assert len(np.unique(zones[labels == g])) == 1
    mine = np.flatnonzero((zones == 1) & (people["k"] > 1))
    free = spare[zone_of_spare == 1]
    tmp = Scratch(1, np.array([7], np.uint64), *np.empty((3, 2 * state.groups["room"].max() + 1), np.int64))
    room = np.concatenate([free, np.zeros(len(mine), np.int64)])
    anneal(state, tmp, Stretch(mine, room, len(free), 9.0, 1.0, 3_000, 16))
    assert (people["label"] != labels).any()
    assert np.array_equal(people["label"][zones != 1], labels[zones != 1])
    for g in np.unique(people["label"][people["label"] >= 0]):
        assert len(np.unique(zones[people["label"] == g])) == 1


@pytest.mark.parametrize("limit", [0.0, 0.3])
def test_time_limit_holds_for_levels_too(limit):
    rng = np.random.default_rng(1)
    rows, ks = rng.poisson(1.5, (900, 6)), rng.choice([1, 2, 5], 900)
    labels = groups(rows, ks, effort="thorough", time_limit=limit)
    assert cost_of(rows, ks, np.zeros(900, bool), "median", labels) is not None
