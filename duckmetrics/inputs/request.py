"""The request of a call: what a caller asks for, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import TABLES, own_columns
from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.layouts import read_layouts
from duckmetrics.catalog.measure import POSITIONS, holds
from duckmetrics.catalog.presets import preset
from duckmetrics.errors import InputError
from duckmetrics.inputs.classes import CLASSES, Classes, read_classes
from duckmetrics.inputs.columns import PLURALS, READERS, WEIGHT, ColumnMap, read_columns
from duckmetrics.inputs.inputs import CLUSTER, VALUES
from duckmetrics.inputs.python_tables import as_table, refuse_positions, refuse_swapped
from duckmetrics.inputs.slices import read_condition, read_slices
from duckmetrics.inputs.sources import by_table
from duckmetrics.inputs.systems import given_tables, read_scores
from duckmetrics.inputs.versions import read_versions, refuse_versions_of
from duckmetrics.words.rounding import positive_number

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import date

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.catalog.presets import Preset
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.inputs.versions import Version


POPULATION = "population"


@dataclass(frozen=True)
class Request:
    """A caller's request without its metrics: the tables, how to read them, and the conventions.

    Attributes:
        predictions: a table, or a mapping of system names to tables.
        system: the column of the predictions that names the system.
        by: the groupings; each is a list of columns.
        computed: the expressions of those columns that no table has.
        population: a table of the queries that count, None where a switch names them.
        history: the interactions that the systems were trained on.
        items: the catalogue.
        reference: another run that each system is compared with.
        values: the values per query of metrics that were computed elsewhere.
        lower_is_better: those of these metrics where a lower value is better.
        flagged: whether these values come from states, which also have the columns `FLAGS`.
        switches: conventions for all metrics.
        like: the tool whose conventions replace the defaults.
        verify: how many queries are recomputed by the reference as well, None for none.
        chunks: in how many parts the queries are evaluated, 0 for all of them at once.
        inference: how intervals and comparisons are made, None for none.
        positions: whether the order of the rows matters to a metric (``ties=input``).
        layouts: the layout of a table that the caller names, by role.
        positive: the label that counts as 1, where labels are text.
        scores: the columns of the scores by system, where one table has those of several.
        classes: where the scores of several classes are, None for a label of 0 or 1 and one score.
        where: a condition of the rows that count, by the table.
        versions: the versions to read, by the table; see `read_versions`.
        needs_truth: whether a metric needs to know the relevant items.
        truth_reader: the text of the first such metric, for messages; empty if it is not known.
        own_columns: the columns that metrics of the user read, with the metric, by the table.
        alone: the only one of several systems that is evaluated, None for all of them.
        checked: whether an evaluation at the same or deeper cut-offs checked the same tables before.
    """

    predictions: Any
    truth: Any = None
    system: str | None = None
    by: tuple[tuple[str, ...], ...] = ()
    computed: Mapping[str, exp.Expr] = field(default_factory=dict)
    queries: Any = None
    population: Any = None
    history: Any = None
    items: Any = None
    reference: Any = None
    values: Any = None
    lower_is_better: tuple[str, ...] = ()
    flagged: bool = False
    columns: ColumnMap = field(default_factory=ColumnMap)
    switches: Mapping[str, Any] = field(default_factory=dict)
    like: Preset | None = None
    verify: int | None = None
    chunks: int = 0
    inference: Inference | None = None
    positions: bool = False
    layouts: Mapping[str, str] = field(default_factory=dict)
    positive: str | None = None
    scores: Mapping[str, str] = field(default_factory=dict)
    classes: Classes | None = None
    where: Mapping[str, exp.Expr] = field(default_factory=dict)
    versions: Mapping[str, Version] = field(default_factory=dict)
    needs_truth: bool = True
    truth_reader: str = ""
    own_columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    alone: str | None = None
    checked: bool = False

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of a mapping, in its order; none where a column names them."""
        if self.scores:
            return tuple(self.scores)
        tables = self.values if self.predictions is None else self.predictions
        return tuple(map(str, tables)) if isinstance(tables, Mapping) else ()

    @property
    def has_system_column(self) -> bool:
        """Whether a column names the systems; of values that are given alone, unless a mapping does."""
        if self.predictions is None:
            return not isinstance(self.values, Mapping)
        return self.system is not None

    def of_system(self, name: str) -> Request:
        """Return the request for one of several systems, as if the others were not there."""
        if self.scores:
            return replace(self, scores={name: self.scores[name]}, alone=name)
        if self.system is None:
            one = {key: table for key, table in self.predictions.items() if str(key) == name}
            return replace(self, predictions=one)
        return replace(self, alone=name)

    @property
    def tables(self) -> dict[str, Any]:
        """The tables as they were given, None for those that were not."""
        return {
            "predictions": self.predictions, "truth": self.truth, "queries": self.queries,
            "population": self.population, **self.side_tables, VALUES: self.values,
        }  # fmt: skip

    @property
    def side_tables(self) -> dict[str, Any]:
        """The tables that tell more about items and queries than their relevance; None for absent ones."""
        return {"history": self.history, "items": self.items, "reference": self.reference}

    @property
    def has_side_tables(self) -> bool:
        """Whether a history, a catalogue or a reference run is given."""
        return any(table is not None for table in self.side_tables.values())

    @property
    def is_of_rankings(self) -> bool:
        """Whether a table is given that only metrics of rankings read."""
        return self.truth is not None or self.has_side_tables

    @property
    def weight(self) -> str | None:
        """The column that says how much a query counts; None if nobody named one."""
        names = (WEIGHT, *(f"{table}.{WEIGHT}" for table in ("queries", "truth", "predictions")))
        return next(filter(None, map(self.columns.names.get, names)), None)

    def weighed(self, measures: Sequence[Measure]) -> list[Measure]:
        """Return the measures; means of queries know whether queries count by a weight."""
        weighted = self.weight is not None
        return [
            replace(one, weighted=weighted) if one.family == RANKING and not one.metric.is_of_systems else one
            for one in measures
        ]

    @property
    def has_attributes(self) -> bool:
        """Whether columns of queries, or rows, are read: of slices, of clusters, of weights."""
        cluster = self.inference is not None and self.inference.cluster is not None
        return bool(self.by) or cluster or CLUSTER in self.columns.names or self.weight is not None

    def refuse_idle(self, families: Collection[str]) -> None:
        """Refuse mapped columns that no metric reads.

        Args:
            families: the families of the metrics.

        Raises:
            InputError: names the first of them.
        """
        for key in self.columns.names:
            role, _, column = key.rpartition(".")
            readers = READERS.get(column)
            if readers is not None and role in ("", "predictions", "truth") and not readers & {*families}:
                raise InputError(
                    f"columns: {key}", f"is not used by {' and '.join(PLURALS[one] for one in families)}",
                    "leave it out",
                )  # fmt: skip

    def inference_of(self, measures: Sequence[Measure]) -> Inference | None:
        """Return how the intervals of these measures are made."""
        return self.inference and replace(self.inference, measures=len(measures))

    def of(self, catalog: Catalog, measures: Sequence[Measure]) -> Request:
        """Return the request with what the measures decide."""
        inference = self.inference_of(measures)
        positions = any(holds(catalog, POSITIONS, measure) for measure in measures)
        asked = replace(self, inference=inference, positions=positions)
        return asked.with_own_columns(catalog, measures)

    def with_own_columns(self, catalog: Catalog, measures: Sequence[Measure]) -> Request:
        """Return the request with the columns that metrics of the user read, also those they are made of."""
        if not catalog.has_own:
            return self
        own = {
            table: {
                name: m.metric.name
                for m in measures
                for name in own_columns((m.metric, *catalog.foundations(m.metric)), table)
            }
            for table in TABLES
        }
        return replace(self, own_columns={table: columns for table, columns in own.items() if columns})


