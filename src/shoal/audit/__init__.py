"""What an attacker can do, and the proof that a release withstands it.

Names are loaded on first use: `shoal verify` lies in this room, and needs neither attackers nor kernels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.audit.attackers import (
        AnySlices,
        Approximate,
        Attacker,
        Contacts,
        Neighbourhood,
        OneBlock,
        Strength,
        Vector,
        Window,
        usual_attackers,
    )
    from shoal.audit.exposure import audit, reidentify
    from shoal.audit.findings import Audit, Exposure

__all__ = [
    "AnySlices",
    "Approximate",
    "Attacker",
    "Audit",
    "Contacts",
    "Exposure",
    "Neighbourhood",
    "OneBlock",
    "Strength",
    "Vector",
    "Window",
    "audit",
    "reidentify",
    "usual_attackers",
]

_HOME = {"Audit": "findings", "Exposure": "findings", "audit": "exposure", "reidentify": "exposure"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'shoal.audit' has no attribute {name!r}")
    return getattr(import_module(f"shoal.audit.{_HOME.get(name, 'attackers')}"), name)
