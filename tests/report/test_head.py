"""What a board reads first: what was released, by whom and when, and in which words."""

from __future__ import annotations

import io
import json
import re
import unicodedata

import pytest
from pypdf import PdfReader

import shoal
from shoal import InputError, TemporalGraph
from shoal.datasets import messenger
from shoal.measure import compare
from shoal.published.about import make_about
from shoal.published.coarse import floor_grid
from shoal.report.summary import QUESTIONS
from shoal.slicing import Slicing
from tests.command import shoal as command


@pytest.fixture(scope="module")
def secret_name(tmp_path_factory):
    """A file whose name and columns are nobody's business."""
    file = tmp_path_factory.mktemp("in") / "ward-7-patients.csv"
    table = messenger(60, 20, seed=2).to_polars()
    lines = [f"{u},{v},2024-0{1 + int(str(s)[-2:]) % 3}-1{int(str(s)[-2:]) % 7},x" for u, v, s in table.iter_rows()]
    file.write_text("\n".join(["source,target,time,hiv", *lines, *lines[:137], "a,a,2024-01-11,x"]) + "\n")
    return file


@pytest.fixture(scope="module")
def made(secret_name, tmp_path_factory):
    place = tmp_path_factory.mktemp("out")
    graph = shoal.read(secret_name, slice="1w", timezone="Europe/Zurich")
    release = shoal.anonymize(graph, 4, seed=1, effort="fast")
    release.save(place / "out", private_report=place / "mine", source=secret_name)
    return release, place


def test_lines_and_edges_are_told_coarsely_in_public_and_exactly_in_private(made):
    release, place = made
    tally = release.original.tally
    assert tally.self_loops == 1
    told, exact = (json.loads((place / name / "report.json").read_text())["about"] for name in ("out", "mine"))
    assert exact["lines"] == {
        "read": tally.rows, "edges": release.edges.original, "merged": tally.repeats, "loops": 1
    }  # fmt: skip
    assert told["lines"] == {name: floor_grid(count) for name, count in exact["lines"].items()}
    assert f"{tally.rows:,} lines, which became {release.edges.original:,} edges" in exact["facts"]["contacts read"]
    assert told["facts"]["contacts read"].startswith(f"at least {floor_grid(tally.rows):,} lines")
    for facts in (told["facts"], exact["facts"]):
        assert facts["slices"] == f"{release.graph.n_slices}, of 1 week in the calendar of Europe/Zurich"
        assert facts["period"].startswith("from the slice 2024-0")
        assert facts["edges"].startswith("without a direction")
        assert facts["ids"].startswith("pseudonyms")


def test_the_name_of_the_file_is_in_the_private_report_only(made, secret_name):
    _, place = made
    assert "<h1>ward-7-patients.csv</h1>" in (place / "mine" / "report.html").read_text()
    for file in (place / "out").iterdir():
        assert "ward-7" not in file.read_text()
        assert "hiv" not in file.read_text()


def test_a_title_a_name_and_a_date_are_there_where_they_are_given(made, tmp_path):
    release, place = made
    about = {"title": "Ward <7>", "by": "E. Noether", "date": "2026-03-01"}
    for name in "ab":
        release.save(tmp_path / name, **about)
    html = (tmp_path / "a" / "report.html").read_text()
    assert "<h1>Ward &lt;7&gt;</h1>" in html
    assert "E. Noether" in html
    assert "2026-03-01" in html
    assert {f.name: f.read_bytes() for f in (tmp_path / "a").iterdir()} == {
        f.name: f.read_bytes() for f in (tmp_path / "b").iterdir()
    }
    assert "date</th><td>" not in (place / "out" / "report.html").read_text()
    assert make_about(date="today").date > "2026-01-01"


@pytest.mark.parametrize(
    "wrong", [{"title": "two\nlines"}, {"by": " "}, {"title": 7}, {"by": "x" * 201}, {"date": "1.3.26"}]
)
def test_what_cannot_stand_there_is_refused_before_anything_is_written(made, tmp_path, wrong):
    with pytest.raises(InputError):
        made[0].save(tmp_path / "out", **wrong)
    assert not list(tmp_path.iterdir())


def test_original_ids_are_named(made, tmp_path):
    made[0].save(tmp_path / "out", keep_ids=True)
    assert "<strong>ORIGINAL ids.</strong>" in (tmp_path / "out" / "report.html").read_text()
    assert "ORIGINAL" not in (made[1] / "out" / "report.html").read_text()


def test_the_tile_of_nobody_does_not_stand_alone(made):
    _, place = made
    after = json.loads((place / "out" / "report.json").read_text())["after"]["attackers"]
    most = max((e for e in after if not e["covered"]), key=lambda e: e["unique"])
    html = (place / "out" / "report.html").read_text()
    assert re.search(rf'<b class="no">{most["unique"]}</b><span>can be now by whoever {most["description"]}', html)
    assert "from whoever knows their numbers of edges" in html
    assert "may even find more people" in html
    assert "STRONGER" not in html  # how it was before is not for everybody to know


def test_tables_have_heads_and_measures_are_explained_in_text(made):
    for name in ("out", "mine"):
        html = (made[1] / name / "report.html").read_text()
        assert html.count("<main>") == html.count('<div class="sign">') == 1
        assert "<th title=" not in html
        assert html.count("<thead><tr><th scope=") == (4 if name == "mine" else 3)  # what is learned is private
        assert not re.findall(r"<th>", html)
        assert "<small>Whether the same people are important" in html
        assert "a line of the file that was read" in html


