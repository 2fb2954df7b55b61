"""The tables that an evaluation keeps, which its results are read from."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.catalog.specs import has_several, parse_table
from duckmetrics.catalog.switches import is_idle
from duckmetrics.compose.composer import Composer
from duckmetrics.engines import results_database, targets
from duckmetrics.engines.engine import Feature
from duckmetrics.engines.results_database import Rows
from duckmetrics.errors import MetricError, UnsupportedError, unknown
from duckmetrics.expressions.build import everything, quoted, stacked
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.earlier import EarlierRuns
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.report_data import Opened
    from duckmetrics.pages.curves import Developing
    from duckmetrics.pages.report import Report
    from duckmetrics.results.comparison import Comparison
    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.explanation import ExplainedGroups, Explanation
    from duckmetrics.results.per_query import LogPlace, TargetPlace


MOVERS = "movers"


class KeptTables:
    """Reads what an evaluation kept: the summary and the values per query; other tables are computed again.

    Args:
        session: the session of the evaluation, which computes further tables and metrics.
    """

    def __init__(
        self,
        catalog: Catalog,
        engine: Engine,
        parts: Sequence[FamilyEvaluation],
        session: Opened,
    ) -> None:
        self.table = session.table
        self.again = session.again
        self.charts = catalog.charts
        self._catalog = catalog
        self._engine = engine
        self._summaries = [part.summary for part in parts]
        per_query = [part.per_query for part in parts if part.per_query is not None]
        several = [everything(query.subquery("per_query")) for query in per_query]
        self._per_query = stacked(several) if len(several) > 1 else next(iter(per_query), None)
        self._session, self._parts = session, parts
        self._logged: list[str] = []  # the names of the runs that this evaluation was logged as
        self._lower = [m.text for part in parts for m in part.measures if m.lower_is_better]

    def has_several(self, spec: str, name: str, value: Any) -> bool:
        """Return whether a parameter of a table has several values, each of which gives rows of its own."""
        return has_several(self._catalog, spec, name, value)

    def drawn_with(self, spec: str, small: Mapping[str, str], params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a drawn table: those given, and those of its chart that have effect."""
        alone = {n: v for n, v in params.items() if not self.has_several(spec, n, v)}
        table = parse_table(self._catalog, spec, alone)
        kept = {n: v for n, v in small.items() if not is_idle(self._catalog, table.metric, n, table.values)}
        return {**kept, **params}

    def summary(self) -> pa.Table:
        """Return one row per system, slice and metric."""
        return concatenated([self._engine.results().arrow(summary) for summary in self._summaries])

    def per_query(self) -> pa.Table:
        """Return one row per system, metric and query.

        Raises:
            MetricError: no metric of queries was asked for.
        """
        return self._engine.arrow(self._queries())

    def per_query_frame(self, wide: bool) -> DataFrame:
        """Return the values per query as a frame of Spark.

        Raises:
            MetricError: no metric of queries was asked for.
            UnsupportedError: another engine has the rows.
        """
        return cast("DataFrame", self._engine.frame(self._shaped(wide)))

    def write_per_query(self, place: TargetPlace) -> None:
        """Write the values per query to Parquet or a table, without reading them into Python.

        Raises:
            MetricError: the parts of the place do not fit together.
            UnsupportedError: the engine has no such place.
        """
        query = self._shaped(place.wide) if place.wide else self._signed()
        columns = self._partitions(place.partition_by, query)
        if self._engine.supports(Feature.TABLES):
            self._write_with_spark(query, columns, place)
            return
        for option, given in (("mode", place.mode), ("wide", place.wide)):
            if given:
                raise UnsupportedError(option, "is for Spark, and DuckDB has these rows", "leave it out")
        if place.table is not None and place.path is None:
            self._engine.save(query, place.table)
        path = _path_of(place)
        if place.table is None:
            targets.refuse_other_suffix(Path(path))
            self._engine.copy(query, path, columns)
            return
        if place.partition_by:
            raise MetricError(
                "partition_by", "is of Parquet files, and a table is named", "drop one of the two"
            )
        results_database.refuse(path, [place.table])
        with TemporaryDirectory(prefix="duckmetrics-") as folder:
            draft = Path(folder) / "rows"
            self._engine.copy(query, draft)
            results_database.append(path, [Rows(place.table, draft)], place.run_id)

    def _write_with_spark(self, query: exp.Query, columns: Sequence[str], place: TargetPlace) -> None:
        if place.run_id is not None:
            named = literal(place.run_id).as_("run_id")
            query = exp.select(named, exp.Star()).from_(query.subquery("per_query"))
        if place.table is None:
            self._engine.copy(query, _path_of(place), columns, place.mode)
            return
        if place.path is not None:
            what = "a table of Spark has no path"
            raise MetricError("write_per_query", what, "leave out one of path and table")
        self._engine.save(query, place.table, columns, place.mode)

    def _partitions(self, columns: Sequence[str], query: exp.Query) -> list[str]:
        """Return the columns that name folders.

        Raises:
            MetricError: the values per query have no such column.
        """
        values = {"value", "query_id", "signature", *self._metrics()}
        known = [name for name, _ in self._engine.columns(query) if name not in values] if columns else []
        for column in columns:
            if column not in known:
                raise MetricError("partition_by", *unknown("column", column, known))
        return [*columns]

    def _shaped(self, wide: bool) -> exp.Query:
        """Return the values per query, each metric in a row or in a column."""
        query = self._queries()
        if not wide:
            return query
        keys = [name for name, _ in self._engine.columns(query) if name not in ("metric", "value")]
        values = [exp.alias_(_value_of(name), name, quoted=True) for name in self._metrics()]
        grouped = exp.select(*map(quoted, keys), *values).from_(query.subquery("per_query"))
        return grouped.group_by(*map(quoted, keys))

    def _signed(self) -> exp.Query:
        """Return the values per query with the signature of each metric, so that they can be read again."""
        signature = exp.Case(this=exp.column("metric"))
        for part in self._parts:
            for measure in part.measures:
                signature = signature.when(literal(measure.text), literal(measure.signature), copy=False)
        query = self._queries()
        return exp.select(exp.Star(), signature.as_("signature")).from_(query.subquery("per_query"))

    def _metrics(self) -> list[str]:
        """Return the metrics with values per query, as typed."""
        return [m.text for part in self._parts if part.per_query is not None for m in part.measures]

    def movers(self, baseline: str, n: int) -> pa.Table:
        """Return the queries that gain and lose most against a baseline."""
        from duckmetrics.inference.units import over_rows

        found = over_rows(self._catalog, MOVERS, self._queries(), {"baseline": baseline, "n": n})
        return self._engine.arrow(_with_losses_where_more_is_worse(found, self._lower))

    def longest(self) -> int:
        """Return the number of places of the longest list."""
        return self._session.longest()

    def report(
        self, result: Evaluation | Comparison, path: str | Path | None, title: str | None, ids: bool,
        otherwise: Sequence[Mapping[str, Any]] | None = None, trend: Developing | None = None,
        board: Any = None,
    ) -> Report:  # fmt: skip
        """Return the report of an evaluation, or of a comparison, and write it if there is a path.

        Args:
            board: the leaderboard of the evaluation, if the report is one of it.
        """
        from duckmetrics.evaluation.report_data import Material, report_of

        material = Material(self._session, self._parts, self._per_query)
        made = report_of(result, material, title, ids, otherwise, trend, board)
        if path is not None:
            targets.NewFiles().write_page(path, made.html)
        return made

    def differences(self, baseline: str, points: int) -> pa.Table:
        """Return quantiles of the differences of queries from a baseline."""
        composer = Composer(self._catalog, {"per_query": self._queries()})
        step = composer.relation("difference_quantiles", {"baseline": baseline, "points": points})
        query = exp.select("*").from_(step)
        for key in ("system", "metric", "place"):
            query = query.order_by(exp.Ordered(this=exp.column(key), desc=False))
        return self._engine.arrow(composer.complete(query))

    def log(self, evaluation: Evaluation, place: LogPlace) -> str:
        """Append an evaluation to a log of runs, and return the name of the run."""
        from duckmetrics.evaluation.logged import log

        run = log(evaluation, place, self._session, self._per_query)
        self._logged.append(run)
        return run

    def state(self, path: Path, grid: int | None) -> None:
        """Write what `merge` needs to a file."""
        from duckmetrics.evaluation.states import write_state

        write_state(self._session, self._parts, path, grid)

    def earlier(self, evaluation: Evaluation, log: LogPlace) -> EarlierRuns:
        """Return the runs of a log before this one, which may be in it already."""
        from duckmetrics.evaluation.earlier import EarlierRuns

        own = {*self._logged, *filter(None, [log.run_id])}
        shape = evaluation.groupings, evaluation.level, log.time
        return EarlierRuns(log.path, own, self._session, self._per_query, *shape)

    def write_picture(self, path: Path, format_: str, text: str) -> None:
        """Write a picture to a file, if that is an output of ours or new."""
        targets.NewFiles().write_picture(path, format_, text)

    def explain(
        self, query: Any, by: str | None, metric: str | None, **asked: Any
    ) -> Explanation | ExplainedGroups:
        """Explain the value of one query, a mean by groups of items, or a value by groups of rows.

        Raises:
            MetricError: no metric of rankings was evaluated.
        """
        from duckmetrics.evaluation.explaining import ExplainArguments, explained_groups, explainer_of
        from duckmetrics.evaluation.explaining_rows import explained_rows

        with self._engine.exclusive(keep=False):
            self._session.refuse_changed()
            rows = self._part_of(metric)
            if by is not None and rows.measures[0].family == CLASSIFICATION:
                return explained_rows(self._session, rows, by, metric, ExplainArguments(**asked))
            explainer = explainer_of(self._session, self._parts)
            if by is not None:
                return explained_groups(explainer, by, metric, ExplainArguments(**asked))
            return explainer.query(query, metric, ExplainArguments(**asked))

    def _part_of(self, metric: str | None) -> FamilyEvaluation:
        """Return the part with a metric, by default the first one."""
        parts = [part for part in self._parts if metric in (None, *(m.text for m in part.measures))]
        return parts[0]

    def _queries(self) -> exp.Query:
        if self._per_query is None:
            if all(measure.family == CLASSIFICATION for part in self._parts for measure in part.measures):
                what, advice = (
                    "classifiers have no values of queries",
                    "take slices, or a table of groups (curve)",
                )
                raise MetricError("per_query", what, advice)
            raise MetricError("per_query", "no metric of queries was asked for", "add one, such as 'ndcg@10'")
        return self._per_query


