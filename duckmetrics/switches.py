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

    approx: int | None
    """Taken by auc. Default: None."""

    average: Literal["impressions", "positives", "pairs", "uniform"]
    """Taken by gauc. Default: 'impressions'."""

    base_rate: float | None
    """Taken by base_entropy, brier_skill, normalized_entropy, rig. Default: None."""

    binning: Literal["width", "mass"]
    """Taken by ace, ece, hosmer_lemeshow, mce."""

    bins: int
    """Taken by ace, ece, hosmer_lemeshow, mce. Default: 10."""

    catalog_size: int | None
    """Taken by average_precision, cg, dcg, and others. Default: None."""

    discount: Literal["log2", "log2_clip", "reciprocal"]
    """Taken by dcg, idcg, ndcg. Default: 'log2'."""

    duplicates: Literal["error", "first", "count"]
    """Taken by all of ranking. Default: 'error'."""

    eps: float
    """Taken by calibration_intercept, calibration_slope, log_loss, and others. Default: 1e-15."""

    gain: Literal["linear", "exp2", "binary"]
    """Taken by cg, dcg, idcg, ndcg. Default: 'linear'."""

    ideal: Literal["judged", "returned", "full_k"]
    """Taken by idcg, ndcg. Default: 'judged'."""

    interpolation: Literal["step", "trapezoid"]
    """Taken by average_precision. Default: 'step'."""

    k: int | Sequence[int | None] | None
    """Taken by average_precision, cg, dcg, and others. Default: None."""

    labels: Literal["truth", "returned"]
    """Taken by all of ranking. Default: 'truth'."""

    max_grade: float
    """Taken by err. Default: 4.0."""

    missing: Literal["zero", "skip", "error", "undefined"]
    """Taken by all of ranking."""

    negative_grade: Literal["error", "zero"]
    """Taken by all of ranking. Default: 'error'."""

    no_relevant: Literal["null", "zero", "one", "keep"]
    """Taken by all of ranking."""

    norm: Literal["relevant", "min_k", "min_returned", "hits", "k", "mcclish", "raw", "max_fpr", "returned"]
    """Taken by partial_auc, average_precision, precision, recall."""

    null_relevance: Literal["error", "zero"]
    """Taken by all of ranking. Default: 'error'."""

    p: float
    """Taken by rbp. Default: 0.8."""

    population: Literal["truth", "predictions", "both"] | Any
    """Taken by all of ranking. Default: 'truth'."""

    rel: float | None
    """Taken by all of ranking. Default: None."""

    rounding: Literal["up", "nearest"]
    """Taken by iprec. Default: 'up'."""

    scores: Literal["double", "float32"]
    """Taken by average_precision, bpref, cg, and others. Default: 'double'."""

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
    """Taken by average_precision, bpref, cg, and others. Default: 'item_asc'."""

    undefined: Literal["null", "zero", "one"]
    """Taken by all of classification. Default: 'null'."""

    unjudged: Literal["nonrelevant", "skip"]
    """Taken by average_precision, bpref, cg, and others. Default: 'nonrelevant'."""

    weighted: bool | None
    """Taken by all of classification."""


class SqlSwitches(Switches, total=False):
    """The switches of a call that writes SQL of metrics, or of a table."""

    per: Literal["group"]
    """Taken by group_auc. Default: 'group'."""

    points: int | None
    """Taken by pr_curve, roc_curve, threshold_table."""


class TableParameters(TypedDict, total=False):
    """The parameters of tables, such as curves; a list gives the rows of each."""

    binning: Literal["width", "mass"] | Sequence[Literal["width", "mass"]]
    """Taken by brier_decomposition, calibration_curve. Default: 'width'."""

    bins: int | Sequence[int]
    """Taken by brier_decomposition, calibration_curve, gains_curve. Default: 10."""

    per: Literal["group"] | Sequence[Literal["group"]]
    """Taken by group_auc. Default: 'group'."""

    points: int | Sequence[int | None] | None
    """Taken by pr_curve, roc_curve, threshold_table."""

    threshold: float | Sequence[float]
    """Taken by confusion. Default: 0.5."""

    weighted: bool | Sequence[bool | None] | None
    """Taken by all of classification. Default: None."""


class StatisticParameters(TypedDict, total=False):
    """The parameters of statistical tests."""

    alpha: float
    """Taken by paired_t, sample_ratio."""

    baseline: str | None
    """Taken by delong, mcnemar, movers, and others. Default: None."""

    control: str
    """Taken by cuped, mann_whitney, ratio_delta, and others."""

    correction: bool
    """Taken by chi_square_independence, wilcoxon. Default: False."""

    exact: bool | None
    """Taken by randomization_test. Default: None."""

    level: float
    """Taken by bootstrap_interval, cuped, delong, and others. Default: 0.95."""

    method: Literal[
        "bonferroni",
        "holm",
        "hochberg",
        "benjamini_hochberg",
        "benjamini_yekutieli",
        "studentized",
        "percentile",
    ]
    """Taken by adjusted_p, paired_bootstrap."""

    n: int
    """Taken by movers. Default: 20."""

    power: float
    """Taken by paired_t. Default: 0.8."""

    resamples: int
    """Taken by bootstrap_interval, paired_bootstrap, randomization_test, tukey_hsd. Default: 10000."""

    seed: int
    """Taken by bootstrap_interval, paired_bootstrap, randomization_test, tukey_hsd. Default: 42."""

    statistic: Literal["pearson", "g"]
    """Taken by chi_square, chi_square_independence. Default: 'pearson'."""

    variance: Literal["jackknife", "delta"]
    """Taken by ratio_delta. Default: 'jackknife'."""

    zeros: Literal["wilcox", "pratt"]
    """Taken by wilcoxon. Default: 'wilcox'."""
