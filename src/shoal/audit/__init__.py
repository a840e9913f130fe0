"""What an attacker can do, and the proof that a release withstands it."""

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
