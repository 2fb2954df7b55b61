"""Arguments of the command line, read into those of the Python functions."""

from __future__ import annotations

import os
import re
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.catalog.spec_text import split_specs
from duckmetrics.cli.config import without_overridden
from duckmetrics.cli.database import refuse_targets, written_databases

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
# The options that DuckDB is opened with.
SETTINGS = ("database", "threads", "memory_limit", "temp_directory")
# The options that say what the connection runs first, and how it reads tables.
SETUP = ("init", "attach", "snapshot")


def tables_of(options: dict[str, Any]) -> tuple[Any, str | None, str | dict[str, str] | None]:
    """Return predictions, truth and systems from the arguments."""
    options = without_overridden(options)
    first, second, named = options["predictions"], options["truth"], options["truth_option"]
    systems = options["systems"]
    if second is not None and named is not None:
        raise click.UsageError("the truth is given twice; drop TRUTH or --truth")
    if not any("=" in system for system in systems):
        if len(systems) > 1:
            raise click.UsageError(_several(systems))
        if first is None and not options.get("values"):
            raise click.UsageError("Missing argument 'PREDICTIONS'.")
        return first, second or named, systems[0] if systems else None
    if second is not None or (first is not None and named is not None):
        raise click.UsageError("--system NAME=TABLE names the predictions; give only the truth with it")
    return None, first or named, pairs_of("--system", systems)


def _several(systems: Sequence[str]) -> str:
    names = ", ".join(systems)
    return f"--system {names}: name one column, or write NAME=TABLE for each system"


def compared_tables(options: dict[str, Any]) -> tuple[Any, str | None, str | dict[str, str] | None]:
    """Return systems and truth from the arguments of compare."""
    options = without_overridden(options)
    given, truth, systems = options["predictions"], options["truth_option"], options["systems"]
    if any("=" in system for system in systems):
        if len(given) > 1 or (given and truth is not None):
            raise click.UsageError("--system NAME=TABLE names the predictions; give only the truth with it")
        return None, given[0] if given else truth, pairs_of("--system", systems)
    if len(systems) > 1:
        raise click.UsageError(_several(systems))
    if not given and not options.get("values"):
        raise click.UsageError("Missing argument 'PREDICTIONS'.")
    if not given:
        return None, truth, systems[0] if systems else None
    if systems:
        if len(given) > 2 or (len(given) == 2 and truth is not None):
            raise click.UsageError(
                "--system COLUMN names the systems of one table; give only that, and --truth"
            )
        return given[0], given[1] if len(given) == 2 else truth, systems[0]
    if options["scores"]:
        if len(given) > 2 or (len(given) == 2 and truth is not None):
            raise click.UsageError(
                "--score names the systems of one table; give only that table, and --truth"
            )
        return given[0], given[1] if len(given) == 2 else truth, None
    named = [table for table in given if _is_pair(table)]
    if named:
        raise click.UsageError(f"{named[0]}: to name a system, write --system {named[0]}")
    if len(given) == 1:
        raise click.UsageError(
            f"{given[0]}: is read as one system; give a table for each, name the column that distinguishes "
            "the systems with --system COLUMN, or the columns of their scores with --score SYSTEM=COLUMN"
        )
    names = [Path(table).stem if Path(table).suffix else table for table in given]
    same = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if same is not None:
        raise click.UsageError(f"two systems have the same name, {same}; write --system NAME=TABLE for each")
    return dict(zip(names, given, strict=True)), truth, None


def _is_pair(text: str) -> bool:
    """Return whether an argument is NAME=TABLE, rather than a table whose name has an equals sign."""
    _, equals, table = text.partition("=")
    return bool(equals) and os.path.exists(table) and not os.path.exists(text)


