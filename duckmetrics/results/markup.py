"""Tables for a page: HTML for a browser or notebook, LaTeX for a paper, Markdown for a pull request."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from duckmetrics.expressions.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    Places = Collection[tuple[int, int]]
    Cells = Sequence[Sequence[str]]

_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "|": "$|$", "±": r"$\pm$", "↓": r"$\downarrow$", "*": "$*$", '"': "''", "−": "$-$",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}  # fmt: skip
_NEGATIVE = re.compile(r"-\d")
# The best value of a row, as `grid` marks it.
_BEST = re.compile(r"(-?\d\S*(?: ±\S+)?)\*")
# The letters that have a superscript which fonts know: not q.
LETTERS = "abcdefghijklmnoprstuvwxyz"
_RAISED = dict(
    zip(f"{LETTERS}0123456789", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True)
)  # fmt: skip
_LOWERED = {raised: plain for plain, raised in _RAISED.items()}
# A number with superscripts.
_WITH_SUPERSCRIPTS = re.compile(rf"(-?\d[\d.]*)([{''.join(_LOWERED)}]+)")


def superscript(text: str) -> str:
    """Write small letters and digits as superscripts."""
    return "".join(_RAISED[mark] for mark in text)


def letter_of(place: int) -> str:
    """Return a, b, ..., z without q, and then a2, b2, ..."""
    turn, place = divmod(place, len(LETTERS))
    return f"{LETTERS[place]}{turn + 1}" if turn else LETTERS[place]


def html(
    header: Sequence[str], cells: Cells, notes: Sequence[str], title: str = "", best: Places = ()
) -> str:
    """Write a table in HTML, with a title above and notes below.

    Args:
        best: the places of cells in bold, as row and column.
    """
    above = f"<p><b>{escape(visible(title))}</b></p>" if title else ""
    head = "".join(f"<th>{escape(visible(name))}</th>" for name in header)
    marked = _marked(cells, best, _html_cell, "<b>{}</b>", "<sup>{}</sup>".format)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in marked)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    below = "".join(f"<p>{escape(visible(note))}</p>" for note in notes)
    return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def latex(
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    notes: Sequence[str],
    numeric: Collection[str],
    best: Places = (),
) -> str:
    r"""Write a table in LaTeX, the best values bold; it needs ``\usepackage{booktabs}``.

    Args:
        notes: become comments.
        numeric: the columns that are aligned to the right.
        best: the places of cells in bold, as row and column.
    """
    places = "".join("r" if name in numeric else "l" for name in header)
    lines = [
        f"\\begin{{tabular}}{{{places}}}", "\\toprule", _latex_row(map(_latex_cell, header)), "\\midrule",
        *map(_latex_row, _marked(cells, best, _latex_cell, "\\textbf{{{}}}", "$^{{{}}}$".format)),
        "\\bottomrule", "\\end{tabular}",
        *(f"% {visible(note)}" for note in notes),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def markdown(
    header: Sequence[str], cells: Cells, notes: Sequence[str], numeric: Collection[str], best: Places = ()
) -> str:
    """Write a table in Markdown, with the notes below.

    Args:
        numeric: the columns that are aligned to the right.
        best: the places of cells in bold, as row and column.
    """
    rule = ["---:" if name in numeric else "---" for name in header]
    marked = _marked(cells, best, visible, "**{}**", superscript)
    lines = "".join(markdown_line(line) for line in (header, rule, *marked))
    return lines + "".join(f"\n{visible(note)}\n" for note in notes)


def markdown_line(cells: Iterable[str]) -> str:
    """Write a row of a table in Markdown."""
    return f"| {' | '.join(visible(cell).replace('|', chr(92) + '|') for cell in cells)} |\n"


def _marked(
    cells: Cells, best: Places, write: Callable[[str], str], bold: str, raised: Callable[[str], str]
) -> Iterator[list[str]]:
    """Yield the rows in a markup language, with bold cells and superscripts.

    Args:
        write: writes a cell without either.
        bold: the markup around a bold text.
        raised: writes a superscript.
    """
    for i, row in enumerate(cells):
        line = []
        for j, cell in enumerate(row):
            found = _WITH_SUPERSCRIPTS.fullmatch(cell.strip())
            text = write(found[1] if found else cell)
            above = raised("".join(_LOWERED[mark] for mark in found[2])) if found else ""
            line.append(f"{bold.format(text) if (i, j) in best else text}{above}")
        yield line


def _html_cell(cell: str) -> str:
    return escape(visible(cell))


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: str) -> str:
    best = _BEST.fullmatch(cell.strip())
    if best:
        return f"\\textbf{{{_latex_cell(best[1])}}}"
    if _NEGATIVE.match(cell.strip()):
        return f"$-${_latex_cell(cell.strip()[1:])}"
    return "".join(_LATEX.get(mark, mark) for mark in visible(cell.strip()))
