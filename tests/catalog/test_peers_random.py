"""Values of other tools on random inputs: reproduced by their presets, or listed with the reason.

`tests/data/recorded/peer_random_values.json` holds random inputs (ties, missing queries, queries without
relevant items, short lists, negative scores, one class, certainties) with the values of 21 tools;
its `notes` describe each call. RULES maps a call of a tool to a call here, under the preset of the
tool; REASONS lists values that are not reproduced, and why.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import duckmetrics
from duckmetrics import InputError, MetricError, UnsupportedError
from duckmetrics.catalog.definition import CLASSIFICATION, RANKING, substituted
from duckmetrics.catalog.presets import presets
from duckmetrics.catalog.spec_text import split_specs
from duckmetrics.catalog.specs import parse_measure, parse_measures
from support import recorded_lists
from support.cases import CATALOG, ROOT
from support.peers import CALLS, PRESETS, equal, recorded, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from duckmetrics.catalog.measure import Measure

DOCUMENT = json.loads((ROOT / "tests/data/recorded/peer_random_values.json").read_text("utf-8"))
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in DOCUMENT["cases"]}
Switches = tuple[tuple[str, Any], ...]
DEFINITION = "definition (sklearn per group)"
# The values were recorded with another version than the one that the preset names.
OTHER_VERSIONS = {"XGBoost": "3.2.0"}


class Rule(NamedTuple):
    """The form of matching calls here: specs, {at} for the cut-off, and switches in addition to `like`.

    If commas separate several specs, the value is their mean.
    """

    call: str
    spec: str
    switches: Mapping[str, Any] = {}


class Reason(NamedTuple):
    """The reason why matching calls are not reproduced on matching cases.

    Attributes:
        refused: the preset itself raises an error: it has no such metric, or the rows are not what
            it requires.
    """

    call: str
    why: str
    cases: str = ""
    refused: bool = False


def rules(names: Mapping[str, str], options: Mapping[str, Mapping[str, Any]] | None = None) -> list[Rule]:
    """Return a rule for each name under each option; {} in the text stands for the name."""
    return [
        Rule(text.replace("{}", name), spec, switches)
        for name, spec in names.items() for text, switches in (options or {"{}": {}}).items()
    ]  # fmt: skip


K = r"(?P<k>\d+)"
AT = f"(?:@{K})?"
TOP = f"(?::top={K})?"
ZERO, SKIP, REL, JUDGED = {"missing": "zero"}, {"missing": "skip"}, {"rel": 2}, {"unjudged": "skip"}
RETURNED = {"labels": "returned", "population": "predictions"}
NULL, NOTHING, ONE = {"no_relevant": "null"}, {"no_relevant": "zero"}, {"no_relevant": "one"}
ELEVEN = ", ".join(f"iprec(recall={level / 10})" for level in range(11))
TREC = {
    "map": "map", "gm_map": "gmap", "Rprec": "r_precision", "bpref": "bpref", "recip_rank": "mrr",
    "infAP": "infap", "ndcg": "ndcg", "set_P": "precision", "set_recall": "recall", "set_F": "f1",
    "num_rel_ret": "hits(agg=sum)", f"P_{K}": "precision{at}", f"recall_{K}": "recall{at}",
    f"success_{K}": "hit_rate{at}", f"map_cut_{K}": "map{at}", f"ndcg_cut_{K}": "ndcg{at}",
    r"iprec_at_recall_(?P<level>[\d.]+)": "iprec(recall={level})", "11pt_avg": ELEVEN,
}  # fmt: skip
TREC_OPTIONS = {"-m {}": {}, "-c -m {}": ZERO, "-l 2 -m {}": REL, "-J -m {}": JUDGED}

RULES: dict[str, list[Rule]] = {
    "trec_eval 10.0": rules(
        TREC, {**TREC_OPTIONS, "-c -l 2 -m {}": {**ZERO, **REL}, "-c -J -m {}": {**ZERO, **JUDGED}}
    ),
    "trec_eval 9.0.8": rules(TREC, TREC_OPTIONS),
    "pytrec_eval-terrier": rules(
        {name: spec.replace("(agg=sum)", "") for name, spec in TREC.items() if name != "gm_map"},
        {"{}": {}, "{}, relevance_level=2": REL, "{}, judged_docs_only_flag=True": JUDGED},
    ),
    "ir-measures": rules(
        {"AP": "map{at}", "RR": "mrr{at}", "nDCG": "ndcg{at}", "Rprec": "r_precision", "Bpref": "bpref",
         "P": "precision{at}", "R": "recall{at}", "Success": "hit_rate{at}", "SetP": "precision",
         "SetR": "recall", "SetF": "f1", "infAP": "infap", "Judged": "judged{at}", "ERR": "err{at}"},
        {f"{{}}{AT}": {}, rf"{{}}\(rel=2\){AT}": REL, rf"{{}}\(judged_only=True\){AT}": JUDGED},
    ) + rules({
        r"SetF\(beta=2.0\)": "f_beta(beta=1.4142135623730951)", r"RBP\(rel=1\)": "rbp",
        r"RBP\(rel=2\)": "rbp(rel=2)", r"RBP\(p=0.5,rel=1\)": "rbp(p=0.5)", "Accuracy": "query_auc",
        rf"nDCG\(gains=\{{2:3,3:7\}}\){AT}": "ndcg(gain=exp2){at}",
        rf"nDCG\(dcg='exp-log2'\){AT}": "ndcg(gain=exp2, scores=double){at}",
        "IPrec@(?P<level>.*)": "iprec(recall={level})", r"NumRet\(rel=1\)": "hits(agg=sum)",
    }),
    "ranx": rules(
        {f"map{AT}": "map{at}", f"mrr{AT}": "mrr{at}", f"ndcg{AT}": "ndcg{at}", f"dcg{AT}": "dcg{at}",
         f"ndcg_burges{AT}": "ndcg(gain=exp2){at}", f"dcg_burges{AT}": "dcg(gain=exp2){at}",
         f"precision{AT}": "precision{at}", f"recall{AT}": "recall{at}", f"f1{AT}": "f1{at}",
         f"hits{AT}": "hits{at}", f"hit_rate{AT}": "hit_rate{at}", "r-precision": "r_precision",
         "bpref": "bpref", "rbp.80": "rbp", "rbp.50": "rbp(p=0.5)"},
        {"{}": {}, "{}-l2": REL, "{}, make_comparable=True": ZERO,
         "{}-l2, make_comparable=True": {**REL, **ZERO}, r"evaluate\(dict, dict, '{}'\)": {},
         r"evaluate\(Qrels, Run, '{}'\)": {}},
    ),
    "RecTools": rules({
        rf"HitRate\(k={K}\)": "hit_rate{at}", rf"NDCG\(k={K}(?:, log_base=3)?\)": "ndcg{at}",
        rf"NDCG\(k={K}, divide_by_achievable=True\)": "ndcg(ideal=judged){at}",
        rf"F1Beta\(k={K}\)": "f1{at}", rf"F1Beta\(k={K}, beta=2\)": "f_beta(beta=2){at}",
        rf"MAP\(k={K}\)": "map{at}", rf"MAP\(k={K}, divide_by_k=True\)": "map(norm=k){at}",
        rf"Precision\(k={K}\)": "precision{at}", rf"Recall\(k={K}\)": "recall{at}",
        rf"Precision\(k={K}, r_precision=True\)": "recall(norm=min_k){at}", rf"MRR\(k={K}\)": "mrr{at}",
    }),
    "scikit-learn": rules({
        rf"ndcg_score\((?:k={K})?\)": "ndcg{at}", rf"dcg_score\((?:k={K})?\)": "dcg{at}",
        rf"ndcg_score\((?:k={K}, )?ignore_ties=True\)": "ndcg(ties=input){at}",
        rf"dcg_score\((?:k={K}, )?ignore_ties=True\)": "dcg(ties=input){at}",
        "roc_auc_score per query": "query_auc", "(?:global )?roc_auc_score(?:, groups ignored)?": "auc",
        r"roc_auc_score\(max_fpr=0.5\)": "partial_auc(max_fpr=0.5)",
        "average_precision_score": "average_precision", r"brier_score_loss(?:\(pos_label=1\))?": "brier",
        r"auc\(recall, precision\).*": "average_precision(interpolation=trapezoid, undefined=null)",
        r"log_loss(?:\(labels=\[0, 1\]\))?, float64": "log_loss", "d2_brier_score": "brier_skill",
        r"log_loss\(labels=\[0, 1\]\), float32 scores": "log_loss(eps=1.1920928955078125e-07)",
        "d2_log_loss_score.*": "rig", "accuracy_score": "accuracy", "precision_score": "precision",
        "recall_score": "recall", "f1_score": "f1", r"fbeta_score\(beta=2\)": "f_beta(beta=2)",
        r"precision_score\(zero_division=nan\)": "precision(undefined=null)",
        r"recall_score\(zero_division=nan\)": "recall(undefined=null)",
        r"f1_score\(zero_division=1\)": "f1(undefined=one)", r"recall_score\(pos_label=0\)": "specificity",
        r"precision_score\(pos_label=0\)": "npv", "matthews_corrcoef": "mcc", "r2_score": "r2",
        "balanced_accuracy_score": "balanced_accuracy", "cohen_kappa_score": "cohen_kappa",
        "mean_absolute_error": "mae", "root_mean_squared_error": "rmse",
    }),
    "XGBoost": rules(
        {f"ndcg{AT}": "ndcg{at}", f"map{AT}": "map{at}", f"pre{AT}": "precision{at}"},
        {"{}(?:, labels grade>=1|, graded labels)?": {}, "{}-(?:, labels grade>=1)?": NOTHING},
    ) + rules(
        {f"ndcg{AT}": "ndcg(gain=linear){at}"},
        {"{}, ndcg_exp_gain=False": {}, "{}-, ndcg_exp_gain=False": NOTHING},
    ) + rules({
        "auc(?: without groups)?": "auc", "logloss(?: of logits)?": "log_loss", "rmse": "rmse", "mae": "mae",
        "aucpr": "average_precision", r"auc with groups \(rank:ndcg\)": "gauc",
    }),
    "LightGBM": rules({
        f"ndcg@{K}": "ndcg{at}", f"ndcg@{K}, label_gain=0,1,2,3": "ndcg(gain=linear){at}",
        f"map@{K}": "map{at}", "auc(?: with groups|, groups ignored)?": "auc", "l1": "mae", "rmse": "rmse",
        "average_precision": "average_precision", "binary_logloss(?: of logits)?": "log_loss",
    }),
    "CatBoost": rules({
        f"NDCG{TOP}": "ndcg{at}", f"NDCG:(?:top={K};)?type=Exp": "ndcg(gain=exp2){at}",
        f"NDCG:(?:top={K};)?denominator=Position": "ndcg(discount=reciprocal){at}",
        f"NDCG:(?:top={K};)?type=Exp;denominator=Position": "ndcg(gain=exp2, discount=reciprocal){at}",
        f"DCG{TOP}": "dcg{at}", f"DCG:(?:top={K};)?type=Exp": "dcg(gain=exp2){at}",
        f"DCG:(?:top={K};)?denominator=Position": "dcg(discount=reciprocal){at}",
    }) + rules(
        {"PrecisionAt": "precision{at}", "RecallAt": "recall{at}", "MAP": "map{at}", "MRR": "mrr{at}"},
        {f"{{}}{TOP}": {}, f"{{}}:(?:top={K};)?border=1.5": REL},
    ) + rules({
        rf"ERR{TOP}, label=\(2\^g-1\)/8": "err(max_grade=3){at}", "AUC": "auc", "NormalizedGini": "gini",
        "PRAUC": "average_precision", "Logloss|CrossEntropy": "log_loss", "BrierScore": "brier",
        "Accuracy": "accuracy", "Precision": "precision", "Recall": "recall", "F1": "f1", "MCC": "mcc",
        "F:beta=2": "f_beta(beta=2)", "BalancedAccuracy": "balanced_accuracy", "Kappa": "cohen_kappa",
        "CtrFactor": "copc", "Accuracy:proba_border=0.3": "accuracy(threshold=0.3)",
        "Precision:proba_border=0.3": "precision(threshold=0.3)", "QueryAUC(?::type=Classic)?": "gauc",
        "RMSE": "rmse", "R2": "r2", "MAE": "mae",
    }),
    "torchmetrics": rules(
        {"RetrievalMAP": "map{at}", "RetrievalMRR": "mrr{at}", "RetrievalPrecision": "precision{at}",
         "RetrievalRecall": "recall{at}", "RetrievalHitRate": "hit_rate{at}",
         "RetrievalRPrecision": "r_precision", "RetrievalNormalizedDCG": "ndcg{at}"},
        {rf"{{}}\((?:top_k={K})?\)": {}, rf"{{}}\((?:top_k={K}, )?empty_target_action='pos'\)": ONE,
         rf"{{}}\((?:top_k={K}, )?empty_target_action='skip'\)": NULL},
    ) + rules(
        {rf"RetrievalPrecision\((?:top_k={K}, )?adaptive_k=True": "precision(norm=returned){at}"},
        {r"{}\)": {}, r"{}, empty_target_action='pos'\)": ONE, r"{}, empty_target_action='skip'\)": NULL},
    ) + rules({
        r"binary_auroc(?:\(\))?": "auc", r"binary_auroc\(max_fpr=0.5\)": "partial_auc(max_fpr=0.5)",
        r"binary_average_precision\(\)": "average_precision", r"binary_accuracy\(\)": "accuracy",
        r"binary_precision\(\)": "precision", r"binary_recall\(\)": "recall", r"binary_f1_score\(\)": "f1",
        r"binary_fbeta_score\(beta=2.0\)": "f_beta(beta=2)", r"binary_specificity\(\)": "specificity",
        r"binary_negative_predictive_value\(\)": "npv", r"binary_cohen_kappa\(\)": "cohen_kappa",
        r"binary_matthews_corrcoef\(\)": "mcc", r"binary_calibration_error\(\)": "ece",
        r"binary_calibration_error\(n_bins=(?P<bins>\d+)\)": "ece(bins={bins})",
        r"binary_calibration_error\(n_bins=10, norm='max'\)": "mce(bins=10)",
        r"binary_accuracy\(threshold=0.3\)": "accuracy(threshold=0.3)",
        r"binary_precision\(threshold=0.3\)": "precision(threshold=0.3)",
        r"RetrievalAUROC\(empty_target_action='\w+'\)": "gauc", r"mean_absolute_error\(\)": "mae",
        r"mean_squared_error\(squared=False\)": "rmse",
    }),
    "LensKit": rules(
        {"Precision": "precision{at}", "Recall": "recall{at}", "RecipRank": "mrr{at}", "Hit": "hit_rate{at}",
         "AveragePrecision": "map{at}", "NDCG": "ndcg{at}", "DCG": "dcg{at}", "RBP": "rbp{at}"},
        {rf"{{}}\(n=(?:None|{K})\)(?:, (?:empty|no) test list)?": {}},
    ) + rules(
        {rf"NDCG\(n=(?:None|{K}), gain='rating'(?:, discount=np.log2)?": "ndcg(gain=linear){at}",
         rf"NDCG\(n=(?:None|{K}), weight=LogRankWeight\(offset=1\)": "ndcg(discount=log2){at}",
         rf"NDCG\(n=(?:None|{K}), gain='rating', weight=LogRankWeight\(offset=1\)":
             "ndcg(gain=linear, discount=log2){at}",
         rf"DCG\(n=(?:None|{K}), gain='rating'": "dcg(gain=linear){at}",
         rf"DCG\(n=(?:None|{K}), gain='rating', weight=LogRankWeight\(offset=1\)":
             "dcg(gain=linear, discount=log2){at}",
         rf"RBP\(n=(?:None|{K}), patience=0.5": "rbp(p=0.5){at}"},
        {r"{}\)(?:, (?:empty|no) test list)?": {}},
    ),
    "RePlay": rules(
        {rf"HitRate\({K}\)": "hit_rate{at}", rf"MAP\({K}\)": "map{at}", rf"MRR\({K}\)": "mrr{at}",
         rf"NDCG\({K}\)": "ndcg{at}", rf"Precision\({K}\)": "precision{at}", rf"Recall\({K}\)": "recall{at}",
         rf"NDCG\({K}, mode=Median\(\)\)": "ndcg(agg=median){at}"},
        {"{} pandas": {}, "{} dict": {"ties": "input"},
         r"{} dict, ground truth \[\]": {"ties": "input", **NOTHING}},
    ),
    "recommenders": rules({
        rf"precision_at_k\(k={K}\)": "precision{at}", rf"recall_at_k\(k={K}\)": "recall{at}",
        rf"map\(k={K}\)": "map(norm=relevant){at}", rf"map_at_k\(k={K}\)": "map{at}",
        rf"ndcg_at_k\(k={K}\)": "ndcg{at}", rf"ndcg_at_k\(k={K}, score_type='exp'\)": "ndcg(gain=exp2){at}",
        rf"ndcg_at_k\(k={K}, score_type='raw'(?:, discfun_type='log2')?\)": "ndcg(gain=linear){at}",
        "auc": "auc", "logloss": "log_loss", "rmse": "rmse", "mae": "mae", "rsquared": "r2",
    }) + rules(
        {"auc": "auc", "acc": "accuracy", "f1": "f1", "rmse": "rmse", "logloss": "log_loss(eps=1e-11)",
         "group_auc": "gauc"},
        {r"cal_metric\(\['{}'\]\)": {}},
    ),
    "recpack": rules({
        rf"PrecisionK\({K}\)": "precision{at}", rf"RecallK\({K}\)": "recall{at}", rf"HitK\({K}\)": "hits{at}",
        rf"CalibratedRecallK\({K}\)": "recall(norm=min_k){at}", rf"ReciprocalRankK\({K}\)": "mrr{at}",
        rf"NDCGK\({K}\)": "ndcg{at}", rf"(?:DCG|DiscountedGain)K\({K}\)": "dcg{at}",
    }),
    "Spark MLlib": rules(
        {"meanAveragePrecision": "map", rf"meanAveragePrecisionAt\({K}\)": "map{at}",
         rf"precisionAt\({K}\)": "precision{at}", rf"recallAt\({K}\)": "recall{at}",
         rf"ndcgAt\({K}\)": "ndcg{at}"},
        {"{}": {}, r"{}, missing query as \[\]": ZERO,
         r"{}, query without labels as \[\]": {"population": "predictions"}},
    ) + rules({
        r"areaUnderROC(?:\(numBins=0\)|, groups ignored)?": "auc", "logLoss": "log_loss",
        r"logLoss\(eps=1e-06\)": "log_loss(eps=1e-6)", "accuracy": "accuracy",
        r"fMeasureByLabel\(metricLabel=1.0\)": "f1", r"precisionByLabel\(metricLabel=1.0\)": "precision",
        r"recallByLabel\(metricLabel=1.0\)": "recall", r"RegressionEvaluator\(metricName='rmse'\)": "rmse",
        r"RegressionEvaluator\(metricName='(?P<name>mae|r2)'\)": "{name}",
    }),
    "evidently": rules(
        {"HitRate": "hit_rate{at}", "MRR": "mrr{at}", "PrecisionTopK": "precision{at}",
         "RecallTopK": "recall{at}"},
        {rf"{{}}\(k={K}\)": {}, rf"{{}}\(k={K}, min_rel_score=2\)": REL,
         rf"{{}}\(k={K}, no_feedback_users=True\)": NOTHING},
    ) + rules({
        rf"NDCG\(k={K}\)": "ndcg{at}", rf"NDCG\(k={K}, min_rel_score=2\)": "ndcg(gain=binary, rel=2){at}",
        rf"NDCG\(k={K}, no_feedback_users=True\)": "ndcg(no_relevant=zero){at}",
        r"RocAuc\(\)": "auc", r"LogLoss\(\)": "log_loss", r"Accuracy\(\)": "accuracy",
        r"Precision\(\)": "precision", r"Recall\(\)": "recall", r"F1Score\(\)": "f1", r"FPR\(\)": "fpr",
        r"TPR\(\)": "recall(undefined=null)", r"TNR\(\)": "specificity", r"FNR\(\)": "fnr",
        r"Accuracy\(probas_threshold=0.3\)": "accuracy(threshold=0.3)",
        r"Precision\(probas_threshold=0.3\)": "precision(threshold=0.3)",
        r"Recall\(probas_threshold=0.3\)": "recall(threshold=0.3)",
        r"F1Score\(probas_threshold=0.3\)": "f1(threshold=0.3)",
        r"TPR\(probas_threshold=0.3\)": "recall(threshold=0.3, undefined=null)",
        r"TNR\(probas_threshold=0.3\)": "specificity(threshold=0.3)",
        r"FPR\(probas_threshold=0.3\)": "fpr(threshold=0.3)",
        r"FNR\(probas_threshold=0.3\)": "fnr(threshold=0.3)",
    }),
    "cornac": rules(
        {"Precision": "precision{at}", "Recall": "recall{at}", "FMeasure": "f1{at}",
         "HitRatio": "hit_rate{at}", "NDCG": "ndcg{at}"},
        {rf"{{}}\(k=(?:-1|{K})\)": SKIP},
    ) + rules(
        {r"MRR\(\)": "mrr"}, {"{}": SKIP}
    ) + rules({r"MAP\(\) on the returned rows": "map"}, {"{}": RETURNED})
    + rules({"MAE.*": "mae", "RMSE.*": "rmse"}),
    "ClickHouse": rules({
        r"arrayROCAUC\(scores, labels\)": "auc", r"arrayAUCPR\(scores, labels\)": "average_precision",
    }),
    "RecBole": rules(
        {"Hit": "hit_rate{at}", "MRR": "mrr{at}", "MAP": "map{at}", "Recall": "recall{at}",
         "NDCG": "ndcg{at}", "Precision": "precision{at}"},
        {f"{{}}.metric_info @{K}": SKIP},
    ) + rules(
        {"AUC": "auc", "LogLoss": "log_loss", "MAE": "mae", "RMSE": "rmse", "GAUC": "gauc"},
        {"{}.metric_info": {}},
    ),
    "Elliot": rules(
        {"HR": "hit_rate{at}", "MRR": "mrr{at}", "F1": "f1{at}", "Recall": "recall{at}", "nDCG": "ndcg{at}",
         "Precision": "precision{at}"},
        {f"{{}} @{K}": {}},
    ),
    DEFINITION: rules({
        "unweighted mean.*": "gauc(average=uniform)", "impression-weighted.*": "gauc",
        "weights = positives.*": "gauc(average=positives)",
    }),
}  # fmt: skip

NO_SUCH = "no such metric here"
ANY_ORDER = "equal scores are in any order"
REVERSED = "equal scores are in the reversed order of the input"
CERTAIN = "a wrong certainty costs -ln(eps), here -ln(1 - (1 - eps)), which rounds to another number"
STRICT = "a score that is the threshold itself is not positive, or by chance"
NO_LABELS = "an error where there is one class only"
NO_NUMBER = "a number where the metric is not defined, and NULL here"
EMPTY = "an error where no item is relevant"
BINNED = "an approximation by a curve of few points"
EDGES = "class_c0[2567]"
ONE_CLASS = "class_c0[56]"
ONE_CLASS_GROUPS = "group_g0[24]"
TIED = "rank_t"
REASONS: dict[str, list[Reason]] = {
    "pytrec_eval-terrier": [Reason("set_map", NO_SUCH)],
    "ir-measures": [
        Reason("RBP", "grades as gains; an error without another package"),
        Reason("Accuracy", "equal scores are in the order of the input", TIED, refused=True),
    ],
    "ranx": [
        Reason("bpref.*", "NaN without a judged nonrelevant item", refused=True),
        Reason("rbp.*", "grades are gains", "rank_(?![ut]0[36])", refused=True),
        Reason("n?dcg.*-l2.*", "a level takes away the gains below it"),
        Reason(r"evaluate\(dict.*", REVERSED, TIED),
        Reason(r"evaluate\(Qrels.*", "a query that only the run has is an error", "rank_u08|rank_t06"),
    ],
    "RecTools": [Reason(r"(PAP|PartialAUC|Accuracy|MCC)\(.*", NO_SUCH)],
    "scikit-learn": [
        Reason(".*ignore_ties=True.*", REVERSED, TIED),
        Reason(".*log_base=3.*", "the logarithm is to base 2 here"),
        Reason(".*(normalize=False|scale_by_half=False|adjusted=True).*|jaccard.*|hamming.*", NO_SUCH),
        Reason("calibration_curve.*", "a table, and presets are of metrics"),
        Reason("log_loss, float64", NO_LABELS, ONE_CLASS),
        Reason("(d2_.*|r2_score|balanced_accuracy_score)", NO_NUMBER, ONE_CLASS),
        Reason(r"auc\(recall, precision\).*", NO_NUMBER, "class_c06"),
    ],
    "XGBoost": [
        Reason("(auc|aucpr), groups.*|aucpr with groups.*", NO_SUCH),
        Reason("auc with groups.*", "pairs of equal labels count, groups of two rows do not", refused=True),
        Reason("aucpr", "interpolates as Davis and Goadrich do", refused=True),
        Reason("error.*", NO_SUCH),
        Reason("logloss.*", CERTAIN, "class_c04", refused=True),
    ],
    "LightGBM": [
        Reason("binary_error.*|cross_entropy|l2", NO_SUCH),
        Reason("binary_logloss.*", CERTAIN, "class_c04", refused=True),
    ],
    "CatBoost": [
        Reason("AverageGain.*|PFound.*|FilteredDCG|QueryAUC:type=Ranking", NO_SUCH),
        Reason("ERR", "labels are the probabilities of stopping"),
        Reason("QueryAUC.*", "the AUC of one class is 0", "rank_"),
        Reason("QueryAUC.*", "the AUC of one class is 0", ONE_CLASS_GROUPS, refused=True),
        Reason("LogLikelihood.*|WKappa|BalancedErrorRate|ZeroOneLoss|HammingLoss", NO_SUCH),
        Reason("Logloss|CrossEntropy", "the loss of a wrong certainty is that of its margin", "class_c04"),
        Reason("BalancedAccuracy", NO_NUMBER, f"{ONE_CLASS}|class_x0[13]"),
        Reason("Kappa", NO_NUMBER, "class_x0[13]"),
        Reason("NormalizedGini|R2", NO_NUMBER, ONE_CLASS),
        Reason("MAE", "0.000001 is taken off every error", refused=True),
        Reason("PRAUC", "an error where no row is positive", "class_c06"),
        Reason(".*proba_border.*", STRICT, EDGES, refused=True),
    ],
    "torchmetrics": [
        Reason(r"Retrieval(MAP|MRR|Precision|Recall|RPrecision|HitRate)\(.*", ANY_ORDER, f"{TIED}|rank_u07",
               refused=True),
        Reason(r"Retrieval(MAP|MRR|Precision|Recall|RPrecision)\(.*", "a score of 0 or less is not retrieved",
               "rank_u08", refused=True),
        Reason("RetrievalFallOut.*", NO_SUCH),
        Reason("RetrievalAUROC.*", "the AUC of one class is 0, and that of the top k is none here", "rank_"),
        Reason("RetrievalAUROC.*", "groups of positive rows count 0", ONE_CLASS_GROUPS, refused=True),
        Reason(".*thresholds=.*", BINNED),
        Reason("binary_(jaccard|hamming|eer).*|.*norm='l2'.*", NO_SUCH),
        Reason(".*threshold=0.3.*", STRICT, EDGES, refused=True),
        Reason("binary_matthews_corrcoef.*", NO_NUMBER, "class_c0[568]"),
    ],
    "LensKit": [
        Reason("RBP.*normalize=True.*", NO_SUCH),
        Reason("AveragePrecision.*", EMPTY, "rank_[ut]05|rank_u08|rank_t06"),
        Reason("DCG.*gain='rating'.*no test list", EMPTY),
        Reason("DCG.*gain='rating'.*", EMPTY, "rank_u08|rank_t06"),
    ],
    "RePlay": [
        Reason("RocAuc.*", "1 where all of the list is relevant, 0 where nothing is"),
        Reason(".*ConfidenceInterval.*", NO_SUCH),
    ],
    "recommenders": [
        Reason("r_precision_at_k.*", "queries without a hit are left out"),
        Reason(r"cal_metric\(\['(mean_mrr|ndcg@.*|hit@.*)'\]\)", "of the rows given, as no other is"),
        Reason(r"cal_metric\(\['group_auc'\]\)", "of classifiers only", "rank_"),
        Reason(r"cal_metric\(\['group_auc'\]\)", "NaN where a group has one class", ONE_CLASS_GROUPS,
               refused=True),
        Reason(".*logloss.*", NO_LABELS, ONE_CLASS),
        Reason("rsquared", NO_NUMBER, ONE_CLASS),
    ],
    "recpack": [
        Reason("PercentileRanking.*", NO_SUCH),
        Reason(".*", ANY_ORDER, TIED, refused=True),
    ],
    "Spark MLlib": [
        Reason("areaUnderPR.*", "a trapezoid from recall 0 at the first precision"),
        Reason(r"areaUnderROC\(numBins=5\)", BINNED),
        Reason("f1|weighted.*|hammingLoss", NO_SUCH),
        Reason("areaUnderROC.*|.*'r2'.*", NO_NUMBER, ONE_CLASS),
        Reason(".*ByLabel.*", "an error where no row has the label", "class_c06"),
        Reason("logLoss.*", CERTAIN, "class_c04", refused=True),
    ],
    "evidently": [
        Reason(r"MAP\(.*", "depends on the order of the rows"),
        Reason("FBetaTopK.*", "F of the means is not the mean of F"),
        Reason(r".*\(k=.*", "equal scores share their mean rank, cut to a whole number", TIED, refused=True),
        Reason(r".*\(k=10\)", "an error where k is beyond every list", "rank_u06"),
    ],
    "cornac": [
        Reason(r"NCRR.*|MAP\(\)\.compute.*", NO_SUCH),
        Reason(r"AUC\(.*", "a tie counts as wrong"),
        Reason(r"MAP\(\) on.*", "equal scores of relevant items share a rank", TIED, refused=True),
        Reason(r"MRR.*", "an error where nothing is found", "rank_[ut]06"),
    ],
    "ClickHouse": [
        Reason(".*false.*|(avg|avgIf|sum).*", NO_SUCH),
        Reason("arrayNormalizedGini.*", ANY_ORDER),
    ],
    "RecBole": [Reason(".*@.*", ANY_ORDER, TIED, refused=True)],
    "Elliot": [
        Reason("MAP.*", "the mean of P@1 to P@k is no average precision"),
        Reason("nDCG.*", "grades below the threshold", "rank_x01", refused=True),
    ],
}  # fmt: skip


class Recorded(NamedTuple):
    """One value of a tool."""

    case: str
    tool: str
    call: str
    value: Any

    @property
    def preset(self) -> str | None:
        """The preset; None if the value belongs to a definition, not to a tool."""
        return None if self.tool == DEFINITION else PRESETS[self.tool]

    @property
    def reason(self) -> Reason | None:
        return reason_for(self.tool, self.call, self.case)

    @property
    def asked(self) -> Rule:
        """The rule, with its spec filled in."""
        rule = rule_for(self.tool, self.call)
        assert rule is not None, self
        found = re.fullmatch(rule.call, self.call)
        parts = {} if found is None else found.groupdict()
        at = f"@{parts['k']}" if parts.get("k") else ""
        # Without a cut-off, precision is about the returned items in any case.
        spec = rule.spec if at else rule.spec.replace("(norm=returned)", "")
        return rule._replace(spec=spec.format(at=at, **parts))

    @property
    def is_error(self) -> bool:
        return isinstance(self.value, str) and self.value.startswith("ERROR")

    @property
    def tolerance(self) -> float:
        """The precision of the tool: printed digits, or single precision."""
        if self.tool.startswith("trec_eval") or "cal_metric" in self.call:
            return 5.1e-5
        if "exp-log2" in self.call or (self.tool == "ir-measures" and self.call.startswith("ERR")):
            return 5.1e-6
        single = self.tool == "XGBoost" and self.case.startswith(("class", "group"))
        if single or self.tool == "torchmetrics" or "float32" in self.call:
            return 1.2e-7 * (max(1.0, abs(self.value)) if isinstance(self.value, float) else 1)
        return 1e-9


@cache
def rule_for(tool: str, call: str) -> Rule | None:
    return next((rule for rule in RULES[tool] if re.fullmatch(rule.call, call)), None)


@cache
def reason_for(tool: str, call: str, case: str) -> Reason | None:
    return next(
        (r for r in REASONS.get(tool, ()) if re.fullmatch(r.call, call) and re.match(r.cases, case)), None
    )


def values() -> Iterator[Recorded]:
    """Return every value of the fixture."""
    for case in CASES.values():
        for tool, calls in case["results"].items():
            for call, value in calls.items():
                yield Recorded(case["id"], tool, call, value)


EVERY = list(values())
IMITATED = [one for one in EVERY if one.reason is None and not one.is_error]
REFUSED = [one for one in EVERY if one.is_error and one.reason is None] + [
    one for one in EVERY if one.reason is not None and one.reason.refused
]


class Batch(NamedTuple):
    """The content of one call: the cases of one kind, under one preset with the same switches.

    Attributes:
        needed: columns that the rows need; cases without them are left out.
        binary: whether the grades become 0 and 1 before.
    """

    preset: str | None
    kind: str
    switches: Switches
    needed: str
    binary: bool

    def __str__(self) -> str:
        marks = [f"{name}={value}" for name, value in self.switches] + ["binary"] * self.binary
        return "-".join([str(self.preset), self.kind, *marks, *re.findall(r"\w+(?= [<>=])", self.needed)[:1]])


@cache
def measure_of(tool: str | None, family: str, spec: str, switches: Switches = ()) -> Measure:
    like = None if tool is None else presets()[tool]
    return parse_measure(CATALOG, spec, dict(switches), lambda: family, like)


def measures_of(one: Recorded) -> list[Measure]:
    """Return the measures of a value here, with all the parameters that the preset sets."""
    family = RANKING if "run" in CASES[one.case]["input"] else CLASSIFICATION
    rule = one.asked
    switches = tuple(rule.switches.items())
    return [measure_of(one.preset, family, spec, switches) for spec in split_specs(rule.spec)]


def batch_of(one: Recorded) -> Batch:
    measures = measures_of(one)
    needed = {substituted(c, m.values).sql() for m in measures for c in m.requires.values()}
    needed |= {"untied" for measure in measures if measure.untied}
    return Batch(
        one.preset, one.case.partition("_")[0], tuple(one.asked.switches.items()),
        " AND ".join(sorted(needed)), "grade>=1" in one.call,
    )  # fmt: skip


def batches(imitated: list[Recorded]) -> dict[Batch, list[Recorded]]:
    found: dict[Batch, list[Recorded]] = {}
    for one in imitated:
        found.setdefault(batch_of(one), []).append(one)
    return found


def rankings(cases: list[str], binary: bool) -> dict[str, pa.Table]:
    """Put the inputs of cases together, each with its own query names; `case` distinguishes them."""
    run, truth, queries = [], [], []
    for case in cases:
        given = CASES[case]["input"]
        queries += [(f"{case} {query}", case) for query in {**given["qrels"], **given["run"]}]
        for query, items in given["run"].items():
            run += [(f"{case} {query}", item, score) for item, score in items]
        for query, grades in given["qrels"].items():
            truth += [(f"{case} {query}", i, min(g, 1) if binary else g) for i, g in grades.items()]
    return {
        "predictions": table_of(["query_id", "item_id", "score"], run),
        "truth": table_of(["query_id", "item_id", "relevance"], truth),
        "queries": table_of(["query_id", "case"], queries),
    }


def classified(cases: list[str]) -> dict[str, pa.Table]:
    """Put the rows of cases together; cases without groups are one group."""
    rows = []
    for case in cases:
        given = CASES[case]["input"]
        for name, labels, scores in given.get("groups") or [["all", given["y"], given["score"]]]:
            rows += [(case, name, *row) for row in zip(labels, scores, strict=True)]
    return {"predictions": table_of(["case", "group_id", "label", "score"], rows)}


def is_idle(specs: list[str], name: str, value: Any) -> bool:
    """Return whether a switch changes none of the metrics, so that it is refused."""
    try:
        parse_measures(CATALOG, specs, {name: value}, lambda: RANKING)
    except MetricError as error:
        return "changes nothing" in str(error)
    except UnsupportedError:
        pass
    return False


def found(batch: Batch, asked: list[Recorded]) -> dict[tuple[str, str], float | None]:
    """Evaluate the specs of a batch once: (case, spec) -> value."""
    cases = sorted({one.case for one in asked})
    specs = dict.fromkeys(spec for one in asked for spec in split_specs(one.asked.spec))
    tables = rankings(cases, batch.binary) if batch.kind == "rank" else classified(cases)
    switches = {name: value for name, value in batch.switches if not is_idle(list(specs), name, value)}
    result = duckmetrics.evaluate(**tables, metrics=list(specs), by="case", like=batch.preset, **switches)
    return {(row["case"], row["metric"]): row["value"] for row in result.rows if row.get("case")}


def mean(numbers: list[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if len(known) == len(numbers) else None


def test_every_value_is_accounted_for() -> None:
    unknown = [one for one in EVERY if one.reason is None and rule_for(one.tool, one.call) is None]
    assert unknown == []
    assert (len(CASES), len(EVERY), len(IMITATED), len(REFUSED)) == (31, 6271, 6087, 35)
    assert {PRESETS.get(tool) for tool in DOCUMENT["versions"]} == {*presets(), None}


def test_every_rule_and_every_reason_is_needed() -> None:
    used: set[tuple[str, Any]] = set()
    for one in IMITATED + REFUSED:
        rule = rule_for(one.tool, one.call)
        assert rule is not None
        used |= {(one.tool, rule.spec), (one.tool, str(rule.switches))}
    idle = [(tool, part) for tool, known in RULES.items() for rule in known
            for part in (rule.spec, str(rule.switches)) if (tool, part) not in used]  # fmt: skip
    assert idle == []
    needed = {(one.tool, one.reason) for one in EVERY}
    assert [r for tool, known in REASONS.items() for r in known if (tool, r) not in needed] == []


@pytest.mark.slow
def test_every_metric_of_every_preset_has_a_value() -> None:
    confirmed = {(one.preset, m.metric.family, m.metric.name) for one in IMITATED for m in measures_of(one)}
    for one in recorded():
        if one.reason is None and one.preset is not None:
            family = RANKING if "run" in one.case["input"] else CLASSIFICATION
            for spec in split_specs(CALLS[one.tool][one.call].spec):
                metric = measure_of(one.preset, family, spec).metric
                confirmed.add((one.preset, metric.family, metric.name))
    for of_lists in recorded_lists.recorded():
        if of_lists.key is None and of_lists.tool in presets():
            metric = measure_of(of_lists.tool, RANKING, of_lists.spec).metric
            confirmed.add((of_lists.tool, metric.family, metric.name))
    claimed = [
        (name, family, metric)
        for name, known in presets().items()
        for family, conventions in known.families.items()
        for metric in conventions.metrics
    ]
    # tests/catalog/test_foreign_names.py compares these with the installed tools.
    missing = [claim for claim in claimed if claim not in confirmed]
    assert {metric for _, _, metric in missing} == {"n_relevant", "n_returned", "set_average_precision"}


def test_the_versions_are_those_of_the_presets() -> None:
    for tool, version in DOCUMENT["versions"].items():
        if tool != DEFINITION:
            assert OTHER_VERSIONS.get(tool, presets()[PRESETS[tool]].version) in version, tool


@pytest.mark.slow
@pytest.mark.parametrize("tool", sorted({one.tool for one in IMITATED}))
def test_the_values_are_those_of_the_tool(tool: str) -> None:
    wrong = []
    for batch, asked in batches([one for one in IMITATED if one.tool == tool]).items():
        known = found(batch, asked)
        for one in asked:
            value = mean([known[one.case, spec] for spec in split_specs(one.asked.spec)])
            if not equal(value, one.value, one.tolerance):
                wrong.append((str(batch), one, one.asked.spec, value))
    assert wrong == []


@pytest.mark.some(2)
@pytest.mark.parametrize("one", REFUSED, ids=lambda one: f"{one.tool}-{one.case}-{one.call}")
def test_what_the_preset_refuses_is_an_error(one: Recorded) -> None:
    with pytest.raises((UnsupportedError, InputError)):
        found(batch_of(one), [one])
