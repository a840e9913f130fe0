"""Folders of Parquet: counted right whatever their partition, released, verified, refused."""

from __future__ import annotations

import json
import shutil

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import InputError
from shoal.large import anonymize_folder, audit_folder
from shoal.large import contacts as steps
from shoal.published.coarse import floor_grid
from shoal.write.again import ReleasedBefore
from tests import naive
from tests.audit.forge import claims_of, sign
from tests.command import shoal as run
from tests.engine.conftest import hashes

OPTIONS = {"slice": "1d", "seed": 4, "effort": "fast", "shard_people": 100, "report": False}


def as_one(folder):
    frame = pl.concat(pl.read_parquet(file) for file in sorted(folder.rglob("*.parquet")))
    return shoal.TemporalGraph.from_edges(frame, source="source", target="target", time="time", slice="1d")


def test_the_release_holds_and_counts_right(contacts, tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "CHUNK_ROWS", 200)
    made = anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS, keep_ids=True, private=tmp_path / "who.parquet")
    assert shoal.verify(tmp_path / "out", 3)
    before, after = as_one(contacts), shoal.read(tmp_path / "out")
    labels = [s.label for s in after.slices]
    assert labels == [s.label for s in before.slices]
    assert after.nodes.to_list() == before.nodes.to_list()
    degrees = naive.degree_matrix(after.to_polars(), after.nodes.to_list(), labels)
    assert naive.smallest_crowd(degrees) == made["min_class_size"] >= 3
    assert made["cost"]["l1"] == np.abs(degrees - before.degree_matrix()).sum()
    assert 0 < made["cost"]["lower_bound"] <= made["cost"]["l1"]
    old, new = (set(g.to_polars().iter_rows()) for g in (before, after))
    assert (made["edges"]["added"], made["edges"]["removed"]) == (len(new - old), len(old - new))
    assert max(made["memory"].values()) > 10**7
    who = pl.read_parquet(tmp_path / "who.parquet")
    assert who["id"].to_list() == before.nodes.to_list()  # by the names in the folder
    assert who["node"].to_list() == list(map(str, before.nodes.to_list()))
    assert oct((tmp_path / "who.parquet").stat().st_mode)[-3:] == "600"


def test_the_folder_tells_coarse_numbers_and_another_release_is_warned_of(contacts, tmp_path):
    places = {"private": tmp_path / "who.parquet", "force": True}
    made = anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS, **places)
    told = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert told["edges"]["added"] == floor_grid(made["edges"]["added"]) != made["edges"]["added"]
    assert told["cost"]["l1"] == floor_grid(made["cost"]["l1"])
    anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS, **places)  # the same again: a warning would be an error
    with pytest.warns(ReleasedBefore, match="another release of the same data"):
        anonymize_folder(contacts, 3, tmp_path / "b", **OPTIONS | {"seed": 5}, **places)
    with pytest.warns(ReleasedBefore, match="as many people and slices"):
        anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS | {"seed": 6}, force=True)


def test_any_partition_any_engine_same_bytes(contacts, tmp_path, start_cluster):
    anonymize_folder(contacts, 3, tmp_path / "one", **OPTIONS, jobs=1)
    anonymize_folder(contacts, 3, tmp_path / "two", **OPTIONS, jobs=2)
    assert hashes(tmp_path / "one") == hashes(tmp_path / "two")
    with start_cluster(1) as client:
        for n_workers in (1, 3):
            client.cluster.scale(n_workers)
            client.wait_for_workers(n_workers)
            anonymize_folder(contacts, 3, tmp_path / f"dask-{n_workers}", **OPTIONS, engine=client)
    for n_workers in (1, 3):
        assert hashes(tmp_path / f"dask-{n_workers}") == hashes(tmp_path / "one")


def test_columns_in_the_names_of_folders(contacts, tmp_path):
    frame = pl.concat(pl.read_parquet(file) for file in sorted(contacts.glob("*.parquet")))
    for (time,), part in frame.group_by("time"):
        folder = tmp_path / "hive" / f"time={time}"
        folder.mkdir(parents=True)
        part.drop("time").write_parquet(folder / "part.parquet")
    assert audit_folder(tmp_path / "hive", k=3, slice="1d") == audit_folder(contacts, k=3, slice="1d")


def test_the_audit_is_that_of_one_machine(contacts):
    found, vector = audit_folder(contacts, k=3, slice="1d"), shoal.audit(as_one(contacts), k=3)["vector"]
    assert (found["unique"], found["below"], found["smallest"]) == (
        vector.unique,
        vector.below_k,
        vector.smallest_crowd,
    )


def test_sparse_ids_repeats_and_loops(tmp_path):
    frame = pl.DataFrame({"source": [5, 10**15, 5, -3], "target": [10**15, 5, 5, 5], "time": ["a", "a", "a", "b"]})
    (tmp_path / "in").mkdir()
    frame.write_parquet(tmp_path / "in" / "x.parquet")
    made = anonymize_folder(tmp_path / "in", 1, tmp_path / "out", slice="value", keep_ids=True)
    assert (made["n_nodes"], made["edges"]["original"]) == (3, 2)
    assert shoal.read(tmp_path / "out").nodes.to_list() == [-3, 5, 10**15]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.with_columns(source=pl.when(pl.col("source") > 0).then(pl.col("target"))), "join"),
        (lambda f: pl.concat([f, f[:1]]), "1 edges occur again"),
        (lambda f: f[1:], "edges.released is"),
        (lambda f: f.with_columns(slice=pl.lit("x")), "are not"),
        (lambda f: f.with_columns(source=pl.lit(10**9)), "do not"),
        (lambda f: f.drop("target"), "00001.parquet"),
    ],
)
def test_verify_notices_what_is_wrong_in_a_slice(contacts, tmp_path, change, message):
    anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS)
    file = tmp_path / "out" / "edges" / "00001.parquet"
    change(pl.read_parquet(file)).write_parquet(file)
    verdict = shoal.verify(tmp_path / "out")
    assert not verdict
    assert any("00001.parquet was changed" in failure for failure in verdict.failures)
    assert any(message in failure or "loops" in failure for failure in verdict.failures[1:])


