"""The macros of rows with a label and a score: metrics, curves, comparisons, and what they share."""
