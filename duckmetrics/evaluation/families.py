"""How each family of metrics is evaluated on an engine, from checked inputs to rows of results."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import CLASSIFICATION, DIALECT, RANKING
from duckmetrics.checks.examination import check, check_values, explained
from duckmetrics.checks.notes import counted_notes, unweighted, varying
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.exact_sums import scale_of_terms, scale_of_values, with_exact_sums
from duckmetrics.compose.functions import inlined, linked
from duckmetrics.compose.optimizer import CONTENDERS, TOP, depth_of, ranking_plan
from duckmetrics.compose.optimizer import SORTED as RANKED
from duckmetrics.dialects import DIALECTS, find_dialect
from duckmetrics.dialects.portable import reason_against
from duckmetrics.errors import EngineError, InputError, MetricError, UnsupportedError
from duckmetrics.expressions.folding import RangeOf
from duckmetrics.inference.intervals import biased, units_of_rankings, units_of_rows, with_intervals
from duckmetrics.inputs.chunks import chunks_of
from duckmetrics.inputs.classification import WEIGHTED, observe
from duckmetrics.inputs.ranking import Inputs, Request, gather
from duckmetrics.summaries.classification import (
    FEW_SCORES,
    SegmentSummary,
    depend_on_scores,
    distinct_scores,
    edges_of_ranges,
    per_segment,
    plans,
    portable_plans,
    reads_ranges,
)
from duckmetrics.summaries.ranking import JOINED, Summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.specs import Measure
    from duckmetrics.checks.examination import Finding
    from duckmetrics.compose.composer import Columns
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inference.units import Units
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.inputs.systems import Attach
    from duckmetrics.results.verification import Verification
    from duckmetrics.summaries.classification import Plan


# So many rows, about, are sorted together on a cluster, in no more than so many ranges of scores.
ROWS_OF_RANGE, MOST_RANGES = 50_000, 256


@dataclass(frozen=True)
class Part:
    """The results of the measures of one family.

    Attributes:
        rows: the summary, one dictionary per system, slice and measure.
        summary: its query.
        per_query: the query of the values per query, where there are queries.
        verified: what the reference says of a sample, where it was asked.
        units: what intervals and comparisons rest on, where they were asked for.
    """

    rows: tuple[dict[str, Any], ...]
    by: tuple[tuple[str, ...], ...]
    findings: tuple[Finding, ...]
    measures: tuple[Measure, ...]
    summary: exp.Query
    per_query: exp.Query | None = None
    verified: tuple[Verification, ...] = ()
    units: Units | None = None


def evaluate_rankings(
    catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure], attach: Attach
) -> Part:
    """Compute the values of every query once, and summarize them."""
    _refuse(catalog, engine, request, measures)
    inputs = gather(request, attach, engine.extremes)
    inputs = _with_systems(engine, inputs) if request.chunks else _with_contenders(
        catalog, engine, inputs, measures
    )  # fmt: skip
    findings = check(catalog, engine, inputs, measures)
    varying(engine, inputs)
    table, columns = _query_values(catalog, engine, inputs, measures, request.chunks)
    summary = Summary(catalog, inputs, measures, columns, table)
    joined = _read_often(engine, summary.joined(_scale_of_means(engine, summary)))
    rows, kept = _kept(engine, summary.query(joined))
    policies = {"missing": str(measures[0].values.get("missing"))}
    notes = counted_notes(rows, inputs, policies)
    notes += explained(catalog, engine, inputs, measures, notes)
    part = Part(rows, inputs.by, (*findings, *notes), tuple(measures), kept, summary.per_query())
    if request.inference is not None:
        units = units_of_rankings(catalog, engine, inputs, measures, summary)
        part = _bounded(catalog, engine, request.inference, part, units)
    if request.verify is None:
        return part
    from duckmetrics.evaluation.verification import verify_rankings

    outcome = verify_rankings(
        engine, inputs, measures, columns, table, rows, request.verify, summary.flagged()
    )
    return replace(part, findings=(*part.findings, *outcome.findings), verified=outcome.verified)


def _query_values(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], chunks: int
) -> tuple[str, list[Columns]]:
    """Keep the values of every query in a table; return its name, and which columns are whose."""
    table = engine.name("per_query")
    scale = None if engine.portable else scale_of_terms(_largest_gain(catalog, engine, inputs, measures))
    columns: list[Columns] = []
    for part in chunks_of(inputs, chunks) if chunks else (inputs,):
        query, found = Composer(catalog, part.queries, part.constants, part.facts).per_query(
            measures, _ranking_plan(engine, measures)
        )
        engine.keep(table, cast("exp.Query", with_exact_sums(query, scale)), more=bool(columns))
        columns = found
    return table, columns


def _scale_of_means(engine: Engine, summary: Summary) -> float | None:
    """What the values of queries are multiplied by, so that their sum is exact."""
    if engine.portable:
        return None
    ((largest, n),) = engine.rows(summary.extent())
    return scale_of_values(largest, n)


def _ranking_plan(engine: Engine, measures: Sequence[Measure]) -> str:
    return RANKED if engine.portable else ranking_plan(measures)


def _refuse(catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure]) -> None:
    """Tell what an engine other than DuckDB does not do.

    Raises:
        UnsupportedError: a metric is not portable, or what was asked for rests on DuckDB.
    """
    if not engine.portable:
        return
    refuse_unportable(catalog, engine.dialect, measures)
    name = DIALECTS[engine.dialect].engine
    refused = {"chunks": request.chunks or None, "verify": request.verify, "interval": request.inference}
    for option, given in refused.items():
        if given is not None:
            raise UnsupportedError(
                f"{option}: not on {name}; leave it out, or write the values per query and go on with DuckDB"
            )


def refuse_unportable(catalog: Catalog, dialect: str, measures: Sequence[Measure]) -> None:
    """Tell which metrics are for DuckDB only.

    Raises:
        UnsupportedError: one of these is, and the dialect is of another engine.
    """
    for measure in measures if dialect != DIALECT else ():
        reason = reason_against(catalog, measure.metric)
        if reason is not None:
            engine = DIALECTS[dialect].engine
            raise UnsupportedError(f"{measure.text}: not on {engine}: {reason}; evaluate it with DuckDB")


def _with_systems(engine: Engine, inputs: Inputs) -> Inputs:
    """A system that answered no query of a part is there all the same."""
    if "systems" in inputs.queries or "system" in inputs.constants:
        return inputs
    table = engine.name("systems")
    predictions = inputs.queries["predictions"].subquery("predictions")
    engine.keep(table, exp.select("system").distinct().from_(predictions))
    return replace(inputs, queries={**inputs.queries, "systems": engine.kept(table)})


def _largest_gain(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> float | None:
    """The largest gain that a measure gives to an item."""
    composer = Composer(catalog, inputs.queries, inputs.constants, inputs.facts)
    truth = composer.relation("truth", {})
    found = engine.rows(composer.complete(exp.select(exp.Max(this=exp.column("relevance"))).from_(truth)))
    largest: float | None = found[0][0]
    if largest is None or all(measure.values.get("gain") != "exp2" for measure in measures):
        return largest
    return math.inf if largest > sys.float_info.max_exp - 1 else 2.0**largest


def _with_contenders(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> Inputs:
    """Plan rule: the rows that can come to a cut-off are found once, for the checks and for the ranks.

    Not where the truth decides which rows these are: its own duplicates would show among them.
    """
    plan, depth = _ranking_plan(engine, measures), depth_of(measures)
    if plan != TOP:
        return inputs
    composer = Composer(catalog, inputs.queries, inputs.constants, inputs.facts)
    found = {composer.relation(CONTENDERS, {**m.values, "plan": plan, "depth": depth}) for m in measures}
    query = composer.complete(exp.select(exp.Star()).from_(found.pop()))
    if found or any(cte.alias == "truth" for cte in query.ctes):
        return inputs
    kept = engine.kept(_keep(engine, CONTENDERS, query))
    return replace(inputs, queries={**inputs.queries, CONTENDERS: kept})


def _read_often(engine: Engine, query: exp.Select) -> exp.Select:
    """What every measure reads: DuckDB computes a step once, others as often as it is read.

    It has as many rows as there are systems and slices, so other engines hand it over.
    """
    if not engine.portable:
        return query
    name = engine.name(JOINED)
    engine.collect(name, query)
    return engine.kept(name)


def _keep(engine: Engine, stem: str, query: exp.Query) -> str:
    """Keep rows of the predictions, which may turn out to be unreadable, and return the table's name."""
    name = engine.name(stem)
    try:
        engine.keep(name, query)
    except EngineError as error:
        if not error.unreadable:
            raise
        raise InputError(f"predictions: cannot be read: {error}; check it") from error
    return name


