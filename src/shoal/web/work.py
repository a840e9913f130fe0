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
from shoal.web.more import attack, look_at_people, unpacked
from shoal.web.store import BESIDE, read_json, write_json

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph
    from shoal.release import Release

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
                result, ok = {"problem": _plainly(str(error), folder, state)}, False
    except MemoryError:
        result, ok = {"problem": "This computer has not enough memory for this file."}, False
    except Exception as error:
        traceback.print_exc()
        result, ok = {"problem": f"Something went wrong inside shoal ({type(error).__name__})."}, False
    write_json(folder / f"{kind}.json", result)
    sys.exit(0 if ok else 2)


def _plainly(text: str, folder: Path, state: dict[str, Any]) -> str:
    """A refusal with the names that files have for the person."""
    for name, file in state.get("beside", {}).items():
        text = text.replace(str(folder / BESIDE[name]), file["label"])
    return plain_words(text.replace(f"{folder / 'before'}", "the earlier release"), folder / "input", state["label"])


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
    """Cells are added to the file as they come; a curve that was stopped goes on, since sweep keeps them in its folder."""
    from shoal.sweep import sweep

    graph, told = _graph(folder, state, most), dict[str, Any]()
    wanted = [k for k in CURVE if k <= graph.n_nodes]
    cells: list[dict[str, Any]] = []
    for k in wanted:
        (cell,) = sweep({"": graph}, [k], folder=folder / "sweep", known=None, effort="fast").cells
        cells.append(
            {"k": k, "kept": cell.kept_share, "guess": cell.success_after, "similar": cell.pagerank_similarity}
        )
        told = {"cells": cells, "wanted": len(wanted)}
        write_json(folder / "curve.json", told)
    return told


def _compare(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    with progress.stage("reading", 1):
        graph = _graph(folder, state, most)
    return side_by_side(graph, _options(folder, state), folder / "input", state["label"], progress)


def _people(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    with progress.stage("reading", 1):
        return look_at_people(folder / BESIDE["people"], _graph(folder, state, most))


def _attack(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    from shoal.read import read
    from shoal.read.packed import unpacking_at_most
    from shoal.report.learned import learned_chart

    with progress.stage("reading", 1), unpacking_at_most(most):
        original = _graph(folder, state, most)
        second = read(folder / BESIDE["second"], **state["reading"])
    found = attack(folder / "release", read_json(folder / "private.json"), original, second, progress)
    (folder / "attack.svg").write_text(learned_chart(found), encoding="utf-8")
    return found


def _options(folder: Path, state: dict[str, Any]) -> dict[str, Any]:
    """What is asked for as `anonymize` takes it: with the table of people, and everybody's own k where it has them."""
    from shoal.read.people import read_levels

    asked = dict(state["asked"])
    level, table = asked.pop("level", None), folder / BESIDE["people"]
    if level is not None:
        asked["k"] = read_levels(table, level)
    return asked | {"people": table} if asked.get("attributes") or asked.get("sensitive") else asked


def _made(folder: Path, state: dict[str, Any], graph: TemporalGraph, most: int, progress: Progress) -> Release:
    """The release that is asked for: one of its own, or a later part of an earlier one."""
    from shoal.anonymize import anonymize
    from shoal.extend import extend

    asked = _options(folder, state)
    if not asked.pop("extends", False):
        return anonymize(graph, **asked, progress=progress)
    _remove_folder(folder / "before")
    before = unpacked(folder / BESIDE["before"], folder / "before", most)
    return extend(before, graph, folder / BESIDE["record"], **asked, progress=progress)


def _remove_folder(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _run(folder: Path, state: dict[str, Any], most: int, progress: Progress) -> dict[str, Any]:
    from shoal.audit.verify import verify
    from shoal.report import charts
    from shoal.report.learned import learned_chart

    with progress.stage("reading", 1):
        graph = _graph(folder, state, most, state["asked"].get("contacts"))
    release = _made(folder, state, graph, most, progress)
    graph, after = release.original, release.after
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
        verdict = verify(
            [*([] if after is None else [after.folder]), folder / "release"], record=folder / "private.json"
        )
    beyond = [e for e in exact["after"]["attackers"] if not e["covered"] and e["unique"] > 0]
    before = charts.people_by_crowd(release.promise.crowds(graph).min(axis=0))
    return {
        "k": release.k,
        "n_nodes": graph.n_nodes,
        "smallest": verdict.min_class_size,
        "alone_now": int((release.crowds.min(axis=0) == 1).sum()),
        "levels": "" if release.promise.for_everybody else "people share them with as many others as they asked for",
        "attributes": list(release.promise.attributes),
        "extends": after is not None,
        "held_back": 0 if after is None else len(after.held_back),
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
    "people": _people,
    "attack": _attack,
    "audit": _audit,
    "curve": _curve,
    "compare": _compare,
    "run": _run,
}

if __name__ == "__main__":
    main()
