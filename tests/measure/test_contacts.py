"""Distances and shares of contacts, against a count of all values and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.measure.contacts import burstiness, compare_contacts, distance
from tests.draw.test_draw import made

VALUES = st.lists(st.integers(0, 20), min_size=1, max_size=20).map(np.array)


@given(VALUES, VALUES)
def test_the_distance_is_that_of_kolmogorov_and_smirnov(one, other):
    shares = [abs((one <= x).mean() - (other <= x).mean()) for x in range(21)]
    assert distance(one, other) == pytest.approx(max(shares))


def test_a_graph_is_like_itself():
    graph = made()
    found = compare_contacts(graph, graph)
    assert found["counts_distance"] == found["gaps_distance"] == found["times_of_day_distance"] == 0
    assert found["strong_ties"] == 1
    assert found["slices_with_other_totals"] == 0


def test_by_hand():
    rows = {"source": [1, 1, 3, 3], "target": [2, 2, 4, 4], "n": [1, 2, 1, 1]}
    one = TemporalGraph.from_edges(rows, count="n")
    two = TemporalGraph.from_edges(rows | {"n": [1, 1, 3, 3]}, count="n")
    assert compare_contacts(one, two) == {"slices_with_other_totals": 1, "counts_distance": 0.5, "strong_ties": 0.0}
    assert burstiness(np.array([5, 5, 5])) == -1
    assert burstiness(np.array([])) is None
    with pytest.raises(InputError, match="keep the contacts"):
        compare_contacts(one, shoal.TemporalGraph.from_slices({"all": [(1, 2), (3, 4)]}))
