"""Rankings: from checked inputs to rows of results."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.catalog.measure import EXPONENTIAL, WEIGHED, holds
from duckmetrics.checks.examination import check, explained, without_common_query
from duckmetrics.checks.notes import counted_notes, varying
from duckmetrics.compose.branches import by_branch, per_query
from duckmetrics.compose.composer import needed_by
from duckmetrics.compose.exact_sums import bands_of, with_exact_sums
from duckmetrics.compose.optimizer import CONTENDERS, TOP, depth_of
from duckmetrics.engines.engine import Feature, keep_once, keep_readable
from duckmetrics.evaluation.chunks import chunks_of
from duckmetrics.evaluation.family_evaluation import (
    FamilyEvaluation,
    plan_of,
    refuse_unsupported,
    with_bounds,
)
from duckmetrics.evaluation.own_metrics import refuse_beyond, refuse_copies, refuse_nulls, refuse_unbound
from duckmetrics.evaluation.shared_orders import Codes, codes_of, with_shared_orders
from duckmetrics.evaluation.systems import evaluate_systems
from duckmetrics.evaluation.tied import TiedSample
from duckmetrics.expressions.build import everything, longest_list, picked, row_count
from duckmetrics.inference.kept import kept_rows, materialized
from duckmetrics.inference.ranking_summary import (
    RankingSummary,
    bands_of_values,
    value_ranges,
    weighing,
)
from duckmetrics.inputs.inputs import HISTORY, ITEMS
from duckmetrics.inputs.ranking import SIDE_INPUTS, ranking_inputs, refuse_absent
from duckmetrics.results.findings import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Columns
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.systems import Attach
    from duckmetrics.results.findings import Finding


# The relations that count the whole history. The second one also has the column of the first.
COUNTED = ("item_history", "item_users", "history_users")


def with_side_inputs(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> Inputs:
    """Return the inputs, and next to them the counts of the history that the measures read, in tables.

    Without a catalogue, the items are those of the history.

    Raises:
        InputError: a measure reads a table, or a column of the catalogue, that was not given.
    """
    needed = needed_by(catalog, measures)
    queries = dict(inputs.queries)
    is_of_history = ITEMS in needed and ITEMS not in queries and HISTORY in queries
    if is_of_history:
        needed.setdefault(COUNTED[0], needed.pop(ITEMS))
    read = {name: text for name, text in needed.items() if name in SIDE_INPUTS}
    refuse_absent(queries, read, inputs.labels, inputs.catalog_columns)
    if inputs.derived:
        queries["attributes"] = engine.kept(keep_once(engine, "attributes", queries["attributes"]))
    queries |= _counted(catalog, engine, inputs, [name for name in COUNTED if name in needed])
    if is_of_history:
        queries[ITEMS] = picked(queries[COUNTED[0]].subquery(COUNTED[0]), "item_id")
    return replace(inputs, queries=queries)


def _counted(
    catalog: Catalog, engine: Engine, inputs: Inputs, names: Sequence[str]
) -> Mapping[str, exp.Query]:
    """Keep relations of the history in tables: they have a row for each item, however long the history is."""
    kept: dict[str, exp.Query] = {}
    of_items, of_users, _ = COUNTED
    for name in names:
        if name == of_items and of_users in names:
            continue
        composer = inputs.composer(catalog)
        step = composer.relation(name, {})
        kept[name] = engine.kept(keep_once(engine, name, composer.complete(everything(step))))
    if of_items in names and of_users in names:
        kept[of_items] = picked(kept[of_users].subquery(of_users), "item_id", "n_interactions")
    return kept


# The number of predictions from which codes and shared orders save more time than they cost.
LARGE = 500_000


def evaluate_rankings(
    catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure], attach: Attach
) -> list[FamilyEvaluation]:
    """Compute the metrics of queries, and those of all lists of a system together."""
    refuse_unsupported(catalog, engine, request, measures)
    inputs = ranking_inputs(catalog, request, attach, engine.extremes)
    refuse_nulls(engine, inputs, request.own_columns)
    inputs = with_side_inputs(catalog, engine, inputs, measures)
    refuse_unbound(catalog, engine, inputs, measures)
    inputs = _with_systems(engine, inputs) if request.chunks else _with_contenders(
        catalog, engine, inputs, measures, request.checked
    )  # fmt: skip
    findings = [] if request.checked else check(catalog, engine, inputs, measures)
    varying(engine, inputs)
    parts = []
    for is_of_systems in dict.fromkeys(measure.metric.is_of_systems for measure in measures):
        chosen = [measure for measure in measures if measure.metric.is_of_systems == is_of_systems]
        compute = evaluate_systems if is_of_systems else _of_queries
        part = compute(catalog, engine, request, inputs, chosen)
        parts.append(replace(part, findings=(*findings, *part.findings)))
        findings = []
    return parts


def _of_queries(
    catalog: Catalog, engine: Engine, request: Request, inputs: Inputs, measures: Sequence[Measure]
) -> FamilyEvaluation:
    """Compute the values of every query once, and summarize them."""
    with engine.step("values per query"):
        table, columns = _query_values(catalog, engine, inputs, measures, request.chunks)
    refuse_copies(engine, measures, table)
    refuse_beyond(engine, measures, columns, table)
    weights = weighing(engine, inputs, table)
    summary = RankingSummary(catalog, inputs, measures, columns, table)
    with engine.step("means of the queries"):
        query = summary.joined(bands_of_values(engine, summary), value_ranges(engine, summary))
        joined = materialized(engine, query)
    rows, kept = kept_rows(engine.results(), summary.query(joined))
    if not request.checked:
        _refuse_strangers(catalog, engine, request, inputs, measures, rows)
    notes = [*weights, *counted_notes(rows, inputs, measures[0].values)]
    notes += [] if request.checked else _tied(catalog, engine, inputs, measures, rows, table, columns)
    notes += [] if request.checked else explained(catalog, engine, inputs, measures, notes)
    part = FamilyEvaluation(
        rows, inputs.by, tuple(notes), tuple(measures), kept, summary.per_query(),
        query_name=inputs.column_label("predictions", "query_id"), values=summary,
    )  # fmt: skip
    if request.inference is not None:
        from duckmetrics.inference.unit_values import units_of_ranking

        with engine.step("units of the intervals"):
            units = units_of_ranking(catalog, engine, inputs, measures, summary)
        part = with_bounds(catalog, engine, request.inference, part, units)
    if request.verify is None:
        return part
    from duckmetrics.evaluation.recomputed import verify_ranking

    with engine.step("verify a sample"):
        outcome = verify_ranking(
            engine, inputs, measures, columns, table, rows, request.verify, summary.flagged(),
            request.own_columns,
        )  # fmt: skip
    return replace(part, findings=(*part.findings, *outcome.findings), verified=outcome.verified)


def _tied(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure],
    rows: Sequence[Mapping[str, Any]], table: str, columns: Sequence[Columns],
) -> list[Finding]:  # fmt: skip
    """Return the note that the order of equal scores could change which of several systems is best."""
    if inputs.one_system or inputs.by_rank or inputs.weight or not engine.supports(Feature.GLOBAL_SORTS):
        return []
    with engine.step("ties of a sample"):
        sample = TiedSample(catalog, engine, inputs, measures, table, columns)
        note = sample.note(rows)
        for kept in sample.tables:
            engine.discard(kept)
    return [] if note is None else [note]


def _refuse_strangers(
    catalog: Catalog,
    engine: Engine,
    request: Request,
    inputs: Inputs,
    measures: Sequence[Measure],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Refuse systems that share no query with the truth, where several are evaluated.

    Plan rule: only a system that lacks as many queries as it has values may be one.

    Raises:
        InputError: names the system.
    """
    missing = dict.fromkeys(
        row["system"] for row in rows
        if row["system"] is not None and row["slice"] == ""
        and row["n_missing"] >= row["n"] + row["n_undefined"]
    )  # fmt: skip
    compares = request.inference is not None and request.inference.compares
    found = without_common_query(catalog, engine, inputs, measures, missing, compares)
    if found:
        raise refusal(found)


