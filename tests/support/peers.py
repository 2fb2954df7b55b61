"""Values of other tools, and the call here for each of them.

`tests/data/recorded/peer_values.json` holds small inputs with the numbers that 21 tools printed for them.
CALLS maps every call of a tool to a call here, under the preset of the tool; NOT_IMITATED lists
values that are not reproduced, and why.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

import duckmetrics
from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENT = json.loads((ROOT / "tests/data/recorded/peer_values.json").read_text("utf-8"))
PRESETS = {
    "CatBoost": "catboost", "ClickHouse": "clickhouse", "Elliot": "elliot", "LensKit": "lenskit",
    "LightGBM": "lightgbm", "RePlay": "replay", "RecBole": "recbole", "RecTools": "rectools",
    "Spark MLlib": "spark", "XGBoost": "xgboost", "cornac": "cornac", "evidently": "evidently",
    "ir-measures": "ir_measures", "pytrec_eval-terrier": "pytrec_eval", "ranx": "ranx",
    "recommenders": "recommenders", "recpack": "recpack", "scikit-learn": "sklearn",
    "torchmetrics": "torchmetrics", "trec_eval 10.0": "trec_eval", "trec_eval 9.0.8": "trec_eval9",
}  # fmt: skip
# Additional rows for a tool of rows: the relevant items that were not returned.
APPENDED = ("missing relevant rows appended", "missing rows appended")


class Asked(NamedTuple):
    """The form of a tool's call here: a spec and the switches in addition to `like`."""

    spec: str
    switches: dict[str, Any] = {}  # noqa: RUF012


