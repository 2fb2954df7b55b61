"""Recorded values of other tools for all lists of a system, given by our parameters."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from reference.test_recorded_beyond_accuracy import DOCUMENT, call_of

import duckmetrics
from support.loops import each

if TYPE_CHECKING:
    from collections.abc import Mapping

# tool, call with K for its cut-off -> spec with {k} for it; `tables_of` has the catalogue of a tool.
CALLS = {
    ("rectools", "CatalogCoverage(k=K)"): "coverage(over=recommended, scale=count)@{k}",
    ("rectools", "CatalogCoverage(k=K, normalize=True)"): "coverage(over=recommended)@{k}",
    ("rectools", "CoveredUsers(k=K)"): "user_coverage",
    ("rectools", "SufficientReco(k=K)"): "user_coverage(at_least={k})",
    ("replay", "Coverage(K)"): "coverage@{k}",
    ("recommenders", "novelty(train, reco, top_k=K)"): "item_novelty@{k}",
    ("recommenders", "catalog_coverage(train, reco, top_k=K)"): "coverage(over=recommended)@{k}",
    ("recommenders", "distributional_coverage(train, reco, top_k=K)"): "shannon_entropy@{k}",
    ("lenskit", "ListGini(n=K, items=M)"): "ranking.gini@{k}",
    ("lenskit", "ExposureGini(n=K, items=M)"): "ranking.gini(discount=geometric)@{k}",
    ("recbole", "itemcoverage@K"): "coverage(over=recommended, padding=1)@{k}",
    ("recbole", "giniindex@K"): "ranking.gini(padding=1)@{k}",
    ("recbole", "shannonentropy@K"): "shannon_entropy(unit=nats, scale=items)@{k}",
    ("elliot", "PopREO@K"): "pop_reo(popularity=users)@{k}",
    ("elliot", "PopRSP@K"): "pop_rsp(popularity=users)@{k}",
    ("elliot", "Gini@K"): "evenness(denominator=n_minus_1)@{k}",
    ("elliot", "SEntropy@K"): "shannon_entropy(weights=lists)@{k}",
    ("elliot", "ItemCoverage@K"): "coverage(over=recommended, scale=count)@{k}",
    ("elliot", "UserCoverage@K"): "user_coverage(agg=sum)",
    ("elliot", "UserCoverageAtN@K"): "user_coverage(at_least={k}, agg=sum)",
    ("evidently", "PopularityBiasMetric(k=K, metric='coverage')"): "coverage@{k}",
    ("evidently", "PopularityBiasMetric(k=K, metric='gini')"):
        "ranking.gini(over=recommended, denominator=n_minus_1)@{k}",
    ("evidently", "Personalization(k=K)"): "personalization(norm=full_k)@{k}",
}  # fmt: skip
# Elliot moves the places of items by the recommended ones that the history lacks, so its Gini index of this
# case is one of no set of items.
REFUSED = {("elliot", "unseen", "Gini@K")}
# LensKit computes exposures with 32 bits.
TOLERANCES = {"ExposureGini(n=K, items=M)": 1e-6}


def written(record: Mapping[str, Any]) -> tuple[tuple[str, str], int]:
    (tool, call), k = call_of(record)
    return (tool, re.sub(r"items=\d+", "items=M", call)), k


RECORDS = [
    record for record in DOCUMENT["records"]
    if "value" in record and record["case"]
    and (record["tool"], record["case"], written(record)[0][1]) not in REFUSED
]  # fmt: skip


def tables_of(record: Mapping[str, Any]) -> dict[str, pa.Table]:
    """Return history and catalogue; tools that get no catalogue divide by the items of the history."""
    case = DOCUMENT["cases"][record["case"]]
    pairs, found = ("query_id", "item_id"), {}
    if "history" in record["inputs"]:
        found["history"] = table(case["history"], pairs)
    if "items" in record["inputs"]:
        found["items"] = table([row[:1] for row in case["items"]], ("item_id",))
    return found


def table(rows: Any, names: tuple[str, ...]) -> pa.Table:
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


@pytest.mark.slow
@each("record", RECORDS, label=lambda record: f"{record['tool']} {record['case']} {record['call']}")
def test_the_values_of_other_tools(record: Mapping[str, Any]) -> None:
    case = DOCUMENT["cases"][record["case"]]
    (tool, call), k = written(record)
    run = table(
        [(query, item, rank) for query, item, _, rank in case["predictions"]], ("query_id", "item_id", "rank")
    )
    with_truth = "truth" in record["inputs"]
    truth = (
        table([(*row, 1) for row in case["truth"]], ("query_id", "item_id", "relevance"))
        if with_truth
        else None
    )
    spec = CALLS[tool, call].format(k=k)
    (row,) = duckmetrics.evaluate(run, truth, spec, **tables_of(record)).rows
    tolerance = TOLERANCES.get(call, 1e-9)
    assert math.isclose(row["value"], record["value"], rel_tol=0, abs_tol=tolerance), (spec, row["value"])


def test_every_call_is_recorded() -> None:
    assert {written(record)[0] for record in RECORDS} == set(CALLS)
    assert len(RECORDS) > 180
