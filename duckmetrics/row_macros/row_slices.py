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
from duckmetrics.macro_queries.shell_files import call, is_null
from duckmetrics.macro_queries.template import Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog

BY, PER, HAS_PER, CLUSTER = "by", "per", "has_per", "cluster"
# The arguments in the text of the rows.
MARKED = ("data", SYSTEM, BY, CLUSTER)
# The key of the cluster of a row in its slice.
UNIT = "unit"
# The column of the slice of a row, and the steps that the texts read.
SLICE, ROWS, RESULTS = "_duckmetrics_slice", "rows", "results"


class RowSlices:
    """Writes the queries whose texts depend on `system`, `by` and `per`.

    Args:
        cluster: the name of the column of clusters, if the macro takes one; it then does not take `per`.
        reserved: columns of the results that no slicing column may be called, in addition to the usual ones.
    """

    def __init__(
        self,
        catalog: Catalog,
        cluster: exp.Expr | None = None,
        reserved: Sequence[str] = (),
    ) -> None:
        self.catalog, self.cluster = catalog, cluster
        self.reserved = (*RESERVED, *reserved)
        self.has_per = reference(HAS_PER) if cluster is None else exp.false()

    def source(self, source: exp.Expr) -> exp.Expr:
        """Return the text that reads the rows, each with its slice.

        A query in the text puts the text of slices together, only where they are asked for: DuckDB takes its
        time over each lambda, also over those that it does not run.

        Args:
            source: the text that reads the rows of the user.
        """
        text: exp.Expr = literal(self._sliced(source))
        values: list[exp.Expr] = [reference(name) for name in MARKED if name != CLUSTER]
        if self.cluster is None:
            has_names = call(self.catalog, "has_names", reference(BY))
            is_plain = exp.and_(is_null(reference(SYSTEM)), exp.not_(has_names))
            rows = _run(source.copy()).args["from_"].this
            plain = exp.select(exp.Star(), exp.null().as_(SLICE)).from_(rows)
            text = exp.Case().when(is_plain, literal(self._text(plain))).else_(text)
        else:
            values.append(self.cluster.copy())
        quoted = (call(self.catalog, "quoted", value) for value in values)
        return exp.Anonymous(this="format", expressions=[text, *quoted])

    def _sliced(self, source: exp.Expr) -> str:
        """Return the text of the query that puts the text of slices together, with marks for its values."""
        names = call(self.catalog, "slice_names", reference(BY))
        names = call(self.catalog, "distinct_names", names)
        reserved = exp.Array(expressions=[literal(name) for name in self.reserved])
        label = call(self.catalog, "slice_label", names, reserved)
        cluster = exp.null() if self.cluster is None else reference(CLUSTER)
        given = (source.copy(), reference(SYSTEM), cluster, names.copy(), label)
        return self._text(_run(call(self.catalog, "rows_in_slices", *given)))

    def _text(self, query: exp.Expr) -> str:
        """Write a query for the function ``format``, with marks for the arguments."""
        places = {reference(name): place for place, name in enumerate(MARKED)}
        for var in list(query.find_all(exp.Var)):
            if var in places:
                var.replace(exp.var(f"__{places[var]}__"))
        return re.sub(r"__(\d)__", r"{\1}", Template.escaped(written(query)))

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


def named_columns(catalog: Catalog, arguments: Sequence[str]) -> exp.Select:
    """Return the query of arguments that are names of columns, as text.

    Only as an argument of a function that returns a table, a name needs no quotes. The columns of the
    written text have the names that `hidden` gives the columns of the macro.
    """
    text = "SELECT " + ", ".join(f"{{}} AS _{argument}" for argument in arguments)
    quoted = (call(catalog, "quoted", reference(argument)) for argument in arguments)
    return _run(exp.Anonymous(this="format", expressions=[literal(text), *quoted]))


def _run(text: exp.Expr) -> exp.Select:
    """Return the query that runs a text."""
    return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=QUERY, expressions=[text])))