def engine_of(options: dict[str, Any]) -> Any:
    """Return the engine that the options ask for."""
    if options.get("engine", "duckdb") == "duckdb":
        if options.get("master") is not None:
            raise click.UsageError("--master: belongs to Spark; add --engine spark")
        from duckmetrics.engines.duckdb import DuckDBEngine
        from duckmetrics.engines.settings import read_setup
        from duckmetrics.engines.snapshots import AUTO

        attached = pairs_of("--attach", options["attach"])
        setup = read_setup(options["init"], attached, written_databases(options))
        limits = {name: options[name] for name in SETTINGS[1:]}
        snapshot = options["snapshot"] or AUTO
        engine = DuckDBEngine(options["database"], **limits, snapshot=snapshot, setup=setup)
        try:
            engine.use_zone(options["time_zone"])
            refuse_targets(options, engine)
        except BaseException:
            engine.close()
            raise
        return engine
    given = [name for name in (*SETTINGS, *SETUP) if options[name]]
    if given:
        raise click.UsageError(f"--{given[0].replace('_', '-')}: belongs to DuckDB; configure Spark instead")
    from duckmetrics.engines.spark import SparkEngine

    spark = SparkEngine(master=options["master"])
    spark.use_zone(options["time_zone"])
    return spark


def answer_of(
    compute: Callable[..., Any], options: dict[str, Any], engine: Any, tables: tuple[Any, ...], **more: Any
) -> Any:
    """Call a function of the package with what the options of its command mean.

    Args:
        tables: predictions, truth and systems.
        **more: arguments that the options do not give by their names.
    """
    predictions, truth, system = tables
    given = {**read_options(compute, options), **more}
    return compute(
        predictions,
        truth,
        options["metrics"] or None,
        system=system,
        **{"engine" if "engine" in signature(compute).parameters else "connection": engine},
        **given,
        **switches_of(compute, options["switches"]),
    )


