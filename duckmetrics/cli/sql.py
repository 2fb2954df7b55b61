"""``duckmetrics sql``, ``macros``, ``shell`` and ``try``: the SQL of metrics, in a shell and in a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import pairs_of
from duckmetrics.cli.options import LIKE, with_options
from duckmetrics.engines import targets

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFINITIONS = click.option(
    "--definitions", multiple=True, metavar="FILE.sql | FOLDER",
    help="Metrics of your own, which get macros like ours.", shell_complete=completion.files,
)  # fmt: skip


@click.command(short_help="Print the SQL of metrics for DuckDB or another engine.")
@click.argument("specs", nargs=-1, required=True, shell_complete=completion.metrics_or_table)
@click.option(
    "--dialect",
    default="duckdb",
    show_default=True,
    help="The SQL dialect to write; see 'duckmetrics dialects'.",
    shell_complete=completion.dialects,
)
@click.option("--steps", is_flag=True, help="One temporary table per step instead of one query.")
@click.option(
    "--set",
    "switches",
    multiple=True,
    metavar="SWITCH=VALUE",
    help="Set a convention.",
    shell_complete=completion.switches,
)
@with_options(LIKE)
@click.option("--per-query", is_flag=True, help="A row per query instead of a row per metric with the mean.")
@click.option("--system", metavar="COLUMN", help="The column of predictions that names the system of a row.")
def sql(
    specs: Sequence[str],
    dialect: str,
    steps: bool,
    switches: Sequence[str],
    like: str | None,
    per_query: bool,
    system: str | None,
) -> None:
    """Print the SQL of metrics, or of a table such as roc_curve, over tables named predictions and truth.

    Rankings read predictions (query_id, item_id, score) and truth (query_id, item_id, relevance).
    Classifiers read predictions (label, score), with group_id for metrics of groups.

    \b
    duckmetrics sql ndcg@10 map --dialect spark
    duckmetrics sql auc log_loss --system model --set weighted=true
    duckmetrics sql map@10 --like ranx --dialect bigquery

    Comments at the top name the columns that the text reads. Without --system, predictions hold one system.
    """
    from duckmetrics.api.sql import sql as text_of

    given: dict[str, Any] = dict(pairs_of("--set", switches))
    text = text_of(specs, dialect, per_query=per_query, system=system, steps=steps, like=like, **given)
    click.echo(f"{text};")


@click.command(short_help="Write the macros of the DuckDB shell.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Where to write; else to stdout."
)
@click.option(
    "--database",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a DuckDB database to attach instead of a file of SQL.",
)
@click.option("--as", "name", help="The name under which the database will be attached; by default dm.")
@with_options(DEFINITIONS)
def macros(output: Path | None, database: Path | None, name: str | None, definitions: Sequence[str]) -> None:
    """Write the macros of the DuckDB shell, one file of SQL.

    \b
    duckmetrics macros -o duckmetrics.sql
    duckdb -init duckmetrics.sql
    duckmetrics macros --definitions metrics/ -o all.sql

    The file ships with the package and is copied. It is written from the definitions, in about half a
    minute, if there are metrics of your own, or if -o names the shipped file itself.
    """
    from duckmetrics.shell import shipped

    if output is not None and database is not None:
        raise click.UsageError("--output and --database are two ways to keep the macros; choose one")
    if name is not None and database is None:
        raise click.UsageError(f"--as {name}: there is no database; add --database duckmetrics.duckdb")
    if database is not None:
        if database.suffix.lower() not in targets.DATABASE_SUFFIXES:
            raise click.UsageError(f"--database {database}: call it {database.stem}.duckdb")
        _write_database(database, shipped.DATABASE if name is None else name, definitions)
    elif output is not None:
        targets.refuse(output, targets.SQL)
        is_shipped = output.resolve() == shipped.macros_file().resolve()
        text = shipped.written_macros() if is_shipped else shipped.macros_sql(definitions)
        with targets.replacing(output, targets.SQL) as draft:
            targets.write_text(draft, text)
    else:
        click.echo(shipped.macros_sql(definitions), nl=False)


def _write_database(path: Path, name: str, definitions: Sequence[str]) -> None:
    """Write the macros into a database, and show the progress."""
    from duckmetrics.engines.progress import line
    from duckmetrics.shell.shipped import macros_database

    if not sys.stderr.isatty():
        macros_database(path, name=name, definitions=definitions)
        return
    done = [0.0]
    with line(lambda: done[0], "writing the macros"):
        macros_database(
            path, lambda percent: done.__setitem__(0, percent), name=name, definitions=definitions
        )


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, metavar="[FILE]…", shell_complete=completion.files)
@with_options(DEFINITIONS)
def shell(arguments: Sequence[str], definitions: Sequence[str]) -> None:
    """Open the DuckDB shell with the macros loaded.

    A data FILE becomes a view, named after the file without its suffix. The rest goes on to the shell:
    a database file, or options such as -readonly and -c. With --definitions, the macros are written
    first, which takes minutes; 'duckmetrics macros' keeps them in a file.

    \b
    duckmetrics shell
    duckmetrics shell run.parquet truth.csv
    duckmetrics shell warehouse.duckdb -readonly
    duckmetrics shell -c "FROM ndcg('run.parquet', 'truth.parquet', k := 10)"
    """
    from duckmetrics.shell.shipped import run

    sys.exit(run(arguments, definitions))


@click.command("try", short_help="Open the page that evaluates files in your browser.")
@click.argument(
    "predictions", required=False, type=click.Path(path_type=Path), shell_complete=completion.files
)
@click.argument("truth", required=False, type=click.Path(path_type=Path), shell_complete=completion.files)
@click.option(
    "--page", type=click.Path(path_type=Path, file_okay=False), help="The folder of the built page."
)
@click.option(
    "--open/--no-open", "opens", default=True, help="Whether to open a browser, or only print the address."
)
def try_(predictions: Path | None, truth: Path | None, page: Path | None, opens: bool) -> None:
    """Open the page "Try it" with your files. Nothing leaves this machine.

    The page runs DuckDB in the browser. A server on this machine sends it the page and the files that you
    name, and nothing else. Ctrl+C ends it.

    \b
    duckmetrics try
    duckmetrics try run.parquet truth.parquet
    """
    import webbrowser

    from duckmetrics.cli.server import PageServer, find_page, page_with, serve

    given = [path for path in (predictions, truth) if path is not None]
    server = PageServer(page_with(find_page(page), given))
    click.echo(f"{server.address}\nPress Ctrl+C to end.")
    if opens:
        webbrowser.open(server.address)
    serve(server)
