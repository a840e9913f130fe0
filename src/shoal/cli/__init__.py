"""The command line. Heavy imports wait inside the commands, so that --help is quick."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from shoal.cli.anonymize import anonymize
from shoal.cli.audit import audit
from shoal.cli.compare import compare
from shoal.cli.datasets import datasets
from shoal.cli.demo import demo
from shoal.cli.extend import extend
from shoal.cli.paper import paper
from shoal.cli.report import report
from shoal.cli.serve import serve
from shoal.cli.sweep import sweep
from shoal.cli.verify import verify
from shoal.cli.warm import warm
from shoal.errors import GuaranteeError, ShoalError, speaking_to_a_shell

# Objects between two collections: by default a tenth of a short run goes into looking for garbage among fresh imports.
FEW_COLLECTIONS = 50_000
EXIT_CODES = "Exit codes: 0 it holds or is done, 1 a release does not hold, 2 bad usage or input."

app = typer.Typer(
    name="shoal",
    help="Publish a time-varying or multi-layer social graph without giving anybody away.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command(epilog=EXIT_CODES)(anonymize)
app.command(epilog=EXIT_CODES)(extend)
app.command(epilog=EXIT_CODES)(audit)
app.command(epilog=EXIT_CODES)(compare)
app.command(epilog=EXIT_CODES)(report)
app.command(epilog=EXIT_CODES)(sweep)
app.command(epilog=EXIT_CODES)(verify)
app.command(epilog=EXIT_CODES)(demo)
app.add_typer(datasets, name="datasets", epilog=EXIT_CODES)
app.command(epilog=EXIT_CODES)(paper)
app.command(epilog=EXIT_CODES)(serve)
app.command(epilog=EXIT_CODES)(warm)


def _show_version(asked: bool) -> None:
    if asked:
        from shoal import __version__

        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...


def _stop(number: int, frame: object) -> NoReturn:
    for again in (signal.SIGINT, signal.SIGTERM):
        signal.signal(again, signal.SIG_IGN)  # once is enough: what was begun is tidied up undisturbed
    raise _Stopped(128 + number)


class _Stopped(SystemExit):
    """Somebody stops the run. It unwinds, so that half-written files are removed; nothing may catch it on the way."""


def main() -> None:
    """Run the command line; every refusal is one sentence on stderr."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup, or in the background
            signal.signal(number, _stop)
    gc.set_threshold(FEW_COLLECTIONS)
    with speaking_to_a_shell():
        _run()


def _run() -> None:
    try:
        app()
    except _Stopped as end:
        if end.code == 128 + signal.SIGINT:
            _complain(_what_is_there(), end.code)
        raise
    except GuaranteeError as error:
        _complain(error, 1)
    except ShoalError as error:
        _complain(error, 2)
    except MemoryError:
        _complain("not enough memory for this graph; use a wider slice or fewer people", 2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _complain(f"{error.filename or 'a file'}: {error.strerror or error}", 2)


def _what_is_there() -> str:
    """What a run that was stopped leaves: nothing, or a whole release if it came too late."""
    from shoal.files.appear import appeared

    return f"stopped; {appeared[-1]} is there, whole" if appeared else "stopped; nothing was written"


def _complain(problem: object, code: int) -> NoReturn:
    typer.echo(f"shoal: {problem}", err=True)
    sys.exit(code)
