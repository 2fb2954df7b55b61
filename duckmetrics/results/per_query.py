"""The tables that an evaluation kept, and what is read from its values per query."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.errors import MetricError, suggestion
from duckmetrics.results.explanation import Explainable, Explained
from duckmetrics.results.tabular import Widened, readable
from duckmetrics.words.rounding import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from duckmetrics.pages.report import Report


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
        otherwise: Sequence[Mapping[str, Any]] | None = None,
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
