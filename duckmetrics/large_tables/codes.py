"""Whole numbers in place of systems and of query ids that are text, while the values of queries are computed.

DuckDB sorts the rows of each system and query. With text, this takes two to three times as long as with whole
numbers. Items keep their ids: their order decides between equal scores, and there may be as many as rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.optimizer import CONTENDERS
from duckmetrics.expressions.build import cast_to, picked
from duckmetrics.inputs.inputs import HISTORY, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs

QUERY, SYSTEM = "query_id", "system"
# The inputs that have each id. Every value that matters is in the first ones.
# Only the answers have empty lists.
INPUTS = {
    SYSTEM: (("predictions", "systems", "answers"), (CONTENDERS,)),
    QUERY: (("predictions", "truth", "population", "answers"), (CONTENDERS, HISTORY, REFERENCE)),
}


@dataclass(frozen=True)
class Codes:
    """Tables of codes, one for each id that has them.

    Attributes:
        tables: the name of the table by id; its columns are `id` and `code`.
    """

    tables: Mapping[str, str]

    def coded(self, inputs: Inputs) -> Inputs:
        """Return the inputs with codes in place of ids."""
        queries = dict(inputs.queries)
        for column, table in self.tables.items():
            first, others = INPUTS[column]
            for name in (*first, *others):
                if name in queries:
                    queries[name] = _exchanged(queries[name], column, table, "id", "code")
        return replace(inputs, queries=queries)

    def decoded(self, query: exp.Query) -> exp.Query:
        """Return the rows of a query with ids in place of codes."""
        for column, table in self.tables.items():
            query = _exchanged(query, column, table, "code", "id")
        return query


def codes_of(engine: Engine, inputs: Inputs) -> Codes:
    """Number the systems, and the queries if their ids are text."""
    texts = [QUERY] if QUERY in inputs.text_ids else []
    columns = texts + ([] if SYSTEM in inputs.constants else [SYSTEM])
    return Codes({column: _numbered(engine, inputs, column) for column in columns})


def _numbered(engine: Engine, inputs: Inputs, column: str) -> str:
    """Keep a number for each id in a table; return its name."""
    known = [inputs.queries[name] for name in INPUTS[column][0] if name in inputs.queries]
    ids: exp.Query = picked(known[0].subquery("ids"), exp.column(column).as_("id")).distinct()
    for other in known[1:]:
        ids = exp.union(ids, picked(other.subquery("ids"), exp.column(column).as_("id")).distinct())
    number = cast_to(exp.Window(this=exp.RowNumber()), "INTEGER").as_("code")
    table = engine.name(f"codes_of_{column}")
    engine.keep(table, picked(ids.subquery("ids"), "id", number))
    return table


def _exchanged(query: exp.Query, column: str, table: str, known: str, wanted: str) -> exp.Select:
    """Return the rows of a query with one column of a table of codes in place of the other."""
    value = exp.column(wanted, "codes").as_(column)
    row = exp.Column(this=exp.Star(replace=[value]), table=exp.to_identifier("coded"))
    same = exp.EQ(this=exp.column(known, "codes"), expression=exp.column(column, "coded"))
    codes = exp.to_table(table).as_("codes", table=True)
    return exp.select(row).from_(query.subquery("coded")).join(codes, on=same)
