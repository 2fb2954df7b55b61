"""The query of a ranking macro that is called without switches.

DuckDB needs longer to plan a query for every metric and switch than to compute one metric. A macro therefore
writes its query when it is called: the short query of this module, or a call of the general macro.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import linked
from duckmetrics.compose.optimizer import SHALLOW, SORTED, TOP
from duckmetrics.expressions.folding import Parameter, Value, literal
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.macros import checks
from duckmetrics.macros.macro import FUNCTIONS, Choice, given, hidden, reference, without_with, written
from duckmetrics.macros.query import COUNTS, Steps, in_one, shown, tables_of_user, whole
from duckmetrics.macros.shell_files import BY_RANK, by_rank, call, is_distinct, query_of
from duckmetrics.summaries.ranking import shown_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.macros.macro import Argument, Call
    from duckmetrics.macros.parameters import Asked

DEPTH, POPULATION = "depth", "population"
CONSTANTS: dict[str, Value] = {"system": ONE_SYSTEM}
A_CUTOFF = r"[1-9]\d{0,8}"
# Replaced by the cut-off that is asked for.
SOME_CUTOFF = 987654321
# Marks in the query; the pieces of the metrics asked for replace them.
COLUMNS, VALUES, TOLD, DEEPEST = "__columns", "__values", "__told", "__deepest"


@dataclass(frozen=True)
class Entry:
    """A metric with a cut-off or without one, composed alone.

    Attributes:
        names: its names, with an @ at the end if a cut-off follows.
        steps: the names of its steps.
        measure: the metric with `SOME_CUTOFF` or without a cut-off.
        columns: the SQL of its columns in the aggregate.
        values: the SQL of its columns in the row of a query.
    """

    names: tuple[str, ...]
    steps: frozenset[str]
    measure: Measure
    columns: str
    values: str


class Usual:
    """Writes the short query of some metrics.

    Args:
        offered: the metrics. If there are several, the largest group with the same steps is kept.
    """

    def __init__(self, catalog: Catalog, offered: Sequence[Asked]) -> None:
        self.catalog = catalog
        found = [entry for one in offered for entry in _entries(catalog, one)]
        most = Counter(entry.steps for entry in found).most_common(1)
        self.entries = [entry for entry in found if len(offered) == 1 or entry.steps == most[0][0]]

    def choice(
        self, asked: exp.Expr, plain: exp.Expr, switches: Sequence[Argument], otherwise: Call
    ) -> Choice | Call:
        """Return the body of a macro that runs the short query if it can, else the general one.

        Args:
            asked: the texts of the metrics asked for, a list.
            plain: the condition under which the short query can read these texts.
            switches: the parameters that must have their defaults.
        """
        if not self.entries:
            return otherwise
        changed = [is_distinct(_as_text(reference(a.name)), _as_text(literal(a.default))) for a in switches]
        distinct = exp.Anonymous(this="list_distinct", expressions=[asked])
        once = exp.EQ(this=_length(distinct), expression=_length(asked))
        names = exp.Array(expressions=[literal(name) for e in self.entries for name in e.names])

        def pieces(texts: Sequence[str]) -> exp.Expr:
            listed = exp.Array(expressions=[literal(text) for text in texts])
            return call(self.catalog, "pieces", asked.copy(), names.copy(), listed)

        is_by_query = bool(otherwise.columns)
        told = self._told_by_query() if is_by_query else self._told()
        texts = {
            COLUMNS: pieces([entry.columns for entry in self.entries for _ in entry.names]),
            VALUES: pieces([entry.values for entry in self.entries for _ in entry.names]),
            TOLD: pieces([_structure(told)]),
            DEEPEST: call(self.catalog, "usual_depth", asked.copy()),
        }  # fmt: skip
        usual = exp.func("coalesce", exp.and_(exp.not_(exp.or_(*changed)), plain, once), exp.false())
        depth: exp.Expr = exp.TryCast(this=texts[DEEPEST].copy(), to=exp.DataType.build("INT"))
        cases: list[tuple[exp.Expr, exp.Query | Call]] = [(exp.not_(usual), otherwise)]
        if self._has_cutoff:
            is_shallow = exp.LTE(this=depth, expression=literal(SHALLOW))
            cases.append((is_shallow, self._query(TOP, is_by_query)))
        return Choice((*cases, (exp.true(), self._query(SORTED, is_by_query))), texts)

    @property
    def _has_cutoff(self) -> bool:
        return any(entry.measure.depth for entry in self.entries)

    def _query(self, plan: str, is_by_query: bool) -> exp.Query:
        """Return the query with marks for the pieces of the metrics.

        Args:
            plan: how the ranks are found, see `optimizer.ranking_plan`.
        """
        composer = Composer(self.catalog, {}, CONSTANTS, {BY_RANK: Parameter(BY_RANK)})
        first, *others = (entry.measure for entry in self.entries)
        # A cut-off that is open keeps the depth of the ranking open.
        opened = [(n, Parameter(n) if n == CUTOFF else value) for n, value in first.params]
        measures = [replace(first, params=tuple(opened)), *others]
        query, columns = composer.per_query(measures, plan)
        outer, steps = without_with(query)
        (block,) = composer.blocks
        own = {name for c in columns for name in (c.value, c.no_relevant, c.undefined)}
        outer.set("expressions", [*(p for p in outer.selects if p.alias_or_name not in own), exp.var(VALUES)])
        aggregate = dict(steps)[block.name]
        kept = [p for p in aggregate.selects if p.alias_or_name not in block.columns]
        aggregate.set("expressions", [*kept, exp.var(COLUMNS)])
        found, further = checks.of_data(self.catalog, measures, dict(steps), CONSTANTS)
        refused = [*(self._shell(name) for name in ("no_rows", "mixed_ids")), *found]
        nobody = exp.select("query_id").from_("truth").where(exp.false())
        every: Steps = [
            *tables_of_user(self.catalog), (POPULATION, nobody), *steps, ("per_query", outer), *further,
            ("problems", in_one(refused)), ("checked", self._shell("checked")),
        ]  # fmt: skip
        depth = exp.cast(exp.var(DEEPEST), "INT")
        values = {DEPTH: depth, BY_RANK: by_rank()}
        written_ = [(name, cast("exp.Query", given(step, values))) for name, step in every]
        result = self._by_query() if is_by_query else self._summary()
        return shown(whole(self.catalog, result, written_))

    def _shell(self, name: str) -> exp.Query:
        """Return the query of a file under sql/macros, its parameters with their defaults."""
        declared = self.catalog.shell[name].own_params.values()
        return query_of(self.catalog, name, {p.name: literal(p.default) for p in declared})

    def _told(self) -> exp.Select:
        """Return the number of a metric, and the queries behind it."""
        mean = self.catalog.aggregation_names[DEFAULT_AGGREGATION].metric.query.selects[-1].unalias()
        counts = (c for c in cast("exp.Select", self._shell("counted")).selects if c.alias.startswith("n"))
        return exp.select(mean.copy().as_("v"), *counts)

    def _told_by_query(self) -> exp.Select:
        """Return the value of a metric for one query."""
        return exp.select(*(exp.column(name).as_(name) for name in ("value", "no_relevant")))

    def _summary(self) -> exp.Select:
        """Return one row for every metric asked for."""
        numbers = exp.select(exp.var(f"unnest([{TOLD}], recursive := true)")).from_("per_query")
        numbers = numbers.join("checked", join_type="cross").where(exp.column("fine"))
        value, why = shown_value(self.catalog, exp.column("v"), exp.column("n_no_relevant"))
        shown_ = {"metric": exp.column("metric"), CUTOFF: exp.column(CUTOFF), "value": value,
                  **{name: exp.column(name) for name in COUNTS}, "reason": why}  # fmt: skip
        query = exp.select(*(e.as_(n) for n, e in shown_.items())).from_(numbers.subquery("numbers"))
        return query.order_by(exp.column("place"))

    def _by_query(self) -> exp.Select:
        """Return one row for every metric asked for and query."""
        numbers = exp.select("query_id", "missing", exp.var(f"unnest([{TOLD}], recursive := true)"))
        numbers = numbers.from_("per_query").join("checked", join_type="cross").where(exp.column("fine"))
        columns = (exp.column(name) for name in ("query_id", "metric", "value", "missing", "no_relevant"))
        return exp.select(*columns).from_(numbers.subquery("numbers"))


def plain_list(entries: Sequence[Entry], metrics: exp.Expr) -> exp.Expr:
    """Return the condition that all metrics of a list, or of a text with commas, are entries."""
    names = "|".join(n.replace("@", f"@{A_CUTOFF}") for e in entries for n in e.names)
    return _matches(_as_text(metrics), rf"\[?\s*({names})(\s*,\s*({names}))*\s*\]?")


def plain_cutoffs(k: exp.Expr) -> exp.Expr:
    """Return the condition that a cut-off, or each of a list, is a positive whole number."""
    given_ = exp.func("coalesce", _as_text(k), literal("1"))
    return _matches(given_, rf"{A_CUTOFF}|\[{A_CUTOFF}(, {A_CUTOFF})*\]")


def _entries(catalog: Catalog, asked: Asked) -> Iterator[Entry]:
    """Yield a metric with a cut-off and without one, unless it needs a parameter."""
    of_call = [p for p in asked.measure.declared if isinstance(asked.measure.values[p.name], Parameter)]
    if any(p.required for p in of_call) or asked.agg not in (None, DEFAULT_AGGREGATION):
        return
    for k in (SOME_CUTOFF, None) if asked.has_cutoff else (None,):
        entry = _entry(catalog, asked, k)
        if entry is not None:
            yield entry


def _entry(catalog: Catalog, asked: Asked, k: int | None) -> Entry | None:
    """Compose a metric alone; None if it needs more than one aggregate, or rows beyond its cut-off."""
    measure = _settled(asked, k)
    composer = Composer(catalog, {}, CONSTANTS, {BY_RANK: Parameter(BY_RANK)})
    query, (columns,) = composer.per_query([measure])
    outer, steps = without_with(query)
    block, *further = composer.blocks
    is_deeper = any(str(SOME_CUTOFF) in step.sql(DIALECT) for name, step in steps if name != block.name)
    if further or is_deeper or measure.depth != k:
        return None
    kinds = {columns.value: "value", columns.no_relevant: "no_relevant", columns.undefined: "undefined"}
    aggregated = _at_its_place(dict(steps)[block.name], {name: name for name in block.columns})
    values = _at_its_place(outer, kinds)
    for column in list(values.find_all(exp.Column)):
        if column.table == block.name:
            column.replace(exp.column(f"{column.name}_{{place}}", block.name))
    texts = [_piece(catalog, part).replace(str(SOME_CUTOFF), "{k}") for part in (aggregated, values)]
    names = tuple(f"{name}@" if k else name for name in asked.names)
    return Entry(names, frozenset(dict(steps)), measure, *texts)


def _at_its_place(query: exp.Query, names: Mapping[str, str]) -> exp.Select:
    """Return some columns of a query; the place of the metric ends their new names.

    Args:
        names: old name -> new name without the place.
    """
    kept = (p for p in query.selects if p.alias in names)
    return exp.select(*(p.unalias().as_(f"{names[p.alias]}_{{place}}") for p in kept))


def _settled(asked: Asked, k: Value) -> Measure:
    """Return a metric with the default of every switch."""
    one = asked.measure
    defaults = {p.name: p.default for p in one.declared}
    settled = {n: defaults[n] if isinstance(v, Parameter) else v for n, v in one.params}
    if asked.has_cutoff:
        settled[CUTOFF] = k
    return replace(one, params=tuple(settled.items()))


def _piece(catalog: Catalog, columns: exp.Select) -> str:
    """Write columns as SQL."""
    calling, _ = linked(catalog, columns, FUNCTIONS)
    return written(cast("exp.Query", hidden(calling))).removeprefix("SELECT ")


def _structure(told: exp.Select) -> str:
    """Write columns of the metric at a place as one value."""
    columns = told.copy()
    for column in columns.find_all(exp.Column):
        if column.name in ("value", "no_relevant", "undefined"):
            column.this.set("this", f"{column.name}_{{place}}")
    pairs = {p.alias: p.unalias() for p in cast("exp.Select", hidden(columns)).selects}
    k = exp.cast(exp.var("{k}"), "INT")
    known = {"_place": exp.var("{place}"), "_metric": exp.var("{metric}"), "_k": k}
    parts = [exp.PropertyEQ(this=exp.to_identifier(n), expression=v) for n, v in {**known, **pairs}.items()]
    return exp.Struct(expressions=parts).sql(DIALECT)


def _as_text(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, "VARCHAR")


def _length(listed: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="len", expressions=[listed.copy()])


def _matches(text: exp.Expr, pattern: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_full_match", expressions=[text, literal(pattern)])
