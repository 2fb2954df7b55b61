"""The report of an evaluation or a comparison: one HTML file, rendered from plain data."""
