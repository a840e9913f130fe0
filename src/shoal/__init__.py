"""shoal: publish a time-varying or multi-layer social graph without giving anybody away.

>>> import shoal
>>> graph = shoal.TemporalGraph.from_events([("ann", "bob", 0), ("bob", "cem", 0), ("cem", "dia", 1)], slice="value")
>>> release = shoal.anonymize(graph, k=2, seed=1)
>>> release.min_class_size >= 2
True
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal import datasets as datasets
    from shoal import large as large
    from shoal.anonymize import Release, anonymize
    from shoal.audit.exposure import audit
    from shoal.audit.findings import Audit
    from shoal.audit.verify import Verdict, verify
    from shoal.errors import InputError, ShoalError
    from shoal.extend import extend
    from shoal.graph import TemporalGraph
    from shoal.measure.compare import compare
    from shoal.measure.comparison import Comparison
    from shoal.read import read
    from shoal.sweep import sweep
    from shoal.sweep.most import protect_most

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "Comparison",
    "InputError",
    "Release",
    "ShoalError",
    "TemporalGraph",
    "Verdict",
    "anonymize",
    "audit",
    "compare",
    "extend",
    "protect_most",
    "read",
    "sweep",
    "verify",
]

# Public name -> where it lives. Loaded on first use, so that `import shoal` and `shoal --help` stay quick.
_HOME = {
    "Audit": "shoal.audit.findings",
    "Comparison": "shoal.measure",
    "InputError": "shoal.errors",
    "Release": "shoal.anonymize",
    "ShoalError": "shoal.errors",
    "TemporalGraph": "shoal.graph",
    "Verdict": "shoal.audit.verify",
    "anonymize": "shoal.anonymize",
    "audit": "shoal.audit.exposure",
    "compare": "shoal.measure",
    "extend": "shoal.extend",
    "protect_most": "shoal.sweep.most",
    "read": "shoal.read",
    "sweep": "shoal.sweep",
    "verify": "shoal.audit.verify",
}

_PARTS = ("datasets", "large")  # submodules that `import shoal` brings along, on first use too


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"shoal.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PARTS})


class _Face(ModuleType):
    """Importing the submodule `shoal.read` must not hide the function `shoal.read`."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face
