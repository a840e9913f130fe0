"""The few things that can go wrong, each with a name."""

from __future__ import annotations


class ShoalError(Exception):
    """Anything shoal refuses to do. The message is one clear sentence."""


class InputError(ShoalError, ValueError):
    """The input or a parameter is not usable: the command line ends with exit code 2."""


class RowError(InputError):
    """A value in a table is not usable; readers add the file and line before the user sees it."""

    def __init__(self, row: int, column: str, problem: str) -> None:
        super().__init__(f"row {row + 1}, column '{column}': {problem}")
        self.row, self.column, self.problem = row, column, problem


class GuaranteeError(ShoalError, RuntimeError):
    """shoal checked its own result and it does not hold. Nothing is written; this is a bug in shoal."""
