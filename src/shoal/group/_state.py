"""The state of the search: who is in which group, and every group's sorted columns.

Everybody is in a group or alone (label -1), which costs nothing and is open to people of level 1 only. A group keeps the
degrees of its members sorted in every slice, so its medians, or its largest degrees, stand in fixed rows, and what a move
costs is read from two or three rows and never from the members.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FAR = 1 << 60  # what cannot be costs this much
NOBODY: int = np.int64(-1)  # type: ignore[assignment]  # of 64 bits, like everything it is compared with
PERSON = np.dtype([(name, np.int64) for name in ("k", "exempt", "crowd", "label", "slot", "zone")])
GROUP = np.dtype([(name, np.int64) for name in ("first", "room", "count", "top", "n_top", "exempt")])


class State(NamedTuple):
    """What the kernels work on: few arrays, since every call hands them on.

    ``people`` (of `PERSON`) says whose k is what, who is exempt, in which crowd they stand (that of their row), their group
    (-1: alone), where among its members, and their zone: the part of all people that one thread works on. They are sorted
    by crowd; crowd c begins at ``start[c]``, its nearest crowds are ``near[c]``, itself first, and ``heat[c]`` is the scale
    of its moves.

    ``groups`` (of `GROUP`): the group's own rows of ``columns`` and ``members`` are those from ``first``, ``room`` in all,
    ``count`` of them in use; ``top`` is the largest k of its members, ``n_top`` how many have it, ``exempt`` how many
    are exempt. ``columns[first : first + count, t]`` are their degrees in slice t, ascending.

    Where edges may only be added, a group takes its largest degrees (``one_sided``); where they may only be removed, the
    same holds with all degrees negated. A group with an exempt member takes that member's row.
    """

    people: np.ndarray
    groups: np.ndarray
    degrees: np.ndarray
    columns: np.ndarray
    members: np.ndarray
    start: np.ndarray
    near: np.ndarray
    heat: np.ndarray
    one_sided: bool
