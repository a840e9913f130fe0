"""Grouping against naive oracles: brute force over all partitions, all-pairs distances, medians by numpy."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from shoal.common import crowds
from shoal.errors import InputError
from shoal.group import neighbours, search
from shoal.group._sort_kernels import sort_by
from shoal.group.bound import lower_bound, matching_bound, neighbour_bound, slice_bound
from shoal.group.exact import cheapest_cuts, cheapest_runs
from shoal.group.neighbours import collapse_rows, find_crowds, nearest_rows
from shoal.group.search import search_groups
from shoal.group.start import settle
from tests.uncompiled import UNCOMPILED, examples

COMMON = examples(60)


def naive_cost(degrees, labels):
    return sum(
        int(np.abs(degrees[labels == g] - np.sort(degrees[labels == g], axis=0)[np.sum(labels == g) // 2]).sum())
        for g in np.unique(labels)
    )


def partitions(nodes, k):
    """All partitions of ``nodes`` into groups of k to 2k - 1 (or one group of all)."""
    if not nodes:
        yield []
        return
    from itertools import combinations

    for size in range(k, min(2 * k - 1, len(nodes)) + 1):
        if len(nodes) - size and len(nodes) - size < k:
            continue
        for rest in combinations(nodes[1:], size - 1):
            group = (nodes[0], *rest)
            for others in partitions([i for i in nodes if i not in group], k):
                yield [group, *others]


def brute_force(degrees, k):
    def cost(group):
        part = np.sort(degrees[list(group)], axis=0)
        return int(np.abs(part - part[len(part) // 2]).sum())

    seen = {}
    return min(
        sum(seen.setdefault(g, None) or seen.__setitem__(g, cost(g)) or seen[g] for g in groups)
        for groups in partitions(list(range(len(degrees))), k)
    )


def naive_distances(degrees):
    return np.abs(degrees[:, None].astype(np.int64) - degrees[None]).sum(axis=2)


def matrices(max_rows=40, max_slices=9, max_degree=6, min_rows=1):
    shape = st.tuples(st.integers(min_rows, max_rows), st.integers(1, max_slices))
    return hnp.arrays(np.int32, shape, elements=st.integers(0, max_degree))


def random_matrix(n, n_slices, seed, top=9):
    rng = np.random.default_rng(seed)
    return np.minimum(rng.geometric(0.4, (n, n_slices)) - 1, top).astype(np.int32)


@COMMON
@given(matrices())
def test_collapse_rows(degrees):
    first, label, count = collapse_rows(degrees)
    assert np.array_equal(degrees[first[label]], degrees)
    assert len(np.unique(degrees, axis=0)) == len(first)
    assert np.array_equal(np.bincount(label), count)


def test_collapse_rows_survives_hash_collisions(monkeypatch):
    degrees = random_matrix(50, 3, 0)
    weights = SimpleNamespace(integers=lambda low, high, size, dtype: np.zeros(size, dtype))
    monkeypatch.setattr(crowds.np.random, "default_rng", lambda seed: weights)
    first, label, _ = collapse_rows(degrees)
    assert np.array_equal(degrees[first[label]], degrees)
    assert len(np.unique(degrees, axis=0)) == len(first)


@COMMON
@given(matrices(max_rows=200, max_degree=4), st.integers(1, 12))
def test_nearest_rows_are_exact(degrees, n_neighbours):
    near, distance = nearest_rows(degrees, n_neighbours)
    true = naive_distances(degrees)
    assert np.array_equal(np.take_along_axis(true, near.astype(np.int64), axis=1), distance)
    np.fill_diagonal(true, 10**6)
    assert np.array_equal(np.sort(true, axis=1)[:, : distance.shape[1]], distance)
    assert not np.any(near == np.arange(len(degrees))[:, None])


@pytest.mark.parametrize("top", [9, 30_000])
def test_nearest_rows_of_sparse_and_of_large_values(top):
    degrees = random_matrix(300, 100, 1, top) * (np.random.default_rng(2).random((300, 100)) < 0.05) * (top // 9)
    dense, sparse = neighbours._dense(degrees, 7, 1)[1], neighbours._sparse(degrees, 7, 2)[1]
    true = naive_distances(degrees) + np.diag(np.full(300, 10**9))
    assert np.array_equal(dense, np.sort(true, axis=1)[:, :7])
    assert np.array_equal(sparse, dense)


@pytest.mark.compiled
def test_bounded_search_comes_close(monkeypatch):
    degrees = random_matrix(5_000, 6, 3)
    degrees = degrees[collapse_rows(degrees)[0]]
    _, exact = nearest_rows(degrees, 8)
    monkeypatch.setattr(neighbours, "EXACT_LIMIT", 10)
    monkeypatch.setattr(neighbours, "SEARCH_LEAVES", 12)
    _, bounded = nearest_rows(degrees, 8)
    assert np.all(bounded >= exact)
    assert bounded.mean() < 1.1 * exact.mean()


@given(st.lists(st.integers(-5, 5), max_size=90), st.integers(0, 3))
def test_sorting(values, low):
    key, order = np.array(values, np.int64), np.arange(len(values))
    high = max(len(values) - low, low)
    if low <= len(values):
        sort_by(key, order, np.empty_like(order), low, high)
        assert order.tolist() == [
            *range(low),
            *sorted(range(low, high), key=values.__getitem__),
            *range(high, len(values)),
        ]


@COMMON
@given(hnp.arrays(np.int32, st.integers(2, 9), elements=st.integers(0, 12)), st.integers(2, 4))
def test_one_slice_is_optimal(values, k):
    k = min(k, len(values))
    best = brute_force(values[:, None], k) if len(values) >= 2 * k else naive_cost(values[:, None], values * 0)
    label = cheapest_runs(values, k)
    assert np.bincount(label).min() >= k
    assert naive_cost(values[:, None], label) == best == cheapest_cuts(np.sort(values), k)[0]
    assert naive_cost(values[:, None], search_groups(values[:, None], k, rng=np.random.default_rng(0))) == best


def test_one_slice_of_a_million():
    values = np.random.default_rng(0).zipf(1.7, 10**6).clip(max=10**6)
    assert np.bincount(cheapest_runs(values, 5)).min() >= 5


@COMMON
@given(matrices(min_rows=4, max_rows=9, max_slices=4), st.integers(2, 4))
def test_never_below_brute_force_and_bounds_never_above(degrees, k):
    k = min(k, len(degrees) // 2)
    best = brute_force(degrees, k)
    label = search_groups(degrees, k, rng=np.random.default_rng(1), effort="fast")
    assert np.bincount(label).min() >= k
    assert naive_cost(degrees, label) >= best
    first, _, count = collapse_rows(degrees)
    assert lower_bound(degrees, k) <= best
    assert slice_bound(degrees, k) <= best
    if len(first) > 1:
        assert neighbour_bound(np.full(len(degrees), k), find_crowds(degrees, k)) <= best
        assert matching_bound(degrees[first], count, k, *nearest_rows(degrees[first], max(16, k + 6))) <= best


def test_small_cases_are_close_to_brute_force():
    ratios = []
    for seed in range(60):
        degrees = random_matrix(8 + seed % 3, 1 + seed % 5, seed)
        k = 2 + seed % 2
        cost = naive_cost(degrees, search_groups(degrees, k, rng=np.random.default_rng(seed)))
        ratios.append((cost + 1) / (brute_force(degrees, k) + 1))
    assert min(ratios) >= 1
    assert np.mean(ratios) <= 1.05


@pytest.mark.compiled
@pytest.mark.parametrize("k", [2, 5])
def test_bound_from_lists_is_below_the_bound_from_all_pairs(monkeypatch, k):
    from shoal.group import bound

    degrees = random_matrix(700, 5, 4)
    first, _, count = collapse_rows(degrees)
    full = matching_bound(degrees[first], count, k, *nearest_rows(degrees[first], max(16, k + 6)))
    for known in (0, 40, 200):
        monkeypatch.setattr(bound, "ALL_PAIRS", known)
        monkeypatch.setattr(bound, "WIDE", known)
        assert (
            neighbour_bound(np.full(len(degrees), k), find_crowds(degrees, k)) * 0.9
            < matching_bound(degrees[first], count, k, *nearest_rows(degrees[first], max(16, k + 6)))
            <= full * 1.001
        )
    cost = naive_cost(degrees, search_groups(degrees, k, rng=np.random.default_rng(0)))
    assert full <= cost


@COMMON
@given(matrices(max_rows=60), st.integers(1, 12), st.sampled_from(["fast", "balanced"]))
def test_every_group_has_k_members(degrees, k, effort):
    k = min(k, len(degrees))
    label = search_groups(degrees, k, rng=np.random.default_rng(0), effort=effort)
    assert label.dtype == np.int32
    assert np.bincount(label).min() >= k
    assert naive_cost(degrees, label) >= lower_bound(degrees, k)


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("sparse", [False, True])
def test_same_seed_same_groups_for_any_number_of_jobs(monkeypatch, k, sparse):
    monkeypatch.setattr(search, "ZONE_PEOPLE", 100)
    degrees = random_matrix(900, 80 if sparse else 6, 5)
    if sparse:
        degrees *= np.random.default_rng(6).random(degrees.shape) < 0.08
    label = [search_groups(degrees, k, rng=np.random.default_rng(7), effort="fast", jobs=j) for j in (1, 2, 5)]
    assert np.array_equal(label[0], label[1])
    assert np.array_equal(label[0], label[2])
    assert np.bincount(label[0]).min() >= k


def test_crowds_are_settled_at_once():
    rng = np.random.default_rng(8)
    degrees = np.concatenate([np.tile([[1, 0, 0]], (4_000, 1)), rng.integers(0, 9, (300, 3))]).astype(np.int32)
    group = settle(find_crowds(degrees, 5), np.full(len(degrees), 5))
    sizes = np.bincount(group[group >= 0])
    assert len(sizes) > 0
    assert set(sizes) == {5}
    assert all(len(np.unique(degrees[group == g], axis=0)) == 1 for g in range(len(sizes)))
    label = search_groups(degrees, 5, rng=rng, effort="fast")
    assert np.bincount(label).min() >= 5
    most = 2 if UNCOMPILED else 1.7  # as plain Python the search takes fewer steps
    assert naive_cost(degrees, label) <= most * lower_bound(degrees, 5)


@pytest.mark.compiled
def test_more_effort_costs_less():
    degrees = random_matrix(400, 8, 9)
    cost = [
        naive_cost(degrees, search_groups(degrees, 5, rng=np.random.default_rng(0), effort=e))
        for e in ("fast", "balanced", "thorough")
    ]
    assert cost[0] * 1.01 >= cost[1] >= cost[2] * 0.995


@pytest.mark.parametrize("limit", [0.0, 0.3])
def test_time_limit(limit):
    degrees = random_matrix(1_500, 8, 10)
    seen = []
    label = search_groups(
        degrees, 3, rng=np.random.default_rng(0), effort="thorough", time_limit=limit, progress=seen.append
    )
    assert np.bincount(label).min() >= 3
    assert seen == sorted(seen)
    assert seen[-1] == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_gives_no_groups(monkeypatch, jobs):
    """Groups of a shorter search are not those of the seed: nobody may take them for these."""
    monkeypatch.setattr(search, "ZONE_PEOPLE", 200)
    degrees = random_matrix(1_000, 8, 11)

    def stop(share):
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_groups(degrees, 3, rng=np.random.default_rng(0), jobs=jobs, progress=stop)


@pytest.mark.parametrize("k", [0, 7, -1])
def test_bad_k(k):
    with pytest.raises(InputError, match="k must lie between 1 and the number of rows, 6"):
        search_groups(random_matrix(6, 2, 0), k, rng=np.random.default_rng(0))


def test_bad_effort():
    with pytest.raises(InputError, match="effort must be one of fast, balanced, thorough"):
        search_groups(random_matrix(6, 2, 0), 2, rng=np.random.default_rng(0), effort="heroic")
