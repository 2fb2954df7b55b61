"""A comparison of every pair of systems: each value with the letters of the systems that it beats."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.pages.changes import pairs_of
from duckmetrics.pages.screens import wrapped
from duckmetrics.results.comparison import WIDE, Comparison
from duckmetrics.results.grid import (
    BEST,
    ColumnBlock,
    best_of_slices,
    footer_of,
    named,
    slice_cells,
    slice_key,
    split,
)
from duckmetrics.results.tabular import Shown, letter_of, screen_width, superscript, widened
from duckmetrics.words.verdict import sentence_of_pairs, verdict_of_pair
from duckmetrics.words.verdicts import BETTER, WORSE, margin_sentence
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.results.grid import ShownEvaluation


PAIR = ("system", "against")
# The system that the margins of pairs are shares of.
EACH_OTHER = "the system that it is against"
BEST_VALUE, BEST_IN_BOLD = f"{BEST} best value", "bold: best value"


class PairCell(NamedTuple):
    """A value, the letters of the systems that are significantly worse, and whether it is the best."""

    value: str
    letters: str
    is_best: bool


@dataclass(frozen=True, repr=False)
class PairwiseComparison(Comparison):
    """A comparison of every pair of systems, see `Comparison`.

    `rows`, `row` and `failures` are about the baseline, as in any comparison. `pairs`, tables and files
    have every pair. p-values are adjusted for the number of all pairs.
    """

    @classmethod
    def of(cls, result: Comparison, pairs: Iterable[dict[str, Any]]) -> PairwiseComparison:
        """Return a comparison with a baseline together with the comparisons of all pairs."""
        known = {one.name: getattr(result, one.name) for one in fields(result)}
        return cls(**{**known, "pairs": tuple(pairs)})

    @property
    def summary(self) -> pa.Table:
        """One row per pair of systems, slice and metric."""
        return self._table(self.pairs)

    def wide(self) -> pa.Table:
        """Return one row per pair and slice: value, difference, adjusted p and verdict of each metric."""
        return widened(self.pairs, self.summary.schema, (*PAIR, "slice", *self.evaluation.by), WIDE)

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the columns and cells of the pairs for a reader."""
        return self._cells(self.pairs, PAIR)

    @property
    def letters(self) -> dict[str, str]:
        """The letter of each system in the table."""
        systems = dict.fromkeys(row["system"] for row in self.rows)
        return {system: letter_of(place) for place, system in enumerate(systems)}

    @property
    def verdict(self) -> str:
        """The best systems by the first metric in one sentence."""
        metric = self.evaluation.metrics[0]
        return sentence_of_pairs(metric, list(map(str, self.letters)), pairs_of(metric, self.pairs))

    @property
    def method_line(self) -> str:
        """The meaning of the letters, and the method behind them, in one line."""
        return (
            f"a superscript names a system that is significantly worse: {self.method}; "
            f"p_adjusted < {self.alpha:.4g}"
        )

    def lines(self, width: int | None = None, whole: bool = False) -> list[str]:
        """Return the lines of the table, and the meaning of its marks.

        Args:
            width: the columns of the screen, by default those of the terminal.
            whole: show a line for every pair with all columns, whatever the width.
        """
        if whole:
            return self._whole([]).text(width=0).splitlines()
        columns = screen_width() if width is None else width
        lines = [*wrapped(self.verdict, columns), ""]
        few, left_out = self.evaluation._few()
        lines += [line for block in split(self._block(few), columns) for line in (*block.lines(columns), "")]
        for text in (*left_out, *self._below(BEST_VALUE)):
            lines += wrapped(text, columns)
        return lines

    def shown(self, whole: bool = False, every: bool = True) -> Shown:
        """Return the table for a page, of any width.

        Args:
            whole: show a line for every pair with all columns.
            every: show all slices; otherwise of many the worst, as `lines` does.
        """
        if whole:
            return replace(self._whole(self.lines_below()), title=self.verdict)
        few, left_out = (self.evaluation, []) if every else self.evaluation._few()
        keys, cells = self._grid(few)
        marked = [
            [*own, *(cell.value + superscript(cell.letters) for cell in line)]
            for own, line in zip(keys, cells, strict=True)
        ]
        first = len(keys[0])
        best = {(i, first + j) for i, line in enumerate(cells) for j, cell in enumerate(line) if cell.is_best}
        notes = [*left_out, *self._below(BEST_IN_BOLD), *self.lines_below()]
        return Shown(self._header(), marked, self._header()[first:], self.verdict, notes, frozenset(best))

    def _whole(self, notes: Sequence[str]) -> Shown:
        """Return a line for every pair."""
        notes = [f"every pair: {self.rule}", *notes]
        header, cells = self.cells()
        words = ("metric", *self.evaluation.by, *PAIR, "verdict")
        return Shown(header, cells, [name for name in header if name not in words], notes=notes)

    def _below(self, best: str) -> list[str]:
        margin = self._margin()
        told = [self.method_line, *([] if margin is None else [margin])]
        return [*told, *footer_of(self.evaluation, best, has_halves=False)]

    def _margin(self) -> str | None:
        return margin_sentence(self.pairs, EACH_OTHER, self.alpha, self.adjust != "none")

    def _header(self) -> list[str]:
        values = self.evaluation
        return [*values.by, "", "system", *(named(values, metric) for metric in values.metrics)]

    def _grid(self, few: ShownEvaluation) -> tuple[list[list[str]], list[list[PairCell]]]:
        """Return the keys of the rows, slice, letter and system, and the cells with a column per metric.

        Args:
            few: the values of the slices that are shown.
        """
        values, letters, beaten = self.evaluation, self.letters, self._beaten()
        rows = {_key(values, row): row for row in values.rows}
        winners = {id(row) for row in best_of_slices(values)}
        keys, cells = [], []
        for of_slice in dict.fromkeys(slice_key(values, row) for row in few.rows):
            for system, letter in letters.items():
                places = [(metric, system, *of_slice) for metric in values.metrics]
                own = [rows[place] for place in places if place in rows]
                if len(own) < len(places):
                    continue  # the system has no row in this slice
                keys.append([*slice_cells(values, own[0]), letter, visible(system)])
                cells.append([
                    PairCell(_value(row), beaten.get(place, ""), id(row) in winners)
                    for place, row in zip(places, own, strict=True)
                ])  # fmt: skip
        return keys, cells

    def _beaten(self) -> dict[tuple[Any, ...], str]:
        """Return the letters of the systems that are significantly worse, by metric, system and slice."""
        found: dict[tuple[Any, ...], str] = {}
        for loser, letter in self.letters.items():
            for row in self.pairs:
                winner = {BETTER: row["system"], WORSE: row["against"]}.get(verdict_of_pair(row), loser)
                if loser in (row["system"], row["against"]) and winner != loser:
                    key = _key(self.evaluation, {**row, "system": winner})
                    found[key] = found.get(key, "") + letter
        return found

    def _block(self, few: ShownEvaluation) -> ColumnBlock:
        """Return the table as text, with the digits of a column below each other."""
        keys, cells = self._grid(few)
        columns = []
        for column in zip(*cells, strict=True):
            marks = [superscript(cell.letters) + BEST * cell.is_best for cell in column]
            ends, digits = max(map(len, marks)), max(len(cell.value) for cell in column)
            columns.append([
                f"{cell.value:>{digits}}{mark:<{ends}}" for cell, mark in zip(column, marks, strict=True)
            ])  # fmt: skip
        lines = [[*own, *line] for own, line in zip(keys, zip(*columns, strict=True), strict=True)]
        return ColumnBlock(self._header(), lines, len(keys[0]))


def _key(values: ShownEvaluation, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["metric"], row["system"], *slice_key(values, row))


def _value(row: Mapping[str, Any]) -> str:
    return "NULL" if row["value"] is None else f"{row['value']:.4f}"
