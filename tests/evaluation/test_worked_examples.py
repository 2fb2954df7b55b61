"""The worked examples of the textbooks, recomputed exactly."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

import duckmetrics
from support.cases import ROOT

DOCUMENT = json.loads((ROOT / "tests/data/recorded/worked_examples.json").read_text("utf-8"))
INPUTS = DOCUMENT["inputs"]
NAMES = {"map": "map", "dcg": "dcg", "idcg": "idcg", "ndcg": "ndcg", "rr": "mrr", "hit": "hit_rate"}
EXAMPLES = [v for v in DOCUMENT["values"] if not v["name"].startswith("coin")]


def lists(name: str) -> tuple[dict[str, list[str]], dict[str, dict[str, float]]]:
    """Return the input as ranked items and grades, per query."""
    data = INPUTS[name]
    if name in ("map_topics", "mrr5", "mrr_three_queries"):
        return by_hit_ranks(data)
    if name == "hr3":
        return data["top3"], {query: dict.fromkeys(items, 1.0) for query, items in data["truth"].items()}
    graded = {"q": data.get("returned_grades_in_order") or data.get("returned")} if (
        "returned_grades_in_order" in data or "returned" in data) else {
        key: value for key, value in data.items() if key != "ideal"}  # fmt: skip
    returned = {q: [f"d{i:02}" for i in range(len(grades))] for q, grades in graded.items()}
    truth = {q: {f"d{i:02}": float(g) for i, g in enumerate(grades)} for q, grades in graded.items()}
    if "all_grades" in data:
        extra = data["all_grades"][len(graded["q"]) :]
        truth["q"] |= {f"x{i}": float(grade) for i, grade in enumerate(extra)}
    return returned, truth


def by_hit_ranks(data: dict[str, Any]) -> tuple[dict[str, list[str]], dict[str, dict[str, float]]]:
    ranks = data.get("hit_ranks") or {
        f"q{i}": [rank] if rank else [] for i, rank in enumerate(data["first_hit_rank"])
    }
    returned = {query: [f"d{i:02}" for i in range(1, 11)] for query in ranks}
    truth = {}
    for query, hits in ranks.items():
        total = data.get("relevant_total", {}).get(query, max(len(hits), 1))
        items = [f"d{rank:02}" for rank in hits] + [f"x{i}" for i in range(total - len(hits))]
        truth[query] = dict.fromkeys(items, 1.0)
    return returned, truth


@pytest.mark.some(2)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_a_worked_example_has_its_exact_value(example: dict[str, Any]) -> None:
    group, _, quantity = example["name"].partition("/")
    returned, truth = lists(group)
    params = dict(example.get("params", {}))
    name = "cg" if quantity == "cumulative_gain" else NAMES[example["metric"]]
    k = params.pop("k", 5 if quantity.endswith("@5") else 3 if group == "hr3" else None)
    arguments = ", ".join(f"{key}={value}" for key, value in params.items())
    spec = name + (f"({arguments})" if arguments else "") + (f"@{k}" if k else "")
    predictions = pa.table({"query_id": list(returned), "items": list(returned.values())})
    rows = [(q, item, grade) for q, items in truth.items() for item, grade in items.items()]
    judged = pa.table(dict(zip(("query_id", "item_id", "relevance"), zip(*rows, strict=True), strict=True)))
    result = duckmetrics.evaluate(predictions, judged, spec)
    if isinstance(example["exact"], dict):
        found = {row["query_id"]: row["value"] for row in result.per_query.to_pylist()}
        assert {q: found[q] for q in example["exact"]} == pytest.approx(example["exact"], abs=1e-12)
    else:
        assert result[spec] == pytest.approx(example["exact"], abs=1e-12)
