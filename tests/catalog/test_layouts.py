"""Layouts: tables of each tool are read without a mapping, and give the same number as with one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import duckmetrics
from duckmetrics.catalog.layouts import Shape, layouts, pages
from duckmetrics.cli.main import cli
from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics.results.evaluation import Evaluation

ROOT = Path(__file__).parents[2]
SPECS = ["ndcg@3", "mrr", "recall@2"]
# One query is unanswered and one unjudged; a score and a grade decide the result.
RUN = [(1, 10, 3.0), (1, 11, 2.0), (1, 12, 1.0), (2, 10, 0.5), (2, 13, 0.4), (4, 10, 1.0)]
RANKED = [(1, 10, 1), (1, 11, 2), (1, 12, 3), (2, 10, 1), (2, 13, 2), (4, 10, 1)]
QRELS = [(1, 11, 1.0), (1, 12, 2.0), (2, 13, 1.0), (3, 10, 3.0)]
ROWS = [(1, 0.9), (0, 0.8), (1, 0.4), (0, 0.1), (1, 0.7)]


def table(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def values(result: Evaluation) -> list[Any]:
    return [(row["system"], row["metric"], row["value"], row["n"]) for row in result.rows]


def told(result: Evaluation) -> list[str]:
    return [finding.message for finding in result.checks if finding.check == "layout"]


CANONICAL = duckmetrics.evaluate(
    table(["query_id", "item_id", "score"], RUN), table(["query_id", "item_id", "relevance"], QRELS), SPECS
)
BINARY = duckmetrics.evaluate(
    table(["query_id", "item_id", "score"], RUN), table(["query_id", "item_id", "grade"], QRELS), SPECS
)
CLASSIFIED = duckmetrics.evaluate(table(["label", "score"], ROWS), metrics=["auc", "log_loss"])


def plain(shape: Shape) -> list[list[str]]:
    """Return every naming of the columns of a shape, without computed columns and the user's own."""
    names: list[list[str]] = [[]]
    for known in shape.columns.values():
        names = [[*row, name] for row in names for name in known]
    return names


def shapes(role: str, classified: bool = False) -> list[Any]:
    return [
        pytest.param(name, shape, id=f"{name}-{i}")
        for name, known in layouts().items() for i, shape in enumerate(known.shapes.get(role, ()))
        if shape.certain and not (shape.computed or shape.numbered)
        and (not shape.is_ranking if classified else shape.is_ranking and "label" not in shape.columns)
    ]  # fmt: skip


@pytest.mark.some(0)
@pytest.mark.parametrize(("name", "shape"), shapes("predictions"))
def test_the_predictions_of_a_tool_are_read(name: str, shape: Shape) -> None:
    """All names of a tool are read, and a note names the tools that write such a table."""
    for names in plain(shape):
        rows = RANKED if "rank" in shape.columns else RUN
        if names[:2] == ["query_id", "item_id"] and names[2] in ("score", "rank"):
            continue
        truth = table(["query_id", "item_id", "relevance"], QRELS)
        found = duckmetrics.evaluate(table(names, rows), truth, SPECS)
        assert values(found) == values(CANONICAL)
        assert len(told(found)) == 1
        assert layouts()[name].title in told(found)[0]
        mapping = {c: n for c, n in zip(shape.columns, names, strict=True) if c != n}
        role = {f"predictions.{c}": n for c, n in mapping.items()}
        mapped = duckmetrics.evaluate(table(names, rows), truth, SPECS, columns=role)
        assert values(mapped) == values(found)
        assert told(mapped) == []


@pytest.mark.some(1)
@pytest.mark.parametrize(("name", "shape"), shapes("truth"))
def test_the_truth_of_a_tool_is_read(name: str, shape: Shape) -> None:
    """Without a grade, every row is relevant."""
    for names in plain(shape):
        graded = "relevance" in shape.columns
        rows = QRELS if graded else [row[:2] for row in QRELS]
        predictions = table(["query_id", "item_id", "score"], RUN)
        found = duckmetrics.evaluate(predictions, table(names, rows), SPECS)
        assert values(found) == values(CANONICAL if graded else BINARY)
        same = [c == n for c, n in zip(shape.columns, names, strict=True)]
        assert len(told(found)) == (not all(same))
        if told(found):
            assert layouts()[name].title in told(found)[0]
            assert ("every" in told(found)[0]) is not graded


