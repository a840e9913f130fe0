"""What is compiled, how often, and ahead of time: counted, not timed.

One signature per kernel (see CONTRIBUTING): a kernel that the default run compiles twice costs everybody's first run twice.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from shoal.common.progress import Progress
from shoal.warm import ROOMS, warm
from tests.compiled import SOURCES, prepare
from tests.compiled import prepared as kept_by

RUN = """
import json, sys
from shoal._numba import compiling
from shoal import anonymize
from shoal.datasets import messenger
names = []
with compiling(names.append):
    anonymize(messenger(50, 5, seed=2), 3, seed=1).save(sys.argv[1])
print(json.dumps(names))
"""


@pytest.fixture(scope="module")
def prepared(request, tmp_path_factory):
    """A cache that was empty until every room was prepared in it, and the kernels that each of them compiled.

    That takes a minute, so it is done once, at the beginning of all tests (`tests/compiled.py`); what is used here is a copy.
    """
    folder = tmp_path_factory.mktemp("kernels") / "kernels"
    kept = kept_by(getattr(request.config, "cache", None))
    if kept is not None:
        shutil.copytree(kept, folder)
    else:
        folder.mkdir()
        prepare(folder)
    env = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    return env, json.loads((folder / "compiled.json").read_text())


@pytest.mark.compiled
def test_no_kernel_is_compiled_twice(prepared):
    for name, compiled in prepared[1].items():
        twice = [kernel for kernel, count in Counter(compiled).items() if count > 1]
        assert not twice, f"the room '{name}' compiles these for two signatures: {', '.join(twice)}"
        assert len(compiled) == pytest.approx(ROOMS[name], rel=0.15, abs=2), "ROOMS says another number"


@pytest.mark.compiled
def test_a_default_run_finds_every_kernel_prepared(prepared, tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path / "release")],
        env=prepared[0],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(said.stdout.splitlines()[-1]) == []


def test_rooms_are_prepared_once(monkeypatch, tmp_path):
    stamp, begun = tmp_path / "kernels" / "stamp", []

    def begin(name: str) -> subprocess.Popen[bytes]:
        begun.append(name)
        return subprocess.Popen([sys.executable, "-c", "print('a kernel')"], stdout=subprocess.PIPE)

    monkeypatch.setattr("shoal.warm._stamp", lambda: stamp)
    monkeypatch.setattr("shoal.warm._begin", begin)
    assert warm(Progress()) == len(ROOMS)
    assert warm(Progress()) == 0
    assert begun == list(ROOMS)
    assert warm(Progress(), jobs=1, again=True) == len(ROOMS)


def test_without_processes_the_run_compiles_by_itself(monkeypatch, tmp_path):
    def none(name: str) -> subprocess.Popen[bytes]:
        raise PermissionError("no processes here")

    monkeypatch.setattr("shoal.warm._stamp", lambda: tmp_path / "stamp")
    monkeypatch.setattr("shoal.warm._begin", none)
    assert warm(Progress()) == 0


def test_inner_kernels_are_called_by_kernels_alone():
    """A kernel whose name begins with an underscore has no door to Python: calling it from there would crash."""
    kernels: dict[str, set[str]] = {}
    for file in SOURCES.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        inner = {f.name for f in tree.body if _is_kernel(f) and f.name.startswith("_")}
        kernels[".".join(("shoal", *file.relative_to(SOURCES).with_suffix("").parts))] = inner
        for part in tree.body:
            if not _is_kernel(part):
                called = {name.id for name in ast.walk(part) if isinstance(name, ast.Name)} & inner
                assert not called, f"{file.name} calls {called} from Python"
    assert sum(map(len, kernels.values())) > 20
    for file in (*SOURCES.rglob("*.py"), *Path(__file__).parents[1].rglob("*.py")):
        for part in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(part, ast.ImportFrom) and part.module in kernels:
                taken = {alias.name for alias in part.names} & kernels[part.module]
                assert not taken, f"{file.name} imports {taken}, which have no door"


def _is_kernel(part: ast.stmt) -> bool:
    return isinstance(part, ast.FunctionDef) and any(
        isinstance(d, ast.Name) and d.id in ("njit", "lean", "inlined") for d in part.decorator_list
    )


@pytest.mark.compiled
def test_a_kept_kernel_is_not_used_after_another_file_of_kernels_changed(tmp_path):
    house = shutil.copytree(SOURCES, tmp_path / "shoal", ignore=shutil.ignore_patterns("__pycache__"))
    # the sort is compiled for the first time, found again, and compiled again once a kernel elsewhere is another
    run = "from shoal.group._sort_kernels import sort_by as f; import numpy as np; n = np.zeros(4, np.int64); "
    run += "f(n.astype(np.uint64), n, n.copy(), 0, 4); print(sum(f.stats.cache_hits.values()))"
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "kept")}

    def found() -> str:
        return subprocess.run([sys.executable, "-c", run], env=env, capture_output=True, text=True, check=True).stdout

    assert [found().strip(), found().strip()] == ["0", "1"]
    with (house / "measure" / "_kernels.py").open("a") as file:
        file.write("# another kernel\n")
    assert found().strip() == "0"
