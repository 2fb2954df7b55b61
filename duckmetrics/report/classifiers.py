"""Charts of classifiers: calibration, scores by class, and those of thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.charts.figures import Axis, figure, key
from duckmetrics.charts.numbers import number, plain, whole
from duckmetrics.charts.scales import span
from duckmetrics.charts.shapes import band, bar, line, stretched
from duckmetrics.report.rankings import key_of, lines_of
from duckmetrics.report.thresholds import threshold_figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.charts.figures import Ids
    from duckmetrics.report.reading import Reading

CALIBRATION, HISTOGRAM = "calibration_curve", "score_histogram"


def classifier_figures(reading: Reading, ids: Ids) -> list[str]:
    """Return the charts that the data have numbers for."""
    drawn = [_calibration(reading, ids), _scores(reading, ids), *threshold_figures(reading, ids)]
    return [one for one in drawn if one]


def _calibration(reading: Reading, ids: Ids) -> str:
    bins = {
        kind: [
            row for row in reading.curve(CALIBRATION, system) if row["n"] and row["mean_score"] is not None
        ]
        for system, kind in lines_of(reading)
    }
    if not all(bins.values()):
        return ""
    ends = [row[name] for rows in bins.values() for row in rows for name in ("mean_score", "upper")]
    domain = (0.0, span([0.0, *ends], 0.05)[1])
    body = line([(0.0, 0.0), (domain[1], domain[1])], "ref", domain, domain)
    for kind, rows in bins.items():
        body += band([(r["mean_score"], r["lower"], r["upper"]) for r in rows], kind, domain, domain)
        body += line([(r["mean_score"], r["mean_label"]) for r in rows], kind, domain, domain)
    said = "; ".join(
        f"{number(row['mean_score'])} predicted, {number(row['mean_label'])} observed, {row['n']:,} rows"
        for row in bins["s1"]
    )
    sizes = [int(row["n"]) for row in bins["s1"]]
    counts = f"{len(sizes)} bins of {min(sizes):,} to {max(sizes):,} rows"
    x = Axis(domain, "predicted probability, mean of a bin", plain)
    y = Axis(domain, f"observed share with 95% interval; {counts}; dotted: calibrated", plain)
    of = f"{reading.best}: " if reading.best else ""
    return figure(ids, _largest_gap(bins["s1"]), f"{of}{said}.", stretched(body), x, y, key_of(reading))


def _largest_gap(rows: Sequence[Mapping[str, Any]]) -> str:
    worst = max(rows, key=lambda row: abs(row["gap"]))
    predicted, observed = number(worst["mean_score"], 2), number(worst["mean_label"], 2)
    gap = number(abs(worst["gap"]))
    return f"Calibration: the largest gap is {gap}, {predicted} predicted and {observed} observed"


def _scores(reading: Reading, ids: Ids) -> str:
    bins = [row for row in reading.curve(HISTOGRAM, reading.best) if row["positives"] + row["negatives"]]
    sums = {name: sum(row[name] for row in bins) for name in ("positives", "negatives")}
    if not bins or not all(sums.values()):
        return ""
    xd = (min(row["lo"] for row in bins), max(row["hi"] for row in bins))
    tops = {name: max(row[name] for row in bins) / total for name, total in sums.items()}
    yd = (-tops["negatives"] * 1.05, tops["positives"] * 1.05)
    body = "".join(
        bar(row["lo"], row["hi"], 0.0, way * row[name] / sums[name], kind, xd, yd)
        for row in bins
        for name, way, kind in (("positives", 1, "pos"), ("negatives", -1, "neg"))
    )
    names = key(
        [(f"positives ({sums['positives']:,.0f})", "pos"), (f"negatives ({sums['negatives']:,.0f})", "neg")]
    )
    said = f"{sums['positives']:,.0f} positives and {sums['negatives']:,.0f} negatives in {len(bins)} bins."
    of = f" of {reading.best}" if reading.best else ""
    x = Axis(xd, "score", plain)
    y = Axis(yd, "share of the class; positives up, negatives down", lambda v: whole(abs(v)))
    return figure(ids, f"Scores{of} by class", said, stretched(body), x, y, names)
