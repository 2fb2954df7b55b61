"""The files that a command writes, refused before anything is computed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli.arguments import pairs_of
from duckmetrics.cli.database import (
    FILES,
    KNOWN,
    SUFFIXES_OF,
    TABLE_OPTIONS,
    append_all,
    checked_tables,
    goes_to_table,
    refuse_urls,
    rows_of,
    scratch,
)
from duckmetrics.cli.places import FILES_OF_RUN, has_screen, prepare
from duckmetrics.engines import targets
from duckmetrics.engines.targets import JUNIT, SUFFIXES, refuse_folder, url_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.engines.results_database import Rows
    from duckmetrics.results.per_query import LogPlace


def checked_files(
    options: dict[str, Any], inputs: Sequence[str] = (), known: bool = True,
    suffixes: Mapping[str, str] = SUFFIXES,
) -> str:  # fmt: skip
    """Refuse files that must not be written, before anything is computed; return the format of the results.

    Args:
        inputs: tables that are not among the options.
        known: whether the columns of the results are known before.
        suffixes: the suffixes of the results with their formats.
    """
    prepare(options)
    if (place := log_place(options)) is not None:
        from duckmetrics.engines import run_log

        run_log.refuse(place)
        for option, name in TABLE_OPTIONS.items():
            target = options.get(option)
            same = target is not None and os.path.realpath(target) == os.path.realpath(place.path)
            if same and options.get(name) in (run_log.RESULTS, run_log.VALUES):
                raise click.UsageError(
                    f"{options[name]}: is a table of the log; give the results another one"
                )
    options[SUFFIXES_OF] = suffixes
    output, asked = options["output"], options["format_"]
    if output is None and asked == "parquet":
        raise click.UsageError("--format parquet needs a file; add -o results.parquet")
    checked_tables(options)
    format_ = _format_of(options)
    files = [] if output is None or goes_to_table(options, "output") else [(output, format_)]
    given = [*inputs, *_texts(value for name, value in options.items() if name not in FILES)]
    files += _files_beside(options, given)
    refuse_urls(options, given)
    options[KNOWN] = known
    files = [(path, its_format) for path, its_format in files if url_of(path) is None]
    for path, its_format in files:
        targets.refuse(path, its_format, given, known or path != output)
    paths = [os.path.realpath(path) for path, _ in files if path.is_file() or not path.exists()]
    if len(set(paths)) < len(paths):
        raise click.UsageError(f"{paths[-1]}: two results would go to one file; give each its own")
    return format_


def checked_picture(options: dict[str, Any]) -> str:
    """Refuse a picture that must not be written, before anything is computed; return its format.

    Raises:
        InputError: the suffix is not that of a picture, or the file must not be replaced.
    """
    from duckmetrics.pages.chart import format_of_picture

    output = options["output"]
    format_ = format_of_picture(output)
    targets.refuse(output, format_, _texts(value for name, value in options.items() if name not in FILES))
    return format_


def _format_of(options: Mapping[str, Any]) -> str:
    """Return the format of the results; those for a database are written as Parquet first."""
    output, asked = options["output"], options["format_"]
    if goes_to_table(options, "output"):
        return "parquet"
    return (asked or "table") if output is None else targets.format_of(output, asked, options[SUFFIXES_OF])


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield every text that may name a table: of NAME=TABLE also the text after the equals sign."""
    for value in values:
        if isinstance(value, str):
            yield value
            yield from [value.partition("=")[2]] if "=" in value else []
        elif isinstance(value, list | tuple):
            yield from _texts(value)