ZERO, ONE = {"missing": "zero"}, {"no_relevant": "one"}
CALLS: dict[str, dict[str, Asked]] = {
    "trec_eval": {
        "-m map_cut.3": Asked("map@3"), "-m P.4": Asked("precision@4"), "-m recall.3": Asked("recall@3"),
        "-m ndcg_cut.3": Asked("ndcg@3"), "-m ndcg_cut.2": Asked("ndcg@2"), "-m ndcg": Asked("ndcg"),
        "-m recip_rank": Asked("mrr"), "-m map_cut.2 (default)": Asked("map@2"),
        "-c -m map_cut.2": Asked("map@2", ZERO), "-m bpref": Asked("bpref"),
    },
    "pytrec_eval-terrier": {
        "map_cut_3": Asked("map@3"), "recip_rank": Asked("mrr"), "bpref": Asked("bpref"),
        "mean of returned queries, map_cut_2": Asked("map@2"),
    },
    "ir-measures": {
        "AP@3": Asked("map@3"), "AP@2": Asked("map@2"), "P@4": Asked("precision@4"),
        "nDCG@2": Asked("ndcg@2"), "nDCG@3": Asked("ndcg@3"),
        'nDCG(dcg="exp-log2")@3': Asked("ndcg(gain=exp2, scores=double)@3"),
        "RR (pytrec_eval provider)": Asked("mrr"), "RR@10 (msmarco provider)": Asked("mrr@10"),
    },
    "ranx": {
        "map@3": Asked("map@3"), "map@2": Asked("map@2"), "map@2 make_comparable=True": Asked("map@2", ZERO),
        "precision@4": Asked("precision@4"), "recall@3": Asked("recall@3"), "ndcg": Asked("ndcg"),
        "ndcg@2": Asked("ndcg@2"), "ndcg@3": Asked("ndcg@3"), "ndcg_burges@3": Asked("ndcg(gain=exp2)@3"),
        "mrr": Asked("mrr"), "mrr via Qrels/Run": Asked("mrr"), "mrr via dict": Asked("mrr"),
        "evaluate(Qrels, Run, mrr)": Asked("mrr"), "f1@3": Asked("f1@3"),
        "map, mrr, ndcg, hit_rate@1": Asked("map, mrr, ndcg, hit_rate@1"),
    },
    "RecTools": {
        "MAP(k=3)": Asked("map@3"), "MAP(k=2)": Asked("map@2"),
        "MAP(k=3, divide_by_k=True)": Asked("map(norm=k)@3"), "Precision(k=4)": Asked("precision@4"),
        "Precision(k=4, r_precision=True)": Asked("recall(norm=min_k)@4"), "Recall(k=3)": Asked("recall@3"),
        "NDCG(k=3) (binary only)": Asked("ndcg@3"), "NDCG(k=2)": Asked("ndcg@2"),
        "NDCG(k=2, divide_by_achievable=True)": Asked("ndcg(ideal=judged)@2"), "MRR(k=3)": Asked("mrr@3"),
        "F1Beta(k=3)": Asked("f1@3"),
    },
    "recommenders": {
        "map(k=3)": Asked("map(norm=relevant)@3"), "map_at_k(k=3)": Asked("map@3"),
        "map_at_k(k=2)": Asked("map@2"), "precision_at_k(k=4)": Asked("precision@4"),
        "precision_at_k(k=2)": Asked("precision@2"), "recall_at_k(k=3)": Asked("recall@3"),
        "ndcg_at_k(k=3)": Asked("ndcg@3"), "ndcg_at_k(k=2)": Asked("ndcg@2"),
        "ndcg_at_k(k=3, score_type='binary')": Asked("ndcg@3"),
        "ndcg_at_k(k=3, score_type='raw')": Asked("ndcg(gain=linear)@3"),
        "ndcg_at_k(k=3, score_type='exp')": Asked("ndcg(gain=exp2)@3"),
        "deeprec cal_metric(['logloss'])": Asked("log_loss(eps=1e-11)"),
        "deeprec cal_metric(['group_auc'])": Asked("gauc"),
    },
    "RePlay": {
        "MAP(3)": Asked("map@3"), "MAP(2)": Asked("map@2"), "Precision(4)": Asked("precision@4"),
        "Recall(3)": Asked("recall@3"), "NDCG(3)": Asked("ndcg@3"), "NDCG(2)": Asked("ndcg@2"),
        "MRR(3) pandas": Asked("mrr@3"), "MRR(3) polars": Asked("mrr@3"),
        "MRR(3) dict": Asked("mrr@3", {"ties": "input"}),
        "NDCG(3), MAP(3), Recall(3) on Spark DataFrames": Asked(
            "ndcg@3, map@3, recall@3", {"duplicates": "first"}
        ),
    },
    "evidently": {
        "NDCG(k=3)": Asked("ndcg@3"), "NDCG(k=2)": Asked("ndcg@2"),
    },
    "Spark MLlib": {
        "meanAveragePrecisionAt(3)": Asked("map@3"), "meanAveragePrecision": Asked("map"),
        "precisionAt(4)": Asked("precision@4"), "recallAt(3)": Asked("recall@3"),
        "ndcgAt(3)": Asked("ndcg@3"), "ndcgAt(2)": Asked("ndcg@2"),
        "ndcgAt(3) given (pred, labels, relevance=[3,2,1])": Asked("ndcg@3"), "areaUnderROC": Asked("auc"),
    },
    "torchmetrics": {
        "retrieval_average_precision(top_k=3), missing relevant rows appended at the bottom": Asked("map@3"),
        "retrieval_precision(top_k=4)": Asked("precision@4"),
        "retrieval_precision(top_k=4, adaptive_k=True)": Asked("precision(norm=returned)@4"),
        "retrieval_recall(top_k=3), missing rows appended": Asked("recall@3"),
        "retrieval_normalized_dcg(top_k=3)": Asked("ndcg@3"), "retrieval_normalized_dcg": Asked("ndcg"),
        "RetrievalNormalizedDCG(top_k=2, empty_target_action='neg')": Asked("ndcg@2"),
        "RetrievalNormalizedDCG(top_k=2, empty_target_action='pos')": Asked("ndcg@2", ONE),
        "RetrievalNormalizedDCG(top_k=2, empty_target_action='skip')": Asked(
            "ndcg@2", {"no_relevant": "null"}
        ),
        "binary_auroc": Asked("auc"), "binary_auroc(thresholds=None)": Asked("auc"),
    },
    "LensKit": {
        "AveragePrecision(n=3)": Asked("map@3"), "Precision(n=4)": Asked("precision@4"),
        "Recall(n=3)": Asked("recall@3"), "NDCG(n=3)": Asked("ndcg@3"), "NDCG(n=2)": Asked("ndcg@2"),
        "NDCG(n=3, weight=LogRankWeight(offset=1))": Asked("ndcg(discount=log2)@3"),
        "NDCG(n=3, gain='rating')": Asked("ndcg(gain=linear)@3"),
        "NDCG(n=3, gain='rating', weight=LogRankWeight(offset=1))": Asked(
            "ndcg(gain=linear, discount=log2)@3"
        ),
        "RunAnalysis(AveragePrecision(n=2)).list_summary()": Asked("map@2"),
        "RunAnalysis(NDCG(n=2)).list_summary()": Asked("ndcg@2"),
    },
    "recpack": {
        "PrecisionK(4)": Asked("precision@4"), "RecallK(3)": Asked("recall@3"),
        "CalibratedRecallK(3)": Asked("recall(norm=min_k)@3"), "NDCGK(2)": Asked("ndcg@2"),
    },
    "RecBole": {
        "MAP.metric_info @3": Asked("map@3"), "Recall.metric_info @3": Asked("recall@3"),
        "NDCG.metric_info @3": Asked("ndcg@3"), "AUC.metric_info": Asked("auc"),
        "LogLoss.metric_info": Asked("log_loss"), "GAUC.metric_info": Asked("gauc"),
    },
    "Elliot": {"nDCG @3 relevance_threshold=1": Asked("ndcg@3")},
    "XGBoost": {
        "map@3, missing relevant rows appended at the bottom": Asked("map@3"),
        "pre@4 on the returned rows": Asked("precision@4"), "ndcg@3 on the returned rows": Asked("ndcg@3"),
        "ndcg@2 on the returned rows": Asked("ndcg@2"), "ndcg@3": Asked("ndcg@3"),
        "ndcg@2-": Asked("ndcg@2", {"no_relevant": "zero"}),
        "ndcg@3 with ndcg_exp_gain=False": Asked("ndcg(gain=linear)@3"), "auc": Asked("auc"),
        "logloss (margins -1000, 0)": Asked("log_loss"),
    },
    "LightGBM": {
        "map@3, missing relevant rows appended at the bottom": Asked("map@3"),
        "ndcg@3 on the returned rows": Asked("ndcg@3"), "ndcg@2 on the returned rows": Asked("ndcg@2"),
        "ndcg@3": Asked("ndcg@3"), "auc": Asked("auc"),
        "binary_logloss (margins -1000, 0)": Asked("log_loss"),
    },
    "CatBoost": {
        "MAP:top=3, missing relevant rows appended at the bottom": Asked("map@3"),
        "PrecisionAt:top=4 on the returned rows": Asked("precision@4"),
        "RecallAt:top=3, missing relevant rows appended at the bottom": Asked("recall@3"),
        "NDCG:top=3 on the returned rows": Asked("ndcg@3"),
        "NDCG:top=2 on the returned rows": Asked("ndcg@2"),
        "NDCG:top=3;denominator=Position on the returned rows": Asked("ndcg(discount=reciprocal)@3"),
        "NDCG:top=3;type=Exp on the returned rows": Asked("ndcg(gain=exp2)@3"),
        "MRR on the returned rows": Asked("mrr"), "AUC": Asked("auc"), "QueryAUC": Asked("gauc"),
        "MAP, MRR, NDCG, PrecisionAt:top=1": Asked("map, mrr, ndcg, precision@1"),
    },
    "scikit-learn": {
        "ndcg_score(k=3) on the returned rows": Asked("ndcg@3"), "ndcg_score(k=2)": Asked("ndcg@2"),
        "ndcg_score()": Asked("ndcg"), "roc_auc_score": Asked("auc"),
        "roc_auc_score of the group": Asked("auc"), "global roc_auc_score, groups ignored": Asked("auc"),
        "log_loss float64": Asked("log_loss"),
        "log_loss float32": Asked("log_loss(eps=1.1920928955078125e-07)"),
    },
    "ClickHouse": {"arrayROCAUC": Asked("auc")},
    "definition (sklearn per group)": {
        "unweighted mean of per-group AUC": Asked("gauc(average=uniform)"),
        "impression-weighted (DIN-style GAUC)": Asked("gauc"),
    },
}  # fmt: skip

