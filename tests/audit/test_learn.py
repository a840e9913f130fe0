from __future__ import annotations

import json
import sys
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.audit.learn import ATTACKERS, Known, _kernels, laid_out_like, learn, matching, two_releases
from shoal.audit.learn import case as cases
from shoal.audit.learn.case import make_case
from shoal.audit.learn.groups import by_history
from shoal.audit.learn.invented import auc, features, not_in
from shoal.audit.learn.matching import Matcher, assign, by_length, lay_out
from shoal.audit.learn.second_graph import Judge
from tests.audit import naive
from tests.strategies import any_graphs, graphs
from tests.uncompiled import examples

FREE = np.random.default_rng


def links(graph):
    """Sets of (i, j) under each label of `lay_out`, "ever" last."""
    parts = [{(int(u), int(v)) for u, v in graph.edges(t)} for t in range(graph.n_slices)]
    parts.append(set().union(*parts))
    if graph.directed:
        return [part for out in parts for part in (out, {(v, u) for u, v in out})]
    return [out | {(v, u) for u, v in out} for out in parts]


def side(graph):
    every = np.arange(graph.n_slices)
    return lay_out(graph._edges, graph.slice_codes(), graph.n_nodes, every, directed=graph.directed, ever=graph._edges)


@given(any_graphs())
def test_a_side_lists_the_links_of_everybody_under_every_label(graph):
    laid, labels = side(graph), links(graph)
    for i, (at, label) in product(range(graph.n_nodes), enumerate(labels)):
        start = i * len(labels) + at
        assert laid.ends[laid.starts[start] : laid.starts[start + 1]].tolist() == sorted(b for a, b in label if a == i)
    degrees = [[sum(a == i for a, _ in label) for label in labels[: -1 - graph.directed]] for i in range(graph.n_nodes)]
    assert np.allclose(laid.roots**2, degrees)
    assert laid.sizes.tolist() == [sum(a == i for label in labels for a, _ in label) for i in range(graph.n_nodes)]


@given(graphs(), graphs(), st.integers(1, 5))
def test_the_nearest_rows_are_those_that_trying_all_finds(one, other, most):
    rows, seen = (np.sqrt(g.degree_matrix()[:, :1].astype(np.float32)) for g in (one, other))
    reach, lengths = (np.sqrt((part**2).sum(axis=1)) for part in (rows, seen))
    found, apart = _kernels.nearest(np.arange(len(rows)), rows, reach, seen, by_length(seen, lengths), most)
    for i, row in enumerate(rows):
        distances = ((seen - row) ** 2).sum(axis=1)
        want = sorted(distances.tolist())[:most] if row.any() else []
        assert np.allclose(sorted(apart[i][found[i] >= 0]), want, atol=1e-5)
        assert np.allclose(distances[found[i][found[i] >= 0]], apart[i][found[i] >= 0], atol=1e-5)


@examples(40)
@given(graphs(max_nodes=6), graphs(max_nodes=6), st.booleans())
def test_how_well_nodes_fit_agrees_with_trying_everybody(one, other, directed):
    n_slices = min(one.n_slices, other.n_slices)
    one, other = (
        TemporalGraph.from_slices(
            {t: g.edges(t).tolist() for t in range(n_slices)}, nodes=range(g.n_nodes), directed=directed
        )
        for g in (one, other)
    )
    mine, theirs = side(one), side(other)
    work = Matcher(mine, theirs, directed=directed, jobs=1)
    belief = np.zeros((one.n_nodes, other.n_nodes))
    for i, (nodes, weights) in enumerate(zip(work.candidates, work.belief, strict=True)):
        for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
            if node >= 0 and weight >= 1e-3:
                belief[i, node] = weight
    want = naive.fits(links(one), links(other), belief, mine.roots, theirs.roots, 8.0)
    candidates, scores = work.fits(8.0)
    for i, (nodes, values) in enumerate(zip(candidates, scores, strict=True)):
        for node, value in zip(nodes.tolist(), values.tolist(), strict=True):
            assert node < 0 or value == pytest.approx(want[i, node], abs=1e-3)
    best = want.max(axis=1)
    assert np.allclose(scores.max(axis=1), best, atol=1e-3)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 9))
