"""Metrics over sampled candidates, and their estimates for a ranking of all items, side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.measure import CORRECTED, DEFAULT_AGGREGATION, parameter_of, refuse_weighted
from duckmetrics.catalog.specs import parse_measures
from duckmetrics.checks.examination import check
from duckmetrics.checks.notes import counted_notes
from duckmetrics.comparison.corrections import MISSING, SampledEvaluation, SamplingModel, sampled_ranks
from duckmetrics.errors import InputError, MetricError, UnsupportedError, unknown
from duckmetrics.inputs.ranking import ranking_inputs
from duckmetrics.words.rounding import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.comparison.corrections import SampledRanks, Values
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.session import Session
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.results.findings import Finding


METHODS = NAIVE, RANK_ESTIMATE, BIAS_VARIANCE, LIKELIHOOD = ("naive", "rank_estimate", "bv", "em")
# Beyond these the sums over items and candidates take minutes.
MOST_ITEMS, MOST_NEGATIVES = 1_000_000, 1_000


# Examples of counts.
_COUNTS = {"n_items": 10_000, "n_negatives": 99}


@dataclass(frozen=True)
class _Asked:
    """The arguments of `sampled` that are about sampling."""

    n_items: int
    n_negatives: int | None
    methods: tuple[str, ...]
    gamma: float


def read_sampling(given: Mapping[str, Any], switches: Mapping[str, Any]) -> _Asked:
    """Read the options that say how candidates were sampled.

    Raises:
        MetricError: a number or a method cannot be read, or the number of items is given twice.
    """
    items = _whole("n_items", given["n_items"], 2)
    asked, methods, gamma = given["n_negatives"], given["methods"], given["gamma"]
    methods = METHODS if methods is None else methods
    negatives = None if asked is None else _whole("n_negatives", asked, 1)
    chosen = dict.fromkeys([methods] if isinstance(methods, str) else methods)
    for method in chosen:
        if method not in METHODS:
            raise MetricError("methods", *unknown("method", str(method), METHODS))
    if not chosen:
        raise MetricError("methods", "none", f"choose some of {', '.join(METHODS)}")
    if isinstance(gamma, bool) or not isinstance(gamma, int | float) or not 0 < gamma <= 1:
        raise MetricError("gamma", f"is {gamma!r}, but must lie in (0, 1]", "write gamma=0.1")
    if (size := _size()) in switches:
        raise MetricError(size, "is n_items here", "leave it out")
    return _Asked(items, negatives, tuple(chosen), float(gamma))


def _whole(name: str, value: object, least: int) -> int:
    number = whole_number(value)
    if number < least:
        advice = f"write {name}={_COUNTS[name]} (--{name.replace('_', '-')} {_COUNTS[name]})"
        raise MetricError(name, f"is {value!r}, but must be a whole number from {least} on", advice)
    return number


def estimated(session: Session, specs: Sequence[str], asked: _Asked) -> SampledEvaluation:
    """Compute the estimates of metrics, see `sampled`.

    Raises:
        MetricError: a metric is not a function of the rank, is not a mean of queries, or has no value at some
            ranks.
        InputError: the data are not those of sampled candidates.
        UnsupportedError: bv or em for more than 1,000,000 items or 1,000 negatives.
    """
    measures = _measures(session, specs, asked.n_items)
    engine = session.engine
    inputs = ranking_inputs(
        session.catalog, session.request.of(session.catalog, measures), session.attach, engine.extremes
    )
    findings = check(session.catalog, engine, inputs, [m.bound(**{_size(): asked.n_items}) for m in measures])
    observed = sampled_ranks(session.catalog, engine, inputs, measures)
    rows = [row for ranks in observed for row in _rows(engine, inputs, ranks, asked)]
    places = {measure.text: i for i, measure in enumerate(measures)}
    return SampledEvaluation(
        rows=tuple(sorted(rows, key=lambda row: places[row["metric"]])),
        methods=asked.methods,
        checks=(*findings, *_missing(observed[0], inputs)),
        sql=";\n\n".join(session.statements) + ";",
    )


def _measures(session: Session, specs: Sequence[str], n_items: int) -> list[Measure]:
    """Read the specs, and refuse metrics other than means of a function of the rank of one relevant item."""
    measures = session.measures(specs)
    for measure in measures:
        if (why := _refusal(measure)) is not None:
            raise MetricError(measure.text, why)
    for measure in session.request.weighed(measures):
        refuse_weighted(measure, "leave the weights out")
    # Parameters that are valid together may still exclude a correction.
    size = _size()
    switches = {**session.request.switches, size: n_items}
    sized = parse_measures(session.catalog, specs, switches, session.family, session.request.like)
    for measure in sized:
        if measure.values[size] != n_items:
            raise MetricError(measure.text, f"is not corrected under {_excluding(measure)}", "leave that out")
    return measures


def _refusal(measure: Measure) -> str | None:
    if measure.metric.header.get("sampled"):
        return "is consistent under sampling, so that nothing is to be corrected; take it from evaluate"
    size = _size()
    if size not in measure.values:
        return "looks at more than the rank of the relevant item, which is not corrected; leave it out"
    if measure.values[size] is not None:
        return f"{size} is n_items here; leave it out"
    if measure.aggregation != DEFAULT_AGGREGATION:
        return f"means are corrected, agg={measure.aggregation} is not; leave it out"
    return None


def _size() -> str:
    """Return the name of the switch that corrects ranks; its value is the number of all items."""
    return parameter_of(catalog(), CORRECTED)


def _excluding(measure: Measure) -> str:
    """Write the parameters of a measure that exclude a correction, as ``ties=expected``."""
    checks = [check for param in measure.declared if param.name == _size() for check in param.checks]
    names = dict.fromkeys(column.name for check in checks for column in check.find_all(exp.Column))
    return ", ".join(f"{name}={measure.values[name]}" for name in names if name != _size())


def _rows(engine: Engine, inputs: Inputs, ranks: SampledRanks, asked: _Asked) -> Iterator[dict[str, Any]]:
    """Yield the results of the measures that share their ranks, by measure, system and method."""
    m = _n_negatives(ranks, inputs, asked)
    low, high = (SamplingModel(catalog(), engine, ranks.measures, asked.n_items, m, g) for g in ranks.grades)
    if ranks.grades[0] != ranks.grades[1]:
        _refuse_graded(ranks, inputs, low.naive(), high.naive())
    estimates = {method: _estimates(low, ranks, method, asked.gamma) for method in asked.methods}
    for number, measure in enumerate(ranks.measures):
        for system, histogram in ranks.histograms.items():
            for method in asked.methods:
                value, n = _mean(estimates[method][system][number], histogram)
                yield {
                    "system": None if inputs.one_system else system,
                    "metric": measure.text,
                    "method": method,
                    "value": value,
                    "n": n,
                    "n_items": asked.n_items,
                    "n_negatives": m,
                    "gamma": asked.gamma if method == BIAS_VARIANCE else None,
                    "signature": measure.signature,
                }


def _n_negatives(ranks: SampledRanks, inputs: Inputs, asked: _Asked) -> int:
    """Return the number of items drawn for each query: as given, or as the data say.

    Raises:
        InputError: the data have no candidates, several numbers of them, or not the given number.
    """
    where = f"{inputs.labels['predictions']}: column {inputs.column_label('predictions', 'query_id')!r}"
    fewest, most = ranks.candidates or (0, 0)
    m = asked.n_negatives
    if m is None:
        if most == 0:
            raise InputError(where, "no query has a relevant item among candidates", "give n_negatives")
        if fewest < most:
            raise InputError(
                where,
                (
                    f"the queries have {fewest} to {most} candidates, but one number must have been drawn "
                    "for all"
                ),
                "give it as n_negatives, or drop the queries with others",
            )
        m = most - 1
    if m + 1 < most:
        raise InputError(
            where,
            f"a query has {most} candidates, more than a relevant item and n_negatives={m}",
            "give the number that was drawn",
        )
    if m >= asked.n_items:
        raise InputError(
            where,
            f"n_negatives={m} cannot be drawn from the other {asked.n_items - 1} items",
            "n_items counts all items, not the candidates",
        )
    _refuse_large(m, asked)
    return m


def _refuse_large(m: int, asked: _Asked) -> None:
    heavy = [method for method in asked.methods if method in (BIAS_VARIANCE, LIKELIHOOD)]
    if heavy and (asked.n_items > MOST_ITEMS or m > MOST_NEGATIVES):
        raise UnsupportedError(
            "methods",
            f"{' and '.join(heavy)} take too long over {asked.n_items} items and {m} negatives",
            f"beyond {MOST_ITEMS} and {MOST_NEGATIVES} ask for {NAIVE} and {RANK_ESTIMATE} only",
        )


def _refuse_graded(
    ranks: SampledRanks, inputs: Inputs, low: Sequence[Values], high: Sequence[Values]
) -> None:
    """Refuse measures that depend on the grade, where the relevant items have several."""
    for measure, values, others in zip(ranks.measures, low, high, strict=True):
        for place, value in values.items():
            other = others[place]
            if value != other and (value is None or other is None or not math.isclose(value, other)):
                raise InputError(
                    inputs.labels["truth"],
                    (
                        f"column {inputs.column_label('truth', 'relevance')!r}: grades from "
                        f"{ranks.grades[0]:g} to {ranks.grades[1]:g}, on which {measure.text} depends"
                    ),
                    "give all relevant items one grade, or leave it out",
                )


def _estimates(
    model: SamplingModel, ranks: SampledRanks, method: str, gamma: float
) -> dict[str, list[Values]]:
    """Return system -> for each measure, the value of a query by its rank among the candidates."""
    if method == LIKELIHOOD:
        return _likely(model, ranks)
    values = model.rank_estimate() if method == RANK_ESTIMATE else model.naive()
    if method == BIAS_VARIANCE:
        corrected = model.bias_variance(gamma)
        values = [places | by_rank for places, by_rank in zip(values, corrected, strict=True)]
    return dict.fromkeys(ranks.histograms, values)


def _likely(model: SamplingModel, ranks: SampledRanks) -> dict[str, list[Values]]:
    """Return the naive values, with the estimated mean of the system for every query with a rank."""
    naive = model.naive()
    means = model.maximum_likelihood(ranks.shares())
    return {
        system: [
            values | dict.fromkeys((rank for rank in ranks.histograms[system] if rank > MISSING), mean)
            for values, mean in zip(naive, means.get(system, [None] * len(naive)), strict=True)
        ]
        for system in ranks.histograms
    }


def _mean(values: Values, histogram: Mapping[int, int]) -> tuple[float | None, int]:
    """Return the mean over the queries that have a value, and their number."""
    counted = [(value, n) for place, n in histogram.items() if (value := values[place]) is not None]
    n = sum(times for _, times in counted)
    return (math.fsum(value * times for value, times in counted) / n if n else None), n


def _missing(ranks: SampledRanks, inputs: Inputs) -> list[Finding]:
    rows = [
        {"slice": "", "system": None if inputs.one_system else system, "n_missing": n}
        for system, n in ranks.n_missing.items()
    ]
    return counted_notes(rows, inputs, ranks.measures[0].values)
