"""The macro `compare_classification` gives the rows of `duckmetrics.compare` for classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from support.cases import ROOT
from support.duckdb_shell import connected, refusal, rows, same, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

pytestmark = pytest.mark.engine

# Scores have ties, some countries are NULL, and users have different numbers of rows. All rows of a user are
# in one group. D has the scores of A; in E, one user has other scores; no score of F says anything.
TABLES = """
    CREATE TABLE clicks AS
    SELECT
        model, "User Id", "User Id" AS g, country, day, w, label,
        CASE model
            WHEN 'A' THEN score WHEN 'D' THEN score WHEN 'F' THEN 0.5
            WHEN 'E' THEN CASE WHEN "User Id" = 3 THEN 1 - score ELSE score END
            ELSE (hash(model || id) % 20)::DOUBLE / 20 * 0.5 + score * 0.4
        END AS score
    FROM (
        SELECT
            id, (id * id) % 23 AS "User Id", 1 + id % 3 AS w,
            CASE WHEN id % 23 > 3 THEN ['DE', 'US', 'FR'][1 + ((id * id) % 23) % 3] END AS country,
            DATE '2026-01-01' + (id % 2)::INTEGER AS day, (hash(id) % 20)::DOUBLE / 20 AS score,
            (hash(id * 31) % 20 < hash(id) % 25)::INTEGER AS label
        FROM range(400) AS ids(id)
    )
    CROSS JOIN (VALUES ('A'), ('BB'), ('C'), ('D'), ('E'), ('F')) AS models(model);
    CREATE TABLE useful AS FROM clicks WHERE model <> 'F';
    CREATE TABLE one_class AS SELECT * REPLACE (1 AS label) FROM clicks;
    CREATE TABLE one_user AS FROM clicks WHERE "User Id" = 4;
    CREATE TABLE two_users AS FROM clicks WHERE "User Id" IN (4, 9);
    CREATE TABLE shop AS
    SELECT 'old' AS model, clicked, pctr, user_id, device FROM '{0}/data/shop/impressions.parquet'
    UNION ALL
    SELECT 'new', clicked, least(pctr * (1 + (user_id % 7) / 20), 1), user_id, device
    FROM '{0}/data/shop/impressions.parquet'
