"""Every piece of advice that changes a table is taken from the message, applied and run: it gives a value."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.catalog.catalog import catalog
from duckmetrics.errors import DuckmetricsError
from duckmetrics.inputs import advice
from support.followed import KINDS, changed, options, pieces, query

DAYS = [dt.date(2024, 12, 30), dt.date(2024, 12, 31)]
TIMES = [dt.datetime(2024, 12, 30), dt.datetime(2024, 12, 31)]
ZONED = [time.replace(tzinfo=dt.UTC) for time in TIMES]
RUN = {"query_id": ["q", "q"], "item_id": ["a", "b"], "score": [2.0, 1.0]}
TRUTH = {"query_id": ["q"], "item_id": ["a"]}
CLICKS = {"label": [0, 1], "score": [0.1, 0.9]}
LARGE = 2**60


class Wrong(NamedTuple):
    """Tables that are refused, and the value after the advice.

    Attributes:
        piece: which piece of code in the advice is followed.
        per_kind: whether the message has code, which depends on the kind of the table, rather than an option.
    """

    predictions: dict[str, Any]
    truth: dict[str, Any] | None
    metric: str
    value: float
    piece: int = 0
    per_kind: bool = True


WRONG = {
    "text scores": Wrong({**RUN, "score": ["2", "1"]}, TRUTH, "mrr", 1.0),
    "decimal commas": Wrong({**RUN, "score": ["2,5", "1,5"]}, TRUTH, "mrr", 1.0, 1),
    "boolean scores": Wrong({**RUN, "score": [True, False]}, TRUTH, "mrr", 1.0),
    "dates as scores": Wrong({**RUN, "score": DAYS[::-1]}, TRUTH, "mrr", 1.0),
    "times as scores": Wrong({**RUN, "score": TIMES[::-1]}, TRUTH, "mrr", 1.0),
    "times with a zone as scores": Wrong({**RUN, "score": ZONED[::-1]}, TRUTH, "mrr", 1.0),
    "lists as scores": Wrong({**CLICKS, "score": [[0.9, 0.1], [0.1, 0.9]]}, None, "auc", 1.0),
    "a column with a blank": Wrong({**RUN, "score": ["2", "1"]}, TRUTH, "mrr", 1.0),
    "text labels": Wrong({**CLICKS, "label": ["no", "yes"]}, None, "auc", 1.0, per_kind=False),
    "dates as labels": Wrong({**CLICKS, "label": DAYS}, None, "auc", 1.0),
    "times as labels": Wrong({**CLICKS, "label": TIMES}, None, "auc", 1.0),
    "lists as labels": Wrong({**CLICKS, "label": [[0], [1]]}, None, "auc", 1.0),
    "three classes": Wrong(
        {"label": [0, 1, 2, 2], "score": [0.1, 0.2, 0.9, 0.8]}, None, "auc", 1.0
    ),
    "scores that become the same": Wrong({"label": [0, 1], "score": [LARGE, LARGE + 1]}, None, "auc", 1.0),
    "scores of a list that become the same": Wrong({**RUN, "score": [LARGE + 1, LARGE]}, TRUTH, "mrr", 1.0),
    "numbers and text as ids": Wrong({**RUN, "query_id": [7, 7]}, {**TRUTH, "query_id": ["7"]}, "mrr", 1.0),
    "items as numbers and text": Wrong({**RUN, "item_id": [7, 8]}, {**TRUTH, "item_id": ["7"]}, "mrr", 1.0),
    "fractions as ids": Wrong({**RUN, "query_id": [7.0, 7.0]}, {**TRUTH, "query_id": [7]}, "mrr", 1.0),
    "decimals as ids": Wrong(
        {**RUN, "query_id": [decimal.Decimal("7.0")] * 2}, {**TRUTH, "query_id": [7]}, "mrr", 1.0
    ),
    "bytes as ids": Wrong({**RUN, "query_id": [b"q", b"q"]}, TRUTH, "mrr", 1.0),
    "dates and times as ids": Wrong(
        {**RUN, "query_id": DAYS[:1] * 2}, {**TRUTH, "query_id": TIMES[:1]}, "mrr", 1.0
    ),
    "times with and without a zone as ids": Wrong(
        {**RUN, "query_id": ZONED[:1] * 2}, {**TRUTH, "query_id": TIMES[:1]}, "mrr", 1.0
    ),
}  # fmt: skip
# How a column is called where the message must name the user's own.
OWN = {"a column with a blank": "my score"}
# The cases whose advice changes the truth.
TRUTH_CHANGES = {"times with and without a zone as ids"}


def refused(predictions: Any, truth: Any, metric: str, **given: Any) -> str:
    with pytest.raises(DuckmetricsError) as raised:
        duckmetrics.evaluate(predictions, truth, metric, **given)
    return str(raised.value)


def sides(wrong: Wrong, kind: str, case: str) -> tuple[Any, Any, dict[str, Any]]:
    """Return the tables of a case as one kind, and the options of the call."""
    columns = dict(wrong.predictions)
    given: dict[str, Any] = {}
    if name := OWN.get(case):
        columns[name] = columns.pop("score")
        given = {"columns": {"score": name}}
    of = KINDS[kind]
    return of(pa.table(columns)), None if wrong.truth is None else of(pa.table(wrong.truth)), given


@pytest.mark.some(5)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", WRONG)
def test_the_code_that_is_advised_gives_a_value(case: str, kind: str) -> None:
    wrong = WRONG[case]
    predictions, truth, given = sides(wrong, kind, case)
    message = refused(predictions, truth, wrong.metric, **given)
    if not wrong.per_kind:
        given |= {"positive": options(message)["positive"]}
    elif case in TRUTH_CHANGES:
        truth = changed(message, truth, wrong.piece)
    else:
        predictions = changed(message, predictions, wrong.piece)
    assert duckmetrics.evaluate(predictions, truth, wrong.metric, **given)[wrong.metric] == wrong.value


@pytest.mark.some(3)
@pytest.mark.parametrize("case", WRONG)
def test_the_query_that_is_advised_gives_a_value(case: str) -> None:
    """The same tables in a database, where the advice is SQL."""
    wrong = WRONG[case]
    predictions, truth, given = sides(wrong, "pyarrow", case)
    assert predictions is not None
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE predictions AS FROM predictions")
        tables: list[Any] = ["predictions", None]
        if truth is not None:
            connection.execute("CREATE TABLE truth AS FROM truth")
            tables[1] = "truth"
        given["connection"] = connection
        message = refused(tables[0], tables[1], wrong.metric, **given)
        if case == "bytes as ids":
            assert "binary_as_string" in message  # of a file, and not of a table
            return
        if not wrong.per_kind:
            given |= {"positive": options(message)["positive"]}
        else:
            side = int(case in TRUTH_CHANGES)
            tables[side] = query(message, tables[side], wrong.piece)
        assert duckmetrics.evaluate(tables[0], tables[1], wrong.metric, **given)[wrong.metric] == wrong.value


@pytest.mark.parametrize("case", ["numbers and text as ids", "items as numbers and text"])
def test_dictionaries_of_dictionaries_are_changed_by_python(case: str) -> None:
    """A run of pytrec_eval whose ids are numbers, and a qrels whose ids are text."""
    query_id, item_id = (7, "a") if case == "numbers and text as ids" else ("q", 7)
    run, truth = {query_id: {item_id: 1.0}}, {str(query_id): {str(item_id): 1}}
    message = refused(run, truth, "mrr")
    assert duckmetrics.evaluate(changed(message, run), truth, "mrr")["mrr"] == 1.0


def test_advice_of_each_check_can_be_written_in_each_package() -> None:
    """The queries in the headers of checks are changes that we know in pandas, Polars, Arrow and Python."""
    found = 0
    for check in [*catalog().checks.values(), *catalog().inspections.values()]:
        text = check.header["advice"]
        if "SELECT" not in text:
            continue
        found += 1
        for words in (advice.PANDAS, advice.POLARS, advice.ARROW, advice.COLUMNS, advice.RELATION):
            said = advice.in_words(text, words, "my column")
            assert "SELECT" not in said
            assert "my column" in said
            assert list(pieces(said)), said
    assert found >= 4


def test_each_change_is_known_in_each_package() -> None:
    for change, words in advice._CHANGES.items():
        assert words.keys() == {"duckdb", "pandas", "polars", "pyarrow", "columns"}, change