def _query_values(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], chunks: int
) -> tuple[str, list[Columns]]:
    """Keep the values of every query in a table; return its name, and which columns are whose."""
    table = engine.name("per_query")
    bands = bands_of_terms(catalog, engine, inputs, measures)
    columns: list[Columns] = []
    is_large = _count(engine, inputs) >= LARGE
    codes = codes_of(engine, inputs) if is_large else Codes({})
    for part in chunks_of(engine, inputs, chunks) if chunks else (inputs,):
        query, found = per_query(codes.coded(part).composer(catalog), measures, plan_of(engine, measures))
        query = by_branch(query) if engine.supports(Feature.GLOBAL_SORTS) else query
        query = with_shared_orders(engine, query) if is_large else query
        values = codes.decoded(cast("exp.Query", with_exact_sums(query, bands)))
        engine.keep(table, values, more=bool(columns))
        columns = found
    for read in codes.tables.values():
        engine.discard(read)
    return table, columns


def _count(engine: Engine, inputs: Inputs) -> int:
    """Return the number of predictions; -1 for an engine that gains nothing from further tables."""
    rows = inputs.queries["predictions"].subquery("predictions")
    return int(engine.rows(row_count(rows))[0][0]) if engine.supports(Feature.GLOBAL_SORTS) else -1


