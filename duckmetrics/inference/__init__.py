"""Intervals and tests: units, the delta method, the jackknife, the bootstrap."""
