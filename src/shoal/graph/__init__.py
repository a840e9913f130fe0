"""TemporalGraph: a fixed set of people and, for every time bin or layer, a simple graph on them."""

from shoal.graph.slices import Slice, Tally
from shoal.graph.temporal import TemporalGraph

__all__ = ["Slice", "Tally", "TemporalGraph"]
