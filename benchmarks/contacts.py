"""Contacts drawn for a release, the tables of docs/more.md.

python benchmarks/contacts.py DATA                       what is kept of the original's contacts, and who is found by them
python benchmarks/contacts.py FOLDER --large 100000      contacts and people in a folder of Parquet, on two engines
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import shutil
from pathlib import Path

import numpy as np
import polars as pl
from attributes import people as made_up

import shoal
from shoal.audit import reidentify
from shoal.large import anonymize_folder
from shoal.measure.contacts import compare_contacts

SETS = {
    "Irvine weeks": ("uci-collegemsg", "1w"),
    "Copenhagen days": ("copenhagen", "1d"),
    "Enron months": ("enron-jhu184", "1mo"),
    "primary school, hours": ("sociopatterns-primary-school", "1h"),
}
FOUND = ("Irvine weeks", "Copenhagen days")


def kept(data: Path) -> None:
    """What is kept of the original's contacts, set by set."""
    print("| set | contacts | other totals | counts | gaps | times of the day | burstiness (original) | strong ties |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (folder, width) in SETS.items():
        graph = shoal.read(data / folder / "edges.csv.gz", slice=width, contacts="times")
        release = shoal.anonymize(graph, 5, seed=1, contacts="times")
        found = compare_contacts(graph, release.graph)
        burst = found["burstiness"]
        print(
            f"| {name} | {sum(release.graph.contacts.totals()):,} of {sum(graph.contacts.totals()):,} "
            f"| {found['slices_with_other_totals']} of {graph.n_slices} slices | {found['counts_distance']:.3f} "
            f"| {found['gaps_distance']:.3f} | {found['times_of_day_distance']:.3f} "
            f"| {burst['released']:.2f} ({burst['original']:.2f}) | {found['strong_ties']:.2f} |",
            flush=True,
        )


def attacked(data: Path) -> None:
    """How often whoever knows numbers of contacts, or of edges, is right about somebody."""
    print("| set | by edges | by drawn contacts: right, found for certain | protected | contacts then |")
    print("|---|---|---|---|---|")
    for name in FOUND:
        folder, width = SETS[name]
        graph = shoal.read(data / folder / "edges.csv.gz", slice=width, contacts="counts")
        free, held = (shoal.anonymize(graph, 5, seed=1, contacts="counts", protect_counts=p) for p in (False, True))
        edges, drawn = (reidentify(graph, free.graph, by=by) for by in ("edges", "contacts"))
        shared = reidentify(graph, held.graph, by="contacts")
        crowd = shoal.audit(held.graph, k=5)["strength"]
        print(
            f"| {name} | {edges.expected_success:.1%} | {drawn.expected_success:.1%}, {drawn.unique:,.0f} "
            f"| {shared.expected_success:.1%}, {shared.unique:,.0f}; smallest crowd {crowd.smallest_crowd} "
            f"| {sum(held.graph.contacts.totals()):,} of {sum(graph.contacts.totals()):,} |",
            flush=True,
        )


def write_contacts(n: int, place: Path) -> tuple[Path, Path]:
    """A messenger with contacts at times of the day, and a made-up table of its people."""
    graph, rng = shoal.datasets.messenger(n), np.random.default_rng(0)
    shutil.rmtree(place, ignore_errors=True)
    (place / "in").mkdir(parents=True)
    for day in range(graph.n_slices):
        many = rng.geometric(0.4, len(graph.edges(day)))
        ends = np.repeat(graph.edges(day), many, axis=0)
        seconds = 1_700_006_400 + 86_400 * day + np.clip(rng.normal(54_000, 15_000, len(ends)), 0, 86_399).astype(int)
        frame = pl.DataFrame({"source": ends[:, 0], "target": ends[:, 1], "time": seconds})
        frame.write_parquet(place / "in" / f"{day + 1:03}.parquet")
    made_up(graph.nodes.to_list()).write_csv(place / "people.csv")
    return place / "in", place / "people.csv"


def large(n: int, place: Path) -> None:
    """The same bytes on both engines, verified; processor time is that of all processes."""
    folder, table = write_contacts(n, place)
    asked = {"slice": "1d", "contacts": "times", "people": table, "nodes": table, "sensitive": "diagnosis", "diverse": 2,
             "attributes": ["sex", "age:10", "department"], "seed": 0, "effort": "fast", "report": False}  # fmt: skip
    bytes_of = []
    for engine in ("local", "dask"):
        before = _processor()
        made = anonymize_folder(folder, 5, place / engine, **asked, engine=engine, jobs=2)
        verdict = shoal.verify(place / engine)
        files = sorted(file for file in (place / engine).rglob("*") if file.is_file())
        bytes_of.append(
            [(file.relative_to(place / engine), hashlib.sha256(file.read_bytes()).digest()) for file in files]
        )
        print(
            f"{engine}: {made['n_nodes']:,} people, {made['edges']['released']:,} edges, {made['contacts']['released']:,} "
            f"contacts, {made['attributes']['starred']:,} values *, {made['sensitive']['withheld']:,} withheld; "
            f"{verdict.in_words()}; {_processor() - before:.0f} s of processor time, "
            f"{max(made['memory'].values()) / 1e9:.2f} GB in the largest process",
            flush=True,
        )
    print("the same bytes" if bytes_of[0] == bytes_of[1] else "OTHER BYTES")


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--large", type=int, metavar="PEOPLE")
    asked = parser.parse_args()
    if asked.large:
        large(asked.large, asked.folder)
    else:
        kept(asked.folder)
        attacked(asked.folder)


if __name__ == "__main__":
    main()
