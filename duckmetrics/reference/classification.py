"""The metrics of classifiers and click models: one function per metric, one number per set of rows.

The functions are in the modules named after what they have in common; here they all are, by name.

y: label, 0 or 1; s: score, or p: probability; w: weight, 1 if there is none. P and N: weights of
the positives and the negatives; TP, FP, FN, TN: weights on the two sides of a threshold, where
score >= threshold predicts a positive. Counts, sums and means are weighted. None: undefined.
"""

from __future__ import annotations

from duckmetrics.reference import areas, calibration, confusion, probabilities, ratings, thresholds
from duckmetrics.reference.areas import *  # noqa: F403
from duckmetrics.reference.calibration import *  # noqa: F403
from duckmetrics.reference.confusion import *  # noqa: F403
from duckmetrics.reference.probabilities import *  # noqa: F403
from duckmetrics.reference.ratings import *  # noqa: F403
from duckmetrics.reference.thresholds import *  # noqa: F403

__all__ = [
    *areas.__all__,
    *calibration.__all__,
    *confusion.__all__,
    *probabilities.__all__,
    *ratings.__all__,
    *thresholds.__all__,
]