def _files_beside(options: dict[str, Any], inputs: Sequence[str]) -> list[tuple[Path, str]]:
    """Return the files next to the results, with their formats; no databases, and no folders."""
    per_query, movers = (
        None if goes_to_table(options, name) else options.get(name) for name in ("per_query", "movers")
    )
    is_folder = bool(options.get("partition_by"))
    if is_folder and per_query is None:
        raise click.UsageError("--partition-by: is for --per-query FOLDER")
    if is_folder and per_query and url_of(per_query) is None and options.get("engine") != "spark":
        refuse_folder(Path(per_query), inputs)
    if not is_folder and per_query is not None and Path(per_query).suffix.lower() != ".parquet":
        raise click.UsageError(
            f"--per-query {per_query}: is a Parquet file; call it {Path(per_query).stem}.parquet"
        )
    if movers is not None and movers.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"--movers {movers}: end it in one of {', '.join(SUFFIXES)}")
    files = []
    if per_query is not None and not is_folder and options.get("engine") != "spark":
        files.append((Path(per_query), "parquet"))
    if movers is not None:
        files.append((movers, targets.format_of(movers, None)))
    if options.get("junit") is not None:
        files.append((options["junit"], JUNIT))
    return files


def write_to(
    options: dict[str, Any],
    format_: str,
    write: Callable[[Path | None], None],
    engine: Engine,
    also: Mapping[str, Rows] | None = None,
) -> None:
    """Write results to stdout, to a file that appears when it is complete, or to a table of a database.

    The last argument holds other rows for databases, by the option that names these.
    """
    output = options["output"]
    rows = dict(also or {})
    if goes_to_table(options, "output"):
        draft = scratch(options) / "rows"
        write(draft)
        rows["output"] = rows_of(options, "output", draft)
    elif output is not None or has_screen(options):
        _write_file(output, format_, write, engine)
    if rows:
        append_all(options, engine, rows)


def _write_file(
    output: Path | None, format_: str, write: Callable[[Path | None], None], engine: Engine
) -> None:
    url = url_of(output)
    if output is None:
        write(None)
        return
    replacing = targets.replacing(output, format_) if url is None else engine.sent(url, format_)
    with replacing as path:
        write(path)


def write_beside(result: Any, evaluation: Any, options: dict[str, Any], engine: Engine) -> dict[str, Rows]:
    """Write the files that were asked for next to the results, and log the run.

    Returns:
        The rows that go to a database.
    """
    rows = {}
    if (place := log_place(options)) is not None:
        evaluation.source.log(evaluation, place)
    if options.get("mlflow"):
        from duckmetrics.results.mlflow_runs import write_files

        # The engine is closed before rows go to a database, and later nothing can be read.
        options[FILES_OF_RUN] = scratch(options)
        write_files(result, options[FILES_OF_RUN], report=True, per_query=bool(options["per_query"]))
    if goes_to_table(options, "per_query"):
        draft = scratch(options) / "rows"
        evaluation.write_per_query(draft)
        rows["per_query"] = rows_of(options, "per_query", draft)
    elif options["per_query"]:
        evaluation.write_per_query(options["per_query"], partition_by=options["partition_by"])
    if options["movers"]:
        from duckmetrics.cli.output import write_rows

        movers = result.movers(baseline=options["baseline"])
        if goes_to_table(options, "movers"):
            draft = scratch(options) / "rows"
            write_rows(movers, "parquet", draft, "movers")
            return rows | {"movers": rows_of(options, "movers", draft)}
        format_ = targets.format_of(options["movers"], None)
        _write_file(
            options["movers"], format_, lambda path: write_rows(movers, format_, path, "movers"), engine
        )
    return rows


def log_place(options: dict[str, Any]) -> LogPlace | None:
    """Return where the options log the run; None if they do not.

    Raises:
        UsageError: an option is for a log, and there is none.
        MetricError: the time of the run cannot be read.
    """
    from duckmetrics.results.per_query import LogPlace as Place

    path = options.get("log")
    if path is None:
        for name in ("tags", "run_time", "log_values", "replace_run"):
            if options.get(name):
                option = "tag" if name == "tags" else name.replace("_", "-")
                raise click.UsageError(f"--{option}: is for a log; add --log runs.duckdb")
        return None
    tags = pairs_of("--tag", options["tags"])
    return Place.of(
        path, options["run_id"], options["run_time"], tags, options["log_values"], options["replace_run"]
    )
