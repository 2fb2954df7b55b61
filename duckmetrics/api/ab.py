"""Compare the variants of an A/B test with the control, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import catalog
from duckmetrics.engines.opening import open_engine
from duckmetrics.inference.adjustment import HOLM, find_adjustment
from duckmetrics.inputs.interval_options import LEVEL, read_level, read_probability
from duckmetrics.statistics.experiment import ExperimentPlan, read_looks, run_experiment
from duckmetrics.words.verdicts import ALPHA

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import duckdb

    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.results.experiment import Experiment


def ab(
    table: Any,
    *,
    variant: str,
    metrics: str | Sequence[str],
    control: Any = None,
    unit: str | None = None,
    per_unit: str | Mapping[str, str] | None = None,
    shared_units: str = "error",
    shares: Mapping[str, float | str] | None = None,
    pre: Mapping[str, str] | None = None,
    before: Any = None,
    cap: Mapping[str, str | float] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    lower_is_better: str | Sequence[str] = (),
    adjust: str = HOLM,
    interval: float = LEVEL,
    alpha: float = ALPHA,
    sequential: bool = False,
    planned: int | None = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    snapshot: str | None = None,
    time_zone: str | None = None,
) -> Experiment:
    """Compare the variants of an experiment with the control, metric by metric.

    Each row of the table is one unit that was assigned to a variant, such as a user; or rows of the same
    unit are put together with ``unit``. The sample ratio is checked first: with a mismatch, no difference
    between the variants can be trusted. If a column such as ``user_id`` shows that the rows are not units, no
    verdict is given: units with several rows, units in several variants, copies of rows.

    Args:
        table: a path or glob, a DuckDB table or view, SQL, a relation, a frame, or
            arrays by name, with one row per unit, or with ``unit`` several.
        variant: the column that names the variant of a unit.
        metrics: columns and ratios. ``"revenue"`` is a mean per unit, compared by Welch's t-test; a column
            that holds only 0 and 1, or BOOLEAN, is a proportion, compared by the z-test.
            ``"clicks/sessions"`` is a ratio of sums; its variance comes from the jackknife over units, the
            small-sample form of the delta method (see sql/statistics/ratio_delta.sql).
            ``"median(latency)"`` and ``"p90(latency)"`` are quantiles, with intervals from order statistics
            (see sql/statistics/quantile_difference.sql); with ``unit``, of all rows.
        control: the variant that the others are compared with.
        unit: the column that identifies a unit, such as ``"user_id"``, if units have several rows. The rows
            of a unit are summed first; NULL is left out, and a column of ``pre`` is averaged.
        per_unit: how the rows of a unit become its value: ``"sum"`` (default), ``"mean"`` or ``"max"``, for
            all metrics, or by metric as in ``{"rating": "mean"}``. The parts of ratios are summed, and the
            rows of a quantile stay as they are (``"rows"``) unless a function is named.
        shared_units: units in several variants are an ``"error"``, or left out with a warning: ``"drop"``.
        shares: variant -> planned share, as in ``{"A": 0.9, "B": 0.1}``; equal shares by default.
        pre: metric -> column with the same quantity from before the experiment. CUPED then removes the
            variance that it explains, as in ``{"revenue": "revenue_before"}``.
        before: a table of the same units from before the experiment, such as the orders of the last month,
            with the column of ``unit``. Its rows are put together like those of the experiment; a unit
            without a row has the sum 0. Each metric that is a mean takes the column of its own name for
            CUPED, or ``pre`` names one of this table.
        cap: metric -> the cap of its values, so that a few extreme units do not hide a difference: ``"99%"``
            is the percentile of the units of all variants, 500 a value, ``"1%:99%"`` caps both ends. A higher
            value counts as the cap. It comes after the sum per unit; a column of ``pre`` is not capped.
        by: columns that slice the units, such as ``"country"``, or expressions with a name, as for
            `evaluate`: a row for each slice, and a test whether the slices differ. Slice by what was known
            when the units were assigned. p-values of each slicing are adjusted together.
        lower_is_better: the metrics where a lower value is better.
        adjust: ``"holm"``, ``"benjamini_hochberg"`` or another method of adjusted_p, or ``"none"``. All
            metrics and treated variants are adjusted together.
        interval: the level of the intervals, which are not adjusted.
        alpha: the error rate of verdicts: a verdict needs an adjusted p below it.
        sequential: use p-values, intervals and a sample ratio that hold at every look at a running
            experiment, so you can look every day and stop when you have seen enough. The intervals are
            wider than those of a test for one look. Means and proportions are then compared by
            sequential_mean, and ratios by sequential_ratio.
        planned: with ``sequential=True``, the number of units of two variants at which the intervals are the
            tightest. Choose it before the first look, and keep it; 5000 by default.
        connection: a DuckDB connection, or the path of a database file.
        threads, memory_limit, temp_directory, snapshot, time_zone: as for `evaluate`.

    Returns:
        A row for every metric and treated variant: both values, difference and relative change with
        intervals, p, adjusted p, and a verdict in words. Units without a value are left out and counted.

    Raises:
        MetricError: no control is named, or an option cannot be read.
        InputError: a column or the control is not in the data, a unit has no variant or several, or a value
            is NaN or infinite.
        UnsupportedError: CUPED or a cap of a ratio or of a quantile; a quantile, or a cap at a percentile, in
            a sequential test.
        EngineError: the database refused a query.

    Source:
        Kohavi, Tang and Xu, Trustworthy Online Controlled Experiments, 2020, doi:10.1017/9781108653985;
        Fabijan et al., KDD 2019, doi:10.1145/3292500.3330722; the files under sql/statistics name the
        sources of the statistics. Sequential tests: Johari, Koomen, Pekelis and Walsh, Operations Research
        2022, doi:10.1287/opre.2021.2135.

    Example:
        users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
        result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
        result.row("revenue")["delta"]  # 4.0
        result.row("revenue")["verdict"]  # 'better'
    """
    units = read_looks(sequential, planned)
    method = find_adjustment(catalog(), adjust)
    level, error_rate = read_level(interval), read_probability("alpha", alpha, ALPHA)
    plan = ExperimentPlan(
        variant, control, metrics, shares, pre, lower_is_better, method, level, error_rate, units,
        unit=unit, per_unit=per_unit, shared_units=shared_units, cap=cap, by=by, before=before,
    )  # fmt: skip
    return run_experiment(
        open_engine(None, connection, threads, memory_limit, temp_directory, snapshot, time_zone), table, plan
    )