@pytest.mark.some(1)
@pytest.mark.parametrize(("name", "shape"), shapes("predictions", classified=True))
def test_the_rows_of_a_tool_are_read(name: str, shape: Shape) -> None:
    for names in plain(shape):
        if "{name}" in names:
            continue
        found = duckmetrics.evaluate(table(names, ROWS), metrics=["auc", "log_loss"])
        assert values(found) == values(CLASSIFIED)
        assert layouts()[name].title in told(found)[0]


def lists() -> list[tuple[str, str, str | None]]:
    """Return tables that list the items of a query, as SQL over `run`, with the tool that a note names."""
    ordered = "list({} ORDER BY score DESC)"
    run = "FROM run GROUP BY ALL"
    items = ordered.format("item_id")
    text = f"array_to_string(list_transform({items}, lambda x: CAST(x AS VARCHAR)), ' ')"
    rated = ordered.format("{'movie': item_id, 'rating': score}")
    scored = ordered.format("{'item': item_id, 'score': score}")
    columns = "l[1] AS rec_1, l[2] AS rec_2, l[3] AS rec_3"
    return [
        ("als", f"SELECT query_id AS user, {rated} AS recommendations {run}", "Spark ALS"),
        ("kaggle", f"SELECT query_id AS customer_id, {text} AS prediction {run}", "Kaggle"),
        (
            "wide",
            f"SELECT query_id AS user_id, {columns} FROM (SELECT query_id, {items} AS l {run})",
            "wide table",
        ),
        ("structs", f"SELECT query_id, {scored} AS items {run}", None),
    ]


@pytest.mark.some(0)
@pytest.mark.parametrize(("name", "query", "tool"), lists(), ids=lambda value: None)
def test_lists_of_a_tool_are_read(name: str, query: str, tool: str | None) -> None:
    run = table(["query_id", "item_id", "score"], RUN)
    connection = duckdb.connect()
    connection.register("run", run)
    listed = connection.sql(query).to_arrow_table()
    truth = table(["query_id", "item_id", "relevance"], QRELS)
    if name == "kaggle":
        truth = connection.sql(
            "SELECT * REPLACE (CAST(item_id AS VARCHAR) AS item_id) FROM truth"
        ).to_arrow_table()
    found = duckmetrics.evaluate(listed, truth, SPECS)
    assert values(found) == values(CANONICAL)
    assert [tool in message for message in told(found)] == ([True] if tool else [])
    assert duckmetrics.check(listed, truth, SPECS).errors == ()


def vectors() -> list[tuple[str, str]]:
    """Return rows of Spark ML: dense lists, and vectors as Parquet stores them, one of them sparse."""
    dense = "{'type': 1::TINYINT, 'size': NULL::INT, 'indices': NULL::INT[], 'values': [1 - score, score]}"
    sparse = "{'type': 0::TINYINT, 'size': 2, 'indices': [1], 'values': [score]}"
    return [
        ("list", "SELECT label, [1 - score, score] AS probability FROM rows"),
        ("array", "SELECT label, CAST([1 - score, score] AS DOUBLE[2]) AS probability FROM rows"),
        (
            "vector",
            f"SELECT label, CASE WHEN score > 0.75 THEN {sparse} ELSE {dense} END AS probability FROM rows",
        ),
    ]


@pytest.mark.some(1)
@pytest.mark.parametrize(("name", "query"), vectors(), ids=lambda value: None)
def test_vectors_of_spark_are_read(name: str, query: str) -> None:
    connection = duckdb.connect()
    connection.register("rows", table(["label", "score"], ROWS))
    found = duckmetrics.evaluate(connection.sql(query).to_arrow_table(), metrics=["auc", "log_loss"])
    assert values(found) == values(CLASSIFIED)
    assert "Spark ML" in told(found)[0]


def test_an_entry_that_a_sparse_vector_does_not_list_is_zero() -> None:
    query = """
        SELECT CAST(n AS DOUBLE) AS label,
            {'type': 0, 'size': 2, 'indices': CASE n WHEN 0 THEN [0] ELSE [0, 1] END,
             'values': CASE n WHEN 0 THEN [1.0::DOUBLE] ELSE [0.25::DOUBLE, 0.75] END} AS probability
        FROM (VALUES (0), (1)) AS t(n)
    """
    found = duckmetrics.evaluate(query, metrics=["brier"])
    assert found["brier"] == pytest.approx((0 + 0.25**2) / 2)


