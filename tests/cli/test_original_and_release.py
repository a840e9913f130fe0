"""Commands that hold a release against its original, and sentences about the right thing."""

from __future__ import annotations

import json

import polars as pl
import pytest

import shoal as package
from shoal.write.again import ReleasedBefore
from tests.command import shoal

CSV = "source,target,time\n" + "".join(
    f"{i % 7 + 1},{i * 5 % 13 + 1},{i * 40_000 + 1_700_000_000}\n" for i in range(60)
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    (folder / "edges.csv").write_text(CSV)
    flags = ["-k", 3, "--slice", "1w", "--no-report", "-q", "--private", folder / "record.json"]
    assert shoal("anonymize", folder / "edges.csv", *flags, "-o", folder / "out").returncode == 0
    return folder


def test_compare_takes_a_file_and_its_release(made):
    found = shoal(
        "compare", made / "edges.csv", made / "out", "--record", made / "record.json", "--slice", "1w", "--json"
    )
    assert found.returncode == 0, found.stderr
    edges = json.loads(found.stdout)["overall"]["edges"]
    graph = package.read(made / "edges.csv", slice="1w")
    assert edges["original"] == graph.n_edges
    words = shoal("compare", made / "edges.csv", made / "out", "--record", made / "record.json", "--slice", "1w")
    assert "agreement" in words.stdout
    assert "people reached" in words.stdout
    for refused in (
        shoal("compare", made / "edges.csv", made / "out", "--slice", "1w"),
        shoal("audit", made / "out", "--original", made / "edges.csv", "--slice", "1w"),
    ):  # pseudonyms are numbers, and so are these ids: nobody may take one for the other
        assert refused.returncode == 2
        assert "people have pseudonyms" in refused.stderr


def test_the_report_can_be_written_later(made, tmp_path):
    command = ("report", made / "out", "--original", made / "edges.csv", "--slice", "1w", "-o", tmp_path / "exact")
    done = shoal(*command, "--record", made / "record.json")
    assert done.returncode == 0, done.stderr
    assert "keep it secret" in done.stdout
    numbers = json.loads((tmp_path / "exact" / "report.json").read_text())
    assert numbers["after"]["k"] == 3
    assert "<svg" in (tmp_path / "exact" / "report.html").read_text()
    assert shoal(*command, "--record", made / "record.json").returncode == 2  # it is there already
    inside = shoal(*command[:-1], made / "out" / "more", "--record", made / "record.json")
    assert "must not be inside" in inside.stderr


def test_a_large_release_with_a_json_record(tmp_path):
    folder = tmp_path / "contacts"
    folder.mkdir()
    pl.read_csv(CSV.encode()).write_parquet(folder / "a.parquet")
    command = ("anonymize", folder, "-k", 3, "--slice", "1w", "--private", tmp_path / "x.json", "--effort", "fast")
    made = shoal(*command, "-o", tmp_path / "out", "--seed", 1)
    assert made.returncode == 0, made.stderr
    assert "x.json: keep it secret" in made.stdout
    record = json.loads((tmp_path / "x.json").read_text())
    assert sorted(record["ids"].values()) == list(range(1, 14))
    assert record["k"] == 3
    names = package.read(tmp_path / "out").nodes.to_list()
    assert {str(name) for name in names} == record["ids"].keys()
    with pytest.warns(ReleasedBefore):
        package.large.anonymize_folder(
            folder, 3, tmp_path / "other", slice="1w", private=tmp_path / "x.json", effort="fast", seed=2, force=True
        )


def test_sentences_are_about_the_right_thing(made, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "x").touch()
    early = shoal("anonymize", tmp_path / "nowhere.csv", "-k", 2, "-o", tmp_path / "o", "--work-dir", tmp_path / "work")
    assert "is not an empty folder" in early.stderr  # before anything is read
    graph = package.read(made / "edges.csv", slice="1d")
    package.anonymize(graph, 2, seed=1, effort="fast", work_dir=tmp_path / "run")
    wider = package.read(made / "edges.csv", slice="1w")
    with pytest.raises(package.InputError, match=r"another input .another file, or cut into slices otherwise"):
        package.anonymize(wider, 2, effort="fast", work_dir=tmp_path / "run", resume=True)
    swapped = shoal("extend", made / "edges.csv", made / "edges.csv", "--private", made / "record.json", "-o", tmp_path / "o",
                    "--slice", "1w")  # fmt: skip
    assert "extend goes on from the folder of the last release" in swapped.stderr
    folder = tmp_path / "contacts"
    folder.mkdir()
    pl.read_csv(CSV.encode()).write_parquet(folder / "a.parquet")
    later = shoal(
        "extend", made / "out", folder, "--private", made / "record.json", "-o", tmp_path / "o", "--slice", "1w"
    )
    assert "was released before; give only later slices" in later.stderr  # it was read as the file was


def test_sweep_takes_an_effort(made, tmp_path):
    found = shoal(
        "sweep", made / "edges.csv", "-k", "2", "--slice", "1w", "-o", tmp_path / "s", "--effort", "fast", "--json"
    )
    assert found.returncode == 0, found.stderr
    assert (
        shoal("sweep", made / "edges.csv", "-k", "2", "--slice", "1w", "-o", tmp_path / "t", "--effort", "x").returncode
        == 2
    )
