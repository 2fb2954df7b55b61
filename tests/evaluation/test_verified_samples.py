"""The means and counts are recomputed even if only a sample of the queries is verified."""

from __future__ import annotations

import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.inference.ranking_summary import RankingSummary

RUN = pa.table({"query_id": [*range(40)], "item_id": [*range(40)], "score": [1.0] * 40, "c": ["a", "b"] * 20})
TRUTH = pa.table({"query_id": [*range(50)], "item_id": [n // 3 * 3 for n in range(50)]})
SPECS = ["mrr", "mrr(agg=median)", "first_rank", "mrr(agg=p90)"]


def verified(**options: object) -> duckmetrics.Evaluation:
    return duckmetrics.evaluate(RUN, TRUTH, SPECS, verify=3, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_right_numbers_agree() -> None:
    for options in ({}, {"by": "c"}, {"missing": "skip"}, {"no_relevant": "zero"}):
        assert [one for one in verified(**options).verified if not one.agrees] == []


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("column", "shift"), [("value_0", "1e-6"), ("n_missing", "1"), ("n_undefined_2", "1")]
)
def test_a_planted_difference_is_found(monkeypatch: pytest.MonkeyPatch, column: str, shift: str) -> None:
    right = RankingSummary._joined

    def planted(self: RankingSummary, blocks: list[str]) -> object:
        query = right(self, blocks)
        for projection in list(query.selects):
            if projection.alias_or_name == column:
                inner = projection.unalias()
                projection.replace((inner.copy() + float(shift)).as_(column))
        return query

    monkeypatch.setattr(RankingSummary, "_joined", planted)
    found = verified()
    assert any(not one.agrees for one in found.verified)
    assert any(finding.check == "verify" and "overall" in finding.message for finding in found.checks)