def test_labels_that_are_text_need_the_positive_one() -> None:
    rows = [("yes" if label else "no", score) for label, score in ROWS]
    texts = table(["label", "score"], rows)
    found = duckmetrics.evaluate(texts, metrics=["auc", "log_loss"], positive="yes")
    assert values(found) == values(CLASSIFIED)
    swapped = duckmetrics.evaluate(texts, metrics="auc", positive="no")
    assert swapped["auc"] == pytest.approx(1 - CLASSIFIED["auc"])
    with pytest.raises(InputError, match=re.escape("no label is 'Yes'; column 'label' has no, yes")):
        duckmetrics.evaluate(texts, metrics="auc", positive="Yes")
    with pytest.raises(InputError, match="not a number"):
        duckmetrics.evaluate(texts, metrics="auc")
    booleans = table(["label", "score"], [(bool(label), score) for label, score in ROWS])
    assert values(duckmetrics.evaluate(booleans, metrics=["auc", "log_loss"], positive="true")) == values(
        CLASSIFIED
    )
    assert duckmetrics.evaluate(booleans, metrics="auc", positive="false")["auc"] == swapped["auc"]


@pytest.mark.slow
def test_surprise_has_predictions_and_ratings_in_one_table() -> None:
    rows = [(1, 10, 2.0, 4.5), (1, 11, 5.0, 4.0), (2, 10, 1.0, 3.0), (2, 12, 4.0, 3.5)]
    found = duckmetrics.evaluate(table(["uid", "iid", "r_ui", "est"], rows), metrics="mrr", rel=4)
    log = duckmetrics.evaluate(table(["query_id", "item_id", "label", "score"], rows), metrics="mrr", rel=4)
    assert found["mrr"] == log["mrr"] == pytest.approx((1 / 2 + 1) / 2)
    assert "rel=" in told(found)[0]


def test_bigquery_names_the_columns_after_the_label() -> None:
    rows = [
        ("yes" if y else "no", "yes", [{"label": "no", "prob": 1 - s}, {"label": "yes", "prob": s}])
        for y, s in ROWS
    ]
    predicted = table(["churn", "predicted_churn", "predicted_churn_probs"], rows)
    found = duckmetrics.evaluate(predicted, metrics=["auc", "log_loss"], positive="yes")
    assert values(found) == values(CLASSIFIED)
    with pytest.raises(InputError, match=r"the positive one is not named.*positive='yes'"):
        duckmetrics.evaluate(predicted, metrics="auc")


# --- when a layout is used -------------------------------------------------------------------------


@pytest.mark.slow
def test_two_layouts_that_fit_are_both_named() -> None:
    rows = [(q, i, s, r) for (q, i, s), r in zip(RUN, (3, 2, 1, 2, 1, 1), strict=True)]
    both = table(["user_id", "item_id", "score", "rank"], rows)
    truth = table(["query_id", "item_id", "relevance"], QRELS)
    advice = r"LensKit.*RecTools.*layout=\{'predictions': 'lenskit'\} .*\(--layout predictions=lenskit\)"
    with pytest.raises(InputError, match=advice):
        duckmetrics.evaluate(both, truth, SPECS)
    assert values(duckmetrics.evaluate(both, truth, SPECS, layout="LensKit")) == values(CANONICAL)
    ranked = duckmetrics.evaluate(both, truth, SPECS, layout={"predictions": "rectools"})
    renamed = {"predictions.query_id": "user_id", "predictions.rank": "rank"}
    assert values(ranked) == values(duckmetrics.evaluate(both, truth, SPECS, columns=renamed))
    assert values(ranked) != values(CANONICAL)


