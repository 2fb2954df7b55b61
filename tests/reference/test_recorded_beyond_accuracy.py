"""The reference of the metrics beyond accuracy against recorded values of other tools."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from duckmetrics.reference import aggregate, per_query
from support.loops import each
from support.recorded import DOCUMENT, call_of

if TYPE_CHECKING:
    from collections.abc import Mapping

# The recorded numbers have 13 digits.
TOLERANCE = 1e-9
HAMMING = "PairwiseHammingDistanceCalculator(categories)"
# A query that the reference lacks: no overlap in RecTools, and nothing unexpected in RePlay; undefined here.
WITHOUT_REFERENCE = ("overlap", "unexpectedness")
# tool, call with K for its cut-off -> metric, parameters
CALLS: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {
    ("rectools", "AvgRecPopularity(k=K)"): ("average_popularity", {}),
    ("rectools", "AvgRecPopularity(k=K, normalize=True)"): ("average_popularity", {"scale": "share"}),
    ("rectools", "MeanInvUserFreq(k=K)"): ("self_information", {}),
    ("rectools", "Serendipity(k=K)"): ("serendipity", {"no_relevant": "zero"}),
    ("rectools", f"IntraListDiversity(k=K, distance_calculator={HAMMING})"):
        ("category_distance", {"single": "zero"}),
    ("rectools", "Intersection(k=K)"): ("overlap", {"norm": "returned"}),
    ("replay", "Surprisal(K)"): ("self_information", {"scale": "max", "norm": "k"}),
    ("replay", "Novelty(K)"): ("unseen_share", {}),
    ("replay", "Unexpectedness(K)"): ("unexpectedness", {}),
    ("replay", "CategoricalDiversity(K)"): ("category_diversity", {}),
    ("recommenders", "diversity(train, reco, item_sim_measure='item_feature_vector', top_k=K)"):
        ("intra_list_distance", {"no_vector": "distant"}),
    ("recommenders", "diversity(train, reco, item_sim_measure='item_cooccurrence_count', top_k=K)"):
        ("intra_list_distance", {"no_vector": "distant"}),
    ("lenskit", "MeanPopRank(train, n=K)"): ("popularity_percentile", {}),
    ("lenskit", "MeanPopRank(train, n=K, count='interactions')"):
        ("popularity_percentile", {"popularity": "interactions"}),
    ("lenskit", "rank_biased_overlap(reference, reranked, n=K)"): ("rbo", {"rest": "normalized", "p": 0.85}),
    ("lenskit", "rank_biased_overlap(reference, reranked, n=K, weight=GeometricRankWeight(0.9))"):
        ("rbo", {"rest": "normalized"}),
    ("lenskit", "least_item_promoted(reference, reranked, n=K)"): ("least_promoted", {"start": "cutoff"}),
    ("recbole", "averagepopularity@K"): ("average_popularity", {}),
    ("recbole", "tailpercentage@K"): ("long_tail_share", {"tail": "items", "boundary": 0.9, "cold": "head"}),
    ("recbole", "tailpercentage@K, tail_ratio=0.3"):
        ("long_tail_share", {"tail": "items", "boundary": 0.7, "cold": "head"}),
    ("recbole", "tailpercentage@K, tail_ratio=5"):
        ("long_tail_share", {"tail": "count", "boundary": 5, "cold": "head"}),
    ("elliot", "ARP@K"): ("average_popularity", {"popularity": "users"}),
    ("elliot", "APLT@K"): ("long_tail_share", {"cold": "head"}),
    ("elliot", "ACLT@K"): ("long_tail_count", {"cold": "head"}),
    ("elliot", "EPC@K"): ("epc", {}),
    ("elliot", "EFD@K"): ("efd", {"cold": "least"}),
    ("evidently", "Novelty(k=K)"): ("self_information", {"cold": "skip"}),
    ("evidently", "PopularityBiasMetric(k=K, metric='arp')"):
        ("average_popularity", {"popularity": "users", "cold": "skip"}),
    ("evidently", "PopularityBiasMetric(k=K, metric='arp', normalize_arp=True)"):
        ("average_popularity", {"popularity": "users", "cold": "skip", "scale": "max"}),
    ("evidently", "Diversity(k=K, item_features=vector)"):
        ("intra_list_distance", {"divide_by": "items", "single": "zero"}),
    ("rbo", "RankingSimilarity(first K, reference's first K).rbo_ext(p=0.9)"): ("rbo", {}),
    ("rbo", "RankingSimilarity(first K, reference's first K).rbo_ext(p=0.5)"): ("rbo", {"p": 0.5}),
    ("scipy", "kendalltau(ranks in the list, ranks in the reference), items of both first K"):
        ("kendall_tau", {}),
}  # fmt: skip


RECORDS = [record for record in DOCUMENT["records"] if call_of(record)[0] in CALLS and "error" not in record]


def tables_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a case; the vector of an item is its users where the call counts them."""
    case = DOCUMENT["cases"][record["case"]]
    history = [tuple(row) for row in case.get("history", [])]
    items = case.get("items", [])
    own = {item: list(categories or ()) for item, categories, _ in items}
    if record["tool"] == "replay":
        own = {item: categories[:1] or ["none"] for item, categories in own.items()}
    vectors = {item: vector for item, _, vector in items if vector}
    if "cooccurrence" in record["call"]:
        users = sorted({user for user, _ in history})
        vectors = {item: [float((user, item) in history) for user in users] for _, item in history}
    return {
        "history": history,
        "catalog": [item for item, _, _ in items] or None,
        "categories": own,
        "vectors": vectors,
        "reference": [(query, item, -float(rank)) for query, item, _, rank in case.get("reference", [])],
    }


def computed(record: Mapping[str, Any]) -> dict[str, float | None]:
    case = DOCUMENT["cases"][record["case"]]
    (tool, call), k = call_of(record)
    name, params = CALLS[tool, call]
    predictions = [("", query, item, -float(rank)) for query, item, _, rank in case["predictions"]]
    truth = [(*row, 1.0) for row in case.get("truth", [])]
    switches = {"population": "predictions", "no_relevant": "null", **params}
    found = per_query(name, predictions, truth, k=k, **tables_of(record), **switches)
    return {str(query): value for (_, query), value in found.items()}


@each("record", RECORDS, label=lambda record: f"{record['tool']} {record['case']} {record['call']}")
def test_the_values_of_other_tools(record: Mapping[str, Any]) -> None:
    own = computed(record)
    if "per_query" not in record:
        assert same(aggregate(own.values(), "mean"), record["mean"])
        return
    shared = own.keys() & record["per_query"].keys()
    assert shared
    referred = {str(query) for query, *_ in DOCUMENT["cases"][record["case"]].get("reference", [])}
    for query in shared:
        value, expected = own[query], record["per_query"][query]
        if CALLS[call_of(record)[0]][0] in WITHOUT_REFERENCE and query not in referred:
            assert (value, expected) == (None, 0), query
        else:
            assert same(value, expected), (query, value, expected)


def same(value: float | None, expected: float | None) -> bool:
    if value is None or expected is None:
        return value is expected
    return math.isclose(value, expected, rel_tol=0, abs_tol=TOLERANCE)


def test_every_call_is_recorded() -> None:
    assert {call_of(record)[0] for record in RECORDS} == set(CALLS)
    assert len(RECORDS) > 150
