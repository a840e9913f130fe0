"""Files as people have them: from the file to the release without a look at the documentation."""

from __future__ import annotations

import datetime

import polars as pl
import pytest

import shoal
from shoal import InputError
from shoal.contacts.columns import by_name, guess_columns
from shoal.read.header import find_header
from tests.command import shoal as command

PAIRS = [(i % 9 + 1, (i * 4 + 3) % 9 + 1) for i in range(40)]
PAIRS = [(u, v) for u, v in PAIRS if u != v]
DAY = datetime.date(2021, 3, 20)


def headerless(folder):
    file = folder / "contacts.csv"
    file.write_text("".join(f"{u},{v},{1_300_000_000.5 + 20_000 * i}\n" for i, (u, v) in enumerate(PAIRS)))
    return file


def excel_export(folder):
    file = folder / "export.csv"
    rows = [f"{u};{v};{DAY + datetime.timedelta(i):%d/%m/%Y};Müller" for i, (u, v) in enumerate(PAIRS)]
    file.write_bytes(("\ufeffVon;An;Datum;Bemerkung\r\n" + "\r\n".join(rows) + "\r\n").encode())
    return file


def workbook(folder):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["Sender", "Receiver", "Date", "Duration"])
    for i, (u, v) in enumerate(PAIRS):
        book.active.append([f"p{u}", f"p{v}", datetime.datetime(2021, 3, 1) + datetime.timedelta(hours=9 * i), 3.5])
    book.save(folder / "contacts.xlsx")
    return folder / "contacts.xlsx"


def konect(folder):
    file = folder / "out.contacts"
    lines = [f"{u} {v} 1 {1_300_000_000 + 20_000 * i}\n" for i, (u, v) in enumerate(PAIRS)]
    file.write_text("% sym positive\n" + "".join(lines))
    return file


def survey(folder):
    file = folder / "survey.csv"
    rows = [f"{u},{v},friend,{DAY + datetime.timedelta(i)}\n" for i, (u, v) in enumerate(PAIRS)]
    file.write_text("id.A,id.B,relationship,survey.date\n" + "".join(rows))
    return file


ODD = [
    (headerless, "1d", ["Guessed: column '0' is one person", "column '2' is the time", "was read as a contact"]),
    (excel_export, "1w", ["column 'Von'", "column 'Datum' is the time", "Not used: column 'Bemerkung'", "day first"]),
    (workbook, "1d", ["column 'Sender'", "column 'Date' is the time", "Not used: column 'Duration'"]),
    (konect, "1d", ["Not used: column 'weight'", "dialect konect"]),
    (survey, "1w", ["column 'id.A'", "column 'survey.date' is the time", "Not used: column 'relationship'"]),
]


@pytest.mark.parametrize(("make", "width", "said"), ODD, ids=[row[0].__name__ for row in ODD])
def test_odd_files_become_releases_by_one_command(tmp_path, make, width, said):
    file = make(tmp_path)
    out = tmp_path / "out"
    made = command("anonymize", file, "-k", 2, "--slice", width, "-o", out, "--no-report")
    assert made.returncode == 0, made.stderr
    assert f"{len(PAIRS)} contacts read: {len({x for p in PAIRS for x in p})} people" in made.stdout
    for words in said:
        assert words in made.stdout
    assert shoal.verify(out).holds


@pytest.mark.parametrize(("make", "width"), [row[:2] for row in ODD], ids=[row[0].__name__ for row in ODD])
def test_odd_files_are_cut_by_their_dates(tmp_path, make, width):
    graph = shoal.read(make(tmp_path), slice=width)
    assert graph.tally.rows == len(PAIRS)
    assert all(part.label.startswith("2011" if make in (headerless, konect) else "2021") for part in graph.slices)


