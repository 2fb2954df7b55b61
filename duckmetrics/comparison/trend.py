"""The trend of metrics over the runs of a log: what changed, and what left its usual range."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.catalog import catalog
from duckmetrics.compose.composer import Composer
from duckmetrics.engines.opening import open_engine
from duckmetrics.engines.run_log import RESULTS, VALUES, opened
from duckmetrics.errors import InputError, MetricError, suggestion
from duckmetrics.expressions.build import cast_to, everything, picked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.slices import slice_label
from duckmetrics.pages.chart import Chart
from duckmetrics.pages.marks import known, number
from duckmetrics.pages.timeline import ABOVE, BELOW, distance, is_outside, over_time
from duckmetrics.results.tabular import Printed, Shown, document, readable
from duckmetrics.words.lists import counted
from duckmetrics.words.times import days, read_last, shown_time
from duckmetrics.words.visible import visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from duckmetrics.engines.engine import Engine
    from duckmetrics.pages.curves import Picture

    Series = tuple[str, str | None, tuple[tuple[str, str], ...]]

USUAL_RANGE, LOGGED_RUNS = "usual_range", "logged_runs"
# The levels of a sparkline, and the most runs that it shows.
LEVELS, MOST_POINTS = "▁▂▃▄▅▆▇█", 30
# More series of one metric than these are not drawn.
MOST_SERIES = 24
_TEXT = ("run_id", "release", "metric", "slice", "better", "signature", "usual")
_LAST = "write a time such as 30d, 4w or 12h, or a number of runs such as 20"


@dataclass(frozen=True, repr=False)
class Trend(Printed):
    """The values of metrics over the runs of a log.

    Attributes:
        rows: one dictionary per run, system, metric and slice, in the order of the runs. value, lower, upper,
            n: as they were logged; previous_value: of the run before with the same conventions; change: the
            difference to it; usual_lower, usual_upper: the mean of up to 30 runs before, minus and plus three
            of their standard deviations, from five such runs on; usual: whether the value is below, above or
            within that range.
    """

    command = "trend"

    rows: tuple[dict[str, Any], ...]
    _source: str = field(default="", repr=False)

    @property
    def summary(self) -> pa.Table:
        """One row per run, system, metric and slice."""
        import pyarrow as pa

        rows = [{**row, "segment": list(row["segment"].items()), "tags": list(row["tags"].items())}
                for row in self.rows]  # fmt: skip
        pairs = pa.map_(pa.string(), pa.string())
        types = {
            "segment": pairs,
            "tags": pairs,
            "system": pa.string(),
            "run_time": pa.timestamp("us", "UTC"),
        }
        types |= dict.fromkeys(_TEXT, pa.string()) | dict.fromkeys(("n", "run_number"), pa.int64())
        schema = pa.schema([(name, types.get(name, pa.float64())) for name in self.rows[0]])
        return readable(pa.Table.from_pylist(rows, schema))

    @property
    def series(self) -> dict[Series, list[dict[str, Any]]]:
        """The rows of each metric, system and slice."""
        found: dict[Series, list[dict[str, Any]]] = {}
        for row in self.rows:
            found.setdefault((row["metric"], row["system"], tuple(row["segment"].items())), []).append(row)
        return found

    @property
    def verdict(self) -> str:
        """The sentence about the last values.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            duckmetrics.evaluate(clicks, metrics="auc").log(folder / "runs", run_id="monday")
            duckmetrics.trend(folder / "runs").verdict  # 'no series has five earlier runs yet'
        """
        judged = [rows[-1] for rows in self.series.values() if rows[-1]["usual"] is not None]
        if not judged:
            return "no series has five earlier runs yet"
        outside = [row for row in judged if is_outside(row)]
        if not outside:
            return f"the last values of {_all(len(judged))} are within the usual range"
        worst = max(outside, key=distance)
        more = (
            f", and {counted(len(outside) - 1, 'other series', 'other series')}" if len(outside) > 1 else ""
        )
        name = _name(worst, self._several)
        of = f" of {name}" if name else ""
        return (
            f"{visible(worst['metric'])}{of} left its usual range: {number(worst['value'], 4)}, usually "
            f"{number(worst['usual_lower'], 4)} to {number(worst['usual_upper'], 4)}{more}"
        )

    @property
    def _several(self) -> bool:
        return len({row["system"] for row in self.rows}) > 1

    @property
    def _last_run(self) -> str:
        return str(self.rows[-1]["run_id"])

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics trend`` prints it in JSON, see docs/reference/json.md."""
        return document(self.command, self.rows, verdict=self.verdict)

    def shown(self) -> Shown:
        """Return the table with a line for each series."""
        header = ["metric", "series", "runs", "trend", "last", "change", "usual range", ""]
        cells = [
            [rows[-1]["metric"], _name(rows[-1], self._several) or "(all)", str(len(rows)), sparkline(rows),
             *self._numbers(rows[-1])]
            for rows in self.series.values()
        ]  # fmt: skip
        if all(row[1] == "(all)" for row in cells):
            header, cells = [header[0], *header[2:]], [[row[0], *row[2:]] for row in cells]
        times = [shown_time(self.rows[place]["run_time"]) for place in (0, -1)]
        runs = len({row["run_id"] for row in self.rows})
        notes = [
            f"{counted(runs, 'run')} from {times[0]} to {times[1]}; the last is {visible(self._last_run)}",
            "usual range: mean of up to 30 runs before, minus and plus three standard deviations",
        ]
        return Shown(header, cells, ["runs", "last", "change"], self.verdict, notes)

    def _numbers(self, row: Mapping[str, Any]) -> list[str]:
        """Return the last value of a series, its change, its usual range, and a mark."""
        usual = row["usual_lower"] is not None
        limits = f"{number(row['usual_lower'], 4)} to {number(row['usual_upper'], 4)}" if usual else ""
        mark = ""
        if is_outside(row):
            good = {"higher": ABOVE, "lower": BELOW}.get(row["better"])
            mark = "! outside" if good is None else "▲ better" if row["usual"] == good else "▼ worse"
        if row["run_time"] < self.rows[-1]["run_time"]:
            mark = f"{mark}, until {shown_time(row['run_time'])}".removeprefix(", ")
        return [number(row["value"], 4), number(row["change"], 4, sign=True), limits, mark]

    def chart(self, metric: str | None = None) -> Chart:
        """Draw a metric over time, with intervals and usual ranges.

        A ring marks a value outside its usual range, a dotted line a run with another release or tag. One or
        two series are lines of one chart, without usual ranges of two; of more, each has a small chart.

        Args:
            metric: by default the first.

        Raises:
            MetricError: the log has no such metric, or more series than a chart shows.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            duckmetrics.evaluate(clicks, metrics="auc").log(folder / "runs", run_id="monday")
            duckmetrics.trend(folder / "runs").chart().save(folder / "auc.svg")
        """
        picture = self.picture(self.metrics[0] if metric is None else metric)
        return Chart(picture.title, picture.said, self.summary, picture.drawing)

    @property
    def metrics(self) -> list[str]:
        """The metrics as typed."""
        return list(dict.fromkeys(row["metric"] for row in self.rows))

    def picture(self, metric: str) -> Picture:
        """Draw a metric as `chart` does; it raises what that raises."""
        if metric not in self.metrics:
            raise MetricError(metric, "not in this trend", suggestion(metric, self.metrics))
        own = [row for row in self.rows if row["metric"] == metric]
        several = len({row["system"] for row in own}) > 1
        by_series: dict[str | None, list[dict[str, Any]]] = {}
        for row in own:
            by_series.setdefault(_name(row, several) or None, []).append(
                {**row, "day": days(row["run_time"])}
            )
        if len(by_series) > MOST_SERIES:
            what = f"{len(by_series)} series are more than the {MOST_SERIES} that a chart shows"
            raise MetricError("chart", what, "choose some with system= (--system), or leave by= out")
        level = next((row["level"] for row in own if row["level"] is not None), None)
        return over_time(metric, by_series, level, list(_changes(own)))


