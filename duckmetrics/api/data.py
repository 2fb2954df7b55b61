"""Data that are read once, and the questions that are asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.api.options import (
    COMPARISON,
    CONVENTIONS,
    EVALUATION,
    EXPLAIN,
    LEADERBOARD,
    PLAIN,
    PLAN,
    SAMPLED,
    IntervalOptions,
    SliceOptions,
    chosen,
    declared,
    names_of,
    others,
)
from duckmetrics.catalog.catalog import add as add_definitions
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import DIALECT, RANKING
from duckmetrics.catalog.presets import preset
from duckmetrics.catalog.spec_paths import SUFFIX
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.catalog.specs import refuse_metrics_as_truth
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import MetricError, UnsupportedError
from duckmetrics.evaluation.attached import AttachedTables
from duckmetrics.evaluation.session import opened
from duckmetrics.inputs.interval_options import LEVEL, PAIRED, read_inference, read_intervals
from duckmetrics.inputs.request import asked_of, read_request
from duckmetrics.inputs.slices import read_slices
from duckmetrics.inputs.sources import is_of_spark
from duckmetrics.results.evaluation import Evaluation
from duckmetrics.results.tabular import readable
from duckmetrics.switches import TableParameters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Unpack

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from duckmetrics.api.comparing import EvaluatedSystems
    from duckmetrics.api.options import (
        ComparisonOptions,
        ConventionsOptions,
        EvaluationOptions,
        ExplainOptions,
        LeaderboardOptions,
        Metrics,
        PlainOptions,
        PlanOptions,
        SampledOptions,
    )
    from duckmetrics.checks.findings import Findings
    from duckmetrics.comparison.comparer import Comparer
    from duckmetrics.comparison.corrections import SampledEvaluation
    from duckmetrics.comparison.leaderboard import Leaderboard
    from duckmetrics.comparison.peers import ToolComparison
    from duckmetrics.comparison.plan import Plan
    from duckmetrics.comparison.ties import TieReport
    from duckmetrics.comparison.trend import Trend
    from duckmetrics.engines.engine import Engine, Memory
    from duckmetrics.evaluation.session import Session
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role
    from duckmetrics.pages.report import Report
    from duckmetrics.results.comparison import Comparison
    from duckmetrics.results.explanation import ExplainedGroups, Explanation


class Data:
    """Predictions, a truth, and the other tables of an evaluation, which are read once for all questions.

    `data` makes it. Each method answers a question, as the function of the same name does, without the
    arguments about the data.

    Example:
        run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
        data = duckmetrics.data(run, {"q1": {"b": 1}, "q2": {"b": 1}})
        data.evaluate("mrr")["mrr"]  # 0.75
        len(data.check("mrr"))  # 0
    """

    def __init__(self, request: Request, engine: Engine, memory: Memory | None = None) -> None:
        self._request = request
        self._engine = engine
        self._memory = memory
        self._tables = AttachedTables(request, engine)

    def __repr__(self) -> str:
        lines = [f"  {role:<11}  {text}" for role, text in self._tables.described()]
        return "\n".join(["Data", *lines])

    def read(self) -> None:
        """Read the tables now.

        Raises:
            InputError: there is no such table, or it cannot be read.
        """
        with self._opened(self._request) as session:
            for role, table in self._request.tables.items():
                of_role = table.values() if isinstance(table, Mapping) else (table,)
                for one in of_role:
                    if one is None or isinstance(one, Evaluation):
                        continue
                    session.attach(one, cast("Role", role))

    @declared(*EVALUATION)
    def evaluate(self, metrics: Metrics = None, **options: Unpack[EvaluationOptions]) -> Evaluation:
        """Compute metrics, see `evaluate`.

        Args:
            metrics: specs such as ``"ndcg@10"``.
        """
        given = cast("dict[str, Any]", options)
        inference = read_intervals(*_intervals(given))
        request = self._asked(given, EVALUATION, inference, verify=given["verify"], chunks=given["chunks"])
        with self._opened(request) as session:
            return session.evaluation(session.measures(session.specs(metrics)))

    @declared(TableParameters)
    def curve(self, table: str, **params: Unpack[TableParameters]) -> pa.Table:
        """Return a table of a classifier, see `curve`.

        Args:
            table: its spec, such as ``"roc_curve"``.
        """
        self._refuse_others("curve")
        with self._opened(self._request, keep=False) as session:
            return readable(session.table(table, cast("dict[str, Any]", params)))

    @declared(*PLAIN)
    def check(self, metrics: Metrics = None, **options: Unpack[PlainOptions]) -> Findings:
        """Look for problems that would make results wrong, or impossible, see `check`.

        Args:
            metrics: the metrics to evaluate, whose inputs are checked.
        """
        from duckmetrics.evaluation.data_check import inspected, usual_check

        self._refuse_others("check")
        with self._opened(self._asked(options, PLAIN), keep=False) as session:
            return inspected(session, read_specs(usual_check(session) if metrics is None else metrics))

    @declared(*COMPARISON, interval=LEVEL, test=PAIRED)
    def compare(self, metrics: Metrics = None, **options: Unpack[ComparisonOptions]) -> Comparison:
        """Compare systems with a baseline, see `compare`.

        Args:
            metrics: specs such as ``"ndcg@10"``.
        """
        from duckmetrics.api.comparing import compared_with, read_comparer

        given = cast("dict[str, Any]", options)
        comparer = read_comparer(read_inference(*_intervals(given)), given)
        with self._compared(comparer, metrics, given, COMPARISON) as found:
            return compared_with(comparer, found, given["baseline"])

    @declared(*LEADERBOARD, interval=LEVEL)
    def leaderboard(self, metrics: Metrics = None, **options: Unpack[LeaderboardOptions]) -> Leaderboard:
        """Rank all systems, the best first, and test every pair of them, see `leaderboard`.

        Args:
            metrics: specs such as ``"ndcg@10"``.
        """
        from duckmetrics.api.comparing import read_contest
        from duckmetrics.comparison.contest import leaderboard

        given = cast("dict[str, Any]", options)
        comparer = read_contest(read_inference(*_intervals(given)), given)
        with self._compared(comparer, metrics, given, LEADERBOARD) as found:
            return leaderboard(comparer, found.session, found.parts)

    @declared(*PLAN)
    def plan(self, metrics: Metrics = None, **options: Unpack[PlanOptions]) -> Plan:
        """Return how many units a comparison needs, see `plan`.

        Args:
            metrics: specs such as ``"ndcg@10"``.
        """
        from duckmetrics.api.comparing import read_pilot
        from duckmetrics.comparison.planner import pilots_of, planned_from, read_goal, read_share

        self._refuse_others("plan", values=True, duckdb_only=True)
        given = cast("dict[str, Any]", options)
        goal, share, unpaired = read_goal(given), read_share(given["share"]), given["unpaired"]
        comparer = read_pilot(given, self._has_systems)
        with self._compared(comparer, metrics, given, PLAN, sliced=False) as (session, parts, _):
            pilots, is_paired = pilots_of(comparer, session, parts, given["baseline"], unpaired)
            return planned_from(session.engine, pilots, goal, parts, share, is_paired)

    @declared(*EXPLAIN)
    def explain(
        self, metrics: Metrics = None, **options: Unpack[ExplainOptions]
    ) -> Explanation | ExplainedGroups:
        """Show which items or rows make a value, or the difference of two systems, see `explain`.

        Args:
            metrics: of several, the first one that is a sum over items, or rows, is explained.
            items: a table keyed by item_id with columns of the items; by default, that of the data.
        """
        from duckmetrics.evaluation.explaining import refuse_unexplained

        self._refuse_others("explain")
        given = cast("dict[str, Any]", options)
        query, by = given["query"], given["by"]
        items = self._request.items if given["items"] is None else given["items"]
        request = self._asked(given, EXPLAIN, sliced=False)
        request = replace(request, history=None, items=None, reference=None)
        shown = {"system": given["of"], **{name: given[name] for name in ("baseline", "show", "n")}}
        with self._opened(request, keep=False) as session:
            usual = session.usual if query is None else session.catalog.usual(RANKING)
            measures = session.measures(read_specs(usual if metrics is None else metrics))
            refuse_unexplained(session.catalog, measures, query)
            evaluation = session.evaluation(measures)
            answer: Explanation | ExplainedGroups = evaluation.explain(query, by=by, items=items, **shown)
            return answer

    def report(
        self,
        path: str | Path | None = None,
        metrics: Metrics = None,
        *,
        title: str | None = None,
        ids: bool = True,
        otherwise: Sequence[Mapping[str, Any]] | None = None,
        trend: Trend | None = None,
        **options: Unpack[ComparisonOptions],
    ) -> Report:
        """Return a report as one HTML page, of a comparison if there are several systems.

        Args:
            path: the file, such as ``"report.html"``; by default, none is written.
            metrics: specs such as ``"ndcg@10"``.
            title, ids, otherwise, trend: as for `Comparison.report`; the third one is for comparisons.
            **options: as for `compare`; without several systems, as for `evaluate`.
        """
        if self._has_systems or "baseline" in options:
            compared = self.compare(metrics, **options)
            return compared.report(path, title=title, ids=ids, otherwise=otherwise, trend=trend)
        if otherwise is not None:
            raise MetricError("otherwise", "is for several systems", "leave it out")
        given = cast("dict[str, Any]", {"interval": LEVEL, **options})
        return self.evaluate(metrics, **given).report(path, title=title, ids=ids, trend=trend)

    @declared(*PLAIN)
    def ties(self, metrics: Metrics = None, **options: Unpack[PlainOptions]) -> TieReport:
        """Report the effect of the order of equal scores on metrics of rankings, see `ties`.

        Args:
            metrics: specs such as ``"ndcg@10"``.
        """
        from duckmetrics.comparison.ties import tie_report

        self._refuse_others("ties", duckdb_only=True)
        with self._opened(self._asked(options, PLAIN, sliced=False), keep=False) as session:
            return tie_report(session, read_specs(catalog().usual(RANKING) if metrics is None else metrics))

    @declared(*SAMPLED)
    def sampled(self, metrics: Metrics = None, **options: Unpack[SampledOptions]) -> SampledEvaluation:
        """Estimate metrics over all items from rankings among sampled ones, see `sampled`.

        Args:
            metrics: specs such as ``"recall@10"``.
        """
        from duckmetrics.comparison.sampled import estimated, read_sampling

        self._refuse_others("sampled", duckdb_only=True)
        sampling = read_sampling(options, others(options, *SAMPLED))
        with self._opened(self._asked(options, SAMPLED, sliced=False), keep=False) as session:
            specs = read_specs(catalog().usual(RANKING) if metrics is None else metrics)
            return estimated(session, specs, sampling)

    @declared(*CONVENTIONS)
    def conventions(self, metrics: Metrics = None, **options: Unpack[ConventionsOptions]) -> ToolComparison:
        """Compute metrics under the conventions of every tool that has them, see `conventions`.

        Args:
            metrics: specs such as ``"ndcg@10"``.
        """
        from duckmetrics.comparison.peers import tools_side_by_side

        self._refuse_others("conventions", duckdb_only=True)
        like = cast("dict[str, Any]", options)["like"] or ()
        tools = [preset(name).name for name in ([like] if isinstance(like, str) else like)]
        specs = read_specs(catalog().usual(RANKING) if metrics is None else metrics)
        with self._opened(self._asked({**options, "like": None}, CONVENTIONS, sliced=False)) as session:
            return tools_side_by_side(session, specs, tools)

    def _refuse_others(self, question: str, values: bool = False, duckdb_only: bool = False) -> None:
        """Refuse a question that these data do not answer.

        Args:
            values: whether values per query without rows answer it.
            duckdb_only: whether Spark does not.
        """
        if duckdb_only and self._engine.dialect != DIALECT:
            raise UnsupportedError(question, "not on Spark", "write the rows to Parquet, and use DuckDB")
        if not values and self._request.predictions is None:
            what = "reads predictions, and only values per query are given"
            raise MetricError(question, what, "give the predictions")

    @property
    def _has_systems(self) -> bool:
        request = self._request
        if request.predictions is None:
            with self._opened(request) as session:
                return len(session.given_systems) > 1
        return request.system is not None or bool(request.systems)

    # --- sessions --------------------------------------------------------------------------------

    def _asked(
        self,
        options: Mapping[str, Any],
        groups: tuple[type, ...],
        inference: Inference | None = None,
        sliced: bool = True,
        **more: Any,
    ) -> Request:
        """Return the request with what a question asks of the data.

        Args:
            sliced: whether the answer has slices.
        """
        data = self._request
        if not sliced:
            where = {table: condition for table, condition in data.where.items() if table != "queries"}
            data = replace(data, by=(), computed={}, where=where)
        if SliceOptions in groups and options["by"] is not None:
            by, computed = read_slices(options["by"])
            data = replace(data, by=by, computed=computed)
        return asked_of(
            catalog(), data, like=options.get("like"), inference=inference,
            switches=others(options, *groups), **more,
        )  # fmt: skip

    @contextmanager
    def _opened(self, request: Request, keep: bool = True) -> Iterator[Session]:
        """Open a session on the tables, which later questions find attached."""
        with ExitStack() as open_:
            if self._memory is not None:
                open_.enter_context(self._engine.remembering(self._memory))
            self._tables.forget("population")
            self._tables.refuse_changed()
            is_kept = keep or self._memory is not None
            yield open_.enter_context(opened(request, self._engine, is_kept, self._tables))

    @contextmanager
    def _compared(
        self,
        comparer: Comparer,
        metrics: Metrics,
        given: Mapping[str, Any],
        groups: tuple[type, ...],
        sliced: bool = True,
    ) -> Iterator[EvaluatedSystems]:
        """Evaluate the systems to compare them."""
        from duckmetrics.api.comparing import compared

        request = self._asked(given, groups, comparer.inference, sliced, chunks=given.get("chunks"))
        with self._opened(request) as session:
            yield compared(comparer, session, metrics)


def _intervals(given: Mapping[str, Any]) -> list[Any]:
    """Return the options of intervals, in the order of those who read them."""
    return [given[name] for name in names_of(IntervalOptions)]


# The options of a connection.
CONNECTION = (
    "engine", "connection", "threads", "memory_limit", "temp_directory", "snapshot", "time_zone"
)  # fmt: skip


def data_for(
    predictions: Any,
    truth: Any,
    metrics: Metrics,
    options: Mapping[str, Any],
    *groups: type,
    memory: Memory | None = None,
) -> Data:
    """Return the data of a call.

    Args:
        options: all options of the call.
        groups: the groups of those that are about the data.
        memory: what questions leave to each other, None for a single one.

    Raises:
        MetricError: metrics in the place of the truth, or groupings of several kinds.
        InputError: an argument is not a table, or names none.
    """
    refuse_metrics_as_truth(truth, metrics, options["connection"])
    given = chosen(options, *groups)
    own = given.pop("definitions", None)
    if own or SUFFIX in str(metrics):  # the columns that they read are names for columns=
        add_definitions(own or ())
        read_specs(() if metrics is None else metrics)
    settings = {name: given.pop(name) for name in CONNECTION if name in given}
    request = read_request(predictions, truth, **given)
    if "engine" in settings and settings["engine"] is None:
        settings["engine"] = _session_of(predictions, truth, *options.values())
    return Data(request, open_engine(**settings), memory)


def _session_of(*tables: Any) -> SparkSession | None:
    """Return the session of the first DataFrame of Spark, None if no table is one."""
    for table in tables:
        for one in table.values() if isinstance(table, Mapping) else (table,):
            if is_of_spark(one):
                return cast("SparkSession", one.sparkSession)
    return None
