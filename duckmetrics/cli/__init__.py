"""The command line."""

from duckmetrics.cli.main import main

__all__ = ["main"]
