"""Figures typed into the prose are those of the tables and outputs they speak of."""

from __future__ import annotations

import json
import re

import pytest

import shoal
from tests.docs.pages import ROOT

DOCS, RESULTS = ROOT / "docs", (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")


def page(name: str) -> str:
    """A page as one line of words, so that it does not matter where its lines end."""
    return re.sub(r"\s+", " ", (DOCS / name).read_text(encoding="utf-8"))


def rows(text: str) -> list[list[str]]:
    """The cells of every line of every table."""
    return [
        [cell.strip() for cell in line.strip()[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")
    ]


def number(cell: str) -> float:
    return float(re.sub("[^0-9.]", "", cell))


def results(title: str) -> list[list[str]]:
    """The rows of a table of benchmarks/RESULTS.md."""
    return rows(RESULTS.split(f"## {title}\n")[1].split("\n## ")[0])[2:]


def test_compare_speaks_of_its_tables():
    text = (DOCS / "compare.md").read_text(encoding="utf-8")
    groups = rows(text.split("<!-- rows -->")[1].split("<!-- /rows -->")[0])
    fast, mdav = ([number(row[1]) for row in groups if name in row[0]] for name in ("fast", "MDAV"))
    more = [f"{100 * (m / f - 1):.0f}" for f, m in zip(fast, mdav, strict=True)]
    assert f"costs {more[0]} and {more[1]} % more" in page("compare.md")
    cost = {row[1]: row[2] for row in results("Grouping of random vectors") if row[0] == "5"}
    said = f"it is {cost['search']} with shoal, {cost['k-means-constrained']} with k-means-constrained (one start) and"
    assert f"{said} {cost['MDAV']} with MDAV" in page("compare.md")


def test_dblp_speaks_of_the_table_of_sizes():
    took = [(row[0], float(row[7])) for row in results("Size")]
    dblp, higgs = ([s for name, s in took if name.startswith(which)] for which in ("DBLP", "Higgs"))
    assert f"took {dblp[0]:.0f} to {dblp[1]:.0f} seconds" in page("gallery/dblp.md")
    assert max(higgs) <= 30, "half a minute, says the page"


def test_the_readme_speaks_of_the_measurements():
    """About half as many edges at k = 2, a third fewer at k = 5, half a minute for 100,000 people."""
    changed = {tuple(row[:3]): number(row[3]) for row in results("Whole releases")}
    for set_ in ("Enron months", "Irvine weeks"):
        shares = [changed[set_, k, "search balanced"] / changed[set_, k, "greedy"] for k in ("2", "5")]
        assert shares[0] == pytest.approx(1 / 2, abs=0.05)
        assert shares[1] == pytest.approx(2 / 3, abs=0.1)
    took = [float(row[7]) for row in results("Size") if row[0] == "messenger 10^5"]
    assert 20 < min(took) <= max(took) < 40


def test_the_table_of_attackers_is_what_the_commands_print():
    text = (DOCS / "protects.md").read_text(encoding="utf-8")
    line = r"([\d,]+)(?: ± \d+)? +[\d,]+ +\d+ +([\d.]+)%"
    before, after = (set(re.findall(line, part)) for part in text.split("<details>")[1].split("$ shoal audit")[1:])
    table = rows(text.split("## Attackers, measured")[1].split("<details>")[0])[2:]
    assert len(table) == 10
    for cells in table:
        for finds, right, printed in ((*cells[1:3], before), (*cells[3:5], after)):
            assert not finds or (finds, right.removesuffix(" %")) in printed, cells


def test_who_learns_what_speaks_of_its_table():
    text = (DOCS / "protects.md").read_text(encoding="utf-8")
    table = {row[1]: row[2:] for row in rows(text.split("<!-- learned -->")[1].split("<!-- /learned -->")[0])}
    [struck] = [cells for what, cells in table.items() if "struck out" in what]
    with_, without = re.findall(r"\d+ %", struck[3])
    assert f"is then right in {with_} and not in {without}." in page("protects.md")


def test_the_table_of_choosing_is_what_the_sweep_prints():
    text = (DOCS / "choosing.md").read_text(encoding="utf-8")
    printed = re.findall(r"k = (\d+) +(\d+)% of [\d,]+ edges kept, a guess is right with ([\d.]+)%", text)
    assert [(row[1], row[2].split()[0], row[5].split()[0]) for row in rows(text)[2:]] == printed


def test_fields_of_a_certificate_are_explained(tmp_path):
    graph = shoal.TemporalGraph.from_slices({"mon": [(1, 2), (3, 4)]})
    shoal.anonymize(graph, 2, seed=1).save(tmp_path / "release", report=False)
    fields = json.loads((tmp_path / "release" / "certificate.json").read_text(encoding="utf-8"))
    explained = page("release.md")
    for name, value in fields.items():
        inner = [] if name in ("people_by_k", "sha256") or not isinstance(value, dict) else list(value)
        assert f"`{name}`" in explained or (inner and all(f".{field}`" in explained for field in inner)), name


def test_one_version_everywhere():
    for text in ((ROOT / "CITATION.cff").read_text(encoding="utf-8"), page("cite.md")):
        assert re.search(rf"version(: | = {{){re.escape(shoal.__version__)}\b", text)
