"""What a folder says about the original: coarse, from one place, and never enough to work it back."""

from __future__ import annotations

import importlib.util
import json
import shutil
import stat
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.datasets import messenger
from shoal.published.coarse import MANY, bin_of, coarse_cost, coarse_edges, floor_grid, floor_share
from shoal.release import EdgeCounts
from shoal.write.again import ReleasedBefore

COARSE_AGREEMENTS = (
    "clustering", "transitivity", "components", "largest_component", "assortativity", "temporal_correlation",
)  # fmt: skip


@pytest.fixture(scope="module")
def release():
    return shoal.anonymize(messenger(150, 4, seed=3), 4, seed=3)  # of which no number lies on the grid


@given(st.integers(0, 10**9))
def test_the_grid_is_the_one_in_the_documentation(count):
    told = floor_grid(count)
    digits = len(str(count))
    step = 10 if digits < 3 else 5 * 10 ** (digits - 2)
    assert told % step == 0
    assert told <= count < told + step
    assert floor_grid(told) == told <= floor_grid(count + 1)


@given(st.integers(0, 5_000), st.integers(0, 5_000), st.integers(0, 5_000))
def test_edges_add_up_and_tell_two_numbers(kept, added, removed):
    told = coarse_edges(EdgeCounts(kept + removed, kept + added, added, removed))
    assert (told.added, told.removed, told.released) == (floor_grid(added), floor_grid(removed), kept + added)
    assert told.released == told.kept + told.added
    assert told.original == told.kept + told.removed
    assert min(told.added, told.removed) >= 0
    share = floor_share(told.kept, told.original)
    assert share == (1.0 if not told.original else int(20 * told.kept / told.original + 1e-9) / 20)


@pytest.mark.parametrize(
    ("similarity", "told"), [(1.0, 0.9), (0.999, 0.9), (0.34, 0.3), (0.0, 0.0), (-0.2, 0.0), (None, None)]
)
def test_no_bin_of_similarities_says_the_same(similarity, told):
    assert bin_of(similarity) == told


def test_the_ratio_of_small_or_weak_bounds_is_not_told():
    assert coarse_cost(28, 19, 40, 4)["at_most_times_optimum"] is None
    assert coarse_cost(0, 0, 40, 4) == {"l1": 0, "normalised": 0, "lower_bound": 0, "at_most_times_optimum": None}
    assert coarse_cost(MANY + 1, MANY, 40, 4)["at_most_times_optimum"] == 1.1
    assert coarse_cost(3 * MANY, MANY, 40, 4)["at_most_times_optimum"] == 3.0
    assert coarse_cost(3 * MANY + 1, MANY, 40, 4)["at_most_times_optimum"] is None
    assert [coarse_cost(MANY - 1, MANY - 1, 40, 4)[name] for name in ("l1", "normalised", "lower_bound")] == [0, 0, 0]


