"""Classification: from rows to one number per system, segment and metric, and to tables of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.compose.optimizer import NUMBERED_PAIRS, PLACED_SCORES, PLACED_THRESHOLDS, in_kept_order
from duckmetrics.engines.plans import THRESHOLDS, Plan, has_relation, plans_on, reads_thresholds, sorts_rows
from duckmetrics.expressions.build import over
from duckmetrics.expressions.folding import fold, literal
from duckmetrics.inference.kept import kept_rows, materialized, on_engine
from duckmetrics.inference.ranking_summary import JOINED, aim_of, in_rows, with_joined
from duckmetrics.inputs.classes import CLASS
from duckmetrics.inputs.classification import OVERALL, WEIGHTED
from duckmetrics.inputs.slices import slice_label, taken_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Composer
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


SEGMENTS, BINARY = "segments", "labeled"
# Of several classes, rows are counted and not their classes.
CLASS_SEGMENTS = "class_segments"
KEYS, COUNTS = ("system", "segment"), ("n", "n_positive")
# The pairs of a metric of all rows, and the same added up from units, if an interval has sorted the rows.
PAIRS, ADDED_UP = "pairs", "unit_pairs"
# The columns that a metric may yield next to its value, with their types.
EXTRAS = {"lower": "DOUBLE", "upper": "DOUBLE", "n_undefined": "BIGINT"}


def per_slice(composer: Composer, measures: Sequence[Measure], plan: Mapping[str, Plan]) -> exp.Select:
    """Return the query of one row per system and segment: value_0, lower_0, ..., value_1, ...

    n and n_positive count all rows, n_weighted and n_positive_weighted those that have a weight.
    """
    segments = CLASS_SEGMENTS if measures[0].family == MULTICLASS else SEGMENTS
    frame = composer.relation(segments, {WEIGHTED: False})
    query = exp.select(*(exp.column(c, frame) for c in (*KEYS, *COUNTS))).from_(frame)
    if any(measure.values.get(WEIGHTED) for measure in measures):
        counted = composer.relation(segments, {WEIGHTED: True})
        query = query.select(*(exp.column(c, counted).as_(f"{c}_{WEIGHTED}") for c in COUNTS))
        if counted != frame:
            query = query.join(counted, on=_same_segment(KEYS, counted, frame), join_type="left")
    for i, measure in enumerate(measures):
        values: dict[str, Value] = {**measure.values, **plan[measure.text]}
        for column in ("value", *(c for c in EXTRAS if c in measure.metric.query.named_selects)):
            expression = composer.value(measure.metric, values, column)
            if expression is not None and measure.metric.is_own:
                expression = exp.cast(expression, "DOUBLE")
            if expression is not None and column == "value":
                expression = composer.defined(measure.metric, values, expression, _present(composer, measure))
            if expression is not None:
                query = query.select(expression.as_(f"{column}_{i}"), copy=False)
    for block in composer.blocks:
        same = _same_segment(block.keys, block.name, frame)
        query = query.join(block.name, on=same, join_type="left", copy=False)
    return composer.assemble(query)


def _present(composer: Composer, measure: Measure) -> exp.Expr:
    """Return the number of rows that a measure looks at."""
    is_weighted = bool(measure.values.get(WEIGHTED))
    segments = CLASS_SEGMENTS if measure.family == MULTICLASS else SEGMENTS
    return exp.column("n", composer.relation(segments, {WEIGHTED: is_weighted}))


def _same_segment(keys: Iterable[str], one: str, other: str) -> exp.Expr:
    return exp.and_(*(exp.EQ(this=exp.column(k, one), expression=exp.column(k, other)) for k in keys))


class ClassificationSummary:
    """Writes the queries over the table of values per segment.

    Args:
        table: its name; one row per system and segment that has rows.
    """

    def __init__(self, catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], table: str) -> None:
        self.catalog = catalog
        self.inputs = inputs
        self.measures = measures
        self.table = table
        self.by = {name: f"by_{i}" for i, name in enumerate(inputs.by_columns, start=1)}

    def joined(self) -> exp.Select:
        """Return one row per system and slice, the measures side by side."""
        return self._joined().with_("frame", as_=self._frame())

    def query(self, joined: exp.Select, columns: Sequence[str]) -> exp.Select:
        """Return one row per system, slice and measure, overall first.

        Args:
            joined: the query of `joined`, or of a table that it is kept in.
            columns: those that the table has.
        """
        parts = [self._row(i, measure, columns) for i, measure in enumerate(self.measures)]
        return with_joined(in_rows(parts, self.by, ("slice_number", *self.by.values())), joined)

    def table_query(self, composer: Composer, measure: Measure, plan: Plan) -> exp.Select:
        """Return the rows of a table, with the system and slice they belong to."""
        query = cast("exp.Select", composer.resolved(measure.metric, {**measure.values, **plan}))
        order = query.args.pop("order", None)
        name = composer.step(measure.metric.name, query)
        columns = [c for c in query.named_selects if c not in KEYS]
        for column in self.by:
            if column.lower() in columns:
                raise taken_name(column, measure.metric.name)
        keys = [] if self.inputs.one_system else [exp.column("system", name)]
        result = exp.select(*keys)
        if self.by:
            result = result.select(self._slice_name().as_("slice"))
            result = result.select(*(exp.column(a, "slices").as_(n, quoted=True) for n, a in self.by.items()))
        result = result.select(*(exp.column(c, name) for c in columns)).from_(name)
        slices = ("slice_number", *self.by.values()) if self.by else ()
        within = order.expressions if order is not None else [exp.column(key) for key in measure.metric.grain]
        within = [_of(name, key) for key in within if _column_name(key) in columns]
        for key in (*keys, *(exp.column(key, "slices") for key in slices), *within):
            result = result.order_by(key.copy(), copy=False)
        if self.by:
            same = exp.EQ(this=exp.column("segment", "slices"), expression=exp.column("segment", name))
            result = result.join(self.inputs.queries["slices"].subquery("slices"), on=same)
        return composer.assemble(result)

    def _slice_name(self) -> exp.Expr:
        labels = exp.Case(this=exp.column("slice_number", "slices"))
        for number, grouping in enumerate(((), *self.inputs.by)):
            labels = labels.when(literal(number), literal(slice_label(grouping)))
        return labels

    def named_slices(self) -> exp.Query | None:
        """Return the slice of every segment, with the columns in force; None if there are no slices."""
        if not self.by:
            return None
        columns = (exp.column(alias, "slices") for alias in self.by.values())
        named = exp.select(exp.column("segment", "slices"), self._slice_name().as_("slice"), *columns)
        return named.from_(self.inputs.queries["slices"].subquery("slices"))

    def _frame(self) -> exp.Query:
        """Return the rows that must be there: every slice found, and the overall row of every system."""
        found = exp.select("system", "segment").from_(self.table)
        systems = self.inputs.queries.get("systems")
        if systems is None:
            return found
        overall = exp.select("system", literal(OVERALL).as_("segment")).from_(systems.subquery("systems"))
        return exp.union(overall, found, distinct=True)

    def _joined(self) -> exp.Select:
        same = [exp.EQ(this=exp.column(k, "found"), expression=exp.column(k, "frame"))
                for k in ("system", "segment")]  # fmt: skip
        keys: list[exp.Expr] = [exp.column("system", "frame")]
        if self.by:
            keys += [self._slice_name().as_("slice"), exp.column("slice_number", "slices")]
            keys += [exp.column(alias, "slices") for alias in self.by.values()]
        else:
            keys += [literal("").as_("slice"), literal(0).as_("slice_number")]
        every = exp.Column(this=exp.Star(except_=[exp.to_identifier("system"), exp.to_identifier("segment")]),
                           table=exp.to_identifier("found"))  # fmt: skip
        joined = exp.select(*keys, every).from_("frame")
        joined = joined.join(
            exp.to_table(self.table).as_("found", table=True), on=exp.and_(*same), join_type="left"
        )
        if self.by:
            segment = exp.EQ(this=exp.column("segment", "slices"), expression=exp.column("segment", "frame"))
            joined = joined.join(self.inputs.queries["slices"].subquery("slices"), on=segment)
        return joined

    def _row(self, i: int, measure: Measure, columns: Sequence[str]) -> exp.Select:
        def optional(column: str) -> exp.Expr:
            type_ = EXTRAS[column]
            if f"{column}_{i}" not in columns:
                return exp.cast(exp.null(), type_).as_(column)
            found: exp.Expr = exp.column(f"{column}_{i}")
            return (exp.func("coalesce", found, literal(0)) if type_ == "BIGINT" else found).as_(column)

        unnamed = exp.cast(exp.null(), "VARCHAR")
        none = exp.cast(exp.null(), "BIGINT")
        binary = has_relation(self.catalog, measure, BINARY)
        value, reason = shown_measure(self.catalog, i, measure)
        n, n_positive = (exp.func("coalesce", exp.column(c), literal(0)) for c in counts_of(measure))
        return exp.select(
            (unnamed if self.inputs.one_system else exp.column("system")).as_("system"),
            literal(measure.text).as_("metric"), "slice", *self.by.values(),
            value.as_("value"), optional("lower"), optional("upper"),
            reason.as_("reason"), n.as_("n"),
            none.copy().as_("n_missing"), none.copy().as_("n_no_relevant"), optional("n_undefined"),
            (n_positive if binary else self._rows_of_class(measure, n_positive)).as_("n_positive"),
            *aim_of(measure), literal(measure.signature).as_("signature"),
            "slice_number", literal(i).as_("measure_number"),
        ).from_(JOINED)  # fmt: skip

    def _rows_of_class(self, measure: Measure, n_positive: exp.Expr) -> exp.Expr:
        """Return the number of rows whose right class is that of the slice; NULL for other slices."""
        if measure.family != MULTICLASS or CLASS not in self.by:
            return exp.cast(exp.null(), "BIGINT")
        is_of_one = exp.column(self.by[CLASS]).is_(exp.null()).not_()
        return exp.Case().when(is_of_one, n_positive)


def shown_measure(catalog: Catalog, i: int, measure: Measure) -> tuple[exp.Expr, exp.Expr]:
    """Return the value of the measure at place i, and the reason if it has no value."""
    counted, n_positive = counts_of(measure)
    why, infinite = (measure.metric.header.get(key) for key in ("undefined", "infinite"))
    value, reason = shown_value(catalog, {
        "value": exp.column(f"value_{i}"),
        "counted": exp.column(counted), "n_positive": exp.column(n_positive),
        "is_binary": exp.Boolean(this=has_relation(catalog, measure, BINARY)), "undefined": literal(why),
        "infinite": literal(infinite),
    })  # fmt: skip
    return fold(value), fold(reason)


def shown_value(catalog: Catalog, columns: Mapping[str, exp.Expr]) -> tuple[exp.Expr, exp.Expr]:
    """Return a value as results show it, and the reason if there is no value.

    Args:
        columns: those of the relation, and the expressions in their place.
    """
    found = over(catalog.relations["classification_results"].query, columns)
    return found["value"], found["reason"]


def counts_of(measure: Measure) -> tuple[str, str]:
    """Return the columns that count the rows a measure looks at, and the positives among them."""
    n, n_positive = (f"{c}_{WEIGHTED}" if measure.values.get(WEIGHTED) else c for c in COUNTS)
    return n, n_positive


def _of(table: str, key: exp.Expr) -> exp.Expr:
    """Write a key of the order in terms of a step."""
    key = key.copy()
    for column in key.find_all(exp.Column):
        column.set("table", exp.to_identifier(table))
    return key


def _column_name(key: exp.Expr) -> str | None:
    column = key.find(exp.Column)
    return None if column is None else column.name


def slice_values(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    plan: Mapping[str, Plan] | None = None,
) -> tuple[tuple[dict[str, Any], ...], exp.Query]:
    """Compute the values of every segment; return their summary and where it is kept.

    Args:
        plan: how the pairs of each measure are counted, if it is decided already.
    """
    composer = inputs.composer(catalog)
    plan = plan or plans_on(catalog, engine, inputs, measures)
    is_placed = PLACED_SCORES in inputs.queries
    known = next((name for name in (ADDED_UP, NUMBERED_PAIRS) if name in inputs.queries), None)
    for measure in measures:
        values = {**measure.values, **plan[measure.text]}
        if known is not None and sorts_rows(measure, plan[measure.text]):
            composer.stand_in(PAIRS, values, known)
        if is_placed and reads_thresholds(catalog, measure, plan[measure.text]):
            for given in (values, composer.known(catalog.relations[PAIRS], values)):
                composer.stand_in(THRESHOLDS, given, PLACED_THRESHOLDS)
    query = per_slice(composer, measures, plan)
    query = in_kept_order(query) if is_placed else query
    table = engine.name("per_segment")
    with engine.step("values per slice"):
        engine.keep(table, on_engine(catalog, engine, query))
        summary = ClassificationSummary(catalog, inputs, measures, table)
        joined = materialized(engine, summary.joined())
    return kept_rows(engine.results(), summary.query(joined, query.named_selects))
