"""Which column means what, by its name and then by what is in it: one guess for the commands, for Python and for the page.

A guess is said, never silent; where there is none, nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

import polars as pl

from shoal.errors import InputError
from shoal.slicing.moments import read_moments

# Words for the one and the other person. The short ones of the last line count beside a word they share: id.A and id.B.
_PAIRS = (
    ("source", "target"), ("src", "dst"), ("src", "dest"), ("source", "destination"), ("from", "to"),
    ("sender", "receiver"), ("sender", "recipient"), ("caller", "callee"), ("caller", "receiver"), ("ego", "alter"),
    ("follower", "followee"), ("follower", "followed"), ("origin", "destination"), ("author", "recipient"),
    ("von", "an"), ("von", "nach"), ("von", "zu"), ("absender", "empfänger"), ("absender", "empfaenger"),
    ("quelle", "ziel"), ("anrufer", "angerufener"), ("de", "à"), ("de", "vers"), ("expéditeur", "destinataire"),
    ("expediteur", "destinataire"), ("de", "a"), ("de", "para"), ("origen", "destino"), ("emisor", "receptor"),
    ("remitente", "destinatario"), ("da", "a"), ("mittente", "destinatario"), ("van", "naar"), ("u", "v"), ("i", "j"),
)  # fmt: skip
_SHORT = (("a", "b"), ("1", "2"), ("0", "1"), ("x", "y"), ("i", "j"), ("one", "two"), ("one", "other"))
_WORDS = {
    "time": ("time", "timestamp", "datetime", "date", "datum", "unixtime", "epoch", "zeit", "zeitpunkt", "zeitstempel",
             "when", "ts", "fecha", "tiempo", "temps", "horodatage", "quando", "tempo", "tijd", "tijdstip", "day",
             "tag", "año", "year", "jahr", "at"),
    "layer": ("layer", "platform", "channel", "type", "ebene", "schicht", "couche", "capa"),
}  # fmt: skip
_NO_TIME = {"end", "stop", "finish", "duration", "zone", "timezone", "tz", "offset", "bis", "ende", "birth"}
_EPOCH = (1e8, 1e14)  # what may be Unix time, in seconds to milliseconds: nobody counts from 0 so far
ALIKE = 0.1  # columns that share this much of their ids hold the same kind of people
MOST_LAYERS = 100  # a column called type or channel that says more different things tells no layers
_SAMPLE = 20_000


def parts_of(name: str) -> list[str]:
    """The words of a name: id.A is id and a, sourceID is source and id, person1 is person and 1.

    >>> parts_of("survey.date"), parts_of("fromUser")
    (['survey', 'date'], ['from', 'user'])
    """
    spaced = re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ0-9])", " ", name.strip())
    return re.findall(r"[^\W_]+", spaced.lower())


def by_name(columns: Sequence[str], told: dict[str, str] | None = None) -> dict[str, str]:
    """The columns whose names say what they are. What is told is taken, and helps: who names `id.A` finds `id.B`.

    >>> by_name(["id.A", "id.B", "relationship", "survey.date"])
    {'source': 'id.A', 'target': 'id.B', 'time': 'survey.date'}
    """
    told = told or {}
    found = dict(told)
    words = {column: parts_of(column) for column in columns}
    having: dict[str, list[str]] = {}
    for column in columns:
        for word in set(words[column]):
            having.setdefault(word, []).append(column)
    pair = next(
        (
            (p, q)
            for one, other, alone in [*((*pair, True) for pair in _PAIRS), *((*pair, False) for pair in _SHORT)]
            for p, q in product(having.get(one, ()), having.get(other, ()))
            if p != q and told.get("source", p) == p and told.get("target", q) == q
            if {p, q}.isdisjoint(value for role, value in told.items() if role not in ("source", "target"))
            if (rest := _without(words[p], one)) == _without(words[q], other) and (alone or rest)
        ),
        None,
    )
    if pair is not None:
        found |= {"source": pair[0], "target": pair[1]}
    for role, known in _WORDS.items():
        free = [c for c in columns if c not in found.values() and not _NO_TIME & set(words[c])]
        if role not in found and (name := _worded(free, words, known)) is not None:
            found[role] = name
    return found


def _without(words: list[str], one: str) -> list[str]:
    rest = list(words)
    rest.remove(one)
    return rest


def _worded(columns: list[str], words: dict[str, list[str]], known: tuple[str, ...]) -> str | None:
    """The first column that is called like one of these, else the first that has one of them in its name."""
    whole = next((c for word in known for c in columns if words[c] == [word]), None)
    part = next((c for word in known for c in columns if word in words[c] and len(words[c]) > 1), None)
    alone = next((c for c in columns if words[c] == ["t"]), None) if "time" in known else None
    return whole or alone or part


def guess_columns(frame: pl.DataFrame, told: dict[str, str] | None = None) -> dict[str, str]:
    """The same, and where names say nothing, what is in the columns: two that share people, one that holds dates."""
    told = told or {}
    head = frame.select(name for name, kind in frame.schema.items() if not kind.is_nested() and kind != pl.Object)
    head = head.head(_SAMPLE)
    found = by_name(head.columns, told)
    if "time" in found and "time" not in told and not _are_times(head[found["time"]]):
        others = [c for c in head.columns if c not in found.values()]
        dated = by_name([c for c in others if _are_times(head[c])]).get("time")
        if dated is not None:
            found["time"] = dated
    if "time" not in found:
        dates = [c for c in head.columns if c not in found.values() and _are_dates(head[c])]
        if len(dates) == 1:
            found["time"] = dates[0]
    if "layer" in found and "layer" not in told and head[found["layer"]].n_unique() > MOST_LAYERS:
        del found["layer"]
    if "source" not in found or "target" not in found:
        found |= _sharing(head, found) or {}
    return found


def take_roles(
    frame: pl.DataFrame, told: dict[str, str], wanted: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Columns for these roles beside those that are told, and which of them are guesses: the usual word is none."""
    names = dict(told)
    for role in wanted:
        if role not in names and role in frame.columns and role not in names.values():
            names[role] = role
    guessed: dict[str, str] = {}
    if any(role not in names for role in wanted):
        found = guess_columns(frame, {role: name for role, name in names.items() if name in frame.columns})
        guessed = {role: found[role] for role in wanted if role not in names and role in found}
    return names | guessed, guessed


