"""The contract with everything that can be asked for: directions, levels, subsets, horizons, limits, one by one and together."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.anonymize import METHODS
from tests.strategies import any_graphs, by
from tests.uncompiled import examples


def rows_of(graph, block=None):
    """Everybody's row within some slices, counted with networkx."""
    rows = {node: [] for node in graph.nodes.to_list()}
    for t, sliced in enumerate(graph.to_networkx().values()):
        if block is None or t in block:
            for node in rows:
                rows[node] += (
                    [sliced.in_degree(node), sliced.out_degree(node)] if graph.directed else [sliced.degree(node)]
                )
    return {node: tuple(row) for node, row in rows.items()}


def check(release, levels, blocks=None):
    """Rows occur as often as promised, slices are simple, nobody was lost, the books are right."""
    graph, n_slices = release.graph, release.graph.n_slices
    for block in blocks or [range(n_slices)]:
        rows = rows_of(graph, block)
        count = Counter(rows.values())
        assert all(count[rows[node]] >= levels[node] for node in rows)
    for t, sliced in enumerate(graph.to_networkx().values()):
        assert nx.number_of_selfloops(sliced) == 0
        assert sliced.number_of_edges() == len(graph.edges(t))
        assert sliced.is_directed() == graph.directed
    assert graph.nodes.equals(release.original.nodes)
    assert graph.slices == release.original.slices
    old, new = (set(g.to_polars().iter_rows()) for g in (release.original, graph))
    assert (release.edges.added, release.edges.removed) == (len(new - old), len(old - new))
    assert release.bound <= release.cost_l1


@examples(150)
@given(any_graphs(), st.data(), st.sampled_from(METHODS))
def test_the_contract_holds_for_whatever_is_asked(graph, data, method):
    nodes = graph.nodes.to_list()
    levels = dict.fromkeys(nodes, 1)
    options = by(method) | {"seed": 0} | ({"effort": "fast"} if method == "search" else {})
    kind = data.draw(st.sampled_from(["plain", "levels", "subset"]))
    if kind == "levels":
        k = levels = {node: data.draw(st.integers(1, len(nodes))) for node in nodes}
    else:
        k = data.draw(st.integers(1, len(nodes)))
        people = nodes
        if kind == "subset":
            people = options["protect"] = data.draw(st.lists(st.sampled_from(nodes), unique=True))
        levels |= dict.fromkeys(people, k)
    blocks = None
    if graph.ordered and data.draw(st.booleans()):
        width = options["horizon"] = data.draw(st.integers(1, 3))
        days = list(dict.fromkeys(part.start for part in graph.slices))
        by_block = [days[i : i + width] for i in range(0, len(days), width)]
        blocks = [[t for t, part in enumerate(graph.slices) if part.start in some] for some in by_block]
    if method == "search":
        options["allow"] = data.draw(st.sampled_from(["both", "both", "add", "remove"]))
    release = shoal.anonymize(graph, k, **options)
    check(release, levels, blocks)
    old, new = (set(g.to_polars().iter_rows()) for g in (graph, release.graph))
    if options.get("allow") == "add":
        assert old <= new
    if options.get("allow") == "remove":
        assert new <= old


@examples(25)
@given(any_graphs(), st.data(), st.sampled_from(METHODS))
def test_same_seed_same_bytes_and_verify_agrees(tmp_path_factory, graph, data, method):
    folder = tmp_path_factory.mktemp("bytes")
    nodes = graph.nodes.to_list()
    levels = {node: data.draw(st.integers(1, len(nodes))) for node in nodes}
    horizon = data.draw(st.sampled_from([None, 1])) if graph.ordered else None
    for name, jobs in (("a", 1), ("b", 2)):
        release = shoal.anonymize(graph, levels, **by(method), seed=3, jobs=jobs, horizon=horizon)
        release.save(folder / name, private=folder / f"{name}.json", report=False)
    files = [sorted((f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in (folder / n).iterdir()) for n in "ab"]
    assert files[0] == files[1]
    assert shoal.verify(folder / "a")
    if len(set(levels.values())) > 1:
        assert shoal.verify(folder / "a", record=folder / "a.json")
    assert shoal.verify(folder / "a", k=max(levels.values())) or min(levels.values()) < max(levels.values())


def test_the_paper_suggestion_for_directed_graphs_leaves_people_alone():
    """[in, out] = [1,2],[1,1],[2,1],[2,2]: each side is 2-anonymous on its own, no pair occurs twice."""
    pairs = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (3, 2)]
    graph = TemporalGraph.from_slices({"all": pairs}, directed=True)
    into, out = graph.degree_matrix().T
    assert sorted(into) == [1, 1, 2, 2]
    assert sorted(out) == [1, 1, 2, 2]
    assert (
        shoal.audit(graph, attackers=[shoal.audit.Vector()] if hasattr(shoal.audit, "Vector") else None)[
            "vector"
        ].unique
        == 4
    )
    check(shoal.anonymize(graph, 2, seed=0), dict.fromkeys(range(4), 2))


