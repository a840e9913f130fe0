"""Retying: degrees, limits and edits stay, whatever is aimed at; the bookkeeping is that of a naive twin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.common.edges import slack_of
from shoal.errors import InputError
from shoal.plan.slices import SPENT, _most_edits, _pairs
from shoal.realize import SliceLimits, SliceView
from shoal.realize.ties import look_around
from shoal.rebuild._propose_kernels import OTHERS
from shoal.rebuild._retie_kernels import BUCKETS, COMMON, EVER, LEAST, MOST, STEP
from shoal.rebuild.retie import FEATURES, Aims, counts_of, portrait, retie
from tests.strategies import graphs, slices
from tests.uncompiled import examples


def bucket(x):
    """0, 1, then two for every doubling."""
    return x if x < 2 else min(31, 2 * int(np.log2(x)) + (x >= 1.5 * 2 ** int(np.log2(x))))


def pairs_of(edges):
    return {(min(u, v), max(u, v)) for u, v in edges.tolist()}


def features(all_slices, t, n, ever):
    """Buckets of the edges of slice t, counted the long way."""
    here = pairs_of(all_slices[t])
    degree = np.bincount(all_slices[t].ravel(), minlength=n)
    near = {i: {a + b - i for a, b in here if i in (a, b)} for i in range(n)}
    rows = []
    for u, v in sorted(here):
        meets = [s for s in range(len(all_slices)) if s != t and (u, v) in pairs_of(all_slices[s])]
        row = np.zeros(FEATURES, int)
        row[OTHERS], row[STEP] = bucket(len(meets)), sum(abs(s - t) == 1 for s in meets)
        row[LEAST], row[MOST] = (bucket(f(degree[u], degree[v])) for f in (min, max))
        row[EVER] = sum(min(15, round(2 * math.log2(max(1, ever[i])))) for i in (u, v))
        row[COMMON] = bucket(len(near[u] & near[v]))
        rows.append(row)
    return np.array(rows, int).reshape(-1, FEATURES)


@examples(100)
@given(graphs())
def test_what_is_seen_of_edges_is_what_there_is(graph):
    all_slices, n = [graph.edges(t) for t in range(graph.n_slices)], graph.n_nodes
    for t, edges in enumerate(all_slices):
        beside = (t - 1 if t else None, t + 1 if t + 1 < len(all_slices) else None)
        view = SliceView(edges, np.zeros(n, int))
        ever = np.bincount([i for pair in set().union(*map(pairs_of, all_slices)) for i in pair], minlength=n)
        seen = portrait(view, edges, look_around(all_slices, t, beside, n), ever=ever)
        assert np.array_equal(seen, counts_of(features(all_slices, t, n, ever)))


@examples(150)
@given(slices(), slices(), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 3), st.integers(0, 99))
def test_degrees_edits_and_limits_stay(slice_, other, directed, everything, limited, spend, seed):
    """A slice and its original; the third graph is another slice, for pairs that meet elsewhere."""
    (now, n), (then, m), rng = slice_, other, np.random.default_rng(seed)
    n = max(n, m)
    original = now[rng.random(len(now)) < 0.5]
    if directed:
        now, original = (
            np.unique(np.concatenate([e, e[rng.random(len(e)) < 0.3][:, ::-1]]), axis=0) for e in (now, original)
        )
    exempt = rng.random(n) < 0.1
    limits = SliceLimits(must_keep=rng.random(len(original)) < 0.3, exempt=exempt) if limited else None
    view = SliceView(original, np.zeros(n, int), directed=directed, limits=limits)
    elsewhere = look_around([now, then], 0, (None, 1), n)
    aims = Aims(
        (None, 0.5), portrait(view, now, elsewhere) if everything else None, new=10.0 if spend else 0.0, spend=spend
    )
    made, again = (retie(view, now, elsewhere, aims, rng=np.random.default_rng(seed))[0] for _ in range(2))
    assert np.array_equal(made, again)
    for side in (0, 1) if directed else (slice(None),):
        assert np.array_equal(*(np.bincount(e[:, side].ravel(), minlength=n) for e in (now, made)))
    rows = [tuple(row) for row in made.tolist()]
    assert rows == sorted(set(rows))
    assert all(u != v if directed else u < v for u, v in rows)
    before, kept = {tuple(row) for row in now.tolist()}, {tuple(row) for row in original.tolist()}
    if not everything:
        assert len(set(rows) ^ kept) <= len(before ^ kept) + spend
    if limits is not None:
        stays = {tuple(row) for row in original[view.must_keep].tolist()}
        assert stays & before <= set(rows)
        assert all(not (exempt[u] or exempt[v]) for u, v in set(rows) ^ before)


@pytest.mark.parametrize("directed", [False, True])
def test_slices_keep_their_numbers_of_edges(directed):
    graph = shoal.datasets.messenger(300, 4, seed=3)
    if directed:
        rows = [(u, v, t) for t in range(4) for u, v in graph.edges(t).tolist()]
        graph = shoal.TemporalGraph.from_events(rows, directed=True)
    kept = shoal.anonymize(graph, 4, seed=1)
    free = shoal.anonymize(graph, 4, seed=1, density="free")
    assert all(
        abs(len(e) - len(graph.edges(t))) <= slack_of(len(graph.edges(t))) for t, (_, e) in enumerate(kept.graph)
    )
    assert free.edges.changed <= kept.edges.changed
    assert free.density_in_words() is None
    assert "as many edges as before" in kept.density_in_words()
    one, two = (shoal.anonymize(graph, 4, seed=1, jobs=jobs).graph for jobs in (1, 2))
    assert one == two == kept.graph


def test_density_is_refused_where_something_else_decides_about_edges():
    graph = shoal.TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)]})
    for options in ({"method": "greedy"}, {"objective": "l1"}, {"removal_weight": 2.0}):
        with pytest.raises(InputError, match="density 'keep' needs"):
            shoal.anonymize(graph, 2, density="keep", **options)
    with pytest.raises(InputError, match="density"):
        shoal.anonymize(graph, 2, density="same")


def test_a_pair_that_meets_nowhere_else_has_its_price():
    """Two invented edges of strangers, who could as well be tied to those they meet in another slice."""
    was, now = np.array([[0, 4], [1, 5]], np.int32), np.array([[0, 1], [2, 3]], np.int32)
    others = look_around([now, np.array([[0, 2], [1, 3]], np.int32)], 0, (None, None), 6)
    view = SliceView(np.concatenate([was, now[:0]]), np.zeros(6, int))
    made = {
        price: retie(
            view, now, others, Aims((None, None), portrait(view, now, others), new=price), rng=np.random.default_rng(1)
        )[0]
        for price in (0.0, 100.0)
    }
    assert pairs_of(made[0.0]) != {(0, 2), (1, 3)}
    assert pairs_of(made[100.0]) == {(0, 2), (1, 3)}


def test_edits_are_spent_where_a_stranger_has_nobody_else_to_meet():
    """0 and 1 are strangers; those they meet in another slice have no other edge here than one that was kept."""
    was, now = np.array([[2, 3], [4, 5]], np.int32), np.array([[0, 1], [2, 3], [4, 5]], np.int32)
    others = look_around([now, np.array([[0, 2], [1, 3], [4, 5]], np.int32)], 0, (None, None), 6)
    view = SliceView(was, np.zeros(6, int))
    for spend, new, want in (
        (0, 10.0, now),
        (1, 10.0, now),
        (2, 0.0, now),
        (2, 10.0, np.array([[0, 2], [1, 3], [4, 5]])),
    ):
        aims = Aims((None, None), new=new, spend=spend)
        assert pairs_of(retie(view, now, others, aims, rng=np.random.default_rng(1))[0]) == pairs_of(want)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 50)), min_size=1, max_size=9))
def test_edits_to_spend_are_dealt_out_in_twos(slices_):
    edits, loose = np.array(slices_).T
    more = _most_edits(edits, loose) - edits
    assert (more >= 0).all()
    assert (more % 2 == 0).all()
    assert more.sum() == (2 * (int(SPENT * edits.sum()) // 2) if loose.any() else 0)


def test_pairs_are_counted_by_their_edges():
    """One pair in each of three slices, another in one."""
    counted = np.zeros((2, FEATURES, BUCKETS))
    counted[0, OTHERS, 2], counted[1, OTHERS, 0] = 3, 1
    assert _pairs(counted) == pytest.approx(2)