def test_canonical_names_win() -> None:
    """A table with canonical names is read by them, whatever the names of its other columns."""
    rows = [(q, i, s, q + 7, i + 7, 1) for q, i, s in RUN]
    spare = table(["query_id", "item_id", "score", "user_id", "docno", "rec_1"], rows)
    found = duckmetrics.evaluate(spare, table(["query_id", "item_id", "relevance"], QRELS), SPECS)
    assert values(found) == values(CANONICAL)
    assert told(found) == []
    log = table(["user_id", "item_id", "label", "score"], [(1, 1, *row) for row in ROWS])
    found = duckmetrics.evaluate(log, metrics=["auc", "log_loss"])
    assert values(found) == values(CLASSIFIED)
    assert told(found) == []


def test_features_are_no_list_of_items() -> None:
    rows = [(q, i, s, 5, 6) for q, i, s in RUN]
    wide = table(["user_id", "item_id", "points", "f_1", "f_2"], rows)
    with pytest.raises(InputError, match="no column 'query_id'"):
        duckmetrics.evaluate(wide, table(["query_id", "item_id", "relevance"], QRELS), SPECS)


def test_no_layout_where_it_is_not_asked_for() -> None:
    truth = table(["query_id", "item_id", "relevance"], QRELS)
    with pytest.raises(InputError, match=re.escape("columns={'query_id': 'qid', 'item_id': 'docno'}")):
        duckmetrics.evaluate(table(["qid", "docno", "score"], RUN), truth, SPECS, layout="canonical")


def test_a_layout_that_does_not_fit_is_an_error() -> None:
    truth = table(["query_id", "item_id", "relevance"], QRELS)
    with pytest.raises(InputError, match="does not have the layout pyterrier, which has qid, docno, score"):
        duckmetrics.evaluate(table(["user", "item", "score"], RUN), truth, SPECS, layout="pyterrier")
    with pytest.raises(InputError, match="unknown layout 'pyterier'; did you mean 'pyterrier'"):
        duckmetrics.evaluate(truth, truth, SPECS, layout="pyterier")


@pytest.mark.slow
def test_the_table_of_queries_has_the_id_of_the_predictions() -> None:
    run = table(["userID", "itemID", "prediction"], RUN)
    truth = table(["userID", "itemID"], [row[:2] for row in QRELS])
    users = table(["userID", "country"], [(1, "de"), (2, "fr"), (3, "de"), (4, "fr")])
    found = duckmetrics.evaluate(run, truth, "mrr", queries=users, by="country")
    assert [row["country"] for row in found.rows] == [None, "de", "fr"]


def test_swapped_tables_are_said_to_be() -> None:
    truth = table(["query-id", "corpus-id", "score"], QRELS)
    with pytest.raises(InputError, match="as the truth of BEIR has; the predictions come first"):
        duckmetrics.evaluate(truth, table(["query_id", "item_id", "score"], RUN), SPECS)


# --- several scores in one table -------------------------------------------------------------------


@pytest.mark.slow
def test_scores_of_one_table_are_systems() -> None:
    rows = [(y, s, 1 - s) for y, s in ROWS]
    both = table(["label", "p_lr", "p_gbm"], rows)
    found = duckmetrics.evaluate(both, metrics=["auc", "log_loss"], score={"lr": "p_lr", "gbm": "p_gbm"})
    first = [row["value"] for row in found.rows if row["system"] == "lr"]
    assert first == [row["value"] for row in CLASSIFIED.rows]
    assert duckmetrics.check(both, metrics="auc", score={"lr": "p_lr", "gbm": "p_gbm"}).errors == ()
    arrays = {name: both.column(name).to_numpy() for name in both.column_names}
    of_arrays = duckmetrics.evaluate(
        arrays, metrics=["auc", "log_loss"], score={"lr": "p_lr", "gbm": "p_gbm"}
    )
    assert values(of_arrays) == values(found)
    with pytest.raises(InputError, match="no column 'p_x' for score"):
        duckmetrics.evaluate(both, metrics="auc", score={"lr": "p_lr", "x": "p_x"})
    with pytest.raises(InputError, match="mapped with columns= too"):
        duckmetrics.evaluate(both, metrics="auc", score={"lr": "p_lr"}, columns={"score": "p_gbm"})
    with pytest.raises(InputError, match="names systems, which are named already"):
        duckmetrics.evaluate(both, metrics="auc", score={"lr": "p_lr"}, system="label")


