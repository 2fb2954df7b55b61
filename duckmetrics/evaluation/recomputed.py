"""Verification of results by the plain-Python reference, for queries and rows of the user's own data.

Nothing is computed here. The results of SQL are compared with those of `duckmetrics.reference` for the
same rows; the rows come from the canonical inputs, which no metric has processed.
"""

from __future__ import annotations

import inspect
import math
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.compose.composer import with_directions
from duckmetrics.evaluation.own_metrics import function_of
from duckmetrics.evaluation.samples import TOO_MANY, QuerySample, row_sample, rows_of, slices_of
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.slices import slice_label
from duckmetrics.reference import aggregate, classification, per_query
from duckmetrics.reference.observation import Observation, defined, present, unweighted
from duckmetrics.reference.switches import WORDS
from duckmetrics.results.evaluation import TOLERANCE, Verification
from duckmetrics.results.findings import ERROR, EXAMPLES, NOTE, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from sqlglot import exp

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Columns
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.samples import SampledQuery
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.request import Request

    Where = Callable[[], str]
    Row = Mapping[str, Any]
    Values = dict[tuple[str, int], float | None]

QUERIES, ROWS = "queries", "rows"
CHECK = "verify"
# In place of a value that one side lacks altogether: it equals nothing.
ABSENT = math.nan


def difference(found: float | None, expected: float | None) -> float:
    """Return the distance of two values, relative to the expected one if that is above 1.

    NULL equals NULL. NULL is infinitely far from any number, and NaN from everything, also from NaN.
    """
    if found is None or expected is None:
        return 0.0 if found is expected else math.inf
    if found == expected:
        return 0.0
    far = abs(found - expected) / max(1.0, abs(expected))
    return math.inf if math.isnan(far) else far


@dataclass(frozen=True)
class Verified:
    """Results of verifying the measures of one family."""

    verified: tuple[Verification, ...]
    findings: tuple[Finding, ...]


class Segment(NamedTuple):
    """Key of a row of a summary; a cell is NULL or the text of a value."""

    system: str | None
    columns: tuple[str, ...] = ()
    cells: tuple[str | None, ...] = ()

    def __str__(self) -> str:
        system = [] if self.system is None else [f"system={self.system}"]
        cells = ("NULL" if cell is None else cell for cell in self.cells)
        parts = [*system, *(f"{name}={cell}" for name, cell in zip(self.columns, cells, strict=True))]
        return ", ".join(parts) if self.columns else ", ".join([*parts, "overall"])


@dataclass
class VerificationTally:
    """The comparison of one measure so far."""

    measure: Measure
    compared: int = 0
    exceeding: int = 0
    largest: float = 0.0
    at: Where = str
    examples: list[tuple[Where, float | None, float | None]] = field(default_factory=list)

    def compare(self, found: float | None, expected: float | None, where: Where) -> None:
        far = difference(found, expected)
        self.compared += 1
        if far > self.largest:
            self.largest, self.at = far, where
        if far > TOLERANCE:
            self.exceeding += 1
            if len(self.examples) < EXAMPLES:
                self.examples.append((where, found, expected))

    def compare_summary(
        self, inputs: Inputs, rows: Iterable[Row], expected: Mapping[Segment, float | None]
    ) -> None:
        """Compare the values of all slices; both sides must have the same ones."""
        found = summarized(inputs, rows, self.measure)
        may_be = "infinite" in self.measure.metric.header
        for segment in {**found, **expected}:
            value = expected.get(segment, ABSENT)
            # A summary shows NULL with a reason, unless infinity is a value of the metric.
            overflows = value is not None and math.isinf(value) and not may_be
            self.compare(found.get(segment, ABSENT), None if overflows else value, segment.__str__)

    def verification(self, recomputed: int, unit: str) -> Verification:
        return Verification(self.measure.text, self.compared, self.largest, self.at(), recomputed, unit)

    def finding(self, label: str) -> Finding:
        examples = tuple(
            f"{where()}: {shown(found)} instead of {shown(expected)}"
            for where, found, expected in self.examples
        )
        advice = (
            "please report it with the rows behind these values, the versions of duckmetrics and DuckDB, and "
            f"the signature {self.measure.signature}"
        )
        message = (
            f"{label}: {self.measure.text}: {self.exceeding} of {self.compared} values differ from the "
            f"plain-Python reference, by up to {self.largest:.2g} ({'; '.join(examples)}); {advice}"
        )
        return Finding(CHECK, ERROR, label, "", self.exceeding, examples, message, advice)


