"""What a job goes through, without a browser: guesses, cancelling, the queue, restarts, deleting."""

from __future__ import annotations

import json
import re
import time
import types
import zipfile

import pytest

import shoal
from shoal.common.progress import COMPILING
from shoal.web.look import look, plain_words
from shoal.web.views import doing, label_of, reading_of, size_in_words, waffle
from tests.web.server import Server

CSV = "source,target,time\n" + "".join(f"{i % 7},{i * 5 % 13},{i * 40_000 + 1_700_000_000}\n" for i in range(60))


def test_compiling_says_how_far_it_is():
    told = {"stage": COMPILING, "share": 0.5, "total": 98, "began": time.time() - 10}
    busy = doing(types.SimpleNamespace(progress=lambda: told))
    assert busy["words"] == "Compiling, once after installation"
    assert re.fullmatch(r": 49 of 98, about 1\d s more", busy["detail"])
    assert doing(types.SimpleNamespace(progress=dict))["detail"] == ""


@pytest.mark.parametrize(
    ("name", "content", "reading"),
    [
        ("a.csv", CSV, {"dialect": "csv", "source": "source", "target": "target", "time": "time", "slice": "1d"}),
        ("b.tsv", "From\tTo\tDate\na\tb\t2020-01-01\nb\tc\t2024-01-01\n", {"source": "From", "target": "To", "slice": "1mo"}),
        ("c.txt", "1 2 1082040961\n3 4 1092155839\n", {"dialect": "snap", "target": "1", "time": "2", "slice": "1w"}),
        ("d.txt", "% sym\n1 2 1 1082040961\n3 4 1 1082155839\n", {"dialect": "konect", "time": "3", "slice": "1h"}),
        ("e.dat", "31220 1 2\n31220 2 3\n31240 1 3\n", {"dialect": "sociopatterns", "time": "0", "source": "1"}),
        ("f.mpx", "#ACTORS\nann\n#EDGES\nann,bob,work\nbob,cem,lunch\n", {"dialect": "multinet", "layer": "layer"}),
        ("g.csv", "x;y;year\na;b;1999\nb;c;2001\n", {"source": "x", "target": "y", "time": "year", "slice": "value"}),
        ("h.csv", "a,b,layer\nx,y,work\ny,z,lunch\n", {"source": "a", "target": "b", "layer": "layer"}),
        ("i.csv", "a,b,t\nx,y,24.12.2024 18:30\ny,z,31.12.2024 10:00\n", {"time": "t", "slice": "1d"}),
        ("j.csv", "a,b,t\nx,y,1700000000000\ny,z,1700090000000\n", {"time_unit": "ms", "slice": "1h"}),
    ],
)  # fmt: skip
def test_guesses_fill_in_the_form(tmp_path, name, content, reading):
    file = tmp_path / "input"
    file.write_text(content)
    found = look(file, name, {}, 10**6)
    assert found["problems"] == []
    assert found["reading"].items() >= reading.items()
    assert found["n_nodes"] >= 3
    again = look(file, name, found["reading"], 10**6)
    assert again == found
    assert shoal.read(file, **found["reading"]).n_edges == found["n_edges"]


def test_problems_name_their_lines_and_no_path(tmp_path):
    file = tmp_path / "input"
    file.write_text("source,target,time\na,b,2024-05-01\na,,2024-05-01\nc,d,\n")
    found = look(file, "mine.csv", {}, 10**6)
    assert any("line 3" in p for p in found["problems"])
    assert any("line 4" in p for p in found["problems"])
    assert str(tmp_path) not in json.dumps(found)
    assert (
        plain_words(f"{file}: the time is odd (is it in milliseconds? --time-unit ms)", file, "x")
        == "x: the time is odd"
    )


def test_small_helpers():
    assert label_of("C:\\data\\a.csv") == "a.csv"
    assert label_of("../..") == ".."
    assert label_of("\n") == "unnamed file"
    assert size_in_words(1_000_000_000) == "1.0 GB"
    assert size_in_words(12_345) == "12 KB"
    assert sum(p["marked"] for p in waffle(1, 1000)) == 1
    assert sum(p["marked"] for p in waffle(999, 1000)) == 99
    assert reading_of({"source": "a", "slice": "1d", "time": "", "nodes": "/etc/passwd", "dialect": "x"}) == {
        "source": "a"
    }


