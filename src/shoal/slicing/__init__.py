"""From times to slices: moments read from a column, cut into bins of a calendar, equal parts or values."""

from shoal.slicing.options import Slicing

__all__ = ["Slicing"]
