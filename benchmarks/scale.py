"""How time and memory grow: a messenger graph in a folder of Parquet becomes a verified release on two workers.

    python benchmarks/scale.py FOLDER 10000 100000 1000000 [--directed] [--effort fast] [--workers 2] [--memory 6GB]

prints a row of each table of docs/scale.md for each number of people.
FOLDER takes the graphs and the releases (20 GB for 10^7 people).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import time
from pathlib import Path

import numpy as np
import polars as pl
from clock import Clock

from shoal.datasets import messenger
from shoal.demands.settings import Settings
from shoal.engine.local import peak_memory
from shoal.large import anonymize_folder
from shoal.plan.stages import rebuild_slice

DAYS = 28
STEPS = {
    "read": ("looking", "numbering", "sending"),
    "count": ("counting",),
    "group": ("grouping",),
    "rebuild": ("rebuilding", "retying"),
}


def write_graph(people: int, folder: Path) -> int:
    """The contacts of every day as a file of their own."""
    if (folder / "edges").is_file():
        return int((folder / "edges").read_text())
    folder.mkdir(parents=True, exist_ok=True)
    graph = messenger(people, DAYS)
    for day in range(DAYS):
        edges = graph.edges(day)
        edges = np.where((edges.sum(axis=1) % 2 == 1)[:, None], edges[:, ::-1], edges)  # who writes to whom
        frame = pl.DataFrame({"source": edges[:, 0], "target": edges[:, 1], "time": np.full(len(edges), day, np.int16)})
        frame.write_parquet(folder / f"{day + 1:03}.parquet")
    (folder / "edges").write_text(str(graph.n_edges))
    return graph.n_edges


def measure(people: int, place: Path, effort: str, workers: int, memory: str, *, directed: bool, resume: bool) -> str:
    """A row of each table: from the folder of Parquet to the verified release. A resumed one counts only the time since."""
    maker = multiprocessing.get_context("spawn").Process(target=write_graph, args=(people, place / f"graph-{people}"))
    maker.start()  # so that its memory is not counted
    maker.join()
    edges = write_graph(people, place / f"graph-{people}")
    output, work = place / f"release-{people}", place / f"work-{people}"
    resume = resume and work.is_dir()
    for folder in (output,) if resume else (output, work):
        shutil.rmtree(folder, ignore_errors=True)
    clock, begun = Clock(time.monotonic, said=True), time.monotonic()
    made = anonymize_folder(
        place / f"graph-{people}", 5, output, slice="value", seed=0, effort=effort, engine="dask", jobs=workers,
        worker_memory=memory, work_dir=work, resume=resume, directed=directed, report=False, progress=clock,
    )  # fmt: skip
    seconds = time.monotonic() - begun
    own = [peak for process, peak in made["memory"].items() if process.startswith("process")]
    theirs = [peak for process, peak in made["memory"].items() if not process.startswith("process")]
    steps = [sum(clock.spent.get(stage, 0) for stage in stages) for stages in STEPS.values()]
    print(json.dumps(made["memory"]), flush=True)
    took = [f"{people:,}", f"{edges:,}", *(f"{s:,.0f}" for s in (*steps, seconds - sum(steps), seconds))]
    held = [
        f"{people:,}", f"{1e6 * seconds / edges:.0f}", f"{max(own) / 1e9:.2f}", f"{max(theirs) / 1e9:.2f}",
        f"{made['cost']['l1'] / made['n_nodes']:.1f}",
        f"{(made['edges']['added'] + made['edges']['removed']) / made['edges']['original']:.1%}",
    ]  # fmt: skip
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (took, held))


def measure_slice(people: int, place: Path) -> str:
    """Rebuilding a single slice, the largest piece of all, with groups of five whose degrees differ a little."""
    write_graph(people, place / f"graph-{people}")
    frame = pl.read_parquet(place / f"graph-{people}" / "001.parquet", columns=["source", "target"])
    edges = np.column_stack([frame["source"].to_numpy(), frame["target"].to_numpy()]).astype(np.int32)
    del frame
    rng = np.random.default_rng(0)
    order = np.argsort(np.bincount(edges.ravel(), minlength=people) + 1.5 * rng.random(people))
    labels = np.empty(people, np.int32)
    labels[order] = np.minimum(np.arange(people) // 5, people // 5 - 1)
    del order
    before, begun = peak_memory(), time.monotonic()
    made, _ = rebuild_slice(edges, labels, Settings("search", "fast", None, "edges", 1.0, 1), directed=False, rng=rng)
    seconds = time.monotonic() - begun
    return (
        f"one slice of {people:,} people, {len(edges):,} edges: {seconds:.0f} s, peak {peak_memory() / 1e9:.2f} GB "
        f"({before / 1e9:.2f} GB before), {len(made):,} edges made"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("people", type=int, nargs="+")
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="6GB")
    parser.add_argument("--directed", action="store_true", help="contacts go from one to the other")
    parser.add_argument("--resume", action="store_true", help="go on where an earlier measurement was killed")
    parser.add_argument("--slice", action="store_true", help="measure only one slice, the largest piece")
    parser.add_argument("--only-graph", action="store_true", help="write the graphs and stop")
    asked = parser.parse_args()
    for people in asked.people:
        if asked.slice:
            print(measure_slice(people, asked.folder), flush=True)
        elif asked.only_graph:
            write_graph(people, asked.folder / f"graph-{people}")
        else:
            settings = {"directed": asked.directed, "resume": asked.resume}
            print(measure(people, asked.folder, asked.effort, asked.workers, asked.memory, **settings), flush=True)


if __name__ == "__main__":
    main()
