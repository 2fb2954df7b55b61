"""The values of queries in slices: next to the attributes of the queries, and once per grouping."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.inputs import CLUSTER
from duckmetrics.inputs.slices import slice_label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.compose.blocks import Columns
    from duckmetrics.inputs.inputs import Inputs


def attributed(inputs: Inputs, by: Mapping[str, str], table: str) -> list[tuple[str, exp.Query]]:
    """Return the steps up to ``attributed``: the values of queries next to the attributes of the queries.

    Args:
        by: slicing column -> its alias.
        table: where the values are kept.
    """
    cluster = {inputs.cluster: CLUSTER} if inputs.cluster else {}
    known = [*by.items(), *cluster.items()]
    if not known:
        return [("attributed", exp.select(exp.Star()).from_(table))]
    minima = [
        exp.Min(this=exp.column(exp.to_identifier(name, quoted=True))).as_(alias) for name, alias in known
    ]
    source = inputs.queries["attributes"].subquery("rows")
    grouped = exp.select("query_id", *minima).from_(source).group_by("query_id")
    joined = (
        exp.select(f"{table}.*", *(exp.column(a, "attributes") for _, a in known))
        .from_(table)
        .join("attributes", on=f"attributes.query_id = {table}.query_id", join_type="left")
    )
    return [("attributes", grouped), ("attributed", joined)]


def sliced(inputs: Inputs, by: Mapping[str, str], columns: Sequence[Columns]) -> exp.Query:
    """Return every query of ``attributed`` once per grouping; the slicing columns not in force are NULL.

    Args:
        by: slicing column -> its alias.
        columns: those of the measures.
    """
    values = dict.fromkeys(name for c in columns for name in (c.value, c.no_relevant, c.undefined))
    cluster = [CLUSTER] if inputs.cluster else []
    whole: exp.Query | None = None
    for number, grouping in enumerate(((), *inputs.by)):
        in_force = [
            (exp.column(alias) if name in grouping else exp.null()).as_(alias) for name, alias in by.items()
        ]
        part = exp.select(
            "system", "query_id", *cluster, "missing", *map(exp.column, values),
            literal(slice_label(grouping)).as_("slice"),
            literal(number).as_("slice_number"), *in_force,
        ).from_("attributed", copy=False)  # fmt: skip
        whole = part if whole is None else exp.union(whole, part, distinct=False, copy=False)
    return cast("exp.Query", whole)
