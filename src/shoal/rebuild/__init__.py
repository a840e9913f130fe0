"""Stage 3, rebuild: a simple graph with exactly the wanted degrees that shares many edges with the original slice."""

from shoal.rebuild.priority import priority

__all__ = ["priority"]
