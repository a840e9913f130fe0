"""Stage 2, realize: make each slice's degrees a sequence that some simple graph has, moving whole groups."""

from shoal.realize.enforce import enforce_realizability, fix_parity, realize_slice
from shoal.realize.erdos_gallai import is_graphical, satisfies_erdos_gallai
from shoal.realize.program import nearest_realizable

__all__ = [
    "enforce_realizability",
    "fix_parity",
    "is_graphical",
    "nearest_realizable",
    "realize_slice",
    "satisfies_erdos_gallai",
]