def read_request(
    predictions: Any,
    truth: Any = None,
    *,
    system: str | Mapping[str, Any] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    columns: Mapping[str, str] | None = None,
    queries: Any = None,
    history: Any = None,
    items: Any = None,
    reference: Any = None,
    values: Any = None,
    lower_is_better: str | Sequence[str] | None = None,
    layout: str | Mapping[str, str] | None = None,
    positive: str | float | None = None,
    score: Mapping[str, str] | None = None,
    classes: str | Sequence[str] | Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    version: int | Mapping[str, int] | None = None,
    as_of: str | date | Mapping[str, str | date] | None = None,
) -> Request:
    """Read the arguments that name the data, see `data`.

    Raises:
        MetricError: groupings of two kinds, or an expression that is not one of a row.
        InputError: no predictions, or predictions or their scores given twice; columns= is not a mapping;
            an unknown layout; or a dictionary that is not a table.
    """
    groupings, computed = read_slices(by)
    several, mapped = read_classes(classes, read_columns(columns))
    if several is not None:
        _refuse_beside_classes(truth=truth, score=score, positive=positive, values=values)
    refuse_positions(predictions, truth)
    refuse_swapped(predictions, truth)
    tables = None
    if values is None or predictions is not None or isinstance(system, Mapping):
        tables = as_table(given_tables(predictions, system), "predictions")
    elif truth is not None:
        raise InputError(
            "truth", "given without predictions", "leave it out; values are compared as they are"
        )
    return Request(
        predictions=tables,
        truth=as_table(truth, "truth"),
        system=system if isinstance(system, str) else None,
        by=groupings,
        computed=computed,
        queries=as_table(queries, "queries"),
        history=as_table(history, "history"),
        items=as_table(items, "items"),
        reference=as_table(reference, "reference"),
        values=as_table(values, VALUES),
        lower_is_better=_names(lower_is_better),
        columns=mapped,
        layouts=read_layouts(layout),
        positive=None if positive is None else str(positive),
        scores=read_scores(score, system, tables, mapped),
        classes=several,
        where=read_where(where),
        versions=read_versions(version, as_of),
    )


