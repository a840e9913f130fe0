"""How results look in a notebook: plain tables that take the notebook's own colours and need nothing from the network.

Labels of slices and names of columns come from files, so everything is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 200
_LEFT, _RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table whose first column, and whose texts, stand on the left and numbers on the right; very long ones are cut.

    >>> table(["who", "edges"], [["<b>", 1234]])
    '<table><thead><tr><th style="text-align:left">who</th><th ...>edges</th></tr></thead><tbody>...&lt;b&gt;...1,234...'
    """
    cells = [[_text(cell) for cell in row] for row in rows]
    sides = [_RIGHT if i and all(_is_number(row[i]) for row in cells) else _LEFT for i in range(len(head))]
    more = len(cells) - MOST_ROWS
    lines = [_row("td", row, sides) for row in cells[:MOST_ROWS]]
    if more > 0:
        lines.append(f'<tr><td colspan="{len(head)}">and {more:,} more</td></tr>')
    top = _row("th", [_text(cell) for cell in head], sides)
    return f"<table><thead>{top}</thead><tbody>{''.join(lines)}</tbody></table>"


def paragraph(text: str) -> str:
    """A line of text."""
    return f"<p>{escape(text)}</p>"


def folded(title: str, content: str) -> str:
    """Something that opens with a click."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _row(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}{side}>{escape(c)}</{tag}>' for c, side in zip(cells, sides, strict=True))}</tr>"


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)


def _is_number(text: str) -> bool:
    return not text or text[0] in "0123456789–-"
