"""Fills docs/commands.md with what the commands say about themselves, each time the pages are built.

A small Sphinx extension: the line `<!-- commands -->` of that page becomes a section per command, with its usage and a table
of options for every panel of its help. Nothing is written by hand, so a new option appears by itself.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli import app as shoal

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGE, PLACE = "commands", "<!-- commands -->"


def render() -> str:
    """All commands as Markdown."""
    top = typer.main.get_command(shoal)
    return "\n".join(_section(command, f"shoal {name}", 2) for name, command in _commands(top))


def _commands(group: Any) -> list[tuple[str, Any]]:
    return [(name, command) for name, command in group.commands.items() if not command.hidden]


def _section(command: Any, name: str, level: int) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    usage = command.get_usage(context).split(":", 1)[1]
    lines = [f"{'#' * level} {name}", "", _plain(command.help or ""), "", "```text", _spaced(usage), "```", ""]
    if hasattr(command, "commands"):
        return "\n".join(lines + [_section(sub, f"{name} {word}", level + 1) for word, sub in _commands(command)])
    for title, parameters in _panels(command).items():
        rows = [_row(*parameter.get_help_record(context)) for parameter in parameters]
        lines += [f"**{title}**", "", "| option | default | what |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _panels(command: Any) -> dict[str, list[Any]]:
    """Parameters under the titles of the help, arguments and unnamed options first."""
    found: dict[str, list[Any]] = {"Arguments": [], "Options": []}
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
            found.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(parameter)
    return {title: parameters for title, parameters in found.items() if parameters}


def _row(option: str, text: str) -> str:
    """From `--effort <str>` and `How long.  [default: fast; x>=1]` to a line of the table."""
    said, _, notes = text.partition("  [")
    default, more = "", []
    for note in filter(None, notes.rstrip("]").split("; ")):
        if note == "required":
            default = note
        elif note.startswith("default: "):
            default = f"`{note.removeprefix('default: ')}`"
        elif note.startswith("env var: "):
            more.append(f"(or set `{note.removeprefix('env var: ')}`)")
    return f"| `{option.replace(' range>', '>')}` | {default} | {' '.join([_plain(said), *more])} |"


def _spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _plain(text: str) -> str:
    """One paragraph that may stand inside a table."""
    return html.escape(_spaced(text), quote=False).replace("|", "\\|").replace("*", "\\*")


def _fill(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname == PAGE:
        source[0] = source[0].replace(PLACE, render())


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", _fill)
    app.connect("env-get-outdated", lambda *_: [PAGE])  # the commands may have changed though the page has not
    return {"parallel_read_safe": True}
