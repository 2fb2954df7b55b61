"""The metrics that a call of a ranking macro asks for: any list, or one metric at some cut-offs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries.shell_files import call
from duckmetrics.macro_queries.template import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.macro_queries.forms import Entry


class AskedFor(Protocol):
    """Expressions of the metrics asked for, over the arguments of the macro."""

    @property
    def metrics(self) -> exp.Expr:
        """The texts of the metrics."""

    @property
    def can_be_written(self) -> exp.Expr:
        """The condition that all metrics are known and their cut-offs can be read."""

    @property
    def deepest(self) -> exp.Expr:
        """The largest cut-off, NULL if one metric has none."""

    @property
    def largest(self) -> exp.Expr:
        """The largest cut-off that there is."""

    def pieces(self, texts: Sequence[str]) -> exp.Expr:
        """Return the texts of the metrics asked for, a list.

        Args:
            texts: one for every entry.
        """


@dataclass(frozen=True)
class SeveralMetrics:
    """A list of metrics, or one text with commas.

    Attributes:
        given: the argument.
    """

    catalog: Catalog
    entries: Sequence[Entry]
    given: exp.Expr

    @property
    def metrics(self) -> exp.Expr:
        return self.given.copy()

    @property
    def asked(self) -> exp.Expr:
        return call(self.catalog, "asked_metrics", self.metrics)

    @property
    def names(self) -> exp.Expr:
        return listed(name for entry in self.entries for name in entry.names)

    @property
    def can_be_written(self) -> exp.Expr:
        return call(self.catalog, "can_be_written", self.asked, self.names)

    @property
    def deepest(self) -> exp.Expr:
        return call(self.catalog, "usual_depth", self.asked)

    @property
    def largest(self) -> exp.Expr:
        cutoffs = call(self.catalog, "all_cutoffs", self.metrics)
        return exp.Anonymous(this="list_max", expressions=[cutoffs])

    def pieces(self, texts: Sequence[str]) -> exp.Expr:
        every = [text for text, entry in zip(texts, self.entries, strict=True) for _ in entry.names]
        return call(self.catalog, "pieces", self.asked, self.names, listed(every))


@dataclass(frozen=True)
class OneMetric:
    """One metric at a cut-off, at each of a list, or without one.

    Attributes:
        name: the metric as results show it.
        k: the argument, NULL for a metric that takes no cut-off.
    """

    catalog: Catalog
    entries: Sequence[Entry]
    name: str
    k: exp.Expr

    @property
    def metrics(self) -> exp.Expr:
        return call(self.catalog, "one_metric", literal(self.name), self.k.copy())

    @property
    def asked(self) -> exp.Expr:
        if isinstance(self.k, exp.Null):
            return exp.Array(expressions=[exp.cast(exp.null(), "VARCHAR")])
        return call(self.catalog, "listed", self.k.copy())

    @property
    def can_be_written(self) -> exp.Expr:
        if isinstance(self.k, exp.Null):
            return exp.true()
        return call(self.catalog, "cutoffs_can_be_written", self.k.copy(), self.asked)

    @property
    def deepest(self) -> exp.Expr:
        if isinstance(self.k, exp.Null):
            return exp.null()
        return call(self.catalog, "deepest_cutoff", self.asked)

    @property
    def largest(self) -> exp.Expr:
        return (
            exp.null() if isinstance(self.k, exp.Null) else call(self.catalog, "largest_cutoff", self.asked)
        )

    def pieces(self, texts: Sequence[str]) -> exp.Expr:
        by_kind = {entry.has_cutoff: text for entry, text in zip(self.entries, texts, strict=True)}
        of_kinds = (literal(by_kind.get(has_cutoff, "")) for has_cutoff in (True, False))
        return call(self.catalog, "cutoff_pieces", literal(self.name), self.asked, *of_kinds)
