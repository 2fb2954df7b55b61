"""Systems and slices in the macros of rows: texts of queries over the rows of the user and the results.

The label and the score are expressions, which no text can hold. The texts hold the rest: the rows
that they read, the segment of each row, and the columns of the result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.slices import RESERVED
from duckmetrics.macro_queries.macro import QUERY, reference, written
from duckmetrics.macro_queries.query import SYSTEM
from duckmetrics.macro_queries.shell_files import call, concatenated, is_null

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics.catalog.catalog import Catalog

BY, PER, HAS_PER, CLUSTER = "by", "per", "has_per", "cluster"
# The key of the cluster of a row in its slice.
UNIT = "unit"
# The column of the slice of a row, and the steps that the texts read.
SLICE, ROWS, RESULTS = "_duckmetrics_slice", "rows", "results"


class RowSlices:
    """Writes the queries whose texts depend on `system`, `by` and `per`.

    Args:
        inline: changes each expression in a text before it is written, such as to put in the macros that it
            calls.
        cluster: the name of the column of clusters, if the macro takes one; it then does not take `per`.
        reserved: columns of the results that no slicing column may be called, in addition to the usual ones.
    """

    def __init__(
        self,
        catalog: Catalog,
        inline: Callable[[exp.Expr], exp.Expr] | None = None,
        cluster: exp.Expr | None = None,
        reserved: Sequence[str] = (),
    ) -> None:
        self.catalog, self.inline, self.cluster = catalog, inline, cluster
        self.reserved = (*RESERVED, *reserved)
        self.has_per = reference(HAS_PER) if cluster is None else exp.false()

    def source(self, source: exp.Expr) -> exp.Expr:
        """Return the text that reads the rows, each with its slice.

        A query in the text puts the text of slices together, only where they are asked for: DuckDB takes its
        time over each lambda, also over those that it does not run.

        Args:
            source: the text that reads the rows of the user.
        """
        before, after = self._sliced().split("__source__")
        if self.cluster is not None:
            parts = (self._filled(before), self._quoted(source), self._filled(after))
            return concatenated(*map(exp.paren, parts))
        has_names = call(self.catalog, "has_names", reference(BY))
        is_plain = exp.and_(is_null(reference(SYSTEM)), exp.not_(has_names))
        start = exp.Case().when(is_plain, literal(f"SELECT *, NULL AS {SLICE} FROM query("))
        end = exp.Case().when(is_plain.copy(), literal(")"))
        parts = (start.else_(self._filled(before)), self._quoted(source), end.else_(self._filled(after)))
        return concatenated(*map(exp.paren, parts))

    def _sliced(self) -> str:
        """Return the text of the query that puts the text of slices together, with marks for its values."""
        names = call(self.catalog, "slice_names", exp.var("__by__"))
        names = call(self.catalog, "distinct_names", names)
        reserved = exp.Array(expressions=[literal(name) for name in self.reserved])
        label = call(self.catalog, "slice_label", names, reserved)
        cluster = exp.null() if self.cluster is None else exp.var("__cluster__")
        given = (exp.var("__source__"), exp.var("__system__"), cluster, names.copy(), label)
        query: exp.Expr = _run(call(self.catalog, "rows_in_slices", *given))
        return written(query if self.inline is None else self.inline(query))

    def _filled(self, text: str) -> exp.Expr:
        """Return a text with the names of columns at its marks, as literals."""
        named = {SYSTEM: reference(SYSTEM), BY: reference(BY), CLUSTER: self.cluster or exp.null()}
        pieces = re.split(f"__({'|'.join(named)})__", text)
        return concatenated(
            *(self._quoted(named[piece].copy()) if i % 2 else piece for i, piece in enumerate(pieces))
        )

    def _quoted(self, value: exp.Expr) -> exp.Expr:
        return call(self.catalog, "quoted", value)

    def segmented(self) -> exp.Select:
        """Return the query of the rows with their segments."""
        given = (reference(SYSTEM), reference(BY), self.has_per.copy())
        return _run(call(self.catalog, "sliced_rows", *given))

    def shown(self, columns: Sequence[str]) -> exp.Select:
        """Return the query of the results as people see them.

        Args:
            columns: those after the columns of the slice.
        """
        text = literal(", ".join(f"_{name} AS {name}" for name in columns))
        given = (reference(SYSTEM), reference(BY), self.has_per.copy(), text)
        return _run(call(self.catalog, "shown_rows", *given))


def _run(text: exp.Expr) -> exp.Select:
    """Return the query that runs a text."""
    return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=QUERY, expressions=[text])))
