"""Memory work between turns: what was said since the last time is extracted, reconciled and kept."""