def read_options(compute: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function that options give, but tables, metrics and what the engine knows."""
    known = set(signature(compute).parameters) - _ELSEWHERE
    plain = {name: options[name] for name in known & set(options) - set(_READ)}
    given = {**plain, **{name: read(options) for name, read in _READ.items() if name in known}}
    return {name: value for name, value in given.items() if value is not None}


def one_or_pairs(option: str, texts: Sequence[str], form: str = "NAME=VALUE") -> str | dict[str, str] | None:
    """Read an option with one value, or with a value for each table."""
    if len(texts) == 1 and ("=" not in texts[0] or os.path.exists(texts[0])):
        return texts[0]
    return pairs_of(option, texts, form) or None


def switches_of(compute: Callable[..., Any], texts: Sequence[str]) -> dict[str, Any]:
    """Read --set; an argument that has an option of its own is not a switch."""
    switches = pairs_of("--set", texts)
    for name in switches:
        if name in signature(compute).parameters:
            raise click.UsageError(f"--set {name}: not a switch; see the options in --help")
    return switches


def groupings_of(by: Sequence[str], each: Sequence[str]) -> list[Any] | None:
    """Read --by and --by-each; a name in double quotes stands for itself, with any characters."""
    columns = [unquoted(column) for text in by for column in split_specs(text)]
    groupings = [[unquoted(column) for column in split_specs(text)] for text in each]
    if columns and groupings:
        return [columns, *groupings]
    return columns or groupings or None


def columns_of(texts: Sequence[str]) -> dict[str, str]:
    """Read --column: each text has one pair or several, as in ``query_id=user_id,item_id="s,k,u"``."""
    parts = [part for text in texts for part in split_specs(text)]
    for part in parts:
        if "=" not in part:
            raise click.UsageError(
                f"--column {part!r}: write --column NAME=YOURS; a name that holds a comma stands in double "
                "quotes, as in --column 'query_id=\"user,id\"'"
            )
    return {name: _QUOTED.sub(_without_quotes, yours) for name, yours in pairs_of("--column", parts).items()}


def unquoted(text: str) -> str:
    """Return a name without the double quotes around it; two in a row inside stand for one."""
    return _QUOTED.sub(_without_quotes, text) if _QUOTED.fullmatch(text) else text


def _without_quotes(match: re.Match[str]) -> str:
    return match[1].replace('""', '"')


def pairs_of(option: str, texts: Sequence[str], form: str = "NAME=VALUE") -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise click.UsageError(f"{option} {text!r}: write {option} {form}")
        if name.strip() in pairs:
            raise click.UsageError(f"{option} {name.strip()}: given twice; keep one of them")
        pairs[name.strip()] = value.strip()
    return pairs


def margin_of(given: str | Sequence[str]) -> str | dict[str, str] | None:
    """Read margins: one for all metrics, or NAME=MARGIN for each; the name may have commas in parentheses."""
    texts = [given] if isinstance(given, str) else given
    parts = [part for text in texts for part in split_specs(text)]
    pairs: dict[str, str] = {}
    for part in parts:
        metric, equals, margin = (text.strip() for text in part.rpartition("="))
        if not equals and len(parts) == 1:
            return margin
        if not (metric and margin):
            raise click.UsageError(
                f"--margin {part!r}: write one margin for all metrics, or METRIC=MARGIN for each"
            )
        if metric in pairs:
            raise click.UsageError(f"--margin {metric}: given twice; keep one of them")
        pairs[metric] = margin
    return pairs or None


def counts_of(texts: Sequence[str]) -> str | list[float] | list[list[float]]:
    """Read counts, or rows of counts; a single argument that is neither names a table."""
    try:
        rows = [row_of_counts(text) for text in texts]
    except click.UsageError:
        if len(texts) == 1:
            return texts[0]
        raise
    return rows if any("," in text for text in texts) else [row[0] for row in rows]


def row_of_counts(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise click.UsageError(
            f"{text!r}: not counts; write 3 7, rows such as 3,7 5,5, or one table"
        ) from None


# The arguments whose options need to be read; those of all other options are taken as they are.
_READ: dict[str, Callable[[dict[str, Any]], Any]] = {
    "by": lambda given: groupings_of(given.get("by", ()), given.get("by_each", ())),
    "columns": lambda given: columns_of(given["columns"]) or None,
    "layout": lambda given: one_or_pairs("--layout", given["layouts"]),
    "classes": lambda given: classes_of(given.get("classes")),
    "score": lambda given: pairs_of("--score", given.get("scores", ()), "SYSTEM=COLUMN") or None,
    "where": lambda given: pairs_of("--where", given["where"]) or None,
    "version": lambda given: one_or_pairs("--version", given["version"]),
    "as_of": lambda given: one_or_pairs("--as-of", given["as_of"]),
    "margin": lambda given: margin_of(given.get("margin") or ()),
    "like": lambda given: listed_of(given.get("like")),
    "methods": lambda given: listed_of(given.get("methods")),
    "show": lambda given: groupings_of(given.get("show", ()), ()),
    "values": lambda given: one_or_pairs("--values", given.get("values", ()), "SYSTEM=TABLE"),
    "lower_is_better": lambda given: listed_of(given.get("lower_is_better", ())),
}
# The arguments that are positions of the command line, or belong to the engine.
_ELSEWHERE = {
    "predictions", "truth", "metrics", "system", "engine", "connection", "threads", "memory_limit",
    "temp_directory", "snapshot", "time_zone", "switches", "params",
}  # fmt: skip


def classes_of(given: str | None) -> list[str] | dict[str, str] | None:
    """Read the columns of classes: names separated by commas, or pairs CLASS=COLUMN."""
    if given is None:
        return None
    parts = given.split(",")
    return pairs_of("--classes", parts, "CLASS=COLUMN") if all("=" in part for part in parts) else parts


def listed_of(given: str | Sequence[str] | None) -> str | list[str] | None:
    """Read an option with one value, or with several that are repeated or separated by commas."""
    if given is None or isinstance(given, str):
        return given
    return [part.strip() for text in given for part in text.split(",")] or None
