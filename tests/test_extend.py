"""Releases that grow: all of them together keep the promise."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from tests.command import shoal as command
from tests.command import shoal_process
from tests.uncompiled import examples


def contacts(n, days, seed, first_day=0, directed=False):
    rng = np.random.default_rng(seed)
    m = 6 * n
    rows = {
        "source": rng.integers(0, n, m),
        "target": rng.integers(0, n, m),
        "time": rng.integers(86_400 * first_day, 86_400 * (first_day + days), m),
    }
    return TemporalGraph.from_edges(rows, time="time", slice="1d", directed=directed)


def union_rows(folders, directed=False):
    """Everybody's row over all folders, by hand: None where somebody is not listed."""
    rows = {}
    tables = [
        (pl.read_csv(f / "nodes.csv"), pl.read_csv(f / "slices.csv"), pl.read_csv(f / "edges.csv")) for f in folders
    ]
    everybody = sorted({node for nodes, _, _ in tables for node in nodes["node"]})
    for person in everybody:
        row = []
        for nodes, slices, edges in tables:
            for label in slices["slice"].cast(pl.String):
                here = edges.filter(pl.col("slice").cast(pl.String) == label)
                ends = [int((here[c] == person).sum()) for c in ("source", "target")]
                row.append(None if person not in nodes["node"] else tuple(ends) if directed else sum(ends))
        rows[person] = tuple(row)
    return rows


@examples(12)
@given(st.integers(0, 1000), st.integers(2, 4), st.booleans())
def test_the_union_keeps_k_whatever_comes(tmp_path_factory, seed, k, directed):
    folder = tmp_path_factory.mktemp("grow")
    rng = np.random.default_rng(seed)
    sizes = np.sort(rng.integers(8, 20, 3))
    release = shoal.anonymize(contacts(int(sizes[0]), 3, seed, directed=directed), k, seed=0, effort="fast")
    release.save(folder / "r0", private=folder / "0.json", report=False)
    folders = [folder / "r0"]
    for step in (1, 2):
        later = contacts(int(sizes[step]), 2, seed + step, first_day=3 * step, directed=directed)
        grown = shoal.extend(folders[-1], later, folder / f"{step - 1}.json", seed=0, effort="fast")
        grown.save(folder / f"r{step}", private=folder / f"{step}.json", report=False)
        folders.append(folder / f"r{step}")
        rows = union_rows(folders, directed)
        assert min(Counter(rows.values()).values()) >= k
        assert shoal.verify(folders)
        assert len(grown.after.held_back) in range(k)


@pytest.fixture
def first(tmp_path):
    shoal.anonymize(contacts(20, 4, 0), 3, seed=0, effort="fast").save(
        tmp_path / "r0", private=tmp_path / "0.json", report=False
    )
    return tmp_path


def test_the_same_people_keep_their_pseudonyms(first):
    grown = shoal.extend(first / "r0", contacts(20, 2, 1, first_day=9), first / "0.json", seed=0, effort="fast")
    grown.save(first / "r1", private=first / "1.json", report=False)
    before, after = (json.loads((first / f"{i}.json").read_text()) for i in (0, 1))
    assert before["ids"] == after["ids"]
    assert after["slices"][:4] == before["slices"]
    assert len(after["seeds"]) == 2
    assert len(after["changed_edges"]["added"]) == len(before["changed_edges"]["added"]) + grown.edges.added


def test_too_few_newcomers_are_held_back_and_join_later(first):
    grown = shoal.extend(first / "r0", contacts(22, 2, 1, first_day=9), first / "0.json", seed=0, effort="fast")
    assert sorted(grown.after.held_back) == [20, 21]
    assert grown.graph.n_nodes == 20
    grown.save(first / "r1", private=first / "1.json", report=False)
    later = shoal.extend(first / "r1", contacts(23, 2, 2, first_day=20), first / "1.json", seed=0, effort="fast")
    assert later.after.held_back == ()
    assert later.graph.n_nodes == 23
    later.save(first / "r2", private=first / "2.json", report=False)
    assert shoal.verify([first / "r0", first / "r1", first / "r2"])
    ids = json.loads((first / "2.json").read_text())["ids"]
    assert sorted(map(int, ids)) == list(range(1, 24))