def evaluate_rows(
    catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure], attach: Attach
) -> Part:
    """Compute one value per segment of the rows."""
    _refuse(catalog, engine, request, measures)
    inputs, measures = observed(engine, request, measures, attach)
    findings = [*check(catalog, engine, inputs, measures), *unweighted(inputs, measures)]
    plan = _plans(catalog, engine, inputs, measures)
    rows, kept = segment_values(catalog, engine, inputs, measures, plan)
    findings += check_values(catalog, engine, inputs, measures, rows, kept)
    part = Part(rows, inputs.by, tuple(findings), tuple(measures), kept)
    if request.inference is not None:
        units = units_of_rows(catalog, engine, inputs, measures, request.inference)
        part = _bounded(catalog, engine, request.inference, part, units)
    if request.verify is None:
        return part
    from duckmetrics.evaluation.verification import verify_rows

    def again(other: Inputs) -> tuple[dict[str, Any], ...]:
        return segment_values(catalog, engine, other, measures, plan)[0]

    outcome = verify_rows(engine, inputs, measures, rows, request.verify, again)
    return replace(part, findings=(*part.findings, *outcome.findings), verified=outcome.verified)


def _bounded(catalog: Catalog, engine: Engine, inference: Inference, part: Part, units: Units) -> Part:
    """The results with their intervals."""
    summary, told = with_intervals(catalog, engine, inference, units, part.summary)
    rows, kept = _kept(engine, summary)
    findings = (*part.findings, *told, *biased(units, rows))
    return replace(part, rows=rows, summary=kept, findings=findings, units=units)


