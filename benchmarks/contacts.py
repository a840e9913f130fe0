"""What contacts drawn for a release keep of the original's: `python benchmarks/contacts.py DATA`, the table of docs/more.md."""

from __future__ import annotations

import sys
from pathlib import Path

import shoal
from shoal.measure.contacts import compare_contacts

SETS = {
    "Irvine weeks": ("uci-collegemsg", "1w"),
    "Copenhagen days": ("copenhagen", "1d"),
    "Enron months": ("enron-jhu184", "1mo"),
    "primary school, hours": ("sociopatterns-primary-school", "1h"),
}


def main() -> None:
    print("| set | contacts | other totals | counts | gaps | times of the day | burstiness (original) | strong ties |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (folder, width) in SETS.items():
        graph = shoal.read(Path(sys.argv[1]) / folder / "edges.csv.gz", slice=width, contacts="times")
        release = shoal.anonymize(graph, 5, seed=1, contacts="times")
        found = compare_contacts(graph, release.graph)
        burst = found["burstiness"]
        print(
            f"| {name} | {release.graph.contacts.counts.sum():,} of {graph.contacts.counts.sum():,} "
            f"| {found['slices_with_other_totals']} of {graph.n_slices} slices | {found['counts_distance']:.3f} "
            f"| {found['gaps_distance']:.3f} | {found['times_of_day_distance']:.3f} "
            f"| {burst['released']:.2f} ({burst['original']:.2f}) | {found['strong_ties']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
