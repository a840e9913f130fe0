"""From what lies in a job's folder to HTML. Everything is escaped; nothing here computes more than a coordinate."""

from __future__ import annotations

import datetime
import math
import re
import time
from typing import Any

from jinja2 import Environment, PackageLoader

import shoal
from shoal.common.progress import COMPILING
from shoal.common.words import plural
from shoal.web import demos
from shoal.web.choices import COLUMNS, HORIZONS, MOVES, STEPS, USES, WHO, advice
from shoal.web.store import KINDS, Job, Store, read_json

PARTS = ("look", "people", "audit", "cost", "compare", "run", "attack")
WIDTHS = {"1h": "hour", "1d": "day", "1w": "week", "1mo": "month", "1y": "year", "value": "distinct value"}
DIALECTS = {
    "csv": "table (CSV, TSV)",
    "xlsx": "Excel workbook (.xlsx)",
    "parquet": "Parquet",
    "snap": "plain columns: person, person, time",
    "konect": "plain columns: person, person, weight, time (KONECT)",
    "sociopatterns": "plain columns: time, person, person",
    "multiplex": "plain columns: layer, person, person",
    "multinet": "multinet (.mpx)",
    "graphml": "GraphML",
    "gexf": "GEXF",
}
UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
# Stage of a worker -> what the person reads, and where in the whole the stage begins and ends.
STAGES = {
    "reading": ("Reading the file", 0.0, 0.05),
    COMPILING: ("Compiling, once after installation", 0.05, 0.05),
    "attacking": ("Trying to find people", 0.05, 1.0),
    "grouping": ("Finding people with similar numbers of edges", 0.05, 0.5),
    "rebuilding": ("Changing as few edges as possible", 0.5, 0.7),
    "retying": ("Letting invented contacts look like true ones", 0.7, 0.705),
    "drawing contacts": ("Drawing contacts for the edges", 0.705, 0.71),
    "writing": ("Writing the release", 0.71, 0.72),
    "judging": ("Trying to find people in it", 0.72, 0.77),
    "measuring": ("Measuring what it still tells", 0.77, 0.82),
    "following contacts through time": ("Following contacts through time", 0.82, 0.84),
    "finding communities": ("Finding communities", 0.84, 0.85),
    "learning": ("Trying what attackers would learn who hold contacts", 0.85, 0.9),
    "drawing": ("Drawing the pictures of the report", 0.9, 0.95),
    "verifying": ("Checking what was written", 0.95, 0.97),
    "closing": ("Writing what is for you alone", 0.97, 0.98),
    "packing": ("Drawing pictures and packing", 0.98, 1.0),
}
_WORDS = {
    "slice": "A stretch of time (an hour, a day, a week …) or a layer such as a platform. Edges are counted slice by slice.",
    "contact": "A line of your file: two people had to do with each other.",
    "edge": "Two people who had at least one contact in a slice. It counts once, however many contacts there were.",
    "neighbour": "Somebody with whom a person has an edge.",
    "k": "The size of the smallest crowd: with k = 5 everybody has the same numbers as at least four others.",
    "crowd": "All people who have the same number of edges in every slice. Whoever stands alone in a crowd of one can be found.",
    "singled out": "Somebody who knows how many edges a person had in every slice finds that person, even without names.",
    "pseudonym": "A random number in place of a name.",
    "mapping": "The list that says which pseudonym is which person. Whoever has it can undo the release.",
}


