"""Release folders made by hand, and good ones changed by a clever forger, who signs what was changed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from shoal.audit._words import attacker_of, guarantee_of


def publish(folder, people, slices, edges, *, directed=False, by_k=None, k=2, **claims):
    """A release folder by hand, with a certificate that fits it but for `claims`, as a careful forger would write it."""
    folder.mkdir()
    frame = pl.DataFrame(slices) if isinstance(slices, dict) else pl.DataFrame({"slice": slices})
    pl.DataFrame({"node": people}).write_csv(folder / "nodes.csv")
    frame.write_csv(folder / "slices.csv")
    pl.DataFrame(edges, schema=["source", "target", "slice"], orient="row").write_csv(folder / "edges.csv")
    crowds = crowds_of(people, edges, directed=directed)
    content: dict[str, Any] = {
        "format": 2, "made_by": "shoal 1.0", "k": k, "people_by_k": by_k or {str(k): len(people)}, "horizon": None,
        "n_blocks": 1, "method": "search", "n_nodes": len(people), "n_slices": len(frame), "directed": directed,
        "ordered": "start" in frame.columns, "ids": "pseudonyms", "min_class_size": min(crowds.values()),
        "n_classes": len(crowds), "against": "numbers", "move": None,
        "totals": None, "limits": None, "rounding": "Numbers about the original are rounded down.",
        "cost": {"l1": 0, "normalised": 0.0, "lower_bound": 0, "at_most_times_optimum": None},
        "edges": {"original": len(edges), "released": len(edges), "added": 0, "removed": 0, "kept": len(edges), "kept_share": 1.0},
        "sha256": {},
    }  # fmt: skip
    (folder / "certificate.json").write_text(json.dumps(content | claims))
    return sign(folder, **claims)


def crowds_of(people, edges, *, directed=False):
    """How many share each degree vector, by a counter."""
    rows = {person: Counter() for person in people}
    for u, v, t in edges:
        rows[u][t, directed and "out"] += 1
        rows[v][t, directed and "in"] += 1
    return Counter(frozenset(row.items()) for row in rows.values())


def claims_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "certificate.json").read_text())


def sign(folder: Path, **claims: Any) -> Path:
    """The certificate with these claims, words that fit them, and hashes of whatever lies in the folder."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != "certificate.json")
    hashes = {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    content = claims_of(folder) | {"sha256": hashes} | claims
    content |= {"guarantee": guarantee_of(content), "attacker": attacker_of(content)} | claims
    (folder / "certificate.json").write_text(json.dumps(content))
    return folder


def edit(folder: Path, table: str, change: Any) -> Path:
    """A table of a CSV release changed, and signed again."""
    frame = pl.read_csv(folder / f"{table}.csv", infer_schema=False)
    change(frame).write_csv(folder / f"{table}.csv")
    return sign(folder)
