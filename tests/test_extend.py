"""Releases that grow: all of them together keep the promise."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from tests.uncompiled import examples


def contacts(n, days, seed, first_day=0, directed=False):
    rng = np.random.default_rng(seed)
    m = 6 * n
    rows = {
        "source": rng.integers(0, n, m),
        "target": rng.integers(0, n, m),
        "time": rng.integers(86_400 * first_day, 86_400 * (first_day + days), m),
    }
    return TemporalGraph.from_edges(rows, time="time", slice="1d", directed=directed)


def union_rows(folders, directed=False):
    """Everybody's row over all folders, by hand: None where somebody is not listed."""
    rows = {}
    tables = [
        (pl.read_csv(f / "nodes.csv"), pl.read_csv(f / "slices.csv"), pl.read_csv(f / "edges.csv")) for f in folders
    ]
    everybody = sorted({node for nodes, _, _ in tables for node in nodes["node"]})
    for person in everybody:
        row = []
        for nodes, slices, edges in tables:
            for label in slices["slice"].cast(pl.String):
                here = edges.filter(pl.col("slice").cast(pl.String) == label)
                ends = [int((here[c] == person).sum()) for c in ("source", "target")]
                row.append(None if person not in nodes["node"] else tuple(ends) if directed else sum(ends))
        rows[person] = tuple(row)
    return rows


@examples(12)
@given(st.integers(0, 1000), st.integers(2, 4), st.booleans())
def test_the_union_keeps_k_whatever_comes(tmp_path_factory, seed, k, directed):
    folder = tmp_path_factory.mktemp("grow")
    rng = np.random.default_rng(seed)
    sizes = np.sort(rng.integers(8, 20, 3))
    release = shoal.anonymize(contacts(int(sizes[0]), 3, seed, directed=directed), k, seed=0)
    release.save(folder / "r0", private=folder / "0.json", report=False)
    folders = [folder / "r0"]
    for step in (1, 2):
        later = contacts(int(sizes[step]), 2, seed + step, first_day=3 * step, directed=directed)
        grown = shoal.extend(folders[-1], later, folder / f"{step - 1}.json", seed=0)
        grown.save(folder / f"r{step}", private=folder / f"{step}.json", report=False)
        folders.append(folder / f"r{step}")
        rows = union_rows(folders, directed)
        assert min(Counter(rows.values()).values()) >= k
        assert shoal.verify(folders)
        assert len(grown.after.held_back) in range(k)


@pytest.fixture
def first(tmp_path):
    shoal.anonymize(contacts(20, 4, 0), 3, seed=0).save(tmp_path / "r0", private=tmp_path / "0.json", report=False)
    return tmp_path


def test_the_same_people_keep_their_pseudonyms(first):
    grown = shoal.extend(first / "r0", contacts(20, 2, 1, first_day=9), first / "0.json", seed=0)
    grown.save(first / "r1", private=first / "1.json", report=False)
    before, after = (json.loads((first / f"{i}.json").read_text()) for i in (0, 1))
    assert before["ids"] == after["ids"]
    assert after["slices"][:4] == before["slices"]
    assert len(after["seeds"]) == 2
    assert len(after["changed_edges"]["added"]) == len(before["changed_edges"]["added"]) + grown.edges.added


def test_too_few_newcomers_are_held_back_and_join_later(first):
    grown = shoal.extend(first / "r0", contacts(22, 2, 1, first_day=9), first / "0.json", seed=0)
    assert sorted(grown.after.held_back) == [20, 21]
    assert grown.graph.n_nodes == 20
    grown.save(first / "r1", private=first / "1.json", report=False)
    later = shoal.extend(first / "r1", contacts(23, 2, 2, first_day=20), first / "1.json", seed=0)
    assert later.after.held_back == ()
    assert later.graph.n_nodes == 23
    later.save(first / "r2", private=first / "2.json", report=False)
    assert shoal.verify([first / "r0", first / "r1", first / "r2"])
    ids = json.loads((first / "2.json").read_text())["ids"]
    assert sorted(map(int, ids)) == list(range(1, 24))