@pytest.mark.slow
def test_the_rows_of_one_table_pair_its_scores() -> None:
    """The result equals that of a call with a row id as the cluster."""
    rows = [(n, n % 3 == 0, (n * 37 % 101) / 101, (n * 53 % 97) / 97) for n in range(200)]
    both = table(["row", "label", "a", "b"], rows)
    scores = {"A": "a", "B": "b"}
    paired = duckmetrics.compare(both, metrics=["log_loss"], score=scores)
    clustered = duckmetrics.compare(both, metrics=["log_loss"], score=scores, cluster="row")
    for row, other in zip(paired.rows, clustered.rows, strict=True):
        assert row["value"] == other["value"]
        if row["system"] == "B":
            assert row["delta"] == pytest.approx(other["delta"], rel=1e-12)
            assert row["p"] == pytest.approx(other["p"], rel=1e-6)
    assert "200 rows of one table" in " ".join(paired.lines_below())


def test_scores_of_rankings() -> None:
    rows = [(q, i, s, -s) for q, i, s in RUN]
    both = table(["user_id", "item_id", "old", "new"], rows)
    truth = table(["query_id", "item_id", "relevance"], QRELS)
    columns = {"predictions.query_id": "user_id"}
    found = duckmetrics.evaluate(both, truth, SPECS, score={"A": "old", "B": "new"}, columns=columns)
    assert [r["value"] for r in found.rows if r["system"] == "A"] == [r["value"] for r in CANONICAL.rows]


# --- files -----------------------------------------------------------------------------------------


def write(folder: Path, name: str, rows: Sequence[tuple[Any, ...]], template: str, header: str = "") -> str:
    text = header + "".join(template.format(*row) + "\n" for row in rows)
    (folder / name).write_text(text)
    return str(folder / name)


RUN_LINE, QRELS_LINE = "{0} Q0 {1} 1 {2} bm25", "{0} 0 {1} {2:.0f}"


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["bm25", "bm25.out", "v1.2", "bm25.tsv", "bm25.run"])
def test_a_run_of_trec_has_any_name(tmp_path: Path, name: str) -> None:
    run = write(tmp_path, name, RUN, RUN_LINE.replace(" ", "\t"))
    truth = write(tmp_path, "judged.2024", QRELS, QRELS_LINE)
    assert values(duckmetrics.evaluate(f"file:{run}", truth, SPECS)) == values(CANONICAL)


def test_the_tag_of_a_run_can_be_the_system(tmp_path: Path) -> None:
    run = write(tmp_path, "all.run", RUN, RUN_LINE)
    with Path(run).open("a") as file:
        file.writelines(RUN_LINE.format(q, i, -s).replace("bm25", "dpr") + "\n" for q, i, s in RUN)
    truth = write(tmp_path, "x.qrels", QRELS, QRELS_LINE)
    found = duckmetrics.evaluate(run, truth, SPECS, system="tag")
    assert [r["value"] for r in found.rows if r["system"] == "bm25"] == [r["value"] for r in CANONICAL.rows]
    with pytest.raises(InputError, match=r"column 'tag'.*system="):
        duckmetrics.evaluate(run, truth, SPECS)


def movielens(folder: Path) -> str:
    return write(folder, "u.data", QRELS, "{0}\t{1}\t3\t881250949")


def movielens_1m(folder: Path) -> str:
    return write(folder, "ratings.dat", QRELS, "{0}::{1}::3::881250949")


def recbole(folder: Path) -> str:
    header = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    return write(folder, "ml.inter", QRELS, "{0}\t{1}\t3\t881250949", header)


@pytest.mark.some(1)
@pytest.mark.parametrize("written", [movielens, movielens_1m, recbole], ids=lambda f: f.__name__)
def test_files_that_are_known_by_name(tmp_path: Path, written: Callable[[Path], str]) -> None:
    run = table(["query_id", "item_id", "score"], RUN)
    found = duckmetrics.evaluate(run, written(tmp_path), SPECS)
    assert values(found) == values(BINARY)
    assert layouts()[written.__name__].title in told(found)[0]


def test_three_columns_without_a_header_are_only_read_when_asked(tmp_path: Path) -> None:
    """The third column may be a rank or a score; the values do not show which."""
    run = write(tmp_path, "run.tsv", RANKED, "{0}\t{1}\t{2}")
    truth = table(["query_id", "item_id", "relevance"], QRELS)
    with pytest.raises(InputError, match="no column 'query_id'"):
        duckmetrics.evaluate(run, truth, SPECS)
    assert values(duckmetrics.evaluate(run, truth, SPECS, layout="ms_marco")) == values(CANONICAL)