def _refuse_beside_classes(**others: Any) -> None:
    """Refuse what does not go with several classes.

    Raises:
        InputError: names the first of them.
    """
    for name, given in others.items():
        if given is not None:
            what = f"is given, and {CLASSES}= too, which names the label and the scores of several classes"
            raise InputError(name, what, "leave one of the two out")


def _names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return one name, or several, as names."""
    return () if given is None else (given,) if isinstance(given, str) else tuple(given)


def asked_of(
    catalog: Catalog,
    data: Request,
    *,
    like: str | None = None,
    verify: int | None = None,
    chunks: int | None = None,
    inference: Inference | None = None,
    switches: Mapping[str, Any],
) -> Request:
    """Return the request with what a question asks of the data, see `evaluate`.

    Raises:
        MetricError: an unknown preset, or no whole number where there must be one.
        InputError: a condition on a table that is not given, or a column or a version of it.
    """
    given, population = _with_population(catalog, switches)
    request = replace(
        data, switches=given, population=population, inference=inference,
        like=None if like is None else preset(like),
        verify=None if verify is None else positive_number("verify", verify, "queries", 1000),
        chunks=0 if chunks is None else positive_number("chunks", chunks, "parts", 8),
    )  # fmt: skip
    _refuse_absent(request)
    refuse_versions_of(request.tables, request.versions)
    return request


def _refuse_absent(request: Request) -> None:
    """Refuse a condition on a table, or a column of it, that would change nothing.

    Raises:
        InputError: names the first of them.
    """
    asked = [(f"where {table}", table, "condition") for table in request.where]
    keys = (key.rpartition(".") for key in request.columns.names)
    asked += [(f"columns: {table}.{column}", table, "column") for table, _, column in keys if table]
    for place, table, what in asked:
        if request.tables[table] is None:
            option = f"--set {POPULATION}=TABLE" if table == POPULATION else f"--{table}"
            raise InputError(
                place,
                "this table is not given",
                f"give it with {table}= ({option}), or leave the {what} out",
            )
    if "queries" in request.where and not request.has_attributes:
        raise InputError(
            "where queries",
            "only slices, clusters and weights read this table, so that it restricts no result",
            "restrict the queries: population='SELECT query_id FROM ... WHERE ...' (--set population=...)",
        )


def with_switches(catalog: Catalog, request: Request, switches: Mapping[str, Any]) -> Request:
    """Return a request with other values of some switches."""
    given, population = _with_population(catalog, switches)
    if POPULATION not in switches:
        population = request.population
    return replace(request, switches={**request.switches, **given}, population=population)


def _with_population(catalog: Catalog, switches: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return the switches, and the table of the population if one of them is a table."""
    given = dict(switches)
    population = given.get(POPULATION)
    if population is None or _is_choice(catalog, population):
        return given, None
    return {**given, POPULATION: "table"}, as_table(population, POPULATION)


def read_where(where: Any) -> dict[str, exp.Expr]:
    """Read the conditions of the rows that count, by the table.

    Raises:
        InputError: it is not a mapping, names no table of an evaluation, or holds an invalid condition.
    """
    given = by_table("where", where, "{'predictions': \"day = DATE '2026-11-01'\"}")
    return {str(table): read_condition(f"where {table}: {text!r}", str(text)) for table, text in given}


def _is_choice(catalog: Catalog, population: Any) -> bool:
    """Return whether a population is a word of the switch, rather than a table."""
    param = catalog.relations["queries"].switches[POPULATION]
    return isinstance(population, str) and population in param.choices and population != "table"
