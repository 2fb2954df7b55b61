"""Earlier runs of a log, which gates compare the values of this run with."""

from __future__ import annotations

import math
import re
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION, WEIGHTS, Signature
from duckmetrics.engines.run_log import RESULTS, VALUES, NoRunsError, opened
from duckmetrics.errors import suggestion
from duckmetrics.expressions.build import picked, rows_of
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.kept import on_engine
from duckmetrics.inference.units import over_rows
from duckmetrics.inputs.inputs import CLUSTER
from duckmetrics.results.gates import IncomparableError
from duckmetrics.words.lists import counted
from duckmetrics.words.times import shown_time
from duckmetrics.words.verdicts import ALPHA

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from duckmetrics.evaluation.report_data import Opened
    from duckmetrics.results.gates import EarlierValue, Gate

    Row = Mapping[str, Any]

PAIRED = "paired_t"
# The fewest runs with a standard deviation, unless a gate asks for fewer.
LEAST_RUNS = 5
ROUNDING = 1e-12
# The names of the two runs where they are tested.
BEFORE, NOW = "before", "now"
_COLUMNS = (
    "run_time", "run_id", "tags", "system", "metric", "slice", "segment", "value", "lower", "upper", "level",
    "signature",
)  # fmt: skip
_RELEASE = re.compile(r"\|v:[^|]*$")
NO_VALUE = "no earlier run has a value, so that it passes"


class EarlierRuns:
    """The runs of a log before this one.

    Args:
        own: the names under which this run was, or will be, logged, which do not count.
        per_query: the values per query of this run, None if there are none.
        groupings: the text in the column `slice` -> the slicing columns in force.
        level: of the intervals of this run.
        time: of this run, before which the others are; None for now.
    """

    def __init__(
        self,
        path: Path,
        own: Collection[str],
        session: Opened,
        per_query: exp.Query | None,
        groupings: Mapping[str, Sequence[str]],
        level: float | None,
        time: datetime | None = None,
    ) -> None:
        self._path = path
        self._session = session
        self._per_query = per_query
        self._groupings = groupings
        self._level = level
        self._rows = [
            row for row in _logged(path)
            if row["run_id"] not in own and (time is None or row["run_time"] < time)
        ]  # fmt: skip

    def judged(self, gate: Gate, row: Row) -> tuple[bool, str]:
        """Return whether a gate fails at a row, and why, with the run that it was compared with.

        Raises:
            IncomparableError: no run has such a tag or name, or this metric, system or slices; or it has
                other conventions.
        """
        bound = cast("EarlierValue", gate.bound)
        if not self._rows:
            return False, "the log has no earlier run, so that it passes"
        every = [one for one in self._rows if one["system"] == row["system"] and _is_same(one, row)]
        of_metric = _chosen(gate, bound, every, self._rows)
        if not of_metric:
            self._refuse_absent(gate, row, bound)
        last = of_metric[-1]["run_id"]
        if not any(one["slice"] == row["slice"] for one in of_metric if one["run_id"] == last):
            there = [one["slice"] for one in of_metric if one["run_id"] == last and one["slice"]]
            advice = suggestion(row["slice"], there, "evaluate that run with the same --by")
            raise IncomparableError(gate.metric, f"run {last} has no slices by {row['slice']}", advice)
        same = [
            one for one in of_metric if one["slice"] == row["slice"] and self._segment(row) == one["segment"]
        ]
        if not same:
            return False, "no earlier run has this slice, so that it passes"
        _refuse_other_conventions(gate, row, same[-1])
        if bound.tested:
            return self._tested(gate, row, same[-1])
        return _compared(gate, bound, row, same)

    def _refuse_absent(self, gate: Gate, row: Row, bound: EarlierValue) -> None:
        """Refuse a metric, or a system, that no earlier run has, although there are runs.

        Raises:
            IncomparableError: names those that there are.
        """
        rows = _chosen(gate, bound, self._rows, self._rows)
        for name in ("metric", "system"):
            there = dict.fromkeys(one[name] for one in rows)
            if row[name] not in there:
                known = [str(one) for one in there if one is not None]
                what = f"no earlier run has the {name} {row[name]!r}"
                advice = suggestion(str(row[name]), known, "log it once, and the next run is compared")
                raise IncomparableError(gate.metric, what, advice)
        raise IncomparableError(gate.metric, f"no earlier run has it for the system {row['system']!r}")

    def _segment(self, row: Row) -> dict[str, str | None]:
        """Return the slice of a row as the log has it."""
        columns = self._groupings[row["slice"]]
        return {column: None if row[column] is None else str(row[column]) for column in columns}

    # --- tests -----------------------------------------------------------------------------------

    def _tested(self, gate: Gate, row: Row, before: Row) -> tuple[bool, str]:
        """Test whether a value is worse than that of an earlier run.

        The queries are paired if their values were logged; otherwise the intervals of the two runs decide.
        """
        if row["better"] not in ("higher", "lower"):
            advice = "compare with a number, as in 'last - 0.01'"
            raise IncomparableError(gate.metric, "no direction of this metric is better", advice)
        found = self._paired(row, before) if self._is_paired(row) else None
        if found is None:
            found = _of_intervals(gate, row, before, self._level)
        delta, p, how = found
        is_loss = delta is not None and (delta < 0) == (row["better"] == "higher") and delta != 0
        failed = is_loss and p is not None and p < ALPHA
        shown = "no p" if p is None else f"p = {p:.4g}"
        return failed, f"{_name(before)} has {before['value']:.6g}; {shown}, {how}"

    def _is_paired(self, row: Row) -> bool:
        """Return whether the queries are the independent units of a plain mean over all of them."""
        inference = self._session.request.inference
        clustered = CLUSTER in self._session.request.columns.names
        clustered = clustered or (inference is not None and inference.cluster is not None)
        signature = Signature.parse(row["signature"])
        is_mean = signature.aggregation == DEFAULT_AGGREGATION and WEIGHTS not in signature.of_call
        return is_mean and not clustered and not row["slice"]

    def _paired(self, row: Row, before: Row) -> tuple[float | None, float | None, str] | None:
        """Return difference, p and method of the paired test; None without values of queries in both."""
        if self._per_query is None:
            return None
        logged = _values(self._path, before)
        if not logged.num_rows:
            return None
        engine = self._session.engine
        text = exp.cast(exp.column("query_id"), "VARCHAR").as_("query_id")
        keys = (literal(row["metric"]).as_("metric"), text, exp.column("value"))
        source = engine.attach(logged, "queries")
        now = exp.select(literal(NOW).as_("system"), *keys).from_(self._per_query.subquery("per_query"))
        now = now.where(*_of_row(row))
        then = exp.select(literal(BEFORE).as_("system"), *(key.copy() for key in keys)).from_(source.relation)
        both = exp.union(now, then, distinct=False)
        query = over_rows(
            self._session.catalog,
            PAIRED,
            both,
            {"baseline": BEFORE, "level": 0.95, "alpha": ALPHA, "power": 0.8},
        )
        tested = on_engine(self._session.catalog, engine, query)
        found = engine.rows(picked(tested.subquery("tested"), "n", "delta", "p"))
        n, delta, p = found[0] if found else (0, None, None)
        if 2 * n < max(logged.num_rows, row["n"]):  # of few common queries, a test says little about all
            return None
        return delta, p, f"paired t over {counted(n, 'query', 'queries')}"


