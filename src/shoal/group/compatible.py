"""Groups whose members can all come to have the same degrees, where limits say how far each person can go.

Stage 1 groups by distance alone. Under limits somebody may have to keep more edges than somebody else of the group can ever
have; such groups are taken apart here, and their members join the nearest groups they fit into.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.errors import NoReleaseError

COUNTED = 1_000  # people who are looked at one by one before a refusal, so that it stays quick


def make_compatible(
    labels: np.ndarray,
    rows: np.ndarray,
    needs: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
    name: Callable[[int], str],
) -> np.ndarray:
    """Groups in which nobody must keep more than another can have, in any column; as large as `needs` asks for.

    Parameters
    ----------
    labels
        (n,) the groups to begin with, large enough for everybody in them.
    rows, least, most
        (n, columns) degrees now, and the lowest and highest everybody can be given.
    needs
        (n,) how many people must look like each.
    name
        What to call a person for whom no crowd is left.

    Examples
    --------
    >>> rows, needs = np.array([[3], [1], [3], [1]]), np.full(4, 2)
    >>> least, most = np.array([[3], [0], [0], [0]]), np.array([[9], [1], [9], [9]])
    >>> make_compatible(np.array([0, 0, 1, 1]), rows, needs, least, most, str).tolist()
    [0, 1, 0, 1]
    """
    groups = [np.flatnonzero(labels == g).tolist() for g in range(int(labels.max(initial=-1)) + 1)]
    good = [g for g in groups if _compatible(g, least, most)]
    if len(good) == len(groups):
        return labels
    loose = [i for g in groups if not _compatible(g, least, most) for i in g]
    made, alone = _regroup(loose, good, rows, needs, least, most)
    if alone is not None:  # the groups that were fine stand in the way
        made, alone = _regroup(list(range(len(labels))), [], rows, needs, least, most)
    if alone is not None:
        raise _refusal(alone, needs, least, most, name)
    result = np.empty(len(labels), np.int32)
    for number, members in enumerate(sorted(made, key=min)):
        result[members] = number
    return result


def _refusal(
    alone: int, needs: np.ndarray, least: np.ndarray, most: np.ndarray, name: Callable[[int], str]
) -> NoReleaseError:
    """Why there are no groups: somebody whom too few can ever look like, or else the one for whom none was found."""
    for i in (alone, *np.argsort(-needs, kind="stable")[:COUNTED].tolist()):
        like = int(((least[i] <= most) & (least <= most[i])).all(axis=1).sum())
        if like < needs[i]:
            return NoReleaseError(
                f"{name(i)} cannot be hidden: under these limits only {like} of all people can come to look the "
                f"same, and {needs[i]} are needed",
                proven=True,
            )
    return NoReleaseError(
        f"no crowd was found for {name(alone)}: under these limits few others can come to look the same"
    )


def _regroup(
    loose: list[int], good: list[list[int]], rows: np.ndarray, needs: np.ndarray, least: np.ndarray, most: np.ndarray
) -> tuple[list[list[int]], int | None]:
    """Place the loose in new groups, then in the nearest ones they fit into; and somebody for whom there was none."""
    made = [list(members) for members in good]
    loose = sorted(loose, key=lambda i: (-needs[i], i))
    for i in _found(loose, made, rows, needs, least, most):
        fits = [m for m in made if len(m) + 1 >= needs[i] and _compatible([*m, i], least, most)]
        if fits:
            min(fits, key=lambda m: int(np.abs(rows[m[0]] - rows[i]).sum())).append(i)
        elif needs[i] <= 1:
            made.append([i])
        else:
            return made, i
    return made, None


def _compatible(members: list[int], least: np.ndarray, most: np.ndarray) -> bool:
    return bool((least[members].max(axis=0) <= most[members].min(axis=0)).all())


def _found(
    loose: list[int], good: list[list[int]], rows: np.ndarray, needs: np.ndarray, least: np.ndarray, most: np.ndarray
) -> list[int]:
    """Let those who need most gather the nearest of the loose they fit with; add what is formed, return who is left."""
    left: list[int] = []
    free = list(loose)
    while free:
        i = free.pop(0)
        members = [i]
        for j in sorted(free, key=lambda j: int(np.abs(rows[i] - rows[j]).sum())):
            if len(members) >= needs[i]:
                break
            if _compatible([*members, j], least, most):
                members.append(j)
        if len(members) >= max(needs[i], 2):
            good.append(members)
            free = [j for j in free if j not in members]
        else:
            left.append(i)
    return left
