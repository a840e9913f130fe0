"""What a person asks for on the page, as options of `shoal.anonymize`; and what is recommended from what they say it is for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

HORIZONS = {
    "": "the whole time",
    "1d": "any one day",
    "1w": "any one week",
    "1mo": "any one month",
    "1y": "any one year",
}
MOVES = {
    "slice": "new hands in every slice: whoever knows a tie's past cannot follow it",
    "1mo": "the same hands for a month: the rest of a known tie's month can be read off",
    "tie": "the same hands for good: whoever knows a tie's first part reads off the rest of it",
}
# The questions of the page: the name of a box, and its words.
WHO = {
    "numbers": "somebody who knows how often: with how many others a person had contact, and when",
    "names": "somebody who has contacts with names: last year's file, a log, the records of one of those involved",
}
USES = {
    "spread": "epidemics, or how anything spreads",
    "importance": "who is important, and who is busy",
    "communities": "communities, and who mixes with whom",
    "persistence": "how long people keep contact",
    "pairs": "contacts of particular people or pairs",
}


MOST_COLUMNS = 30  # of a table of people; a form has not room for more
# What can become of a column of a table of people.
COLUMNS = {
    "": "leave it out",
    "known": "publish it: it is known of people",
    ":5": "publish it in fives: it is known of people",
    ":10": "publish it in tens: it is known of people",
    ":20": "publish it in twenties: it is known of people",
    "!": "publish it, never merged: it is known of people",
    "sensitive": "publish it: nobody should learn whose it is",
    "level": "it says among how many each is hidden (1: not)",
}
STEPS = (":5", ":10", ":20")  # only where a column holds numbers


def traits_of(form: dict[str, str], columns: list[str]) -> dict[str, Any]:
    """What the form says of the columns of a table of people; two answers where one can be are a ValueError with a sentence."""
    chosen = {name: form.get(f"column-{i}", "") for i, name in enumerate(columns)}
    once = {what: [name for name, said in chosen.items() if said == what] for what in ("sensitive", "level")}
    for what, names in once.items():
        if len(names) > 1:
            raise ValueError(f"Only one column can be {'sensitive' if what == 'sensitive' else 'that of levels'}.")
    marks = {"known": "", "!": "!", **{step: step for step in STEPS}}
    diverse = form.get("diverse", "1")
    sensitive = next(iter(once["sensitive"]), None)
    return {
        "attributes": [name + marks[said] for name, said in chosen.items() if said in marks],
        "sensitive": sensitive,
        "diverse": int(diverse) if sensitive is not None and diverse in ("2", "3", "5") else 1,
        "level": next(iter(once["level"]), None),
    }


def asked_of(form: dict[str, str], n_people: int, columns: list[str]) -> dict[str, Any]:
    """The form of the release as options of `anonymize`; a k that cannot be is a ValueError with a sentence.

    `columns` are those of a table of people; `level` is that of everybody's k, in the place of the one for all.
    """
    k = form.get("k", "")
    if not (k.isascii() and k.isdigit() and len(k) < 10 and 2 <= int(k) <= n_people):
        raise ValueError(f"k is a whole number from 2 to the number of people, {n_people:,}.")
    against = "graph" if form.get("against") == "graph" else "numbers"
    contacts = form.get("contacts") if form.get("contacts") in ("counts", "times") else None
    horizon, move = form.get("horizon", ""), form.get("move", "slice")
    return {
        "k": int(k),
        "horizon": horizon if horizon and horizon in HORIZONS else None,
        "against": against,
        "move": move if against == "graph" and move in MOVES else "slice",
        "contacts": contacts,
        "protect_counts": contacts is not None and form.get("protect_counts") == "yes",
        "effort": "fast" if form.get("effort") == "fast" else "balanced",
        **traits_of(form, columns),
    }


def answers_of(form: dict[str, str]) -> list[str]:
    """The boxes that are ticked."""
    return [name for name in (*WHO, *USES) if form.get(f"is-{name}") == "yes"]


def advice(answers: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """What to choose, and why, in a sentence each; nothing where nothing was answered."""
    if not answers:
        return {}, []
    chosen, why = {"against": "numbers"}, list[str]()
    if "names" in answers:
        chosen = {"against": "graph", "move": "slice"}
        why.append(
            "Let contacts change hands: whoever has contacts with names finds most people by the company they keep where only "
            "numbers are hidden."
        )
        if "pairs" in answers:
            why.append(
                "Contacts of particular people cannot be analysed then. Both wishes do not go together: give that up, or hide "
                "numbers only and give the file to people who promise not to look."
            )
        if "persistence" in answers:
            why.append(
                "How many pairs meet again is kept as a total; which pairs is not, so take new hands in every slice."
            )
    else:
        why.append(
            "Hide numbers: it keeps most edges as they are, and nobody else was named. Contacts with names would undo it."
        )
        if "pairs" in answers:
            why.append(
                "Most edges stay, some are invented: what holds for many pairs holds, what holds for one may not."
            )
    if {"spread", "communities", "importance"} & set(answers):
        why.append("Compare both below: outbreaks, importance and communities are measured on your file for each.")
    return chosen, why
