"""A leaderboard: all systems, the best first, with what the tests of all pairs show about their places."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from duckmetrics.pages.comparison_screen import MOST_SLICES
from duckmetrics.pages.drawn import DrawnLeaderboard
from duckmetrics.pages.screens import ScreenColumn, cells_of, fitted, short_p, table_lines, writable
from duckmetrics.results.findings import Examined
from duckmetrics.results.grid import NO_VALUE, WHOLE, few_slices, goodness, slice_cells, slice_key
from duckmetrics.results.tabular import (
    Shown,
    Tabular,
    aligned,
    cell_text,
    document,
    json_object,
    readable,
    screen_width,
    superscript,
    table_width,
)
from duckmetrics.words.lists import chance_words, four_decimals, joined, with_minus
from duckmetrics.words.verdicts import (
    ADJUSTED_P,
    ADJUSTED_P_SHORT,
    OF_MARGINS,
    WORSE,
    Claim,
    claim_of,
    has_margin,
    margin_sentence,
    p_heading,
    ranks_of,
)
from duckmetrics.words.visible import visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from duckmetrics.pages.report import Report
    from duckmetrics.results.comparison import Comparison
    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.findings import Finding

    Row = Mapping[str, Any]

# The width of the drawn intervals, which take the room that is left.
LEAST_WIDTH, MOST_WIDTH = 9, 30
LINE, DOT = "─", "●"
# The names of the columns.
TIER, PLACE, VALUE, RANKS, TO_BEST, CHANCE, VERDICT, DRAWN = (
    "tier", "#", "value", "ranks", "to best", "P(best)", "verdict", "",
)  # fmt: skip
# The marks after a metric, by the values that are better.
MARKS = {"higher": "", "lower": " ↓", "target": " →"}


def tables_of(groups: Sequence[Sequence[Row]], width: int) -> list[list[str]]:
    """Return the lines of tables that fit a width; columns that do not fit are left out of all of them."""
    tables = [list(_drawable(rows)) for rows in groups]
    dropped = 0
    for columns in tables:
        ranks = {column.rank for column in columns} - {column.rank for column in fitted(columns, width)}
        dropped = max(dropped, *ranks, 0)
    return [
        _table([column for column in columns if not 0 < column.rank <= dropped], rows, width)
        for columns, rows in zip(tables, groups, strict=True)
    ]


def _drawable(rows: Sequence[Row]) -> Iterator[ScreenColumn]:
    """Yield the columns for a screen, the drawn intervals last."""
    for column in _columns(rows):
        yield column._replace(name=heading(rows[0])) if column.name == VALUE else column
    drawn = _drawn(rows, LEAST_WIDTH)
    if any(drawn):
        yield ScreenColumn(DRAWN, drawn, is_number=False, rank=4)


def _table(columns: Sequence[ScreenColumn], rows: Sequence[Row], width: int) -> list[str]:
    """Return the lines of a table; the drawn intervals take the room that is left."""
    kept = list(columns)
    if kept[-1].name == DRAWN:
        # Long names stand above their lines, and leave no room.
        left = max(width - table_width(*cells_of(kept[:-1])) - 2, LEAST_WIDTH)
        kept[-1] = kept[-1]._replace(cells=_drawn(rows, min(left, MOST_WIDTH)))
    return table_lines(kept, width)


def heading(row: Row) -> str:
    """Return the name of a metric with a mark of the values that are better."""
    target = f"{row['target']:g}" if row["target"] is not None else ""
    return f"{visible(row['metric'])}{MARKS[row['better']]}{target}"


def page_columns(rows: Sequence[Row]) -> list[ScreenColumn]:
    """Return the columns for a page; the letters of the tiers are superscripts of the values."""
    tiers = [superscript(row["tier"] or "") for row in rows]
    columns = []
    # A verdict with a margin does not follow from the letters.
    hidden = (TIER,) if any(map(has_margin, rows)) else (TIER, VERDICT)
    for column in _columns(rows, ADJUSTED_P):
        if column.name == VALUE:
            cells = [value + tier for value, tier in zip(column.cells, tiers, strict=True)]
            name = heading(rows[0]) if len({row["metric"] for row in rows}) == 1 else VALUE
            columns.append(column._replace(name=name, cells=cells))
        elif column.name not in hidden:
            columns.append(column)
    return columns


def _columns(rows: Sequence[Row], adjusted_p: str = ADJUSTED_P_SHORT) -> list[ScreenColumn]:
    """Return the columns that have cells; those of the lowest ranks are left out first."""
    level = f"{100 * rows[0]['interval_level']:g} % interval"
    near = any(map(has_margin, rows))
    sizes = [str(row["n"]) for row in rows] if len({row["n"] for row in rows if row["n"]}) > 1 else []
    columns = [
        ScreenColumn(TIER, [row["tier"] or "" for row in rows], is_number=False, is_key=True),
        ScreenColumn(PLACE, [_whole(row["place"]) for row in rows], is_key=True),
        ScreenColumn("system", [visible(str(row["system"])) for row in rows], is_number=False, is_key=True),
        ScreenColumn(VALUE, [_number(row["value"]) for row in rows]),
        ScreenColumn("n", sizes, rank=5),
        ScreenColumn(level, [_interval(row) for row in rows], rank=3),
        ScreenColumn(RANKS, [ranks_of(row) for row in rows], rank=8),
        ScreenColumn(TO_BEST, [_signed(row["delta"]) for row in rows], rank=7),
        ScreenColumn(p_heading(rows, adjusted_p), [short_p(row["p_adjusted"]) for row in rows], rank=2),
        ScreenColumn(CHANCE, [chance_words(row["probability_best"]) for row in rows], rank=6),
        # A verdict with a margin does not follow from the letters, so it stays on a narrow screen.
        ScreenColumn(VERDICT, [row["verdict"] for row in rows], is_number=False, rank=9 if near else 1),
    ]  # fmt: skip
    return [column for column in columns if any(column.cells)]


def _drawn(rows: Sequence[Row], width: int) -> list[str]:
    """Draw the interval of every row as a line, and its value as a dot, on one scale."""
    ends = [row[name] for row in rows for name in ("lower", "value", "upper") if _is_finite(row[name])]
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)

    def place(value: float) -> int:
        return round((value - low) / (high - low) * (width - 1)) if high > low else 0

    cells = []
    for row in rows:
        marks = [" "] * width
        if _is_finite(row["lower"]) and _is_finite(row["upper"]):
            for i in range(place(row["lower"]), place(row["upper"]) + 1):
                marks[i] = LINE
        if _is_finite(row["value"]):
            marks[place(row["value"])] = DOT
        cells.append("".join(marks).rstrip())
    return cells


def _is_finite(value: float | None) -> bool:
    return value is not None and abs(value) != float("inf")


def _whole(value: int | None) -> str:
    return "" if value is None else str(value)


def _number(value: float | None) -> str:
    return "NULL" if value is None else with_minus(f"{value:.4f}")


def _interval(row: Row) -> str:
    if row["lower"] is None or row["upper"] is None:
        return ""
    return f"{_number(row['lower'])} to {_number(row['upper'])}"


def _signed(value: float | None) -> str:
    if value is None:
        return ""
    if value == 0:
        return "0.0000"
    return with_minus(four_decimals(value, "+"))


# The columns that come from the comparison with the best system, and those that all pairs have in common.
OF_BEST_PAIR = ("delta", "delta_lower", "delta_upper", "p", "p_adjusted")
OF_PAIR = (
    "test", "adjust", "n_tests", "alpha", "interval_level", "interval_method", "cluster", "resamples", "seed",
)  # fmt: skip
NUMBERS = (
    "value",
    "lower",
    "upper",
    *OF_BEST_PAIR,
    *OF_MARGINS,
    "probability_best",
    "target",
    "alpha",
    "interval_level",
)
COUNTS = ("place", "rank_lower", "rank_upper", "n", "n_tests", "resamples", "seed")
WORDS = (
    "tier", "verdict", "better", "test", "adjust", "interval_method", "cluster", "reason", "signature",
)  # fmt: skip
# The system that margins are shares of.
THE_BEST = "the best system"
# The number of slices that the first line names.
LISTED = 3


@dataclass(frozen=True, repr=False)
class Leaderboard(DrawnLeaderboard, Examined, Tabular):
    """All systems of one or several metrics, the best first.

    Attributes:
        rows: one dictionary per system, slice and metric, the best system of a slice first. value, lower,
            upper: of the system; place: 1 plus the number of systems with a better value; rank_lower: 1 plus
            the number of systems that are significantly better; rank_upper: the number of systems minus that
            of systems that are significantly worse; tier: letters; two systems share a letter if and only
            if their test does not distinguish them; delta, delta_lower, delta_upper, p, p_adjusted: of the
            difference to the best system; probability_best: the share of bootstrap resamples in which it is
            the best; verdict: best, among the best, worse, different, not tested or no value, with a margin
            also equivalent, not worse or inconclusive; the columns of the margin are as in `Comparison`,
            against the best system; n: queries or rows; better, target: which values are better; n_tests:
            how many pairs p was adjusted for; the other columns are as in `Comparison`.
        comparison: the tests of all pairs.
        units: what was resampled, such as queries.
        bootstrap_resamples: the number of resamples behind the chances.
        at_once: whether the intervals of the ranks hold for all systems at once.
        pairs: the tests of all pairs, see `Comparison.pairs`. With a margin, each pair also has its columns.
            They are about ``worse_system``, the one with the worse value, against the other one.
    """

    command = "leaderboard"

    rows: tuple[dict[str, Any], ...]
    comparison: Comparison = field(repr=False)
    units: str
    bootstrap_resamples: int
    at_once: bool
    pairs: tuple[dict[str, Any], ...] = field(repr=False)

    @property
    def summary(self) -> pa.Table:
        """One row per metric, slice and system."""
        import pyarrow as pa

        values = self.evaluation.summary.schema
        types = {name: values.field(name).type for name in ("system", "metric", "slice", *self.evaluation.by)}
        types |= dict.fromkeys(NUMBERS, pa.float64()) | dict.fromkeys(COUNTS, pa.int64())
        types |= dict.fromkeys(WORDS, pa.string())
        schema = pa.schema([(name, types[name]) for name in self.rows[0]])
        return readable(pa.Table.from_pylist(list(self.rows), schema))

    @property
    def evaluation(self) -> Evaluation:
        """The values of the systems."""
        return self.comparison.evaluation

    @property
    def checks(self) -> tuple[Finding, ...]:
        """Warnings and notes about the data and the tests."""
        return self.comparison.checks

    @property
    def sql(self) -> str:
        """The exact SQL that ran."""
        return self.comparison.sql

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics leaderboard`` prints it in JSON, see docs/reference/json.md."""
        return document(
            self.command, self.summary.to_pylist(), self.checks, verdict=self.verdict, method=self.method,
            bootstrap_resamples=self.bootstrap_resamples, pairs=[json_object(pair) for pair in self.pairs],
        )  # fmt: skip

    def report(self, path: str | Path | None = None, *, title: str | None = None, ids: bool = True) -> Report:
        """Return a report of the leaderboard as one HTML page, and write it to a file.

        It has the parts of `Evaluation.report`, with the ranks and tiers of all systems, also in each slice.

        Args:
            path: the file, such as ``"report.html"``; by default, none is written.
            title: the title of the page.
            ids: whether the examples of findings name queries and items.

        Raises:
            InputError: the file has another suffix, or is not an output of duckmetrics.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.leaderboard(*tables, "ndcg@10", system="system")
            result.report(folder / "report.html").verdict  # 'pixels is the best.'
        """
        return self.evaluation.source.report(self.evaluation, path, title, ids, board=self)

    # --- sentences ---------------------------------------------------------------------------------

    @property
    def verdict(self) -> str:
        """The result in one sentence: who is the best, and where another system is better."""
        said: dict[Claim, list[str]] = {}
        for metric in self.evaluation.metrics:
            said.setdefault(claim_of(self._group(metric)), []).append(visible(metric))
        sentences = [f"{claim.text}{claim.reason}" for claim in said]
        if len(said) > 1:
            sentences = [f"by {joined(names)}, {claim.text}" for claim, names in said.items()]
        return "; ".join([*sentences, *self._exceptions()])

    def verdict_by(self, metric: str) -> str:
        """Return who is the best by a metric, in one sentence."""
        claim = claim_of(self._group(metric))
        return f"By {visible(metric)}, {claim.text}{claim.reason}"

    def _exceptions(self) -> Iterator[str]:
        """Yield the slices in which the best system is significantly worse than another."""
        for metric in self.evaluation.metrics:
            leader = self._group(metric)[0]["system"]
            groups = [group for group in self._groups() if group[0]["metric"] == metric]
            lost = [
                f"{self._place(group[0])} ({visible(group[0]['system'])} leads)" for group in groups
                for row in group if row["slice"] and row["system"] == leader and row["verdict"] == WORSE
            ]  # fmt: skip
            if lost:
                more = f" and {len(lost) - LISTED} more slices" if len(lost) > LISTED else ""
                by = f" by {visible(metric)}" if len(self.evaluation.metrics) > 1 else ""
                yield f"{visible(leader)} is worse{by} where {', '.join(lost[:LISTED])}{more}"

    def _few(self) -> tuple[Leaderboard, list[str]]:
        """Return the best 20 systems and the 20 slices with the worst leaders, and what is left out."""
        values = self.evaluation
        metric = values.metrics[0]
        gains = dict[tuple[Any, ...], float]()
        for row in self.rows:
            if row["metric"] == metric and row["value"] is not None:
                key = slice_key(values, row)
                gains[key] = max(gains.get(key, -NO_VALUE), goodness(values, row))
        rows, told = few_slices(values, self.rows, gains)
        if len(values.systems) > MOST_SLICES:
            places = Counter[tuple[Any, ...]]()
            kept = []
            for row in rows:
                group = row["metric"], slice_key(values, row)
                places[group] += 1
                kept += [row] if places[group] <= MOST_SLICES else []
            told.append(f"the {MOST_SLICES} best of {len(values.systems):,} systems; {WHOLE}")
            rows = kept
        return (replace(self, rows=tuple(rows)), told) if told else (self, [])

    def _groups(self) -> list[list[dict[str, Any]]]:
        """Return the rows of each metric and slice."""
        groups = groupby(self.rows, lambda row: (row["metric"], slice_key(self.evaluation, row)))
        return [list(rows) for _, rows in groups]

    def _group(self, metric: str) -> list[dict[str, Any]]:
        """Return the overall rows of a metric."""
        return [row for row in self.rows if row["metric"] == metric and not row["slice"]]

    def _place(self, row: dict[str, Any]) -> str:
        segment = self.evaluation.segment(row)
        return ", ".join(f"{name}={visible_key(value)}" for name, value in segment.items())

    @property
    def method(self) -> str:
        """The test of the pairs, their number, and how p is adjusted for it."""
        adjust, alpha = self.rows[0]["adjust"], self.rows[0]["alpha"]
        adjusted = "p not adjusted further" if adjust == "none" else f"p adjusted by {adjust}"
        return f"{self.comparison.tests}; {self._families()}, {adjusted}, p < {alpha:.4g}"

    def _families(self) -> str:
        """Return how many pairs were adjusted together."""
        counted = []
        for slicing in dict.fromkeys(row["slice"] for row in self.rows):
            sizes = {row["n_tests"] for row in self.rows if row["slice"] == slicing and row["tier"]}
            fewest, most = min(sizes, default=0), max(sizes, default=0)
            pairs = f"{fewest}{f' to {most}' if most > fewest else ''} pair{'' if most == 1 else 's'}"
            counted.append(f"{pairs}{f' by {slicing}' if slicing else ''}")
        each = " of each metric" if len(self.evaluation.metrics) > 1 else ""
        return f"{' and '.join(counted)}{each}"

    def footer(self, letters: str = "tier") -> list[str]:
        """Return the meaning of the columns, with the method behind them.

        Args:
            letters: the name of the letters that a tier has.
        """
        lines = []
        if any(row["better"] == "lower" for row in self.rows):
            lines.append("↓ lower is better")
        if any(row["better"] == "target" for row in self.rows):
            lines.append("→ the value closest to this number is the best")
        if any(row["tier"] for row in self.rows):
            sure = f"{100 * (1 - self.rows[0]['alpha']):g} % confidence"
            known = f"the true rank is in this range, for all systems of a table at once with {sure}"
            left = "the range that these tests leave, without a guarantee that the true rank is in it"
            lines += [
                f"{letters}: systems that share a letter do not clearly differ ({self.method})",
                f"ranks: {known if self.at_once else left}",
            ]
        if any(row["probability_best"] is not None for row in self.rows):
            lines.append(
                f"P(best): chance of being the best, the share of {self.bootstrap_resamples:,} bootstrap "
                f"resamples of the {self.units} in which the system is the best"
            )
        is_adjusted = self.rows[0]["adjust"] != "none"
        margin = margin_sentence(self.rows, THE_BEST, self.rows[0]["alpha"], is_adjusted)
        lines += [] if margin is None else [margin]
        sizes = {row["n"] for row in self.rows if row["n"]}
        counted = f"n = {sizes.pop():,}; " if len(sizes) == 1 else ""
        level = f"{100 * self.rows[0]['interval_level']:g} % intervals, not adjusted"
        return [*lines, f"{counted}{level}; to best: difference to the first system"]

    # --- tables ------------------------------------------------------------------------------------

    def lines(self, width: int | None = None, whole: bool = False) -> list[str]:
        """Return the lines for a terminal.

        Args:
            width: the columns of the screen, by default those of the terminal.
            whole: show all columns, and a line for each system, slice and metric.
        """
        columns = screen_width() if width is None else width
        if whole:
            header = [name for name in self.rows[0] if name != "signature"]
            cells = [[cell_text(row[name]) for name in header] for row in self.rows]
            return [*aligned(header, cells, (*NUMBERS, *COUNTS)), "", self.verdict, *self.footer()]
        lines = wrap(self.verdict, columns, break_long_words=False)
        few, left_out = self._few()
        groups = few._groups()
        for group, table in zip(groups, tables_of(groups, columns), strict=True):
            place = self._place(group[0])
            title = f"{visible(group[0]['metric'])} where {place}"
            lines += ["", *([title, ""] if place else []), *table]
        lines.append("")
        for text in (*left_out, *self.footer()):
            lines += wrap(text, columns, break_long_words=False, subsequent_indent="  ")
        return lines

    def shown(self, whole: bool = False, every: bool = True) -> Shown:
        """Return the table for a page, of any width; letters are superscripts of the values.

        Args:
            whole: show all columns.
            every: show all systems and slices; otherwise of many those that `lines` shows.
        """
        if not every:
            few, left_out = self._few()
            shown = few.shown(whole)
            return replace(shown, notes=[*left_out, *shown.notes])
        if whole:
            notes = [*self.footer(), *self.lines_below()]
            header = [name for name in self.rows[0] if name != "signature"]
            cells = [[cell_text(row[name]) for name in header] for row in self.rows]
            return Shown(header, cells, (*NUMBERS, *COUNTS), self.verdict, notes)
        notes = [*self.footer("superscripts"), *self.lines_below()]
        by = self.evaluation.by
        slices = (
            list(zip(*(slice_cells(self.evaluation, row) for row in self.rows), strict=True)) if by else []
        )
        keys = [
            ScreenColumn(name, list(cells), is_number=False) for name, cells in zip(by, slices, strict=True)
        ]
        if len(self.evaluation.metrics) > 1:
            keys.insert(0, ScreenColumn("metric", [heading(row) for row in self.rows], is_number=False))
        columns = [*keys, *page_columns(self.rows)]
        numeric = [column.name for column in columns if column.is_number]
        # The values are after place and system.
        best = frozenset((i, len(keys) + 2) for i, row in enumerate(self.rows) if row["place"] == 1)
        return Shown(*cells_of(columns), numeric, self.verdict, notes, best)

    def to_latex(self, whole: bool = False) -> str:
        r"""Return the table in LaTeX; it needs the package booktabs.

        Args:
            whole: show all columns.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.leaderboard(*tables, "ndcg@10", system="system")
            result.to_latex().splitlines()[1]  # '\\toprule'
        """
        return self.shown(whole).latex()

    def __repr__(self) -> str:
        return "\n".join(writable([*self.lines(), *self.lines_below()]))
