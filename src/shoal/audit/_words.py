"""What a release with these claims says it promises, in words that `verify` puts together by itself."""

from __future__ import annotations

from typing import Any

_CARRIED = (
    " A tie took its contacts along: whoever knows some contacts of a tie may recognise it and read off the others."
)


def attacker_of(claims: dict[str, Any]) -> str:
    """Against whom a release with these claims protects."""
    knows = f"knows the degree{' and the count of contacts' * _protected(claims)} of a person in every slice"
    knows += "" if claims["n_blocks"] == 1 else " of any one block of the calendar"
    knows += f", and their {_listed(claims)}" if "attributes" in claims else ""
    return f"{knows}, or holds contacts with names" if claims.get("against") == "graph" and claims["k"] > 1 else knows


def _protected(claims: dict[str, Any]) -> bool:
    return isinstance(claims.get("contacts"), dict) and "protected" in claims["contacts"]


def _listed(claims: dict[str, Any]) -> str:
    """The attributes of a release, as one says them."""
    *names, last = claims["attributes"]["columns"]
    return f"{', '.join(names)} and {last}" if names else str(last)


def guarantee_of(claims: dict[str, Any]) -> str:
    """The sentences that a release with these claims may say, and no others."""
    k, n_blocks, horizon = claims["k"], claims["n_blocks"], str(claims["horizon"])
    people = {int(level): count for level, count in claims["people_by_k"].items()}
    if k == 1:
        return "k is 1: nobody is protected by this release."
    also = f"{_listed(claims)} and " if "attributes" in claims else ""
    numbers = "numbers of edges and of contacts" if _protected(claims) else "number of edges"
    of = f" and the {_listed(claims)} of somebody" if also else " of somebody"
    slices, known, beyond = "in every slice", f"all these numbers{of}", ""
    if n_blocks > 1:
        length = horizon + " slices" * horizon.isdigit()
        slices += f" of a block of the calendar (a horizon of {length}, {n_blocks:,} blocks)"
        known = f"these numbers{of} for any one block"
        beyond = " Somebody who knows numbers from several blocks may find people: this release does not protect against that."
    count, way = _left(claims)
    who = f" {count:,} {'person was' if count == 1 else 'people were'} left out and {way}: "
    if way == "withheld":
        beyond += f"{who}neither they nor their edges are in this release."
    if claims.get("against") == "graph":
        beyond += _moved_of(str(claims["move"])) + _CARRIED * ("carried" in claims.get("contacts", ()))
    whoever = f"Whoever knows {known}, and nothing else, is left with"
    if len(people) == 1:
        others = "1 other person" if k == 2 else f"{k - 1} other people"
        return (
            f"Everybody in this release has the same {also}{'the same ' if also else ''}{numbers} {slices} as at least "
            f"{others}. "
            f"{whoever} at least {k} candidates.{beyond}"
        )
    shares = ", ".join(
        f"{people[level]:,} of {claims['n_nodes']:,} people with at least {level - 1} others"
        for level in sorted(people)
        if level > 1
    )
    alone = f" The other {people[1]:,} asked for no protection and have none." if 1 in people else ""
    if way == "exempt":
        alone = f"{who}they are in this release as they were, and are not protected."
    return (
        f"People in this release share their {also}{numbers} {slices}: {shares}. "
        f"{whoever} as many candidates as that person's level.{alone}{beyond}"
    )


def _left(claims: dict[str, Any]) -> tuple[int, str | None]:
    """How many people a budget left out of the promise, and what became of them."""
    said = claims.get("left_out")
    return (said["people"], said["how"]) if said else (0, None)


def _moved_of(move: str) -> str:
    """The sentences about contacts that changed hands."""
    when = "in every slice" if move == "slice" else f"every {move}"
    when = "once for all slices" if move == "tie" else f"anew {when}"
    return (
        f" Beside that, contacts changed hands inside groups, {when}: two originals that differ only in which member of a "
        "group has which contacts with which other group, and that agree in the groups and in the totals of this "
        "certificate, give this release with the same probability. Contacts of particular people are not to be read from it."
    )
