"""Nobody is told no where there is a way: every graph within the limits is tried, on a few people."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.errors import NoReleaseError
from shoal.realize import SliceLimits
from shoal.rebuild.within import small
from tests.uncompiled import examples

PAW = [(0, 1), (0, 2), (0, 3), (1, 3)]


def tables(n, edges, directed, ask):
    """The degrees of everybody in every slice that can be reached from this one."""
    pairs = list(itertools.permutations(range(n), 2) if directed else itertools.combinations(range(n), 2))
    fixed = {p for p in pairs if set(p) & set(ask["exempt"])}
    fixed |= {p for p in pairs if p in edges and (ask["allow"] == "add" or p in ask["must_keep"])}
    fixed |= {p for p in pairs if p not in edges and (ask["allow"] == "remove" or p in ask["forbid"])}
    free = [p for p in pairs if p not in fixed]
    found = set()
    for chosen in itertools.product([False, True], repeat=len(free)):
        there = {p for p in fixed if p in edges} | set(itertools.compress(free, chosen))
        ins = [sum(v == i for _, v in there) for i in range(n)]
        outs = [sum(u == i for u, _ in there) for i in range(n)]
        found.add(tuple(zip(ins, outs, strict=True)) if directed else tuple(map(sum, zip(ins, outs, strict=True))))
    return found


def is_possible(n, slices, directed, levels, horizon, ask):
    """Whether any release exists, said in the plainest way."""
    reached = [tables(n, edges, directed, ask) for edges in slices]
    blocks = [[one] for one in reached] if horizon == 1 else [reached]
    return all(
        any(
            all(rows.count(row) >= need for row, need in zip(rows, levels, strict=True))
            for rows in (list(zip(*choice, strict=True)) for choice in itertools.product(*block))
        )
        for block in blocks
    )


@st.composite
def demands(draw):
    directed = draw(st.booleans())
    n_slices = draw(st.integers(1, 2))
    n = draw(st.integers(3, 5 - directed - (n_slices == 2)))
    pairs = list(itertools.permutations(range(n), 2) if directed else itertools.combinations(range(n), 2))
    few = st.lists(st.sampled_from(pairs), unique=True, max_size=4)
    slices = [draw(st.lists(st.sampled_from(pairs), unique=True)) for _ in range(n_slices)]
    there = sorted({pair for edges in slices for pair in edges})  # what must stay has to be there
    kept = st.lists(st.sampled_from(there), unique=True, max_size=4) if there and draw(st.booleans()) else st.just([])
    ask = {
        "allow": draw(st.sampled_from(["both", "add", "remove"])),
        "must_keep": draw(kept),
        "forbid": draw(few),
        "exempt": draw(st.lists(st.sampled_from(range(n)), unique=True, max_size=2)),
    }
    level = st.integers(1, n)
    levels = draw(st.lists(level, min_size=n, max_size=n)) if draw(st.booleans()) else [draw(st.integers(2, n))] * n
    return n, slices, directed, levels, draw(st.sampled_from([None, 1])), ask


@examples(150)
@given(demands(), st.integers(0, 3))
@example(
    (4, [PAW], False, [2] * 4, None, {"allow": "remove", "must_keep": [(1, 3), (0, 1)], "forbid": [], "exempt": []}), 0
)
def test_there_is_a_release_whenever_one_exists_and_a_proof_otherwise(demand, seed):
    n, slices, directed, levels, horizon, ask = demand
    graph = shoal.TemporalGraph.from_slices(dict(enumerate(slices)), nodes=range(n), directed=directed)
    if is_possible(n, slices, directed, levels, horizon, ask):
        release = shoal.anonymize(graph, levels, horizon=horizon, seed=seed, jobs=1, **ask)
        for t, old in enumerate(slices):
            new = {tuple(edge) for edge in release.graph.edges(t).tolist()}
            added, removed = new - set(old), set(old) - new
            assert not (added if ask["allow"] == "remove" else removed if ask["allow"] == "add" else set())
            assert not removed & set(ask["must_keep"])
            assert not added & set(ask["forbid"])
            assert not any(set(pair) & set(ask["exempt"]) for pair in added | removed)
    else:
        with pytest.raises(NoReleaseError, match="it is proven that there is no way") as refused:
            shoal.anonymize(graph, levels, horizon=horizon, seed=seed, jobs=1, **ask)
        assert refused.value.proven


def test_what_is_found_together_changes_the_fewest_edges():
    """Four people in a path and a star: of all releases, one with the fewest changes, weighted."""
    path, star = [(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]
    for slices, weight in itertools.product([[path], [star], [path, star]], [0.25, 1.0, 3.0]):
        edges = [np.array(pairs, dtype=np.int32) for pairs in slices]
        found, _ = small.search_together(edges, [SliceLimits()] * len(edges), np.full(4, 4), removal_weight=weight)
        cost = 0.0
        for old, new in zip(slices, found, strict=True):
            made = {tuple(edge) for edge in new.tolist()}
            cost += len(made - set(old)) + weight * len(set(old) - made)
        assert cost == sum(fewest(pairs, weight) for pairs in slices)


def fewest(old, weight):
    """Over all graphs of four people with one degree."""
    pairs = list(itertools.combinations(range(4), 2))
    costs = []
    for chosen in itertools.product([False, True], repeat=6):
        new = set(itertools.compress(pairs, chosen))
        if len({sum(i in pair for pair in new) for i in range(4)}) == 1:
            costs.append(len(new - set(old)) + weight * len(set(old) - new))
    return min(costs)


def paws(copies):
    """Copies of a graph that the stages refuse one after the other, and what has to stay in it."""
    edges = [(4 * c + u, 4 * c + v) for c in range(copies) for u, v in PAW]
    return edges, [(4 * c + u, 4 * c + v) for c in range(copies) for u, v in ((1, 3), (0, 1))]


def test_the_same_seed_gives_the_same_edges():
    edges, keep = paws(3)
    graph = shoal.TemporalGraph.from_slices({"a": edges})
    found = [shoal.anonymize(graph, 2, allow="remove", must_keep=keep, seed=1, jobs=jobs) for jobs in (1, 2)]
    assert found[0].graph.edges(0).tolist() == found[1].graph.edges(0).tolist()
    assert found[0].min_class_size >= 2


def refusal(graph, **ask):
    with pytest.raises(NoReleaseError) as refused:
        shoal.anonymize(graph, seed=1, **ask)
    return refused.value


def test_without_a_proof_none_is_claimed(monkeypatch):
    graph = shoal.TemporalGraph.from_slices({"a": [(0, 1), (0, 2), (0, 3)]})
    ask = {"k": 2, "allow": "remove", "must_keep": [(0, 2)]}
    in_vain = {"LARGEST": 5, "_Program._run": lambda self, work: (self.cp.UNKNOWN, None)}
    for name, value in in_vain.items():
        with monkeypatch.context() as patched:
            patched.setattr(f"shoal.rebuild.within.small.{name}", value)
            refused = refusal(graph, **ask)
            assert str(refused).endswith("there may be a way all the same")
            assert "cannot" not in str(refused)
            assert not refused.proven
    assert shoal.anonymize(graph, seed=1, **ask).min_class_size >= 2


def test_who_cannot_be_hidden_is_counted_at_any_size():
    """A hub who keeps more contacts than anybody else can have, in a graph too large for the search."""
    n = 300
    graph = shoal.TemporalGraph.from_slices({"a": [(0, i) for i in range(1, n)]})
    refused = refusal(graph, k=3, allow="remove", must_keep=[(0, i) for i in range(1, n)])
    assert refused.proven
    assert str(refused).startswith("'0' cannot be hidden: under these limits only 1 of all people")


@pytest.mark.parametrize("proven", [False, True])
def test_a_refusal_comes_back_from_another_process(proven):
    back = pickle.loads(pickle.dumps(NoReleaseError("no", proven=proven)))
    assert (back.why, back.proven) == ("no", proven)
    assert str(back).startswith("no; ")
