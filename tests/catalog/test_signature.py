"""Signatures can be read back, are complete, and distinguish different metrics."""

from __future__ import annotations

import pytest

import duckmetrics
from duckmetrics import MetricError, Signature
from duckmetrics.catalog.specs import parse_measure
from support.cases import CATALOG, RANKING, specs_of

CLASSIFICATION = [m for (family, _), m in CATALOG.metrics.items() if family == "classification"]


@pytest.mark.some(16)
@pytest.mark.parametrize("metric", RANKING, ids=lambda metric: metric.name)
def test_a_signature_is_read_as_it_is_written(metric: duckmetrics.catalog.Definition) -> None:
    for spec in specs_of(metric):
        measure = parse_measure(CATALOG, spec, meant=lambda: "ranking")
        signature = Signature.parse(measure.signature)
        assert str(signature) == measure.signature
        assert {n for n, _ in signature.params} == measure.values.keys() - {"k"}
        assert signature.k == measure.values.get("k")


@pytest.mark.some(12)
@pytest.mark.parametrize("metric", RANKING, ids=lambda metric: metric.name)
def test_the_spec_of_a_signature_has_that_signature(metric: duckmetrics.catalog.Definition) -> None:
    """A signature is complete: it holds everything that affects the number, with any switches of the call."""
    for spec in specs_of(metric):
        measure = parse_measure(
            CATALOG, spec, {"ties": "item_desc", "no_relevant": "zero"}, lambda: "ranking"
        )
        again = parse_measure(CATALOG, Signature.parse(measure.signature).spec)
        assert again.signature == measure.signature


def test_metrics_of_rows_have_them_too() -> None:
    for metric in CLASSIFICATION:
        needed = ", ".join(f"{p.name}=0.5" for p in metric.own_params.values() if p.required)
        measure = parse_measure(CATALOG, f"classification.{metric.name}" + (f"({needed})" if needed else ""))
        assert str(Signature.parse(measure.signature)) == measure.signature
        assert Signature.parse(measure.signature).aggregation is None


def test_what_differs() -> None:
    one = Signature.parse(parse_measure(CATALOG, "ndcg@10").signature)
    other = Signature.parse(parse_measure(CATALOG, "ndcg(gain=exp2, agg=median)@5").signature)
    assert one.differences(one) == {}
    assert one.differences(other) == {"k": ("10", "5"), "gain": ("linear", "exp2"), "agg": ("mean", "median")}
    third = Signature.parse(parse_measure(CATALOG, "mrr").signature)
    assert one.differences(third)["gain"] == ("linear", None)


@pytest.mark.parametrize(
    "text",
    ["", "ndcg@10", "ndcg@10|gain:linear", "ndcg@ten|v:1", "ndcg@10|gain=linear|v:1", "|v:1",
     "ndcg|a:1|a:2|v:1", "ndcg@10|gain:linear||v:0.1.0", "ndcg@10|gain:'a|v:1"],
)  # fmt: skip
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(MetricError, match="cannot be read"):
        Signature.parse(text)


def test_quoted_values_may_hold_anything() -> None:
    text = "m@3|a:'x|y:''z'|b:1e-15|agg:mean|v:0.1.0"
    assert dict(Signature.parse(text).params) == {"a": "'x|y:''z'", "b": "1e-15"}
    assert str(Signature.parse(text)) == text


def test_results_carry_them() -> None:
    run = "FROM (VALUES (1, 1, 0.5)) AS t(query_id, item_id, score)"
    truth = "FROM (VALUES (1, 1)) AS t(query_id, item_id)"
    (row,) = duckmetrics.evaluate(run, truth, "map@10", ties="item_desc").rows
    signature = Signature.parse(row["signature"])
    assert (signature.metric, signature.k, dict(signature.params)["ties"]) == (
        "average_precision",
        10,
        "item_desc",
    )
    assert signature.version == duckmetrics.__version__
