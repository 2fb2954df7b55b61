"""Options next to layouts: each is obeyed, as on a table with canonical columns, or refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import duckmetrics
from duckmetrics.catalog.layouts import layouts
from duckmetrics.errors import DuckmetricsError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

PEOPLE = Path(__file__).parents[1] / "data" / "people"
# Two systems, of which B lacks queries; scores tie within a list.
RUN = """
    SELECT *, row_number() OVER (PARTITION BY model, query_id ORDER BY score DESC, item_id) AS rank
    FROM (VALUES
        ('A', 1, 10, 3.0, 5), ('A', 1, 11, 2.0, 4), ('A', 1, 12, 1.0, 3), ('A', 2, 10, 0.5, 2),
        ('A', 2, 13, 0.5, 1), ('A', 4, 10, 1.0, 6), ('B', 1, 11, 9.0, 7), ('B', 1, 10, 8.0, 9),
        ('B', 2, 13, 7.0, 10), ('B', 2, 12, 7.0, 8)
    ) AS run(model, query_id, item_id, score, place)
"""
QRELS = """
    SELECT *, 3 - relevance AS grade, CASE WHEN relevance > 1 THEN 'yes' ELSE 'no' END AS word FROM (VALUES
        (1, 11, 1.0), (1, 12, 2.0), (2, 13, 1.0), (3, 10, 3.0), (4, 11, 2.0)
    ) AS qrels(query_id, item_id, relevance)
"""
QUERIES = """
    SELECT * FROM (VALUES (1, 'DE', 7), (2, 'FR', 7), (3, 'FR', 8), (4, 'DE', 9))
    AS q(query_id, country, person)
"""
ROWS = """
    SELECT n % 3 AS class, 0.05 + (n * 7 % 10) / 12.0 AS one, (n * 3 % 10) / 30.0 AS two,
        1 + n % 4 AS importance, CASE WHEN n % 2 = 0 THEN 'DE' ELSE 'FR' END AS country, n // 4 AS person,
        CASE WHEN n % 4 < 2 THEN 'A' ELSE 'B' END AS model
    FROM range(24) AS r(n)
