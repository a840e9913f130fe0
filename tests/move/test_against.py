"""Releases against a second graph, whole: what holds for every kind of graph, what is refused, and what goes on."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import pytest

import shoal
from shoal.common.randomness import Randomness
from shoal.demands.against import make_moving
from shoal.demands.promise import make_promise
from shoal.graph import TemporalGraph
from shoal.move.guide import MOVED, RANKS, community_columns, rank_column
from shoal.realize.mean import mean_degrees
from shoal.realize.view import SliceView


def graph_of(n: int, n_slices: int, *, seed: int, directed: bool = False, layers: bool = False) -> TemporalGraph:
    """Communities of ten, most contacts inside them and going on for a while."""
    rng = np.random.default_rng(seed)
    slices: dict[str, list[tuple[int, int]]] = {}
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v and (u // 10 == v // 10 or rng.random() < 0.1)]
    lasting = [p for p in pairs if rng.random() < 0.2]
    for t in range(n_slices):
        slices[f"2024-01-{t + 1:02}"] = [p for p in lasting if rng.random() < 0.6] or [(0, 1)]
    return TemporalGraph.from_slices(slices, nodes=range(n), directed=directed, ordered=not layers)


KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "directed": ({"directed": True}, {}),
    "layers": ({"layers": True}, {}),
    "levels": ({}, {"k": dict.fromkeys(range(20), 4)}),
    "some people": ({}, {"protect": range(25)}),
    "horizon": ({}, {"horizon": 2}),
    "one slice": ({"n_slices": 1}, {}),
    "whole ties": ({}, {"move": "tie"}),
    "weeks": ({"n_slices": 9}, {"move": "1w"}),
    "k = 1": ({}, {"k": 1}),
    "attributes": ({}, {"people": pl.DataFrame({"node": range(40), "sex": ["f", "m"] * 20}), "attributes": ["sex"]}),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_release_keeps_the_promise_of_numbers_too(kind: str, tmp_path: Path) -> None:
    shape, asked = KINDS[kind]
    graph = graph_of(40, **({"n_slices": 5, "seed": 1} | shape))
    options = {"k": 4, "seed": 2, "effort": "fast", "against": "graph"} | asked
    release = shoal.anonymize(graph, **options)
    again = shoal.anonymize(graph, **options, jobs=1)
    assert release.graph == again.graph
    certificate = release.save(tmp_path / "r", private=tmp_path / "record.json", report=False)
    published = json.loads((tmp_path / "r" / "certificate.json").read_text())
    assert certificate["against"] == published["against"] == "graph"
    assert published["edges"]["kept"] is None
    assert published["cost"]["l1"] is None
    assert published["totals"] == release.moved.totals.to_dict()
    assert shoal.verify(tmp_path / "r", record=tmp_path / "record.json").holds
    kept = release.graph.n_edges / graph.n_edges
    assert 0.8 < kept < 1.25


def test_nothing_looks_at_the_original_after_ties_were_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages of the plain release that compare with it are not run."""

    def never(*given: Any, **more: Any) -> None:
        raise AssertionError("this compares with the original")

    for name in ("rebuild_slices", "retie_slices"):
        monkeypatch.setattr(sys.modules["shoal.anonymize"], name, never)
    assert shoal.anonymize(graph_of(20, 3, seed=3), 3, seed=5, effort="fast", against="graph").moved is not None


def test_work_that_was_stopped_goes_on_to_the_same_release(tmp_path: Path) -> None:
    graph = graph_of(30, 3, seed=3)
    options = {"k": 3, "seed": 5, "effort": "fast", "against": "graph"}
    whole = shoal.anonymize(graph, **options)
    kept = shoal.anonymize(graph, **options, work_dir=tmp_path / "w")
    steps = sorted((tmp_path / "w").glob("retie-*"))
    assert steps
    for step in steps[3:]:
        step.unlink()
    resumed = shoal.anonymize(graph, **options, work_dir=tmp_path / "w", resume=True)
    assert whole.graph == kept.graph == resumed.graph