def test_a_weak_bound_is_left_out_of_the_exact_certificate_too(tmp_path, release):
    """A cost of 554 times the bound says that the bound is weak, and nothing about the release."""
    assert release.save(tmp_path / "a", report=False)["cost"]["at_most_times_optimum"] == release.at_most_times_optimum
    weak = replace(release, bound=release.cost_l1 // 4)
    assert weak.save(tmp_path / "b", report=False)["cost"]["at_most_times_optimum"] is None


def test_the_folder_has_the_coarse_certificate_and_its_maker_the_exact_one(tmp_path, release):
    exact = release.save(tmp_path / "out")
    told = json.loads((tmp_path / "out" / "certificate.json").read_text())
    differ = {name for name in exact if exact[name] != told[name]}
    assert differ == {"edges", "cost", "rounding"}
    assert exact["edges"]["original"] == release.edges.original
    assert told["format"] == 2
    assert told["edges"]["added"] == floor_grid(release.edges.added) != release.edges.added
    assert told["edges"]["removed"] == floor_grid(release.edges.removed) != release.edges.removed
    assert told["edges"]["released"] == release.graph.n_edges
    assert told["cost"]["l1"] == floor_grid(release.cost_l1)
    assert told["cost"]["normalised"] == told["cost"]["l1"] / (4 * 150 * 149)
    assert told["cost"]["lower_bound"] == floor_grid(release.bound)
    assert "rounded down" in told["rounding"]


def test_the_folder_depends_on_the_original_only_through_what_it_tells(tmp_path, release):
    """Another original with the same coarse numbers, under the same released graph: the same files, byte for byte."""
    rng, tried = np.random.default_rng(0), 0
    release.save(tmp_path / "one")
    expected = {file.name: file.read_bytes() for file in (tmp_path / "one").iterdir()}
    told = shoal.report.Report(release).told
    assert told.lines is None  # this graph was made, not read; test_report has one that was
    while tried < 3:
        slices = [release.original.edges(t) for t in range(4)]
        t = int(rng.integers(4))
        slices[t] = np.delete(slices[t], rng.integers(len(slices[t])), axis=0)
        other = replace(release, original=release.original.with_edges(slices))
        again = shoal.report.Report(other).told
        if (again.edges, again.cost, again.alone, again.slice_edges) != (
            told.edges,
            told.cost,
            told.alone,
            told.slice_edges,
        ):
            continue
        if str(again.comparison.to_dict()) != str(told.comparison.to_dict()):
            continue
        tried += 1
        other.save(tmp_path / f"other-{tried}")
        assert {file.name: file.read_bytes() for file in (tmp_path / f"other-{tried}").iterdir()} == expected


def test_the_report_tells_no_measure_of_the_original(tmp_path, release):
    release.save(tmp_path / "out", private_report=tmp_path / "mine")
    told, exact = (json.loads((tmp_path / name / "report.json").read_text()) for name in ("out", "mine"))
    assert not [
        name for name in told["comparison"]["slices"][0] if name.endswith("_original") and name != "edges_original"
    ]
    for name, value in told["comparison"]["overall"].items():
        if isinstance(value, dict) and name != "edges":
            assert value["original"] is None
            assert value["agreement"] is None or name in COARSE_AGREEMENTS
    assert not {"mixing", "communities_ceiling", "degree_distance"} & told["comparison"]["overall"].keys()
    for table in ("spread", "meetings"):
        assert told["comparison"][table]
        assert not [name for name in told["comparison"][table][0] if name.endswith("_original")]
    assert told["before"] == {"n_nodes": 150, "alone": floor_grid(exact["before"]["attackers"][0]["unique"])}
    assert not [e for e in told["after"]["attackers"] if e["name"] == "reidentify"]
    alone = shoal.compare(release.graph, release.graph, communities=False)
    assert told["comparison"]["meetings"] == alone.meetings.drop("pairs_original").to_dicts()
    for name, value in told["comparison"]["overall"].items():
        if isinstance(value, dict) and name not in ("edges", "communities"):
            assert value["released"] == alone.overall[name]["released"], name
    numbers = (release.edges.original, release.edges.kept, release.edges.removed, release.edges.added, release.cost_l1)
    for name, there in (("out", False), ("mine", True)):
        html = (tmp_path / name / "report.html").read_text()
        assert all((f"<td>{number:,}</td>" in html) == there for number in numbers)
        assert ("when: original" in html) == there  # how the pictures name what they draw


def test_slices_with_few_changes_are_not_told(tmp_path):
    graph = messenger(24, 5, seed=3)
    release = shoal.anonymize(graph, 2, seed=3)
    assert all(c.changed < 10 for c in release.slice_edges)
    release.save(tmp_path / "out")
    told = json.loads((tmp_path / "out" / "report.json").read_text())["comparison"]
    assert told["overall"]["pagerank_similarity"] is told["overall"]["clustering"]["agreement"] is None
    for row in told["slices"]:
        assert row["edges_original"] is row["edges_kept"] is row["pagerank_similarity"] is None
        assert row["edges_released"] > 0


def test_the_private_report_is_exact_and_for_its_owner_only(tmp_path, release):
    release.save(tmp_path / "out", private_report=tmp_path / "mine")
    release.save(tmp_path / "out", private_report=tmp_path / "mine.html", force=True)
    release.save(tmp_path / "out", private_report=tmp_path / "mine.json", force=True)
    files = [tmp_path / "mine" / "report.html", tmp_path / "mine" / "report.json", *tmp_path.glob("mine.*")]
    assert len(files) == 4
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert f"{release.edges.original:,}" in files[0].read_text()
    assert "PRIVATE" in files[0].read_text()
    numbers = json.loads(files[1].read_text())
    assert numbers["comparison"] == shoal.compare(release.original, release).to_dict()
    assert json.loads((tmp_path / "mine.json").read_text()) == numbers
    assert shoal.verify(tmp_path / "out")


@pytest.mark.parametrize("place", ["out", "out/mine", "out/mine.json", "nowhere/mine", "taken", "full"])
def test_a_private_report_has_a_place_of_its_own(tmp_path, monkeypatch, release, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "report.json").write_text("")
    with pytest.raises(InputError, match=r"must not be inside|there is no folder|exists already"):
        release.save("out", private_report=place)
    assert not (tmp_path / "out").exists()


LIMITED = TemporalGraph.from_slices({"a": [(i, (i * 7 + 1) % 30) for i in range(30)]}, nodes=range(40))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, None),
        ({"allow": "add"}, "only added"),
        ({"allow": "remove"}, "only removed"),
        ({"exempt": [31]}, "people were left as they were"),
        ({"must_keep": [(0, 1)]}, "had to stay"),
        ({"forbid": [(2, 31)]}, "were not to be joined"),
        ({"allow": "add", "exempt": [31], "forbid": [(2, 31)]}, "only added"),
    ],
)
def test_limits_are_said_in_words_in_certificate_and_report(tmp_path, options, words):
    shoal.anonymize(LIMITED, 2, seed=1, **options).save(tmp_path / "out")
    limits = json.loads((tmp_path / "out" / "certificate.json").read_text())["limits"]
    html = (tmp_path / "out" / "report.html").read_text()
    assert ("not allowed to change" in html) == (words is not None)
    assert json.loads((tmp_path / "out" / "report.json").read_text())["limits"] == limits
    if words is None:
        assert limits is None
    else:
        assert words in limits
        assert limits in html
        assert "31" not in limits