def test_together_they_can_fail_where_each_holds(first):
    """Two releases made apart each hold, and together single people out: verify must say so."""
    other = shoal.anonymize(contacts(20, 2, 1, first_day=9), 3, seed=1, effort="fast")
    other.save(first / "apart", report=False)
    assert shoal.verify(first / "r0")
    assert shoal.verify(first / "apart")
    verdict = shoal.verify([first / "r0", first / "apart"])
    assert not verdict
    assert any("over all 2 releases" in text for text in verdict.failures)


def test_ids_that_turn_from_numbers_into_text(first):
    rows = {"source": ["0", "1", "x1", "x2", "x3"], "target": ["1", "2", "x2", "x3", "5"], "time": [10**7] * 5}
    grown = shoal.extend(
        first / "r0", TemporalGraph.from_edges(rows, time="time", slice="1d"), first / "0.json", seed=0, effort="fast"
    )
    assert grown.graph.n_nodes == 23
    assert grown.after.held_back == ()


def test_an_extension_calls_people_as_the_release_before_did(first):
    """Where ids were kept the certificate says so; where they were not they cannot be published later."""
    later = contacts(20, 2, 1, first_day=9)
    with pytest.raises(InputError, match="goes on with the pseudonyms"):
        shoal.extend(first / "r0", later, first / "0.json", seed=0, effort="fast").save(
            first / "r1", keep_ids=True, report=False
        )
    shoal.anonymize(contacts(20, 3, 0), 3, seed=0, effort="fast").save(
        first / "kept", private=first / "kept.json", keep_ids=True, report=False
    )
    made = shoal.extend(first / "kept", later, first / "kept.json", seed=0, effort="fast").save(
        first / "more", report=False
    )
    assert made["ids"] == "original"
    assert shoal.verify([first / "kept", first / "more"])
    record = json.loads((first / "kept.json").read_text())
    other = {name: f"x{name}" for name in record["ids"]}
    (first / "other.json").write_text(json.dumps(record | {"ids": other}))
    with pytest.raises(InputError, match="people are called otherwise"):
        shoal.extend(first / "kept", later, first / "other.json", seed=0, effort="fast")


def test_two_people_whose_pseudonyms_happen_to_be_their_ids_are_not_kept(tmp_path):
    """A newcomer gets a pseudonym although those before look as if they had none."""
    for seed in range(8):
        place = tmp_path / str(seed)
        place.mkdir()
        shoal.anonymize(TemporalGraph.from_slices({"a": [(1, 2)]}), 2, seed=seed, effort="fast").save(
            place / "a", private=place / "a.json", report=False
        )
        later = TemporalGraph.from_slices({"b": [(1, 2), (70, 80)]})
        shoal.extend(place / "a", later, place / "a.json", seed=seed, effort="fast").save(
            place / "b", private=place / "b.json", report=False
        )
        assert pl.read_csv(place / "b" / "nodes.csv")["node"].to_list() == [1, 2, 3, 4]
        assert shoal.verify([place / "a", place / "b"])


def test_what_does_not_fit_is_refused(first, tmp_path):
    record = first / "0.json"
    with pytest.raises(InputError, match="was released before"):
        shoal.extend(first / "r0", contacts(20, 2, 1, first_day=3), record)
    with pytest.raises(InputError, match="unlike the new data"):
        shoal.extend(first / "r0", contacts(20, 2, 1, first_day=9, directed=True), record)
    with pytest.raises(InputError, match="is not the private record"):
        shoal.extend(first / "r0", contacts(20, 2, 1, first_day=9), first / "r0" / "certificate.json")
    with pytest.raises(InputError, match="is not a release folder"):
        shoal.extend(tmp_path, contacts(20, 2, 1, first_day=9), record)
    shoal.anonymize(contacts(20, 4, 0), 3, seed=0, effort="fast", horizon=2).save(
        first / "h", private=first / "h.json", report=False
    )
    with pytest.raises(InputError, match="has a horizon"):
        shoal.extend(first / "h", contacts(20, 2, 1, first_day=9), first / "h.json")


