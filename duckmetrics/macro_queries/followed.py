"""A list of metrics under the conventions of a tool: the macro of each metric is called with ``like``.

A tool may set the same switch differently for two metrics, so one query cannot compute both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.signature import AGGREGATION
from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries.like import Likeness
from duckmetrics.macro_queries.macro import reference
from duckmetrics.macro_queries.query import METRICS
from duckmetrics.macro_queries.ranking_text import METRIC, PLACE, K
from duckmetrics.macro_queries.shell_files import concatenated
from duckmetrics.macro_queries.template import Template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.macro_queries.forms import Entry
    from duckmetrics.macro_queries.macro import Argument
    from duckmetrics.macro_queries.ranking_call import RankingCall

SEVERAL = "like sets the switches of every metric here; leave the others out, or ask for one metric, such as \
FROM ndcg(..., like := 'ranx', ties := 'input')"
OF_ONE_METRIC = (
    "an attached database has like only in the macros of one metric, such as ndcg; load duckmetrics.sql \
to use it with a list of metrics"
)
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
        """Return the text of the query: the usual one if no tool is named."""
        if self.is_alone:
            return exp.Case().when(self.of.follows, _error(OF_ONE_METRIC)).else_(usual)
        is_readable = exp.and_(self.of.follows, self.of.asked_for.can_be_written)
        changed = exp.and_(self.of.follows, self.of.is_changed)
        return exp.Case().when(changed, _error(SEVERAL)).when(is_readable, self._text()).else_(usual)

    def _text(self) -> exp.Expr:
        template = Template([argument.name for argument in self.of.arguments], {})
        pieces = self.of.asked_for.pieces([self._call(entry, template) for entry in self.of.entries])
        every = exp.Anonymous(this="array_to_string", expressions=[pieces, literal(" UNION ALL BY NAME ")])
        return template.filled(concatenated(f"WITH {EACH} AS (", every, ") ", template.text(_in_order())))

    def _call(self, entry: Entry, template: Template) -> str:
        """Return the text that calls the macro of one metric."""
        name = entry.asked.names[0]
        if not self._likeness(entry).entries:
            refused = _error(f"like: no tool computes {name}; leave it out of the list")
            return template.text(exp.select(refused.as_("metric")))
        passed = {a.name: reference(a.name) for a in self._shared(entry)}
        if entry.has_cutoff:
            passed[CUTOFF] = exp.var(K)
        values = [exp.PropertyEQ(this=reference(n), expression=value) for n, value in passed.items()]
        row = exp.Window(this=exp.RowNumber())
        columns = exp.Star(replace=[exp.var(METRIC).as_("metric")])
        called = exp.Table(this=exp.Anonymous(this=self.macros[name], expressions=values))
        return template.text(exp.select(exp.var(PLACE).as_(PLACED), row.as_(NUMBERED), columns).from_(called))

    def _shared(self, entry: Entry) -> list[Argument]:
        """Return the arguments that go on to the macro of a metric; an alias may bind the aggregation."""
        own = {METRICS, *self.of.offer.variants}
        own |= {AGGREGATION} if entry.asked.agg not in (None, DEFAULT_AGGREGATION) else set()
        return [argument for argument in self.of.arguments if argument.name not in own]

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
