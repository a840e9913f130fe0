"""Everything that can be asked for, from the command line."""

from __future__ import annotations

import csv
import json

import pytest

from tests.command import shoal

DAY = 86_400
QUICK = ("--effort", "fast", "--no-report")
ROWS = [(i % 11, (i * 7 + i // 5) % 17, i * DAY // 4) for i in range(160)]


@pytest.fixture
def edges(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,target,time\n" + "".join(f"{u},{v},{t}\n" for u, v, t in ROWS if t < 28 * DAY))
    return file


def rows(folder):
    return list(csv.reader((folder / "edges.csv").read_text().splitlines()))[1:]


def test_directed(edges, tmp_path):
    out = tmp_path / "out"
    made = shoal("anonymize", edges, "--directed", "-k", 3, "--slice", "1w", "-o", out, *QUICK)
    assert made.returncode == 0, made.stderr
    assert json.loads((out / "certificate.json").read_text())["directed"] is True
    assert shoal("verify", out).returncode == 0
    assert any(int(u) > int(v) for u, v, _ in rows(out))


def test_levels_from_a_column_and_a_subset_from_a_file(edges, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("node,level\n" + "".join(f"{i},{5 if i < 6 else 1}\n" for i in range(17)))
    record = tmp_path / "record.json"
    made = shoal(
        "anonymize",
        edges,
        "--nodes",
        people,
        "-k",
        "level",
        "--slice",
        "1w",
        "-o",
        tmp_path / "a",
        "--private",
        record,
        *QUICK,
    )
    assert made.returncode == 0, made.stderr
    assert "6 with at least 4" in made.stdout
    assert shoal("verify", tmp_path / "a", "--record", record).returncode == 0
    some = tmp_path / "some.txt"
    some.write_text("1\n2\n3\n")
    made = shoal(
        "anonymize", edges, "--protect", some, "-k", 4, "--slice", "1w", "-o", tmp_path / "b", "--json", *QUICK
    )
    assert json.loads(made.stdout)["people_by_k"] == {"1": 14, "4": 3}
    failed = shoal("anonymize", edges, "-k", "level", "--slice", "1w", "-o", tmp_path / "c")
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1
    assert "column of the file given with --nodes" in failed.stderr
    people.write_text("node,level\n1,2\n2,none\n")
    failed = shoal("anonymize", edges, "--nodes", people, "-k", "level", "--slice", "1w", "-o", tmp_path / "c")
    assert "line 3, column 'level': a level is a whole number from 1; got 'none'" in failed.stderr


def test_horizon(edges, tmp_path):
    command = ("anonymize", edges, "-k", 3, "--slice", "1d", "--horizon", "1w", "-o", tmp_path / "out", *QUICK)
    assert "has no place in the calendar" in shoal(*command).stderr  # its times count from some beginning
    made = shoal(*command, "--origin", "1970-01-01")
    assert made.returncode == 0, made.stderr
    checked = shoal("verify", tmp_path / "out")
    assert checked.returncode == 0
    assert "within each of 5 blocks of the calendar every degree vector occurs at least 3 times" in checked.stdout


def test_limits(edges, tmp_path):
    for allow in ("add", "remove"):
        made = shoal(
            "anonymize", edges, "-k", 3, "--slices", 3, "--allow", allow, "-o", tmp_path / allow, "--json", *QUICK
        )
        counts = json.loads(made.stdout)["edges"]
        assert counts["removed" if allow == "add" else "added"] == 0
    keep, forbid, exempt = (tmp_path / f"{name}.csv" for name in ("keep", "forbid", "exempt"))
    keep.write_text("source,target\n1,7\n")
    forbid.write_text("source,target\n0,1\n0,2\n")
    exempt.write_text("node\n16\n")
    made = shoal(
        "anonymize", edges, "-k", 3, "--slices", 3, "--must-keep", keep, "--forbid", forbid, "--exempt", exempt,
        "--keep-ids", "-o", tmp_path / "limited", *QUICK,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert shoal("verify", tmp_path / "limited").returncode == 0
    keep.write_text("from,to\n1,7\n")
    failed = shoal("anonymize", edges, "-k", 3, "--slices", 3, "--must-keep", keep, "-o", tmp_path / "x")
    assert failed.returncode == 2
    assert "no columns 'source' and 'target'" in failed.stderr


def test_a_release_that_grows(edges, tmp_path):
    record = tmp_path / "record.json"
    first, second = tmp_path / "first", tmp_path / "second"
    assert shoal("anonymize", edges, "-k", 3, "--slice", "1w", "-o", first, "--private", record, *QUICK).returncode == 0
    later = tmp_path / "later.csv"
    lines = [f"{u},{v},{t}\n" for u, v, t in ROWS if t >= 32 * DAY]
    later.write_text("source,target,time\n" + "".join(lines) + f"new,1,{35 * DAY}\n")
    made = shoal("extend", first, later, "--slice", "1w", "--private", record, "-o", second, *QUICK)
    assert made.returncode == 0, made.stderr
    assert "1 newcomer is held back" in made.stdout
    assert json.loads(record.read_text())["held_back"] == ["new"]
    checked = shoal("verify", first, second)
    assert checked.returncode == 0, checked.stdout
    assert "over all 2 releases every degree vector occurs at least 3 times" in checked.stdout
    again = shoal("extend", second, later, "--slice", "1w", "--private", record, "-o", tmp_path / "third")
    assert again.returncode == 2
    assert "was released before" in again.stderr


def test_three_things_to_keep_have_three_names(edges, tmp_path):
    """Edges that must stay, the weight of a removal, and people's ids; the name that sounded like all of them says so."""
    options = ("anonymize", edges, "-k", 3, "--slices", 3, "--seed", 1, "--no-report", "--json")
    counts = [
        json.loads(shoal(*options, "--removal-weight", weight, "-o", tmp_path / f"by-{weight}").stdout)["edges"]
        for weight in (1, 50)
    ]
    assert counts[1]["removed"] < counts[0]["removed"]
    assert counts[1]["added"] > counts[0]["added"]
    failed = shoal(*options, "--keep-edges", "-o", tmp_path / "x")
    assert failed.returncode == 2
    assert "--removal-weight 10" in failed.stderr
