"""The metrics and switches of a call of a ranking macro: conditions and values over its arguments."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.compose.optimizer import SHALLOW
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.macro_queries.forms import SHALLOW as SHALLOW_FORM
from duckmetrics.macro_queries.forms import USUAL, Composed
from duckmetrics.macro_queries.macro import given, reference
from duckmetrics.macro_queries.query import SYSTEM, asks_for
from duckmetrics.macro_queries.shell_files import call, is_distinct, is_null
from duckmetrics.macro_queries.template import either, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.macro_queries.asked_for import AskedMetrics
    from duckmetrics.macro_queries.forms import Entry, Form
    from duckmetrics.macro_queries.macro import Argument
    from duckmetrics.macro_queries.parameters import Offer
    from duckmetrics.macro_queries.side_tables import SideTables
    from duckmetrics.macro_queries.template import Part

BY, QUERIES, LIKE = "by", "queries", "like"


class RankingCall:
    """The arguments of a ranking macro, and the metrics that it offers.

    Args:
        offer: the parameters of the metrics.
        entries: the metrics that can be asked for.
        asked_for: the metrics asked for.
        arguments: the parameters of the macro.
        side: the tables next to predictions and truth, if the macro reads any.
    """

    def __init__(
        self,
        catalog: Catalog,
        offer: Offer,
        entries: Sequence[Entry],
        asked_for: AskedMetrics,
        arguments: Sequence[Argument],
        side: SideTables | None = None,
    ) -> None:
        self.catalog, self.offer, self.entries, self.asked_for = catalog, offer, entries, asked_for
        self.arguments, self.side, self.values = arguments, side, offer.values()
        self.offered = list(dict.fromkeys(entry.asked for entry in entries))
        self._composed: dict[Form, Composed] = {}

    def composed(self, form: Form) -> Composed:
        """Return the metrics composed in a form."""
        if form not in self._composed:
            self._composed[form] = Composed(self.catalog, self.entries, form)
        return self._composed[form]

    def closed(self, write: Callable[[Form], list[Part]]) -> list[Part]:
        """Return what is written for the closed forms, where conditions choose between them."""
        found = (
            [
                either(self.has_systems, *texts)
                for texts in zip(write(form), write(replace(form, has_systems=False)), strict=True)
            ]
            for form in (SHALLOW_FORM, USUAL)
        )
        return merged(self.is_shallow, *found)

    @property
    def slices(self) -> exp.Expr:
        """The columns by which results are split, a list."""
        return call(self.catalog, "slice_names", reference(BY))

    @property
    def has_systems(self) -> exp.Expr:
        return exp.not_(is_null(reference(SYSTEM)))

    @property
    def has_slices(self) -> exp.Expr:
        text = exp.func("coalesce", exp.cast(reference(BY), "VARCHAR"), literal(""))
        names = exp.Anonymous(this="trim", expressions=[text, literal("[] ")])
        return exp.NEQ(this=names, expression=literal(""))

    @property
    def is_changed(self) -> exp.Expr:
        """The condition that a switch is set."""
        return self._changed(name for name in self.offer.variants if name != CUTOFF)

    @property
    def follows(self) -> exp.Expr:
        """The condition that a tool is named."""
        return exp.not_(is_null(reference(LIKE)))

    @property
    def lenient(self) -> exp.Expr | None:
        """The condition that a tool set the switches, if the macro can follow one."""
        return self.follows if any(argument.name == LIKE for argument in self.arguments) else None

    @property
    def is_open(self) -> exp.Expr:
        """The condition that a switch is set that changes the steps."""
        closed = {name for entry in self.entries for name in entry.closed}
        return self._changed(name for name in self.offer.variants if name in closed)

    def _changed(self, names: Iterable[str]) -> exp.Expr:
        """Return the condition that one of some arguments is not its default."""
        known = {a.name: a for a in self.arguments}
        chosen_ = [known[name] for name in names if name in known]
        if not chosen_:
            return exp.false()
        # One cast of a row: DuckDB takes its time over each cast, and the condition stands at many places.
        rows = ([reference(a.name) for a in chosen_], [literal(a.default) for a in chosen_])
        texts = (exp.cast(exp.Anonymous(this="row", expressions=row), "VARCHAR") for row in rows)
        return is_distinct(*texts)

    @property
    def is_shallow(self) -> exp.Expr:
        """The condition that few ranks of each query are looked at."""
        return exp.func("coalesce", exp.LTE(this=self.depth, expression=literal(SHALLOW)), exp.false())

    @cached_property
    def depth(self) -> exp.Expr:
        """The deepest rank that a metric asked for looks at; NULL for all ranks."""
        unlimited: dict[exp.Expr, list[str]] = {}
        for one in self.offered:
            text = one.measure.metric.header.get("depth")
            if text not in (CUTOFF, None):
                tree = bind(sqlglot.parse_one(str(text), dialect=DIALECT), one.measure.values, exp.Column)
                unlimited.setdefault(tree, []).extend(one.names)
        deeper: list[exp.Expr] = []
        for tree, names in unlimited.items():
            # With any cut-off, the depth is NULL where the metric looks at all ranks.
            is_unlimited = is_null(given(exp.paren(tree.copy()), {**self.values, CUTOFF: literal(1)}))
            deeper.append(exp.and_(self.asks_for(names), is_unlimited))
        deepest = self.asked_for.deepest
        return exp.Case().when(exp.or_(*deeper), exp.null()).else_(deepest) if deeper else deepest

    def asks_for(self, names: Sequence[str]) -> exp.Expr:
        """Return the condition that one of some metrics is asked for."""
        return asks_for(self.catalog, self.asked_for.metrics, names)

    def only(self, measures: Sequence[Measure]) -> exp.Expr | None:
        """Return the condition that one of some measures is asked for, None if it always holds."""
        metrics = {(m.metric.name, m.text) for m in measures}
        concerned = [o for o in self.offered if (o.measure.metric.name, o.measure.text) in metrics]
        if len(concerned) == len(self.offered):
            return None
        return self.asks_for([name for one in concerned for name in one.names])