def _all(n: int) -> str:
    return "the series" if n == 1 else f"all {n} series"


def _name(row: Mapping[str, Any], several: bool) -> str:
    """Return the name of the series of a row: the system if there are several, and the slice."""
    system = [visible(row["system"])] if several and row["system"] is not None else []
    return ", ".join([*system, *map(visible_key, row["segment"].values())])


def sparkline(rows: Sequence[Mapping[str, Any]]) -> str:
    """Draw the last values as small bars; a missing one is a blank."""
    values = [row["value"] for row in rows[-MOST_POINTS:]]
    there = known(values)
    low, high = (min(there), max(there)) if there else (0.0, 0.0)

    def level(value: float | None) -> str:
        if value is None or not known([value]):
            return " "
        place = len(LEVELS) // 2 if high == low else round((value - low) / (high - low) * (len(LEVELS) - 1))
        return LEVELS[place]

    return "".join(map(level, values))


def _changes(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[float, str]]:
    """Yield the days at which the release or a tag changed, with what it is from then on."""
    before: dict[str, str] = {}
    seen: set[str] = set()
    for row in rows:
        if row["run_id"] in seen:
            continue
        seen.add(row["run_id"])
        now = {"release": row["release"], **row["tags"]}
        changed = [f"{name} {value}" for name, value in now.items() if before and before.get(name) != value]
        if changed:
            yield days(row["run_time"]), ", ".join(changed)
        before = now


