"""Explanations of classifiers: what each row, or each group of rows, adds to a value or a difference."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from duckmetrics.compose.composer import Composer
from duckmetrics.compose.contributions import GROUPS, MOST_GROUPS, SEGMENT
from duckmetrics.engines.engine import Feature, keep_readable
from duckmetrics.engines.plans import by_group, plans_on
from duckmetrics.errors import InputError, MetricError, UnsupportedError
from duckmetrics.evaluation.explaining import groups_result
from duckmetrics.expressions.build import picked
from duckmetrics.inference.contributions import (
    Contributions,
    details_query,
    explainable_rows,
    grouped_rows,
    is_sum_over_rows,
)
from duckmetrics.inference.kept import on_engine
from duckmetrics.inference.row_units import kept_sums
from duckmetrics.inference.unit_values import refuse_split_groups
from duckmetrics.inputs.classification import UNIT, attributed_rows
from duckmetrics.inputs.slices import read_slices
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.words.explanation import BASELINE, COMBINE, NAME_IT, Sizes, key_text
from duckmetrics.words.lists import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.explaining import ExplainArguments
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.report_data import Opened
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.results.explanation import ExplainedGroups


# What the result shows of groups of one row, besides the columns that the caller names.
DETAILS = ("label", "score", "baseline_score")
# The grouping in which each row is a group.
BY_ROW = "row"
RELATION, LARGEST, SIZES = "group_contributions", "contribution_groups", "contribution_sizes"
# Sums of two systems whose shares differ by more than this are not equal.
SAME = 1e-9


@dataclass(frozen=True)
class _Grouped:
    """The rows of a request with their groups.

    Attributes:
        by: the name of the groups.
        shown: the column of the caller -> its name in the rows.
    """

    inputs: Inputs
    measure: Measure
    by: str
    shown: dict[str, str]


def explained_rows(
    session: Opened, part: FamilyEvaluation, by: str, metric: str | None, asked: ExplainArguments
) -> ExplainedGroups:
    """Explain the value of one system, or its difference to that of a baseline, by groups of rows.

    Args:
        by: a column of the predictions or an expression with a name; or row, for each row by itself.

    Raises:
        MetricError: the grouping cannot be read.
        InputError: there is no such column, or the systems have different rows.
        UnsupportedError: the metric is not a sum over rows, or the engine cannot explain it.
    """
    if not session.engine.supports(Feature.REREADING):
        raise UnsupportedError(
            "explain", "explains metrics of rows on DuckDB only", "explain the rows of an export there"
        )
    if asked.items is not None:
        raise MetricError("items", "belong to rankings, not to rows", "leave it out; name columns with show=")
    measure, n_metrics = _measure(session, part.measures, metric)
    rows = _rows(session, measure, by, asked)
    plan = plans_on(session.catalog, session.engine, rows.inputs, [rows.measure])
    added = Contributions(session.catalog, rows.inputs, rows.measure, plan)
    if by_group(rows.measure):
        refuse_split_groups(
            session.engine,
            rows.inputs,
            f"by {by!r}",
            by,
            "explain by the column of the groups, or another one",
        )
    table = kept_sums(session.catalog, session.engine, added.sums, added.influences())
    facts = session.engine.rows(on_engine(session.catalog, session.engine, added.facts(table)))
    _refuse_values(part, facts, measure, asked)
    groups = session.engine.name("groups")
    session.engine.keep(groups, on_engine(session.catalog, session.engine, added.query(table)))
    return replace(_result(session, rows, groups, asked), n_metrics=n_metrics)


def _measure(session: Opened, measures: Sequence[Measure], metric: str | None) -> tuple[Measure, int]:
    """Return the measure of a text, by default the first sum over rows, and the number of these."""
    known = [measure for measure in measures if metric in (None, measure.text)]
    found = [m for m in known if is_sum_over_rows(session.catalog, m.metric)]
    if not found:
        names = ", ".join(explainable_rows(session.catalog))
        advice = f"these metrics of rows can be explained: {names}"
        raise UnsupportedError(known[0].text, "is not a sum over rows", advice)
    return found[0], len(found)


def _rows(session: Opened, measure: Measure, by: str, asked: ExplainArguments) -> _Grouped:
    """Return the rows with their groups and the columns to show."""
    by_row = by == BY_ROW
    groupings, computed = read_slices([[column] for column in ([] if by_row else [by]) + [*asked.show]])
    request = replace(session.request.of(session.catalog, [measure]), by=groupings, computed=computed)
    attach, keep = partial(session.attach, request=request), partial(keep_readable, session.engine)
    try:
        inputs, (measure,) = attributed_rows(request, [measure], attach, keep, by_row)
    except InputError as error:
        if "," in by and groupings[0][0] == by and f"no column {by!r}" in str(error):
            raise MetricError(f"by {by!r}", "takes one column", COMBINE) from error
        raise
    if by_row and asked.baseline is not None and not inputs.shares_rows:
        raise MetricError(
            "by 'row'",
            "the systems are not scores of the same table",
            "name a column that identifies a row, such as by='impression_id'",
        )
    aliases = {name.lower(): f"by_{i}" for i, name in enumerate(inputs.by_columns, start=1)}
    names = [column for (column,) in groupings]
    group = BY_ROW if by_row else names.pop(0)
    column = UNIT if by_row else aliases[group.lower()]
    grouped = grouped_rows(inputs.queries["predictions"], column)
    inputs = replace(inputs, queries={**inputs.queries, "predictions": grouped})
    return _Grouped(inputs, measure, group, {name: aliases[name.lower()] for name in names})


def _refuse_values(
    part: FamilyEvaluation, facts: Sequence[tuple[Any, ...]], measure: Measure, asked: ExplainArguments
) -> None:
    """Refuse values that rows do not add up to, and systems whose sums are not divided by the same.

    Args:
        facts: the rows of `Contributions.facts`.

    Raises:
        InputError: a system has no value, or the systems have different rows.
        UnsupportedError: the scores change what the sums are divided by.
    """
    overall = {row["system"]: row for row in part.rows if row["metric"] == measure.text and not row["slice"]}
    by_system = {row[0] or None: row[1:] for row in facts}
    for system in asked.systems:
        value = overall[system]["value"]
        if value is None or not math.isfinite(value) or not _same(value, by_system[system][0]):
            what = f"the value {value:g}" if value is not None else "no value"
            why = "" if overall[system]["reason"] is None else f": {overall[system]['reason']}"
            raise InputError(
                measure.text, f"{system or 'the system'} has {what}{why}", "rows do not add up to it"
            )
    (_, *first), *others = (by_system[system] for system in asked.systems)
    for _, *other in others:
        if other[:2] != first[:2]:
            raise InputError(
                "explain", f"the systems have different rows: {_unlike(other, first)}",
                f"give both the same rows, or explain one of them alone with {NAME_IT}",
            )  # fmt: skip
        for one, two in zip(other[2:], first[2:], strict=True):
            if not _same(one, two):
                raise UnsupportedError(
                    measure.text, f"divides by a sum that depends on the scores: {one:g} and {two:g}",
                    f"explain one system alone with {NAME_IT}, or another metric such as log_loss or auc",
                )  # fmt: skip


def _unlike(one: Sequence[Any], other: Sequence[Any]) -> str:
    """Return the numbers of rows of two systems, or of their positives if only these differ.

    Args:
        one, other: the number of rows, and that of the positives.
    """
    if one[0] != other[0]:
        return f"{one[0]:,} and {other[0]:,}"
    return f"{one[1]:,} and {other[1]:,} positives of {counted(one[0], 'row')}"


def _same(one: float, other: float | None) -> bool:
    return other is not None and abs(one - other) <= SAME * max(abs(one), abs(other))


def _result(session: Opened, rows: _Grouped, groups: str, asked: ExplainArguments) -> ExplainedGroups:
    """Return the largest groups, with their rows if each has one only, and the sizes of all of them.

    Args:
        groups: the table of the contributions.
    """
    engine, catalog = session.engine, session.catalog
    names = [ONE_SYSTEM if name is None else name for name in asked.systems]
    values = {"system": names[0], "baseline": names[1] if len(names) > 1 else None}
    kept = {RELATION: engine.kept(groups)}
    composer = Composer(catalog, kept)
    step = composer.relation(LARGEST, {**values, MOST_GROUPS: asked.n})
    largest = engine.name("largest")
    engine.keep(largest, composer.complete(picked(step, *GROUPS)))
    composer = Composer(catalog, kept)
    step = composer.relation(SIZES, values)
    (sizes,) = engine.rows(composer.complete(picked(step, *Sizes._fields)))
    found = groups_result(rows.measure, rows.by, asked, engine.arrow(engine.kept(largest)), asked.systems)
    found = replace(found, noun="row", sizes=Sizes(*sizes))
    if all(_is_single(row) for row in found.rows):
        return _with_details(session, rows, largest, found, names)
    if asked.show:
        raise MetricError(
            "show", f"needs groups of one row, and those of {rows.by!r} have more",
            "leave it out, or name a column that identifies a row with by=",
        )  # fmt: skip
    return found


def _is_single(row: dict[str, Any]) -> bool:
    """Return whether a row of the result stands for one row of each system, or for no group."""
    return row["kind"] != "group" or (row["n"] <= 1 and (row["baseline_n"] or 0) <= 1)


def _with_details(
    session: Opened, rows: _Grouped, largest: str, found: ExplainedGroups, names: Sequence[str]
) -> ExplainedGroups:
    """Return groups of one row with its label, its scores and the columns to show.

    Args:
        largest: the table of the groups that have a row in the result.
        names: the system, and the baseline if there is one.
    """
    taken = {*found.schema.names, SEGMENT} & {*DETAILS, *rows.shown}
    if taken:
        raise MetricError(
            "explain", f"{', '.join(sorted(taken))} is also a column of the result",
            "give it another name, as in by='label AS actual'",
        )  # fmt: skip
    scores = {f"{start}score": name for start, name in zip(("", BASELINE), names, strict=False)}
    groups = session.engine.kept(largest)
    query = details_query(rows.inputs.queries["predictions"], groups, scores, rows.shown)
    columns = [name for name in query.named_selects if name != SEGMENT]
    table = session.engine.arrow(query)
    details = {key_text(row[SEGMENT]): row for row in table.to_pylist()}
    filled = tuple(
        {**row, **{name: details.get(key_text(row[found.by]), {}).get(name) for name in columns}}
        if row["kind"] == "group" else {**row, **dict.fromkeys(columns)}
        for row in found.rows
    )  # fmt: skip
    schema = found.schema
    for name in columns:
        schema = schema.append(table.schema.field(name))
    return replace(found, rows=filled, schema=schema, details=tuple(columns))
