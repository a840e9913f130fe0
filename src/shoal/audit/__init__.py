"""What an attacker can do, and the proof that a release withstands it."""

from shoal.audit.verify import Verdict, verify

__all__ = ["Verdict", "verify"]
