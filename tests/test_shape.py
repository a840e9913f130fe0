"""The shape of the house: no file and no function that a person cannot hold in mind, kernels included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "shoal"
FILES = sorted(SOURCE.rglob("*.py"))
LONGEST_FILE, LONGEST_FUNCTION = 300, 80


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines with the signature and without the docstring: to explain more is no reason to do less."""
    first = function.body[0]
    explained = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.end_lineno - function.lineno + 1 - (first.end_lineno - first.lineno + 1 if explained else 0)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_files_and_functions_are_short(file):
    text = file.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_FILE
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert not [
        f"{function.name}: {_length(function)}" for function in functions if _length(function) > LONGEST_FUNCTION
    ]


def test_a_long_function_is_found():
    long = ast.parse("def f():\n    '''Says\n    much.'''\n" + "    x = 1\n" * 90).body[0]
    assert _length(long) == 91
