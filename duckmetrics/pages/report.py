"""One HTML file from the data of a report, part by part. It loads nothing and runs no script."""

from __future__ import annotations

import html as escaping
import math
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.pages import changes, values
from duckmetrics.pages.chart import Ids
from duckmetrics.pages.curves import at_k, differences
from duckmetrics.pages.marks import KINDS, breakable, number, percent, style
from duckmetrics.pages.report_model import (
    OVERALL,
    Reading,
    digits,
    inside,
    label_of,
    place_of,
    place_of_key,
)
from duckmetrics.pages.report_parts import (
    embedded,
    explanations,
    shown_sql,
    sql_title,
    tiles,
    trust_section,
    verdict,
)
from duckmetrics.pages.tables import DRAWINGS, has_numbers
from duckmetrics.words.lists import counted, joined
from duckmetrics.words.times import are_times
from duckmetrics.words.verdict import direction, meaning_of_difference, untested_sentences
from duckmetrics.words.verdicts import DIFFERENT, SIGNS, UNTESTED
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jinja2 import Environment

    from duckmetrics.pages.curves import Picture
    from duckmetrics.pages.forest import Forest
    from duckmetrics.pages.report_model import AtCutoff, Key, Mover, ReportData, Row


class Legend(NamedTuple):
    """The verdicts on the page, and what the differences mean that are neither better nor worse."""

    verdicts: frozenset[str]
    different: str


def legend(reading: Reading) -> Legend:
    """Return the entries of the legend."""
    rows = list(_legend_shown(reading))
    meanings = [_meaning(reading, row) for row in rows if row.verdict == DIFFERENT]
    return Legend(frozenset(row.verdict for row in rows), joined(list(dict.fromkeys(meanings)), "or"))


def untested(reading: Reading) -> list[str]:
    """Return the reasons why differences over all rows or queries were not tested, with the metrics."""
    rows = (row for row in _legend_shown(reading) if not row.by and row.verdict == UNTESTED)
    return untested_sentences((row.metric, row.reason) for row in rows)


def _legend_shown(reading: Reading) -> Iterator[Row]:
    """Yield the rows whose verdicts the page shows."""
    slices = {row.key for row in shown_slices(reading)}
    for row in reading.data.rows:
        if row.system != reading.data.baseline and (not row.by or row.key in slices):
            yield row


def _meaning(reading: Reading, row: Row) -> str:
    """Return the meaning of a difference for all metrics of its kind."""
    target, base = reading.metrics[row.metric].target, reading.base(row)
    meaning = meaning_of_difference(target, None if base is None else base.value, row.value)
    return meaning if target is None else f"{meaning.removesuffix(f'{target:g}')}the target"


# With more columns, a narrow screen turns their names.
FEW = 4


class MatrixCell(NamedTuple):
    """A mark and a number; `said` is read instead of the mark."""

    sign: str
    text: str
    said: str
    kind: str


class Matrix(NamedTuple):
    """A table of marks."""

    first: str
    heads: list[str]
    lines: list[tuple[str, list[MatrixCell]]]
    many: bool


def matrix(
    reading: Reading, first: str, heads: Sequence[str], lines: Sequence[tuple[str, Sequence[Row | None]]]
) -> Matrix:
    """Return a cell for each row of the data; of values without a baseline, the number alone."""
    cell = _value if reading.data.baseline is None else _mark
    shown = [(label, [cell(reading, row) for row in rows]) for label, rows in lines]
    return Matrix(first, list(heads), shown, len(heads) > FEW)


def _mark(reading: Reading, row: Row | None) -> MatrixCell:
    if row is None or row.verdict == UNTESTED:
        return MatrixCell(SIGNS[UNTESTED], "", "not tested", "none")
    change = reading.shown_change(row)
    text = percent(change) if change is not None else number(row.delta, digits(row), sign=True)
    return MatrixCell(SIGNS[row.verdict], text, row.verdict, KINDS[row.verdict])


def _value(reading: Reading, row: Row | None) -> MatrixCell:
    if row is None or row.value is None:
        return MatrixCell("–", "", "no value", "none")
    return MatrixCell("", number(row.value, min(3, digits(row))), "", "plain")


