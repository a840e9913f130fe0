"""Rebuilding within limits: every limit kept, whenever a slice exists, and near the fewest changes."""

from __future__ import annotations

from itertools import combinations, permutations
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.realize import SliceLimits, SliceView, choose_degrees
from shoal.rebuild import within
from shoal.rebuild.within.exact import free_pairs, solve_exactly
from tests.uncompiled import examples


def view_of(edges, n, labels, limits, directed=False):
    assert len(labels) == n
    return SliceView(edges, labels, directed=directed, limits=limits)


def rebuild_within(edges, n, labels, limits, *, directed=False, removal_weight=1.0, rng, **options):
    view = view_of(edges, n, labels, limits, directed)

    def choose():
        return choose_degrees(view, removal_weight=removal_weight, rng=rng)

    return within.rebuild_within(view, choose, removal_weight=removal_weight, rng=rng, **options)


@st.composite
def cases(draw, largest=7):
    directed = draw(st.booleans())
    n = draw(st.integers(4, largest - directed))
    pairs = list(permutations(range(n), 2) if directed else combinations(range(n), 2))
    edges = np.array(draw(st.lists(st.sampled_from(pairs), unique=True)), dtype=np.int32).reshape(-1, 2)
    edges = edges[np.lexsort(edges.T[::-1])]
    split = draw(st.integers(2, n - 2)) if n >= 4 and draw(st.booleans()) else n
    labels = np.array(draw(st.permutations([int(i >= split) for i in range(n)])))
    few = st.sampled_from([False, False, False, True])
    must_keep = np.array(draw(st.lists(few, min_size=len(edges), max_size=len(edges))), dtype=bool)
    ordered = st.permutations(range(n)).map(lambda p: p[:2])
    forbidden = np.array(draw(st.lists(ordered, max_size=4)), dtype=np.int64).reshape(-1, 2)
    exempt = np.array(draw(st.lists(few, min_size=n, max_size=n)))
    kinds = draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    limits = SliceLimits(
        draw(st.sampled_from(["both", "add", "remove"])),
        must_keep if kinds[0] else None,
        forbidden if kinds[1] else None,
        exempt if kinds[2] else None,
    )
    return edges, n, labels, limits, directed


def as_pairs(edges, directed):
    return {(int(u), int(v)) if directed or u < v else (int(v), int(u)) for u, v in edges}


def is_allowed(old, new, n, labels, limits, directed):
    """The contract, said once more in the plainest way."""
    before, after = as_pairs(old, directed), as_pairs(new, directed)
    added, removed = after - before, before - after
    must_keep = set() if limits.must_keep is None else as_pairs(old[limits.must_keep], directed)
    forbidden = set() if limits.forbidden is None else as_pairs(limits.forbidden, directed)
    exempt = set() if limits.exempt is None else set(np.flatnonzero(limits.exempt).tolist())
    rows = [set() for _ in range(labels.max() + 1)]
    for i in range(n):
        ins, outs = sum(v == i for _, v in after), sum(u == i for u, _ in after)
        rows[labels[i]].add((ins, outs) if directed else ins + outs)
    return (
        all(len(row) <= 1 for row in rows)
        and not (limits.allow == "add" and removed)
        and not (limits.allow == "remove" and added)
        and not removed & must_keep
        and not added & forbidden
        and not any(set(pair) & exempt for pair in added | removed)
    )


def brute_force(edges, n, labels, limits, directed, weight):
    """Fewest changes over all simple slices; None if there is none."""
    pairs = list(permutations(range(n), 2) if directed else combinations(range(n), 2))
    index = {pair: p for p, pair in enumerate(pairs)}
    incidence = np.zeros((len(pairs), 2 * n), dtype=np.int64)
    for p, (u, v) in enumerate(pairs):
        incidence[p, u] += 1
        incidence[p, v + n if directed else v] += 1
    slices = (np.arange(2 ** len(pairs))[:, None] >> np.arange(len(pairs))) & 1
    degrees = slices @ incidence
    fine = np.ones(len(slices), dtype=bool)
    for g in np.unique(labels):
        members = np.flatnonzero(labels == g)
        for side in (members, members + n):
            fine &= (degrees[:, side] == degrees[:, side[:1]]).all(axis=1)
    before = np.zeros(len(pairs), dtype=np.int64)
    before[[index[pair] for pair in as_pairs(edges, directed)]] = 1
    cost = ((slices > before).sum(axis=1) + weight * (slices < before).sum(axis=1)).astype(float)
    for c in np.flatnonzero(fine)[np.argsort(cost[fine], kind="stable")]:
        new = np.array([pairs[p] for p in np.flatnonzero(slices[c])]).reshape(-1, 2)
        if is_allowed(edges, new, n, labels, limits, directed):
            return cost[c]
    return None


