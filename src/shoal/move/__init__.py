"""Against somebody who holds a second graph: ties change hands inside groups before the slices are rebuilt."""
