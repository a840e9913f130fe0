"""What a release still says: every slice beside its original, and the two graphs as a whole.

| module | measures |
|---|---|
| `pagerank` | cosine similarity of the PageRank vectors, the paper's measure |
| `degrees` | distance of the degree distributions, assortativity, overlap of the hubs |
| `structure` | clustering, transitivity, components |
| `temporal` | from slice to slice: Clauset & Eagle's correlation, pairs that meet again, triangles that close, groups that last |
| `ties` | pairs over all slices: how many, in how many slices, gaps, burstiness |
| `spread` | reach along time, outbreaks |
| `communities` | agreement of the Louvain communities, and the mixing between them |
"""

from shoal.measure.compare import compare
from shoal.measure.comparison import Comparison
from shoal.measure.describe import ABOUT_PAIRS, MEASURES, Measure

__all__ = ["ABOUT_PAIRS", "MEASURES", "Comparison", "Measure", "compare"]
