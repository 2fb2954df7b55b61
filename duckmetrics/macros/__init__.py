"""Macros of the DuckDB shell, made from the same SQL files as the Python functions."""
