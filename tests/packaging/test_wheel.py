"""The wheel and the sdist: what is in them, and that the wheel alone is enough in an empty environment.

`make check-wheel` does the same with a full installation from the index.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_SOURCE = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", "_build", "dist", "build", "demo-release", ".*_cache", ".hypothesis", "*.egg-info"
)


def run(*command, **options):
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=1200, **options
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The source, with the rubbish that a working copy collects."""
    folder = tmp_path_factory.mktemp("source") / "shoal"
    shutil.copytree(ROOT, folder, ignore=NOT_SOURCE)
    for rubbish in ("src/shoal/__pycache__/a.nbi", "src/shoal/web/__pycache__/b.nbc", "tests/__pycache__/c.pyc"):
        (folder / rubbish).parent.mkdir(exist_ok=True)
        (folder / rubbish).write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def dist(source, tmp_path_factory):
    """The sdist, and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source)
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    return next(dist.glob("*.whl"))


def test_the_wheel_holds_the_package_and_nothing_else(source, wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {
        f"shoal/{f.relative_to(source / 'src/shoal').as_posix()}"
        for f in (source / "src/shoal").rglob("*")
        if f.is_file()
    }
    package = {name for name in package if "__pycache__" not in name}
    info = f"{wheel.name.partition('-py3')[0]}.dist-info"
    extra = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    assert names == package | {f"{info}/{name}" for name in extra}
    assert {"shoal/py.typed", "shoal/report/page.html", "shoal/web/static/app.js", "shoal/paper/page.md"} < names
    assert "shoal/datasets/catalogue.toml" in names


def test_the_sdist_holds_what_the_tests_need_and_builds_the_same_wheel(source, dist, wheel, tmp_path):
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = archive.getnames()
    inside = {name.partition("/")[2] for name in names}
    for needed in (
        "Makefile",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "tests/conftest.py",
        "docs/conf.py",
        "benchmarks/startup.py",
        ".ci/run",
    ):
        assert needed in inside
    assert not [name for name in inside if "__pycache__" in name or name.endswith((".nbi", ".nbc", ".pyc"))]
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, source)
    assert next(tmp_path.glob("*.whl")).read_bytes() == wheel.read_bytes()


def test_metadata(wheel):
    archive = zipfile.ZipFile(wheel)
    name = next(name for name in archive.namelist() if name.endswith("/METADATA"))
    facts = HeaderParser().parsestr(archive.read(name).decode())
    assert facts["Name"] == "shoal"
    assert facts["License-Expression"] == "BSD-3-Clause"
    assert facts["License-File"] == "LICENSE"
    assert facts["Requires-Python"] == ">=3.11"
    assert {"all", "dask", "demo", "web"} <= set(facts.get_all("Provides-Extra"))
    assert facts.get_payload().startswith("# shoal")
    every = [line for line in facts.get_all("Requires-Dist") if "extra" not in line]
    assert all(">=" in line for line in every)


@pytest.fixture(scope="module")
def empty(wheel, tmp_path_factory):
    """An environment with the wheel in it; its dependencies are those of the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("empty")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env")
    python = folder / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = ("-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel)
    run(sys.executable, *install, env={**os.environ, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""})
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(python, "-c", ask).strip())
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    _take_compiled_kernels(site / "shoal")
    return folder, python


def _take_compiled_kernels(package: Path) -> None:
    """Kernels that were compiled for the source fit the copy of it: saves the minutes of compiling them."""
    for kept in (ROOT / "src/shoal").rglob("__pycache__/*.nb[ic]"):
        goal = package / kept.relative_to(ROOT / "src/shoal")
        goal.parent.mkdir(exist_ok=True)
        shutil.copy2(kept, goal)


def test_the_wheel_runs_the_demo_in_an_empty_environment(empty):
    folder, python = empty
    shoal = python.with_name("shoal")
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    where = run(python, "-c", "import shoal; print(shoal.__file__)", cwd=folder, env=clean)
    assert Path(where.strip()).is_relative_to(folder)
    assert "anonymize" in run(shoal, "--help", cwd=folder, env=clean)
    assert "collegemsg" in run(shoal, "datasets", cwd=folder, env=clean)
    assert "it holds at k = 5" in run(shoal, "demo", "-o", "release", cwd=folder, env=clean)
    assert (folder / "release/report.html").stat().st_size > 10_000
    assert "holds at k = 5" in run(shoal, "verify", "release", cwd=folder, env=clean)
