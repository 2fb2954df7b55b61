"""The metrics of classifiers and click models: one function per metric, one number per set of rows.

y: label, 0 or 1; s: score, or p: probability; w: weight, 1 if there is none. P and N: weights of
the positives and the negatives; TP, FP, FN, TN: weights on the two sides of a threshold, where
score >= threshold predicts a positive. Counts, sums and means are weighted. None: undefined.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from duckmetrics.reference.bins import binned, gap
from duckmetrics.reference.choice import choose
from duckmetrics.reference.logistic import calibration_line, clip
from duckmetrics.reference.observation import (
    auc_bounds,
    captured,
    class_weights,
    confusion_at,
    grouped,
    mean,
    present,
    ratio,
    steps,
    total,
    unweighted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

__all__ = [
    "accuracy",
    "ace",
    "auc",
    "auc_pairwise",
    "average_precision",
    "balanced_accuracy",
    "base_entropy",
    "base_rate",
    "brier",
    "brier_skill",
    "calibration_intercept",
    "calibration_ratio",
    "calibration_slope",
    "cohen_kappa",
    "copc",
    "ece",
    "f_beta",
    "fnr",
    "fpr",
    "gauc",
    "gini",
    "hosmer_lemeshow",
    "ks",
    "lift",
    "log_loss",
    "mae",
    "max_f1",
    "mcc",
    "mce",
    "normalized_entropy",
    "npv",
    "partial_auc",
    "precision",
    "precision_at_recall",
    "r2",
    "recall",
    "recall_at_precision",
    "rig",
    "rmse",
    "specificity",
    "spiegelhalter_p",
    "spiegelhalter_z",
    "tpr_at_fpr",
]


# --- at a threshold ------------------------------------------------------------------------------


def base_rate(rows: Sequence[Observation]) -> float | None:
    """P / (P + N): prevalence; of clicks, the click-through rate.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    positives, negatives = class_weights(rows)
    return ratio(positives, positives + negatives)


