"""The references leave nothing out: every public name, every command and every option."""

from __future__ import annotations

import importlib.util
import inspect
import re

import pytest
import typer

import shoal
from shoal.cli import app
from tests.docs.pages import ROOT

API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def load_commands_page():
    spec = importlib.util.spec_from_file_location("commands_page", ROOT / "docs" / "commands_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [*shoal.__all__, *(f"datasets.{name}" for name in shoal.datasets.__all__)])
def test_every_public_name_is_in_the_reference(name):
    assert re.search(rf"^\.\. auto\w+:: shoal\.{re.escape(name)}$", API, re.M), (
        f"docs/api.md does not show shoal.{name}"
    )


@pytest.mark.parametrize("name", shoal.__all__)
def test_every_public_name_explains_itself(name):
    thing = getattr(shoal, name)
    text = inspect.getdoc(thing) or ""
    assert text
    if inspect.isfunction(thing):
        assert "Parameters\n----------" in text
        assert "Examples\n--------" in text
        described = text.split("Parameters\n----------")[1].split("Examples\n--------")[0]
        for parameter in inspect.signature(thing).parameters:
            assert re.search(rf"\b{parameter}\b", described), f"shoal.{name} does not describe {parameter}"


def test_the_command_reference_has_every_command_and_option():
    page = load_commands_page().render()
    for name, command in typer.main.get_command(app).commands.items():
        section = page.split(f"## shoal {name}\n")[1].split("\n## shoal ")[0]
        for parameter in getattr(command, "params", []):
            for option in [] if getattr(parameter, "hidden", False) else parameter.opts:
                assert option in section, f"{option} of {name}"
    assert "| `--effort" in page
    assert "`balanced`" in page


def test_a_new_option_appears_by_itself():
    module, small = load_commands_page(), typer.Typer()

    @small.command()
    def first(name: str = typer.Option("shark", help="Who | where.")) -> None:
        """Do *this*."""

    @small.command()
    def second() -> None:
        """Do that."""

    module.shoal = small
    page = module.render()
    assert "| `shark` | Who \\| where. |" in page
    assert "## shoal first\n\nDo \\*this\\*." in page
    assert "## shoal second" in page


def test_the_picture_of_the_data_flow_is_the_drawn_one():
    spec = importlib.util.spec_from_file_location("flow", ROOT / "docs" / "flow.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "flow.svg").read_text(encoding="utf-8") == module.draw()