def test_beliefs_are_scaled_as_sinkhorn_scales_them(n, m, seed):
    belief = FREE(seed).random((n, m)).astype(np.float32) + 0.1
    want = naive.share_out(belief.astype(float), 4)
    _kernels.share_out(np.tile(np.arange(m, dtype=np.int32), (n, 1)), belief, m, 4)
    assert np.allclose(belief, want, atol=1e-4)


@given(st.integers(1, 4), st.integers(0, 3), st.integers(0, 99))
def test_the_assignment_is_the_best_there_is(n, more, seed):
    scores = FREE(seed).normal(size=(n, n + more)).astype(np.float32)
    found = assign(np.tile(np.arange(n + more, dtype=np.int32), (n, 1)), scores, n + more)
    assert len(set(found.tolist())) == n
    assert scores[np.arange(n), found].sum() == pytest.approx(naive.best_sum(scores), abs=1e-4)


@given(graphs())
def test_what_would_be_claimed_without_the_release(graph):
    known = Known(0.5)
    try:
        part = known.of(graph, FREE(0))
        case = make_case(graph, graph, k=1)
    except InputError:
        return
    judge, every = Judge(case, part), naive.triples(graph)
    first = {x for x in every if x[0] in part.slices}
    hidden = every - first
    ties = {(u, v) for _, u, v in first}
    new = {x for x in hidden if x[1:] not in ties}
    some = judge.chance(7)
    assert some.there == len(new)
    assert some.true == pytest.approx(min(7 * naive.chance(first, hidden, graph.n_nodes, part.rest.tolist()), len(new)))
    claims = judge.persistence(10**6)
    assert claims.claims == len(ties) * len(part.rest)
    assert claims.true == claims.there == len(hidden) - len(new)
    keys = np.array(sorted(hidden), np.int64).reshape(-1, 3)
    assert judge.judged(keys[judge.are_ties(keys)], ties=True).to_dict()["found"] == (
        1 if len(hidden) > len(new) else 0
    )


@given(graphs())
def test_what_a_release_says_of_an_edge(graph):
    found, want = features(graph), naive.features(graph)
    for name, values in want.items():
        assert np.allclose(found[name], values, atol=1e-4), name


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=12))
def test_the_area_is_the_chance_over_all_pairs(rows):
    values, positive = [float(v) for v, _ in rows], [p for _, p in rows]
    assert auc(np.array(values), np.array(positive, bool)) == pytest.approx(naive.auc(values, positive))


@given(graphs())
def test_what_holds_for_a_whole_crowd(graph):
    if graph.n_edges == 0 or graph.n_nodes < 2:
        return
    [found] = learn(graph, graph, attackers=["same-for-all"])
    assert (found["meet_same_person"], found["meet_same_crowd"]) == naive.same_for_all(graph)
    assert found["same_person_true"] == (1 if found["meet_same_person"] else 0)


@given(graphs(), st.integers(1, 3), st.integers(0, 9))
def test_a_tie_goes_on_like_the_most_alike_between_its_groups(graph, n_groups, seed):
    try:
        part = Known(0.5).of(graph, FREE(0))
        case = make_case(graph, graph, k=1, seed=seed)
    except InputError:
        return
    groups = FREE(seed).integers(n_groups, size=graph.n_nodes)
    of_node = np.empty_like(groups)
    of_node[case.nodes] = groups
    every, early = naive.triples(graph), set(part.slices.tolist())
    seen = {(t, *sorted(case.nodes[[u, v]].tolist())) for t, u, v in every}
    alike = naive.by_history({x for x in every if x[0] in early}, seen, groups, of_node, early)
    claims = {tuple(row) for row in by_history(case, part, groups, of_node).tolist()}
    later = {}
    for t, u, v in seen:
        if t not in early:
            later.setdefault((u, v), set()).add(t)
    for tie in {claim[1:] for claim in claims}:
        said = {t for t, *pair in claims if tuple(pair) == tie}
        assert any(later.get(link) == said for one, link in alike if one == tie)
    best = max(alike.values(), default=0)
    tops = [(tie, link) for (tie, link), value in alike.items() if value == best]
    if len(tops) == 1:
        tie, link = tops[0]
        assert {t for t, *pair in claims if tuple(pair) == tie} == later.get(link, set())