def summarized(inputs: Inputs, rows: Iterable[Row], measure: Measure) -> dict[Segment, float | None]:
    """Return the values of a measure in a summary."""
    groupings = {slice_label(grouping): grouping for grouping in ((), *inputs.by)}
    return {
        segment_of(inputs, row["system"], groupings[row["slice"]], row): row["value"]
        for row in rows if row["metric"] == measure.text
    }  # fmt: skip


def shown(value: float | None) -> str:
    if value is None:
        return "NULL"
    return "none" if math.isnan(value) else repr(value)


def cell(value: Any) -> str | None:
    """Return the text of a value, so that NaN equals NaN and -0.0 equals 0.0."""
    if value is None:
        return None
    return str(value + 0.0 if isinstance(value, float) else value)


def segment_of(
    inputs: Inputs, system: str | None, grouping: tuple[str, ...], values: Mapping[str, Any]
) -> Segment:
    named = None if inputs.one_system else system
    return Segment(named, grouping, tuple(cell(values.get(column)) for column in grouping))


# This number of rows of a classifier takes about as long as one query.
ROWS_PER_QUERY = 50


def verify_ranking(
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    columns: Sequence[Columns],
    table: str,
    rows: Sequence[Row],
    size: int,
    flagged: exp.Select,
    own: Mapping[str, Collection[str]],
) -> Verified:
    """Recompute the values of a sample of queries, and the summary from the values of all of them.

    Where the sample holds all queries, the summary is recomputed from the values of the reference.

    Args:
        columns: which columns of the table belong to which measure.
        table: the kept values per query.
        rows: the summary.
        size: how many queries.
        flagged: the query of the kept values with the attributes of their queries.
        own: the columns that metrics of users read, by the table.
    """
    names = list(dict.fromkeys(column.value for column in columns))
    sample = QuerySample(engine, inputs, table, names, str(measures[0].values["population"]), size, own)
    places = [names.index(column.value) for column in columns]
    rankings = _Rankings(inputs, sample, measures, places)
    recomputed = sum(rankings.compare(query) for query in sample)
    if sample.complete:
        rankings.compare_summary(rows)
    recounted = _Recounted(engine, inputs, flagged)
    for tally, column in zip(rankings.tallies, columns, strict=True):
        recounted.compare(tally, column, rows, values=not sample.complete)
    outcome = _outcome(rankings.tallies, inputs, recomputed, QUERIES)
    if sample.too_large:
        outcome = replace(outcome, findings=(*outcome.findings, _left_out(sample, inputs)))
    return outcome


def verify_classification(
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    rows: Sequence[Row],
    request: Request,
    evaluate: Callable[[Inputs], Sequence[Row]],
) -> Verified:
    """Recompute the values of all slices; of more than `ROWS_PER_QUERY` * verify rows, those of a sample.

    Args:
        rows: the summary.
        request: how many queries to verify, and the columns that metrics of users read.
        evaluate: computes the summary of other rows: a sample has values of its own.
    """
    own = request.own_columns.get("predictions", ())
    size = (request.verify or 0) * ROWS_PER_QUERY * (1 + len(inputs.by))
    sample = row_sample(engine, inputs, min(size, TOO_MANY), own)
    if sample is not None:
        inputs = replace(inputs, queries={**inputs.queries, "predictions": sample})
        rows = evaluate(inputs)
    observed = _observed(engine, inputs, own)
    forms = {
        weighted: {segment: _present(members, weighted) for segment, members in observed.items()}
        for weighted in {bool(measure.values.get(WEIGHTED)) for measure in measures}
    }
    tallies = [VerificationTally(measure) for measure in measures]
    for tally in tallies:
        segments = forms[bool(tally.measure.values.get(WEIGHTED))]
        known = dict.fromkeys([*segments, *summarized(inputs, rows, tally.measure)])
        expected = {segment: _of_rows(tally.measure, segments.get(segment, [])) for segment in known}
        tally.compare_summary(inputs, rows, expected)
    overall = sum(len(members) for segment, members in observed.items() if not segment.columns)
    return _outcome(tallies, inputs, overall, ROWS)


