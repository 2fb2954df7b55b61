"""A list of metrics under the conventions of a tool, or with parameters in the texts of the metrics.

A tool may set the same switch differently for two metrics, and so may their texts. One query cannot compute
both, so the macro calls itself, or another one, for the metrics that have the same arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.signature import AGGREGATION
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.macro_queries.asked_for import SeveralMetrics
from duckmetrics.macro_queries.like import LIKE, TRUTH, Likeness
from duckmetrics.macro_queries.macro import FUNCTIONS, Macro, Overload, hidden, reference
from duckmetrics.macro_queries.parameters import unknown_metric
from duckmetrics.macro_queries.query import METRICS, SOURCE
from duckmetrics.macro_queries.ranking_results import EACH, NUMBERED, PLACED
from duckmetrics.macro_queries.ranking_text import PLACE
from duckmetrics.macro_queries.shell_files import (
    call,
    concatenated,
    is_distinct,
    is_null,
    query_of,
    source,
)
from duckmetrics.macro_queries.template import (
    BETWEEN_PIECES,
    LATER,
    Template,
    bound_once,
    chosen,
    joined,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.macro_queries.asked_for import OneMetric
    from duckmetrics.macro_queries.forms import Entry
    from duckmetrics.macro_queries.macro import Argument
    from duckmetrics.macro_queries.parameters import Asked, Offer
    from duckmetrics.macro_queries.ranking_call import RankingCall
    from duckmetrics.macro_queries.ranking_results import Results

OF_ONE_METRIC = (
    "an attached database has like, and parameters in parentheses, only in the macros of one metric, "
    "such as ndcg; load duckmetrics.sql to use them with a list of metrics"
)
UNREADABLE = "metrics: they cannot be read; write them as 'ndcg@10, ndcg(gain=exp2)@10'"
# Marks in the call of a macro: its name, the metrics without parameters, their texts and arguments, and the
# condition on the truth under which they follow a tool.
MACRO, PLAIN, TYPED, PARAMS, NEED = "__MACRO__", "__plain__", "__asked__", "__params__", "__need__"
# The macro of the entries of all tools.
ENTRIES = f"{FUNCTIONS}tool_entries"
# The cut-off of a query, where each has a query of its own.
CUTOFF_OF_QUERY = "_cutoff"
# The step with the grades of the truth, which no table of the user is called.
GRADES = "_duckmetrics_truth"


class Followed:
    """Writes the query of a list of metrics that follows a tool, or has parameters in the texts of metrics.

    Args:
        macros: name of a metric -> its macro, or the macro of all metrics under "".
        results: returns the last part of the query, over the rows of all calls.
        is_alone: whether the macro can call no other macro.
    """

    def __init__(
        self,
        of: RankingCall,
        macros: Mapping[str, str],
        results: Callable[[Template], Results],
        *,
        is_alone: bool,
    ) -> None:
        self.of, self.macros, self.results, self.is_alone = of, macros, results, is_alone

    def run(self, usual: exp.Expr) -> exp.Expr:
        """Return the text of the query: the usual one if no tool is named, and no metric has parameters."""
        text = exp.cast(reference(METRICS), "VARCHAR")
        has_params = exp.Anonymous(this="contains", expressions=[text, literal("(")])
        is_followed = exp.or_(self.of.follows, has_params)
        if self.is_alone:
            return exp.Case().when(is_followed, _error(literal(OF_ONE_METRIC))).else_(usual)
        return exp.Case().when(is_followed, self._later(self._template(), self._checked())).else_(usual)

    def _template(self) -> Template:
        return Template([argument.name for argument in self.of.arguments], {})

    def _later(self, template: Template, text: exp.Expr) -> exp.Expr:
        """Return the text of a query that runs a text, which DuckDB binds only where it is asked for."""
        run = exp.Anonymous(this=LATER, expressions=[text])
        return template.filled(literal(template.text(exp.select("*").from_(exp.Table(this=run)))))

    def _checked(self) -> exp.Expr:
        """Return the text of the query, or the error that says why there is none."""
        asked = call(self.of.catalog, "asked_metrics", reference(METRICS))
        plain = call(self.of.catalog, "plain_metrics", asked.copy())
        names = [name for one in self.of.offered for name in one.names]
        unknown = unknown_metric(self.of.catalog, plain.copy(), names)
        said = exp.func("coalesce", unknown, literal(UNREADABLE))
        several = SeveralMetrics(self.of.catalog, self.of.entries, plain)
        distinct = exp.Anonymous(this="list_distinct", expressions=[plain.copy()])
        is_known = call(self.of.catalog, "can_be_written", distinct, several.names)
        return exp.Case().when(is_known, self._text(asked, several)).else_(_error(said))

    def _text(self, asked: exp.Expr, several: SeveralMetrics) -> exp.Expr:
        """Return the text of a query that puts together the calls, and the query that reads their rows.

        The lists are literals there: DuckDB would bind their expressions wherever they are read, and twice in
        each lambda.
        """
        outer, template = self._template(), self._template()
        pieces = several.pieces([self._piece(entry) for entry in self.of.entries])
        lists = (asked, several.metrics, pieces, self._switches())
        literals = (outer.raw(call(self.of.catalog, "list_literal", value)) for value in lists)
        entries = exp.Anonymous(this=ENTRIES, expressions=[])
        specs = call(self.of.catalog, "spec_rows", *literals, reference(LIKE), entries)
        results = self.results(template)
        calls = call(self.of.catalog, "spec_calls", specs, literal(self._call(template, results)))
        every = exp.Anonymous(this="array_to_string", expressions=[calls, literal(" UNION ALL BY NAME ")])
        grades = chosen(self.of.follows, [self._grades(template)], [])
        whole = joined(["WITH ", grades, f"{EACH} AS (", every, ")", *results.of_calls()])
        return self._later(outer, template.filled(whole))

    def _piece(self, entry: Entry) -> str:
        """Return the name of a metric, those of its parameters and of its tools, and its macro."""
        tools = "|".join(likeness_of(self.of.catalog, self.of.offer, entry.asked).entries)
        macro = self.macros.get(entry.asked.names[0], "")
        parts = (entry.asked.measure.metric.name, "|".join(self._names(entry)), tools, macro)
        return BETWEEN_PIECES.join(parts)

    def _grades(self, template: Template) -> str:
        """Return the step with the grades of the truth, which conditions of tools read."""
        read = {SOURCE: source(self.of.catalog, reference(TRUTH), "read_trec_qrels")}
        rows = cast("exp.Query", hidden(query_of(self.of.catalog, TRUTH, read)))
        grades = exp.select(exp.column("_relevance").as_("relevance")).from_(rows.subquery("rows"))
        return f"{GRADES} AS ({template.text(grades)}), "

    def _switches(self) -> exp.Expr:
        """Return the switches of the call that are not as usual, a list of texts such as gain=exp2."""
        texts: list[exp.Expr] = []
        for argument in self.of.arguments:
            if argument.name in (*self.of.offer.variants, AGGREGATION):
                given = exp.cast(reference(argument.name), "VARCHAR")
                is_changed = is_distinct(given, exp.cast(literal(argument.default), "VARCHAR"))
                told = concatenated(f"{argument.name}=", given.copy())
                texts.append(exp.Case().when(is_changed, told))
        is_set = exp.Lambda(
            this=exp.not_(is_null(exp.column("_pair"))), expressions=[exp.to_identifier("_pair")]
        )
        return exp.Anonymous(this="list_filter", expressions=[exp.Array(expressions=texts), is_set])

    def _call(self, template: Template, results: Results) -> str:
        """Return the text that calls a macro for metrics with the same arguments."""
        passed: dict[str, exp.Expr] = {a.name: reference(a.name) for a in self._shared(results)}
        typed: exp.Expr = exp.var(TYPED)
        numbered = [exp.Window(this=exp.RowNumber()).as_(NUMBERED)]
        if "" in self.macros:
            plain, every = (exp.Array(expressions=[exp.var(name)]) for name in (PLAIN, TYPED))
            passed[METRICS], numbered = plain, []
            typed = _same_place(every, plain.copy(), exp.column(results.metric_of_calls))
        values = [exp.PropertyEQ(this=reference(n), expression=value) for n, value in passed.items()]
        asked = call(self.of.catalog, "asked_metrics", reference(METRICS))
        placed = exp.Anonymous(this="list_position", expressions=[asked, typed.copy()])
        columns = exp.Star(replace=[typed.as_(results.metric_of_calls)])
        called = exp.Table(this=exp.Anonymous(this=self.macros.get("", MACRO), expressions=values))
        query = exp.select(placed.as_(PLACED), *numbered, columns).from_(called)
        return f"{template.text(query).removesuffix(')')}{PARAMS}) WHERE {NEED}"

    def _shared(self, results: Results) -> list[Argument]:
        """Return the arguments that go on to every call, as they are."""
        own = {METRICS, AGGREGATION, *self.of.offer.variants, *results.own}
        own |= set() if "" in self.macros else {LIKE}
        return [argument for argument in self.of.arguments if argument.name not in own]

    def _names(self, entry: Entry) -> list[str]:
        """Return the names of the parameters of a metric; an alias may bind the aggregation."""
        values = entry.asked.measure.values
        names = [name for name, value in values.items() if isinstance(value, Parameter) and name != CUTOFF]
        takes = any(argument.name == AGGREGATION for argument in self.of.arguments)
        is_open = entry.asked.agg in (None, DEFAULT_AGGREGATION)
        return [*names, AGGREGATION] if takes and is_open else names


def each_cutoff(cutoffs: OneMetric, usual: exp.Expr, results: Results) -> exp.Expr:
    """Return the text of a query that puts together the rows of the usual one for each cut-off.

    Args:
        cutoffs: those of the call.
        usual: the text of the query for one cut-off, the column `CUTOFF_OF_QUERY`.
        results: writes the last part of the query, over the rows of all cut-offs.
    """
    # What cannot be read goes on as it is, and the query refuses it.
    as_it_is = exp.Array(expressions=[exp.cast(cutoffs.k.copy(), "VARCHAR")])
    known = exp.Case().when(cutoffs.can_be_written, cutoffs.asked).else_(as_it_is)
    every, text, place = (exp.column(name) for name in ("_every", "_text", "_place"))
    rows = exp.select(exp.var(PLACE).as_(PLACED), exp.Window(this=exp.RowNumber()).as_(NUMBERED), exp.Star())
    head = exp.func(
        "replace", literal(f"{rows.sql(DIALECT)} FROM ("), literal(PLACE), exp.cast(place, "VARCHAR")
    )
    wrapped = _each(every.copy(), concatenated(head, text, ")"), "_text", "_place")
    put = exp.Anonymous(this="array_to_string", expressions=[wrapped, literal(" UNION ALL BY NAME ")])
    whole = joined([f"WITH {EACH} AS (", put, ")", *results.of_calls()])
    first = exp.Anonymous(this="list_extract", expressions=[every.copy(), literal(1)])
    count = exp.Anonymous(this="len", expressions=[every])
    read = exp.Case().when(exp.EQ(this=count, expression=literal(1)), first).else_(whole)
    return bound_once("_every", _each(known, usual, CUTOFF_OF_QUERY), read)


def _each(values: exp.Expr, written: exp.Expr, *names: str) -> exp.Expr:
    """Return the list of an expression over each value of a list, and its place if it has a name."""
    of_one = exp.Lambda(this=written, expressions=[exp.to_identifier(name) for name in names])
    return exp.Anonymous(this="list_transform", expressions=[values, of_one])


def likeness_of(catalog: Catalog, offer: Offer, asked: Asked) -> Likeness:
    """Return the conventions of the tools for a metric of an offer."""
    return Likeness(catalog, asked.measure.metric, offer.arguments_of(asked))


def tool_entries(catalog: Catalog, offer: Offer) -> Macro:
    """Return the macro of the entries of all tools, a line for each, as `tool_entry.sql` reads them."""
    lines = (line for asked in offer.asked for line in likeness_of(catalog, offer, asked).lines())
    text = literal("\n".join(dict.fromkeys(lines)))
    return Macro(ENTRIES, (Overload((), text),), "", is_table=False)


def _same_place(every: exp.Expr, others: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return the element of a list at the place that a value has in another list."""
    place = exp.Anonymous(this="list_position", expressions=[others, value])
    return exp.Anonymous(this="list_extract", expressions=[every, place])


def _error(text: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="error", expressions=[concatenated("duckmetrics: ", text)])
