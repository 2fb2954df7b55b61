"""Charts of classifiers: calibration, scores by class, and the curves of thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.charts.figures import Axis, figure, key
from duckmetrics.charts.numbers import number, percent, plain, whole
from duckmetrics.charts.scales import span
from duckmetrics.charts.shapes import band, bar, line, stretched
from duckmetrics.report.rankings import lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duckmetrics.charts.figures import Ids
    from duckmetrics.report.reading import Reading

    Points = Sequence[Mapping[str, Any]]

CALIBRATION, HISTOGRAM, SWEEP = "calibration_curve", "score_histogram", "roc_curve"
UNIT = (0.0, 1.0)
FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
# The share of the rows whose gain the title of the gains chart names.
TOP_SHARE = 0.2


def classifier_figures(reading: Reading, ids: Ids) -> list[str]:
    """Return the charts that the data have numbers for."""
    curves = reading.data.pictures.curves
    drawn = []
    if curves.get(CALIBRATION):
        drawn.append(_calibration(reading, ids))
    if curves.get(HISTOGRAM):
        drawn.append(_scores(reading, ids))
    if curves.get(SWEEP):
        drawn += [_roc(reading, ids), _precision(reading, ids), _gains(reading, ids)]
    return [one for one in drawn if one]


def _of(reading: Reading, name: str, system: str) -> Points:
    """Return the rows of a table for one system."""
    return [row for row in reading.data.pictures.curves[name] if row.get("system", system) in (system, None)]


# ---- probabilities


def _calibration(reading: Reading, ids: Ids) -> str:
    bins = {
        kind: [row for row in _of(reading, CALIBRATION, system) if row["n"] and row["mean_score"] is not None]
        for system, kind in lines_of(reading)
    }
    known = [row for rows in bins.values() for row in rows]
    if not known:
        return ""
    top = span([value for row in known for value in (row["mean_score"], row["upper"], 0.0)], 0.05)[1]
    domain = (0.0, top)
    body = line([(0.0, 0.0), (top, top)], "ref", domain, domain)
    for kind, rows in bins.items():
        body += band([(r["mean_score"], r["lower"], r["upper"]) for r in rows], kind, domain, domain)
        body += line([(r["mean_score"], r["mean_label"]) for r in rows], kind, domain, domain)
    best = reading.best or "the model"
    worst = max(bins["s1"], key=lambda row: abs(row["gap"]), default=None)
    title = "Calibration"
    if worst is not None:
        predicted, observed = number(worst["mean_score"], 2), number(worst["mean_label"], 2)
        title = f"Calibration: the largest gap is {number(abs(worst['gap']))}, {predicted} predicted and {observed} observed"
    said = f"{best}: " + "; ".join(
        f"{number(r['mean_score'])} predicted, {number(r['mean_label'])} observed, {r['n']:,} rows" for r in bins["s1"]
    )
    sizes = [int(row["n"]) for row in bins["s1"]]
    counts = f"{len(sizes)} bins of {min(sizes):,} to {max(sizes):,} rows" if sizes else "no bins"
    x = Axis(domain, "predicted probability, mean of a bin", plain)
    y = Axis(domain, f"observed share with 95% interval; {counts}; dotted: calibrated", plain)
    return figure(ids, title, said, stretched(body), x, y, key(lines_of(reading)))


def _scores(reading: Reading, ids: Ids) -> str:
    bins = [row for row in _of(reading, HISTOGRAM, reading.best) if row["positives"] + row["negatives"]]
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
    names = key([(f"positives ({sums['positives']:,.0f})", "pos"), (f"negatives ({sums['negatives']:,.0f})", "neg")])
    said = f"{sums['positives']:,.0f} positives and {sums['negatives']:,.0f} negatives in {len(bins)} bins."
    of = f" of {reading.best}" if reading.best else ""
    x = Axis(xd, "score", plain)
    y = Axis(yd, "share of the class; positives up, negatives down", lambda v: whole(abs(v)))
    return figure(ids, f"Scores{of} by class", said, stretched(body), x, y, names)


# ---- thresholds: all three charts read the same points, which one scan computes


def _roc(reading: Reading, ids: Ids) -> str:
    areas = [(system, rows[-1]["area"]) for system, rows in _sweeps(reading) if rows]
    title = "ROC"
    if areas and areas[-1][1] is not None:
        before = f", before {number(areas[0][1])}" if len(areas) > 1 else ""
        title = f"ROC: area {number(areas[-1][1])}{before}"
    said = "; ".join(f"area of {system or 'the model'} {number(area, 4)}" for system, area in areas)
    diagonal = line([(0.0, 0.0), (1.0, 1.0)], "ref", UNIT, UNIT)
    y = "true positive rate; dotted: chance"
    return _curves(reading, ids, title, said, lambda row: (row["fpr"], row["tpr"]), "false positive rate", y, diagonal)


def _precision(reading: Reading, ids: Ids) -> str:
    rows = _of(reading, SWEEP, reading.best)
    if not rows or not rows[-1]["tp"]:
        return ""
    last = rows[-1]
    base = last["tp"] / (last["tp"] + last["fp"])
    at = _at(rows, 0.5, lambda row: (row["tpr"], _precision_of(row)))
    title = f"Half of the positives are found with a precision of {number(at)}"
    said = f"Share of positives {number(base)}; precision of {reading.best or 'the model'} at recall 0.5: {number(at)}"
    drawn = line([(0.0, base), (1.0, base)], "ref", UNIT, UNIT)
    y = f"precision; dotted: {percent(base, sign=False)} positives"
    return _curves(reading, ids, title, said, lambda row: (row["tpr"], _precision_of(row)), "recall", y, drawn)


def _gains(reading: Reading, ids: Ids) -> str:
    found = [
        (system, _at(rows, TOP_SHARE, lambda row, last=rows[-1]: (_share_of(row, last), row["tpr"])))
        for system, rows in _sweeps(reading) if rows
    ]  # fmt: skip
    if not found or found[-1][1] is None:
        return ""
    before = f", before {percent(found[0][1], sign=False)}" if len(found) > 1 else ""
    title = f"The top {whole(TOP_SHARE)} of the rows hold {percent(found[-1][1], sign=False)} of the positives{before}"
    said = "; ".join(f"{system or 'the model'}: {percent(gain, sign=False)}" for system, gain in found)
    last = _of(reading, SWEEP, reading.best)[-1]
    diagonal = line([(0.0, 0.0), (1.0, 1.0)], "ref", UNIT, UNIT)
    y = "share of the positives found; dotted: chance"
    return _curves(reading, ids, title, said, lambda row: (_share_of(row, last), row["tpr"]),
                   "share of the rows, highest scores first", y, diagonal)  # fmt: skip


def _curves(
    reading: Reading, ids: Ids, title: str, said: str,
    point: Callable[[Mapping[str, Any]], tuple[float | None, float | None]], x: str, y: str, extra: str,
) -> str:  # fmt: skip
    """Draw a curve of each system between 0 and 1."""
    body = extra
    for system, kind in lines_of(reading):
        points = [(a, b) for a, b in map(point, _of(reading, SWEEP, system)) if a is not None and b is not None]
        body += line(points, kind, UNIT, UNIT)
    axes = Axis(UNIT, x, plain, FIFTHS), Axis(UNIT, y, plain, FIFTHS)
    return figure(ids, title, said, stretched(body), *axes, key(lines_of(reading)))


def _sweeps(reading: Reading) -> list[tuple[str, Points]]:
    return [(system, _of(reading, SWEEP, system)) for system, _ in lines_of(reading)]


def _precision_of(row: Mapping[str, Any]) -> float | None:
    total = row["tp"] + row["fp"]
    return row["tp"] / total if total else None


def _share_of(row: Mapping[str, Any], last: Mapping[str, Any]) -> float | None:
    total = last["tp"] + last["fp"]
    return (row["tp"] + row["fp"]) / total if total else None


def _at(
    rows: Points, x: float, point: Callable[[Mapping[str, Any]], tuple[float | None, float | None]]
) -> float | None:
    """Return the height of a curve at x, on the straight line between the two points around it."""
    known = [(a, b) for a, b in map(point, rows) if a is not None and b is not None]
    before = max((one for one in known if one[0] <= x), default=None)
    after = min((one for one in known if one[0] >= x), default=None)
    if before is None or after is None or after[0] == before[0]:
        return None if after is None else after[1]
    return before[1] + (after[1] - before[1]) * (x - before[0]) / (after[0] - before[0])
