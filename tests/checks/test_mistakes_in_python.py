"""Mistakes in calls from Python: the error names the place, the mistake and the fix, and the fix works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import duckmetrics
from duckmetrics import DuckmetricsError
from support.mistaken import write_all

if TYPE_CHECKING:
    from pathlib import Path

RUN: Any = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 1.0}}
QRELS: Any = {"q1": {"b": 1, "c": 2}, "q2": {"a": 1}}
Y, P = [1, 0, 1, 0], [0.9, 0.2, 0.6, 0.7]
BOTH = {"A": RUN, "B": QRELS}
FRAME = pd.DataFrame({"query_id": ["q1"], "item_id": ["a"], "score": [3.0]})


def evaluate(*tables: Any, **options: Any) -> Any:
    options.setdefault("metrics", "ndcg@10")
    return duckmetrics.evaluate(*(tables or (RUN, QRELS)), **options)


def rows(metrics: str = "auc", **columns: Any) -> Any:
    return duckmetrics.evaluate({"label": Y, "score": P, **columns}, metrics=metrics)


def ab(shares: Any) -> Any:
    return duckmetrics.ab("ab.csv", variant="variant", control="A", metrics="revenue", shares=shares)


def compare(predictions: Any = BOTH, metrics: Any = "ndcg@10", **options: Any) -> Any:
    return duckmetrics.compare(predictions, QRELS, metrics, **options)


def test_of(**options: Any) -> Any:
    return duckmetrics.run_test("welch_t", "ab.csv", **options)


test_of.__test__ = False  # type: ignore[attr-defined]
ARM = {"arm": "variant", "value": "revenue"}
# The wrong call, what the message must name, what it must advise, and the call that follows the advice.
MISTAKES: dict[str, tuple[Any, str, str, Any]] = {
    "arrays of two lengths": (
        lambda: rows(score=P[:2]), "label 4, score 2", "arrays of one length", rows),
    "scores of two columns": (
        lambda: rows(score=np.array([[0.1, 0.9]] * 4)), "'score' has 2 dimensions", "score[:, 1]",
        lambda: rows(score=np.array([[0.1, 0.9]] * 4)[:, 1])),
    "text scores in a dictionary": (
        lambda: evaluate({"q1": {"a": "high"}}, QRELS), "'high'", "give numbers", evaluate),
    "a set of items": (
        lambda: evaluate({"q1": {"a", "b"}}, QRELS), "'q1' are a set", "{item: score}",
        lambda: evaluate({"q1": ["a", "b"]}, QRELS)),
    "names that no tool has": (
        lambda: evaluate({"outcome": Y, "guess": P}, metrics="auc"), "'outcome', 'guess'",
        "{'label': y, 'score': p}", rows),
    "the truth as a second array": (
        lambda: evaluate(np.array(P), np.array(Y), metrics="auc"), "by position",
        "{'label': y_true, 'score': y_score}", rows),
    "metrics before tables": (
        lambda: duckmetrics.evaluate("ndcg@10", RUN, QRELS), "a dict names no metrics",
        "tables come first", evaluate),
    "metrics in the place of the truth": (
        lambda: duckmetrics.evaluate({"label": Y, "score": P}, ["auc"]), "'auc' is a metric",
        "metrics=['auc']", rows),
    "numbers as metrics": (lambda: evaluate(metrics=[10]), "[10]", "'ndcg@10'", evaluate),
    "a misspelled metric": (
        lambda: evaluate(metrics="ndgc@10"), "ndgc", "did you mean 'ndcg'?", evaluate),
    "a misspelled argument": (
        lambda: evaluate(colums={}), "colums", "did you mean 'columns'?", lambda: evaluate(columns={})),
    "a misspelled switch": (
        lambda: evaluate(tie="item_desc"), "'tie'", "did you mean 'ties'?",
        lambda: evaluate(ties="item_desc")),
    "a misspelled value of a switch": (
        lambda: evaluate(ties="itemdesc"), "itemdesc", "did you mean 'item_desc'?",
        lambda: evaluate(ties="item_desc")),
    "a misspelled tool": (
        lambda: evaluate(like="rektools"), "rektools", "did you mean 'rectools'?",
        lambda: evaluate(like="rectools")),
    "a misspelled result": (
        lambda: evaluate()["ndgc@10"], "ndgc@10", "did you mean 'ndcg@10'?", lambda: evaluate()["ndcg@10"]),
    "no such system": (
        lambda: evaluate(BOTH, QRELS).value("ndcg@10", system="C"), "'C'", "known: A, B",
        lambda: evaluate(BOTH, QRELS).value("ndcg@10", system="A")),
    "no such slice": (
        lambda: evaluate("ctr.csv", metrics="auc", by="country").value("auc", country="DEE"), "country='DEE'",
        "did you mean 'DE'?",
        lambda: evaluate("ctr.csv", metrics="auc", by="country").value("auc", country="DE")),
    "a misspelled column of slices": (
        lambda: evaluate("ctr.csv", metrics="auc", by="country").value("auc", contry="DE"), "'contry'",
        "did you mean 'country'?",
        lambda: evaluate("ctr.csv", metrics="auc", by="country").value("auc", country="DE")),
    "no slices at all": (
        lambda: evaluate("ctr.csv", metrics="auc").value("auc", country="DE"), "'country'", "by='country'",
        lambda: evaluate("ctr.csv", metrics="auc", by="country").value("auc", country="DE")),
    "a percentage": (
        lambda: evaluate(interval=95), "interval=95", "write 0.95", lambda: evaluate(interval=0.95)),
    "words as labels": (
        lambda: rows(label=["no", "yes", "no", "yes"]), "VARCHAR", "positive='yes'",
        lambda: duckmetrics.evaluate({"label": ["no", "yes"], "score": [0, 1]}, metrics="auc",
                                     positive="yes")),
    "labels 1 and 2": (
        lambda: rows(label=[1, 2, 1, 2]), "label=2", "[value == 2 for value in data['label']]",
        lambda: rows(label=[value == 2 for value in [1, 2, 1, 2]])),
    "a NaN": (lambda: rows(score=[0.1, float("nan"), 0.2, 0.3]), "NaN", "drop these rows", rows),
    "no probability": (
        lambda: rows(score=[0.1, 1.2, 0.2, 0.3], metrics="log_loss"), "score=1.2", "apply the sigmoid", rows),
    "ids of two types": (
        lambda: evaluate({1: {"a": 1.0}}, QRELS), "BIGINT",
        "{str(query): items for query, items in data.items()}",
        lambda: evaluate({str(query): items for query, items in {1: {"a": 1.0}}.items()}, {"1": {"a": 1}})),
    "a list of systems": (
        lambda: compare([RUN, RUN]), "a list is one table", "{'A': ..., 'B': ...}", compare),
    "a list of frames": (
        lambda: evaluate([FRAME, FRAME], QRELS), "a list is one table", "{'A': ..., 'B': ...}",
        lambda: evaluate({"A": FRAME, "B": FRAME}, QRELS)),
    "tables as arguments of compare": (
        lambda: duckmetrics.compare(RUN, RUN, QRELS), "a dict names no metrics",
        "tables come first", compare),
    "one system": (lambda: compare({"A": RUN}), "A is the only system", "give a second one", compare),
    "a baseline of another case": (
        lambda: compare(baseline="a"), "'a'", "did you mean 'A'?", lambda: compare(baseline="A")),
    "a test of another name": (
        lambda: compare(test="t-test"), "t-test", "did you mean 'paired_t'?",
        lambda: compare(test="paired_t")),
    "an operator of another language": (
        lambda: evaluate().failures("ndcg@10 <> 0.5"), "'<>'", "write !=",
        lambda: evaluate().failures("ndcg@10 != 0.5")),
    "shares without names": (
        lambda: ab([0.5, 0.5]),
        "[0.5, 0.5]", "{'A': 0.5, 'B': 0.5}",
        lambda: ab({"A": 0.5, "B": 0.5})),
    "no control": (
        lambda: test_of(columns=ARM), "control", "choose A or B", lambda: test_of(columns=ARM, control="A")),
    "a column of a test": (
        lambda: test_of(control="A"), "'arm'", "columns={'arm': ...}",
        lambda: test_of(columns=ARM, control="A")),
    "one count": (
        lambda: duckmetrics.chi_square([3]), "categories=1", "at least two",
        lambda: duckmetrics.chi_square([3, 7])),
    "a database that is not there": (
        lambda: evaluate("recs", "truth", connection="shp.duckdb"), "shp.duckdb",
        "did you mean 'shop.duckdb'?",
        lambda: evaluate("recs", "truth", connection="shop.duckdb")),
    "a number as a connection": (
        lambda: evaluate(connection=5), "5 is not a connection", "duckdb.connect()",
        lambda: evaluate(connection=duckdb.connect())),
    "a connection that is closed": (
        lambda: evaluate(connection=closed()), "already closed", "open a new one",
        lambda: evaluate(connection=duckdb.connect())),
    "a limit in words": (
        lambda: evaluate(memory_limit="4 gigs"), "'4 gigs'", "memory_limit='4GB'",
        lambda: evaluate(memory_limit="4GB")),
    "no threads": (lambda: evaluate(threads=0), "threads=0", "threads=4", lambda: evaluate(threads=4)),
    "too few items": (
        lambda: duckmetrics.sampled(RUN, QRELS, "mrr", n_items=-5), "-5", "n_items=10000", evaluate),
}  # fmt: skip


def closed() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.close()
    return connection


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mistaken")
    write_all(made)
    return made


@pytest.mark.some(3)
@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_named_and_the_advice_works(
    case: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    wrong, names, advises, right = MISTAKES[case]
    with pytest.raises(DuckmetricsError) as raised:
        wrong()
    said, _, advice = str(raised.value).partition("; ")
    assert names in said
    assert advises in advice
    right()


def test_python_itself_shows_the_function_that_was_meant() -> None:
    with pytest.raises(AttributeError) as raised:
        duckmetrics.evaluat  # type: ignore[attr-defined]  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("evaluat", duckmetrics)
