"""Which room knows which: imports between the rooms of shoal run one way, those inside functions included."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "shoal"

# The one import against the stream. `Release.save` is the method that everybody looks for on a release, and nothing else in
# `release.py` knows of writing.
FACADES = {("release", "write")}


def _rooms(source: Path) -> dict[str, set[str]]:
    """For every folder and every single module of the package, what it imports from.

    What stands under `if TYPE_CHECKING` is left out: such an import names what a function is handed, and is not there when
    the program runs. The face `shoal/__init__.py` is left out too: it is the list of what there is, by name.
    """
    known: dict[str, set[str]] = {}
    for file in sorted(source.rglob("*.py")):
        room = file.relative_to(source).parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for_types = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        found = known.setdefault(room, set())
        for node in ast.walk(tree):
            if id(node) not in for_types:
                found |= {name.split(".")[1] for name in _imported(node) if name.startswith("shoal.")}
    for room, others in known.items():
        others &= known.keys() - {room}
    return known


def _imported(node: ast.AST) -> list[str]:
    """Full names of the modules, or of what is in them, that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert not node.level, "imports name the whole path"
        return [f"{node.module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and node.args:
        return [node.args[0].value] if isinstance(node.args[0], ast.Constant) else []
    return []


def test_no_two_rooms_need_each_other():
    rooms = _rooms(SOURCE)
    for above, below in FACADES:
        assert below in rooms[above], f"the exception {above} -> {below} is not needed any more"
        rooms[above].remove(below)
    try:
        TopologicalSorter(rooms).prepare()
    except CycleError as error:
        pytest.fail(f"imports run in a circle: {' -> '.join(reversed(error.args[1]))}")


def test_a_circle_is_found(tmp_path):
    """Also one that is closed inside a function, through a folder."""
    (tmp_path / "group").mkdir()
    (tmp_path / "group" / "deep.py").write_text("def f():\n    from shoal.write import g\n")
    (tmp_path / "write.py").write_text("from shoal import group\n")
    with pytest.raises(CycleError):
        TopologicalSorter(_rooms(tmp_path)).prepare()
