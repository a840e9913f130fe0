"""Graphs to try shoal on: the paper's Irvine messages (extra `demo`), and a synthetic messenger of any size."""

from shoal.datasets.irvine import irvine, save_irvine
from shoal.datasets.messenger import messenger

__all__ = ["irvine", "messenger", "save_irvine"]
