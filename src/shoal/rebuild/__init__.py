"""Stage 3, rebuild: a simple graph with exactly the wanted degrees that shares many edges with the original slice."""

from shoal.rebuild.crowds import rewire_alone
from shoal.rebuild.priority import priority
from shoal.rebuild.rewire import rewire
from shoal.rebuild.within import rebuild_within

__all__ = ["priority", "rebuild_within", "rewire", "rewire_alone"]
