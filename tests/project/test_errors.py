"""Errors carry the place, the defect and the advice as fields; no code reads them from the text."""

from __future__ import annotations

import pickle

import pytest

import duckmetrics
from duckmetrics.errors import DuckmetricsError, EngineError, InputError, MetricError, UnknownNameError


def test_a_message_is_made_of_its_fields() -> None:
    error = InputError("run.parquet", "no rows", "check how it was exported")
    assert (error.where, error.what, error.advice) == ("run.parquet", "no rows", "check how it was exported")
    assert str(error) == "run.parquet: no rows; check how it was exported"
    assert error.reason == "no rows; check how it was exported"


def test_place_and_advice_may_be_missing() -> None:
    assert str(MetricError("", "no metric")) == "no metric"
    assert str(MetricError("", "no metric", "name one")) == "no metric; name one"
    assert str(MetricError("ndcg", "k is missing")) == "ndcg: k is missing"


def test_an_error_within_another_place_keeps_its_class_and_its_advice() -> None:
    error = UnknownNameError("k", "unknown", "leave it out").within("ndcg(k=1)")
    assert type(error) is UnknownNameError
    assert str(error) == "ndcg(k=1): k: unknown; leave it out"
    assert error.advice == "leave it out"


def test_an_error_survives_the_way_between_processes() -> None:
    error = EngineError("DuckDB", "out of memory", sql="SELECT 1", out_of_memory=True)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.where, again.sql, again.out_of_memory) == (
        "DuckDB: out of memory", "DuckDB", "SELECT 1", True
    )  # fmt: skip


def test_a_caller_reads_the_fields() -> None:
    with pytest.raises(DuckmetricsError) as caught:
        duckmetrics.evaluate("SELECT 1 AS label, 0.5 AS score WHERE false", metrics="auc")
    assert caught.value.what == "no rows"
    assert caught.value.advice == "check how it was exported"


def test_an_error_in_the_data_has_its_fields() -> None:
    with pytest.raises(InputError) as caught:
        duckmetrics.evaluate(
            "SELECT 1 AS label, 'nan'::DOUBLE AS score UNION ALL SELECT 0, 0.5", metrics="auc"
        )
    error = caught.value
    assert error.where
    assert "NaN" in error.what
    assert error.advice
    assert str(error) == f"{error.where}: {error.what}; {error.advice}"


def test_an_error_keeps_what_its_class_adds() -> None:
    error = EngineError("DuckDB", "boom", sql="SELECT 1", unreadable=True).within("run.parquet")
    assert (str(error), error.sql, error.unreadable) == ("run.parquet: DuckDB: boom", "SELECT 1", True)
    assert error.args == ("run.parquet", "DuckDB: boom", "")
