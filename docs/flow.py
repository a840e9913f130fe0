"""Draw docs/flow.svg, the way of the data through the code: `python docs/flow.py`. Colours follow the theme of the page."""

from __future__ import annotations

from html import escape
from pathlib import Path

WIDTH, HEIGHT, TALL = 960, 580, 58
# name -> (x, y, width, kind, title, subtitle)
BOXES = {
    "input": (10, 20, 150, "data", "contacts", "file, table, networkx"),
    "read": (220, 20, 190, "code", "read/  contacts/", "slicing/ cuts time"),
    "graph": (470, 20, 190, "data", "TemporalGraph", "graph/"),
    "ask": (20, 171, 150, "code", "demands/", "promise, limits"),
    "group": (240, 171, 130, "stage", "group/", "who looks alike"),
    "realize": (420, 171, 130, "stage", "realize/", "which degrees"),
    "rebuild": (600, 171, 130, "stage", "rebuild/", "edges, retied"),
    "people": (240, 255, 130, "code", "people/", "known columns"),
    "move": (420, 255, 130, "code", "move/", "ties change hands"),
    "draw": (600, 255, 130, "code", "draw/", "contacts of edges"),
    "release": (790, 171, 150, "data", "Release", "release.py"),
    "write": (790, 382, 150, "code", "report/  write/", "published/ is coarse"),
    "measure": (520, 382, 190, "code", "measure/", "compare: the damage"),
    "audit": (220, 382, 190, "code", "audit/", "attackers: the risk"),
    "folder": (790, 500, 150, "data", "release folder", "what is published"),
    "verify": (520, 500, 190, "code", "audit/verify.py", "shares no code"),
    "verdict": (300, 500, 150, "data", "Verdict", "exit code 0 or 1"),
}
ARROWS = [
    ("input", "read"), ("read", "graph"), ("ask", "group"), ("group", "realize"), ("realize", "rebuild"),
    ("rebuild", "release"), ("people", "group"), ("move", "realize"), ("rebuild", "draw"),
    ("release", "write"), ("write", "folder"), ("folder", "verify"), ("verify", "verdict"),
]  # fmt: skip
# Arrows with a bend: from the graph down into the method, to the risk and to the damage, and from the release.
PATHS = ["M565 78 V110 H305 V171", "M565 110 H195 V411 H220", "M565 110 H762 V411 H710", "M790 215 H762"]
STYLE = """
  .flow text { font-family: inherit; text-anchor: middle; fill: var(--pst-color-text-base, #222832); }
  .flow .title { font-size: 18px; font-weight: 600; } .flow .sub { font-size: 13px; opacity: .8; }
  .flow rect { stroke-width: 1.5; } .flow .data { fill: none; stroke: var(--pst-color-text-muted, #48566b); stroke-dasharray: 5 4; }
  .flow .code { fill: var(--pst-color-surface, #f3f4f5); stroke: var(--pst-color-border, #c9c9c9); }
  .flow .stage { fill: var(--pst-color-surface, #f3f4f5); stroke: var(--pst-color-primary, #0a7d91); stroke-width: 2.5; }
  .flow .frame { fill: none; stroke: var(--pst-color-primary, #0a7d91); opacity: .6; }
  .flow path { fill: none; stroke: var(--pst-color-text-muted, #48566b); stroke-width: 1.5; }
  .flow marker path { fill: var(--pst-color-text-muted, #48566b); stroke: none; }
"""


def draw() -> str:
    """The picture."""
    parts = [
        f'<svg class="flow" role="img" aria-label="The way of the data through the code" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'xmlns="http://www.w3.org/2000/svg" style="max-width: 100%; height: auto">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="flow-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        '<rect class="frame" x="212" y="130" width="540" height="192" rx="10"/>',
        '<text class="sub" x="532" y="154">anonymize.py, on plan/ and an engine/: the method on one page</text>',
    ]
    parts += [f'<path d="{path}" marker-end="url(#flow-head)"/>' for path in PATHS[:3]]
    parts += [f'<path d="{PATHS[3]}"/>']
    parts += [f'<path d="{_between(BOXES[a], BOXES[b])}" marker-end="url(#flow-head)"/>' for a, b in ARROWS]
    for x, y, width, kind, title, sub in BOXES.values():
        parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{TALL}" rx="6"/>')
        parts.append(f'<text class="title" x="{x + width / 2:g}" y="{y + 25}">{escape(title)}</text>')
        parts.append(f'<text class="sub" x="{x + width / 2:g}" y="{y + 45}">{escape(sub)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _between(one: tuple, other: tuple) -> str:
    """A straight arrow from one box to the next, to the right, to the left, down or up."""
    (x, y, width, *_), (x2, y2, width2, *_) = one, other
    if y != y2:
        return f"M{x + width / 2:g} {y + TALL} V{y2}" if y2 > y else f"M{x + width / 2:g} {y} V{y2 + TALL}"
    middle = y + TALL // 2
    return f"M{x + width} {middle} H{x2}" if x2 > x else f"M{x} {middle} H{x2 + width2}"


if __name__ == "__main__":
    Path(__file__).with_name("flow.svg").write_text(draw(), encoding="utf-8")