def test_together_they_can_fail_where_each_holds(first):
    """Two releases made apart each hold, and together single people out: verify must say so."""
    other = shoal.anonymize(contacts(20, 2, 1, first_day=9), 3, seed=1)
    other.save(first / "apart", report=False)
    assert shoal.verify(first / "r0")
    assert shoal.verify(first / "apart")
    verdict = shoal.verify([first / "r0", first / "apart"])
    assert not verdict
    assert any("over all 2 releases" in text for text in verdict.failures)


def test_ids_that_turn_from_numbers_into_text(first):
    rows = {"source": ["0", "1", "x1", "x2", "x3"], "target": ["1", "2", "x2", "x3", "5"], "time": [10**7] * 5}
    grown = shoal.extend(
        first / "r0", TemporalGraph.from_edges(rows, time="time", slice="1d"), first / "0.json", seed=0
    )
    assert grown.graph.n_nodes == 23
    assert grown.after.held_back == ()


def test_an_extension_calls_people_as_the_release_before_did(first):
    """Where ids were kept the certificate says so; where they were not they cannot be published later."""
    later = contacts(20, 2, 1, first_day=9)
    with pytest.raises(InputError, match="keep the pseudonyms they have"):
        shoal.extend(first / "r0", later, first / "0.json", seed=0).save(first / "r1", keep_ids=True, report=False)
    shoal.anonymize(contacts(20, 3, 0), 3, seed=0).save(
        first / "kept", private=first / "kept.json", keep_ids=True, report=False
    )
    made = shoal.extend(first / "kept", later, first / "kept.json", seed=0).save(first / "more", report=False)
    assert made["ids"] == "original"
    assert shoal.verify([first / "kept", first / "more"])
    record = json.loads((first / "kept.json").read_text())
    other = {name: f"x{name}" for name in record["ids"]}
    (first / "other.json").write_text(json.dumps(record | {"ids": other}))
    with pytest.raises(InputError, match="people are called otherwise"):
        shoal.extend(first / "kept", later, first / "other.json", seed=0)


def test_two_people_whose_pseudonyms_happen_to_be_their_ids_are_not_kept(tmp_path):
    """A newcomer gets a pseudonym although those before look as if they had none."""
    for seed in range(8):
        place = tmp_path / str(seed)
        place.mkdir()
        shoal.anonymize(TemporalGraph.from_slices({"a": [(1, 2)]}), 2, seed=seed).save(
            place / "a", private=place / "a.json", report=False
        )
        later = TemporalGraph.from_slices({"b": [(1, 2), (70, 80)]})
        shoal.extend(place / "a", later, place / "a.json", seed=seed).save(place / "b", report=False)
        assert pl.read_csv(place / "b" / "nodes.csv")["node"].to_list() == [1, 2, 3, 4]
        assert shoal.verify([place / "a", place / "b"])


def test_what_does_not_fit_is_refused(first, tmp_path):
    record = first / "0.json"
    with pytest.raises(InputError, match="was released before"):
        shoal.extend(first / "r0", contacts(20, 2, 1, first_day=3), record)
    with pytest.raises(InputError, match="unlike the new data"):
        shoal.extend(first / "r0", contacts(20, 2, 1, first_day=9, directed=True), record)
    with pytest.raises(InputError, match="is not the private record"):
        shoal.extend(first / "r0", contacts(20, 2, 1, first_day=9), first / "r0" / "certificate.json")
    with pytest.raises(InputError, match="is not a release folder"):
        shoal.extend(tmp_path, contacts(20, 2, 1, first_day=9), record)
    shoal.anonymize(contacts(20, 4, 0), 3, seed=0, horizon=2).save(first / "h", private=first / "h.json", report=False)
    with pytest.raises(InputError, match="has a horizon"):
        shoal.extend(first / "h", contacts(20, 2, 1, first_day=9), first / "h.json")
