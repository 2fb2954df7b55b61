"""The query of a ranking macro, and the answers that people call: means, values of queries.

DuckDB takes longer to plan a query of every metric and switch than to compute one metric. The text of the
query therefore holds only the metrics and switches of the call. The composer writes the same steps for
Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from sqlglot import exp

from duckmetrics.catalog.measure import AGGREGATION, CUTOFF, DEFAULT_AGGREGATION
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.shell.forms import OPEN, AskedMetrics
from duckmetrics.shell.like import TRUTH, Likeness
from duckmetrics.shell.macro import (
    FUNCTIONS,
    QUERY,
    Macro,
    Overload,
    Written,
    call,
    concatenated,
    hidden,
    is_null,
    query_of,
    reference,
    source,
)
from duckmetrics.shell.parameters import unknown_metric
from duckmetrics.shell.query import METRICS, SOURCE
from duckmetrics.shell.ranking_call import LIKE, RankingText
from duckmetrics.shell.ranking_rows import MEANS, ROWS, SHOWN, VALUES, RankingRows, SystemRows
from duckmetrics.shell.ranking_steps import RankingChecks, RankingSteps, SystemSteps
from duckmetrics.shell.template import (
    BETWEEN_PIECES,
    LATER,
    Template,
    bound_once,
    chosen,
    conditions_once,
    joined,
    merged,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.shell.forms import Entry
    from duckmetrics.shell.macro import Argument
    from duckmetrics.shell.parameters import Offer, OfferedMetric
    from duckmetrics.shell.ranking_call import RankingCall
    from duckmetrics.shell.template import Part


def ranking_body(of: RankingCall) -> exp.Select:
    """Return the body of the macro that computes metrics of rankings, all with the same arguments.

    Args:
        of: the metrics, and the conditions on the arguments.
    """
    template = Template([argument.name for argument in of.arguments])
    text = RankingText(of, template)
    of_systems = of.offered[0].measure.metric.is_of_systems
    steps = SystemSteps(text) if of_systems else RankingSteps(text)
    rows = SystemRows(text) if of_systems else RankingRows(text)
    checks = RankingChecks(text, rows.problems())
    whole = [
        *steps.tables(), *merged(of.is_open, steps.steps(OPEN), of.closed(steps.steps)), *steps.weights(),
        *steps.slices(), *checks.checked(), *rows.result(),
    ]  # fmt: skip
    text_ = joined([chosen(of.asked_for.can_be_written, whole, checks.refused(SHOWN))])
    run = exp.Anonymous(this=QUERY, expressions=[with_metrics(of, template, text_)])
    return exp.select("*").from_(exp.Table(this=run))


def with_metrics(of: RankingCall, template: Template, text: exp.Expr) -> exp.Expr:
    """Return the expression of a whole text, with the pieces of the metrics asked for and all values."""
    read = with_pieces(of.catalog, text, of.asked_for.pieces(template.texts))
    return template.filled(call(of.catalog, "with_systems", read, of.has_systems))


def with_pieces(catalog: Catalog, text: exp.Expr, pieces: exp.Expr) -> exp.Expr:
    """Return the expression of a text with the pieces of the metrics asked for."""
    # Bound once and outside of the lambdas that read them: DuckDB binds what is in a lambda twice.
    both = {"text": whole(text), "pieces": pieces}
    named = {n: exp.Bracket(this=exp.column("_both"), expressions=[literal(n)]) for n in both}
    pairs = [exp.PropertyEQ(this=exp.to_identifier(n), expression=value) for n, value in both.items()]
    needed = call(catalog, "with_needed", *named.values())
    read = call(catalog, "with_pieces", needed, named["pieces"].copy())
    return bound_once("_both", conditions_once(exp.Struct(expressions=pairs)), read)


UNREADABLE = "metrics: they cannot be read; write them as 'ndcg@10, ndcg(gain=exp2)@10'"
# Marks in a call: the metrics without parameters, their texts and arguments, and the condition on the truth
# under which they follow a tool.
PLAIN, TYPED, PARAMS, NEED = "__plain__", "__asked__", "__params__", "__need__"
# The macro of the entries of all tools.
ENTRIES = f"{FUNCTIONS}tool_entries"
# The step with the grades of the truth, which no table of the user is called.
GRADES = "_duckmetrics_truth"
# The step with the rows of several calls, the place of the metric of a row, and its number within its call.
# No table or column of the user has these names.
EACH, PLACED, NUMBERED = "_duckmetrics_each", "_duckmetrics_place", "_duckmetrics_row"


@dataclass(frozen=True)
class Answer:
    """Writes the body of a macro that people call for metrics of rankings.

    Attributes:
        of: the metrics; its arguments are those of the macro.
        computes: the macro that computes metrics with the same arguments.
        is_alone: whether each metric has a call of its own.
    """

    of: RankingCall
    computes: Macro
    is_alone: bool = False
    # The rows that the calls yield, and the column of the metric in them.
    rows: ClassVar[str] = MEANS
    metric_column: ClassVar[str] = "metric"
    # The arguments that only the answer reads.
    own: ClassVar[Sequence[str]] = ()

    def macro(self, name: str, title: str) -> Macro:
        """Return the macro."""
        return Macro(name, (Overload(tuple(self.of.arguments), Written(self.body)),), title)

    def body(self) -> exp.Select:
        """Return the body of the macro: one call if no tool is named, and no metric has parameters."""
        text = exp.cast(reference(METRICS), "VARCHAR")
        has_params = exp.Anonymous(this="contains", expressions=[text, literal("(")])
        several = exp.or_(self.of.follows, has_params, *self.further_calls())
        template = self._template()
        usual = template.filled(joined(self.of_one_call(template)))
        answered = exp.Case().when(several, self._later(self._template(), self._checked())).else_(usual)
        run = exp.Anonymous(this=QUERY, expressions=[answered])
        return exp.select("*").from_(exp.Table(this=run))

    def further_calls(self) -> list[exp.Expr]:
        """Return further conditions under which one call is not enough."""
        if not self.is_alone:
            return []
        count = exp.Anonymous(this="len", expressions=[self.of.asked_for.asked])
        return [exp.NEQ(this=count, expression=literal(1))]

    def of_one_call(self, template: Template) -> list[Part]:
        """Return the text of the answer from the rows of one call for all metrics."""
        return [*self._call(template)]

    def of_calls(self, template: Template) -> list[Part]:
        """Return the last part of the answer from the rows of several calls: sorted by slice, metric, system.

        The rows of each metric are those of the same slices and systems, in the same order.
        """
        row = exp.Window(
            this=exp.RowNumber(), partition_by=[exp.column(PLACED)],
            order=exp.Order(expressions=[exp.column(NUMBERED)]),
        )  # fmt: skip
        systems = exp.Window(this=exp.Count(this=exp.Distinct(expressions=[exp.column("system")])))
        slice_ = exp.IntDiv(this=exp.paren(row - 1), expression=exp.func("greatest", literal(1), systems))
        order = (slice_, exp.column(PLACED), exp.column(NUMBERED))
        return [" ", template.text(each_row().order_by(*order))]

    # --- calls -----------------------------------------------------------------------------------

    def _template(self) -> Template:
        return Template([argument.name for argument in self.of.arguments])

    def _later(self, template: Template, text: exp.Expr) -> exp.Expr:
        """Return the text of a query that runs a text, which DuckDB binds only where it is asked for."""
        run = exp.Anonymous(this=LATER, expressions=[text])
        return template.filled(literal(template.text(exp.select("*").from_(exp.Table(this=run)))))

    def _checked(self) -> exp.Expr:
        """Return the text of the query of several calls, or the error that says why there is none."""
        asked = self.of.asked_for.asked
        plain = call(self.of.catalog, "plain_metrics", asked.copy())
        names = [name for one in self.of.offered for name in one.names]
        unknown = unknown_metric(self.of.catalog, plain.copy(), names)
        said = exp.func("coalesce", unknown, literal(UNREADABLE))
        several = AskedMetrics(self.of.catalog, self.of.entries, plain)
        distinct = exp.Anonymous(this="list_distinct", expressions=[plain.copy()])
        is_known = call(self.of.catalog, "can_be_written", distinct, several.names)
        return exp.Case().when(is_known, self._text(asked, several)).else_(_error(said))

    def _text(self, asked: exp.Expr, several: AskedMetrics) -> exp.Expr:
        """Return the text of a query that puts together the calls, and the query that reads their rows.

        The lists are literals there: DuckDB would bind their expressions wherever they are read, and twice in
        each lambda.
        """
        outer, template = self._template(), self._template()
        pieces = several.pieces([self._piece(entry) for entry in self.of.entries])
        lists = (asked, several.metrics, pieces, self._switches())
        literals = (outer.raw(call(self.of.catalog, "list_literal", value)) for value in lists)
        entries = exp.Anonymous(this=ENTRIES, expressions=[])
        tool = reference(LIKE)
        specs = call(self.of.catalog, "spec_rows", *literals, tool, entries, literal(self.is_alone))
        calls = call(self.of.catalog, "spec_calls", specs, literal(self._call_of_some(template)))
        every = exp.Anonymous(this="array_to_string", expressions=[calls, literal(" UNION ALL BY NAME ")])
        grades = chosen(self.of.follows, [self._grades(template)], [])
        whole = joined(["WITH ", grades, f"{EACH} AS (", every, ")", *self.of_calls(template)])
        return self._later(outer, template.filled(whole))

    def _piece(self, entry: Entry) -> str:
        """Return the name of a metric, those of its parameters and of its tools."""
        tools = "|".join(likeness_of(self.of.catalog, self.of.offer, entry.asked).entries)
        parts = (entry.asked.measure.metric.name, "|".join(self._names(entry)), tools)
        return BETWEEN_PIECES.join(parts)

    def _names(self, entry: Entry) -> list[str]:
        """Return the names of the parameters of a metric; an alias may bind the aggregation."""
        values = entry.asked.measure.values
        names = [name for name, value in values.items() if isinstance(value, Parameter) and name != CUTOFF]
        takes = any(argument.name == AGGREGATION for argument in self.of.arguments)
        is_open = entry.asked.agg in (None, DEFAULT_AGGREGATION)
        return [*names, AGGREGATION] if takes and is_open else names

    def _grades(self, template: Template) -> str:
        """Return the step with the grades of the truth, which conditions of tools read."""
        read = {SOURCE: source(self.of.catalog, reference(TRUTH), "read_trec_qrels")}
        rows = cast("exp.Query", hidden(query_of(self.of.catalog, TRUTH, read)))
        grades = exp.select(exp.column("_relevance").as_("relevance")).from_(rows.subquery("rows"))
        return f"{GRADES} AS ({template.text(grades)}), "

    def _switches(self) -> exp.Expr:
        """Return the switches of the call, a list of texts such as gain=exp2."""
        texts = [
            concatenated(f"{argument.name}=", exp.cast(reference(argument.name), "VARCHAR"))
            for argument in self.of.arguments if argument.name in self.of.offer.variants
        ]  # fmt: skip
        given = exp.cast(reference(AGGREGATION), "VARCHAR")
        if any(argument.name == AGGREGATION for argument in self.of.arguments):
            is_changed = exp.NEQ(this=given, expression=literal(DEFAULT_AGGREGATION))
            texts.append(exp.Case().when(is_changed, concatenated(f"{AGGREGATION}=", given.copy())))
        is_set = exp.Lambda(
            this=exp.not_(is_null(exp.column("_pair"))), expressions=[exp.to_identifier("_pair")]
        )
        return exp.Anonymous(this="list_filter", expressions=[exp.Array(expressions=texts), is_set])

    def _call(self, template: Template) -> list[Part]:
        """Return the text of the call for all metrics, with the switches that are set."""
        own = [argument for argument in self.of.arguments if argument.name in (METRICS, AGGREGATION)]
        passed: dict[str, exp.Expr] = {a.name: reference(a.name) for a in (*self._shared(), *own)}
        switches = [
            concatenated(f', "{name}" := ', exp.Case().when(
                exp.not_(is_null(reference(name))), call(self.of.catalog, "quoted", reference(name))
            ))
            for name in (argument.name for argument in self.of.arguments)
            if name in self.of.offer.variants
        ]  # fmt: skip
        text = template.text(exp.select("*").from_(self._called(passed)))
        every = exp.Anonymous(this="concat", expressions=switches)
        return [text.removesuffix(")"), template.mark(every), ")"]

    def _call_of_some(self, template: Template) -> str:
        """Return the text that calls the macro for metrics with the same arguments."""
        passed: dict[str, exp.Expr] = {a.name: reference(a.name) for a in self._shared()}
        plain, every = (exp.Array(expressions=[exp.var(name)]) for name in (PLAIN, TYPED))
        passed |= {METRICS: plain, LIKE: reference(LIKE)}
        typed = _same_place(every, plain.copy(), exp.column(self.metric_column))
        placed = exp.Anonymous(this="list_position", expressions=[self.of.asked_for.asked, typed.copy()])
        columns = exp.Star(replace=[typed.as_(self.metric_column)])
        query = exp.select(placed.as_(PLACED), exp.Window(this=exp.RowNumber()).as_(NUMBERED), columns)
        text = template.text(query.from_(self._called(passed)))
        return f"{text.removesuffix(')')}{PARAMS}) WHERE {NEED}"

    def _called(self, passed: dict[str, exp.Expr]) -> exp.Table:
        every = {**passed, ROWS: literal(self.rows)} if self.rows != MEANS else passed
        values = [exp.PropertyEQ(this=reference(name), expression=value) for name, value in every.items()]
        return exp.Table(this=exp.Anonymous(this=self.computes.name, expressions=values))

    def _shared(self) -> list[Argument]:
        """Return the arguments that go on to every call, as they are."""
        own = {METRICS, LIKE, AGGREGATION, *self.of.offer.variants, *self.own}
        return [argument for argument in self.of.arguments if argument.name not in own]


class ByQuery(Answer):
    """One row for every system, metric and query."""

    rows = VALUES

    def of_calls(self, template: Template) -> list[Part]:
        return [" ", template.text(each_row())]


def each_row() -> exp.Select:
    """Return the rows of the calls, without their places."""
    hidden_ = [exp.to_identifier(name) for name in (PLACED, NUMBERED)]
    return exp.select(exp.Star(**{"except_": hidden_})).from_(EACH)


def likeness_of(catalog: Catalog, offer: Offer, asked: OfferedMetric) -> Likeness:
    """Return the conventions of the tools for a metric of an offer."""
    return Likeness(catalog, asked.measure.metric, offer.arguments_of(asked))


def tool_entries(catalog: Catalog, offers: Sequence[Offer]) -> Macro:
    """Return the macro of the entries of all tools, a line for each, as `tool_entry.sql` reads them."""
    every = ((offer, asked) for offer in offers for asked in offer.asked)
    lines = (line for offer, asked in every for line in likeness_of(catalog, offer, asked).lines())
    text = literal("\n".join(dict.fromkeys(lines)))
    return Macro(ENTRIES, (Overload((), text),), "", is_table=False)


def _same_place(every: exp.Expr, others: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return the element of a list at the place that a value has in another list."""
    place = exp.Anonymous(this="list_position", expressions=[others, value])
    return exp.Anonymous(this="list_extract", expressions=[every, place])


def _error(text: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="error", expressions=[concatenated("duckmetrics: ", text)])
