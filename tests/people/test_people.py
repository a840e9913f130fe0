"""Columns of people in a release: crowds agree in what is known, differ in what is not, and nothing else is told."""

from __future__ import annotations

import itertools
import shutil
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import InputError
from shoal.large import anonymize_folder
from shoal.people.diverse import diversify, held_back
from shoal.people.mixing import common_steps
from shoal.people.scale import ANY, make_scale, read_hierarchy
from shoal.people.strata import find_strata
from tests.audit.forge import edit, sign
from tests.draw.test_draw import made

N = 60


def table(seed=0, n=N):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": range(n),
            "sex": rng.choice(["f", "m", "x"], n, p=[0.5, 0.45, 0.05]),
            "age": rng.integers(18, 50, n),
            "town": rng.choice(["Bern", "Basel", "Chur", "Genf"], n, p=[0.5, 0.3, 0.15, 0.05]),
            "ill": rng.choice(["no", "flu", "cold"], n, p=[0.7, 0.2, 0.1]),
            "phone": [f"private-{i}-{x}" for i, x in enumerate(rng.integers(10**6, 10**7, n))],
        }
    )


GRAPH = made(n=N, seed=3)
CANTONS = {"Bern": ["west"], "Genf": ["west"], "Basel": ["east"], "Chur": ["east"]}
ASKED = {"people": table(), "attributes": ["sex", "age:10", "town"], "hierarchies": {"town": CANTONS}}
FAST = {"effort": "fast"}  # what is told of people does not depend on how long groups were looked for


def crowds(folder, blocks=None):
    """Who has the same attributes and numbers of edges, from the tables alone and without any of shoal."""
    nodes = pl.read_csv(folder / "nodes.csv", infer_schema=False)
    edges = pl.read_csv(folder / "edges.csv", infer_schema=False)
    degrees = defaultdict(Counter)
    for u, v, t, *_ in edges.iter_rows():
        degrees[u][t] += 1
        degrees[v][t] += 1
    known = [c for c in nodes.columns if c not in ("node", "ill")]
    found = defaultdict(list)
    for row in nodes.iter_rows(named=True):
        numbers = frozenset((t, x) for t, x in degrees[row["node"]].items() if blocks is None or t in blocks)
        found[tuple(row[c] for c in known), numbers].append(row)
    return found


def test_crowds_agree_in_attributes_and_have_different_sensitive_values(tmp_path):
    release = shoal.anonymize(GRAPH, 4, seed=1, **FAST, **ASKED, sensitive="ill", diverse=2)
    release.save(tmp_path / "out")
    assert shoal.verify(tmp_path / "out", k=4)
    found = crowds(tmp_path / "out")
    assert min(map(len, found.values())) >= 4 == release.k
    for crowd in found.values():
        assert len({row["ill"] for row in crowd} - {ANY}) != 1
        assert all(row["ill"] == ANY for row in crowd) or len({row["ill"] for row in crowd} - {ANY}) >= 2
    report = (tmp_path / "out" / "report.html").read_text()
    assert "sex, age and town, in which crowds agree" in report
    assert f"withheld from {release.traits.withheld:,} people" in report
    assert "the same sex, age and town and the same number of edges" in report


def test_values_are_never_changed_only_raised_or_withheld(tmp_path):
    release = shoal.anonymize(GRAPH, 4, seed=1, **FAST, **ASKED, sensitive="ill", diverse=2)
    release.save(tmp_path / "out", keep_ids=True, report=False)
    told = pl.read_csv(tmp_path / "out" / "nodes.csv", infer_schema=False)
    for row, true in zip(told.iter_rows(named=True), table().iter_rows(named=True), strict=True):
        decade = true["age"] // 10 * 10
        assert row["sex"] in (true["sex"], ANY)
        assert row["age"] in (f"{decade}-{decade + 9}", ANY)
        assert row["town"] in (true["town"], *CANTONS[true["town"]], ANY)
        assert row["ill"] in (true["ill"], ANY)
    assert release.traits.raised > 0


def test_nothing_of_other_columns_is_in_any_byte_of_the_folder(tmp_path):
    release = shoal.anonymize(GRAPH, 4, seed=1, **FAST, **ASKED, contacts="times")
    for form in ("csv", "parquet"):
        release.save(tmp_path / form, format=form, report=form == "csv")
        assert_nothing_private(tmp_path / form)


