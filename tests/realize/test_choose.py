import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.group import search_groups
from shoal.realize import SliceView, choose_degrees, cover_surplus, is_graphical
from shoal.realize.degrees import DegreeProgram
from tests import naive
from tests.strategies import grouped_slices
from tests.uncompiled import examples


def objective(edges, sizes, targets, deleted, weight=1.0):
    return (1 + weight) * deleted.sum() + (sizes * targets).sum() / 2


def feasible(edges, n, labels, targets, deleted):
    rest = np.bincount(edges[~deleted].ravel(), minlength=n)
    return bool((rest <= targets[labels]).all())


@examples(120)
@given(grouped_slices(), st.sampled_from([None, False, True]), st.sampled_from([0.5, 1.0, 4.0]))
def test_feasible_realizable_and_the_same_again(slice_, exact, weight):
    edges, n, labels, _ = slice_
    a, b = (
        choose_degrees(SliceView(edges, labels), removal_weight=weight, rng=np.random.default_rng(5), exact=exact)
        for _ in range(2)
    )
    assert feasible(edges, n, labels, *a[:2])
    assert is_graphical(a[0][labels])
    assert (a[0] == b[0]).all()
    assert (a[1] == b[1]).all()


@examples(60)
@given(grouped_slices(max_nodes=7))
def test_exact_meets_the_oracle_and_search_comes_near(slice_):
    edges, n, labels, sizes = slice_
    if len(edges) > 10:
        edges = edges[:10]
    if len(edges) == 0:
        return
    best = naive.degree_program(edges, n, labels, sizes)
    program = DegreeProgram(SliceView(edges, labels), 1.0)
    for exact in (True, False):
        answer = program.solve(np.random.default_rng(0), exact, 0)
        found = program.value(answer)
        closed = program.close(program.expand(answer), np.random.default_rng(0))
        assert best - 1e-9 <= objective(edges, sizes, *closed[:2])
        if exact:
            assert found == pytest.approx(best)
        assert best - 1e-9 <= found <= best + 2


@examples(100)
@given(grouped_slices(), st.integers(0, 1000))
def test_cover(slice_, seed):
    edges, n, _, _ = slice_
    target = np.random.default_rng(seed).integers(0, n, n)
    gone = cover_surplus(SliceView(edges, np.arange(n)), target, rng=np.random.default_rng(0))
    assert (np.bincount(edges[~gone].ravel(), minlength=n) <= target).all()


@pytest.mark.parametrize("k", [2, 5, 10])
def test_the_search_is_within_two_percent_of_exact_on_enron(real_data, k):
    graph = shoal.read(real_data("enron-jhu184/edges.csv.gz"), slice="1mo")
    labels = search_groups(graph.degree_matrix(), k, rng=np.random.default_rng(0))
    sizes = np.bincount(labels)
    totals = []
    for exact in (True, False):
        total = 0
        for _, e in list(graph)[::3]:
            found = choose_degrees(SliceView(e, labels), rng=np.random.default_rng(0), exact=exact)
            total += objective(e, sizes, *found[:2]) - len(e)
        totals.append(total)
    assert totals[0] <= totals[1] <= 1.02 * totals[0]


def test_prices_find_what_a_degree_must_cost_in_a_large_slice(monkeypatch):
    """As many edges as asked for, whether more or fewer than the cheapest, at about what the solver needs for it."""
    monkeypatch.setattr("shoal.realize.degrees.LARGE", 0)
    rng = np.random.default_rng(3)
    edges = np.unique(np.sort(rng.integers(0, 300, (400, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] < edges[:, 1]].astype(np.int32)
    labels = np.argsort(rng.permutation(300)) // 4
    view = SliceView(edges, labels)
    cheapest = int(choose_degrees(view, rng=rng, exact=True).targets @ view.sizes) // 2
    for more in (-25, 60):
        within = (cheapest + more - 2, cheapest + more + 2)
        search, solver = (
            choose_degrees(view, rng=np.random.default_rng(0), exact=e, edges=within) for e in (False, True)
        )
        for targets in (search.targets, solver.targets):
            assert within[0] <= int(targets @ view.sizes) // 2 <= within[1]
        costs = [objective(edges, view.sizes, *found[:2]) - len(edges) for found in (search, solver)]
        assert costs[0] <= 1.06 * costs[1]
