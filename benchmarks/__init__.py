"""Benchmarks: whole processes in turns, medians of ratios."""