def messengers(n=120, n_slices=8, seed=3):
    return shoal.datasets.messenger(n, n_slices, seed=seed)


def shuffled(graph, seed=0):
    """A graph drawn at random with the same degrees in every slice: pairs of edges swap ends, many times."""
    rng, slices = FREE(seed), []
    for t in range(graph.n_slices):
        edges = [tuple(e) for e in graph.edges(t).tolist()]
        there = set(edges)
        for _ in range(20 * len(edges)):
            i, j = rng.integers(len(edges), size=2)
            (a, b), (c, d) = edges[i], edges[j]
            one, other = tuple(sorted((a, d))), tuple(sorted((c, b)))
            if len({a, b, c, d}) == 4 and one not in there and other not in there:
                there -= {edges[i], edges[j]}
                there |= {one, other}
                edges[i], edges[j] = one, other
        slices.append(np.array(sorted(there), np.int32).reshape(-1, 2))
    return graph.with_edges(slices)


@pytest.mark.compiled
def test_names_alone_hide_nobody_and_unrelated_ties_teach_nothing():
    graph = messengers(300)
    [same] = learn(graph, graph, attackers=["second-graph"])
    assert same["matched"] > 0.95
    assert same["new_pairs"]["true"] > 0.9
    assert same["all"]["true"] > same["all"]["without"]["true"]
    [other] = learn(shuffled(graph), graph, attackers=["second-graph"])
    assert other["matched"] < 0.5
    assert other["new_pairs"]["true"] < other["new_pairs"]["without"]["true"] + 0.04
    assert other["known_ties"]["found"] < 0.1


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_irvine_under_other_names(real_data, share):
    graph = shoal.read(real_data("uci-collegemsg/edges.csv.gz"), slice="1w")
    [found] = learn(graph, graph, k=1, known=share, attackers=["second-graph"])
    assert found["matched"] >= 0.94
    if share == 0.3:
        [none] = learn(shuffled(graph), graph, known=share, attackers=["second-graph"])
        assert none["new_pairs"]["true"] < none["new_pairs"]["without"]["true"] + 0.03


@pytest.mark.parametrize(
    ("file", "width", "matched", "true", "new", "found", "area"),
    [
        ("copenhagen/edges.csv.gz", "1d", 0.66, 0.53, 0.09, 0.21, 0.935),
        ("enron-jhu184/edges.csv.gz", "1mo", 0.86, 0.59, 0.34, 0.29, 0.854),
    ],
)
def test_no_weaker_than_attackers_written_elsewhere(
    monkeypatch, real_data, file, width, matched, true, new, found, area
):
    graph = shoal.read(real_data(file), slice=width)
    # As releases were made when those attackers were written: nothing makes invented edges look like true ones.
    monkeypatch.setattr(sys.modules["shoal.anonymize"], "retie_slices", lambda graph, released, *rest: released)
    release = shoal.anonymize(graph, 5, seed=0, density="free").graph
    second, invented = learn(release, graph, attackers=["second-graph", "invented"])
    assert second["matched"] >= matched - 0.03
    assert second["all"]["true"] >= true - 0.03
    assert second["new_pairs"]["true"] >= new - 0.03
    assert second["new_pairs"]["found"] >= found - 0.03
    assert invented["auc"]["other-slices"] == pytest.approx(area, abs=0.03)
    assert invented["best_auc"] >= max(invented["auc"].values()) >= area - 0.03


