"""What is evaluated: requests, tables and their columns, systems, slices."""
