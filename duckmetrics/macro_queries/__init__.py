"""The queries behind the macros of the DuckDB shell, and how macros write them when they are called."""