def changes(old, new, directed, weight):
    before, after = as_pairs(old, directed), as_pairs(new, directed)
    return len(after - before) + weight * len(before - after)


@examples(300)
@given(cases(largest=5), st.integers(0, 3))
def test_finds_a_slice_whenever_there_is_one(case, seed):
    edges, n, labels, limits, directed = case
    best = brute_force(edges, n, labels, limits, directed, 1.0)
    if best is None:
        with pytest.raises(InputError):
            rebuild_within(*case[:4], directed=directed, rng=np.random.default_rng(seed))
        return
    assert view_of(*case).conflict() is None
    new = rebuild_within(*case[:4], directed=directed, rng=np.random.default_rng(seed))
    assert is_allowed(edges, new, n, labels, limits, directed)
    assert changes(edges, new, directed, 1.0) >= best


@examples(200)
@given(cases(), st.sampled_from([0.5, 1.0, 3.0]))
def test_agrees_with_the_solver(case, weight):
    edges, n, labels, limits, directed = case
    toggled, proven = solve_exactly(view_of(*case), weight, 10_000)
    assert proven == (toggled is None)
    if toggled is None:
        with pytest.raises(InputError):
            rebuild_within(*case[:4], directed=directed, removal_weight=weight, rng=np.random.default_rng(0))
        return
    new = rebuild_within(*case[:4], directed=directed, removal_weight=weight, rng=np.random.default_rng(0))
    assert is_allowed(edges, new, n, labels, limits, directed)
    assert new.dtype == np.int32
    assert np.array_equal(new, new[np.lexsort(new.T[::-1])])
    again = rebuild_within(*case[:4], directed=directed, removal_weight=weight, rng=np.random.default_rng(0))
    assert np.array_equal(new, again)


@examples(150)
@given(cases(largest=5), st.sampled_from([0.5, 1.0, 3.0]))
def test_solver_is_optimal(case, weight):
    edges, n, labels, limits, directed = case
    best = brute_force(edges, n, labels, limits, directed, weight)
    toggled, _ = solve_exactly(view_of(*case), weight, 10_000)
    assert (toggled is None) == (best is None)
    if toggled is not None:
        view = view_of(*case)
        lost = np.isin(toggled, view.keys).sum()
        assert toggled.size - lost + weight * lost == best


