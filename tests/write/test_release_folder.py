from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time

import pandas as pd
import pytest

import shoal
from shoal import InputError, TemporalGraph
from shoal.errors import GuaranteeError

GRAPH = TemporalGraph.from_events([(f"person-{i % 17}", f"person-{i * 7 % 23}", i % 4) for i in range(120)])


@pytest.fixture(scope="module")
def release():
    return shoal.anonymize(GRAPH, 3, seed=5, effort="fast", removal_weight=1.3)


def test_the_folder_is_complete_and_says_so(tmp_path, release):
    certificate = release.save(tmp_path / "out")
    files = {f.name for f in (tmp_path / "out").iterdir()}
    assert files == {"edges.csv", "nodes.csv", "slices.csv", "certificate.json", "report.html", "report.json"}
    assert set(certificate["sha256"]) == files - {"certificate.json"}
    told = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert told.keys() == certificate.keys()
    assert told["sha256"] == certificate["sha256"]
    edges = release.edges
    assert certificate["edges"]["original"] == edges.original == GRAPH.n_edges
    assert certificate["edges"]["released"] == edges.original + edges.added - edges.removed
    assert (certificate["edges"]["added"], certificate["edges"]["removed"]) == (edges.added, edges.removed)
    assert edges.added != edges.removed
    assert certificate["edges"]["kept_share"] == edges.kept / edges.original
    assert certificate["cost"]["normalised"] == certificate["cost"]["l1"] / (4 * GRAPH.n_nodes * (GRAPH.n_nodes - 1))
    assert (certificate["k"], certificate["n_slices"], certificate["directed"]) == (3, 4, False)
    assert not list(tmp_path.glob(".*"))


def test_the_release_is_k_anonymous_by_pandas_alone(tmp_path, release):
    release.save(tmp_path / "out", report=False)
    edges, nodes = (pd.read_csv(tmp_path / "out" / f"{name}.csv") for name in ("edges", "nodes"))
    ends = pd.concat(
        [
            edges[["source", "slice"]].rename(columns={"source": "node"}),
            edges[["target", "slice"]].rename(columns={"target": "node"}),
        ]
    )
    rows = pd.crosstab(ends["node"], ends["slice"]).reindex(nodes["node"], fill_value=0)
    assert rows.groupby(list(rows.columns)).size().min() >= 3
    assert len(edges) == len(edges.drop_duplicates(["source", "target", "slice"]))
    assert (edges["source"] < edges["target"]).all()


def test_nothing_in_the_folder_tells_who_is_who(tmp_path, release):
    release.save(tmp_path / "out", private=tmp_path / "record.json")
    for file in (tmp_path / "out").iterdir():
        text = file.read_text()
        assert "person-" not in text
        assert "seed" not in text.lower()
    record = json.loads((tmp_path / "record.json").read_text())
    assert record["seeds"] == [5]
    assert sorted(record["ids"].values()) == GRAPH.nodes.to_list()
    assert stat.S_IMODE((tmp_path / "record.json").stat().st_mode) == 0o600


def test_the_private_record_undoes_the_release(tmp_path, release):
    release.save(tmp_path / "out", private=tmp_path / "record.json")
    record = json.loads((tmp_path / "record.json").read_text())
    published = pd.read_csv(tmp_path / "out" / "edges.csv", dtype=str)
    ids = record["ids"]
    edges = {(*sorted((ids[r.source], ids[r.target])), r.slice) for r in published.itertuples()}
    edges -= {(*sorted(e[:2]), e[2]) for e in record["changed_edges"]["added"]}
    edges |= {(*sorted(e[:2]), e[2]) for e in record["changed_edges"]["removed"]}
    assert edges == {(*sorted(row[:2]), row[2]) for row in GRAPH.to_polars().iter_rows()}


def test_pseudonyms_do_not_follow_the_order_of_the_input(tmp_path):
    """A known person's pseudonym is not their rank, and a guessed seed is not enough: it depends on the data too."""
    people = [f"p{i:02}" for i in range(40)]
    names = []
    for more in ([], [("p00", "p01")]):
        graph = TemporalGraph.from_slices(
            {"a": [(people[i], people[i + 1]) for i in range(0, 40, 2)][3:] + more}, nodes=people
        )
        shoal.anonymize(graph, 2, seed=0, effort="fast").save(
            tmp_path / f"o{len(names)}", private=tmp_path / f"r{len(names)}", report=False
        )
        ids = json.loads((tmp_path / f"r{len(names)}").read_text())["ids"]
        names.append([ids[str(i)] for i in range(1, 41)])
    assert names[0] != people
    assert names[0] != names[1]


