"""The catalogue, the tiny cases, and evaluation next to the reference."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.specs import parse_measure, parse_measures
from duckmetrics.compose.composer import Composer
from duckmetrics.errors import MetricError
from duckmetrics.reference.policies import per_query

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "tests/data/ranking").glob("*.sql"))
CATALOG = catalog()
REQUIRED = {"beta": ("1", "2"), "recall": ("0.0", "0.3", "0.5", "1.0"), "category": ("d", "c0")}
FURTHER = {
    "p": ("0.5",), "max_grade": ("5",), "boundary": ("0.5", "2"), "exponent": ("1", "0"),
    "patience": ("0.5",),
    "mixture": ("0.2",), "smoothing": ("0.1",), "reference_k": ("2",), "bins": ("3",), "smallest": ("0.01",),
    "padding": ("2",), "at_least": ("3",),
}  # fmt: skip
CUTOFFS = (None, 1, 2, 3, 50)
Key = tuple[str, Any]
# Composing and planning a hundred metrics costs more than running them on ten rows. So the cases with
# ids of text are also put together, each under queries of its own name.
TOGETHER = "together"
ALONE = ("graded", "integer_ids", "nothing_retrieved", "ties")

TOLERANT = {"duplicates": "count", "negative_grade": "zero", "null_relevance": "zero"}


def ranking() -> str:
    """Return the ranking meaning of a name that belongs to two families."""
    return "ranking"


def open_case(name: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    if name == TOGETHER:
        load_together(connection)
    else:
        connection.execute((ROOT / f"tests/data/ranking/{name}.sql").read_text("utf-8"))
    open_tables(connection)
    return connection


def of_sample(family: str) -> dict[str, Any]:
    """Return the arguments of `evaluate` next to predictions, for the rows of the headers' examples."""
    if family == "ranking":
        side = {name: name for name in ("history", "items", "reference")}
        return {"truth": "truth", "connection": open_case("sample"), **side}
    connection = duckdb.connect()
    connection.execute((ROOT / f"tests/data/{family}/sample.sql").read_text("utf-8"))
    classes = {"classes": ["cat", "dog", "fox"]} if family == "multiclass" else {}
    return {"connection": connection, **classes}


def open_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Give the tables of a case the types of the canonical inputs, and add the other tables."""
    connection.execute(
        "CREATE OR REPLACE TABLE predictions AS "
        "SELECT * REPLACE (score::DOUBLE AS score), row_number() OVER () AS position FROM predictions"
    )
    connection.execute(
        "CREATE OR REPLACE TABLE truth AS SELECT * REPLACE (relevance::DOUBLE AS relevance) FROM truth"
    )
    with_side_tables(connection)


def with_side_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Add a history, a catalogue and a reference run, and the canonical inputs of these tables."""
    known = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if "history" not in known:
        connection.execute((ROOT / "tests/data/side_tables/derived.sql").read_text("utf-8"))
    connection.execute((ROOT / "tests/data/side_tables/canonical.sql").read_text("utf-8"))


