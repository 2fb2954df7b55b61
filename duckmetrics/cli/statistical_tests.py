"""``duckmetrics test``: every statistic as a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import columns_of, counts_of, engine_of, row_of_counts, switches_of
from duckmetrics.cli.config import Several
from duckmetrics.cli.files import checked_files, write_to
from duckmetrics.cli.options import OUTPUT_AND_ENGINE, with_options
from duckmetrics.cli.places import publish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.statistics.run import ChiSquare, TestResult

COUNTS, ROWS = "COUNT COUNT… | TABLE", "ROW ROW… | TABLE"
expected_option = click.option(
    "--expected", metavar="N,N…", help="Expected counts or shares.  [default: all equal]"
)


class _Statistics(click.Group):
    """The statistics as commands, which are created when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from duckmetrics.statistics.run import titles

        return sorted({*super().list_commands(ctx), *(name.replace("_", "-") for name in titles())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _statistic(cmd_name)


def _statistic(name: str) -> click.Command:
    """Return the command of one statistic."""
    from duckmetrics.statistics.run import example_of, expects, explained, reads_numbers

    title, _, more = explained(name).partition("\n\n")
    example = example_of(name)
    numbers = (COUNTS if expects(name) else ROWS) if reads_numbers(name) else None

    @click.command(name, help=f"{title}\n\n\b\n{more}\n\n\b\n{example}", short_help=title.rstrip("."))
    @click.argument(
        "data",
        nargs=-1 if numbers else 1,
        required=True,
        metavar=numbers or "TABLE",
        cls=Several if numbers else None,
        shell_complete=completion.files,
    )
    @click.option(
        "--set",
        "--param",
        "params",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter.",
        shell_complete=completion.statistic_parameters,
    )
    @click.option("--column", "columns", multiple=True, metavar="NAME=YOURS", help="Map a column of TABLE.")
    @with_options(*OUTPUT_AND_ENGINE)
    def statistic(data: str | Sequence[str], expected: str | None = None, **options: Any) -> None:
        _run_test(name, data if isinstance(data, str) else _listed(data, expected), options)

    return expected_option(statistic) if expects(name) else statistic


def _listed(texts: Sequence[str], expected: str | None) -> Any:
    """Return counts of the command line as a table, or the name of a table."""
    from duckmetrics.statistics.counts import tabled

    observed = counts_of(texts)
    return observed if expected is None else tabled(observed, row_of_counts(expected))


def _run_test(name: str, table: Any, options: dict[str, Any]) -> None:
    """Compute a statistic, and print or write it."""
    from duckmetrics.statistics.run import run_test

    format_ = checked_files(options, [table] if isinstance(table, str) else [], known=False)
    engine = engine_of(options)
    params = switches_of(run_test, options["params"])
    columns = columns_of(options["columns"])
    result = run_test(name, table, columns=columns, connection=engine, **params)
    _put(result, format_, options, engine)


def _put(result: TestResult | ChiSquare, format_: str, options: dict[str, Any], engine: DuckDBEngine) -> None:
    """Print or write a result; warnings go to stderr if the rows cannot hold them."""
    from duckmetrics.cli.output import put, write_result

    if format_ in ("table", "plain"):
        write_to(options, format_, lambda path: put(f"{result}\n", path), engine)
        publish(options, result.shown, warnings=result.warnings)
        return
    write_to(options, format_, lambda path: write_result(result, format_, path), engine)
    publish(options, result.shown, warnings=result.warnings)
    for warning in result.warnings:
        click.echo(f"warning: {warning}", err=True)


@click.group(cls=_Statistics, short_help="Compute a test, an interval or adjusted p-values.")
def test() -> None:
    """Compute tests of significance, intervals and adjusted p-values.

    \b
    duckmetrics test paired-t per_query.parquet --set baseline=A
    duckmetrics test sample-ratio 5000 5200
    duckmetrics test chi-square 3 7
    """


@test.command(name="chi-square", context_settings={"ignore_unknown_options": True})
@click.argument(
    "observed",
    nargs=-1,
    required=True,
    metavar="COUNT COUNT… | ROW ROW… | TABLE",
    shell_complete=completion.files,
)
@expected_option
@click.option("--column", "columns", multiple=True, metavar="NAME=YOURS", help="Map a column of TABLE.")
@click.option("--statistic", default="pearson", show_default=True, help="pearson, or g for the G-test.")
@click.option("--correction", is_flag=True, help="Yates' correction of a table of 2 by 2.")
@with_options(*OUTPUT_AND_ENGINE)
def chi_square(observed: Sequence[str], expected: str | None, **options: Any) -> None:
    """Test counts against an expectation, or two attributes for independence.

    TABLE has the columns observed and optionally expected, or row, column and optionally n; without n,
    every row counts 1.

    \b
    duckmetrics test chi-square 3 7
    duckmetrics test chi-square 90,60,104 30,50,51
    duckmetrics test chi-square log.parquet --column row=variant --column column=clicked
    """
    from duckmetrics.statistics.run import chi_square as compute

    data = counts_of(observed)
    format_ = checked_files(options, [data] if isinstance(data, str) else [], known=False)
    engine = engine_of(options)
    result = compute(
        data,
        None if expected is None else row_of_counts(expected),
        columns=columns_of(options["columns"]),
        connection=engine,
        correction=options["correction"],
        statistic=options["statistic"],
    )
    _put(result, format_, options, engine)