class MoverLine(NamedTuple):
    """A query as it is shown."""

    query: str
    before: str
    after: str
    difference: str
    kind: str


class Movers(NamedTuple):
    """Two tables: the queries that gain, and those that lose."""

    unit: str
    metric: str
    before: str
    after: str
    tables: list[tuple[str, list[MoverLine]]]


def _line(one: Mover, kind: str) -> MoverLine:
    before, after = number(one.before), number(one.after)
    return MoverLine(one.query, before, after, number(one.difference, sign=True), kind)


def movers_section(reading: Reading) -> Movers | None:
    """Return the movers of the best system; None if there are none."""
    data = reading.data
    if not data.movers or data.baseline is None:
        return None
    tables = []
    for sign, title, kind in (("gain", "Gain most", "better"), ("loss", "Lose most", "worse")):
        lines = [_line(one, kind) for one in data.movers if one.direction == sign]
        tables.append((title, lines))
    unit = {"queries": "query"}.get(data.counted, data.counted.removesuffix("s"))
    return Movers(unit, reading.primary.name, data.baseline, reading.best, tables)


# The chart of a metric that aims at a number is short; the matrix of all metrics has every slice.
MOST_CURVES = 20


def figures(reading: Reading) -> list[Picture]:
    """Return the charts that the data have numbers for."""
    if reading.data.is_of_rows:
        drawn = [*_of_tables(reading), _target(reading)]
    else:
        drawn = [_at_cutoffs(reading), _differences(reading)]
    return [picture for picture in drawn if picture is not None]


def _of_tables(reading: Reading) -> list[Picture]:
    """Return the charts of the tables of a classifier."""
    found = []
    for curve in reading.data.pictures.curves:
        own = {
            system or None: [row for row in curve.rows if row["system"] == system] for system in reading.drawn
        }
        if has_numbers(curve.drawing, own.values()):
            found.append(DRAWINGS[curve.drawing].draw(own))
    return found


def _at_cutoffs(reading: Reading) -> Picture | None:
    pictures = reading.data.pictures
    shown = [one for one in pictures.at_k if one.value is not None and one.system in reading.drawn]
    known = _until_constant(shown, reading.primary.k or 1)
    if len({one.k for one in known}) < 2:
        return None
    own = {system or None: [vars(one) for one in known if one.system == system] for system in reading.drawn}
    return at_k(pictures.at_k_name, own, reading.data.level)


def _until_constant(points: Sequence[AtCutoff], asked: int) -> list[AtCutoff]:
    """Leave out the deepest cut-offs if they change nothing, as where no list is that long.

    Args:
        asked: the cut-off of the metric, which is always shown.
    """
    last = {one.system: one for one in sorted(points, key=lambda one: one.k)}
    changing = [one.k for one in points if not _is_same(one, last[one.system])]
    ends = sorted({one.k for one in points if one.k > max([asked - 1, *changing])})
    return [one for one in points if not ends or one.k <= ends[0]]


def _is_same(one: AtCutoff, other: AtCutoff) -> bool:
    """Return whether two points have the same value and interval, up to rounding."""
    pairs = ((one.value, other.value), (one.lower, other.lower), (one.upper, other.upper))
    return all(a == b or (a is not None and b is not None and math.isclose(a, b)) for a, b in pairs)


def _differences(reading: Reading) -> Picture | None:
    row, steps, baseline = reading.top, reading.data.pictures.differences, reading.data.baseline
    if baseline is None or len(steps) < 2 or row is None or row.wins is None or row.losses is None:
        return None
    counts = {row.system: (row.wins, row.ties or 0, row.losses)}
    is_lower = reading.sign(row.metric) < 0
    return differences(
        row.metric, baseline, {row.system: steps}, counts, is_lower, reading.data.unit
    )  # fmt: skip


def _target(reading: Reading) -> Picture | None:
    """Return the values of the first metric that aims at a number, in slices where all systems have one."""
    metric = next((one for one in reading.data.metrics if one.target is not None), None)
    if metric is None:
        return None
    found: list[Mapping[str, Any]] = []
    for place in (OVERALL, *reading.slices[:MOST_CURVES]):
        found += _values(reading, metric.name, place)
    if not any(row["slice"] for row in found):
        return None
    return values.slices(
        metric.name, found, lambda row: label_of((row["by"], row["segment"])), metric.target,
        reading.data.level,
    )  # fmt: skip


