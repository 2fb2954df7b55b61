"""A list of metrics under the conventions of a tool: the macro of each metric is called with ``like``.

A tool may set the same switch differently for two metrics, so one query cannot compute both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.signature import AGGREGATION
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.macro_queries.asked_for import SeveralMetrics
from duckmetrics.macro_queries.like import LIKE, Likeness
from duckmetrics.macro_queries.macro import reference
from duckmetrics.macro_queries.query import METRICS
from duckmetrics.macro_queries.ranking_text import PLACE, K
from duckmetrics.macro_queries.shell_files import call, concatenated, is_distinct, is_null
from duckmetrics.macro_queries.template import BETWEEN_PIECES, LATER, Template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.macro_queries.forms import Entry
    from duckmetrics.macro_queries.macro import Argument
    from duckmetrics.macro_queries.ranking_call import RankingCall

OF_ONE_METRIC = (
    "an attached database has like, and parameters in parentheses, only in the macros of one metric, "
    "such as ndcg; load duckmetrics.sql to use them with a list of metrics"
)
UNREADABLE = "metrics: they cannot be read; write them as 'ndcg@10, ndcg(gain=exp2)@10'"
# Marks in the call of a macro: its further arguments, and the metric as typed.
PARAMS, TYPED = "__params__", "__typed__"
# Names that no table or column of the user has: the rows of all metrics, their metric, and their number.
EACH, PLACED, NUMBERED = "_duckmetrics_each", "_duckmetrics_place", "_duckmetrics_row"


class Followed:
    """Writes the query of a list of metrics that follows a tool.

    Args:
        macros: name of a metric -> its macro.
        is_alone: whether the macro can call no other macro.
    """

    def __init__(self, of: RankingCall, macros: Mapping[str, str], *, is_alone: bool) -> None:
        self.of, self.macros, self.is_alone = of, macros, is_alone

    def run(self, usual: exp.Expr) -> exp.Expr:
        """Return the text of the query: the usual one if no tool is named, and no metric has parameters."""
        text = exp.cast(reference(METRICS), "VARCHAR")
        has_params = exp.Anonymous(this="contains", expressions=[text, literal("(")])
        if self.is_alone:
            refused = exp.or_(self.of.follows, has_params)
            return exp.Case().when(refused, _error(OF_ONE_METRIC)).else_(usual)
        is_followed = exp.or_(self.of.follows, has_params)
        # A text that the query itself puts together: DuckDB binds it only where it is asked for.
        template = Template([argument.name for argument in self.of.arguments], {})
        run = exp.Anonymous(this=LATER, expressions=[self._whole()])
        later = template.text(exp.select("*").from_(exp.Table(this=run)))
        return exp.Case().when(is_followed, template.filled(literal(later))).else_(usual)

    def _whole(self) -> exp.Expr:
        """Return the text of the calls of all metrics, or the error that says why there is none."""
        asked = call(self.of.catalog, "plain_metrics", reference(METRICS))
        plain = SeveralMetrics(self.of.catalog, self.of.entries, asked)
        names = literal("|".join(name for one in self.of.offered for name in one.names))
        unknown = call(self.of.catalog, "unknown_metric", asked.copy(), names)
        said = exp.func("coalesce", unknown, literal(UNREADABLE))
        refusal = exp.Anonymous(this="error", expressions=[concatenated("duckmetrics: ", said)])
        distinct = exp.Anonymous(this="list_distinct", expressions=[asked.copy()])
        known = call(self.of.catalog, "can_be_written", distinct, plain.names)
        return exp.Case().when(known, self._text(plain)).else_(refusal)

    def _text(self, plain: SeveralMetrics) -> exp.Expr:
        template = Template([argument.name for argument in self.of.arguments], {})
        calls = plain.pieces([self._call(entry, template) for entry in self.of.entries])
        pieces = call(self.of.catalog, "spec_calls", reference(METRICS), calls, self._switches())
        every = exp.Anonymous(this="array_to_string", expressions=[pieces, literal(" UNION ALL BY NAME ")])
        return template.filled(concatenated(f"WITH {EACH} AS (", every, ") ", template.text(_in_order())))

    def _switches(self) -> exp.Expr:
        """Return the switches of the call that are not as usual, a list of texts such as gain=exp2."""
        texts: list[exp.Expr] = []
        for argument in self.of.arguments:
            if argument.name in (*self.of.offer.variants, AGGREGATION, LIKE):
                given = exp.cast(reference(argument.name), "VARCHAR")
                is_changed = is_distinct(given, exp.cast(literal(argument.default), "VARCHAR"))
                told = concatenated(f"{argument.name}=", given.copy())
                texts.append(exp.Case().when(is_changed, told))
        is_set = exp.Lambda(
            this=exp.not_(is_null(exp.column("_pair"))), expressions=[exp.to_identifier("_pair")]
        )
        return exp.Anonymous(this="list_filter", expressions=[exp.Array(expressions=texts), is_set])

    def _call(self, entry: Entry, template: Template) -> str:
        """Return the text that calls the macro of one metric, and the names of its parameters."""
        name = entry.asked.names[0]
        passed = {a.name: reference(a.name) for a in self._shared()}
        if entry.has_cutoff:
            passed[CUTOFF] = exp.var(K)
        values = [exp.PropertyEQ(this=reference(n), expression=value) for n, value in passed.items()]
        row = exp.Window(this=exp.RowNumber())
        columns = exp.Star(replace=[exp.var(TYPED).as_("metric")])
        called = exp.Table(this=exp.Anonymous(this=self.macros[name], expressions=values))
        query = exp.select(exp.var(PLACE).as_(PLACED), row.as_(NUMBERED), columns).from_(called)
        text = f"{template.text(query).removesuffix(')')}{PARAMS})"
        return f"{text}{BETWEEN_PIECES}{'|'.join(self._names(entry))}"

    def _shared(self) -> list[Argument]:
        """Return the arguments that go on to the macro of every metric, as they are."""
        own = {METRICS, AGGREGATION, LIKE, *self.of.offer.variants}
        return [argument for argument in self.of.arguments if argument.name not in own]

    def _names(self, entry: Entry) -> list[str]:
        """Return the names of the parameters of a metric; an alias may bind the aggregation."""
        values = entry.asked.measure.values
        names = [name for name, value in values.items() if isinstance(value, Parameter) and name != CUTOFF]
        names += [AGGREGATION] if entry.asked.agg in (None, DEFAULT_AGGREGATION) else []
        return [*names, LIKE] if self._likeness(entry).entries else names

    def _likeness(self, entry: Entry) -> Likeness:
        return Likeness(self.of.catalog, entry.asked.measure.metric, ())


def _in_order() -> exp.Select:
    """Return the query that sorts the rows by slice, metric and system.

    The rows of each metric are those of the same slices and systems, in the same order.
    """
    systems = exp.select(exp.Count(this=exp.Distinct(expressions=[exp.column("system")]))).from_(EACH)
    slice_ = exp.IntDiv(
        this=exp.paren(exp.column(NUMBERED) - 1),
        expression=exp.func("greatest", literal(1), systems.subquery()),
    )
    hidden_ = [exp.to_identifier(name) for name in (PLACED, NUMBERED)]
    query = exp.select(exp.Star(**{"except_": hidden_})).from_(EACH)
    return query.order_by(slice_, exp.column(PLACED), exp.column(NUMBERED))


def _error(text: str) -> exp.Expr:
    return exp.Anonymous(this="error", expressions=[literal(f"duckmetrics: {text}")])
