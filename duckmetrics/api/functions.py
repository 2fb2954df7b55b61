"""The functions of the package: a question that is asked of data once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.api.data import Data, data_for
from duckmetrics.api.options import (
    COMPARISON,
    CONVENTIONS,
    DATA,
    EVALUATION,
    EXPLAIN,
    LEADERBOARD,
    PLAIN,
    PLAN,
    SAMPLED,
    AttributeOptions,
    BaselineOptions,
    EngineOptions,
    GoalOptions,
    QuestionOptions,
    ReadOptions,
    RunOptions,
    SampleOptions,
    SideTableOptions,
    SliceOptions,
    SpreadOptions,
    TestOptions,
    ToolOptions,
    ValueOptions,
    chosen,
    declared,
    others,
)
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.specs import is_of_table
from duckmetrics.engines.engine import Memory
from duckmetrics.engines.opening import open_engine
from duckmetrics.engines.snapshots import ALWAYS
from duckmetrics.errors import MetricError
from duckmetrics.inputs.interval_options import LEVEL, PAIRED
from duckmetrics.results.evaluation import Evaluation
from duckmetrics.switches import TableParameters

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    import pyarrow as pa

    from duckmetrics.api import options as of
    from duckmetrics.api.options import Metrics
    from duckmetrics.checks.findings import Findings
    from duckmetrics.comparison.corrections import SampledEvaluation
    from duckmetrics.comparison.leaderboard import Leaderboard
    from duckmetrics.comparison.peers import ToolComparison
    from duckmetrics.comparison.plan import Plan
    from duckmetrics.comparison.ties import TieReport
    from duckmetrics.results.comparison import Comparison
    from duckmetrics.results.explanation import ExplainedGroups, Explanation


ONCE = (*DATA, *EVALUATION)
# What is about the data, of functions that do not take all of it.
ROWS = tuple(group for group in DATA if group is not ValueOptions)
LISTS = (ReadOptions, RunOptions)
DRAWN = (ReadOptions, SliceOptions, RunOptions, EngineOptions)
PLANNED = (ReadOptions, AttributeOptions, SideTableOptions, ValueOptions, RunOptions)
EXPLAINED = (ReadOptions, AttributeOptions, RunOptions, EngineOptions)
# All groups with options of comparisons.
ALL = (*DATA, *COMPARISON, *LEADERBOARD, *PLAN, SpreadOptions)


@declared(*DATA, full=DATA)
def data(predictions: Any = None, truth: Any = None, **options: Unpack[of.DataOptions]) -> Data:
    """Read data once, and ask them as many questions as you like.

    The columns that metrics need are copied into temporary tables, so that no later question reads, converts
    or checks the same rows again, and all answers are about the same rows. With ``snapshot="auto"`` or
    ``"never"``, local files and tables are read where they are, at every question.

    Args:
        predictions: for rankings a table with query_id, item_id and score (or rank), for classifiers
            one with label and score; or a mapping of system names to such tables. See `evaluate`.
        truth: a table with query_id, item_id and relevance; without one, the predictions carry
            a column label.
        snapshot: which tables are read once: ``"always"``, the default, for all of them; ``"auto"`` for those
            that are remote, text, or queries that do more than scan a table; or ``"never"``.

    Returns:
        The data, with a method for each question: `Data.evaluate`, `Data.compare`, `Data.check` and others.

    Raises:
        MetricError: groupings or an expression that cannot be read.
        InputError: there is no such table, file or column.
        EngineError: the database refused a query.

    Example:
        run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
        data = duckmetrics.data(run, {"q1": {"b": 1}, "q2": {"b": 1}})
        data.evaluate(["mrr", "recall@1"])["mrr"]  # 0.75
        data.ties("mrr").rows[0].n_dependent  # 0
    """
    given = cast("dict[str, Any]", options)
    copies = given["snapshot"] is None
    given = {**given, "snapshot": ALWAYS if copies else given["snapshot"]}
    found = data_for(predictions, truth, None, given, *DATA, memory=Memory() if copies else None)
    found.read()
    return found


@declared(ReadOptions, AttributeOptions, SliceOptions, RunOptions, EngineOptions)
def from_values(
    values: Any, *, lower_is_better: str | Sequence[str] | None = None, **options: Unpack[of.ValuesCall]
) -> Data:
    """Read values per query that were computed elsewhere: by a judge, a person, or another tool.

    Args:
        values: a table with query_id and a column for each metric, or with query_id, metric and value, and
            perhaps ``system``; a mapping of systems to such tables; ``{query: {metric: value}}``, as
            pytrec_eval returns it; a run of ranx with its scores; or the output of ``trec_eval -q``.
        lower_is_better: the metrics where a lower value is better.

    Returns:
        The values, with a method for each question that needs no rows: `Data.evaluate`, `Data.compare`,
        `Data.leaderboard`, `Data.plan` and `Data.report`.

    Raises:
        InputError: a table lacks a column, or has values that are not numbers, or two for a query.

    Example:
        judged = {"A": {"q1": {"judge": 0.2}, "q2": {"judge": 0.6}},
                  "B": {"q1": {"judge": 0.7}, "q2": {"judge": 0.9}}}
        data = duckmetrics.from_values(judged)
        data.evaluate().value("judge", system="B")  # 0.8
        round(data.compare(baseline="A").row("judge")["delta"], 4)  # 0.4
    """
    given: Any = {name: value for name, value in options.items() if value is not None}
    return data(values=values, lower_is_better=lower_is_better, **given)


@declared(*ONCE, full=ONCE)
def evaluate(
    predictions: Any = None, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.EvaluateCall]
) -> Evaluation:
    """Compute metrics of predictions against a truth, where the data are.

    Args:
        predictions: for rankings a table with query_id, item_id and score (or rank), for classifiers
            one with label and score: a path or glob, a DuckDB table or view, SQL, a relation, an
            Arrow, pandas or Polars frame, ``{query: {item: score}}``, or arrays by name; or a
            mapping of system names to such tables.
        truth: a table with query_id, item_id and relevance; without one, the predictions carry
            a column label.
        metrics: specs such as ``"ndcg@10"``, ``"map(norm=min_k)@100"`` or ``"auc"``. A name of both
            families, such as ``"precision"``, is a ranking metric if there is a truth or a cut-off,
            a classification metric if there is no query_id; ``"classification.precision"`` says so.
            By default ndcg@10, or auc for rows with a label.

    Returns:
        The values overall and by slice, with a signature of the conventions behind each.

    Raises:
        MetricError: a metric, parameter or switch cannot be read.
        InputError: the data cannot be evaluated as they are.
        UnsupportedError: the tool that `like` names has no such metric, or its way is not imitated.
        EngineError: the database refused a query.

    Example:
        run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
        qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
        ev = duckmetrics.evaluate(run, qrels, ["mrr", "recall@1"])
        ev["mrr"]  # 0.75
        clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
        duckmetrics.evaluate(clicks, metrics="auc")["auc"]  # 0.75
    """
    asked = data_for(predictions, truth, metrics, options, *DATA)
    return asked.evaluate(metrics, **_without_data(options))


@declared(*DRAWN, TableParameters)
def curve(predictions: Any, table: str, **options: Unpack[of.CurveCall]) -> pa.Table:
    """Return a table of a classifier, such as the points of its ROC curve.

    Args:
        predictions: a table with label and score, as for `evaluate`.
        table: its spec, such as ``"roc_curve"`` or ``"calibration_curve(bins=20)"``. The two may be
            in either order.
        **params: parameters of the table; a list of values gives the rows of each.

    Returns:
        The system and slice if there are several, then the columns of the table.

    Raises:
        MetricError: no such table, or a parameter that cannot be read.
        InputError: the data cannot be evaluated as they are.
        EngineError: the database refused a query.

    Example:
        clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
        points = duckmetrics.curve(clicks, "roc_curve")
        points["fpr"].to_pylist()  # [0.0, 0.0, 0.5, 0.5, 1.0]
        points["tpr"].to_pylist()  # [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    if _names_table(predictions) and not _names_table(table):
        predictions, table = table, predictions  # as on the command line, where the table comes first
    asked = data_for(predictions, None, None, options, *DRAWN)
    return asked.curve(table, **_without_data(options))


