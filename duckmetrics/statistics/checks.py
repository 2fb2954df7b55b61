"""Checks of the data before a test: one SQL file each, its rows are the offenders.

The files under sql/checks/counts look at counts and at cells, those under sql/checks/statistics at all other
tables. The latter know three kinds of columns: they read each column of a kind in place of its name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.checks.counting import count_of, counted_together, in_order, singular
from duckmetrics.compose.optimizer import unpruned
from duckmetrics.errors import InputError, MetricError
from duckmetrics.inputs.advice import in_words
from duckmetrics.results.findings import ERROR, EXAMPLES
from duckmetrics.statistics.counts import CELLS, COUNTS, ROWS, reading
from duckmetrics.statistics.inputs import LABELS, UNITS, is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.statistics.counts import Tested


# Kinds of columns, by their name in the files. p is not among the numbers: NaN stands for a missing p-value.
KINDS: Mapping[str, Callable[[str], bool]] = {
    "name": LABELS.__contains__,
    "unit": UNITS.__contains__,
    "number": lambda name: is_number(name) and name != "p",
}


@dataclass(frozen=True, eq=False)
class Check:
    """One check of one table.

    Attributes:
        header: that of its file.
        column: the column that it looks at; empty for the rows as a whole.
        offenders: its query.
    """

    header: Mapping[str, str]
    column: str
    offenders: exp.Select

    @property
    def is_grouped(self) -> bool:
        """Whether it looks at more than one row at a time."""
        return bool(self.offenders.args.get("group")) or self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether it looks at all rows at once, so that there is nothing to count."""
        return bool(self.offenders.args.get("having")) and not self.offenders.args.get("group")


def checks_of(catalog: Catalog, table: str, columns: Sequence[str]) -> Iterator[Check]:
    """Yield the checks of a table with these columns, in the order of their messages."""
    if table in (COUNTS, CELLS):
        for check in catalog.count_checks.values():
            if table in check.inputs:
                yield Check(check.header, _column(check), cast("exp.Select", check.query))
        return
    kinds = {kind: [name for name in columns if is_one(name)] for kind, is_one in KINDS.items()}
    for check in catalog.statistic_checks.values():
        if all(kinds.get(name, name in columns) for name in check.inputs[ROWS]):
            for column in kinds.get(_column(check), [_column(check)]):
                known = {**kinds, _column(check): [column]}
                yield Check(check.header, column, _with_columns(check, known, columns))


def _column(check: Definition) -> str:
    return check.header.get("column", "").rpartition(".")[2]


def _with_columns(check: Definition, kinds: Mapping[str, list[str]], columns: Sequence[str]) -> exp.Select:
    """Return the query of a check with columns of the table in place of their kinds, and of the star."""
    query = cast("exp.Select", check.query.copy())
    for column in list(query.find_all(exp.Column)):
        meant = [exp.column(name) for name in kinds.get(column.name, [column.name])]
        is_listed = column.index is not None
        column.replace(meant if is_listed else meant[0])
    return query.select(*columns, append=False) if query.is_star else query


def check_counts(catalog: Catalog, engine: Engine, counts: Tested) -> list[str]:
    """Run the checks that look at each count by itself, where the counts come from.

    Returns: the warnings.
    Raises:
        InputError: at least one check of severity error found something.
    """
    checks = [check for check in checks_of(catalog, counts.table, counts.columns) if not check.is_grouped]
    return _told(engine, counts, checks, unpruned(counts.query).subquery())


def check_kept(catalog: Catalog, engine: Engine, data: Tested, kept: str) -> list[str]:
    """Run the checks of a table where it is kept; of counts, those that look at several of them.

    Returns: the warnings.
    Raises:
        InputError: at least one check of severity error found something.
    """
    checks = checks_of(catalog, data.table, data.columns)
    wanted = [check for check in checks if check.is_grouped or not data.is_counted]
    return _told(engine, data, wanted, exp.to_table(kept))


def check_numbers(measure: Measure, data: Tested, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse results of counts that mean nothing.

    Raises:
        InputError: the statistic is no number.
        MetricError: more than one degree of freedom was corrected.
    """
    for row in rows if data.is_counted else ():
        statistic = row.get("statistic", 0.0)
        if statistic is None or not math.isfinite(statistic):
            what = "counts or expectations differ by too many orders of magnitude for doubles"
            raise InputError(data.label, what, "check them")
        if measure.values.get("correction") and row["df"] != 1:
            what = f"is for tables of 2 by 2, and df is {row['df']} here"
            raise MetricError("correction", what, "leave it out")


def _told(engine: Engine, data: Tested, checks: Sequence[Check], relation: exp.Expr) -> list[str]:
    """Return the warnings of the checks of a relation; raise the errors."""
    numbers = _numbers(engine, data, checks, relation)
    told = {check: _message(engine, data, check, relation, n) for check, n in numbers.items() if n}
    errors = [message for check, message in told.items() if check.header["severity"] == ERROR]
    if errors:
        raise InputError("", "\n".join(errors))
    return list(told.values())


def _numbers(engine: Engine, data: Tested, checks: Sequence[Check], relation: exp.Expr) -> dict[Check, int]:
    """Count the offenders of every check, in one scan for those that only filter the rows."""
    counters = {check: counted_together(check.offenders) for check in checks}
    filters = {check: counter for check, counter in counters.items() if counter is not None}
    found = dict.fromkeys(checks, 0)
    if filters:
        scan = exp.select(*filters.values()).from_(data.table if data.is_counted else ROWS)
        (numbers,) = engine.rows(reading(scan, relation))
        found |= zip(filters, numbers, strict=True)
    for check in found.keys() - filters.keys():
        ((found[check],),) = engine.rows(count_of(reading(check.offenders, relation)))
    return found


def _message(engine: Engine, data: Tested, check: Check, relation: exp.Expr, number: int) -> str:
    names = [data.names.get(name, name) for name in check.offenders.named_selects]
    examples = "; ".join(
        ", ".join(f"{name}={shown(value)}" for name, value in zip(names, row, strict=True))
        for row in _examples(engine, data, check, relation)
    )
    where = f"column {data.names[check.column]!r}: " if check.column else ""
    title = singular(check.header["title"]) if number == 1 else check.header["title"]
    title = check.header["title"] if check.is_whole else f"{number} {title}"
    advice = in_words(check.header["advice"], data.words, data.names.get(check.column, ""))
    return f"{data.label}: {where}{title} ({examples}); {advice}"


def _examples(engine: Engine, data: Tested, check: Check, relation: exp.Expr) -> Sequence[tuple[object, ...]]:
    """Return a few offenders: rows as they come; counts and groups sorted, as they have no order."""
    offenders = reading(check.offenders, relation)
    if data.is_counted or check.is_grouped:
        offenders = in_order(offenders)
    return engine.rows(offenders.limit(EXAMPLES))


def shown(value: object) -> str:
    """Write a value of an example."""
    if value is None:
        return "NULL"
    return f"{value:.15g}" if isinstance(value, float) else str(value)
