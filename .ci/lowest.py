"""Print a pip constraints file that pins every dependency to the lowest version pyproject.toml allows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

REQUIREMENT = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?>=(?P<version>[0-9.]+)$")


def lowest(extras: tuple[str, ...] = ("dask", "demo", "interop", "test", "web")) -> dict[str, str]:
    """Name to lower bound, of the dependencies and of the extras the tests need."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"].get(extra, [])
    bounds = {}
    for line in wanted:
        if line.startswith("shoal["):
            continue
        match = REQUIREMENT.match(line)
        if match is None:
            raise SystemExit(f"'{line}' has no plain lower bound (name>=version)")
        bounds[match["name"]] = match["version"]
    return bounds


if __name__ == "__main__":
    for name, version in sorted(lowest().items()):
        print(f"{name}=={version}")