def assert_nothing_private(folder):
    for file in (file for file in folder.rglob("*") if file.is_file()):
        content = file.read_bytes()
        assert not any(value.encode() in content for value in table()["phone"])
        assert not any(word in content for word in (b"phone", b"private-", b'"ill"', b",ill", b"flu"))


def test_nothing_of_other_columns_is_in_any_byte_of_a_release_of_a_folder(tmp_path):
    """Nor an id of anybody, which are texts here."""
    rows = [(f"id-{u}-of", f"id-{v}-of", f"2024-05-0{t + 1}") for t in range(4) for u, v in GRAPH.edges(t).tolist()]
    (tmp_path / "in").mkdir()
    pl.DataFrame(rows, schema=["source", "target", "time"], orient="row").write_parquet(tmp_path / "in" / "a.parquet")
    people = table().with_columns(id=pl.format("id-{}-of", "id"))
    people.write_csv(tmp_path / "people.csv")
    known = {**ASKED, "people": tmp_path / "people.csv", "nodes": tmp_path / "people.csv"}
    anonymize_folder(tmp_path / "in", 4, tmp_path / "out", slice="1d", contacts="times", **known, seed=1, **FAST)
    assert shoal.verify(tmp_path / "out", 4)
    assert_nothing_private(tmp_path / "out")
    assert not any(b"id-" in file.read_bytes() for file in (tmp_path / "out").rglob("*.parquet"))


@pytest.mark.parametrize(
    "options",
    [
        {"k": 3, "horizon": 2},
        {"k": {i: 1 + 3 * (i % 2) for i in range(N)}},
        {"k": 3, "allow": "add"},
        {"k": 3, "method": "greedy"},
        {"k": 3, "jobs": 2, "contacts": "counts"},
        {"k": 3, "contacts": "times", "protect_counts": True},
        {"k": 3, "against": "graph", "contacts": "times"},
        {"k": 3, "against": "graph", "move": "tie", "contacts": "carried"},
        {"k": {i: 1 + 3 * (i % 2) for i in range(N)}, "against": "graph"},
    ],
)
def test_whatever_else_is_asked_for_respects_attributes(tmp_path, options):
    options = ({} if "method" in options else FAST) | options
    release = shoal.anonymize(GRAPH, options.pop("k"), seed=2, **ASKED, sensitive="ill", diverse=2, **options)
    release.save(tmp_path / "out", report=False, private=tmp_path / "record")
    assert shoal.verify(tmp_path / "out", record=None if release.promise.for_everybody else tmp_path / "record")
    blocks = [{GRAPH.slices[t].label for t in release.promise.slices(b)} for b in range(release.promise.n_blocks)]
    for block in blocks:
        for crowd in crowds(tmp_path / "out", block).values():
            assert release.promise.for_everybody is False or len(crowd) >= release.k
            assert len({row["ill"] for row in crowd} - {ANY}) != 1