def _value_of(metric: str) -> exp.Expr:
    """Return the value of one metric, in rows of all metrics of a query."""
    is_of_metric = exp.column("metric").eq(literal(metric))
    return exp.Max(this=exp.Case().when(is_of_metric, exp.column("value")))


def _path_of(place: TargetPlace) -> str | Path:
    if place.path is None:
        raise MetricError("write_per_query", "neither a path nor a table", "name one")
    return place.path


def concatenated(parts: list[pa.Table]) -> pa.Table:
    """Put tables of Arrow one below the other; a column that one lacks is NULL there."""
    import pyarrow as pa

    return parts[0] if len(parts) == 1 else pa.concat_tables(parts, promote_options="permissive")


def _with_losses_where_more_is_worse(movers: exp.Query, lower: Sequence[str]) -> exp.Query:
    """Swap gain and loss for metrics where lower is better."""
    if not lower:
        return movers
    direction = exp.column("direction")
    turned = exp.Case(this=direction.copy()).when(literal("gain"), literal("loss")).else_(literal("gain"))
    worse = exp.In(this=exp.column("metric"), expressions=list(map(literal, lower)))
    shown = exp.Case().when(worse, turned).else_(direction).as_("direction")
    names = [shown if name == "direction" else exp.column(name) for name in movers.named_selects]
    query = exp.select(*names).from_(movers.subquery("movers"))
    for key in ("system", "metric", "direction", "place"):
        query = query.order_by(exp.Ordered(this=exp.column(key, "movers"), desc=False))
    return query
