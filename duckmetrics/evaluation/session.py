"""One evaluation from the arguments of a call: the request, the engine, and what was attached to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import Catalog, catalog
from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.catalog.facts import POSITIONS, holds
from duckmetrics.catalog.specs import parse_measures, parse_table
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import InputError, MetricError
from duckmetrics.evaluation.classification import evaluate_rows, table_query
from duckmetrics.evaluation.part import Part
from duckmetrics.evaluation.ranking import evaluate_rankings
from duckmetrics.expressions.folding import literal
from duckmetrics.expressions.numbers import positive_number
from duckmetrics.inputs.columns import ColumnMap
from duckmetrics.inputs.request import Request
from duckmetrics.inputs.slices import slice_label
from duckmetrics.inputs.systems import Attach, Systems
from duckmetrics.presets.presets import preset
from duckmetrics.results.evaluation import Evaluation

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.presets.presets import Preset

POPULATION = "population"
MOVERS = "movers"

Evaluate = Callable[["Catalog", "Engine", Request, "Sequence[Measure]", "Attach"], Part]
EVALUATE: dict[str, Evaluate] = {RANKING: evaluate_rankings, CLASSIFICATION: evaluate_rows}


@contextmanager
def opened(
    predictions: Any,
    truth: Any = None,
    *,
    system: str | Mapping[str, Any] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    columns: Mapping[str, str] | None = None,
    queries: Any = None,
    connection: Any = None,
    engine: Any = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    like: str | None = None,
    verify: int | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    chunks: int | None = None,
    inference: Inference | None = None,
    switches: Mapping[str, Any] | None = None,
    keep: bool = True,
) -> Iterator[Session]:
    """Open a session with the arguments of `evaluate`, and release the engine at its end.

    Args:
        keep: whether results are read later from the tables that the call makes.
    """
    given = dict(switches or {})
    population = given.get(POPULATION)
    if population is not None and not _is_choice(population):
        given[POPULATION] = "table"
    else:
        population = None
    request = Request(
        predictions=_systems(predictions, system),
        truth=truth,
        system=system if isinstance(system, str) else None,
        by=_groupings(by),
        queries=queries,
        population=population,
        columns=_mapped(columns),
        verify=None if verify is None else positive_number("verify", verify, "queries", 1000),
        chunks=0 if chunks is None else positive_number("chunks", chunks, "parts", 8),
        inference=inference,
    )
    tool = None if like is None else preset(like)
    used = open_engine(engine, connection, threads, memory_limit, temp_directory)
    with used.exclusive(keep):
        yield Session(request, used, given, tool)


class Session:
    """One request on one engine: the tables are attached once, whatever is asked of them."""

    def __init__(
        self,
        request: Request,
        engine: DuckDBEngine,
        switches: Mapping[str, Any],
        like: Preset | None = None,
    ) -> None:
        self.request = request
        self.engine = engine
        self.switches = switches
        self.like = like
        self._attached: dict[tuple[int, str], Source] = {}

    def evaluation(self, specs: Sequence[str]) -> Evaluation:
        """Evaluate the measures of each family and put the results together."""
        return self.measured(parse_measures(catalog(), specs, self.switches, self.family, self.like))

    def measured(self, measures: Sequence[Measure]) -> Evaluation:
        """Evaluate measures that have been read already."""
        return self.assembled(self.parts(measures))

    def assembled(self, parts: Sequence[Part]) -> Evaluation:
        """Put the results of the families together."""
        lower = [m.text for part in parts for m in part.measures if m.lower_is_better]
        per_query = next((part.per_query for part in parts if part.per_query is not None), None)
        return Evaluation(
            rows=tuple(row for part in parts for row in part.rows),
            groupings={slice_label(grouping): grouping for grouping in ((), *parts[0].by)},
            checks=tuple(finding for part in parts for finding in part.findings),
            verified=tuple(verification for part in parts for verification in part.verified),
            sql=";\n\n".join(self.engine.ran) + ";",
            canonical={measure.text: str(measure) for part in parts for measure in part.measures},
            _summary=lambda: _concatenated([self.engine.arrow(part.summary) for part in parts]),
            _per_query=None if per_query is None else lambda: self.engine.arrow(per_query),
            _write_per_query=lambda path: self.engine.copy(_queries(per_query), path),
            _table=self.table,
            first=next(iter(self.systems), None),
            _movers=lambda baseline, n: self._movers(per_query, baseline, n, lower),
        )

    def _movers(self, per_query: exp.Query | None, baseline: str, n: int, lower: Sequence[str]) -> pa.Table:
        values: dict[str, Value] = {"baseline": baseline, "n": n}
        from duckmetrics.inference.units import over_rows

        found = over_rows(catalog(), MOVERS, _queries(per_query), values)
        return self.engine.arrow(_with_losses_where_more_is_worse(found, lower))

    def requested(self, measures: Sequence[Measure]) -> Request:
        """Return the request, with the order of the rows if it matters to one of the measures."""
        return replace(self.request, positions=any(holds(catalog(), POSITIONS, m) for m in measures))

    def parts(self, measures: Sequence[Measure]) -> list[Part]:
        """Evaluate the measures of each family together."""
        self.request = self.requested(measures)
        if self.request.chunks and all(measure.family != RANKING for measure in measures):
            raise MetricError("chunks: are of queries, and no metric of rankings was asked for; leave it out")
        # A metric that is written with its family reads the rows, even if there is a truth.
        bare = [m for m in measures if not m.text.startswith(f"{m.family}.")]
        if self.request.truth is not None and bare and all(m.family != RANKING for m in measures):
            named = ", ".join(measure.text for measure in measures)
            raise MetricError(
                f"{named}: of rows with a label, and reads no truth, though one is given; leave the truth "
                "out, or ask for a metric of rankings, such as ndcg@10"
            )
        parts = []
        for family in dict.fromkeys(measure.family for measure in measures):
            chosen = [measure for measure in measures if measure.family == family]
            parts.append(EVALUATE[family](catalog(), self.engine, self.request, chosen, self.attach))
        return parts

    def table(self, spec: str, params: Mapping[str, Any]) -> pa.Table:
        """Return the rows of a table; parameters that are lists give the rows of each value."""
        return _concatenated([self.engine.arrow(query) for query in self.table_queries(spec, params)])

    def table_queries(self, spec: str, params: Mapping[str, Any]) -> list[exp.Query]:
        """Return one query per combination of the parameters that are lists."""
        values = [value if isinstance(value, list | tuple) else [value] for value in params.values()]
        queries = []
        for chosen in product(*values):
            given = dict(zip(params, chosen, strict=True))
            measure = parse_table(catalog(), spec, given, self.switches)
            queries.append(table_query(catalog(), self.engine, self.request, measure, self.attach))
        return queries

    def attach(self, table: Any, role: Role) -> Source:
        key = id(table), role
        if key not in self._attached:
            self._attached[key] = self.engine.attach(table, role)
        return self._attached[key]

    def family(self) -> str | None:
        """Return the family of a name that belongs to two: rankings have a truth, or queries; or None."""
        if self.request.truth is not None:
            return RANKING
        first = Systems(self.request.predictions, self.request.system, self.attach).first
        queries = self.request.columns.find(first, "predictions", "query_id")
        composite = self.request.columns.given("predictions", "query_id")
        return CLASSIFICATION if queries is None and composite is None else None

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of a mapping, in its order; none where a column names them."""
        given = self.request.predictions
        return tuple(map(str, given)) if isinstance(given, Mapping) else ()

    @property
    def usual(self) -> str:
        """The metric that is computed if the caller names none."""
        return catalog().usual(self.family() or RANKING)