def _values(reading: Reading, metric: str, place: Key) -> list[Mapping[str, Any]]:
    """Return a row of each system; none if a system has no value."""
    rows = [reading.row(system, metric, place) for system in reading.drawn]
    known = [row for row in rows if row is not None and row.value is not None]
    if len(known) < len(rows):
        return []
    return [{**vars(row), "system": row.system or None, "slice": ", ".join(row.by)} for row in known]


# A longer title of a metric would break its row.
LONG_TITLE = 60


class Section(NamedTuple):
    """A heading, a sentence, and tables.

    Attributes:
        table: the changes, or the values without a baseline.
        matrices: headings with tables of marks; those after the first are folded.
        grid_title: the heading of the first one.
    """

    title: str
    text: str
    table: Forest
    grid_title: str = ""
    grid: Matrix | None = None
    more: Sequence[tuple[str, Matrix]] = ()


def metrics_section(reading: Reading) -> Section:
    """Return every metric of the system that the report is about."""
    rows, n = [], reading.top.units if reading.top else 0
    for metric in reading.data.metrics:
        if (row := reading.row(reading.best, metric.name)) is not None:
            title = [inside(metric.title)] if 0 < len(metric.title) < LONG_TITLE else []
            size = [] if row.units == n else [reading.size(row)]
            way = direction(metric.better, metric.target)
            rows.append((row, metric.name, "; ".join([*title, way, *size])))
    base, best, level = reading.data.baseline, reading.best, reading.data.level
    if base is None:
        table = values.metrics_forest([reading.named(*one) for one in rows], level)
        return Section("Every metric", _values_text(reading), table)
    text = (
        f"{best} against {base}, change relative to {base}. To the right is better, also for metrics where "
        "lower values are better."
    )
    table = changes.forest("metric", [("", [reading.as_change(*one) for one in rows])], level=level)
    return Section("Every metric", text, table)


def _values_text(reading: Reading) -> str:
    of = f"{reading.best}, from" if reading.best else "From"
    return f"{of} {reading.total}. Metrics between 0 and 1 share one axis."


def systems_section(reading: Reading) -> Section:
    """Return a row for each system by the first metric, and all metrics of all systems."""
    first, base, level = reading.primary, reading.data.baseline, reading.data.level
    name, subject = first.name, reading.data.subject
    rows = [(system, reading.row(system)) for system in reading.ranked]
    known = [(system, row) for system, row in rows if row is not None]
    lines = [
        (system, [reading.row(system, metric) for metric in reading.metrics]) for system in reading.ranked
    ]
    grid = matrix(reading, subject, list(reading.metrics), lines)
    if reading.data.places:
        text = f"The best first; {direction(first.better, first.target)}. "
        text += "Systems that share a letter do not clearly differ." if reading.is_tested else ""
        table = values.places_forest([("", reading.places(OVERALL))], level)
        return Section(f"All {subject}s by {name}", text, table, f"All {subject}s, all metrics", grid)
    if base is None:
        text = f"The best first; {direction(first.better, first.target)}."
        named = [reading.named(row, system, reading.size(row)) for system, row in known]
        table = values.forest(subject, [("", named)], level=level)
        return Section(f"All {subject}s by {name}", text, table, f"All {subject}s, all metrics", grid)
    text = f"Change relative to {base}, the best first. To the right is better."
    own = [reading.as_change(row, system) for system, row in known]
    table = changes.forest(subject, [("", own)], level=level)
    title = f"All {subject}s and metrics, against {base}"
    return Section(f"All {subject}s by {name}", text, table, title, grid)


# A leaderboard of more slices is in files.
MOST_BOARDS = 12


def places_section(reading: Reading) -> Section | None:
    """Return the systems of a leaderboard in each slice; None without slices, or with too many of them."""
    boards = [(place_of_key(key), reading.places(key)) for key in reading.slices]
    known = [(heading, rows) for heading, rows in boards if rows]
    if not 0 < len(known) <= MOST_BOARDS:
        return None
    subject, name = reading.data.subject, reading.primary.name
    table = values.places_forest(known, reading.data.level)
    return Section(
        f"All {subject}s in each slice, by {name}", "The best first, with ranks and letters.", table
    )


