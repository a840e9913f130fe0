from __future__ import annotations

import gzip

import polars as pl
import pytest
import zstandard

import shoal
from shoal import InputError

CSV = "source,target,time\nann,bob,0\nbob,cem,90000\nbob,ann,5\ncem,cem,7\n"


def write(tmp_path, content, name="edges.csv"):
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


@pytest.fixture
def expected(tmp_path):
    return shoal.read(write(tmp_path, CSV, "expected.csv"), slice="1d")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV),
        ("a.tsv", CSV.replace(",", "\t")),
        ("a.csv", CSV.replace(",", ";")),
        ("a.csv", CSV.replace("\n", "\r\n")),
        ("a.csv", "\ufeff" + CSV),
        ("a.csv", CSV.replace("ann", '"ann"')),
        ("a.csv", CSV.replace("\n", "\n\n")),
        ("a.csv", CSV.rstrip("\n")),
        ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("named-wrongly.csv", zstandard.compress(CSV.encode())),
        ("two-frames.csv.zst", zstandard.compress(CSV[:30].encode()) + zstandard.compress(CSV[30:].encode())),
    ],
)
def test_every_packing_of_a_table_gives_the_same_graph(tmp_path, expected, name, content):
    assert shoal.read(write(tmp_path, content, name), slice="1d") == expected
    assert expected.tally[:3] == (4, 1, 1)


def test_parquet(tmp_path, expected):
    frame = pl.read_csv(CSV.encode())
    frame.write_parquet(tmp_path / "a.parquet")
    assert shoal.read(tmp_path / "a.parquet", slice="1d") == expected
    frame.with_columns(pl.from_epoch("time")).write_parquet(tmp_path / "b.parquet")
    dated = shoal.read(tmp_path / "a.parquet", slice="1d", origin="1970-01-01")
    assert shoal.read(tmp_path / "b.parquet", slice="1d") == dated


@pytest.mark.parametrize(
    ("dialect", "content", "options"),
    [
        ("snap", "# a comment, with 3 words\n1 2 0\n2 3 90000\n", {"slice": "1d"}),
        ("snap", "1\t2\t0\r\n2\t3\t90000\r\n", {"slice": "1d"}),
        ("konect", "% sym weighted\n% 2 3 3\n 1   2\t1  0 \n2 3 1 90000\n", {"slice": "1d"}),
        ("sociopatterns", "0 1 2 5A 5B\n90000 2 3 5A 5B\n", {"slice": "1d"}),
    ],
)
def test_time_dialects(tmp_path, dialect, content, options):
    graph = shoal.read(write(tmp_path, content, "a.txt"), dialect=dialect, **options)
    assert graph.nodes.to_list() == [1, 2, 3]
    assert [edges.tolist() for _, edges in graph] == [[[0, 1]], [[1, 2]]]


@pytest.mark.parametrize(
    ("dialect", "content"),
    [
        ("multiplex", "home u v 1\nwork v w 2\n"),
        ("multinet", "#TYPE multiplex\n#ACTORS\nu\nx\n#LAYERS\nhome,UNDIRECTED\n#EDGES\nu,v,home\nv,w,work\n"),
    ],
)
def test_layer_dialects(tmp_path, dialect, content):
    graph = shoal.read(write(tmp_path, content, "a.txt"), dialect=dialect)
    assert [s.layer for s in graph.slices] == ["home", "work"]
    assert graph.n_edges == 2
    assert not graph.ordered
    assert graph.n_nodes == (4 if dialect == "multinet" else 3)
    assert shoal.read(write(tmp_path, content, "b.mpx"), dialect=dialect) == graph


def test_konect_without_times_is_one_slice(tmp_path):
    graph = shoal.read(write(tmp_path, "% bip\n1 2\n2 3\n"), dialect="konect")
    assert [s.label for s in graph.slices] == ["all"]
    assert graph.n_edges == 2


def test_columns_by_name_as_in_the_mit_survey(tmp_path):
    survey = 'id.A,id.B,relationship,survey.date\n1,2,"CloseFriend","2008-09-09"\n2,3,"PoliticalDiscussant",\n'
    graph = shoal.read(write(tmp_path, survey), source="id.A", target="id.B", layer="relationship")
    assert [s.label for s in graph.slices] == ["CloseFriend", "PoliticalDiscussant"]


