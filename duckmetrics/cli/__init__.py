"""The command line."""

from duckmetrics.cli.main import main, process

__all__ = ["main", "process"]