class _Recounted:
    """Aggregates of the values of all queries in every slice, and the counts next to them."""

    def __init__(self, engine: Engine, inputs: Inputs, flagged: exp.Select) -> None:
        self.inputs = inputs
        self.names = flagged.named_selects
        self.members: dict[Segment, list[tuple[Any, ...]]] = defaultdict(list)
        for row in engine.rows(with_directions(flagged)):
            known = dict(zip(self.names, row, strict=True))
            for grouping in ((), *inputs.by):
                self.members[segment_of(inputs, known["system"], grouping, known)].append(row)

    def compare(
        self, tally: VerificationTally, columns: Columns, rows: Iterable[Row], *, values: bool
    ) -> None:
        """Compare the rows of one measure with the aggregates of its values.

        Args:
            values: whether to compare the aggregates, too.
        """
        groupings = {slice_label(grouping): grouping for grouping in ((), *self.inputs.by)}
        how = str(tally.measure.aggregation)
        for row in (row for row in rows if row["metric"] == tally.measure.text):
            segment = segment_of(self.inputs, row["system"], groupings[row["slice"]], row)
            members = self.members.get(segment, [])
            of = {name: [m[self.names.index(getattr(columns, name))] for m in members]
                  for name in ("value", "no_relevant", "undefined")}  # fmt: skip
            counts = {
                "n": sum(value is not None for value in of["value"]),
                "n_missing": sum(member[self.names.index("missing")] for member in members),
                "n_no_relevant": sum(map(bool, of["no_relevant"])),
                "n_undefined": sum(map(bool, of["undefined"])),
            }
            for name, count in counts.items():
                if row[name] != count:
                    tally.compare(row[name], count, partial("{}: {}".format, segment, name))
            if values:
                weights = [m[self.names.index(WEIGHT)] for m in members] if self.inputs.weight else None
                expected = _computed(partial(aggregate, of["value"], how, weights))
                finite = None if expected is not None and not math.isfinite(expected) else expected
                tally.compare(row["value"], finite, segment.__str__)


