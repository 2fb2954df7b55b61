"""The tables that an evaluation kept, and what is read from its values per query."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.errors import MetricError, suggestion
from duckmetrics.results.explanation import Explainable, Explained
from duckmetrics.results.tabular import Widened, readable
from duckmetrics.words.rounding import positive_number, whole_number
from duckmetrics.words.times import read_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from duckmetrics.pages.curves import Developing
    from duckmetrics.pages.report import Report
    from duckmetrics.results.gates import Earlier


@dataclass(frozen=True)
class TargetPlace:
    """A place for values per query, as `PerQuery.write_per_query` has it.

    Attributes:
        path: of a file, a folder or a database; None for a table of Spark.
        wide: whether each metric has a column.
    """

    path: str | Path | None
    table: str | None = None
    run_id: str | None = None
    partition_by: Sequence[str] = ()
    mode: str | None = None
    wide: bool = False


@dataclass(frozen=True)
class LogPlace:
    """A place in a log of runs, as `Evaluation.log` has it.

    Attributes:
        path: a DuckDB file, or a folder.
        time: of the run, None for now.
        tags: facts about the run that its caller knows, such as the commit.
        values: whether the values per query are logged, too.
        replace: whether a run of the same name is replaced; otherwise it is refused.
    """

    path: Path
    run_id: str | None = None
    time: datetime | None = None
    tags: tuple[tuple[str, str], ...] = ()
    values: bool = False
    replace: bool = False

    @classmethod
    def of(
        cls,
        path: str | Path,
        run_id: str | None = None,
        time: str | datetime | None = None,
        tags: Mapping[str, str] | None = None,
        values: bool = False,
        replace: bool = False,
    ) -> LogPlace:
        """Return the place that a caller names.

        Raises:
            MetricError: the time cannot be read.
        """
        known = tuple((str(name), str(tag)) for name, tag in (tags or {}).items())
        return cls(Path(path).expanduser(), run_id, read_time(time), known, values, replace)


class Tables(Explained, Protocol):
    """Reads the tables that an evaluation kept, when somebody asks for them."""

    def summary(self) -> pa.Table:
        """Return one row per system, slice and metric."""
        ...

    @property
    def charts(self) -> Mapping[str, tuple[str, Mapping[str, str]]]:
        """The tables that are drawn: name -> its drawing, and the parameters that keep it small."""
        ...

    def per_query(self) -> pa.Table:
        """Return one row per system, metric and query."""
        ...

    def per_query_frame(self, wide: bool) -> DataFrame:
        """Return the values per query as a frame of Spark."""
        ...

    def write_per_query(self, place: TargetPlace) -> None:
        """Write the values per query to Parquet, or to a table."""
        ...

    def log(self, evaluation: Any, place: LogPlace) -> str:
        """Append an evaluation to a log of runs, and return the name of the run."""
        ...

    def state(self, path: Path, grid: int | None) -> None:
        """Write what `merge` needs to a file."""
        ...

    def earlier(self, evaluation: Any, log: LogPlace) -> Earlier:
        """Return the runs of a log before this one, which may be in it already."""
        ...

    def table(self, spec: str, params: Mapping[str, Any], /) -> pa.Table:
        """Return a table such as a curve."""
        ...

    def movers(self, baseline: str, n: int) -> pa.Table:
        """Return the queries that gain and lose most."""
        ...

    def differences(self, baseline: str, points: int) -> pa.Table:
        """Return quantiles of the differences of queries from a baseline."""
        ...

    def report(
        self, result: Any, path: str | Path | None, title: str | None, ids: bool,
        otherwise: Sequence[Mapping[str, Any]] | None = None, trend: Developing | None = None,
        board: Any = None,
    ) -> Report:  # fmt: skip
        """Return the report of an evaluation, or of a comparison, and write it if there is a path."""
        ...

    def longest(self) -> int:
        """Return the number of places of the longest list."""
        ...

    def again(self, specs: Sequence[str], /) -> tuple[dict[str, Any], ...]:
        """Return the overall values of other metrics of the same predictions, with intervals."""
        ...

    def write_picture(self, path: Path, format_: str, text: str) -> None:
        """Write a picture to a file, if that is an output of ours or new."""
        ...


class Mergeable:
    """A result that can be merged with those of other days."""

    _tables: Tables

    def state(self, path: str | Path, *, grid: int | None = None) -> None:
        """Write a state: what `merge` needs to put the results of several days together without their rows.

        Of rankings, these are the values per query; of classifiers, the distinct rows of slice, cluster,
        group, label, score and weight, with their number. Slices and clusters are those of this evaluation.

        Args:
            path: a Parquet file, such as ``"2026-11-21.state.parquet"``.
            grid: round scores of classifiers to multiples of 1 / grid, which makes the file small; values of
                merged states are then those of rounded scores.

        Raises:
            MetricError: a metric that cannot be merged, or metrics of both families.
            InputError: the file must not be written, or a column has the name of one of the state.
            UnsupportedError: Spark has the rows.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            ev = duckmetrics.evaluate(clicks, metrics="auc")
            ev.state(folder / "monday.state.parquet")
            duckmetrics.merge(folder / "*.state.parquet")["auc"]  # 0.75
        """
        size = None if grid is None else positive_number("grid", grid, "steps between 0 and 1", 1000)
        self._tables.state(Path(path).expanduser(), size)


class PerQuery(Widened, Explainable):
    """A result with values per query.

    Attributes:
        first: the first system of a mapping.
    """

    first: str | None
    _tables: Tables

    @property
    @abstractmethod
    def systems(self) -> tuple[str | None, ...]:
        """The systems, in the order of the rows."""

    @property
    def per_query(self) -> pa.Table:
        """One row per system, metric and query: (system, metric, <by...>, query_id, value).

        Raises:
            MetricError: no metric of queries was asked for.
        """
        return readable(self._tables.per_query())

    def movers(self, n: int = 20, baseline: str | None = None) -> pa.Table:
        """Return the queries that gain and lose most against a baseline.

        Args:
            n: how many of each, for every metric and system.
            baseline: the system to compare with, the first of a mapping by default.

        Returns:
            (metric, system, direction, place, query_id, baseline_value, value, difference), the largest
            gains and the largest losses first; queries that are equal on both sides are left out.

        Raises:
            MetricError: one system only, no such baseline, or no metric of queries.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            ev = duckmetrics.evaluate({"A": run, "B": other}, qrels, "mrr")
            ev.movers(n=1)["query_id"].to_pylist()  # ['q1']
        """
        if len(self.systems) < 2:
            raise MetricError("movers", "one system only", "evaluate two or more, and name the baseline")
        if baseline is not None:
            self._refuse_unknown(baseline)
        if whole_number(n) < 1:
            raise MetricError(
                "movers", f"n={n!r} is not a number of queries", "write a whole number such as 20"
            )
        chosen = baseline or self.first
        if chosen is None:
            raise MetricError("movers", f"name the baseline, one of {', '.join(map(str, self.systems))}")
        return readable(self._tables.movers(chosen, whole_number(n)))

    def _refuse_unknown(self, baseline: str) -> None:
        known = list(map(str, self.systems))
        if baseline not in known:
            raise MetricError(f"baseline {baseline!r}", "not evaluated", suggestion(str(baseline), known))

    def differences(self, baseline: str, *, points: int = 101) -> pa.Table:
        """Return the differences per query from a baseline as quantiles, see `Comparison.differences`.

        Raises:
            MetricError: no such system, no number of points, or no metric of queries.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            ev = duckmetrics.evaluate({"A": run, "B": other}, {"q1": {"b": 1}, "q2": {"b": 1}}, "mrr")
            ev.differences("A")["difference"].to_pylist()  # [0.0, 0.5]
        """
        self._refuse_unknown(baseline)
        if whole_number(points) < 2:
            raise MetricError("points", f"{points!r} is not a number of quantiles", "write 2 or more")
        return readable(self._tables.differences(baseline, whole_number(points)))

    def per_query_frame(self, wide: bool = False) -> DataFrame:
        """Return the values per query as a DataFrame of Spark; the rows stay with the executors.

        Args:
            wide: one row per system and query, with a column per metric; by default, each metric has a row,
                as in `per_query`.

        Raises:
            UnsupportedError: DuckDB has the rows; `per_query` returns them.
            MetricError: no metric of queries was asked for.

        Example:
            ev = duckmetrics.evaluate("predictions", "truth", ["ndcg@10", "map"], engine=spark)
            ev.per_query_frame(wide=True).where("map < 0.1").show()
        """
        return self._tables.per_query_frame(wide)

    def write_per_query(
        self, path: str | Path | None = None, table: str | None = None, run_id: str | None = None,
        partition_by: str | Sequence[str] = (), mode: str | None = None, wide: bool = False,
    ) -> None:  # fmt: skip
        """Write the per-query values to Parquet, or to a table, without reading them into Python.

        The path can be that of an object, such as ``s3://bucket/values.parquet``. Spark writes a folder of
        such files.

        Args:
            table: append the values to this table of the DuckDB database `path` instead; see
                `duckmetrics.append`. On Spark, a table of its catalog, without a path.
            run_id: the name of the run in the table; by default, a new one in DuckDB, and no such column on
                Spark.
            partition_by: columns, such as the system or a slice, whose values become folders below `path`,
                as in ``day=2026-11-01/data_0.parquet``, or the partitions of a table of Spark.
            mode: what Spark does with rows that are there: ``"new"``, the default, refuses to touch them;
                ``"append"`` or ``"overwrite"``.
            wide: on Spark, one row per system and query, with a column per metric.

        Raises:
            MetricError: no metric of queries was asked for, or there is no column to partition by.
            InputError: the file, or the table, cannot take the values.
            UnsupportedError: something that is for Spark, in DuckDB.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            ev = duckmetrics.evaluate(run, {"q1": {"b": 1}, "q2": {"b": 1}}, "mrr")
            ev.write_per_query(folder / "values.parquet")
        """
        columns = [partition_by] if isinstance(partition_by, str) else list(partition_by)
        self._tables.write_per_query(TargetPlace(path, table, run_id, columns, mode, wide))
