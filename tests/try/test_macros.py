"""The files of macros that the page loads: each question works with the files of its index, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pytest
import sklearn.metrics
from scipy import stats
from shell.test_calls import MEANT, ROWS, SIDE_TABLES, add_words, printed, with_arguments

from support.tab import Tab, script

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.engine

TABLES = f"""
    CREATE TABLE data AS {ROWS};
    CREATE TABLE predictions AS SELECT id % 6 AS query_id, id AS item_id, score FROM data;
    CREATE TABLE truth AS SELECT id % 6 AS query_id, id AS item_id, label AS relevance FROM data;
    {SIDE_TABLES}
"""
SYSTEMS = """
    CREATE OR REPLACE TABLE predictions AS
    SELECT system, query_id, item_id, if(system = 'a', score, -score) AS score
    FROM predictions, (VALUES ('a'), ('b')) AS systems (system)
"""
USUAL = {
    "ndcg": "FROM ndcg(predictions, truth, k := 10)",
    "evaluate": "FROM evaluate(predictions, truth, 'ndcg@10, map, mrr')",
    "compare": "FROM compare(predictions, truth, 'ndcg@10', system := 'system', baseline := 'a')",
    "roc_auc": "FROM roc_auc(data, label, score)",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files of macros."""
    path = tmp_path_factory.mktemp("page") / "macros"
    script("data").macros(path)
    return path


@pytest.mark.some(0)
@pytest.mark.parametrize("name", USUAL)
def test_a_usual_question_loads_few_files(folder: Path, name: str) -> None:
    tab = Tab(folder)
    tab.connection.execute(TABLES)
    if name == "compare":
        tab.connection.execute(SYSTEMS)
    assert tab.ask(USUAL[name])
    assert len(tab.loaded) <= 5  # of one metric: its macro, `evaluate`, what that calls, and tools
    bytes_ = sum((folder / file).stat().st_size for file in tab.loaded)
    assert bytes_ < 1_100_000, f"{name} needs {bytes_} bytes of macros"


@pytest.mark.slow
def test_one_system_has_values_with_intervals(folder: Path) -> None:
    """`compare` refuses one system; the page shows its values by the same macro without the refusal."""
    places = [1, 2, 3, 4, 1, 5]  # of the only relevant item of each query
    tab = Tab(folder)
    tab.connection.execute(f"""
        CREATE TABLE places AS SELECT unnest({places}) AS place, unnest(range({len(places)})) AS query_id;
        CREATE TABLE truth AS SELECT query_id, place AS item_id, 1 AS relevance FROM places;
        CREATE TABLE run AS
        SELECT 'a' AS system, query_id, i AS item_id, -i AS score FROM places, range(1, 7) AS t (i)
    """)
    (row,) = tab.ask("FROM duckmetrics_fn_values(run, truth, 'mrr', system := 'system', baseline := 'a')")
    found = 1 / np.array(places)
    wanted = stats.t.interval(0.95, len(found) - 1, found.mean(), found.std(ddof=1) / len(found) ** 0.5)
    assert [row["value"], row["lower"], row["upper"]] == pytest.approx([found.mean(), *wanted], abs=1e-12)
    with pytest.raises(duckdb.Error, match="a is the only system; give a second one"):
        tab.ask("FROM compare(run, truth, 'mrr', system := 'system', baseline := 'a')")


@pytest.mark.slow
def test_one_classifier_has_values_with_intervals(folder: Path) -> None:
    tab = Tab(folder)
    tab.connection.execute(f"CREATE TABLE rows AS SELECT 'a' AS model, * FROM ({ROWS})")
    named = "system := 'model', baseline := 'a', cluster := 'id'"
    (row,) = tab.ask(f"FROM duckmetrics_fn_values_of_rows(rows, label, score, 'auc', {named})")
    labels, scores = zip(*tab.connection.sql("SELECT label, score FROM rows").fetchall(), strict=True)
    assert row["value"] == pytest.approx(sklearn.metrics.roc_auc_score(labels, scores), abs=1e-12)
    assert row["lower"] < row["value"] < row["upper"]


@pytest.mark.slow
def test_every_macro_works_with_the_macros_of_its_index(folder: Path, tmp_path: Path) -> None:
    """Each printed call runs in an empty database; it may refuse the data in words of ours."""
    lines = tmp_path / "lines.trec"
    lines.write_text("q1 Q0 a 1 0.5 tag\n")
    lines_of_help = script("cut").macros()["duckmetrics_fn_help_lines"].text  # which the comments name
    wrong, n = [], 0
    for name in Tab(folder).index:
        tab = Tab(folder)
        tab.load(name)
        tab.connection.execute(lines_of_help)
        tab.connection.execute(TABLES)
        calls = list(printed(tab.connection, all_=True))
        add_words(tab.connection, [call for _, call, _ in calls])
        for kind, call, like in calls:
            if f"{name}(" in call and name != "ab":  # the metrics of `ab` are columns of the user
                asked = with_arguments(call, {**MEANT, "path": f"'{lines}'", "like": f"'{like}'"})
                n += 1
                try:
                    query = asked if kind == "table_macro" else f"SELECT {asked} FROM every"
                    tab.connection.execute(query).fetchall()
                except duckdb.Error as error:
                    if "duckmetrics: " not in str(error):
                        wrong.append(f"{asked}: {str(error)[:300]}")
    assert n > 240
    assert not wrong, chr(10).join(wrong)
