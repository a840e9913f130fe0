from __future__ import annotations

import csv
import dataclasses
import json
import subprocess
import sys
import time

import pytest

import shoal
from shoal import InputError
from shoal.datasets import messenger
from shoal.sweep import Cell, sweep
from shoal.sweep.wish import Wish, answer

GRAPHS = {"days": messenger(60, 6, seed=1), "one week": messenger(60, 1, seed=1)}


def test_every_setting_is_measured_and_one_is_suggested(tmp_path):
    found = sweep(GRAPHS, [2, 4, 100], folder=tmp_path, effort="fast")
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
    sweep(GRAPHS, [2, 4], folder=tmp_path, effort="fast")
    browser.get(f"file://{tmp_path / 'index.html'}")
    assert not [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert len(browser.find_elements("css selector", "figure svg")) == 9


def test_finished_cells_are_not_done_again(tmp_path, monkeypatch):
    first = sweep(GRAPHS, [2, 3], folder=tmp_path, effort="fast")
    table = (tmp_path / "sweep.csv").read_bytes()
    monkeypatch.setattr(sys.modules["shoal.sweep.cells"], "measure", lambda *_: pytest.fail("measured again"))
    assert sweep(GRAPHS, [2, 3], folder=tmp_path, effort="fast") == first
    assert (tmp_path / "sweep.csv").read_bytes() == table


def test_another_input_or_seed_is_another_cell(tmp_path):
    sweep({"days": GRAPHS["days"]}, [2], folder=tmp_path, effort="fast")
    sweep({"days": messenger(60, 6, seed=2)}, [2], folder=tmp_path, effort="fast")
    sweep({"days": GRAPHS["days"]}, [2], folder=tmp_path, seed=5, effort="fast")
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


def test_protections_are_put_side_by_side_with_what_is_learned_and_kept(tmp_path):
    found = sweep({"days": GRAPHS["days"]}, [2, 5], against=["numbers", "graph"], folder=tmp_path, effort="fast")
    assert [(c.against, c.k) for c in found.cells] == [("numbers", 2), ("numbers", 5), ("graph", 2), ("graph", 5)]
    for cell in found.cells:
        assert cell.known == "the contacts of the first 3 of 6 slices"
        assert cell.learned >= max(cell.new_pairs, cell.known_ties)
        assert cell.outbreak_error >= abs(cell.outbreak_50 - 1)
    assert found.suggestion.against == "graph"
    assert "against graph" in (tmp_path / "index.html").read_text()
    [one] = sweep({"one": GRAPHS["one week"]}, [2], effort="fast").cells
    assert one.known == "a random 50% of the contacts"
    assert one.outbreak_error is None
    assert sweep({"one": GRAPHS["one week"]}, [2], known=None, effort="fast").cells[0].learned is None


def _cell(k, learned, outbreak):
    return dataclasses.replace(CELL, k=k, new_pairs=learned, known_ties=-0.1, outbreak_20=1.0, outbreak_50=1 + outbreak)


CELL = Cell("1w", "graph", 2, 9, 3, 9, 1, 0.5, 0.5, 0.5, 1.0, 0.0, "", 0.0, 0.0, 1.0, 1.0, None, None, 0.1, {})


@pytest.mark.parametrize("learned", [0.0, 0.05, 0.2, 0.5])
@pytest.mark.parametrize("outbreak", [0.0, 0.1, 0.31, 0.5])
def test_the_largest_k_is_the_one_that_trying_all_finds(learned, outbreak):
    """Where less is learned and outbreaks are further off the larger k is."""
    cells = {k: _cell(k, 1 / k, k / 100) for k in range(2, 51)}
    wish, tried = Wish(learned, outbreak), []
    found = wish.best(lambda k: tried.append(k) or cells[k], list(cells))
    naive = [cell for cell in cells.values() if wish.holds(cell)]
    assert found == (naive[-1] if naive else None)
    assert len(set(tried)) <= 9
    if found is None:
        said = answer(wish, None, [cells[k] for k in dict.fromkeys(tried)])
        assert "too much" in said.words


def test_a_wish_is_fulfilled_or_refused_with_the_distance(tmp_path):
    both = {"week": GRAPHS["one week"].subgraph(GRAPHS["one week"].nodes), "days": GRAPHS["days"]}
    found = sweep(
        {"days": both["days"]}, against=["numbers", "graph"], outbreak_within=0.5, folder=tmp_path, effort="fast"
    )
    assert found.wish.cell == found.suggestion
    assert found.wish.cell.outbreak_error <= 0.5
    assert found.wish.tried == len(found.cells) < 20
    never = sweep({"days": both["days"]}, [2, 4], at_most_learned=0.0, outbreak_within=0.0, effort="fast")
    assert never.wish.cell is None
    assert "too much" in never.wish.words
    with pytest.raises(InputError, match="order in time"):
        sweep({"one": both["week"]}, [2], outbreak_within=0.1, effort="fast")
    with pytest.raises(InputError, match="two questions"):
        sweep({"days": both["days"]}, [2], outbreak_within=0.1, budget=0.1)
