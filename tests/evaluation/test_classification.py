"""Every metric and table of classifiers equals the plain-Python reference, and so do all other columns."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.reference import classification as scalar
from duckmetrics.reference import classification_tables as tables
from support.cases import CATALOG
from support.classification import (
    CASES,
    EVERY,
    EVERY_ANY_SCORE,
    FAMILY,
    METRICS,
    PLAIN,
    PROBABILITIES,
    REQUIRED,
    TABLES,
    UNBOUNDED,
    differences,
    observations,
    open_case,
    open_together,
    plain_spec,
    reads,
    same,
    specs_of,
    table_differences,
    takes_any_score,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics import Evaluation

pytestmark = pytest.mark.engine

# Cases whose columns have other types, or other labels, or whose rows all have no weight.
ALONE = ("booleans", "float32", "infinite", "minus_one", "ratings", "sample", "weightless")
UNWEIGHTED = (("float32", False), ("sample", False))
CURVES = ("roc_curve", "pr_curve", "gains_curve")
WEIGHTED = pytest.mark.parametrize("weighted", [True, False], ids=["weighted", "unweighted"])


def evaluation(
    connection: duckdb.DuckDBPyConnection, specs: Sequence[str], weighted: bool, **options: Any
) -> Evaluation:
    switches = {} if weighted else {"weighted": False}
    return duckmetrics.evaluate("predictions", None, specs, connection=connection, **options, **switches)


def wrong_rows(result: Evaluation, specs: Iterable[str], rows: Any, weighted: bool) -> list[str]:
    return [
        difference
        for spec in specs
        for difference in table_differences(result.table(spec).to_pylist(), spec, rows, weighted)
    ]


# --- the cases -------------------------------------------------------------------------------------


@pytest.mark.slow
@WEIGHTED
def test_metrics_of_probabilities_with_every_parameter(weighted: bool) -> None:
    """One call evaluates all cases as slices."""
    with open_together(PROBABILITIES) as connection:
        result = evaluation(connection, EVERY, weighted, by="name")
        rows = observations(connection, by=[["name"]])
        assert differences(result, rows, EVERY, weighted) == []


@pytest.mark.some(1)
@pytest.mark.parametrize("undefined", ["zero", "one"])
def test_a_single_row_takes_part(undefined: str) -> None:
    """One row has one class and a total weight of 1; undefined values become the requested value."""
    with open_case("one_row") as connection:
        result = evaluation(connection, PLAIN, False, undefined=undefined)
        rows = observations(connection)
        assert differences(result, rows, PLAIN, False, undefined=undefined) == []


def test_metrics_and_tables_of_probabilities() -> None:
    """One call evaluates all metrics and tables, with all cases as slices."""
    with open_together(PROBABILITIES) as connection:
        result = evaluation(connection, PLAIN, True, by="name")
        rows = observations(connection, by=[["name"]])
        assert differences(result, rows, PLAIN, True) == []
        assert wrong_rows(result, map(plain_spec, TABLES), rows, True) == []


@pytest.mark.some(1)
@WEIGHTED
def test_metrics_of_any_score_with_every_parameter(weighted: bool) -> None:
    """One call evaluates all cases as systems."""
    with open_together(UNBOUNDED) as connection:
        result = evaluation(connection, EVERY_ANY_SCORE, weighted, system="name")
        rows = observations(connection, system="name")
        assert differences(result, rows, EVERY_ANY_SCORE, weighted) == []


@pytest.mark.slow
@WEIGHTED
def test_systems_and_slices(weighted: bool) -> None:
    """Slices are NULL, of one class, or of one system; two groupings share a scan, and tables, too."""
    by = [["country"], ["country", "device"]]
    with open_case("slices") as connection:
        result = evaluation(connection, PLAIN, weighted, system="system", by=by)
        rows = observations(connection, "system", by)
        assert differences(result, rows, PLAIN, weighted) == []
        assert wrong_rows(result, map(plain_spec, TABLES), rows, weighted) == []
    slices = {key[1:] for key in rows}
    assert (("country",), ("JP",)) in slices
    assert (("country", "device"), (None, None)) in slices


@pytest.mark.slow
@pytest.mark.parametrize(("name", "weighted"), [*((name, True) for name in ALONE), *UNWEIGHTED])
def test_a_case_alone(name: str, weighted: bool) -> None:
    """A single table without slices has another query."""
    usable = [d for d in (*METRICS, *TABLES) if takes_any_score(d, plain_spec(d)) or name not in UNBOUNDED]
    specs = [plain_spec(d) for d in usable if not d.is_table and (reads(d, "ratings") or name != "ratings")]
    # The weights of the sample have their own name, so they count only where they are mapped.
    weight = {"weight": "w"} if name == "sample" else {}
    with open_case(name) as connection:
        result = evaluation(connection, specs, weighted, columns=weight)
        rows = observations(connection, **weight)
        assert differences(result, rows, specs, weighted) == []
        if name != "ratings":
            shown = [plain_spec(d) for d in usable if d.is_table]
            assert wrong_rows(result, shown, rows, weighted) == []


def test_weights_count_where_the_table_has_them() -> None:
    with open_case("sample") as connection:
        for options, expected in (({}, 0.8592592592592592), ({"weight": "w"}, 0.8259109311740891)):
            result = evaluation(connection, ["auc"], True, columns=options)
            assert same(result["auc"], expected)


# --- the tables ------------------------------------------------------------------------------------


@pytest.mark.slow
@WEIGHTED
def test_tables_of_probabilities(weighted: bool) -> None:
    """Tables have every parameter where weights count, and the defaults elsewhere."""
    specs = [spec for table in TABLES for spec in (specs_of(table) if weighted else [plain_spec(table)])]
    with open_together(PROBABILITIES) as connection:
        result = evaluation(connection, ["auc"], weighted, by="name")
        assert wrong_rows(result, specs, observations(connection, by=[["name"]]), weighted) == []


@pytest.mark.slow
@WEIGHTED
def test_tables_of_any_score_with_every_parameter(weighted: bool) -> None:
    specs = [spec for table in TABLES for spec in specs_of(table) if takes_any_score(table, spec)]
    with open_together(UNBOUNDED) as connection:
        result = evaluation(connection, ["auc"], weighted, system="name")
        assert wrong_rows(result, specs, observations(connection, system="name"), weighted) == []


@pytest.mark.slow
def test_a_curve_without_an_evaluation_is_the_same_table() -> None:
    with open_case("ties") as connection:
        result = evaluation(connection, ["auc"], True)
        for table in TABLES:
            curve = duckmetrics.curve("predictions", table.name, connection=connection)
            assert curve.equals(result.table(table.name)), table.name
        weighted = duckmetrics.curve("predictions", "confusion", connection=connection)
        unweighted = duckmetrics.curve("predictions", "confusion", connection=connection, weighted=False)
        assert weighted.to_pylist() != unweighted.to_pylist()


def test_the_last_row_of_gains_is_there_once_though_its_share_is_rounded() -> None:
    """0.1 + 0.3 are 0.4, and 0.4 * 3 / 0.4 is more than 3 as a double."""
    assert 0.4 * 3 / 0.4 > 3
    rows = "SELECT * FROM (VALUES (1, 0.9, 0.1e0), (0, 0.8, 0.3e0)) AS r(label, score, weight)"
    table = duckmetrics.curve(rows, "gains_curve", bins=3, points=5).to_pylist()
    assert [row["share"] for row in table] == pytest.approx([0, 0.25, 1 / 3, 2 / 3, 1])
    assert [row["gain"] for row in table] == pytest.approx([0, 1, 1, 1, 1])


def test_a_list_of_parameters_gives_the_rows_of_each() -> None:
    with open_case("ties") as connection:
        result = evaluation(connection, ["auc"], True)
        together = result.table("confusion", threshold=[0.3, 0.7, 0.1]).to_pylist()
        apart = [row for t in (0.3, 0.7, 0.1) for row in result.table("confusion", threshold=t).to_pylist()]
        assert together == apart
        assert [row["threshold"] for row in together] == [0.3, 0.7, 0.1]
        both = result.table("brier_decomposition", bins=[1, 10], binning=["width", "mass"]).to_pylist()
        (fourth,) = result.table("brier_decomposition(bins=10, binning=mass)").to_pylist()
        assert len(both) == 4
        assert all(same(both[3][name], value) for name, value in fourth.items())
        assert not same(both[2]["reliability"], both[3]["reliability"])


# --- random rows -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_random_rows() -> None:
    """Hundreds of rows in three slices have ties or no ties, and weights that doubles hold exactly."""
    chance = random.Random(7)
    n = 900
    names = ["tied", "free", "rare"]
    columns: dict[str, list[Any]] = {"label": [], "score": [], "weight": [], "group_id": [], "name": []}
    for _ in range(n):
        name = chance.choice(names)
        score = (
            chance.randint(0, 20) / 20 if name == "tied" else chance.random() ** (8 if name == "rare" else 1)
        )
        columns["label"].append(float(chance.random() < 0.2 + 0.5 * score))
        columns["score"].append(score)
        columns["weight"].append(chance.choice([0.0, 0.5, 1.0, 1.0, 2.0, 7.25]))
        columns["group_id"].append(chance.randrange(40))
        columns["name"].append(name)
    with duckdb.connect() as connection:
        table = pa.table(columns)
        connection.register("rows", table)
        connection.execute("CREATE TABLE predictions AS FROM rows")
        result = evaluation(connection, PLAIN, True, by="name")
        rows = observations(connection, by=[["name"]])
        assert differences(result, rows, PLAIN, True) == []
        specs = list(map(plain_spec, TABLES))
        specs += [f"{curve}(points={n})" for curve in CURVES for n in (3, 7, 50)]
        assert wrong_rows(result, specs, rows, True) == []


# --- other columns ---------------------------------------------------------------------------------

CLASSES = "one class only: no {} row"
REASONS = {
    "auc": {
        "negatives_only": CLASSES.format("positive"),
        "positives_only": CLASSES.format("negative"),
        "weightless_positives": CLASSES.format("positive"),
        "weightless": "no row has a weight",
    },
    "specificity": {"positives_only": CLASSES.format("negative")},
    "classification.average_precision": {"negatives_only": CLASSES.format("positive")},
    "calibration_ratio": {"negatives_only": CLASSES.format("positive")},
    "gauc": {"positives_only": "no group has both classes", "weightless": "no row has a weight"},
    "rmse": {"weightless": "no row has a weight", "infinite": "the values overflow"},
    "classification.precision(threshold=2)": {"ties": "no row is predicted positive"},
    "npv(threshold=0)": {"ties": "no row is predicted negative"},
    "mcc(threshold=0)": {"ties": "all rows are predicted the same class"},
    "recall_at_precision(precision=1)": {"one_class_groups": "no threshold reaches the precision"},
    "cohen_kappa(threshold=2)": {"negatives_only": "all rows have one class and are predicted that class"},
    "classification.f1(threshold=2)": {"negatives_only": "no row is positive or predicted positive"},
    "spiegelhalter_z": {"right_certain": "every probability is 0, 1/2 or 1"},
    "hosmer_lemeshow": {"right_certain": "the expected number of positives or negatives of a bin is 0"},
    "calibration_slope": {
        "right_certain": "the rows have one class or one score, or a score separates the classes",
        "equal_scores": "the rows have one class or one score, or a score separates the classes",
        "positives_only": "the rows have one class or one score, or a score separates the classes",
    },
    "r2": {"one_row": "all labels are equal"},
}


def test_why_there_is_no_value() -> None:
    found = {}
    for names in (PROBABILITIES, UNBOUNDED):
        specs = [spec for spec, reasons in REASONS.items() if reasons.keys() & set(names)]
        with open_together(names) as connection:
            for row in evaluation(connection, specs, True, by="name").rows:
                found[row["metric"], row["name"]] = row["value"], row["reason"]
    for spec, reasons in REASONS.items():
        for name, reason in reasons.items():
            assert found[spec, name] == (None, reason), (spec, name)


def test_a_system_without_rows_has_no_values() -> None:
    with open_case("slices") as connection:
        runs = {"A": "predictions", "B": "SELECT * FROM predictions WHERE false"}
        result = duckmetrics.evaluate(
            runs, None, ["auc", "gauc", "rmse"], by="country", connection=connection
        )
        empty = [row for row in result.rows if row["system"] == "B"]
        assert [(row["metric"], row["slice"]) for row in empty] == [("auc", ""), ("gauc", ""), ("rmse", "")]
        assert {(row["value"], row["reason"], row["n"]) for row in empty} == {(None, "no rows", 0)}
        assert [row["n_positive"] for row in empty] == [0, 0, None]


@pytest.mark.slow
def test_one_named_system_is_one_without_a_name() -> None:
    """Every row has its name, so the query does not group by it."""
    with open_case("ties") as connection:
        alone, named = (
            duckmetrics.evaluate(predictions, None, PLAIN, connection=connection)
            for predictions in ("predictions", {"A": "predictions"})
        )
        for row, other in zip(alone.rows, named.rows, strict=True):
            assert same(other["value"], row["value"]), row["metric"]
            assert {**row, "system": "A", "value": None} == {**other, "value": None}
        for table in TABLES:
            rows, others = (result.table(table.name).to_pylist() for result in (alone, named))
            assert all(other.pop("system") == "A" for other in others)
            for row, other in zip(rows, others, strict=True):
                assert all(same(other[column], value) for column, value in row.items()), table.name


def test_slices_are_told_apart_from_the_whole() -> None:
    with open_case("slices") as connection:
        result = evaluation(connection, ["auc"], True, by=[["country"], ["country", "device"]])
        assert {row["slice"] for row in result.rows} == {"", "country", "country,device"}
        assert result["auc"] == result.rows[0]["value"]
        assert [row["slice"] for row in result.rows] == sorted(row["slice"] for row in result.rows)
        nowhere = [row for row in result.rows if row["slice"] == "country" and row["country"] is None]
        assert result.value("auc", country=None) == nowhere[0]["value"] != result["auc"]


def test_the_signature_tells_whether_weights_counted() -> None:
    with open_case("ties") as connection:
        for weighted, word in ((True, "true"), (False, "false")):
            signature = evaluation(connection, ["auc"], weighted).rows[0]["signature"]
            assert f"weighted:{word}" in signature.split("|")
    with open_case("sample") as connection:
        assert "weighted:false" in evaluation(connection, ["auc"], True).rows[0]["signature"].split("|")


# --- the catalogue ---------------------------------------------------------------------------------


def test_every_metric_and_table_has_a_reference_and_the_other_way_round() -> None:
    assert {metric.name for metric in METRICS} == set(scalar.__all__)
    assert {table.name for table in TABLES} == set(tables.__all__)


def test_every_alias_means_its_metric() -> None:
    pairs = []
    for metric in METRICS:
        for alias, bound in metric.aliases():
            needed = [p for p in metric.own_params.values() if p.required]
            given = {p.name: str(REQUIRED[p.name]) for p in needed}
            arguments = ", ".join(f"{k}={v}" for k, v in given.items() if k not in bound)
            short = f"{FAMILY}.{alias}" + (f"({arguments})" if arguments else "")
            every = ", ".join(f"{k}={v}" for k, v in {**given, **bound}.items())
            pairs.append((short, f"{FAMILY}.{metric.name}" + (f"({every})" if every else "")))
    with open_case("ties") as connection:
        result = evaluation(connection, list(dict.fromkeys(s for pair in pairs for s in pair)), True)
    assert len(pairs) > 15
    for short, spec in pairs:
        assert result[short] == result[spec] is not None, short


def test_every_parameter_and_case_is_tried() -> None:
    assert len(EVERY) > 150
    for metric in (*METRICS, *TABLES):
        for param in metric.own_params.values():
            given = [spec for spec in specs_of(metric) if f"{param.name}=" in spec]
            others = [choice for choice in param.choices if choice != param.default]
            assert all(any(f"{param.name}={choice}" in spec for spec in given) for choice in others)
            assert given or len(param.choices) == 1, (metric.name, param.name)
    assert set(CASES) == {*PROBABILITIES, *UNBOUNDED, *ALONE}
    assert {name for family, name in CATALOG.metrics if family == FAMILY} == {m.name for m in METRICS}


GROUPED_ROWS = """SELECT * FROM (VALUES (1, 0.9, 'u', 1), (0, 0.1, 'u', 1), (1, 0.2, 'u', 2),
    (0, 0.4, 'u', 2)) AS r(label, score, query_id, day)"""


def test_groups_are_several_columns_or_the_queries() -> None:
    by_query = duckmetrics.evaluate(GROUPED_ROWS, metrics="gauc")
    by_day = duckmetrics.evaluate(GROUPED_ROWS, metrics="gauc", columns={"group_id": "query_id+day"})
    assert (by_query["gauc"], by_day["gauc"]) == (0.75, 0.5)
    groups = [row["group_id"] for row in by_day.table("group_auc").to_pylist()]
    assert groups == [{"query_id": "u", "day": 1}, {"query_id": "u", "day": 2}]
