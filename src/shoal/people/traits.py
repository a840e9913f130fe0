"""What a release says about people beside their edges: columns that an attacker knows, and one that nobody knows."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.common.checks import a_list, a_text, shown, whole
from shoal.contacts.build import as_columns
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.people.scale import ANY, Scale, make_scale, parse_attribute, read_hierarchy
from shoal.people.strata import find_strata
from shoal.read.people import read_columns
from shoal.read.text import named


@dataclass(frozen=True, eq=False)
class Traits:
    """`columns` are published as they stand here, person by person: attributes at their `steps`, in which a stratum agrees.

    Where crowds may mix (`mixes`), values are raised further where that changes fewer edges. `sensitive` is the column that nobody
    knows, of which every crowd has at least `diverse` different values, or none.
    """

    columns: dict[str, list[str]]
    scales: tuple[Scale, ...]
    steps: np.ndarray
    sensitive: str | None = None
    diverse: int = 1
    mixes: bool = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns that an attacker knows."""
        return tuple(scale.name for scale in self.scales)

    @cached_property
    def strata(self) -> np.ndarray:
        """Everybody's stratum as a number."""
        codes = [np.unique(self.columns[name], return_inverse=True)[1].ravel() for name in self.attributes]
        rows = np.stack(codes) if codes else np.zeros((1, len(self.steps)), np.int64)
        return np.unique(rows, axis=1, return_inverse=True)[1].ravel()

    @property
    def raised(self) -> int:
        """Values of attributes that are published as something above them, but not as `*`."""
        tops = np.array([scale.top for scale in self.scales], np.int64)
        return int(((self.steps > 0) & (self.steps < tops)).sum())

    def at(self, steps: np.ndarray) -> Traits:
        """The same people with their attributes raised to other steps."""
        told = {scale.name: _published(scale, steps[:, c]) for c, scale in enumerate(self.scales)}
        return replace(self, columns=told | self.columns | told, steps=steps)

    def digest(self) -> str:
        """What is published of people, and from what, as a fingerprint."""
        text = repr([(scale.names, scale.codes.tobytes(), scale.fixed) for scale in self.scales])
        text += repr((self.columns, self.sensitive, self.diverse, self.mixes))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def starred(self) -> int:
        """Values of attributes that are published as `*`."""
        return sum(values.count(ANY) for name, values in self.columns.items() if name in self.attributes)

    @property
    def withheld(self) -> int:
        """People whose sensitive value is published as `*`."""
        return 0 if self.sensitive is None else self.columns[self.sensitive].count(ANY)

    def without(self, held_back: np.ndarray) -> Traits:
        """The same without the sensitive values of some people (a mask)."""
        assert self.sensitive is not None
        values = [ANY if held else value for value, held in zip(self.columns[self.sensitive], held_back, strict=True)]
        return replace(self, columns=self.columns | {self.sensitive: values})


class Asked(NamedTuple):
    """The options of `anonymize` about columns of people."""

    attributes: Iterable[str] | None = None
    hierarchies: Mapping[str, Any] | None = None
    sensitive: str | None = None
    diverse: int = 1
    stratum: int | None = None


def make_traits(graph: TemporalGraph, levels: np.ndarray, people: Any, given: Asked) -> Traits | None:
    """Check what is asked for and raise what too few people have; see `anonymize` for the parameters."""
    attributes, hierarchies, sensitive, diverse, stratum = given
    asked = [parse_attribute(one) for one in a_list("attributes", [] if attributes is None else attributes)]
    if not isinstance(hierarchies, Mapping | None):
        raise InputError(f"hierarchies give a file for each column, as a mapping; got {shown(hierarchies)}")
    trees = dict(hierarchies or {})
    names = [name for name, _, _ in asked]
    whole("diverse", diverse, 1)
    if sensitive is None and diverse != 1:
        raise InputError("--diverse says how many values of a sensitive column a crowd has; name it with --sensitive")
    if not asked and trees:
        raise InputError("a hierarchy merges the values of an attribute; name it with --attributes")
    if not asked and stratum is not None:
        raise InputError("--stratum says how many people share what is published of them; name it with --attributes")
    if not asked and sensitive is None:
        if people is not None:
            raise InputError(
                "a table of people is there for its columns; name those to publish (attributes, sensitive)"
            )
        return None
    wanted = [*names, *([] if sensitive is None else [a_text("sensitive", sensitive)])]
    if len(set(wanted)) < len(wanted) or "node" in wanted:
        raise InputError(f"each column is published once, and none is called node; got {named(wanted)}")
    if unknown := sorted(trees.keys() - set(names)):
        raise InputError(f"there is a hierarchy of '{unknown[0]}', which is none of the attributes")
    if people is None:
        raise InputError("attributes are columns of a table of people; give it with --nodes")
    table = _of_graph(graph, people, wanted)
    scales = [
        make_scale(name, table[name], width=width, fixed=fixed, hierarchy=_tree(trees.get(name)))
        for name, width, fixed in asked
    ]
    if stratum is not None:
        least = min(whole("stratum", stratum, 1), graph.n_nodes)
        levels = np.where(levels > 1, np.maximum(levels, least), levels)
    hidden = {} if sensitive is None else {sensitive: _sensitive(sensitive, table[sensitive], diverse)}
    steps = find_strata(scales, levels, graph)
    return Traits(hidden, tuple(scales), steps, sensitive, diverse, mixes=bool(scales) and stratum is None).at(steps)


def _of_graph(graph: TemporalGraph, people: Any, wanted: list[str]) -> dict[str, list[str | None]]:
    """These columns for everybody in the graph, in the order of its nodes."""
    if isinstance(people, str | os.PathLike):
        ids, columns = read_columns(Path(people), wanted)
        where = str(people)
    else:
        have = people if isinstance(people, Mapping) else people.columns
        name = "id" if "id" in have and "node" not in have else "node"
        found = as_columns(people, [name, *wanted])
        ids, columns, where = found[name], {one: found[one] for one in wanted}, "the table of people"
    place = {str(one): i for i, one in enumerate(ids.to_list())}
    if len(place) < len(ids):
        raise InputError(f"{where}: somebody is listed twice")
    nodes = graph.nodes.to_list()
    missing = [node for node in nodes if str(node) not in place]
    if missing:
        raise InputError(
            f"{where}: {len(missing):,} of {len(nodes):,} people of the graph are not in it, such as '{missing[0]}'"
        )
    order = [place[str(node)] for node in nodes]
    return {name: column.cast(pl.String).gather(order).to_list() for name, column in columns.items()}


def _tree(given: Any) -> dict[str, list[str]] | None:
    """A hierarchy from a file, or as a mapping from values to the steps above them."""
    if given is None or isinstance(given, str | os.PathLike):
        return None if given is None else read_hierarchy(Path(given))
    tree = {str(value): [str(step) for step in steps] for value, steps in dict(given).items()}
    if len({len(steps) for steps in tree.values()}) != 1:
        raise InputError("a hierarchy has as many steps above every value")
    return tree


def _published(scale: Scale, steps: np.ndarray) -> list[str]:
    return [scale.names[step][scale.codes[step, i]] for i, step in enumerate(steps.tolist())]


def _sensitive(name: str, values: list[str | None], diverse: int) -> list[str]:
    plain = [ANY if value is None or not value.strip() else value.strip() for value in values]
    there = len(set(plain) - {ANY})
    if there < diverse:
        raise InputError(f"column '{name}' has {there:,} different values, and every crowd was to have {diverse:,}")
    return plain