def test_directions_and_extensions_respect_attributes(tmp_path):
    graph = made(n=N, seed=4, directed=True)
    first, later = graph.between(end=graph.slices[1].label), graph.between(graph.slices[2].label)
    release = shoal.anonymize(first, 4, seed=1, **FAST, **ASKED)
    release.save(tmp_path / "a", private=tmp_path / "r", report=False)
    shoal.extend(tmp_path / "a", later, tmp_path / "r", seed=1, **FAST).save(
        tmp_path / "b", private=tmp_path / "r", report=False
    )
    verdict = shoal.verify([tmp_path / "a", tmp_path / "b"])
    assert verdict
    assert "with the attributes it has" in repr(verdict)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_strata_are_large_enough_and_only_rise(data):
    n, k = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 4))
    rows = [data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)) for _ in range(2)]
    tree = {"a": ["v"], "b": ["v"], "c": ["w"]}
    scales = [make_scale(f"c{i}", rows[i], width=None, fixed=False, hierarchy=tree if i else None) for i in range(2)]
    graph = shoal.TemporalGraph.from_slices({"all": []}, nodes=range(n))
    levels = np.full(n, min(k, n))
    levels = find_strata(scales, levels, graph)
    told = [tuple(s.names[levels[i, c]][s.codes[levels[i, c], i]] for c, s in enumerate(scales)) for i in range(n)]
    assert min(Counter(told).values()) >= min(k, n)
    for i, (one, two) in enumerate(told):
        assert one in (rows[0][i], ANY)
        assert two in (rows[1][i], tree[rows[1][i]][0], ANY)
    if Counter(zip(*rows, strict=True)).most_common()[-1][1] >= k:
        assert not levels.any()  # nobody is rare


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_exchanges_keep_sizes_and_strata_and_only_help(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    sizes = rng.integers(2, 5, 5)
    labels = np.repeat(np.arange(5), sizes)
    strata = np.repeat([0, 0, 0, 1, 1], sizes)
    values = rng.choice(["a", "b", ANY], len(labels), p=[0.7, 0.2, 0.1]).tolist()
    rows = rng.integers(0, 5, (len(labels), 3))
    after = diversify(labels, values, rows, np.full(len(labels), 2), strata, 2)
    assert np.array_equal(np.bincount(after), sizes)
    assert all(len(set(strata[after == g])) == 1 for g in range(5))
    rich = [
        sum(len({values[i] for i in np.flatnonzero(of == g)} - {ANY}) >= 2 for g in range(5)) for of in (labels, after)
    ]
    assert rich[1] >= rich[0]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("abc*")), min_size=1), st.integers(1, 3)
)
def test_what_is_told_is_different_enough_in_every_block(rows, diverse):
    one, two, values = (list(column) for column in zip(*rows, strict=True))
    held = held_back([np.array(one), np.array(two)], values, diverse)
    for crowd in (one, two):
        for number in set(crowd):
            told = {v for c, v, h in zip(crowd, values, held, strict=True) if c == number and not h}
            assert ANY not in told
            assert not told or len(told) >= diverse
    if len(set(one)) == len(set(two)) == 1 and len(set(values) - {ANY}) >= diverse:
        assert held.tolist() == [value == ANY for value in values]


def test_numbers_are_cut_and_missing_values_are_anything():
    scale = make_scale("age", ["37", "-1", None, "", "30.0"], width=10, fixed=False, hierarchy=None)
    assert [scale.names[0][c] for c in scale.codes[0]] == ["30-39", "-10--1", ANY, ANY, "30-39"]
    assert make_scale("x", ["1.3"], width=0.5, fixed=False, hierarchy=None).names[0] == ("[1, 1.5)",)
    with pytest.raises(InputError, match="is no number"):
        make_scale("age", ["old"], width=10, fixed=False, hierarchy=None)


def test_hierarchies_are_read_as_arx_writes_them(tmp_path):
    (tmp_path / "h.csv").write_text("Bern;west;*\nBasel;east;*\n")
    assert read_hierarchy(tmp_path / "h.csv") == {"Bern": ["west", "*"], "Basel": ["east", "*"]}
    for text, match in (
        ("a;x\na;y\n", "line 2: the value 'a' occurs twice"),
        ("a;x;1\nb;x;2\n", "line 2: 'x' is merged into two"),
        ("a;x\nb\n", "line 2: a value and 1 steps"),
    ):
        (tmp_path / "h.csv").write_text(text)
        with pytest.raises(InputError, match=match):
            read_hierarchy(tmp_path / "h.csv")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"attributes": ["height"]}, "no column 'height'"),
        ({"attributes": ["sex", "sex:2"]}, "each column is published once"),
        ({"attributes": ["age:0"]}, "an attribute is a column"),
        ({"attributes": ["sex"], "people": None}, "--nodes"),
        ({"attributes": ["sex"], "people": table(n=50)}, "10 of 60 people of the graph are not in it, such as '50'"),
        ({"attributes": ["town!"], "k": 20}, "people of town Genf who cannot be published together"),
        ({"attributes": ["town"], "hierarchies": {"town": {"Bern": ["x"]}}}, "does not know 'Basel'; 3 values"),
        ({"attributes": ["sex"], "hierarchies": {"town": CANTONS}}, "none of the attributes"),
        ({"sensitive": "ill", "diverse": 4}, "has 3 different values, and every crowd was to have 4"),
        ({"diverse": 2}, "--sensitive"),
    ],
)
def test_what_cannot_be_published_is_one_sentence_with_the_numbers(options, match):
    given = {"people": table(), "k": 4} | options
    with pytest.raises(InputError, match=match):
        shoal.anonymize(GRAPH, given.pop("k"), seed=1, **given)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    place = tmp_path_factory.mktemp("people") / "good"
    shoal.anonymize(GRAPH, 4, seed=1, **FAST, **ASKED, sensitive="ill", diverse=2).save(place, report=False)
    return place


