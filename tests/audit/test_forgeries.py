"""Folders that promise more than they keep, or carry more than a release: signed with right hashes, and refused all the same."""

from __future__ import annotations

import codecs
import json
import os
import shutil

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.audit._claims import UNPROVEN
from tests.audit.forge import claims_of, edit, publish, sign
from tests.uncompiled import examples

PEOPLE = range(1, 21)
NAKED = [(1, v, "a") for v in range(2, 9)] + [(2, v, "a") for v in range(3, 6)] + [(9, 10, "b"), (11, 12, "b")]
DAYS = {"slice": ["2024-01-01", "2024-01-02", "2024-01-03"], "start": ["2024-01-01", "2024-01-02", "2024-01-03"]}


def contacts(seed, days=3, n=24):
    rng = np.random.default_rng(seed)
    rows = [(f"p{u}", f"p{v}", f"2024-0{1 + d}-05") for u, v, d in rng.integers(0, (n, n, days), (90, 3)).tolist()]
    people = [f"p{i}" for i in range(n)]
    frame = {"source": [r[0] for r in rows], "target": [r[1] for r in rows], "time": [r[2] for r in rows]}
    return TemporalGraph.from_edges(frame, time="time", slice="1mo", nodes=people)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Good releases of the same people: for all at k, with levels, with a horizon, in Parquet, with ids, with layers."""
    place, graph = tmp_path_factory.mktemp("made"), contacts(0)
    levels = {f"p{i}": 1 + i % 3 for i in range(24)}
    every = {
        "k4": ({"k": 4}, {}),
        "levels": ({"k": levels}, {"private": place / "levels.json"}),
        "horizon": ({"k": 4, "horizon": "1mo"}, {}),
        "parquet": ({"k": 4}, {"format": "parquet"}),
        "ids": ({"k": 4}, {"keep_ids": True}),
    }
    for name, (how, where) in every.items():
        shoal.anonymize(graph, seed=1, effort="fast", **how).save(place / name, report=name == "k4", **where)
    table = {"source": [1, 2, 3, 4], "target": [2, 3, 4, 1], "layer": list("abab")}
    layers = TemporalGraph.from_edges(table, layer="layer")
    shoal.anonymize(layers, 2, seed=0).save(place / "layers", report=False)
    return place


@pytest.fixture
def good(made, tmp_path):
    def copy(name):
        return shutil.copytree(made / name, tmp_path / name)

    return copy


def refused(folder, *words, about="", **how):
    """It does not hold, whether as a verdict or as input that is no release, and these words say why."""
    try:
        said = " ".join(shoal.verify(folder, **how).failures)
    except InputError as error:
        said = str(error)
    assert said, f"it holds {about}"
    for word in words:
        assert word in said


def test_what_is_good_holds_and_its_verdict_lists_what_nothing_proves(made):
    for name in ("k4", "levels", "horizon", "parquet", "ids", "layers"):
        verdict = shoal.verify(made / name)
        assert verdict, verdict.failures
        assert set(UNPROVEN) <= set(verdict.claimed_not_checked)
        assert ("ids" in verdict.claimed_not_checked) is (name == "ids")
        assert ("report.html" in verdict.claimed_not_checked) is (name == "k4")
        assert verdict.to_dict()["claimed_not_checked"] == list(verdict.claimed_not_checked)
        assert "claimed, not checked: made_by" in repr(verdict)
        assert "claimed, not checked: made_by" in verdict._repr_html_()


# what is promised


def test_naked_data_with_levels_that_nobody_has(tmp_path):
    forged = publish(tmp_path / "out", PEOPLE, ["a", "b"], NAKED, k=20, by_k={"1": 20, "20": 0})
    refused(forged, "people_by_k is not what it should be")
    for by_k in ({"1": 20}, {"1": 10, "20": 9}, {"20": 20}, {"1": 19, "5": 1}, {"1": 19, "020": 1}, {}):
        refused(sign(forged, people_by_k=by_k))


def test_with_levels_and_no_record_the_verdict_is_that_of_the_weakest(made, tmp_path):
    verdict = shoal.verify(made / "levels")
    assert verdict.k == 1
    assert "holds at k = 1 for everybody; at least 16 people stand in crowds of at least 2; at least 8 people" in repr(
        verdict
    )
    assert "who, only the private record proves" in verdict.in_words()
    assert verdict.to_dict()["beyond"] == verdict.beyond
    proven = shoal.verify(made / "levels", record=made / "levels.json")
    assert (proven.holds, proven.k) == (True, 1)
    assert "everybody has their level, up to 3" in proven.in_words()
    assert not shoal.verify(made / "levels", 3)
    forged = publish(tmp_path / "out", PEOPLE, ["a", "b"], NAKED, k=20, by_k={"1": 19, "20": 1})
    refused(forged, "at least 1 people stand in crowds of at least 20: 0 do")


def test_a_record_that_asks_for_less_than_the_certificate(made, tmp_path):
    folder = publish(tmp_path / "out", PEOPLE, ["a", "b"], NAKED, k=4)
    record = tmp_path / "record.json"
    record.write_text(json.dumps({"levels": {str(i): 1 for i in PEOPLE}}))
    refused(
        folder, "the levels that the certificate counts", "every degree vector occurs at least 4 times", record=record
    )
    levels = json.loads((made / "levels.json").read_text())["levels"]
    record.write_text(json.dumps({"levels": dict.fromkeys(levels, 1)}))
    refused(made / "levels", "the levels that the certificate counts", record=record)
    record.write_text(json.dumps({"levels": dict.fromkeys(levels, 1)}))
    refused(made / "k4", "the levels that the certificate counts", record=record)
    record.write_text(json.dumps({"levels": dict.fromkeys(levels, 4)}))
    assert shoal.verify(made / "k4", record=record)


def test_everybody_is_held_to_the_strictest_claim_of_any_folder(made, tmp_path):
    """One release keeps k = 4 for all, the other has levels: together people stand alone, in whichever order they are given."""
    for folders in ([made / "k4", made / "levels"], [made / "levels", made / "k4"]):
        verdict = shoal.verify(folders)
        assert verdict.min_class_size < 4
        assert verdict.k == 4
        assert any("over all 2 releases every degree vector occurs at least 4 times" in f for f in verdict.failures)
        refused(folders, "over all 2 releases", record=made / "levels.json")
    first = publish(tmp_path / "first", [1, 2, 3, 4], ["a"], [], k=4)
    later = publish(tmp_path / "later", range(1, 7), ["b"], [], k=2)
    verdict = shoal.verify([first, later])
    assert (verdict.holds, verdict.k) == (True, 2)
    assert "everybody has the strictest claim about them, up to 4" in verdict.in_words()
    split = publish(tmp_path / "split", range(1, 7), ["b"], [(1, 2, "b")], k=2)
    refused([first, split], "as large as the strictest claim about them: 4 do not")


def test_pseudonyms_and_ids_do_not_belong_together(made):
    refused([made / "k4", made / "ids"], "some of these releases have pseudonyms and some do not")


def test_a_certificate_that_boasts_fails_whatever_k_is_asked_for(tmp_path):
    refused(publish(tmp_path / "out", PEOPLE, ["a", "b"], NAKED, k=4), "at least 4 times", k=1)


# horizons


def test_a_horizon_that_is_hidden_or_invented(good, tmp_path):
    folder = good("horizon")
    refused(sign(folder, horizon=None, n_blocks=1), "blocks of the calendar")
    edit(folder, "slices", lambda f: f.drop("block"))
    refused(sign(folder, n_classes=1, min_class_size=4), "every degree vector occurs at least 4 times")
    one_each = DAYS | {"block": [1, 2, 3]}
    edges = [(1, 2, "2024-01-01"), (3, 4, "2024-01-01"), (1, 3, "2024-01-02"), (2, 4, "2024-01-02")]
    edges = [*edges, (5, 6, "2024-01-03"), (7, 8, "2024-01-03")]
    naked = {"k": 4, "n_blocks": 3, "n_classes": 6, "min_class_size": 4}
    for name, horizon in {"none": None, "week": "1w", "year": "1y", "two": "2", "words": "soon", "zero": "0"}.items():
        folder = publish(tmp_path / name, range(1, 9), one_each, edges, **naked | {"horizon": horizon})
        refused(folder, "blocks of the calendar are those of the horizon")
    for name, horizon in {"day": "1d", "one": "1"}.items():
        verdict = shoal.verify(publish(tmp_path / name, range(1, 9), one_each, edges, **naked | {"horizon": horizon}))
        assert verdict, verdict.failures
        assert any("within each of 3 blocks of the calendar" in check.name for check in verdict.checks)
    refused(sign(tmp_path / "day", ordered=False), "horizon", "ordered")


# From the middle of November on: slices of six hours see a month begin, those of a day a year, too.
LAST_DAY = {"6h": 20, "1d": 80, "1mo": 300}


@examples(30)
@given(
    st.data(),
    st.sampled_from(["1d", "2d", "1w", "2w", "1mo", "3mo", "1y", 1, 2, 5, 10**12]),
    st.sampled_from(list(LAST_DAY)),
)
def test_blocks_are_those_that_anonymize_makes(tmp_path_factory, data, horizon, width):
    days = data.draw(st.lists(st.integers(0, LAST_DAY[width]), min_size=2, max_size=5))
    times = [1_700_000_000 + day * 86_400 for day in days]
    frame = {"source": [1] * len(days), "target": [2] * len(days), "time": times}
    zone = data.draw(st.sampled_from(["UTC", "Asia/Kolkata"]))
    graph = TemporalGraph.from_edges(frame, time="time", slice=width, timezone=zone)
    folder = tmp_path_factory.mktemp("h") / "out"
    shoal.anonymize(graph, 2, horizon=horizon, seed=0, effort="fast").save(folder, report=False)
    assert shoal.verify(folder)


# files


def test_anything_else_in_the_folder(good):
    folder = good("k4")
    for name in (
        "who-is-who.csv",
        ".hidden",
        "edges.csv~",
        "Nodes.csv",
        "edges.parquet",
        "report.htm",
        "notes",
        "\x1b[2J",
    ):
        (folder / name).write_text("1,alice\n")
        refused(sign(folder), "does not belong")
        (folder / name).unlink()
    for name in ("empty", "edges", ".git", "nodes.parquet"):
        (folder / name).mkdir()
        refused(sign(folder), "")
        (folder / name).rmdir()
    (folder / "edges").mkdir()
    (folder / "edges" / "00001.parquet").write_bytes(b"")
    refused(sign(folder))
    shutil.rmtree(folder / "edges")
    os.mkfifo(folder / "pipe")
    refused(sign(folder), "pipe is not a file")
    (folder / "pipe").unlink()
    assert shoal.verify(sign(folder))


def test_links_and_pipes_in_the_place_of_files(good, tmp_path):
    folder, kept = good("k4"), good("ids")
    for name in ("edges.csv", "report.html"):
        (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(tmp_path / name)
        refused(sign(folder), f"{name} is a link")
        (folder / name).unlink()
        os.mkfifo(folder / name)
        refused(sign(folder), f"{name} is not a file")
        (folder / name).unlink()
        (tmp_path / name).rename(folder / name)
    assert shoal.verify(sign(folder))
    (tmp_path / "link").symlink_to(kept)
    refused(tmp_path / "link", "is a link; name the folder")
    (kept / "certificate.json").rename(tmp_path / "certificate.json")
    (kept / "certificate.json").symlink_to(tmp_path / "certificate.json")
    refused(kept, "certificate.json: is not a file")
    (kept / "certificate.json").unlink()
    os.mkfifo(kept / "certificate.json")
    refused(kept, "certificate.json: is not a file")


def test_good_parquet_beside_a_naked_csv(good):
    folder = good("parquet")
    pl.DataFrame(NAKED, schema=["source", "target", "slice"], orient="row").write_csv(folder / "edges.csv")
    refused(sign(folder), "edges.csv does not belong")
    (folder / "edges.parquet").unlink()
    refused(sign(folder), "edges.csv does not belong; edges.parquet is missing")


# tables


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("nodes", lambda f: f.with_columns(name=pl.lit("alice"))),
        ("edges", lambda f: f.with_columns(weight=pl.lit(1))),
        ("edges", lambda f: f.with_columns(layer=pl.lit("alice"))),
        ("slices", lambda f: f.with_columns(note=pl.lit("alice"))),
        ("slices", lambda f: f.with_columns(block=pl.lit(1))),
        ("slices", lambda f: f.with_columns(layer=pl.lit("alice"))),
        ("edges", lambda f: f.select("target", "source", "slice")),
        ("edges", lambda f: f.rename({"source": "SOURCE"})),
        ("edges", lambda f: f.reverse()),
        ("edges", lambda f: f.rename({"source": "target", "target": "source"}).select("source", "target", "slice")),
        ("nodes", lambda f: f.reverse()),
        ("nodes", lambda f: f.with_columns(node="0" + pl.col("node"))),
    ],
)  # fmt: skip
def test_columns_and_orders_that_tell_more(good, table, change):
    refused(edit(good("k4"), table, change))


def test_names_that_are_called_pseudonyms(good, tmp_path):
    refused(sign(good("ids"), ids="pseudonyms"), "people are called as the certificate says")
    for name, people in (("gap", [1, 2, 4]), ("zero", [0, 1, 2]), ("phones", [5550123, 5550187, 5550199])):
        folder = publish(tmp_path / name, people, ["a"], [], k=3)
        refused(folder, "people are called as the certificate says")
        assert shoal.verify(sign(folder, ids="original"))


def test_directions_in_a_release_that_claims_to_have_none(tmp_path):
    """Everybody has one contact; but the table still says who wrote to whom."""
    assert shoal.verify(publish(tmp_path / "good", [1, 2, 3, 4], ["a"], [(1, 2, "a"), (3, 4, "a")], k=4))
    forged = publish(tmp_path / "out", [1, 2, 3, 4], ["a"], [(1, 2, "a"), (4, 3, "a")], k=4)
    assert shoal.verify(forged).failures == [
        "the order of the rows says nothing: not sorted: the two ends of edges without a direction"
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda b: codecs.BOM_UTF8 + b,
        lambda b: b.replace(b"\n", b"\r\n"),
        lambda b: b.replace(b"node\n", b"node\x00\n"),
        lambda b: b.replace(b"\n2\n", b"\n2\x00\n"),
        lambda b: b.replace(b"\n2\n", b"\n2,alice\n"),
        lambda b: b.replace(b"\n2\n", b"\n\n2\n"),
        lambda b: b.replace(b"\n2\n", b'\n"2"alice\n'),
        lambda b: b.replace(b"\n2\n", b'\n"2\n'),
        lambda b: b.replace(b"\n2\n", b"\n 2\n"),
        lambda b: b.replace(b"node\n", b"node,node\n").replace(b"\n2\n", b"\n2,2\n"),
        lambda b: b + b"\n",
        lambda b: b + b"# alice is 2",
        lambda b: b[:-1],
        lambda b: b"",
    ],
)  # fmt: skip
def test_a_table_has_one_form(good, change):
    folder = good("k4")
    before = (folder / "nodes.csv").read_bytes()
    after = change(before)
    assert after != before
    (folder / "nodes.csv").write_bytes(after)
    refused(sign(folder))


def test_parquet_that_carries_more_than_its_table(good):
    folder = good("parquet")
    nodes = pl.read_parquet(folder / "nodes.parquet")
    for change in (
        lambda f: f.write_parquet(folder / "nodes.parquet", metadata={"who": "2 is alice"}),
        lambda f: f.cast(pl.Float64).write_parquet(folder / "nodes.parquet"),
        lambda f: f.with_columns(pl.struct("node", who=pl.lit("alice")).alias("node")).write_parquet(
            folder / "nodes.parquet"
        ),
        lambda f: f.with_columns(who=pl.lit("alice")).write_parquet(folder / "nodes.parquet"),
    ):
        change(nodes)
        refused(sign(folder))
    nodes.write_parquet(folder / "nodes.parquet")
    assert shoal.verify(sign(folder))
    edges = pl.read_parquet(folder / "edges.parquet").with_columns(pl.col("source") + 0.5)
    edges.write_parquet(folder / "edges.parquet")
    refused(sign(folder), "holds Float64")


def test_the_layer_of_an_edge_is_that_of_its_slice(good):
    folder = good("layers")
    refused(edit(folder, "edges", lambda f: f.with_columns(layer=pl.lit("a"))), "the layer of an edge")


# the certificate, field by field

VALUES = [
    None,
    True,
    False,
    0,
    1,
    2,
    3,
    4,
    7,
    24,
    25,
    50,
    107,
    0.05,
    0.5,
    1.0,
    1.23,
    -1,
    10**30,
    "",
    "1",
    "x",
    "1mo",
    "2",
    [],
    {},
]
UNSEEN = {*UNPROVEN, "made_by", "ids"}


def changed(claims, path, value):
    """A copy of the certificate in which one field is another, or (with no value) is not there."""
    copy = json.loads(json.dumps(claims))
    *outer, last = path
    inner = copy[outer[0]] if outer else copy
    if value is KeyError:
        del inner[last]
    else:
        inner[last] = value
    return copy


def paths(claims):
    for name, value in claims.items():
        yield (name,)
        if isinstance(value, dict):
            yield from ((name, inner) for inner in value)


@pytest.mark.parametrize("name", ["k4", "levels", "horizon", "ids"])
def test_any_change_to_any_checked_field_is_noticed(good, name):
    folder = good(name)
    claims = claims_of(folder)
    for path in paths(claims):
        before = claims[path[0]][path[1]] if len(path) > 1 else claims[path[0]]
        for value in [KeyError, *VALUES, "original", "pseudonyms", f"{before}!"]:
            if ".".join(path) in UNSEEN and value is not KeyError:
                continue
            if value == before and isinstance(value, bool) == isinstance(before, bool):
                continue
            (folder / "certificate.json").write_text(json.dumps(changed(claims, path, value)))
            refused(folder, about=f"{path} {value}")
    for path, value in ((("who",), "alice"), (("edges", "who"), 3), (("cost", "who"), 3), (("people_by_k", "x"), 1)):
        (folder / "certificate.json").write_text(json.dumps(changed(claims, path, value)))
        refused(folder)
    (folder / "certificate.json").write_text(json.dumps(claims))
    assert shoal.verify(folder)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (("made_by",), ["shoal", "alice 1.0", "shoal 1.0 seed 5", "shoal " + "1" * 61, 3, None]),
        (("method",), ["magic", None, 3]),
        (("limits",), ["", 3, "x" * 2_001]),
        (("rounding",), ["", None, "x" * 2_001]),
        (("ids",), ["both", None]),
        (("cost", "l1"), [1, 99, 113, 1_001, 1_250, 12_345, -10, 50.0, True]),
        (("cost", "lower_bound"), [1, 10**6]),
        (("cost", "at_most_times_optimum"), [0.9, 1.25, 3.1, "1", True]),
        (("edges", "removed"), [1, 1_234, 10**6]),
        (("edges", "added"), [1, 10**6]),
    ],
)  # fmt: skip
def test_what_cannot_be_proven_has_its_form_at_least(good, path, values):
    folder = good("k4")
    claims = claims_of(folder)
    for value in values:
        (folder / "certificate.json").write_text(json.dumps(changed(claims, path, value)))
        refused(folder)


def test_numbers_about_the_original_must_be_coarse(good):
    """Everything else follows from the finer numbers, and still the certificate tells too much."""
    folder = good("k4")
    claims = claims_of(folder)
    released = claims["edges"]["released"]
    for added, removed, coarse in (
        (10, 20, True),
        (11, 20, False),
        (10, 21, False),
        (10, 1_500, True),
        (10, 1_600, False),
    ):
        kept = released - added
        edges = {"original": kept + removed, "released": released, "added": added, "removed": removed}
        edges |= {"kept": kept, "kept_share": 20 * kept // (kept + removed) / 20}
        verdict = shoal.verify(sign(folder, edges=edges))
        assert verdict.holds is coarse
        assert [f.split(":")[0] for f in verdict.failures] == (
            [] if coarse else ["numbers about the original are coarse"]
        )
    for l1, coarse in (
        (0, True),
        (90, False),
        (95, False),
        (100, True),
        (150, True),
        (160, False),
        (9_500, True),
        (10_500, False),
    ):
        size = claims["n_slices"] * claims["n_nodes"] * (claims["n_nodes"] - 1)
        cost = {"l1": l1, "normalised": l1 / size, "lower_bound": 0, "at_most_times_optimum": None}
        assert shoal.verify(sign(folder, cost=cost, edges=claims["edges"])).holds is coarse


def test_the_format_before_told_exact_numbers(good, made):
    folder = good("k4")
    claims = claims_of(folder) | {"format": 1}
    del claims["limits"], claims["rounding"]
    (folder / "certificate.json").write_text(json.dumps(claims))
    refused(folder, "format 1 tells exact numbers about the original: made by an older version; make it again")
    with pytest.raises(InputError, match="was made by an older version"):
        shoal.extend(folder, contacts(1), made / "levels.json")


def test_a_field_that_is_there_twice(good):
    folder = good("k4")
    text = (folder / "certificate.json").read_text()
    (folder / "certificate.json").write_text(text.replace('"k": 4', '"k": 20, "k": 4'))
    refused(folder, "a field is there twice")
    (folder / "certificate.json").write_bytes(codecs.BOM_UTF8 + text.encode())
    refused(folder, "cannot be read")
