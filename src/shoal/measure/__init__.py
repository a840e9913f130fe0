"""What a release still says: every slice beside its original, and the two graphs as a whole.

| module | measures |
|---|---|
| `pagerank` | cosine similarity of the PageRank vectors, the paper's measure |
| `degrees` | distance of the degree distributions, assortativity, overlap of the hubs |
| `structure` | clustering, transitivity, components |
| `temporal` | Clauset & Eagle's adjacency correlation of successive slices |
| `communities` | agreement of the Louvain communities |
"""

from shoal.measure.compare import compare
from shoal.measure.comparison import Comparison
from shoal.measure.describe import MEASURES, Measure

__all__ = ["MEASURES", "Comparison", "Measure", "compare"]
