"""A short campaign (`make campaign` is the long one), and its checker shown what it must notice."""

from __future__ import annotations

import ast
import hashlib
import json
from pathlib import Path
from random import Random

import pytest
from fuzz import brute, campaign, outside
from fuzz.cases import draw_case
from fuzz.graphs import Graph, Part, make_graph, pair, parts_of
from fuzz.outside import Limits, Request
from fuzz.running import run_case

import shoal

SEED = 0
SOON = [number for number in range(60) if draw_case(SEED, number).kind != "dask"][:25]


@pytest.mark.parametrize("number", SOON)
def test_a_short_campaign_finds_nothing(number):
    outcome = campaign.run_number(SEED, number, None)
    assert outcome.complaints == [], outcome.about


def test_a_case_depends_on_seed_and_number_alone():
    for number in range(30):
        assert draw_case(7, number) == draw_case(7, number)
    assert draw_case(7, 0) != draw_case(8, 0)


@pytest.mark.parametrize("file", ["outside", "brute", "graphs", "cases"])
def test_the_checker_shares_no_code_with_shoal(file):
    tree = ast.parse((Path(campaign.__file__).parent / f"{file}.py").read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in names if name.split(".")[0] in ("shoal", "tests", "numpy", "polars")]


@pytest.fixture
def release(tmp_path):
    """A release with a horizon, levels and limits, and what was asked for."""
    rng = Random(3)
    people = [f"person-{i}" for i in range(12)]
    graph = make_graph(rng, people, parts_of(rng, "days", 3), "days", directed=False)
    edges = sorted(graph.edges[0] | graph.edges[1] | graph.edges[2])
    needs = {one: 2 + (one > "person-4") for one in people}
    limits = Limits(keep={(edges[0], None)}, exempt=set())
    asked = Request(graph, needs, [0, 0, 1], limits, horizon="2", seed=123456789)
    rows = {part.label: sorted(some) for part, some in zip(graph.parts, graph.edges, strict=True)}
    made = shoal.TemporalGraph.from_slices(rows, nodes=people)
    made = shoal.anonymize(made, needs, horizon=2, must_keep=[edges[0]], seed=123456789)
    made.save(tmp_path / "release", private=tmp_path / "record.json", report=False)
    return tmp_path / "release", tmp_path / "record.json", asked


def complaints(folder, record, asked):
    found, wrong = outside.read(folder, asked)
    wrong += outside.check_files(folder, found, asked, [*map(str, asked.graph.people), str(asked.seed)])
    wrong += outside.check_graph(found, asked)
    wrong += outside.check_record(record, found, asked)
    return {campaign.rule(text) for text in wrong}


