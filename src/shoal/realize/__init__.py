"""Stage 2, realize: make each slice's degrees a sequence that some simple graph has, moving whole groups."""

from shoal.realize.choose import choose_degrees, cover_surplus
from shoal.realize.degrees import Chosen
from shoal.realize.enforce import enforce_realizability, is_realizable, realize_slice
from shoal.realize.erdos_gallai import is_graphical, satisfies_erdos_gallai
from shoal.realize.fulkerson import is_digraphical
from shoal.realize.view import SliceLimits, SliceView

__all__ = [
    "Chosen",
    "SliceLimits",
    "SliceView",
    "choose_degrees",
    "cover_surplus",
    "enforce_realizability",
    "is_digraphical",
    "is_graphical",
    "is_realizable",
    "realize_slice",
    "satisfies_erdos_gallai",
]
