"""Every listed set: complete facts, a file like the publisher's that reads, and a command that parses."""

from __future__ import annotations

import inspect
import json
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

import shoal
from shoal.cli import app
from shoal.datasets import fetch, public_sets
from shoal.datasets.catalogue import PublicSet, find, words_for_bytes
from shoal.datasets.public import folder_of_sets
from tests.datasets.publisher import Publisher

ROOT = Path(__file__).parents[2]
SNAP = "1 2 1082040961\n3 4 1082155839\n5 2 1082414391\n"
SOCIOPATTERNS = "31220\t1558\t1567\t3B\t3B\n31220\t1560\t1570\t3B\t3B\n31240\t1558\t1570\t3B\t3B\n"
# Hand-made, a few lines each in the publisher's format.
SAMPLES = {
    "collegemsg": SNAP,
    "email-eu": SNAP,
    "mathoverflow": SNAP,
    "wiki-talk": SNAP,
    "higgs": "223789 213163 1341100972 MT\n223789 213163 1341100972 RE\n376989 50329 1341101181 RT\n",
    "enron": " 315522000 24 153\n 910948020 114 169\n 911459940 114 169\n",
    "mit-social-evolution": 'id.A,id.B,relationship,survey.date\n1,2,"CloseFriend","2008-09-09"\n2,3,"BlogLivejournalTwitter",\n',
    "copenhagen-sms": "timestamp,sender,recipient\n18,370,512\n37,512,370\n90126,370,1\n",
    "copenhagen-calls": "timestamp,caller,callee,duration\n184,300,301,121\n3920,512,299,670\n5623,301,300,-1\n",
    "primary-school": SOCIOPATTERNS,
    "high-school": "1385982020 454 640 MP MP\n1385982020 1 939 2BIO3 2BIO3\n1385982040 1 640 2BIO3 MP\n",
    "workplace": "28840 574 1362\n28840 164 779\n28860 574 779\n",
    "cs-aarhus": "#TYPE\nmultiplex\n#ACTOR ATTRIBUTES\ngroup,STRING\n#ACTORS\nU4,G2\nU5,NA\nU9,G1\n#LAYERS\nlunch,UNDIRECTED\n"
    "work,UNDIRECTED\n#EDGES\nU4,U5,lunch\nU5,U9,work\n",
    "dblp": "2\n3\n1\n",
}
PEOPLE = {"higgs": 4, "enron": 4, "mit-social-evolution": 3, "cs-aarhus": 3, "copenhagen-sms": 3, "copenhagen-calls": 4}


def write_sample(one: PublicSet, folder: Path) -> Path:
    file = folder / one.file_name.removesuffix(".gz")
    file.write_text(SAMPLES[one.name])
    if one.name == "dblp":
        (folder / "coauth-DBLP-simplices.txt").write_text("1\n2\n2\n3\n4\n5\n")
        (folder / "coauth-DBLP-times.txt").write_text("1970\n1971\n1972\n")
    return file


@pytest.mark.parametrize("one", public_sets().values(), ids=lambda one: one.name)
def test_every_set_says_what_a_user_must_know(one):
    assert one.title
    assert one.publisher
    assert one.licence
    assert one.cite
    assert one.page.startswith("http")
    assert (one.address is None) == bool(one.by_hand)
    assert one.address is None or one.address.startswith("https://")
    assert bool(one.checksum) == bool(one.known_from)
    assert one.checksum is None or len(one.checksum) in (len("sha256:") + 64, len("md5:") + 32)
    assert set(one.read) <= set(inspect.signature(shoal.read).parameters)


@pytest.mark.parametrize("name", [name for name, one in public_sets().items() if one.read])
def test_the_publishers_format_is_read_as_the_set_says(name, tmp_path):
    one = find(name)
    graph = shoal.read(write_sample(one, tmp_path), **one.read)
    assert graph.n_nodes == PEOPLE.get(name, 5 if one.read.get("dialect") in ("snap", "simplices") else 4)
    assert graph.n_edges >= 2


