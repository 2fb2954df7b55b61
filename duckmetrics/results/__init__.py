"""What calls return: evaluations, comparisons, findings, gates on them."""