"""
OTHERS = "two, importance, country, person, model"
SPECS = ["ndcg@3", "mrr", "recall@2"]
OF_ROWS = ["auc", "log_loss", "f1"]
# The arguments of a call by a name; ... stands for what depends on the layout.
OF_RANKINGS: dict[str, dict[str, Any]] = {
    "plain": {}, "by": {"by": "country", "queries": QUERIES},
    "by an expression": {"by": "lower(country) AS land", "queries": QUERIES},
    "where predictions": {"where": {"predictions": "model = 'A'"}},
    "where truth": {"where": {"truth": "word = 'yes'"}},
    "another grade": {"columns": {"truth.relevance": "grade"}},
    "a mapped position": {"columns": {"position": "place"}, "ties": "input"},
    "rel": {"rel": 2}, "positive": {"positive": 1},
    "positive of another grade": {"positive": "yes", "columns": {"truth.relevance": "word"}},
    "population": {"population": "both"},
    "a population": {"population": "SELECT 1 AS query_id UNION ALL SELECT 3"},
    "cluster": {"interval": 0.9, "cluster": "person", "queries": QUERIES}, "interval": {"interval": 0.9},
    "bootstrap": {"interval": 0.9, "interval_method": "bootstrap", "resamples": 200},
    "chunks": {"chunks": 2}, "verify": {"verify": 3}, "like": {"like": "ranx"},
    "ties": {"ties": "pessimistic"}, "missing": {"missing": "skip"},
    "the layout": {"layout": ...}, "canonical": {"layout": "canonical"},
    "history": {"history": ..., "metrics": "novelty@2"}, "reference": {"reference": ..., "metrics": "rbo@2"},
}  # fmt: skip
OF_CLASSIFIERS: dict[str, dict[str, Any]] = {
    "plain": {}, "system": {"system": "model"}, "by": {"by": "country"},
    "by an expression": {"by": "lower(country) AS land"},
    "where": {"where": {"predictions": "country = 'DE'"}},
    "positive 0": {"positive": 0}, "positive 1": {"positive": "1"}, "positive 2": {"positive": 2.0},
    "positive no": {"positive": "no"}, "positive yes": {"positive": "yes"},
    "another score": {"columns": {"score": "two"}},
    "scores": {"score": {"A": "two", "B": "two"}},
    "weights": {"columns": {"weight": "importance"}},
    "cluster": {"interval": 0.9, "cluster": "person"}, "interval": {"interval": 0.9},
    "bootstrap": {"interval": 0.9, "interval_method": "bootstrap", "resamples": 200},
    "verify": {"verify": 5}, "threshold": {"threshold": 0.3}, "like": {"like": "sklearn"},
    "the layout": {"layout": ...}, "canonical": {"layout": "canonical"},
}  # fmt: skip


@cache
def arrow(query: str) -> pa.Table:
    return duckdb.sql(query).to_arrow_table()


def selected(query: str, names: Mapping[str, str]) -> str:
    """Write a query that has only some columns, by name."""
    columns = ", ".join(f'{one} AS "{name}"' for name, one in names.items())
    return f"SELECT {columns} FROM ({query})"


def rankings() -> dict[str, tuple[str, str, str, str]]:
    """Return by layout: predictions and truth as the tool writes them, and both under canonical names."""
    more = {name: name for name in ("model", "place")}
    graded = {name: name for name in ("word", "grade")}
    run = {name: name for name in ("query_id", "item_id", "score")}
    qrels = selected(QRELS, {"query_id": "query_id", "item_id": "item_id", "relevance": "relevance"} | graded)
    plain = selected(RUN, run | more)
    found = {}
    for name, known in layouts().items():
        for role, shapes in known.shapes.items():
            for i, shape in enumerate(shapes):
                if not shape.is_ranking or shape.computed or shape.numbered or not shape.certain:
                    continue
                own = {names[0]: column for column, names in shape.columns.items()}
                same = {column: column for column in own.values()}
                if "label" not in same and role == "predictions":
                    predictions = selected(RUN, own | more), qrels, selected(RUN, same | more), qrels
                    found[f"{name} {i}"] = predictions
                elif role == "truth":
                    truth = plain, selected(QRELS, own | graded), plain, selected(QRELS, same | graded)
                    found[f"truth of {name} {i}"] = truth
    first = selected(f"{RUN} WHERE model = 'A'", run)
    both = "list({{'item': item_id, 'rating': CAST(score AS DOUBLE)}} ORDER BY score DESC, item_id) AS {}"
    lists = "list(item_id ORDER BY score DESC, item_id)"
    found["spark_als"] = (
        f"SELECT query_id AS who, {both.format('recommendations')} FROM ({first}) GROUP BY ALL",
        qrels, first, qrels,
    )  # fmt: skip
    found["wide"] = (
        "SELECT query_id, i[1] AS r_1, i[2] AS r_2, i[3] AS r_3 "
        f"FROM (SELECT query_id, {lists} AS i FROM ({first}) GROUP BY ALL)",
        qrels, f"SELECT query_id, {lists} AS items FROM ({first}) GROUP BY ALL", qrels,
    )  # fmt: skip
    found["structs"] = (
        f"SELECT model, query_id, {both.format('items')} FROM ({RUN}) GROUP BY ALL", qrels,
        selected(RUN, run | {"model": "model"}), qrels,
    )  # fmt: skip
    return found


def classifiers() -> dict[str, tuple[str, str, str]]:
    """Return by layout: rows as the tool writes them, the label there, and the score of a class {0}."""
    found = {}
    for name, known in layouts().items():
        for i, shape in enumerate(known.shapes.get("predictions", ())):
            if not shape.is_ranking and not shape.computed:
                own = {names[0]: {"label": "CAST(class = 1 AS INTEGER)", "score": "one"}[column]
                       for column, names in shape.columns.items()}  # fmt: skip
                rows = selected(ROWS, own | {column: column for column in OTHERS.split(", ")})
                found[f"{name} {i}"] = rows, "CAST(class = 1 AS INTEGER)", "one"
    shares = "[1 - one - two, one, two]"
    score = f"list_extract({shares.replace('[1 - one - two', '[1 - one - two')}, {{0}} + 1)"
    rows = f"SELECT CAST(class AS DOUBLE) AS label, {{}} AS probability, {OTHERS} FROM ({ROWS})"
    dense = f"{{'type': 1, 'size': NULL::INT, 'indices': NULL::INT[], 'values': {shares}}}"
    sparse = "{'type': 0, 'size': 3, 'indices': [0, 2], 'values': [1 - two, two]}"
    either = f"CASE WHEN two > 0.2 THEN {sparse} ELSE {dense} END"
    listed = f"list_extract(CASE WHEN two > 0.2 THEN [1 - two, 0, two] ELSE {shares} END, {{0}} + 1)"
    found["spark_ml list"] = rows.format(f"CAST({shares} AS DOUBLE[])"), "class", score
    found["spark_ml vector"] = rows.format(either.replace("[1 -", "[1.0::DOUBLE -")), "class", listed
    word = "CASE WHEN class = 1 THEN 'yes' ELSE 'no' END"
    pairs = "[{'label': 'no', 'prob': 1 - one::DOUBLE}, {'label': 'yes', 'prob': one::DOUBLE}]"
    rows = f"SELECT {word} AS y, 'yes' AS predicted_y, {pairs} AS predicted_y_probs, {OTHERS} FROM ({ROWS})"
    found["bigquery_ml"] = rows, word, "CASE '{0}' WHEN 'no' THEN 1 - one ELSE one END"
    return found


def outcome(predictions: Any, truth: Any, arguments: dict[str, Any]) -> list[tuple[Any, ...]] | str:
    """Return what an evaluation gives, without signatures; or the text of its refusal.

    The order of the rows decides the last digits of intervals, and only one thread keeps it.
    """
    given = {"threads": 1, **arguments}
    metrics = given.pop("metrics")
    try:
        found = duckmetrics.evaluate(predictions, truth, metrics, **given)
    except DuckmetricsError as error:
        return str(error)
    kept = ("system", "metric", "slice", "country", "land", "value", "lower", "upper", "n", "n_missing")
    shown = [tuple(row.get(name) for name in kept) for row in found.rows]
    return sorted(shown, key=repr)


def compared(name: str, option: str) -> tuple[Any, Any]:
    """Return what an option gives on a layout, and what it gives on the canonical columns."""
    if name in (known := rankings()):
        predictions, truth, plain, plain_truth = known[name]
        given = {"metrics": SPECS, **OF_RANKINGS[option]}
        given |= {"system": "model"} if "model" in arrow(predictions).column_names else {}
        other = dict(given)
        first = arrow(predictions).column_names
        ids = first[:2] if "query_id" not in first else ["query_id", "item_id"]
        for table in ("history", "reference"):
            if table in given:
                run = {"query_id": "query_id", "item_id": "item_id", "score": "score"}
                given[table] = selected(
                    f"{RUN} WHERE model = 'B'", dict(zip(ids, run, strict=False)) | {"score": "score"}
                )
                other[table] = selected(f"{RUN} WHERE model = 'B'", run)
        if given.get("layout") is ...:
            role = "truth" if name.startswith("truth") else "predictions"
            given["layout"] = {role: name.removeprefix("truth of ").split()[0]}
            del other["layout"]
        return (
            outcome(arrow(predictions), arrow(truth), given),
            outcome(arrow(plain), arrow(plain_truth), other),
        )
    rows, label, score = classifiers()[name]
    given = {"metrics": OF_ROWS, **OF_CLASSIFIERS[option]}
    other = dict(given)
    text = {"positive 2": "2"}.get(option, str(other.pop("positive", "1")))
    if name == "bigquery_ml" and "positive" not in given:
        text, given["positive"] = "yes", "yes"
    same = f"CAST({label} AS VARCHAR) = '{text}'"
    plain = f"SELECT CAST({same} AS INTEGER) AS label, {score.format(text)} AS score, {OTHERS} FROM ({ROWS})"
    if given.get("layout") is ...:
        given["layout"] = name.split()[0]
        del other["layout"]
    return outcome(arrow(rows), None, given), _of_rows(plain, other)


def _of_rows(query: str, arguments: dict[str, Any]) -> Any:
    try:
        return outcome(arrow(query), None, arguments)
    except duckdb.Error as error:  # there is no such class
        return str(error)


CELLS = [
    *((name, option) for name in rankings() for option in OF_RANKINGS),
    *((name, option) for name in classifiers() for option in OF_CLASSIFIERS),
]


@pytest.mark.some(6)
@pytest.mark.parametrize(("name", "option"), CELLS, ids=lambda value: value.replace(" ", "_"))
def test_an_option_is_obeyed_or_refused(name: str, option: str) -> None:
    found, expected = compared(name, option)
    if isinstance(found, str):
        assert "internal error" not in found
        return
    assert found == expected


def probabilities(name: str, positive: int) -> tuple[list[int], list[float]]:
    """Return labels and scores of a class, as numpy would."""
    rows = duckdb.sql(f"FROM '{PEOPLE / name}.parquet'").fetchall()
    return [int(label == positive) for label, _ in rows], [shares[positive] for _, shares in rows]


@pytest.mark.parametrize(
    ("name", "positive"), [("sparkml_binary", 0), ("sparkml_binary", 1), ("sparkml_three_classes", 2)]
)
def test_the_probability_is_that_of_the_positive_class(name: str, positive: int) -> None:
    """The vector of Spark ML has a probability for each class."""
    labels, scores = probabilities(name, positive)
    table = str(PEOPLE / f"{name}.parquet")
    found = duckmetrics.evaluate(table, metrics="auc,log_loss", positive=positive)
    expected = [roc_auc_score(labels, scores), log_loss(labels, scores)]
    assert [row["value"] for row in found.rows] == pytest.approx(expected)


def test_a_word_is_no_class_of_a_vector() -> None:
    with pytest.raises(InputError, match="'yes' is not the number of one"):
        duckmetrics.evaluate(str(PEOPLE / "sparkml_binary.parquet"), metrics="auc", positive="yes")
