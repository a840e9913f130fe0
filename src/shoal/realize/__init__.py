"""Stage 2, realize: make each slice's degrees a sequence that some simple graph has, moving whole groups."""

from shoal.realize.choose import choose_degrees, cover_surplus
from shoal.realize.choose_pairs import choose_pairs
from shoal.realize.enforce import enforce_realizability, fix_parity, realize_slice
from shoal.realize.enforce_pairs import realize_pairs
from shoal.realize.erdos_gallai import is_graphical, satisfies_erdos_gallai
from shoal.realize.fulkerson import is_digraphical
from shoal.realize.program import nearest_realizable

__all__ = [
    "choose_degrees",
    "choose_pairs",
    "cover_surplus",
    "enforce_realizability",
    "fix_parity",
    "is_digraphical",
    "is_graphical",
    "nearest_realizable",
    "realize_pairs",
    "realize_slice",
    "satisfies_erdos_gallai",
]
