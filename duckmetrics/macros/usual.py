"""The query of a macro of one metric as it is usually called: every switch as it is, at most one cut-off.

DuckDB plans a query that computes any metric under any switch for as long as it computes the metric. A macro
therefore writes its query when it is called: this one, or else a call of the macro that takes everything.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.facts import CORRECTED, parameter_of
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION, Measure
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.signature import AGGREGATION
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, Value, bind, literal
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.macros import checks
from duckmetrics.macros.macro import given, reference, without_with
from duckmetrics.macros.query import COUNTS, SOURCE, Steps, in_one, shown, whole
from duckmetrics.macros.shell_files import BY_RANK, by_rank, concatenated, is_distinct, query_of, source
from duckmetrics.summaries.ranking import shown_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.compose.blocks import Columns
    from duckmetrics.macros.macro import Argument
    from duckmetrics.macros.parameters import Asked

DEPTH, POPULATION, TRUTH = "depth", "population", "truth"
CONSTANTS: dict[str, Value] = {"system": ONE_SYSTEM}
CUTOFFS = r"[1-9]\d{0,8}"


class Usual:
    """What the macro of one metric of rankings computes unless a switch is set.

    Args:
        own: the parameters of the macro that belong to the metric.
    """

    def __init__(self, catalog: Catalog, asked: Asked, name: str, own: Sequence[Argument]) -> None:
        self.catalog = catalog
        self.asked = asked
        self.name = name
        self.own = own
        open_ = {a.name: a.default for a in own if a.name != CUTOFF}
        settled = {**asked.measure.values, **open_, parameter_of(catalog, CORRECTED): None}
        self.values: dict[str, Value] = {
            name: value if name == CUTOFF or not isinstance(value, Parameter) else None
            for name, value in settled.items()
        }  # fmt: skip

    @property
    def exists(self) -> bool:
        """Whether the metric can be computed without a switch."""
        needs_more = any(argument.required for argument in self.own)
        return not needs_more and self.asked.agg in (None, DEFAULT_AGGREGATION)

    @property
    def is_asked(self) -> exp.Expr:
        """The condition on the arguments of the macro."""
        changed: list[exp.Expr] = [
            is_distinct(exp.cast(reference(a.name), "VARCHAR"), exp.cast(literal(a.default), "VARCHAR"))
            for a in self.own if a.name != CUTOFF
        ]  # fmt: skip
        agg = exp.cast(reference(AGGREGATION), "VARCHAR")
        changed.append(is_distinct(agg, literal(DEFAULT_AGGREGATION)))
        conditions: list[exp.Expr] = [exp.not_(exp.or_(*changed))]
        if self.asked.has_cutoff:
            k = exp.func("coalesce", exp.cast(reference(CUTOFF), "VARCHAR"), literal("1"))
            conditions.append(exp.Anonymous(this="regexp_full_match", expressions=[k, literal(CUTOFFS)]))
        return exp.and_(*conditions)

    def query(self) -> exp.Query:
        """Return one row, after all checks pass."""
        composer = Composer(self.catalog, {}, CONSTANTS, {BY_RANK: Parameter(BY_RANK)})
        measure = self._measure()
        query, (columns,) = composer.per_query([measure])
        outer, steps = without_with(query)
        found, further = checks.of_data(self.catalog, [measure], dict(steps), CONSTANTS)
        refused = [*(self._shell(name) for name in ("no_rows", "mixed_ids")), *found]
        every: Steps = [
            *self._inputs(), *steps, ("per_query", outer), *further,
            ("problems", in_one(refused)), ("checked", self._shell("checked")),
        ]  # fmt: skip
        written = [(name, self._given(step)) for name, step in every]
        return shown(whole(self.catalog, self._summary(columns), written))

    def _measure(self) -> Measure:
        one = self.asked.measure
        return replace(one, params=tuple((name, self.values[name]) for name, _ in one.params))

    def _shell(self, name: str) -> exp.Query:
        """Return the query of a file under sql/macros, its parameters with their defaults."""
        declared = self.catalog.shell[name].own_params.values()
        return query_of(self.catalog, name, {p.name: literal(p.default) for p in declared})

    def _given(self, step: exp.Query) -> exp.Query:
        """Put the values of the placeholders that are left into a step."""
        text = self.asked.measure.metric.header.get(DEPTH)
        tree = exp.null() if text is None else sqlglot.parse_one(text, dialect=DIALECT)
        k = exp.cast(reference(CUTOFF), "INT")
        deepest = given(exp.paren(bind(tree, self.values, exp.Column), copy=False), {CUTOFF: k})
        return cast("exp.Query", given(step, {CUTOFF: k, DEPTH: deepest, BY_RANK: by_rank()}))

    def _inputs(self) -> Iterator[tuple[str, exp.Query]]:
        """Yield the user's tables under canonical names; nobody names a population."""
        for name, reader in (("predictions", "read_trec_run"), (TRUTH, "read_trec_qrels")):
            read = {SOURCE: source(self.catalog, reference(name), reader)}
            yield name, query_of(self.catalog, name, read)
            if name != TRUTH:
                yield BY_RANK, query_of(self.catalog, BY_RANK, read)
        yield POPULATION, exp.select("query_id").from_(TRUTH).where(exp.false())

    def _summary(self, columns: Columns) -> exp.Select:
        """Return the number of the metric, and the queries behind it."""
        k: exp.Expr = reference(CUTOFF) if self.asked.has_cutoff else exp.null()
        at = exp.func("coalesce", concatenated("@", exp.cast(k, "VARCHAR")), literal(""))
        mean = self.catalog.aggregation_names[DEFAULT_AGGREGATION].metric.query.selects[-1]
        own = {"value": columns.value, "no_relevant": columns.no_relevant, "undefined": columns.undefined}
        values = exp.select("missing", *(exp.column(column).as_(name) for name, column in own.items()))
        values = values.from_("per_query").join("checked", join_type="cross").where(exp.column("fine"))
        counts = cast("exp.Select", self._shell("counted")).selects
        numbers = [mean.unalias().copy().as_("v"), *(c for c in counts if c.alias.startswith("n"))]
        counted = exp.select(*numbers).from_(values.subquery("query_values"))
        value, why = shown_value(self.catalog, exp.column("v"), exp.column("n_no_relevant"))
        told = {"metric": concatenated(self.name, at), CUTOFF: exp.cast(k.copy(), "INT"), "value": value,
                **{name: exp.column(name) for name in COUNTS}, "reason": why}  # fmt: skip
        return exp.select(*(e.as_(n) for n, e in told.items())).from_(counted.subquery("counted"))
