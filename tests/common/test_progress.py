"""Why people wait, and that the words fit whoever reads them."""

from __future__ import annotations

import os
import sys
import time
import types
from contextlib import contextmanager

import numpy as np
import pytest

import shoal
from shoal import InputError
from shoal.common import memory
from shoal.common.display import Bars, Lines, NotebookBar, estimate, pace, time_left, visible_progress
from shoal.common.progress import COMPILING, Progress, run_jobs
from shoal.common.solver import milp, own_stdout
from shoal.datasets import messenger
from shoal.errors import speaking_to_a_shell, spoken
from shoal.web.views import STAGES


class Heard(Progress):
    """Remembers its stages, and the last share of each."""

    def __init__(self):
        self.stages = []

    @contextmanager
    def stage(self, name, total):
        self.stages.append([name, 0.0])
        yield lambda share: self.stages[-1].__setitem__(1, share)


def test_every_stage_is_told_from_grouping_to_verifying(tmp_path):
    heard = Heard()
    release = shoal.anonymize(messenger(40, 4, seed=1), 2, seed=1, effort="fast", progress=heard)
    release.save(tmp_path / "out", progress=heard, private=tmp_path / "record.json")
    names = [name for name, _ in heard.stages]
    measured = ["judging", "measuring", "following contacts through time", "finding communities", "learning"]
    assert names == ["grouping", "rebuilding", "retying", "writing", *measured, "drawing", "verifying", "closing"]
    on_the_page = list(STAGES)
    assert [on_the_page.index(name) for name in names] == sorted(map(on_the_page.index, names))


def test_lines_come_where_a_stage_lasts_and_only_there(capsys):
    with Lines(first=5).stage("grouping", 10) as tell:
        tell(0.5)
    assert capsys.readouterr().err == ""
    with Lines(first=0.02, every=0.02).stage("grouping", 10) as tell:
        tell(0.5)
        time.sleep(0.2)
    assert "… grouping, 50 % after 0 s\n" in capsys.readouterr().err


def test_compiling_is_said_to_be_compiling(capsys):
    from shoal._numba import compiling, njit

    heard = []
    namespace: dict = {"__name__": "shoal.made"}
    exec("def twice(x):\n    return 2 * x", namespace)  # nothing of it is in the cache
    import numba

    kernel = numba.njit(namespace["twice"])  # noqa: TID251
    assert callable(njit)
    with compiling(heard.append):
        kernel(np.int64(3))
        n = len(heard)
        kernel(np.int64(4))
    if not numba.config.DISABLE_JIT:
        assert heard == ["shoal.made.twice"]
    assert len(heard) == n  # the second call compiles nothing


def test_compiling_ahead_counts_its_kernels_from_the_first_seconds(capsys, monkeypatch):
    monkeypatch.setattr("shoal.common.display.AT_ONCE", 0.01)
    with Lines(first=60).stage(COMPILING, 98) as tell:
        tell(31 / 98)
        time.sleep(0.2)
    assert f"… {COMPILING}: 31 of 98, about 0 s more\n" in capsys.readouterr().err


def test_bars_do_not_promise_a_second_for_a_quarter_of_a_minute():
    assert time_left(0.99, 100) == "finishing"
    assert time_left(0.5, 100) == "left 1:40"
    assert time_left(0.0, 100) == ""
    with Bars().stage("grouping", 100) as tell:
        tell(0.5)
        tell(1.0)


def test_true_shows_progress_and_false_does_not(monkeypatch):
    from shoal.common.checks import some_progress

    assert isinstance(some_progress(True), Lines | Bars)
    assert type(some_progress(False)) is type(some_progress(None)) is Progress
    with pytest.raises(InputError, match="progress must be True"):
        some_progress(5)
    graph = messenger(30, 3, seed=1)
    assert shoal.anonymize(graph, 2, seed=1, progress=True).graph == shoal.anonymize(graph, 2, seed=1).graph


def test_a_notebook_gets_one_bar(monkeypatch):
    shown = []
    handle = types.SimpleNamespace(update=lambda html: shown.append(html))
    module = types.ModuleType("IPython.display")
    module.HTML, module.display = str, lambda html, display_id: shown.append(html) or handle
    python = types.ModuleType("IPython")
    python.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", python)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    bar = visible_progress()
    assert isinstance(bar, NotebookBar)
    with bar.stage("grouping", 10) as tell:
        tell(1.0)
    assert "<progress></progress> grouping" in shown[0]
    assert 'value="1.000"' in shown[-1]
    assert "done" in shown[-1]


def test_long_runs_are_announced():
    assert estimate(1_000_000, 28, 18_700_000, "fast") == "about 3 minutes"
    assert estimate(1_000_000, 28, 18_700_000, "fast", 4.0) == "about 11 minutes"
    assert 0 < pace() < 1000
    assert estimate(10_000_000, 28, 187_000_000, "thorough").endswith("hours")
    assert estimate(1_899, 29, 18_791, "balanced") is None


