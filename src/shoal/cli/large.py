"""The commands on a folder of Parquet: which options go with it, and what is said about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.cli import console


def anonymize(
    folder: Path, k: Any, output: Path, reading: dict[str, Any], refused: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """Make the release, if nothing is asked for that only works in memory."""
    from shoal.large import anonymize_folder

    return anonymize_folder(folder, k, output, **_reading(folder, reading, refused), **options)


def audit(
    folder: Path, k: int, reading: dict[str, Any], refused: dict[str, Any], options: dict[str, Any]
) -> dict[str, int]:
    """Count who is exposed to somebody who knows all degrees."""
    from shoal.large import audit_folder

    return audit_folder(folder, k=k, **_reading(folder, reading, refused), **options)


def _reading(folder: Path, reading: dict[str, Any], refused: dict[str, Any]) -> dict[str, Any]:
    from shoal.errors import InputError

    asked = {"--directed": reading["directed"], "--layer": reading["layer"], "--nodes": reading["nodes"],
             "--dialect": reading["dialect"], "--time-format": reading["time_format"],
             "--day-first": reading["day_first"] is not None, "--header": reading["header"] is not None,
             "--encoding": reading["encoding"], "--count": reading["count"], **refused}  # fmt: skip
    for name, value in asked.items():
        if value:
            raise InputError(f"{folder}: {name} does not go with a folder of Parquet; it works on a single file")
    if reading["slice"] is None and reading["slices"] is None:
        raise InputError(f"{folder}: say how to cut time with --slice (1h, 1d, 1w, 1mo, 1y, value) or --slices")
    names = {name: reading[name] or name for name in ("source", "target", "time")}
    return names | {name: reading[name] for name in ("slice", "slices", "timezone", "offset", "time_unit", "origin")}


def describe(made: dict[str, Any]) -> list[str]:
    """What was done, and how much memory it took."""
    edges, peaks = made["edges"], made["memory"].values()
    others = made["min_class_size"] - 1
    people, slices = console.plural(made["n_nodes"], "person", "people"), console.plural(made["n_slices"], "slice")
    return [
        f"{people}, {slices}, {console.plural(edges['original'], 'edge')}.",
        "k is 1, so nobody is protected."
        if made["k"] == 1
        else f"Everybody shares their number of edges per slice with at least {console.plural(others, 'other')}.",
        f"Edges: {edges['kept']:,} of {edges['original']:,} kept ({edges['kept_share']:.0%}), "
        f"{edges['removed']:,} removed, {edges['added']:,} added.",
        f"Peak memory: {max(peaks) / 1e9:.2f} GB in the largest of {console.plural(len(peaks), 'process', 'processes')}.",
    ]


def describe_audit(exposed: dict[str, int], k: int) -> str:
    """The sentence of `shoal audit` about the vector attacker."""
    return (
        f"{exposed['unique']:,} of {exposed['people']:,} people can be singled out by their number of edges per slice; "
        f"{exposed['below']:,} are in a crowd smaller than {k}."
    )
