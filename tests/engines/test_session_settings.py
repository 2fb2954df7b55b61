"""Settings of the caller's session: no number depends on them, and none of them stays changed."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError, MetricError

if TYPE_CHECKING:
    from collections.abc import Callable

DAYS = str(Path(__file__).parents[1] / "data/people/days_and_zones.parquet")
# Ids and slices that differ in case or accents only, ties, NULL, whole numbers, and times about midnight.
DATA = """
CREATE TABLE run AS SELECT *, 1 - score AS other FROM (VALUES
    ('q1', 'a', 0.9), ('q1', 'A', 0.9), ('q1', 'b', 0.5), ('Q1', 'B', 0.9), ('Q1', 'é', 0.9),
    ('Q1', 'e', 0.5), ('q2', 'c', 0.7), ('q2', 'C', 0.7), ('q2', '_', 0.7), ('q3', 'd', 0.7), ('q3', 'x', 0.1)
) AS t (query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES ('q1', 'A', 1), ('q1', 'b', 2), ('Q1', 'e', 1), ('Q1', 'B', 3),
    ('q2', 'c', 1), ('q2', '_', 2), ('q3', 'x', 1), ('q4', 'z', 1)) AS t (query_id, item_id, relevance);
CREATE TABLE queries AS FROM (VALUES
    ('q1', 'de', TIMESTAMPTZ '2024-03-30 23:30:00+00'), ('Q1', 'DE', TIMESTAMPTZ '2024-03-31 01:30:00+00'),
    ('q2', 'fr', TIMESTAMPTZ '2024-03-31 06:30:00+00'), ('q3', NULL, TIMESTAMPTZ '2024-03-31 22:30:00+00'),
    ('q4', 'De', TIMESTAMPTZ '2024-03-31 22:30:00+00')) AS t (query_id, country, ts);
CREATE TABLE clicks AS SELECT i * 7919 % 3 // 2 AS label, i * 104729 % 101 / 101 AS score,
    TIMESTAMPTZ '2024-03-30 12:00:00+00' + i * INTERVAL 37 MINUTE AS ts,
    CASE WHEN i % 7 = 0 THEN NULL WHEN i % 2 = 0 THEN 'de' ELSE 'DE' END AS country, (i % 5)::INTEGER AS n,
    CASE WHEN i % 3 = 0 THEN 'u' ELSE 'U' END || i // 3 AS user_id FROM range(90) AS t (i);
CREATE TABLE arms AS SELECT CASE WHEN i % 2 = 0 THEN 'A' ELSE 'a' END AS variant, i % 7 AS clicks,
    1 + i % 9 AS views FROM range(120) AS t (i);
