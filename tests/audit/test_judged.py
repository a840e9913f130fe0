"""Whom a release stops: everybody is judged by what was promised to them, and what got worse is said."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import shoal
from shoal import InputError
from shoal.audit import Approximate, Vector, attackers, audit
from shoal.datasets import messenger
from tests.command import shoal as command


@pytest.fixture(scope="module")
def graph():
    return messenger(100, 12, seed=3)


def test_at_k_1_nobody_is_said_to_be_stopped(graph):
    words = audit(shoal.anonymize(graph, 1, seed=0).graph, k=1).in_words()
    assert words[0] == "Nobody is protected (k = 1)."
    assert all(sentence.startswith("NOT stopped") for sentence in words[1:])
    assert not any("candidates" in sentence for sentence in words)


def test_everybody_is_judged_by_their_own_level(graph):
    some = graph.nodes.to_list()[:20]
    release = shoal.anonymize(graph, 8, protect=some, seed=0, effort="fast")
    found = audit(release.graph, k=release.promise.levels, original=graph)
    assert found.levels == {1: 80, 8: 20}
    assert found.protected == 20
    assert all(e.below_k == 0 for e in found.attackers if e.covered)
    words = found.in_words()
    assert "if the person is one of the 20 who are protected" in words[0]
    assert "as many candidates as that person's level" in words[0]
    alone = int((release.crowds == 1).sum())
    assert alone > 0
    assert words[1].startswith(f"NOT protected: 80 of 100 people, at level 1; {alone} of them")
    assert audit(release.graph, k=dict.fromkeys(some, 8))["vector"].below_k == 0
    assert audit(release.graph, k=8)["vector"].below_k > 0
    assert found.to_dict()["people_by_k"] == {"1": 80, "8": 20}


def test_a_level_goes_with_its_person_through_every_attacker(graph, monkeypatch):
    """One person in a crowd too small for them, and all others at 1: whoever finds the crowd finds one below."""
    rows = graph.degree_matrix()
    alone = int(np.flatnonzero(shoal.common.crowds.crowd_sizes(rows) == 1)[0])
    levels = [1] * 100
    levels[alone] = 2
    usual = attackers.usual_attackers(graph)
    for e, attacker in zip(audit(graph, k=levels).attackers, usual, strict=True):
        if not e.sampled:
            sizes = attacker.crowds(graph, np.random.default_rng(0)).sizes
            assert e.below_k == (sizes[:, alone] == 1).mean()
    monkeypatch.setattr(attackers, "PAIRS", 10)
    larger = messenger(300, 4, seed=1)
    rough = Approximate(within=0).crowds(larger, np.random.default_rng(0))
    whole = Vector().crowds(larger, np.random.default_rng(0)).sizes[0]
    assert rough.sampled
    assert (rough.sizes[0] == whole[rough.people]).all()
    levels = np.where(whole == 1, 2, 1)
    drawn = np.random.default_rng([0, *b"within-0"]).choice(300, 200, replace=False)
    found = audit(larger, k=levels, attackers=[Approximate(within=0)])
    assert found["within-0"].below_k == pytest.approx(1.5 * (whole[drawn] == 1).sum())


def test_with_a_horizon_the_promise_is_about_one_block_only(graph):
    release = shoal.anonymize(graph, 5, horizon=4, seed=0, effort="fast")
    found = audit(release.graph, k=5, horizon=4)
    assert found["one-block"].below_k == 0
    assert found["vector"].below_k > 0
    assert {e.name for e in found.attackers if e.covered} == {"one-block", "any-1-slices"}
    words = found.in_words()
    assert words[0].startswith(
        "Stopped: whoever knows numbers of edges per slice, within any one block of the calendar"
    )
    assert "NOT stopped: whoever knows the number of edges in every slice (" in words[1]
    before = audit(graph, k=5, horizon=4)["one-block"].unique
    alone = (release.promise.crowds(graph) == 1).any(axis=0).sum()
    assert before == alone  # the number of people who could be found before, on a report and in a table
    with pytest.raises(InputError, match="a horizon is a width"):
        audit(graph, horizon=0)


def test_an_attacker_who_got_stronger_is_named(graph):
    found = audit(graph, k=2)
    contacts = found["contacts"]
    worse = replace(contacts, unique=contacts.unique + 1, expected_success=contacts.expected_success + 0.1, below_k=9)
    after = replace(found, attackers=(worse, *(e for e in found.attackers if e.name != "contacts")))
    words = after.stronger_than(found)
    assert len(words) == 1
    assert words[0].startswith("STRONGER than before: whoever knows the number of different people")
    assert f"found {contacts.unique} of 100 people in the original and finds {contacts.unique + 1}" in words[0]
    assert found.stronger_than(found) == found.stronger_than(after) == []
    found_more = replace(worse, expected_success=contacts.expected_success)
    assert replace(found, attackers=(found_more,)).stronger_than(found)[0].startswith("MORE found than before")


def test_what_holds_beyond_the_promise_is_said_to_be_beyond_it(graph):
    found = audit(graph, k=2)
    held = [replace(e, below_k=0, unique=0, smallest_crowd=2) for e in found.attackers]
    words = replace(found, attackers=tuple(held)).in_words()
    assert words[1].startswith(
        "Stopped here, though the promise is not about it: whoever knows the number of different"
    )


def test_the_command_judges_a_release_by_its_certificate(graph, tmp_path):
    table = graph.to_polars()
    table.write_csv(tmp_path / "edges.csv")
    shoal.anonymize(graph, 5, horizon=4, seed=0, effort="fast").save(tmp_path / "blocks", report=False)
    said = command("audit", tmp_path / "blocks").stdout
    assert (
        "0 of 100 people can be singled out by their number of edges per slice, within one block of the calendar"
        in said
    )
    assert "within any one block of the calendar" in said
    levels = {person: 2 + 3 * (i % 2) for i, person in enumerate(graph.nodes.to_list()) if i < 40}
    release = shoal.anonymize(graph, levels, seed=0, effort="fast")
    release.save(tmp_path / "levels", private=tmp_path / "r.json", report=False)
    told = json.loads(command("audit", tmp_path / "levels", "--record", tmp_path / "r.json", "--json").stdout)
    assert told["people_by_k"] == {"1": 60, "2": 20, "5": 20}
    assert all(e["below_k"] == 0 for e in told["attackers"] if e["covered"])
    said = command("audit", tmp_path / "levels").stdout
    assert "if the person is one of the 40 who are protected" in said
    assert "only the private record tells (--record)" in said
    certificate = json.loads((tmp_path / "levels" / "certificate.json").read_text())
    certificate["people_by_k"]["1"] = 10**9
    (tmp_path / "levels" / "certificate.json").write_text(json.dumps(certificate))
    refused = command("audit", tmp_path / "levels")
    assert refused.returncode == 2
    assert "does not give everybody a level" in refused.stderr
