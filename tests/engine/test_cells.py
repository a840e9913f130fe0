"""Slices that are cut into cells keep every guarantee, in memory, over files and on a cluster alike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import GuaranteeError
from shoal.large import open_folder
from tests.uncompiled import examples


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    "how", [{}, {"objective": "l1", "effort": "fast"}, {"effort": "fast"}, {"horizon": 1, "effort": "fast"}]
)
@examples(6)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 24), k=st.integers(1, 4), most=st.integers(1, 8))
def test_cut_slices_are_simple_and_everybody_has_company(directed, how, seed, n, k, most):
    rng, k = np.random.default_rng(seed), min(k, n)
    slices = {day: [(u, v) for u, v in rng.integers(n, size=(3 * n, 2)).tolist() if u != v] for day in ("a", "b")}
    graph = shoal.TemporalGraph.from_slices(slices, nodes=range(n), directed=directed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.plan.cells.CELL_EDGES", most)
        release = shoal.anonymize(graph, k, seed=1, **how)
    assert release.min_class_size >= k
    for t in range(2):
        pairs = [tuple(pair) for pair in release.graph.edges(t).tolist()]
        assert pairs == sorted(set(pairs))
        assert all(u != v if directed else u < v for u, v in pairs)
    if not how.get("horizon"):
        rows = release.degrees.tolist()
        assert min(rows.count(one) for one in rows) >= k


def test_cells_are_cut_alike_in_memory_over_files_and_on_a_cluster(tmp_path, monkeypatch):
    graph = shoal.datasets.messenger(300, 3, seed=2)
    whole = shoal.anonymize(graph, 3, seed=5, effort="fast")
    monkeypatch.setattr("shoal.plan.cells.CELL_EDGES", 100)
    cut = shoal.anonymize(graph, 3, seed=5, effort="fast", jobs=1)
    assert cut.graph != whole.graph
    assert cut.edges.changed < 0.8 * graph.n_edges  # cells keep edges, if fewer than the whole slice does
    assert shoal.anonymize(graph, 3, seed=5, effort="fast", engine="dask", jobs=2).graph == cut.graph
    rows = [(u, v, t) for t in range(3) for u, v in graph.edges(t).tolist()]
    (tmp_path / "in").mkdir()
    people = tmp_path / "people.csv"
    people.write_text("node\n" + "\n".join(map(str, graph.nodes.to_list())) + "\n")
    pl.DataFrame(rows, schema=["source", "target", "time"], orient="row").write_parquet(tmp_path / "in" / "a.parquet")
    read = shoal.TemporalGraph.from_events(rows, nodes=graph.nodes)
    with open_folder(tmp_path / "in", slice="value", nodes=people) as stored:
        one, other = (shoal.anonymize(graph, 3, seed=5, effort="fast") for graph in (stored, read))
        assert one.graph == other.graph


def test_a_cell_that_is_left_is_noticed(monkeypatch):
    graph = shoal.datasets.messenger(60, 1, seed=2)
    monkeypatch.setattr("shoal.plan.cells.CELL_EDGES", 10)
    monkeypatch.setattr("shoal.plan.cells.rebuild_slice", lambda edges, *rest, **options: (edges[:, ::-1], 0.0))
    with pytest.raises(GuaranteeError, match="a cell was left"):
        shoal.anonymize(graph, 2, effort="fast", horizon=1)
