"""Which metric runs on which engine, as a page that is written from the definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.api.sql import sql
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.compose.portable import reason_against
from duckmetrics.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.definition import Definition, Param

OK, TEXT, NEVER, NOT_YET = "ok", "text", "never", "not yet"
# The value of a parameter without a default, so that there is a text to write.
ANY = "0.5"
# The features of an evaluation in addition to the values of metrics.
OFFERS = {
    "switches, slices, systems, checks, presets (`like=`)": (OK, ""),
    "curves and other tables": (OK, ""),
    "values per query, written by the engine": (OK, ""),
    "intervals, comparisons, leaderboards": (OK, "DuckDB makes them from the units, 5 million at most"),
    "intervals from a bootstrap of the rows": (NOT_YET, "evaluate these metrics with DuckDB"),
    "verify, chunks": (NEVER, "they are ways to run DuckDB"),
    "tests, p-values of counts, sampled metrics": (NEVER, "they start from few numbers, which DuckDB has"),
}
HEAD = """# What runs where

Written by `duckmetrics dialects --all`. `duckmetrics sql SPEC --dialect NAME` writes the SQL;
`--engine spark` runs whole evaluations. ok: tests compare its numbers with those of DuckDB; text: the SQL
can be written, no test executes it; not yet, never: see the last column.

"""


def page() -> str:
    """Write every metric and table by engine, with the reason if an engine lacks it."""
    others = [dialect for dialect in DIALECTS.values() if dialect.name != DIALECT]
    lines = [HEAD + "| engine | dialect | |", "|---|---|---|"]
    lines += [f"| {d.engine} | `{d.name}` | {d.tested} |" for d in DIALECTS.values()]
    for family in dict.fromkeys(family for family, _ in catalog().metrics):
        lines += ["", f"## {family}", "", f"| metric | {' | '.join(d.engine for d in others)} | |"]
        lines += [f"|---{'|---' * len(others)}|---|"]
        lines += [definition_row(definition, [d.name for d in others]) for definition in _definitions(family)]
    lines += ["", "## An evaluation with `--engine spark`", "", "| | Apache Spark 4 | |", "|---|---|---|"]
    lines += [f"| {offer} | {state} | {advice} |" for offer, (state, advice) in OFFERS.items()]
    return "\n".join(lines) + "\n"


def _definitions(family: str) -> Iterator[Definition]:
    known = {**catalog().metrics, **catalog().tables}
    yield from (definition for (of, _), definition in sorted(known.items()) if of == family)


def definition_row(definition: Definition, dialects: list[str]) -> str:
    reason = reason_against(catalog(), definition)
    states = [NEVER if reason else _state(definition, dialect) for dialect in dialects]
    return f"| {definition.name} | {' | '.join(states)} | {reason or ''} |"


def _state(definition: Definition, dialect: str) -> str:
    try:
        sql([_spec(definition)], dialect)
    except UnsupportedError as error:
        return f"{NOT_YET}: {error}"
    return OK if DIALECTS[dialect].executed else TEXT


def _spec(definition: Definition) -> str:
    needed = [p for p in definition.own_params.values() if p.required]
    given = f"({', '.join(map(_given, needed))})" if needed else ""
    return f"{definition.family}.{definition.name}{given}"


def _given(param: Param) -> str:
    return f"{param.name}={ANY}"
