from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest

from shoal import InputError
from shoal.files.kept import Kept
from shoal.measure.temporal import adjacency_correlation
from shoal.paper import Plan, reproduce
from shoal.paper.claims import FAILS, HOLDS, PARTLY, UNKNOWN, check
from shoal.paper.plan import Cell, Experiments
from shoal.paper.run import run_cells
from shoal.paper.sets import flickering
from shoal.paper.tasks import realizing

TINY = Plan(2, (2,), (2,), 100, 40, 60, 1, 60.0)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder laid out like a user's, with small made-up sets under the real names; MIT is not there."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    for name, people, days in (("enron-jhu184", 30, 45), ("uci-collegemsg", 40, 30)):
        (folder / name).mkdir()
        pairs = rng.integers(0, people, (600, 2))
        times = 10**9 + rng.integers(0, 86_400 * days, 600)
        lines = [f"{u},{v},{t}" for (u, v), t in zip(pairs, times, strict=True)]
        with gzip.open(folder / name / "edges.csv.gz", "wt") as file:
            file.write("source,target,time\n" + "\n".join(lines) + "\n")
    return folder


def test_the_whole_page_on_small_sets(data, tmp_path, browser):
    claims, missing = reproduce(tmp_path, data, plan=TINY)
    assert missing == ["MIT"]
    assert {claim.verdict for claim in claims} <= {HOLDS, PARTLY, FAILS, UNKNOWN}
    names = ("figure3", "figure4a", "figure4b", "figure4c", "figure5")
    for name in names:
        assert (tmp_path / "figures" / f"{name}.svg").read_text().startswith("<svg")
        assert (tmp_path / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "index.md").read_text()
    assert all(f"figures/{name}.svg" in text for name in names)
    assert "Not at hand, and so not measured: MIT" in text
    assert json.loads((tmp_path / "results.json").read_text())["claims"][0]["verdict"] == FAILS
    browser.get(f"file://{tmp_path / 'index.html'}")
    assert not [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert len(browser.find_elements("css selector", "figure svg")) == 5
    # finished cells are taken from the folder: the page comes again, the same, at once
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "cells").iterdir()}
    reproduce(tmp_path, data, plan=TINY)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "cells").iterdir()} == before
    assert (tmp_path / "index.md").read_text() == text


def test_a_folder_that_is_not_there_is_one_clear_sentence(tmp_path):
    command = [sys.executable, "-m", "shoal", "paper", "-o", str(tmp_path / "out"), "--data", str(tmp_path / "nowhere")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.strip().endswith("nowhere: no such folder")
    assert not (tmp_path / "out").exists()


def test_without_data_the_synthetic_experiments_are_still_planned(monkeypatch):
    monkeypatch.setattr("shoal.paper.sets.irvine_file", lambda: (_ for _ in ()).throw(InputError("not installed")))
    plan = Experiments(TINY, None)
    assert plan.missing == ["MIT", "Enron months", "Enron weeks", "Enron days", "Irvine"]
    assert {cell.task for cell in plan.everything()} == {"seconds", "similarity", "realizing", "correlation"}


def test_a_timed_cell_that_takes_too_long_is_stopped_and_said_so():
    late = Cell("grouping", ("messenger 5000", None, "greedy", 2, 0), stop_after=0.5)
    soon = Cell("realizing", (0, 3), stop_after=120.0)
    start = time.monotonic()
    results = run_cells([late, soon], Kept(None), lambda share: None)
    assert results[late] == {"stopped": 0.5}
    assert len(results[soon]["exact"]) == 3
    assert time.monotonic() - start < 120


def test_a_timed_cell_that_cannot_begin_says_why():
    cell = Cell("grouping", ("messenger 60000", None, "greedy", 2, 0), stop_after=300.0)
    assert (
        "compares every person with every group" in run_cells([cell], Kept(None), lambda share: None)[cell]["refused"]
    )


def test_the_synthetic_graphs_span_the_correlations():
    for theta in (0.0, 0.3, 0.5, 1.0):
        graph = flickering(theta)
        slices = [edges for _, edges in graph]
        found = np.mean([adjacency_correlation(a, b, 100) for a, b in pairwise(slices)])
        assert found == pytest.approx(1 - theta, abs=0.02)


def test_the_integer_program_is_never_above_the_pivot_method():
    found = realizing(3, 30)
    assert all(a <= b + 1e-12 for a, b in zip(found["exact"], found["pivot"], strict=True))
    assert all(a > 0 for a in found["exact"])


def test_claims_follow_the_numbers():
    """A made-up table in which greedy wins at k = 2 and loses at k = 5: the verdicts must say so, and turn with it."""
    import polars as pl

    from shoal.paper.claims import Numbers

    def numbers(greedy_at_two: float) -> Numbers:
        rows = [("S", "greedy", 2, greedy_at_two), ("S", "LP", 2, 2.0), ("S", "greedy", 5, 4.0), ("S", "LP", 5, 3.0)]
        costs = pl.DataFrame(rows, schema=["set", "method", "k", "cost"], orient="row").with_columns(
            rounds=pl.lit(5.0),
            best_round=pl.lit(3.0),
            seconds=pl.lit(1.0),
            active=pl.lit(10.0),
            realizable=pl.lit(10.0),
        )
        point = {"theta": 0.0, "correlation": 0.5, "method": "greedy", "k": 2, "cost": 1.0, "error": 0.0}
        curve = {"set": "S", "method": "greedy", "k": 2, "slice": 0, "edges": 3, "similarity": 0.5, "kept_share": 0.5}
        return Numbers(
            costs=costs,
            increases=pl.DataFrame(schema={"set": pl.String, "method": pl.String, "increase": pl.Float64}),
            sequences=pl.DataFrame({"exact": [0.1], "pivot": [0.1]}),
            correlations=pl.DataFrame([point]),
            similarities=pl.DataFrame([curve]),
            seconds=[],
            irvine=None,
        )

    for cost, verdict in ((1.0, HOLDS), (2.5, FAILS)):
        found = {claim.says: claim for claim in check(numbers(cost))}
        assert found["At k = 2 greedy consistently beats the LP."].verdict == verdict
        assert found["As k grows greedy does consistently worse than the LP."].verdict == HOLDS
        assert found["The Irvine data consist of 20,296 interactions over a period of 51 days."].verdict == UNKNOWN