LETOR = "2 qid:1 1:0.3 2:1\n0 qid:1 1:0.2  # a comment\n1 qid:2 1:.1\n0 qid:2 1:.5\n"


@pytest.mark.slow
def test_scores_beside_lines_of_letor(tmp_path: Path) -> None:
    (tmp_path / "test.txt").write_text(LETOR)
    (tmp_path / "scores.txt").write_text("0.5\n0.7\n1e-1\n-2\n")
    found = duckmetrics.evaluate(str(tmp_path / "scores.txt"), str(tmp_path / "test.txt"), ["mrr", "ndcg@2"])
    rows = [(1, 1, 2, 0.5), (1, 2, 0, 0.7), (2, 3, 1, 0.1), (2, 4, 0, -2.0)]
    log = duckmetrics.evaluate(
        table(["query_id", "item_id", "label", "score"], rows), metrics=["mrr", "ndcg@2"]
    )
    assert values(found) == values(log)
    (tmp_path / "short.txt").write_text("0.5\n0.7\n")
    with pytest.raises(InputError, match="2 scores for 4 lines of"):
        duckmetrics.evaluate(str(tmp_path / "short.txt"), str(tmp_path / "test.txt"), "mrr")
    judged = table(["query_id", "item_id", "relevance"], QRELS)
    with pytest.raises(InputError, match="no lines label qid:query"):
        duckmetrics.evaluate(str(tmp_path / "scores.txt"), judged, "mrr")