def week(n=60, days=28, seed=0, directed=False):
    rng = np.random.default_rng(seed)
    rows = {
        "source": rng.integers(0, n, 900),
        "target": rng.integers(0, n, 900),
        "time": rng.integers(0, 86_400 * days, 900) + 1_700_000_000,
    }
    return TemporalGraph.from_edges(rows, time="time", slice="1d", nodes=range(n), directed=directed)


def test_a_horizon_by_the_calendar_makes_blocks_of_it(tmp_path):
    graph = week()
    release = shoal.anonymize(graph, 4, horizon="1w", seed=0, effort="fast")
    starts = [part.start for part in graph.slices]
    assert release.promise.n_blocks == 5
    blocks = [[t for t in range(len(starts)) if release.promise.blocks[t] == b] for b in range(5)]
    import datetime

    for block in blocks:
        assert len({datetime.date.fromisoformat(starts[t]).isocalendar().week for t in block}) == 1
    check(release, dict.fromkeys(graph.nodes.to_list(), 4), blocks)
    certificate = release.save(tmp_path / "out")
    assert certificate["horizon"] == "1w"
    assert "does not protect against that" in certificate["guarantee"]
    verdict = shoal.verify(tmp_path / "out")
    assert verdict
    assert any("within each of 5 blocks" in check.name for check in verdict.checks)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "within each of 5 blocks of the calendar" in page
    assert "NOT stopped: whoever knows the number of edges in every slice" in page


def test_verify_sees_a_crowd_that_is_too_small_in_one_block(tmp_path):
    release = shoal.anonymize(week(), 4, horizon=7, seed=0, effort="fast")
    release.save(tmp_path / "out", report=False)
    folder = tmp_path / "out"
    lines = (folder / "edges.csv").read_text().splitlines()
    (folder / "edges.csv").write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    claims = json.loads((folder / "certificate.json").read_text())
    claims["sha256"]["edges.csv"] = hashlib.sha256((folder / "edges.csv").read_bytes()).hexdigest()
    claims["edges"]["released"] -= 1
    (folder / "certificate.json").write_text(json.dumps(claims))
    assert any("every degree vector occurs" in text for text in shoal.verify(folder).failures)


def test_levels_are_not_published_but_can_be_proven(tmp_path):
    graph = week()
    levels = {node: (6 if node < 10 else 3 if node < 20 else 1) for node in graph.nodes.to_list()}
    release = shoal.anonymize(graph, levels, seed=0, effort="fast")
    check(release, levels)
    release.save(tmp_path / "out", private=tmp_path / "record.json")
    assert (tmp_path / "out" / "nodes.csv").read_text().splitlines()[0] == "node"
    assert shoal.verify(tmp_path / "out")
    assert shoal.verify(tmp_path / "out", record=tmp_path / "record.json")
    record = json.loads((tmp_path / "record.json").read_text())
    weak = {name for name, level in record["levels"].items() if level == 1}
    crowds = dict(zip(graph.nodes.to_list(), release.crowds[0], strict=True))
    lonely = next(name for name in weak if crowds[record["ids"][name]] < 6)
    record["levels"][lonely] = 6
    (tmp_path / "other.json").write_text(json.dumps(record))
    assert not shoal.verify(tmp_path / "out", record=tmp_path / "other.json")
    assert "asked for no protection" in json.loads((tmp_path / "out" / "certificate.json").read_text())["guarantee"]


def test_unprotected_people_far_from_anybody_protected_are_left_alone():
    slices = {"a": [(0, 1), (2, 3), *((10, x) for x in range(11, 30))], "b": [(0, 2), (1, 3)]}
    graph = TemporalGraph.from_slices(slices, nodes=range(30))
    release = shoal.anonymize(graph, 4, protect=[0, 1, 2, 3], seed=0)
    assert release.edges.changed == 0


