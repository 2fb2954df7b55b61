"""Messages about rows that cannot be evaluated, and the meaning of a name that two families share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.errors import DuckmetricsError
from support.bad_rows import CASES, NULL_SCORE, PROBABILITY, TABLES, Case
from support.cases import CATALOG, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

FORM = re.compile(r".+: .+; .+")


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for name, query in TABLES.items():
            connection.execute(f"CREATE VIEW {name} AS {query}")
        yield connection


def evaluation(
    connection: duckdb.DuckDBPyConnection, table: str | None, metrics: Any, truth: Any = None, **options: Any
) -> duckmetrics.Evaluation:
    return duckmetrics.evaluate(table, truth, metrics, connection=connection, **options)


@pytest.mark.some(7)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bad_rows_are_named_with_what_to_do_next(connection: duckdb.DuckDBPyConnection, case: Case) -> None:
    table, metric, options, message = case
    with pytest.raises(InputError) as caught:
        evaluation(connection, None if isinstance(options.get("system"), dict) else table, metric, **options)
    assert str(caught.value) == message
    assert FORM.fullmatch(message)


def test_a_table_of_rows_is_checked_as_a_metric_is(connection: duckdb.DuckDBPyConnection) -> None:
    for table, name, message in (
        ("no_probability", "calibration_curve", PROBABILITY),
        ("null_score", "roc_curve", NULL_SCORE),
        ("null_group", "group_auc", CASES["NULL group"][3]),
        ("no_group", "group_auc", CASES["missing group"][3]),
    ):
        with pytest.raises(InputError) as caught:
            duckmetrics.curve(table, name, connection=connection)
        assert str(caught.value) == message


def test_several_errors_are_told_at_once(connection: duckdb.DuckDBPyConnection) -> None:
    rows = "SELECT NULL::INTEGER AS label, 0.5 AS score, -1 AS weight UNION ALL SELECT 1, 1.5, NULL"
    with pytest.raises(InputError) as caught:
        evaluation(connection, rows, "log_loss")
    found = {
        re.split(r"[:(]", line.partition("': ")[2])[0].strip() for line in str(caught.value).splitlines()
    }
    assert found == {
        "1 row whose score lies outside of [0, 1], so it is not a probability",
        "1 row whose weight is NULL",
        "1 row whose label is NULL",
        "1 row whose weight is negative, NaN, infinite, above 1e250 or from 0 to 1e-150",
    }


def test_weights_whose_squares_are_0_are_refused(connection: duckdb.DuckDBPyConnection) -> None:
    """Products of such weights are 0, and with them the pairs of AUC and the effective number of units."""
    rows = "SELECT i % 2 AS label, i / 10 AS score, 1e-155 AS weight FROM range(10) AS t(i)"
    with pytest.raises(InputError, match=r"10 rows whose weight is .* from 0 to 1e-150"):
        evaluation(connection, rows, "auc")


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("table", "metric", "options"),
    [
        ("no_probability", ["auc", "ks", "accuracy(threshold=0)", "rmse", "gauc"], {}),
        ("label_2", ["rmse", "mae", "r2"], {}),
        ("mixed", ["rmse"], {}),
        ("null_weight", ["auc"], {"weighted": False}),
        ("negative_weight", ["auc", "rmse"], {"weighted": False}),
        ("text_weight", ["auc"], {"weighted": False}),
        ("null_weight", ["spiegelhalter_z"], {}),
        ("null_group", ["auc", "log_loss"], {}),
        ("no_weight", ["auc"], {"weighted": False}),
        (None, ["auc"], {"weighted": False, "system": {"A": "rows", "B": "no_weight"}}),
    ],
)
def test_what_a_metric_does_not_read_may_be_as_it_is(
    connection: duckdb.DuckDBPyConnection, table: str | None, metric: Any, options: dict[str, Any]
) -> None:
    result = evaluation(connection, table, metric, **options)
    assert all(row["value"] is not None for row in result.rows)


# --- notes and warnings ----------------------------------------------------------------------------


def test_a_note_tells_the_share_of_clipped_rows(connection: duckdb.DuckDBPyConnection) -> None:
    message = (
        "certain: column 'score': 1 row whose probability is closer to 0 or 1 than eps, so it was clipped, "
        "0.25 of all (label=1.0, score=1.0); set eps, or set eps=0 to use them unchanged"
    )
    for metric in ("log_loss", "normalized_entropy", "rig"):
        (note,) = evaluation(connection, "certain", metric).checks
        assert (note.check, note.severity, note.count) == ("clipped_probability", "note", 1)
        assert note.message == message
    for metric in ("log_loss(eps=0)", "brier", "auc"):
        assert evaluation(connection, "certain", metric).checks == ()


def test_metrics_without_a_weighted_form_warn(connection: duckdb.DuckDBPyConnection) -> None:
    unweighted = ["hosmer_lemeshow", "spiegelhalter_z", "spiegelhalter_p"]
    for metrics in (unweighted, [*unweighted, "auc"]):
        result = evaluation(connection, "rows", metrics)
        # Next to a weighted metric, a note says that the column is taken for its name.
        warned = [f for f in result.checks if f.check != "unasked_column"]
        assert [(f.check, f.severity, f.column) for f in warned] == [("unweighted", "warning", "weight")] * 3
        assert len(result.checks) - len(warned) == ("auc" in metrics)
        assert [f.message for f in warned] == [
            f"rows: column 'weight': {metric} has no weighted form and counts every row as 1; read it "
            "without weights too, or leave it out"
            for metric in unweighted
        ]
    assert evaluation(connection, "no_weight", unweighted).checks == ()
    (noted,) = evaluation(connection, "rows", ["auc", "log_loss"]).checks
    assert noted.check == "unasked_column"
    mapped = evaluation(connection, "no_weight", "spiegelhalter_z", columns={"weight": "score"})
    assert mapped.checks[0].column == "score"


# --- specs -----------------------------------------------------------------------------------------

SPECS: dict[str, str] = {
    "roc_curve": "roc_curve: 'roc_curve' is a table, not one number; read it with .table('roc_curve'), or "
    "'duckmetrics curve roc_curve' on the command line",
    "auk": "auk: unknown metric 'auk'; did you mean 'auc'?",
    "auc@10": "auc@10: auc has no cut-off; drop @10",
    "auc(agg=median)": "auc(agg=median): unknown parameter 'agg'; known: approx, undefined, weighted",
    "auc(threshold=3)": "auc(threshold=3): unknown parameter 'threshold'; known: approx, undefined, weighted",
    "auc(approx=1)": "auc(approx=1): approx is 1, but must satisfy approx > 1; write approx=2",
    "auc(approx=2.5)": "auc(approx=2.5): approx must be a whole number, got '2.5'; write approx=2",
    "lift": "lift: top is missing; write lift(top=...)",
    "classification.f_beta": "classification.f_beta: beta is missing; write f_beta(beta=...)",
    "partial_auc(max_fpr=0)": "partial_auc(max_fpr=0): max_fpr is 0, but must satisfy max_fpr > 0; write "
    "max_fpr=1",
    "ece(bins=0)": "ece(bins=0): bins is 0, but must satisfy bins > 0; write bins=10",
    "ece(binning=equal)": "ece(binning=equal): binning cannot be 'equal'; choose width or mass",
    "log_loss(eps=0.5)": "log_loss(eps=0.5): eps is 0.5, but must satisfy eps < 0.5; write eps=1e-15",
    "calibration_slope(eps=0)": "calibration_slope(eps=0): eps is 0, but must satisfy eps > 0; write "
    "eps=1e-15",
    "spiegelhalter_z(weighted=true)": "spiegelhalter_z(weighted=true): weighted is true, but must satisfy "
    "NOT weighted; write weighted=false",
}  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_that_cannot_be_read(connection: duckdb.DuckDBPyConnection, spec: str) -> None:
    with pytest.raises(MetricError) as caught:
        evaluation(connection, "rows", spec)
    assert str(caught.value) == SPECS[spec]
    assert FORM.fullmatch(SPECS[spec])


TABLE_SPECS: list[tuple[str, dict[str, Any], str]] = [
    ("rok_curve", {}, "unknown table 'rok_curve'; did you mean 'roc_curve'?"),
    ("ranking.roc_curve", {}, "unknown table 'ranking.roc_curve'; did you mean 'classification.roc_curve'?"),
    ("roc_curve", {"bins": 3}, "roc_curve: unknown parameter 'bins'; did you mean 'points'?"),
    ("roc_curve(bins=3)", {}, "roc_curve(bins=3): unknown parameter 'bins'; did you mean 'points'?"),
    ("roc_curve", {"points": 1}, "roc_curve: points is 1, but must satisfy points > 1; write points=2"),
    ("roc_curve", {"points": [5, 1]}, "roc_curve: points is 1, but must satisfy points > 1; write points=2"),
    ("roc_curve", {"points": "x"}, "roc_curve: points must be a whole number, got 'x'; write points=2"),
    ("roc_curve(points=5)", {"points": 6}, "roc_curve(points=5): points is given twice; keep one of them"),
    ("roc_curve@3", {}, "roc_curve@3: cannot be read; write name(param=value)"),
    ("calibration_curve", {"binning": "equal"},
     "calibration_curve: binning cannot be 'equal'; choose width or mass"),
]  # fmt: skip


@pytest.mark.some(3)
@pytest.mark.parametrize(("spec", "params", "message"), TABLE_SPECS)
def test_a_table_that_cannot_be_read(
    connection: duckdb.DuckDBPyConnection, spec: str, params: dict[str, Any], message: str
) -> None:
    for read in (
        evaluation(connection, "rows", "auc").table,
        lambda spec, **params: duckmetrics.curve("rows", spec, connection=connection, **params),
    ):
        with pytest.raises(MetricError) as caught:
            read(spec, **params)
        assert str(caught.value) == message


def test_a_metric_is_no_table(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(MetricError, match=r"'auc' is a metric, not a table; .*-m auc"):
        evaluation(connection, "rows", "auc").table("auc")


def test_a_slice_named_like_a_column_of_the_table(connection: duckdb.DuckDBPyConnection) -> None:
    result = evaluation(connection, "sliced", "auc", by="threshold")
    with pytest.raises(
        InputError, match="by: 'threshold' is also a column of roc_curve; give it another name"
    ):
        result.table("roc_curve")
    assert "threshold" in result.table("calibration_curve").column_names


def test_classifiers_have_no_values_per_query(connection: duckdb.DuckDBPyConnection) -> None:
    result = evaluation(connection, "rows", "auc")
    with pytest.raises(MetricError) as caught:
        _ = result.per_query
    expected = "per_query: classifiers have no values of queries; take slices, or a table of groups (curve)"
    assert str(caught.value) == expected


# --- names of two families -------------------------------------------------------------------------

BOTH = sorted(
    {n for f, n in CATALOG.names if f == "ranking"} & {n for f, n in CATALOG.names if f != "ranking"}
)
WEIGHTED_VALUES = {"precision": 2 / 3, "recall": 0.5, "f1": 4 / 7}
OF_QUERIES = "precision", "recall", "average_precision", "f1"


def test_the_names_of_two_families() -> None:
    assert {"precision", "recall", "average_precision", "f1", "f_beta", "ap", "gini"} == set(BOTH)


@pytest.mark.some(0)
@pytest.mark.parametrize("name", OF_QUERIES)
def test_a_name_of_two_families(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    ranking, rows = f"ranking.{name}", f"classification.{name}"
    by_rows = evaluation(connection, "rows", rows)[rows]
    # Without a query the metric is of the rows.
    assert evaluation(connection, "rows", name)[name] == by_rows
    if name in WEIGHTED_VALUES:
        assert by_rows == pytest.approx(WEIGHTED_VALUES[name])
    # With a truth, or a cut-off where there is one, the metric is of the queries.
    of_queries = evaluation(connection, "log", ranking)[ranking]
    assert of_queries != by_rows
    truth = "SELECT query_id, item_id, label AS relevance FROM log"
    assert evaluation(connection, "log", name, truth)[name] == of_queries
    assert evaluation(connection, "log", f"{name}@9")[f"{name}@9"] is not None
    assert evaluation(connection, "log", f"{name}@9").per_query.num_rows == 2
    # With a query and neither of the two, the user must choose.
    for table, columns in (("log", {}), ("rows", {"query_id": "group_id"}),
                           ("rows", {"query_id": "group_id+country"})):  # fmt: skip
        with pytest.raises(MetricError) as caught:
            evaluation(connection, table, name, columns=columns)
        expected = f"{name}: {name!r} means two metrics; write {rows} or {ranking}"
        assert str(caught.value) == expected
    # The prefix forces a family, whatever the other arguments are.
    assert evaluation(connection, "log", rows, truth)[rows] == by_rows
    assert evaluation(connection, "log", rows)[rows] == by_rows


@pytest.mark.slow
def test_both_families_in_one_call() -> None:
    """In a log of impressions the click probability orders each page, and is a probability as well."""
    log = ROOT / "data/shop/impressions.parquet"
    columns = {"query_id": "user_id", "score": "pctr", "label": "clicked"}
    specs = [
        "ndcg@5",
        "auc",
        "classification.precision",
        "ranking.precision",
        "precision@3",
        "gauc",
        "query_auc",
    ]
    result = duckmetrics.evaluate(log, None, specs, columns=columns, by="country", no_relevant="null")
    overall = {row["metric"]: row for row in result.rows if row["slice"] == ""}
    assert overall.keys() == set(specs)
    assert {spec for spec, row in overall.items() if row["n"] == 44_974} == {
        "auc",
        "classification.precision",
        "gauc",
    }
    apart = {spec: duckmetrics.evaluate(log, None, spec, columns=columns)[spec] for spec in ("auc", "ndcg@5")}
    for spec, value in apart.items():
        assert overall[spec]["value"] == pytest.approx(value, abs=1e-12)
    # The two ways to average the AUC of the users; one of them weighs all users equally.
    uniform = duckmetrics.evaluate(log, None, "gauc(average=uniform)", columns=columns)
    assert uniform.rows[0]["value"] == pytest.approx(overall["query_auc"]["value"], abs=1e-12)
    assert result.per_query.num_rows > 0
    assert {row["metric"] for row in result.per_query.to_pylist()} == {
        "ndcg@5",
        "ranking.precision",
        "precision@3",
        "query_auc",
    }
    assert result.summary.num_rows == len(result.rows)
    shares = [row["n"] for row in result.rows if row["metric"] == "auc" and row["slice"] == "country"]
    assert sum(shares) == 44_974


def test_every_message_has_the_form_of_all() -> None:
    assert issubclass(MetricError, DuckmetricsError)
    assert all(FORM.fullmatch(case[3]) for case in CASES.values())
