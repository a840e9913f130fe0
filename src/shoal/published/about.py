"""What only the maker of a release can say about it: a title, who made it, and when."""

from __future__ import annotations

import datetime
from typing import Any, NamedTuple

from shoal.errors import InputError


class About(NamedTuple):
    """What only the maker of a release can say. A date stands in it where it was given: the same seed gives the same bytes."""

    title: str | None = None
    by: str | None = None
    date: str | None = None


def make_about(title: Any = None, by: Any = None, date: Any = None) -> About:
    """Check what is to stand at the head of a report: lines of text, and a date such as 2026-03-01, or "today".

    >>> make_about("Contacts at a school", date="2026-03-01").date
    '2026-03-01'
    """
    for name, text in (("title", title), ("by", by), ("date", date)):
        if text is not None and not (isinstance(text, str) and text.isprintable() and 0 < len(text.strip()) <= 200):
            raise InputError(f"{name} is one line of at most 200 printable characters")
    if date == "today":
        date = datetime.date.today().isoformat()
    try:
        day = None if date is None else datetime.date.fromisoformat(date).isoformat()
    except ValueError:
        raise InputError(f"a date is written as 2026-03-01, or is today; got '{date}'") from None
    return About(title and title.strip(), by and by.strip(), day)
