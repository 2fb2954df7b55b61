"""Evaluation: one call, from the request to the results."""
