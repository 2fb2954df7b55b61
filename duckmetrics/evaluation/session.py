"""One evaluation: a request on an engine, its tables, the columns they need, and its time zone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.catalog.measure import TIME_ZONE
from duckmetrics.catalog.specs import parse_measures, parse_table
from duckmetrics.compose.composer import WITHOUT_TRUTH, needs_truth, truth_reader
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.engines.duckdb_errors import unbound
from duckmetrics.engines.engine import Feature
from duckmetrics.errors import EngineError, InputError, MetricError, UnsupportedError
from duckmetrics.evaluation.classification import evaluate_classification, table_query
from duckmetrics.evaluation.ranking import evaluate_rankings, longest
from duckmetrics.evaluation.tables import KeptTables, concatenated
from duckmetrics.expressions.build import everything
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import CANONICAL, filtered, first_row, run_columns
from duckmetrics.inputs.interval_options import LEVEL, read_inference
from duckmetrics.inputs.layout_tables import LayoutTables
from duckmetrics.inputs.request import Request
from duckmetrics.inputs.slices import columns_in, depends_on_zone, slice_label
from duckmetrics.inputs.sources import ROLES, SINCE, refuse_changed
from duckmetrics.inputs.systems import Attach, Systems
from duckmetrics.inputs.versions import chosen_versions
from duckmetrics.results.evaluation import Evaluation
from duckmetrics.results.findings import NOTE, Finding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import pyarrow as pa
    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.inference.kept import SharedRelations
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.inputs.versions import Version


def needed_columns(request: Request, source: Source, role: Role) -> list[str] | None:
    """Return the columns that a request may read, None for all of them."""
    wanted = set(_wanted(request, source, role))
    return [name for name in source.columns if name in wanted] or None


def _wanted(request: Request, source: Source, role: Role) -> Iterator[str]:
    """Yield the names of columns, also of some that the table does not have."""
    names = [
        request.system or "",
        *request.scores.values(),
        *(name for names in request.by for name in names),
    ]
    if request.inference is not None:
        names.append(request.inference.cluster or "")
    for expression in request.computed.values():
        names += columns_in(expression)
    for canonical in CANONICAL:
        names += [canonical, *(request.columns.given(role, canonical) or "").split("+")]
    for name in names:
        yield from _found(source, name.strip())
    yield from run_columns(source, request.columns)


def _found(source: Source, name: str) -> list[str]:
    try:
        found = source.find(name)
    except InputError:  # two columns differ in case only, which is refused where they are read
        return [column for column in source.columns if column.lower() == name.lower()]
    return [] if found is None else [found]


# The tables whose columns can be slices.
_SLICED = ("predictions", "truth", "queries")
_ADVICE = "for another zone, write time_zone='Europe/Berlin' (--time-zone Europe/Berlin)"


class Times:
    """Finds out whether the results of a request depend on the time zone.

    Attributes:
        are_read: whether a slice or a condition over the tables so far depends on it.
    """

    def __init__(self, request: Request, engine: Engine) -> None:
        self._request = request
        self._engine = engine
        self.are_read = False

    def look(self, source: Source, role: Role) -> None:
        """Look at a table as the caller has it."""
        self.are_read |= any(depends_on_zone(one, source) for one in self._expressions(role))

    def signed(self, measures: Sequence[Measure], attach: Attach) -> Sequence[Measure]:
        """Return the measures with the zone that their results depend on."""
        for role in ROLES:
            table = self._request.tables[role]
            if table is not None and self._expressions(role):
                for one in table.values() if isinstance(table, Mapping) else (table,):
                    attach(one, role)
        if not self.are_read:
            return measures
        return [replace(measure, time_zone=self._engine.time_zone) for measure in measures]

    @property
    def notes(self) -> list[Finding]:
        """A note with the zone, if results depend on it."""
        if not self.are_read:
            return []
        message = f"times: the days and hours of slices and conditions are those of {self._engine.time_zone}"
        return [Finding(TIME_ZONE, NOTE, "", "", 0, (), f"{message}; {_ADVICE}", _ADVICE)]

    @property
    def statements(self) -> list[str]:
        """The statement that gives a session the zone that the others need, if they need one."""
        zone = literal(self._engine.time_zone).sql(self._engine.dialect)
        return [f"SET TIME ZONE {zone}"] if self.are_read else []

    def _expressions(self, role: Role) -> list[exp.Expr]:
        """Return what the caller computes from the columns of a table: slices, and a condition."""
        condition = self._request.where.get(role)
        slices = self._request.computed.values() if role in _SLICED else ()
        return [*slices, *([] if condition is None else [condition])]


# DuckDB's messages about unknown functions, and about types that a function does not take.
UNBOUND = ("Binder Error", "Catalog Error")
Evaluate = Callable[
    ["Catalog", "Engine", Request, "Sequence[Measure]", "Attach"], "Sequence[FamilyEvaluation]"
]
# The tables of a session, by the identity of the argument and its role.
Attached = dict[tuple[int, str], "Source"]
EVALUATE: dict[str, Evaluate] = {RANKING: evaluate_rankings, CLASSIFICATION: evaluate_classification}


@contextmanager
def opened(
    request: Request, engine: Engine, keep: bool = True, attached: Attached | None = None
) -> Iterator[Session]:
    """Open a session for one call, and release the engine at its end.

    Args:
        keep: whether results are read later from the tables that the call makes.
        attached: the tables that another session attached.
    """
    with engine.exclusive(keep):
        try:
            yield Session(catalog(), request, engine, attached)
        except EngineError as error:
            # Our own queries bind; an expression of the caller may not.
            if request.computed and any(kind in str(error) for kind in UNBOUND):
                names = ", ".join(map(repr, request.computed))
                raise InputError(f"by {names}", *unbound(error, (), "fix the expression")) from error
            raise


class Session:
    """One request on one engine: the tables are attached once for all metrics."""

    def __init__(
        self, catalog: Catalog, request: Request, engine: Engine, attached: Attached | None = None
    ) -> None:
        self.catalog = catalog
        self.request = request
        self.engine = engine
        self.attached: Attached = {} if attached is None else attached
        self._layouts = LayoutTables(request, engine, self.attach)
        self._times = Times(request, engine)

    def measures(self, specs: Sequence[str], family: Callable[[], str | None] | None = None) -> list[Measure]:
        """Read the specs of metrics, with the switches and the preset of the request.

        Args:
            family: returns the family of a name that belongs to two, in place of `Session.family`.

        Raises:
            MetricError: a metric, parameter or switch cannot be read.
        """
        request, meant = self.request, family or self.family
        measures = parse_measures(self.catalog, specs, request.switches, meant, request.like)
        if not self._is_without_truth(measures):
            return measures
        self.request = replace(request, switches={**WITHOUT_TRUTH, **request.switches})
        return parse_measures(self.catalog, specs, self.request.switches, meant, request.like)

    def request_for(self, measures: Sequence[Measure]) -> Request:
        """Return the request with what the measures decide, such as whether there must be a truth."""
        request = self.request.of(self.catalog, measures)
        if request.truth is not None:
            return request
        rankings = [measure for measure in measures if measure.family == RANKING]
        reader = truth_reader(self.catalog, rankings)
        return replace(request, needs_truth=reader is not None, truth_reader=reader or "")

    def _is_without_truth(self, measures: Sequence[Measure]) -> bool:
        """Return whether nothing says which items are relevant, and no measure of rankings asks."""
        if self.request.truth is not None:  # composing what each metric reads takes long
            return False
        rankings = [measure for measure in measures if measure.family == RANKING]
        return bool(rankings) and not needs_truth(self.catalog, rankings) and self.has_no_truth

    @property
    def has_no_truth(self) -> bool:
        """Whether no table says which items are relevant."""
        return self.request.truth is None and self._columns_among("label", "relevance") == []

    @property
    def has_items(self) -> bool:
        """Whether the predictions name items."""
        return bool(self._columns_among("item_id"))

    def _columns_among(self, *names: str) -> list[str] | None:
        """Return those of some columns that the predictions have; None if they cannot be read."""
        request = self.request
        try:
            first = Systems(request.predictions, request.system, self.attach, request.scores).first
        except InputError:  # refused where the predictions are read
            return None
        return [name for name in names if request.columns.find(first, "predictions", name) is not None]

    def evaluation(self, measures: Sequence[Measure]) -> Evaluation:
        """Evaluate measures of both families and put the results together."""
        return self.assembled(self.parts(measures))

    def assembled(self, parts: Sequence[FamilyEvaluation]) -> Evaluation:
        """Put the results of the families together."""
        return Evaluation(
            rows=tuple(row for part in parts for row in part.rows),
            groupings={slice_label(grouping): grouping for grouping in ((), *parts[0].by)},
            checks=tuple(dict.fromkeys((*self.notes, *(f for part in parts for f in part.findings)))),
            verified=tuple(verification for part in parts for verification in part.verified),
            sql="".join(f"{text};\n\n" for text in (*self._times.statements, *self.engine.ran)).rstrip("\n"),
            canonical={measure.text: str(measure) for part in parts for measure in part.measures},
            first=next(iter(self.request.systems), None),
            level=None if self.request.inference is None else self.request.inference.level,
            higher_is_better=_where(parts, "higher"),
            lower_is_better=_where(parts, "lower"),
            _tables=KeptTables(self.catalog, self.engine, parts, self),
        )

    def parts(self, measures: Sequence[Measure]) -> list[FamilyEvaluation]:
        """Evaluate the measures of each family together."""
        request, measures = self.request_for(measures), self._times.signed(measures, self.attach)
        if request.chunks and all(measure.family != RANKING for measure in measures):
            raise MetricError(
                "chunks", "are of queries, and no metric of rankings was asked for", "leave it out"
            )
        # A metric that is written with its family reads the rows, even if there is a truth.
        bare = [m for m in measures if not m.text.startswith(f"{m.family}.")]
        if request.truth is not None and bare and all(m.family != RANKING for m in measures):
            _refuse_columns_as_tables(request, self.attach)
            raise MetricError(
                ", ".join(measure.text for measure in measures),
                "labels are read from the predictions, but a truth is given",
                "leave the truth out, and pass labels with the scores, such as {'label': y, 'score': p}; or "
                "ask for a metric of rankings, such as ndcg@10",
            )
        families = dict.fromkeys(measure.family for measure in measures)
        _refuse_idle(request, families, self.attach)
        parts: list[FamilyEvaluation] = []
        for family in families:
            chosen = [measure for measure in measures if measure.family == family]
            try:
                parts += EVALUATE[family](self.catalog, self.engine, request, chosen, self.attach)
            except InputError as error:
                if len(families) == 1:
                    raise
                # The tables may be fine for the other metrics.
                raise error.within(", ".join(measure.text for measure in chosen)) from error
        _refuse_idle_resamples(request, parts)
        return parts

    def again(self, specs: Sequence[str]) -> tuple[dict[str, Any], ...]:
        """Return the overall values of other metrics, with intervals where the engine has them.

        Raises:
            MetricError: a metric cannot be read, or the values came from other evaluations.
        """
        self.refuse_changed()
        request = replace(self.request, verify=None, by=(), computed={})
        if request.inference is None and self.engine.supports(Feature.INTERVAL):
            request = replace(request, inference=read_inference(LEVEL))
        with opened(request, self.engine, keep=False, attached=dict(self.attached)) as session:
            return tuple(row for part in session.parts(session.measures(specs)) for row in part.rows)

    def table(self, spec: str, params: Mapping[str, Any], shared: SharedRelations | None = None) -> pa.Table:
        """Return the rows of a table; parameters that are lists give the rows of each value.

        Args:
            shared: the relations that other tables read, too.
        """
        return concatenated([self.engine.arrow(query) for query in self._table_queries(spec, params, shared)])

    def _table_queries(
        self, spec: str, params: Mapping[str, Any], shared: SharedRelations | None
    ) -> list[exp.Query]:
        """Return one query per combination of the parameters that are lists."""
        self.refuse_changed()
        values = [value if isinstance(value, list | tuple) else [value] for value in params.values()]
        queries = []
        for given in (dict(zip(params, chosen, strict=True)) for chosen in product(*values)):
            measure = parse_table(self.catalog, spec, given, self.request.switches)
            queries.append(table_query(self.catalog, self.engine, self.request, measure, self.attach, shared))
        return queries

    def longest(self) -> int:
        """Return the number of places of the longest list."""
        self.refuse_changed()
        return longest(self.catalog, self.engine, self.request, self.attach)

    def refuse_changed(self) -> None:
        """Refuse to read tables again that are not those that were evaluated.

        Raises:
            InputError: a file is another one than before.
            MetricError: a system is a result of `evaluate`, which `compare` takes as well.
        """
        tables = self.request.predictions
        if isinstance(tables, Mapping) and any(isinstance(one, Evaluation) for one in tables.values()):
            raise MetricError(
                "results of evaluate", "have no predictions", "draw each of them, or compare the tables"
            )
        for source in self.attached.values():
            refuse_changed(source.files, SINCE)

    def attach(self, table: Any, role: Role) -> Source:
        """Find out what a table argument means; the engine looks at each of them once."""
        key = id(table), role
        if key not in self.attached:
            source = self.engine.attach(table, role, self._versions.get(role))
            self._times.look(source, role)
            found = self._layouts.read(self._filtered(source, role), role)
            found = self.engine.once(found, needed_columns(self.request, found, role))
            self._refuse_nothing_left(found, role, source.empty)
            self.attached[key] = self._layouts.with_labels(found, role)
        return self.attached[key]

    @cached_property
    def _versions(self) -> dict[str, Version]:
        """The versions to read, by the table.

        Raises:
            InputError: one names no table, and it is not clear which is meant.
            UnsupportedError: the engine reads no older versions.
        """
        asked = self.request.versions
        if asked and not self.engine.supports(Feature.VERSIONS):
            name = DIALECTS[self.engine.dialect].engine
            advice = "write SQL that names the version, such as SELECT * FROM delta.`run` VERSION AS OF 3"
            raise UnsupportedError(next(iter(asked.values())).option, f"not on {name}", advice)
        return chosen_versions(asked, self.request.tables, self.engine.has_versions)

    def _filtered(self, source: Source, role: Role) -> Source:
        """Leave only the rows of a table that the caller's condition keeps.

        Raises:
            InputError: the condition does not fit the columns.
        """
        condition = self.request.where.get(role)
        if condition is None:
            return source
        kept = filtered(source, condition)
        try:
            self.engine.columns(everything(kept.relation.copy()))
        except (EngineError, UnsupportedError) as error:
            said = unbound(error, source.all_columns, "fix the condition")
            raise InputError(f"where {role}", *said) from error
        return kept

    def _refuse_nothing_left(self, kept: Source, role: Role, was_empty: bool) -> None:
        """Refuse a condition that keeps no row, once the rows are here.

        Raises:
            InputError: the condition cannot be evaluated on the rows, or keeps none.
        """
        condition = self.request.where.get(role)
        if condition is None or was_empty:
            return
        try:
            is_empty = not self.engine.rows(first_row(kept))
        except EngineError as error:
            said = unbound(error, kept.all_columns, "fix the condition")
            raise InputError(f"where {role}", *said) from error
        if is_empty:
            what = f"no row is left where {condition.sql(self.engine.dialect)}"
            raise InputError(kept.label, what, "fix the condition")

    @property
    def notes(self) -> Sequence[Finding]:
        """A note for each table that was read under the names of a tool, and one for the time zone."""
        return [*self._layouts.notes, *self._times.notes]

    def family(self) -> str | None:
        """Return the family of a name that belongs to two: rankings have a truth, or queries; or None."""
        request = self.request
        if request.is_of_rankings:
            return RANKING
        first = Systems(request.predictions, request.system, self.attach, request.scores).first
        queries = request.columns.find(first, "predictions", "query_id")
        composite = request.columns.given("predictions", "query_id")
        return CLASSIFICATION if queries is None and composite is None else None

    @property
    def usual(self) -> str:
        """The metric that is computed if the caller names none."""
        return self.catalog.usual(self.family() or RANKING)


def _where(parts: Sequence[FamilyEvaluation], better: str) -> frozenset[str]:
    """Return the metrics, as typed, where higher, or lower, values are better."""
    return frozenset(m.text for part in parts for m in part.measures if m.metric.range.direction == better)


def _refuse_columns_as_tables(request: Request, attach: Attach) -> None:
    """Refuse systems that are named by columns of the one table, which then is taken for the truth.

    Raises:
        InputError: says how to name the scores.
    """
    given = request.predictions
    if not isinstance(given, Mapping):
        return
    columns = attach(request.truth, "truth").columns
    if all(isinstance(one, str) and one in columns for one in given.values()):
        pairs = " ".join(f"--score {name}={column}" for name, column in given.items())
        what = f"{' and '.join(map(repr, given.values()))} are columns, and no tables"
        raise InputError("system", what, f"name the scores with score={dict(given)} ({pairs})")


def _refuse_idle(request: Request, families: Collection[str], attach: Attach) -> None:
    """Refuse columns that no metric reads, and attributes of queries that are no table.

    Raises:
        InputError: names the first of them.
    """
    request.refuse_idle(families)
    if request.queries is not None and not request.has_groups:
        attach(request.queries, "queries")  # an explanation may read it later


def _refuse_idle_resamples(request: Request, parts: Sequence[FamilyEvaluation]) -> None:
    """Refuse options of resampling where nothing was resampled.

    Raises:
        MetricError: names the option.
    """
    if request.inference is not None:
        found = (part.units for part in parts if part.units is not None)
        request.inference.refuse_idle(any(units.samples is not None for units in found))
