"""Statistical tests of tables of values or counts."""