def test_from_upload_to_release_and_over_a_restart(tmp_path):
    """Queue, cancel, run again, stop the server, start it again, delete piece by piece."""
    first = Server(tmp_path / "w")
    try:
        path = first.upload(CSV.encode(), "mine.csv")
        assert first.wait(path, "look") == "done"
        assert first.ask("POST", f"{path}/run", {"k": "2"})[0] == 409
        assert first.ask("POST", f"{path}/audit", {})[0] == 303
        assert first.wait(path, "audit") == "done"
        for k in ("1", "14", "x", "-3", "²", "9" * 50, ""):
            assert first.ask("POST", f"{path}/run", {"k": k})[0] == 400
        assert first.ask("POST", f"{path}/run", {"k": "3", "effort": "fast"})[0] == 303
        assert first.ask("POST", f"{path}/cancel", {"kind": "run"})[0] == 303
        assert first.wait(path, "run") == "cancelled"
        assert first.ask("GET", f"{path}/files/release.zip")[0] == 404
        assert "makes a second release" not in first.ask("GET", path)[1]
        first.ask("POST", f"{path}/run", {"k": "3", "effort": "fast", "title": "Ward\n<7>", "by": "E. Noether"})
        assert first.wait(path, "run") == "done"
        text = first.ask("GET", path)[1]
        assert "released here before" not in text
        assert "with this k or another, makes a second release of the same file" in text  # before anybody presses
        assert "NOT stopped" in text
        assert "can still be found by whoever knows" in text
        assert "one a line, became" in text
        assert not re.search(r"\bsafe\b", text, re.I)
        report = first.ask("GET", f"{path}/files/report.html")[1]
        assert "<h1>Ward&lt;7&gt;</h1>" in report
        assert "E. Noether" in report
        assert "mine.csv" not in report
        other = first.upload(CSV.encode(), "other.csv")
        assert first.wait(other, "look") == "done"
        first.ask("POST", f"{other}/audit", {})
        assert first.wait(other, "audit") == "done"
        assert "released here before" in first.ask("GET", other)[1]
        first.ask("POST", f"{path}/run", {"k": "3", "effort": "fast"})
        assert first.wait(path, "run") == "done"
        assert "released here before" in first.ask("GET", path)[1]
        third = first.upload(CSV.encode() + b"1,2,0\n", "third.csv")
        assert first.wait(third, "look") == "done"
        first.ask("POST", f"{third}/audit", {})
        assert first.wait(third, "audit") == "done"
        assert "released here before" not in first.ask("GET", third)[1]
    finally:
        first.stop()

    second = Server(tmp_path / "w")
    try:
        text = second.ask("GET", "/")[1]
        assert "mine.csv" in text
        assert "released with k = 3" in text
        assert second.ask("GET", path)[0] == 200
        assert second.ask("GET", other)[0] == 200
        folder = second.folder / path.rpartition("/")[2]
        zipfile.ZipFile(folder / "release.zip").extractall(tmp_path)
        assert shoal.verify(tmp_path / "release", 3)
        assert "seed" not in (tmp_path / "release" / "certificate.json").read_text()
        assert "rounded down" in json.loads((tmp_path / "release" / "certificate.json").read_text())["rounding"]
        assert "when: original" not in (tmp_path / "release" / "report.html").read_text()
        assert "when: original" in second.ask("GET", f"{path}/files/exact.html")[1]
        assert second.ask("GET", f"{path}/files/mapping.json")[0] == 200
        assert "PRIVATE" in second.headers["content-disposition"]
        assert "when: original" in second.ask("GET", f"{path}/files/outbreaks.svg")[1]
        assert "people reached" in second.ask("GET", path)[1]
        assert second.ask("POST", f"{path}/delete", {"what": "mapping"})[0] == 303
        assert second.ask("GET", f"{path}/files/outbreaks.svg")[0] == 404  # exact numbers go with the exact report
        assert "people reached" not in second.ask("GET", path)[1]
        assert not (folder / "private.json").exists()
        assert not (folder / "exact").exists()
        assert second.ask("POST", f"{path}/delete", {"what": "upload"})[0] == 303
        assert not (folder / "input").exists()
        assert second.ask("GET", f"{path}/files/release.zip")[0] == 200
        assert second.ask("POST", f"{path}/look", {"source": "source"})[0] == 410
        assert second.ask("POST", "/delete-all", {})[0] == 303
        assert {f.name for f in second.folder.iterdir()} == {"lock"}
    finally:
        second.stop()


