"""Stage 1, group: partition the people into groups of at least k with similar degree vectors."""

from shoal.group.medians import group_medians, group_sizes, l1_cost
from shoal.group.rossi import Grouping, degree_anonymization

__all__ = ["Grouping", "degree_anonymization", "group_medians", "group_sizes", "l1_cost"]
