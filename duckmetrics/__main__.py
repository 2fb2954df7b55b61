"""``python -m duckmetrics`` is the command line."""

from duckmetrics.cli.main import process

if __name__ == "__main__":
    process()
