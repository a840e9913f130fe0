"""A worker process: `python -m shoal.web.work FOLDER KIND MOST_BYTES`. Writes FOLDER/KIND.json; exit code 0 or 2.

Here, and only here, the web page meets the numeric stack.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.common.progress import Progress
from shoal.errors import ShoalError, speaking_to_a_shell
from shoal.files.appear import replacing
from shoal.web import demos
from shoal.web.beside import side_by_side
from shoal.web.look import look, plain_words
from shoal.web.store import read_json, write_json

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph

# k whose cost is measured: coarse first, so that the curve has its shape early.
CURVE = (5, 2, 20, 10, 3, 50, 7, 15, 30)


class Noted(Progress):
    """Progress in a file which the server reads."""

    def __init__(self, folder: Path) -> None:
        self.file, self.last, self.began = folder / "progress.json", 0.0, time.time()

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[float], None]]:
        """Note the stage at once, and its share five times a second at most."""

        def tell(share: float) -> None:
            now = time.monotonic()
            if share == 0 or now - self.last > 0.2:
                self.last = now
                content = {"stage": name, "share": min(max(share, 0.0), 1.0), "total": total, "began": self.began}
                write_json(self.file, content, durable=False)

        tell(0)
        yield tell


def main() -> None:
    """Do one thing and say how it went."""
    folder, kind, most = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    os.umask(0o077)
    with suppress(OSError, AttributeError):
        os.nice(5)  # the page goes on answering
    _bound_memory()
    state = read_json(folder / "state.json")
    try:
        with speaking_to_a_shell():  # plain_words knows how to leave options out
            try:
                result, ok = _STEPS[kind](folder, state, most, Noted(folder)), True
            except ShoalError as error:
                result, ok = {"problem": plain_words(str(error), folder / "input", state["label"])}, False
    except MemoryError:
        result, ok = {"problem": "This computer has not enough memory for this file."}, False
    except Exception as error:
        traceback.print_exc()
        result, ok = {"problem": f"Something went wrong inside shoal ({type(error).__name__})."}, False
    write_json(folder / f"{kind}.json", result)
    sys.exit(0 if ok else 2)


def _end_with_the_server() -> None:
    while os.read(0, 1):  # unbuffered: a buffer's lock would be in the way at the end
        pass
    os._exit(3)


def _bound_memory() -> None:
    """A file that would fill the memory fails by itself, before the machine does."""
    try:
        import resource

        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 9 // 10
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    except (ImportError, OSError, ValueError):
        pass  # not on this platform


def _graph(folder: Path, state: dict[str, Any], most: int, contacts: str | None = None) -> TemporalGraph:
    from shoal.read import read
    from shoal.read.packed import unpacking_at_most

    with unpacking_at_most(most):
        return read(folder / "input", **state["reading"], contacts=contacts)


def _look(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    file, reading = folder / "input", state["reading"]
    with progress.stage("reading", 1):
        if "demo" in state and not file.exists():
            reading = demos.SETS[state["demo"]].put(file)
        return look(file, state["label"], reading, most)


def _audit(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    from shoal.audit import audit
    from shoal.common.crowds import crowd_sizes
    from shoal.report.charts import people_by_crowd

    with progress.stage("reading", 1):
        graph = _graph(folder, state, most)
    found = audit(graph, k=5, progress=progress)
    return {
        "n_nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "slices": graph.n_slices,
        "contacts": graph.tally.rows if graph.tally else 0,
        "unused": list(map(str, getattr(graph.tally, "unused", ()))),
        "alone": int(found["vector"].unique),
        "crowds": people_by_crowd(crowd_sizes(graph.degree_matrix())),
        "attackers": [e.to_dict() for e in found.attackers],
        "stands_out": found.what_stands_out(),
        "most_k": min(50, graph.n_nodes),
    }


def _curve(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    """Cells are added to the file as they come; a curve that was stopped goes on."""
    from shoal.sweep import sweep

    kept = read_json(folder / "curve.json") or {}
    cells = {int(c["k"]): c for c in kept.get("cells", [])}
    graph = _graph(folder, state, most)
    wanted = [k for k in CURVE if k <= graph.n_nodes]
    for k in wanted:
        if k not in cells:
            cell = sweep({"": graph}, [k], effort="fast").cells[0]
            cells[k] = {
                "k": k,
                "kept": cell.kept_share,
                "guess": cell.success_after,
                "similar": cell.pagerank_similarity,
            }
            write_json(folder / "curve.json", {"cells": list(cells.values()), "wanted": len(wanted)})
    return {"cells": list(cells.values()), "wanted": len(wanted)}


def _compare(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    with progress.stage("reading", 1):
        graph = _graph(folder, state, most)
    return side_by_side(graph, state["asked"], folder / "input", state["label"], progress)


def _run(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    from shoal.anonymize import anonymize
    from shoal.audit.verify import verify
    from shoal.report import charts
    from shoal.report.learned import learned_chart

    with progress.stage("reading", 1):
        graph = _graph(folder, state, most, state["asked"]["contacts"])
    release = anonymize(graph, **state["asked"], progress=progress)
    certificate = release.save(
        folder / "release", private=folder / "private.json", private_report=folder / "exact", force=True,
        title=state.get("title"), by=state.get("by"), date="today", progress=progress,
    )  # fmt: skip
    exact = read_json(folder / "exact" / "report.json")
    _put_measures(folder / "exact", exact["comparison"])
    with progress.stage("packing", 1):
        pictures = {
            "crowds": charts.crowds(release),
            "slices": charts.edges_per_slice(release.graph, release.slice_edges),
        } | {one["name"]: learned_chart(one) for one in exact["learned"] or []}
        for name, picture in pictures.items():
            (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
        _pack(folder)
        verdict = verify(folder / "release")
    beyond = [e for e in exact["after"]["attackers"] if not e["covered"] and e["unique"] > 0]
    before = charts.people_by_crowd(release.promise.crowds(graph).min(axis=0))
    return {
        "k": release.k,
        "n_nodes": graph.n_nodes,
        "smallest": release.min_class_size,
        "alone": before["alone"],
        "against": certificate["against"],
        "guarantee": certificate["guarantee"],
        "edges": certificate["edges"],
        "ids": certificate["ids"],
        "facts": exact["about"]["facts"],
        "beyond": max(beyond, key=lambda e: e["unique"], default=None),
        "limits": exact["stopped"],
        "stronger": exact["stronger"],
        "learned": [{name: one[name] for name in ("knows", "learns", "anyway")} for one in exact["learned"] or []],
        "checks": [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in verdict.checks],
        "holds": verdict.holds,
        "zip_bytes": (folder / "release.zip").stat().st_size,
    }


def _put_measures(exact: Path, found: dict[str, Any]) -> None:
    """What the page shows of the comparison, beside the exact report: whoever deletes that deletes this."""
    import polars as pl

    from shoal.measure.comparison import lines
    from shoal.report.over_time import outbreaks

    picture = outbreaks(pl.DataFrame(found["spread"]))
    if picture is not None:
        (exact / "outbreaks.svg").write_text(picture, encoding="utf-8")
    told = {"lines": list(lines(found["overall"])), "sampled": found["sampled"], "outbreaks": picture is not None}
    write_json(exact / "measures.json", told)


def _pack(folder: Path) -> None:
    """The release folder as a zip whose members lie in one folder `release/`."""
    import zipfile

    with replacing(folder / "release.zip") as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((folder / "release").iterdir()):
            archive.write(file, f"release/{file.name}")


_STEPS: dict[str, Callable[[Path, dict[str, Any], int, Progress], dict[str, Any]]] = {
    "look": _look,
    "audit": _audit,
    "curve": _curve,
    "compare": _compare,
    "run": _run,
}

if __name__ == "__main__":
    main()
