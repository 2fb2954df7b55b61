"""The options of the public functions: names, types, defaults and meanings, each written once.

A function takes ``**options`` of a class that puts some of the groups below together, so that editors and
type checkers know them. `declared` gives it a signature and a docstring with each of them by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache, wraps
from inspect import Parameter, cleandoc, signature
from textwrap import dedent, fill, indent
from typing import TYPE_CHECKING, Any, Required, TypedDict, TypeVar, cast

from duckmetrics.catalog.spec_text import ORDER
from duckmetrics.errors import MetricError
from duckmetrics.inputs.interval_options import SEED, USUAL_METHOD
from duckmetrics.switches import SqlSwitches, Switches, TableParameters
from duckmetrics.words.verdicts import ALPHA

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence
    from datetime import date

    import duckdb
    from pyspark.sql import SparkSession

    from duckmetrics.engines.duckdb import DuckDBEngine

    Metrics = str | Sequence[str] | None
    By = str | Sequence[str | Sequence[str]] | None
    Margin = float | str | Mapping[str, float | str] | None


class ReadOptions(TypedDict, total=False):
    """How the rows are read.

    Args:
        system: the column of the predictions that names the system, or a mapping of systems.
        columns: canonical name -> your name, as in ``{"query_id": "user_id"}``.
        definitions: files or folders with metrics of your own, whose names are then names of metrics.
        layout: the tool that wrote the tables, such as ``"rectools"``, or a mapping with one for each of
            predictions and truth. By default duckmetrics recognizes it by the names of the columns, and a
            note names it. If you map a column, or with ``"canonical"``, no layout is used.
        positive: the label that counts as 1 if labels are text, such as ``"yes"``; others count as 0.
        score: the columns of the scores by system, if one table has several:
            ``{"lr": "p_lr", "gbm": "p_gbm"}``.
        classes: where the scores of several classes are: a pattern of columns such as ``"p_*"``, a list of
            columns, ``{"cat": "p_cat"}``; a column with a list, a map or a struct; or the column with the
            class, if each class has a row. The label is then the right class.
        where: conditions on the rows to read, by the table, as in
            ``{"predictions": "day = DATE '2026-11-01'"}``; partitions that they rule out are not read.
        version: the version of a Delta table, or the id of a snapshot of an Iceberg table, by the table, as
            in ``{"predictions": 3}``. A number alone is for the only table that has versions.
        as_of: like `version`, the last version at a time, such as ``{"predictions": "2026-11-01"}``, in UTC
            if it names no zone.
    """

    system: str | Mapping[str, Any] | None
    columns: Mapping[str, str] | None
    definitions: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None
    layout: str | Mapping[str, str] | None
    positive: str | float | None
    score: Mapping[str, str] | None
    classes: str | Sequence[str] | Mapping[str, str] | None
    where: Mapping[str, str] | None
    version: int | Mapping[str, int] | None
    as_of: str | date | Mapping[str, str | date] | None


class RunOptions(TypedDict, total=False):
    """The connection of DuckDB and its limits.

    Args:
        connection: a DuckDB connection, or the path of a database file.
        threads: the number of threads.
        memory_limit: such as ``"4GB"``; more is spilled to disk.
        temp_directory: the folder for data that memory cannot hold.
        snapshot: which tables are read once, into a temporary table: ``"auto"``, the default, for those that
            are remote, text, or queries that do more than scan a table; ``"always"`` or ``"never"``.
        time_zone: the zone in which slices and conditions read days and hours of a time with a zone, such as
            ``"Europe/Berlin"``; UTC by default, whatever the zone of the machine or of the connection is.
    """

    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None
    threads: int | None
    memory_limit: str | None
    temp_directory: str | os.PathLike[str] | None
    snapshot: str | None
    time_zone: str | None


class EngineOptions(TypedDict, total=False):
    """The other engine.

    Args:
        engine: a session of Spark, or "spark" for the active or a new one; tables are then paths, tables,
            views, SQL and DataFrames of Spark. By default the session of a DataFrame of Spark among the
            tables, else DuckDB.
    """

    engine: SparkSession | str | None


class SliceOptions(TypedDict, total=False):
    """The columns to slice by.

    Args:
        by: columns to slice by, of the rows for classifiers, attributes of the query for rankings;
            or expressions of them with a name, such as ``"date_trunc('week', day) AS week"``;
            a list of lists asks for several groupings. With history=, rankings also have the slices
            ``"history_length"`` (users by the number of their interactions) and ``"truth_popularity"``
            (queries by the popularity of their relevant items), unless a table has such a column.
    """

    by: By


class AttributeOptions(TypedDict, total=False):
    """The attributes of queries.

    Args:
        queries: a table keyed by query_id with the attributes of the queries.
    """

    queries: Any


class SideTableOptions(TypedDict, total=False):
    """The tables that tell more about items and queries than their relevance.

    Args:
        history: the interactions that the systems were trained on, a row for each: query_id, item_id, and
            perhaps timestamp, which only checks read. Metrics of popularity and novelty need it.
        items: the catalogue: item_id, and perhaps category (a value or a list) and vector. Without it, the
            catalogue is the items of the history.
        reference: another run, such as that of the last release, for metrics of what changed.
    """

    history: Any
    items: Any
    reference: Any


class ValueOptions(TypedDict, total=False):
    """Metrics that were computed elsewhere.

    Args:
        values: values per query of metrics that a judge, a person or another tool computed, whose names are
            then names of metrics: a table with query_id and a column for each metric, or with query_id,
            metric and value; with a column ``system`` if it has several. Or a mapping of systems to such
            tables, or ``{query: {metric: value}}``. With values, predictions may be left out.
        lower_is_better: those of these metrics where a lower value is better, such as ``"latency"``.
    """

    values: Any
    lower_is_better: str | Sequence[str] | None


class LikeOptions(TypedDict, total=False):
    """The conventions of another tool.

    Args:
        like: a tool whose conventions replace the defaults, such as ``"trec_eval"``; see
            `presets`. Switches and parameters of a spec win.
    """

    like: str | None


class ChunkOptions(TypedDict, total=False):
    """The work in parts.

    Args:
        chunks: the number of parts in which the queries of rankings are evaluated, one after the other,
            which takes less memory; the results are the same.
    """

    chunks: int | None


class VerifyOptions(TypedDict, total=False):
    """The second opinion.

    Args:
        verify: the number of queries that the plain-Python reference recomputes, for a classifier
            50 rows for each; see `Evaluation.verified`.
    """

    verify: int | None


class IntervalOptions(TypedDict, total=False):
    """The intervals around values.

    Args:
        interval: the level of intervals around the values, such as 0.95, in the columns lower and
            upper. Queries (rankings) or clusters (classifiers) are assumed to be independent.
        interval_method: ``"t"`` for Student's t over the queries or clusters, or ``"bootstrap"`` for
            percentiles of a Poisson bootstrap, which is deterministic. Proportions have Wilson's interval,
            AUC one on the logit scale. Functions of sums, and AUC, use a jackknife over clusters; over rows,
            the delta method and DeLong. For other metrics of classifiers, a bootstrap recomputes the metric.
        cluster: the column that identifies independent units, such as ``"user_id"``; rows, or queries, of one
            unit may be correlated. For classifiers, cluster_id, group_id or query_id by default, else rows.
        resamples: the number of bootstrap resamples: 10,000 by default, and 1000 if each resample recomputes
            a metric.
        seed: another seed draws other resamples.
    """

    interval: float | bool | None
    interval_method: str
    cluster: str | None
    resamples: int | None
    seed: int


class TestOptions(TypedDict, total=False):
    """The tests of differences.

    Args:
        test: the test that computes p: ``"paired_t"``, or another test against a baseline under
            sql/statistics, such as ``"randomization"``, ``"bootstrap"``, ``"sign"``, ``"wilcoxon"`` or
            ``"tukey"``. Only ``"always_valid"`` keeps its error rate if you look again and again while
            queries arrive.
        adjust: ``"holm"``, ``"benjamini_hochberg"`` or another method of adjusted_p, or ``"none"``. The
            default is holm, or none if the test itself covers all pairs of systems, as ``"tukey"`` does.
            ``"max_t"`` finds more differences if systems or metrics are correlated. It draws random signs
            of the differences, ``resamples`` times. p_adjusted comes from the largest statistic of each
            draw.
        alpha: the error rate of verdicts: a verdict needs an adjusted p below it. Intervals do not depend
            on it.
        margin: the largest difference that does not matter, for the verdicts "not worse" and "equivalent": a
            number in the units of the metric such as ``0.005``, a share of the baseline such as ``"1%"``, or
            these by metric, such as ``{"ndcg@10": 0.005, "mrr": "1%"}``. The tests of the margin are
            one-sided at alpha. They are adjusted in the same way as p. For metrics without a direction, only
            "equivalent" is tested.
        allow_different: compare only the common queries if the systems have values of different queries, and
            allow results of different conventions. For classifiers, only the same rows can be compared.
    """

    test: str | None
    adjust: str | None
    alpha: float
    margin: Margin
    allow_different: bool


class BaselineOptions(TypedDict, total=False):
    """The options of a comparison with a baseline only.

    Args:
        baseline: the system to compare with; the first of a mapping by default.
        power: the power of the test at the minimum detectable effect.
        pairs: compare every pair of systems. The letters after a value name the systems that it is
            significantly better than. p-values are adjusted for the number of all pairs. The default is True
            if the test itself covers all pairs, as ``"tukey"`` does, else False. With
            ``pairs=True``, you may leave out ``baseline``.
        planned: with ``test="always_valid"``, the number of queries or clusters at which the intervals are
            the tightest. Choose it before the first look, and keep it; 1000 by default.
        unpaired: the systems have different users, weeks or countries: compare their means with Welch's test
            of independent units, or with ``test="randomization"``, which suits few or skewed values. Each
            system is evaluated only on the queries that it answered. Without a cluster, every row of a
            classifier is a unit.
    """

    baseline: str | None
    power: float
    pairs: bool | None
    planned: int | None
    unpaired: bool


class GoalOptions(TypedDict, total=False):
    """The wanted difference, or the units at hand.

    Args:
        baseline: the system to compare with; with ``unpaired``, the one that gives the standard deviation.
        difference: the difference to find, or ``"1%"`` of the value of the baseline; below 0 for a decrease.
        units: compute the smallest difference and the power for this number of units; by default, for the
            units in the data.
        power: the probability of finding the difference, from 0.5 on.
        alpha: the error rate of all comparisons together.
        comparisons: the number of comparisons; by default, the compared systems times the metrics.
        adjust: with ``"holm"``, ``"bonferroni"`` or ``"max_t"``, alpha is divided by the number of
            comparisons, as in the first step of Holm's method. With ``"none"``, it is not divided.
        margin: the margin of a one-sided test that a system is not worse, instead of a difference.
        unpaired: plan two arms with different units, although the data have several systems.
        share: the share of the units in the control arm, for unpaired arms or a rate; 0.5 by default.
        cluster: the column that identifies independent units, as for `evaluate`.
        allow_different: compare only the common queries, as for `compare`.
    """

    baseline: str | None
    difference: float | str | None
    units: int | None
    power: float
    alpha: float
    comparisons: int | None
    adjust: str | None
    margin: float | str | None
    unpaired: bool
    share: float | None
    cluster: str | None
    allow_different: bool


class SpreadOptions(TypedDict, total=False):
    """A spread in place of predictions.

    Args:
        sd: the standard deviation of the differences per unit; with ``unpaired``, that of the values.
        rate: a proportion, such as a click-through rate; the plan is for two arms.
        past: a table of units from before an experiment, such as users of last month. ``metrics`` then names
            its columns and ratios as for `ab`, such as ``"revenue/sessions"``; the plan is for two arms. The
            rows of a ``cluster`` are summed first.
    """

    sd: float | None
    rate: float | None
    past: Any


class QuestionOptions(TypedDict, total=False):
    """The value that is explained, and how.

    Args:
        query: the id of a query of rankings; of a composite id, its parts.
        by: instead of a query, groups. Of items over all queries: ``"grade"``, ``"rank"``, ``"item_id"``,
            ``"item.COLUMN"`` of the table of items, or ``"query.COLUMN"``, an attribute of the queries. Of
            the rows of classifiers: a column or an expression with a name, or ``"row"`` for each row.
        baseline: the system to compare with; of two systems, the first one by default.
        of: the name of the system to explain, if there are more than two, or one is explained alone.
        items: a table keyed by item_id with columns of the items.
        show: columns of that table to print next to each item; columns of the rows of a classifier.
        n: the number of ranks, or groups, that are shown.
    """

    query: Any
    by: str | None
    baseline: str | None
    of: str | None
    items: Any
    show: str | Sequence[str]
    n: int


class SampleOptions(TypedDict, total=False):
    """How candidates were sampled.

    Args:
        n_items: the number n of all items, including the relevant one.
        n_negatives: the number m drawn for each query; by default the number of candidates less one.
        methods: what to compute, of naive, rank_estimate, bv and em; by default all of them.
        gamma: the weight of the variance in ``bv``, in (0, 1]; 1 is the posterior mean.
    """

    n_items: Required[int]
    n_negatives: int | None
    methods: str | Sequence[str] | None
    gamma: float


class ToolOptions(TypedDict, total=False):
    """The tools that are compared.

    Args:
        like: a tool or several, instead of all.
    """

    like: str | Sequence[str]


# --- the options of each function --------------------------------------------------------------------


class RowOptions(ReadOptions, AttributeOptions, SideTableOptions, RunOptions, EngineOptions):
    """The tables of rows besides predictions and truth, and how all of them are read."""


class TableOptions(RowOptions, ValueOptions):
    """All tables besides predictions and truth, and how they are read."""


class ValuesCall(ReadOptions, AttributeOptions, SliceOptions, RunOptions, EngineOptions):
    """The options of `from_values`."""


class DataOptions(TableOptions, SliceOptions):
    """The options of `data`."""


class EvaluationOptions(SliceOptions, LikeOptions, ChunkOptions, VerifyOptions, IntervalOptions, Switches):
    """The options of `Data.evaluate`."""


class ComparisonOptions(
    SliceOptions, BaselineOptions, TestOptions, LikeOptions, ChunkOptions, IntervalOptions, Switches
):
    """The options of `Data.compare`."""


class LeaderboardOptions(SliceOptions, TestOptions, LikeOptions, ChunkOptions, IntervalOptions, Switches):
    """The options of `Data.leaderboard`."""


class PlainOptions(LikeOptions, Switches):
    """The options of `Data.check` and `Data.ties`."""


class PlanOptions(GoalOptions, LikeOptions, Switches):
    """The options of `Data.plan`."""


class ExplainOptions(QuestionOptions, LikeOptions, Switches):
    """The options of `Data.explain`."""


class SampledOptions(SampleOptions, LikeOptions, Switches):
    """The options of `Data.sampled`."""


class ConventionsOptions(ToolOptions, Switches):
    """The options of `Data.conventions`."""


class EvaluateCall(TableOptions, EvaluationOptions):
    """The options of `evaluate`."""


class CompareCall(TableOptions, ComparisonOptions):
    """The options of `compare`."""


class LeaderboardCall(TableOptions, LeaderboardOptions):
    """The options of `leaderboard`."""


class CheckCall(RowOptions, SliceOptions, PlainOptions):
    """The options of `check`."""


class PlanCall(
    ReadOptions, AttributeOptions, SideTableOptions, ValueOptions, RunOptions, PlanOptions, SpreadOptions
):
    """The options of `plan`."""


class ExplainCall(ReadOptions, AttributeOptions, RunOptions, EngineOptions, ExplainOptions):
    """The options of `explain`."""


class TiesCall(ReadOptions, RunOptions, PlainOptions):
    """The options of `ties`."""


class SampledCall(ReadOptions, RunOptions, SampledOptions):
    """The options of `sampled`."""


class ConventionsCall(ReadOptions, SideTableOptions, RunOptions, ConventionsOptions):
    """The options of `conventions`."""


class CurveCall(ReadOptions, SliceOptions, RunOptions, EngineOptions, TableParameters):
    """The options of `curve`."""


class MergeCall(SliceOptions, IntervalOptions, RunOptions):
    """The options of `merge`."""


# --- signatures and docstrings -----------------------------------------------------------------------

# The groups of each class above, in the order of the docstrings.
DATA = (
    ReadOptions, SliceOptions, AttributeOptions, SideTableOptions, ValueOptions, RunOptions, EngineOptions
)  # fmt: skip
EVALUATION = (SliceOptions, LikeOptions, ChunkOptions, VerifyOptions, IntervalOptions, Switches)
LEADERBOARD = (SliceOptions, TestOptions, LikeOptions, ChunkOptions, IntervalOptions, Switches)
COMPARISON = (BaselineOptions, *LEADERBOARD)
PLAIN = (LikeOptions, Switches)
PLAN = (GoalOptions, LikeOptions, Switches)
EXPLAIN = (QuestionOptions, LikeOptions, Switches)
SAMPLED = (SampleOptions, LikeOptions, Switches)
CONVENTIONS = (ToolOptions, Switches)
# Classes whose options are not named one by one.
_MANY = {Switches: "switches", TableParameters: "params"}
# Defaults other than None.
DEFAULTS: dict[str, Any] = {
    "interval_method": USUAL_METHOD, "seed": SEED, "alpha": ALPHA, "allow_different": False, "power": 0.8,
    "unpaired": False, "show": (), "n": 10, "gamma": 0.1,
}  # fmt: skip
# The functions whose docstrings explain these groups; `evaluate` explains all others.
_HOME: dict[type, str] = {BaselineOptions: "compare", TestOptions: "compare"}
_SWITCHES = (
    '**switches: conventions such as ``ties="pessimistic"``; see `describe`. ``population``\n'
    "    may also be a table with query_id."
)
# Names that other tools give to these arguments.
MEANT = {
    "level": "interval", "confidence": "interval", "confidence_level": "interval", "ci": "interval",
    "control": "baseline", "reference_system": "baseline", "groupby": "by", "group_by": "by", "slices": "by",
    "segments": "by", "con": "connection", "conn": "connection", "correction": "adjust", "preset": "like",
    "n_resamples": "resamples", "n_bootstrap": "resamples", "random_state": "seed", "filter": "where",
}  # fmt: skip
# The least similarity of a name and an argument; a switch seldom reaches it.
LIKE = 0.8
# The predictions, the truth and the metrics.
_POSITIONAL = 3
_EXPLAINED = re.compile(r"^    (?:\*\*)?(\w+):", re.MULTILINE)
_ARGS = re.compile(r"^Args:\n((?:(?:    .*)?\n)+)", re.MULTILINE)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def names_of(*groups: type) -> list[str]:
    """Return the names of the options of some groups, without switches and parameters."""
    return [name for group in groups if group not in _MANY for name in group.__annotations__]


def chosen(options: Mapping[str, Any], *groups: type) -> dict[str, Any]:
    """Return the options of some groups."""
    return {name: options[name] for name in names_of(*groups) if name in options}


def others(options: Mapping[str, Any], *groups: type) -> dict[str, Any]:
    """Return the options that belong to none of some groups: switches, or parameters."""
    known = names_of(*groups)
    return {name: value for name, value in options.items() if name not in known}


def declared(*groups: type, full: Sequence[type] = (), **defaults: Any) -> Callable[[_Function], _Function]:
    """Declare the options of a function: it gets all of them, and has them in its signature and docstring.

    Args:
        groups: the groups that its options belong to.
        full: the groups that its docstring explains; the options of others are named.
        **defaults: defaults that are not those of other functions.
    """

    groups = tuple(dict.fromkeys(groups))

    def decorated(function: _Function) -> _Function:
        usual = {**dict.fromkeys(names_of(*groups)), **DEFAULTS, **defaults}
        usual = {name: usual[name] for name in names_of(*groups)}

        @wraps(function)
        def called(*given: Any, **options: Any) -> Any:
            if len(given) > _POSITIONAL + is_method:
                n = len(given) - is_method
                raise MetricError("arguments", f"{n} without a name are too many", ORDER)
            refuse_misspelled(called, (name for name in options if name not in known))
            if not rest and (others_ := [name for name in options if name not in known]):
                what = f"{function.__name__} has no such argument"
                raise MetricError(f"{others_[0]}=", what, f"it has {', '.join(sorted(known - {'self'}))}")
            return function(*given, **{**usual, **options})

        own = [one for one in signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        is_method = own[0].name == "self"
        types = {name: type_ for group in groups for name, type_ in group.__annotations__.items()}
        named = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=value, annotation=_written(types[name]))
            for name, value in usual.items()
        ]
        known = {one.name for one in (*own, *named)}
        rest = [Parameter(_MANY[group], Parameter.VAR_KEYWORD) for group in groups if group in _MANY]
        said = signature(function).replace(parameters=[*own, *named, *rest])
        called.__signature__ = said  # type: ignore[attr-defined]
        names = [one.name for one in own if one.name != "self"]
        called.__doc__ = _with_arguments(cleandoc(function.__doc__ or "") + "\n", names, groups, full)
        return cast("_Function", called)

    return decorated


def _written(annotation: Any) -> Any:
    """Return a type as it is written."""
    return getattr(annotation, "__forward_arg__", annotation)


def _with_arguments(doc: str, own: Sequence[str], groups: Sequence[type], full: Sequence[type]) -> str:
    """Return a docstring with the options that it does not explain itself.

    Args:
        own: the names of other arguments.
    """
    found = _ARGS.search(doc)
    if found is None:
        raise ValueError(f"a docstring without arguments: {doc[:40]!r}")
    explained = found[1].rstrip("\n")
    known = set(_EXPLAINED.findall(explained))
    entries: list[str] = []
    elsewhere = {"evaluate": [name for name in own if name not in known]}
    for group in groups:
        if group is Switches and "switches" not in known:
            is_full = bool(full) and LikeOptions in full
            entries += [_SWITCHES] if is_full else []
            elsewhere["evaluate"] += [] if is_full else ["**switches"]
        if group in _MANY:
            continue
        said = _entries(group)
        for name in group.__annotations__:
            if name in known:
                continue
            if group in full:
                entries.append(said[name])
            else:
                elsewhere.setdefault(_HOME.get(group, "evaluate"), []).append(name)
    for function, names in elsewhere.items():
        entries += [f"{', '.join(names)}: as for `{function}`."] if names else []
    more = "\n".join(indent(_filled(entry), "    ") for entry in entries)
    arguments = "\n".join(filter(None, (explained, more)))
    return f"{doc[: found.start(1)]}{arguments}\n\n{doc[found.end(1) :]}"


def _filled(entry: str) -> str:
    """Break the line of a long list of names."""
    return entry if "\n" in entry else fill(entry, 100, subsequent_indent="    ", break_on_hyphens=False)


@cache
def _entries(group: type) -> dict[str, str]:
    """Return the options that the docstring of a group explains, with their texts."""
    text = cleandoc(group.__doc__ or "").partition("Args:\n")[2]
    entries = re.split(r"\n(?=    \S)", text.rstrip())
    return {entry.partition(":")[0].strip(): dedent(entry) for entry in entries}


def refuse_misspelled(function: Callable[..., Any], names: Iterable[str]) -> None:
    """Refuse a name that is no switch, and is spelled nearly like an argument, or means one elsewhere.

    Raises:
        MetricError: names the argument.
    """
    for name in names:
        if name in SqlSwitches.__annotations__:
            continue
        arguments = [known for known in signature(function).parameters if known not in _MANY.values()]
        meant = [MEANT[name]] if name in MEANT else get_close_matches(name, arguments, n=1, cutoff=LIKE)
        near = [argument for argument in meant if argument in arguments]
        if near:
            what = f"{function.__name__} has no such argument"
            raise MetricError(f"{name}=", what, f"did you mean {near[0]!r}?")
