from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from shoal import InputError, TemporalGraph
from tests import naive
from tests.strategies import graphs

COLUMNS = {"source": ["ann", "bob", "ann", "cem"], "target": ["bob", "ann", "ann", "dia"], "day": [1, 1, 2, 3]}


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.table])
def test_from_edges_takes_anything_that_speaks_arrow(make):
    graph = TemporalGraph.from_edges(make(COLUMNS), time="day", slice="value")
    assert repr(graph) == "TemporalGraph(4 nodes, 3 slices, 2 edges, undirected)"
    assert graph.tally[:3] == (4, 1, 1)
    assert graph.nodes.to_list() == ["ann", "bob", "cem", "dia"]


def test_a_directed_graph_keeps_both_directions_and_protects_both_degrees():
    graph = TemporalGraph.from_edges(COLUMNS, time="day", slice="value", directed=True)
    assert graph.n_edges == 3
    assert graph.degree_matrix().tolist() == [
        [1, 0, 0, 1, 0, 0],
        [1, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 1],
        [0, 0, 1, 0, 0, 0],
    ]


@given(graphs())
def test_degrees_and_edges_agree_with_networkx_and_a_counter(graph):
    frame, labels = graph.to_polars(), [s.label for s in graph.slices]
    assert np.array_equal(graph.degree_matrix(), naive.degree_matrix(frame, graph.nodes.to_list(), labels))
    for t, (label, slice_graph) in enumerate(graph.to_networkx().items()):
        assert label == labels[t]
        assert [d for _, d in sorted(slice_graph.degree())] == graph.degree_matrix()[:, t].tolist()
    assert TemporalGraph.from_slices(graph.to_networkx()) == graph
    matrices = {label: nx.to_scipy_sparse_array(g, nodelist=sorted(g)) for label, g in graph.to_networkx().items()}
    assert TemporalGraph.from_slices(matrices) == graph


@given(graphs())
def test_a_round_trip_through_a_table_gives_the_same_graph(graph):
    frame = graph.to_polars()
    if frame["slice"].n_unique() == graph.n_slices:
        assert TemporalGraph.from_edges(frame, time="slice", slice="value", nodes=graph.nodes) == graph


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=40))
def test_slices_are_simple_and_every_row_is_accounted_for(events):
    graph = TemporalGraph.from_events(events)
    seen = {(min(u, v), max(u, v), t) for u, v, t in events if u != v}
    assert graph.n_edges == len(seen)
    assert graph.tally.rows == graph.n_edges + graph.tally.self_loops + graph.tally.repeats
    for _, edges in graph:
        assert (edges[:, 0] < edges[:, 1]).all()
        assert edges.tolist() == sorted(edges.tolist())


def test_the_order_of_rows_does_not_matter():
    frame = pl.DataFrame(COLUMNS)
    one, other = (TemporalGraph.from_edges(f, time="day", slice="value") for f in (frame, frame.reverse()))
    assert one == other
    assert one != TemporalGraph.from_edges(frame, time="day", slice="value", directed=True)
    assert one != "something else"


def test_layers_and_time_give_one_slice_per_pair():
    frame = {"source": [1, 2], "target": [2, 3], "time": ["2024-01-01", "2024-01-03"], "layer": ["sms", "call"]}
    graph = TemporalGraph.from_edges(frame, time="time", layer="layer", slice="1d")
    assert [s.label for s in graph.slices][:2] == ["call/2024-01-01", "call/2024-01-02"]
    assert graph.n_slices == 6
    assert graph.has_layers
    assert graph.to_polars().columns == ["source", "target", "slice", "layer"]


def test_people_who_never_appear_are_people():
    graph = TemporalGraph.from_edges({"source": [1], "target": [2]}, nodes=[7, 8])
    assert graph.nodes.to_list() == [1, 2, 7, 8]
    assert graph.degree_matrix().ravel().tolist() == [1, 1, 0, 0]


def test_ids_of_several_kinds_become_text_unless_that_mixes_people_up():
    assert TemporalGraph.from_slices({"a": [(1, "x")]}).nodes.to_list() == ["1", "x"]
    with pytest.raises(InputError, match="different objects"):
        TemporalGraph.from_slices({"a": [(1, "1")]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TemporalGraph.from_edges({"a": [1]}), "no column 'source'; the columns are a"),
        (lambda: TemporalGraph.from_edges({"source": [1.5], "target": [2.5]}), "ids are whole numbers or text"),
        (lambda: TemporalGraph.from_edges({"source": [1, 2], "target": [3]}), "differ in length"),
        (
            lambda: TemporalGraph.from_edges({"source": [1, None], "target": [3, 4]}),
            "row 2, column 'source': the id is missing",
        ),
        (lambda: TemporalGraph.from_edges({"source": [1], "target": [2], "t": [3]}, time="t"), "say how to cut time"),
        (lambda: TemporalGraph.from_edges({"source": [1], "target": [2]}, slice="1d"), "no time column"),
        (lambda: TemporalGraph.from_slices({}), "at least one slice"),
        (lambda: TemporalGraph.from_slices({1: [], "1": []}), "same label"),
        (lambda: TemporalGraph.from_slices({"a": 7}), "a slice is a list of"),
        (lambda: TemporalGraph.from_slices({"a": scipy.sparse.coo_array((2, 3))}), "square"),
    ],
)
def test_unusable_input_is_refused_in_one_sentence(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_million_people_and_twenty_million_edges_fit_in_a_gigabyte():
    """Checked on the arrays of a tenth of it: 8 bytes an edge, 8 a person and nothing else that grows."""
    n_nodes, n_edges = 100_000, 2_000_000
    rng = np.random.default_rng(0)
    frame = {
        "source": rng.integers(0, n_nodes, n_edges),
        "target": rng.integers(0, n_nodes, n_edges),
        "t": rng.integers(0, 28, n_edges),
    }
    graph = TemporalGraph.from_edges(frame, time="t", slice="value")
    assert graph._edges.nbytes == 8 * graph.n_edges
    assert 10 * (graph._edges.nbytes + graph._starts.nbytes + graph.nodes.estimated_size()) < 1e9
