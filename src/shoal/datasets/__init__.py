"""Graphs to try shoal on: the paper's Irvine messages (extra `demo`), a synthetic messenger of any size, and public sets
fetched from their publishers."""

from shoal.datasets.catalogue import PublicSet, public_sets
from shoal.datasets.irvine import irvine, save_irvine
from shoal.datasets.messenger import messenger
from shoal.datasets.public import fetch, load

__all__ = ["PublicSet", "fetch", "irvine", "load", "messenger", "public_sets", "save_irvine"]
