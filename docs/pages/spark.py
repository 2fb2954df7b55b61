"""The table of docs/howto/spark.md that lists what Spark does not do, from the code.

python docs/pages/spark.py        # writes the table between its two marks
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import duckmetrics
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.compose.portable import reason_against
from duckmetrics.engines.engine import INSTEAD
from duckmetrics.engines.spark import SparkEngine

PAGE = Path(__file__).parents[1] / "howto/spark.md"
BEGIN, END = "<!-- what Spark lacks, by docs/pages/spark.py -->", "<!-- end -->"
_TABLE = re.compile(f"(?<={BEGIN}\n).*(?={END}\n)", re.DOTALL)


def lacking() -> str:
    """Return a row per function, feature and reason that keeps a metric from Spark."""
    functions = ", ".join(f"`{name}`" for name in _functions())
    rows = [(functions, "write the rows to Parquet, and use DuckDB")]
    rows += [(f.value, instead) for f, instead in INSTEAD.items() if f not in SparkEngine.features]
    for reason, names in _metrics().items():
        listed = ", ".join(f"`{name}`" for name in names)
        rows.append((f"{listed}: {reason}", "evaluate them with DuckDB"))
    lines = ["| missing on Spark | use this |", "|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _functions() -> list[str]:
    """Return the public functions that read tables and take no engine."""
    known = {name: getattr(duckmetrics, name) for name in duckmetrics.__all__}
    options = {n: inspect.signature(f).parameters for n, f in known.items() if inspect.isfunction(f)}
    return sorted(n for n, given in options.items() if "connection" in given and "engine" not in given)


def _metrics() -> dict[str, list[str]]:
    """Return the metrics that Spark cannot run, by the reason."""
    found: dict[str, list[str]] = {}
    for (family, name), definition in {**catalog().metrics, **catalog().tables}.items():
        reason = reason_against(catalog(), definition)
        if reason is not None:
            full = f"{family}.{name}" if family == MULTICLASS else name
            found.setdefault(reason, []).append(full)
    return found


def with_table(page: str) -> str:
    """Return a page with the table of today."""
    return _TABLE.sub(lambda _: lacking(), page)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8", newline="\n")