def _first(column, value):
    return lambda f: f.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(value)).otherwise(column).alias(column)
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_first("sex", "q"), "occurs at least 4 times"),
        (lambda f: f.with_columns(sex=pl.lit("f")), "as many attributes are"),
        (_first("town", ANY), "as many attributes are"),
        (_first("ill", ANY), "withheld"),
        (lambda f: f.with_columns(ill=pl.lit("flu")), "different values of the sensitive column"),
        (lambda f: f.with_columns(phone=pl.lit("1")), "the columns are"),
        (lambda f: f.drop("ill"), "no column 'ill'"),
    ],
)  # fmt: skip
def test_people_who_do_not_agree_are_found(good, tmp_path, change, expected):
    folder = shutil.copytree(good, tmp_path / "bad")
    verdict = shoal.verify(edit(folder, "nodes", change))
    assert not verdict.holds
    assert any(expected in text for text in verdict.failures), verdict.failures


@pytest.mark.parametrize(
    "claims",
    [
        {"attributes": {"columns": ["node"], "starred": 0}},
        {"attributes": {"columns": ["sex", "sex"], "starred": 0}},
        {"sensitive": {"column": "ill", "diverse": 0, "withheld": 0}},
        {"sensitive": {"column": "ill", "diverse": 3, "withheld": 0}},
        {"attributes": {"columns": ["sex", "age"], "starred": 0}},
    ],
)
def test_claims_about_people_have_one_form(good, tmp_path, claims):
    folder = shutil.copytree(good, tmp_path / "bad")
    assert not shoal.verify(sign(folder, **claims, guarantee="", attacker=""))


def test_pycanon_agrees(good):
    """An independent checker of tables; it pins versions of everything, so `make test` installs it alone."""
    pycanon = pytest.importorskip("pycanon.anonymity")
    nodes = pl.read_csv(good / "nodes.csv", infer_schema=False).to_pandas().set_index("node")
    edges = pl.read_csv(good / "edges.csv", infer_schema=False)
    for label in edges["slice"].unique():
        ends = edges.filter(pl.col("slice") == label)
        degree = pl.concat([ends["source"], ends["target"].alias("source")]).value_counts()
        nodes[label] = degree.to_pandas().set_index("source")["count"].reindex(nodes.index).fillna(0).astype(int)
    known = [column for column in nodes.columns if column != "ill"]
    nodes = nodes.reset_index(drop=True)
    assert pycanon.k_anonymity(nodes, known) >= 4
    told = nodes[nodes["ill"] != ANY].reset_index(drop=True)
    assert pycanon.l_diversity(told, known, ["ill"]) >= 2


def test_same_seed_same_people(tmp_path):
    for name, jobs in itertools.product("ab", (1, 2)):
        release = shoal.anonymize(GRAPH, 4, seed=1, **FAST, **ASKED, sensitive="ill", diverse=2, jobs=jobs)
        release.save(tmp_path / f"{name}{jobs}", report=False)
    every = [{f.name: f.read_bytes() for f in folder.iterdir()} for folder in tmp_path.iterdir()]
    assert all(one == every[0] for one in every)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_group_is_raised_to_the_lowest_step_it_has_in_common(data):
    n = data.draw(st.integers(1, 10))
    tree = {"a": ["v"], "b": ["v"], "c": ["w"]}
    values = data.draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n))
    scale = make_scale("c", values, width=None, fixed=False, hierarchy=tree)
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    found = common_steps((scale,), np.arange(n), labels)[:, 0]
    for i in range(n):
        called = [{scale.names[step][scale.codes[step, j]] for j in np.flatnonzero(labels == labels[i])}
                  for step in range(scale.top + 1)]  # fmt: skip
        assert found[i] == next(
            s for s, names in enumerate(called) if len(names) == 1 and (ANY not in names or s == scale.top)
        )


def test_crowds_mix_values_where_that_changes_fewer_edges():
    plain = {"people": table(), "attributes": ["sex", "town"]}
    mixed, apart = shoal.anonymize(GRAPH, 4, seed=1, **plain), shoal.anonymize(GRAPH, 4, seed=1, **plain, stratum=1)
    assert mixed.edges.changed < apart.edges.changed
    assert mixed.traits.starred > apart.traits.starred
    fixed = shoal.anonymize(GRAPH, 4, seed=1, people=table(), attributes=["sex", "town!"])
    assert ANY not in fixed.traits.columns["town"]
