"""The column that distinguishes copies of an item, such as a system column that the caller did not name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.results.findings import Finding

STACKED, COPIED = "stacked_prediction", "duplicate_prediction"
KEYS = ("query_id", "item_id")
# A column with more distinct values is not the name of a system.
MOST = 100


def explained_copies(engine: Engine, inputs: Inputs, found: Iterable[Finding]) -> list[Finding]:
    """Add to findings about repeated items the column that distinguishes the copies; report it once."""
    findings = list(found)
    names = {finding.check for finding in findings}
    if not names & {STACKED, COPIED}:
        return findings
    if names >= {STACKED, COPIED}:
        findings = [finding for finding in findings if finding.check != STACKED]
    told = _told(engine, inputs)
    return [
        replace(finding, message=finding.message.removesuffix(finding.advice) + told + finding.advice,
                advice=told + finding.advice)
        if told and finding.check in (STACKED, COPIED) else finding
        for finding in findings
    ]  # fmt: skip


def _told(engine: Engine, inputs: Inputs) -> str:
    """Return the text ``column 'model' distinguishes them (3 values); ``, empty if no column does."""
    rows = inputs.leftovers
    if rows is None:
        return ""
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
        return ""
    sizes = exp.select(*(_distinct(name).as_(f"n_{i}") for i, name in enumerate(apart)))
    (counts,) = engine.rows(sizes.from_(rows.subquery("leftovers")))
    few = min((number, name) for number, name in zip(counts, apart, strict=True))
    return f"column {few[1]!r} distinguishes them ({few[0]} values); " if few[0] <= MOST else ""


def _distinct(name: str) -> exp.Count:
    return exp.Count(this=exp.Distinct(expressions=[exp.column(name, quoted=True)]))
