"""Write all generated pages below docs/.

A page that does not change keeps its time, so that Sphinx skips it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.api.catalogue import checks
from duckmetrics.catalog.definition import METRIC_FAMILIES
from duckmetrics.catalog.presets import presets
from pages import check, commands, functions, index, macros, metric, statistic, tool_values
from pages.computed import kept, key, with_numbers
from pages.markdown import raw_html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class StaleNumbersError(Exception):
    """The numbers in numbers.json are those of another state of the definitions."""


def generated() -> Iterator[tuple[str, str]]:
    """Yield path and text of every generated page.

    Raises:
        StaleNumbersError: a definition has changed since its numbers were computed.
    """
    numbers = kept()
    for name, definition in with_numbers().items():
        known = numbers.get(name, {})
        if known.get("key") != key(definition):
            raise StaleNumbersError(f"{definition.name} has changed; run python docs/pages/computed.py")
        kind = metric if definition.family in METRIC_FAMILIES else statistic
        yield f"{kind.path(definition)}.md", kind.page(definition, known)
    for each in checks():
        yield f"{check.path(each)}.md", check.page(each)
    for name in presets():
        yield f"presets/{name}.md", index.tool(name)
    yield "metrics/index.md", index.metrics()
    yield "statistics/index.md", index.statistics()
    yield "checks/index.md", index.all_checks()
    yield "presets/index.md", index.tools()
    yield "home-bars.md", "\n".join(raw_html(tool_values.bars(numbers["ranking/ndcg"]["tools"])))
    yield "reference/python.md", functions.page()
    yield "reference/cli.md", commands.page()
    yield "reference/all-macros.md", macros.page()


def write(folder: Path) -> None:
    """Write the generated pages below a folder, and remove those whose definition is gone."""
    wanted = dict(generated())
    for kind in ("metrics", "statistics", "checks", "presets"):
        for path in (folder / kind).rglob("*.md"):
            if str(path.relative_to(folder)) not in wanted:
                path.unlink()
    for name, text in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
