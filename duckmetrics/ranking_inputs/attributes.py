"""The attributes of the queries by which results are split or grouped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import quoted, stacked
from duckmetrics.inputs.columns import selected
from duckmetrics.inputs.inputs import HISTORY
from duckmetrics.inputs.slices import advice_without, attribute, lacking, slicing_columns
from duckmetrics.ranking_inputs.side_tables import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.inputs.request import Request
    from duckmetrics.ranking_inputs.tables import RankingIds, RankingTables, Table

# The queries of all tables, one row for each.
KNOWN_QUERIES = "known_queries"
# The tables that may have queries of the population; lists without an item are among the answers only.
OF_QUERIES = ("predictions", "answers", "truth", "population")


@dataclass(frozen=True)
class FoundAttributes:
    """The attributes that a call asks for.

    Attributes:
        by: the groupings, in the user's spelling of the columns.
        cluster: the column of the independent units of intervals.
        role: the tables that the attributes come from.
        query: at least one row per query, with the attributes.
        derived: the slicing columns that no table has, and that come from the history.
    """

    by: tuple[tuple[str, ...], ...]
    cluster: str | None = None
    role: str | None = None
    query: exp.Query | None = None
    derived: tuple[str, ...] = ()


class Attributes:
    """Finds the attributes that a call asks for in its tables."""

    def __init__(self, catalog: Catalog, request: Request, tables: RankingTables, ids: RankingIds) -> None:
        self._catalog = catalog
        self._request = request
        self._tables = tables
        self._ids = ids

    def found(self, queries: Mapping[str, exp.Query], has_truth: bool) -> FoundAttributes:
        """Return the attributes; a column of a table has precedence over one that comes from the history.

        Args:
            queries: the canonical inputs.

        Raises:
            InputError: no table has all attributes, or the history or the truth is not given.
        """
        request, wanted = self._request, self._tables.asked
        if not wanted:
            return FoundAttributes(request.by)
        derived = self._derived(has_truth)
        own = [name for name in wanted if name not in derived]
        if not own:
            return FoundAttributes(request.by, None, HISTORY, self._joined(derived, None, queries), derived)
        role, having = self._having(own)
        known = {
            name: name if name in request.computed else having[0].source.find(name) or name for name in own
        }
        by = (tuple(dict.fromkeys(known.get(name, name) for name in grouping)) for grouping in request.by)
        cluster = known[self._tables.cluster] if self._tables.cluster else None
        query = self._of_tables(having, list(dict.fromkeys(known.values())))
        query = self._joined(derived, query, queries) if derived else query
        return FoundAttributes(tuple(dict.fromkeys(by)), cluster, role, query, derived)

    def _of_tables(self, tables: Sequence[Table], wanted: Sequence[str]) -> exp.Query:
        """Write the attributes of the tables that have them."""
        computed = self._request.computed
        return stacked(
            selected(table.source, {
                "query_id": self._ids.query_id(table),
                **{name: attribute(table.source, name, computed) or quoted(name) for name in wanted},
            })
            for table in tables
        )  # fmt: skip

    def _having(self, wanted: Sequence[str]) -> tuple[str, list[Table]]:
        """Return the tables that have all of these attributes, and their role.

        Raises:
            InputError: there is no such table.
        """
        for role, of_role in self._candidates:
            having = [table for table in of_role if not self._lacking(table, wanted)]
            if having:
                return role, having
        raise self._no_table(wanted)

    @property
    def _candidates(self) -> list[tuple[str, Sequence[Table]]]:
        """The tables that may have the attributes: those of queries alone, if they are given."""
        tables = self._tables
        if "queries" in tables.extra:
            return [("queries", [tables.extra["queries"]])]
        judged: list[tuple[str, Sequence[Table]]] = []
        if tables.truth is not None:
            judged.append(("truth", [tables.truth]))
        return [*judged, ("predictions", tables.predictions)]

    def _lacking(self, table: Table, wanted: Sequence[str]) -> list[str]:
        """Return the columns that a table does not have, of all that attributes need."""
        return [column for name in wanted for column in lacking(table.source, name, self._request.computed)]

    def _no_table(self, wanted: Sequence[str]) -> InputError:
        """Return the error for attributes that no table has."""
        asked = "by" if self._request.by else "cluster"
        tables = [table for _, of_role in self._candidates for table in of_role]
        found = {column: None for table in tables for column in table.source.all_columns}
        needed = dict.fromkeys(column for table in tables for column in self._lacking(table, wanted))
        missing = [n for n in needed if not any(n.lower() == c.lower() for c in found)]
        lacks = f"a column {', '.join(map(repr, missing))}" if missing else f"all of {', '.join(wanted)}"
        usual = "give the attributes of the queries with queries= (--queries)"
        advice = advice_without(missing, suggestion("".join(missing), found, usual))
        from_history = [name for name in missing if name in self._catalog.slices]
        if from_history and HISTORY not in self._tables.extra:
            names = " and ".join(from_history)
            advice = f"give {MEANINGS[HISTORY]} with {HISTORY}= (--{HISTORY}); {names} comes from them"
        return InputError(asked, f"no table has {lacks}; found {', '.join(found)}", advice)

    # --- slices that no table has ----------------------------------------------------------------

    def _derived(self, has_truth: bool) -> tuple[str, ...]:
        """Return the slices that come from the history, as no table has a column of that name.

        Raises:
            InputError: one of them needs a truth, and there is none.
        """
        if HISTORY not in self._tables.extra:
            return ()
        names = [name for name in slicing_columns(self._request.by) if name in self._catalog.slices]
        tables = [table for _, of_role in self._candidates for table in of_role]
        derived = [
            name for name in names
            if name not in self._request.computed and all(table.source.find(name) is None for table in tables)
        ]  # fmt: skip
        for name in derived:
            if "truth" in self._catalog.slices[name].inputs and not has_truth:
                raise InputError("by", f"{name!r} needs the relevant items", "give a truth table (--truth)")
        return tuple(derived)

    def _joined(
        self, derived: Sequence[str], own: exp.Query | None, queries: Mapping[str, exp.Query]
    ) -> exp.Query:
        """Write the slices of all queries that come from the history, next to the attributes of tables."""
        parts = (
            exp.select("query_id").from_(queries[name].copy().subquery(name))
            for name in OF_QUERIES if name in queries
        )  # fmt: skip
        known = exp.select("query_id").distinct().from_(stacked(parts).subquery("all_queries"))
        composer = Composer(self._catalog, {**queries, KNOWN_QUERIES: known})
        composer.relation(KNOWN_QUERIES, {})
        query = exp.select(exp.column("query_id", KNOWN_QUERIES)).from_(KNOWN_QUERIES)
        for name in derived:
            query = query.select(exp.column(name, name))
            query = _with(query, exp.to_table(composer.relation(name, {})), name)
        if own is not None:
            names = [name for name in own.named_selects if name != "query_id"]
            query = query.select(*(exp.column(name, "own", quoted=True) for name in names))
            query = _with(query, own.subquery("own"), "own")
        return exp.select(exp.Star()).from_(composer.complete(query).subquery("derived"))


def _with(query: exp.Select, table: exp.Table | exp.Subquery, alias: str) -> exp.Select:
    """Join a table of queries."""
    same = exp.EQ(this=exp.column("query_id", alias), expression=exp.column("query_id", KNOWN_QUERIES))
    source = table.as_(alias, table=True) if isinstance(table, exp.Table) else table
    return query.join(source, on=same, join_type="left")
