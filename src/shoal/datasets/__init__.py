"""Graphs to try shoal on: the paper's Irvine messages (extra `demo`), a synthetic messenger of any size, and public sets
fetched from their publishers."""

from shoal.datasets.catalogue import PublicSet, catalogue
from shoal.datasets.fetch import fetch, load
from shoal.datasets.irvine import irvine
from shoal.datasets.messenger import messenger

__all__ = ["PublicSet", "catalogue", "fetch", "irvine", "load", "messenger"]