def _environment() -> Environment:
    pages = Environment(
        loader=PackageLoader("shoal.web", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["count"] = lambda number: f"{number:,.0f}"
    pages.filters["percent"] = lambda share: f"{100 * share:.0f} %"
    pages.filters["size"] = size_in_words
    pages.globals.update(
        words=_WORDS,
        who=WHO,
        uses=USES,
        horizons=HORIZONS,
        moves=MOVES,
        column_uses=COLUMNS,
        steps=STEPS,
        widths=WIDTHS,
        dialects=DIALECTS,
        units=UNITS,
        version=shoal.__version__,
        plural=plural,
    )
    return pages


def size_in_words(n_bytes: float) -> str:
    """'12 KB', '3.4 MB'."""
    for unit in ("bytes", "KB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.0f} {unit}" if unit == "bytes" or n_bytes >= 10 else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"


def label_of(name: str) -> str:
    """What a file is called on the page: the last part of its name, without control characters. It is never a path."""
    name = re.split(r"[/\\]", name)[-1]
    return "".join(c for c in name if c.isprintable()).strip()[:120] or "unnamed file"


def too_large(most: int) -> str:
    """The sentence for files beyond the limit."""
    return f"The file is larger than {size_in_words(most)}, the most this page takes (--max-upload allows more)."


def start(store: Store, most_bytes: int) -> str:
    """The first page."""
    return _page("start.html", jobs=[_line(j) for j in store.newest_first()], demos=demos.SETS, most_bytes=most_bytes)


def refused(why: str) -> str:
    """A page that says no."""
    return _page("refused.html", why=why)


def job(job: Job, *, again: bool, earlier: list[Job]) -> str:
    """The page of a job, with all its parts; `again` where the same upload was released before, `earlier` what can be extended."""
    return _page("job.html", **_facts(job, ""), again=again, earlier=earlier)


def part(job: Job, name: str, k: str, *, again: bool, earlier: list[Job]) -> str:
    """One part of that page."""
    return _page(f"{name}.html", **_facts(job, k), again=again, earlier=earlier)


def _page(template: str, **facts: Any) -> str:
    return _PAGES.get_template(template).render(**facts)


def _line(job: Job) -> dict[str, Any]:
    """A job in the history."""
    doing = next((kind for kind in ("run", "audit", "look") if job.status(kind)), "look")
    status = job.status(doing)
    if doing == "look" and status == "done" and "n_nodes" not in (job.result("look") or {}):
        status = "unread"
    words = {
        ("run", "done"): f"released with k = {(job.result('run') or {}).get('k')}",
        ("audit", "done"): "audited",
        ("look", "done"): "read",
    }.get(
        (doing, status),
        {"failed": "has a problem", "unread": "could not be read yet", "cancelled": "cancelled"}.get(
            status, status or "uploaded"
        ),
    )
    when = datetime.datetime.fromtimestamp(job.state["created"]).strftime("%Y-%m-%d %H:%M")
    return {"id": job.id, "label": job.state["label"], "size": job.size, "when": when, "status": words}


def _facts(job: Job, k: str) -> dict[str, Any]:
    """Everything the templates of a job speak of."""
    results = {kind: job.result(kind) for kind in KINDS}
    look, audit = results["look"], results["audit"]
    reading = (look or {}).get("reading") or job.state["reading"]
    most = audit["most_k"] if audit and "most_k" in audit else 50
    answers = job.state.get("answers", [])
    recommended, why = advice(answers)
    chosen = int(k[:6]) if k.isascii() and k.isdigit() else (job.state.get("asked") or {}).get("k", 5)
    chosen = min(max(chosen, 2), max(most, 2))
    return {
        "job": job,
        "status": {kind: job.status(kind) for kind in results},
        **results,
        "reading": reading,
        "step": WIDTHS.get(reading.get("slice", ""), "slice").replace("distinct value", "slice"),
        "busy": doing(job),
        "answers": answers,
        "why": why,
        "asked": {"against": "numbers", "move": "slice", "attributes": []}
        | (job.state.get("asked") or {})
        | recommended,
        "k": chosen,
        "most_k": most,
        "cost": _cost((results["curve"] or {}).get("cells", []), chosen, max(most, 3)),
        "has_upload": job.input.exists(),
        "beside": job.state.get("beside", {}),
        "table": results["people"],  # the name `people` is that of a picture
        "measures": read_json(job.folder / "exact" / "measures.json"),
        "has_mapping": (job.folder / "private.json").exists(),
        "waffle": waffle,
        "bars": _bars((look or {}).get("busy", [])),
    }


def doing(job: Job) -> dict[str, Any]:
    """What the worker is doing, in words and as a share of the whole."""
    told = job.progress()
    words, low, high = STAGES.get(told.get("stage", ""), ("Getting ready", 0.0, 0.02))
    share = low + (high - low) * float(told.get("share", 0))
    seconds, detail = max(int(time.time() - told["began"]), 0) if "began" in told else 0, ""
    if told.get("stage") == COMPILING and told["share"] > 0:
        left = seconds * (1 - told["share"]) / told["share"]
        detail = f": {round(told['share'] * told['total'])} of {told['total']}, about {left:.0f} s more"
    return {"words": words, "detail": detail, "share": share, "seconds": seconds}


def waffle(marked: int, everybody: int) -> list[dict[str, Any]]:
    """A hundred people in a square, as many of them marked as there are in a hundred; never none where there is one."""
    share = marked / max(everybody, 1)
    n = min(max(round(100 * share), 1 if marked else 0), 99 if marked < everybody else 100)
    return [{"x": i % 10, "y": i // 10, "marked": i < n} for i in range(100)]


def _bars(sizes: list[int]) -> list[tuple[float, float, float]]:
    """Place, width and height of a bar per slice in a box of 600 × 60."""
    width, top = 600 / max(len(sizes), 1), max(sizes, default=0) or 1
    return [(round(i * width, 2), round(width * 0.85, 2), round(60 * n / top, 2)) for i, n in enumerate(sizes)]


def _cost(cells: list[dict[str, Any]], k: int, most: int) -> dict[str, Any]:
    """The curve in a box of 560 × 200, and what is known or can be read between its points for this k."""
    cells = sorted(cells, key=lambda c: c["k"])

    def x(at: float) -> float:
        return round(560 * math.log(at / 2) / math.log(most / 2), 1)

    points = [(x(c["k"]), round(200 * (1 - c["kept"]), 1), c["k"], c["kept"]) for c in cells if c["k"] <= most]
    known = {c["k"]: c["kept"] for c in cells}
    below, above = [c for c in cells if c["k"] <= k], [c for c in cells if c["k"] >= k]
    kept = known.get(k)
    if kept is None and below and above:
        low, high = below[-1], above[0]
        part = math.log(k / low["k"]) / math.log(high["k"] / low["k"])
        kept = low["kept"] + part * (high["kept"] - low["kept"])
    ticks = [(x(t), t) for t in (2, 3, 5, 10, 20, 50) if t <= most]
    return {"points": points, "kept": kept, "x": x(k), "ticks": ticks}


def reading_of(form: dict[str, str]) -> dict[str, Any]:
    """The form of the columns as options of `shoal.read`; what is empty is left out, what is unknown is dropped."""
    names = (
        "source", "target", "time", "layer", "dialect", "slice", "timezone", "time_format", "time_unit", "origin", "encoding",
        "count",
    )  # fmt: skip
    chosen: dict[str, Any] = {name: form[name].strip()[:200] for name in names if form.get(name, "").strip()}
    if chosen.get("dialect") not in DIALECTS:
        chosen.pop("dialect", None)
    if form.get("directed") == "yes":
        chosen["directed"] = True
    for name in ("header", "day_first"):
        if form.get(name) in ("yes", "no"):
            chosen[name] = form[name] == "yes"
    if "time" not in chosen:
        chosen.pop("slice", None)
    else:
        chosen.setdefault("slice", "1w")
    if chosen.get("slice", "value") == "value":  # nothing is read as a time
        for name in ("time_format", "time_unit", "timezone", "origin", "day_first"):
            chosen.pop(name, None)
    return chosen


_PAGES = _environment()
