"""Comparison of systems: with a baseline, of all pairs, planned, and by the conventions of tools."""
