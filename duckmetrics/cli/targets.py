"""Results that only a connection reaches: objects of a store, and tables of an attached database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.engines import outputs
from duckmetrics.engines.overlaps import refuse_url, url_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckmetrics.engines.engine import Engine

# The options that name files to write; all others may name files to read.
WRITTEN = ("output", "per_query", "movers")
# The key, next to the options, that says whether the columns of the results are known before.
KNOWN = "are_columns_known"


def attached_name(options: Mapping[str, Any], target: str | Path | None) -> str | None:
    """Return the name of the attached database that a target such as wh.results is a table of."""
    text = "" if target is None else str(target)
    first, dot, _ = text.partition(".")
    names = [pair.partition("=")[0] for pair in options.get("attach") or ()]
    return first if dot and "/" not in text and first in names else None


def written_databases(options: Mapping[str, Any]) -> set[str]:
    """Return the names of the attached databases that results go to."""
    names = (attached_name(options, options.get(option)) for option in WRITTEN)
    return {name for name in names if name is not None}


def refuse_urls(options: Mapping[str, Any], inputs: Iterable[str]) -> None:
    """Refuse objects that are inputs, before anything is computed."""
    given = list(inputs)
    for url, _ in _urls(options):
        refuse_url(url, given)


def refuse_targets(options: Mapping[str, Any], engine: Engine) -> None:
    """Refuse objects that must not be replaced, and tables that cannot take results.

    Raises:
        InputError: names one.
    """
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.engines.results_database import refuse_on

    reached = engine.results()
    if not isinstance(reached, DuckDBEngine):
        return
    for url, format_ in _urls(options):
        if not options.get("partition_by"):
            reached.store.refuse(
                url, format_, known=options.get(KNOWN, False) or url != url_of(options["output"])
            )
    tables = [str(options[name]) for name in WRITTEN if attached_name(options, options.get(name))]
    if len(set(tables)) < len(tables):
        raise click.UsageError(f"two results would go to the table {tables[0]}; give each its own")
    refuse_on(reached.connection, tables)


def connection_of(engine: Engine) -> Any:
    """Return the connection that has the attached databases."""
    return getattr(engine.results(), "connection", None)


def _urls(options: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield each URL to write to with its format."""
    for option in WRITTEN:
        url = url_of(options.get(option))
        if url is not None:
            asked = options.get("format_") if option == "output" else None
            yield url, "parquet" if option == "per_query" else outputs.format_of(Path(url), asked)
