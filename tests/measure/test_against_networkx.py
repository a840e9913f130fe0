"""Every measure that networkx has, against networkx."""

from __future__ import annotations

import warnings
from math import isnan

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import shoal
from shoal import TemporalGraph
from shoal.measure import compare
from shoal.measure.pagerank import cosine, pagerank
from tests.measure import naive


def reference(graph) -> dict[str, float | None]:
    plain = graph.to_undirected() if graph.is_directed() else graph
    parts = list(nx.connected_components(plain))
    with warnings.catch_warnings():  # networkx divides by a variance of zero
        warnings.simplefilter("ignore", RuntimeWarning)
        mixing = nx.degree_assortativity_coefficient(graph) if graph.number_of_edges() else float("nan")
    return {
        "clustering": nx.average_clustering(plain),
        "transitivity": nx.transitivity(plain),
        "components": len(parts),
        "largest_component": max(map(len, parts)) / len(plain),
        "assortativity": None if isnan(mixing) else mixing,
    }


def check(original: TemporalGraph, release: TemporalGraph) -> None:
    rows = compare(original, release, communities=False, jobs=1).slices.to_dicts()
    both = original.to_networkx(), release.to_networkx()
    for row in rows:
        old, new = (graphs[row["label"]] for graphs in both)
        for whose, graph in (("original", old), ("released", new)):
            assert row[f"edges_{whose}"] == graph.number_of_edges()
            for name, value in reference(graph).items():
                mine = row[f"{name}_{whose}"]
                if name == "assortativity" and mine is None:
                    continue  # networkx may give noise instead of nan; test_measures has the exact oracle
                assert mine == pytest.approx(value, abs=1e-9), (name, row["label"])
        ranks = [np.array(list(nx.pagerank(g, tol=1e-13, max_iter=2000).values())) for g in (old, new)]
        if not old.number_of_edges() and not new.number_of_edges():
            assert row["pagerank_similarity"] is None  # two slices without edges say nothing about anybody
        else:
            assert row["pagerank_similarity"] == pytest.approx(cosine(*ranks), abs=1e-6)
        assert row["edges_kept"] == len(set(old.edges) & set(new.edges))


@given(naive.pairs())
def test_small_graphs(pair):
    check(*pair)


@given(naive.pairs(max_slices=1))
def test_pagerank_of_every_node(pair):
    graph = pair[0]
    (theirs,) = (nx.pagerank(g, tol=1e-13, max_iter=2000) for g in graph.to_networkx().values())
    mine = pagerank(graph.edges(0), graph.n_nodes, directed=graph.directed)
    assert mine == pytest.approx(list(theirs.values()), abs=1e-9)
    assert mine.sum() == pytest.approx(1)


def perturbed(graph: TemporalGraph) -> TemporalGraph:
    """Leave out every fifth edge."""
    return graph.with_edges([np.delete(graph.edges(t), slice(0, None, 5), axis=0) for t in range(graph.n_slices)])


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("enron-jhu184/edges.csv.gz", {"slice": "1y"}),
        ("enron-jhu184/edges.csv.gz", {"slice": "1y", "directed": True}),
        ("cs-aarhus/edges.csv.gz", {}),
    ],
)
def test_real_data(real_data, file, options):
    graph = shoal.read(real_data(file), **options)
    assert graph.n_edges > 600
    check(graph, perturbed(graph))


def test_a_larger_graph_with_hubs():
    graph = TemporalGraph.from_slices(
        {
            "hubs": nx.barabasi_albert_graph(600, 4, seed=3),
            "star": nx.star_graph(599),
            "web": nx.gnp_random_graph(600, 0.02, 5),
        }
    )
    check(graph, perturbed(graph))
