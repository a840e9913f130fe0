"""Words that change with a number."""

from __future__ import annotations

from collections.abc import Sequence


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number and what is counted.

    >>> plural(1, "slice"), plural(1234, "slice")
    ('1 slice', '1,234 slices')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def in_words(names: Sequence[str]) -> str:
    """A list as one says it.

    >>> in_words(["sex", "age", "department"])
    'sex, age and department'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
