"""The policies of a call: which queries count, and the value in place of one that is missing or undefined."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.blocks import KEYS, Block, Columns
from duckmetrics.expressions.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duckmetrics.expressions.folding import Value

    Relation = Callable[[str, Mapping[str, Value]], str]


class PerQuery:
    """The outer query: one row per system and query, the measures side by side under their policies.

    Args:
        relation: makes a relation under parameters a step, and returns the name of the step.
        blocks: the aggregates that the measures read; each measure may add some.
    """

    def __init__(self, relation: Relation, blocks: Sequence[Block]) -> None:
        self.relation = relation
        self.blocks = blocks
        self._outer = exp.Select()
        self._projections: dict[str, exp.Expr] = {}

    def query(self) -> exp.Select:
        """Return the query of all measures that were added."""
        return self._outer.select(*(e.as_(name) for name, e in self._projections.items()))

    def add(self, family: str, policies: exp.Select, values: Mapping[str, Value], value: exp.Expr) -> Columns:
        """Wrap a metric in population, missing and no_relevant, as `evaluated` defines them.

        Args:
            policies: the query of `evaluated`, bound to the parameters of the measure.
            values: the parameters of the measure.
            value: the metric, as an expression over the columns of the blocks.
        """
        status = cast("exp.Select", policies.args["with_"].expressions[0].this)
        replaced = self._with_value(self._joined(status, values), value)
        columns = {p.alias_or_name: p.unalias() for p in replaced.expressions}
        final = exp.select(*(p.unalias().as_(p.alias_or_name) for p in policies.expressions))
        for column in list(final.find_all(exp.Column)):
            if not column.table and column.name in columns:
                column.replace(exp.paren(columns[column.name]))
        fold(final)
        results = {p.alias_or_name: _stripped(p.unalias()) for p in final.expressions}
        for name in (*KEYS[family], "missing"):
            self._projections.setdefault(name, results[name])
        return Columns(*(self._kept(kind, results[kind]) for kind in ("value", "no_relevant", "undefined")))

    def _joined(self, status: exp.Select, values: Mapping[str, Value]) -> exp.Select:
        """Add the tables of `status` to the outer query; return it in terms of their aliases."""
        first = status.args["from_"].this.name
        step = self.relation(first, values)
        if self._outer.args.get("from_") is None:
            self._outer.set("from_", exp.From(this=_table(step, first)))
            step = first
        aliases = {first: step}
        for join in status.args["joins"]:
            name = join.this.name
            if name != "metric":
                aliases[name] = self.relation(name, values)
                self._join(aliases[name], _requalified(join.args["on"], aliases))
        for block in self.blocks:
            self._join(
                block.name,
                exp.and_(
                    *(
                        exp.EQ(this=exp.column(key, block.name), expression=exp.column(key, first))
                        for key in block.keys
                    )
                ),
            )
        return cast("exp.Select", _requalified(status, aliases))

    def _join(self, step: str, on: exp.Expr) -> None:
        """Join a step to the outer query, unless it is there already."""
        if step not in {join.alias_or_name for join in self._outer.args.get("joins") or []}:
            self._outer.join(exp.to_table(step), on=on, join_type="left", copy=False)

    def _with_value(self, status: exp.Select, value: exp.Expr) -> exp.Select:
        """Put the value of the metric in place of the column that `status` reads, in place."""
        status.set("expressions", [p.unalias().as_(p.alias_or_name) for p in status.expressions])
        for column in list(status.find_all(exp.Column)):
            if column.table == "metric" and column.name == "value":
                column.replace(exp.paren(value))
        return status

    def _kept(self, kind: str, expression: exp.Expr) -> str:
        """Add a projection under a numbered name, unless it is there already; return its name."""
        count = 1
        while (name := f"{kind}_{count}") in self._projections:
            if self._projections[name] == expression:
                return name
            count += 1
        self._projections[name] = expression
        return name


def defined(policies: exp.Select, value: exp.Expr, n: exp.Expr) -> exp.Expr:
    """Return the expression for a value that may be undefined.

    Args:
        policies: the query of `defined`, bound to the parameters of the measure.
        n: the number of rows that take part.
    """
    holder = exp.paren(next(p.unalias() for p in policies.selects if p.alias_or_name == "value"), copy=False)
    for column in list(holder.find_all(exp.Column)):
        column.replace(exp.paren({"value": value, "n": n}[column.name].copy()))
    return _stripped(fold(holder))


def _stripped(expression: exp.Expr) -> exp.Expr:
    while isinstance(expression, exp.Paren):
        expression = expression.this
    for paren in list(expression.find_all(exp.Paren)):
        inner = paren.this
        operand = isinstance(paren.parent, exp.Binary | exp.Unary | exp.Is | exp.In)
        if (
            not operand
            or not isinstance(inner, exp.Binary | exp.Unary | exp.Is | exp.In)
            or isinstance(inner, exp.Paren)
        ):
            paren.replace(inner)
    return expression


def _requalified(node: exp.Expr, aliases: Mapping[str, str]) -> exp.Expr:
    node = node.copy()
    for column in node.find_all(exp.Column):
        if column.table in aliases:
            column.set("table", exp.to_identifier(aliases[column.table]))
    return node


def _table(name: str, alias: str) -> exp.Expr:
    return exp.to_table(name) if name == alias else exp.to_table(name).as_(alias, table=True)
