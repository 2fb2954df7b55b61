"""The picture of a result in README.md: a command and its output, as a terminal shows them.

python docs/pages/picture.py        # writes docs/_static/compare.svg
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

import duckmetrics

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs/_static/compare.svg"
COMMAND = (
    "duckmetrics compare data/digits/{pixels,qrels}.parquet --system system --baseline blocks -m ndcg@10,map"
)
TABLES = ("data/digits/pixels.parquet", "data/digits/qrels.parquet")
WIDTH = 106
# As in rich, but without its font, which it takes from another host.
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>The output of duckmetrics compare: a table of two metrics with intervals, p-values and verdicts</title>
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
    font-size: {char_height}px;
    line-height: {line_height}px;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def picture() -> str:
    """Return the picture as SVG; the same result gives the same text."""
    with contextlib.chdir(ROOT):
        result = duckmetrics.compare(*TABLES, ["ndcg@10", "map"], system="system", baseline="blocks")
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.assemble(("$ ", "bold green"), (COMMAND, "bold")))
    for line in str(result).splitlines():
        text = Text(line)
        text.highlight_regex(r"\bbetter(?=$)", "bold green")
        if re.match(r"metric |---", line):
            text.stylize("dim")
        console.print(text, soft_wrap=True)
    svg = console.export_svg(title="", code_format=FORMAT, unique_id="result")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


if __name__ == "__main__":
    os.environ.pop("COLUMNS", None)
    FILE.write_text(picture(), "utf-8")
