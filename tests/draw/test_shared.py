"""Counts that are alike in a crowd, and the attacker who knows them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import InputError
from shoal.audit import Strength, reidentify
from shoal.draw.shared import share_counts
from tests.audit.forge import edit
from tests.command import shoal as command
from tests.draw.test_draw import made


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=80, deadline=None)
def test_everybody_of_a_crowd_has_as_many_contacts(seed, directed):
    rng = np.random.default_rng(seed)
    n = 12
    pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]
    edges = np.array(sorted(rng.choice(len(pairs), rng.integers(0, 40), replace=False).tolist()), np.int64)
    edges = np.array(pairs)[edges].reshape(-1, 2)
    sides = [np.bincount(edges[:, s], minlength=n) for s in (0, 1)]
    rows = np.stack(sides if directed else [sides[0] + sides[1]])
    crowd = np.unique(rows, axis=1, return_inverse=True)[1].ravel()
    drawn = rng.geometric(0.3, len(edges))
    counts = share_counts(edges, drawn, crowd, directed=directed, rng=rng)
    assert (counts >= 1).all()
    sums = [np.bincount(edges[:, s], counts, minlength=n) for s in (0, 1)]
    for of in sums if directed else [sums[0] + sums[1]]:
        for number in range(crowd.max() + 1):
            assert len(set(of[crowd == number])) == 1
    if len(edges):
        assert abs(int(counts.sum()) - int(drawn.sum())) <= max(len(edges) // 2 + 1, 0)


@pytest.mark.parametrize(("directed", "horizon"), [(False, None), (True, None), (False, 2)])
def test_contacts_of_a_crowd_are_protected_and_verified(tmp_path, directed, horizon):
    graph = made(directed=directed)
    release = shoal.anonymize(graph, 4, seed=1, effort="fast", contacts="times", protect_counts=True, horizon=horizon)
    release.save(tmp_path / "out")
    verdict = shoal.verify(tmp_path / "out")
    assert verdict
    assert "everybody in a crowd has as many contacts" in repr(verdict)
    assert (
        "numbers of edges and of contacts"
        in json.loads((tmp_path / "out" / "certificate.json").read_text())["guarantee"]
    )
    if horizon is None:
        found = shoal.audit(release.graph, k=4)["strength"]
        assert found.covered
        assert found.below_k == 0
        assert reidentify(graph, release.graph, k=4, by="contacts").unique == 0


def test_a_count_that_sets_somebody_apart_is_found(tmp_path):
    release = shoal.anonymize(made(), 4, seed=1, effort="fast", contacts="counts", protect_counts=True)
    release.save(tmp_path / "out", report=False)
    first = pl.int_range(pl.len()) == 0
    two = pl.int_range(pl.len()) == 1

    def moved(frame):
        count = pl.col("count").cast(int)
        return frame.with_columns(count=(count + first.cast(int) - (two & (count > 1)).cast(int)).cast(str))

    verdict = shoal.verify(edit(tmp_path / "out", "contacts", moved))
    assert not verdict.holds
    assert any("than their crowd" in text for text in verdict.failures)


def test_nothing_is_given_away_that_sets_somebody_apart(monkeypatch):
    monkeypatch.setattr("shoal.draw.share_counts", lambda edges, drawn, crowd, **rest: drawn)
    with pytest.raises(shoal.errors.GuaranteeError, match="other contacts than their crowd"):
        shoal.anonymize(made(), 4, seed=1, effort="fast", contacts="counts", protect_counts=True)


def test_contacts_come_back_from_a_folder(tmp_path):
    for kind in ("times", "counts"):
        release = shoal.anonymize(made(), 4, seed=1, effort="fast", contacts=kind)
        release.save(tmp_path / kind, keep_ids=True, report=False)
        again = shoal.read(tmp_path / kind)
        assert np.array_equal(again.contacts.counts, release.graph.contacts.counts)
        assert again.contacts.drawn == "freely"
    names = {found.name for found in shoal.audit(again).attackers}
    assert "strength" not in names  # these counts are nobody's
    assert "strength" in {found.name for found in shoal.audit(made()).attackers}


def test_drawn_counts_help_nobody_more_than_edges_do():
    graph = made(n=80)
    release = shoal.anonymize(graph, 4, seed=1, effort="fast", contacts="counts")
    found = shoal.audit(release)
    assert found["reidentify-strength"].expected_success <= found["reidentify"].expected_success
    with pytest.raises(InputError, match="--contacts"):
        shoal.anonymize(graph, 4, protect_counts=True)


def test_the_strength_of_people_is_their_number_of_contacts():
    graph = shoal.TemporalGraph.from_edges({"source": [1, 3], "target": [2, 4], "n": [2, 5]}, count="n")
    found = shoal.audit(graph, attackers=[Strength()])["strength"]
    assert (found.unique, found.smallest_crowd, found.covered) == (0, 2, False)


def test_commands_take_contacts_and_people(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{u},{v},2024-05-0{d}T{h:02}:00"
        for u, v, d, h in rng.integers((0, 0, 1, 8), (30, 30, 4, 20), (400, 4))
        if u != v
    ]
    (tmp_path / "in.csv").write_text("source,target,time\n" + "\n".join(rows) + "\n")
    (tmp_path / "people.csv").write_text(
        "id,sex,ill\n" + "".join(f"{i},{'fm'[i % 2]},{'xyz'[i % 3]}\n" for i in range(30))
    )
    asked = ["--slice", "1d", "--nodes", "people.csv", "--attributes", "sex", "--sensitive", "ill", "--diverse", "2"]
    told = ["--contacts", "times", "--protect-counts", "--no-report"]
    done = command("anonymize", "in.csv", "-k", "3", *asked, *told, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "shared out alike in every crowd" in done.stdout
    assert "Attributes: sex, in 2 strata; 0 of 30 values are *" in done.stdout
    assert command("verify", "out", cwd=tmp_path).returncode == 0
    done = command("audit", "in.csv", "--slice", "1d", "--strength", "--json", cwd=tmp_path)
    assert "strength" in {found["name"] for found in json.loads(done.stdout)["attackers"]}
    for wrong, sentence in (
        (["--contacts", "carried"], "whole ties move"),
        (["--attributes", "height"], "no column 'height'"),
        (["--hierarchy", "sex"], "COLUMN=FILE"),
    ):
        given = ["in.csv", "-k", "3", "--slice", "1d", "--nodes", "people.csv", *wrong, "-o", "no"]
        done = command("anonymize", *given, cwd=tmp_path)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert not (tmp_path / "no").exists()