def segment_values(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    plan: Mapping[str, Plan] | None = None,
) -> tuple[tuple[dict[str, Any], ...], exp.Query]:
    """Compute the values of every segment; return their summary and where it is kept.

    Args:
        plan: how the pairs of each measure are counted, if it is decided already.
    """
    composer = Composer(catalog, inputs.queries, inputs.constants, inputs.facts)
    query = per_segment(composer, measures, plan or _plans(catalog, engine, inputs, measures))
    table = engine.name("per_segment")
    engine.keep(table, _linked(catalog, engine, query))
    summary = SegmentSummary(catalog, inputs, measures, table)
    joined = _read_often(engine, summary.joined())
    return _kept(engine, summary.query(joined, query.named_selects))


def table_query(
    catalog: Catalog, engine: Engine, request: Request, measure: Measure, attach: Attach
) -> exp.Query:
    """Check the inputs and write the query of a table such as a curve."""
    _refuse(catalog, engine, request, [measure])
    inputs, (measure,) = observed(engine, request, [measure], attach)
    check(catalog, engine, inputs, [measure])
    plan = _plans(catalog, engine, inputs, [measure])[measure.text]
    composer = Composer(catalog, inputs.queries, inputs.constants, inputs.facts)
    query = SegmentSummary(catalog, inputs, [measure], "").table_query(composer, measure, plan)
    return _linked(catalog, engine, query)