def grown(first, people=26, number=1, **options):
    later = contacts(people, 2, number, first_day=9 * number)
    return shoal.extend(first / f"r{number - 1}", later, first / f"{number - 1}.json", seed=0, effort="fast", **options)


def test_a_full_disk_leaves_the_record_and_no_folder(first, monkeypatch):
    """Newcomers in no record would lose their names to others at the next extension."""
    before = (first / "0.json").read_bytes()

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("shoal.write.folder.write_private", full)
        answer = extend_command(first)
    assert (answer.returncode, answer.stderr.count("\n")) == (2, 1)
    assert "No space left on device" in answer.stderr
    assert sorted(path.name for path in first.iterdir()) == ["0.json", "later.csv", "r0"]
    assert (first / "0.json").read_bytes() == before
    assert extend_command(first).returncode == 0
    assert len(json.loads((first / "0.json").read_text())["ids"]) == 26
    assert shoal.verify([first / "r0", first / "r1"])


def extend_command(first, *more):
    rows = ["source,target,time"]
    later = contacts(26, 2, 1, first_day=9)
    for t, (_, edges) in enumerate(later):
        rows += [f"{later.nodes[int(u)]},{later.nodes[int(v)]},{(9 + t) * 86_400}" for u, v in edges]
    (first / "later.csv").write_text("\n".join(rows) + "\n")
    where = ["--private", first / "0.json", "-o", first / "r1"]
    return command("extend", first / "r0", first / "later.csv", "--slice", "1d", *where, "--no-report", "-q", *more)


def test_killed_between_record_and_folder_the_next_run_finishes(first):
    """A real process that is killed when the record is in place and the folder is not."""
    script = (
        "import os, signal, sys, shoal.files.appear\n"
        "def die(*args): os.kill(os.getpid(), signal.SIGKILL)\n"
        "shoal.files.appear._put_folder = die\n"
        "from shoal.cli import main; main()\n"
    )
    extend_command(first, "--help")
    flags = ["--slice", "1d", "--private", "0.json", "-o", "r1", "--no-report"]
    killed = subprocess.run([sys.executable, "-c", script, "extend", "r0", "later.csv", *flags], cwd=first)
    assert killed.returncode == -signal.SIGKILL
    assert not (first / "r1").exists()
    assert len(json.loads((first / "0.json").read_text())["ids"]) == 26
    again = shoal_process("extend", "r0", "later.csv", *flags, cwd=first)
    assert again.returncode == 2
    assert "which is in place now" in again.stderr.splitlines()[0]
    assert again.stderr.splitlines()[1].endswith("r1: exists already (replace it with --force)")
    assert sorted(path.name for path in first.iterdir()) == ["0.json", "later.csv", "r0", "r1"]
    assert shoal.verify([first / "r0", first / "r1"])


def test_a_record_older_than_the_folder_is_refused(first):
    grown(first).save(first / "r1", private=first / "1.json", report=False)
    later = contacts(30, 2, 5, first_day=30)
    with pytest.raises(InputError, match=r"does not know all people and slices of .*r1"):
        shoal.extend(first / "r1", later, first / "0.json")
    shoal.extend(first / "r1", later, first / "1.json")
    same = grown(first, people=20)
    same.save(first / "s1", private=first / "s.json", report=False)
    with pytest.raises(InputError, match=r"does not know all people and slices of .*s1"):
        shoal.extend(first / "s1", later, first / "0.json")


def test_no_number_is_given_twice(first):
    record = json.loads((first / "0.json").read_text())
    assert record["highest"] == 20
    (first / "0.json").write_text(json.dumps(record | {"highest": 70}))
    made = grown(first)
    made.save(first / "r1", private=first / "1.json", report=False)
    after = json.loads((first / "1.json").read_text())
    assert sorted(map(int, after["ids"]))[20:] == list(range(71, 77))
    assert after["highest"] == 76


def test_newcomers_need_a_record(first):
    with pytest.raises(InputError, match="names newcomers: give a private record too"):
        grown(first).save(first / "r1", report=False)
    grown(first, people=20).save(first / "r1", report=False)


def test_the_record_is_brought_up_to_date_once(first):
    """Two extensions of one record would give the same numbers to different people."""
    one, other = grown(first), grown(first, people=25)
    one.save(first / "r1", private=first / "0.json", report=False)
    with pytest.raises(InputError, match="was changed while this extension was made"):
        other.save(first / "s1", private=first / "0.json", report=False)
    assert not (first / "s1").exists()


