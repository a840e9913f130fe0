"""Words that change with a number."""

from __future__ import annotations


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number and what is counted.

    >>> plural(1, "slice"), plural(1234, "slice")
    ('1 slice', '1,234 slices')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
