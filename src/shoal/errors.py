"""The few things that can go wrong, each with a name."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LONGEST = 1_000
# Options of the commands as a sentence names them; in Python the same thing is a parameter.
_SWITCHES = {"no-header": "header=False", "header": "header=True", "day-first": "day_first=True",
             "month-first": "day_first=False", "resume": "resume=True", "force": "force=True",
             "directed": "directed=True", "accept-changed": "accept_changed=True"}  # fmt: skip
_VALUES = ("slices", "slice", "dialect", "encoding", "time-format", "time-unit", "time", "timezone", "origin", "offset",
           "source", "target", "layer", "work-dir", "record")  # fmt: skip
_OPTION = re.compile(
    rf"--(?:({'|'.join(_SWITCHES)})|({'|'.join(_VALUES)})(?: (value|snap|parquet|xlsx|utf-16|ms|1)\b)?)(?![\w-])"
)
_to_a_shell = [False]


@contextmanager
def speaking_to_a_shell() -> Iterator[None]:
    """Sentences name options of the commands as long as this lasts, and parameters otherwise."""
    before, _to_a_shell[0] = _to_a_shell[0], True
    try:
        yield
    finally:
        _to_a_shell[0] = before


def spoken(text: str) -> str:
    """A sentence for whoever reads it: somebody in a shell, or somebody in Python.

    >>> spoken("say how to cut them with --slice or --slices 1, or --no-header")
    'say how to cut them with slice= or slices=1, or header=False'
    """
    return text if _to_a_shell[0] else _OPTION.sub(_as_parameter, text)


def _as_parameter(found: re.Match[str]) -> str:
    if found[1]:
        return _SWITCHES[found[1]]
    value = "" if found[3] is None else found[3] if found[3].isdigit() else f'"{found[3]}"'
    return f"{found[2].replace('-', '_')}={value}"


class ShoalError(Exception):
    """Anything shoal refuses to do. The message is one clear sentence, whatever the cell or file name it quotes holds."""

    def __init__(self, message: object) -> None:
        text = "".join(letter if letter.isprintable() else " " for letter in str(message)[: _LONGEST + 1])
        super().__init__(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")

    def __str__(self) -> str:
        return spoken(super().__str__())


class InputError(ShoalError, ValueError):
    """The input or a parameter is not usable: the command line ends with exit code 2."""


class RowError(InputError):
    """A value in a table is not usable; readers add the file and line before the user sees it."""

    def __init__(self, row: int, column: str, problem: str) -> None:
        super().__init__(f"row {row + 1}, column '{column}': {problem}")
        self.row, self.column, self.problem = row, column, problem

    def __reduce__(self) -> tuple[type[RowError], tuple[int, str, str]]:
        return RowError, (self.row, self.column, self.problem)  # so that it comes back from another process


class NoReleaseError(InputError):
    """Within the limits no release was found. `proven` where there is none, whoever is grouped with whom."""

    def __init__(self, why: str, *, proven: bool = False) -> None:
        super().__init__(
            f"{why}; {'it is proven that there is no way' if proven else 'there may be a way all the same'}"
        )
        self.why, self.proven = why, proven

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(NoReleaseError, proven=self.proven), (
            self.why,
        )  # so that it comes back from another process


class GuaranteeError(ShoalError, RuntimeError):
    """shoal checked its own result and it does not hold. Nothing is written; this is a bug in shoal."""
