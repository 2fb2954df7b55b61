"""The tables next to predictions and truth that a macro reads: a history, a catalogue, another run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.reading import tables_of
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE
from duckmetrics.macro_queries.macro import QUERY, Argument, reference
from duckmetrics.macro_queries.query import (
    JUDGED,
    NAMES_RUNS,
    SOURCE,
    SYSTEM,
    advise,
    of_one_system,
    refuse_other_kinds,
)
from duckmetrics.macro_queries.shell_files import is_null, query_of, source
from duckmetrics.ranking_inputs.side_tables import MEANINGS, OF_COLUMNS, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.sources import Role

COLUMNS = {
    "item_id": "the column of the item, in every table",
    "category": "the column of the items with the category, or a list of categories",
    "vector": "the column of the items with the vector, a list of numbers",
}
# The files that read TREC files of a table.
READERS: dict[Role, str] = {HISTORY: "read_trec_qrels", REFERENCE: "read_trec_run"}
# What stands for the catalogue if there is none.
OF_HISTORY = f"{MEANINGS[ITEMS]}; by default the items of the history"
FOR_ITEMS = f"{MEANINGS[HISTORY]}, whose items stand for the catalogue if that is not given"
OR_HISTORY = f"{MEANINGS[ITEMS]}, or else give {HISTORY} := ..."


@dataclass(frozen=True)
class SideTables:
    """The tables next to predictions and truth that a metric reads.

    Attributes:
        measure: the metric, with the defaults of its parameters.
        values: the parameters of the metric, whose names a parameter for a column cannot have, with an
            expression for the value of each in a call.
    """

    catalog: Catalog
    measure: Measure
    values: Mapping[str, exp.Expr]

    @property
    def metric(self) -> Definition:
        return self.measure.metric

    @property
    def renamed(self) -> dict[str, str]:
        """The parameters for columns that have another name than the column: column -> parameter."""
        return {name: f"{name}_column" for name in self.values}

    @cached_property
    def inputs(self) -> list[str]:
        """The inputs that these tables hold: those of the metric, and the rows of its tables for checks."""
        known = {*self.metric.inputs, *(table_of(name) for name in self.metric.inputs)}
        return [name for name in (*MEANINGS, *OF_COLUMNS) if name in known]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The parameters for the tables."""
        told = {name: Argument(name, is_needed=True, meanings={"": MEANINGS[name]}) for name in self._tables}
        if self._is_of_history(ITEMS):
            has_history = HISTORY in told
            meaning = OF_HISTORY if has_history else OR_HISTORY
            told[ITEMS] = Argument(ITEMS, is_needed=not has_history, meanings={"": meaning})
            told.setdefault(HISTORY, Argument(HISTORY, meanings={"": FOR_ITEMS}))
        return tuple(told[name] for name in MEANINGS if name in told)

    def columns(self, shared: Sequence[Argument]) -> tuple[Argument, ...]:
        """Return the parameters for columns: those of predictions and truth, and those of these tables."""
        own = (Argument(column, column) for name, column in OF_COLUMNS.items() if name in self.inputs)
        known = (
            replace(a, meanings={"": COLUMNS[a.name]}) if a.name in COLUMNS else a for a in (*shared, *own)
        )
        return tuple(replace(a, name=self.renamed.get(a.name, a.name)) for a in known)

    def steps(self) -> Iterator[tuple[str, exp.Query]]:
        """Yield the steps that read the tables, with canonical names of columns."""
        for name in self.inputs:
            query = self._of_reference() if name == REFERENCE else self._of_file(name)
            of_table = table_of(name)
            refuse_other_kinds(self.catalog, cast("exp.Select", query), of_table, JUDGED, "truth")
            advise(query, self.renamed)
            yield name, query

    def problems(self) -> Iterator[exp.Query]:
        """Yield the queries of tables without rows."""
        for name in self._tables:
            rows = exp.Table(this=exp.Anonymous(this=QUERY, expressions=[self._source(name)]))
            some = exp.Exists(this=exp.select("1").from_(rows))
            text = literal(f"{name}: no rows; check how it was exported")
            yield exp.select(text.as_("problem")).where(exp.not_(some))

    @property
    def _tables(self) -> list[Role]:
        """The tables that hold the inputs."""
        return [name for name in MEANINGS if name in self.inputs]

    def _is_of_history(self, name: str) -> bool:
        """Return whether the items of the history stand for a table that is not given."""
        return name == ITEMS and ITEMS in self.inputs and not {*OF_COLUMNS} & {*self.inputs}

    def _of_file(self, name: str) -> exp.Query:
        """Return the query of an input that has a file under sql/macros."""
        columns = {column: reference(known) for column, known in self.renamed.items()}
        read = self._source(table_of(name))
        query = query_of(self.catalog, name, {SOURCE: read, **columns})
        # Without a catalogue, the rows are those of the history, with an item many times.
        return cast("exp.Select", query).distinct() if self._is_of_history(name) else query

    def _of_reference(self) -> exp.Query:
        """Return the query of the reference run, which is read as predictions are."""
        values = {SOURCE: self._source(REFERENCE), SYSTEM: exp.null(), NAMES_RUNS: exp.false()}
        run = of_one_system(query_of(self.catalog, "predictions", values))
        for text in list(run.find_all(exp.Literal)):
            if text.is_string:
                text.set("this", text.this.replace("predictions: ", f"{REFERENCE}: "))
        return exp.select("query_id", "item_id", "score").from_(run.subquery("run"))

    def _source(self, name: Role) -> exp.Expr:
        """Return SQL text that reads a table; without the table, it is an error."""
        given: exp.Expr = reference(name)
        reader = READERS.get(name)
        if self._is_of_history(name):
            given, reader = self._catalog(), READERS[HISTORY]
            if HISTORY in self.inputs:
                return source(self.catalog, given, reader)
        columns = " and ".join(
            column for of, column in OF_COLUMNS.items() if {name, of} <= {ITEMS, *self.inputs}
        )
        what = f"needs {name} := ..., {MEANINGS[name]}"
        advice = f"give a table with {columns}" if columns else f"give a table, such as {name} := '{name}'"
        text = literal(f"duckmetrics: {self.metric.name}: {what}; {advice}")
        refused = exp.Anonymous(this="error", expressions=[text])
        return exp.Case().when(is_null(given), refused).else_(source(self.catalog, given.copy(), reader))

    def _catalog(self) -> exp.Expr:
        """Return what names the catalogue: the table, or else the history.

        Where the metric reads no catalogue, the predictions stand for one that is not given.
        """
        given = exp.func("coalesce", reference(ITEMS), reference(HISTORY))
        for values in () if HISTORY in self.inputs else self._without_catalog:
            same = (exp.EQ(this=self.values[n].copy(), expression=literal(v)) for n, v in values.items())
            unread = exp.and_(is_null(given.copy()), *same)
            given = exp.Case().when(unread, reference("predictions")).else_(given)
        return given

    @cached_property
    def _without_catalog(self) -> list[dict[str, Value]]:
        """The values of parameters under which the metric reads no catalogue, of those that decide it."""
        options = {p.name: p.choices for p in self.metric.own_params.values() if p.choices}
        every = [dict(zip(options, chosen, strict=True)) for chosen in product(*options.values())]
        read = {tuple(v.items()): self._reads_catalog(v) for v in every}
        decisive = [
            name for name, choices in options.items()
            if any(len({read[tuple({**v, name: choice}.items())] for choice in choices}) > 1 for v in every)
        ]  # fmt: skip
        found = ({n: v[n] for n in decisive} for v in every if not read[tuple(v.items())])
        return [*{tuple(values.items()): values for values in found}.values()]

    def _reads_catalog(self, values: Mapping[str, Value]) -> bool:
        return ITEMS in tables_of(self.catalog, self.measure.bound(**values))
