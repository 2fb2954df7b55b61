"""Counting the offenders of all checks in one query, for engines on which each query costs a lot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.checks.counting import counted_together, finite, of_first_rows
from duckmetrics.expressions.build import row_count, stacked
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.checks.bound_check import BoundCheck
    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine


@dataclass
class _Pass:
    """The rows to count, all in one query: each has a 1 in the columns of the counters that it is for."""

    composer: Composer
    parts: list[tuple[dict[int, exp.Expr], exp.Select]] = field(default_factory=list)
    size: int = 0

    def counter(self) -> int:
        """Return the place of a new counter."""
        self.size += 1
        return self.size - 1

    def add_rows(self, query: exp.Query) -> int:
        """Count the rows of a query; return the place of the counter."""
        place = self.counter()
        self.parts.append(({place: literal(1)}, exp.select().from_(query.subquery(f"rows_{place}"))))
        return place

    def add_scan(self, table: str, conditions: Sequence[exp.Expr]) -> list[int]:
        """Count the rows of a table for which each condition holds; return the places of the counters."""
        places = [self.counter() for _ in conditions]
        ones: dict[int, exp.Expr] = {
            place: exp.Case().when(condition.copy(), literal(1))
            for place, condition in zip(places, conditions, strict=True)
        }
        any_of_them = exp.or_(*finite(conditions))
        self.parts.append((ones, exp.select().from_(table).where(any_of_them)))
        return places

    def counts(self, engine: Engine) -> tuple[int, ...]:
        """Run the query, and return the counts."""
        if not self.parts:
            return ()
        names = [f"n_{place}" for place in range(self.size)]
        none = exp.cast(exp.null(), "INTEGER")
        parts = (
            rows.select(*((ones.get(i) or none.copy()).as_(name) for i, name in enumerate(names)))
            for ones, rows in self.parts
        )
        whole = stacked(parts).subquery("counted")
        counted = (exp.Count(this=exp.column(name)).as_(f"count_{name}") for name in names)
        (found,) = engine.rows(self.composer.complete(exp.select(*counted).from_(whole)))
        return found


def counts_in_one_pass(engine: Engine, planned: Sequence[BoundCheck]) -> tuple[list[int], dict[str, int]]:
    """Count the offenders of every check; of a check with conditions, return 1 if they hold, else 0.

    Plan rule: a query with all checks starts fewer jobs than a query for each check, and reads a table once
    for all checks that only filter it.

    Returns: the counts, and the number of rows of every table that a finding only filters.
    """
    counts = [0] * len(planned)
    totals: dict[str, int] = {}
    for composer in dict.fromkeys(one.composer for one in planned):
        chosen = [i for i, one in enumerate(planned) if one.composer is composer]
        passed = _Pass(composer)
        places = _scans(passed, {i: planned[i] for i in chosen if _is_scan(planned[i])})
        others = [i for i in chosen if i not in places]
        places |= {i: passed.add_rows(planned[i].offenders) for i in others if not planned[i].when}
        asked = {i: _conditions(passed, planned[i]) for i in others if planned[i].when}
        found = passed.counts(engine)
        for i, place in places.items():
            counts[i] = found[place]
        for i, of_check in asked.items():
            counts[i] = int(_hold(engine, planned[i], [bool(found[place]) for place in of_check]))
        for name in {_scanned_table(planned[i]) for i in chosen if counts[i] and _is_filter(planned[i])}:
            totals[name] = engine.rows(composer.complete(row_count(name)))[0][0]
    return counts, totals


def _is_filter(one: BoundCheck) -> bool:
    """Return whether the rows of a check are rows of one table."""
    return not one.when and counted_together(one.offenders) is not None


def _is_scan(one: BoundCheck) -> bool:
    """Return whether a check only filters a table, row by row."""
    return _is_filter(one) and one.offenders.args["where"].find(exp.Query) is None


def _scanned_table(one: BoundCheck) -> str:
    return str(one.offenders.args["from_"].this.name)


def _scans(passed: _Pass, checks: dict[int, BoundCheck]) -> dict[int, int]:
    """Count the checks that only filter a table in one part for each table."""
    tables: dict[str, list[int]] = {}
    for i, one in checks.items():
        tables.setdefault(_scanned_table(one), []).append(i)
    found: dict[int, int] = {}
    for table, group in tables.items():
        conditions = [checks[i].offenders.args["where"].this for i in group]
        found |= dict(zip(group, passed.add_scan(table, conditions), strict=True))
    return found


def _conditions(passed: _Pass, one: BoundCheck) -> list[int]:
    """Count the first rows that decide the conditions of a check; return the places of the counters."""
    rows = [exists.this for query, _ in one.when for exists in of_first_rows(query).find_all(exp.Exists)]
    return [passed.add_rows(query.copy()) for query in rows]


def _hold(engine: Engine, one: BoundCheck, found: Sequence[bool]) -> bool:
    """Return whether all conditions of a check hold; see `counting` for why the first rows come first.

    Args:
        found: whether the first rows have one with the property of each condition.
    """
    for (condition, is_negative), is_among_first in zip(one.when, found, strict=True):
        if is_among_first and is_negative:
            return False
        if not is_among_first and not engine.rows(one.composer.complete(condition))[0][0]:
            return False
    return True
