"""The warning of the macro `inspect` about queries without a value of the columns that split the results."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.checks.notes import GIVE_ATTRIBUTES
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.slices import RESERVED
from duckmetrics.macro_queries.checks import in_the_shell
from duckmetrics.macro_queries.macro import hidden, reference, with_steps, without_with
from duckmetrics.macro_queries.query import SOURCE
from duckmetrics.macro_queries.ranking_call import BY
from duckmetrics.macro_queries.ranking_steps import MARKED, attributes_of_queries, sources_of_attributes
from duckmetrics.macro_queries.shell_files import call, query_of
from duckmetrics.macro_queries.template import Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.macro_queries.macro import Argument

# The mark of the query in the text of the macro.
NULL_SLICES = "__null_slices__"


def null_slices(catalog: Catalog, arguments: Sequence[Argument]) -> exp.Expr:
    """Return the text of the query of the queries without a slice; of nothing if results are not split."""
    names = call(catalog, "slice_names", reference(BY))
    label = call(catalog, "slice_label", names, exp.Array(expressions=[*map(literal, RESERVED)]))
    attributes, texts = attributes_of_queries(catalog, names)
    texts["__nulls__"] = call(catalog, "attribute_nulls", names.copy())
    found, steps = without_with(query_of(catalog, "null_slice", {
        **MARKED, SOURCE: sources_of_attributes(catalog)[0], "nulls": exp.var("__nulls__"),
        "slice_label": label, "advice": literal(in_the_shell(GIVE_ATTRIBUTES)),
    }))  # fmt: skip
    wrong = query_of(catalog, "bad_attributes", {"slice_label": label.copy()})
    query = with_steps(found, [("attributes", attributes), ("wrong_attributes", wrong), *steps])
    template = Template([argument.name for argument in arguments])
    text = template.filled(literal(f"({template.marked(cast('exp.Query', hidden(query)), texts)})"))
    nothing = exp.select(*(exp.null() for _ in found.named_selects)).where(exp.false())
    split_by = exp.func("coalesce", exp.cast(reference(BY), "VARCHAR"), literal(""))
    is_whole = exp.EQ(
        this=exp.Anonymous(this="trim", expressions=[split_by, literal("[] ")]), expression=literal("")
    )
    return exp.Case().when(is_whole, literal(f"({nothing.sql(DIALECT)})")).else_(text)
