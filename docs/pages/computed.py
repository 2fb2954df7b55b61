"""The numbers on the generated pages, which numbers.json keeps for one state of the definitions.

    python docs/pages/computed.py            # computes those that changed
    python docs/pages/computed.py --all      # computes all of them

To compute all takes minutes, because each metric is evaluated under the conventions of every tool. A test
compares the file with what the definitions give.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import duckdb

import duckmetrics
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import (
    CLASSIFICATION,
    DIALECT,
    METRIC_FAMILIES,
    MULTICLASS,
    RANKING,
)
from duckmetrics.catalog.presets import presets
from duckmetrics.errors import DuckmetricsError
from duckmetrics.inputs.ranking import MEANINGS, SIDE_INPUTS
from duckmetrics.version import __version__
from pages.calls import CLICKS, arguments, calls, spec, usual
from pages.statistic_calls import statistic_calls
from pages.tables import sample_of, shop_of_tools

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).parents[1] / "numbers.json"
DIGITS = 9
CLICK_COLUMNS = {"label": "clicked", "score": "pctr", "group_id": "user_id"}
# The classes of the worked examples, each with a column.
OF_PICTURES = ["cat", "dog", "fox"]
HASHED = ("name", "macro", "params", "switches", "example")
TREE = {"predictions": "model = 'tree'"}
CANDIDATE = {"predictions": "model = 'candidate'"}
# The reason of a tool that does not have the metric at all.
_LACKING = re.compile(r"\bhas no\b")
# In a reason: examples in parentheses, and the table and column in front.
_PLACES = re.compile(r" \([^)]*=[^)]*\)|^\S+: column '\w+': ")
Numbers = dict[str, Any]


def measures() -> list[Definition]:
    """Return the metrics and tables, in the order of the pages."""
    return [*catalog().metrics.values(), *catalog().tables.values()]


def with_numbers() -> dict[str, Definition]:
    """Return what has numbers on its page, by the name of these: ``family/name``."""
    known = [*measures(), *catalog().statistics.values()]
    return {f"{definition.family}/{definition.name}": definition for definition in known}


def codes(definition: Definition) -> dict[str, str]:
    """Return the calls on a page: door -> code."""
    return calls(definition) if definition.family in METRIC_FAMILIES else statistic_calls(definition)


def key(definition: Definition) -> str:
    """Return a hash of all that the numbers of a page depend on: queries, parameters, presets, calls."""
    hashed = hashlib.sha256(__version__.encode())
    for file in sorted({definition, *catalog().foundations(definition)}, key=lambda file: file.path):
        hashed.update(file.query.sql(DIALECT, comments=False).encode())
        hashed.update("".join(file.header.get(name, "") for name in HASHED).encode())
    for tool in presets().values():
        family = tool.families.get(definition.family)
        entry = family.metrics.get(definition.name) if family else None
        refused = family.refused.get(definition.name) if family else None
        hashed.update(repr((tool.name, tool.version, entry, refused)).encode())
    hashed.update(repr((codes(definition), arguments(definition, sample=True))).encode())
    return hashed.hexdigest()[:16]


def kept() -> dict[str, Numbers]:
    """Return the numbers in the file: ``family/name`` -> numbers."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def compute(definition: Definition) -> Numbers:
    """Compute the numbers of one page."""
    numbers: Numbers = {"key": key(definition), "printed": _printed(codes(definition))}
    if definition.family in METRIC_FAMILIES and not definition.is_table:
        numbers["sample"] = _on_sample(definition, {})
        params = definition.own_params.values()
        pairs = [(param.name, str(choice)) for param in params for choice in param.choices]
        numbers["choices"] = {f"{n}={choice}": _on_sample(definition, {n: choice}) for n, choice in pairs}
        numbers["no_interval"] = _no_interval(definition)
        numbers["tools"] = _tools(definition)
    return numbers