def _sharing(frame: pl.DataFrame, found: dict[str, str]) -> dict[str, str] | None:
    """The two columns that have most people in common."""
    taken = {value for role, value in found.items() if role not in ("source", "target")}
    free = [c for c in frame.columns[:20] if c not in taken]
    sets = {c: set(frame[c].drop_nulls().cast(pl.String).str.strip_chars()) for c in free}
    best, most = None, ALIKE
    for i, p in enumerate(free):
        for q in free[i + 1 :]:
            if not {found.get("source", p), found.get("target", q)} <= {p, q} or not (sets[p] and sets[q]):
                continue
            share = len(sets[p] & sets[q]) / len(sets[p] | sets[q])
            if share > most:
                best, most = {"source": p, "target": q}, share
    if best is not None and (best["target"] == found.get("source") or best["source"] == found.get("target")):
        best = {"source": best["target"], "target": best["source"]}
    return best


def _are_times(column: pl.Series) -> bool:
    """Whether a column can be read as times at all."""
    try:
        read_moments(column.drop_nulls(), day_first=True) if column.null_count() < len(column) else None
    except InputError:
        return False
    return column.null_count() < len(column)


def _are_dates(column: pl.Series) -> bool:
    """Whether it holds dates, or numbers as large as Unix time is."""
    filled = column.drop_nulls()
    numbers = filled.cast(pl.Float64, strict=False) if not filled.dtype.is_temporal() else None
    if numbers is not None and len(filled) and not numbers.null_count():
        low, high = float(numbers.min() or 0), float(numbers.max() or 0)  # type: ignore[arg-type]
        return _EPOCH[0] <= low and high < _EPOCH[1]
    return _are_times(column)