# With more slices, only the worst and the best ones are shown.
MOST_SLICES, AT_EACH_END = 200, 20


def shown_slices(reading: Reading) -> list[Row]:
    """Return the rows of the first metric in the slices that the page shows: by grouping, the worst first.

    Days and times are in their order.
    """
    found = (reading.row(reading.best, None, key) for key in reading.slices)
    ordered = sorted((row for row in found if row is not None), key=reading.badness)
    if len(ordered) > MOST_SLICES:
        return [*ordered[:AT_EACH_END], *ordered[-AT_EACH_END:]]
    groups, times = list(dict.fromkeys(row.by for row in ordered)), _times(ordered)
    return sorted(ordered, key=lambda row: (groups.index(row.by), row.segment if row.by in times else ()))


def _times(rows: Sequence[Row]) -> set[tuple[str, ...]]:
    """Return the groupings whose slices are days or times."""
    known: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        known.setdefault(row.by, []).append(",".join(row.segment))
    return {by for by, texts in known.items() if len(by) == 1 and are_times(texts)}


def slices_section(reading: Reading) -> Section | None:
    """Return the slices, the worst first, and all metrics in all of them; None if there are no slices."""
    rows = shown_slices(reading)
    if not rows:
        return None
    total = len(reading.slices)
    cut = len(rows) < total
    title, text, table = _table(reading, rows)
    if cut:
        text += (
            f" Of {counted(total, 'slice')}, the {AT_EACH_END} worst and the {AT_EACH_END} best are shown; "
            f"the {total - len(rows):,} in between are left out."
        )
    heads = [
        name for name in reading.metrics if any(reading.row(reading.best, name, row.key) for row in rows)
    ]
    grids = [_grid(reading, system, heads, [row.key for row in rows]) for system in reading.ranked]
    more = [(f"{system} in all slices", grid) for system, grid in zip(reading.ranked, grids, strict=True)]
    which = "the slices above" if cut else "all slices"
    text = " ".join([text, *(f"{told}." for told in reading.data.about_slices)])
    of = f", {reading.best}" if len(reading.others) > 1 else ""
    return Section(title, text, table, f"All metrics in {which}{of}", grids[0], more[1:])


def _table(reading: Reading, rows: Sequence[Row]) -> tuple[str, str, Forest]:
    """Return the title, the sentence and the table of the slices by the first metric."""
    groups, level = _groups(reading, rows), reading.data.level
    by = f"{reading.best} by {reading.primary.name}" if reading.best else f"By {reading.primary.name}"
    cut = len(rows) < len(reading.slices)
    n_times = 0 if cut else len(_times(rows))
    order = "in order of time" if n_times == len(groups) else "the worst first"
    order += ", and days in order of time" if 0 < n_times < len(groups) else ""
    text = f"{by} in each slice, {order}"
    if reading.data.baseline is None:
        guide = None if reading.top is None else reading.top.value
        named = [(title, [reading.named(*one) for one in own]) for title, own in groups.items()]
        table = values.forest("slice", named, values.Marked(guide=guide), level)
        return "Where it is strong and weak", f"{text}. The dotted line is the value of all rows.", table
    own_changes = [(title, [reading.as_change(*one) for one in own]) for title, own in groups.items()]
    table = changes.forest("slice", own_changes, reading.change(reading.top), level)
    return "Where it is better and worse", f"{text}. The dotted line is the overall change.", table


def _groups(reading: Reading, rows: Sequence[Row]) -> dict[str, list[tuple[Row, str, str]]]:
    """Return rows, labels and notes under headings: the columns of the slice, or worst and best of many."""
    groups: dict[str, list[tuple[Row, str, str]]] = {}
    cut = len(rows) < len(reading.slices)
    for place, row in enumerate(rows):
        end = "worst" if place < AT_EACH_END else "best"
        title = f"the {AT_EACH_END} {end}" if cut else f"by {', '.join(row.by)}"
        label = place_of(row) if cut else label_of(row.key)
        groups.setdefault(title, []).append((row, label, reading.size(row)))
    return groups