def _no_interval(definition: Definition) -> str:
    """Return why the value has no analytic interval; empty if it has one."""
    asked = f"{definition.family}.{usual(definition)}"
    if definition.family == CLASSIFICATION:
        result = duckmetrics.evaluate(
            CLICKS, metrics=[asked], columns=CLICK_COLUMNS, interval=0.95, cluster="user_id"
        )
    else:
        data = sample_of(definition, usual(definition))
        result = duckmetrics.evaluate(data.predictions, data.truth, [asked], interval=0.95, **data.given())
    if any(row["lower"] is not None for row in result.rows):  # a run next to itself has no spread
        return ""
    return str(result.rows[0]["reason"]).removeprefix("no interval: ")


def _printed(codes: dict[str, str]) -> str:
    """Run the Python of a page, or the command of a table, and return what it prints."""
    if next(iter(codes)) == "Python":
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(codes["Python"], {})
        return out.getvalue()
    from support.pages import Block, run_bash  # the same way as the tests run it

    printed: str
    printed, problem = run_bash(Block("", 0, "bash", codes["Command line"], "", 0))
    if problem:
        raise RuntimeError(problem)
    return printed


def sample(family: str) -> duckdb.DuckDBPyConnection:
    """Return a new database with the rows of the worked examples."""
    connection = duckdb.connect()
    connection.execute((ROOT / f"tests/data/{family}/sample.sql").read_text("utf-8"))
    return connection


def _on_sample(definition: Definition, changed: dict[str, str]) -> float | None:
    """Return the value of the example with some parameters changed; None if there is none."""
    given = {**arguments(definition, sample=True), **changed}
    connection = sample(definition.family)
    truth = "truth" if definition.family == RANKING else None
    others: dict[str, Any] = {name: name for name in MEANINGS if definition.inputs.keys() & SIDE_INPUTS}
    if definition.family == MULTICLASS:
        others["classes"] = OF_PICTURES
    asked = f"{definition.family}.{spec(definition, given)}"
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            result = duckmetrics.evaluate("predictions", truth, [asked], connection=connection, **others)
    except DuckmetricsError:
        return None
    value = result.rows[0]["value"]
    return value if value is None else round(value, DIGITS)


def _tools(definition: Definition) -> list[dict[str, Any]]:
    """Return the value of the shop's model under the conventions of every tool that has the metric."""
    if not any(definition.family in tool.families for tool in presets().values()):
        return []
    if definition.family == RANKING:
        data = shop_of_tools(definition, usual(definition))
        where = {**data.where, **CANDIDATE}
        found = duckmetrics.conventions(
            data.predictions, data.truth, [usual(definition)], where=where, columns=data.columns,
            **data.others,
        )  # fmt: skip
    elif definition.family == MULTICLASS:
        data = sample_of(definition, usual(definition))
        found = duckmetrics.conventions(
            data.predictions, metrics=[usual(definition)], where=TREE, columns=data.columns,
            classes=data.classes,
        )  # fmt: skip
    else:
        asked = f"{definition.family}.{usual(definition)}"
        found = duckmetrics.conventions(CLICKS, metrics=[asked], columns=CLICK_COLUMNS)
    return [
        {
            "like": row.like,
            "name": row.name,
            "value": None if row.value is None else round(row.value, DIGITS),
            "effects": {f"{n}={row.settings[n]}": round(effect, DIGITS) for n, effect in row.effects.items()},
            "reason": _short(row.reason),
        }
        for row in found.rows
        if row.value is not None or not _LACKING.search(row.reason or "")
    ]


def _short(reason: str | None) -> str | None:
    """Return a reason without the place of the data and the ids of examples."""
    return None if reason is None else _PLACES.sub("", reason)


def up_to_date(everything: bool = False) -> dict[str, Numbers]:
    """Return the numbers of all pages, computing those whose definitions changed.

    Args:
        everything: compute all of them.
    """
    known = {} if everything else kept()
    found = {}
    for name, definition in with_numbers().items():
        if known.get(name, {}).get("key") == key(definition):
            found[name] = known[name]
            continue
        print(f"computing the numbers of {name}", file=sys.stderr)
        with contextlib.chdir(ROOT):
            found[name] = compute(definition)
    return found


def write(numbers: dict[str, Numbers]) -> None:
    text = json.dumps(numbers, indent=1, sort_keys=True, ensure_ascii=False)
    FILE.write_text(text + "\n", "utf-8", newline="\n")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    write(up_to_date(everything="--all" in sys.argv))
