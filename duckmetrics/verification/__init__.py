"""Values recomputed by the plain-Python reference, for a sample of queries or rows."""
