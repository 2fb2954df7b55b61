"""The SQL written for other engines gives the numbers of DuckDB there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.api.sql import sql
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.compose.portable import TYPES_OF_COLUMNS, reason_against
from duckmetrics.errors import MetricError
from support.cases import CATALOG, OF_SYSTEMS, RANKING, SIDE, open_case, ranking
from support.cases import specs_of as ranking_specs
from support.classification import (
    APART,
    EVERY,
    EVERY_ANY_SCORE,
    PLAIN,
    PROBABILITIES,
    TABLES,
    UNBOUNDED,
    open_together,
    reads,
    specs_of,
)
from support.other_engines import ClickHouse, DataFusion, Postgres, Spark, postgres_server, spark_session
from support.user_tables import SYSTEM, rankings_of_a_user, rows_of_a_user

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.definition import Definition
    from support.other_engines import OtherEngine, Row

KEYS = ("system", "metric")
TOLERANT = {"duplicates": "count", "negative_grade": "zero", "null_relevance": "zero"}
SHORT = [spec for metric in RANKING for spec in ranking_specs(metric, (None, 2), one_at_a_time=True)]
OF_LISTS = [spec for metric in SIDE for spec in ranking_specs(metric, (None, 2), one_at_a_time=True)]
OF_ALL_LISTS = [s for metric in OF_SYSTEMS for s in ranking_specs(metric, (None, 2), one_at_a_time=True)]
PORTABLE_TABLES = [table for table in TABLES if reason_against(CATALOG, table) is None]
# The options that change the steps most; the others are slow.
SWITCHES: list[dict[str, Any]] = [
    {"ties": "pessimistic", "unjudged": "skip"},
]
FURTHER: list[dict[str, Any]] = [
    {"ties": "item_desc_text", "duplicates": "first"},
    {"population": "predictions", "missing": "skip", "no_relevant": "zero"},
    {"ties": "input"},
    {"ties": "optimistic", "rel": 2},
    {"ties": "item_asc_text", "scores": "float32"},
    {"population": "truth", "no_relevant": "one"},
    {"population": "table"},
    {"catalog_size": 23},
    {"labels": "returned"},
]
# Cases that an engine refuses with its own error; no engine gives another number.
REFUSED = {("postgres", "scores", "float32"): "underflow"}
TABLES_OF = {
    "ranking": {
        "predictions": ("system", "query_id", "item_id", "score", "position"),
        "truth": ("query_id", "item_id", "relevance"),
        "population": ("query_id",),
    },
    "classification": {"predictions": ("system", "segment", "label", "score", "weight", "group_id")},
}
TABLES_OF["side"] = {
    **TABLES_OF["ranking"],
    "history": ("query_id", "item_id"),
    "items": ("item_id",),
    "item_categories": ("item_id", "category"),
    "item_vectors": ("item_id", "dimension", "value"),
    "reference": ("query_id", "item_id", "score"),
}


def slow(value: Any) -> Any:
    return pytest.param(value, marks=pytest.mark.slow)


@pytest.fixture(
    scope="module",
    params=[
        slow("clickhouse"),
        slow("datafusion"),
        pytest.param("postgres", marks=pytest.mark.postgres),
        pytest.param("spark", marks=pytest.mark.spark),
    ],
)
def engine(request: pytest.FixtureRequest) -> Iterator[OtherEngine]:
    if request.param == "postgres":
        with postgres_server() as folder:
            yield Postgres(folder)
    elif request.param == "spark":
        yield Spark(spark_session())
    else:
        yield {"clickhouse": ClickHouse, "datafusion": DataFusion}[request.param]()


# ---- comparisons


def canonical(connection: duckdb.DuckDBPyConnection, family: str) -> None:
    """Create the tables of a case that the text reads."""
    for table, columns in TABLES_OF[family].items():
        listed = ", ".join(f"CAST({c} AS {TYPES_OF_COLUMNS[c]}) AS {c}" for c in columns)
        connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {listed} FROM {table}")


def copied(connection: duckdb.DuckDBPyConnection, engine: OtherEngine, family: str) -> None:
    for table in TABLES_OF[family]:
        engine.load(table, connection.sql(f"FROM {table}").to_arrow_table())


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    result = connection.execute(sql)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def disagreement(found: Sequence[Row], wanted: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """Return where two results differ by more than 1e-12, relative to values larger than 1."""
    mine, theirs = ({tuple(row[key] for key in keys): row for row in rows} for rows in (wanted, found))
    if mine.keys() != theirs.keys() or len(found) != len(theirs):
        return [f"rows {sorted(map(str, mine.keys() ^ theirs.keys()))[:5]}, {len(found)}, {len(wanted)}"]
    return [
        f"{column} of {key}: {theirs[key][column]}, DuckDB has {value}"
        for key, row in mine.items()
        for column, value in row.items()
        if not same(theirs[key][column], value)
    ]


def same(found: Any, wanted: Any) -> bool:
    if found is None or wanted is None:
        return found is None and wanted is None
    if isinstance(wanted, str | bool):
        return bool(found == wanted)
    return found == wanted or abs(float(found) - float(wanted)) <= 1e-12 * max(1.0, abs(float(wanted)))


def compared(
    connection: duckdb.DuckDBPyConnection, engine: OtherEngine, specs: Sequence[str], **switches: Any
) -> list[str]:
    """Compare the values of every query and system."""
    given = {"per_query": True, "system": "system", **switches}
    wanted = rows_of(connection, sql(specs, **given))
    found = engine.rows(sql(specs, engine.dialect, **given))
    return disagreement(found, wanted, ("system", "query_id"))


def compared_segments(
    connection: duckdb.DuckDBPyConnection, engine: OtherEngine, specs: Sequence[str], **switches: Any
) -> list[str]:
    """Compare the values of every segment, as if each were a system."""
    given = {"system": "segment", **switches}
    wanted = rows_of(connection, sql(specs, **given))
    found = engine.rows(sql(specs, engine.dialect, **given))
    return disagreement(found, wanted, ("system", "metric"))


# ---- rankings


@pytest.mark.slow
@pytest.mark.parametrize("case", ["together", slow("graded"), slow("integer_ids")])
def test_metrics_of_rankings(engine: OtherEngine, case: str) -> None:
    with rankings(case) as connection:
        copied(connection, engine, "ranking")
        assert compared(connection, engine, SHORT, **TOLERANT) == []


@pytest.mark.slow
@pytest.mark.parametrize("case", ["together", slow("graded"), slow("integer_ids")])
def test_metrics_of_lists(engine: OtherEngine, case: str) -> None:
    """Metrics with a history, a catalogue or a reference run, and those of all lists of a system."""
    with rankings(case) as connection:
        canonical(connection, "side")
        copied(connection, engine, "side")
        assert compared(connection, engine, OF_LISTS, **TOLERANT) == []
        given = {"system": "system", **TOLERANT}
        wanted = rows_of(connection, sql(OF_ALL_LISTS, **given))
        found = engine.rows(sql(OF_ALL_LISTS, engine.dialect, **given))
        assert disagreement(found, wanted, KEYS) == []


@pytest.mark.slow
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_switches_of_rankings(engine: OtherEngine, switches: dict[str, Any]) -> None:
    compare_switches(engine, switches)


@pytest.mark.slow
@pytest.mark.parametrize("switches", FURTHER, ids=str)
def test_further_switches_of_rankings(engine: OtherEngine, switches: dict[str, Any]) -> None:
    compare_switches(engine, switches)


def compare_switches(engine: OtherEngine, switches: dict[str, Any]) -> None:
    switches = {**TOLERANT, **switches}
    why = next(
        (
            w
            for (name, *pair), w in REFUSED.items()
            if name == engine.dialect and tuple(pair) in switches.items()
        ),
        None,
    )
    with rankings("together") as connection:
        copied(connection, engine, "ranking")
        specs = [spec for spec in SHORT if allowed(spec, switches)]
        assert len(specs) > 60
        if why:
            with pytest.raises(Exception, match=why):
                compared(connection, engine, specs, **switches)
        else:
            assert compared(connection, engine, specs, **switches) == []


@pytest.mark.some(1)
def test_averages_over_ties(engine: OtherEngine) -> None:
    averaged = [m for m in RANKING if "expected" in getattr(CATALOG.params(m).get("ties"), "choices", ())]
    specs = [spec for m in averaged for spec in ranking_specs(m, (None, 3), one_at_a_time=True)]
    with rankings("ties") as connection:
        copied(connection, engine, "ranking")
        assert compared(connection, engine, specs, **TOLERANT, ties="expected") == []


def rankings(case: str) -> duckdb.DuckDBPyConnection:
    connection = open_case(case)
    connection.execute("CREATE TABLE population AS SELECT DISTINCT query_id FROM predictions")
    canonical(connection, "ranking")
    return connection


def allowed(spec: str, switches: dict[str, Any]) -> bool:
    try:
        parse_measure(CATALOG, spec, switches, ranking)
    except MetricError:
        return False
    return True


# ---- classification


def portable(specs: Sequence[str]) -> list[str]:
    return [s for s in specs if reason_against(CATALOG, parse_measure(CATALOG, s).metric) is None]


def classes(cases: Sequence[str], engine: OtherEngine) -> duckdb.DuckDBPyConnection:
    """Load the cases as segments."""
    connection = open_together(cases)
    if engine.dialect == "postgres":  # It refuses products and powers that are too small or too large.
        connection.execute(
            "DELETE FROM predictions WHERE score <> 0 AND abs(log10(abs(score))) > 100 AND NOT isinf(score)"
        )
    connection.execute(
        "CREATE OR REPLACE TABLE predictions AS SELECT 'A' AS system, "
        "dense_rank() OVER (ORDER BY name) AS segment, label, score, weight, group_id FROM predictions"
    )
    canonical(connection, "classification")
    return connection


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [slow(False), True])
def test_metrics_of_classification(engine: OtherEngine, weighted: bool) -> None:
    with classes(PROBABILITIES, engine) as connection:
        copied(connection, engine, "classification")
        specs = [s for s in portable(EVERY) if not weighted or allowed(s, {"weighted": True})]
        assert len(specs) > 60
        assert compared_segments(connection, engine, specs, weighted=weighted) == []


@pytest.mark.slow
def test_any_score(engine: OtherEngine) -> None:
    with classes(UNBOUNDED, engine) as connection:
        copied(connection, engine, "classification")
        assert compared_segments(connection, engine, portable(EVERY_ANY_SCORE), weighted=False) == []


@pytest.mark.some(2)
@pytest.mark.parametrize("case", APART)
def test_labels_of_other_kinds(engine: OtherEngine, case: str) -> None:
    """Labels can be -1 and 1, or ratings."""
    with classes([case], engine) as connection:
        copied(connection, engine, "classification")
        measures = {spec: parse_measure(CATALOG, spec) for spec in portable(PLAIN) if spec in EVERY_ANY_SCORE}
        specs = [s for s, m in measures.items() if case != "ratings" or not reads(m.metric, "labeled")]
        assert compared_segments(connection, engine, specs, weighted=True) == []


@pytest.mark.some(1)
@pytest.mark.parametrize("table", PORTABLE_TABLES, ids=lambda table: table.name)
def test_tables_of_classification(engine: OtherEngine, table: Definition) -> None:
    with classes(PROBABILITIES, engine) as connection:
        copied(connection, engine, "classification")
        for spec in specs_of(table):
            given = {"system": "segment", "weighted": True}
            wanted = rows_of(connection, sql(spec, **given))
            found = engine.rows(sql(spec, engine.dialect, **given))
            keys = [key for key in table.grain if key != "segment"]
            assert disagreement(found, wanted, keys) == [], spec


# ---- random rows

# The order of these depends on the collation, and on the comparison by bytes or by letters.
ITEMS = "['a', 'B', 'b', 'A', 'ä', 'é', 'z', '10', '9', '_', 'aa', 'Z']"
ITEM = f"{ITEMS}[1 + CAST(floor(random() * 12) AS INTEGER)]"

# Scores that engines order or compare differently without special care.
AWKWARD = (
    "CASE CAST(floor(random() * 9) AS INTEGER) WHEN 0 THEN 0e0 WHEN 1 THEN -0e0 "
    "WHEN 2 THEN CAST('inf' AS DOUBLE) WHEN 3 THEN CAST('-inf' AS DOUBLE) "
    "WHEN 4 THEN {tiny} WHEN 5 THEN -{tiny} WHEN 6 THEN 0.25e0 "
    "WHEN 7 THEN floor(random() * 5) ELSE random() END"
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, slow(2)])
def test_random_rankings(engine: OtherEngine, seed: int) -> None:
    with random_rows(seed) as connection:
        connection.execute(
            "CREATE TABLE predictions AS SELECT DISTINCT ON (system, query_id, item_id) * FROM ("
            "SELECT 's' || i % 2 AS system, 'q' || CAST(floor(random() * 30) AS INTEGER) AS query_id, "
            f"{AWKWARD.format(tiny=tiny(engine))} AS score, 0 AS position, {ITEM} AS item_id "
            "FROM range(900) AS t(i))"
        )
        connection.execute(
            "CREATE TABLE truth AS SELECT DISTINCT ON (query_id, item_id) * FROM ("
            "SELECT 'q' || CAST(floor(random() * 35) AS INTEGER) AS query_id, "
            f"CAST(floor(random() * 4) AS DOUBLE) AS relevance, {ITEM} AS item_id FROM range(400) AS t(i))"
        )
        connection.execute("CREATE TABLE population AS SELECT DISTINCT query_id FROM truth")
        canonical(connection, "ranking")
        copied(connection, engine, "ranking")
        assert compared(connection, engine, SHORT) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, slow(2)])
def test_random_rows(engine: OtherEngine, seed: int) -> None:
    with random_rows(seed) as connection:
        connection.execute(
            "CREATE TABLE predictions AS SELECT 'A' AS system, i % 3 AS segment, random() < 0.3 AS label, "
            f"{AWKWARD.format(tiny=tiny(engine))} AS score, floor(random() * 3) AS weight, "
            "'g' || i % 11 AS group_id FROM range(2000) AS t(i)"
        )
        canonical(connection, "classification")
        copied(connection, engine, "classification")
        assert compared_segments(connection, engine, portable(EVERY_ANY_SCORE), weighted=True) == []


def tiny(engine: OtherEngine) -> str:
    """PostgreSQL refuses products that round to 0."""
    return "1e-90" if engine.dialect == "postgres" else "4.9406564584124654e-324"


def random_rows(seed: int) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(f"SELECT setseed({seed / 10})")
    return connection


# ---- tables of a user, by the printed text

MEANS = [
    "ndcg@2",
    "map",
    "recall@3",
    "mrr(agg=median)",
    "bpref",
    "rbp",
    "ndcg(agg=p90)",
    "idcg(ideal=full_k)@2",
]
VALUES = ["auc", "log_loss", "ece", "ks", "gauc", "rig", "auc(approx=4)", "accuracy", "rmse", "brier"]


@pytest.mark.parametrize(("systems", "text"), [(False, False), (True, True)])
def test_means_on_the_tables_of_a_user(engine: OtherEngine, systems: bool, text: bool) -> None:
    column = SYSTEM if systems else None
    with rankings_of_a_user(systems=systems, text=text) as connection:
        for table in ("predictions", "truth"):
            engine.load(table, required(connection.sql(f"FROM {table}").to_arrow_table()))
        wanted = duckmetrics.evaluate(
            "predictions", "truth", MEANS, connection=connection, system=column
        ).rows
        found = engine.rows(sql(MEANS, engine.dialect, system=column))
        assert [row["metric"] for row in found] == [row["metric"] for row in wanted]
        assert told(found, wanted) == []


@pytest.mark.parametrize(("systems", "weighted"), [(False, False), (True, True)])
def test_values_on_the_table_of_a_user(engine: OtherEngine, systems: bool, weighted: bool) -> None:
    column = SYSTEM if systems else None
    specs = [spec for spec in VALUES if not weighted or allowed(spec, {"weighted": True})]
    with rows_of_a_user(systems=systems) as connection:
        engine.load("predictions", required(connection.sql("FROM predictions").to_arrow_table()))
        wanted = duckmetrics.evaluate(
            "predictions", None, specs, connection=connection, system=column, weighted=weighted
        ).rows
        assert told(engine.rows(sql(specs, engine.dialect, system=column, weighted=weighted)), wanted) == []


@pytest.mark.parametrize("specs", [MEANS, VALUES], ids=["rankings", "rows"])
def test_one_table_after_the_other(engine: OtherEngine, specs: Sequence[str]) -> None:
    connection = rankings_of_a_user() if specs is MEANS else rows_of_a_user()
    with connection:
        for table in ("predictions", "truth") if specs is MEANS else ("predictions",):
            engine.load(table, connection.sql(f"FROM {table}").to_arrow_table())
        *steps, last = sql(specs, engine.dialect, steps=True).split(";\n\n")
        assert len(steps) > 3
        wanted = engine.rows(sql(specs, engine.dialect))
        created = [re.findall(r"CREATE (?:TEMPORARY )?(TABLE|VIEW) (\w+) AS", step)[0] for step in steps]
        for step, (kind, name) in zip(steps, created, strict=True):
            engine.execute(f"DROP {kind} IF EXISTS {name}")  # other tests of the session may have one
            engine.execute(step)
        assert told(engine.rows(last), wanted) == []
        for kind, name in reversed(created):
            engine.execute(f"DROP {kind} {name}")


def required(table: pa.Table) -> pa.Table:
    """Declare the columns of the same rows as never NULL, as tables of ClickHouse are."""
    return pa.table(table.columns, pa.schema([field.with_nullable(False) for field in table.schema]))


def told(found: Sequence[Row], wanted: Sequence[Row]) -> list[str]:
    """Return where the rows differ, in the columns that a text returns."""
    columns = set(found[0])
    return disagreement(
        found, [{c: row[c] for c in columns} for row in wanted], [k for k in KEYS if k in columns]
    )
