"""The certificate: what is promised, what it cost, and hashes of the files it speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import shoal
from shoal.common.words import in_words
from shoal.contacts.behind import CLAIMS
from shoal.demands.left_out import LeftOut
from shoal.demands.promise import Promise
from shoal.files.appear import sha256
from shoal.published.coarse import WEAKEST_BOUND
from shoal.release import Release, normalised_cost, times_optimum


def guarantee_in_words(promise: Promise, left_out: LeftOut | None = None) -> str:
    """The promise, as sentences that say no more than what holds; with those who were left out, where there are any."""
    k, own = promise.k, "numbers of edges and of contacts" if promise.contacts else "number of edges"
    share = f"the same {own}"
    if k == 1:
        return "k is 1: nobody is protected by this release."
    others = f"at least {k - 1} other {'person' if k == 2 else 'people'}"
    if promise.n_blocks > 1:
        stretch = (
            f"in every slice of a block of the calendar (a horizon of {_stretch(promise)}, {promise.n_blocks:,} blocks)"
        )
        knows = "Whoever knows these numbers of somebody for any one block, and nothing else,"
        limit = " Somebody who knows numbers from several blocks may find people: this release does not protect against that."
    else:
        stretch, knows, limit = "in every slice", "Whoever knows all these numbers of somebody, and nothing else,", ""
    if left_out is not None and left_out.withheld:
        limit += f" {left_out.in_words()}"
    if promise.attributes:
        listed = in_words(promise.attributes)
        share, own = f"the same {listed} and {share}", f"{listed} and {own}"
        knows = knows.replace("these numbers of somebody", f"these numbers and the {listed} of somebody")
    if promise.for_everybody:
        return (
            f"Everybody in this release has {share} {stretch} as {others}. {knows} is left with at least "
            f"{k} candidates.{limit}"
        )
    levels = promise.people_by_level()
    counts = [f"{count:,} of {len(promise.levels):,} people with at least {level - 1} others"
              for level, count in levels.items() if level > 1]  # fmt: skip
    unprotected = f" The other {levels[1]:,} asked for no protection and have none." if 1 in levels else ""
    if left_out is not None and not left_out.withheld:
        unprotected = f" {left_out.in_words()}"
    return (
        f"People in this release share their {own} {stretch}: {', '.join(counts)}. {knows} is left with as many "
        f"candidates as that person's level.{unprotected}{limit}"
    )


def _stretch(promise: Promise) -> str:
    horizon = str(promise.horizon)
    return f"{horizon} slices" if horizon.isdigit() else horizon


# What is disclosed where a tie takes its contacts along.
CARRIED = (
    " A tie took its contacts along: whoever knows some contacts of a tie may recognise it and read off the others."
)


def moved_in_words(release: Release) -> str:
    """What is promised beside the numbers where ties changed hands, and what is disclosed where contacts went with them."""
    if release.moved is None or release.k == 1:
        return ""
    move, contacts = release.moved.move, release.graph.contacts
    carried = contacts is not None and contacts.drawn == "carried"
    often = {"slice": "anew in every slice", "tie": "once for all slices"}.get(move, f"anew every {move}")
    return (
        f" Beside that, contacts changed hands inside groups, {often}: two originals that differ only in which member of a group "
        "has which contacts with which other group, and that agree in the groups and in the totals of this certificate, give this "
        "release with the same probability. Contacts of particular people are not to be read from it."
        + CARRIED
        * carried
    )


def _more(release: Release) -> dict[str, Any]:
    """What a certificate says where a release has more than edges."""
    contacts, traits, found = release.graph.contacts, release.traits, dict[str, Any]()
    if contacts is not None:
        how = {CLAIMS[contacts.drawn]: True} if contacts.drawn in CLAIMS else {}
        found["contacts"] = {"kind": contacts.kind, "released": sum(contacts.totals())} | how
    if traits is not None and traits.attributes:
        found["attributes"] = {"columns": list(traits.attributes), "starred": traits.starred}
    if traits is not None and traits.sensitive is not None:
        told = {"column": traits.sensitive, "diverse": traits.diverse, "withheld": traits.withheld}
        found["sensitive"] = told
    if release.left_out is not None:
        found["left_out"] = {"how": release.left_out.how, "people": len(release.left_out.people)}
    return found


def certificate(release: Release, folder: Path, *, keep_ids: bool) -> dict[str, Any]:
    """The certificate of a release whose files lie in the folder: aggregates only, no original id, no edge, no seed.

    It has exact numbers, for the maker; `published` makes of it what goes into the folder. Files in folders below are named with
    their path.
    """
    graph, promise, edges, moved = release.graph, release.promise, release.edges, release.moved
    l1, bound = release.cost_l1, release.bound
    times, hidden = times_optimum(l1, bound), moved is not None and promise.k > 1
    return {
        "format": 2,
        "made_by": f"shoal {shoal.__version__}",
        "guarantee": guarantee_in_words(promise, release.left_out) + moved_in_words(release),
        "attacker": f"knows the {'degree and the count of contacts' if promise.contacts else 'degree'} of a person in every slice"
        + (" of any one block of the calendar" if promise.n_blocks > 1 else "")
        + (f", and their {in_words(promise.attributes)}" if promise.attributes else "")
        + (", or holds contacts with names" if hidden else ""),
        "against": "numbers" if moved is None else "graph",
        "move": None if moved is None else moved.move,
        "totals": None if moved is None else moved.totals.to_dict(),
        "limits": None if release.limits is None else release.limits.in_words(),
        **_more(release),
        "rounding": None,
        "k": promise.k,
        "people_by_k": {str(level): count for level, count in promise.people_by_level().items()},
        "horizon": promise.horizon,
        "n_blocks": promise.n_blocks,
        "method": release.method,
        "n_nodes": graph.n_nodes,
        "n_slices": graph.n_slices,
        "directed": graph.directed,
        "ordered": graph.ordered,
        "ids": "original" if keep_ids else "pseudonyms",
        "min_class_size": release.min_class_size,
        "n_classes": release.n_classes,
        "cost": {
            "l1": l1,
            "normalised": normalised_cost(l1, graph.n_nodes, graph.n_slices),
            "lower_bound": bound,
            "at_most_times_optimum": None if times is None or times > WEAKEST_BOUND else times,
        },
        "edges": {
            "original": edges.original,
            "released": edges.released,
            "added": edges.added,
            "removed": edges.removed,
            "kept": edges.kept,
            "kept_share": edges.kept_share,
        },
        "sha256": {
            file.relative_to(folder).as_posix(): sha256(file) for file in sorted(folder.rglob("*")) if file.is_file()
        },
    }
