"""The same contacts and seed give the same release, from one file and from a folder of Parquet, on every engine."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.contacts.behind import Behind
from shoal.large import anonymize_folder, open_folder
from tests.command import shoal as run
from tests.engine.conftest import hashes
from tests.engine.test_faults import At, Stopped, stop
from tests.uncompiled import examples

NAMES = ["ann", "Bob", "çem", "d e", "eve,", "f\n", "0", "-7", "07", "12", "a rather long name that goes on and on"]
FAST = {"seed": 3, "effort": "fast"}


def both_ways(rows, place, n_files=2, hive=False):
    """The same contacts as one file of text and as a folder of Parquet."""
    frame = pl.DataFrame(rows, schema=["source", "target", "time", "layer"], orient="row")
    file, folder = place / "in.csv", place / "in"
    frame.write_csv(file)
    for i in range(n_files):
        part = folder / (f"layer={i}" if hive else ".")
        part.mkdir(parents=True, exist_ok=True)
        frame[i::n_files].write_parquet(part / f"{i}.parquet")
    return file, folder


def edges_of(folder):
    graph = shoal.read(folder)
    return sorted(map(str, graph.nodes.to_list())), sorted(map(str, graph.to_polars().rows()))


contacts = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from(["2024-05-01", "2024-05-02", "2024-05-06T11:00", "2024-06-02T10:00:00Z"][:2]),
        st.sampled_from(["work", "lunch"]),
    ),
    min_size=1,
    max_size=30,
)


@examples(25)
@given(contacts, st.booleans(), st.booleans(), st.integers(1, 3), st.sampled_from(["1d", "value", "1w"]), st.data())
def test_a_folder_is_read_as_a_file_is(rows, directed, layered, n_files, width, data):
    place = Path(tempfile.mkdtemp())
    file, folder = both_ways(rows, place, n_files)
    (place / "more.csv").write_text("node\nzoe\nann\n")
    options = {"slice": width, "directed": directed, "layer": "layer" if layered else None}
    options["nodes"] = place / "more.csv" if data.draw(st.booleans()) else None
    whole = shoal.read(file, **options)
    with open_folder(folder, **options) as graph:
        assert graph == whole
        assert graph.slices == whole.slices
        assert graph.digest() == whole.digest()
        assert graph.tally._replace(unused=()) == whole.tally._replace(unused=())
        assert (graph.degree_matrix() == whole.degree_matrix()).all()
        k = data.draw(st.integers(1, whole.n_nodes))
        levels = dict.fromkeys(whole.nodes.to_list()[::2], k)
        for asked in ({"k": levels}, {"k": k, "horizon": 1}, {"k": k, "protect": whole.nodes.to_list()[:2]}):
            one, other = (shoal.anonymize(g, **asked, **FAST) for g in (whole, graph))
            assert one.graph == other.graph
            assert one.bound == other.bound
            assert one.groups.tolist() == other.groups.tolist()
            assert one.cost_l1 == other.cost_l1
            other.work.remove()
    shutil.rmtree(place)


TIMES = [
    ["24.12.2024", "03.01.2025", "01.02.2025"],
    ["12/24/2024", "03/01/2025", "01/02/2025"],
    ["2024-12-24 10:00", "2024-12-25 11:00", "2025-01-01 00:00"],
    ["5", "90000", "180000"],
    ["1700000000.5", "1700090000", "1700180000"],
]


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("cut", [{"slice": "1d"}, {"slices": 3}, {"slice": "value"}])
def test_times_are_read_as_in_a_file(times, cut, tmp_path):
    rows = [(str(i), str(i + 1), times[i % 3], "x") for i in range(9)]
    file, folder = both_ways(rows, tmp_path, n_files=3)  # each file alone has one time only, and may leave it in doubt
    whole = shoal.read(file, **cut)
    with open_folder(folder, **cut) as graph:
        assert graph == whole
        assert graph.slices == whole.slices


def test_dates_that_nothing_tells_apart_are_refused(tmp_path):
    for times, message in (
        (["03/04/2024", "05/06/2024"], "say day_first=True or day_first=False"),
        (["24/12/2024", "12/24/2024"], "some dates in it are written day first and some month first"),
    ):
        _, folder = both_ways([("a", "b", one, "x") for one in times], tmp_path)
        with pytest.raises(shoal.InputError, match=message), open_folder(folder, slice="1d"):
            pass
        shutil.rmtree(folder)


def test_a_whole_release_on_two_engines(tmp_path, start_cluster):
    """Text ids, directions, layers, levels, a horizon, limits, moved ties: the same bytes, and the edges of one CSV."""
    graph = shoal.datasets.messenger(120, 4, seed=5)
    rows = [
        (f"person {u}", f"person {v}", f"2024-05-0{t + 1}", "xy"[(u + t) % 2])
        for t in range(4)
        for u, v in graph.edges(t).tolist()
    ]
    file, folder = both_ways(rows, tmp_path, n_files=3)
    people = sorted({one for row in rows for one in row[:2]})
    read = {"slice": "1d", "directed": True, "layer": "layer"}
    limits = {"allow": "add", "exempt": people[:1]}
    with start_cluster(2) as client:
        for name, asked in (
            ("levels", {"k": {one: 2 + i % 3 for i, one in enumerate(people)}, "horizon": 2}),
            ("limits", {"k": 2, **limits, "forbid": [(people[3], people[4])]}),
            ("moved", {"k": 3, "against": "graph"}),
        ):
            k = asked.pop("k")
            shoal.anonymize(shoal.read(file, **read), k, **asked, **FAST).save(tmp_path / name, report=False)
            made = {"report": name == "levels", **asked, **FAST, **read}
            anonymize_folder(folder, k, tmp_path / f"{name}-local", **made)
            anonymize_folder(folder, k, tmp_path / f"{name}-dask", **made, engine=client)
            assert hashes(tmp_path / f"{name}-local") == hashes(tmp_path / f"{name}-dask")
            assert edges_of(tmp_path / name) == edges_of(tmp_path / f"{name}-local")
    assert "sampled" not in (tmp_path / "levels-local" / "report.html").read_text()


@examples(15)
@given(
    contacts,
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
    st.sampled_from(["times", "counts", "carried"]),
    st.data(),
)
def test_contacts_are_kept_from_a_folder_as_from_a_file(rows, directed, layered, n_files, kind, data):
    place = Path(tempfile.mkdtemp())
    hours = data.draw(st.lists(st.integers(0, 23), min_size=len(rows), max_size=len(rows)))
    rows = [(u, v, f"{day}T{hour:02}:30", layer) for (u, v, day, layer), hour in zip(rows, hours, strict=True)]
    file, folder = both_ways(rows, place, n_files)
    options = {"slice": data.draw(st.sampled_from(["1d", "1w"])), "directed": directed, "contacts": kind}
    options["layer"] = "layer" if layered else None
    whole = shoal.read(file, **options)
    moved = {"against": "graph", "move": "tie"} if kind == "carried" else {}
    with open_folder(folder, **options) as graph:
        assert graph.contacts.digest() == whole.contacts.digest()
        if whole.contacts.clock is not None:
            assert graph.contacts.clock.spans.tolist() == whole.contacts.clock.spans.tolist()
        names = pl.Series([f"q{i}" for i in range(whole.n_nodes)][::-1])
        assert graph.renamed(names).contacts.digest() == whole.renamed(names).contacts.digest()
        one, other = (
            shoal.anonymize(g, 1 + whole.n_nodes // 4, contacts=kind, **moved, **FAST) for g in (whole, graph)
        )
        assert one.graph == other.graph
        assert one.graph.contacts.digest() == other.graph.contacts.digest()
    shutil.rmtree(place)


def written(folder):
    """All contacts of a release, as text."""
    files = sorted((folder / "contacts").glob("*")) if (folder / "contacts").is_dir() else [folder / "contacts.csv"]
    read = [pl.read_parquet(f) if f.suffix == ".parquet" else pl.read_csv(f, infer_schema=False) for f in files]
    return [row for frame in read for row in frame.cast(pl.String).rows()]


def many(place, n=120, days=4):
    """Contacts at times of the day, some pairs often, and a made-up table of people, in one file and in a folder."""
    graph, rng = shoal.datasets.messenger(n, days, seed=5), np.random.default_rng(0)
    rows = [
        (u, v, f"2024-05-0{t + 1}T{hour:02}:{minute:02}", str(1 + hour % 3))
        for t in range(days)
        for u, v in graph.edges(t).tolist()
        for hour, minute in rng.integers((6, 0), (23, 60), (rng.geometric(0.4), 2)).tolist()
    ]
    people = pl.DataFrame({"id": range(n), "sex": rng.choice(["f", "m"], n), "age": rng.integers(18, 60, n),
                           "ill": rng.choice(["no", "flu"], n, p=[0.8, 0.2])})  # fmt: skip
    people.write_csv(place / "people.csv")
    return *both_ways(rows, place, n_files=3), place / "people.csv"


def test_contacts_and_attributes_on_two_engines(tmp_path, start_cluster):
    file, folder, people = many(tmp_path)
    known = {"nodes": people, "people": people, "attributes": ["sex", "age:20"], "sensitive": "ill", "diverse": 2}
    with start_cluster(2) as client:
        for name, read, asked in (
            ("times", {"contacts": "times"}, {"contacts": "times", **known}),
            ("counts", {"contacts": "counts", "count": "layer"}, {"contacts": "counts", "protect_counts": True}),
            ("carried", {"contacts": "carried"}, {"contacts": "carried", "against": "graph", "move": "tie"}),
        ):
            read = {"slice": "1d", **read}
            reading = read | ({"nodes": asked["nodes"]} if "nodes" in asked else {})
            making = {option: value for option, value in asked.items() if option != "nodes"} | FAST
            shoal.anonymize(shoal.read(file, **reading), 3, **making).save(tmp_path / name, report=False)
            both = reading | making | {"report": name == "times"}
            anonymize_folder(folder, 3, tmp_path / f"{name}-local", **both)
            anonymize_folder(folder, 3, tmp_path / f"{name}-dask", **both, engine=client, work_dir=tmp_path / "work")
            assert hashes(tmp_path / f"{name}-local") == hashes(tmp_path / f"{name}-dask")
            assert edges_of(tmp_path / name) == edges_of(tmp_path / f"{name}-local")
            assert written(tmp_path / name) == written(tmp_path / f"{name}-local")
            assert shoal.verify(tmp_path / f"{name}-dask", 3)
            again = shoal.read(tmp_path / f"{name}-dask").contacts
            assert again.counts.tolist() == shoal.read(tmp_path / name).contacts.counts.tolist()


def test_drawing_goes_on_and_never_with_other_contacts(tmp_path):
    file, _, _ = many(tmp_path)
    graph, counted = (shoal.read(file, slice="1d", contacts=kind) for kind in ("times", "counts"))
    expected = shoal.anonymize(graph, 3, **FAST, contacts="times").graph.contacts.digest()
    kept = {"work_dir": tmp_path / "work", **FAST}
    with pytest.raises(Stopped):
        shoal.anonymize(graph, 3, **kept, contacts="times", progress=At("drawing contacts", stop))
    later = graph.between()
    later.contacts = replace(
        graph.contacts, behind=tuple(Behind(b.counts, b.times + 60_000_000) for b in graph.contacts.behind)
    )
    for other, asked in (
        (graph, {"contacts": "counts"}),
        (graph, {"contacts": "times", "protect_counts": True}),
        (graph, {}),
        (counted, {"contacts": "counts"}),
        (later, {"contacts": "times"}),
    ):
        with pytest.raises(shoal.InputError, match="was begun with another set of contacts"):
            shoal.anonymize(other, 3, **kept, **asked, resume=True)
    assert shoal.anonymize(graph, 3, **kept, contacts="times", resume=True).graph.contacts.digest() == expected
    assert sorted(file.name for file in (tmp_path / "work").glob("contacts-*")) == [
        f"contacts-0000{t}.part" for t in range(4)
    ]


def test_what_a_folder_does_not_tell_of_contacts_is_one_sentence(tmp_path):
    _, folder = both_ways([("a", "b", "2024", "x"), ("b", "c", "2025", "0")], tmp_path)
    for options, match in (
        ({"slice": "value", "contacts": "times"}, "in: times of contacts are published in slices of a width"),
        ({"slice": "1y", "contacts": "times", "count": "layer"}, "whose times it does not tell"),
        ({"slice": "value", "count": "layer"}, r"0.parquet, row 1, column 'layer': a count is a whole number"),
        ({"slice": "value", "count": "n"}, "no column 'n'"),
        ({"slice": "value", "contacts": "all"}, "unknown contacts 'all'"),
    ):
        with pytest.raises(shoal.InputError, match=match), open_folder(folder, **options):
            pass


def test_one_slice_gets_class_changes_from_a_folder_too(tmp_path):
    rows = [(str(i), str(j), "2024", "x") for i in range(40) for j in range(i + 1, min(i + 2 + i % 5, 40))]
    file, folder = both_ways(rows, tmp_path)
    one = shoal.anonymize(shoal.read(file, slices=1), 4, **FAST)
    with open_folder(folder, slices=1) as graph:
        assert shoal.anonymize(graph, 4, **FAST).graph == one.graph


def test_the_papers_methods_on_a_folder(tmp_path):
    rows = [(str(i), str((3 * i + t) % 30), f"2024-05-0{t + 1}", "x") for i in range(30) for t in range(3)]
    file, folder = both_ways(rows, tmp_path)
    for method in ("greedy", "optimal"):
        one = shoal.anonymize(shoal.read(file, slice="1d"), 3, method=method, seed=1)
        with open_folder(folder, slice="1d") as graph:
            assert shoal.anonymize(graph, 3, method=method, seed=1).graph == one.graph


def test_what_was_chosen_when_a_folder_was_opened_is_not_chosen_again(tmp_path):
    _, folder = both_ways([("a", "b", "2024", "x")], tmp_path)
    with open_folder(folder, slice="value") as graph:
        for choice in ({"jobs": 2}, {"engine": "dask"}, {"work_dir": tmp_path / "work"}):
            with pytest.raises(shoal.InputError, match="chosen when it was opened"):
                shoal.anonymize(graph, 1, **choice)
        with pytest.raises(shoal.InputError, match="is released as Parquet"):
            shoal.anonymize(graph, 1).save(tmp_path / "out", format="csv")


@pytest.fixture
def first(tmp_path):
    """A release of two days, its record, and the contacts of two more, in one file and in a folder."""
    graph = shoal.datasets.messenger(120, 4, seed=5)
    rows = [(f"p{u}", f"p{v}", f"2024-05-0{t + 1}", "x") for t in range(4) for u, v in graph.edges(t).tolist()]
    rows += [(f"new {i}", f"p{i}", "2024-05-03", "x") for i in range(9)]
    for name, days in (("before", "12"), ("later", "34")):
        (tmp_path / name).mkdir()
        both_ways([row for row in rows if row[2][-1] in days], tmp_path / name, n_files=3)
    release = shoal.anonymize(shoal.read(tmp_path / "before" / "in.csv", slice="1d"), 3, **FAST)
    release.save(tmp_path / "r0", private=tmp_path / "r0.json", report=False)
    return tmp_path


def extended(place, name, *, engine="local", folder=False, work=None, resume=False, progress=None):
    options = {"engine": engine, "work_dir": work, "resume": resume}
    records = {"private": place / f"{name}.json", "report": False, "force": True}
    if not folder:
        later = shoal.read(place / "later" / "in.csv", slice="1d")
        made = shoal.extend(place / "r0", later, place / "r0.json", **FAST, **options, progress=progress)
        made.save(place / name, **records)
        return hashes(place / name)
    with open_folder(place / "later" / "in", slice="1d", **options) as later:
        made = shoal.extend(place / "r0", later, place / "r0.json", **FAST, progress=progress)
        made.save(place / name, **records)
    return hashes(place / name)


def test_extensions_on_every_engine_and_from_a_folder(first, start_cluster):
    one = extended(first, "file")
    assert one == extended(first, "kept", work=first / "work")
    of_folder = extended(first, "folder", folder=True)
    with start_cluster(2) as client:
        assert one == extended(first, "dask", engine=client)
        assert of_folder == extended(first, "folder-dask", engine=client, folder=True, work=first / "work")
    assert not (first / "work").exists()
    assert edges_of(first / "file") == edges_of(first / "folder")
    assert shoal.verify([first / "r0", first / "folder"], 3)
    again = anonymize_folder(first / "before" / "in", 3, first / "p0", slice="1d", **FAST, private=first / "p0.parquet")
    assert again["n_nodes"] == len(edges_of(first / "r0")[0])
    with open_folder(first / "later" / "in", slice="1d") as later:
        made = shoal.extend(first / "p0", later, first / "p0.parquet", **FAST)
        made.save(first / "p1", private=first / "p1.parquet", report=False)
    assert shoal.verify([first / "p0", first / "p1"], 3)  # both in partitioned Parquet
    assert edges_of(first / "p1") == edges_of(first / "file")
    assert not shoal.verify([first / "p0", first / "p1"], 60)


@pytest.mark.parametrize("folder", [False, True])
def test_a_killed_extension_goes_on(first, folder):
    expected = extended(first, "expected", folder=folder)
    with pytest.raises(Stopped):
        extended(first, "out", folder=folder, work=first / "work", progress=At("rebuilding", stop))
    assert not (first / "out").exists()
    assert list((first / "work").rglob("slice-*.part"))
    assert extended(first, "out", folder=folder, work=first / "work", resume=True) == expected
    assert not (first / "work").exists()


def test_the_command_extends_from_a_folder(first):
    flags = ["--slice", "1d", "--private", first / "r0.json", "-o", first / "r1", "--seed", "3", "--effort", "fast"]
    killed = run("extend", first / "r0", first / "later" / "in", *flags, "--work-dir", first / "w", "--engine", "no")
    assert "unknown engine 'no'" in killed.stderr
    shutil.rmtree(first / "w", ignore_errors=True)
    done = run("extend", first / "r0", first / "later" / "in", *flags, "--work-dir", first / "w", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "Peak memory" in done.stdout
    assert run("verify", first / "r0", first / "r1", "-q").returncode == 0


def test_a_large_release_is_measured_on_some_slices_and_says_so(tmp_path, monkeypatch):
    graph = shoal.datasets.messenger(120, 4, seed=5)
    rows = [(str(u), str(v), f"2024-05-0{t + 1}", "x") for t in range(4) for u, v in graph.edges(t).tolist()]
    _, folder = both_ways(rows, tmp_path)
    monkeypatch.setattr("shoal.report.sample.REPORT_EDGES", len(rows))
    for name, asked in (("whole", {}), ("blocks", {"horizon": 2})):
        places = {"private_report": tmp_path / f"{name}.json"}
        anonymize_folder(folder, 3, tmp_path / name, slice="1d", **FAST, **asked, **places)
        page, numbers = ((tmp_path / name / file).read_text() for file in ("report.html", "report.json"))
        assert "attackers and measures were tried on" in page
        assert "of its 4 slices" in numbers
        exact = json.loads((tmp_path / f"{name}.json").read_text())
        assert exact["after"]["attackers"][0]["smallest_crowd"] >= 3
        assert len(exact["comparison"]["slices"]) < 4
