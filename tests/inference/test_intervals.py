"""Intervals: against scipy, textbook formulas, and numerical derivatives of the plain reference."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.reference import classification as scalar
from duckmetrics.reference.observation import Observation
from support.cases import CATALOG, ROOT
from support.classification import METRICS, PLAIN
from support.intervals import LOG, drawing, fewer, load_log, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics import Evaluation

pytestmark = pytest.mark.engine

FIXTURE = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))
DELONG = FIXTURE["delong_auc"]


@pytest.fixture(scope="module")
def connection() -> Any:
    with duckdb.connect() as connection:
        load_log(connection)
        values = zip(*(DELONG["inputs"][name] for name in ("label", "score1", "user")), strict=True)
        connection.execute("CREATE TABLE delong (label INT, score DOUBLE, user_id INT)")
        connection.executemany("INSERT INTO delong VALUES (?, ?, ?)", list(values))
        yield connection


def bounds(result: Evaluation, metric: str, **where: Any) -> tuple[float, float]:
    (row,) = (
        row for row in result.rows
        if row["metric"] == metric and all(row[name] == value for name, value in where.items())
    )  # fmt: skip
    return row["lower"], row["upper"]


def student(values: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    mean, error = fmean(values), stdev(values) / math.sqrt(len(values))
    return scipy.stats.t.interval(level, len(values) - 1, mean, error)


# --- classifiers ---------------------------------------------------------------------------------


def influences(
    rows: Sequence[Observation], units: Sequence[Any], value: Callable[[Sequence[Observation]], float | None]
) -> list[float]:
    """Return the derivative of the value by the weight of each unit, by differences of the 4th order."""

    def at(unit: Any, step: float) -> float:
        moved = [
            replace(row, weight=row.weight * (1 + step)) if of == unit else row
            for row, of in zip(rows, units, strict=True)
        ]
        found = value(moved)
        assert found is not None
        return found

    def slope(unit: Any, step: float) -> float:
        return (at(unit, step) - at(unit, -step)) / (2 * step)

    return [(4 * slope(unit, 1e-3) - slope(unit, 2e-3)) / 3 for unit in dict.fromkeys(units)]


def expected_bounds(
    value: float, moved: Sequence[float], scale: str = "mean", level: float = 0.95
) -> tuple[float, float]:
    """Return the bounds for independent rows, on the scale of the metric."""
    m = len(moved)
    mean = fmean(moved)
    error = math.sqrt(m / (m - 1) * math.fsum((x - mean) ** 2 for x in moved))
    if scale == "proportion":
        # Wilson's interval is of all trials: the variance is divided by m, not by m - 1.
        return wilson(value, value * (1 - value) / error**2 * m / (m - 1), level)
    if scale == "logit":
        return logit(value, error, fewer(m - 1, moved), level)
    return scipy.stats.t.interval(level, m - 1, value, error)


def logit(value: float, error: float, df: float, level: float = 0.95) -> tuple[float, float]:
    center, slope = math.log(value / (1 - value)), 1 / (value * (1 - value))
    lower, upper = scipy.stats.t.interval(level, df, center, error * slope)
    return 1 / (1 + math.exp(-lower)), 1 / (1 + math.exp(-upper))


@pytest.mark.slow
def test_every_interval_of_rows_is_that_of_the_numerical_derivative(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    """The reference knows no sums: its numerical derivatives equal those of the SQL.

    The interval of AUC and Gini follows DeLong, with its own factor.
    """
    rows = [Observation(y, s, w) for _, _, y, s, w in LOG[:60]]
    result = duckmetrics.evaluate(
        "SELECT label, score, weight FROM weighted LIMIT 60", connection=connection, interval=0.95,
        metrics=[spec for spec in PLAIN if "gauc" not in spec],
    )  # fmt: skip
    tried = 0
    for row in result.rows:
        measure = parse_measure(CATALOG, row["metric"])
        if row["lower"] is None or measure.metric.name in ("auc", "gini"):
            continue
        function = getattr(scalar, measure.metric.name)
        own = {name: measure.values[name] for name in measure.metric.own_params}
        params = {name: value for name, value in own.items() if value is not None}
        moved = influences(rows, range(len(rows)), lambda rows: function(rows, **params))  # noqa: B023
        expected = expected_bounds(row["value"], moved, measure.metric.header.get("interval", "mean"))
        assert (row["lower"], row["upper"]) == pytest.approx(expected, rel=1e-7), row
        tried += 1
    told = [finding.message for finding in result.checks if "has no interval" in finding.message]
    assert tried >= 20
    assert tried + len(told) + 3 == len(METRICS)


def test_auc_of_rows_after_delong(connection: duckdb.DuckDBPyConnection) -> None:
    """The bounds are computed as log odds, so they stay between 0 and 1."""
    expected = DELONG["expected"]
    result = duckmetrics.evaluate(
        "SELECT label, score FROM delong", metrics=["auc", "gini"], connection=connection, interval=0.95
    )
    lower, upper = bounds(result, "auc")
    assert (lower, upper) == pytest.approx(
        logit(expected["auc1"], math.sqrt(expected["var1"]), 15), rel=1e-12
    )
    assert bounds(result, "gini") == pytest.approx((2 * lower - 1, 2 * upper - 1), rel=1e-12)
    assert "16 rows; if several belong to one user, say so with cluster=" in " ".join(str(result).split())


@pytest.mark.slow
def test_slices_and_systems_have_intervals_of_their_own(connection: duckdb.DuckDBPyConnection) -> None:
    specs = ["auc", "log_loss", "recall"]
    specs = [spec if spec != "recall" else "classification.recall" for spec in specs]
    sliced = duckmetrics.evaluate(
        {"one": "log", "two": "SELECT * REPLACE (1 - score AS score) FROM log"}, metrics=specs,
        connection=connection, by=["country"], interval=0.95, cluster="user_id",
    )  # fmt: skip
    assert all(row["lower"] < row["value"] < row["upper"] for row in sliced.rows)
    for country in "AB":
        alone = duckmetrics.evaluate(
            f"SELECT * FROM log WHERE country = '{country}'", metrics=specs, connection=connection,
            interval=0.95, cluster="user_id",
        )  # fmt: skip
        for spec in specs:
            assert bounds(sliced, spec, system="one", country=country) == pytest.approx(
                bounds(alone, spec), rel=1e-11
            )
    lower, upper = bounds(sliced, "auc", system="one", slice="")
    assert bounds(sliced, "auc", system="two", slice="") == pytest.approx((1 - upper, 1 - lower), rel=1e-11)


@pytest.mark.slow
def test_clusters_are_found(connection: duckdb.DuckDBPyConnection) -> None:
    """A mapped cluster comes first, then the group, then the query; otherwise, the rows."""
    asked = duckmetrics.evaluate(
        "log", metrics="log_loss", connection=connection, interval=0.95, cluster="user_id"
    )
    for column in ("cluster_id", "group_id", "query_id"):
        found = duckmetrics.evaluate(
            "log", metrics="log_loss", connection=connection, interval=True, columns={column: "user_id"}
        )
        assert bounds(found, "log_loss") == pytest.approx(bounds(asked, "log_loss"), rel=1e-13)
    by_row = duckmetrics.evaluate("log", metrics="log_loss", connection=connection, interval=0.95)
    rows = [Observation(y, s) for _, _, y, s, _ in LOG]
    losses = [scalar.log_loss([row]) for row in rows]
    assert bounds(by_row, "log_loss") == pytest.approx(student(losses), rel=1e-10)  # type: ignore[arg-type]
    assert asked.rows[0]["upper"] > by_row.rows[0]["upper"]


@pytest.mark.slow
@pytest.mark.parametrize(("metrics", "resamples", "words"), [
    ("auc", None, "bootstrap of 10,000 resamples over"),
    ("max_f1", None, "bootstrap of 1,000 resamples"),
    ("auc, max_f1", None, "bootstrap of 10,000 resamples (1,000 for metrics that are computed again"),
    ("auc, max_f1", 50, "bootstrap of 50 resamples over"),
])  # fmt: skip
def test_the_note_has_the_numbers_of_resamples_that_were_drawn(
    connection: duckdb.DuckDBPyConnection, metrics: str, resamples: int | None, words: str
) -> None:
    result = duckmetrics.evaluate(
        "log", metrics=metrics, connection=connection, interval=0.9, interval_method="bootstrap",
        cluster="user_id", resamples=resamples,
    )  # fmt: skip
    assert any(words in finding.message for finding in result.checks)


@pytest.mark.slow
def test_a_bootstrap_takes_metrics_without_derivatives_as_a_whole(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    """This test draws the same samples again, and the reference has the same percentiles."""
    specs = ["average_precision", "max_f1", "r2"]
    specs = [f"classification.{spec}" for spec in specs]
    result = duckmetrics.evaluate(
        "log", metrics=[*specs, "log_loss"], connection=connection, interval=0.9, interval_method="bootstrap",
        cluster="user_id", resamples=60, seed=5, by=["country"],
    )  # fmt: skip
    draws = connection.execute(
        "SELECT draw, list({'user': u, 'w': (hash(hash(u, draw, 5)) >> 11)::DOUBLE / 2**53}) "
        "FROM range(60) AS t(draw), (SELECT DISTINCT user_id AS u FROM log) GROUP BY draw"
    ).fetchall()
    for country in (None, "A"):
        rows = [row for row in LOG if country in (None, row[1])]
        values: dict[str, list[float]] = {spec: [] for spec in specs}
        for _, weights in draws:
            copies = {weight["user"]: int(scipy.stats.poisson.ppf(weight["w"], 1)) for weight in weights}
            sample = [Observation(y, s) for user, _, y, s, _ in rows for _ in range(copies[user])]
            for spec in specs:
                value = getattr(scalar, spec.removeprefix("classification."))(sample)
                if value is not None:
                    values[spec].append(value)
        for spec in specs:
            expected = np.quantile(values[spec], [0.05, 0.95])
            found = bounds(result, spec, slice="" if country is None else "country", country=country)
            assert found == pytest.approx(tuple(expected), rel=1e-9), spec
    assert "has no interval" not in str(result)
    assert None not in bounds(result, "log_loss", slice="")


@pytest.mark.slow
def test_where_nothing_varies_there_is_no_interval(connection: duckdb.DuckDBPyConnection) -> None:
    """AUC 1 has variance 0 by the formula, which does not prove certainty; one class has no interval."""
    perfect = (
        "SELECT * FROM (VALUES (1, 0.9, 1), (1, 0.8, 2), (0, 0.2, 1), (0, 0.1, 3)) AS t(label, score, u)"
    )
    for cluster in ("u", None):
        result = duckmetrics.evaluate(
            perfect, metrics=["auc", "log_loss"], connection=connection, interval=0.95, cluster=cluster
        )
        assert result["auc"] == 1.0
        assert bounds(result, "auc") == (None, None)
        assert "no interval: no unit differs from the others" in result.rows[0]["reason"]
        assert None not in bounds(result, "log_loss")
    one = "SELECT * FROM (VALUES (1, 0.9, 1), (1, 0.8, 2)) AS t(label, score, u)"
    result = duckmetrics.evaluate(one, metrics=["auc", "brier"], connection=connection, interval=0.95)
    assert bounds(result, "auc") == (None, None)
    assert bounds(result, "brier") == pytest.approx(student([0.01, 0.04]), rel=1e-10)


@pytest.mark.slow
def test_one_positive_tells_nothing_of_others(connection: duckdb.DuckDBPyConnection) -> None:
    """Positives of one user give no interval; with constant scores, rounding gives none either."""
    rows = "SELECT {} AS label, {} AS score, i % 50 AS u FROM range(200) AS t(i)"
    for label, score, cluster in (
        ("(i = 7)::INT", "i / 200", "u"), ("(i = 7)::INT", "i / 200", None),
        ("(i % 50 = 7)::INT", "i / 200", "u"), ("i % 2", "0.1", "u"),
    ):  # fmt: skip
        result = duckmetrics.evaluate(
            rows.format(label, score), metrics="auc", connection=connection, interval=0.95, cluster=cluster
        )
        assert result["auc"] is not None
        assert bounds(result, "auc") == (None, None), (label, cluster)


@pytest.mark.slow
def test_rows_that_come_in_another_order_each_time(connection: duckdb.DuckDBPyConnection) -> None:
    """The columns that identify rows are fixed once."""
    table = (
        "(SELECT i, i % 4 AS part, (i * 7919 % 97 < 30)::INT AS label, (i * 31 % 89) / 89 AS score "
        "FROM range(4000) AS t(i))"
    )
    ordered = [f"SELECT * FROM {table} ORDER BY {order}" for order in ("i", "random()")]
    specs = ["auc", "log_loss(eps=1e-3)"]
    fixed, moving = (
        duckmetrics.evaluate(query, metrics=specs, connection=connection, interval=0.95, by=["part"])
        for query in ordered
    )
    for one, other in zip(fixed.rows, moving.rows, strict=True):
        assert (one["lower"], one["upper"]) == pytest.approx((other["lower"], other["upper"]), rel=1e-10)


# --- rankings ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rankings() -> Any:
    """Create two systems, 120 queries of 24 users in three countries, one unknown; few relevant items."""
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")  # random() depends on the order of the rows
        connection.execute("SELECT setseed(0.3)")
        connection.execute(
            "CREATE TABLE predictions AS SELECT s AS system, q AS query_id, i AS item_id, random() AS score "
            "FROM (VALUES ('A'), ('B')) AS t(s), range(120) AS u(q), range(12) AS v(i) "
            "WHERE s = 'A' OR q <> 5"
        )
        connection.execute(
            "CREATE TABLE truth AS SELECT q AS query_id, i AS item_id, (random() < 0.15)::INT AS relevance, "
            "q // 5 AS user_id, CASE q % 3 WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' END AS country "
            "FROM range(120) AS u(q), range(12) AS v(i)"
        )
        connection.execute("RESET threads")
        yield connection


@pytest.mark.slow
def test_the_interval_of_a_mean_over_queries(rankings: duckdb.DuckDBPyConnection) -> None:
    result = duckmetrics.evaluate(
        "predictions", "truth", ["ndcg@10", "mrr"], system="system", connection=rankings, by=["country"],
        interval=0.9,
    )  # fmt: skip
    values: dict[Any, list[float]] = {}
    for row in result.per_query.to_pylist():
        if row["value"] is not None:
            values.setdefault((row["system"], row["metric"], row["country"]), []).append(row["value"])
            values.setdefault((row["system"], row["metric"], ""), []).append(row["value"])
    assert len(result.rows) == 16
    for row in result.rows:
        country = row["country"] if row["slice"] else ""
        expected = student(values[row["system"], row["metric"], country], 0.9)
        assert (row["lower"], row["upper"]) == pytest.approx(expected, rel=1e-12)
        assert row["lower"] < row["value"] < row["upper"]


@pytest.mark.slow
def test_queries_of_one_user_are_no_independent_witnesses(rankings: duckdb.DuckDBPyConnection) -> None:
    """The jackknife over users has the effective degrees of freedom of users of unequal size."""
    result = duckmetrics.evaluate(
        "predictions",
        "truth",
        "ndcg@10",
        system="system",
        connection=rankings,
        interval=0.95,
        cluster="user_id",
    )
    sums: dict[str, dict[int, list[float]]] = {"A": {}, "B": {}}
    for row in result.per_query.to_pylist():
        if row["value"] is not None:
            sums[row["system"]].setdefault(row["query_id"] // 5, []).append(row["value"])
    for system, users in sums.items():
        n, total = (sum(f(v) for v in users.values()) for f in (len, math.fsum))
        rest = [(total - math.fsum(v)) / (n - len(v)) for v in users.values()]
        m, mean = len(users), fmean(rest)
        error = math.sqrt((m - 1) / m * math.fsum((r - mean) ** 2 for r in rest))
        effective = n * n / sum(len(v) ** 2 for v in users.values())
        expected = scipy.stats.t.interval(0.95, effective - 1, total / n, error)
        assert bounds(result, "ndcg@10", system=system) == pytest.approx(expected, rel=1e-12)
    assert "24 clusters of user_id" in str(result)


@pytest.mark.slow
def test_bootstrap_is_deterministic_and_near_the_t_interval(rankings: duckdb.DuckDBPyConnection) -> None:
    def found(method: str = "bootstrap", **options: Any) -> tuple[float, float]:
        result = duckmetrics.evaluate(
            "SELECT * FROM predictions WHERE system = 'A'", "truth", "ndcg@10", connection=rankings,
            interval=0.95, interval_method=method, **drawing(method, 2000), **options,
        )  # fmt: skip
        return bounds(result, "ndcg@10")

    once = found()
    assert found(threads=1) == pytest.approx(once, rel=1e-12)
    assert found(seed=7) != once
    lower, upper = found("t")
    assert once == pytest.approx((lower, upper), abs=0.1 * (upper - lower))


def test_a_sum_has_no_interval(rankings: duckdb.DuckDBPyConnection) -> None:
    result = duckmetrics.evaluate(
        "predictions",
        "truth",
        ["mrr(agg=sum)", "mrr"],
        system="system",
        connection=rankings,
        interval=0.95,
    )
    assert bounds(result, "mrr(agg=sum)", system="A") == (None, None)
    assert None not in bounds(result, "mrr", system="A")
    assert "mrr(agg=sum): has no interval: it is the sum of the queries, not their mean" in str(result)


@pytest.mark.slow
def test_one_query_has_no_interval_and_equal_ones_a_narrow_one(rankings: duckdb.DuckDBPyConnection) -> None:
    one = duckmetrics.evaluate(
        "SELECT 1 AS query_id, 1 AS item_id, 1.0 AS score", "SELECT 1 AS query_id, 1 AS item_id", "mrr",
        interval=0.95,
    )  # fmt: skip
    assert one["mrr"] == 1
    assert bounds(one, "mrr") == (None, None)
    two = duckmetrics.evaluate(
        "SELECT unnest([1, 2]) AS query_id, 1 AS item_id, 1.0 AS score",
        "SELECT unnest([1, 2]) AS query_id, 1 AS item_id", "mrr", interval=0.95,
    )  # fmt: skip
    assert bounds(two, "mrr") == pytest.approx(wilson(1, 2))
    assert "only 2 queries" in str(two)


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": 95}, "interval=95: no level of confidence between 0 and 1; write 0.95"),
        ({"interval": 0}, "interval=0: no level"),
        ({"interval": "high"}, "interval='high': no level"),
        ({"interval": math.nan}, "no level"),
        ({"interval": 0.95, "interval_method": "bootstap"}, "did you mean 'bootstrap'?"),
        ({"cluster": "user_id"}, "add interval=0.95"),
        ({"interval_method": "bootstrap"}, "add interval=0.95"),
        ({"interval": 0.95, "resamples": 0}, "resamples=0"),
        ({"interval": 0.95, "resamples": 1.5}, "resamples=1.5"),
        ({"interval": 0.95, "seed": "x"}, "seed='x'"),
    ],
)
def test_what_cannot_be_read(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError) as caught:
        duckmetrics.evaluate("SELECT 1 AS label, 0.5 AS score", metrics="brier", **options)
    assert message in str(caught.value)


def test_clusters_must_be_there(
    connection: duckdb.DuckDBPyConnection, rankings: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(InputError, match="no column 'user'"):
        duckmetrics.evaluate("log", metrics="auc", connection=connection, interval=0.95, cluster="user")
    with pytest.raises(InputError, match=r"cluster: no table has a column 'user'.*did you mean 'user_id'"):
        duckmetrics.evaluate(
            "predictions", "truth", "mrr", system="system", connection=rankings, interval=0.95, cluster="user"
        )
    with pytest.raises(InputError, match="'user_id' is NULL for 3 rows; give every one a value"):
        duckmetrics.evaluate(
            "SELECT * REPLACE (CASE WHEN user_id > 0 THEN user_id END AS user_id) FROM log WHERE user_id > 0 "
            "UNION ALL SELECT NULL, 'A', 1, 0.5 FROM range(3)",
            metrics="auc", connection=connection, interval=0.95, cluster="user_id",
        )  # fmt: skip
    with pytest.raises(InputError, match="groups of 'user_id' have rows in several 'i'; leave"):
        duckmetrics.evaluate(
            "SELECT *, row_number() OVER () % 3 AS i FROM log", metrics="gauc", connection=connection,
            interval=0.95, cluster="i", columns={"group_id": "user_id"},
        )  # fmt: skip
    with pytest.raises(InputError, match=r"'country' is NULL for .* queries"):
        duckmetrics.evaluate(
            "predictions",
            "truth",
            "mrr",
            system="system",
            connection=rankings,
            interval=0.95,
            cluster="country",
        )


@pytest.mark.some(1)
@pytest.mark.parametrize("sign", [1, -1])
def test_auc_next_to_an_end_keeps_its_digits(sign: int) -> None:
    """Three of 1,000 positives are below one, two and four negatives: AUC is 1 minus seven millionths."""
    n, below = 1000, {0: 1, 1: 2, 2: 4}
    positives = [-below[i] + 0.5 if i in below else 1.0 for i in range(n)]
    negatives = [-float(j) for j in range(n)]
    lost = [below.get(i, 0) / n for i in range(n)]
    found = [sum(b > j for b in below.values()) / n for j in range(n)]
    missing = math.fsum(lost) / n
    variance = stdev(lost) ** 2 / n + stdev(found) ** 2 / n
    moved = [x - missing for x in (*lost, *found)]
    half = scipy.stats.t.isf(0.025, fewer(2 * n - 1, moved)) * math.sqrt(variance) / (missing * (1 - missing))
    log_odds = math.log(missing / (1 - missing))
    ends = [1 / (1 + math.exp(-log_odds + side * half)) for side in (1, -1)]
    rows = pa.table({"label": [1] * n + [0] * n, "score": [sign * s for s in (*positives, *negatives)]})
    (row,) = duckmetrics.evaluate(rows, metrics="auc", interval=0.95).rows
    if sign > 0:
        ends = [1 - end for end in reversed(ends)]
    assert [row["lower"], row["upper"]] == pytest.approx(ends, rel=1e-9)
