from __future__ import annotations

import ast
import hashlib
import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given

import shoal
from shoal import InputError, TemporalGraph
from tests import naive
from tests.strategies import graphs
from tests.uncompiled import examples

GRAPH = TemporalGraph.from_events([(f"person-{i % 17}", f"person-{i * 7 % 23}", i % 4) for i in range(120)])


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    place = tmp_path_factory.mktemp("good") / "out"
    shoal.anonymize(GRAPH, 3, seed=5).save(place, report=False)
    return place


@pytest.fixture
def folder(good, tmp_path):
    return shutil.copytree(good, tmp_path / "out")


def sign_again(folder):
    """What a clever forger would do: make the hashes fit the changed files."""
    claims = json.loads((folder / "certificate.json").read_text())
    claims["sha256"] = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in claims["sha256"]}
    (folder / "certificate.json").write_text(json.dumps(claims))


def edit(folder, table, change):
    frame = pl.read_csv(folder / f"{table}.csv", infer_schema=False)
    change(frame).write_csv(folder / f"{table}.csv")


def test_a_release_holds_and_says_at_which_k(folder):
    verdict = shoal.verify(folder)
    assert verdict
    assert verdict.k == 3
    assert verdict.min_class_size >= 3
    assert not verdict.failures
    assert shoal.verify(folder, 2)
    too_much = shoal.verify(folder, verdict.min_class_size + 1)
    assert not too_much
    assert "people are in a crowd below" in too_much.failures[0]
    assert json.dumps(verdict.to_dict())


def flip(frame):
    return frame.with_columns(source=pl.col("target"), target=pl.col("source"))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(
    ("table", "change", "failure"),
    [
        ("edges", lambda f: f[1:], "every degree vector occurs"),
        ("edges", lambda f: pl.concat([f, f[:1]]), "every slice is a simple graph"),
        ("edges", lambda f: pl.concat([f, flip(f[:1]).select(f.columns)]), "every slice is a simple graph"),
        ("edges", lambda f: f.with_columns(target=pl.col("source")), "every slice is a simple graph"),
        (
            "edges",
            lambda f: pl.concat([f, f[:1].with_columns(target=pl.col("source"))]),
            "every slice is a simple graph",
        ),
        ("edges", lambda f: f.with_columns(target=pl.lit("stranger")), "every edge ends at a listed person"),
        ("edges", lambda f: f.with_columns(source=pl.lit("stranger")), "every edge starts at a listed person"),
        ("edges", lambda f: f.with_columns(slice=pl.lit("never")), "every edge is in a listed slice"),
        ("edges", lambda f: f.drop("target"), "the tables can be read"),
        ("edges", lambda f: f.with_columns(target=pl.lit(None)), "the tables can be read"),
        ("nodes", lambda f: pl.concat([f, f[:1]]), "no person is listed twice"),
        ("nodes", lambda f: f[1:], "listed person"),
        ("nodes", lambda f: pl.concat([f, pl.DataFrame({"node": ["999"]})]), "every degree vector occurs"),
        ("slices", lambda f: pl.concat([f, f[:1]]), "no slice is listed twice"),
        ("slices", lambda f: pl.concat([f, f[:1].with_columns(slice=pl.lit("more"))]), "the certificate counts right"),
    ],
)
def test_tampering_is_found_even_when_the_hashes_are_made_to_fit(folder, table, change, failure, signed):
    edit(folder, table, change)
    if signed:
        sign_again(folder)
    verdict = shoal.verify(folder)
    assert not verdict
    assert any(failure in f for f in verdict.failures) or (failure == "every degree vector occurs" and not signed)
    assert any("was changed" in f for f in verdict.failures) != signed


def test_missing_and_extra_files_are_found(folder):
    (folder / "notes.txt").write_text("who is who")
    assert "not in the certificate: notes.txt" in shoal.verify(folder).failures[0]
    (folder / "notes.txt").unlink()
    (folder / "edges.csv").unlink()
    assert "missing: edges.csv" in shoal.verify(folder).failures[0]


def test_a_certificate_that_boasts_is_found(folder):
    claims = json.loads((folder / "certificate.json").read_text())
    (folder / "certificate.json").write_text(json.dumps({**claims, "min_class_size": 99}))
    assert "min_class_size is" in shoal.verify(folder).failures[0]
    (folder / "certificate.json").write_text(json.dumps({**claims, "k": 20}))
    assert not shoal.verify(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"k": "five"}'])
def test_something_that_is_no_release_is_bad_input(folder, tmp_path, content):
    (folder / "certificate.json").write_text(content)
    with pytest.raises(InputError):
        shoal.verify(folder)
    with pytest.raises(InputError, match="no such folder"):
        shoal.verify(tmp_path / "nowhere")
    with pytest.raises(InputError, match="not a release folder"):
        shoal.verify(tmp_path)


def test_verify_shares_no_code_with_what_it_checks():
    """From verify on, whatever is imported of shoal is the exceptions or one more file of verify's own."""
    place, seen, waiting = Path(shoal.__file__).parent / "audit", set(), ["verify"]
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for node in ast.walk(ast.parse((place / f"{name}.py").read_text(encoding="utf-8"))):
            named = [node.module] if isinstance(node, ast.ImportFrom) else []
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for module in named:
                if module.startswith("shoal") and module != "shoal.errors":
                    assert module.startswith("shoal.audit._")
                    waiting += {module.removeprefix("shoal.audit.")} - seen
    assert seen == {
        "verify",
        "_listing",
        "_released",
        "_tables",
        "_partitioned",
        "_claims",
        "_crowds",
        "_contacts",
        "_traits",
        "_promised",
        "_words",
    }


@examples(40)
@given(graphs())
def test_crowds_are_counted_as_a_counter_counts_them(tmp_path_factory, graph):
    folder = tmp_path_factory.mktemp("v") / "out"
    shoal.anonymize(graph, 1, seed=0).save(folder, report=False)
    assert shoal.verify(folder).min_class_size == naive.smallest_crowd(graph.degree_matrix())