def _names_table(given: Any) -> bool:
    return isinstance(given, str) and is_of_table(catalog(), given)


@declared(*ROWS, *PLAIN)
def check(
    predictions: Any, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.CheckCall]
) -> Findings:
    """Look for problems that would make results wrong, or impossible, before any is computed.

    It runs all checks of `evaluate` and more, and reports all findings at once. Bad data do not raise an
    error: a problem that `evaluate` would refuse is a finding of severity error.

    Args:
        metrics: the metrics to evaluate, as for `evaluate`; their inputs are checked, at their cut-offs.
            By default ``ndcg@10`` if there is a truth or a query_id, else ``auc``. A history, a catalogue
            and a reference run are checked even if no metric reads them; next to one of them, there may be
            no truth, and the default is ``personalization@10``.

    Returns:
        The findings, the worst first; empty if the data are clean.

    Raises:
        MetricError: a metric, parameter or switch cannot be read.
        InputError: there is no such table.
        EngineError: the database refused a query.

    Example:
        run = {"q1": {"a": 0.5, "b": 0.5}}
        findings = duckmetrics.check(run, {"q1": {"b": 1}}, "mrr")
        [finding.check for finding in findings.warnings]  # ['constant_score']
        len(findings.errors)  # 0
    """
    asked = data_for(predictions, truth, metrics, options, *ROWS)
    return asked.check(metrics, **_without_data(options))


