"""A budget of edits buys protection for as many people as it reaches; the others are left out and counted."""

from __future__ import annotations

import functools
import json
import sys

import numpy as np
import pytest

import shoal
from shoal import InputError
from shoal.audit._released import read_certificate
from shoal.datasets import messenger
from shoal.demands.promise import make_promise
from shoal.errors import NoReleaseError
from shoal.report import Report
from shoal.sweep import sweep
from shoal.sweep.most import prices, protect_most
from tests.audit.forge import sign
from tests.command import shoal as command

GRAPH = messenger(60, 5, seed=1)
BUDGET, K = 0.1, 4


@pytest.fixture(scope="module")
def most():
    """The release for as many people as the budget reaches, by what becomes of the others; made once, and only looked at."""
    return functools.cache(
        lambda left_out: protect_most(GRAPH, K, budget=BUDGET, left_out=left_out, seed=3, effort="fast")
    )


def _naive_prices(graph, k):
    """How far the k-th nearest row is, oneself counted, by comparing everybody with everybody."""
    rows = graph.degree_matrix().astype(int)
    return [sorted(int(np.abs(row - other).sum()) for other in rows)[k - 1] for row in rows]


@pytest.mark.parametrize("k", [2, 4, 30, 60])
def test_prices_are_distances_to_a_crowd(k):
    found = prices(GRAPH, make_promise(GRAPH, k), jobs=1)
    near = _naive_prices(GRAPH, k)
    if k <= 16:  # beyond it the nearest that are listed are too few, and everybody is as dear
        assert np.floor(found).tolist() == near
    assert np.isfinite(found).all()
    blocks = prices(GRAPH, make_promise(GRAPH, 3, horizon=2), jobs=1)
    assert (blocks <= prices(GRAPH, make_promise(GRAPH, 3), jobs=1)).all()


@pytest.mark.parametrize("left_out", ["withheld", "exempt"])
def test_the_budget_holds_and_everybody_is_protected_or_counted(most, tmp_path, left_out):
    release = most(left_out)
    others = set(release.left_out.people)
    assert 0 < len(others) < 60
    before = {(u, v, s) for u, v, s in GRAPH.to_polars().select("source", "target", "slice").iter_rows()}
    after = {(u, v, s) for u, v, s in release.graph.to_polars().select("source", "target", "slice").iter_rows()}
    if left_out == "withheld":
        gone = {edge for edge in before if edge[0] in others or edge[1] in others}
        assert release.left_out.edges == len(gone)
        assert others.isdisjoint(release.graph.nodes.to_list())
        before -= gone
    else:
        theirs = [{edge for edge in edges if edge[0] in others or edge[1] in others} for edges in (before, after)]
        assert theirs[0] == theirs[1]
    assert len(before ^ after) <= BUDGET * GRAPH.n_edges
    rows = [tuple(row) for row in release.graph.degree_matrix().tolist()]
    for node, row in zip(release.graph.nodes.to_list(), rows, strict=True):
        assert node in others or rows.count(row) >= K

    release.save(tmp_path / "out", private=tmp_path / "who.json", report=False)
    claims = read_certificate(tmp_path / "out")
    assert claims["left_out"] == {"how": left_out, "people": len(others)}
    assert f"{len(others)} people were left out and {left_out}:" in claims["guarantee"]
    alone, known = shoal.verify(tmp_path / "out"), shoal.verify(tmp_path / "out", record=tmp_path / "who.json")
    assert alone.holds
    assert known.holds
    page = Report(release, attacked=False).public()[0]
    assert ("among the people in it are in the release" in page) is (left_out == "withheld")
    assert ("people who were withheld, and all their edges, are missing" in page) is (left_out == "withheld")
    assert ("are in this release as they were, and are not protected" in page) is (left_out == "exempt")
    assert ("left_out" in alone.claimed_not_checked) is (left_out == "withheld")
    assert "left_out" not in known.claimed_not_checked


@pytest.mark.parametrize("left_out", ["withheld", "exempt"])
def test_a_certificate_that_counts_others_does_not_verify(most, tmp_path, left_out):
    most(left_out).save(tmp_path / "out", private=tmp_path / "who.json", report=False)
    told = read_certificate(tmp_path / "out")["left_out"]
    other = {"withheld": "exempt", "exempt": "withheld"}[left_out]
    for claim in (
        told | {"how": other},
        told | {"people": told["people"] + 1},
        told | {"people": 0},
        {"how": left_out},
    ):
        (tmp_path / "out" / "certificate.json").write_text(
            json.dumps(read_certificate(tmp_path / "out") | {"left_out": claim})
        )
        assert not shoal.verify(tmp_path / "out", record=tmp_path / "who.json").holds
    sign(tmp_path / "out", left_out=told | {"people": told["people"] + 1})  # words and hashes fit again
    assert not shoal.verify(tmp_path / "out", record=tmp_path / "who.json").holds
    sign(tmp_path / "out", left_out=told)
    assert shoal.verify(tmp_path / "out", record=tmp_path / "who.json").holds


