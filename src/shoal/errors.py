"""The few things that can go wrong, each with a name."""

from __future__ import annotations

import functools
from typing import Any

_LONGEST = 1_000


class ShoalError(Exception):
    """Anything shoal refuses to do. The message is one clear sentence, whatever the cell or file name it quotes holds."""

    def __init__(self, message: object) -> None:
        text = "".join(letter if letter.isprintable() else " " for letter in str(message)[: _LONGEST + 1])
        super().__init__(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


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