@declared(*DATA, *COMPARISON, full=(BaselineOptions, TestOptions), interval=LEVEL, test=PAIRED)
def compare(
    predictions: Any = None, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.CompareCall]
) -> Comparison:
    """Compare systems with a baseline: are the differences larger than chance explains?

    All systems are evaluated on one population, and compared query by query, or for classifiers cluster by
    cluster. If the systems have different units, use ``unpaired=True``. The p-values of all comparisons of a
    call are adjusted together, but separately for each slicing.

    Args:
        predictions: a mapping of system names to tables, or one table with ``system=``. Or a mapping of
            system names to results of `evaluate`, with one system in each result. Their values per query are
            then compared.

    Returns:
        A row for every system, slice and metric: value, difference to the baseline, interval, effect size,
        p, adjusted p, the smallest difference that the test can detect, and a verdict in words. With a
        margin, a row also has the margin, and p of "not worse" and "equivalent". With ``pairs=True``,
        `Comparison.pairs` has the same for every pair of systems.

    Raises:
        MetricError: a metric, switch, test or method cannot be read, no such baseline, or an aggregation
            that is not a mean.
        InputError: the data cannot be evaluated, or the systems have values of different queries or
            rows, or of other conventions.
        EngineError: the database refused a query.

    Source:
        Smucker, Allan and Carterette, CIKM 2007, doi:10.1145/1321440.1321528; Urbano, Lima and Hanjalic,
        SIGIR 2019, doi:10.1145/3331184.3331259; Holm, Scandinavian Journal of Statistics 1979.

    Example:
        tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
        result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
        result.row("ndcg@10")["delta"]  # 0.1929
        result.row("ndcg@10")["verdict"]  # 'better'
    """
    _refuse_unread("compare", predictions, truth, options)
    asked = data_for(predictions, truth, metrics, options, *DATA)
    return asked.compare(metrics, **_without_data(options))


