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
    METRICS,
    NAMES_RUNS,
    SOURCE,
    SYSTEM,
    advise,
    asks_for,
    of_one_system,
    refuse_other_kinds,
)
from duckmetrics.macro_queries.shell_files import call, concatenated, is_null, query_of, source
from duckmetrics.ranking_inputs.side_tables import MEANINGS, OF_COLUMNS, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
class SideTable:
    """The tables next to predictions and truth that one metric reads.

    Attributes:
        measure: the metric, with the defaults of its parameters.
        names: its names in a list of metrics.
        values: the parameters of the metric, whose names a parameter for a column cannot have, with an
            expression for the value of each in a call.
    """

    catalog: Catalog
    measure: Measure
    names: Sequence[str]
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
        if self.is_of_history(ITEMS):
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

    @property
    def _tables(self) -> list[Role]:
        """The tables that hold the inputs."""
        return [name for name in MEANINGS if name in self.inputs]

    def is_of_history(self, name: str) -> bool:
        """Return whether the items of the history stand for a table that is not given."""
        return name == ITEMS and ITEMS in self.inputs and not {*OF_COLUMNS} & {*self.inputs}

    @cached_property
    def without_catalog(self) -> list[dict[str, Value]]:
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


class SideTables:
    """The tables next to predictions and truth that some metrics read, each only where it is asked for.

    Args:
        tables: those of each entry of the metrics that can be asked for.
        shared: the parameters for columns of predictions and truth.
    """

    def __init__(self, catalog: Catalog, tables: Sequence[SideTable], shared: Sequence[Argument]) -> None:
        self.catalog, self.tables = catalog, tables
        known = (*shared, *(Argument(column, column) for column in OF_COLUMNS.values()))
        # A metric may have a parameter with the name of a column.
        self.renamed = {
            a.name: f"{a.name}_column" for a in known if any(a.name in one.values for one in tables)
        }
        self.columns = tuple(replace(a, name=self.renamed.get(a.name, a.name)) for a in known)

    def advised(self, mark: Callable[[exp.Expr], str]) -> dict[str, str]:
        """Return the names of the parameters for columns, as the macro of the metric asked for has them."""
        found = {}
        for column, name in self.renamed.items():
            is_taken = self._asks_for([one for one in self.tables if column in one.values])
            found[column] = mark(exp.Case().when(is_taken, literal(name)).else_(literal(column)))
        return found

    def needed(self, name: str) -> list[bool]:
        """Return for each entry whether it has an input; all have those of predictions and truth."""
        is_side = name in (*MEANINGS, *OF_COLUMNS)
        return [not is_side or name in one.inputs for one in self.tables]

    def steps(self, advised: Mapping[str, str]) -> Iterator[tuple[str, exp.Query, list[bool]]]:
        """Yield the steps that read the tables, with canonical names of columns, and who needs each.

        Args:
            advised: column -> the parameter that messages name.
        """
        for name in (*MEANINGS, *OF_COLUMNS):
            for of_history in (False, True) if name == ITEMS else (False,):
                needed = [name in one.inputs and one.is_of_history(name) == of_history for one in self.tables]
                if any(needed):
                    query = self._of_reference() if name == REFERENCE else self._of_file(name)
                    # Without a catalogue, the rows are those of the history, with an item many times.
                    query = cast("exp.Select", query).distinct() if of_history else query
                    refuse_other_kinds(
                        self.catalog, cast("exp.Select", query), table_of(name), JUDGED, "truth"
                    )
                    advise(query, advised)
                    yield name, query, needed

    def problems(self) -> Iterator[tuple[exp.Query, list[bool]]]:
        """Yield the queries of tables without rows, and the metrics that need each."""
        for name in MEANINGS:
            needed = [name in one.inputs for one in self.tables]
            if any(needed):
                rows = exp.Table(this=exp.Anonymous(this=QUERY, expressions=[self._source(name)]))
                some = exp.Exists(this=exp.select("1").from_(rows))
                text = literal(f"{name}: no rows; check how it was exported")
                yield exp.select(text.as_("problem")).where(exp.not_(some)), needed

    def _of_file(self, name: str) -> exp.Query:
        """Return the query of an input that has a file under sql/macros."""
        columns = {column: reference(known) for column, known in self.renamed.items()}
        return query_of(self.catalog, name, {SOURCE: self._source(table_of(name)), **columns})

    def _of_reference(self) -> exp.Query:
        """Return the query of the reference run, which is read as predictions are."""
        values = {SOURCE: self._source(REFERENCE), SYSTEM: exp.null(), NAMES_RUNS: exp.false()}
        run = of_one_system(query_of(self.catalog, "predictions", values))
        for text in list(run.find_all(exp.Literal)):
            if text.is_string:
                text.set("this", text.this.replace("predictions: ", f"{REFERENCE}: "))
        return exp.select("query_id", "item_id", "score").from_(run.subquery("run"))

    def _source(self, name: Role) -> exp.Expr:
        """Return SQL text that reads a table; a missing one is an error where a metric asked for needs it.

        Without a catalogue, the items of the history stand for it where a metric does not read more of it, or
        the predictions if it reads no catalogue at all.
        """
        given: exp.Expr = reference(name)
        reader = READERS.get(name)
        of_history = [one for one in self.tables if one.is_of_history(name)]
        if of_history:
            reader = READERS[HISTORY]
            either = exp.func("coalesce", reference(ITEMS), reference(HISTORY))
            given = exp.Case().when(self._asks_for(of_history), either).else_(given)
            for one in of_history:
                for values in () if HISTORY in one.inputs else one.without_catalog:
                    same = (
                        exp.EQ(this=one.values[n].copy(), expression=literal(v)) for n, v in values.items()
                    )
                    unread = exp.and_(is_null(either.copy()), self._asks_for([one]), *same)
                    given = exp.Case().when(unread, reference("predictions")).else_(given)
        needing = [one for one in self.tables if name in {table_of(read) for read in one.inputs}]
        advice = exp.Case()
        for column in OF_COLUMNS.values() if name == ITEMS else ():
            reading = [one for one in needing if any(OF_COLUMNS.get(read) == column for read in one.inputs)]
            if reading:
                advice = advice.when(self._asks_for(reading), literal(f" with {column}"), copy=False)
        usual = literal(f", such as {name} := '{name}'")
        asked = call(self.catalog, "asked_metrics", reference(METRICS))
        metric = exp.Anonymous(this="list_extract", expressions=[asked, literal(1)])
        text = concatenated(
            "duckmetrics: ", call(self.catalog, "metric_name", metric),
            f": needs {name} := ..., {MEANINGS[name]}; give a table",
            advice.else_(usual) if advice.args.get("ifs") else usual,
        )  # fmt: skip
        refused = exp.Anonymous(this="error", expressions=[text])
        is_missing = exp.and_(self._asks_for(needing), is_null(given))
        found = exp.Case().when(is_missing, refused).when(is_null(given.copy()), literal(""))
        return found.else_(source(self.catalog, given.copy(), reader))

    def _asks_for(self, tables: Sequence[SideTable]) -> exp.Expr:
        """Return the condition that the metric of one of some tables is asked for."""
        return asks_for(self.catalog, reference(METRICS), [name for one in tables for name in one.names])
