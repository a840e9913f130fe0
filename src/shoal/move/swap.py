"""One slice whose edges all swap ends, near to a few numbers."""

from __future__ import annotations

import numpy as np

from shoal.realize.view import SliceView
from shoal.rebuild import _retie_kernels as kernels
from shoal.rebuild import retie

ALL = 1 << 60  # edits that may be spent


class Swaps:
    """A slice on its way: `repeats` is what its edges add to the correlation with the slice before and after."""

    def __init__(
        self, view: SliceView, edges: np.ndarray, elsewhere: retie.Elsewhere, kind: np.ndarray | None = None
    ) -> None:
        self.view = view
        self.around = retie.around(view, edges, elsewhere, kind)
        self.ties = retie.begin(view, edges, ALL)
        self.have = np.zeros((retie.FEATURES, kernels.BUCKETS))
        self.repeats = np.zeros(2)
        none = np.zeros(retie.FEATURES)
        self._aim = kernels.Aim(self.have.copy(), none.astype(np.int64), none, np.zeros(2), np.zeros(2), all_count=True)
        kernels.start_ties(view.n_nodes, self.around, self._aim, self.have, self.repeats, self.ties)

    def aim(self, feature: int, lowest: float) -> None:
        """So many edges should be in the lowest bucket of a feature. To be called once for a feature."""
        self._aim.most[feature], self._aim.weight[feature], self._aim.wanted[feature, 0] = 1, 1, lowest
        edges = len(self.view.keys)
        self.have[feature, 0] = np.count_nonzero(self.ties.seen[:edges, feature] == 0)

    def aim_correlation(self, side: int, wanted: float, worth: float) -> None:
        """The edges should add so much to the correlation with the slice before (0) or after (1)."""
        self._aim.repeats[side], self._aim.worth[side] = wanted, worth

    def run(self, steps: int, rng: np.random.Generator) -> np.ndarray:
        """The edges after so many proposals."""
        kernels.retie(steps, self.view.n_nodes, 0.0, self.around, self._aim, self.have, self.repeats, self.ties, rng)
        current = self.ties.current
        return self.view.as_edges(np.sort(current.items[: current.counts[0]]))