@declared(*DATA, *LEADERBOARD, interval=LEVEL)
def leaderboard(
    predictions: Any = None, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.LeaderboardCall]
) -> Leaderboard:
    """Rank all systems, the best first, and test every pair of them.

    A place alone is not enough, because two means almost always differ. Each system also gets letters, an
    interval of its rank, and its chance to be the best. Two systems share a letter if no test distinguishes
    them.

    Args:
        test: the test of a pair: ``"paired_t"`` by default, or another one, see `compare`.
        adjust: how p is adjusted for the number of pairs of a metric. The default is ``"holm"``, or
            ``"none"`` if the test itself covers all pairs of systems, as ``"tukey"`` does. The slices of a
            slicing are one family, and the overall results of a metric are another one.
        margin: the largest difference that does not matter, as for `compare`, or a share of the value of the
            best system. Each system is then also tested against the best one, for the verdicts "equivalent"
            and "not worse". Their p-values are adjusted for the number of pairs, because the data decide
            which system is the best. Letters and ranks do not depend on the margin.
        resamples: the number of resamples of a test that resamples, and of the chances to be the best; by
            default, a chance comes from up to 2000 resamples.
        seed: another seed draws other resamples.

    Returns:
        A row for every system, slice and metric, the best first: value with its interval, place, interval
        of the rank, letters, difference to the best system with its adjusted p, chance to be the best, and a
        verdict in words.

    Raises:
        MetricError: one system only, a metric, switch, test or method that cannot be read, a metric without a
            best value, or an aggregation that is not a mean.
        InputError: the data cannot be evaluated, or the systems have values of different queries or rows.
        EngineError: the database refused a query.

    Source:
        Ranks from tests of all pairs: Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024,
        doi:10.1093/restud/rdad006; letters: Piepho, Journal of Computational and Graphical Statistics 2004,
        doi:10.1198/1061860043515.

    Example:
        tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
        result = duckmetrics.leaderboard(*tables, "ndcg@10", system="system")
        result.verdict  # 'pixels is the best of 2 systems'
        result.rows[1]["tier"]  # 'b'
    """
    _refuse_unread("leaderboard", predictions, truth, options)
    asked = data_for(predictions, truth, metrics, options, *DATA)
    return asked.leaderboard(metrics, **_without_data(options))


@declared(*PLANNED, *PLAN, SpreadOptions, full=(GoalOptions, SpreadOptions))
def plan(
    predictions: Any = None, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.PlanCall]
) -> Plan:
    """Return how many units a comparison needs, and which difference it finds with the units that you have.

    The standard deviation comes from your data: from the differences of systems per query, or per cluster.
    If the data have only one system, it comes from the values of this system, and the plan is for two arms
    with different units. Without predictions, give ``sd``, ``rate`` or ``past``.

    Args:

    Raises:
        MetricError: neither difference nor units, a number that is not allowed, or no known spread.
        InputError: the data cannot be evaluated or compared.
        EngineError: the database refused a query.

    Source:
        Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, doi:10.4324/9780203771587

    Example:
        result = duckmetrics.plan(sd=0.2, difference=0.02)
        result.rows[0]["units"]  # 787
    """
    given = cast("dict[str, Any]", options)
    spread = chosen(given, SpreadOptions)
    if all(table is None for table in (predictions, given["system"], given["score"], given["values"])):
        return _planned_from_numbers(given, metrics)
    if any(number is not None for number in spread.values()):
        raise MetricError("plan", "predictions together with sd, rate or past", "give either")
    _refuse_unread("plan", predictions, truth, options)
    asked = data_for(predictions, truth, metrics, options, *PLANNED)
    return asked.plan(metrics, **others(given, *PLANNED, SpreadOptions))


