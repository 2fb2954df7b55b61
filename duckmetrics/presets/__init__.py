"""Conventions of other tools for the metrics, one TOML file per tool."""
