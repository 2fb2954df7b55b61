"""The checks that a report names: those of the evaluation are not repeated, and no more is claimed."""

from __future__ import annotations

from typing import Any

import pytest

import duckmetrics
from duckmetrics.checks.examination import REACHING
from duckmetrics.evaluation.report_data import Material
from support.cases import CATALOG

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 1.0}}
TRUTH = {"q1": {"a": 1, "c": 0}, "q2": {"a": 1}, "q3": {"b": 1}}


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ndcg@2", "map"])
def test_a_report_finds_what_check_finds(metric: str) -> None:
    tables: Any = duckmetrics.evaluate(RUN, TRUTH, metric)._tables
    found = Material(tables._session, tables._parts, None).inspected()
    checked = duckmetrics.check(RUN, TRUTH, metric)
    assert found is not None
    assert {one.message for one in found.findings} == {one.message for one in checked.rows}
    in_part = {c.reported for c in CATALOG.checks.values() if REACHING in CATALOG.placeholders(c)}
    assert checked.performed - found.performed == in_part & checked.performed
    assert "duplicate_prediction" in in_part
