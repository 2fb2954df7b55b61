"""Signatures in the macros of rows: a template for each metric, and the values that all templates share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.parameters import written
from duckmetrics.catalog.signature import VERSION
from duckmetrics.expressions.folding import Parameter, Value, literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.macro_queries.shell_files import signature_name
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.macro_queries.parameters import Asked


class RowSignatures:
    """Writes templates for the function ``format`` of DuckDB, and collects the values that go into them.

    A table of all metrics has their templates as literals.

    Args:
        is_weighted: the condition that rows have weights.
    """

    def __init__(self, catalog: Catalog, is_weighted: exp.Expr) -> None:
        self.catalog, self.is_weighted = catalog, is_weighted
        self.values: dict[exp.Expr, int] = {}

    def template(self, one: Asked) -> str:
        """Return the signature of a metric with marks for the values that a call decides."""
        parts = [signature_name(self.catalog, one.measure)]
        parts += [f"{name}:{self._signed(one, name, value)}" for name, value in one.measure.params]
        return "|".join([*parts, f"{VERSION}:{__version__}"])

    def signature(self, template: exp.Expr) -> exp.Expr:
        """Return the signature of a template; a number has no decimals if they are zero."""
        texts = [exp.func("coalesce", exp.cast(v.copy(), "VARCHAR"), literal("null")) for v in self.values]
        text = exp.Anonymous(this="format", expressions=[template, *texts])
        return exp.Anonymous(this="replace", expressions=[text, literal(".0|"), literal("|")])

    def _signed(self, one: Asked, name: str, value: Value) -> str:
        """Return the value of a parameter, or its mark; of one that changes nothing, the default."""
        if name == WEIGHTED and value is True:
            return self._mark(self.is_weighted)
        if not isinstance(value, Parameter):
            return written(value)
        default = next(param.default for param in one.measure.declared if param.name == name)
        idle = self.catalog.idle(one.measure.metric).get(name, exp.false())
        if idle == exp.true():
            return written(default)
        given: exp.Expr = exp.Placeholder(this=value.name)
        if idle != exp.false():
            given = exp.Case().when(self._condition(one, idle), literal(default)).else_(given)
        return self._mark(given)

    def _condition(self, one: Asked, idle: exp.Expr) -> exp.Expr:
        """Return the condition under which a parameter changes nothing, over the values of the call."""
        condition = exp.paren(idle.copy(), copy=False)
        for column in list(condition.find_all(exp.Column)):
            known = one.measure.values[column.name]
            read = exp.Placeholder(this=known.name) if isinstance(known, Parameter) else literal(known)
            column.replace(exp.paren(read))
        return exp.func("coalesce", condition, exp.false())

    def _mark(self, value: exp.Expr) -> str:
        return f"{{{self.values.setdefault(value, len(self.values))}}}"
