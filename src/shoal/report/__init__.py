"""report.html: what a release promises and what it changed, in words and pictures, on one page without any other file."""

from shoal.report.page import write_report

__all__ = ["write_report"]
