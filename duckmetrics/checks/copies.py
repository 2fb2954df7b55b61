"""The column that distinguishes copies of an item, such as a system column that the caller did not name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import longer_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.results.findings import Finding

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
