"""Engines that run queries, DuckDB and Apache Spark: connections, tables, and files of both directions."""
