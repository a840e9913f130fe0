"""Stage 3, rebuild: a simple graph with exactly the wanted degrees that shares many edges with the original slice."""

from shoal.rebuild.classes import rewire_single
from shoal.rebuild.priority import priority
from shoal.rebuild.rewire import rewire

__all__ = ["priority", "rewire", "rewire_single"]