def _planned_from_numbers(given: Mapping[str, Any], metrics: Metrics) -> Plan:
    from duckmetrics.comparison.planner import planned_from_numbers, planned_from_past, read_goal, read_share

    goal = read_goal(given)
    share = read_share(given["share"])
    switches = others(given, *PLANNED, *PLAN, SpreadOptions)
    if switches:
        raise MetricError(
            next(iter(switches)), "belongs to metrics of data, and no data are given", "leave it out"
        )
    if given["past"] is None:
        return planned_from_numbers(goal, given["sd"], given["rate"], given["unpaired"], share)
    if given["sd"] is not None or given["rate"] is not None:
        raise MetricError("plan", "takes past or a number, not both", "leave out sd and rate")
    engine = open_engine(**chosen(given, RunOptions))
    return planned_from_past(engine, goal, given["past"], metrics, given["cluster"], share)


@declared(*EXPLAINED, *EXPLAIN, full=(QuestionOptions,))
def explain(
    predictions: Any, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.ExplainCall]
) -> Explanation | ExplainedGroups:
    """Show which items or rows make a value, or the difference of two systems.

    What an item or row adds to a value comes from the SQL file of the metric: its term of the sum, divided
    by whatever the file divides the sum by.

    Args:
        metrics: of several, the first one that is a sum over items, or rows, is explained. By default
            ndcg@10 for rankings and auc for classifiers.

    Returns:
        One row per item, see `Explanation`; with ``by``, one row per group, see `ExplainedGroups`.

    Raises:
        MetricError: a metric or switch cannot be read, or there is neither a query nor a grouping.
        InputError: the data cannot be evaluated, there is no such query or column, or an item occurs several
            times in the table of items.
        UnsupportedError: the metric is not a sum over items or rows.
        EngineError: the database refused a query.

    Example:
        old = {"q1": {"a": 0.9, "b": 0.5}}
        new = {"q1": {"a": 0.1, "b": 0.5}}
        found = duckmetrics.explain({"old": old, "new": new}, {"q1": {"b": 1}}, "mrr", query="q1")
        found.delta  # 0.5
        found.sentences[0]  # 'b (grade 1) rose from rank 2 to rank 1: +0.5000'
    """
    asked = data_for(predictions, truth, metrics, options, *EXPLAINED)
    return asked.explain(metrics, **others(options, *EXPLAINED))


@declared(*LISTS, *PLAIN)
def ties(
    predictions: Any, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.TiesCall]
) -> TieReport:
    """Report the effect of the order of equal scores on metrics of rankings.

    Args:

    Returns:
        The value, its bounds with the relevant items last and first among equal scores, its standard
        deviation if that order is random, and how many queries have a value that depends on it. `notes`
        name the metrics whose ties could change which system is best.

    Raises:
        MetricError: a metric cannot be read, or has no order of ties, as AUC has none.
        InputError: the data cannot be evaluated as they are.

    Example:
        run = {"q1": {"a": 0.5, "b": 0.5}}
        result = duckmetrics.ties(run, {"q1": {"b": 1}}, "mrr")
        row = result.rows[0]
        row.pessimistic, row.optimistic  # (0.5, 1.0)
        row.n_dependent  # 1
    """
    asked = data_for(predictions, truth, metrics, options, *LISTS)
    return asked.ties(metrics, **_without_data(options))


