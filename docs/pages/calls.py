"""The calls of a metric at every door, on the sample data, as a reader would write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, MULTICLASS, RANKING
from duckmetrics.shell.macro import reference
from pages.macros import titles
from pages.tables import Sample, sample_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duckmetrics.catalog.definition import Definition

DEPTH = "10"
POINTS = {"points": "5", "bins": "5"}
# Values of the shop; those of the examples are of other items.
OF_SHOP = {"category": "garden"}
CLICKS = "data/shop/impressions.parquet"


def arguments(definition: Definition, sample: bool = False) -> dict[str, str]:
    """Return the parameters of a typical call, as text.

    Args:
        definition: a metric or table.
        sample: whether the call is that of the example in the header, on its few rows.
    """
    example = re.match(r"\w+\((.*)\) = ", definition.header.get("example", ""))
    pairs = re.findall(r"(\w+) := '?([\w.]+)'?", example[1]) if example else []
    params = catalog().params(definition)
    found = {name: value for name, value in pairs if sample or params[name].required}
    if not sample:
        found |= {name: value for name, value in OF_SHOP.items() if name in found}
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


def has_macro(definition: Definition) -> bool:
    """Return whether the macro of this name computes the metric, and not one of another family."""
    return definition.title in titles(macro(definition))


def calls(definition: Definition) -> dict[str, str]:
    """Return the code at every door: door -> code."""
    if definition.is_table:
        return _table(definition)
    return _rows(definition) if definition.family == CLASSIFICATION else _of_systems(definition)


def sql_call(definition: Definition) -> str:
    """Return the command that prints the whole query, which reads tables with the names of the inputs."""
    *names, last = (name for name in definition.inputs if name != "population")
    read = f"{', '.join(names)} and {last}" if names else last
    if definition.family == MULTICLASS:
        read += ", with a row for each class as in sql/relations/multiclass/classified.sql"
    return f"# prints one query that reads {read}\nduckmetrics sql {_shell(qualified(definition))}\n"


def qualified(definition: Definition) -> str:
    """Return the spec, with its family if the name alone may mean another metric."""
    families = {family for family, name in catalog().metrics if name == definition.name}
    others = families - {definition.family}
    if definition.family != MULTICLASS:  # a name alone never means one of several classes
        others -= {MULTICLASS}
    return f"{definition.family}.{usual(definition)}" if others else usual(definition)


def _named(given: dict[str, str]) -> str:
    """Write arguments of a macro."""
    return "".join(
        f", {reference(name).sql(DIALECT)} := {value if re.fullmatch(r'-?[0-9.]+', value) else repr(value)}"
        for name, value in given.items()
    )


def _of_systems(definition: Definition) -> dict[str, str]:
    """Return the calls on tables with several systems: rankings, or several classes."""
    asked = usual(definition)
    sample = sample_of(definition, asked)
    tables = [table for table in (sample.predictions, sample.truth) if table is not None]
    metrics = f'["{asked}"]' if len(tables) > 1 else f'metrics=["{asked}"]'
    named = (f"{name}={_python_value(value)}" for name, value in sample.given().items())
    python = _python("ev = duckmetrics.evaluate", [*(f'"{t}"' for t in tables), metrics, *named], "ev")
    further = "".join(f" \\\n    {option}" for option in _further(sample))
    command = (
        f"duckmetrics evaluate {' '.join(tables)}{further} \\\n"
        f"    --system {sample.system} -m {_shell(asked)}\n"
    )
    return {"Python": python, "Command line": command, **_shell_call(definition, sample)}


def _further(sample: Sample) -> Iterator[str]:
    """Yield the options of a command for the tables next to predictions and truth, and for columns."""
    if sample.others:
        yield " ".join(f"--{name} {table}" for name, table in sample.others.items())
    for name, condition in sample.where.items():
        yield f'--where "{name}={condition}"'
    if sample.columns:
        yield f"--column {_options(sample.columns)}"
    if sample.classes:
        yield f"--classes '{sample.classes}'"


def _shell_call(definition: Definition, sample: Sample) -> dict[str, str]:
    """Return the call of the macro; nothing if the metric has no macro, or reads more than two tables."""
    if sample.others or not has_macro(definition):
        return {}
    sql = (
        "SELECT system, metric, round(value, 4) AS value, n\n"
        f"FROM {macro(definition)}('{sample.predictions}', '{sample.truth}'{_named(arguments(definition))}, "
        f"system := '{sample.system}');\n"
    )
    return {"DuckDB shell": sql}


def _rows(definition: Definition) -> dict[str, str]:
    asked, columns = usual(definition), _columns(definition)
    given = [f'"{CLICKS}"', f'metrics=["{asked}"]', f"columns={_mapped(columns)}"]
    command = f"duckmetrics evaluate {CLICKS} -m {_shell(asked)} \\\n    --column {_options(columns)}\n"
    read = ", ".join(columns.values())
    sql = (
        "SELECT metric, round(value, 4) AS value, n\n"
        f"FROM {macro(definition)}('{CLICKS}', {read}{_named(arguments(definition))});\n"
    )
    python = _python("ev = duckmetrics.evaluate", given, "ev")
    return {"Python": python, "Command line": command, "DuckDB shell": sql}


def _table(definition: Definition) -> dict[str, str]:
    set_to = arguments(definition)
    is_of_wines = definition.family == MULTICLASS
    clicks = Sample(CLICKS, None, "", columns=_columns(definition))
    sample = sample_of(definition, usual(definition)) if is_of_wines else clicks
    named = (f"{name}={_python_value(value)}" for name, value in sample.given().items())
    given = [f'"{sample.predictions}"', f'"{usual(definition)}"', *named]
    python = _python("table = duckmetrics.curve", given, "table.num_rows, table.column_names")
    options = [*_further(sample), *(f"--set {name}={value}" for name, value in set_to.items())]
    options += [f"--system {sample.system}"] if sample.system else []
    head, limit = (" | head -12", " LIMIT 5") if "group_id" in sample.columns else ("", "")
    command = f"duckmetrics curve {definition.name} {sample.predictions} \\\n    {' '.join(options)}{head}\n"
    found = {"Command line": command, "Python": python}
    if not has_macro(definition):
        return found
    read = ", ".join(sample.columns.values())
    sql = f"FROM {macro(definition)}('{CLICKS}', {read}{_named(set_to)}){limit};\n"
    return {**found, "DuckDB shell": sql}


def _python(assignment: str, given: list[str], shown: str) -> str:
    """Write a call in Python, with one argument per line, that prints a part of the result."""
    lines = "".join(f"    {argument},\n" for argument in given)
    return f"import duckmetrics\n\n{assignment}(\n{lines})\nprint({shown})\n"


def _columns(definition: Definition) -> dict[str, str]:
    """Return the columns of the clicks that a metric of rows reads: our name -> name in the file."""
    columns = {"label": "clicked", "score": "pctr"}
    if "group_id" in definition.header.get("inputs", ""):
        columns["group_id"] = "user_id"
    return columns


def _python_value(value: str | Mapping[str, str]) -> str:
    return f'"{value}"' if isinstance(value, str) else _mapped(value)


def _mapped(columns: Mapping[str, str]) -> str:
    """Write columns as a dictionary in Python."""
    return "{" + ", ".join(f'"{ours}": "{theirs}"' for ours, theirs in columns.items()) + "}"


def _options(columns: Mapping[str, str]) -> str:
    """Write columns as the value of the option ``--column``."""
    return ",".join(f"{ours}={theirs}" for ours, theirs in columns.items())


def _shell(asked: str) -> str:
    """Quote a spec for bash if it has parentheses."""
    return f"'{asked}'" if "(" in asked else asked
