"""Texts of macros in a short form, which DuckDB writes out when a macro is called."""
