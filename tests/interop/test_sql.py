"""Queries of a database as input: they read, and can do nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError
from shoal.cli import options
from shoal.read.packed import unpacking_at_most
from shoal.read.sql import Query

ROWS = [("ann", "bob", 0, "a%b"), ("bob", "cem", 90_000, "c&d"), ("bob", "ann", 5, "e"), ("cem", "cem", 7, "f")]
CALLS = "SELECT caller AS source, callee AS target, moment AS time FROM calls"


def write_calls(file, columns, rows):
    """A database with one table of calls."""
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"CREATE TABLE calls ({columns})")
        database.executemany(f"INSERT INTO calls VALUES ({', '.join('?' * len(rows[0]))})", rows)
        database.commit()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_calls("contacts.db", "caller, callee, moment, note", ROWS)
    return tmp_path


def test_a_query_is_read_as_a_file_is(folder):
    (folder / "a.csv").write_text("source,target,time\n" + "".join(f"{u},{v},{t}\n" for u, v, t, _ in ROWS))
    expected = shoal.read("a.csv", slice="1d")
    for address in (f"sqlite:///contacts.db?query={CALLS}", f"sqlite:///{folder}/contacts.db?query={quote(CALLS)}"):
        made = shoal.read(address, slice="1d")
        assert made == expected
        assert made.tally[:3] == expected.tally[:3] == (4, 1, 1)
    named = shoal.read(
        "sqlite:///contacts.db?query=SELECT * FROM calls", source="caller", target="callee", time="moment", slice="1d"
    )
    assert named == expected


@pytest.mark.parametrize(("text", "people"), [("a%25b", 2), ("c&d", 2), ("%65", 2), ("x+y", 0), ("a?b#c", 0)])
def test_the_query_is_taken_to_its_end_and_decoded(folder, text, people):
    address = f"sqlite:///contacts.db?query={CALLS} WHERE note = '{text}'"
    if people:
        assert shoal.read(address, slice="1d").n_nodes == people
    else:
        with pytest.raises(InputError, match="no rows"):
            shoal.read(address, slice="1d")


def test_the_command_line_gets_a_path_that_knows_the_query(folder):
    found = options.contacts(f"sqlite:///contacts.db?query={CALLS}")
    assert isinstance(found, Query)
    assert (found.name, found.engine, found.sql) == ("contacts.db", "sqlite", CALLS)
    assert found.is_file()
    assert not found.is_dir()
    assert shoal.read(found, slice="1d").n_edges == 2
    assert type(options.contacts("a.csv")) is type(folder)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("sqlite:///missing.db?query=SELECT 1", "missing.db: no such file"),
        ("sqlite:///?query=SELECT 1", "is a folder"),
        ("sqlite://", "say what to read from it"),
        ("sqlite:///contacts.db", "say what to read from it, such as sqlite:///contacts.db"),
        ("sqlite:///contacts.db?table=calls", "say what to read from it"),
        ("sqlite:///contacts.db?query=SELEC 1", 'contacts.db: near "SELEC": syntax error'),
        ("sqlite:///contacts.db?query=SELECT * FROM nowhere", "no such table: nowhere"),
        ("sqlite:///contacts.db?query=SELECT 1; SELECT 2", "may only read, with one SELECT"),
        ("sqlite:///contacts.db?query=DELETE FROM calls", "may only read, with one SELECT"),
        ("sqlite:///contacts.db?query=DELETE FROM calls RETURNING caller", "may only read, with one SELECT"),
        ("sqlite:///contacts.db?query=CREATE TABLE x (y)", "may only read, with one SELECT"),
        ("sqlite:///contacts.db?query=ATTACH 'new.db' AS new", "may only read, with one SELECT"),
        ("sqlite:///contacts.db?query=VACUUM INTO 'new.db'", "may only read, with one SELECT"),
        ("sqlite:///contacts.db?query=PRAGMA journal_mode=WAL", "may only read, with one SELECT"),
        ("sqlite:///contacts.db?query=-- nothing", "must be a SELECT"),
        (
            "sqlite:///contacts.db?query=SELECT caller, 7 AS more FROM calls",
            "no column 'source'; the columns are caller",
        ),
        ("sqlite:///contacts.db?query=SELECT 1 AS source, 2 AS source", "'source' occurs twice"),
        ("sqlite:///contacts.db?query=SELECT caller AS source, NULL AS target FROM calls", "row 1 .*'target'.*missing"),
        ("sqlite:///contacts.db?query=SELECT caller AS source, x'00' AS target FROM calls", "ids are whole numbers"),
        ("sqlite:///notes.txt?query=SELECT * FROM calls", "file is not a database"),
        ("postgresql://host/db?query=SELECT 1", "databases of sqlite and duckdb"),
        ("duckdb:///missing.duckdb?query=SELECT 1", "missing.duckdb: no such file"),
    ],
)
def test_every_refusal_is_a_sentence_and_nothing_is_made_or_changed(folder, address, message):
    (folder / "notes.txt").write_text("these are no tables " * 100)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(InputError, match=message) as refusal:
        shoal.read(address)
    assert "\n" not in str(refusal.value)
    assert before == {file.name: file.read_bytes() for file in folder.iterdir()}


def test_columns_of_mixed_kinds_are_text_and_large_answers_are_refused(folder):
    with closing(sqlite3.connect("mixed.db")) as database:
        database.execute("CREATE TABLE t (source, target, time)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", [(1, "x", 1), (2, 3, 2.5), ("y", 1, 3)])
        database.commit()
    graph = shoal.read("sqlite:///mixed.db?query=SELECT * FROM t", slice="value")
    assert graph.nodes.to_list() == ["1", "2", "3", "x", "y"]
    assert [s.label for s in graph.slices] == ["1.0", "2.5", "3.0"]
    endless = (
        "WITH RECURSIVE n(source) AS (SELECT 1 UNION ALL SELECT source + 1 FROM n) SELECT source, 0 AS target FROM n"
    )
    with unpacking_at_most(1_000_000), pytest.raises(InputError, match="more than 1 MB"):
        shoal.read(f"sqlite:///contacts.db?query={endless}")


@given(st.binary(max_size=300), st.integers(0, 8000))
def test_a_damaged_database_ends_in_a_sentence_or_a_graph(tmp_path_factory, junk, place):
    file = tmp_path_factory.mktemp("x") / "a.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE calls (source TEXT, target TEXT, time INTEGER)")
        database.executemany("INSERT INTO calls VALUES (?, ?, ?)", [(f"p{i}", f"p{i * 7 % 50}", i) for i in range(50)])
        database.commit()
    content = bytearray(file.read_bytes())
    content[place : place + len(junk)] = junk
    file.write_bytes(content)
    problem = ""
    try:
        shoal.read(f"sqlite:///{quote(str(file))}?query=SELECT * FROM calls", slice="value")
    except InputError as refusal:
        problem = str(refusal)
    assert "\n" not in problem


def test_duckdb(folder):
    duckdb = pytest.importorskip("duckdb")
    with closing(duckdb.connect("contacts.duckdb")) as database:
        database.execute("CREATE TABLE calls (caller VARCHAR, callee VARCHAR, moment TIMESTAMP)")
        database.executemany("INSERT INTO calls VALUES (?, ?, to_timestamp(?)::TIMESTAMP)", [row[:3] for row in ROWS])
    expected = shoal.read(f"sqlite:///contacts.db?query={CALLS}", slice="1d", origin="1970-01-01")
    assert shoal.read(f"duckdb:///contacts.duckdb?query={CALLS}", slice="1d") == expected
    before = sorted(file.name for file in folder.iterdir())
    for query, message in {
        "SELEC": "syntax error",
        "SELECT 1; SELECT 2": "one SELECT",
        "DELETE FROM calls": "one SELECT",
        "COPY calls TO 'out.csv'": "one SELECT",
        "ATTACH 'new.duckdb' AS new": "one SELECT",
        "SELECT * FROM read_csv('contacts.db')": "disabled",
        "SELECT caller FROM calls": "no column 'source'",
        "SELECT * FROM nowhere": "nowhere",
    }.items():
        with pytest.raises(InputError, match=message) as refusal:
            shoal.read(f"duckdb:///contacts.duckdb?query={query}")
        assert "\n" not in str(refusal.value)
    (folder / "junk.duckdb").write_bytes(b"junk" * 5000)
    with pytest.raises(InputError, match=r"junk\.duckdb"):
        shoal.read("duckdb:///junk.duckdb?query=SELECT 1")
    (folder / "junk.duckdb").unlink()
    assert sorted(file.name for file in folder.iterdir()) == before
