"""From values to results: units, summaries, intervals, tests, and p-values adjusted for their number."""
