"""Systems that were evaluated before: their values per query, put side by side to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog.given import signed_measure
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION, Signature, refuse_weighted
from duckmetrics.errors import InputError, MetricError, suggestion
from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.intervals import with_intervals
from duckmetrics.inference.unit_values import scale_of_queries, unknown_sizes
from duckmetrics.inference.units import QUERIES, Units

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.session import Session
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.results.evaluation import Evaluation


COMPARE_TABLES = "compare the tables instead"


def family_of_evaluations(
    session: Session,
    evaluations: Mapping[str, Evaluation],
    metrics: Sequence[str] | None,
    inference: Inference,
    allow_different: bool,
) -> FamilyEvaluation:
    """Put the overall results of evaluations together, as if the systems had been evaluated in one call.

    Args:
        metrics: those to compare; all that the evaluations have in common by default.

    Raises:
        MetricError: an evaluation of several systems, no metric of queries in common, or other conventions.
        InputError: clusters are asked for, which values per query do not have.
    """
    if inference.cluster is not None:
        raise InputError("cluster", "values per query have no clusters", COMPARE_TABLES)
    rows = {name: _overall(name, evaluation) for name, evaluation in evaluations.items()}
    for row in (row for own in rows.values() for row in own.values()):
        refuse_weighted(signed_measure(session.catalog, row["signature"], row["metric"]), COMPARE_TABLES)
    chosen = _chosen(evaluations, rows, metrics)
    if not allow_different:
        for metric, own in chosen.items():
            _refuse_other_conventions(metric, {name: rows[name][text] for name, text in own.items()})
    _refuse_other_ids(evaluations)
    kept = session.engine.name("per_query")
    for i, (name, evaluation) in enumerate(evaluations.items()):
        values = _values(session, name, evaluation, {own[name]: metric for metric, own in chosen.items()})
        session.engine.keep(kept, values, more=i > 0)
    results = [
        {**rows[name][text], "system": name, "metric": metric}
        for metric, own in chosen.items() for name, text in own.items()
    ]  # fmt: skip
    measures = tuple(_measures(session.catalog, results))
    scales = tuple(scale_of_queries(measure) for measure in measures)
    units = Units(_units(kept, list(chosen)), None, {}, tuple(chosen), QUERIES, scales=scales)
    summary = _summary(session, results, next(iter(evaluations.values())).summary.schema)
    bounded, told = with_intervals(session.catalog, session.engine, inference, units, summary)
    found = tuple(session.engine.arrow(bounded).to_pylist())
    per_query = exp.select("system", "metric", "query_id", "value").from_(kept)
    return FamilyEvaluation(found, (), tuple(told), measures, bounded, per_query, units=units)


def _overall(name: str, evaluation: Evaluation) -> dict[str, dict[str, Any]]:
    """Return the overall rows of the means of queries, by metric as typed."""
    if len(evaluation.systems) > 1:
        known = ", ".join(map(str, evaluation.systems))
        raise MetricError(
            name, f"an evaluation of the systems {known}", "give one system each, or the tables"
        )
    return {
        row["metric"]: row for row in evaluation.rows
        if row["slice"] == "" and Signature.parse(row["signature"]).aggregation == DEFAULT_AGGREGATION
    }  # fmt: skip


def _chosen(
    evaluations: Mapping[str, Evaluation],
    rows: Mapping[str, Mapping[str, Any]],
    metrics: Sequence[str] | None,
) -> dict[str, dict[str, str]]:
    """Return the metrics to compare: name in the first evaluation -> the name in each evaluation."""
    first, *_ = rows
    found = {}
    for metric in rows[first]:
        own = {name: _called(metric, evaluations[first], evaluations[name], rows[name]) for name in rows}
        if all(own.values()):
            found[metric] = {name: str(text) for name, text in own.items()}
    if not found:
        raise MetricError(
            "compare",
            "the evaluations have no mean of queries in common, and classifiers keep no values of units",
            "evaluate the same metrics of rankings, or compare the tables",
        )
    for metric in metrics or ():
        if metric not in found:
            raise MetricError(metric, "not in all of the evaluations", suggestion(metric, found))
    return found if metrics is None else {metric: found[metric] for metric in metrics}


def _called(metric: str, first: Evaluation, other: Evaluation, rows: Mapping[str, Any]) -> str | None:
    """Return the name of a metric in another evaluation: the same, or another spelling; None if absent."""
    if metric in rows:
        return metric
    return next((text for text in rows if other.canonical[text] == first.canonical[metric]), None)


def _refuse_other_conventions(metric: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
    (base, first), *others = rows.items()
    for name, other in others:
        one, two = (Signature.parse(row["signature"]) for row in (first, other))
        if differing := one.differences(two):
            told = "; ".join(f"{n} is {a} in {base} and {b} in {name}" for n, (a, b) in differing.items())
            raise MetricError(
                metric,
                f"{base} and {name} follow other conventions: {told}",
                "evaluate both in the same way, or set allow_different=True",
            )


def _refuse_other_ids(evaluations: Mapping[str, Evaluation]) -> None:
    """Refuse ids of different types, even if a database finds them equal."""
    types = {name: one.per_query.schema.field("query_id").type for name, one in evaluations.items()}
    (first, known), *others = types.items()
    for name, type_ in others:
        if type_ != known:
            raise InputError(
                "query_id",
                f"{known} in {first} and {type_} in {name}",
                "CAST one of them, and evaluate again",
            )


def _values(session: Session, name: str, evaluation: Evaluation, names: Mapping[str, str]) -> exp.Select:
    """Return the values of the queries of one evaluation, with the metric names of the first one."""
    source = session.engine.attach(evaluation.per_query, "queries")
    metric = exp.Case(this=exp.column("metric"))
    for own, shown in names.items():
        metric = metric.when(literal(own), literal(shown), copy=False)
    known = exp.In(this=exp.column("metric"), expressions=list(map(literal, names)))
    values = exp.select(literal(name).as_("system"), metric.as_("metric"), "query_id", "value")
    return values.from_(source.relation.copy()).where(known)


def _units(kept: str, metrics: Sequence[str]) -> exp.Query:
    """Return the values, with the places of the metrics instead of their names."""
    place = exp.Case(this=exp.column("metric"))
    for i, metric in enumerate(metrics):
        place = place.when(literal(metric), literal(i), copy=False)
    return exp.select("system", place.as_("metric"), "query_id", "value", *unknown_sizes()).from_(kept)


def _summary(session: Session, rows: Sequence[dict[str, Any]], schema: pa.Schema) -> exp.Query:
    """Keep rows of results as a table, and return its query."""
    import pyarrow as pa

    known = pa.schema([field for field in schema if field.name in rows[0]])
    source = session.engine.attach(pa.Table.from_pylist(list(rows), known), "queries")
    kept = session.engine.name("summary")
    session.engine.keep(kept, exp.select(exp.Star()).from_(source.relation.copy()))
    return cast("exp.Query", session.engine.kept(kept))


def _measures(catalog: Catalog, rows: Sequence[Mapping[str, Any]]) -> Iterator[Measure]:
    """Yield the measures of the rows, from the first signature of each metric."""
    signatures: dict[str, str] = {}
    for row in rows:
        signatures.setdefault(row["metric"], row["signature"])
    for metric, signature in signatures.items():
        yield signed_measure(catalog, signature, metric)
