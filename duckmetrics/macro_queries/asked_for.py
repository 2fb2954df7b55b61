"""The metrics that a call of a ranking macro asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries.shell_files import call
from duckmetrics.macro_queries.template import BETWEEN, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.macro_queries.forms import Entry


@dataclass(frozen=True)
class AskedMetrics:
    """Expressions of the metrics asked for: a list of them, or one text with commas.

    Attributes:
        entries: the metrics that can be asked for.
        given: the argument.
    """

    catalog: Catalog
    entries: Sequence[Entry]
    given: exp.Expr

    @property
    def metrics(self) -> exp.Expr:
        """The texts of the metrics, as they are given."""
        return self.given.copy()

    @property
    def asked(self) -> exp.Expr:
        """The texts of the metrics, a list."""
        return call(self.catalog, "asked_metrics", self.metrics)

    @property
    def names(self) -> exp.Expr:
        """The names of the metrics that can be asked for, as `pieces.sql` reads them."""
        return literal(BETWEEN.join(f"|{'|'.join(entry.names)}|" for entry in self.entries))

    @property
    def can_be_written(self) -> exp.Expr:
        """The condition that all metrics are known and their cut-offs can be read."""
        return call(self.catalog, "can_be_written", self.asked, self.names)

    @property
    def deepest(self) -> exp.Expr:
        """The largest cut-off, NULL if one metric has none."""
        return call(self.catalog, "usual_depth", self.asked)

    @property
    def largest(self) -> exp.Expr:
        """The largest cut-off that there is."""
        cutoffs = call(self.catalog, "all_cutoffs", self.metrics)
        return exp.Anonymous(this="list_max", expressions=[cutoffs])

    def pieces(self, texts: Sequence[str]) -> exp.Expr:
        """Return the texts of the metrics asked for, a list.

        Args:
            texts: one for every entry.
        """
        return call(self.catalog, "pieces", self.asked, self.names, listed(texts))