@pytest.mark.parametrize("kind", ["times", "counts"])
@pytest.mark.parametrize("protect_counts", [False, True])
def test_contacts_are_drawn_for_moved_ties(kind: str, protect_counts: bool, tmp_path: Path) -> None:
    graph, rng = graph_of(30, 3, seed=6), np.random.default_rng(0)
    rows = [
        (u, v, f"2024-01-0{t + 1}T{hour:02}:00")
        for t in range(3)
        for u, v in graph.edges(t).tolist()
        for hour in rng.integers(0, 24, 1 + u % 3)
    ]
    pl.DataFrame(rows, schema=["source", "target", "time"], orient="row").write_csv(tmp_path / "in.csv")
    options = {"against": "graph", "contacts": kind, "protect_counts": protect_counts, "effort": "fast"}
    release = shoal.anonymize(shoal.read(tmp_path / "in.csv", slice="1d", contacts=kind), 3, seed=1, **options)
    bare = shoal.anonymize(shoal.read(tmp_path / "in.csv", slice="1d"), 3, seed=1, against="graph", effort="fast")
    assert release.graph.contacts is not None
    assert [release.graph.edges(t).tolist() for t in range(3)] == [bare.graph.edges(t).tolist() for t in range(3)]
    release.save(tmp_path / "r", private=tmp_path / "record.json", report=False)
    assert shoal.verify(tmp_path / "r", record=tmp_path / "record.json").holds


