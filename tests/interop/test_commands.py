"""The same through the commands: exit code 2 and one line for whatever is wrong, and a private record that knows the database."""

from __future__ import annotations

import hashlib
import json

import pytest

import shoal
from tests.command import shoal as shoal_command
from tests.interop.test_sql import write_calls
from tests.interop.test_xml import BOMB, GEXF, GRAPHML

QUERY = "sqlite:///calls.db?query=SELECT u AS source, v AS target, t AS time FROM calls"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_calls("calls.db", "u, v, t", [(i % 7, i * 5 % 13, i * 40_000) for i in range(60)])
    return shoal_command


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.graphml", BOMB),
        ("a.graphml", GRAPHML[:500]),
        ("a.gexf", GEXF[:-30]),
        ("a.gexf", "not XML"),
        ("a.graphml.gz", "\x1f\x8b broken"),
        ("a.db", "not a database " * 50),
    ],
)
def test_bad_files_end_with_one_line_and_code_2(run, tmp_path, name, content):
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    address = f"sqlite:///{name}?query=SELECT * FROM calls" if name.endswith(".db") else name
    for command in (
        ["audit", address],
        ["anonymize", address, "-k", 2, "-o", "out"],
        ["sweep", address, "-k", 2, "-o", "s"],
    ):
        code, out, problem = run(*command, "--slice", "1d")
        assert (code, out) == (2, "")
        assert problem.startswith(f"shoal: {name}")
        assert problem.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "query", ["sqlite:///no.db?query=SELECT 1", "sqlite:///calls.db?query=DROP TABLE calls", "x://y"]
)
def test_bad_queries_end_the_same_way(run, tmp_path, query):
    before = sorted(tmp_path.iterdir())
    code, _, problem = run("anonymize", query, "-k", 2, "-o", "out")
    assert code == 2
    assert problem.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_query_becomes_a_release(run, tmp_path):
    code, out, problem = run(
        "anonymize",
        QUERY,
        "-k",
        2,
        "--slice",
        "1w",
        "-o",
        "out",
        "--private",
        "who.json",
        "--no-report",
        "--effort",
        "fast",
    )
    assert (code, problem) == (0, "")
    assert "60 contacts read: 13 people" in out
    assert shoal.verify(tmp_path / "out", k=2)
    record = json.loads((tmp_path / "who.json").read_text())
    assert record["input"]["name"] == "calls.db"
    assert record["input"]["sha256"] == hashlib.sha256((tmp_path / "calls.db").read_bytes()).hexdigest()