@examples(200)
@given(cases())
def test_bounds_count_free_pairs(case):
    view = view_of(*case)
    keys = free_pairs(view)
    assert len(keys) == view.n_pairs
    ends = np.concatenate([keys // view.n_nodes, keys % view.n_nodes])
    removable = np.tile(np.isin(keys, view.keys), 2)
    for i in range(view.n_nodes):
        here = ends == i
        assert view.ranges[1][i] == view.degrees[i] + np.count_nonzero(here & ~removable)
        assert view.ranges[0][i] == view.degrees[i] - np.count_nonzero(here & removable)


def random_slice(n, m, rng, directed):
    pairs = rng.integers(0, n, (m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if not directed:
        pairs = np.sort(pairs, axis=1)
    return np.unique(pairs, axis=0).astype(np.int32)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("allow", ["both", "add", "remove"])
@pytest.mark.parametrize(
    ("n", "m"),
    [(30, 40), (200, 300), *(pytest.param(*size, marks=pytest.mark.compiled) for size in [(40, 700), (400, 6000)])],
)
def test_larger_slices(directed, allow, n, m):
    rng = np.random.default_rng(n + m)
    edges = random_slice(n, m, rng, directed)
    labels = rng.permutation(n) * (n // 6) // n
    must_keep = rng.random(len(edges)) < 0.1 if allow == "both" else None
    forbidden = rng.integers(0, n, (2 * n, 2)) if allow == "both" else None
    limits = SliceLimits(allow, must_keep, forbidden)
    new = rebuild_within(edges, n, labels, limits, directed=directed, rng=rng)
    assert is_allowed(edges, new, n, labels, limits, directed)


@pytest.mark.parametrize("directed", [False, True])
def test_exempt_people_and_their_groups(directed):
    rng = np.random.default_rng(5)
    n = 300
    edges = random_slice(n, 600, rng, directed)
    outs, ins = (np.bincount(edges[:, c], minlength=n) for c in (0, 1))
    key = ins * n + outs if directed else ins + outs
    labels = np.argsort(np.argsort(key, kind="stable"), kind="stable") // 5
    exempt = np.zeros(n, dtype=bool)
    exempt[np.argsort(key, kind="stable")[::25]] = True
    limits = SliceLimits(exempt=exempt)
    new = rebuild_within(edges, n, labels, limits, directed=directed, rng=rng)
    assert is_allowed(edges, new, n, labels, limits, directed)


def test_without_limits_nothing_is_impossible():
    star = np.array([[0, i] for i in range(1, 8)], dtype=np.int32)
    labels = np.arange(8) % 2
    full = rebuild_within(star, 8, labels, SliceLimits("add"), rng=np.random.default_rng(0))
    assert is_allowed(star, full, 8, labels, SliceLimits("add"), False)
    assert len(rebuild_within(star, 8, labels, SliceLimits("remove"), rng=np.random.default_rng(0))) == 0


@pytest.mark.parametrize("allow", ["add", "remove"])
@examples(150)
@given(case=cases(), seed=st.integers(0, 3))
def test_one_way_needs_no_solver(allow, case, seed):
    edges, n, labels, _, directed = case
    with mock.patch.object(within, "LAST_RESORT", -1):
        new = rebuild_within(
            edges, n, labels, SliceLimits(allow), directed=directed, exact_pairs=-1, rng=np.random.default_rng(seed)
        )
    assert is_allowed(edges, new, n, labels, SliceLimits(allow), directed)


@examples(150)
@given(case=cases(), seed=st.integers(0, 3))
def test_walks_alone_keep_the_contract(case, seed):
    edges, n, labels, limits, directed = case
    with mock.patch.object(within, "LAST_RESORT", -1):
        try:
            new = rebuild_within(*case[:4], directed=directed, exact_pairs=-1, rng=np.random.default_rng(seed))
        except InputError:
            return
    assert is_allowed(edges, new, n, labels, limits, directed)


def test_messages():
    star = np.array([[0, 1], [0, 2], [0, 3]], dtype=np.int32)
    labels = np.array([0, 0, 1, 1])
    exempt = SliceLimits("remove", exempt=np.array([True, False, False, False]))
    with pytest.raises(
        InputError, match="in the slice 0 is exempt with degree 3, but 1, who has to look the same, can have at most 1"
    ):
        rebuild_within(star, 4, labels, exempt, rng=np.random.default_rng(0))
    must_keep = SliceLimits("remove", must_keep=np.ones(3, dtype=bool), where="slice 'x'", name="abcd".__getitem__)
    assert view_of(star, 4, labels, must_keep).conflict() == (
        "in slice 'x' a keeps at least degree 3, but b, who has to look the same, can have at most 1"
    )
    with pytest.raises(InputError, match="unknown allow 'none'; known are both, add, remove"):
        SliceLimits("none")
    line = np.array([[0, 1]], dtype=np.int32)
    closed = SliceLimits("add", forbidden=np.array([[0, 2], [1, 2]]))
    with pytest.raises(
        InputError, match="0 keeps at least degree 1, but 2, who has to look the same, can have at most 0"
    ):
        rebuild_within(line, 3, np.zeros(3, dtype=int), closed, rng=np.random.default_rng(0))
