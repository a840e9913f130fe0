"""People whom a budget did not reach: left out of the release, or left as they were in it."""

from __future__ import annotations

from typing import Any, NamedTuple

from shoal.common.words import plural

WITHHELD, EXEMPT = "withheld", "exempt"
LEFT_OUT = (WITHHELD, EXEMPT)


class LeftOut(NamedTuple):
    """Who was left out, and how: `withheld` with all their edges, so that `edges` are gone, or `exempt` and unprotected.

    `digest` is that of the graph with everybody, by which another release of the same data is noticed.
    """

    how: str
    people: tuple[Any, ...]
    edges: int
    digest: bytes

    @property
    def withheld(self) -> bool:
        """Whether they are not in the release at all."""
        return self.how == WITHHELD

    def in_words(self) -> str:
        """A sentence that names nobody; how many edges are gone is told to whoever holds the original alone."""
        who = plural(len(self.people), "person was", "people were")
        if self.withheld:
            return f"{who} left out and withheld: neither they nor their edges are in this release."
        return f"{who} left out and exempt: they are in this release as they were, and are not protected."
