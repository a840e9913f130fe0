"""shoal audit with an original: what attackers learn who hold a part of it."""

from __future__ import annotations

import importlib
import json

import polars as pl
import pytest

import shoal as package
from shoal.audit.learn import ATTACKERS
from tests.command import shoal

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A file of contacts, two releases of it with their records, and what another tool might make of it."""
    folder = tmp_path_factory.mktemp("learned")
    frame = package.datasets.messenger(60, 6, seed=2).to_polars()
    days = pl.col("slice").str.tail(2).cast(pl.Int64)
    frame.select("source", "target", time=days).write_csv(folder / "in.csv")
    for seed, name in ((1, "one"), (2, "two")):
        options = ("--slice", "value", "--seed", seed, "--private", folder / f"{name}.json", "--no-report")
        assert shoal("anonymize", folder / "in.csv", "-k", 3, *options, "-o", folder / name).returncode == 0
    made = frame.select("source", "target", time=days).filter(pl.int_range(pl.len()) % 5 != 0)
    made.write_csv(folder / "other.csv")
    return folder


def audit(place, *args):
    cut = () if args[1:2] == ("two",) else ("--slice", "value")  # releases are cut already
    return shoal("audit", *args, *cut, cwd=place)


def test_what_is_learned_in_words_and_as_json(place):
    answer = audit(place, "one", "--original", "in.csv", "--record", "one.json", "--json")
    assert answer.returncode == 0, answer.stderr
    listed = {one["name"]: one for one in json.loads(answer.stdout)["attackers"]}
    assert set(ATTACKERS) <= set(listed)
    assert set(listed["second-graph"]["new_pairs"]) == {"claims", "true", "found", "without"}
    assert set(listed["second-graph"]["known_ties"]["without"]) == {"claims", "true", "found"}
    words = audit(place, "one", "--original", "in.csv", "--record", "one.json", "--known", 0.7).stdout
    assert "holds the contacts of the first 4 of 6 slices with names" in words
    assert words.count("\n- Whoever ") == len(ATTACKERS)
    told = ("--known-edges", 0.4, "--groups-known")
    some = audit(place, "one", "--original", "in.csv", "--record", "one.json", *told).stdout
    assert "knows who and which nodes make up each group" in some
    assert "holds a random 40% of the contacts with names" in some


def test_the_record_is_read_once(place, monkeypatch):
    module, times = importlib.import_module("shoal.read.record"), []
    read = module.read_record
    monkeypatch.setattr(module, "read_record", lambda file: times.append(file) or read(file))
    assert audit(place, "one", "--original", "in.csv", "--record", "one.json").returncode == 0
    assert [file.name for file in times].count("one.json") == 1


def test_two_releases(place):
    told = audit(place, "one", "two", "--record", "one.json", "--record", "two.json", "--json")
    found = json.loads(told.stdout)["attackers"][0]
    assert found["name"] == "twice"
    assert found["matched"] > 0.5
    assert 1 <= found["smallest_crowd"] <= 3
    untold = audit(place, "one", "two")
    assert "lays them over each other" in untold.stdout


def test_the_output_of_another_tool(place):
    answer = audit(place, "other.csv", "--original", "in.csv", "--same-ids", "--json")
    assert answer.returncode == 0, answer.stderr
    listed = {one["name"]: one for one in json.loads(answer.stdout)["attackers"]}
    assert listed["second-graph"]["matched"] > 0.5


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--record", "two.json"), "two.json: is not the private record of this release"),
        ((), "one: people have pseudonyms in it; give the private record that says who is who (--record)"),
        (("--record", "one.json", "--known", 0), "nobody is known"),
        (("--record", "one.json", "--known", 1), "everything is known"),
        (("--record", "one.json", "--known-edges", 0.5, "--known-layers", "a"), "one goes at a time"),
        (("--record", "one.json", "--known-contacts", "in.csv"), "no contacts beside what is known"),
        (("--record", "one.json", "--known-contacts", "in.csv", "--known-edges", 0.5), "one goes at a time"),
        (("--record", "one.json", "--known-layers", "a"), "no layer 'a'"),
        (("--record", "one.json", "--same-ids"), "do not go together"),
        (("--record", "one.json", "--record", "two.json"), "more than once"),
        (("--groups-known",), "--groups-known needs --original, and --record"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(place, args, words):
    answer = audit(place, "one", "--original", "in.csv", *args)
    assert answer.returncode == 2
    assert words in " ".join(answer.stderr.split())


def test_slices_that_do_not_fit(place):
    (place / "short.csv").write_text("source,target,time\n1,2,1\n2,3,2\n")
    answer = audit(place, "one", "--original", "short.csv", "--record", "one.json")
    assert answer.returncode == 2
    assert "the slices do not fit" in " ".join(answer.stderr.split())
    answer = audit(place, "one", "two", "--record", "one.json")
    assert answer.returncode == 2
    assert "give --record twice" in " ".join(answer.stderr.split())
