"""Connections to DuckDB: how they are opened, set up, limited, shared, and what their errors mean."""
