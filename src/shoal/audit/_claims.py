"""What a certificate claims, for verify: its fields, its words, its arithmetic, and what the tables say to it.

Shares no code with what writes certificates: the sentences and the rounding are written here a second time, on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.audit._released import Check
from shoal.audit._words import attacker_of, guarantee_of

FORMAT = 2
METHODS = ("search", "greedy", "optimal", "extend")
LONGEST_TEXT = 2_000

# No table of a release says whether these are true. Their form is checked, and what follows from them.
UNPROVEN = (
    "made_by", "method", "limits", "rounding", "cost.l1", "cost.lower_bound", "cost.at_most_times_optimum", "edges.added",
    "edges.removed", "against", "move", "totals",
)  # fmt: skip
# Where contacts changed hands, how many of them are where they were is told by nobody.
UNTOLD = (
    "cost.l1", "cost.normalised", "cost.lower_bound", "cost.at_most_times_optimum", "edges.added", "edges.removed", "edges.kept",
    "edges.kept_share",
)  # fmt: skip


@dataclass(frozen=True)
class Counted:
    """What the tables of a release say about it."""

    n_nodes: int
    n_slices: int
    n_blocks: int
    released: int
    min_class_size: int
    n_classes: int
    has_start: bool
    has_layer: bool
    numbered: bool  # people are called 1, 2, 3 and so on, in this order
    with_gaps: bool  # or at least by whole numbers that rise


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_TEXT


def _is_whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and value >= 0


def _are_levels(value: Any) -> bool:
    """Levels as numbers are written, each of somebody."""
    return (
        isinstance(value, dict)
        and all(re.fullmatch(r"[1-9]\d{0,8}", level, re.ASCII) for level in value)
        and all(type(count) is int and count > 0 for count in value.values())
    )


def _is_ratio(value: Any) -> bool:
    return value is None or (_is_number(value) and 1 <= value <= 3 and round(value, 1) == value)


def _is_move(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"slice|tie|\d{1,9}(s|m|h|d|w|mo|y)", value, re.ASCII) is not None


def _are_totals(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"distinct_pairs", "correlation_with_slice_before"}:
        return False
    pairs, steps = value["distinct_pairs"], value["correlation_with_slice_before"]
    return (
        _is_whole(pairs)
        and str(pairs)[2:].strip("0") == ""
        and isinstance(steps, list)
        and all(x is None or (_is_number(x) and round(x, 2) == x) for x in steps)
    )


_FORMS: dict[str, Callable[[Any], bool]] = {
    "format": lambda x: type(x) is int and x == FORMAT,
    "made_by": lambda x: isinstance(x, str) and re.fullmatch(r"shoal [\w.+!-]{1,60}", x, re.ASCII) is not None,
    "guarantee": lambda x: isinstance(x, str),
    "attacker": lambda x: isinstance(x, str),
    "against": lambda x: x in ("numbers", "graph"),
    "move": lambda x: x is None or _is_move(x),
    "totals": lambda x: x is None or _are_totals(x),
    "k": _is_whole,
    "people_by_k": _are_levels,
    "horizon": lambda x: x is None or _is_text(x),
    "n_blocks": _is_whole,
    "method": lambda x: x in METHODS,
    "n_nodes": _is_whole,
    "n_slices": _is_whole,
    "directed": lambda x: isinstance(x, bool),
    "ordered": lambda x: isinstance(x, bool),
    "ids": lambda x: x in ("pseudonyms", "original"),
    "min_class_size": _is_whole,
    "n_classes": _is_whole,
    "limits": lambda x: x is None or _is_text(x),
    "rounding": _is_text,
    "cost.l1": _is_whole,
    "cost.normalised": _is_number,
    "cost.lower_bound": _is_whole,
    "cost.at_most_times_optimum": _is_ratio,
    "edges.original": _is_whole,
    "edges.released": _is_whole,
    "edges.added": _is_whole,
    "edges.removed": _is_whole,
    "edges.kept": _is_whole,
    "edges.kept_share": _is_number,
    "sha256": lambda x: isinstance(x, dict),
}
_DRAWN = ((), ("protected",), ("carried",))
# There only where a release has more than edges.
_OPTIONAL: dict[str, Callable[[Any], bool]] = {
    "contacts": lambda x: (
        any(_has(x, "kind", "released", *how) and all(x[one] is True for one in how) for how in _DRAWN)
        and x["kind"] in ("times", "counts")
        and _is_whole(x["released"])
    ),
    "attributes": lambda x: _has(x, "columns", "starred") and _are_names(x["columns"]) and _is_whole(x["starred"]),
    "sensitive": lambda x: (
        _has(x, "column", "diverse", "withheld")
        and _are_names([x["column"]])
        and _is_whole(x["diverse"])
        and x["diverse"] > 0
        and _is_whole(x["withheld"])
    ),
    "left_out": lambda x: (
        _has(x, "how", "people") and x["how"] in ("withheld", "exempt") and _is_whole(x["people"]) and x["people"] > 0
    ),
}


def _has(value: Any, *fields: str) -> bool:
    return isinstance(value, dict) and value.keys() == set(fields)


def _are_names(value: Any) -> bool:
    """Names of columns, each once, and none that is taken."""
    return (
        isinstance(value, list)
        and 0 < len(value) == len(set(map(str, value)))
        and all(_is_text(name) and name != "node" for name in value)
    )


def check_certificate(claims: dict[str, Any]) -> list[Check]:
    """The certificate alone: its fields and no others, coarse where it speaks of the original, in agreement with itself."""
    name = "the certificate has the fields of a release and no others"
    if claims.get("format") == 1:
        old = "format 1 tells exact numbers about the original: made by an older version; make it again"
        return [Check(name, False, old)]
    flat: dict[str, Any] = {}
    for field, value in claims.items():
        nested = field in ("cost", "edges") and isinstance(value, dict)
        flat |= {f"{field}.{inner}": x for inner, x in value.items()} if nested else {field: value}
    wrong = [
        f"{ascii(field)[1:41]} does not belong" for field in sorted(flat.keys() - _FORMS.keys() - _OPTIONAL.keys())
    ]
    wrong += [f"{field} is missing" for field in _FORMS if field not in flat]
    forms = _FORMS | _OPTIONAL | (dict.fromkeys(UNTOLD, lambda x: x is None) if flat.get("against") == "graph" else {})
    odd = [field for field, form in forms.items() if field in flat and not form(flat[field])]
    wrong += [f"{field} is not what it should be" for field in odd]
    fields = Check(name, not wrong, "; ".join(wrong) or f"format {FORMAT}, {len(_FORMS)} fields")
    return [fields] if wrong else [fields, _check_coarse(claims), _check_agreement(claims)]


def _check_coarse(claims: dict[str, Any]) -> Check:
    cost, edges = claims["cost"], claims["edges"]
    about = {"l1": cost["l1"], "lower_bound": cost["lower_bound"], "added": edges["added"], "removed": edges["removed"]}
    if claims["against"] == "graph":
        about = {"original": edges["original"]}
    costs = {name for name in ("l1", "lower_bound") if 0 < about.get(name, 0) < 100}  # told from 100 on
    fine = [f"{name} is {count:,}" for name, count in about.items() if count % _step(count) or name in costs]
    return Check("numbers about the original are coarse", not fine, "; ".join(fine) or "tens, or two digits")


def _step(count: int) -> int:
    """What the grid of coarse numbers is made of: tens below 100, fifties below 1,000, five hundreds below 10,000, ..."""
    return 10 if count < 100 else 5 * 10 ** (len(str(count)) - 2)


def _check_agreement(claims: dict[str, Any]) -> Check:
    """Whatever follows from other claims is what follows from them."""
    edges, cost, by_k = claims["edges"], claims["cost"], claims["people_by_k"]
    n, kept, original = claims["n_nodes"], edges["kept"], edges["original"]
    pairs = max(claims["n_slices"] * n * (n - 1), 1)
    moved = claims["against"] == "graph"
    sums = (
        {}
        if moved
        else {
            "edges.added": edges["added"] <= edges["released"],
            "edges.kept": kept == edges["released"] - edges["added"],
            "edges.original": original == kept + edges["removed"],
            "edges.kept_share": edges["kept_share"] == (20 * kept // original / 20 if original else 1),
            "cost.lower_bound": cost["lower_bound"] <= cost["l1"],
            "cost.normalised": cost["normalised"] == cost["l1"] / pairs,
        }
    )
    follows = sums | {
        "people_by_k": sum(by_k.values()) == n,
        "k": claims["k"] == max(map(int, by_k), default=1),
        "horizon": claims["n_blocks"] == 1 or (claims["horizon"] is not None and claims["ordered"]),
        "move": (claims["move"] is not None) is moved,
        "totals": (claims["totals"] is not None) is moved,
        "contacts": "carried" not in claims.get("contacts", {}) or claims["move"] == "tie",
        "left_out": _left_out_fits(claims),
        "guarantee": claims["guarantee"] == guarantee_of(claims),
        "attacker": claims["attacker"] == attacker_of(claims),
    }
    wrong = [name for name, holds in follows.items() if not holds]
    detail = f"does not follow from the rest: {', '.join(wrong)}" if wrong else "levels, words and sums"
    return Check("the certificate agrees with itself", not wrong, detail)


def _left_out_fits(claims: dict[str, Any]) -> bool:
    """Who is exempt is there with level 1, beside others who are protected; who is withheld is not there."""
    said, by_k = claims.get("left_out"), claims["people_by_k"]
    if said is None:
        return True
    if said["how"] == "exempt":
        return by_k.get("1") == said["people"] and len(by_k) == 2 and claims["limits"] is not None
    return len(by_k) == 1 and claims["k"] > 1


def is_withheld(claims: dict[str, Any]) -> bool:
    """Whether a release says that people of the original are not in it."""
    said = claims.get("left_out")
    return isinstance(said, dict) and said.get("how") == "withheld"


def check_counts(claims: dict[str, Any], found: Counted) -> list[Check]:
    """What can be counted is what is claimed."""
    counted = {
        "n_nodes": (claims["n_nodes"], found.n_nodes),
        "n_slices": (claims["n_slices"], found.n_slices),
        "n_blocks": (claims["n_blocks"], found.n_blocks),
        "edges.released": (claims["edges"].get("released"), found.released),
        "min_class_size": (claims["min_class_size"], found.min_class_size),
        "n_classes": (claims.get("n_classes"), found.n_classes),
    }
    wrong = [f"{name} is {n:,}, not {ascii(said)[:40]}" for name, (said, n) in counted.items() if said != n]
    if _tells_order(found) and claims.get("ordered") is not found.has_start:
        wrong.append(f"slices {'have' if found.has_start else 'have no'} beginnings, and ordered says otherwise")
    # An extension never gives out a number again, so that of a release nobody has any more may be missing.
    gaps = found.with_gaps and claims.get("method") == "extend"
    named = claims.get("ids") != "pseudonyms" or found.numbered or gaps
    called = "numbers from 1, in order" if found.numbered else "numbers with gaps" if gaps else "names of their own"
    return [
        Check("the certificate counts right", not wrong, "; ".join(wrong) or "people, slices, edges, crowds"),
        Check("people are called as the certificate says", named, called),
    ]


def _tells_order(found: Counted) -> bool:
    return found.has_start or found.has_layer


def not_checked(claims: dict[str, Any], found: Counted | None) -> tuple[str, ...]:
    """Claims that nothing in the folder proves."""
    names = [*UNPROVEN, *(("edges.original",) if claims.get("against") == "graph" else ())]
    told = claims.get("contacts")
    names += ["contacts.carried"] if isinstance(told, dict) and "carried" in told else []
    if claims.get("ids") != "pseudonyms" or (found is not None and not found.numbered):
        names.append("ids")
    if found is None or not _tells_order(found):
        names.append("ordered")
    if is_withheld(claims):
        names.append("left_out")
    return (*names, *(file for file in ("report.html", "report.json") if file in claims["sha256"]))
