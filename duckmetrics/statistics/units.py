"""The units of an experiment: a column that identifies them, and doubts that each row is one of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from duckmetrics.catalog.catalog import catalog
from duckmetrics.expressions.build import quoted
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.inputs.sources import kind_of_text
from duckmetrics.statistics.arms import over_unit_rows
from duckmetrics.verdicts import UNTESTED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlglot import exp

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.sources import Source
    from duckmetrics.statistics.outcomes import Outcome

# Names of columns that identify a unit: people first, then what one of them may have several of.
_KEY = "_?(id|key|uuid|guid|hash)"
NAMES = (
    f"(user|customer|visitor|subject|participant|unit)(_?(pseudo)?{_KEY})?|uid"
    f"|(client|member|subscriber|shopper|buyer|guest|person|patient|player|profile|anonymous){_KEY}",
    f"(device|cookie|session|visit){_KEY}",
)
FILE = "repeated_units"
# One row per unit; the column of the unit is filled in where it is known, see sql/macros/repeated_units.sql.
UNIT = "{unit}"
CURE = (
    "SELECT " + UNIT + ", any_value({variant}) AS {variant}, {values} FROM {table} GROUP BY " + UNIT
    + " HAVING min({variant}) = max({variant})"
)  # fmt: skip
OWN_TABLE = "your_table"


class Doubt(NamedTuple):
    """A doubt that the rows of an experiment are its units.

    Attributes:
        is_withheld: whether no verdict is given.
        why: a few words for the rows of the result.
        problem: the sentence for a reader.
    """

    is_withheld: bool
    why: str
    problem: str


def unit_column(columns: Collection[str], taken: Collection[str]) -> str | None:
    """Return the first column whose name says that it identifies a unit; None if there is none.

    Args:
        taken: the columns that have another role.
    """
    for names in NAMES:
        found = next((name for name in columns if re.fullmatch(names, name, re.IGNORECASE)), None)
        if found is not None and found not in taken:
            return found
    return None


def read_doubts(
    engine: Engine, source: Source, table: Any, variant: str, unit: str | None, outcomes: Sequence[Outcome]
) -> list[Doubt]:
    """Return the doubts that each row is one unit.

    Args:
        table: what the caller gave.
        unit: the column that identifies units, None if there is none.
    """
    doubts = bind(catalog().shell[FILE].query, {"cure": _cure(table, variant, outcomes)})
    query = over_unit_rows(cast("exp.Query", doubts), source, variant, unit, outcomes)
    text = query.sql(engine.dialect, pretty=True)
    found = engine.rows(text)
    engine.ran.append(text)
    return [Doubt(*rest) for _, *rest in sorted(found)]


def withhold(rows: Sequence[dict[str, Any]], doubts: Sequence[Doubt]) -> None:
    """Take the verdicts back, in place, if there is a doubt that calls for it."""
    for doubt in doubts:
        for row in rows if doubt.is_withheld else ():
            row |= {"verdict": UNTESTED, "reason": row["reason"] or doubt.why}


def _cure(table: Any, variant: str, outcomes: Sequence[Outcome]) -> str:
    """Return the query of a row per unit; of a frame, the call that gives a table."""
    cure = CURE.replace("{variant}", _name(variant)).replace("{values}", _sums(outcomes))
    if isinstance(table, str):
        return cure.replace("{table}", _read_again(table))
    return f"duckdb.sql('''{cure.replace('{table}', OWN_TABLE)}''')"


def _sums(outcomes: Sequence[Outcome]) -> str:
    """Return the columns of one unit: sums of what happened, and the mean of what was known before."""
    summed = dict.fromkeys((name, "sum") for outcome in outcomes for name in outcome.columns)
    summed |= dict.fromkeys((outcome.before, "avg") for outcome in outcomes if outcome.before)
    return ", ".join(f"{function}({_name(name)}) AS {_name(name)}" for name, function in summed)


def _read_again(table: str) -> str:
    """Return the text that reads a table in SQL."""
    text = table.removeprefix("table:").removeprefix("file:").removeprefix("sql:")
    return f"({text})" if kind_of_text(table) == "sql" else literal(text).sql()


def _name(column: str) -> str:
    return str(quoted(column).sql())
