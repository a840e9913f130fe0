"""The report of a release: a page for people, and its numbers as JSON for programs.

It comes in two versions. The one in the folder says about the original only what `published.coarse` lets through; the private one
says everything, for whoever holds the original.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cached_property
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import shoal
from shoal.audit import Audit, audit
from shoal.audit.attackers import few_attackers
from shoal.common.progress import Progress
from shoal.demands.promise import Promise
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.measure import Comparison, compare
from shoal.published import coarse
from shoal.published.about import About
from shoal.published.certificate import guarantee_in_words, moved_in_words
from shoal.release import EdgeCounts, Release
from shoal.report import charts, over_time
from shoal.report.about import facts
from shoal.report.card import REFERENCES, TO_FILL, card, methods
from shoal.report.learned import learned_in_public, learned_section
from shoal.report.sample import looked_at
from shoal.report.summary import CLOSE, ROUGH, Claims, in_bins, strongest, uses, who_learns

NOTHING = About()
ATTACKED = (
    20_000  # people up to which a report tries the attacker who holds a second graph; `shoal audit` does it for more
)
DEFINITIONS = {
    "contact": "a line of the file that was read: two people, and when they had to do with each other",
    "edge": "two people who had at least one contact in a slice; it counts once, however many contacts there were",
    "neighbours": "the people somebody has an edge with",
    "slice": "a stretch of time, a layer such as a platform, or both together",
    "crowd": "all people who have the same number of edges in every slice, or in every slice of a block where there is a horizon",
    "to find somebody": "to be left with one candidate, who is that person; a guess picks one of the candidates by chance",
    "k": "the size of the smallest crowd that is promised",
}


def environment() -> Environment:
    """Templates with everything escaped, and a filter for large numbers."""
    pages = Environment(loader=PackageLoader("shoal.report", "."), autoescape=True, undefined=StrictUndefined)
    pages.filters["count"] = lambda number: "–" if number is None else f"{number:,.0f}"
    return pages


class Report:
    """Measures a release once, for both versions; each is given as HTML and as JSON text."""

    def __init__(
        self, release: Release, about: About = NOTHING, *, keep_ids: bool = False, attacked: bool = True
    ) -> None:
        self.release, self.about, self.keep_ids, self.attacked = release, about, keep_ids, attacked
        self.progress, self.looked = Progress(), looked_at(release)
        self._judged_by: dict[str, Any] = {
            "k": release.k if release.promise.for_everybody else release.promise.levels,  # one number is checked once
            "horizon": self.looked.horizon,
            "attackers": few_attackers(self.looked.graph),
        }

    def measure(self, progress: Progress) -> Report:
        """Do all the work that is told of, before anything is drawn."""
        self.progress = progress
        with progress.stage("judging", 2) as tell:
            for i, part in enumerate(("before", "after"), start=1):
                getattr(self, part)
                tell(i / 2)
        for part in ("comparison", "learned"):  # each tells its own progress
            getattr(self, part)
        return self

    @cached_property
    def before(self) -> Audit:
        """How exposed people are in the original, each judged by their own level."""
        return audit(self.looked.original, **self._judged_by)

    @cached_property
    def after(self) -> Audit:
        """How exposed people are in the release, also to somebody who knows the original's numbers."""
        return audit(self.looked.graph, **self._judged_by, original=self.looked.original)

    @cached_property
    def comparison(self) -> Comparison:
        """The original and the release, measured."""
        return compare(self.looked.original, self.looked.graph, progress=self.progress)

    @cached_property
    def learned(self) -> Audit | None:
        """What somebody learns who holds the first half of the original with names; None where that is not tried or not there."""
        from shoal.audit.learn import learn

        release = self.release
        if not self.attacked or release.graph.n_nodes > ATTACKED:
            return None
        try:
            found = learn(
                self.looked.graph, self.looked.original, k=release.k, attackers=["second-graph"], progress=self.progress
            )
        except InputError:  # one slice, or nobody has an edge in the known part
            return None
        return replace(self.after, learned=found)

    def private(self, warning: str | None = None, source: str | None = None) -> tuple[str, str]:
        """Everything there is to say, under the name of the source where there is no title.

        It names no person and no changed edge, and can be worked back to them.
        """
        release, stronger = self.release, self.after.stronger_than(self.before)
        lines = coarse.lines_of(release.original, release.edges.original, coarse=False)
        head = self._head(exact=True, lines=lines, title=self.about.title or source)
        first = self._first(head, self.comparison, self.after, release.edges, release.edges.kept_share, self._claims())
        numbers = {
            "about": head,
            **first,
            "warning": warning,
            "stopped": self.after.in_words(),
            "stronger": stronger,
            "limits": _limits(release),
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "comparison": self._shown(self.comparison).to_dict(),
            "learned": None if self.learned is None else [one.to_dict() for one in self.learned.learned],
        }
        both = release.graph.has_layers and release.graph.ordered
        html = _render(
            release,
            self.looked.graph,
            exact=True,
            warning=warning,
            learned=None if self.learned is None else learned_section(self.learned),
            head=head,
            **first,
            keep_ids=self.keep_ids,
            stronger=stronger,
            before=self.before,
            after=self.after,
            comparison=self._shown(self.comparison),
            edges=release.edges,
            kept_share=release.edges.kept_share,
            l1=release.cost_l1,
            alone=self.alone,
            slice_edges=release.slice_edges,
            axes=[(axis, self.comparison.by(axis).to_dicts()) for axis in ("layer", "time")] if both else [],
        )
        return html, json.dumps(numbers, indent=1) + "\n"

    def _head(self, *, exact: bool, lines: coarse.Lines | None, title: str | None) -> dict[str, Any]:
        found = facts(self.release, self.about, keep_ids=self.keep_ids, exact=exact, lines=lines)
        found |= {} if self.looked.sampled is None else {"measured on": self.looked.sampled}
        return {"title": title, "facts": found, "lines": None if lines is None else lines._asdict()}

    def _first(
        self, head: dict[str, Any], found: Comparison, after: Audit, edges: EdgeCounts, kept: float, claims: Claims
    ) -> dict[str, Any]:
        """What the first page and the data sheet say, from numbers as they may be told."""
        release, facts = self.release, head["facts"]
        withheld = release.left_out is not None and release.left_out.withheld
        among = " among the people in it" if withheld else ""
        stayed = f"About {100 * kept:.0f} % of the original edges{among} are in the release."
        return {
            "who_learns": who_learns(release, after, claims),
            "uses": uses(release, self._shown(found), edges)._asdict(),
            "card": card(release, found, facts, head["title"]),
            "methods": methods(release, facts, kept=None if release.moved is not None else stayed),
        }

    def _claims(self) -> Claims:
        """How much of what is claimed of new pairs by whoever holds a second graph is true, with the release and without it."""
        if self.learned is None:
            return None
        new = self.learned["second-graph"]["new_pairs"]
        return {"true": new["true"], "without": new["without"]["true"]}

    def _shown(self, comparison: Comparison) -> Comparison:
        """Without what became of single edges, where contacts changed hands."""
        return comparison if self.release.moved is None else comparison.without_pairs()

    @property
    def alone(self) -> int:
        """How many people of the original stand alone."""
        return _alone(self.release.promise, self.release.original)

    @cached_property
    def told(self) -> coarse.PublishedNumbers:
        """All that the folder says about the original, certificate and pictures included."""
        second = None if self.learned is None else self.learned["second-graph"]
        return coarse.published_numbers(self.release, self.comparison, self.alone, self.looked[:2], second)

    def public(self) -> tuple[str, str]:
        """What may be published: no id, no changed edge, no seed, and of the original coarse numbers."""
        release, told = self.release, self.told
        after = coarse.without_the_original(self.after)
        head = self._head(exact=False, lines=told.lines, title=self.about.title)
        kept = coarse.floor_share(told.edges.kept, told.edges.original)
        first = self._first(head, told.comparison, after, told.edges, kept, in_bins(told.learned))
        numbers = {
            "about": head,
            **first,
            "rounding": coarse.ROUNDING,
            "limits": _limits(release),
            "before": {"n_nodes": release.graph.n_nodes, "alone": told.alone},
            "after": after.to_dict(),
            "comparison": self._shown(told.comparison).to_dict(),
            **({} if told.learned is None else {"learned": told.learned}),
        }
        html = _render(
            release,
            self.looked.graph,
            exact=False,
            warning=None,
            learned=None if told.learned is None else learned_in_public(told.learned),
            head=head,
            **first,
            keep_ids=self.keep_ids,
            stronger=[],
            before=None,
            after=after,
            comparison=self._shown(told.comparison),
            edges=told.edges,
            kept_share=kept,
            l1=told.cost["l1"],
            alone=told.alone,
            slice_edges=told.slice_edges,
            axes=[],
        )
        return html, json.dumps(numbers, indent=1) + "\n"


