"""Results of calls: evaluations, comparisons, findings, and gates on them."""