def test_layers_are_used_where_no_time_is_cut_and_merged_otherwise(tmp_path):
    file = write(tmp_path, "source,target,time,layer\n1,2,0,a\n1,2,5,b\n")
    assert shoal.read(file, slice="1d").n_slices == 1
    assert shoal.read(file, slice="1d", layer="layer").n_slices == 2
    assert shoal.read(file, layer="layer").n_slices == 2
    assert shoal.read(write(tmp_path, "source,target,layer\n1,2,a\n1,2,b\n")).n_slices == 2


def test_ids_are_numbers_only_where_nothing_is_lost(tmp_path):
    assert shoal.read(write(tmp_path, "source,target\n10,9\n")).nodes.to_list() == [9, 10]
    assert shoal.read(write(tmp_path, "source,target\n010,9\n")).nodes.to_list() == ["010", "9"]
    assert shoal.read(write(tmp_path, "source,target\n10,+9\n")).nodes.to_list() == ["+9", "10"]


@pytest.mark.parametrize("content", ["9\n7\n", "node\n9\n7\n", "name,id\nx,9\ny,7\n"])
def test_more_people_from_a_file(tmp_path, content):
    people = write(tmp_path, content, "people.csv")
    graph = shoal.read(write(tmp_path, "source,target\n1,2\n"), nodes=people)
    assert graph.nodes.to_list() == [1, 2, 7, 9]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "the file is empty"),
        ("  \n \n", {}, "the file is empty"),
        ("source,target\n", {}, "a header but no rows"),
        ("a,b,c\n1,2,3\n", {}, "line 1: no column 'source'; the columns are a, b, c .*source="),
        ("source,source\n1,2\n", {}, "line 1: the column 'source' occurs twice"),
        ("source,target,time\n1,2,3\n1,2\n", {"slice": "1d"}, "line 3: 2 fields where 3 are expected"),
        ("source,target,time\n1,2,3\n\n1,2,3,4\n", {"slice": "1d"}, "line 4: 4 fields where 3 are expected"),
        ('source,target,note\n1,2,"x"\n1,2\n', {}, "line 3: 2 fields where 3 are expected"),
        ("source,target,time\n1,2,3\n1,,4\n", {"slice": "1d"}, "line 3, column 'target': the id is missing"),
        (
            "source,target,time\n1,2,3\n1,2,noon\n",
            {"slice": "1d"},
            "line 3, column 'time': cannot read the time 'noon'",
        ),
        ('source,target,time\n"a\nb",2,3\n1,2,noon\n', {"slice": "1d"}, "line 4, column 'time'"),
        ("source,target,time\n1,2,3\n", {}, "there are times in it; say how to cut them"),
        ("source,target\n1,2\n", {"slice": "1d"}, "no column 'time'"),
        ("source,target,time\n1,2,0\n1,2,99999999\n", {"slice": "1s"}, "at most 1,000,000"),
        ('source,target\n"1,2\n3,4\n', {}, "line 2"),
        (b"source,target\n1,\x00\n", {}, "line 2: this is not a text file"),
        (b"source,target\n1,\x81\n", {}, "line 2: this is not UTF-8 text .byte 0x81.*encoding="),
        (bytes(range(256)) * 8, {}, "not a text file"),
        ("source,target\n1,2\n".encode("utf-16"), {}, "UTF-16"),
        (gzip.compress(CSV.encode(), mtime=0)[:-9], {}, "the compressed file ends in the middle"),
        (zstandard.compress(CSV.encode())[:-3], {}, "the compressed file ends in the middle"),
        (b"\x1f\x8b garbage", {}, "the compressed file is damaged"),
        ("1 2\n1 2 3\n", {"dialect": "snap"}, "line 2: 3 fields where 2 are expected"),
        ("# nothing\n", {"dialect": "snap"}, "only comments"),
        ("1 2\n", {"dialect": "multiplex"}, "at least 3 fields, and has 2"),
        ("#EDGES\nu,v\n", {"dialect": "multinet"}, "line 2: an edge is"),
        ("#ACTORS\nu\n", {"dialect": "multinet"}, "no edge"),
        ("source,target\n1,2\n", {"dialect": "excel"}, "unknown dialect 'excel'"),
        ("source,target\n1,2\n", {"dialect": "parquet"}, "not a readable Parquet file"),
    ],
)
def test_bad_files_get_one_sentence_with_file_and_line(tmp_path, content, options, message):
    file = write(tmp_path, content)
    with pytest.raises(InputError, match=message) as caught:
        shoal.read(file, **options)
    assert "\n" not in str(caught.value)
    assert options.get("dialect") == "excel" or str(file) in str(caught.value)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        shoal.read(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="no such file"):
        shoal.read(tmp_path / "nowhere.parquet")
    with pytest.raises(InputError, match="not a release folder"):
        shoal.read(tmp_path)


