"""Summaries: from the values of units to the rows of a result."""
