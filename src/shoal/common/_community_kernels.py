"""One pass after the other of Louvain's method, the part of it that takes most of the time."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit

TWO, NOTHING = np.float32(2), np.float32(0)


@njit
def optimize(
    starts: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    loops: np.ndarray,
    shares: np.ndarray,
    least: float,
    label: np.ndarray,
) -> float:
    """Move nodes to the community of a neighbour where that raises modularity most, until a pass gains no more than `least`.

    Node v has the neighbours heads[starts[v] : starts[v + 1]] with these weights, the weight `loops[v]` to itself and the share
    `shares[v]` of all weights. Writes everybody's `label` and gives what was gained. Among equals the lowest label wins. All is
    added up in 32 bits, in the order of scikit-network's loop, so that the communities are the same.
    """
    n, enough = len(label), np.float32(least)
    held, towards, met = shares.copy(), np.zeros(n, np.float32), np.empty(n, np.int64)
    gained = NOTHING
    while True:
        in_pass = NOTHING
        for v in range(n):
            own, count = label[v], 0
            for j in range(starts[v], starts[v + 1]):
                other = label[heads[j]]
                if towards[other] == NOTHING and other != own:
                    met[count] = other
                    count += 1
                towards[other] += weights[j]
            if count > 0:
                share = shares[v]
                stays = TWO * (towards[own] - loops[v])
                stays -= share * (held[own] - share)
                stays -= share * (held[own] - share)
                best, most = own, NOTHING
                for i in range(count):
                    other = met[i]
                    gain = TWO * towards[other]
                    gain -= share * held[other]
                    gain -= share * held[other]
                    gain -= stays
                    if gain > most or (gain == most and most > NOTHING and other < best):
                        best, most = other, gain
                    towards[other] = NOTHING
                if best != own:
                    in_pass += most
                    label[v] = best
                    held[own] -= share
                    held[best] += share
            towards[own] = NOTHING
        gained += in_pass
        if in_pass <= enough:
            return float(gained)
