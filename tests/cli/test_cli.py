from __future__ import annotations

import json
import os
import subprocess

import pytest

from shoal import InputError, datasets
from shoal.datasets import messenger
from tests.command import SHOAL, shoal, shoal_process

QUICK = ("--no-report", "--effort", "fast")
CSV = "source,target,time\n" + "".join(f"{i % 7},{i * 5 % 13},{i * 40_000}\n" for i in range(60))


@pytest.fixture
def edges(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text(CSV)
    return file


def test_the_two_commands(edges, tmp_path):
    made = shoal_process("anonymize", edges, "-k", 3, "--slice", "1w", "-o", tmp_path / "out")
    assert made.returncode == 0, made.stderr
    assert "60 contacts read: 13 people" in made.stdout
    assert "Everybody shares these numbers with at least" in made.stdout
    assert "NOT stopped: whoever knows more" in made.stdout
    assert [line for line in made.stderr.splitlines() if not line.startswith("… ")] == []  # on a busy machine
    checked = shoal_process("verify", tmp_path / "out")
    assert checked.returncode == 0
    assert "holds at k = 3" in checked.stdout
    assert "claimed, not checked: made_by" in checked.stdout
    assert "\x1b" not in made.stdout + checked.stdout
    failed = shoal_process("verify", tmp_path / "out", "-k", 12)
    assert failed.returncode == 1
    assert "does NOT hold" in failed.stdout


def test_what_is_said_of_a_folder_holds_for_it(edges, tmp_path):
    """Nobody protected, some protected, original ids, a horizon: each is said, and nobody is said to be safe."""
    some = tmp_path / "some.txt"
    people = sorted({name for line in CSV.splitlines()[1:] for name in line.split(",")[:2]})
    some.write_text("\n".join(people[:4]) + "\n")
    said = {}
    for name, options in {
        "one": ("-k", 1), "ids": ("-k", 3, "--keep-ids"), "some": ("-k", 2, "--protect", some), "block": ("-k", 3, "--horizon", 1)
    }.items():  # fmt: skip
        done = shoal("anonymize", edges, *options, "--slice", "1w", "-o", tmp_path / name, *QUICK)
        assert done.returncode == 0, done.stderr
        said[name] = done.stdout
    assert "It protects nobody" in said["one"]
    assert "What holds" not in said["one"]
    assert "is left with at least 3 candidates" in said["ids"]
    assert "People go by their ORIGINAL ids" in said["ids"]
    assert "ORIGINAL" not in said["some"]
    assert "What holds if it is one of 4 people" in said["some"]
    assert f"NOT protected: the other {len(people) - 4}" in said["some"]
    assert "of one block of the calendar" in said["block"]
    assert all("NOT stopped: whoever knows more" in text for name, text in said.items() if name != "one")


def test_json_is_the_certificate_and_nothing_else(edges, tmp_path):
    asked = ("anonymize", edges, "-k", 2, "--slices", 3, "--json", "--no-report", "--seed", 4)
    made = shoal_process(*asked, "-o", tmp_path / "out")
    certificate = json.loads(made.stdout)
    told = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert {name for name in told if told[name] != certificate[name]} == {"edges", "cost", "rounding"}
    assert certificate["edges"]["kept"] + certificate["edges"]["removed"] == certificate["edges"]["original"]
    verdict = json.loads(shoal("verify", tmp_path / "out", "--json").stdout)
    assert verdict["holds"] is True
    assert {"made_by", "method", "cost.l1", "edges.added"} <= set(verdict["claimed_not_checked"])
    again = shoal(*asked, "-o", tmp_path / "b", "--jobs", 1)
    assert again.stdout == made.stdout


def test_the_private_report_has_what_the_folder_has_not(edges, tmp_path):
    made = shoal(
        "anonymize", edges, "-k", 2, "--slice", "1w", "-o", tmp_path / "out", "--private-report", tmp_path / "mine.json"
    )
    assert "Exact numbers about the original stand in" in made.stdout
    assert "clustering_original" in (tmp_path / "mine.json").read_text()
    assert "clustering_original" not in (tmp_path / "out" / "report.json").read_text()
    options = ("-k", 2, "--slice", "1w", "-o", tmp_path / "b", "--private-report", tmp_path / "b" / "r.json")
    inside = shoal("anonymize", edges, *options)
    assert (inside.returncode, "must not be inside" in inside.stderr) == (2, True)


def test_another_release_of_the_same_data_is_warned_of(edges, tmp_path):
    """Not where the same release is written again, nor where the data are others."""
    record, out = tmp_path / "record.json", tmp_path / "out"

    def make(file, seed, *more):
        command = ("anonymize", file, "-k", 2, "--slice", "1w", "--seed", seed, "-q", *QUICK)
        answer = shoal(*command, "--force", *more)
        assert answer.returncode == 0, answer.stderr
        return answer.stderr

    assert make(edges, 1, "-o", out, "--private", record) == ""
    assert make(edges, 1, "-o", out, "--private", record) == ""
    warned = make(edges, 2, "-o", tmp_path / "b", "--private", record)
    assert warned.startswith("Warning: ")
    assert "another release of the same data" in warned
    assert "match people between them" in warned
    assert "as many people and slices" in make(edges, 3, "-o", out)
    assert make(edges, 4, "-o", tmp_path / "c") == ""
    other = tmp_path / "other.csv"
    other.write_text(CSV + "0,1,0\n13,2,0\n")
    assert make(other, 4, "-o", out, "--private", record) == ""
    assert "input_digest" in json.loads(record.read_text())
    assert json.loads(record.read_text())["input_digest"] not in "".join(f.read_text() for f in out.iterdir())


def test_quiet_says_nothing(edges, tmp_path):
    made = shoal_process("anonymize", edges, "-k", 2, "--slice", "1w", "-o", tmp_path / "out", "-q", "--no-report")
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")


BAD = [
    (["anonymize", "nowhere.csv", "-k", "2", "-o", "out"], "nowhere.csv: no such file"),
    (["anonymize", "empty.csv", "-k", "2", "-o", "out"], "the file is empty"),
    (["anonymize", "edges.csv", "-k", "2", "--slice", "1d", "--source", "who", "-o", "out"], "no column 'who'"),
    (["anonymize", "edges.csv", "-k", "0", "--slice", "1d", "-o", "out"], "k must be a whole number from 1; got 0"),
    (["anonymize", "edges.csv", "-k", "14", "--slice", "1d", "-o", "out"], "at most the number of people, 13; got 14"),
    (
        ["anonymize", "edges.csv", "-k", "1" + 30 * "0", "--slice", "1d", "-o", "out"],
        "at most the number of people, 13",
    ),
    (
        ["anonymize", "edges.csv", "-k", "2", "--slice", "1d", "-o", "out", "--horizon", "²"],
        "a slice width looks like 1h",
    ),
    (["anonymize", "edges.csv", "-k", "2", "--slice", "1d", "-o", "out", "--time-limit", "inf"], "time_limit must be"),
    (["anonymize", "edges.csv", "-k", "2", "--slice", "1s", "-o", "out"], "about 2,360,000 slices"),
    (["anonymize", "edges.csv", "-k", "2", "--slice", "1d", "-o", "empty.csv"], "exists already"),
    (["anonymize", "edges.csv", "-k", "2", "--slice", "1d", "-o", "/proc/out"], "cannot be written"),
    (["anonymize", "edges.csv", "-k", "2", "--slice", "1d", "-o", "out", "--method", "x"], "unknown method 'x'"),
    (["anonymize", "edges.csv", "-k", "2", "-o", "out"], "say how to cut them with --slice"),
    (["anonymize", "edges.csv", "-k", "two", "-o", "out"], "-k"),
    (["anonymize", "edges.csv", "-o", "out"], "-k"),
    (["verify", "nowhere"], "nowhere: no such folder"),
    (["verify", "."], "not a release folder"),
]


@pytest.mark.parametrize(("args", "message"), BAD, ids=[" ".join(a) for a, _ in BAD])
def test_bad_input_is_one_sentence_and_exit_code_2(edges, tmp_path, args, message):
    (tmp_path / "empty.csv").touch()
    before = sorted(tmp_path.iterdir())
    answer = shoal(*args, cwd=tmp_path, COLUMNS="200")
    assert answer.returncode == 2
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr
    assert answer.stdout == "" or answer.stdout.startswith("60 contacts read")
    assert sorted(tmp_path.iterdir()) == before


def test_help_is_quick_and_lists_exit_codes():
    """What makes help slow is imports: typer and rich are loaded, none of the numeric stack."""
    listing = subprocess.run([SHOAL[0], "-X", "importtime", *SHOAL[1:], "--help"], capture_output=True, text=True)
    for heavy in ("numpy", "polars", "numba", "scipy", "altair", "networkx"):
        assert f" {heavy}\n" not in listing.stderr
    assert "Exit codes: 0" in listing.stdout


def test_version_and_unknown_commands():
    assert shoal("--version").stdout.startswith("shoal ")
    assert shoal("dance").returncode == 2


@pytest.mark.parametrize("installed", [True, False])
def test_demo_tells_what_it_did(tmp_path, monkeypatch, installed):
    """On real data where they are, else on made-up ones; here on a part of either."""

    def not_there(slice):
        raise InputError("the messages are not installed")

    if installed:
        weeks = datasets.irvine(slice="1w")
        monkeypatch.setattr(datasets, "irvine", lambda slice: weeks.between(end=weeks.slices[2].label))
    else:
        monkeypatch.setattr(datasets, "irvine", not_there)
        monkeypatch.setattr(datasets, "messenger", lambda n, seed: messenger(n // 20, 4, seed=seed))
    answer = shoal("demo", "-o", tmp_path / "out", "-k", 3)
    assert answer.returncode == 0, answer.stderr
    assert ("students at UC Irvine" in answer.stdout) is installed
    assert ("a made-up messenger" in answer.stdout) is not installed
    assert "it holds at k = 3" in answer.stdout
    assert (tmp_path / "out" / "report.html").is_file()


def test_colours_are_left_out_where_not_wanted(edges, tmp_path):
    answer = shoal("verify", tmp_path, NO_COLOR="1")
    assert "\x1b" not in answer.stderr


def test_audit_of_a_file_and_of_its_release(edges, tmp_path):
    before = shoal("audit", edges, "--slice", "1w", "--json")
    found = json.loads(before.stdout)
    assert found["n_nodes"] == 13
    assert {"name", "unique", "below_k", "smallest_crowd", "expected_success"} <= set(found["attackers"][0])
    options = ("-k", 4, "--slice", "1w", "-o", tmp_path / "out", "--private", tmp_path / "r.json", *QUICK)
    shoal("anonymize", edges, *options)
    after = shoal(
        "audit", tmp_path / "out", "--original", edges, "--record", tmp_path / "r.json", "--slice", "1w", "--json"
    )
    attackers = {a["name"]: a for a in json.loads(after.stdout)["attackers"]}
    assert attackers["vector"]["below_k"] == 0
    assert attackers["reidentify"]["expected_success"] <= 0.25
    words = shoal("audit", tmp_path / "out")
    assert "Stopped: whoever knows numbers of edges per slice" in words.stdout
    assert shoal("audit", tmp_path / "out", "--original", edges, "--record", edges, "--slice", "1w").returncode == 2


def test_what_a_library_prints_does_not_reach_stdout(capfd):

    from shoal.cli.console import own_stdout

    with own_stdout():
        os.write(1, b"a solver's chatter\n")
    os.write(1, b"data\n")
    assert capfd.readouterr().out == "data\n"
