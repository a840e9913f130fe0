"""shoal warm: compile ahead of the first run."""

from __future__ import annotations

import time

import typer

from shoal.cli import console, options


def warm(jobs: options.Jobs = None, quiet: options.Quiet = False) -> None:
    """Compile now what the first run would compile, once after installation; nothing needs it.

    For images of containers, and for whoever does not like to wait later.
    """
    from shoal.warm import warm as run

    began = time.monotonic()
    made = run(console.progress(quiet), jobs=jobs, again=True)
    if not quiet:
        said = (
            f"{made} kernels compiled in {time.monotonic() - began:.0f} s" if made else "Everything was compiled before"
        )
        typer.echo(f"{said}; runs begin at once now.")