def _of_intervals(gate: Gate, row: Row, before: Row, level: float | None) -> tuple[float, float, str]:
    """Return difference, p and method of the test of two intervals."""
    errors = []
    for one, of_level in ((row, level), (before, before["level"])):
        if one.get("lower") is None or one.get("upper") is None or of_level is None:
            advice = "log the values per query with --log-values, or evaluate with --interval 0.95"
            raise IncomparableError(gate.metric, "a test needs values per query, or intervals", advice)
        z = NormalDist().inv_cdf(0.5 + of_level / 2)
        errors.append((one["upper"] - one["lower"]) / (2 * z))
    delta, error = row["value"] - before["value"], math.hypot(*errors)
    p = float(delta == 0) if error == 0 else 2 * NormalDist().cdf(-abs(delta) / error)
    return delta, p, "z of the two intervals"


def _compared(gate: Gate, bound: EarlierValue, row: Row, rows: Sequence[Row]) -> tuple[bool, str]:
    """Compare a value with a bound of earlier runs."""
    conventions = _conventions(row["signature"])
    own = [one for one in rows if _conventions(one["signature"]) == conventions and one["value"] is not None]
    own = own[-bound.runs :]
    if not own:
        return False, NO_VALUE
    values = [one["value"] for one in own]
    if bound.unit == "sd" and len(values) < min(LEAST_RUNS, bound.runs):
        return False, f"only {counted(len(values), 'run')} came before, so that it passes"
    center = fmean(values)
    scale = {"%": abs(center), "sd": stdev(values) if len(values) > 1 else 0.0}.get(bound.unit, 1.0)
    limit = center + bound.offset * scale
    which = _name(own[-1]) if len(own) == 1 else f"the mean of {len(own)} runs up to {_name(own[-1])}"
    has = f"{which} {'has' if len(own) == 1 else 'is'} {center:.6g}"
    # A mean of equal values may differ from them by a rounding error.
    is_near = abs(row["value"] - limit) <= ROUNDING * max(abs(limit), abs(center))
    failed = gate.beyond(row["value"], limit) and not is_near
    return failed, f"{has}, the bound {limit:.6g}" if bound.offset else has