def test_reading_a_release_back_gives_the_same_graph(tmp_path, release):
    for form in ("csv", "parquet"):
        release.save(tmp_path / form, format=form, keep_ids=True, report=False)
        assert shoal.read(tmp_path / form) == release.graph
        assert shoal.verify(tmp_path / form)


def test_layers_have_a_column_of_their_own(tmp_path):
    graph = TemporalGraph.from_edges(
        {"source": [1, 2, 3, 4], "target": [2, 3, 4, 1], "layer": list("abab"), "time": ["2024-01-01"] * 4},
        time="time",
        layer="layer",
        slice="1y",
    )
    shoal.anonymize(graph, 2, seed=0, effort="fast").save(tmp_path / "out", report=False)
    assert (tmp_path / "out" / "edges.csv").read_text().startswith("source,target,slice,layer\n")
    assert (tmp_path / "out" / "slices.csv").read_text() == "slice,layer,start\na/2024,a,2024\nb/2024,b,2024\n"
    assert shoal.read(tmp_path / "out").has_layers


def test_an_existing_folder_is_replaced_only_by_force_and_only_a_release(tmp_path, release):
    release.save(tmp_path / "out", report=False)
    with pytest.raises(InputError, match="exists already"):
        release.save(tmp_path / "out", report=False)
    release.save(tmp_path / "out", report=False, force=True)
    assert shoal.verify(tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="will not replace"):
        release.save(tmp_path / "mine", force=True)
    assert (tmp_path / "mine" / "thesis.txt").exists()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"private": "out/record.json"}, "must not be inside the release folder"),
        ({"private": "nowhere/record.json"}, "there is no folder"),
        ({"private": "taken"}, "exists already"),
        ({"format": "xlsx"}, "unknown format 'xlsx'"),
    ],
)
def test_bad_ways_to_save_are_refused_before_anything_is_written(tmp_path, monkeypatch, release, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match=message):
        release.save("out", **options)
    assert [f.name for f in tmp_path.iterdir()] == ["taken"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder nobody can write")
def test_an_unwritable_folder_is_refused(release):
    with pytest.raises(InputError, match="cannot be written"):
        release.save("/proc/out")
    with pytest.raises(InputError, match="is not a folder"):
        release.save(f"{__file__}/out")


def test_a_release_that_does_not_verify_never_appears(tmp_path, monkeypatch, release):
    monkeypatch.setattr(
        "shoal.write.folder.write_tables", lambda release, names, folder, format, tell: (folder / "x").touch()
    )
    with pytest.raises(GuaranteeError, match="does not verify"):
        release.save(tmp_path / "out", report=False)
    assert not list(tmp_path.iterdir())


def test_a_run_killed_at_any_moment_leaves_the_whole_folder_or_none(tmp_path):
    """Real processes, killed after ever longer times; SIGTERM also leaves no draft behind."""
    code = (
        "import shoal; from shoal.datasets import messenger\n"
        "shoal.anonymize(messenger(300, 6, seed=1), 3, seed=1).save('out', report=False)"
    )
    seen = set()
    signals = (signal.SIGKILL, signal.SIGTERM)
    for attempt, delay in enumerate((0.8, 1.4, 1.7, 2.0, 2.3, 2.6, 2.9, 9.0)):
        work = tmp_path / str(attempt)
        work.mkdir()
        process = subprocess.Popen([sys.executable, "-c", code], cwd=work, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + delay
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if process.poll() is None:
            os.kill(process.pid, signals[attempt % 2])
        process.wait()
        there = (work / "out").exists()
        seen.add(there)
        assert not there or shoal.verify(work / "out", 3)
    assert False in seen


def test_names_with_line_breaks_are_published_and_verify(tmp_path):
    edges = [("x\ny", "z"), ("z", 'w"\n')]
    release = shoal.anonymize(shoal.TemporalGraph.from_slices({"a\nb": edges}), 1, seed=1, effort="fast")
    release.save(tmp_path / "out", keep_ids=True, report=False)
    assert shoal.verify(tmp_path / "out")
    assert shoal.read(tmp_path / "out").nodes.to_list() == release.graph.nodes.to_list()
