"""Sums of rows in states: written for each slice and cluster, and evaluated when states are merged."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.checks.examination import check_values
from duckmetrics.compose.one_scan import in_one_scan
from duckmetrics.engines.engine import keep_new, keep_readable
from duckmetrics.evaluation.family_evaluation import FamilyEvaluation, with_bounds
from duckmetrics.inference.kept import kept_rows, materialized, on_engine
from duckmetrics.inference.kept_sums import (
    N_POSITIVE,
    UNITS,
    KeptSums,
    MomentUnits,
    N,
    moments,
    pairs_of_sums,
    product_name,
    sum_names,
)
from duckmetrics.inference.linear import product
from duckmetrics.inference.row_summary import ClassificationSummary
from duckmetrics.inference.row_units import units_of_sums
from duckmetrics.inference.sums import Sums
from duckmetrics.inference.unit_values import scale_of_rows
from duckmetrics.inference.units import ROWS
from duckmetrics.inputs.classification import UNIT, classification_inputs
from duckmetrics.words.units import CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inference.units import Units
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.systems import Attach


# The field of a struct that holds the unit.
_ID = "id"


def cells(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], by: Sequence[str]
) -> tuple[exp.Select, list[str]]:
    """Return the query of the sums of each system, slice and cluster, and the names of its columns of sums.

    Without clusters, each row is a unit, and the sums of products give the spread of the rows.

    Args:
        inputs: the rows, with the slicing columns as `by`, and their unit.
    Returns: system, `by`, unit (of clusters), then the sums.
    """
    rows = exp.select(exp.Star(replace=[_struct(by).as_(UNIT)])).from_(
        inputs.queries["predictions"].subquery("rows")
    )
    inputs = replace(inputs, queries={**inputs.queries, "predictions": rows})
    is_clustered = inputs.cluster is not None
    sums = Sums(catalog, inputs, measures, independent=not is_clustered)
    table = keep_new(engine, UNITS, on_engine(catalog, engine, in_one_scan(sums.per_unit({}))))
    names = sum_names(catalog, measures)
    found: dict[str, exp.Expr] = {N: exp.column(N), N_POSITIVE: exp.column(N_POSITIVE)}
    found |= {name: exp.column(column) for column, name in names.items()}
    keys: list[exp.Expr] = [exp.column("system"), *(_field(name).as_(name) for name in by)]
    if is_clustered:
        columns = (value.as_(name) for name, value in found.items())
        return exp.select(*keys, _field(_ID).as_(UNIT), *columns).from_(table), list(found)
    for one, other in pairs_of_sums(sums.linear):
        name = product_name(names[one], names[other])
        found[name] = product(exp.column(one), exp.column(other))
    types = {N: "BIGINT", N_POSITIVE: "BIGINT"}
    totals = [exp.Count(this=exp.Star()).as_(UNITS)]
    totals += [exp.cast(exp.Sum(this=v), types.get(name, "DOUBLE")).as_(name) for name, v in found.items()]
    groups = [exp.column("system"), *(_field(name) for name in by)]
    return exp.select(*keys, *totals).from_(table).group_by(*groups), [UNITS, *found]


def _struct(by: Sequence[str]) -> exp.Expr:
    """Return the slice and the unit as one."""
    fields = {_ID: UNIT, **{name: name for name in by}}
    return exp.Struct(expressions=[
        exp.PropertyEQ(this=exp.to_identifier(name), expression=exp.column(column))
        for name, column in fields.items()
    ])  # fmt: skip


def _field(name: str) -> exp.Expr:
    return exp.Dot(this=exp.column(UNIT), expression=exp.to_identifier(name))


def evaluate_sums(
    catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure], attach: Attach
) -> FamilyEvaluation:
    """Evaluate measures from the sums of states.

    Args:
        request: its predictions are the sums, with the columns that it names as own ones.
    """
    inputs, measures = classification_inputs(request, measures, attach, partial(keep_readable, engine))
    spread = request.inference is not None and inputs.cluster is None
    sums = KeptSums(catalog, inputs, measures, sum_names(catalog, measures), spread)
    with engine.step("values per slice"):
        table = keep_new(engine, UNITS, sums.per_unit({}))
        values = sums.values(table)
        per_segment = keep_new(engine, "per_segment", on_engine(catalog, engine, values))
        summary = ClassificationSummary(catalog, inputs, measures, per_segment)
        joined = materialized(engine, summary.joined())
        rows, kept = kept_rows(engine.results(), summary.query(joined, values.named_selects))
    findings = check_values(catalog, engine, inputs, measures, rows, kept)
    part = FamilyEvaluation(rows, inputs.by, tuple(findings), tuple(measures), kept, is_given=True)
    if request.inference is None:
        return part
    with engine.step("units of the intervals"):
        units = _units(catalog, engine, sums, summary, table)
    return with_bounds(catalog, engine, request.inference, part, units)


def _units(
    catalog: Catalog, engine: Engine, sums: KeptSums, summary: ClassificationSummary, table: str
) -> Units:
    """Return the values of clusters, or the moments of those of rows."""
    linear, cluster = sums.linear, sums.inputs.cluster
    shared: dict[str, Any] = {
        "segments": summary.named_slices(), "columns": summary.by,
        "measures": tuple(one.measure.text for one in linear),
        "scales": tuple(scale_of_rows(one.measure) for one in linear),
    }  # fmt: skip
    if cluster is not None:
        return units_of_sums(catalog, engine, sums, kind=f"{CLUSTERS}{cluster}", **shared)
    query = on_engine(catalog, engine, moments(sums, table))
    kept = engine.kept(keep_new(engine, "moments", query))
    return MomentUnits(kept, kind=ROWS, linearized=True, **shared)
