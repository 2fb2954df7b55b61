"""The metrics of calibration: how the probabilities differ from the rates of positives."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

from duckmetrics.reference.bins import binned, gap
from duckmetrics.reference.confusion import base_rate
from duckmetrics.reference.distributions import brownian_range_sf
from duckmetrics.reference.logistic import calibration_line
from duckmetrics.reference.observation import mean, steps, total, unweighted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

__all__ = [
    "ace",
    "calibration_intercept",
    "calibration_ratio",
    "calibration_slope",
    "copc",
    "ecce",
    "ecce_p",
    "ecce_z",
    "ece",
    "hosmer_lemeshow",
    "mce",
    "spiegelhalter_p",
    "spiegelhalter_z",
]


def ece(
    rows: Sequence[Observation],
    *,
    bins: int = 10,
    binning: str = "width",
    edges: Sequence[float] | None = None,
) -> float | None:
    """Return the expected calibration error: sum over bins of n_b / n * |mean p - mean y|.

    Naeini, Cooper and Hauskrecht, AAAI 2015, doi:10.1609/aaai.v29i1.9602.
    """
    members = binned(rows, bins, binning, edges)
    errors = [float(total(those)) * abs(gap(those) or 0.0) for those in members]
    weight = float(total(rows))
    return math.fsum(errors) / weight if weight else None


def mce(
    rows: Sequence[Observation],
    *,
    bins: int = 10,
    binning: str = "width",
    edges: Sequence[float] | None = None,
) -> float | None:
    """Return the maximum calibration error: the largest |mean p - mean y| of a bin.

    Naeini, Cooper and Hauskrecht, AAAI 2015, doi:10.1609/aaai.v29i1.9602.
    """
    return max(_gaps(rows, bins, binning, edges), default=None)


def ace(
    rows: Sequence[Observation],
    *,
    bins: int = 10,
    binning: str = "width",
    edges: Sequence[float] | None = None,
) -> float | None:
    """Return the average calibration error: the mean of |mean p - mean y| over the bins that are not empty.

    Neumann, Zisserman and Vedaldi, "Relaxed softmax", NeurIPS workshop MLITS 2018.
    """
    gaps = _gaps(rows, bins, binning, edges)
    return math.fsum(gaps) / len(gaps) if gaps else None


def ecce(rows: Sequence[Observation]) -> float | None:
    """Return max C - min C: C_0 = 0, C_k = sum of w (y - p) over the k lowest distinct p / sum of w.

    Arrieta-Ibarra, Gujral, Tannen, Tygert and Xu, JMLR 2022, 23(351).
    """
    weight = total(rows)
    return float(_range_of_sums(rows) / weight) if weight else None


def ecce_z(rows: Sequence[Observation]) -> float | None:
    """Return ECCE / sigma, sigma = sqrt(sum of w^2 p (1 - p)) / sum of w.

    Arrieta-Ibarra, Gujral, Tannen, Tygert and Xu, JMLR 2022, 23(351).
    """
    variance = math.fsum(row.weight**2 * row.score * (1 - row.score) for row in rows)
    return float(_range_of_sums(rows)) / math.sqrt(variance) if variance > 0 else None


def ecce_p(rows: Sequence[Observation]) -> float | None:
    """Return the probability that the range of a Brownian motion on [0, 1] is at least `ecce_z`.

    Feller, Annals of Mathematical Statistics 1951, doi:10.1214/aoms/1177729589.
    """
    z = ecce_z(rows)
    return None if z is None else brownian_range_sf(z)


def calibration_ratio(rows: Sequence[Observation]) -> float | None:
    """Return the sum of p / sum of y: predicted clicks over clicks.

    "Calibration" in He et al., ADKDD 2014, doi:10.1145/2648584.2648589.
    """
    predicted, rate = mean(rows, lambda row: row.score), base_rate(rows)
    return predicted / rate if predicted is not None and rate else None


def copc(rows: Sequence[Observation]) -> float | None:
    """Return the sum of y / sum of p: clicks over predicted clicks.

    The inverse of "calibration" in He et al., ADKDD 2014, doi:10.1145/2648584.2648589.
    """
    predicted, rate = mean(rows, lambda row: row.score), base_rate(rows)
    return rate / predicted if predicted and rate is not None else None


def calibration_slope(rows: Sequence[Observation], *, eps: float = 1e-15) -> float | None:
    """Return b of the logistic regression logit P(y = 1) = a + b logit(p), p clipped as in `log_loss`.

    Cox, Biometrika 1958, doi:10.1093/biomet/45.3-4.562.
    """
    line = calibration_line(rows, eps)
    return None if line is None else line.slope


def calibration_intercept(rows: Sequence[Observation], *, eps: float = 1e-15) -> float | None:
    """Return the intercept a of the same regression (not the "calibration in the large", which holds b = 1).

    Cox, Biometrika 1958, doi:10.1093/biomet/45.3-4.562.
    """
    line = calibration_line(rows, eps)
    return None if line is None else line.intercept


def spiegelhalter_z(rows: Sequence[Observation]) -> float | None:
    """Return the sum of (y - p) (1 - 2p) / sqrt(sum of (1 - 2p)^2 p (1 - p)); weights do not count.

    Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506.
    """
    deviation = math.fsum((row.y - row.score) * (1 - 2 * row.score) for row in rows)
    variance = math.fsum((1 - 2 * row.score) ** 2 * row.score * (1 - row.score) for row in rows)
    return deviation / math.sqrt(variance) if variance > 0 else None


def spiegelhalter_p(rows: Sequence[Observation]) -> float | None:
    """Return 2 (1 - Phi(|z|)), the two-sided p-value of Spiegelhalter's z.

    Spiegelhalter, Statistics in Medicine 1986, doi:10.1002/sim.4780050506.
    """
    z = spiegelhalter_z(rows)
    return None if z is None else math.erfc(abs(z) / math.sqrt(2))


def hosmer_lemeshow(
    rows: Sequence[Observation],
    *,
    bins: int = 10,
    binning: str = "mass",
    edges: Sequence[float] | None = None,
) -> float | None:
    """Return the sum over bins that hold a row of (O - E)^2 / (E (1 - E / n_b)); weights do not count.

    O: positives, E: sum of p. Hosmer and Lemeshow, Communications in Statistics 1980,
    doi:10.1080/03610928008827941.
    """
    terms = []
    for members in filter(None, binned(unweighted(rows), bins, binning, edges)):
        n, observed = len(members), sum(row.positive for row in members)
        expected = math.fsum(row.score for row in members)
        variance = expected * (n - expected) / n
        if not variance > 0:
            return None
        terms.append((observed - expected) ** 2 / variance)
    return math.fsum(terms) if terms and max(terms) < math.inf else None


def _range_of_sums(rows: Sequence[Observation]) -> Fraction:
    """Return the largest less the smallest sum of w (y - p) over the k lowest distinct p; of none it is 0."""
    differences = (
        step.positives - Fraction(step.threshold) * (step.positives + step.negatives)
        for step in reversed(steps(rows))
    )
    sums = list(accumulate(differences, initial=Fraction()))
    return max(sums) - min(sums)


def _gaps(rows: Sequence[Observation], bins: int, binning: str, edges: Sequence[float] | None) -> list[float]:
    """Return |mean p - mean y| of every bin that is not empty."""
    gaps = [gap(members) for members in binned(rows, bins, binning, edges)]
    return [abs(value) for value in gaps if value is not None]