class _Rankings:
    """Compares the values of queries, and keeps those of the reference to aggregate them."""

    def __init__(
        self, inputs: Inputs, sample: QuerySample, measures: Sequence[Measure], places: Sequence[int]
    ) -> None:
        self.inputs = inputs
        self.sample = sample
        self.places = places
        self.tallies = [VerificationTally(measure) for measure in measures]
        self.systems = sample.systems()
        self.answered = sample.answered()
        self.listed = sample.listed() if "population" in inputs.queries else None
        self.values: dict[str, Values] = {measure.text: {} for measure in measures}

    def compare(self, query: SampledQuery) -> bool:
        """Compare all values of a query; return whether there was any."""
        some = False
        for tally, place in zip(self.tallies, self.places, strict=True):
            text = tally.measure.text
            expected = self._by_reference(tally.measure, query)
            if expected is None:
                self.values.pop(text, None)
                continue
            if text in self.values and self.sample.complete:
                self.values[text] |= expected
            found = {(system, query.number): row[place] for system, row in query.values.items()}
            for key in {**found, **expected}:
                some = True
                tally.compare(found.get(key, ABSENT), expected.get(key, ABSENT), partial(self._shown, *key))
        return some

    def compare_summary(self, rows: Sequence[Row]) -> None:
        attributes = self.sample.attributes() if self.inputs.by or self.inputs.weight else {}
        for tally in self.tallies:
            if tally.measure.text in self.values:
                tally.compare_summary(self.inputs, rows, self._aggregated(tally.measure, attributes))

    def _by_reference(self, measure: Measure, query: SampledQuery) -> Values | None:
        """Return the values of a query by system; None if a term is too large for a double."""
        words: dict[str, Any] = {
            n: v for n, v in measure.values.items() if v is not None and v in WORDS.get(n, (v,))
        }
        function = function_of(measure)
        if function is not None:
            taken = {*inspect.signature(function).parameters, *WORDS}
            words = {name: value for name, value in words.items() if name in taken}
        words["by_rank"] = self.inputs.by_rank
        if self.listed is not None:
            words["population"] = [query.number] if query.number in self.listed else []
        try:
            return per_query(
                measure.metric.name,
                query.predictions,
                query.truth,
                systems=self.systems,
                empty=[(system, query.number) for system in self.answered.get(query.number, ())],
                metric=function,
                **words,
            )
        except OverflowError:
            return None
        except (ValueError, ZeroDivisionError):  # it refuses rows that SQL did not refuse
            return {(system, query.number): ABSENT for system in self.systems}

    def _aggregated(
        self, measure: Measure, attributes: Mapping[int, Mapping[str, Any]]
    ) -> dict[Segment, float | None]:
        members: dict[Segment, dict[int, float | None]] = {
            segment_of(self.inputs, system, (), {}): {} for system in self.systems
        }
        for (system, number), value in self.values[measure.text].items():
            for grouping in ((), *self.inputs.by):
                segment = segment_of(self.inputs, system, grouping, attributes.get(number, {}))
                members.setdefault(segment, {})[number] = value
        how, weight = str(measure.aggregation), self.inputs.weight
        found: dict[Segment, float | None] = {}
        for segment, values in members.items():
            weights = None if weight is None else [float(attributes[number][weight]) for number in values]
            found[segment] = _computed(partial(aggregate, values.values(), how, weights))
        return found

    def _shown(self, system: str, number: int) -> str:
        query = self.sample.shown(number)
        return query if self.inputs.one_system else f"system={system}, {query}"


def _observed(engine: Engine, inputs: Inputs, own: Collection[str]) -> dict[Segment, list[Observation]]:
    """Return the rows of every system and slice."""
    by = {name: f"by_{i}" for i, name in enumerate(inputs.by_columns, start=1)}
    segments = slices_of(engine, inputs, by)
    groupings = ((), *inputs.by)
    observed: dict[Segment, list[Observation]] = defaultdict(list)
    for row in rows_of(engine, inputs, own):
        number, values = segments.get(row.segment, (0, {}))
        segment = segment_of(inputs, row.system, groupings[number], values)
        observed[segment].append(Observation(row.label, row.score, row.weight, row.group, row.more or {}))
    return dict(observed)


def _present(rows: Sequence[Observation], weighted: bool) -> list[Observation]:
    """Return the rows that a measure looks at."""
    return present(rows) if weighted else unweighted(rows)


def _of_rows(measure: Measure, rows: Sequence[Observation]) -> float | None:
    function = function_of(measure) or getattr(classification, measure.metric.name)
    known = inspect.signature(function).parameters
    params = {name: value for name, value in measure.values.items() if name in known}
    value = _computed(partial(function, rows, **params))
    return defined(value, rows, str(measure.values.get("undefined", "null")))


def _computed(function: Callable[[], float | None]) -> float | None:
    """Return the value of the reference: infinity if a term is too large for a double."""
    try:
        return function()
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return ABSENT


def _left_out(sample: QuerySample, inputs: Inputs) -> Finding:
    label, n = inputs.labels["predictions"], sample.too_large
    advice = "verify their values on fewer rows each"
    found = f"{n} query of the sample has" if n == 1 else f"{n} queries of the sample have"
    message = f"{label}: {found} more than {TOO_MANY} rows and cannot be recomputed; {advice}"
    return Finding(CHECK, NOTE, label, "", n, (), message, advice)


def _outcome(tallies: Sequence[VerificationTally], inputs: Inputs, recomputed: int, unit: str) -> Verified:
    label = inputs.labels["predictions"]
    return Verified(
        tuple(tally.verification(recomputed, unit) for tally in tallies),
        tuple(tally.finding(label) for tally in tallies if tally.exceeding),
    )
