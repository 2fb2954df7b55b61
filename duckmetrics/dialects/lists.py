"""Lists as rows: DuckDB unnests several lists side by side, Spark one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

SPARK = ("spark", "databricks")


def lists(tree: exp.Expr, dialect: str) -> None:
    """Rewrite ``SELECT unnest(items), unnest(scores)``, because Spark unnests one list at a time.

    ``list_extract(list, 2)`` becomes ``get(list, 1)``; both are NULL where there is no such element.
    The new query unnests the places in the lists, and takes from each list the element in its place.
    """
    if dialect in SPARK:
        for call in list(_calls(tree, "list_extract")):
            listed, place = call.expressions
            index: exp.Expr = exp.cast(exp.Sub(this=exp.paren(place), expression=literal(1)), "INT")
            if isinstance(place, exp.Literal):
                index = literal(int(place.name) - 1)
            call.replace(exp.Anonymous(this="get", expressions=[listed, index]))
        for select in list(tree.find_all(exp.Select)):
            calls = [c for c in _calls(select, "unnest") if c.find_ancestor(exp.Select) is select]
            if calls:
                _unnest_by_place(select, calls)


def _unnest_by_place(select: exp.Select, calls: list[exp.Anonymous]) -> None:
    kept: dict[str, exp.Expr] = {}
    for call in calls:
        (argument,) = call.expressions
        place = exp.column("_place")
        if isinstance(argument, exp.GenerateSeries) or next(_calls(argument, "range"), None):
            call.replace(exp.cast(exp.Add(this=place, expression=literal(1)), "BIGINT"))
        else:
            name = f"_list_{len(kept) + 1}"
            kept[name] = argument.copy()
            call.replace(exp.Anonymous(this="get", expressions=[exp.column(name), place]))
    sizes = [exp.Anonymous(this="size", expressions=[exp.column(name, "listed")]) for name in kept]
    longest = sizes[0] if len(sizes) == 1 else exp.func("greatest", *sizes)
    last = exp.Sub(this=longest.copy(), expression=literal(1))
    numbers = exp.Anonymous(this="sequence", expressions=[literal(0), last])
    filled = exp.Case().when(exp.GT(this=longest, expression=literal(0)), numbers)
    listed = exp.select("*", *(value.as_(name) for name, value in kept.items()), copy=False)
    listed.set("from_", select.args["from_"].copy())
    for tree in (listed, select):
        for length in [*tree.find_all(exp.Length), *_calls(tree, "len")]:
            argument = length.this if isinstance(length, exp.Length) else length.expressions[0]
            length.replace(exp.Anonymous(this="size", expressions=[argument.copy()]))
    source = select.args["from_"].this.alias_or_name
    placed = exp.select("*", exp.Anonymous(this="explode", expressions=[filled]).as_("_place"))
    select.set("from_", exp.From(this=placed.from_(listed.subquery("listed")).subquery(source)))


def _calls(tree: exp.Expr, name: str) -> Iterator[exp.Anonymous]:
    return (call for call in tree.find_all(exp.Anonymous) if call.name.lower() == name)
