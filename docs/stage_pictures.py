"""Draw the pictures of stages.md from the release its code makes: part of `make gallery`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from math import cos, pi, sin
from pathlib import Path

import numpy as np
from worked import HERE, play

from shoal import Release
from shoal.common.crowds import crowd_sizes
from shoal.group import group_medians

FOLDER = HERE / "stages"
GROUPS = (("A", "#f6cfa8"), ("B", "#bfdbf0"), ("C", "#cfe6b8"))  # the letter says it too, for whoever sees no colours
INK, QUIET, REMOVED, ADDED = "#1f2933", "#5f6b77", "#c2334a", "#1b7f72"


def picture(label: str, width: float, height: float, parts: Iterable[str]) -> str:
    """An SVG on white paper of its own, to be read on light and dark pages; three fit beside each other on a wide one."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{0.85 * width:g}" height="{0.85 * height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" '
        f'role="img" font-family="sans-serif" font-size="14" fill="{INK}">\n<title>{label}</title>\n'
        f'<rect width="100%" height="100%" rx="6" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def text(x: float, y: float, words: object, *, fill: str = INK, anchor: str = "middle", weight: str = "normal") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{fill}" text-anchor="{anchor}" font-weight="{weight}" '
        f'dominant-baseline="central">{words}</text>'
    )


def cell(x: float, y: float, value: object, meaning: str, *, fill: str, ring: bool = False) -> str:
    edge = f' stroke="{REMOVED}" stroke-width="2"' if ring else ""
    box = f'<rect x="{x + 1:g}" y="{y + 1:g}" width="38" height="24" rx="4" fill="{fill}"{edge}>'
    return f"{box}<title>{meaning}</title></rect>" + text(x + 20, y + 13, value, weight="bold" if ring else "normal")


