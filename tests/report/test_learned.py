from __future__ import annotations

import json

import pytest

import shoal
from shoal.published.coarse import bin_of
from shoal.report import Report
from shoal.report.learned import learned_chart, learned_section, learned_table

HEADING = "What attackers learn who hold more than numbers"


@pytest.fixture(scope="module")
def found():
    graph = shoal.datasets.messenger(80, 6, seed=4)
    return shoal.audit(shoal.anonymize(graph, 3, seed=1).graph, k=3, original=graph, known=0.5)


@pytest.mark.compiled
def test_a_table_a_picture_and_a_section_for_the_holder(found):
    rows = learned_table(found)
    assert [len(row) for row in rows] == [3] * len(found.learned)
    assert learned_chart(found["second-graph"]).startswith("<svg")
    section = learned_section(found)
    assert "<svg" in section
    assert all(f"<td>{row[2].replace(chr(39), '&#39;')}</td>" in section for row in rows)


def test_the_private_report_shows_what_is_learned_and_the_public_one_nothing_of_few(tmp_path):
    graph = shoal.datasets.messenger(60, 6, seed=2)
    release = shoal.anonymize(graph, 3, seed=1)
    release.save(tmp_path / "out", private_report=tmp_path / "mine")
    assert HEADING in (tmp_path / "mine" / "report.html").read_text()
    [second] = json.loads((tmp_path / "mine" / "report.json").read_text())["learned"]
    assert second["name"] == "second-graph"
    assert 0 <= second["new_pairs"]["true"] <= 1
    assert HEADING not in (tmp_path / "out" / "report.html").read_text()
    assert "learned" not in json.loads((tmp_path / "out" / "report.json").read_text())


@pytest.mark.compiled
def test_a_release_with_a_record_shows_what_is_learned_in_bins(tmp_path):
    graph = shoal.datasets.messenger(200, 8, seed=2)
    release = shoal.anonymize(graph, 5, seed=1, effort="fast")
    release.save(tmp_path / "with", private=tmp_path / "record.json")
    release.save(tmp_path / "without")
    told = json.loads((tmp_path / "with" / "report.json").read_text())["learned"]
    [second] = Report(release).learned.learned
    assert told["matched"] == bin_of(second["matched"])
    for kind in told.keys() - {"matched"}:
        assert told[kind] == {"true": bin_of(second[kind]["true"]), "without": bin_of(second[kind]["without"]["true"])}
    page = (tmp_path / "with" / "report.html").read_text()
    assert HEADING in page
    assert f"{second['matched']:.2%}" not in page
    assert HEADING not in (tmp_path / "without" / "report.html").read_text()
    assert shoal.verify(tmp_path / "with", 5)