def pairs_in(graph):
    return {(t, int(u), int(v)) for t in range(graph.n_slices) for u, v in graph.edges(t)}


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("allow", ["add", "remove"])
def test_what_may_change_goes_on(tmp_path, allow, directed):
    graph = contacts(20, 2, 0, directed=directed)
    release = shoal.anonymize(graph, 3, seed=0, effort="fast", allow=allow)
    release.save(tmp_path / "r0", private=tmp_path / "0.json", report=False)
    later = contacts(26, 2, 1, first_day=9, directed=directed)
    made = shoal.extend(tmp_path / "r0", later, tmp_path / "0.json", seed=0, effort="fast")
    assert (made.edges.removed if allow == "add" else made.edges.added) == 0
    made.save(tmp_path / "r1", private=tmp_path / "0.json", report=False)
    again = contacts(26, 1, 2, first_day=20, directed=directed)
    third = shoal.extend(tmp_path / "r1", again, tmp_path / "0.json", seed=0, effort="fast")
    assert (third.edges.removed if allow == "add" else third.edges.added) == 0
    anew = shoal.extend(tmp_path / "r1", again, tmp_path / "0.json", seed=0, effort="fast", allow="both")
    assert anew.limits is None


def test_people_and_pairs_under_limits_go_on(tmp_path):
    graph = contacts(20, 2, 0)
    kept, once = (tuple(int(graph.nodes[int(i)]) for i in graph.edges(0)[e]) for e in (0, 5))
    apart, me = (3, 17), 11
    limits = {"must_keep": [kept, (*once, graph.slices[0].label)], "forbid": [apart], "exempt": [me]}
    levels = {int(node): 3 for node in graph.nodes if node != me}
    shoal.anonymize(graph, levels, seed=0, effort="fast", **limits).save(
        tmp_path / "r0", private=tmp_path / "0.json", report=False
    )
    record = json.loads((tmp_path / "0.json").read_text())
    name = {original: published for published, original in record["ids"].items()}
    sides = [sorted(record["limits"][what], key=str) for what in ("keep", "forbid")]
    assert [[set(pair) for pair in pairs] for pairs in sides] == [
        [{name[kept[0]], name[kept[1]]}],
        [{name[apart[0]], name[apart[1]]}],
    ]
    assert record["limits"]["exempt"] == [name[me]]
    later = TemporalGraph.from_slices({"x": [kept, (me, 5), (me, 6), (1, 2), (2, 7)]}, nodes=range(20))
    made = shoal.extend(tmp_path / "r0", later, tmp_path / "0.json", seed=0, effort="fast")
    before, after = pairs_in(made.original), pairs_in(made.graph)
    assert (0, *sorted(kept)) in after
    assert (0, *apart) not in after
    assert {edge for edge in before if me in edge[1:]} == {edge for edge in after if me in edge[1:]}
    freed = shoal.extend(
        tmp_path / "r0", later, tmp_path / "0.json", seed=0, effort="fast", must_keep=[], forbid=[], exempt=[]
    )
    assert freed.limits is None
    with pytest.raises(InputError, match="must_keep: there is no edge between '3' and '17' in any slice"):
        shoal.extend(tmp_path / "r0", later, tmp_path / "0.json", must_keep=[apart])


@pytest.mark.parametrize(
    "limits",
    [
        7,
        {},
        {"allow": "swap", "keep": [], "forbid": [], "exempt": []},
        {"allow": "add", "keep": [["1", "99"]], "forbid": [], "exempt": []},
        {"allow": "add", "keep": [["1"]], "forbid": [], "exempt": []},
        {"allow": "add", "keep": [], "forbid": None, "exempt": []},
        {"allow": "add", "keep": [], "forbid": [], "exempt": [1]},
    ],
)
def test_damaged_limits_are_refused(first, limits):
    record = json.loads((first / "0.json").read_text())
    (first / "0.json").write_text(json.dumps(record | {"limits": limits}))
    with pytest.raises(InputError, match="is damaged, or not the private record"):
        grown(first)
