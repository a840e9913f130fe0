"""Stage 3, rebuild: a simple graph with exactly the wanted degrees that shares many edges with the original slice."""

from shoal.rebuild.classes import rewire_single
from shoal.rebuild.priority import priority
from shoal.rebuild.priority_directed import priority_directed
from shoal.rebuild.rewire import rewire
from shoal.rebuild.rewire_directed import rewire_directed
from shoal.rebuild.within import rebuild_within

__all__ = ["priority", "priority_directed", "rebuild_within", "rewire", "rewire_directed", "rewire_single"]
