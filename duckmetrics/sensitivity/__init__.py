"""Sensitivity of results to conventions: ties, other tools, sampled candidates."""
