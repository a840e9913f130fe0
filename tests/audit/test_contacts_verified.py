"""Contacts that are not those of the edges: signed with right hashes, and refused all the same."""

from __future__ import annotations

import json
import shutil

import polars as pl
import pytest

import shoal
from shoal.large import anonymize_folder
from tests.audit.forge import claims_of, edit, sign
from tests.draw.test_draw import made as a_graph
from tests.engine.test_same_release import many


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("made")
    for kind in ("times", "counts"):
        shoal.anonymize(a_graph(), 3, seed=1, effort="fast", contacts=kind).save(place / kind, report=False)
    return place


@pytest.fixture
def good(made, tmp_path):
    return lambda kind: shutil.copytree(made / kind, tmp_path / kind)


def _later(frame: pl.DataFrame) -> pl.DataFrame:
    first = pl.int_range(pl.len()) == 0
    return frame.with_columns(pl.when(first).then(pl.col("time").cast(int) + 9 * 86_400).otherwise("time").cast(str))


def _one_less(frame: pl.DataFrame) -> pl.DataFrame:
    """Without a contact of an edge that has another one within an hour."""
    again = (frame["source"] == frame["source"].shift(-1)) & (frame["target"] == frame["target"].shift(-1))
    times = frame["time"].cast(int)
    gone = again & ((times.shift(-1) - times).abs() < 3_600) & ((times // 86_400) == (times.shift(-1) // 86_400))
    return frame.with_row_index().filter(pl.col("index") != gone.arg_max()).drop("index")


def _first_time(text: str):
    return lambda f: f.with_columns(time=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(text)).otherwise("time"))


def _other(**columns):
    """The table with these columns in the place of its own."""
    return lambda f: f.with_columns(**columns)


_MORE = (pl.col("count").cast(int) + 1).cast(str)
_LONGER = pl.col("until").shift(-1).fill_null(pl.col("until"))
_SPANS = {"from": pl.lit("1"), "until": pl.lit("2")}
_TURNED = _other(source="target", target="source")
FORGERIES = {
    "a contact is in another slice": ("times", "contacts", _later, "exactly the edges|not in order"),
    "a contact is in no slice": ("times", "contacts", _first_time("5"), "within a slice"),
    "an edge has no contact": (
        "times",
        "contacts",
        lambda f: f.filter(f["source"] != f["source"][0]),
        "exactly the edges",
    ),
    "a contact is of no edge": ("times", "contacts", lambda f: pl.concat([f, _TURNED(f.tail(1))]), "exactly the edges"),
    "contacts stand in another order": ("times", "contacts", lambda f: f.reverse(), "not in order|exactly the edges"),
    "one contact is missing": ("times", "contacts", _one_less, "as the certificate says"),
    "slices overlap": ("times", "slices", _other(until=_LONGER), "follow each other"),
    "slices do not say when they are": ("times", "slices", lambda f: f.drop("from", "until"), "when they last"),
    "a time is no time": ("times", "contacts", _other(time=pl.lit("noon")), "neither numbers nor"),
    "a person is nowhere else": ("times", "contacts", _other(source=pl.lit("999")), "in no other table"),
    "a count is nothing": ("counts", "contacts", _other(count=pl.lit("0")), "whole number from 1"),
    "a count is written in two ways": (
        "counts",
        "contacts",
        _other(count="0" + pl.col("count")),
        "whole number from 1",
    ),
    "an edge is not counted": ("counts", "contacts", lambda f: f.head(-1), "exactly the edges"),
    "a count is larger": ("counts", "contacts", _other(count=_MORE), "as the certificate says"),
    "more is told": ("counts", "contacts", _other(who=pl.lit("ann")), "the columns are"),
    "counts beside times": ("counts", "slices", _other(**_SPANS), "the columns are"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_is_not_behind_the_edges_is_found(good, name):
    kind, table, change, expected = FORGERIES[name]
    verdict = shoal.verify(edit(good(kind), table, change))
    assert not verdict.holds
    assert any(part in text for text in verdict.failures for part in expected.split("|")), verdict.failures


def test_the_table_is_there_where_the_certificate_says_so_and_nowhere_else(good):
    folder = good("times")
    (folder / "contacts.csv").unlink()
    assert "contacts.csv is missing" in repr(shoal.verify(sign(folder)))
    shutil.rmtree(folder)
    folder = good("times")
    claims = claims_of(folder)
    del claims["contacts"]
    (folder / "certificate.json").write_text(json.dumps(claims))
    assert "contacts.csv does not belong" in repr(shoal.verify(sign(folder)))


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """A release of a folder of Parquet, a file of contacts for each slice."""
    place = tmp_path_factory.mktemp("parts")
    _, folder, _ = many(place)
    options = {"slice": "1d", "seed": 1, "effort": "fast", "report": False}
    for kind in ("times", "counts"):
        anonymize_folder(folder, 3, place / kind, contacts=kind, **options)
    return place


def _rewritten(folder, number, change):
    file = folder / "contacts" / f"0000{number}.parquet"
    change(pl.read_parquet(file)).write_parquet(file)
    return sign(folder)


def _exchanged(folder):
    one, other = (folder / "contacts" / f"0000{number}.parquet" for number in (1, 2))
    one.rename(folder / "kept")
    other.rename(one)
    (folder / "kept").rename(other)
    return sign(folder)


PARTED = {
    "a contact is missing": ("times", lambda f: _rewritten(f, 2, lambda t: t.head(-1)), "certificate says|exactly"),
    "an edge has none": ("counts", lambda f: _rewritten(f, 3, lambda t: t.head(-1)), "exactly the edges"),
    "two slices are exchanged": ("times", _exchanged, "exactly the edges"),
    "counts of slices are exchanged": ("counts", _exchanged, "exactly the edges"),
    "a contact is in another slice": (
        "times",
        lambda f: _rewritten(f, 1, lambda t: t.with_columns(time=pl.lit("2024-05-03T08:00"))),
        "exactly the edges",
    ),
    "a contact is in no slice": (
        "times",
        lambda f: _rewritten(f, 1, lambda t: t.with_columns(time=pl.lit("2030-05-03T08:00"))),
        "within a slice",
    ),
    "more is told": ("counts", lambda f: _rewritten(f, 1, lambda t: t.with_columns(who=pl.lit("ann"))), "columns are"),
    "a slice has no file": (
        "counts",
        lambda f: (f / "contacts" / "00004.parquet").unlink() or sign(f),
        "one file for each",
    ),
    "contacts are one table": (
        "counts",
        lambda f: (
            pl.read_parquet(f / "contacts" / "*.parquet").write_parquet(f / "contacts.parquet"),
            shutil.rmtree(f / "contacts"),
            sign(f),
        )[-1],
        "does not belong",
    ),
}


@pytest.mark.parametrize("name", PARTED)
def test_contacts_in_parts_that_are_not_behind_the_edges_are_found(parts, tmp_path, name):
    kind, change, expected = PARTED[name]
    folder = shutil.copytree(parts / kind, tmp_path / kind)
    assert shoal.verify(folder)
    verdict = shoal.verify(change(folder))
    assert not verdict.holds
    assert any(part in text for text in verdict.failures for part in expected.split("|")), verdict.failures


BAD = [{"kind": "all", "released": 3}, {"kind": "times"}, "times", None, {"kind": "times", "released": -1}]


@pytest.mark.parametrize("claim", BAD)
def test_the_claim_has_one_form(good, claim):
    assert not shoal.verify(sign(good("times"), contacts=claim))