# (case, tool, call) -> why the value is not reproduced; an empty call means all calls of the tool.
ABOVE_ONE = "values above 1, or of repeated rows, are refused"
ROWS = "depends on the order of the rows or of a dict"
NEGATIVE = "a negative gain takes NDCG out of [0, 1]; negative grades are an error, or 0"
BINNED = "an approximation by a curve of few points; AUC is exact here"
ANY_ORDER = "equal scores are in any order"
NO_SUCH = "no metric of items recommended to all users here"
WEIGHTED = "no weights of queries here"
NOT_IMITATED: dict[tuple[str, str, str], str] = {
    ("ap_missing_relevant", "evidently", ""): f"MAP {ROWS}",
    ("ap_missing_relevant", "Elliot", ""): "the mean of P@1 to P@k is no average precision",
    ("precision_short_list", "evidently", ""): "a KeyError where k is larger than every list",
    ("ndcg_gain", "Elliot", "nDCG @3 relevance_threshold=2"): "a threshold that lowers the gains",
    ("ties_relevant_first_id", "ranx", "mrr via dict"): f"{ROWS}: equal scores in reversed order",
    ("ties_relevant_first_id", "evidently", ""): "equal scores share their mean rank, cut to a whole number",
    ("ties_relevant_first_id", "torchmetrics", ""): ANY_ORDER,
    ("float32_scores", "torchmetrics", ""): f"{ANY_ORDER}, these are equal in single precision",
    ("ties_ndcg", "scikit-learn", "ndcg_score(ignore_ties=True)"): f"{ROWS}: equal scores reversed",
    ("no_relevant_weighted", "XGBoost", ""): WEIGHTED,
    ("no_relevant_weighted", "LightGBM", ""): WEIGHTED,
    ("negative_relevance", "evidently", ""): NEGATIVE,
    ("negative_relevance", "torchmetrics", ""): NEGATIVE,
    ("negative_relevance", "CatBoost", ""): NEGATIVE,
    ("mrr_multi_positive", "recommenders", ""): "the mean of 1/rank of all relevant items is no MRR",
    ("rbp_graded", "trec_eval", ""): "divides by a largest grade that was never set",
    ("rbp_graded", "ranx", ""): "grades as gains take RBP above 1",
    ("bpref_no_judged_nonrel", "ranx", ""): "NaN without a judged nonrelevant item",
    ("f1_aggregation", "evidently", ""): "F of the means is not the mean of F",
    ("duplicate_truth", "RecTools", ""): ABOVE_ONE,
    ("duplicate_truth", "RePlay", "NDCG(3), MAP(3), Recall(3) pandas"): ABOVE_ONE,
    ("pre_truncated_off", "recommenders", "precision_at_k(k=2, relevancy_method=None)"): ABOVE_ONE,
    ("pre_truncated_off", "recommenders", "map_at_k(k=2, relevancy_method=None)"): ABOVE_ONE,
    ("pre_truncated_off", "recommenders", "ndcg_at_k(k=2, relevancy_method=None)"): ABOVE_ONE,
    ("dict_query_order", "ranx", "evaluate(dict, dict, mrr)"): f"{ROWS}: queries aligned by position",
    ("negative_scores", "torchmetrics", ""): "scores of 0 or less count as not retrieved in some metrics",
    ("auc_ties", "cornac", ""): "a tie counts as wrong",
    ("auc_auto_sigmoid", "torchmetrics", ""): "a sigmoid makes large scores equal",
    ("logloss_clip", "CatBoost", ""): "it is of the margin and not clipped",
    ("gauc_weights", "XGBoost", ""): "pairs of equal labels count, groups of two rows do not",
    ("gauc_pairs", "XGBoost", ""): "pairs of equal labels count",
    ("gauc_negatives", "XGBoost", ""): "pairs of equal labels count",
    ("gauc_negatives", "Elliot", ""): "one negative too many",
    ("gauc_negatives", "RePlay", ""): "1 where all of the list is relevant, 0 where nothing is",
    ("auc_downsampled", "Spark MLlib", ""): BINNED,
    ("auc_downsampled", "torchmetrics", "binary_auroc(thresholds=100)"): BINNED,
    ("auc_downsampled", "torchmetrics", "binary_auroc(thresholds=5)"): BINNED,
    ("gini", "", ""): NO_SUCH,
    ("catalog_coverage", "", ""): NO_SUCH,
}  # fmt: skip


