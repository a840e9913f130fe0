from __future__ import annotations

import json
import re

import pytest

import shoal
from shoal import TemporalGraph
from shoal.datasets import messenger

NASTY = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ids and layers that try to become part of the page."""
    events = [(f"{NASTY}{i % 17}", f"{NASTY}{i * 7 % 23}", f"{NASTY}{i % 4}") for i in range(160)]
    graph = TemporalGraph.from_edges(
        {"source": [e[0] for e in events], "target": [e[1] for e in events], "layer": [e[2] for e in events]},
        layer="layer",
    )
    folder = tmp_path_factory.mktemp("report") / "out"
    shoal.anonymize(graph, 3, seed=987654321).save(folder)
    return folder


def test_the_page_stands_alone_and_gives_nobody_away(folder):
    html = (folder / "report.html").read_text()
    assert not re.search(r"""(src|href)\s*=\s*["']?\s*(https?:|//)""", html)
    assert "@import" not in html
    assert "<script" not in html
    for secret in ("987654321", "seed", NASTY + "1<"):
        assert secret not in html
    assert "Everybody is hidden among at least" in html
    assert "NOT stopped" in html


def test_the_numbers_are_in_a_json_twin(folder):
    numbers = json.loads((folder / "report.json").read_text())
    assert numbers["after"]["attackers"][0]["below_k"] == 0
    assert len(numbers["comparison"]["slices"]) == 4
    assert "987654321" not in json.dumps(numbers)
    assert shoal.verify(folder)


def test_same_seed_same_report(tmp_path):
    graph = messenger(80, 5, seed=1)
    for name in "ab":
        shoal.anonymize(graph, 3, seed=1).save(tmp_path / name)
    for file in ("report.html", "report.json", "certificate.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


@pytest.mark.parametrize("k", [1, 6])
def test_degenerate_releases_have_a_page_too(tmp_path, k):
    graph = TemporalGraph.from_slices({"empty": [], "one": [(1, 2)]}, nodes=range(6))
    shoal.anonymize(graph, k, seed=0).save(tmp_path / "out")
    assert "k = 1" in (tmp_path / "out" / "report.html").read_text() or k > 1


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (1200, "dark"), (420, "light")])
def test_the_page_in_a_real_browser(browser, folder, tmp_path, width, scheme):
    browser.set_window_size(width, 1000)
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    browser.get(f"file://{folder / 'report.html'}")
    problems = [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not problems
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    assert len(browser.find_elements("css selector", "figure svg")) == 7
    assert all(svg.size["width"] > 200 for svg in browser.find_elements("css selector", "figure svg"))
    colours = browser.execute_script("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
    assert colours[0] != colours[1]
    browser.save_screenshot(str(tmp_path / f"report-{width}-{scheme}.png"))