def test_counts_do_not_stand_under_agreement_and_empty_slices_are_not_alike():
    graph = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)], "tue": [], "wed": [(1, 3)]})
    found = compare(graph, graph, communities=False)
    cells = {title: cells for title, _, cells in found.lines()}
    assert cells["edges kept"] == ["", "3", ""]
    assert cells["edges removed"] == ["0", "", ""]
    assert cells["share of edges kept"] == ["", "", "1.000"]
    assert found.slices["pagerank_similarity"].to_list() == [1.0, None, 1.0]
    assert found.overall["pagerank_similarity"] == 1.0


def test_axes_show_dates(made):
    release, place = made
    first, last = release.graph.slices[0].label, release.graph.slices[-1].label
    charts = re.findall(r"<svg.*?</svg>", (place / "mine" / "report.html").read_text(), re.S)
    dated = [svg for svg in charts if f">{first}<" in svg and f">{last}<" in svg]
    assert len(dated) == 3  # edges, PageRank similarity, and outbreaks


@pytest.mark.parametrize(
    ("slicing", "words"),
    [
        (Slicing("2d"), "of 2 days in the calendar of UTC"),
        (Slicing(slices=7), "of equal length"),
        (Slicing("value"), "one for each distinct time"),
        (Slicing(["1", "2"]), "as listed"),
    ],
)
def test_how_time_was_cut_in_words(slicing, words):
    assert slicing.in_words() == words


def test_the_commands_take_a_head(secret_name, tmp_path):
    head = ("--title", "Ward", "--by", "E. Noether", "--date", "2026-03-01")
    done = command("anonymize", secret_name, "-k", 2, "--slice", "1mo", "-o", tmp_path / "out", *head)
    assert done.returncode == 0, done.stderr
    facts = json.loads((tmp_path / "out" / "report.json").read_text())["about"]
    assert (facts["title"], facts["facts"]["made by"], facts["facts"]["date"]) == ("Ward", "E. Noether", "2026-03-01")
    refused = command("anonymize", secret_name, "-k", 2, "--slice", "1mo", "-o", tmp_path / "no", "--date", "now")
    assert refused.returncode == 2
    assert "a date is written as" in refused.stderr


def test_it_prints_on_a4_with_charts_and_tables_whole(browser, made):
    import base64

    place = made[1] / "mine" / "report.html"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        browser.get(f"file://{place}")
        whole = "return [...document.querySelectorAll('figure, table')].every(e => getComputedStyle(e).breakInside == 'avoid')"
        assert browser.execute_script(whole)
        one_page = (297 - 2 * 16) / 25.4 * 96
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": round((210 - 2 * 17) / 25.4 * 96), "height": 1000, "deviceScaleFactor": 1, "mobile": False},
        )
        assert browser.execute_script("return document.querySelector('.first').offsetHeight") < one_page
        rows = browser.execute_script("return [...document.querySelectorAll('tr')].map(row => row.innerText)")
        pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    pages = PdfReader(io.BytesIO(pdf)).pages
    assert 4 <= len(pages) <= 12
    assert {tuple(round(float(side) / 72 * 25.4) for side in page.mediabox[2:]) for page in pages} == {(210, 297)}
    printed = [
        re.sub(r"\s", "", unicodedata.normalize("NFKC", page.extract_text())) for page in pages
    ]  # fi is one letter
    cut = [row for row in rows if not any(stands_in(page, row) for page in printed)]
    assert not cut  # a row stands whole on one page
    for title in (
        "What is in it",
        "What was promised",
        "Who would learn what",
        "What it may be used for, and what not",
    ):
        assert stands_in(printed[0], title)
    assert any(stands_in(page, "Data sheet") for page in printed[-2:])


def stands_in(page: str, text: str) -> bool:
    """Whether every word is on the page, wherever its lines and columns break."""
    return all(word in page for word in re.findall(r"\w+", text))


def test_the_first_page_says_what_it_is_for_and_the_last_how_to_cite_it(made):
    release, place = made
    told, exact = (json.loads((place / name / "report.json").read_text()) for name in ("out", "mine"))
    for numbers in (told, exact):
        assert numbers["card"]["structure"]["nodes"].startswith(f"{release.graph.n_nodes:,}")
        assert "undirected, unweighted, temporal" in numbers["card"]["overall"]["kind"]
        assert numbers["card"]["meta-information"]["licence and access"] == ""  # for the publisher
        assert "Rossi, Musolesi and Torsello (2015)" in numbers["methods"]
        assert f"k = {release.k}" in numbers["methods"]
        assert any("particular people" in one for one in numbers["uses"]["not_for"])
        assert numbers["who_learns"][0][1] == f"is left with at least {release.min_class_size} candidates"
        assert numbers["who_learns"][-1][0].startswith("holds contacts with names")
    asked = [question for name in ("close", "rough", "far", "untold") for question in exact["uses"][name]]
    assert sorted(asked) == sorted(QUESTIONS.values())
    assert "how far outbreaks get" in told["uses"]["untold"]  # that would tell something about the original


def test_against_a_graph_pairs_are_not_to_be_analysed(tmp_path):
    graph = messenger(60, 6, seed=1)
    shoal.anonymize(graph, 3, against="graph", seed=1, effort="fast").save(tmp_path / "out")
    html = (tmp_path / "out" / "report.html").read_text()
    assert "contacts of particular pairs: ends of edges changed hands" in html
    assert "changed hands inside groups by random permutations" in html
    assert "of the original edges" not in html
