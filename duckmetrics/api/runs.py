"""The log of runs: what is in it, and how metrics develop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from duckmetrics.results.tabular import readable

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import pyarrow as pa

    from duckmetrics.comparison.trend import Trend


def runs(log: str | os.PathLike[str]) -> pa.Table:
    """List the runs of a log, the newest first.

    Args:
        log: a DuckDB file or a folder that `Evaluation.log` wrote.

    Returns:
        (run_id, run_time, tags, release, systems, metrics, has_values, n_rows, n_queries, first_day,
        last_day); has_values: whether the values per query were logged, too.

    Raises:
        InputError: it is no log, or has no run.

    Example:
        clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
        duckmetrics.evaluate(clicks, metrics="auc").log(folder / "runs", run_id="monday")
        duckmetrics.runs(folder / "runs")["run_id"].to_pylist()  # ['monday']
    """
    from duckmetrics.comparison.trend import logged_runs

    return readable(logged_runs(Path(log).expanduser()))


def trend(
    log: str | os.PathLike[str],
    metrics: str | Sequence[str] | None = None,
    *,
    by: str | Sequence[str] = (),
    system: str | None = None,
    last: str | int | None = None,
) -> Trend:
    """Return how metrics develop over the runs of a log, and what left its usual range.

    The usual range is the mean of up to 30 runs before, minus and plus three of their standard deviations; it
    needs five runs of the same conventions.

    Args:
        log: a DuckDB file or a folder that `Evaluation.log` wrote.
        metrics: those to show; all by default.
        by: the column, or columns, of the slices; by default the overall values.
        system: one of several systems; all by default.
        last: a time before the last run such as ``"30d"``, ``"4w"`` or ``"12h"``, or a number of runs.

    Returns:
        The rows of the runs, a sentence on the last one, and a chart.

    Raises:
        InputError: it is no log, or no run has such slices.
        MetricError: no run has such a metric or system, or `last` cannot be read.

    Example:
        clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
        for day in range(7):
            duckmetrics.evaluate(clicks, metrics="auc").log(folder / "runs", run_id=f"day {day}")
        duckmetrics.trend(folder / "runs", "auc").rows[-1]["usual"]  # 'within'
    """
    from duckmetrics.catalog.spec_text import read_specs
    from duckmetrics.comparison.trend import trend_of

    columns = [by] if isinstance(by, str) else list(by)
    specs = None if metrics is None else read_specs(metrics)
    return trend_of(Path(log).expanduser(), specs, columns, system, last)
