"""The picture of a result in README.md: a command and its output, as a terminal shows them.

python docs/pages/picture.py        # writes docs/_static/compare.svg
"""

from __future__ import annotations

import io
import os
from pathlib import Path

from rich.console import Console
from rich.text import Text

import duckmetrics
from duckmetrics.words.verdicts import BETTER, SIGNS, WORSE

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs/_static/compare.svg"
COMMAND = (
    "$ duckmetrics compare recommendations.parquet purchases.parquet --system model \\",
    "      --baseline baseline -m ndcg@10,map@10,hit_rate@5 --by country \\",
    "      --column query_id=user_id --queries users.parquet",
)
SHOP = ROOT / "data/shop"
WIDTH = 80
# The colors of verdicts, as on a terminal: next to a sign and a word.
COLORS = {BETTER: "bright_blue", WORSE: "dark_orange"}
# As in rich, but without its font, which it takes from another host.
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>The output of duckmetrics compare: a verdict, and metrics and countries with intervals as lines</title>
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
    result = duckmetrics.compare(
        SHOP / "recommendations.parquet", SHOP / "purchases.parquet", ["ndcg@10", "map@10", "hit_rate@5"],
        system="model", baseline="baseline", columns={"query_id": "user_id"}, by="country",
        queries=SHOP / "users.parquet",
    )  # fmt: skip
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for line in COMMAND:
        console.print(Text(line, style="green"))
    for line in result.lines(WIDTH):
        text = Text(line, style="bold" if line == result.verdict else "")
        for verdict, color in COLORS.items():
            sign = SIGNS[verdict]
            text.highlight_regex(rf"[├←]?[─┼]*{sign}[─┼]*[┤→]?|{sign} {verdict}$", color)
        if set(line) == {"─"}:
            text.stylize("dim")
        console.print(text, soft_wrap=True)
    svg = console.export_svg(title="", code_format=FORMAT, unique_id="result")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


if __name__ == "__main__":
    os.environ.pop("COLUMNS", None)
    FILE.write_text(picture(), "utf-8")