"""
# Column of Python -> argument of the macro, where the names differ.
NAMED = {"interval": "level"}
EXPRESSIONS = ("weight", "group_id")
# Columns of rankings and of the bootstrap.
ABSENT = {"interval_method", "resamples", "seed"}
SYSTEMS = {"system": "model", "baseline": "A", "cluster": "User Id"}
METRICS = ["auc", "log_loss", "ne", "brier", "rmse", "calibration_ratio", "f1", "mcc", "accuracy", "kappa"]
REST = ["gini", "rig", "base_entropy", "ctr", "brier_skill", "copc", "fnr", "fpr", "mae", "npv", "precision",
        "recall", "specificity", "balanced_accuracy"]  # fmt: skip


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute(TABLES.format(ROOT))
        yield connection


def assert_agrees(
    session: duckdb.DuckDBPyConnection,
    metrics: list[str],
    data: str = "clicks",
    label: str = "label",
    score: str = "score",
    rel: float = 1e-9,
    **options: Any,
) -> list[dict[str, Any]]:
    """Check that every column of the macro has the value of Python, in the order of Python."""
    told = {n: value if n in EXPRESSIONS else written(value) for n, value in options.items()}
    given = "".join(f', "{NAMED.get(n, n)}" := {value}' for n, value in told.items())
    found = rows(session, f"FROM compare_classification({data}, {label}, {score}, {written(metrics)}{given})")
    columns = {"label": label, "score": score, **{n: options.pop(n) for n in EXPRESSIONS if n in options}}
    by = options.pop("by", None)
    comparison = duckmetrics.compare(
        data, None, metrics, connection=session, by=by and [by.split(", ")], columns=columns,
        weighted="weight" in columns, **options,
    )  # fmt: skip
    assert [name for name in comparison.summary.column_names if name not in ABSENT] == list(found[0])
    assert len(found) == comparison.summary.num_rows
    for row, wanted in zip(found, comparison.summary.to_pylist(), strict=True):
        wrong = {n: (row[n], wanted[n]) for n in row if not _close(row[n], wanted[n], rel)}
        assert not wrong, (row["system"], row["metric"], row["slice"], wrong)
    return found


def _close(found: Any, wanted: Any, rel: float) -> bool:
    if isinstance(wanted, float) and found is not None:
        return bool(found == pytest.approx(wanted, rel=rel, abs=1e-11))
    return same(found, wanted)


@pytest.mark.slow
def test_several_systems(session: duckdb.DuckDBPyConnection) -> None:
    found = assert_agrees(session, METRICS[:2], **SYSTEMS)
    assert [row["system"] for row in found[:6]] == ["A", "BB", "C", "D", "E", "F"]
    assert {"baseline", "better", "worse", "unclear"} >= {row["verdict"] for row in found}
    alike = next(row for row in found if row["system"] == "D")
    assert (alike["delta"], alike["p"], alike["verdict"]) == (0, 1, "unclear")


@pytest.mark.slow
@pytest.mark.parametrize("metrics", [METRICS, REST])
@pytest.mark.parametrize("weight", [None, "w"])
def test_metrics(session: duckdb.DuckDBPyConnection, metrics: list[str], weight: str | None) -> None:
    # The interval of a change by exactly -100 % is rounding, which differs between any two queries.
    assert_agrees(session, metrics, "useful", **SYSTEMS, **({"weight": weight} if weight else {}))


@pytest.mark.slow
def test_the_shop(session: duckdb.DuckDBPyConnection) -> None:
    options = {"system": "model", "baseline": "old", "cluster": "user_id", "by": "device"}
    # A jackknife multiplies the rounding of a difference by the number of users, in Python too.
    metrics = ["auc", "log_loss", "calibration_ratio"]
    found = assert_agrees(session, metrics, "shop", "clicked", "pctr", rel=1e-7, **options)
    assert {"worse", "unclear"} <= {row["verdict"] for row in found}


@pytest.mark.slow
@pytest.mark.parametrize("by", ["country", "country, day"])
def test_slices(session: duckdb.DuckDBPyConnection, by: str) -> None:
    found = assert_agrees(session, METRICS[:3], by=by, **SYSTEMS)
    assert {row["country"] for row in found if row["slice"]} == {"DE", "US", "FR", None}


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"adjust": "benjamini_yekutieli", "interval": 0.9}, {"adjust": "none", "alpha": 0.2, "power": 0.5},
        {"threshold": 0.3, "eps": 0.01, "base_rate": 0.2}, {"undefined": "zero"},
    ],
)  # fmt: skip
def test_options(session: duckdb.DuckDBPyConnection, options: dict[str, Any]) -> None:
    metrics = ["auc", "f1"] if "undefined" in options else ["f1", "log_loss", "ne"]
    assert_agrees(session, metrics, **SYSTEMS, **options)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["impressions", "uniform"])
def test_groups(session: duckdb.DuckDBPyConnection, average: str) -> None:
    assert_agrees(session, ["gauc"], group_id="g", average=average, **SYSTEMS)


@pytest.mark.slow
@pytest.mark.parametrize("data", ["one_class", "one_user", "two_users"])
def test_metrics_without_a_test(session: duckdb.DuckDBPyConnection, data: str) -> None:
    found = assert_agrees(session, ["auc", "log_loss", "recall", "precision"], data, **SYSTEMS)
    assert any(row["reason"] for row in found)


A = "system := 'model', baseline := 'A'"
MISTAKES = [
    ("'auc'", "baseline := 'A', cluster := 'g'", "name the column with system := ..."),
    ("'auc'", "system := 'model', cluster := 'g'", "baseline is missing; choose A, BB"),
    ("'auc'", "system := 'model', baseline := 'B', cluster := 'g'", "baseline 'B' is no system; there are A"),
    ("'auc'", A, "name the column of independent units, such as users, with cluster := "),
    ("'auc'", f"{A}, cluster := 'gg'", "no column 'gg'; name it with cluster := ..."),
    ("'auc'", f"{A}, cluster := 'country'", "column 'country' is NULL for"),
    ("'auc'", f"{A}, cluster := 'g', adjust := 'x'", "adjust cannot be 'x'; choose"),
    ("'auk'", f"{A}, cluster := 'g'", "did you mean 'auc'?"),
    (
        "'ece'",
        f"{A}, cluster := 'g'",
        "compare it on bootstrap samples: duckmetrics.compare(..., interval_method=",
    ),
    ("'spiegelhalter_z'", f"{A}, cluster := 'g'", "it is a test statistic, which estimates nothing"),
    ("'gauc'", f"{A}, cluster := 'g', group_id := day", "groups of group_id have rows in several 'g'"),
    ("'auc'", f"{A}, cluster := 'g', by := 'delta'", "by: results have a column 'delta' of their own"),
    ("'auc'", "'A'", "was passed without its name"),
]


@pytest.mark.some(0)
@pytest.mark.parametrize(("metrics", "options", "said"), MISTAKES)
def test_mistakes(session: duckdb.DuckDBPyConnection, metrics: str, options: str, said: str) -> None:
    call = f"compare_classification(clicks, label, score, {metrics}, {options})"
    assert said in refusal(session, f"FROM {call}")


@pytest.mark.slow
def test_systems_with_other_rows_are_refused(session: duckdb.DuckDBPyConnection) -> None:
    data = "'FROM clicks WHERE model <> ''BB'' OR \"User Id\" <> 4 OR label = 1'"
    given = "system := 'model', baseline := 'A', cluster := 'user id'"
    told = refusal(session, f"FROM compare_classification({data}, label, score, 'auc', {given})")
    differs = "1 clusters of user id have other rows, labels, weights or groups"
    assert f"BB and A have values of different rows: {differs}" in told
