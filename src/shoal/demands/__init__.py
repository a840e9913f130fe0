"""What is asked of a release: how large everybody's crowd is (`promise`), and what may change (`limits`)."""