@pytest.mark.parametrize(
    ("rows", "there"),
    [
        (["1,2,5", "2,3,6"], False),
        (["1,2,5"], False),
        (["ann,bob,2024-05-01", "bob,cem,2024-05-02"], False),
        (["ann,bob", "bob,cem"], False),
        (["source,target", "1,2"], True),
        (["sender,receiver", "ann,bob"], True),
        (["x,y,when", "ann,bob,3"], True),
        (["source,target,2019", "1,2,3"], True),
        (["1,2,n/a", "2,3,4", "4,5,5"], False),
        (["p,q", "ann,bob"], True),
    ],
)
def test_a_first_line_of_data_is_data(rows, there):
    assert find_header([row.split(",") for row in rows]).there is there


def test_no_contact_is_lost_in_silence(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("1,2\n2,3\n3,1\n")
    graph = shoal.read(file)
    assert graph.tally.rows == graph.n_edges == 3
    assert any("was read as a contact" in remark for remark in graph.tally.remarks)
    assert shoal.read(file, header=True, source="1", target="2").n_edges == 2
    file.write_text("p,q\nann,bob\nbob,ann\n")  # nobody can tell
    graph = shoal.read(file)
    assert graph.n_nodes == 2
    assert any("was taken for names of columns" in remark for remark in graph.tally.remarks)
    assert shoal.read(file, header=False, source="0", target="1").n_nodes == 4
    made = command("audit", file, "--no-header", "--source", "0", "--target", "1")
    assert "3 contacts read: 4 people" in made.stdout


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["from", "to", "ts"], {"source": "from", "target": "to", "time": "ts"}),
        (["Zeitpunkt", "Absender", "Empfänger"], {"source": "Absender", "target": "Empfänger", "time": "Zeitpunkt"}),
        (["user_a", "user_b", "duration", "when"], {"source": "user_a", "target": "user_b", "time": "when"}),
        (["sourceID", "targetID", "created_at"], {"source": "sourceID", "target": "targetID", "time": "created_at"}),
        (["id.A", "id.B", "survey.date"], {"source": "id.A", "target": "id.B", "time": "survey.date"}),
        (["a", "b", "c"], {}),
        (["id", "sex", "age"], {}),
    ],
)
def test_columns_by_their_names(columns, found):
    assert by_name(columns) == found


def test_columns_by_what_is_in_them():
    frame = pl.DataFrame({"weight": [9, 8, 7], "p": ["a", "b", "c"], "q": ["b", "c", "a"], "x": ["2024-05-01"] * 3})
    assert guess_columns(frame) == {"time": "x", "source": "p", "target": "q"}
    assert guess_columns(frame.select("weight", "p")) == {}
    graph = shoal.TemporalGraph.from_edges(frame, slice="1d")
    assert graph.tally.guessed == {"source": "p", "target": "q", "time": "x"}
    assert graph.tally.unused == ("weight",)


