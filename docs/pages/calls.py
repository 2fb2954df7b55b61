"""The calls of a metric at every door, on the sample data, as a reader would write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import RANKING

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

DEPTH = "10"
POINTS = {"points": "5", "bins": "5"}
CLICKS = "data/shop/impressions.parquet"
IMAGES = ("data/digits/pixels.parquet", "data/digits/qrels.parquet")


def arguments(definition: Definition, sample: bool = False) -> dict[str, str]:
    """Return the parameters of a typical call, as text.

    Args:
        definition: a metric or table.
        sample: whether the call is that of the example in the header, on its few rows.
    """
    example = re.match(r"\w+\((.*)\) = ", definition.header.get("example", ""))
    pairs = re.findall(r"(\w+) := '?([\w.]+)'?", example[1]) if example else []
    found = dict(pairs)
    if not sample and definition.family == RANKING and "k" in definition.own_params:
        found["k"] = DEPTH
    if definition.is_table:
        found |= {name: POINTS[name] for name in definition.own_params if name in POINTS}
    return found


def spec(definition: Definition, given: dict[str, str]) -> str:
    """Return a spec: ``f_beta(beta=2)@10``."""
    depth = f"@{given['k']}" if "k" in given else ""
    others = ", ".join(f"{name}={value}" for name, value in given.items() if name != "k")
    return f"{definition.name}({others}){depth}" if others else f"{definition.name}{depth}"


def usual(definition: Definition) -> str:
    return spec(definition, arguments(definition))


def macro(definition: Definition) -> str:
    """Return the name of the macro in the DuckDB shell."""
    return definition.macros.get(definition.name, definition.name)


def calls(definition: Definition) -> dict[str, str]:
    """Return the code at every door: door -> code."""
    if definition.is_table:
        return _table(definition)
    return _ranking(definition) if definition.family == RANKING else _rows(definition)


def _named(given: dict[str, str]) -> str:
    """Write arguments of a macro."""
    return "".join(
        f", {name} := {value if re.fullmatch(r'-?[0-9.]+', value) else repr(value)}"
        for name, value in given.items()
    )


def _ranking(definition: Definition) -> dict[str, str]:
    asked = usual(definition)
    python = (
        f'import duckmetrics\n\nev = duckmetrics.evaluate(\n    "{IMAGES[0]}",\n    "{IMAGES[1]}",\n'
        f'    ["{asked}"],\n    system="system",\n)\nprint(ev)\n'
    )
    command = f"duckmetrics evaluate {' '.join(IMAGES)} \\\n    --system system -m {_shell(asked)}\n"
    sql = (
        f"SELECT system, metric, round(value, 4) AS value, n\nFROM {macro(definition)}('{IMAGES[0]}', '{IMAGES[1]}'"
        f"{_named(arguments(definition))}, system := 'system');\n"
    )
    return {"Python": python, "Command line": command, "DuckDB shell": sql}


def _rows(definition: Definition) -> dict[str, str]:
    asked = usual(definition)
    grouped = "group_id" in definition.header.get("inputs", "")
    columns = {"label": "clicked", "score": "pctr", **({"group_id": "user_id"} if grouped else {})}
    mapped = "{" + ", ".join(f'"{ours}": "{theirs}"' for ours, theirs in columns.items()) + "}"
    python = (
        f'import duckmetrics\n\nev = duckmetrics.evaluate(\n    "{CLICKS}",\n    metrics=["{asked}"],\n'
        f"    columns={mapped},\n)\nprint(ev)\n"
    )
    options = ",".join(f"{ours}={theirs}" for ours, theirs in columns.items())
    command = f"duckmetrics evaluate {CLICKS} -m {_shell(asked)} \\\n    --column {options}\n"
    read = [
        "label",
        *(["score"] if "score" in definition.header["inputs"] else []),
        *(["group_id"] if grouped else []),
    ]
    sql = (
        f"SELECT metric, round(value, 4) AS value, n\n"
        f"FROM {macro(definition)}('{CLICKS}', {', '.join(columns[name] for name in read)}"
        f"{_named(arguments(definition))});\n"
    )
    return {"Python": python, "Command line": command, "DuckDB shell": sql}


def _table(definition: Definition) -> dict[str, str]:
    given = arguments(definition)
    grouped = "group_id" in definition.header.get("inputs", "")
    columns = {"label": "clicked", "score": "pctr", **({"group_id": "user_id"} if grouped else {})}
    mapped = "{" + ", ".join(f'"{ours}": "{theirs}"' for ours, theirs in columns.items()) + "}"
    python = (
        f'import duckmetrics\n\ntable = duckmetrics.curve(\n    "{CLICKS}",\n    "{usual(definition)}",\n'
        f"    columns={mapped},\n)\nprint(table.num_rows, table.column_names)\n"
    )
    options = ",".join(f"{ours}={theirs}" for ours, theirs in columns.items())
    sets = "".join(f" --set {name}={value}" for name, value in given.items())
    limit = " | head -12" if grouped else ""
    command = f"duckmetrics curve {definition.name} {CLICKS} \\\n    --column {options}{sets}{limit}\n"
    shown = " LIMIT 5" if grouped else ""
    sql = f"FROM {macro(definition)}('{CLICKS}', {', '.join(columns.values())}{_named(given)}){shown};\n"
    return {"Command line": command, "Python": python, "DuckDB shell": sql}


def _shell(asked: str) -> str:
    """Quote a spec for bash if it has parentheses."""
    return f"'{asked}'" if "(" in asked else asked
