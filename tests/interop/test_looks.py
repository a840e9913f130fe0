"""What results look like in a terminal and in a notebook; what comes from files cannot do anything there."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import polars as pl
import pytest

import shoal
from shoal import TemporalGraph
from shoal.audit._released import Check
from shoal.audit.findings import Audit, Exposure
from shoal.audit.verify import Verdict
from shoal.measure.comparison import Comparison
from shoal.show import notebook

EVIL = "<script>alert(1)</script>"
_TAGS = {"p", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "strong"}


class Tags(HTMLParser):
    """Which tags and attributes there are, and whether they are closed again."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.attributes = [], set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def release():
    slices = {EVIL: [(f"{EVIL}{i}", f"{EVIL}{i * 3 % 8}") for i in range(8)], '" onload="x': [(f"{EVIL}1", f"{EVIL}2")]}
    return shoal.anonymize(TemporalGraph.from_slices(slices), 2, seed=1, effort="fast")


def exposure(**facts):
    usual = {"name": EVIL, "description": EVIL, "unique": 1, "below_k": 2, "smallest_crowd": 1}
    return Exposure(**{**usual, "expected_success": 0.5, "covered": True, **facts})


def results(release):
    attribution = ({"kind": "slice", "without": EVIL, "unique": 3},)
    yield release
    yield release.graph
    yield Audit(8, 5, (exposure(), exposure(sampled=True, band=2.0)), attribution, {5: 8})
    yield Audit(8, 5, (), (), {5: 8})
    yield Comparison(8, False, pl.DataFrame({"label": [EVIL], EVIL: [0.5]}), {"edges_kept": 3})
    yield Verdict(EVIL, 2, None, (Check(EVIL, False, EVIL), Check("fine", True, "all of it")))


def test_everything_is_escaped_plain_and_in_the_colours_of_the_page(release):
    for result in results(release):
        html = result._repr_html_()
        tags = Tags(html)
        assert tags.open == []
        assert tags.seen <= _TAGS
        assert tags.attributes <= {"style", "colspan"}
        assert not re.search(r"https?:|url\(|color|background", html)
        assert "<script" not in html
        assert html.count("<td") > 0 or isinstance(result, Audit)


def test_a_terminal_shows_the_same_in_plain_lines(release):
    assert repr(release).startswith("Release(k=2, method='search', 8 people in ")
    lines = repr(Audit(1200, 5, (exposure(name="vector", sampled=True, band=3.2),), (), {5: 1200})).splitlines()
    assert lines == [
        "Audit(1 of 1,200 people can be singled out by their vector)",
        "        finds  below 5  smallest crowd  guesses right",
        "vector  1 ± 3        2               1          50.0%",
    ]
    good, bad = Check("hashes", True, "4 files"), Check("crowds", False, "1 person stands alone")
    assert repr(Verdict("out", 3, 1, (good, bad))).splitlines() == [
        "Verdict(out does NOT hold at k = 3, smallest crowd 1)",
        "  ok  hashes: 4 files",
        "  BAD crowds: 1 person stands alone",
    ]


def test_a_release_shows_counts_and_nobody(release):
    html = release._repr_html_()
    assert "smallest crowd" in html
    assert not any(f"{notebook.escape(str(name))}<" in html for name in release.graph.nodes)


def test_long_tables_are_cut():
    html = notebook.table(["slice", "edges"], [(f"day {i}", i) for i in range(1000)])
    assert html.count("<tr>") == notebook.MOST_ROWS + 2
    assert "and 800 more" in html