def composed_sql(catalog: Catalog, measures: Sequence[Measure], dialect: str, steps: bool) -> str:
    """Write the SQL of measures of one family over tables of the names that their headers declare.

    Raises:
        MetricError: the measures are of several families.
        UnsupportedError: the dialect is unknown or lacks something, or a metric is for DuckDB only.
    """
    from duckmetrics.evaluation.sql_text import script

    known = find_dialect(dialect)
    refuse_unportable(catalog, known.name, measures)
    families = {measure.family for measure in measures}
    if len(families) > 1:
        raise MetricError(f"metrics of {' and '.join(sorted(families))}: have no query in common; ask apart")
    composer = Composer(catalog)
    if families == {RANKING}:
        query, columns = composer.per_query(measures)
        titles = {column.value: m.text for column, m in zip(columns, measures, strict=True)}
    else:
        decided = [m.bound(**{WEIGHTED: bool(m.values.get(WEIGHTED))}) for m in measures]
        plan = plans(catalog, decided, None) if known.name == DIALECT else portable_plans(decided)
        titles = {f"value_{i}": measure.text for i, measure in enumerate(measures)}
        if measures[0].metric.is_table:
            values = {**decided[0].values, **plan[decided[0].text]}
            query = composer.complete(composer.resolved(decided[0].metric, values))
        else:
            query = per_segment(composer, decided, plan)
    return script(catalog, query, titles, _read_by(measures), known.name, steps)


def _read_by(measures: Sequence[Measure]) -> dict[str, list[str]]:
    """The tables that measures read, with their columns."""
    read: dict[str, list[str]] = {}
    for measure in measures:
        for table, columns in measure.metric.inputs.items():
            found = read.setdefault(table, [])
            found += [column for column in columns if column not in found]
    return read


Evaluate = Callable[["Catalog", "Engine", Request, "Sequence[Measure]", "Attach"], Part]
EVALUATE: dict[str, Evaluate] = {RANKING: evaluate_rankings, CLASSIFICATION: evaluate_rows}


def observed(
    engine: Engine, request: Request, measures: Sequence[Measure], attach: Attach
) -> tuple[Inputs, list[Measure]]:
    """The canonical rows, and the measures with what these rows decide."""

    inputs = observe(request, measures, attach, partial(_keep, engine))
    decided = [
        measure.bound(**{WEIGHTED: inputs.weighted})
        if measure.values.get(WEIGHTED, False) is None
        else measure
        for measure in measures
    ]
    return inputs, decided


def _plans(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> dict[str, Plan]:
    if engine.portable:
        return portable_plans(measures, _range_of(catalog, engine, inputs, measures))
    distinct = None
    if depend_on_scores(catalog, measures):
        distinct = engine.rows(
            distinct_scores(Composer(catalog, inputs.queries, inputs.constants, inputs.facts))
        )[0]
    return plans(catalog, measures, distinct)


def _range_of(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> RangeOf | None:
    """The ranges of scores that are sorted apart, where there are too many for one worker."""
    if not any(reads_ranges(catalog, measure) for measure in measures):
        return None

    def composer() -> Composer:
        return Composer(catalog, inputs.unsliced, inputs.constants, inputs.facts)

    ((distinct, n),) = engine.rows(distinct_scores(composer()))
    number = min(n // ROWS_OF_RANGE + 1, MOST_RANGES)
    if distinct <= FEW_SCORES or number < 2:
        return None
    ((edges,),) = engine.rows(edges_of_ranges(composer(), number))
    return RangeOf("score", tuple(sorted(set(edges))))


def _linked(catalog: Catalog, engine: Engine, query: exp.Query) -> exp.Query:
    """Define the functions that a query calls, or write their calls out."""
    if engine.portable:
        return inlined(catalog, query)
    linked_query, macros = linked(catalog, query)
    engine.define(macros)
    return linked_query


def _kept(engine: Engine, query: exp.Select) -> tuple[tuple[dict[str, Any], ...], exp.Query]:
    """Run the query of a summary once; return its rows and where they are kept."""
    table = engine.name("summary")
    engine.keep(table, query)
    kept = engine.kept(table)
    names = query.named_selects
    return tuple(dict(zip(names, row, strict=True)) for row in engine.rows(kept)), kept