# --- reading the log ---------------------------------------------------------------------------------


def logged_runs(path: Path) -> pa.Table:
    """Return the runs of a log, the newest first.

    Raises:
        InputError: it is no log, or has no run.
    """
    composer = Composer(catalog(), {name: everything(name) for name in (RESULTS, VALUES)})
    second = exp.TimestampTrunc(this=exp.column("run_time"), unit=exp.var("second")).as_("run_time")
    newest = exp.Ordered(this=exp.column("run_time", "logged"), desc=True)
    query = exp.select(exp.Star(replace=[second])).order_by(newest, "run_id")
    query = query.from_(everything(composer.relation(LOGGED_RUNS, {})).subquery("logged"))
    with opened(path) as connection, closing(open_engine(connection=connection)) as engine:
        return engine.arrow(composer.complete(query))


def trend_of(
    path: Path,
    metrics: Sequence[str] | None,
    by: Sequence[str],
    system: str | None,
    last: str | int | None,
) -> Trend:
    """Read the trend of some metrics.

    Args:
        metrics: as typed or by their canonical spelling; None for all.
        by: the columns of the slices; none for the overall values.
        last: a time such as ``"30d"``, or a number of runs; None for all.

    Raises:
        InputError: it is no log, or no run has such slices.
        MetricError: no run has such a metric or system, or `last` cannot be read.
    """
    label = slice_label(by)
    with opened(path) as connection, closing(open_engine(connection=connection)) as engine:
        kept = _chosen(path, engine, {"metric": metrics, "system": system and [system]}, label)
        times = picked(RESULTS, "run_time", "run_id").distinct().where(*kept).order_by("run_time", "run_id")
        start = _start([row["run_time"] for row in engine.arrow(times).to_pylist()], last)
        composer = Composer(catalog(), {RESULTS: everything(RESULTS).where(*kept)})
        step = composer.relation(USUAL_RANGE, {})
        query = everything(step).where(exp.column("run_time") >= _literal_time(start))
        for key in ("run_number", "metric", "system", "segment"):
            query = query.order_by(exp.Ordered(this=exp.column(key), desc=False, nulls_first=True))
        found = engine.arrow(composer.complete(query)).to_pylist()
    rows = ({**row, "segment": dict(row["segment"] or ()), "tags": dict(row["tags"] or ())} for row in found)
    return Trend(tuple(rows), str(path))


def _chosen(
    path: Path, engine: Engine, wanted: Mapping[str, Sequence[str] | None], label: str
) -> list[exp.Expr]:
    """Return the conditions of the rows of some metrics, systems and slices.

    Raises:
        MetricError: no run has such a metric or system.
        InputError: no run has such slices.
    """
    names = ("metric", "system", "slice")
    there = engine.rows(picked(RESULTS, *names).distinct().order_by(*names))
    conditions: list[exp.Expr] = []
    for place, name in enumerate(names[:2]):
        known_names = list(dict.fromkeys(str(row[place]) for row in there if row[place] is not None))
        for one in wanted[name] or ():
            if one not in known_names:
                advice = suggestion(one, known_names)
                raise MetricError(one, f"no run of {path} has this {name}", advice)
        if wanted[name]:
            conditions.append(exp.column(name).isin(*(literal(one) for one in wanted[name] or ())))
            there = [row for row in there if row[place] in (wanted[name] or ())]
    labels = dict.fromkeys(row[2] for row in there)
    if label not in labels:
        sliced = "; ".join(filter(None, labels))
        advice = f"logged are slices by {sliced}" if sliced else "evaluate with --by and --log"
        raise InputError("by", f"no run of {path} has slices by {label}", advice)
    return [*conditions, exp.column("slice").eq(literal(label))]


def _start(times: Sequence[datetime], last: str | int | None) -> datetime:
    """Return the time of the first run that is shown.

    Raises:
        MetricError: `last` is neither a time nor a number of runs.
    """
    if last is None:
        return times[0]
    text = str(last).strip()
    if text.isdecimal() and int(text) > 0:
        return times[-int(text) :][0]
    length = read_last(text)
    if length is None:
        raise MetricError("last", f"{text!r} is neither a time nor a number of runs", _LAST)
    return times[-1] - timedelta(days=length)


def _literal_time(time: datetime) -> exp.Expr:
    """Write a point in time."""
    return cast_to(literal(time.isoformat(sep=" ")), "TIMESTAMPTZ")
