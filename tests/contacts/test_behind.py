"""The contacts behind edges: kept where asked for, through every change of the graph, and written as they were read."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.contacts.behind import Clock

ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(3_000, 300_000)), min_size=1, max_size=30)


def graph_of(rows, **options):
    frame = dict(zip(("source", "target", "time"), map(list, zip(*rows, strict=True)), strict=True))
    return TemporalGraph.from_edges(frame, time="time", slice="1d", nodes=range(6), contacts="times", **options)


def listed(graph):
    """Every contact as (one, other, slice, time), by a loop over the edges."""
    found, at = [], 0
    for i, (u, v) in enumerate(graph._edges.tolist()):
        for _ in range(graph.contacts.counts[i]):
            part = graph.slices[graph.slice_codes()[i]].label
            found.append((graph.nodes[u], graph.nodes[v], part, int(graph.contacts.times[at]) // 1_000_000))
            at += 1
    assert at == len(graph.contacts.times)
    return found


@given(ROWS, st.booleans())
def test_every_contact_is_behind_the_edge_it_became(rows, directed):
    graph = graph_of(rows, directed=directed)
    days = sorted({t // 86_400 for *_, t in rows})
    expected = [(*((u, v) if directed else sorted((u, v))), f"day {t // 86_400 + 1}", t) for u, v, t in rows if u != v]
    assert sorted(listed(graph)) == sorted(expected)
    assert (graph.contacts.counts >= 1).all()
    assert graph.contacts.clock.spans[0].tolist() == [days[0] * 86_400_000_000, (days[0] + 1) * 86_400_000_000]


@settings(max_examples=40)
@given(ROWS, st.permutations(range(6)), st.sets(st.integers(0, 5), min_size=1))
def test_contacts_come_along(rows, order, some):
    graph = graph_of(rows)
    names = [f"p{i}" for i in order]
    renamed = graph.renamed(pl.Series(names))
    assert Counter(listed(renamed)) == Counter(
        (*sorted((names[u], names[v])), part, t) for u, v, part, t in listed(graph)
    )
    fewer = graph.subgraph(sorted(some))
    assert Counter(listed(fewer)) == Counter(row for row in listed(graph) if {row[0], row[1]} <= some)
    last = graph.slices[-1].label
    assert Counter(listed(graph.between(last))) == Counter(row for row in listed(graph) if row[2] == last)
    assert graph.subgraph(sorted(some)).strength_matrix().sum() == 2 * len(listed(fewer))


def test_a_line_may_stand_for_many_contacts():
    frame = {"source": [1, 2, 1], "target": [2, 1, 3], "n": ["3", " 4 ", "2.0"]}
    graph = TemporalGraph.from_edges(frame, count="n")
    assert graph.contacts.counts.tolist() == [7, 2]
    assert graph.strength_matrix().ravel().tolist() == [9, 7, 2]
    directed = TemporalGraph.from_edges(frame, count="n", directed=True)
    assert directed.strength_matrix().tolist() == [[4, 5], [3, 4], [2, 0]]


@pytest.mark.parametrize("bad", ["0", "-1", "1.5", "", "many", None, "1e12"])
def test_a_bad_count_is_named_with_its_line(tmp_path, bad):
    (tmp_path / "in.csv").write_text(f"source,target,n\n1,2,3\n2,3,{'' if bad is None else bad}\n")
    with pytest.raises(InputError, match=r"line 3, column 'n': a count is a whole number from 1"):
        shoal.read(tmp_path / "in.csv", count="n")


def test_what_has_no_times_is_refused(tmp_path):
    frame = {"source": [1, 2], "target": [2, 3], "time": [0, 90_000], "n": [1, 2], "until": [5, 90_005]}
    for options, match in (
        ({"slices": 2}, "slices of a width"),
        ({"slice": "value"}, "slices of a width"),
        ({"slice": "1d", "count": "n"}, "whose times it does not tell"),
        ({"slice": "1d", "end": "until"}, "no single time"),
    ):
        with pytest.raises(InputError, match=match):
            TemporalGraph.from_edges(frame, time="time", contacts="times", **options)
        assert TemporalGraph.from_edges(frame, time="time", contacts="counts", **options).contacts.times is None
    with pytest.raises(InputError, match="have no times"):
        TemporalGraph.from_edges(frame, contacts="times")
    with pytest.raises(InputError, match="contacts"):
        TemporalGraph.from_edges(frame, contacts="some")
    (tmp_path / "in.csv").write_text("source,target\n1,2\n")
    with pytest.raises(InputError, match=r"no column 'n'.*--count"):
        shoal.read(tmp_path / "in.csv", count="n")


@pytest.mark.parametrize(
    ("times", "options", "first", "since"),
    [
        (["1600000000", "1600090000"], {}, "1600000000", "1599955200"),
        (["1600000000000", "1600090000500"], {"time_unit": "ms"}, "1600000000000", "1599955200000"),
        (["1600000000.5", "1600090000.25"], {}, "1600000000.5", "1599955200"),
        (["5", "90000"], {}, "5", "0"),
        (["5", "90000"], {"origin": "2024-05-01"}, "5", "0"),
        (["2024-05-01", "2024-05-02"], {}, "2024-05-01", "2024-05-01"),
        (["2024-05-01T08:30", "2024-05-02T09:00"], {}, "2024-05-01T08:30", "2024-05-01"),
        (["2024-05-01 08:30:01", "2024-05-02 09:00:00"], {}, "2024-05-01T08:30:01", "2024-05-01"),
        (
            ["2024-05-01T08:30:00+02:00", "2024-05-02T09:00:00Z"], {"timezone": "Europe/Zurich"}, "2024-05-01T08:30+02:00",
            "2024-05-01T00:00+02:00",
        ),
        (["24.12.2024 10:00", "25.12.2024 11:00"], {}, "2024-12-24T10:00", "2024-12-24"),
    ],
)  # fmt: skip
def test_times_are_written_as_they_were_read(tmp_path, times, options, first, since):
    rows = "".join(f"{u},{v},{t}\n" for t in times for u, v in ((1, 2), (3, 4)))
    (tmp_path / "in.csv").write_text("source,target,time\n" + rows)
    graph = shoal.read(tmp_path / "in.csv", slice="1d", contacts="times", **options)
    clock: Clock = graph.contacts.clock
    written = clock.form.written(graph.contacts.times, clock.timezone).to_list()
    assert str(written[0]) == first
    assert str(clock.form.written(clock.spans[:, 0], clock.timezone)[0]) == since
    for form in ("csv", "parquet"):
        release = shoal.anonymize(graph, 2, seed=1, contacts="times")
        release.save(tmp_path / form, report=False, format=form)
        assert shoal.verify(tmp_path / form)
        assert release.graph.contacts.counts.sum() == 4
    assert np.array_equal(release.graph.contacts.times % clock.step, np.full(4, clock.base))