def with_ties_moved(graph, groups, *, whole, seed=0):
    """Between every two groups, ends of ties change hands by random permutations: of a tie as a whole, or slice by slice."""
    members = {g: np.flatnonzero(groups == g) for g in np.unique(groups)}
    slices, hands = [], {}
    for t in range(graph.n_slices):
        moved = set()
        for u, v in graph.edges(t).tolist():
            one, other = groups[u], groups[v]
            for g, h in {(one, other), (other, one)}:
                if (g, h, t * (not whole)) not in hands:
                    to = FREE([seed, g, h if g != h else 0, t * (not whole)]).permutation(members[g])
                    hands[g, h, t * (not whole)] = dict(zip(members[g].tolist(), to.tolist(), strict=True))
            moved.add(tuple(sorted((hands[one, other, t * (not whole)][u], hands[other, one, t * (not whole)][v]))))
        slices.append(np.array(sorted(moved), np.int32).reshape(-1, 2))
    return graph.with_edges(slices)


@pytest.mark.compiled
def test_whoever_knows_the_groups_reads_ties_that_moved_with_their_history():
    graph = messengers(200, 12)
    groups = shoal.anonymize(graph, 4, seed=1, effort="fast").groups
    said = {}
    for whole in (True, False):
        release = with_ties_moved(graph, groups, whole=whole)
        second, told = learn(release, graph, attackers=["second-graph"], groups=groups)
        assert (second.name, told.name) == ("second-graph", "groups-known")
        said[whole] = told["histories"]
        assert told["known_ties"]["found"] >= said[whole]["found"]
        assert told["new_pairs"]["true"] < 0.25
    assert said[True]["true"] > 0.9
    assert said[True]["found"] > 0.8
    assert said[False]["found"] < 0.3
    with pytest.raises(InputError, match="everybody has a group"):
        learn(graph, graph, attackers=["second-graph"], groups=groups[1:])


@pytest.mark.compiled
def test_every_attacker_says_who_knows_what_and_what_they_knew_anyway():
    graph = messengers()
    release = shoal.anonymize(graph, 3, seed=1).graph
    found = shoal.audit(release, k=3, original=graph, known=0.5)
    assert [one.name for one in found.learned] == list(ATTACKERS)
    for one, line in zip(found.learned, found.what_is_learned(), strict=True):
        assert all(words in line for words in (one.knows, one.learns, one.anyway))
        assert "safe" not in line
    listed = {one["name"]: one for one in json.loads(json.dumps(found.to_dict()))["attackers"]}
    assert {"vector", "reidentify", *ATTACKERS} <= set(listed)
    for part in ("all", "known_ties", "new_pairs"):
        for claims in (listed["second-graph"][part], listed["second-graph"][part]["without"]):
            assert claims["claims"] >= 0 <= claims["true"] <= 1 >= claims["found"] >= 0
    assert listed["invented"]["best_auc"] == max(listed["invented"]["auc"].values())
    assert listed["twice"]["smallest_crowd"] >= 1
    again = shoal.audit(release, k=3, original=graph, known=0.5, jobs=1)
    assert again.to_dict() == found.to_dict()


@pytest.mark.compiled
def test_planted_accounts_are_found_again():
    shares = []
    for seed in (3, 4, 5):
        graph = messengers(seed=seed)
        (found,) = learn(shoal.anonymize(graph, 3, seed=1).graph, graph, k=3, known=0.5, attackers=["planted"])
        shares.append(found["once"]["accounts"])
    assert np.mean(shares) > 0.8


@pytest.mark.compiled
def test_who_is_known_from_the_start_stays_so():
    graph = messengers()
    case = make_case(graph, graph, k=1)
    every, slices = np.ones(graph.n_edges, bool), np.arange(graph.n_slices)
    known, seen = case.known_side(every, slices), case.seen_side(slices)
    wrong = np.full(graph.n_nodes, -1)
    wrong[[3, 5]] = case.nodes[[5, 3]]
    work = Matcher(known, seen, directed=False)
    work.begin(wrong)
    found = matching.settle(work).nodes
    assert found[[3, 5]].tolist() == case.nodes[[5, 3]].tolist()
    assert len(set(found[found >= 0].tolist())) == (found >= 0).sum()
    [named] = learn(graph, graph, attackers=["seeds"])
    assert min(row["named"] for row in named["seeds"]) > 0.9