def enumeration():
    file = Path(__file__).parents[2] / "fuzz" / "enumerate.py"
    spec = importlib.util.spec_from_file_location("shoal_enumerate", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.compiled
def test_trying_all_originals_that_fit_a_folder_finds_nobody():
    """The attack of fuzz/enumerate.py: exact numbers give slices and people away, those that are published do not."""
    module = enumeration()
    attacked = [module.attack(one, wanted=400) for one in module.cases(15, effort="fast")]
    assert sum(one.recovered for one in attacked) >= 3
    assert sum(one.alone_exact for one in attacked) >= 20
    for one in attacked:
        assert one.alone == 0
        assert one.fewest >= 2
        assert one.left >= one.counted  # more than the bare numbers of changes would leave
        assert one.factor <= 100  # of all that can be tried


def test_a_record_or_certificate_of_any_shape_is_no_reason_to_stop(tmp_path, release):
    """What --force replaces may be damaged: it is then not known to be of the same data."""
    for i, text in enumerate(["", "[]", "{", '{"input_digest": 3, "earlier_digests": 7, "input": []}', "PAR1"]):
        (tmp_path / "record.json").write_text(text)
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out" / "certificate.json").write_text(text)
        release.save(tmp_path / "out", private=tmp_path / "record.json", report=False, force=True)
        assert shoal.verify(tmp_path / "out"), i


def test_an_extension_remembers_what_it_goes_on_from(tmp_path):
    first = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3), (3, 4)]})
    later = TemporalGraph.from_slices({"tue": [(1, 3), (2, 3), (1, 2)]})
    shoal.anonymize(first, k=2, seed=1).save(tmp_path / "mon", private=tmp_path / "a.json", report=False)
    made = shoal.extend(tmp_path / "mon", later, tmp_path / "a.json", seed=1)
    made.save(tmp_path / "tue", private=tmp_path / "b.json", report=False)
    shutil.copy(tmp_path / "b.json", tmp_path / "c.json")
    with pytest.warns(ReleasedBefore, match="another release of the same data"):
        shoal.anonymize(first, k=2, seed=2).save(tmp_path / "x", private=tmp_path / "c.json", report=False, force=True)
