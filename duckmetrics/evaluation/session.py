"""One evaluation: a request on an engine, its tables, the columns they need, and its time zone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import CLASSIFICATION, MULTICLASS, RANKING
from duckmetrics.catalog.given import measure_of_values, refuse_ambiguous
from duckmetrics.catalog.presets import presets
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.catalog.specs import has_several, parse_measures, parse_table
from duckmetrics.compose.composer import WITHOUT_TRUTH, needs_truth, truth_reader
from duckmetrics.engines.duckdb_errors import unbound
from duckmetrics.engines.engine import Feature, statements_since
from duckmetrics.errors import EngineError, InputError, MetricError, UnknownNameError
from duckmetrics.evaluation.attached import AttachedTables, Times, only_rows
from duckmetrics.evaluation.classification import evaluate_classification, table_query
from duckmetrics.evaluation.given_values import (
    evaluate_given,
    read_given,
    refuse_computed,
)
from duckmetrics.evaluation.own_metrics import blamed, refuse_unverified
from duckmetrics.evaluation.ranking import evaluate_rankings, longest
from duckmetrics.evaluation.tables import KeptTables, concatenated
from duckmetrics.inputs.classes import CLASS
from duckmetrics.inputs.interval_options import LEVEL, read_inference
from duckmetrics.inputs.request import Request
from duckmetrics.inputs.slices import slice_label
from duckmetrics.inputs.systems import Attach, Systems
from duckmetrics.results.evaluation import Evaluation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import pyarrow as pa
    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.given_values import GivenValues
    from duckmetrics.inference.kept import SharedRelations
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.results.findings import Finding


# DuckDB's messages about unknown functions, and about types that a function does not take.
UNBOUND = ("Binder Error", "Catalog Error")
Evaluate = Callable[
    ["Catalog", "Engine", Request, "Sequence[Measure]", "Attach"], "Sequence[FamilyEvaluation]"
]
EVALUATE: dict[str, Evaluate] = {
    RANKING: evaluate_rankings,
    CLASSIFICATION: evaluate_classification,
    MULTICLASS: evaluate_classification,
}


@contextmanager
def opened(
    request: Request, engine: Engine, keep: bool = True, tables: AttachedTables | None = None
) -> Iterator[Session]:
    """Open a session for one call, and release the engine at its end.

    Args:
        keep: whether results are read later from the tables that the call makes.
        tables: those that a session of the same tables attached.
    """
    with engine.exclusive(keep):
        session = Session(catalog(), request, engine, tables)
        with session.tables.restored_after_errors():
            try:
                yield session
            except EngineError as error:
                # Our own queries bind; an expression of the caller may not.
                if request.computed and any(kind in str(error) for kind in UNBOUND):
                    names = ", ".join(map(repr, request.computed))
                    raise InputError(f"by {names}", *unbound(error, (), "fix the expression")) from error
                raise


class Session:
    """One request on one engine.

    Attributes:
        tables: those of the request, which are attached once for all metrics.
    """

    def __init__(
        self, catalog: Catalog, request: Request, engine: Engine, tables: AttachedTables | None = None
    ) -> None:
        self.catalog = catalog
        self.request = request
        self.engine = engine
        self.tables = AttachedTables(request, engine) if tables is None else tables
        self._times = Times(request, engine)
        self._start = len(engine.ran)
        self._given: GivenValues | None = None
        self._is_named = True

    @property
    def given(self) -> Mapping[str, Measure]:
        """The metrics whose values were computed elsewhere, by name; the values are read once."""
        if self.request.values is None:
            return {}
        if self._given is None:
            self._given = read_given(self.catalog, self.engine, self.request, self.attach)
        return self._given.measures

    @property
    def given_systems(self) -> tuple[str, ...]:
        """The systems of these values."""
        return () if not self.given or self._given is None else self._given.systems

    def specs(self, metrics: str | Sequence[str] | None, usual: Callable[[], str] | None = None) -> list[str]:
        """Return the specs of the metrics of a call: those that it names, or the usual one and given ones.

        Args:
            usual: returns the usual one, by default that of the family of the tables.
        """
        self._is_named = metrics is not None
        if metrics is not None:
            named = [] if isinstance(metrics, str) else list(metrics)  # a name may have commas
            is_given = bool(named) and all(one in self.given for one in named)
            return named if is_given else read_specs(metrics)
        if self.request.predictions is None:
            return list(self._usual_given)
        return [*read_specs(self.usual if usual is None else usual()), *self._usual_given]

    @property
    def _usual_given(self) -> tuple[str, ...]:
        return () if not self.given or self._given is None else self._given.usual

    def measures(self, specs: Sequence[str], family: Callable[[], str | None] | None = None) -> list[Measure]:
        """Read the specs of metrics, with the switches and the preset of the request.

        Args:
            family: returns the family of a name that belongs to two, in place of `Session.family`.

        Raises:
            MetricError: a metric, parameter or switch cannot be read.
        """
        if not specs and self.request.predictions is None:
            raise MetricError("", "no metric", f"name at least one, such as {next(iter(self.given))!r}")
        given = {
            spec: found for spec in specs
            if (found := measure_of_values(self.catalog, self.given, spec, self.request.switches)) is not None
        }  # fmt: skip
        others = [spec for spec in specs if spec not in given]
        if self.request.predictions is None:
            refuse_computed(self.request, self.given, others)
            return [given[spec] for spec in specs]
        computed = self._computed(others, family) if others or not given else []
        refuse_ambiguous(self.catalog, given)
        return [*given.values(), *computed] if specs[0] in given else [*computed, *given.values()]

    def _computed(self, specs: Sequence[str], family: Callable[[], str | None] | None) -> list[Measure]:
        """Read the specs of metrics that are computed from the tables."""
        request, meant = self.request, family or self.family
        if request.classes is not None:
            return of_classes(self.catalog, specs, request)
        measures = parse_measures(self.catalog, specs, request.switches, meant, request.like)
        self.request = self.request.with_own_columns(self.catalog, measures)
        if not self._is_without_truth(measures):
            return measures
        self.request = replace(self.request, switches={**WITHOUT_TRUTH, **request.switches})
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
            sql="".join(f"{text};\n\n" for text in (*self._times.statements, *self.statements)).rstrip("\n"),
            canonical={measure.text: str(measure) for part in parts for measure in part.measures},
            first=next(iter(self.request.systems), None),
            level=None if self.request.inference is None else self.request.inference.level,
            higher_is_better=_where(parts, "higher"),
            lower_is_better=_where(parts, "lower"),
            _tables=KeptTables(self.catalog, self.engine, parts, self),
        )

    def parts(self, measures: Sequence[Measure]) -> list[FamilyEvaluation]:
        """Evaluate the measures of each family together."""
        measures = self._times.signed(self.request.weighed(measures), self.attach)
        found = self._given if self.given else None
        given = [one for one in measures if found is not None and found.label(one) is not None]
        measures = [one for one in measures if one not in given]
        parts = self._computed_parts(measures) if measures else []
        if self._given is None:
            return parts
        if not given:
            return [*parts[:-1], self._given.unasked(parts[-1])]
        asked, named = replace(self.request, inference=self.request.inference_of(given)), self._is_named
        return [*parts, evaluate_given(self.catalog, self.engine, asked, self._given, given, named, parts)]

    def _computed_parts(self, measures: Sequence[Measure]) -> list[FamilyEvaluation]:
        request = self.request_for(measures)
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
        if request.verify is not None:
            refuse_unverified(measures)
        parts: list[FamilyEvaluation] = []
        for family in families:
            chosen = [measure for measure in measures if measure.family == family]
            try:
                parts += EVALUATE[family](self.catalog, self.engine, request, chosen, self.attach)
            except EngineError as error:
                raise blamed(error, chosen) or error from error
            except InputError as error:
                if len(families) == 1:
                    raise
                # The tables may be fine for the other metrics.
                raise error.within(", ".join(measure.text for measure in chosen)) from error
        _refuse_idle_resamples(request, parts)
        return parts

    def of_system(self, name: str) -> Session:
        """Return the session of one of several systems, as if the others were not there."""
        return Session(self.catalog, self.request.of_system(name), self.engine, self.tables)

    def again(self, specs: Sequence[str]) -> tuple[dict[str, Any], ...]:
        """Return the overall values of other metrics, with intervals where the engine has them.

        Raises:
            MetricError: a metric cannot be read, or the values came from other evaluations.
        """
        self.refuse_changed()
        request = replace(self.request, verify=None, by=(), computed={})
        if request.inference is None and self.engine.supports(Feature.INTERVAL):
            request = replace(request, inference=read_inference(LEVEL))
        with opened(request, self.engine, keep=False, tables=self.tables) as session:
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
        values = [
            value if has_several(self.catalog, spec, name, value) else [value]
            for name, value in params.items()
        ]
        queries = []
        for given in (dict(zip(params, chosen, strict=True)) for chosen in product(*values)):
            measure = parse_table(self.catalog, spec, given, self.request.switches)
            if self.request.classes is not None:
                refuse_two_classes(self.catalog, measure, self.request)
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
        self.tables.refuse_changed()

    def attach(self, table: Any, role: Role, request: Request | None = None) -> Source:
        """Find out what a table argument means, with columns of a request; leave only the system asked."""
        found = self.tables.attach(table, role, request or self.request)
        self._times.look(found.original, role)
        return only_rows(found.source, self.request) if role == "predictions" else found.source

    @property
    def notes(self) -> Sequence[Finding]:
        """A note for each table that was read under the names of a tool, and one for the time zone."""
        return [*self.tables.notes, *self._times.notes]

    @property
    def statements(self) -> list[str]:
        """The statements that made the tables of the results."""
        return statements_since(self.engine.ran, self._start)

    def family(self) -> str | None:
        """Return the family of a name that belongs to two: rankings have a truth, or queries; or None."""
        request = self.request
        if request.classes is not None:
            return MULTICLASS
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


def of_classes(catalog: Catalog, specs: Sequence[str], request: Request) -> list[Measure]:
    """Read the specs of metrics of several classes; others look at each class against the rest.

    Raises:
        MetricError: a metric cannot be read, or is one of two classes and no slice is one class.
    """
    like = request.like
    if like is not None and MULTICLASS not in like.families:
        known = ", ".join(name for name, tool in presets().items() if MULTICLASS in tool.families)
        what = "has no conventions for several classes"
        raise MetricError(f"like={like.name}", what, f"leave it out, or write {known}")
    measures = []
    for spec in specs:
        named = spec if "." in spec.partition("(")[0] else f"{MULTICLASS}.{spec}"
        try:
            (measure,) = parse_measures(catalog, [named], request.switches, lambda: MULTICLASS, like)
        except UnknownNameError:
            (measure,) = parse_measures(catalog, [spec], request.switches, lambda: CLASSIFICATION, like)
        except MetricError as error:  # which names what was typed
            raise MetricError(spec.strip(), error.what, error.advice) from error
        measure = replace(measure, text=spec.strip())
        refuse_two_classes(catalog, measure, request)
        measures.append(measure)
    return measures


def refuse_two_classes(catalog: Catalog, measure: Measure, request: Request) -> None:
    """Refuse a metric or table that is not of several classes, unless each slice is one class.

    Raises:
        MetricError: names those of several classes.
    """
    every_class = bool(request.by) and all(CLASS in grouping for grouping in request.by)
    if measure.family == MULTICLASS or (measure.family == CLASSIFICATION and every_class):
        return
    known = catalog.tables if measure.metric.is_table else catalog.metrics
    several = ", ".join(name for family, name in known if family == MULTICLASS)
    what = "is of rankings" if measure.family == RANKING else "is about two classes"
    advice = f"for each class against the rest, add by='{CLASS}' (--by {CLASS})"
    raise MetricError(
        measure.text, f"{what}, and classes= names several",
        f"write one of {several}" + ("" if measure.family == RANKING else f"; {advice}"),
    )  # fmt: skip


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
    if request.queries is not None and not request.has_attributes:
        attach(request.queries, "queries")  # an explanation may read it later


def _refuse_idle_resamples(request: Request, parts: Sequence[FamilyEvaluation]) -> None:
    """Refuse options of resampling where nothing was resampled.

    Raises:
        MetricError: names the option.
    """
    if request.inference is not None:
        found = (part.units for part in parts if part.units is not None)
        request.inference.refuse_idle(any(units.samples is not None for units in found))
