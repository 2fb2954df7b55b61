"""Tables for a page: HTML for a browser or notebook, LaTeX for a paper."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from duckmetrics.expressions.visible import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "|": "$|$", "±": r"$\pm$", "↓": r"$\downarrow$", "*": "$*$", '"': "''", "−": "$-$",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}  # fmt: skip
_NEGATIVE = re.compile(r"-\d")
# The best value of a row, as `grid` marks it.
_BEST = re.compile(r"(-?\d\S*(?: ±\S+)?)\*")


def html(header: Sequence[str], cells: Sequence[Sequence[str]], notes: Sequence[str], title: str = "") -> str:
    """Write a table in HTML, with a title above and notes below."""
    above = f"<p><b>{escape(visible(title))}</b></p>" if title else ""
    head = "".join(f"<th>{escape(visible(name))}</th>" for name in header)
    lines = ("".join(f"<td>{escape(visible(cell))}</td>" for cell in row) for row in cells)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    below = "".join(f"<p>{escape(visible(note))}</p>" for note in notes)
    return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def latex(
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    notes: Sequence[str],
    numeric: Collection[str],
) -> str:
    r"""Write a table in LaTeX, the best values bold; it needs ``\usepackage{booktabs}``.

    Args:
        notes: become comments.
        numeric: the columns that are aligned to the right.
    """
    places = "".join("r" if name in numeric else "l" for name in header)
    lines = [
        f"\\begin{{tabular}}{{{places}}}", "\\toprule", _latex_row(header), "\\midrule",
        *map(_latex_row, cells), "\\bottomrule", "\\end{tabular}",
        *(f"% {visible(note)}" for note in notes),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex_cell, cells)) + r" \\"


def _latex_cell(cell: str) -> str:
    best = _BEST.fullmatch(cell.strip())
    if best:
        return f"\\textbf{{{_latex_cell(best[1])}}}"
    if _NEGATIVE.match(cell.strip()):
        return f"$-${_latex_cell(cell.strip()[1:])}"
    return "".join(_LATEX.get(mark, mark) for mark in visible(cell.strip()))