def _grid(reading: Reading, system: str, heads: Sequence[str], keys: Sequence[Key]) -> Matrix:
    lines = [(place_of_key(key), [reading.row(system, name, key) for name in heads]) for key in keys]
    return matrix(reading, "slice", heads, lines)


ROOM = "duckmetrics.pages"
# The frame of a page in a notebook.
LOOK = "width:100%;height:80vh;border:0"


@dataclass(frozen=True)
class Report:
    """A report: one HTML page, which a notebook shows in a frame.

    Attributes:
        html: the page.
        data: what it shows.
    """

    html: str = field(repr=False)
    data: ReportData = field(repr=False)

    @classmethod
    def of(cls, data: ReportData) -> Report:
        """Render the page."""
        return cls(render(data), data)

    @property
    def verdict(self) -> str:
        """The headline of the page."""
        return verdict(Reading(self.data)).head

    def __str__(self) -> str:
        return self.html

    def _repr_html_(self) -> str:
        page = escaping.escape(self.html)
        return f'<iframe srcdoc="{page}" title="report" style="{LOOK}" sandbox></iframe>'


def render(data: ReportData) -> str:
    """Return the report as HTML; the same data give the same bytes."""
    reading = Reading(data)
    return _environment().get_template("page.html").render(**_parts(reading))


def _parts(reading: Reading) -> dict[str, Any]:
    """Return what the template shows, section by section."""
    from markupsafe import Markup

    data, ids = reading.data, Ids("c")
    is_classifier = data.is_of_rows
    many = len(reading.others) > 1
    sections: list[Section | None] = [systems_section(reading)] if many else []
    sections += [metrics_section(reading), slices_section(reading), places_section(reading)]
    return {
        "data": data,
        "style": Markup(style() + _text("style.css")),
        "verdict": verdict(reading),
        "tiles": tiles(reading),
        "total": reading.total,
        "legend": legend(reading),
        "untested": untested(reading),
        "sections": [] if data.withheld else sections,
        "figures_title": "How good the scores are" if is_classifier else _about_lists(reading),
        "figures_text": _about_figures(reading),
        "figures": [Markup(one.drawing.html(ids, one.title, one.said)) for one in figures(reading)],
        "trends": [Markup(one.drawing.html(ids, one.title, one.said)) for one in data.trends],
        "movers": movers_section(reading),
        "trust": trust_section(reading),
        "explain": explanations(data),
        "sql_title": sql_title(data.sql),
        "sql": shown_sql(data.sql),
        "json": Markup(embedded(data, {row.key for row in shown_slices(reading)})),
    }


def _about_lists(reading: Reading) -> str:
    """Return the heading of the charts of rankings."""
    return "How good the lists are" if reading.data.baseline is None else "How the lists differ"


def _about_figures(reading: Reading) -> str:
    """Return what all charts show."""
    if reading.data.is_of_rows:
        return "All rows, aggregated."
    return f"All {reading.top.n or 0 if reading.top else 0:,} {reading.data.counted}."


@cache
def _environment() -> Environment:
    """Return the templates, which escape all texts."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(ROOM), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_shown,
    )  # fmt: skip
    environment.filters["breakable"] = lambda name: _markup(breakable(name))
    environment.filters["markup"] = _markup
    environment.filters["lines"] = _lines
    environment.filters["thousands"] = "{:,}".format
    return environment


def _text(name: str) -> str:
    return files(ROOM).joinpath("templates", name).read_text("utf-8").replace("\n", "")


def _shown(value: Any) -> Any:
    """Write control characters of names as escapes; what is HTML already stays as it is."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return _whole(visible(value))


def _whole(text: str) -> str:
    """Write lone halves of characters, which no file can hold, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _markup(drawn: str) -> Any:
    """Mark a drawing of ours as HTML."""
    from markupsafe import Markup

    return Markup(drawn)


def _lines(text: str) -> Any:
    """Escape a text of several lines, and keep its lines."""
    from markupsafe import Markup, escape

    return Markup("\n").join(escape(_whole(visible(line))) for line in text.split("\n"))