def _render(release: Release, looked: TemporalGraph, *, exact: bool, **said: Any) -> str:
    """The page, whose pictures show what it says and no more."""
    graph, moved = release.graph, release.moved
    if moved is not None:
        said |= {"slice_edges": [None] * graph.n_slices}
    pictures = {
        "crowds": charts.crowds(release, before=exact),
        "risk": charts.risk(said["before"], said["after"]),
        "per_slice": charts.edges_per_slice(graph, said["slice_edges"]),
        "similarity": charts.similarity(said["comparison"], looked),
        "distributions": charts.degree_distributions(release, before=exact),
        "meetings": over_time.meetings(said["comparison"].meetings),
        "outbreaks": over_time.outbreaks(said["comparison"].spread),
        "sizes": charts.group_sizes(release),
    }
    page = environment().get_template("page.html")
    return page.render(
        **said,
        release=release,
        exact=exact,
        limits=_limits(release),
        rounding=coarse.ROUNDING,
        headline=_headline(release),
        guarantee=guarantee_in_words(release.promise, release.left_out) + moved_in_words(release),
        alone_now=_alone(release.promise, graph),
        within=" within one block of the calendar" if release.promise.n_blocks > 1 else "",
        beyond=strongest(said["after"]),
        definitions=DEFINITIONS,
        close=CLOSE,
        rough=ROUGH,
        to_fill=TO_FILL,
        references=REFERENCES,
        pictures={name: Markup(svg) for name, svg in pictures.items() if svg},  # noqa: S704 - the renderer escapes labels
        version=shoal.__version__,
    )


def _limits(release: Release) -> str | None:
    return None if release.limits is None else release.limits.in_words()


def _headline(release: Release) -> str:
    promise = release.promise
    if promise.k == 1:
        return "Nobody is protected (k = 1)"
    where = f" within each of {promise.n_blocks:,} blocks of the calendar" if promise.n_blocks > 1 else ""
    if promise.for_everybody:
        return f"Everybody is hidden among at least {release.min_class_size:,}{where} from whoever knows their numbers of edges"
    protected = int((promise.levels > 1).sum())
    many = "as many as they asked for, up to" if release.left_out is None else "at least"
    return (
        f"{protected:,} of {len(promise.levels):,} people are hidden from whoever knows their numbers of edges, each among "
        f"{many} {promise.k:,}{where}"
    )


def _alone(promise: Promise, graph: TemporalGraph) -> int:
    """How many people stand alone in some block."""
    return int((promise.crowds(graph) == 1).any(axis=0).sum())
