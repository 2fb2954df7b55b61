"""Notes on the data in addition to the checks: on slices, columns that nobody named, copies of systems."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog.layouts import ORDERS
from duckmetrics.checks.counting import count_of
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.inputs.columns import FIRST, PLURALS, longer_key
from duckmetrics.results.findings import EXAMPLES, NOTE, WARNING, Finding
from duckmetrics.words.lists import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


# The switch that decides how queries without predictions count.
MISSING, NO_RELEVANT = "missing", "no_relevant"
UNANSWERED = "unanswered_query"
# How queries without predictions count, by the choice of the switch.
UNANSWERED_COUNT = {
    "zero": "each that has a relevant item counts as 0", "undefined": "they have no value",
    "skip": "they are left out",
}  # fmt: skip
GIVE_ATTRIBUTES = "give the attributes of all queries with queries="
WEIGHS = "weights the rows, for its name"
TAKEN = (
    "if it is no weight, set weighted=false (--set weighted=false); if it is, map it with "
    "columns={'weight': 'weight'} (--column weight=weight)"
)
UNUSED = "every query counts as 1"
MAP_WEIGHT = (
    "if it is the weight of queries, map it with columns={'weight': 'weight'} (--column weight=weight)"
)
ONE_WEIGHT = "give each query one weight, for example with queries=, or leave the weight out"
UNWEIGHTED = "read it without weights too, or leave it out"


def varying(engine: Engine, inputs: Inputs) -> None:
    """Refuse columns of queries, for slices, clusters and weights, with more than one value in a query.

    Raises:
        InputError: names the column and three queries.
    """
    others = [name for name in (inputs.cluster, inputs.weight) if name]
    for name in dict.fromkeys((*inputs.by_columns, *others)):
        attribute = exp.column(exp.to_identifier(name, quoted=True))
        differs = exp.NullSafeNEQ(this=exp.Min(this=attribute), expression=exp.Max(this=attribute.copy()))
        some = exp.In(this=exp.Count(this=attribute.copy()),
                      expressions=[literal(0), exp.Count(this=exp.Star())])  # fmt: skip
        other = exp.Case().when(differs.copy(), exp.Max(this=attribute.copy()))
        query = (
            exp.select("query_id", exp.Min(this=attribute.copy()), other)
            .from_(inputs.queries["attributes"].subquery("attributes"))
            .group_by("query_id")
            .having(exp.or_(differs, exp.not_(some)))
        )
        count = engine.rows(count_of(cast("exp.Query", query)))[0][0]
        if count:
            rows = engine.rows(query.order_by("query_id").limit(EXAMPLES))
            shown = "; ".join(f"{row[0]}: {', '.join(map(_text, row[1:]))}" for row in rows)
            raise InputError(
                inputs.labels[inputs.by_source or "predictions"],
                f"column {name!r}: differs within {count} queries ({shown})",
                ONE_WEIGHT if name == inputs.weight else
                "slice rankings by an attribute of the query, or give one value per query with queries=; if "
                f"there is a list for each {name}, {longer_key(inputs.query_parts, name)}",
            )  # fmt: skip


def _text(value: object) -> str:
    return "NULL" if value is None else str(value)


def unweighted(inputs: Inputs, measures: Sequence[Measure]) -> list[Finding]:
    """Return warnings for measures that have no weighted form although the rows, or queries, have weights."""
    label = inputs.labels["predictions"]
    without = [m for m in measures if any(p.name == WEIGHTED and p.default is False for p in m.declared)]
    without += [measure for measure in measures if measure.metric.is_of_systems]
    return [
        Finding(
            "unweighted", WARNING, label, inputs.weight, 0, (),
            f"{label}: column {inputs.weight!r}: {measure.text} has no weighted form and counts every "
            f"{'list' if measure.metric.is_of_systems else 'row'} as 1; {UNWEIGHTED}", UNWEIGHTED,
        )
        for measure in without if inputs.weight is not None
    ]  # fmt: skip


def unasked(inputs: Inputs, family: str) -> list[Finding]:
    """Return notes on columns whose name suggests a meaning: whether they are taken unasked."""
    found = []
    for table, column, is_taken in inputs.unasked:
        label = inputs.labels[table]
        what = WEIGHS if is_taken else f"is not used by {PLURALS[family]}"
        advice = TAKEN if is_taken else f"{UNUSED}; {MAP_WEIGHT}"
        message = f"{label}: column {column!r}: {what}; {advice}"
        found.append(Finding("unasked_column", NOTE, label, column, 0, (), message, advice))
    return found


def unread_grades(inputs: Inputs) -> list[Finding]:
    """Return a warning if the truth has a column that looks like grades, and none is read."""
    if inputs.unread_grade is None:
        return []
    label, column = inputs.labels["truth"], inputs.unread_grade
    advice = f"name it with columns={{'relevance': {column!r}}} (--column relevance={column})"
    if column.lower() in ORDERS:
        advice = f"if this is the run, {FIRST}; if it is a grade, {advice}"
    what = f"column {column!r}: not read, so that every item of the truth has grade 1"
    return [Finding("unread_grade", WARNING, label, column, 0, (), f"{label}: {what}; {advice}", advice)]


def of_other_tools(measures: Sequence[Measure]) -> list[Finding]:
    """Return notes on other tools: names, members of a set that are missing, switches without effect."""
    named: dict[tuple[str, ...], list[Measure]] = {}
    for measure in measures:
        if measure.tools:
            named.setdefault(measure.tools, []).append(measure)
    found = []
    for tools, of_tools in named.items():
        words = ", ".join(f"{measure.text} is {measure}" for measure in of_tools[:EXAMPLES])
        words += f" and {more} more names are metrics" if (more := len(of_tools) - EXAMPLES) > 0 else ""
        advice = f"like={' or '.join(map(repr, tools))} takes its conventions too"
        found.append(_note("foreign_name", f"{words} here", advice, len(of_tools)))
    for one in dict.fromkeys(measure.member_of for measure in measures):
        if one is not None and one.without:
            found.append(_note("partial_set", f"{one.name} is without {one.without}", "", 0))
    idle = dict.fromkeys(what for measure in measures for what in measure.without_effect)
    found += [_note("without_effect", what, "", 0) for what in idle]
    return found


def _note(check: str, what: str, advice: str, count: int) -> Finding:
    message = f"{what}; {advice}" if advice else what
    return Finding(check, NOTE, "metrics", "", count, (), message, advice)


def _population(row: Mapping[str, Any], values: Mapping[str, Value]) -> int | None:
    """Return the number of queries of the population, None if the counts of a row do not add up to it."""
    if (values.get(MISSING), values.get(NO_RELEVANT)) != ("zero", "null"):
        return None
    if "n" not in row:
        return None
    return int(row["n"] + row["n_no_relevant"] + row["n_undefined"])


def counted_notes(
    rows: Sequence[Mapping[str, Any]], inputs: Inputs, values: Mapping[str, Value]
) -> list[Finding]:
    """Return notes on missing queries and on queries without a slice, from the counts of the result."""
    notes: dict[tuple[str, Any], Finding] = {}
    label = inputs.labels["predictions"]
    for row in rows:
        overall = row["slice"] == ""
        system = f" of system {row['system']}" if row["system"] is not None else ""
        if overall and row["n_missing"]:
            policy, lacking = values.get(MISSING), "predictions" if values else "values"
            how = UNANSWERED_COUNT.get(str(policy), "they count")
            advice = f"{how} ({MISSING}={policy})" if values else UNANSWERED_COUNT["skip"]
            who = counted(row["n_missing"], "query has", "queries have")
            message = f"{label}: {who} no {lacking}{system}; {advice}"
            notes[UNANSWERED, row["system"]] = Finding(
                UNANSWERED, WARNING, label, inputs.column_label("predictions", "query_id"),
                row["n_missing"], (), message, advice, _population(row, values),
            )  # fmt: skip
        if not overall and all(row[column] is None for column in inputs.by_columns):
            source = inputs.labels[inputs.by_source or "predictions"]
            advice = GIVE_ATTRIBUTES
            message = (
                f"{source}: column {row['slice']!r}: some queries of the population have no value and "
                f"form the slice NULL; {advice}"
            )
            notes["null_slice", row["slice"]] = Finding(
                "null_slice", WARNING, source, row["slice"], row["n"], (), message, advice
            )
    return list(notes.values())


STACKED, COPIED, JUDGED = "stacked_prediction", "duplicate_prediction", "duplicate_judgment"
KEYS = ("query_id", "item_id")
# A column with more distinct values is not the name of a system.
MOST = 100


def explained_copies(engine: Engine, inputs: Inputs, found: Iterable[Finding]) -> list[Finding]:
    """Add to findings about repeated items the column that distinguishes the copies; report it once."""
    findings = list(found)
    names = {finding.check for finding in findings}
    if not names & {STACKED, COPIED, JUDGED}:
        return findings
    if names >= {STACKED, COPIED}:
        findings = [finding for finding in findings if finding.check != STACKED]
    apart = _apart(engine, inputs) if names & {STACKED, COPIED} else None
    # A slice that the truth has is a part of the query, if a query has items of several.
    sliced = [name for name in inputs.by_columns if name in inputs.judged_columns]
    key = apart[1] if apart and apart[1] in inputs.judged_columns else next(iter(sliced), None)
    longer = f"if there is a list for each {key}, {longer_key(inputs.query_parts, key)}; or " if key else ""
    told = f"column {apart[1]!r} distinguishes them ({apart[0]} values); " if apart else ""
    added = dict.fromkeys((STACKED, COPIED), f"{told}{longer}") | {JUDGED: longer}
    return [_with_advice(finding, added.get(finding.check, "")) for finding in findings]


def _with_advice(finding: Finding, added: str) -> Finding:
    """Return a finding with more advice before its own."""
    advice = f"{added}{finding.advice}"
    return replace(finding, message=finding.message.removesuffix(finding.advice) + advice, advice=advice)


def _apart(engine: Engine, inputs: Inputs) -> tuple[int, str] | None:
    """Return the column that distinguishes copies, after the number of its values; None if no column does."""
    rows = inputs.leftovers
    if rows is None:
        return None
    others = [name for name in rows.named_selects if name not in KEYS]
    copies = exp.select(exp.Count(this=exp.Star()).as_("n")).from_(rows.subquery("leftovers"))
    copies = copies.group_by(*KEYS).having(exp.GT(this=exp.Count(this=exp.Star()), expression=literal(1)))
    alike = exp.select(exp.Count(this=exp.Star()))
    for i, name in enumerate(others):
        copies = copies.select(_distinct(name).as_(f"n_{i}"))
        fewer = exp.LT(this=exp.column(f"n_{i}"), expression=exp.column("n"))
        alike = alike.select(exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=fewer)))
    ((n, *merged),) = engine.rows(alike.from_(copies.subquery("copies")))
    apart = [name for name, number in zip(others, merged, strict=True) if n and not number]
    if not apart:
        return None
    sizes = exp.select(*(_distinct(name).as_(f"n_{i}") for i, name in enumerate(apart)))
    (counts,) = engine.rows(sizes.from_(rows.subquery("leftovers")))
    few = min((number, name) for number, name in zip(counts, apart, strict=True))
    return few if few[0] <= MOST else None


def _distinct(name: str) -> exp.Count:
    return exp.Count(this=exp.Distinct(expressions=[exp.column(name, quoted=True)]))