class Story:
    """The example as tables: who, in which group, with how many contacts before and after."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.people = release.original.nodes.to_list()
        self.slices = [part.label for part in release.original.slices]
        self.before, self.after = release.original.degree_matrix(), release.degrees
        self.groups = release.groups
        self.medians = group_medians(self.before, self.groups)[0]
        self.chosen = np.array([self.after[self.groups == g][0] for g in range(len(self.medians))])

    def table(self, label: str, degrees: np.ndarray, *, coloured: bool) -> str:
        """A row for each person, the number of contacts in each slice, and how many people have that row."""
        alike = crowd_sizes(degrees)
        order = np.argsort(self.groups, kind="stable") if coloured else range(len(self.people))

        def parts() -> Iterator[str]:
            for t, day in enumerate(self.slices):
                yield text(82 + 40 * t, 18, day, fill=QUIET)
            yield text(212, 18, "alike", fill=QUIET)
            for row, i in enumerate(order):
                y = 32 + 28 * row + (8 * (row // self.release.k) if coloured else 0)
                group, fill = GROUPS[self.groups[i]] if coloured else ("", "#e6e9ed")
                yield text(10, y + 13, f"{self.people[i]} {group}", anchor="start")
                for t, day in enumerate(self.slices):
                    moved = degrees[i, t] != self.before[i, t]
                    meaning = f"{self.people[i]}, {day}: {degrees[i, t]}" + (
                        f", was {self.before[i, t]}" if moved else ""
                    )
                    yield cell(62 + 40 * t, y, degrees[i, t], meaning, fill=fill, ring=moved)
                yield text(212, y + 13, alike[i], fill=REMOVED if alike[i] == 1 else ADDED, weight="bold")

        return picture(label, 236, 40 + 28 * len(self.people) + (16 if coloured else 0), parts())

    def targets(self, label: str, degrees: np.ndarray) -> str:
        """A row for each group, and the sum over all people, which must be even."""
        sizes = np.bincount(self.groups)

        def parts() -> Iterator[str]:
            for t, day in enumerate(self.slices):
                yield text(122 + 40 * t, 18, day, fill=QUIET)
            for g, (letter, fill) in enumerate(GROUPS):
                yield text(10, 45 + 28 * g, f"{letter}, {sizes[g]} people", anchor="start")
                for t, day in enumerate(self.slices):
                    moved = degrees[g, t] != self.medians[g, t]
                    meaning = f"group {letter}, {day}: {degrees[g, t]}"
                    yield cell(102 + 40 * t, 32 + 28 * g, degrees[g, t], meaning, fill=fill, ring=moved)
            yield text(10, 133, "sum", anchor="start", fill=QUIET)
            for t, total in enumerate(sizes @ degrees):
                yield text(122 + 40 * t, 133, total, fill=REMOVED if total % 2 else ADDED, weight="bold")
                yield text(122 + 40 * t, 151, "odd" if total % 2 else "even", fill=REMOVED if total % 2 else ADDED)

        return picture(label, 236, 166, parts())

    def room(self, t: int) -> str:
        """Erdős and Gallai: what the j busiest want, and what they can have at most."""
        wanted = np.sort(self.after[:, t])[::-1]
        need = np.cumsum(wanted)
        have = [j * (j - 1) + np.minimum(wanted[j:], j).sum() for j in range(1, len(wanted) + 1)]
        shown, scale = 5, 140 / max(have[:5])

        def parts() -> Iterator[str]:
            yield text(10, 18, f"{self.slices[t]}: the j busiest", anchor="start", fill=QUIET)
            for row in range(shown):
                y, j = 34 + 30 * row, row + 1
                yield text(18, y + 10, j)
                yield (
                    f'<rect x="34" y="{y}" width="{have[row] * scale:.1f}" height="20" rx="3" fill="#e1e5ea"/>'
                    f'<rect x="34" y="{y + 4}" width="{need[row] * scale:.1f}" height="12" rx="3" fill="#7fa8c9">'
                    f"<title>{self.slices[t]}, the {j} busiest want {need[row]} of at most {have[row]}</title></rect>"
                )
                yield text(
                    180,
                    y + 10,
                    f"{need[row]} ≤ {have[row]}",
                    anchor="start",
                    weight="bold" if need[row] == have[row] else "normal",
                )

        return picture(f"{self.slices[t]}: contacts wanted and contacts possible", 236, 190, parts())

    def edges(self, t: int) -> str:
        """One slice: contacts that stay, go and come."""
        day, n = self.slices[t], len(self.people)
        order = np.argsort(self.groups, kind="stable")
        place = {
            self.people[i]: (118 + 88 * sin(2 * pi * p / n), 136 - 88 * cos(2 * pi * p / n))
            for p, i in enumerate(order)
        }
        changes = {
            what: {(u, v) for u, v, when in rows if when == day} for what, rows in self.release.changes().items()
        }
        old = {(self.people[u], self.people[v]) for u, v in self.release.original.edges(t).tolist()}
        looks = {
            "stays": (old - changes["removed"], 'stroke="#aab3bd" stroke-width="2"'),
            "removed": (changes["removed"], f'stroke="{REMOVED}" stroke-width="2.5" stroke-dasharray="5 4"'),
            "added": (changes["added"], f'stroke="{ADDED}" stroke-width="4"'),
        }

        def parts() -> Iterator[str]:
            yield text(
                10,
                18,
                f"{day}: {len(changes['removed'])} removed, {len(changes['added'])} added",
                anchor="start",
                fill=QUIET,
            )
            for what, (pairs, look) in looks.items():
                for u, v in sorted(pairs):
                    (x1, y1), (x2, y2) = place[u], place[v]
                    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
                    yield f"<line {ends} {look}><title>{day}, {u} and {v}: {what}</title></line>"
            for i, name in enumerate(self.people):
                x, y = place[name]
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="19" fill="{GROUPS[self.groups[i]][1]}" stroke="#fff"/>'
                yield text(round(x, 1), round(y, 1), name)

        return picture(f"{day}: contacts that stay, go and come", 236, 254, parts())


def pictures(release: Release) -> dict[str, str]:
    """Every picture of the page by the name of its file."""
    story = Story(release)
    drawn = {
        "before": story.table("Contacts per day before", story.before, coloured=False),
        "grouped": story.table("The same, in groups of three", story.before, coloured=True),
        "after": story.table("Contacts per day in the release", story.after, coloured=True),
        "medians": story.targets("The median of every group and day", story.medians),
        "chosen": story.targets("The degrees chosen for every group and day", story.chosen),
    }
    for t, day in enumerate(story.slices):
        drawn[f"room-{day.lower()}"], drawn[f"edges-{day.lower()}"] = story.room(t), story.edges(t)
    return {f"{name}.svg": svg for name, svg in drawn.items()}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        made = pictures(play(HERE / "stages.md", Path(folder))[1]["release"])
    FOLDER.mkdir(exist_ok=True)
    for name, svg in made.items():
        (FOLDER / name).write_text(svg, encoding="utf-8")
