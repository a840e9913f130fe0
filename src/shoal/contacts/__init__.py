"""From a table of contacts to arrays: which column means what, who is who, one simple graph per slice."""