def test_the_solver_keeps_off_stdout_in_python_too(capfd, monkeypatch):
    from scipy import optimize

    monkeypatch.setattr(optimize, "milp", lambda *args, **options: os.write(1, b"HiGHS says hello\n"))
    milp([1.0])
    with own_stdout(), own_stdout():
        os.write(1, b"nobody hears this\n")
    os.write(1, b"data\n")
    assert capfd.readouterr().out == "data\n"


def test_python_hears_of_parameters_and_a_shell_of_options(tmp_path):
    text = "say --slice, --slices 1, --time-format, --no-header or --month-first; '--else' stays"
    assert spoken(text) == "say slice=, slices=1, time_format=, header=False or day_first=False; '--else' stays"
    with speaking_to_a_shell():
        assert spoken(text) == text
    graph = messenger(30, 3, seed=1)
    for wrong in ("5", 5.0, True, None):
        with pytest.raises(InputError, match="k must be a whole number from 1; got") as caught:
            shoal.anonymize(graph, k=wrong)
        assert "-k" not in str(caught.value)
    with pytest.raises(InputError, match=r"^resume=True goes with work_dir=") as caught:
        shoal.anonymize(graph, 2, resume=True)
    file = tmp_path / "a.csv"
    file.write_text("source,target,time\n1,2,2024-05-01\n")
    with pytest.raises(InputError, match=r"with slice= .*slices=1") as caught:
        shoal.read(file)
    assert "--" not in str(caught.value)


def test_results_are_tables_and_charts(tmp_path):
    graph = messenger(40, 4, seed=1)
    release = shoal.anonymize(graph, 3, seed=1, effort="fast")
    found = shoal.audit(release)
    assert found.k == 3
    assert found.attackers[-1].name == "reidentify"
    assert shoal.audit(release, k=7).k == 7
    compared = shoal.compare(graph, release, communities=False)
    swept = shoal.sweep({"days": graph}, [2], effort="fast")
    for one, rows in ((found, len(found.attackers)), (compared, 4), (swept, 1), (release, release.graph.n_edges)):
        assert len(one.to_polars()) == len(one.to_pandas()) == rows
        assert one.plot().to_dict()["mark"]


def test_some_people_and_some_slices():
    graph = shoal.TemporalGraph.from_edges(
        {
            "source": [1, 1, 2, 3],
            "target": [2, 3, 3, 4],
            "time": ["2024-05-01", "2024-05-20", "2024-06-02", "2024-07-09"],
        },
        slice="1mo",
        time="time",
    )
    assert [e.tolist() for _, e in graph.subgraph([1, "2", 3])] == [[[0, 1], [0, 2]], [[1, 2]], []]
    assert [s.label for s in graph.between("2024-05-15", "2024-07").slices] == ["2024-06", "2024-07"]
    assert graph.between(end="2024-05").n_edges == 2
    assert graph.between().nodes.equals(graph.nodes)
    with pytest.raises(InputError, match="no slice from '2025' to 'None'"):
        graph.between("2025")
    with pytest.raises(InputError, match="there is no slice 'May'"):
        graph.between("May")
    with pytest.raises(InputError, match="no order in time"):
        shoal.TemporalGraph.from_slices({"a": [(1, 2)]}, ordered=False).between("a")


def test_windows_of_slices_stay_within_a_layer():
    from shoal.audit.attackers import Window, usual_attackers

    rows = {"u": [1, 1, 1, 4, 4, 4], "v": [2, 3, 2, 5, 6, 5], "t": [1, 2, 3] * 2, "l": ["a"] * 3 + ["b"] * 3}
    graph = shoal.TemporalGraph.from_edges(rows, "u", "v", time="t", layer="l", slice="value")
    assert Window(2).crowds(graph, np.random.default_rng(1)).sizes.shape[0] == 4  # not 5: none from a/3 to b/1
    widths = [one.width for one in usual_attackers(graph) if isinstance(one, Window)]
    assert widths == [2, 3]


def test_free_memory_is_given_back_now_and_then(monkeypatch):
    asked = []
    monkeypatch.setattr(memory, "_trimmer", lambda: asked.append)
    monkeypatch.setattr(memory, "_last", [time.monotonic()])
    memory.give_back()
    assert asked == []  # a moment ago
    monkeypatch.setattr(memory, "_last", [time.monotonic() - 2 * memory.EVERY])
    assert run_jobs(lambda x: 2 * x, [1, 2, 3], 2) == [2, 4, 6]
    assert asked == [0]


def test_where_the_system_takes_nothing_back_nothing_happens(monkeypatch):
    monkeypatch.setattr(memory, "_trimmer", lambda: None)
    monkeypatch.setattr(memory, "_last", [-np.inf])
    memory.give_back()
    assert memory._last == [-np.inf]