def rewrite(folder, name, change):
    """Change a file, and let the certificate know its new hash."""
    before = (folder / name).read_text()
    (folder / name).write_text(change(before))
    assert (folder / name).read_text() != before
    if name != "certificate.json":
        claims = json.loads((folder / "certificate.json").read_text())
        claims["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        (folder / "certificate.json").write_text(json.dumps(claims))


def test_the_checker_has_nothing_to_say_about_a_release(release):
    assert complaints(*release) == set()


@pytest.mark.parametrize(
    ("name", "change", "rule"),
    [
        ("edges.csv", lambda text: "\n".join(text.split("\n")[:-2]) + "\n", "crowds"),
        ("edges.csv", lambda text: text + text.split("\n")[-2] + "\n", "simple"),
        ("edges.csv", lambda text: text.replace("\n", "\n5,5,2024-04-22\n", 1), "layout"),
        ("edges.csv", lambda text: text + "99,5,2024-04-24\n", "simple"),
        ("nodes.csv", lambda text: text + "13\n", "people"),
        ("nodes.csv", lambda text: text.replace("12", "person-3"), "secret"),
        ("slices.csv", lambda text: text.replace(",2\n", ",1\n"), "slices"),
        ("slices.csv", lambda text: text.replace("block", "bin"), "layout"),
        ("certificate.json", lambda text: text.replace('"n_classes": ', '"n_classes": 1'), "certificate"),
        ("certificate.json", lambda text: text.replace('"released": ', '"released": 1'), "certificate"),
        ("certificate.json", lambda text: text.replace('"ids"', '"seed": 123456789, "ids"'), "secret"),
        ("../record.json", lambda text: text.replace(": 2,", ": 3,", 1), "record"),
    ],
)
def test_the_checker_notices(release, name, change, rule):
    rewrite(release[0], name, change)
    assert rule in complaints(*release)


def test_the_checker_notices_what_lies_beside_the_tables(release):
    folder, record, _ = release
    (folder / "notes.txt").write_text("person-7")
    assert complaints(*release) >= {"files", "secret", "certificate"}
    (folder / "notes.txt").unlink()
    record.chmod(0o644)
    assert complaints(*release) == {"record"}


def test_the_checker_notices_changes_against_the_limits(release):
    asked = release[2]
    asked.limits.allow = "remove"
    asked.limits.exempt = {"person-1", "person-2", "person-3", "person-4"}
    assert complaints(*release) == {"limits"}


def test_the_checker_notices_people_told_apart_by_two_releases():
    """Each holds at k = 2 on its own; together they leave everybody alone. So does being listed in one of them only."""
    graph = Graph(list("1234"), [Part("all", None, None)], [set()], [], False, "one")
    asked = Request(graph, dict.fromkeys("1234", 2), [0], Limits())
    one, other = (outside.Found(list("1234"), [], [edges], {}) for edges in ([("1", "2")], [("1", "3")]))
    some = outside.Found(list("13"), [], [[]], {})
    assert not list(outside.check_together([(one, asked), (one, asked)]))
    assert list(outside.check_together([(one, asked), (other, asked)]))
    assert list(outside.check_together([(one, asked), (some, asked)]))


def triangle(limits, k):
    """Three people in a row."""
    edges = {pair("a", "b", False), pair("b", "c", False)}
    graph = Graph(["a", "b", "c"], [Part("all", None, None)], [edges], [], False, "one")
    return Request(graph, dict.fromkeys("abc", k), [0], limits)


@pytest.mark.parametrize(
    ("limits", "k", "answer"),
    [
        (Limits(), 3, True),
        (Limits("add"), 2, True),
        (Limits("add", forbid={(("a", "c"), None)}), 2, False),
        (Limits("remove", keep={(("a", "b"), "all")}), 2, False),
        (Limits(exempt={"b"}), 2, True),
        (Limits("remove", exempt={"b"}), 2, False),
        (Limits(exempt={"a"}), 1, True),
    ],
)
def test_brute_force_knows_what_can_be_done(limits, k, answer):
    assert brute.possible(triangle(limits, k)) is answer


def test_crashes_guards_and_wrong_refusals_are_violations(tmp_path, monkeypatch):
    number = next(i for i in range(100) if draw_case(0, i).kind == "plain")
    for i, (error, rule) in enumerate(
        [
            (ZeroDivisionError("x"), "crash"),
            (shoal.InputError("not today, please"), "wrong refusal"),
            (shoal.errors.GuaranteeError("a bug"), "guard"),
        ]
    ):

        def fail(*_, error=error, **__):
            raise error

        monkeypatch.setattr("fuzz.asking.anonymize", fail)
        monkeypatch.setattr("fuzz.asking.anonymize_by_command", fail)
        (tmp_path / str(i)).mkdir()
        outcome = run_case(draw_case(0, number), tmp_path / str(i))
        assert [campaign.rule(text) for text in outcome.complaints] == [rule]
    counts = campaign.summary([outcome])
    assert counts["violations"] == {"guard": 1}
    assert any("1 violations" in line for line in campaign.describe(counts))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the alarm may ring in any callback
def test_a_slow_case_is_given_up():
    assert campaign.run_number(0, SOON[0], 0.001).end == "slow"
