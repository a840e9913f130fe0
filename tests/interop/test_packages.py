"""Into the real packages and back again, for graphs of every kind."""

from __future__ import annotations

import sys

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from tests.strategies import any_graphs

tx = pytest.importorskip("networkx_temporal")
dn = pytest.importorskip("dynetx")

FRIENDS = TemporalGraph.from_slices({"mon": [("ann", "bob")], "tue": [], "wed": [("bob", "cem")]}, nodes=["dia"])


@st.composite
def named_graphs(draw):
    """Any graph, its people now and then with names that are awkward in XML, SQL and CSV."""
    graph = draw(any_graphs())
    if draw(st.booleans()):
        return graph
    names = draw(
        st.lists(
            st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=5),
            min_size=graph.n_nodes,
            max_size=graph.n_nodes,
            unique=True,
        )
    )
    return graph.renamed(pl.Series(names, dtype=pl.String))


def same(one, other):
    """Equal in everything, also in what each slice is made of."""
    assert one == other
    assert one.slices == other.slices
    assert one.ordered == other.ordered


@given(named_graphs())
def test_networkx_snapshots_there_and_back(graph):
    made = graph.to_networkx()
    assert all(g.is_directed() == graph.directed and len(g) == graph.n_nodes for g in made.values())
    same(TemporalGraph.from_networkx(made), graph)


@given(named_graphs())
def test_a_networkx_multigraph_there_and_back(graph):
    whole = graph.to_multigraph()
    assert whole.number_of_edges() == graph.n_edges
    if graph.n_edges == 0:
        return
    starts, layers = (list(dict.fromkeys(getattr(s, x) for s in graph.slices)) for x in ("start", "layer"))
    back = TemporalGraph.from_networkx(
        whole,
        time="time" if graph.ordered else None,
        layer="layer" if graph.has_layers else None,
        slice=starts if graph.ordered else None,
    )
    assert back.nodes.equals(graph.nodes)
    assert back.to_polars().equals(graph.to_polars())
    if {s.layer for s in back.slices} == set(layers):
        same(back, graph)


@given(named_graphs())
def test_networkx_temporal_there_and_back(graph):
    made = graph.to_networkx_temporal()
    assert len(made) == graph.n_slices
    assert made.is_directed() == graph.directed
    same(TemporalGraph.from_networkx_temporal(made), graph)


@given(named_graphs())
def test_dynetx_there_and_back(graph):
    made = graph.to_dynetx()
    assert set(made.nodes()) == set(graph.nodes.to_list())
    for t, (_, edges) in zip(made.graph["slices"], graph, strict=True):
        assert made.number_of_interactions(t=t) == len(edges)
    assert TemporalGraph.from_dynetx(made) == graph


@given(named_graphs())
def test_matrices_there_and_back(graph):
    made = graph.to_scipy()
    degrees = np.column_stack([m.sum(axis=1) for m in made.values()])
    assert np.array_equal(degrees, graph.degree_matrix()[:, -graph.n_slices :])
    back = TemporalGraph.from_scipy(made, nodes=graph.nodes, directed=graph.directed, ordered=graph.ordered)
    assert back == graph
    assert back.tally.repeats == 0  # the two entries of a pair are one contact
    dense = {label: matrix.toarray() for label, matrix in made.items()}
    assert TemporalGraph.from_scipy(dense, nodes=graph.nodes, directed=graph.directed) == graph


@given(named_graphs(), st.sampled_from(["to_polars", "to_pandas", "to_arrow"]))
def test_tables_there_and_back(graph, out):
    table = getattr(graph, out)()
    assert isinstance(table, pl.DataFrame | pd.DataFrame | pa.Table)
    labels = [s.label for s in graph.slices]
    if graph.n_edges:
        back = TemporalGraph.from_edges(table, time="slice", slice=labels, nodes=graph.nodes, directed=graph.directed)
        assert back == graph