def longest(catalog: Catalog, engine: Engine, request: Request, attach: Attach) -> int:
    """Return the number of places of the longest list of the predictions."""
    request = replace(request, verify=None, by=(), computed={}, inference=None)
    with engine.exclusive(keep=False):
        inputs = ranking_inputs(catalog, request, attach, engine.extremes)
        rows = inputs.queries["predictions"].subquery("predictions")
        ((places,),) = engine.rows(longest_list(rows, inputs.constants, by_rank=inputs.by_rank))
    return int(places or 0)


def bands_of_terms(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> Sequence[int] | None:
    """Return the bands of the terms of the values of queries; None if their sums need not be exact.

    A sum in a file of the user may be of anything, and stays as it is.
    """
    if not engine.supports(Feature.EXACT_SUMS) or any(measure.metric.is_own for measure in measures):
        return None
    largest, smallest = _ends_of_gains(catalog, engine, inputs, measures)
    weight = _largest_weight(catalog, engine, inputs, measures)
    return bands_of(max(largest or 0.0, weight), smallest)


def _with_systems(engine: Engine, inputs: Inputs) -> Inputs:
    """Add the list of all systems, so that a part also has systems that answered none of its queries."""
    if "systems" in inputs.queries or "system" in inputs.constants:
        return inputs
    predictions = inputs.queries["predictions"].subquery("predictions")
    table = keep_once(engine, "systems", picked(predictions, "system").distinct())
    return replace(inputs, queries={**inputs.queries, "systems": engine.kept(table)})


def _ends_of_gains(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> tuple[float | None, float | None]:
    """Return the largest gain that a measure gives to an item, and the smallest above 0."""
    composer = inputs.composer(catalog)
    truth = composer.relation("truth", {})
    ends = picked(truth, "max(relevance)", "min(CASE WHEN relevance > 0 THEN relevance END)")
    ((largest, smallest),) = engine.rows(composer.complete(ends))
    if largest is None or not any(holds(catalog, EXPONENTIAL, measure) for measure in measures):
        return largest, smallest
    return math.inf if largest > sys.float_info.max_exp - 1 else 2.0**largest, smallest


def _largest_weight(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> float:
    """Return the largest weight that a measure gives to an item for its propensity, 0 if none gives any."""
    exponents = [cast("float", m.values["exponent"]) for m in measures if holds(catalog, WEIGHED, m)]
    if not exponents:
        return 0.0
    composer = inputs.composer(catalog)
    items = composer.relation("item_history", {})
    ((largest,),) = engine.rows(composer.complete(picked(items, "max(n_interactions)")))
    power = math.log2(largest or 1) * (max(exponents) + 1) / 2
    return math.inf if power > sys.float_info.max_exp - 1 else 2.0**power


def _with_contenders(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], again: bool
) -> Inputs:
    """Find the rows that can come to a cut-off once, for the checks and for the ranks (plan rule).

    It does not apply where the truth decides which rows these are: its duplicates would show among them.

    Args:
        again: whether the rows that an evaluation of the same tables found are as good.
    """
    plan, depth = plan_of(engine, measures), depth_of(measures)
    if plan != TOP:
        return inputs
    composer = inputs.composer(catalog)
    found = {composer.relation(CONTENDERS, {**m.values, "plan": plan, "depth": depth}) for m in measures}
    query = composer.complete(everything(found.pop()))
    if found or any(cte.alias == "truth" for cte in query.ctes):
        return inputs
    kept = engine.kept(keep_readable(engine, CONTENDERS, query, again))
    return replace(inputs, queries={**inputs.queries, CONTENDERS: kept})
