"""One metric under the conventions of every tool, and the reasons why the numbers differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.catalog.presets import presets
from duckmetrics.comparison.peers import Convention, ToolComparison
from duckmetrics.engines.connection import DuckDBConnection
from support.cases import ROOT
from support.command_line import exports, run

if TYPE_CHECKING:
    from support.command_line import Command

pytestmark = pytest.mark.engine

__all__ = ["exports", "run"]

SHOP = str(ROOT / "data" / "shop")
CANDIDATE = f"FROM '{SHOP}/recommendations.parquet' WHERE model = 'candidate'"
PURCHASES = f"{SHOP}/purchases.parquet"
USER = {"query_id": "user_id"}
ROWS = (
    "FROM (VALUES ('q', 'a', 3.0), ('q', 'x', 2.0), ('q', 'b', 1.0)) AS t(query_id, item_id, score)",
    "FROM (VALUES ('q', 'a'), ('q', 'b'), ('q', 'c'), ('q', 'd'), ('q', 'e')) AS t(query_id, item_id)",
)
TOOLS = ["catboost", "elliot", "lenskit", "pytrec_eval"]  # they differ in the queries that count
LONGER = f"{ROWS[1]} UNION ALL SELECT 'r', 'a'"


def by_tool(*arguments: Any, **options: Any) -> dict[str, Any]:
    return {row.like: row for row in duckmetrics.conventions(*arguments, **options).rows}


@pytest.mark.slow
def test_the_shop_has_several_values_of_map_each_with_its_reason() -> None:
    rows = by_tool(CANDIDATE, PURCHASES, "map@10", columns=USER)
    assert rows.keys() == {"duckmetrics", *presets()}
    values = {round(row.value, 9) for row in rows.values() if row.value is not None}
    assert len(values) >= 5
    usual = rows["duckmetrics"].value
    for row in rows.values():
        if row.value is None:
            assert row.reason, row.like
        elif abs(row.value - usual) > 1e-12:
            assert row.effects, row.like
    assert rows["recbole"].effects.keys() == {"norm"}
    assert rows["pytrec_eval"].effects.keys() == {"missing", "no_relevant", "ties"}


@pytest.mark.slow
def test_each_value_is_that_of_the_preset() -> None:
    rows = by_tool(CANDIDATE, PURCHASES, "ndcg@10", columns=USER)
    for name in ("pytrec_eval", "ir_measures", "replay", "sklearn", "catboost"):
        wanted = duckmetrics.evaluate(CANDIDATE, PURCHASES, "ndcg@10", columns=USER, like=name)
        assert rows[name].value == pytest.approx(wanted["ndcg@10"], abs=1e-12), name
        assert rows[name].n == wanted.rows[0]["n"]


@pytest.mark.some(1)
@pytest.mark.parametrize("form", ["column", "mapping", "scores"])
def test_a_system_has_the_values_that_its_rows_have_alone(form: str) -> None:
    """A tool evaluates one run: q2 has no list of A, q3 no list of B, and q9 is unknown to the truth."""
    rows = (
        "(VALUES ('A', 'q1', 'a', 2.0), ('A', 'q1', 'b', 1.0), ('A', 'q3', 'c', 1.0), ('A', 'q9', 'a', 1.0), "
        "('B', 'q1', 'b', 2.0), ('B', 'q1', 'a', 1.0), ('B', 'q2', 'a', 2.0), ('B', 'q2', 'b', 1.0)"
        ") AS t(model, query_id, item_id, score)"
    )
    truth = "FROM (VALUES ('q1', 'a', 2), ('q2', 'b', 1), ('q3', 'c', 3)) AS t(query_id, item_id, relevance)"
    tools = TOOLS if form == "column" else TOOLS[2:]
    one = {name: f"FROM {rows} WHERE model = '{name}'" for name in "AB"}
    if form == "column":
        found = duckmetrics.conventions(f"FROM {rows}", truth, "ndcg@10", like=tools, system="model")
    elif form == "mapping":
        found = duckmetrics.conventions(one, truth, "ndcg@10", like=tools)
    else:
        one["B"] = f"SELECT * REPLACE (-score AS score) {one['A']}"
        both = {"A": "score", "B": "other"}
        query = f"SELECT query_id, item_id, score, -score AS other {one['A']}"
        found = duckmetrics.conventions(query, truth, "ndcg@10", like=tools, score=both)
    alone = {name: by_tool(run, truth, "ndcg@10", like=tools) for name, run in one.items()}
    keys = [(row.system, row.like) for row in found.rows]
    assert len(set(keys)) == len(keys)
    assert {name for name, _ in keys if name is not None} == {"A", "B"}
    for row in found.rows:
        wanted = alone[row.system or "A"][row.like]
        assert (row.value, row.n, row.effects) == (wanted.value, wanted.n, wanted.effects), row
    values = {name: alone[name]["lenskit"].n for name in alone}
    assert values == ({"A": 3, "B": 2} if form != "scores" else {"A": 3, "B": 3})


@pytest.mark.slow
def test_the_effects_are_those_of_single_switches() -> None:
    rows = by_tool(CANDIDATE, PURCHASES, "map@10", columns=USER)
    usual = duckmetrics.evaluate(CANDIDATE, PURCHASES, "map@10", columns=USER)["map@10"]
    for name, effect in rows["replay"].effects.items():
        setting = {name: rows["replay"].settings[name]}
        alone = duckmetrics.evaluate(CANDIDATE, PURCHASES, "map@10", columns=USER, **setting)["map@10"]
        assert alone is not None
        assert usual is not None
        assert effect == pytest.approx(alone - usual, abs=1e-12)


@pytest.mark.slow
def test_the_four_values_of_one_list() -> None:
    """In one list of three items with five relevant ones, 1/3, 5/9 and 5/6 are all called AP@3."""
    rows = by_tool(*ROWS, "map@3", like=["rectools", "recbole", "torchmetrics"])
    assert [rows[name].value for name in ("rectools", "recbole", "torchmetrics")] == pytest.approx(
        [1 / 3, 5 / 9, 5 / 6], abs=1e-12
    )
    assert rows["torchmetrics"].tool == "torchmetrics 1.9.0"
    assert rows["torchmetrics"].name == "RetrievalMAP(top_k=3)"


@pytest.mark.slow
def test_rows_without_an_order_fall_back_to_the_usual_ties() -> None:
    rows = by_tool(*ROWS, "mrr@3", like=["ranx", "rectools"])
    assert rows["ranx"].value == 1.0
    assert rows["ranx"].reason == "no order of rows: ties=item_asc stands in for ties=input"


@pytest.mark.slow
def test_equal_scores_in_an_order_that_nobody_can_tell_are_said() -> None:
    tied = f"{ROWS[0]} UNION ALL SELECT 'q', 'c', 3.0"
    rows = by_tool(tied, ROWS[1], "map@3", like=["recbole"])
    assert rows["recbole"].value == pytest.approx(2 / 3)
    assert rows["recbole"].reason == "ties=item_asc stands in for its order"
    with pytest.raises(InputError, match="1 group of equal scores within a query"):
        duckmetrics.evaluate(tied, ROWS[1], "map@3", like="recbole")


@pytest.mark.slow
def test_what_stops_a_tool_is_told() -> None:
    rows = by_tool(ROWS[0], LONGER, "map@3", like=["trec_eval", "elliot", "cornac", "recbole"])
    assert rows["trec_eval"].value is None
    assert "1 query of the population with no predictions" in rows["trec_eval"].reason
    assert "is not imitated" in rows["elliot"].reason
    assert "has no cut-off" in rows["cornac"].reason
    assert rows["recbole"].value is not None


@pytest.mark.slow
def test_classification_and_switches_in_common() -> None:
    rows = by_tool(
        "FROM (VALUES (1, 0.0), (0, 0.5)) AS t(label, score)", None, "log_loss", like=["sklearn", "recbole"]
    )
    assert rows["sklearn"].value == pytest.approx(18.36840028483855, abs=1e-9)
    assert rows["sklearn"].effects == {"eps": pytest.approx(rows["sklearn"].difference)}
    assert rows["recbole"].difference == 0.0
    skipped = by_tool(ROWS[0], f"{ROWS[1]} UNION ALL SELECT 'r', 'a'", "map@3", missing="skip", like=["ranx"])
    assert skipped["ranx"].value == skipped["duckmetrics"].value == pytest.approx(1 / 3)


def test_systems_are_told_apart() -> None:
    systems = {"A": ROWS[0], "B": "SELECT 'q' AS query_id, 'x' AS item_id, 1 AS score"}
    rows = duckmetrics.conventions(None, ROWS[1], "map@3", system=systems, like=["recbole"]).rows
    assert [(row.system, row.like, row.value) for row in rows] == [
        ("A", "duckmetrics", pytest.approx(1 / 3)), ("A", "recbole", pytest.approx(5 / 9)),
        ("B", "duckmetrics", 0.0), ("B", "recbole", 0.0),
    ]  # fmt: skip


@pytest.mark.slow
def test_the_same_rows_are_counted_once_for_all_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    rows = DuckDBConnection.rows

    def recorded(connection: DuckDBConnection, query: Any) -> list[tuple[Any, ...]]:
        counted.append(str(query))
        return rows(connection, query)

    monkeypatch.setattr(DuckDBConnection, "rows", recorded)
    tools = ["trec_eval", "ranx", "recbole"]
    duckmetrics.conventions(*ROWS, "map@10", like=tools)
    searches = [text for text in counted if "LAG(" in text]
    assert searches
    assert len(searches) == len({*searches})
    # The next call reads its tables again.
    duckmetrics.conventions(*ROWS, "map@10", like=tools)
    assert len([text for text in counted if "LAG(" in text]) == 2 * len(searches)


@pytest.mark.slow
def test_errors_are_those_of_evaluate() -> None:
    with pytest.raises(MetricError, match="did you mean 'ranx'"):
        duckmetrics.conventions(*ROWS, "map@3", like=["ranks"])
    with pytest.raises(MetricError, match="unknown metric"):
        duckmetrics.conventions(*ROWS, "mapp@3")
    with pytest.raises(InputError, match="predicted more than once"):
        duckmetrics.conventions(f"{ROWS[0]} UNION ALL SELECT 'q', 'a', 9", ROWS[1], "map@3")


@pytest.mark.slow
def test_shown_and_written(run: Command, tmp_path: Any) -> None:
    result = duckmetrics.conventions(*ROWS, "map@3", like=["recbole", "elliot"])
    lines = repr(result).splitlines()
    assert lines[0].split() == ["like", "name", "value", "difference", "n", "why"]
    assert "norm=min_k (+0.22)" in repr(result)
    assert lines[-1].startswith("elliot: average_precision is not imitated: ")
    assert result.summary.column_names[:4] == ["system", "metric", "like", "tool"]
    assert result.summary.num_rows == 3
    shown = run("conventions", *ROWS, "-m", "map@3", "--like", "recbole,elliot")
    assert (shown.code, shown.out) == (0, f"{result!r}\n")
    written = run("conventions", *ROWS, "-m", "map@3", "--like", "recbole", "--format", "json")
    assert [row["value"] for row in json.loads(written.out)["rows"]] == pytest.approx([1 / 3, 5 / 9])
    file = tmp_path / "conventions.csv"
    assert run("conventions", *ROWS, "-m", "map@3", "--like", "recbole", "-o", str(file)).code == 0
    assert file.read_text().startswith("system,metric,like,tool,name,value")


LISTS = {"query_id": [1, 1, 2, 2, 3, 3], "item_id": [3, 5, 2, 5, 1, 2], "rank": [1, 2, 1, 2, 1, 2]}
TRAINED = {"query_id": [1, 1, 1, 2, 2, 3, 3, 3], "item_id": [1, 2, 4, 3, 4, 3, 4, 5]}
LIKE = ["lenskit", "recbole", "evidently", "rectools", "replay", "recommenders", "elliot"]


@pytest.mark.slow
def test_one_name_has_many_numbers() -> None:
    """The lists in the tests of recommenders: tools print three Gini indices, and two novelties."""
    result = duckmetrics.conventions(LISTS, None, "gini@2, novelty@2", history=TRAINED, like=LIKE)
    found = {(row.metric, row.like): row.value for row in result.rows if row.value is not None}
    assert found == {
        ("gini@2", "duckmetrics"): pytest.approx(1 / 3), ("gini@2", "lenskit"): pytest.approx(1 / 3),
        ("gini@2", "recbole"): pytest.approx(4 / 9), ("gini@2", "evidently"): pytest.approx(2 / 9),
        ("novelty@2", "duckmetrics"): pytest.approx(1.4183, abs=5e-5),
        ("novelty@2", "rectools"): pytest.approx(1.4183, abs=5e-5),
        ("novelty@2", "replay"): pytest.approx(0.8948, abs=5e-5),
        ("novelty@2", "evidently"): pytest.approx(1.4183, abs=5e-5),
    }  # fmt: skip
    effects = {(row.metric, row.like): [*row.effects] for row in result.rows if row.difference}
    assert effects == {
        ("gini@2", "recbole"): ["padding"], ("gini@2", "evidently"): ["over", "denominator"],
        ("novelty@2", "replay"): ["scale"],
    }  # fmt: skip
    shown = repr(result)
    assert "elliot: gini is not imitated: it reports 1 - Gini under this name; ask for evenness" in shown
    assert "recommenders: self_information is not imitated: its novelty is a mean over" in shown


def test_tools_without_a_value_leave_room_for_the_reason() -> None:
    why = "it has no gini that is known here"
    tools = map(str, range(100))
    rows = [Convention(None, "gini", tool, "", "", None, None, None, {}, {}, why) for tool in tools]
    *_, last = repr(ToolComparison(tuple(rows))).splitlines()
    assert len(last) <= 100
    assert last.startswith("0, 1, 2, ")
    assert last.endswith(" others: no gini that is known here")