def _is_choice(population: Any) -> bool:
    param = catalog().relations["queries"].switches[POPULATION]
    return isinstance(population, str) and population in param.choices and population != "table"


def _systems(predictions: Any, system: str | Mapping[str, Any] | None) -> Any:
    if system is None or isinstance(system, str):
        if predictions is None:
            raise InputError("predictions: none given; name a table, or map systems to tables")
        return predictions
    if predictions is not None:
        raise InputError(
            "system: maps systems to tables, and predictions are given too; leave predictions out (None)"
        )
    return system


def _mapped(columns: Any) -> ColumnMap:
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(
            f"columns: {columns!r} maps nothing; write canonical names and yours, "
            "as in {'query_id': 'user_id'}"
        )
    return ColumnMap(dict(columns or {}))


def _groupings(by: str | Sequence[str | Sequence[str]] | None) -> tuple[tuple[str, ...], ...]:
    if by is None:
        return ()
    if isinstance(by, str):
        return ((by,),)
    by = list(by)
    if all(isinstance(column, str) for column in by):
        return (tuple(dict.fromkeys(cast("Sequence[str]", by))),) if by else ()
    if any(isinstance(column, str) for column in by):
        raise MetricError("by: mixes columns and lists; write [['country'], ['country', 'device']]")
    groupings = (tuple(dict.fromkeys(grouping)) for grouping in by)
    return tuple(dict.fromkeys(grouping for grouping in groupings if grouping))


def _with_losses_where_more_is_worse(movers: exp.Query, lower: Sequence[str]) -> exp.Query:
    """Swap gain and loss for metrics where lower is better."""
    if not lower:
        return movers
    direction = exp.column("direction")
    turned = exp.Case(this=direction.copy()).when(literal("gain"), literal("loss")).else_(literal("gain"))
    worse = exp.In(this=exp.column("metric"), expressions=list(map(literal, lower)))
    shown = exp.Case().when(worse, turned).else_(direction).as_("direction")
    names = [shown if name == "direction" else exp.column(name) for name in movers.named_selects]
    query = exp.select(*names).from_(movers.subquery("movers"))
    for key in ("system", "metric", "direction", "place"):
        query = query.order_by(exp.Ordered(this=exp.column(key, "movers"), desc=False))
    return query


def _queries(per_query: exp.Query | None) -> exp.Query:
    if per_query is None:
        raise MetricError("per-query values: no metric of queries was asked for; add one, such as ndcg@10")
    return per_query


def _concatenated(parts: list[pa.Table]) -> pa.Table:
    import pyarrow as pa

    return parts[0] if len(parts) == 1 else pa.concat_tables(parts, promote_options="permissive")