@declared(*LISTS, *SAMPLED, full=(SampleOptions,))
def sampled(
    predictions: Any, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.SampledCall]
) -> SampledEvaluation:
    """Estimate metrics over all items from rankings of one relevant item among sampled ones.

    The theory covers one relevant item per query and negatives that are drawn **uniformly**, with
    replacement, from the other items (without replacement is much the same as long as few of them are
    drawn): the rank r of n becomes 1 + Binomial(m, (r - 1) / (n - 1)) among the candidates. Negatives
    that were sampled by popularity are not covered: no correction here is right for them.

    ====================  ==============================================================================
    ``naive``             the metric as if the candidates were all items: what is usually reported
    ``rank_estimate``     the metric at rank 1 + floor((n - 1)(rank - 1) / m), as `evaluate` has it with
                          ``catalog_size=n``; unbiased for the rank, not for the metric
    ``bv``                least squares with a penalty of the variance, all ranks being equally likely
    ``em``                the distribution of the ranks by maximum likelihood, then the mean under it;
                          expectation maximization from equal ranks, until a step raises the mean
                          log-likelihood of a query by less than 1e-9, at most 500 steps; that end belongs
                          to the estimate, because samples do not distinguish neighboring ranks
    ====================  ==============================================================================

    The corrections trade bias for variance; with few candidates none recovers the order of systems
    reliably. Ranking all items is better. As numbers, ``bv`` is good to about 1e-11 / gamma, and ``em``,
    which takes adjacent ranks together where there are many, to 1e-3 of the value.

    Args:
        predictions: as for `evaluate`: the candidates of each query with their scores.
        truth: as for `evaluate`: one relevant item per query. The grades of all of them must be
            alike where a metric depends on them.
        metrics: specs such as ``"recall@10"``, of metrics that depend on the rank of the relevant item.

    Returns:
        The value of each metric by each method and system.

    Raises:
        MetricError: a metric is not a function of the rank, is not a mean of queries, has no value at some
            ranks, or an argument cannot be read.
        InputError: a query does not have exactly one relevant item among its candidates, the numbers
            of candidates differ, or grades differ on which a metric depends.
        UnsupportedError: bv or em for more than 1,000,000 items or 1,000 negatives.
        EngineError: the database refused a query.

    Source:
        Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226; em: Jin et al., AAAI 2021,
        doi:10.1609/aaai.v35i5.16537.

    Example:
        run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
        qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
        result = duckmetrics.sampled(run, qrels, "recall@1", n_items=100)
        result.value("recall@1", method="naive")  # 0.5
        result.value("recall@1", method="bv")  # 0.01
    """
    asked = data_for(predictions, truth, metrics, options, *LISTS)
    return asked.sampled(metrics, **_without_data(options))


@declared(*LISTS, SideTableOptions, *CONVENTIONS, full=(ToolOptions,))
def conventions(
    predictions: Any, truth: Any = None, metrics: Metrics = None, **options: Unpack[of.ConventionsCall]
) -> ToolComparison:
    """Compute metrics under the conventions of every tool that has them.

    Args:
        **switches: conventions that all have in common.

    Returns:
        The value of each system, as if it were alone, under the defaults and under each preset; where it
        differs, the settings that alone make a difference. Tools that lack the metric, or have it in a way
        that is not imitated, are listed with the reason.

    Raises:
        MetricError: a metric, switch or preset cannot be read.
        InputError: the data cannot be evaluated under the defaults either.

    Example:
        run = {"q1": {"a": 0.5, "b": 0.5}}
        tools = ["trec_eval", "sklearn"]
        result = duckmetrics.conventions(run, {"q1": {"b": 1}}, "ndcg@10", like=tools)
        [row.value for row in result.rows]  # [0.6309, 1.0, 0.8155]
    """
    asked = data_for(predictions, truth, metrics, options, *LISTS, SideTableOptions)
    return asked.conventions(metrics, **_without_data(options))


def _without_data(options: Mapping[str, Any]) -> Any:
    """Return what is asked of the data."""
    return others(options, *DATA)


def _refuse_unread(command: str, predictions: Any, truth: Any, options: Mapping[str, Any]) -> None:
    """Refuse arguments about data where results of `evaluate` are compared, which have used them.

    Raises:
        MetricError: names them.
    """
    if not isinstance(predictions, Mapping | Evaluation):
        return
    from duckmetrics.api.comparing import evaluations_in

    if evaluations_in(command, predictions) is None:
        return
    given = {"truth": truth, **chosen(options, *DATA), **chosen(options, *PLAIN), **others(options, *ALL)}
    of_connection = ("connection", "threads", "memory_limit", "temp_directory", "snapshot", "time_zone")
    spare = [name for name, value in given.items() if value is not None and name not in of_connection]
    if spare:
        raise MetricError(
            command, "results of evaluate are compared as they are", f"leave out {', '.join(spare)}"
        )
