"""What an audit finds: the exposure to each attacker, and which of them are stopped, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.interop.tables import Tabular
from shoal.show import notebook

if TYPE_CHECKING:
    import altair

    from shoal.audit.learn import Learned

NOBODY = "Nobody is protected (k = 1)."


@dataclass(frozen=True)
class Exposure:
    """What one attacker achieves.

    `below_k` people are in a crowd below k, or below their own level. `covered` says whether the promise is about this
    attacker. Where an attacker may know different sets of slices, or people were sampled, numbers are means scaled to
    everybody, and `band` is the half-width of a 95 % interval around `unique`.
    """

    name: str
    description: str
    unique: float
    below_k: float
    smallest_crowd: int
    expected_success: float
    covered: bool
    sampled: bool = False
    band: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Audit(Tabular):
    """How exposed the people of a graph are, attacker by attacker.

    `audit(graph)["vector"]` is the exposure to the attacker of that name, and `attackers` lists all. `attribution` says how
    many people would stand alone without each slice or layer. `levels` counts the people who are judged by each level; `k`
    is the highest of them. `learned` is what attackers who hold a second graph take from a release, where they were asked for.
    """

    n_nodes: int
    k: int
    attackers: tuple[Exposure, ...]
    attribution: tuple[dict[str, Any], ...]
    levels: dict[int, int]
    learned: tuple[Learned, ...] = ()

    def __getitem__(self, name: str) -> Any:
        """The exposure to the attacker of that name, or what that attacker learned."""
        every: list[Any] = [*self.attackers, *self.learned]
        for found in every:
            if found.name == name:
                return found
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "n_nodes": self.n_nodes,
            "k": self.k,
            "people_by_k": {str(level): count for level, count in self.levels.items()},
            "attackers": [e.to_dict() for e in self.attackers] + [found.to_dict() for found in self.learned],
            "attribution": list(self.attribution),
        }

    def to_polars(self) -> pl.DataFrame:
        """One row per attacker: whom they find, how many are in a crowd below k, and so on."""
        return pl.DataFrame([exposure.to_dict() for exposure in self.attackers], infer_schema_length=None, strict=False)

    def plot(self) -> altair.Chart:
        """A chart of how many people each attacker finds."""
        from shoal.show.plots import people_found

        return people_found(self)

    @property
    def protected(self) -> int:
        """How many people are to be hidden at all: those of a level above 1."""
        return sum(count for level, count in self.levels.items() if level > 1)

    def in_words(self) -> list[str]:
        """Whom these crowds stop, and whom not; everybody is judged by their own level."""
        if not self.protected:
            found = [(e, f"finds {e.unique:,.0f} of {self.n_nodes:,} people") for e in self.attackers]
            return [NOBODY, *(f"NOT stopped: whoever {e.description} ({what})." for e, what in found)]
        covered = [e for e in self.attackers if e.covered]
        held = covered if covered and all(e.below_k == 0 for e in covered) else []
        words = self._promised(held) if held else []
        for e in self.attackers:
            if e.below_k > 0:
                words.append(f"NOT stopped: whoever {e.description} ({self._finds(e)}).")
            elif e not in held:
                beyond = "" if e.covered else " here, though the promise is not about it"
                words.append(f"Stopped{beyond}: whoever {e.description}.")
        return words

    def _promised(self, held: list[Exposure]) -> list[str]:
        """What holds against the attackers of the promise, and for whom."""
        which = "of all slices or of some, exactly or roughly"
        if any(e.name == "one-block" for e in held):
            which = "within any one block of the calendar and not beyond it"
        if len(self.levels) == 1:
            left = f"at least {min(e.smallest_crowd for e in held):,} candidates"
        else:
            left = "at least as many candidates as that person's level"
        rest = self.n_nodes - self.protected
        whose = f", if the person is one of the {self.protected:,} who are protected" if rest else ""
        words = [f"Stopped: whoever knows numbers of edges per slice, {which}{whose}. They are left with {left}."]
        if rest:
            words.append(
                f"NOT protected: {rest:,} of {self.n_nodes:,} people, at level 1; "
                f"{held[0].unique:,.0f} of them can be singled out by these numbers."
            )
        return words

    def _finds(self, e: Exposure) -> str:
        """Whom an attacker finds, and who stands in too small a crowd."""
        below = f"a crowd below {self.k}" if len(self.levels) == 1 else "a crowd below their own level"
        return f"finds {e.unique:,.0f} of {self.n_nodes:,} people; {e.below_k:,.0f} are in {below}"

    def stronger_than(self, before: Audit) -> list[str]:
        """The attackers who find more people here than in `before`, or guess right more often: changes can set people apart."""
        words = []
        for e in self.attackers:
            was = next((other for other in before.attackers if other.name == e.name), None)
            if was is None:
                continue
            more = e.unique - was.unique > max(e.band, was.band)
            better = e.below_k > 0 and round(e.expected_success, 3) > round(was.expected_success, 3)
            if more or better:
                words.append(
                    f"{'STRONGER' if better else 'MORE found'} than before: whoever {e.description} "
                    f"(found {was.unique:,.0f} of {self.n_nodes:,} people in the original and finds {e.unique:,.0f} in the "
                    f"release; guesses right in {e.expected_success:.1%} of the cases instead of {was.expected_success:.1%})."
                )
        return words

    def what_is_learned(self) -> list[str]:
        """Who knows what, what they learn from the release, and what they would have known anyway: a line for each attacker."""
        return [found.in_words() for found in self.learned]

    def what_stands_out(self, most: int = 3) -> list[str]:
        """The slices, or layers, without which fewest people would stand alone."""
        alone = next((e.unique for e in self.attackers if e.name == "vector"), self.attackers[0].unique)
        helpful = sorted((row for row in self.attribution if row["unique"] < alone), key=lambda row: row["unique"])
        return [
            f"Without the {row['kind']} {row['without']}, {row['unique']:,} instead of {alone:,} people would stand alone."
            for row in helpful[:most]
        ]

    def rows(self) -> list[list[str]]:
        """Per attacker: what they know, whom they find, who is in a crowd below k, the smallest crowd, a guess that is right."""
        return [
            [
                exposure.description,
                f"{exposure.unique:,.0f}" + (f" ± {exposure.band:,.0f}" if exposure.sampled else ""),
                f"{exposure.below_k:,.0f}",
                f"{exposure.smallest_crowd:,}",
                f"{exposure.expected_success:.1%}",
            ]
            for exposure in self.attackers
        ]

    def heads(self) -> list[str]:
        """What stands above `rows`."""
        return [
            "somebody who",
            "finds",
            f"below {self.k}" if len(self.levels) == 1 else "below level",
            "smallest crowd",
            "guesses right",
        ]

    def _headline(self) -> str:
        if not self.attackers:
            return f"Audit({self.n_nodes:,} people, no attackers)"
        first = self.attackers[0]
        return f"Audit({first.unique:,.0f} of {self.n_nodes:,} people can be singled out by their {first.name})"

    def __repr__(self) -> str:
        names = ["", *(exposure.name for exposure in self.attackers)]
        lines = [[name, *row[1:]] for name, row in zip(names, [self.heads(), *self.rows()], strict=True)]
        wide = [max(len(line[i]) for line in lines) for i in range(5)]
        table = [
            f"{line[0]:<{wide[0]}}"
            + "".join(f"  {cell:>{width}}" for cell, width in zip(line[1:], wide[1:], strict=True))
            for line in lines
        ]
        return "\n".join([self._headline(), *table])

    def _repr_html_(self) -> str:
        """For notebooks: the attackers, and below them the slices that give people away."""
        without = [(row["kind"], row["without"], row["unique"]) for row in self.attribution]
        parts = notebook.table(["without the", "", "people stand alone"], without)
        return (
            notebook.paragraph(self._headline())
            + notebook.table(self.heads(), self.rows())
            + notebook.folded("what gives people away", parts)
        )
