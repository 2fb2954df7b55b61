"""What runs queries: DuckDB, Apache Spark; and how files are written."""
