"""Measure everything in one go and write RESULTS.md: `make bench`. `--only NAME` measures one section again.

Sections that other commands measure (`golden.py`, `overtime.py`) stay as they are, each behind a mark of its own.

Each measurement has a process of its own (see cells.py), one after the other, so nothing else computes meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import sets  # noqa: E402
import startup  # noqa: E402

LIMIT = 1_200  # seconds for one measurement
SMALL = ("Enron months", "Enron weeks", "Enron days", "Irvine weeks", "Irvine days")
OTHERS = ("Aarhus layers", "Travian days")
KS = (2, 5, 10)


def cell(what: str, *arguments: Any) -> dict[str, Any] | str:
    """The measurement, or why there is none."""
    if arguments and isinstance(arguments[0], str) and not sets.available(arguments[0]):
        return "data not here"
    command = [sys.executable, str(HERE / "cells.py"), what, json.dumps(arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=HERE)
    except subprocess.TimeoutExpired:
        return f"stopped after {LIMIT} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1]
    return json.loads(done.stdout.splitlines()[-1])  # the solver may print lines of its own before


def table(title: str, text: str, head: list[str]) -> list[str]:
    return ["", f"## {title}", "", text, "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]


def row(*cells: Any) -> str:
    return f"| {' | '.join(str(c) for c in cells)} |"


def releases() -> Iterator[str]:
    yield from table(
        "Whole releases",
        "`anonymize` with its default objective; edges changed are added plus removed.",
        ["set", "k", "method", "edges changed", "kept", "l1 cost", "at most × optimum", "seconds", "peak MB"],
    )
    methods = (("greedy",), ("optimal",), ("search", "fast"), ("search", "balanced"))
    for name in (*SMALL, *OTHERS):
        for k in KS:
            for method in methods:
                if method == ("optimal",) and not name.startswith(("Enron", "Aarhus")):
                    continue  # minutes per start
                if method == ("greedy",) and name == "Travian days":
                    continue
                x = cell("release", name, k, *method)
                if isinstance(x, str):
                    yield row(name, k, " ".join(method), x, "", "", "", "", "")
                else:
                    yield row(
                        name, k, " ".join(method), f"{x['changed']:,}", f"{x['kept']:.0%}", f"{x['l1']:,}",
                        f"{x['l1'] / max(x['bound'], 1):.2f}", f"{x['seconds']:.2f}", f"{x['peak_mb']:.0f}",
                    )  # fmt: skip


def keeping() -> Iterator[str]:
    yield from table("Rather add than remove", "Irvine weeks, k = 2.", ["weight of a removal", "edges changed", "kept"])
    for weight in (1.0, 2.0, 10.0):
        x = cell("release", "Irvine weeks", 2, "search", "balanced", "edges", weight)
        yield row(
            weight, x if isinstance(x, str) else f"{x['changed']:,}", "" if isinstance(x, str) else f"{x['kept']:.1%}"
        )


def medians() -> Iterator[str]:
    yield from table(
        "l1 cost with medians",
        '`objective="l1"`, cost of the release, parity included.',
        ["set", "k", "fast", "balanced", "bound"],
    )
    for name in SMALL:
        for k in KS:
            found = [cell("release", name, k, "search", effort, "l1") for effort in ("fast", "balanced")]
            if isinstance(found[0], str):
                yield row(name, k, found[0], "", "")
            else:
                yield row(name, k, *(f"{x['l1']:,}" for x in found), f"{found[0]['bound']:,}")


def grouping() -> Iterator[str]:
    yield from table(
        "Grouping",
        "l1 cost and seconds of one start of greedy and of search, in one process; × is how many times faster than greedy.",
        ["set", "k", "greedy", "fast", "balanced", "thorough"],
    )
    for name in SMALL:
        for k in KS:
            x = cell("grouping", name, k)
            if isinstance(x, str):
                yield row(name, k, x, "", "", "")
                continue
            parts = [f"{x['greedy']['l1']:,} in {x['greedy']['seconds']:.2f} s"]
            for effort in ("fast", "balanced", "thorough"):
                e = x[effort]
                parts.append(f"{e['l1']:,} in {e['seconds']:.2f} s ({e['faster']:.1f} ×)")
            yield row(name, k, *parts)


def singles() -> Iterator[str]:
    yield from table(
        "One slice",
        "Barabási–Albert with 5 edges per node (networkx, seed 1). The bound is half the optimal l1 cost.",
        ["n", "k", "bound", "edges changed", "× bound", "seconds"],
    )
    for n in (1_000, 5_000, 20_000):
        for k in KS:
            x = cell("single", n, k)
            if isinstance(x, str):
                yield row(n, k, x, "", "", "")
            else:
                yield row(
                    f"{n:,}",
                    k,
                    f"{x['bound']:.0f}",
                    x["changed"],
                    f"{x['changed'] / x['bound']:.2f}",
                    f"{x['seconds']:.1f}",
                )


def vectors() -> Iterator[str]:
    yield from table(
        "Grouping of random vectors",
        "5,000 vectors of 5 geometric numbers; k-means-constrained where it is installed (one start).",
        ["k", "method", "l1 cost", "seconds"],
    )
    for k in KS:
        x = cell("vectors", k)
        if isinstance(x, str):
            yield row(k, x, "", "")
            continue
        for method, found in x.items():
            yield row(k, method, f"{found['l1']:,}", f"{found['seconds']:.2f}")


def sizes() -> Iterator[str]:
    yield from table(
        "Size",
        "From an edge file to a verified release folder with its report, kernels warm.",
        [
            "set",
            "people",
            "edges",
            "k",
            "read",
            "anonymize",
            "write",
            "all,s",
            "peak_MB",
            "l1_per_person",
            "edges_changed",
        ],
    )
    for name in ("DBLP years", "Higgs days", *(name for name in sets.SETS if name.startswith("messenger"))):
        for k in (2, 10) if name != "messenger 10^6" else (2,):
            x = cell("folder", name, k)
            if isinstance(x, str):
                yield row(name, "", "", k, x, "", "", "", "", "", "")
            else:
                yield row(
                    name, f"{x['people']:,}", f"{x['edges']:,}", k, f"{x['read']:.1f}", f"{x['anonymize']:.1f}",
                    f"{x['write']:.1f}", f"{x['seconds']:.1f}", f"{x['peak_mb']:.0f}", f"{x['l1_per_person']:.3f}",
                    f"{x['changed_share']:.1%}",
                )  # fmt: skip


def optimum() -> Iterator[str]:
    yield from table(
        "Against the optimum of the degree program",
        "Same groups; the program solved exactly by HiGHS for every slice.",
        ["set", "k", "optimum", "edges changed", "above"],
    )
    for name in ("Enron months", "Irvine weeks"):
        for k in KS:
            x = cell("optimum", name, k)
            if isinstance(x, str):
                yield row(name, k, x, "", "")
            else:
                yield row(name, k, f"{x['program']:,.0f}", f"{x['changed']:,.0f}", f"{x['above']:.2%}")


DEMANDS = (
    ("Irvine weeks", {}),
    ("Irvine weeks", {"share": 0.1}),
    ("Irvine weeks", {"allow": "add"}),
    ("Irvine weeks", {"allow": "remove"}),
    ("Irvine weeks", {"horizon": "1mo"}),
    ("Irvine weeks, directed", {}),
    ("Enron days", {}),
    ("Enron days", {"horizon": "1y"}),
    ("Enron days", {"horizon": "1mo"}),
    ("Enron days", {"horizon": "1w"}),
    ("Enron days", {"horizon": 1}),
    ("Higgs days, directed", {}),
)


def demands() -> Iterator[str]:
    yield from table(
        "Asking for more, or for less",
        "k = 5. Half the bound is a number of edges that any such release changes at least.",
        ["set", "asked for", "blocks", "edges changed", "of the plain release", "kept", "half the bound", "seconds"],
    )
    plain: dict[str, int] = {}
    for name, wishes in DEMANDS:
        x = cell("demand", name, 5, wishes)
        asked = ", ".join(f"{key} {value}" for key, value in wishes.items()) or "nothing more"
        if isinstance(x, str):
            yield row(name, asked, x, "", "", "", "", "")
            continue
        plain.setdefault(name, x["changed"])
        yield row(
            name, asked, x["blocks"], f"{x['changed']:,}", f"{x['changed'] / plain[name]:.0%}", f"{x['kept']:.0%}",
            f"{x['bound'] / 2:,.0f}", f"{x['seconds']:.1f}",
        )  # fmt: skip


def growing() -> Iterator[str]:
    yield from table(
        "A release that grows",
        "Irvine weeks 1–20, then three times three more; the union is verified at k. Edges changed in each, and all at once.",
        ["k", "1–20", "21–23", "24–26", "27–29", "together", "all at once", "held back", "union holds"],
    )
    for k in KS:
        x = cell("growing", "Irvine weeks", k, 20, 3, 3)
        if isinstance(x, str):
            yield row(k, x, "", "", "", "", "", "", "")
            continue
        yield row(
            k, *(f"{c:,}" for c in x["changed"]), f"{sum(x['changed']):,}", f"{x['at_once']:,}",
            " / ".join(map(str, x["held_back"])), "yes" if x["holds"] else "NO",
        )  # fmt: skip


def at_once() -> Iterator[str]:
    yield from (
        "",
        "## At once",
        "",
        "Seconds on the clock, each the median of three (a million people once); $SHOAL_BEFORE names a checkout to compare with.",
        "",
    )
    before = os.environ.get("SHOAL_BEFORE")
    yield from startup.at_once(Path(before) if before else None)


SECTIONS = {
    f.__name__: f
    for f in (grouping, releases, medians, keeping, optimum, singles, vectors, sizes, demands, growing, at_once)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=SECTIONS, action="append", help="measure this section and keep the others")
    chosen = parser.parse_args().only or list(SECTIONS)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    before = _sections((HERE / "RESULTS.md").read_text(encoding="utf-8")) if (HERE / "RESULTS.md").is_file() else {}
    for name, section in SECTIONS.items():
        if name not in chosen:
            continue
        lines = []
        for line in section():
            print(line, flush=True)
            lines.append(line)
        before[name] = [f"<!-- {name} -->", *lines]
        head = [
            "# Measurements",
            "",
            f"Made by `make bench` on a machine with {os.cpu_count()} cores and {memory:.0f} GB; seed 0.",
            "",
        ]
        body = [line for lines in before.values() for line in lines]  # in their places, other commands' sections too
        (HERE / "RESULTS.md").write_text("\n".join([*head, *body]) + "\n", encoding="utf-8")


def _sections(text: str) -> dict[str, list[str]]:
    """What was measured earlier, by the marks that begin each section."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("<!-- "):
            current = found.setdefault(line.removeprefix("<!-- ").removesuffix(" -->"), [])
        elif not found:
            continue
        current.append(line)
    return found


if __name__ == "__main__":
    main()
