"""The switches and parameters of calls, as types.

Written by ``python -m duckmetrics.catalog.typed_switches`` from the files under sql/; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence


class Switches(TypedDict, total=False):
    """The switches of a call: conventions, and parameters of its metrics."""

    agg: Literal[
        "gmean",
        "mean",
        "sum",
        "median",
        "p1",
        "p5",
        "p10",
        "p25",
        "p50",
        "p75",
        "p90",
        "p95",
        "p99",
    ]
    """Taken by all of ranking. Default: 'mean'."""

    absent: Literal["null", "zero"]
    """Taken by overlap, unexpectedness. Default: 'null'."""

    approx: int | None
    """Taken by auc. Default: None."""

    at_least: int
    """Taken by user_coverage. Default: 1."""

    average: Literal["impressions", "positives", "pairs", "uniform", "macro", "weighted", "micro"]
    """Taken by gauc, auc, average_precision, and others."""

    base_rate: float | None
    """Taken by base_entropy, brier_skill, normalized_entropy, rig. Default: None."""

    binning: Literal["width", "mass"]
    """Taken by ace, ece, hosmer_lemeshow, mce."""

    bins: int
    """Taken by ace, ece, hosmer_lemeshow, and others. Default: 10."""

    boundary: float
    """Taken by long_tail_count, long_tail_share, pop_reo, pop_rsp. Default: 0.8."""

    catalog_size: int | None
    """Taken by average_precision, cg, dcg, and others. Default: None."""

    cold: Literal["one", "least", "skip", "zero", "tail", "head"]
    """Taken by average_popularity, efd, item_novelty, and others."""

    denominator: Literal["n", "n_minus_1"]
    """Taken by evenness, gini. Default: 'n'."""

    discount: Literal["none", "log2", "geometric", "log2_clip", "reciprocal"]
    """Taken by category_entropy, dcg, evenness, and others."""

    divide_by: Literal["pairs", "items"]
    """Taken by category_distance, intra_list_distance. Default: 'pairs'."""

    duplicates: Literal["error", "first", "count"]
    """Taken by all of ranking. Default: 'error'."""

    edges: Sequence[float] | None
    """Taken by ace, ece, hosmer_lemeshow, mce. Default: None."""

    eps: float
    """Taken by calibration_intercept, calibration_slope, log_loss, and others. Default: 1e-15."""

    exponent: float
    """Taken by propensity_ndcg, propensity_precision, propensity_recall. Default: 2.0."""

    gain: Literal["linear", "exp2", "binary"]
    """Taken by cg, dcg, idcg, ndcg. Default: 'linear'."""

    ideal: Literal["judged", "returned", "full_k"]
    """Taken by idcg, ndcg. Default: 'judged'."""

    interpolation: Literal["step", "trapezoid"]
    """Taken by average_precision. Default: 'step'."""

    k: int | Sequence[int | None] | None
    """Taken by accuracy, average_popularity, average_precision, and others."""

    kind: Literal["top", "class", "rank", "entropy"]
    """Taken by ece, effective_catalog_size."""

    labels: Literal["truth", "returned"]
    """Taken by all of ranking. Default: 'truth'."""

    max_grade: float
    """Taken by err. Default: 4.0."""

    missing: Literal["undefined", "skip", "error", "zero"]
    """Taken by all of ranking."""

    mixture: float
    """Taken by miscalibration. Default: 0.01."""

    negative_grade: Literal["error", "zero"]
    """Taken by all of ranking. Default: 'error'."""

    no_relevant: Literal["null", "zero", "one", "keep"]
    """Taken by all of ranking."""

    no_vector: Literal["skip", "distant"]
    """Taken by intra_list_distance, intra_list_similarity. Default: 'skip'."""

    norm: Literal[
        "relevant",
        "min_k",
        "min_returned",
        "hits",
        "k",
        "mcclish",
        "raw",
        "max_fpr",
        "returned",
        "none",
        "jaccard",
        "full_k",
    ]
    """Taken by partial_auc, average_popularity, average_precision, and others."""

    null_relevance: Literal["error", "zero"]
    """Taken by all of ranking. Default: 'error'."""

    over: Literal["catalog", "recommended"]
    """Taken by coverage, effective_catalog_size, evenness, gini."""

    p: float
    """Taken by rbo, rbp."""

    padding: int
    """Taken by coverage, evenness, gini. Default: 0."""

    patience: float
    """Taken by category_entropy, evenness, exposure, and others. Default: 0.85."""

    popularity: Literal["interactions", "users"]
    """Taken by average_popularity, efd, epc, and others."""

    population: Literal["truth", "predictions", "both"] | Any
    """Taken by all of ranking. Default: 'truth'."""

    propensity: Literal["power", "jain"]
    """Taken by propensity_ndcg, propensity_precision, propensity_recall. Default: 'power'."""

    reference_k: int | None
    """Taken by overlap, unexpectedness. Default: None."""

    rel: float | None
    """Taken by all of ranking. Default: None."""

    relevance: Literal["truth", "none"]
    """Taken by efd, epc. Default: 'truth'."""

    rest: Literal["extrapolated", "truncated", "normalized"]
    """Taken by rbo. Default: 'extrapolated'."""

    rounding: Literal["up", "nearest"]
    """Taken by iprec. Default: 'up'."""

    scale: Literal["count", "share", "max", "none", "items", "bits"]
    """Taken by average_popularity, coverage, self_information, shannon_entropy."""

    scores: Literal["double", "float32"]
    """Taken by average_popularity, average_precision, bpref, and others. Default: 'double'."""

    single: Literal["null", "zero", "one"]
    """Taken by category_distance, intra_list_distance, intra_list_similarity. Default: 'null'."""

    smallest: float
    """Taken by score_psi. Default: 0.0001."""

    smoothing: float
    """Taken by category_entropy. Default: 0.0."""

    start: Literal["rank", "cutoff"]
    """Taken by least_promoted. Default: 'rank'."""

    tail: Literal["interactions", "items", "count"]
    """Taken by long_tail_count, long_tail_share, pop_reo, pop_rsp. Default: 'interactions'."""

    threshold: float
    """Taken by accuracy, balanced_accuracy, cohen_kappa, and others. Default: 0.5."""

    ties: Literal[
        "item_asc",
        "item_desc",
        "item_asc_text",
        "item_desc_text",
        "pessimistic",
        "optimistic",
        "input",
        "expected",
    ]
    """Taken by average_popularity, average_precision, bpref, and others. Default: 'item_asc'."""

    undefined: Literal["null", "zero", "one"]
    """Taken by all of classification and all of multiclass. Default: 'null'."""

    unit: Literal["bits", "nats"]
    """Taken by shannon_entropy. Default: 'bits'."""

    unjudged: Literal["nonrelevant", "skip"]
    """Taken by average_popularity, average_precision, bpref, and others. Default: 'nonrelevant'."""

    weighted: bool | None
    """Taken by all of classification and all of multiclass."""

    weights: Literal["items", "lists"]
    """Taken by shannon_entropy. Default: 'items'."""


class SqlSwitches(Switches, total=False):
    """The switches of a call that writes SQL of metrics, or of a table."""

    per: Literal["group"]
    """Taken by group_auc. Default: 'group'."""

    points: int | None
    """Taken by ecce_curve, gains_curve, pr_curve, and others."""


class TableParameters(TypedDict, total=False):
    """The parameters of tables, such as curves; a list gives the rows of each."""

    binning: Literal["width", "mass"] | Sequence[Literal["width", "mass"]]
    """Taken by brier_decomposition, calibration_curve. Default: 'width'."""

    bins: int | Sequence[int]
    """Taken by brier_decomposition, calibration_curve, gains_curve, score_histogram."""

    edges: Sequence[float] | Sequence[Sequence[float] | None] | None
    """Taken by brier_decomposition, calibration_curve. Default: None."""

    per: Literal["group"] | Sequence[Literal["group"]]
    """Taken by group_auc. Default: 'group'."""

    points: int | Sequence[int | None] | None
    """Taken by ecce_curve, gains_curve, pr_curve, and others."""

    threshold: float | Sequence[float]
    """Taken by confusion. Default: 0.5."""

    weighted: bool | Sequence[bool | None] | None
    """Taken by all of classification and all of multiclass. Default: None."""


class StatisticParameters(TypedDict, total=False):
    """The parameters of statistical tests."""

    alpha: float
    """Taken by max_t, paired_t, paired_tost, and others."""

    baseline: str | None
    """Taken by always_valid, delong, interleaving, and others. Default: None."""

    better: Literal["higher", "lower", "target"]
    """Taken by probability_best. Default: 'higher'."""

    bins: int
    """Taken by jensen_shannon, population_stability. Default: 10."""

    control: str
    """Taken by category_drift, cuped, jensen_shannon, and others."""

    correction: bool
    """Taken by chi_square_independence, wilcoxon. Default: False."""

    exact: bool | None
    """Taken by kolmogorov_smirnov, mann_whitney, randomization_test, and others. Default: None."""

    groups: int
    """Taken by max_t, probability_best."""

    level: float
    """Taken by always_valid, bootstrap_interval, cuped, and others. Default: 0.95."""

    margin: float
    """Taken by paired_tost, randomization_tost."""

    method: Literal[
        "bonferroni",
        "holm",
        "hochberg",
        "benjamini_hochberg",
        "benjamini_yekutieli",
        "team_draft",
        "balanced",
        "studentized",
        "percentile",
    ]
    """Taken by adjusted_p, interleaving, paired_bootstrap."""

    most: int
    """Taken by category_drift. Default: 100."""

    n: int
    """Taken by movers. Default: 20."""

    planned: int
    """Taken by always_valid, sequential_mean, sequential_ratio, sequential_sample_ratio."""

    power: float
    """Taken by paired_t, unpaired_t. Default: 0.8."""

    q: float
    """Taken by quantile_difference, quantile_interval. Default: 0.5."""

    relative: bool
    """Taken by paired_tost, randomization_tost. Default: False."""

    resamples: int
    """Taken by bootstrap_interval, max_t, paired_bootstrap, and others. Default: 10000."""

    seed: int
    """Taken by bootstrap_interval, max_t, paired_bootstrap, and others. Default: 42."""

    smallest: float
    """Taken by category_drift, population_stability. Default: 0.0001."""

    statistic: Literal["pearson", "g"]
    """Taken by chi_square, chi_square_independence. Default: 'pearson'."""

    target: float
    """Taken by probability_best. Default: 0.0."""

    unclicked: Literal["tie", "skip"]
    """Taken by interleaving. Default: 'tie'."""

    variance: Literal["jackknife", "delta"]
    """Taken by ratio_delta, ratio_interval, sequential_ratio. Default: 'jackknife'."""

    zeros: Literal["wilcox", "pratt"]
    """Taken by wilcoxon. Default: 'wilcox'."""
