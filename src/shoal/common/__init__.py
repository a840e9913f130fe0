"""What every room uses: checks of parameters, progress, chance, crowds, keys of edges, the solver."""
