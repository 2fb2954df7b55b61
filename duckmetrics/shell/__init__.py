"""The shell: macros of DuckDB that are written from the same SQL files as the Python functions."""
