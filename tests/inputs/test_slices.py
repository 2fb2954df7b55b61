"""Systems distinguish runs, slices distinguish queries, and the overall row is always there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics import InputError, MetricError
from support.little import PREDICTIONS, RR, TRUTH, evaluation

if TYPE_CHECKING:
    from duckmetrics import Evaluation

pytestmark = pytest.mark.engine

# The values of `little` for q1, q2 and q3, and those of the same run reversed, which lacks q2.
MODELS = f"""SELECT 'A' AS model, * FROM {PREDICTIONS}
    UNION ALL SELECT 'B', query_id, item_id, -score FROM {PREDICTIONS} WHERE query_id = 'q1'"""
USERS = """SELECT * FROM (VALUES ('q1', 'DE', 'phone'), ('q2', 'FR', 'phone'), ('q3', 'DE', 'web'),
    ('q9', 'XX', 'web')) AS u(query_id, country, device)"""
SOME_USERS = f"SELECT * FROM ({USERS}) WHERE query_id <> 'q3'"


def values(result: Evaluation, *columns: str) -> dict[tuple[Any, ...], Any]:
    """Return column values -> (value, n) of every row."""
    rows = {tuple(row[column] for column in columns): (row["value"], row["n"]) for row in result.rows}
    assert len(rows) == len(result.rows), "a row is there twice"
    return rows


# --- systems ---------------------------------------------------------------------------------------


def test_a_lone_system_has_no_name() -> None:
    result = evaluation()
    assert values(result, "system", "slice") == {(None, ""): (RR, 3)}
    assert result["rr"] == RR
    assert {row["system"] for row in result.per_query.to_pylist()} == {None}


def test_a_column_tells_systems_apart() -> None:
    result = evaluation(MODELS, system="model")
    assert values(result, "system") == {("A",): (RR, 3), ("B",): (1 / 3, 3)}
    assert [row["n_missing"] for row in result.rows] == [1, 2]
    assert (result.value("rr", system="A"), result.value("rr", system="B")) == (RR, 1 / 3)


@pytest.mark.some(1)
@pytest.mark.parametrize("by_argument", [False, True])
def test_a_mapping_names_systems(by_argument: bool) -> None:
    runs = {"A": "predictions", "it's": "SELECT * REPLACE (-score AS score) FROM predictions"}
    result = evaluation(None, system=runs) if by_argument else evaluation(runs)
    assert values(result, "system") == {("A",): (RR, 3), ("it's",): (1 / 2, 3)}


def test_the_systems_of_a_mapping_may_be_of_different_kinds() -> None:
    lists = "SELECT 'q2' AS query_id, ['d', 'a'] AS items, [2, 1] AS scores"
    runs = {"sql": "SELECT * FROM predictions", "list": lists}
    assert values(evaluation(runs), "system") == {("sql",): (RR, 3), ("list",): (1 / 6, 3)}


def test_systems_by_rank_and_systems_by_score_are_not_mixed() -> None:
    """A rank counts as it is, a score is ranked; a list without scores gives ranks."""
    runs = {"sql": "SELECT * FROM predictions", "list": "SELECT 'q2' AS query_id, ['d', 'a'] AS items"}
    with pytest.raises(InputError, match=r"gives ranks and .* gives scores"):
        evaluation(runs)


OTHER = "SELECT 'other' AS query_id, 'a' AS item_id, 1 AS score"
NO_ROWS = "SELECT * FROM predictions WHERE false"


def test_a_mapped_system_of_other_queries_is_refused() -> None:
    with pytest.raises(
        InputError, match="system B: column 'query_id': 4 queries, none of them in both tables"
    ):
        evaluation({"A": "predictions", "B": OTHER})


def test_a_mapped_system_without_rows_has_all_queries_missing() -> None:
    result = evaluation({"A": "predictions", "B": NO_ROWS})
    assert values(result, "system") == {("A",): (RR, 3), ("B",): (0.0, 3)}
    assert [row["n_missing"] for row in result.rows] == [1, 3]


@pytest.mark.slow
def test_ranks_duplicates_and_the_population_are_per_system_or_common() -> None:
    runs = {"A": "predictions", "B": "SELECT 'q3' AS query_id, 'z' AS item_id, 1 AS score"}
    assert values(evaluation(runs, population="predictions"), "system") == {
        ("A",): (RR, 3),
        ("B",): (1 / 3, 3),
    }
    result = evaluation(runs, population="both")
    assert values(result, "system") == {("A",): (None, 0), ("B",): (None, 0)}


def test_several_systems_have_no_single_value() -> None:
    result = evaluation(MODELS, system="model")
    with pytest.raises(
        MetricError, match=r"rr: evaluated for the systems A, B; write value\('rr', system='A'\)"
    ):
        result["rr"]
    with pytest.raises(MetricError, match="system 'C': not evaluated"):
        result.value("rr", system="C")


def test_numbers_may_name_systems() -> None:
    result = evaluation("SELECT 7 AS model, * FROM predictions", system="model")
    assert values(result, "system") == {("7",): (RR, 3)}


def test_two_systems_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="1"):
        evaluation({1: "predictions", "1": "SELECT * REPLACE (-score AS score) FROM predictions"})


# --- slices ----------------------------------------------------------------------------------------

COUNTRIES = {("", None): (RR, 3), ("country", "DE"): (1 / 4, 2), ("country", "FR"): (1.0, 1)}


@pytest.mark.some(1)
@pytest.mark.parametrize("by", ["country", ["country"], ("country",), [["country"]]])
def test_slices_come_from_the_table_of_queries(by: Any) -> None:
    assert values(evaluation(by=by, queries=USERS), "slice", "country") == COUNTRIES


@pytest.mark.slow
def test_slices_come_from_the_truth_before_the_predictions() -> None:
    truth = f"SELECT t.*, country FROM {TRUTH} JOIN ({USERS}) AS u USING (query_id)"
    predictions = "SELECT *, 'other' AS country FROM predictions"
    assert values(evaluation(predictions, truth, by="country"), "slice", "country") == COUNTRIES
    assert values(evaluation("predictions", truth, by="country"), "slice", "country") == COUNTRIES


def test_slices_come_from_the_predictions_of_any_system() -> None:
    rows = f"SELECT p.*, country FROM {PREDICTIONS} JOIN ({USERS}) AS u USING (query_id)"
    expected = {("", None): (RR, 3), ("country", "DE"): (1 / 2, 1), ("country", "FR"): (1.0, 1),
                ("country", None): (0.0, 1)}  # fmt: skip
    assert values(evaluation(rows, by="country"), "slice", "country") == expected
    result = evaluation({"A": rows, "B": "predictions"}, by="country")
    assert values(result, "system", "slice", "country") == {
        (system, *key): value for key, value in expected.items() for system in "AB"
    }


def test_several_columns_mean_their_combinations() -> None:
    result = evaluation(by=["country", "device"], queries=USERS)
    assert values(result, "slice", "country", "device") == {
        ("", None, None): (RR, 3),
        ("country,device", "DE", "phone"): (1 / 2, 1),
        ("country,device", "DE", "web"): (0.0, 1),
        ("country,device", "FR", "phone"): (1.0, 1),
    }
    assert result.value("rr", country="DE", device="web") == 0


def test_a_list_of_lists_means_several_groupings() -> None:
    result = evaluation(by=[["country"], ["device"], ["country", "device"]], queries=USERS)
    assert values(result, "slice", "country", "device") == {
        ("", None, None): (RR, 3),
        ("country", "DE", None): (1 / 4, 2),
        ("country", "FR", None): (1.0, 1),
        ("device", None, "phone"): (3 / 4, 2),
        ("device", None, "web"): (0.0, 1),
        ("country,device", "DE", "phone"): (1 / 2, 1),
        ("country,device", "DE", "web"): (0.0, 1),
        ("country,device", "FR", "phone"): (1.0, 1),
    }
    assert result.value("rr", device="phone") == 3 / 4
    assert result.per_query.column_names == ["system", "metric", "country", "device", "query_id", "value"]


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "by",
    [[[], ["country"]], [["country"], ["country"]], [["country"], ["COUNTRY"]], ["country", "country"]],
    ids=str,
)
def test_no_row_is_there_twice(by: Any) -> None:
    assert list(values(evaluation(by=by, queries=USERS), "slice", "country").values()) == list(
        COUNTRIES.values()
    )


def test_queries_without_an_attribute_form_the_null_slice_with_a_warning() -> None:
    result = evaluation(by=[["country"], ["device"]], queries=SOME_USERS)
    assert values(result, "slice", "country", "device") == {
        ("", None, None): (RR, 3),
        ("country", "DE", None): (1 / 2, 1),
        ("country", "FR", None): (1.0, 1),
        ("country", None, None): (0.0, 1),
        ("device", None, "phone"): (3 / 4, 2),
        ("device", None, None): (0.0, 1),
    }
    warnings = [finding for finding in result.checks if finding.check == "null_slice"]
    assert [(w.severity, w.column, w.count) for w in warnings] == [
        ("warning", "country", 1), ("warning", "device", 1)]  # fmt: skip
    assert all("queries=" in warning.message for warning in warnings)
    assert result.value("rr", country=None) == 0


def test_an_attribute_must_not_vary_within_a_query() -> None:
    users = f"{USERS} UNION ALL SELECT 'q1', 'NL', 'phone'"
    with pytest.raises(InputError, match=r"column 'country': differs within 1 .*\(q1: DE, NL\)"):
        evaluation(by="country", queries=users)
    assert evaluation(by="device", queries=users).value("rr", device="web") == 0
    with pytest.raises(InputError, match=r"column 'country': differs within 1 .*\(q1: DE, NULL\)"):
        evaluation(by="country", queries=f"{USERS} UNION ALL SELECT 'q1', NULL, 'phone'")


RESULTS = ["system", "metric", "slice", "value", "lower", "upper", "reason", "n", "n_missing",
           "n_no_relevant", "n_undefined", "n_positive",
           "signature", "Value"]  # fmt: skip
INTERNAL = ["slice_number", "measure_number", "segment", "missing", "score", "item_id", "by_1", "value_0",
            "a b", 'a"b', "a,b", "ü", "select"]  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("name", RESULTS)
def test_a_slice_cannot_be_called_like_a_column_of_the_results(name: str) -> None:
    with pytest.raises(
        InputError, match=f"by: '{name}' is also a column of the results; give it another name"
    ):
        evaluation(by=name, queries=f'SELECT query_id, country AS "{name}" FROM ({USERS})')


@pytest.mark.some(1)
@pytest.mark.parametrize("name", INTERNAL)
def test_a_slice_may_have_any_other_name(name: str) -> None:
    quoted = name.replace('"', '""')
    result = evaluation(by=name, queries=f'SELECT query_id, country AS "{quoted}" FROM ({USERS})')
    assert list(values(result, "slice", name).values()) == list(COUNTRIES.values())
    assert result.summary.column_names[3] == name


@pytest.mark.slow
def test_a_name_with_a_comma_is_one_column() -> None:
    users = f'SELECT query_id, country AS "a,b", device AS a, country AS b FROM ({USERS})'
    result = evaluation(by=[["a,b"], ["a", "b"]], queries=users)
    assert (result.value("rr", **{"a,b": "FR"}), result.value("rr", a="web", b="DE")) == (1, 0)


@pytest.mark.slow
def test_every_slice_equals_the_evaluation_of_its_queries_alone() -> None:
    metrics = ["dcg", "recall@2", "rr(agg=median)"]
    result = evaluation(MODELS, metric=metrics, system="model", by=["country"], queries=USERS)
    for country in ("DE", "FR"):
        chosen = f"SELECT query_id FROM ({USERS}) WHERE country = '{country}'"
        alone = evaluation(MODELS, metric=metrics, system="model", population=chosen)
        for system in ("A", "B"):
            for metric in metrics:
                assert result.value(metric, system, country=country) == alone.value(metric, system)


@pytest.mark.slow
def test_the_overall_row_is_there_even_when_the_population_is_empty() -> None:
    runs = {"A": "FROM predictions WHERE query_id = 'q1'", "B": "FROM predictions WHERE query_id = 'q2'"}
    result = evaluation(runs, by="country", queries=USERS, population="both")
    assert values(result, "system", "slice") == {("A", ""): (None, 0), ("B", ""): (None, 0)}
    assert {row["reason"] for row in result.rows} == {"no query in the population"}


def test_a_slice_keeps_the_type_of_its_column() -> None:
    users = "SELECT query_id, DATE '2024-01-31' AS day, query_id = 'q1' AS new FROM truth"
    table = evaluation(by=[["day"], ["new"]], queries=users).summary
    assert (str(table.schema.field("day").type), str(table.schema.field("new").type)) == (
        "date32[day]",
        "bool",
    )


def test_unused_columns_of_the_queries_do_no_harm() -> None:
    assert values(evaluation(queries=USERS), "slice") == {("",): (RR, 3)}


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "segment", [{"country": "ES"}, {"planet": "Mars"}, {"country": "DE", "device": "web"}]
)
def test_an_unknown_slice_is_a_metric_error(segment: dict[str, str]) -> None:
    result = evaluation(by="country", queries=USERS)
    with pytest.raises(MetricError, match=r"no slice|not sliced by"):
        result.value("rr", **segment)
