"""Whatever a file holds: a graph, or one sentence. Never a crash, a hang or a flood of memory.

`fuzz/` looks for more, for longer; what it finds becomes a line of `FOUND` below.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from unittest import mock

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.audit import _tables
from shoal.audit._tables import Unreadable, read_table
from shoal.read.text import delimited, load_text
from tests.command import shoal as command
from tests.hostile import SHAPES, cost_of_reading
from tests.seeds import CSV, seeds
from tests.targets import TARGETS, folder
from tests.uncompiled import examples

TOKENS = [
    b"\n", b"\r", b",", b'"', b'""', b" ", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b"#", b"%", b"-", b"-1", b"0", b"1e308", b"nan",
    b"inf", b"9" * 30, b"0000-00-00", b"+99999-01-01", b"[" * 3000, b"{}", b"[]", b"null", b"true", b"1.5", b"\\u0000",
    "\u2028".encode(),
    b"999999999y", b"-999999999d", b"%Y", b"America/Sao_Paulo", b":", b"/", b"../x", b"PAR1",
]  # fmt: skip


@st.composite
def spoilt(draw: st.DrawFn, good: list[bytes]) -> bytes:
    """A good input after a few edits: pieces replaced, put in, doubled or taken out."""
    text = draw(st.sampled_from(good))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.sampled_from([0, 0, 1, 2, 5, 20, 1000])))
        new = draw(st.one_of(st.sampled_from(TOKENS), st.binary(max_size=4), st.just(text[at:end] * 3)))
        text = text[:at] + new + text[end:]
    return text


def feed(target: str, number: int):
    """Run a target on seeds, on spoilt seeds and on bytes of any kind."""

    @examples(number)
    @given(st.data())
    def run(data):
        TARGETS[target](data.draw(st.one_of(spoilt(seeds(target)), spoilt(seeds(target)), st.binary(max_size=80))))

    run()


@pytest.mark.parametrize(
    ("target", "number"),
    [
        ("contacts", 150),
        ("people", 80),
        ("times", 150),
        ("tagged", 100),
        ("upload", 80),
        ("request", 120),
        ("kept", 60),
    ],
)
def test_readers_accept_or_refuse(target, number):
    feed(target, number)


@pytest.mark.parametrize(("target", "number"), [("release", 50), ("record", 40), ("database", 40), ("shards", 30)])
def test_releases_and_records_of_others_are_read_or_refused(target, number):
    feed(target, number)


@pytest.mark.parametrize(
    "target", ["people", "tagged", "database", "shards", "release", "record", "kept", "upload", "request"]
)
def test_what_is_right_is_accepted(target):
    assert any("accepted" in TARGETS[target](one) for one in seeds(target))


# What fuzzing found, as small as it could be made: (target, input, what is said now).
FOUND = [
    ("contacts", b"\0\xef\xbb\xbf\n", "the file is empty"),  # StopIteration
    ("contacts", b"\0source,target\r1,2\r3,4\r", "accepted"),  # lines of an old Mac were one line
    ("contacts", b"\x06" + b"1 2 3\r4 5 6\r", "accepted"),  # read as 1 2 34 5 6
    ("contacts", b"\x07" + b"1 2\n", "accepted"),  # counted as 0 contacts
    ("contacts", b"\0" + b'source,target,"a\nb"\n1,2\n', "2 fields where 3"),  # a refusal of two lines
    ("contacts", b"\0" + b'source,target\n"",2\n', "the id is missing"),  # a person without a name
    ("contacts", b"\x04" + b'source,target,layer\n1,2," "\n', "nothing stands there"),  # a slice without one
    ("people", b"\0" + b'"node"\n"a"\n', "accepted"),  # the header was a person
    ("times", b"1d\n\n\n999999999d\n\n\n0\n1", "at most ten years"),  # OverflowError
    ("times", b"999999999y\n\n\n\n\n\n0\n1", "at most as wide as the calendar"),
    ("times", b"5000y\n\n\n\n\n\n0\n1", "nothing is known of months and years"),
    ("times", b"5000y\n\n\n\n\n\n1300000000\n1300000001", "accepted"),
    ("times", b"30s\n\n\n5h\n\n\n0\n30\n60", "accepted"),  # two slices of the same name
    ("times", b"1d\n\n\n\n\n\nnumbers\n1e308\n1", "not within the years"),  # a warning of numpy
    ("times", b"1w\n\n*\n\n\n\n0", "unknown time zone '*'"),  # RuntimeError, and polars had taken it
    ("times", b"1d\n\n\n\n\n\n-0001-01-01\n2024-01-01", ""),
    ("release", b"\0" + b"[" * 100_000, "nested too deep"),  # RecursionError
    ("release", b"\0{}", "'k' is missing"),
    ("record", b"[" * 100_000, "cannot be read as JSON"),
    ("record", b'{"levels": {"1": Infinity}}', "is not the private record"),  # OverflowError
    ("kept", b'{"exact": [], "pivot": ["a"]}', "accepted"),
    ("kept", b"[" * 100_000, "accepted"),
    ("upload", b"a.csv\n\n1 2 3\nx y z\n1 2 3\n", "accepted"),  # ValueError of a guess
    ("upload", b"a.csv\n" + b"&" * 60 + b"\n1,2\n", "too many fields"),
]


@pytest.mark.parametrize(("target", "data", "said"), FOUND, ids=range(len(FOUND)))
def test_what_was_found_stays_mended(target, data, said):
    assert said in TARGETS[target](data)


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6) | st.sampled_from(
    ["", " ", "1", '"', ",", "\n"]
)


@examples(150)
@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=6)),
    st.booleans(),
)
@example([["a", "b"], ["1\r2", "3"]], False)
@example([["a"], ["1"], [""], ["2"]], True)
def test_a_table_is_what_the_csv_module_reads(rows, quoted):
    """A second opinion on every cell: what is accepted is what Python's own reader finds."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL, lineterminator="\n").writerows(rows)
    file = folder() / "table.csv"
    file.write_bytes(text.getvalue().encode())
    try:
        data = load_text(file)
        table = delimited(file, data, ",", header=False)
    except InputError:
        return
    found = [[cell or "" for cell in row] for row in table.frame.rows()]
    assert found == [row for row in csv.reader(io.StringIO(data.decode(), newline=""), strict=True) if any(row)]


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)


