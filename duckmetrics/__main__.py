"""``python -m duckmetrics`` is the command line."""

from duckmetrics.cli.main import main

if __name__ == "__main__":
    main()