@pytest.mark.parametrize("name", [name for name, one in public_sets().items() if one.read])
def test_the_command_for_a_set_is_one_that_shoal_understands(name, tmp_path):
    words = shlex.split(find(name).command(tmp_path / "a file.txt"))
    assert words[:2] == ["shoal", "anonymize"]
    command = typer.main.get_command(app).commands["anonymize"]
    given = command.make_context("anonymize", words[2:]).params
    assert Path(given["input"]) == tmp_path / "a file.txt"
    assert {key: given[key] for key in find(name).read} == find(name).read


@pytest.fixture
def published(monkeypatch, tmp_path):
    """The set `collegemsg` as published by a server on loopback."""
    publisher = Publisher(SNAP.encode())
    one = PublicSet(
        "collegemsg",
        "t",
        "p",
        "https://page",
        "not stated",
        "c",
        address=publisher.address,
        read={"dialect": "snap", "slice": "1w"},
    )
    monkeypatch.setattr("shoal.datasets.catalogue.public_sets", lambda: {"collegemsg": one})
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield publisher
    publisher.close()


def test_fetch_and_load_in_python(published, tmp_path):
    path = fetch("collegemsg")
    assert path == tmp_path / "collegemsg" / "set.txt"
    assert shoal.datasets.load("collegemsg").n_slices == 2
    assert shoal.datasets.load("collegemsg", slice="1d").n_slices == 5
    assert shoal.datasets.load("collegemsg", slices=3).n_slices == 3
    assert shoal.datasets.fetch("collegemsg", folder=tmp_path / "other").exists()


def test_fetch_on_the_command_line(published, tmp_path):
    run = CliRunner()
    said = run.invoke(app, ["datasets", "fetch", "collegemsg"])
    assert said.exit_code == 0, said.output
    file = tmp_path / "collegemsg" / "set.txt"
    assert f"Fetched: {file}" in said.output
    assert "recorded now" in said.output
    assert f"shoal anonymize {file} --dialect snap --slice 1w -k 5 -o collegemsg-release" in said.output
    again = json.loads(run.invoke(app, ["datasets", "fetch", "collegemsg", "--json"]).stdout)
    assert again["new"] is False
    assert again["path"] == str(file)
    assert run.invoke(app, ["datasets", "fetch", "collegemsg", "--quiet"]).output == ""


def test_the_list_on_the_command_line():
    run = CliRunner()
    said = run.invoke(app, ["datasets"]).output
    facts = json.loads(run.invoke(app, ["datasets", "--json"]).stdout)
    assert list(facts) == list(public_sets())
    for one in public_sets().values():
        assert one.title in said
        assert one.cite in said
        assert one.licence in said
        assert one.page in said


@pytest.mark.parametrize(
    ("name", "sentence"), [("dblp", "is not fetched: "), ("nothing", "there is no public set 'nothing'")]
)
def test_refusals_are_one_sentence_and_exit_code_2(name, sentence, tmp_path):
    command = [sys.executable, "-m", "shoal", "datasets", "fetch", name, "--folder", str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert said.returncode == 2
    assert said.stderr.startswith("shoal: ")
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1


def test_where_sets_are_kept(monkeypatch, tmp_path):
    for name in ("SHOAL_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert folder_of_sets() == tmp_path / ".cache" / "shoal"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert folder_of_sets() == tmp_path / "x" / "shoal"
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path / "y"))
    assert folder_of_sets() == tmp_path / "y"


def test_the_page_of_the_documentation_has_the_same_list():
    module = runpy.run_path(str(ROOT / "docs" / "datasets.py"))
    assert module["table"]() in (ROOT / "docs" / "datasets.md").read_text("utf-8"), "run `python docs/datasets.py`"


@pytest.mark.parametrize(
    ("size", "words"), [(12, "12 bytes"), (345339, "345 kB"), (1_700_000, "1.7 MB"), (4e9, "4.0 GB")]
)
def test_sizes_in_words(size, words):
    assert words_for_bytes(int(size)) == words