def test_extensions_of_moved_releases_are_never_retied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    graph = graph_of(20, 4, seed=7)
    parts = [
        {p.label: graph.edges(t).tolist() for t, p in enumerate(graph.slices) if t // 2 == half} for half in (0, 1)
    ]
    one, later = (TemporalGraph.from_slices(part, nodes=range(20)) for part in parts)
    shoal.anonymize(one, 3, seed=1, against="graph", effort="fast").save(tmp_path / "a", private=tmp_path / "a.json")

    def never(*given: Any, **more: Any) -> None:
        raise AssertionError("this compares with the original")

    monkeypatch.setattr(importlib.import_module("shoal.anonymize"), "retie_slices", never)
    assert shoal.extend(tmp_path / "a", later, tmp_path / "a.json", seed=2, effort="fast").moved is not None


@pytest.mark.parametrize("move", ["slice", "tie", "1w"])
def test_extensions_go_on(move: str, tmp_path: Path) -> None:
    graph = graph_of(36, 6, seed=4)
    labels = [part.label for part in graph.slices]
    first = TemporalGraph.from_slices({labels[t]: graph.edges(t).tolist() for t in range(4)}, nodes=range(36))
    later = TemporalGraph.from_slices({labels[t]: graph.edges(t).tolist() for t in (4, 5)}, nodes=range(42))
    record = tmp_path / "record.json"
    made = shoal.anonymize(first, 3, seed=1, against="graph", move=move, effort="fast")
    made.save(tmp_path / "a", private=record, report=False)
    more = shoal.extend(tmp_path / "a", later, record, seed=2, effort="fast")
    assert more.moved is not None
    assert more.moved.secret == made.moved.secret
    more.save(tmp_path / "b", private=tmp_path / "next.json", report=False)
    assert shoal.verify([tmp_path / "a", tmp_path / "b"]).holds
    with pytest.raises(shoal.InputError, match="moves contacts"):
        shoal.extend(tmp_path / "a", later, record, allow="add")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"against": "everybody"}, "against"),
        ({"against": "numbers", "move": "tie"}, "only against='graph'"),
        ({"move": "sometimes"}, "slice width"),
        ({"move": 3}, "move is"),
        ({"allow": "add"}, "only added"),
        ({"must_keep": [(0, 1)]}, "must stay"),
        ({"forbid": [(0, 1)]}, "must not be"),
        ({"exempt": [0]}, "exempt"),
        ({"method": "greedy"}, "the method 'search'"),
        ({"objective": "l1"}, "mean of their members"),
        ({"removal_weight": 2.0}, "mean of their members"),
        ({"density": "free"}, "mean of their members"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(options: dict[str, Any], words: str) -> None:
    graph = TemporalGraph.from_slices({"2024-01-01": [(0, 1), (1, 2), (2, 3)]})
    with pytest.raises(shoal.InputError, match=words):
        shoal.anonymize(graph, 2, **({"against": "graph"} | options))


def test_layers_have_no_calendar() -> None:
    with pytest.raises(shoal.InputError, match="no order in time"):
        shoal.anonymize(graph_of(10, 2, seed=0, layers=True), 2, against="graph", move="1w")


def test_hands_last_as_long_as_was_asked_for() -> None:
    graph, secret = graph_of(10, 9, seed=0), Randomness(1, b"").secret("move")
    promise = make_promise(graph, 2)
    for move, stretches in (("slice", 9), ("1w", 2), ("tie", 1)):
        moving = make_moving(graph, promise, None, against="graph", move=move)
        assert moving is not None
        assert len({moving.key(secret, t).tobytes() for t in range(9)}) == stretches


def test_means_depend_on_the_sums_of_groups_alone_and_keep_the_edges() -> None:
    rng = np.random.default_rng(0)
    pairs = np.array([(u, v) for u in range(60) for v in range(u)], np.int32)[:, ::-1]
    for _ in range(20):
        edges, labels = pairs[rng.random(len(pairs)) < 0.1], np.sort(rng.integers(0, 12, 60))
        labels = np.unique(labels, return_inverse=True)[1]
        view = SliceView(edges, labels)
        found = mean_degrees(view, np.random.default_rng(1))
        sums = np.bincount(labels, view.degrees)
        assert abs(int(found @ view.sizes) - int(sums.sum())) <= view.sizes.max()
        assert (np.abs(found - sums / view.sizes) <= 2).all()


@pytest.mark.parametrize("share", [0.006, 0.1])
def test_a_directed_slice_keeps_about_as_many_edges_however_few(share: float) -> None:
    """It was emptied where steps back to no edges were cheapest."""
    rng = np.random.default_rng(4)
    pairs = np.array([(u, v) for u in range(40) for v in range(40) if u != v], np.int32)
    for _ in range(30):
        edges, labels = pairs[rng.random(len(pairs)) < share], np.repeat(np.arange(9), [5, 5, 4, 4, 6, 4, 4, 4, 4])
        view = SliceView(edges, labels, directed=True)
        found = mean_degrees(view, np.random.default_rng(1))
        assert abs(int(found @ view.sizes) / 2 - len(edges)) <= view.sizes.max()


def test_columns_cost_nothing_where_there_are_no_communities() -> None:
    assert not community_columns(np.zeros(6, np.int64), np.ones(6, np.int64), -0.1, MOVED).any()


@pytest.mark.parametrize("directed", [False, True])
def test_the_search_sees_importance_above_that_of_nobody_s_contact(directed: bool) -> None:
    """In whole numbers: 0 for whom nobody has contact with, at least 1 for all others, and in all twice the degrees."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        graph = (nx.DiGraph if directed else nx.Graph)()
        graph.add_nodes_from(range(31))
        graph.add_edges_from((int(u), int(v)) for u, v in rng.integers(0, 30, (25, 2)) if u != v)
        edges = np.array([e if directed else sorted(e) for e in graph.edges], np.int32)
        rank = nx.pagerank(graph, max_iter=1_000, tol=1e-11)
        degrees = dict(graph.in_degree if directed else graph.degree)
        above = np.array([rank[i] - rank[30] if degrees[i] else 0 for i in range(31)])  # person 30 is alone
        wanted = RANKS * sum(degrees.values()) * above / above.sum()
        found = rank_column(edges, 31, directed=directed)
        assert (np.abs(found - wanted) < 0.5 + 1e-3)[found != 1].all()
        assert ((found > 0) == (np.array([degrees[i] for i in range(31)]) > 0)).all()