@pytest.mark.parametrize(
    ("file", "options", "counts"),
    [
        ("uci-collegemsg/edges.csv.gz", {"slice": "1d"}, (1899, 195, 25739)),
        ("uci-collegemsg/edges.csv.gz", {"slice": "1w"}, (1899, 29, 18791)),
        ("enron-jhu184/edges.csv.gz", {"slice": "1mo"}, (151, 38, 7300)),
        ("enron-jhu184/edges.csv.gz", {"slice": "1w"}, (151, 164, 13084)),
        ("enron-jhu184/edges.csv.gz", {"slice": "1d"}, (151, 1146, 21259)),
        ("cs-aarhus/edges.csv.gz", {}, (61, 5, 620)),
        ("copenhagen/edges.csv.gz", {"slice": "1d"}, (608, 28, 3646)),
        ("copenhagen/layers.csv.gz", {}, (833, 3, 7736)),
        ("sociopatterns-primary-school/edges.csv.gz", {"slice": "1d"}, (242, 2, 11442)),
        ("travian/edges.csv.gz", {"slice": "1d", "offset": "5h"}, (4612, 30, 323848)),
        ("dblp-coauth-1970-1990/edges.csv.gz", {"slice": "value"}, (95391, 21, 200792)),
        ("higgs-twitter/edges.csv.gz", {"slice": "1d"}, (304691, 7, 464653)),
        ("higgs-twitter/edges.csv.gz", {"slices": 28}, (304691, 28, 473597)),
    ],
)
def test_real_data_has_the_counts_its_readme_states(real_data, file, options, counts):
    graph = shoal.read(real_data(file), **options)
    assert (graph.n_nodes, graph.n_slices, graph.n_edges) == counts


PACKED = {
    "gzip": lambda data: gzip.compress(data),
    "members": lambda data: gzip.compress(data[:30]) + b"\0\0" + gzip.compress(data[30:]),
    "zstd": lambda data: zstandard.compress(data),
    "frames": lambda data: zstandard.compress(data[:30]) + zstandard.compress(data[30:]),
    "plain": lambda data: data,
}


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_a_limit_on_what_a_file_unpacks_to(tmp_path, pack):
    from shoal.read.packed import first_bytes, load_bytes, unpacking_at_most

    data = CSV.encode() * 50
    file = tmp_path / "x"
    file.write_bytes(pack(data))
    assert load_bytes(file) == data
    assert first_bytes(file, 40) == data[:40]
    with unpacking_at_most(len(data)):
        assert load_bytes(file) == data
    with unpacking_at_most(len(data) - 1), pytest.raises(InputError, match="unpacks to more than"):
        load_bytes(file)
    assert load_bytes(file) == data


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_bomb_is_stopped_long_before_it_is_unpacked(tmp_path, pack):
    """200 MB of nothing; the limit bites after one piece, and without being told there is a generous one."""
    import tracemalloc

    from shoal.read.packed import load_bytes, unpacking_at_most

    file = tmp_path / "bomb"
    file.write_bytes(pack(bytes(200_000_000)))
    tracemalloc.start()
    with unpacking_at_most(1_000_000), pytest.raises(InputError, match="more than 1 MB"):
        load_bytes(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80_000_000


def test_a_small_parquet_file_of_very_many_rows(tmp_path):
    from shoal.read.packed import unpacking_at_most

    file = tmp_path / "bomb.parquet"
    pl.select(source=pl.repeat(1, 300_000), target=pl.repeat(2, 300_000)).write_parquet(file)
    assert file.stat().st_size < 20_000
    with unpacking_at_most(1_000_000), pytest.raises(InputError, match="unpacks to more than 1 MB"):
        shoal.read(file)
    assert shoal.read(file).n_edges == 1