def accuracy(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """(TP + TN) / (P + N).

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    tp, fp, fn, tn = confusion_at(rows, threshold)
    return ratio(tp + tn, tp + fp + fn + tn)


def precision(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """TP / (TP + FP): the positive predictive value.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    tp, fp, _, _ = confusion_at(rows, threshold)
    return ratio(tp, tp + fp)


def recall(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """TP / P: the true positive rate, sensitivity.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    tp, _, fn, _ = confusion_at(rows, threshold)
    return ratio(tp, tp + fn)


def specificity(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """TN / N: the true negative rate.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    _, fp, _, tn = confusion_at(rows, threshold)
    return ratio(tn, fp + tn)


def fpr(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """FP / N: the false positive rate, fall-out.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    _, fp, _, tn = confusion_at(rows, threshold)
    return ratio(fp, fp + tn)


def fnr(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """FN / P: the false negative rate, miss rate.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    tp, _, fn, _ = confusion_at(rows, threshold)
    return ratio(fn, tp + fn)


def npv(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """TN / (TN + FN): the negative predictive value.

    Altman and Bland, BMJ 1994, doi:10.1136/bmj.309.6947.102.
    """
    _, _, fn, tn = confusion_at(rows, threshold)
    return ratio(tn, tn + fn)


def f_beta(rows: Sequence[Observation], *, beta: float, threshold: float = 0.5) -> float | None:
    """(1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP).

    van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """
    tp, fp, fn, _ = confusion_at(rows, threshold)
    square = Fraction(beta) ** 2
    return ratio((1 + square) * tp, (1 + square) * tp + square * fn + fp)


def balanced_accuracy(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """(TP / P + TN / N) / 2.

    Brodersen, Ong, Stephan and Buhmann, ICPR 2010, doi:10.1109/ICPR.2010.764.
    """
    tp, fp, fn, tn = confusion_at(rows, threshold)
    return ratio(tp * (fp + tn) + tn * (tp + fn), 2 * (tp + fn) * (fp + tn))


def mcc(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """(TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)).

    Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9.
    """
    tp, fp, fn, tn = confusion_at(rows, threshold)
    difference = tp * tn - fp * fn
    square = ratio(difference**2, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return None if square is None else math.copysign(math.sqrt(square), difference)


def cohen_kappa(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """(a - e) / (1 - e): a, the agreement, is the accuracy; e is expected of independent classes.

    e = ((TP + FP) (TP + FN) + (TN + FP) (TN + FN)) / n^2. Cohen, Educational and Psychological
    Measurement 1960, doi:10.1177/001316446002000104.
    """
    tp, fp, fn, tn = confusion_at(rows, threshold)
    n = tp + fp + fn + tn
    by_chance = (tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)
    return ratio((tp + tn) * n - by_chance, n * n - by_chance)


# --- order: ROC ----------------------------------------------------------------------------------


def auc(rows: Sequence[Observation], *, approx: int | None = None) -> float | None:
    """Sum over positives of (negatives below + half of the negatives tied) / (P N).

    approx: middle of the bounds that so many bins of equal width give (`auc_bounds`). Hanley and
    McNeil, Radiology 1982, doi:10.1148/radiology.143.1.7063747.
    """
    if approx is not None:
        bounds = auc_bounds(rows, approx)
        return None if bounds is None else sum(bounds) / 2
    positives, negatives = class_weights(rows)
    won = sum(
        (step.positives * (negatives - step.fp + step.negatives / 2) for step in steps(rows)), Fraction()
    )
    return ratio(won, positives * negatives)


def auc_pairwise(rows: Sequence[Observation]) -> float | None:
    """Share of the pairs of a positive and a negative that are in the right order, ties half.

    Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491.
    """
    positives = [row for row in present(rows) if row.positive]
    negatives = [row for row in present(rows) if not row.positive]
    won = math.fsum(
        a.weight * b.weight * ((a.score > b.score) + 0.5 * (a.score == b.score))
        for a in positives
        for b in negatives
    )
    pairs = float(total(positives) * total(negatives))
    return won / pairs if pairs else None


def gini(rows: Sequence[Observation]) -> float | None:
    """2 AUC - 1.

    Hand and Till, Machine Learning 2001, doi:10.1023/A:1010920819831.
    """
    area = auc(rows)
    return None if area is None else 2 * area - 1


def partial_auc(rows: Sequence[Observation], *, max_fpr: float, norm: str = "mcclish") -> float | None:
    """Area A under the ROC curve where FPR <= m = max_fpr; linear between distinct scores.

    norm: raw = A, max_fpr = A / m, mcclish = (1 + (A - m^2/2) / (m - m^2/2)) / 2, so that chance
    is 1/2. McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307.
    """
    positives, negatives = class_weights(rows)
    m, area = Fraction(max_fpr), Fraction()
    for step in steps(rows):
        width = min(step.fp, m * negatives) - (step.fp - step.negatives)
        if width > 0:
            before = step.tp - step.positives
            area += width * (before + step.positives * width / step.negatives / 2)
    pairs = positives * negatives
    parts = {"raw": (area, pairs), "max_fpr": (area, m * pairs)}
    chance = m * m / 2
    parts["mcclish"] = (area + (m - 2 * chance) * pairs, 2 * (m - chance) * pairs)
    return ratio(*choose(parts, norm))


def gauc(rows: Sequence[Observation], *, average: str = "impressions") -> float | None:
    """AUC of each group, averaged over the groups that have both classes.

    Weighted by: impressions = P + N of the group, positives = its P, pairs = its P N, uniform = 1.
    Zhou et al., "Deep interest network", KDD 2018, doi:10.1145/3219819.3219823.
    """
    products, weights = [], []
    for members in grouped(rows).values():
        p, n = class_weights(members)
        by = {"impressions": p + n, "positives": p, "pairs": p * n, "uniform": Fraction(1)}
        weight, area = float(choose(by, average)), auc(members)
        if area is not None:
            products.append(weight * area)
            weights.append(weight)
    return math.fsum(products) / math.fsum(weights) if weights else None


def ks(rows: Sequence[Observation]) -> float | None:
    """The largest |TPR - FPR| over the distinct scores.

    Smirnov, Annals of Mathematical Statistics 1948, doi:10.1214/aoms/1177730256.
    """
    p, n = class_weights(rows)
    widest = max((abs(step.tp * n - step.fp * p) for step in steps(rows)), default=Fraction())
    return ratio(widest, p * n)


def tpr_at_fpr(rows: Sequence[Observation], *, fpr: float) -> float | None:
    """The largest TPR over the point (0, 0) and the distinct scores whose FPR is not above fpr.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    p, n = class_weights(rows)
    if not p or not n:
        return None
    return max([float(step.tp / p) for step in steps(rows) if float(step.fp / n) <= fpr], default=0.0)


# --- order: precision, recall and lift -----------------------------------------------------------


def average_precision(rows: Sequence[Observation], *, interpolation: str = "step") -> float | None:
    """Sum over distinct scores, descending, of (recall - recall before) * precision.

    interpolation='trapezoid': * (precision + precision before) / 2, before the first: 1. The step
    form is scikit-learn's; Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874, on why the
    line between two points is too optimistic.
    """
    positives, _ = class_weights(rows)
    terms, before = [], 1.0
    for step in steps(rows):
        here = float(step.tp / (step.tp + step.fp))
        height = choose({"step": here, "trapezoid": (here + before) / 2}, interpolation)
        terms.append(float(step.positives / positives) * height if positives else 0.0)
        before = here
    return math.fsum(terms) if positives else None


def max_f1(rows: Sequence[Observation]) -> float | None:
    """The largest F1 = 2 TP / (TP + FP + P) over the thresholds that are distinct scores.

    Lipton, Elkan and Narayanaswamy, ECML 2014, doi:10.1007/978-3-662-44851-9_15.
    """
    positives, _ = class_weights(rows)
    return max([float(2 * step.tp / (step.tp + step.fp + positives)) for step in steps(rows)], default=None)


def recall_at_precision(rows: Sequence[Observation], *, precision: float) -> float | None:
    """The largest recall over the distinct scores whose precision is not below the parameter.

    Eban et al., "Scalable learning of non-decomposable objectives", AISTATS 2017.
    """
    points = _precision_recall_points(rows)
    return max([r for p, r in points if p >= precision], default=None)


def precision_at_recall(rows: Sequence[Observation], *, recall: float) -> float | None:
    """The largest precision over the distinct scores whose recall is not below the parameter.

    Eban et al., "Scalable learning of non-decomposable objectives", AISTATS 2017.
    """
    points = _precision_recall_points(rows)
    return max([p for p, r in points if r >= recall], default=None)


def lift(rows: Sequence[Observation], *, top: float) -> float | None:
    """(positives among the top share of the rows / that share) / base rate.

    Rows with the score at the cut count in proportion. Ling and Li, "Data mining for direct
    marketing: problems and solutions", KDD 1998.
    """
    positives, negatives = class_weights(rows)
    share = Fraction(top)
    return ratio(captured(steps(rows), share * (positives + negatives)), share * positives)


# --- probabilities -------------------------------------------------------------------------------


def log_loss(rows: Sequence[Observation], *, eps: float = 1e-15) -> float | None:
    """-mean(y ln p + (1 - y) ln(1 - p)), p clipped to [eps, 1 - eps].

    eps=0: not clipped; infinite where p = 0 of a positive or p = 1 of a negative.
    Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x.
    """
    if any(_surprise(clip(row.score, eps), row.positive) == math.inf for row in present(rows)):
        return math.inf
    return mean(rows, lambda row: _surprise(clip(row.score, eps), row.positive))


def base_entropy(rows: Sequence[Observation], *, base_rate: float | None = None) -> float | None:
    """-(c ln c + (1 - c) ln(1 - c)), c: the base rate of these rows, or the one given; not 0 or 1.

    He et al., "Practical lessons from predicting clicks on ads at Facebook", ADKDD 2014,
    doi:10.1145/2648584.2648589.
    """
    rate = _rate(rows, base_rate) if present(rows) else None
    if rate is None or rate in (0, 1):
        return None
    rarer = float(min(rate, 1 - rate))
    return -(rarer * math.log(rarer) + (1 - rarer) * math.log1p(-rarer))


def normalized_entropy(
    rows: Sequence[Observation], *, eps: float = 1e-15, base_rate: float | None = None
) -> float | None:
    """Log loss / -(c ln c + (1 - c) ln(1 - c)), c: the base rate of these rows, or the one given.

    He et al., "Practical lessons from predicting clicks on ads at Facebook", ADKDD 2014,
    doi:10.1145/2648584.2648589.
    """
    loss, entropy = log_loss(rows, eps=eps), base_entropy(rows, base_rate=base_rate)
    return None if loss is None or entropy is None else loss / entropy


def rig(rows: Sequence[Observation], *, eps: float = 1e-15, base_rate: float | None = None) -> float | None:
    """Relative information gain, 1 - normalized entropy.

    Yi, Chen, Li, Sett and Yan, KDD 2013, doi:10.1145/2487575.2488215.
    """
    entropy = normalized_entropy(rows, eps=eps, base_rate=base_rate)
    return None if entropy is None else 1 - entropy


def brier(rows: Sequence[Observation]) -> float | None:
    """Mean (p - y)^2.

    Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
    """
    return mean(rows, lambda row: (row.score - row.y) * (row.score - row.y))


def brier_skill(rows: Sequence[Observation], *, base_rate: float | None = None) -> float | None:
    """1 - Brier score / mean (c - y)^2, c: the base rate of these rows, or the one given.

    Murphy, Journal of Applied Meteorology 1973,
    doi:10.1175/1520-0450(1973)012<0215:HASSFP>2.0.CO;2.
    """
    score, rate = brier(rows), _rate(rows, base_rate)
    if score is None or rate is None:
        return None
    p, n = class_weights(rows)
    of_rate = float((p * (1 - rate) ** 2 + n * rate**2) / (p + n))
    return 1 - score / of_rate if of_rate else None


def ece(rows: Sequence[Observation], *, bins: int = 10, binning: str = "width") -> float | None:
    """Expected calibration error: sum over bins of n_b / n * |mean p - mean y|.

    Naeini, Cooper and Hauskrecht, AAAI 2015, doi:10.1609/aaai.v29i1.9602.
    """
    members = binned(rows, bins, binning)
    errors = [float(total(those)) * abs(gap(those) or 0.0) for those in members]
    weight = float(total(rows))
    return math.fsum(errors) / weight if weight else None


def mce(rows: Sequence[Observation], *, bins: int = 10, binning: str = "width") -> float | None:
    """Maximum calibration error: the largest |mean p - mean y| of a bin.

    Naeini, Cooper and Hauskrecht, AAAI 2015, doi:10.1609/aaai.v29i1.9602.
    """
    return max(_gaps(rows, bins, binning), default=None)


def ace(rows: Sequence[Observation], *, bins: int = 10, binning: str = "width") -> float | None:
    """Average calibration error: the mean of |mean p - mean y| over the bins that are not empty.

    Neumann, Zisserman and Vedaldi, "Relaxed softmax", NeurIPS workshop MLITS 2018.
    """
    gaps = _gaps(rows, bins, binning)
    return math.fsum(gaps) / len(gaps) if gaps else None


def calibration_ratio(rows: Sequence[Observation]) -> float | None:
    """Sum of p / sum of y: predicted clicks over clicks.

    "Calibration" in He et al., ADKDD 2014, doi:10.1145/2648584.2648589.
    """
    predicted, rate = mean(rows, lambda row: row.score), base_rate(rows)
    return predicted / rate if predicted is not None and rate else None


def copc(rows: Sequence[Observation]) -> float | None:
    """Sum of y / sum of p: clicks over predicted clicks.

    The inverse of "calibration" in He et al., ADKDD 2014, doi:10.1145/2648584.2648589.
    """
    predicted, rate = mean(rows, lambda row: row.score), base_rate(rows)
    return rate / predicted if predicted and rate is not None else None


def calibration_slope(rows: Sequence[Observation], *, eps: float = 1e-15) -> float | None:
    """b of the logistic regression logit P(y = 1) = a + b logit(p), p clipped as in `log_loss`.

    Cox, Biometrika 1958, doi:10.1093/biomet/45.3-4.562.
    """
    line = calibration_line(rows, eps)
    return None if line is None else line.slope


def calibration_intercept(rows: Sequence[Observation], *, eps: float = 1e-15) -> float | None:
    """a of the same regression (not the "calibration in the large", which holds b = 1).

    Cox, Biometrika 1958, doi:10.1093/biomet/45.3-4.562.
    """
    line = calibration_line(rows, eps)
    return None if line is None else line.intercept


def spiegelhalter_z(rows: Sequence[Observation]) -> float | None:
    """Sum of (y - p) (1 - 2p) / sqrt(sum of (1 - 2p)^2 p (1 - p)); weights do not count.

    Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506.
    """
    deviation = math.fsum((row.y - row.score) * (1 - 2 * row.score) for row in rows)
    variance = math.fsum((1 - 2 * row.score) ** 2 * row.score * (1 - row.score) for row in rows)
    return deviation / math.sqrt(variance) if variance > 0 else None


def spiegelhalter_p(rows: Sequence[Observation]) -> float | None:
    """2 (1 - Phi(|z|)), the two-sided p-value of Spiegelhalter's z.

    Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506.
    """
    z = spiegelhalter_z(rows)
    return None if z is None else math.erfc(abs(z) / math.sqrt(2))


def hosmer_lemeshow(rows: Sequence[Observation], *, bins: int = 10) -> float | None:
    """Sum over bins of equal mass of (O - E)^2 / (E (1 - E / n_b)); weights do not count.

    O: positives, E: sum of p. Hosmer and Lemeshow, Communications in Statistics 1980,
    doi:10.1080/03610928008827941.
    """
    terms = []
    for members in filter(None, binned(unweighted(rows), bins, "mass")):
        n, observed = len(members), sum(row.positive for row in members)
        expected = math.fsum(row.score for row in members)
        variance = expected * (n - expected) / n
        if not variance > 0:
            return None
        terms.append((observed - expected) ** 2 / variance)
    return math.fsum(terms) if terms and max(terms) < math.inf else None


# --- ratings -------------------------------------------------------------------------------------


def rmse(rows: Sequence[Observation]) -> float | None:
    """sqrt(mean (y - s)^2); the label is any number.

    Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079.
    """
    square = mean(rows, lambda row: (row.label - row.score) * (row.label - row.score))
    return None if square is None else math.sqrt(square)


def mae(rows: Sequence[Observation]) -> float | None:
    """Mean |y - s|; the label is any number.

    Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079.
    """
    return mean(rows, lambda row: abs(row.label - row.score))


def r2(rows: Sequence[Observation]) -> float | None:
    """1 - sum of w (y - s)^2 / sum of w (y - mean y)^2; the label is any number.

    The coefficient of determination of Wright, "Correlation and causation", 1921, as scikit-learn.
    """
    rows = present(rows)
    error = mean(rows, lambda row: (row.label - row.score) * (row.label - row.score))
    if error is None:
        return None
    n = total(rows)
    centre = sum((Fraction(row.weight) * Fraction(row.label) for row in rows), Fraction()) / n
    spread = sum((Fraction(row.weight) * (Fraction(row.label) - centre) ** 2 for row in rows), Fraction())
    unexplained = ratio(Fraction(error) * n, spread)
    return None if unexplained is None else 1 - unexplained


# --- steps of the above --------------------------------------------------------------------------


def _precision_recall_points(rows: Sequence[Observation]) -> list[tuple[float, float]]:
    """(precision, recall) at every distinct score; none without positives."""
    positives, _ = class_weights(rows)
    if not positives:
        return []
    return [(float(step.tp / (step.tp + step.fp)), float(step.tp / positives)) for step in steps(rows)]


def _surprise(p: float, positive: bool) -> float:
    """-ln of the probability of the label; log1p keeps the digits of a small p."""
    if p == (0 if positive else 1):
        return math.inf
    return -math.log(p) if positive else -math.log1p(-p)


def _rate(rows: Sequence[Observation], given: float | None) -> Fraction | None:
    """The base rate as an exact fraction, unless it is given."""
    if given is not None:
        return Fraction(given)
    positives, negatives = class_weights(rows)
    return positives / (positives + negatives) if positives + negatives else None


def _gaps(rows: Sequence[Observation], bins: int, binning: str) -> list[float]:
    """|mean p - mean y| of every bin that is not empty."""
    gaps = [gap(members) for members in binned(rows, bins, binning)]
    return [abs(value) for value in gaps if value is not None]
