"""What a release says of itself in public: the certificate, numbers on a coarse grid, the head of a report."""