@pytest.mark.compiled
def test_contacts_of_contacts_before_the_changes():
    graph = messengers()
    release = shoal.anonymize(graph, 3, seed=1).graph
    [kept], [changed] = (learn(g, graph, attackers=["contacts-before"]) for g in (graph, release))
    assert kept["found"] > changed["found"] > changed["without_contacts"]


@pytest.mark.compiled
def test_invented_edges_of_a_release_are_those_not_in_the_original():
    graph = messengers()
    release = shoal.anonymize(graph, 3, seed=1)
    assert not_in(release.graph, graph).sum() == release.edges.added
    [found] = learn(release.graph, graph, k=3, attackers=["invented"])
    assert found["invented"] == release.edges.added
    assert found["struck"]["edges"] > 0


@pytest.mark.compiled
def test_directed_layers_and_random_edges():
    rng = FREE(5)
    rows = {
        (int(u), int(v), s)
        for u, v, s in zip(*rng.integers(0, 40, (2, 900)), rng.choice(list("abc"), 900), strict=True)
    }
    frame = pl.DataFrame(sorted(rows), schema=["source", "target", "layer"], orient="row")
    graph = TemporalGraph.from_edges(frame, layer="layer", directed=True)
    for known in (Known(layers=["a", "b"]), Known(0.6, edges=True), Known(0.5)):
        [found] = learn(graph, graph, known=known, attackers=["second-graph"])
        assert found["matched"] > 0.9
        assert found["all"]["true"] > 0.9
    [found] = learn(graph, graph, k=1, attackers=["planted"])
    for how in ("once", "grown"):
        assert found[how]["accounts"] == 1
        assert found[how]["targets"] > 0.8


@pytest.mark.compiled
def test_above_many_people_a_sample_is_attacked_and_that_is_said(monkeypatch):
    graph = messengers(200)
    package = sys.modules["shoal.audit.learn"]  # by its path it would be the function `shoal.audit`
    monkeypatch.setattr(package, "MANY", 100)
    monkeypatch.setattr(package, "SAMPLE", 80)
    [found] = learn(graph, graph, attackers=["second-graph"])
    assert found["people"] <= 80
    assert found.sample == "a connected 80 of the 200 people were looked for among all"
    assert found.sample in found.in_words()
    assert found["matched"] > 0.8
    [named] = learn(graph, graph, attackers=["seeds"])
    [picked] = learn(graph, graph, attackers=["contacts-before"])
    assert named["people"] == picked["people"] == 80
    assert min(named["named"], picked["found"]) > 0.8
    people = cases.connected_people(graph, 80, FREE(0))
    assert len(np.unique(people)) == 80


@pytest.mark.compiled
def test_two_releases_laid_over_each_other():
    graph = messengers()
    one, other = (shoal.anonymize(graph, 3, seed=seed).graph for seed in (1, 2))
    found = two_releases(one, other, same=True)
    rows = list(zip(*(map(tuple, g.degree_matrix().tolist()) for g in (one, other)), strict=True))
    assert found["smallest_crowd"] == min(rows.count(row) for row in rows)
    assert found["alone"] == sum(rows.count(row) == 1 for row in rows)
    assert found["matched"] > 0.5
    assert two_releases(one, one, same=True)["matched"] > 0.9
    assert two_releases(one, one, same=True)["agree"] == 1.0
    months = TemporalGraph.from_slices({"all": np.unique(graph._edges, axis=0).tolist()}, nodes=graph.nodes)
    assert two_releases(one, months, same=True)["slices_in_common"] == 0
    assert "matched" not in two_releases(one, other, same=False).numbers
    with pytest.raises(InputError, match="directions"):
        two_releases(one, TemporalGraph.from_slices({"a": [(1, 2)]}, directed=True), same=False)
    with pytest.raises(InputError, match="nobody in common"):
        two_releases(one, TemporalGraph.from_slices({"a": [(1001, 1002)]}), same=True)


