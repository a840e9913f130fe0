"""What attackers learn from releases at k = 5, as a table: `python benchmarks/learned.py [--write]` (into docs/protects.md)."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import sets

import shoal
from shoal.audit.learn import learn

PAGE = Path(__file__).parents[1] / "docs" / "protects.md"
KNOWN = {"Irvine weeks": 0.3, "Copenhagen days": 0.5, "Enron months": 0.5, "primary school hours": 0.5}
K, SEED = 5, 1


def percent(share: float) -> str:
    """Whole percents, and what is below one with a digit."""
    return f"{100 * share:.0f} %" if share >= 0.0095 or share == 0 else f"{100 * share:.1g} %"


def cells(name: str) -> list[tuple[str, str, str]]:
    """Who knows what, what they learn, and how much of it on this set, with what they would have known anyway in brackets."""
    graph = sets.load(name)
    release = shoal.anonymize(graph, K, seed=SEED).graph
    found = {one.name: one for one in learn(release, graph, k=K, known=KNOWN[name])}
    second, invented, crowds = found["second-graph"], found["invented"], found["same-for-all"]
    planted, twice, struck = found["planted"], found["twice"], invented["struck"]
    part = "the first contacts, with names (30 % of the weeks of Irvine, half of the slices elsewhere)"

    def beside(claims: dict[str, Any], what: str) -> str:
        return f"{percent(claims[what])} ({percent(claims['without'][what])})"

    return [
        (part, "whose node somebody is, of the people in it", percent(second["matched"])),
        ("", "later contacts: claims that are true", beside(second["all"], "true")),
        ("", "… of two who met before", beside(second["known_ties"], "true")),
        ("", "… of two never seen together", beside(second["new_pairs"], "true")),
        ("", "… of two never seen together: share of all there are", beside(second["new_pairs"], "found")),
        (
            "all contacts, and the nodes of 0.5 % of the people",
            "whose node somebody is, of the others",
            percent(found["seeds"]["seeds"][0]["named"]),
        ),
        (
            "somebody's numbers and those of each contact, before the changes",
            "whose node somebody is (by their own numbers alone)",
            f"{percent(found['contacts-before']['found'])} ({percent(found['contacts-before']['without_contacts'])})",
        ),
        (
            "the release, and shoal",
            "which of two contacts was invented, right in (a coin)",
            f"{percent(invented['best_auc'])} (50 %)",
        ),
        ("", "… by how often the two meet in other slices", percent(invented["auc"]["other-slices"])),
        (
            "… and somebody's numbers before the changes",
            "whose node somebody is, suspicious contacts struck out (not struck out)",
            f"{percent(struck['guesses_right'])} ({percent(struck['guesses_right_before'])})",
        ),
        (
            "somebody's numbers in the release",
            "people whose whole crowd meets one and the same person",
            f"{crowds['meet_same_person']:,} of {crowds['people']:,}",
        ),
        (
            "",
            "links between crowds that are mostly linked: true (of any two people)",
            f"{percent(crowds['links']['true'])} ({percent(crowds['links']['base_rate'])})",
        ),
        (
            f"{planted['accounts']} accounts of their own, planted before",
            "the accounts, and people they touched, found again",
            f"{percent(planted['once']['accounts'])}, {percent(planted['once']['targets'])}",
        ),
        (
            "a second release of the same data",
            "who is who in both; people alone in what both say together",
            f"{percent(twice['matched'])}, {twice['alone']:,}",
        ),
    ]


def table() -> str:
    """A column for each set that is there."""
    names = [name for name in KNOWN if sets.available(name)]
    columns = []
    for name in names:
        print(name, file=sys.stderr, flush=True)
        columns.append(cells(name))
    lines = ["| who knows | what they learn (anyway) | " + " | ".join(names) + " |", "|---|---|" + "--:|" * len(names)]
    lines += [
        f"| {row[0][0]} | {row[0][1]} | " + " | ".join(cell[2] for cell in row) + " |"
        for row in zip(*columns, strict=True)
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    made = table()
    print(made)
    if "--write" in sys.argv:
        text = PAGE.read_text(encoding="utf-8")
        marks = re.compile(r"(<!-- learned -->\n).*?(\n<!-- /learned -->)", re.DOTALL)
        PAGE.write_text(marks.sub(lambda m: m[1] + made + m[2], text), encoding="utf-8")
