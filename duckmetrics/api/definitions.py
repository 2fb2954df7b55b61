"""Definitions of users: a file to start from, and a trial on rows that one can count by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import add, catalog, own_columns, refuse_taken
from duckmetrics.catalog.definition import RANKING, body
from duckmetrics.catalog.measure import CUTOFF
from duckmetrics.catalog.own_text import refuse_idle
from duckmetrics.errors import DefinitionError, DuckmetricsError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.definition import Definition


# Two lists of three items, best first, with the grades of the truth; x was not returned.
LISTS = {"q1": {"a": 0.9, "b": 0.8, "c": 0.7}, "q2": {"a": 0.6, "d": 0.5, "e": 0.4}}
GRADES = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 3, "e": 0, "x": 1}}
HISTORY = {
    "query_id": ["q1", "q1", "q2", "q2", "q3", "q3"], "item_id": ["a", "d", "b", "c", "a", "b"],
}  # fmt: skip
ITEMS = {
    "item_id": ["a", "b", "c", "d", "e", "x"],
    "category": ["drama", "comedy", "comedy", "action", "action", "drama"],
    "vector": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0], [0.0, 2.0], [2.0, 1.0]],
}  # fmt: skip
ROWS: dict[str, list[Any]] = {
    "label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7], "group_id": ["u", "u", "v", "v"],
}  # fmt: skip
SHALLOW = 2
# What a person counts by hand.
SAMPLE = (
    "q1 returns a, b, c with the grades 2, 0, 1; q2 returns a, d, e with -, 3, 0, and misses x with 1",
    "rows of classifiers have the labels 1, 0, 1, 0, scores 0.9, 0.4, 0.6, 0.7, and groups u, u, v, v",
    "other columns count 1, 2, 3, ... in the order of the rows",
)
# The end of the header of a new file.
NOTE = (
    "-- note:     other columns of your tables can be read: add them to inputs, as in truth (..., price);",
    "--           relevant, ranked, queries and others are relations, files of sql/relations in duckmetrics",
)
# The keys of a header that a new file takes over; a person writes the others.
TAKEN = ("inputs", "params", "switches", "idle", "depth", "grain", "range")


def tried(places: Any) -> Iterator[tuple[str, bool]]:
    """Yield lines about each metric of files and folders, and whether it works: its values on a few rows.

    Raises:
        MetricError: there is no such file or folder.
        DefinitionError: a file is no definition of a metric.
    """
    names = add(places)
    for name in names:
        made = next(one for one in catalog().files.values() if one.is_own and one.name == name)
        try:
            refuse_idle(made, catalog().placeholders(made))
            yield from ((line, True) for line in _tried(made))
        except DefinitionError as error:
            yield str(error), False
        except DuckmetricsError as error:
            yield f"{made.path.name}: {error}", False
    yield from (("", True), *((line, True) for line in SAMPLE))


def _tried(made: Definition) -> Iterator[str]:
    from duckmetrics.api.functions import evaluate

    spec = f"{made.name}@{SHALLOW}" if CUTOFF in made.own_params else made.name
    if made.family != RANKING:
        value = evaluate(_with_columns(ROWS, made, "predictions"), metrics=spec)[spec]
        yield f"{made.path.name}: {spec} = {_written(value)}"
        return
    more: dict[str, Any] = {
        name: table for name, table in (("history", HISTORY), ("items", ITEMS)) if _reads(made, name)
    }
    if "reference" in made.inputs:
        more["reference"] = LISTS
    tables = _long(LISTS, "score", made, "predictions"), _long(GRADES, "relevance", made, "truth")
    found = evaluate(*tables, spec, **more)
    rows = [] if made.is_of_systems else found.per_query.to_pylist()
    rows.sort(key=lambda row: row["query_id"])
    values = "".join(f", {row['query_id']} {_written(row['value'])}" for row in rows)
    yield f"{made.path.name}: {spec} = {_written(found[spec])}{values}"


def _written(value: float | None) -> str:
    return "NULL" if value is None else f"{value:.10g}"


def _reads(made: Definition, table: str) -> bool:
    return any(name == table or (name.startswith("item_") and table == "items") for name in made.inputs)


def _long(lists: dict[str, dict[str, Any]], value: str, made: Definition, table: str) -> dict[str, list[Any]]:
    rows = [(query, item, number) for query, items in lists.items() for item, number in items.items()]
    columns = dict(zip(("query_id", "item_id", value), map(list, zip(*rows, strict=True)), strict=True))
    return _with_columns(columns, made, table)


def _with_columns(columns: dict[str, list[Any]], made: Definition, table: str) -> dict[str, list[Any]]:
    """Return columns with those that only this metric reads: 1, 2, 3, ..."""
    n = len(next(iter(columns.values())))
    return {**columns, **{name: [float(i) for i in range(1, n + 1)] for name in own_columns([made], table)}}


def new_definition(name: str, like: str = "recall", folder: str | Path = ".") -> Path:
    """Write a file for a metric that starts as a copy of another one; return its path.

    Args:
        like: the metric whose query is taken over.

    Raises:
        MetricError: no metric is called `like`.
        DefinitionError: duckmetrics has something of this name, or no metric can have it.
        InputError: there is such a file.
    """
    base = catalog().find(like, meant=lambda: RANKING).metric
    path = Path(folder) / f"{name}.sql"
    refuse_taken(catalog(), path)
    if path.exists():
        raise InputError(path, "there is such a file", "choose another name")
    lines = [f"-- name:     {name}", f"-- title:    {name.replace('_', ' ').capitalize()}"]
    lines += [f"-- {key + ':':<9} {base.header[key]}" for key in TAKEN if key in base.header]
    lines += NOTE
    path.write_text("\n".join(lines) + "\n" + body(base.text).lstrip("\n"), "utf-8", newline="\n")
    return path
