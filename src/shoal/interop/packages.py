"""Packages that shoal does not need until somebody hands over something of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from shoal.errors import InputError


def package(module: str, install: str | None = None) -> Any:
    """The module, or a refusal that says what to install."""
    try:
        return import_module(module)
    except ImportError:
        raise InputError(f"{install or module} is not installed: pip install {install or module}") from None


def wrong(function: str, expected: str, got: Any) -> InputError:
    """The one sentence for something of another type."""
    return InputError(f"{function} takes {expected}; got {type(got).__module__}.{type(got).__qualname__}")


def labelled(many: Any) -> dict[Any, Any]:
    """Snapshots by label: a mapping as it is, a list by position."""
    return dict(many) if isinstance(many, Mapping) else dict(enumerate(many))