def test_one_server_per_folder(tmp_path):
    first = Server(tmp_path / "w")
    try:
        with pytest.raises(AssertionError, match="another shoal serve is using this work folder"):
            Server(tmp_path / "w")
    finally:
        first.stop()


def test_leftovers_are_cleared_away(tmp_path):
    work = tmp_path / "w"
    (work / ("0" * 32)).mkdir(parents=True)
    (work / ("0" * 32) / "input").touch()
    (work / (".gone-" + "1" * 32)).mkdir()
    (work / "yours.txt").touch()
    server = Server(work)
    server.stop()
    assert {f.name for f in work.iterdir()} == {"lock", "yours.txt"}


@pytest.mark.parametrize(
    ("content", "reading", "asked", "answer", "people"),
    [
        (
            "1,2,1300000000\n2,3,1300090000\n3,1,1300190000\n",
            {"source": "0", "target": "1", "time": "2"},
            "header",
            False,
            3,
        ),
        ("von,an,datum\n1,2,03/04/2021\n2,3,05/06/2021\n", {"source": "von", "time": "datum"}, "day_first", True, 3),
    ],
)
def test_what_the_file_does_not_tell_is_asked(tmp_path, content, reading, asked, answer, people):
    file = tmp_path / "input"
    file.write_text(content)
    found = look(file, "a.csv", {}, 10**6)
    assert found["reading"].items() >= reading.items()
    assert [ask["name"] for ask in found["asks"]] == [asked]
    again = look(file, "a.csv", {**found["reading"], asked: answer}, 10**6)
    assert (again["asks"], again["problems"], again["n_nodes"]) == ([], [], people)
    assert again["rows"] == (3 if asked == "header" else 2)
    assert (
        reading_of({**{k: str(v) for k, v in again["reading"].items()}, asked: "yes" if answer else "no"})[asked]
        is answer
    )


def test_the_page_says_what_it_did_not_use_and_when_the_data_are_from(tmp_path):
    file = tmp_path / "input"
    file.write_text("id.A,id.B,relationship,survey.date\n1,2,friend,2008-09-09\n2,3,friend,2009-03-05\n")
    found = look(file, "survey.csv", {}, 10**6)
    assert found["reading"]["time"] == "survey.date"
    assert found["unused"] == ["relationship"]
    assert found["span"] == ["2008-09-09", "2009-03-05"]
    file.write_text("source,target,time\n1,2,20\n2,3,190000\n")
    found = look(file, "a.csv", {}, 10**6)
    assert found["reading"]["slice"] == "1d"
    assert found["span"] == ["20", "190000"]
    assert any("slices are numbered" in remark and "--" not in remark for remark in found["remarks"])


def test_pages_ask_and_a_file_that_could_not_be_read_is_not_listed_as_read(tmp_path):
    server = Server(tmp_path / "w")
    try:
        path = server.upload(b'{"edges": []}', "a.json")
        assert server.wait(path, "look") == "done"
        assert "JSON is not read" in server.ask("GET", path)[1]
        assert "could not be read yet" in server.ask("GET", "/")[1]
        path = server.upload(b"1,2,1300000000\n2,3,1300090000\n3,1,1300190000\n", "b.csv")
        assert server.wait(path, "look") == "done"
        page = server.ask("GET", path)[1]
        assert "Is the first line (1, 2, 1300000000) a contact" in page
        assert 'id="go-audit"' not in page  # nothing is right before that is answered
        form = {"dialect": "csv", "source": "0", "target": "1", "time": "2", "slice": "1d", "header": "no"}
        assert server.ask("POST", f"{path}/look", form)[0] == 303
        assert server.wait(path, "look") == "done"
        page = server.ask("GET", path)[1]
        assert 'id="go-audit"' in page
        assert "From <b>2011-03-13</b> to <b>2011-03-15</b>" in page
        assert "3 contacts become 3 edges" in page
    finally:
        server.stop()
