"""compare as a whole: identity, weights, what it refuses, how it prints."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.measure import MEASURES, Comparison, communities, compare
from tests.measure import naive

BEST = {"degree_distance": 0.0}


def scores(found: Comparison) -> dict[str, float | None]:
    """The one number of every measure that says how alike the graphs are."""
    return {
        name: value["agreement"] if isinstance(value, dict) else value
        for name, value in found.overall.items()
        if name not in ("edges_kept", "edges_added", "edges_removed", "communities_ceiling")
    }


@given(naive.pairs())
def test_a_graph_is_like_itself(pair):
    graph = pair[0]
    found = compare(graph, graph, jobs=1)
    for name, score in scores(found).items():
        assert score is None or score == pytest.approx(BEST.get(name, 1.0)), name
    assert found.overall["edges_added"] == found.overall["edges_removed"] == 0
    for column in found.slices.columns:
        if column.endswith("_original"):
            assert found.slices[column].equals(found.slices[column.replace("_original", "_released")])


@given(naive.pairs())
def test_every_number_is_in_its_range_and_fit_for_json(pair):
    found = compare(*pair, jobs=1)
    assert set(found.overall) == set(MEASURES)
    for name, score in scores(found).items():
        assert score is None or -0.5 <= score <= 1 + 1e-9, name
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(content["slices"]) == pair[0].n_slices == content["n_slices"]
    assert not any(found.slices[c].is_nan().any() for c in found.slices.columns if found.slices[c].dtype == pl.Float64)
    assert repr(found).count("\n") == len(found.overall) + 1
    backwards = compare(pair[1], pair[0], jobs=1, communities=False)
    for name in ("pagerank_similarity", "degree_distance", "hub_overlap"):
        assert backwards.overall[name] == pytest.approx(found.overall[name])


@given(naive.pairs(max_slices=3))
def test_temporal_correlation_is_the_mean_over_steps(pair):
    graph = pair[0]
    lists = [[tuple(e) for e in edges.tolist()] for _, edges in graph]
    steps = [naive.adjacency_correlation(a, b, graph.n_nodes) for a, b in pairwise(lists)]
    steps = [s for s in steps if s is not None]
    found = compare(graph, graph, communities=False, jobs=1).overall["temporal_correlation"]["original"]
    assert found == (pytest.approx(sum(steps) / len(steps)) if steps and graph.ordered else None)


def test_busy_slices_weigh_more():
    old = TemporalGraph.from_slices({"busy": [(0, i) for i in range(1, 10)], "quiet": [(0, 1)]})
    new = old.with_edges([old.edges(0), np.array([[2, 3]], np.int32)])
    found = compare(old, new, communities=False)
    busy, quiet = found.slices["pagerank_similarity"]
    assert busy == 1.0 > quiet
    assert found.overall["pagerank_similarity"] == pytest.approx((9 * busy + quiet) / 10)
    assert found.overall["edges"] == {"original": 10, "released": 10, "agreement": 9 / 11}
    assert found.overall["edges_kept_share"] == 0.9


def test_errors_in_opposite_directions_do_not_cancel():
    triangle, path = [(0, 1), (1, 2), (0, 2)], [(0, 1), (1, 2), (2, 3)]
    old = TemporalGraph.from_slices({"a": triangle, "b": path}, nodes=range(4))
    new = TemporalGraph.from_slices({"a": path, "b": triangle}, nodes=range(4))
    clustering = compare(old, new, communities=False).overall["clustering"]
    assert clustering["original"] == clustering["released"]
    assert clustering["agreement"] == 0.0


def test_a_slice_in_which_one_value_is_undefined_is_left_out_of_both_means():
    path, cycle, star = [(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (2, 3), (0, 3)], [(0, 1), (0, 2), (0, 3)]
    old = TemporalGraph.from_slices({"a": path, "b": star})
    new = TemporalGraph.from_slices({"a": cycle, "b": star})
    found = compare(old, new, communities=False)
    assert found.slices["assortativity_original"].to_list() == [-0.5, -1.0]
    assert found.slices["assortativity_released"].to_list() == [None, -1.0]
    assert found.overall["assortativity"] == {"original": -1.0, "released": -1.0, "agreement": 1.0}


def test_the_degree_distance_of_directed_graphs_is_the_larger_one():
    old = TemporalGraph.from_slices({"a": [(0, 1), (1, 2), (2, 0)]}, directed=True)
    new = TemporalGraph.from_slices({"a": [(0, 1), (0, 2), (1, 0)]}, directed=True)
    found = compare(old, new, communities=False)  # everybody is written to once in both; one writes twice, one no more
    assert found.slices["degree_distance"].to_list() == [pytest.approx(2 / 3)]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("n_nodes", [0, 1, 3])
def test_nothing_to_compare_is_none_not_one(directed, n_nodes):
    graph = TemporalGraph.from_slices({"a": [], "b": []}, nodes=range(n_nodes), directed=directed)
    found = compare(graph, graph)
    assert set(scores(found).values()) == {None}
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_a_release_that_lost_everything():
    graph = TemporalGraph.from_slices({"a": [(u, v) for u in range(8) for v in range(u)]})
    found = compare(graph, graph.with_edges([np.empty((0, 2), np.int32)])).overall
    assert found["edges_kept_share"] == found["hub_overlap"] == found["hub_overlap_total"] == 0.0
    assert (
        found["degree_distance"] == found["pagerank_similarity"] == 1.0
    )  # all alike in both, as in every regular slice
    assert found["assortativity"] == {"original": None, "released": None, "agreement": None}
    assert found["communities"] == {"original": 1, "released": 0, "agreement": 0.0}


def test_neither_threads_nor_repetition_change_anything():
    graph = shoal.datasets.messenger(300, 6, seed=2)
    other = graph.with_edges([graph.edges(t)[::2].copy() for t in range(6)])
    first = compare(graph, other, jobs=1).to_dict()
    assert compare(graph, other, jobs=3).to_dict() == first
    drawn = [f"lasting_groups_{whose}" for whose in ("original", "released")]
    again = compare(graph, other, seed=1)
    assert again.slices.drop(drawn).to_dicts() == [
        {k: v for k, v in row.items() if k not in drawn} for row in first["slices"]
    ]
    assert again.overall["outbreak_si_50"] != first["overall"]["outbreak_si_50"]
    assert again.overall["reach"] == first["overall"]["reach"]


def test_a_release_may_be_given_as_it_is():
    graph = TemporalGraph.from_slices({"a": [(0, 1), (1, 2), (2, 3)], "b": [(0, 3)]})
    release = shoal.anonymize(graph, k=2, seed=1)
    found = compare(graph, release, communities=False)
    assert found.overall["edges_kept"] == release.edges.kept
    assert found.to_dict() == compare(graph, release.graph, communities=False).to_dict()


def test_real_data_changed_little_is_more_alike_than_changed_much(real_data):
    graph = shoal.read(real_data("uci-collegemsg/edges.csv.gz"), slice="1w")
    little, much = (
        compare(graph, graph.with_edges([np.delete(graph.edges(t), slice(0, None, step), axis=0) for t in range(29)]))
        for step in (10, 2)
    )
    assert little.overall["edges"]["original"] == 18_791
    for name in ("edges_kept_share", "pagerank_similarity", "hub_overlap"):
        assert 1 > little.overall[name] > much.overall[name] > 0
    assert 1 >= little.overall["hub_overlap_total"] > much.overall["hub_overlap_total"] > 0
    assert little.overall["degree_distance"] < much.overall["degree_distance"]
    for name in ("clustering", "largest_component", "temporal_correlation"):
        assert little.overall[name]["agreement"] > much.overall[name]["agreement"]
    assert 0.2 < little.overall["communities_ceiling"] <= 1


OTHERS = {
    "people": {"a": [(1, 9)]},
    "different people: 3 and 4": {"a": [(1, 2), (3, 4)]},
    "slices": {"b": [(1, 2), (2, 3)]},
}


@pytest.mark.parametrize("word", OTHERS)
def test_graphs_that_do_not_belong_together_are_refused(word):
    graph = TemporalGraph.from_slices({"a": [(1, 2), (2, 3)]})
    with pytest.raises(InputError, match=word):
        compare(graph, TemporalGraph.from_slices(OTHERS[word]))


def test_ids_of_another_kind_and_other_directions_are_refused():
    graph = TemporalGraph.from_slices({"a": [(1, 2), (2, 3)]})
    with pytest.raises(InputError, match="people"):
        compare(graph, TemporalGraph.from_slices({"a": [("1", "2"), ("2", "3")]}))
    with pytest.raises(InputError, match="directed"):
        compare(graph, TemporalGraph.from_slices({"a": [(1, 2), (2, 3)]}, directed=True))


@pytest.mark.parametrize("options", [{"jobs": 0}, {"jobs": 1.5}, {"seed": -1}, {"seed": None}, {"seed": True}])
def test_parameters_out_of_range_are_refused(options):
    graph = TemporalGraph.from_slices({"a": [(1, 2)]})
    with pytest.raises(InputError, match=next(iter(options))):
        compare(graph, graph, **options)
    with pytest.raises(InputError, match=r"TemporalGraph.*got builtins\.str"):
        compare(graph, "release/")


def test_a_missing_library_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "sknetwork.clustering", None)
    graph = TemporalGraph.from_slices({"a": [(1, 2)]})
    with pytest.raises(InputError, match=r"sknetwork\.clustering.*pip install.*communities=False"):
        compare(graph, graph)
    assert "communities" not in compare(graph, graph, communities=False).overall


@given(st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 4)), min_size=1, max_size=80))
def test_agreement_is_the_score_of_scikit_learn(pairs):
    from sklearn.metrics import adjusted_mutual_info_score

    one, other = np.array(pairs).T
    found = communities.agreement(one, other, np.ones(len(one), np.bool_))
    if (one == communities.NONE).all() or (other == communities.NONE).all():
        assert found == (None if (one == other).all() else 0.0)
    else:
        assert found == pytest.approx(min(1.0, adjusted_mutual_info_score(one, other)), abs=1e-9)


def test_libraries_for_communities_are_loaded_only_for_them():
    code = "import sys, shoal.measure; print({'sklearn', 'sknetwork'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_html_is_escaped():
    graph = TemporalGraph.from_slices({"<script>": [(1, 2)]})
    page = compare(graph, graph, communities=False)._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_progress_hears_of_every_slice():
    heard = []

    class Ear(shoal.common.progress.Progress):
        def stage(self, name, total):
            heard.append((name, total))
            return super().stage(name, total)

    graph = TemporalGraph.from_slices({"a": [(1, 2)], "b": []})
    compare(graph, graph, progress=Ear())
    assert [total for _, total in heard] == [2, 1, 3]


def test_every_measure_is_described_in_a_sentence():
    for measure in MEASURES.values():
        assert measure.title
        assert measure.description[0].isupper()
        assert measure.description.endswith(".")
