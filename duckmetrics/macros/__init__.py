"""The metrics as macros of the DuckDB shell, made of the same files as everything else."""