def nested(rows: Sequence[tuple[Any, ...]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, item, number in rows:
        found.setdefault(str(query), {})[str(item)] = number
    return found


@pytest.mark.slow
@pytest.mark.parametrize("large", [False, True])
def test_json_of_objects_is_a_run(tmp_path: Path, large: bool) -> None:
    """A run of many queries is read, too, for which DuckDB infers other types."""
    import json

    more = {f"x{n}": {f"i{m}": float(m) for m in range(3)} for n in range(500)} if large else {}
    run, truth = {**nested(RUN), **more}, {**nested(QRELS), **{q: {"i1": 1} for q in more}}
    (tmp_path / "run.json").write_text(json.dumps(run))
    (tmp_path / "qrels.json").write_text(json.dumps(truth))
    found = duckmetrics.evaluate(str(tmp_path / "run.json"), str(tmp_path / "qrels.json"), SPECS)
    assert values(found) == values(duckmetrics.evaluate(run, truth, SPECS))
    if not large:
        assert values(found) == values(CANONICAL)


def test_columns_in_json_are_no_queries(tmp_path: Path) -> None:
    """The file has the form of pandas: {"query_id": {"0": 1, ...}, ...}."""
    (tmp_path / "run.json").write_text('{"query_id": {"0": 1}, "item_id": {"0": 10}, "score": {"0": 3.0}}')
    truth = table(["query_id", "item_id", "relevance"], QRELS)
    with pytest.raises(InputError, match="column 'query_id' is"):
        duckmetrics.evaluate(str(tmp_path / "run.json"), truth, SPECS)
    with pytest.raises(InputError, match="'query_id' is a column, and not a query"):
        duckmetrics.evaluate({"query_id": {0: 1}, "item_id": {0: 10}, "score": {0: 3.0}}, truth, SPECS)


# --- on the command line ---------------------------------------------------------------------------


def test_the_page_is_fresh() -> None:
    """Write it again with: duckmetrics layouts --all > duckmetrics/layouts/README.md."""
    assert (ROOT / "duckmetrics/layouts/README.md").read_text("utf-8") == pages()


def test_the_command_lists_and_explains() -> None:
    listed = CliRunner().invoke(cli, ["layouts"]).output
    assert all(name in listed for name in layouts())
    assert "| query_id | `user_id` |" in CliRunner().invoke(cli, ["layouts", "rectools"]).output


@pytest.mark.slow
def test_options_of_the_command_line(tmp_path: Path) -> None:
    rows = write(
        tmp_path, "rows.csv", [("won" if y else "lost", s, 1 - s) for y, s in ROWS], "{0},{1},{2}", "y,a,b\n"
    )
    words = ["-m", "auc", "--column", "label=y", "--positive", "won", "--score", "A=a", "--score", "B=b"]
    shown = CliRunner().invoke(cli, ["evaluate", rows, *words])
    assert shown.exit_code == 0, shown.output
    assert re.search(r"metric +A +B", shown.output)
    assert CliRunner().invoke(cli, ["compare", rows, *words]).exit_code == 0
    run = write(
        tmp_path, "run.csv", [(*row, 1) for row in RUN], "{0},{1},{2},{3}", "user_id,item_id,score,rank\n"
    )
    truth = write(tmp_path, "truth.csv", QRELS, "{0},{1}", "query_id,item_id\n")
    shown = CliRunner().invoke(cli, ["evaluate", run, truth, "-m", "mrr", "--layout", "predictions=lenskit"])
    assert "read as LensKit" in shown.output, shown.output


# --- indexes of pandas, and mappings that name no column ---------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize("keys", [["query_id"], ["query_id", "item_id"]])
@pytest.mark.parametrize("drop", [True, False])
def test_a_named_index_is_a_column(keys: list[str], drop: bool) -> None:
    """The frame may already have a column of that name."""
    frame = table(["query_id", "item_id", "score"], RUN).to_pandas().set_index(keys, drop=drop)
    truth = table(["query_id", "item_id", "relevance"], QRELS)
    assert values(duckmetrics.evaluate(frame, truth, SPECS)) == values(CANONICAL)


@pytest.mark.slow
def test_the_positive_label_is_one_of_the_truth() -> None:
    """The predictions may have their own labels, which are not read next to a truth."""
    log = table(["query_id", "item_id", "score", "label"], [(*row, 1) for row in RUN])
    qrels = table(["query_id", "item_id", "relevance"], [(*row[:2], "yes") for row in QRELS])
    assert values(duckmetrics.evaluate(log, qrels, SPECS, positive="yes")) == values(BINARY)
    with pytest.raises(InputError, match="no label is 'no'; column 'relevance' has yes"):
        duckmetrics.evaluate(log, qrels, SPECS, positive="no")


@pytest.mark.parametrize("column", ["label", "items"])
def test_check_reports_a_mapping_that_names_no_column(column: str) -> None:
    rows = table(["label", "score"], ROWS)
    found = duckmetrics.check(rows, metrics="auc", columns={column: "nope"})
    assert [finding.check for finding in found.errors] == ["missing_column"]


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", [dict, pa.table, pd.DataFrame])
def test_a_hole_of_a_wide_table_is_an_unjudged_place(kind: Any) -> None:
    """By hand: c is third of query 1 after a hole, third of query 2, and query 3 has no item."""
    wide = {"user_id": [1, 2, 3], "rec_1": ["a", "a", None], "rec_2": [None, "b", None],
            "rec_3": ["c", "c", None]}  # fmt: skip
    truth = {"user_id": [1, 2, 3], "item_id": ["c", "c", "c"]}
    result = duckmetrics.evaluate(kind(wide), truth, ["mrr", "recall@2"])
    assert result["mrr"] == pytest.approx((1 / 3 + 1 / 3 + 0) / 3)
    assert result["recall@2"] == 0.0
    ranks = {"query_id": [1, 1, 2, 2, 2], "item_id": ["a", "c", "a", "b", "c"], "rank": [1, 3, 1, 2, 3]}
    assert (
        duckmetrics.evaluate(ranks, truth, "ndcg@3")["ndcg@3"]
        == duckmetrics.evaluate(kind(wide), truth, "ndcg@3")["ndcg@3"]
    )
    found = {finding.check for finding in duckmetrics.check(kind(wide), truth, "mrr")}
    assert "rank_gap" in found


def test_columns_of_words_are_not_lists_of_items() -> None:
    """A dictionary of columns that a tool names is a table, although all of them are text."""
    truth = {"user_id": ["u", "v"], "item_id": ["a", "b"]}
    wide = {"user_id": ["u", "v"], "rec_1": ["a", "a"], "rec_2": ["c", "b"]}
    assert duckmetrics.evaluate(wide, truth, "mrr")["mrr"] == 0.75