@examples(40)
@given(st.lists(st.tuples(names, names, names), min_size=1, max_size=8), st.sampled_from(["csv", "parquet"]))
def test_whatever_people_and_layers_are_called_a_release_comes_back(tmp_path_factory, rows, format):
    place = tmp_path_factory.mktemp("r[1]")  # square brackets: no pattern
    frame = pl.DataFrame(rows, schema=["source", "target", "layer"], orient="row")
    try:
        graph = TemporalGraph.from_edges(frame, layer="layer")
    except InputError:
        return
    shoal.anonymize(graph, 1, seed=0).save(place / "out", keep_ids=True, report=False, format=format)
    assert shoal.verify(place / "out")
    back = shoal.read(place / "out")
    assert sorted(map(str, back.nodes.to_list())) == sorted(map(str, graph.nodes.to_list()))
    assert back.n_edges == graph.n_edges


@examples(25)
@given(spoilt([CSV]))
def test_the_command_line_says_no_in_one_line(content):
    file = folder() / "spoilt.csv"
    file.write_bytes(content)
    code, _, said = command("audit", file, "--slice", "1d", "--quiet")
    assert code in (0, 2)
    assert code == 0 or (said.startswith("shoal: ") and said.count("\n") == 1)


def test_what_a_hostile_release_makes_the_commands_say(tmp_path):
    graph = TemporalGraph.from_slices({"mon": [(1, 2), (3, 4)]})
    shoal.anonymize(graph, 2, seed=0).save(tmp_path / "out", report=False)
    certificate = tmp_path / "out" / "certificate.json"
    claims = json.loads(certificate.read_text())
    for change in ({"k": "x"}, {"k": True}, {"people_by_k": {"x": 1}}, {"people_by_k": {"2": "x"}}, {"sha256": []}):
        certificate.write_text(json.dumps(claims | change))
        for arguments in (("verify", tmp_path / "out"), ("audit", tmp_path / "out", "-q")):
            code, _, said = command(*arguments)
            assert (code, said.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("table", "content"),
    [
        ("nodes.csv", b"node\n" + b"\n" * 1000),
        ("nodes.csv", b"node," + b",".join(b"c%d" % i for i in range(500)) + b"\n" + b"1\n" * 1000),
        ("nodes.csv", b"node," + b",".join(b"c%d" % i for i in range(500)) + b'\n"1"\n' + b"1\n" * 1000),
        ("nodes.parquet", b"PAR1"),
    ],
)
def test_verify_counts_before_it_makes_room(tmp_path, table, content):
    (tmp_path / table).write_bytes(content)
    with pytest.raises(Unreadable):
        read_table(tmp_path, "nodes", ["node"])