def test_the_output_of_any_tool_is_laid_out_like_the_original():
    original = TemporalGraph.from_slices({"mon": [("a", "b")], "tue": [("b", "c")]})
    other = laid_out_like(TemporalGraph.from_slices({"tue": [("a", "c")]}), original)
    assert naive.triples(other) == {(1, 0, 2)}
    assert other.nodes.equals(original.nodes)
    with pytest.raises(InputError, match="'x' is not in the original"):
        laid_out_like(TemporalGraph.from_slices({"tue": [("a", "x")]}), original)
    with pytest.raises(InputError, match="'wed' is not in the original"):
        laid_out_like(TemporalGraph.from_slices({"wed": [("a", "c")]}), original)
    with pytest.raises(InputError, match="directions"):
        laid_out_like(TemporalGraph.from_slices({"tue": [("a", "c")]}, directed=True), original)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (0, "nobody is known"),
        (1, "everything is known"),
        (float("nan"), "above 0 and below 1"),
        (Known(layers=["x"]), "no layer 'x'"),
        (Known(0.999, edges=True), "beside what is known"),
    ],
)
def test_what_cannot_be_known(known, words):
    graph = TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(2, 3)]})
    with pytest.raises(InputError, match=words):
        shoal.audit(graph, original=graph, known=known)


def test_what_does_not_belong_together():
    graph = TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(2, 3)]})
    for other, words in (
        (TemporalGraph.from_slices({"mon": [(1, 2)], "wed": [(2, 3)]}), "slices do not fit"),
        (TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(2, 4)]}), "same people"),
        (TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(2, 3)]}, directed=True), "directions"),
    ):
        with pytest.raises(InputError, match=words):
            learn(graph, other)
    with pytest.raises(InputError, match="unknown attacker 'x'"):
        learn(graph, graph, attackers=["x"])
    with pytest.raises(InputError, match="original"):
        shoal.audit(graph, known=0.5)
    with pytest.raises(InputError, match="one slice"):
        learn(TemporalGraph.from_slices({"a": [(1, 2)]}), TemporalGraph.from_slices({"a": [(1, 2)]}))
    with pytest.raises(InputError, match="no contacts"):
        learn(TemporalGraph.from_slices({"a": []}, nodes=[1, 2]), TemporalGraph.from_slices({"a": []}, nodes=[1, 2]))


@given(graphs(), st.randoms(use_true_random=False))
def test_known_contacts_are_those_that_are_in_both(graph, chance):
    """A file with some of the contacts, under other slices, in another order of people, with a stranger."""
    rows = [(u, v, t) for t in range(graph.n_slices) for u, v in graph.edges(t).tolist()]
    some = [row for row in rows if chance.random() < 0.5]
    labels, nodes = [part.label for part in graph.slices], graph.nodes.to_list()
    mask = [row in some for row in rows]
    own = {label: [] for label in labels} | {"elsewhere": [("a stranger", str(nodes[0]))]}
    for u, v, t in some:
        own[labels[t]].append((str(nodes[v]), str(nodes[u])) if not graph.directed else (str(nodes[u]), str(nodes[v])))
    other = TemporalGraph.from_slices(own, directed=graph.directed)
    known = Known(contacts=other)
    if not any(mask) or all(mask):
        with pytest.raises(InputError, match=r"no contacts (in|beside) what is known|nobody in the contacts"):
            known.of(graph, FREE(0))
        return
    assert known.of(graph, FREE(0)).edges.tolist() == mask
    once = TemporalGraph.from_slices({"all": [row for rows in own.values() for row in rows]}, directed=graph.directed)
    pairs = {(u, v) for u, v, _ in some}
    expected = [(u, v) in pairs for u, v, _ in rows]
    if not all(expected):
        assert Known(contacts=once).of(graph, FREE(0)).edges.tolist() == expected


def test_known_contacts_with_directions_do_not_fit_an_original_without():
    one, two = (TemporalGraph.from_slices({"a": [(1, 2), (2, 3)]}, directed=way) for way in (False, True))
    with pytest.raises(InputError, match="have directions and the original has not"):
        Known(contacts=two).of(one, FREE(0))
    with pytest.raises(InputError, match="nobody in the contacts that are known is in the original"):
        Known(contacts=TemporalGraph.from_slices({"a": [(7, 8)]})).of(one, FREE(0))