def test_loops_and_repeats_are_counted_as_in_a_file(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("source,target,time\nann,bob,1\nbob,ann,1\nann,ann,2\ncem,dia,3\n")
    read = shoal.read(file, slice="value")
    rows = pl.read_csv(file)
    multi = nx.MultiGraph([(u, v, {"when": t}) for u, v, t in rows.rows()])
    dynamic = dn.DynGraph()
    for u, v, t in rows.rows():
        dynamic.add_interaction(u, v, t=t)
    for made in (TemporalGraph.from_networkx(multi, time="when", slice="value"), TemporalGraph.from_dynetx(dynamic)):
        assert made == read
        assert made.tally[:3] == read.tally[:3] == (4, 1, 1)


def test_dynetx_spans_are_in_every_snapshot_inside():
    dynamic = dn.DynDiGraph()
    dynamic.add_interaction("ann", "bob", t=2, e=5)
    dynamic.add_node("eve")
    graph = TemporalGraph.from_dynetx(dynamic)
    assert [s.label for s in graph.slices] == ["2", "3", "4"]
    assert graph.slice_sizes().tolist() == [1, 1, 1]
    assert (graph.directed, graph.n_nodes) == (True, 3)
    assert TemporalGraph.from_dynetx(graph.to_dynetx()) == graph


def test_networkx_temporal_after_its_own_slice():
    made = tx.TemporalMultiDiGraph(t=1)
    made.add_edge("a", "b", time=0)
    made.add_edge("a", "b", time=0)
    made.add_edge("c", "b", time=3)
    graph = TemporalGraph.from_networkx_temporal(made.slice(attr="time"))
    assert (graph.n_slices, graph.n_edges, graph.directed, graph.tally.repeats) == (2, 2, True, 1)


def test_directions_can_be_dropped_and_not_invented():
    both = [nx.DiGraph([(1, 2), (2, 1)])]
    assert TemporalGraph.from_networkx(both).n_edges == 2
    assert TemporalGraph.from_networkx(both, directed=False).n_edges == 1
    with pytest.raises(InputError, match="no direction"):
        TemporalGraph.from_networkx(nx.path_graph(3), directed=True)
    with pytest.raises(InputError, match="some graphs have directions and some do not"):
        TemporalGraph.from_networkx([nx.path_graph(3), nx.DiGraph()])


def test_contacts_that_last_are_in_every_slice_they_touch():
    rows = {"source": [1, 2, 3], "target": [2, 3, 4], "from": ["2024-05-01", "2024-05-02", None]}
    frame = {**rows, "to": ["2024-05-02", None, "2024-05-01"], "day": ["a", "b", "b"]}
    frame["from"][2] = "2024-05-01"
    graph = TemporalGraph.from_edges(pl.DataFrame(frame), time="from", end="to", slice="1d")
    assert [edges.tolist() for _, edges in graph] == [[[0, 1], [2, 3]], [[0, 1], [1, 2]]]
    layered = TemporalGraph.from_edges(pl.DataFrame(frame), time="from", end="to", layer="day", slice="1d")
    assert layered.slice_sizes().tolist() == [1, 1, 1, 1]
    with pytest.raises(InputError, match=r"row 1, column 'from': the contact ends before it begins"):
        TemporalGraph.from_edges(pl.DataFrame(frame), time="to", end="from", slice="1d")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TemporalGraph.from_networkx("x"), "from_networkx takes a networkx graph, .*; got builtins.str"),
        (lambda: TemporalGraph.from_networkx([nx.Graph(), 7]), "takes a networkx graph, .*; got builtins.int"),
        (lambda: TemporalGraph.from_networkx([]), "at least one slice"),
        (lambda: TemporalGraph.from_networkx([nx.path_graph(2)], time="t"), "cut already"),
        (lambda: TemporalGraph.from_networkx(nx.path_graph(2), time="t", slice="1d"), "attributes are none"),
        (lambda: TemporalGraph.from_networkx(nx.path_graph(2), slice="1d"), "no time column"),
        (lambda: TemporalGraph.from_networkx(FRIENDS.to_dynetx()), "use TemporalGraph.from_dynetx"),
        (
            lambda: TemporalGraph.from_networkx(FRIENDS.to_networkx_temporal()),
            "use TemporalGraph.from_networkx_temporal",
        ),
        (lambda: TemporalGraph.from_networkx_temporal(nx.Graph()), "takes a networkx_temporal.TemporalGraph; got"),
        (lambda: TemporalGraph.from_dynetx(nx.Graph()), "takes a dynetx.DynGraph or DynDiGraph; got networkx"),
        (lambda: TemporalGraph.from_dynetx(dn.DynGraph()), "no interactions"),
        (lambda: TemporalGraph.from_scipy([[1, 2]]), "takes a square matrix .*; got builtins.list"),
        (lambda: TemporalGraph.from_scipy(np.zeros((2, 3))), "square; got 2 × 3"),
        (lambda: TemporalGraph.from_scipy([np.eye(2), np.eye(3)]), "differ in size: 2 × 2, 3 × 3"),
        (lambda: TemporalGraph.from_scipy(scipy.sparse.eye_array(2), nodes=["a"]), "each of the 2 rows once"),
        (lambda: TemporalGraph.from_edges(nx.Graph()), "a polars, pandas or pyarrow table or a dict .* got Graph"),
        (lambda: TemporalGraph.from_edges(7), "got int"),
        (
            lambda: TemporalGraph.from_edges(FRIENDS.to_polars(), time="slice", slice=["mon"]),
            "row 2, column 'slice': 'wed' is none of the slices listed",
        ),
        (lambda: TemporalGraph.from_edges(FRIENDS.to_polars(), time="slice", slice=["a", "a"]), "each once"),
        (lambda: shoal.anonymize(nx.path_graph(4), 2), "anonymize takes a shoal.TemporalGraph, .*; got networkx"),
        (lambda: shoal.audit(FRIENDS.to_polars()), "audit takes a shoal.TemporalGraph"),
        (lambda: shoal.compare(FRIENDS, 7), "compare takes a shoal.TemporalGraph"),
    ],
)
def test_a_wrong_type_gets_one_clear_sentence(call, message):
    with pytest.raises(InputError, match=message) as refusal:
        call()
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["networkx", "networkx_temporal", "dynetx", "pandas", "pyarrow"])
def test_a_missing_package_is_named(monkeypatch, name):
    out = {"pyarrow": "arrow"}.get(name, name)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=f"is not installed: pip install {name.replace('_', '-')}"):
        getattr(FRIENDS, f"to_{out}")()