def test_forgeries_in_partitioned_parquet(contacts, tmp_path):
    """Signed again each time, and refused: ids that are cut to whole numbers, directions, columns, notes, files, claims."""
    folder = tmp_path / "out"
    anonymize_folder(contacts, 3, folder, **OPTIONS)
    assert shoal.verify(sign(folder))
    changes = {
        "edges/00001.parquet": [
            lambda f: f.with_columns(pl.col("source") + 0.5),
            lambda f: f.with_columns(pl.col("source", "target").cast(pl.String)),
            lambda f: f.with_columns(who=pl.lit("alice")),
            lambda f: f.rename({"source": "target", "target": "source"}).select("source", "target", "slice"),
            lambda f: f.reverse(),
        ],
        "nodes.parquet": [
            lambda f: f.with_columns(pl.col("node") + 0.5),
            lambda f: f.with_columns(who=pl.lit("alice")),
            lambda f: f.reverse(),
        ],
        "slices.parquet": [lambda f: f.with_columns(block=1), lambda f: f.with_columns(layer=pl.lit("x"))],
    }
    for name, every in changes.items():
        good = pl.read_parquet(folder / name)
        for change in every:
            change(good).write_parquet(folder / name)
            assert not shoal.verify(sign(folder))
        good.write_parquet(folder / name, metadata={"who": "alice"})
        assert "carries more than its table" in shoal.verify(sign(folder)).failures[0]
        good.write_parquet(folder / name)
    for name in ("nodes.csv", "edges.parquet", "edges/alice.parquet", "edges/.hidden", "who.csv"):
        (folder / name).write_text("alice")
        assert "does not belong" in shoal.verify(sign(folder)).failures[0]
        (folder / name).unlink()
    (folder / "edges" / "more").mkdir()
    assert "edges/more is not a file" in shoal.verify(sign(folder)).failures[0]
    (folder / "edges" / "more").rmdir()
    good = claims_of(folder)
    for claim in (
        {"n_classes": 1},
        {"ordered": False},
        {"horizon": "1d"},
        {"k": 2},
        {"people_by_k": {"2": good["n_nodes"]}},
    ):
        assert not shoal.verify(sign(folder, **claim))
        sign(folder, **good)
    assert shoal.verify(sign(folder))


def test_a_higher_k_than_promised_does_not_hold(contacts, tmp_path):
    anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS)
    assert not shoal.verify(tmp_path / "out", 400)
    (tmp_path / "out" / "edges" / "00002.parquet").unlink()
    assert "one file for each" in shoal.verify(tmp_path / "out").failures[1]


def test_the_commands(contacts, tmp_path):
    made = run("anonymize", contacts, "-k", 3, "--slice", "1d", "-o", tmp_path / "out", "--effort", "fast")
    assert made.returncode == 0, made.stderr
    assert "Peak memory" in made.stdout
    assert shoal.verify(tmp_path / "out", 3)
    assert "can be singled out" in run("audit", contacts, "--slice", "1d").stdout
    refused = run("anonymize", contacts, "-k", 3, "-o", tmp_path / "no", "--slice", "1d", "--encoding", "cp1252")
    assert (refused.returncode, refused.stderr) == (
        2,
        f"shoal: {contacts}: --encoding does not go with a folder of Parquet; it works on a single file\n",
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["contacts", "out"]


def test_resume_needs_a_work_folder(contacts, tmp_path):
    with pytest.raises(InputError, match="resume=True goes with work_dir="):
        anonymize_folder(contacts, 3, tmp_path / "no", **OPTIONS, resume=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["contacts"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"source": [1.5], "target": [2.5], "time": [1]}, "ids are whole numbers or text"),
        ({"source": [1], "target": [2]}, "no column 'time'"),
        ({"source": [1], "target": [2], "time": ["monday"]}, "row 1, column 'time': cannot read the time 'monday'"),
        ({"source": [1], "target": [None], "time": [1]}, "ids|id is missing"),
        ({"source": [1, 2], "target": [2, None], "time": [1, 1]}, "row 2, column 'target': the id is missing"),
        ({"source": [1, 2], "target": [2, 1], "time": [None, 1]}, "row 1, column 'time': the time is missing"),
        ({"source": [1, 2], "target": [2, 1], "time": [0, 9 * 10**9]}, "104,167 slices, each a file"),
        ({"source": [1] * 3_000_000, "target": [2] * 3_000_000, "time": [1] * 3_000_000}, "unpacks to more than"),
        ({"source": [2**64 - 1], "target": [2], "time": [1]}, "ids of more than 63 bits"),
        ({"source": [1], "target": [2], "time": [1]}, "k must be at most the number of people, 2"),
    ],
)
def test_unusable_folders_are_one_sentence(tmp_path, frame, message):
    (tmp_path / "in").mkdir()
    pl.DataFrame(frame).write_parquet(tmp_path / "in" / "x.parquet")
    with pytest.raises(InputError, match=message):
        anonymize_folder(tmp_path / "in", 3, tmp_path / "out", slice="1d")
    shutil.rmtree(tmp_path / "in")
    (tmp_path / "in").mkdir()
    with pytest.raises(InputError, match=r"there is no \.parquet file"):
        anonymize_folder(tmp_path / "in", 3, tmp_path / "out", slice="1d")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]
