"""Writes pieces of the query of a ranking macro, with the arguments of the call in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.compose.functions import linked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.slices import RESERVED
from duckmetrics.macro_queries.forms import KINDS, SOME_CUTOFF
from duckmetrics.macro_queries.macro import FUNCTIONS, HIDDEN, given, hidden
from duckmetrics.macro_queries.query import METRICS, shown
from duckmetrics.macro_queries.shell_files import BY_RANK, TYPES, by_rank, call, query_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.macro_queries.ranking_call import RankingCall
    from duckmetrics.macro_queries.template import Template

DEPTH = "depth"
# Marks in texts, which stand for parts that belong to the metrics asked for.
METRIC, PLACE, OF_METRICS, K = "__metric__", "__place__", "__of_metrics__", "__k__"


class RankingText:
    """Writes pieces of a query into a template.

    Args:
        of: the metrics, and the conditions on the arguments.
    """

    def __init__(self, of: RankingCall, template: Template) -> None:
        self.of, self.catalog, self.template = of, of.catalog, template
        # The columns of the results, which no slicing column may be called.
        self.reserved: exp.Expr = exp.Array(expressions=[literal(name) for name in RESERVED])
        self._values: dict[str, str] = {}
        self.params = {v.symbol: v.param for vs in of.offer.variants.values() for v in vs}
        self.values: dict[str, exp.Expr] = {
            **{symbol: self._switch(symbol) for symbol in of.values if symbol != CUTOFF},
            DEPTH: exp.cast(self.number(of.depth), "INT"), BY_RANK: by_rank(self.catalog),
            METRICS: template.quoted(exp.cast(of.asked_for.metrics, "VARCHAR")),
        }  # fmt: skip

    def _switch(self, symbol: str) -> exp.Expr:
        """Return the value of a switch as the query reads it: the argument, cast to its type.

        The text for the argument is the same wherever the query reads it: DuckDB binds it once.
        """
        type_, given_ = TYPES[self.params[symbol].type], self.of.offer.values()[symbol]
        read = given_.this if isinstance(given_, exp.TryCast) else given_
        if isinstance(read, exp.Var):
            return read.copy() if type_ == "VARCHAR" else given_.copy()
        return self.template.quoted(self.of.values[symbol].copy(), "" if type_ == "VARCHAR" else type_)

    def number(self, value: exp.Expr) -> exp.Expr:
        """Return the mark of a number or NULL."""
        return self.template.raw(exp.func("coalesce", exp.cast(value.copy(), "VARCHAR"), literal("NULL")))

    def text(self, tree: exp.Expr) -> str:
        """Write a query with hidden names."""
        bound = cast("exp.Query", given(tree.copy(), self.values))
        calling, _ = linked(self.catalog, bound, FUNCTIONS)
        text = self._with_values(self.template.text(hidden(steady(given(calling, {})))))
        if str(SOME_CUTOFF) in text:
            text = text.replace(str(SOME_CUTOFF), self.number(self.of.asked_for.largest).name)
        return text

    def cte(self, name: str, query: exp.Expr) -> str:
        """Write a step."""
        return f"{HIDDEN}{name} AS ({self.text(query)})"

    def columns(self, columns: Mapping[str, exp.Expr]) -> str:
        """Write columns of one metric; its cut-off and place are put in when the macro is called."""
        if not columns:
            return ""
        query = exp.select(*(value.copy().as_(f"{name}_{PLACE}") for name, value in columns.items()))
        calling, _ = linked(self.catalog, cast("exp.Query", given(query, self.values)), FUNCTIONS)
        text = self.template.text(hidden(steady(given(calling, {})))).removeprefix("SELECT ")
        return text.replace(str(SOME_CUTOFF), K)

    def of_metrics(self, text: str, pieces: Sequence[str]) -> list[str]:
        """Return a text with pieces of the metrics asked for at its mark.

        Args:
            pieces: a text for every entry, empty for none; or one text for all of them.
        """
        before, after = text.split(OF_METRICS)
        if not any(pieces):
            return [before.rstrip().removesuffix(","), after]
        every = pieces if len(pieces) > 1 else [*pieces] * len(self.of.entries)
        return [before, self.template.piece(every), after]

    def shell(self, name: str, **values: exp.Expr) -> exp.Query:
        """Return the query of a file under sql/macros, with defaults for parameters that the macro lacks."""
        taken = {argument.name for argument in self.of.arguments}
        declared = self.catalog.shell[name].own_params.values()
        absent = {p.name: literal(p.default) for p in declared if not p.required and p.name not in taken}
        return query_of(self.catalog, name, {**absent, **self.values, **values})

    def shown(self, query: exp.Select) -> str:
        """Write the last part of a query, whose columns have the names that people see."""
        bound = given(query.copy(), self.values)
        return self._with_values(self.template.text(shown(cast("exp.Query", hidden(bound)))))

    def of_each(self, values: Mapping[str, exp.Expr]) -> exp.Expr:
        """Return a projection that lists values of the metrics asked for, with their places, as rows."""
        mark = f"__values_{len(self._values)}__"
        self._values[mark] = self.template.of_each(self.struct({"place": exp.var(PLACE), **values}))
        return exp.var(f"unnest([{mark}], recursive := true)")

    def _with_values(self, text: str) -> str:
        """Put the texts of `of_each` in the place of their marks."""
        for mark, values in self._values.items():
            text = text.replace(mark, values)
        return text

    def struct(self, values: Mapping[str, exp.Expr]) -> str:
        """Write values of the metric at a place as one value."""
        query = exp.select(*(value.copy().as_(name) for name, value in values.items()))
        for column in query.find_all(exp.Column):
            if column.name in KINDS:
                column.this.set("this", f"{column.name}_{PLACE}")
        pairs = {p.alias: p.unalias() for p in cast("exp.Select", hidden(steady(query))).selects}
        parts = [exp.PropertyEQ(this=exp.to_identifier(n), expression=v) for n, v in pairs.items()]
        return self.template.text(exp.Struct(expressions=parts))

    @property
    def label(self) -> exp.Expr:
        """The columns by which results are split, as the column `slice` shows them."""
        return call(self.catalog, "slice_label", self.of.slices, self.reserved.copy())


def steady(query: exp.Expr) -> exp.Expr:
    """Write sums and means that keep their last digits when threads add the rows in another order, in place.

    The functions compensate for rounding (Kahan, "Further remarks on reducing truncation errors", 1965).
    """
    for node in list(query.find_all(exp.Sum, exp.Avg)):
        if not isinstance(node.parent, exp.Window) and not node.find_ancestor(exp.AggFunc):
            name = "fsum" if isinstance(node, exp.Sum) else "favg"
            node.replace(exp.Anonymous(this=name, expressions=[node.this]))
    return query