class Recorded(NamedTuple):
    """One value of a tool."""

    case: dict[str, Any]
    library: str
    version: str
    call: str
    value: Any

    @property
    def tool(self) -> str:
        """The library without remarks about its call."""
        return self.library.partition(" (functions")[0].partition(" (Spark backend")[0]

    @property
    def preset(self) -> str | None:
        """The preset; None if the value belongs to a definition, not to a tool."""
        name = f"{self.tool} {self.version}" if self.tool == "trec_eval" else self.tool
        return PRESETS.get(name)

    @property
    def reason(self) -> str | None:
        """The reason why it is not imitated; None where it is."""
        case = self.case["id"]
        keys = ((case, self.tool, self.call), (case, self.tool, ""), (case, "", ""))
        return next((NOT_IMITATED[key] for key in keys if key in NOT_IMITATED), None)

    @property
    def tolerance(self) -> float:
        """The precision of the tool: printed digits, or single precision."""
        if self.tool == "trec_eval" or "deeprec" in self.call:
            return 5.1e-5
        if "exp-log2" in self.call:
            return 5.1e-6
        if self.tool == "torchmetrics" or "float32" in self.call or "margins" in self.call:
            return 1.2e-7 * max(1.0, abs(self.value))
        return 1e-9


def recorded() -> Iterator[Recorded]:
    """Return every value of the fixture."""
    for case in DOCUMENT["cases"]:
        for result in case["results"]:
            yield Recorded(case, result["library"], result["version"], result["call"], result["value"])


