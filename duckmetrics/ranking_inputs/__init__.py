"""The canonical inputs of rankings, from the tables that a caller names."""
