"""Same bytes on every engine, with any number of workers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import shoal
from shoal import InputError
from shoal.group.cut import find_cuts, join_small, shard_of, wanted_shards
from shoal.plan.shards import CutPiece, _cut, _shards
from tests.engine.conftest import hashes
from tests.uncompiled import examples


@pytest.fixture(scope="module")
def graph():
    return shoal.datasets.messenger(300, 3, seed=2)


def test_local_and_dask_give_the_same_bytes(tmp_path, graph, start_cluster):
    def save(name, **options):
        shoal.anonymize(graph, 3, seed=5, effort="fast", shard_people=70, **options).save(tmp_path / name, report=False)
        return hashes(tmp_path / name)

    expected = save("one", jobs=1)
    assert save("two", jobs=2) == expected
    with start_cluster(1) as client:
        for n_workers in (1, 2, 3):
            client.cluster.scale(n_workers)
            client.wait_for_workers(n_workers)
            assert save(f"dask-{n_workers}", engine=client) == expected
            if n_workers == 2:  # limits go to the workers, too
                limited = {"seed": 1, "effort": "fast", "exempt": [0, 1, 2], "must_keep": [graph.edges(0)[0].tolist()]}
                here, there = (shoal.anonymize(graph, 3, **limited, engine=one) for one in ("local", client))
                assert here.graph == there.graph
            if n_workers == 1:
                assert save("address", engine=client.scheduler.address) == expected


def test_a_cluster_of_its_own(graph):
    one = shoal.anonymize(graph, 3, seed=5, effort="fast", shard_people=70)
    assert shoal.anonymize(graph, 3, seed=5, effort="fast", shard_people=70, engine="dask", jobs=2).graph == one.graph


def test_shards_keep_the_promise_and_an_honest_bound(graph):
    release = shoal.anonymize(graph, 4, seed=0, effort="fast", shard_people=70)
    whole = shoal.anonymize(graph, 4, seed=0, effort="fast")
    assert release.min_class_size >= 4
    assert 0 < release.bound <= release.cost_l1
    assert release.bound == whole.bound


def test_few_people_are_not_cut():
    graph = shoal.datasets.messenger(300, 4)
    assert (
        shoal.anonymize(graph, 3, seed=1, effort="fast").graph
        == shoal.anonymize(graph, 3, seed=1, effort="fast", shard_people=10**9).graph
    )


ROWS = arrays.arrays(np.int32, st.tuples(st.integers(1, 120), st.integers(1, 4)), elements=st.integers(0, 6))


def cut_people(rows, k, size, rng):
    """The people of every shard, cut in two blocks, as `group_blocks` does it."""
    cuts = find_cuts(rows, wanted_shards(len(rows), size), rng)
    ks, middle = np.broadcast_to(k, len(rows)), len(rows) // 2
    parts = [
        _cut(CutPiece(np.arange(a, b), ks[a:b], a, list(rows[a:b].T), cuts), 1, lambda share: None)
        for a, b in ((0, middle), (middle, len(rows)))
    ]
    shards = _shards(parts, size)
    return [np.concatenate([part.arrays[f"people/{leaf}"] for part in parts for leaf in some]) for some in shards]


@examples(40)
@given(ROWS, st.integers(1, 5), st.integers(1, 60))
def test_cuts_part_people_and_never_equals(rows, k, size):
    shards = cut_people(rows, k, size, np.random.default_rng(0))
    assert sorted(np.concatenate(shards).tolist()) == list(range(len(rows)))
    assert len(shards) == 1 or min(map(len, shards)) >= 2 * k
    home = np.empty(len(rows), int)
    for number, people in enumerate(shards):
        home[people] = number
    for row in np.unique(rows, axis=0):
        assert len(set(home[(rows == row).all(axis=1)])) == 1


@examples(60)
@given(ROWS, st.integers(0, 10_000), st.integers(1, 60))
def test_every_shard_is_large_enough_for_the_levels_in_it(rows, seed, size):
    rng = np.random.default_rng(seed)
    ks = rng.integers(1, 4, len(rows))
    ks[rng.integers(len(rows))] = rng.integers(1, len(rows) + 1)
    shards = cut_people(rows, ks, size, rng)
    assert sorted(np.concatenate(shards).tolist()) == list(range(len(rows)))
    assert len(shards) == 1 or all(len(people) >= 2 * ks[people].max() for people in shards)


def test_levels_are_cut_into_shards_too():
    graph = shoal.datasets.messenger(300, 4)
    levels = np.random.default_rng(0).integers(1, 6, graph.n_nodes).tolist()
    release = shoal.anonymize(graph, levels, seed=1, effort="fast", shard_people=100)
    again = shoal.anonymize(graph, levels, seed=1, effort="fast", shard_people=100, jobs=1)
    assert release.graph == again.graph
    assert release.graph != shoal.anonymize(graph, levels, seed=1, effort="fast").graph
    assert 0 < release.bound <= release.cost_l1
    assert (release.promise.crowds(release.graph) >= levels).all()


def test_cuts_are_even():
    rows = np.random.default_rng(1).poisson(5, (20_000, 6))
    counts = np.bincount(shard_of(rows, find_cuts(rows[:5_000], 7, np.random.default_rng(0))))
    assert len(counts) == 7
    assert counts.min() > 20_000 / 7 / 2


def test_small_leaves_join_their_neighbours():
    assert join_small(np.array([5, 1, 1, 9, 2]), 4).tolist() == [0, 1, 1, 1, 1]
    assert join_small(np.array([1]), 4).tolist() == [0]


@pytest.mark.parametrize(
    ("engine", "message"), [("magic", "unknown engine 'magic'"), ("tcp://127.0.0.1:9", "there is no Dask scheduler")]
)
def test_unknown_engines_are_refused(graph, engine, message, monkeypatch):
    monkeypatch.setattr("shoal.engine.cluster.CONNECT", 1)
    with pytest.raises(InputError, match=message):
        shoal.anonymize(graph, 3, engine=engine)