def test_protecting_a_tenth_of_irvine_costs_far_less(real_data):
    graph = shoal.read(real_data("uci-collegemsg/edges.csv.gz"), slice="1w")
    people = np.random.default_rng(0).choice(graph.n_nodes, graph.n_nodes // 10, replace=False)
    everybody = shoal.anonymize(graph, 5, seed=0, effort="fast")
    some = shoal.anonymize(graph, 5, protect=graph.nodes.gather(people).to_list(), seed=0, effort="fast")
    assert some.edges.changed <= everybody.edges.changed / 4


LIMITED = TemporalGraph.from_slices(
    {"a": nx.gnp_random_graph(24, 0.2, seed=1), "b": nx.gnp_random_graph(24, 0.3, seed=2)}, nodes=range(24)
)
EDGES = set(LIMITED.to_polars().iter_rows())
ABSENT = next((0, v) for v in range(1, 24) if (0, v, "a") not in EDGES and (0, v, "b") not in EDGES)
ELSEWHERE = next((u, v, "a") for u, v, where in sorted(EDGES) if where == "b" and (u, v, "a") not in EDGES)


@pytest.mark.parametrize("allow", ["both", "add", "remove"])
def test_limits_are_kept(allow):
    edges = [(u, v, s) for u, v, s in LIMITED.to_polars().iter_rows()]
    keep = edges[::7]
    forbid = [(0, x) for x in range(1, 12)]
    exempt = [5, 17]
    plain = dict.fromkeys(range(24), 3) | {5: 1, 17: 1}
    release = shoal.anonymize(LIMITED, plain, allow=allow, must_keep=keep, forbid=forbid, exempt=exempt, seed=0)
    check(release, plain)
    old, new = set(edges), set(release.graph.to_polars().iter_rows())
    assert set(keep) <= new
    assert not {(u, v) for u, v, _ in new - old} & set(forbid)
    for person in exempt:
        assert {e for e in old if person in e[:2]} == {e for e in new if person in e[:2]}
    if allow == "add":
        assert old <= new
    if allow == "remove":
        assert new <= old


def test_what_cannot_be_done_is_one_sentence():
    star = TemporalGraph.from_slices({"a": [(0, x) for x in range(1, 6)]}, nodes=range(6))
    with pytest.raises(InputError, match=r"^[^\n]{20,300}$"):
        shoal.anonymize(star, 2, exempt=[0, 1], must_keep=[(0, x) for x in range(1, 6)], allow="remove", seed=0)
    with pytest.raises(InputError, match="need the method 'search'"):
        shoal.anonymize(star, 2, allow="add", method="greedy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": {"nobody": 2}}, "nobody in the graph is called 'nobody'"),
        ({"k": {0: 0}}, "whole number from 1; got 0"),
        ({"k": {0: 99}}, "at most the number of people, 24; got 99"),
        ({"k": [2, 3]}, "one level for each of the 24 people; got 2"),
        ({"protect": [77]}, "nobody in the graph is called '77'"),
        ({"horizon": 0}, "a number of slices from 1"),
        ({"horizon": 1.5}, "a number of slices from 1; got 1.5"),
        ({"horizon": True}, "a number of slices from 1; got True"),
        ({"horizon": "²"}, "a slice width looks like"),
        ({"horizon": "soon"}, "a slice width looks like"),
        ({"horizon": "1mo"}, "no place in the calendar"),
        ({"allow": "swap"}, "unknown allow 'swap'"),
        ({"must_keep": [(1, 1)]}, "two different people"),
        ({"must_keep": [ABSENT]}, f"no edge between '{ABSENT[0]}' and '{ABSENT[1]}' in any slice"),
        (
            {"must_keep": [ELSEWHERE]},
            f"no edge between '{ELSEWHERE[0]}' and '{ELSEWHERE[1]}' in slice '{ELSEWHERE[2]}'",
        ),
        ({"k": 10**30}, "at most the number of people, 24"),
        ({"k": {0: 10**30}}, "at most the number of people, 24"),
        ({"time_limit": math.inf}, "time_limit must be a number from 0; got inf"),
        ({"time_limit": math.nan}, "time_limit must be a number from 0; got nan"),
        ({"forbid": [(1, 2, "z")]}, "there is no slice 'z'"),
        ({"exempt": [99]}, "nobody in the graph is called '99'"),
    ],
)
def test_bad_demands_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        shoal.anonymize(LIMITED, **{"k": 2, **change})


