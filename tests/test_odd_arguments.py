"""Every parameter of every public function, given something odd: it works, or one sentence says what was expected."""

from __future__ import annotations

import inspect
import math
import pathlib
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import ShoalError, TemporalGraph
from shoal.errors import GuaranteeError, InputError

ODD = [
    None, True, False, "", "5", "²", "no", 1.5, math.nan, math.inf, -1, 0, 2, 10**30, b"x", [], {}, (), [None], [1, 2], {"a": 1},
    object(), np.float64(2), np.int64(2), np.array([1, 2]), pathlib.Path("nowhere"), lambda: None, "a\0b", 1j, {1}, [[1]],
    "x" * 5000,
]  # fmt: skip
CONTACTS = {"source": [1, 2, 3, 4, 5, 6], "target": [2, 3, 4, 5, 6, 1], "time": [0, 0, 0, 90_000, 90_000, 90_000]}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A graph, a file of it, a release with its record, and later contacts."""
    folder = tmp_path_factory.mktemp("odd")
    rows = zip(*CONTACTS.values(), strict=True)
    (folder / "in.csv").write_text("source,target,time\n" + "".join(f"{u},{v},{t}\n" for u, v, t in rows))
    (folder / "parquet").mkdir()
    pl.DataFrame(CONTACTS).write_parquet(folder / "parquet" / "part.parquet")
    graph = TemporalGraph.from_edges(CONTACTS, time="time", slice="1d")
    release = shoal.anonymize(graph, 2, seed=1)
    release.save(folder / "out", private=folder / "record.json", report=False)
    later = TemporalGraph.from_edges(CONTACTS | {"time": [9 * 86_400] * 6}, time="time", slice="1d")
    return folder, graph, release, later


def calls(place, tmp_path):
    """Public functions with arguments that work."""
    folder, graph, release, later = place
    return {
        "anonymize": (shoal.anonymize, {"graph": graph, "k": 2, "seed": 1, "effort": "fast"}),
        "read": (shoal.read, {"path": folder / "in.csv", "slice": "1d"}),
        "from_edges": (TemporalGraph.from_edges, {"frame": CONTACTS, "time": "time", "slice": "1d"}),
        "from_events": (TemporalGraph.from_events, {"events": [(1, 2, 0), (2, 3, 1)]}),
        "from_slices": (TemporalGraph.from_slices, {"slices": {"mon": [(1, 2)], "tue": [(2, 3)]}}),
        "audit": (shoal.audit, {"graph": graph}),
        "verify": (shoal.verify, {"folder": folder / "out"}),
        "sweep": (shoal.sweep, {"graphs": {"days": graph}, "ks": [2], "effort": "fast"}),
        "protect_most": (shoal.protect_most, {"graph": graph, "k": 2, "budget": 0.1, "seed": 1, "effort": "fast"}),
        "extend": (
            shoal.extend,
            {"folder": folder / "out", "graph": later, "record": folder / "record.json", "effort": "fast"},
        ),
        "compare": (shoal.compare, {"original": graph, "release": release.graph, "communities": False}),
        "save": (release.save, {"folder": tmp_path / "saved", "report": False}),
        "anonymize_folder": (
            shoal.large.anonymize_folder,
            {"folder": folder / "parquet", "k": 2, "output": tmp_path / "o", "slice": "1d", "effort": "fast"},
        ),
        "audit_folder": (shoal.large.audit_folder, {"folder": folder / "parquet", "slice": "1d"}),
    }


# Whatever is given there goes on to a function that is asked too.
FORWARDED = ("options", "cut")
NAMES = ("anonymize", "read", "from_edges", "from_events", "from_slices", "audit", "verify", "sweep", "extend", "compare", "save",
         "protect_most", "anonymize_folder", "audit_folder")  # fmt: skip


def test_large_graphs_are_there_after_import():
    command = "import shoal, sys; assert 'shoal.large' not in sys.modules; print(shoal.large.anonymize_folder.__name__)"
    assert subprocess.check_output([sys.executable, "-c", command], text=True) == "anonymize_folder\n"
    assert "large" in dir(shoal)


OUTPUT = {"save": "folder", "anonymize_folder": "output"}  # a place of its own for every call that writes


@pytest.mark.parametrize("name", NAMES)
def test_odd_values_are_taken_or_refused_in_a_sentence(name, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, good = calls(place, tmp_path)[name]
    wrong = []
    for parameter in inspect.signature(function).parameters:
        for i, odd in enumerate(ODD if parameter not in FORWARDED else ()):
            own = {OUTPUT[name]: tmp_path / f"{parameter}-{i}"} if name in OUTPUT else {}
            try:
                function(**good | own | {parameter: odd})
            except ShoalError as error:
                fine = not isinstance(error, GuaranteeError) and str(error).strip() and "\n" not in str(error)
                wrong += [] if fine else [(parameter, odd, repr(error))]
            except Exception as error:
                wrong.append((parameter, odd, repr(error)[:200]))
    assert not wrong, "\n".join(f"{name}({parameter}={odd!r:.40}): {error}" for parameter, odd, error in wrong)


def test_keywords_by_the_name_they_once_had_are_refused_in_a_sentence():
    graph = TemporalGraph.from_slices({"day": [("a", "b"), ("b", "c")]})
    with pytest.raises(InputError, match="keep is called must_keep now"):
        shoal.anonymize(graph, 2, keep=[("a", "b")])
    with pytest.raises(InputError, match="deletion_weight is called removal_weight now"):
        shoal.anonymize(graph, 2, deletion_weight=2.0)