"""
# Settings that decided about a number, and then groups of those that look as if they might.
SETTINGS = (
    "TimeZone = 'America/Los_Angeles'", "default_collation = 'nocase'", "integer_division = true",
    "ieee_floating_point_ops = false", "Calendar = 'buddhist'", "disable_timestamptz_casts = true",
    "default_order = 'desc'", "default_null_order = 'nulls_first'", "old_implicit_casting = true",
    "scalar_subquery_error_on_multiple_rows = false", "preserve_insertion_order = false",
    "dialect_compatibility_mode = 'spark'", "errors_as_json = true",
    "arrow_lossless_conversion = true; arrow_output_list_view = true; arrow_large_buffer_size = true; "
    "produce_arrow_string_view = true; binary_as_string = true; pandas_analyze_sample = 0",
    "enable_optimizer = false; threads = 1; perfect_ht_threshold = 0; ordered_aggregate_threshold = 1",
    "disabled_optimizers = 'filter_pushdown,join_order,cte_inlining'; parquet_can_have_nan = true",
    "preserve_identifier_case = 'lowercase'; order_by_non_integer_literal = true; "
    "lambda_syntax = 'disable_single_arrow'; search_path = 'memory,temp'",
)  # fmt: skip
RANKED, OTHER = ("run", "truth"), "SELECT query_id, item_id, other AS score FROM run"
Connection = duckdb.DuckDBPyConnection


def refusal(connection: Connection) -> str:
    with pytest.raises(InputError) as error:
        duckmetrics.evaluate(*RANKED, "mrr", columns={"item_id": "doc"}, connection=connection)
    return str(error.value)


DOORS: dict[str, Callable[[Connection], Any]] = {
    "a classifier by day": lambda c: duckmetrics.evaluate(
        "clicks", metrics=["auc", "log_loss"], by="CAST(ts AS DATE) AS day", connection=c
    ),
    "a condition with a day": lambda c: duckmetrics.evaluate(
        "clicks", metrics="auc", where={"predictions": "ts < DATE '2024-03-31'"}, connection=c
    ),
    "rankings": lambda c: duckmetrics.evaluate(
        *RANKED, ["ndcg@2", "mrr", "recall@2", "rr(agg=p25)"], by="country", queries="queries", connection=c
    ),
    "a quotient as a slice": lambda c: duckmetrics.evaluate(
        "clicks", metrics="auc", by=[["n / 2 AS half"], ["n / 0 IS NULL AS is_null"]], connection=c
    ),
    "a table in SQL": lambda c: duckmetrics.evaluate(
        "SELECT *, CAST(ts AS DATE) AS day, n / 2 AS half FROM clicks",
        metrics="auc",
        by=[["day"], ["half"]],
        connection=c,
    ),
    "words as slices": lambda c: duckmetrics.evaluate(
        "clicks", metrics="auc", by=[["country"], ["country = 'de' AS de"]], connection=c
    ),
    "years": lambda c: duckmetrics.evaluate("clicks", metrics="auc", by="year(ts) AS y", connection=c),
    "points in time": lambda c: duckmetrics.evaluate(
        *RANKED, "mrr", by="ts", queries="queries", connection=c
    ),
    "ties": lambda c: duckmetrics.evaluate(*RANKED, "ndcg@2", ties="item_desc", connection=c),
    "values of queries": lambda c: duckmetrics.evaluate(*RANKED, "ndcg@2", connection=c).per_query,
    "clusters": lambda c: duckmetrics.evaluate(
        "clicks", metrics=["auc", "gauc", "ece"], columns={"group_id": "user_id"}, interval=0.9, connection=c
    ),
    "a comparison by hour": lambda c: duckmetrics.compare(
        {"A": "run", "B": OTHER}, "truth", ["ndcg@2"], by="hour(ts) AS h", queries="queries", connection=c
    ),
    "a leaderboard": lambda c: duckmetrics.leaderboard(
        {"A": "run", "B": OTHER}, "truth", "ndcg@2", connection=c
    ),
    "an explanation": lambda c: duckmetrics.explain(*RANKED, "ndcg@2", query="q1", connection=c),
    "findings": lambda c: duckmetrics.check(*RANKED, connection=c),
    "a curve by day": lambda c: duckmetrics.curve(
        "clicks", "roc_curve", by="CAST(ts AS DATE) AS day", connection=c
    ),
    "arms": lambda c: duckmetrics.ab(
        "arms", variant="variant", metrics=["clicks", "clicks / views"], control="A", connection=c
    ),
    "bounds of ties": lambda c: duckmetrics.ties(*RANKED, "ndcg@2", connection=c),
    "a verification": lambda c: duckmetrics.evaluate(*RANKED, "mrr", verify=9, connection=c).verified,
    "a message": refusal,
}
CELLS = [(door, setting) for setting in SETTINGS for door in DOORS]


def is_set(connection: Connection, setting: str) -> bool:
    """Change a setting, of the session if possible; return whether this release has it."""
    for scope in ("SESSION", "GLOBAL"):
        try:
            connection.execute(f"SET {scope} {setting}")
        except (duckdb.CatalogException, duckdb.ConversionException, duckdb.InvalidInputException):
            continue
        return True
    return False


def session(setting: str = "") -> Connection:
    """Return a connection with the tables and other settings."""
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = 'UTC'; {DATA}")
    changed = [one for one in filter(None, setting.split("; ")) if is_set(connection, one)]
    if setting and not changed:
        pytest.skip("this release has no such setting, or not this value of it")
    return connection


def settings(connection: Connection) -> list[Any]:
    return connection.execute("SELECT name, value FROM duckdb_settings() ORDER BY name ASC").fetchall()


def plain(found: Any) -> Any:
    """Return rows with points in time and NaN that equal each other; results of other kinds as text."""
    if hasattr(found, "to_pylist"):
        found = sorted(found.to_pylist(), key=str)
    rows = getattr(found, "rows", found)
    if not isinstance(rows, list | tuple) or not all(isinstance(row, dict) for row in rows):
        return repr(found)
    return [{name: cell(value) for name, value in row.items()} for row in rows]


def cell(value: Any) -> Any:
    return float(f"{value:.10g}") if isinstance(value, float) and not math.isnan(value) else str(value)


@functools.cache
def usual(door: str) -> Any:
    return plain(DOORS[door](session()))


@pytest.mark.some(2)
@pytest.mark.parametrize(("door", "setting"), CELLS)
def test_no_setting_changes_a_result_or_stays_changed(door: str, setting: str) -> None:
    connection = session(setting)
    before = settings(connection)
    assert plain(DOORS[door](connection)) == usual(door)
    assert settings(connection) == before


@pytest.mark.parametrize(("zone", "value", "n"), [
    (None, 0.25, 4), ("america/los_angeles", 0.5, 11), ("UTC", 0.25, 4),
])  # fmt: skip
def test_a_day_is_one_of_utc_or_of_the_zone_that_is_asked_for(zone: str | None, value: float, n: int) -> None:
    """Scores rise with time, and labels alternate from 1 on: counted by hand for 4 and 11 hours."""
    connection = session("TimeZone = 'Asia/Tokyo'")
    where = {"predictions": "ts < DATE '2024-03-31'"}
    found = duckmetrics.evaluate(DAYS, metrics="auc", where=where, connection=connection, time_zone=zone)
    assert (found["auc"], found.rows[0]["n"]) == (value, n)
    named = "America/Los_Angeles" if zone and "los" in zone else "UTC"
    assert f"|time_zone:{named}|" in found.rows[0]["signature"]
    assert f"days and hours of slices and conditions are those of {named}" in "".join(found.notes)
    assert found.sql.startswith(f"SET TIME ZONE '{named}';")


def test_a_day_that_nobody_has_yet_in_a_zone() -> None:
    where = {"predictions": "ts < DATE '2024-03-31'"}
    with pytest.raises(InputError, match="no row is left"):
        duckmetrics.evaluate(DAYS, metrics="auc", where=where, time_zone="Asia/Tokyo")


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(
        InputError, match="time_zone='Asia/Tokio': no such time zone; did you mean 'Asia/Tokyo'"
    ):
        duckmetrics.evaluate(DAYS, metrics="auc", time_zone="Asia/Tokio")


@pytest.mark.parametrize("by", ["ts", "ts AT TIME ZONE 'Asia/Tokyo' AS t", "label = 1 AS y"])
def test_the_zone_is_said_only_where_it_matters(by: str) -> None:
    found = duckmetrics.evaluate(DAYS, metrics="accuracy", by=by, time_zone="Asia/Tokyo")
    assert "time_zone" not in found.rows[0]["signature"]
    assert "days and hours" not in "".join(found.notes)


def test_results_of_other_zones_are_other_conventions() -> None:
    found = {
        zone: duckmetrics.evaluate(DAYS, metrics="auc", by="CAST(ts AS DATE) AS day", time_zone=zone).rows[0][
            "signature"
        ]
        for zone in ("UTC", "Asia/Tokyo")
    }
    one, other = map(duckmetrics.Signature.parse, found.values())
    assert one.differences(other) == {"time_zone": ("UTC", "Asia/Tokyo")}
    assert "time_zone" not in one.spec


@pytest.mark.parametrize("scope", ["SESSION", "GLOBAL"])
def test_a_setting_has_the_value_of_before_in_every_session(scope: str) -> None:
    """A value for all sessions stays one, which others may change later."""
    connection = duckdb.connect()
    for setting in ("TimeZone = 'Asia/Tokyo'", "default_null_order = 'nulls_first'"):
        connection.execute(f"SET {scope} {setting}")
    connection.execute(DATA)
    duckmetrics.evaluate("clicks", metrics="auc", connection=connection)
    names = ["TimeZone", "default_null_order"]
    query = "SELECT value, scope FROM duckdb_settings() WHERE list_contains(?, name) ORDER BY name ASC"
    (zone, _), order = connection.execute(query, [names]).fetchall()
    assert zone == "Asia/Tokyo"
    assert order == ("NULLS_FIRST", "LOCAL" if scope == "SESSION" else "GLOBAL")


def test_an_error_in_a_transaction_of_the_caller_leaves_no_setting_changed() -> None:
    """A setting cannot be put back in an aborted transaction; the caller can only roll it back, as before."""
    connection = session("TimeZone = 'Asia/Tokyo'")
    before = settings(connection)
    connection.execute("BEGIN; CREATE TABLE made AS SELECT 1 AS x")
    with pytest.raises(InputError, match="boo"):
        duckmetrics.evaluate(
            "clicks", metrics="auc", where={"predictions": "error('boo') = 1"}, connection=connection
        )
    with pytest.raises(duckdb.TransactionException, match="ROLLBACK"):
        connection.execute("SELECT 1")
    connection.execute("ROLLBACK")
    assert settings(connection) == before
    with pytest.raises(duckdb.CatalogException):
        connection.execute("FROM made")


@pytest.mark.parametrize(("setting", "advice"), [
    ("TimeZone = 'Asia/Tokyo'", r"write time_zone='Asia/Tokyo' \(--time-zone Asia/Tokyo\)"),
    ("integer_division = true", "run SET integer_division = 'false' before its configuration is locked"),
])  # fmt: skip
def test_a_locked_configuration_that_would_change_numbers_is_refused(setting: str, advice: str) -> None:
    connection = session(setting)
    connection.execute("SET lock_configuration = true")
    with pytest.raises(InputError, match=advice):
        duckmetrics.evaluate("clicks", metrics="auc", connection=connection)
    if "TimeZone" in setting:
        found = duckmetrics.evaluate("clicks", metrics="auc", connection=connection, time_zone="Asia/Tokyo")
        assert found.rows[0]["n"] == 90


def test_what_is_read_after_the_call_has_the_settings_of_the_call() -> None:
    connection = session("TimeZone = 'Asia/Tokyo'")
    found = duckmetrics.evaluate(*RANKED, "mrr", by="ts", queries="queries", connection=connection)
    assert str(found.per_query.schema.field("ts").type) == "timestamp[us, tz=UTC]"
    assert connection.execute("SELECT current_setting('TimeZone')").fetchall() == [("Asia/Tokyo",)]


def test_the_slice_of_nan_is_found_by_nan() -> None:
    rows = (
        "SELECT i % 3 = 0 AS label, i / 20 AS score, CASE WHEN i < 8 THEN 'nan' ELSE '1' END::DOUBLE AS num"
    )
    found = duckmetrics.evaluate(f"{rows} FROM range(20) AS t (i)", metrics="auc", by="num")
    assert found.value("auc", num=math.nan) == [row["value"] for row in found.rows if row["num"] != 1.0][-1]
    with pytest.raises(MetricError, match=r"no slice num=2.0"):
        found.value("auc", num=2.0)