def side_tables_of(connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Return the same tables for the plain-Python reference."""
    categories: dict[Any, set[str]] = {}
    for item, category in connection.execute("SELECT item_id, category FROM item_categories").fetchall():
        categories.setdefault(item, set()).add(category)
    vectors: dict[Any, list[float]] = {}
    ordered = "SELECT item_id, value FROM item_vectors ORDER BY item_id, dimension"
    for item, value in connection.execute(ordered).fetchall():
        vectors.setdefault(item, []).append(value)
    return {
        "history": connection.execute("SELECT query_id, item_id FROM history").fetchall(),
        "catalog": [item for (item,) in connection.execute("SELECT item_id FROM items").fetchall()],
        "categories": {item: frozenset(found) for item, found in categories.items()},
        "vectors": vectors,
        "reference": connection.execute("SELECT query_id, item_id, score FROM reference").fetchall(),
    }


def load_together(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE predictions (system TEXT, query_id TEXT, item_id TEXT, score DOUBLE)")
    connection.execute("CREATE TABLE truth (query_id TEXT, item_id TEXT, relevance DOUBLE)")
    for path in CASES:
        if path.stem in ("graded", "integer_ids"):
            continue
        with duckdb.connect() as other:
            other.execute(path.read_text("utf-8"))
            for table, columns in (("predictions", 4), ("truth", 3)):
                rows = other.execute(f"SELECT * FROM {table}").fetchall()
                at = 1 if table == "predictions" else 0
                named = [(*row[:at], f"{path.stem} {row[at]}", *row[at + 1 :]) for row in rows]
                marks = ", ".join("?" * columns)
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", named)


def specs_of(
    metric: Definition, cutoffs: Iterable[int | None] = CUTOFFS, one_at_a_time: bool = False
) -> list[str]:
    """Return every combination of a metric's own parameters that its header allows, as specs."""
    options: list[list[str]] = []
    for param in metric.own_params.values():
        if param.name == "k":
            continue
        values = REQUIRED.get(param.name, FURTHER.get(param.name, ())) if not param.choices else param.choices
        others = [f"{param.name}={value}" for value in values if value != param.default]
        options.append([*([] if param.required else [None]), *others])
    combinations = [
        chosen for chosen in product(*options)
        if not one_at_a_time or sum(a != o[0] for a, o in zip(chosen, options, strict=True)) <= 1
    ]  # fmt: skip
    specs = []
    for k, chosen in product(cutoffs if "k" in metric.own_params else (None,), combinations):
        arguments = ", ".join(argument for argument in chosen if argument)
        spec = f"{metric.name}({arguments})" if arguments else metric.name
        needs_cutoff = "full_k" in spec or ("norm=k" in spec and metric.name != "precision")
        if k is not None or not needs_cutoff:
            specs.append(spec if k is None else f"{spec}@{k}")
    return [spec for spec in specs if not _is_refused(spec)]


def _is_refused(spec: str) -> bool:
    """Return whether a spec is refused: a parameter changes nothing, or does not go with another one."""
    try:
        parse_measures(CATALOG, [spec], {}, ranking)
    except MetricError as error:
        return "changes nothing" in str(error) or "boundary is" in str(error)
    return False


@cache
def composed(specs: tuple[str, ...], switches: tuple[tuple[str, Any], ...]) -> tuple[str, list[str]]:
    """Return the query over tables named predictions and truth, and the value column of each spec."""
    measures = parse_measures(CATALOG, specs, dict(switches), ranking)
    query, columns = Composer(CATALOG).per_query(measures)
    return query.sql("duckdb"), [column.value for column in columns]


def values_per_query(
    connection: duckdb.DuckDBPyConnection, specs: Sequence[str], **switches: Any
) -> dict[str, dict[Key, float | None]]:
    """Evaluate the tables of a connection: spec -> (system, query) -> value."""
    sql, columns = composed(tuple(specs), tuple(switches.items()))
    result = connection.execute(sql)
    names = [column[0] for column in result.description]
    rows = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
    return {
        spec: {(row["system"], row["query_id"]): row[column] for row in rows}
        for spec, column in zip(specs, columns, strict=True)
    }


def reference_values(
    connection: duckdb.DuckDBPyConnection, spec: str, **switches: Any
) -> dict[Key, float | None]:
    """Evaluate the same with the plain-Python reference."""
    measure = parse_measure(CATALOG, spec, switches, ranking)
    predictions = connection.execute("SELECT system, query_id, item_id, score FROM predictions").fetchall()
    truth = connection.execute("SELECT query_id, item_id, relevance FROM truth").fetchall()
    side = side_tables_of(connection) if measure.metric in SIDE else {}
    return per_query(measure.metric.name, predictions, truth, **side, **reference_params(measure))


def reference_params(measure: Measure) -> dict[str, Any]:
    """Translate the parameters for the reference, which has no names for fixed ones."""
    fixed = {"missing": "undefined", "no_relevant": "keep"}
    params = {n: v for n, v in measure.values.items() if (n, v) not in fixed.items()}
    if "rel" in params and params["rel"] is None:
        del params["rel"]
    return params


def assert_same(actual: dict[Key, float | None], expected: dict[Key, float | None], about: str) -> None:
    """Check for equal keys, equal NULLs, and values within 1e-12."""
    assert actual.keys() == expected.keys(), about
    for key, value in expected.items():
        found = actual[key]
        assert (found is None) == (value is None), f"{about} {key}: {found} instead of {value}"
        if value is not None and found is not None:
            assert found == pytest.approx(value, rel=1e-12, abs=1e-12), f"{about} {key}"


EVERY_RANKING = [metric for (family, _), metric in CATALOG.metrics.items() if family == "ranking"]
# The metrics of predictions and truth alone, and those that read a history, a catalogue or a reference run.
PER_QUERY = [metric for metric in EVERY_RANKING if not metric.is_of_systems]
RANKING = [metric for metric in PER_QUERY if not metric.further_inputs]
SIDE = [metric for metric in PER_QUERY if metric not in RANKING]
# The metrics of all lists of a system together.
OF_SYSTEMS = [metric for metric in EVERY_RANKING if metric.is_of_systems]


def side_tables(metric: Definition) -> dict[str, str]:
    """Return the tables next to predictions and truth that a metric reads, as arguments of these names."""
    of_columns = {"item_categories": "items", "item_vectors": "items"}
    return {of_columns.get(name, name): of_columns.get(name, name) for name in metric.further_inputs}


SHORT = [spec for metric in RANKING for spec in specs_of(metric, (None, 2), one_at_a_time=True)]