@pytest.mark.parametrize("method", METHODS)
def test_options_act_or_are_refused(method, monkeypatch):
    """No time at all leaves the first groups, whatever is asked for; an effort that would change nothing is refused."""
    levels = {node: 2 + node % 3 for node in range(24)}
    for k, more in ((3, {}), (levels, {}), (3, {"protect": range(9)}), (3, {"allow": "remove"}), (3, {"exempt": [5]})):
        if method == "search" or not more or "protect" in more:
            release = shoal.anonymize(LIMITED, k, method=method, time_limit=0, seed=0, **more)
            assert set(release.rounds) <= {0}
    if method == "search":
        monkeypatch.setattr("shoal.group.search.anneal", None)  # never called without time
        shoal.anonymize(LIMITED, levels, time_limit=0, allow="add", seed=0)
    else:
        assert max(shoal.anonymize(LIMITED, 3, method=method, seed=0).rounds) > 0
        with pytest.raises(InputError, match=f"effort is for the method 'search'; '{method}' has restarts"):
            shoal.anonymize(LIMITED, 3, method=method, effort="fast")
    with pytest.raises(InputError, match="time_limit must be a number from 0; got -1"):
        shoal.anonymize(LIMITED, 3, method=method, time_limit=-1)


def test_time_runs_from_the_beginning(monkeypatch):
    """Neighbours are found on the same clock: what they take is gone."""
    import shoal.plan.stages as stages

    clock, given = iter([0.0, 50.0]), []
    monkeypatch.setattr(stages.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(
        stages,
        "search_groups",
        lambda rows, levels, **options: given.append(options["time_limit"]) or np.zeros(len(rows), int),
    )
    settings = stages.Settings(time_limit=60.0)
    rows = LIMITED.degree_matrix()
    stages.group_people(rows, np.full(24, 2), settings, bounded=False, rng=None, jobs=1, tell=lambda share: None)
    assert given == [10.0]


def test_a_horizon_needs_time():
    graph = TemporalGraph.from_edges({"source": [1, 2], "target": [2, 3], "layer": ["x", "y"]}, layer="layer")
    with pytest.raises(InputError, match="no order in time"):
        shoal.anonymize(graph, 2, horizon=1)


def crowded(directed):
    rng = np.random.default_rng(3)
    rows = zip(*(rng.integers(0, high, 500).tolist() for high in (40, 40, 4)), strict=True)
    return TemporalGraph.from_events([(u, v, t) for u, v, t in rows if u != v], directed=directed)


@pytest.mark.parametrize("directed", [False, True])
def test_medians_are_taken_under_limits_too(directed):
    graph = crowded(directed)
    by_edges, by_l1 = (
        shoal.anonymize(graph, 4, exempt=[1], objective=objective, seed=0, effort="fast")
        for objective in ("edges", "l1")
    )
    for release in (by_edges, by_l1):
        check(release, dict.fromkeys(graph.nodes.to_list(), 4))
    assert by_l1.cost_l1 < by_edges.cost_l1
    assert by_l1.edges.changed > by_edges.edges.changed


def test_effort_counts_in_one_slice_and_under_limits(monkeypatch):
    """How often crowds are looked through, how large a slice the solver gets."""
    from shoal.plan import stages

    asked = {}
    for name, option in (
        ("rewire_alone", "rounds"),
        ("rebuild_within", "exact_pairs"),
        ("choose_degrees", "exact_edges"),
    ):
        real = getattr(stages, name)

        def spy(*args, real=real, option=option, **options):
            asked.setdefault(option, []).append(options[option])
            return real(*args, **options)

        monkeypatch.setattr(stages, name, spy)
    karate = TemporalGraph.from_slices({"club": nx.karate_club_graph()})
    for effort in ("fast", "balanced", "thorough"):
        shoal.anonymize(karate, 3, seed=0, effort=effort, jobs=1)
        shoal.anonymize(karate, 3, seed=0, effort=effort, exempt=[5], jobs=1)
    assert asked["rounds"] == [1, 3, 6]
    assert asked["exact_pairs"] == [0, 1000, 4000]
    assert asked["exact_edges"] == [0, 0, 1000, 1000, 4000, 4000]