@examples(150)
@given(
    st.integers(1, 3).flatmap(
        lambda n: st.lists(st.lists(cells.filter(bool), min_size=n, max_size=n), min_size=1, max_size=8)
    ),
    st.integers(0, 60),
    st.sampled_from([b"", b"x", b'"', b",", b"\n", b"\r", b'""']),
    st.integers(1, 20),
)
def test_a_released_table_read_in_pieces_is_what_it_is_as_a_whole(rows, place, more, piece):
    """Wherever a piece ends, and whatever stands in the file. A line longer than a piece is refused."""
    names, text, where = ["node", "b", "c"][: len(rows[0])], io.BytesIO(), folder()
    pl.DataFrame(rows, schema=names, orient="row").write_csv(text)
    content = text.getvalue()
    content = content[:place] + more + content[place:]
    (where / "nodes.csv").write_bytes(content)

    def read() -> pl.DataFrame | None:
        try:
            return read_table(where, "nodes", names)
        except Unreadable:
            return None

    whole = read()
    with mock.patch.object(_tables, "_PIECE_BYTES", piece):
        parts = read()
    short = max(map(len, content.split(b"\n"))) < piece and b'"' not in content
    if whole is None or short:
        assert (whole is None) == (parts is None)
    if whole is not None and parts is not None:
        assert parts.equals(whole)


def test_a_released_table_of_many_rows_is_read_in_pieces(tmp_path):
    names = pl.Series("node", range(1, 10)).cast(pl.String)
    names.to_frame().write_parquet(tmp_path / "nodes.parquet")
    with mock.patch.object(_tables, "_PIECE_ROWS", 4):
        assert [len(piece) for piece in _tables.read_pieces(tmp_path, "nodes", ["node"])] == [4, 4, 1]
        assert read_table(tmp_path, "nodes", ["node"])["node"].equals(names)


def test_a_released_table_of_too_many_rows(tmp_path):
    pl.select(node=pl.repeat(1, 3_000_000)).write_parquet(tmp_path / "nodes.parquet", compression_level=9)
    assert (tmp_path / "nodes.parquet").stat().st_size < 30_000
    with pytest.raises(Unreadable, match="too many rows"):
        read_table(tmp_path, "nodes", ["node"])


@pytest.mark.parametrize("kind", [pl.UInt64, pl.Int128])
def test_ids_of_more_than_63_bits_are_one_sentence(tmp_path, kind):
    pl.DataFrame({"source": [2**63], "target": [1]}, schema={"source": kind, "target": kind}).write_parquet(
        tmp_path / "a.parquet"
    )
    with pytest.raises(InputError, match="63 bits"):
        shoal.read(tmp_path / "a.parquet")


def test_columns_of_lists_are_left_out(tmp_path):
    pl.DataFrame({"source": [1], "target": [2], "more": [[1, 2]]}).write_parquet(tmp_path / "a.parquet")
    assert shoal.read(tmp_path / "a.parquet").n_edges == 1
    pl.DataFrame({"source": [[1]], "target": [2]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="no column 'source'"):
        shoal.read(tmp_path / "b.parquet")


WORST = (
    "shortest pairs", "letters of four bytes", "one column of very many", "columns named twice",
    "empty cells",
    "blank lines below a wide header", "blank lines and a quote", "short lines below a wide header", "short lines and a quote",
    "short lines", "GraphML, an attribute for every edge", "GraphML, very many defaults", "GEXF, spells",
    "gzip bomb", "gzip of very many members", "zstd bomb", "zstd of very many windows",
)  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")
@pytest.mark.parametrize("name", WORST)
def test_reading_takes_no_more_than_twenty_times_the_file(tmp_path, name):
    """Of five megabytes, and some that any reading takes."""
    shape = SHAPES[name]
    file = tmp_path / "hostile"
    file.write_bytes(shape.make(5 << 20))
    cost = cost_of_reading(file, shape.options, 300)
    assert cost.outcome.startswith(("TemporalGraph", "InputError")), cost.outcome
    assert cost.bytes < 20 * file.stat().st_size + (24 << 20)
