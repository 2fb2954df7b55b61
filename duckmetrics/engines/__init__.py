"""Engines that run queries, DuckDB and Apache Spark, and the output files."""
