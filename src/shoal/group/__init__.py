"""Stage 1, group: partition the people into groups of at least k with similar degree vectors."""

from shoal.group.bound import lower_bound
from shoal.group.exact import cheapest_runs
from shoal.group.levels import by_level
from shoal.group.medians import group_medians, group_sizes, l1_cost
from shoal.group.rossi import Grouping, degree_anonymization
from shoal.group.search import EFFORTS, search_groups

__all__ = [
    "EFFORTS",
    "Grouping",
    "by_level",
    "cheapest_runs",
    "degree_anonymization",
    "group_medians",
    "group_sizes",
    "l1_cost",
    "lower_bound",
    "search_groups",
]
