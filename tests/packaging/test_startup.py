"""`import shoal` and `shoal --help` stay quick: under 0.3 s where the machine has nothing else to do.

A clock on the wall says little on a busy machine. So the tests look at what makes it quick (which packages are loaded), and
compare processor time with that of a fixed set of modules of the standard library, run in turn with it.
`python benchmarks/startup.py` measures seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from benchmarks.startup import REFERENCE, best_of

import shoal

HEAVY = {
    "altair", "dask", "distributed", "jinja2", "llvmlite", "networkx", "numba", "numpy", "ortools", "pandas", "polars", "pyarrow",
    "scipy", "sklearn", "sknetwork", "starlette", "uvicorn", "vl_convert", "zstandard",
}  # fmt: skip
LIST = "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
HELP = """
import contextlib, io, sys
from shoal.cli import main
sys.argv = ["shoal", "--help"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
"""


def loaded_by(code: str) -> set[str]:
    def names(code: str) -> set[str]:
        said = subprocess.run([sys.executable, "-c", f"{code}\n{LIST}"], capture_output=True, text=True, check=True)
        return set(json.loads(said.stdout))

    return names(code) - names("pass")


def test_import_loads_the_standard_library_alone():
    assert loaded_by("import shoal") - sys.stdlib_module_names == {"shoal"}


def test_help_loads_nothing_heavy():
    loaded = loaded_by(HELP)
    assert "typer" in loaded
    assert not loaded & HEAVY


def test_verifying_loads_no_kernels():
    """Nor anything of the stages: what the proof is made with is numpy and polars."""
    assert loaded_by("import shoal; shoal.verify") & HEAVY == {"numpy", "polars"}


# On a machine that imports REFERENCE in 0.1 s, 3 times as much is 0.3 s. Measured: about 0.3 and 1.8 times as much.
@pytest.mark.parametrize("arguments", [("-c", "import shoal"), ("-m", "shoal", "--help")], ids=["import", "help"])
def test_processor_time_is_a_small_multiple_of_imports_of_the_standard_library(arguments):
    taken, reference = best_of(arguments, REFERENCE)
    assert taken < 3 * reference


def test_lazy_names_are_all_there():
    assert set(shoal.__all__) | {"datasets"} <= set(dir(shoal))
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = shoal.nothing
