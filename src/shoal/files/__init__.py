"""Files that appear whole or not at all, and results kept for the next run."""
