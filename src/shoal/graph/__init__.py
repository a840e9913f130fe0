"""TemporalGraph: a fixed set of people and, for every time bin or layer, a simple graph on them."""

from shoal.graph.temporal import Cut, Slice, Tally, TemporalGraph

__all__ = ["Cut", "Slice", "Tally", "TemporalGraph"]