def answer(one: Recorded) -> dict[str, float | None]:
    """Evaluate a recorded value here; return the values by metric."""
    asked = CALLS[one.tool][one.call]
    data = tables(one)
    like = {} if one.preset is None else {"like": one.preset}
    result = duckmetrics.evaluate(*data, metrics=asked.spec, **like, **asked.switches)
    return {metric: result[metric] for metric in result.metrics}


def tables(one: Recorded) -> list[pa.Table]:
    """Return the input of a case as tables, in its order."""
    given = one.case["input"]
    if "generator" in given:
        random = np.random.default_rng(0)
        scores = random.random(20_000)
        return [pa.table({"label": (random.random(20_000) < scores**3).astype(int), "score": scores})]
    if "groups" in given:
        rows = [(name, y, s) for name, ys, scores in given["groups"]
                for y, s in zip(ys, scores, strict=True)]  # fmt: skip
        return [table_of(["group_id", "label", "score"], rows)]
    if "y" in given:
        return [table_of(["label", "score"], list(zip(given["y"], given["score"], strict=True)))]
    run = [(query, item, score) for query, items in given["run"].items() for item, score in items]
    qrels = given.get("qrels")
    truth = (
        [(query, item, 1) for query, item in given["truth_rows"]]
        if qrels is None
        else [(query, item, grade) for query, items in qrels.items() for item, grade in items.items()]
    )
    if any(mark in one.call for mark in APPENDED):
        known = {(query, item) for query, item, _ in run}
        lowest = min(score for *_, score in run)
        rest = [(query, item) for query, item, _ in truth if (query, item) not in known]
        run += [(query, item, lowest - 1 - i) for i, (query, item) in enumerate(rest)]
        if one.tool == "torchmetrics":
            run = [(query, item, score - lowest + 10) for query, item, score in run]
    return [
        table_of(["query_id", "item_id", "score"], run), table_of(["query_id", "item_id", "relevance"], truth)
    ]  # fmt: skip


def table_of(names: list[str], rows: list[tuple[Any, ...]]) -> pa.Table:
    """Return rows as a table."""
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})


def equal(found: float | None, wanted: Any, tolerance: float) -> bool:
    """Return whether two values are the same; NaN is not a value."""
    if wanted == "NaN" or wanted is None:
        return found is None
    return found is not None and math.isclose(found, wanted, rel_tol=0, abs_tol=tolerance)
