"""The report: what a release promises and what it changed, in words and pictures, on one page without any other file."""

from shoal.report.page import Report

__all__ = ["Report"]