def _chosen(gate: Gate, bound: EarlierValue, rows: Sequence[Row], every: Sequence[Row]) -> list[Row]:
    """Return the rows of the run, or the runs, that a gate looks at, the last run last.

    Raises:
        IncomparableError: no run of the log has such a tag, or name.
    """
    if bound.what not in ("tag", "run"):
        return list(rows)
    is_chosen = _is_run(bound.name) if bound.what == "run" else _has_tag(bound.name)
    if not any(map(is_chosen, every)):
        known = dict.fromkeys(one["run_id"] for one in every) if bound.what == "run" else dict.fromkeys(
            f"{name}={value}" for one in every for name, value in one["tags"].items()
        )  # fmt: skip
        what = f"no earlier run {'is called' if bound.what == 'run' else 'has the tag'} {bound.name!r}"
        raise IncomparableError(
            gate.metric, what, suggestion(bound.name, known) if known else "log one first"
        )
    found = [one for one in rows if is_chosen(one)]
    last = found[-1]["run_id"] if found else None
    return [one for one in found if one["run_id"] == last]


def _is_run(name: str) -> Any:
    return lambda row: row["run_id"] == name


def _has_tag(text: str) -> Any:
    name, equals, value = text.partition("=")
    if equals:
        return lambda row: row["tags"].get(name) == value
    return lambda row: name in row["tags"] or name in row["tags"].values()


def _refuse_other_conventions(gate: Gate, row: Row, before: Row) -> None:
    """Refuse a run of other conventions; another release may have the same ones.

    Raises:
        IncomparableError: names them.
    """
    if _conventions(row["signature"]) == _conventions(before["signature"]):
        return
    here, there = Signature.parse(row["signature"]), Signature.parse(before["signature"])
    differing = "; ".join(
        f"{name} is {then} there and {now} here" for name, (now, then) in here.differences(there).items()
    )
    raise IncomparableError(
        gate.metric, f"{_name(before)} follows other conventions: {differing}",
        "log a run with these conventions, or set those of that run",
    )  # fmt: skip


def _is_same(before: Row, row: Row) -> bool:
    """Return whether two rows are of one metric, whatever it was called."""
    if before["metric"] == row["metric"]:
        return True
    return _conventions(before["signature"]) == _conventions(row["signature"])


def _conventions(signature: str) -> str:
    return _RELEASE.sub("", signature)


def _name(row: Row) -> str:
    return f"run {row['run_id']} of {shown_time(row['run_time'])}"


def _logged(path: Path) -> list[dict[str, Any]]:
    """Return the rows of the log, the oldest first; none if there is no log yet."""
    if not path.exists():
        return []
    query = exp.select(*_COLUMNS).from_(RESULTS).order_by("run_time", "run_id")
    try:
        with opened(path) as connection:
            rows = connection.sql(query.sql("duckdb")).to_arrow_table().to_pylist()
    except NoRunsError:
        return []
    return [{**one, "tags": dict(one["tags"] or {}), "segment": dict(one["segment"] or {})} for one in rows]


def _values(path: Path, row: Row) -> Any:
    """Return the values per query of one run, metric and system, as an Arrow table."""
    query = (
        rows_of(VALUES, "run_id", row["run_id"])
        .where(*_of_row(row))
        .select("query_id", "value", append=False)
    )
    with opened(path) as connection:
        return connection.sql(query.sql("duckdb")).to_arrow_table()


def _of_row(row: Row) -> tuple[exp.Expr, ...]:
    """Return the conditions of the values that a row of results summarizes."""
    system = exp.NullSafeEQ(this=exp.column("system"), expression=literal(row["system"]))
    return system, exp.column("metric").eq(literal(row["metric"]))
