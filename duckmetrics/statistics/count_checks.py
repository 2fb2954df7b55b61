"""Checks of counts before a test: one SQL file each, its rows are the offenders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.optimizer import unpruned
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.statistics.counts import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.engines.engine import Engine
    from duckmetrics.statistics.counts import Counts

EXAMPLES = 3


def check_rows(catalog: Catalog, engine: Engine, counts: Counts) -> list[str]:
    """Run the checks that look at each row by itself, in one scan.

    Returns: the warnings.
    Raises:
        InputError: at least one check of severity error found something.
    """
    checks = [check for check in _checks(catalog, counts) if not _groups(check)]
    relation = unpruned(counts.query).subquery()
    found = [exp.Filter(this=exp.Count(this=exp.Star()), expression=check.query.args["where"].copy())
             for check in checks]  # fmt: skip
    try:
        (numbers,) = engine.rows(reading(exp.select(*found).from_(counts.table), relation))
    except EngineError as error:
        if not error.unreadable:
            raise
        raise InputError(counts.label, f"cannot be read: {error}", "check it") from error
    return _told(engine, counts, relation, dict(zip(checks, numbers, strict=True)))


def check_groups(catalog: Catalog, engine: Engine, counts: Counts, kept: str) -> list[str]:
    """Run the checks of the table as a whole, where its counts are kept.

    Returns: the warnings.
    Raises:
        InputError: at least one check of severity error found something.
    """
    relation = exp.to_table(kept)
    found = {}
    for check in filter(_groups, _checks(catalog, counts)):
        offenders = reading(check.query, relation).subquery("offenders")
        ((found[check],),) = engine.rows(exp.select(exp.Count(this=exp.Star())).from_(offenders))
    return _told(engine, counts, relation, found)


def _checks(catalog: Catalog, counts: Counts) -> list[Definition]:
    return [check for check in catalog.count_checks.values() if counts.table in check.inputs]


def _groups(check: Definition) -> bool:
    return bool(check.query.args.get("group") or check.query.args.get("having"))


def _told(engine: Engine, counts: Counts, relation: exp.Expr, found: dict[Definition, int]) -> list[str]:
    told = {check: _message(engine, counts, relation, check, n) for check, n in found.items() if n}
    errors = [message for check, message in told.items() if check.header["severity"] == "error"]
    if errors:
        raise InputError("", "\n".join(errors))
    return list(told.values())


def _message(engine: Engine, counts: Counts, relation: exp.Expr, check: Definition, number: int) -> str:
    names = [counts.names.get(name, name) for name in check.query.named_selects]
    examples = "; ".join(
        ", ".join(f"{name}={shown(value)}" for name, value in zip(names, row, strict=True))
        for row in _examples(engine, relation, check)
    )
    column = check.header.get("column", "").rpartition(".")[2]
    found = f"column {counts.names[column]!r}: {number} {check.title}" if column else check.title
    return f"{counts.label}: {found} ({examples}); {check.header['advice']}"


def _examples(engine: Engine, relation: exp.Expr, check: Definition) -> Sequence[tuple[object, ...]]:
    offenders = exp.select(exp.Star()).from_(reading(check.query, relation).subquery("offenders"))
    for i in range(1, len(check.query.selects) + 1):
        offenders = offenders.order_by(literal(i), copy=False)
    return engine.rows(offenders.limit(EXAMPLES))


def shown(value: object) -> str:
    """Write a value of an example."""
    if value is None:
        return "NULL"
    return f"{value:.15g}" if isinstance(value, float) else str(value)
