from __future__ import annotations

import csv
import json
import subprocess
import sys
import time

import pytest

import shoal
from shoal import InputError
from shoal.datasets import messenger
from shoal.sweep import sweep

GRAPHS = {"days": messenger(60, 6, seed=1), "one week": messenger(60, 1, seed=1)}


def test_every_setting_is_measured_and_one_is_suggested(tmp_path):
    found = sweep(GRAPHS, [2, 4, 100], folder=tmp_path)
    assert [(c.slice, c.k) for c in found.cells] == [("days", 2), ("days", 4), ("one week", 2), ("one week", 4)]
    for cell in found.cells:
        assert cell.success_after <= 1 / cell.k
        assert 0 <= cell.kept_share <= 1
    assert found.suggestion in found.cells
    rows = list(csv.DictReader((tmp_path / "sweep.csv").read_text().splitlines()))
    assert len(rows) == 4
    assert "seconds" not in rows[0]
    assert 0 < float(rows[0]["outbreak_si_50_agreement"]) <= 1
    assert rows[-1]["reach_agreement"] == ""  # one slice
    assert json.loads((tmp_path / "sweep.json").read_text())["suggestion"]["k"] == found.suggestion.k
    page = (tmp_path / "index.html").read_text()
    assert "What k buys" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")


def test_the_page_in_a_real_browser(browser, tmp_path):
    sweep(GRAPHS, [2, 4], folder=tmp_path)
    browser.get(f"file://{tmp_path / 'index.html'}")
    assert not [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert len(browser.find_elements("css selector", "figure svg")) == 7


def test_finished_cells_are_not_done_again(tmp_path, monkeypatch):
    first = sweep(GRAPHS, [2, 3], folder=tmp_path)
    table = (tmp_path / "sweep.csv").read_bytes()
    monkeypatch.setattr(sys.modules["shoal.sweep"], "_measure", lambda *_: pytest.fail("measured again"))
    assert sweep(GRAPHS, [2, 3], folder=tmp_path) == first
    assert (tmp_path / "sweep.csv").read_bytes() == table


def test_another_input_or_seed_is_another_cell(tmp_path):
    sweep({"days": GRAPHS["days"]}, [2], folder=tmp_path)
    sweep({"days": messenger(60, 6, seed=2)}, [2], folder=tmp_path)
    sweep({"days": GRAPHS["days"]}, [2], folder=tmp_path, seed=5)
    assert len(list((tmp_path / "cells").iterdir())) == 3


def test_a_sweep_killed_in_the_middle_goes_on_and_gives_the_same_bytes(tmp_path):
    code = (
        "import sys; from shoal.datasets import messenger; from shoal.sweep import sweep\n"
        "sweep({'days': messenger(150, 6, seed=1), 'two': messenger(150, 2, seed=1)}, [2, 4, 6], folder=sys.argv[1])"
    )
    command = [sys.executable, "-c", code]
    subprocess.run([*command, tmp_path / "whole"], check=True)
    process = subprocess.Popen([*command, tmp_path / "cut"])
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "cut").glob("cells/*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    process.wait()
    before = {f.name: f.stat().st_mtime_ns for f in (tmp_path / "cut" / "cells").glob("*.json")}
    subprocess.run([*command, tmp_path / "cut"], check=True)
    after = {f.name: f.stat().st_mtime_ns for f in (tmp_path / "cut" / "cells").glob("*.json")}
    assert 3 <= len(before) <= 6
    assert all(after[name] == stamp for name, stamp in before.items())
    assert (tmp_path / "cut" / "sweep.csv").read_bytes() == (tmp_path / "whole" / "sweep.csv").read_bytes()


def test_a_budget_finds_the_largest_k_within_it():
    found = sweep({"days": GRAPHS["days"]}, [2], budget=0.35)
    best = found.within_budget[0]
    assert best["changed_share"] <= 0.35
    for k in (best["k"], best["k"] + 1):
        share = shoal.anonymize(GRAPHS["days"], k, seed=0).edges.changed / GRAPHS["days"].n_edges
        assert (share <= 0.35) == (k == best["k"])
    assert sweep({"days": GRAPHS["days"]}, [2], budget=50).within_budget[0]["k"] == 60


@pytest.mark.parametrize(
    ("graphs", "ks", "options"),
    [({}, [2], {}), (GRAPHS, [], {}), (GRAPHS, [0], {}), (GRAPHS, [2], {"budget": 0.0}), (GRAPHS, [99], {})],
)
def test_bad_sweeps_are_refused(graphs, ks, options):
    with pytest.raises(InputError):
        sweep(graphs, ks, **options)