def test_times_that_count_from_zero_give_numbered_slices(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("source,target,time\n1,2,20\n2,3,90000\n3,1,180000\n")
    assert [s.label for s in shoal.read(file, slice="1d").slices] == ["day 1", "day 2", "day 3"]
    assert [s.label for s in shoal.read(file, slice="12h").slices][:2] == ["hours 1-12", "hours 13-24"]
    assert [s.label for s in shoal.read(file, slices=2).slices] == ["1", "2"]
    dated = shoal.read(file, slice="1d", origin="2024-05-01")
    assert [s.label for s in dated.slices] == ["2024-05-01", "2024-05-02", "2024-05-03"]
    with pytest.raises(InputError, match="nothing is known of months"):
        shoal.read(file, slice="1mo")
    with pytest.raises(InputError, match="an origin is a date such as"):
        shoal.read(file, slice="1d", origin="May")
    file.write_text("source,target,time\n1,2,2001\n2,3,2004\n")
    with pytest.raises(InputError, match=r"look like years.*slice=.value."):
        shoal.read(file, slice="1w")
    said = command("audit", file, "--slice", "1h").stdout
    assert "the slices are numbered" in said


def test_days_and_months_are_told_apart_only_where_the_file_proves_it(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("source,target,time\n1,2,03/04/2021\n2,3,05/04/2021\n")
    failed = command("anonymize", file, "-k", 2, "--slice", "1d", "-o", tmp_path / "out")
    assert failed.returncode == 2
    assert "'03/04/2021' may mean the 3 April or the 4 March" in failed.stderr
    assert "--day-first or --month-first" in failed.stderr
    assert shoal.read(file, slice="1d", day_first=True).slices[0].label == "2021-04-03"
    assert shoal.read(file, slice="1d", day_first=False).slices[0].label == "2021-03-04"
    file.write_text("source,target,time\n1,2,03/04/2021\n2,3,25/04/2021\n")
    assert shoal.read(file, slice="1d").slices[0].label == "2021-04-03"
    file.write_text("source,target,time\n1,2,03/04/2021\n2,3,04/25/2021\n")
    graph = shoal.read(file, slice="1d")
    assert graph.slices[0].label == "2021-03-04"
    assert "month first, because '04/25/2021'" in graph.tally.remarks[0]


def test_text_of_windows_is_read_and_said(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes("source,target\nJürg,Zoë\nZoë,Ann\n".encode("cp1252"))
    graph = shoal.read(file)
    assert graph.nodes.to_list() == ["Ann", "Jürg", "Zoë"]
    assert any("cp1252" in remark for remark in graph.tally.remarks)
    file.write_bytes("source,target\nJürg,Zoë\n".encode("utf-16"))
    assert shoal.read(file, encoding="utf-16").nodes.to_list() == ["Jürg", "Zoë"]
    with pytest.raises(InputError, match="unknown encoding 'klingon'"):
        shoal.read(file, encoding="klingon")


def test_ids_that_look_alike_are_pointed_out_and_kept_apart(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("source,target\nTom,Ann\nTom ,Ann\ntom,Ann\nBob,bob\n")
    graph = shoal.read(file)
    assert graph.n_nodes == 6
    assert any("'Tom', 'Tom ', 'tom' look alike" in r or "'Bob', 'bob' look alike" in r for r in graph.tally.remarks)
    assert "kept apart" in command("audit", file).stdout


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "an Excel workbook of the old kind"),
        ("a.csv", b'[{"source": 1, "target": 2}]', "JSON is not read"),
        ("a.json", b'{"edges": []}', "JSON is not read"),
        ("a.xlsx", b"PK\x03\x04 and no more", "not a readable Excel workbook"),
        ("a.csv", b"ann bob\nbob cem\n", "the columns are ann bob.*dialect=.snap."),
        ("a.csv", b"id,sex,age\n1,f,30\n2,m,41\n", "the columns are id, sex, age"),
    ],
)
def test_refusals_say_what_the_file_is(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        shoal.read(tmp_path / name)


def test_a_workbook_by_any_name(tmp_path):
    file = workbook(tmp_path).rename(tmp_path / "input")
    assert shoal.read(file, dialect="xlsx", slice="1d").tally.rows == len(PAIRS)


def test_a_workbook_cannot_ask_for_more_than_it_holds(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["source", "target"])
    book.active["XFD9"] = 1
    book.save(tmp_path / "wide.xlsx")
    with pytest.raises(InputError, match="columns, and at most"):
        shoal.read(tmp_path / "wide.xlsx")
    book = openpyxl.Workbook()
    book.active.append(["source", "target"])
    book.active["A1048576"], book.active["B1048576"] = "ann", "bob"
    book.create_sheet("more")
    book.save(tmp_path / "long.xlsx")
    graph = shoal.read(tmp_path / "long.xlsx")
    assert graph.n_edges == 1
    assert any("only the first sheet" in remark for remark in graph.tally.remarks)
    book.active["B1048576"] = None
    book.save(tmp_path / "gap.xlsx")
    with pytest.raises(InputError, match="row 1048576, column 'target': the id is missing"):
        shoal.read(tmp_path / "gap.xlsx")