def test_who_is_exempt_stays_so_in_an_extension_and_who_was_withheld_may_join(tmp_path):
    first, later = GRAPH.between(None, "day-03"), GRAPH.between("day-04", None)
    for left_out in ("withheld", "exempt"):
        place = tmp_path / left_out
        place.mkdir()
        made = protect_most(first, K, budget=BUDGET, left_out=left_out, seed=3, effort="fast")
        made.save(place / "one", private=place / "who.json", report=False)
        after = shoal.extend(place / "one", later, place / "who.json", seed=1)
        after.save(place / "two", private=place / "who.json", report=False)
        assert shoal.verify([place / "one", place / "two"], record=place / "who.json").holds
        record = json.loads((place / "who.json").read_text())
        if left_out == "exempt":
            assert set(after.left_out.people) == set(made.left_out.people)
            assert record["left_out"] == "exempt"
        else:
            assert after.left_out is None
            assert after.graph.n_nodes == 60  # enough to hide one another
            assert set(record["withheld"]) == set(made.left_out.people)


def test_a_large_budget_leaves_nobody_out_and_a_tiny_one_reaches_nobody():
    assert protect_most(GRAPH, K, budget=5, seed=1, effort="fast").left_out is None
    ring = shoal.TemporalGraph.from_slices({"day": [(0, i) for i in range(1, 5)] + [(1, 2), (1, 3), (2, 5)]})
    with pytest.raises(NoReleaseError, match="does not protect even the 5 people"):
        protect_most(ring, 5, budget=0.001, left_out="exempt", seed=1)


def test_same_seed_same_release():
    made = [protect_most(GRAPH, K, budget=BUDGET, seed=3, jobs=jobs, effort="fast") for jobs in (1, 2)]
    assert made[0].graph.digest() == made[1].graph.digest()
    assert made[0].left_out == made[1].left_out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"budget": 0}, "budget must be above 0"),
        ({"left_out": "gone"}, "unknown left_out 'gone'; known are withheld, exempt"),
        ({"k": {1: 2}}, "k must be"),
        ({"k": 61}, "k must be at most the number of people"),
        ({"protect": [1]}, "a budget chooses itself who is protected"),
        ({"against": "graph"}, "no budget holds"),
        ({"work_dir": "x"}, "a work folder is that of one"),
        ({"allow": "add"}, "'only added' could not be true"),
        ({"forbid": [(1, 2)]}, "they can be exempt instead"),
    ],
)
def test_what_does_not_go_together_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        protect_most(GRAPH, **({"k": K, "budget": BUDGET} | options))


def test_a_sweep_counts_people_within_a_budget_and_goes_on(tmp_path, monkeypatch):
    found = sweep({"days": GRAPH}, [2, K], budget=BUDGET, most_people=True, folder=tmp_path, effort="fast")
    two, four = found.within_budget
    assert two["protected"] >= four["protected"] > 0
    assert max(row["changed_share"] for row in found.within_budget) <= BUDGET
    release = protect_most(GRAPH, K, budget=BUDGET, seed=0, effort="fast")
    assert four["protected"] == release.graph.n_nodes
    assert four["gone_share"] == release.left_out.edges / GRAPH.n_edges
    assert "people protected" in (tmp_path / "index.html").read_text()
    monkeypatch.setattr(sys.modules["shoal.sweep.most"], "anonymize", lambda *_, **__: pytest.fail("made again"))
    assert sweep({"days": GRAPH}, [2, K], budget=BUDGET, most_people=True, folder=tmp_path, effort="fast") == found
    for options in ({"most_people": True}, {"budget": 0.1, "left_out": "exempt"}, {"budget": 0.1, "most_people": 3}):
        with pytest.raises(InputError):
            sweep({"days": GRAPH}, [2], **options)
    with pytest.raises(InputError, match="no budget holds"):
        sweep({"days": GRAPH}, [2], budget=0.1, most_people=True, against="graph")


def test_the_commands(tmp_path):
    GRAPH.to_polars().write_csv(tmp_path / "in.csv")
    words = f"anonymize {tmp_path}/in.csv --layer slice -k 4 --effort fast --seed 1 -o {tmp_path}/out --no-report"
    made = command(*words.split(), "--budget", "10%", "--left-out", "exempt", "--private", str(tmp_path / "who.json"))
    assert "were left out and exempt: they are in this release as they were, and are not protected." in made.stdout
    assert "NOT protected: the other" in made.stdout
    made = command(*words.split(), "--budget", "10%", "--force")
    assert "NOT in it:" in made.stdout
    assert "edges are gone with them." in made.stdout
    asked = f"sweep {tmp_path}/in.csv --layer slice -k 4 --effort fast -o {tmp_path}/s --budget 10% --most-people"
    said = command(*asked.split())
    assert "people can be protected;" in said.stdout
    for wrong in (["--left-out", "exempt"], ["--budget", "much"], ["--budget", "10%", "--left-out", "gone"]):
        refused = command(*words.split(), "--force", *wrong)
        assert refused.returncode == 2
        assert len(refused.stderr.strip().splitlines()) == 1
