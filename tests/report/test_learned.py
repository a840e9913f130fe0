from __future__ import annotations

import json
import re

import pytest

import shoal
from shoal.report.learned import learned_chart, learned_in_public, learned_section, learned_table


@pytest.fixture(scope="module")
def found():
    graph = shoal.datasets.messenger(80, 6, seed=4)
    return shoal.audit(shoal.anonymize(graph, 3, seed=1).graph, k=3, original=graph, known=0.5)


@pytest.mark.compiled
def test_a_table_a_picture_and_a_section_for_the_holder(found):
    rows = learned_table(found)
    assert [len(row) for row in rows] == [3] * len(found.learned)
    assert learned_chart(found).startswith("<svg")
    section = learned_section(found)
    assert "<svg" in section
    assert all(f"<td>{row[2].replace(chr(39), '&#39;')}</td>" in section for row in rows)


@pytest.mark.compiled
def test_what_is_published_is_coarse(found):
    words = learned_in_public(found)
    assert len(words) == 4
    for sentence in words:
        assert "safe" not in sentence
        assert not re.findall(r"\d", re.sub("[14] in [520]+", "", sentence)), "a bin is all that is said"


def test_the_private_report_shows_what_is_learned_and_the_public_one_does_not(tmp_path):
    graph = shoal.datasets.messenger(60, 6, seed=2)
    release = shoal.anonymize(graph, 3, seed=1)
    release.save(tmp_path / "out", private_report=tmp_path / "mine")
    heading = "What attackers learn who hold more than numbers"
    assert heading in (tmp_path / "mine" / "report.html").read_text()
    [second] = json.loads((tmp_path / "mine" / "report.json").read_text())["learned"]
    assert second["name"] == "second-graph"
    assert 0 <= second["new_pairs"]["true"] <= 1
    assert heading not in (tmp_path / "out" / "report.html").read_text()
    assert "second-graph" not in (tmp_path / "out" / "report.json").read_text()
