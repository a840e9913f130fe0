"""shoal commands in tests: in this process, where kernels are loaded once, or in a process of their own, as users run them."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

SHOAL = [sys.executable, "-c", "from shoal.cli import main; main()"]


class Answer(NamedTuple):
    """What a command said, as `subprocess.run` tells it."""

    returncode: int
    stdout: str
    stderr: str


def shoal(*args: Any, cwd: Path | None = None, **env: str) -> Answer:
    """A command in this process."""
    from shoal.cli import main

    said, complained, code = io.StringIO(), io.StringIO(), 0
    with (
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
        patch("signal.signal"),
        patch.dict(os.environ, env),
        patch.object(sys, "argv", ["shoal", *map(str, args)]),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return Answer(code, said.getvalue(), complained.getvalue())


def shoal_process(*args: Any, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    command = [*SHOAL, *map(str, args)]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env={**os.environ, **env}, stdin=subprocess.DEVNULL
    )
