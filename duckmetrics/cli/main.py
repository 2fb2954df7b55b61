"""The command line: evaluate, check, curve, metrics, sql, test.

Exit codes: 0 fine, 1 a gate failed, 2 bad usage or bad input, 3 the engine failed.
The database, the parser and the table printer are imported only by the commands that need them.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.engines import outputs
from duckmetrics.engines.outputs import FORMATS, RULE, SUFFIXES
from duckmetrics.errors import DefinitionError, DuckmetricsError, EngineError
from duckmetrics.expressions.visible import escape_what_a_stream_cannot_write, visible
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from duckmetrics.engines.engine import Engine


# After so many new objects the garbage collector looks at them.
RARELY = 200_000
GATE_FAILED, BAD_INPUT, ENGINE_FAILED, INTERRUPTED = 1, 2, 3, 130
# What a shell reports for a program that a closed pipe ends.
PIPE_CLOSED = 141


class _ClosedPipeError(Exception):
    """Nobody reads the output any more; click would end with the exit code of a failed gate."""


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise _ClosedPipeError from error
        return result


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="duckmetrics", message="%(prog)s %(version)s")
def cli() -> None:
    """Evaluation metrics of rankings and classifiers, computed where the predictions are."""


# The options that an engine is made of.
ENGINE = ("database", "threads", "memory_limit", "temp_directory")
# The options that name files to write; all others may name files to read.
WRITTEN = ("output", "per_query", "movers")
DATABASE_SUFFIXES = (".duckdb", ".ddb", ".db")


def output_and_engine(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that evaluates: where the results go, and on what they run."""
    for option in reversed(
        (
            click.option(
                "--format", "format_", type=click.Choice(FORMATS), help="How to print.  [default: table]"
            ),
            click.option(
                "-o",
                "--output",
                type=click.Path(path_type=Path),
                metavar="FILE",
                help=f"Write the results to a file: {', '.join(SUFFIXES)}. {RULE}",
            ),
            click.option("--threads", type=click.IntRange(min=1), help="Number of threads."),
            click.option("--memory-limit", metavar="SIZE", help="Such as 4GB; more is spilled to disk."),
            click.option("--temp-directory", metavar="FOLDER", help="The folder that is spilled to."),
            click.option(
                "--database", metavar="FILE.duckdb", help="Database whose tables can be named (read-only)."
            ),
        )
    ):
        command = option(command)
    return command


# Where "evaluate" and "curve" can run.
ENGINES = click.option(
    "--engine",
    type=click.Choice(("duckdb", "spark")),
    default="duckdb",
    show_default=True,
    help="What computes it; Spark takes paths and names of tables.",
)
MASTER = click.option("--master", metavar="URL", help="Of Spark, such as local[2].  [default: as configured]")


def data_and_metrics(
    command: Callable[..., Any], is_metric_required: bool = True, tables: bool = True
) -> Callable[..., Any]:
    """What every command that computes metrics is given: tables, metrics, names of columns, conventions."""
    arguments = (click.argument("predictions", required=False), click.argument("truth", required=False))
    for option in reversed(
        (
            *(arguments if tables else ()),
            click.option(
                "-m",
                "--metric",
                "metrics",
                multiple=True,
                required=is_metric_required,
                metavar="SPEC[,SPEC…]",
                help="Metrics such as ndcg@10,map(norm=min_k)@100; see 'duckmetrics metrics'.",
            ),
            click.option("--truth", "truth_option", metavar="TABLE", help="The truth, instead of TRUTH."),
            click.option(
                "--system",
                "systems",
                multiple=True,
                metavar="COLUMN | NAME=TABLE",
                help="The column that names the system, or one table per system.",
            ),
            click.option(
                "--column",
                "columns",
                multiple=True,
                metavar="NAME=YOURS",
                help="Map a column: query_id=user_id, truth.item_id=sku, query_id=user+day.",
            ),
            click.option(
                "--set",
                "switches",
                multiple=True,
                metavar="SWITCH=VALUE",
                help="Set a convention: ties=item_desc, missing=skip, rel=2.",
            ),
        )
    ):
        command = option(command)
    return command


LIKE = click.option(
    "--like", metavar="TOOL", help="Take the conventions of a tool; see 'duckmetrics presets'."
)


def slices_and_inference(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of evaluate and compare: slices, intervals, gates, and files beside the results."""
    for option in reversed(
        (
            click.option(
                "--by", multiple=True, metavar="COLUMN", help="Slice by the combinations of these columns."
            ),
            click.option(
                "--by-each",
                multiple=True,
                metavar="COLUMN[,COLUMN…]",
                help="Slice by each of several groupings, in one go.",
            ),
            click.option(
                "--queries", metavar="TABLE", help="A table keyed by query_id with attributes to slice by."
            ),
            click.option(
                "--interval",
                type=float,
                metavar="LEVEL",
                help="Intervals around the values, such as 0.95.  [default: none; compare: 0.95]",
            ),
            click.option(
                "--interval-method",
                default="t",
                show_default=True,
                help="t, or bootstrap (Poisson, deterministic).",
            ),
            click.option(
                "--cluster",
                metavar="COLUMN",
                help="What is independent of each other, such as user_id.",
            ),
            click.option("--resamples", type=click.IntRange(min=1), help="Of a bootstrap.  [default: 10000]"),
            click.option("--seed", type=int, help="Another seed draws other resamples.  [default: 42]"),
            click.option(
                "--fail-if",
                "gates",
                multiple=True,
                metavar="CONDITION",
                help="Exit code 1 if it holds: 'ndcg@10 < 0.35', 'ndcg@10 delta_lower < -0.005', "
                "'auc verdict = worse'; in a slice: 'ndcg@10 by country < 0.2'.",
            ),
            click.option(
                "--per-query",
                metavar="FILE.parquet",
                help="Write the value of every query to a Parquet file (Spark: a folder).",
            ),
            click.option(
                "--baseline",
                metavar="SYSTEM",
                help="The system that others are compared with.  [default: the first; with --system COLUMN "
                "it must be given]",
            ),
            click.option(
                "--movers",
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="Write the queries that gain and lose most against the baseline (of rankings).",
            ),
            click.option(
                "--chunks",
                type=click.IntRange(min=1),
                metavar="N",
                help="Evaluate the queries of rankings in N parts, which takes less memory.",
            ),
        )
    ):
        command = option(command)
    return command


@cli.command()
@data_and_metrics
@LIKE
@slices_and_inference
@click.option(
    "--verify",
    type=click.IntRange(min=1),
    metavar="N",
    help="Recompute N queries, or 50 N rows, in plain Python; exit code 1 if a number is another.",
)
@ENGINES
@MASTER
@output_and_engine
def evaluate(**options: Any) -> None:
    """Compute metrics of PREDICTIONS against TRUTH, or against their own labels.

    Tables are Parquet, CSV, JSON or TREC files, folders and patterns of them, names of tables of
    --database, or SQL. Of rankings, PREDICTIONS has query_id, item_id and score (or rank), and TRUTH
    query_id, item_id and relevance; without TRUTH, PREDICTIONS has a column label. Of classifiers,
    PREDICTIONS has label and score, and perhaps weight and group_id.

    \b
    duckmetrics evaluate run.parquet truth.parquet -m ndcg@10,map@100
    duckmetrics evaluate truth.parquet --system A=a.parquet --system B=b.parquet -m mrr
    duckmetrics evaluate ctr.parquet -m auc,log_loss --column label=clicked --by country
    """
    from duckmetrics.api.evaluate import evaluate as compute
    from duckmetrics.cli.output import write
    from duckmetrics.results.gates import failures, read_gates

    format_ = _files(options)
    predictions, truth, system = _tables(options)
    gates = read_gates(options["gates"])
    engine = _engine(options)
    with _progress(engine):
        result = compute(
            predictions,
            truth,
            options["metrics"],
            system=system,
            engine=engine,
            verify=options["verify"],
            **_inference(compute, options),
        )
        failed = failures(gates, result.rows, result.canonical)
        _beside(result, result, options)
    if options["output"]:
        with outputs.replacing(options["output"], format_) as path:
            write(result, format_, path)
    else:
        write(result, format_, None)
    if not all(verification.agrees for verification in result.verified):
        sys.exit(GATE_FAILED)
    _exit_if(failed)


@cli.command()
@click.argument("predictions", nargs=-1)
@partial(data_and_metrics, tables=False, is_metric_required=False)
@LIKE
@slices_and_inference
@click.option(
    "--test",
    metavar="TEST",
    help="t, randomization, bootstrap, tukey, sign, wilcoxon or mcnemar.  [default: paired t]",
)
@click.option(
    "--adjust", metavar="METHOD", help="holm, benjamini_hochberg, bonferroni, …, or none.  [default: holm]"
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="A verdict needs an adjusted p below this."
)
@click.option("--power", type=float, default=0.8, show_default=True, help="For which the column mde holds.")
@click.option(
    "--allow-different", is_flag=True, help="Compare the queries that are common where they differ."
)
@output_and_engine
def compare(**options: Any) -> None:
    """Compare systems with a baseline: which differences are larger than chance makes them?

    Each of PREDICTIONS is a system, called as its file; or one table holds all of them, with --system
    COLUMN; or each has a name, with --system NAME=TABLE. For every system and metric: value, difference
    to the baseline with its interval, effect size, wins, ties and losses, p adjusted for the number of
    comparisons, the smallest difference that could have been seen (mde), and a verdict. Without -m,
    rankings are compared by ndcg@10 and classifiers by auc.

    \b
    duckmetrics compare old.parquet new.parquet --truth truth.parquet -m ndcg@10,mrr
    duckmetrics compare runs.parquet --system model --baseline bm25 --truth truth.parquet -m ndcg@10
    duckmetrics compare --system A=a.parquet --system B=b.parquet -m auc,log_loss --cluster user_id
    duckmetrics compare old.parquet new.parquet --truth truth.parquet -m ndcg@10 \\
        --fail-if "ndcg@10 delta_lower < -0.005" --movers movers.csv
    """
    from duckmetrics.api.compare import compare as compute
    from duckmetrics.cli.output import write_comparison
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.results.gates import failures, read_gates

    format_ = _files(options)
    predictions, truth, system = _compared_tables(options)
    gates = read_gates(options["gates"])
    engine = DuckDBEngine(*(options[name] for name in ENGINE))
    chosen = {
        name: options[name] for name in ("baseline", "test", "adjust", "alpha", "power", "allow_different")
    }
    with _progress(engine):
        result = compute(
            predictions,
            truth,
            options["metrics"] or None,
            system=system,
            connection=engine,
            **{name: value for name, value in chosen.items() if value is not None},
            **_inference(compute, options),
        )
        failed = failures(gates, result.rows, result.evaluation.canonical)
        _beside(result, result.evaluation, options)
    if options["output"]:
        with outputs.replacing(options["output"], format_) as path:
            write_comparison(result, format_, path)
    else:
        write_comparison(result, format_, None)
    for note in result.notes():
        click.echo(note, err=True)
    _exit_if(failed)


@cli.command()
@data_and_metrics
@click.option("--like", multiple=True, metavar="TOOL[,TOOL…]", help="These tools only.  [default: all]")
@output_and_engine
def conventions(**options: Any) -> None:
    """Compute metrics as every other tool would, side by side, with what makes each number differ.

    \b
    duckmetrics conventions run.parquet truth.parquet -m map@10
    duckmetrics conventions run.parquet truth.parquet -m ndcg@10 --like trec_eval,sklearn
    """
    from duckmetrics.sensitivity.peers import conventions as compute

    tools = [tool.strip() for text in options["like"] for tool in text.split(",")]
    _report_rows(compute, options, like=tools)


@cli.command()
@data_and_metrics
@LIKE
@output_and_engine
def ties(**options: Any) -> None:
    """Tell how much of a number the order of equal scores decides.

    For every metric: its value, the values with the relevant items last and first among equal
    scores, and the share of the queries whose value depends on that order.

    \b
    duckmetrics ties run.parquet truth.parquet -m ndcg@10,mrr
    """
    from duckmetrics.sensitivity.ties import ties as compute

    _report_rows(compute, options, like=options["like"])


@cli.command()
@partial(data_and_metrics, is_metric_required=False)
@LIKE
@click.option("--by", multiple=True, metavar="COLUMN", help="Slice by the combinations of these columns.")
@click.option("--queries", metavar="TABLE", help="A table keyed by query_id with attributes to slice by.")
@output_and_engine
def check(**options: Any) -> None:
    """Look for what is wrong with PREDICTIONS and TRUTH before there is any number.

    Each finding says how bad it is, where and what it is, how often it is there, and what to do.
    The exit code is 1 if there is an error, which is what 'duckmetrics evaluate' would refuse.
    Without -m, rankings are checked for ndcg@10 and classifiers for auc.

    \b
    duckmetrics check run.parquet truth.parquet -m ndcg@10,map@100
    duckmetrics check ctr.parquet --column label=clicked --format json
    """
    from duckmetrics.api.check import check as compute

    more = {name: options[name] for name in ("like", "queries")}
    result = _report_rows(compute, options, by=_groupings(options["by"], ()), **more)
    if options["output"] or options["format_"] not in (None, "table"):
        click.echo(result.conclusion, err=True)
    if result.errors:
        sys.exit(GATE_FAILED)


def _report_rows(compute: Callable[..., Any], options: dict[str, Any], **more: Any) -> Any:
    """Run a command whose result has a summary, print or write that, and return the result."""
    from duckmetrics.cli.output import write_rows
    from duckmetrics.engines.duckdb import DuckDBEngine

    format_ = _files(options)
    predictions, truth, system = _tables(options)
    engine = DuckDBEngine(*(options[name] for name in ENGINE))
    with _progress(engine):
        result = compute(
            predictions,
            truth,
            options["metrics"] or None,
            system=system,
            columns=_pairs("--column", options["columns"]),
            connection=engine,
            **more,
            **_switches(compute, options["switches"]),
        )
    if options["output"]:
        with outputs.replacing(options["output"], format_) as path:
            write_rows(result.summary, format_, path)
    elif format_ == "table":
        click.echo(repr(result))
        return result
    else:
        write_rows(result.summary, format_, None)
    for finding in getattr(result, "checks", ()):
        click.echo(visible(f"{finding.severity}: {finding.message}"), err=True)
    return result


@cli.command()
@data_and_metrics
@LIKE
@click.option("--n-items", type=int, required=True, metavar="N", help="The number of all items.")
@click.option(
    "--n-negatives",
    type=int,
    metavar="M",
    help="The number of items drawn for each query.  [default: its candidates less one]",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD[,METHOD…]",
    help="Of naive, rank_estimate, bv and em.  [default: all]",
)
@click.option("--gamma", type=float, default=0.1, show_default=True, help="The weight of the variance in bv.")
@output_and_engine
def sampled(**options: Any) -> None:
    """Estimate metrics over all items from one relevant item among sampled ones.

    naive takes the candidates for all items; rank_estimate, bv and em correct for the sample. They hold
    for one relevant item per query and negatives drawn uniformly; for negatives drawn by popularity
    none of them does.

    \b
    duckmetrics sampled run.parquet truth.parquet -m recall@10,ndcg@10 --n-items 10000
    duckmetrics sampled run.parquet truth.parquet -m map --n-items 10000 --n-negatives 99 --gamma 0.01
    """
    from duckmetrics.sensitivity.sampled import METHODS
    from duckmetrics.sensitivity.sampled import sampled as compute

    methods = [method.strip() for text in options["methods"] for method in text.split(",")]
    given = {name: options[name] for name in ("like", "n_items", "n_negatives", "gamma")}
    _report_rows(compute, options, methods=methods or METHODS, **given)


@cli.command()
@click.argument("name", required=False)
@click.option("--all", "all_", is_flag=True, help="Explain all of them, as Markdown.")
def presets(name: str | None, all_: bool) -> None:
    """List the tools whose conventions can be taken with --like, or explain one."""
    from duckmetrics.presets.presets import page, pages, preset
    from duckmetrics.presets.presets import presets as every

    if all_:
        click.echo(pages(), nl=False)
    elif name is None:
        width = max(map(len, every()))
        for tool in every().values():
            click.echo(f"{tool.name:<{width}}  {tool.tool}")
        click.echo("\nduckmetrics presets NAME explains one")
    else:
        click.echo(page(preset(name)), nl=False)


@cli.command()
@click.argument("table")
@click.argument("predictions")
@click.option("--by", multiple=True, metavar="COLUMN", help="A curve for each combination of these columns.")
@click.option("--system", metavar="COLUMN", help="The column that names the system.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME=YOURS",
    help="Map a column: label=clicked, score=pctr.",
)
@click.option(
    "--set",
    "params",
    multiple=True,
    metavar="PARAM=VALUE[,VALUE…]",
    help="Set a parameter: points=200, threshold=0.3,0.5.",
)
@ENGINES
@MASTER
@output_and_engine
def curve(table: str, **options: Any) -> None:
    """Print the rows of TABLE, such as roc_curve, for the classifier whose PREDICTIONS these are.

    PREDICTIONS has the columns label and score; 'duckmetrics metrics' lists the tables.

    \b
    duckmetrics curve roc_curve ctr.parquet --column label=clicked -o roc.parquet
    duckmetrics curve "calibration_curve(bins=20)" ctr.parquet --by country
    """
    from duckmetrics.api.evaluate import curve as compute
    from duckmetrics.cli.output import write_rows

    format_ = _files(options, known=False)
    engine = _engine(options)
    pairs = _pairs("--set", options["params"])
    params: dict[str, Any] = {name: text.split(",") if "," in text else text for name, text in pairs.items()}
    with _progress(engine):
        rows = compute(
            options["predictions"],
            table,
            system=options["system"],
            by=_groupings(options["by"], ()),
            columns=_pairs("--column", options["columns"]),
            engine=engine,
            **params,
        )
    if options["output"]:
        with outputs.replacing(options["output"], format_) as path:
            write_rows(rows, format_, path)
    else:
        write_rows(rows, format_, None)


@cli.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List the metrics, or explain one: formula, source, parameters, range and SQL."""
    from duckmetrics.api.evaluate import describe
    from duckmetrics.cli.output import print_catalog

    if name is None:
        print_catalog()
    else:
        click.echo(describe(name))


@cli.command()
@click.argument("specs", nargs=-1, required=True)
@click.option(
    "--dialect",
    default="duckdb",
    show_default=True,
    help="The SQL dialect to write; see 'duckmetrics dialects'.",
)
@click.option("--steps", is_flag=True, help="One temporary table per step instead of one query.")
@click.option("--set", "switches", multiple=True, metavar="SWITCH=VALUE", help="Set a convention.")
def sql(specs: Sequence[str], dialect: str, steps: bool, switches: Sequence[str]) -> None:
    """Print the SQL of metrics, or of a table such as roc_curve, over tables named predictions and truth.

    \b
    predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
    of classifiers: predictions (system, segment, label, score, weight, group_id)
    duckmetrics sql ndcg@10 map --dialect spark
    """
    from duckmetrics.api.evaluate import compose_sql

    click.echo(compose_sql(specs, dialect, steps, **_pairs("--set", switches)) + ";")


@cli.command()
@click.option("--all", "all_", is_flag=True, help="What every metric runs on, as Markdown.")
def dialects(all_: bool) -> None:
    """List the engines that SQL can be written for, and which of them the tests run."""
    from duckmetrics.dialects import DIALECTS

    if all_:
        from duckmetrics.cli.support import page

        click.echo(page(), nl=False)
        return
    for dialect in DIALECTS.values():
        click.echo(f"{dialect.name:<12}{dialect.engine:<20}{dialect.tested}")


@cli.command()
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Where to write; else to stdout."
)
@click.option(
    "--database",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a DuckDB database to attach instead of a file of SQL.",
)
def macros(output: Path | None, database: Path | None) -> None:
    """Write the macros of the DuckDB shell, one file of SQL.

    \b
    duckmetrics macros -o duckmetrics.sql
    duckdb -init duckmetrics.sql

    The file ships with the package and is copied. It is written from the definitions where -o names the
    shipped file itself.
    """
    from duckmetrics.macros.shipped import macros_file, macros_sql, written_macros

    if output is not None and database is not None:
        raise click.UsageError("--output and --database are two ways to keep the macros; choose one")
    if database is not None:
        if database.suffix.lower() not in DATABASE_SUFFIXES:
            raise click.UsageError(f"--database {database}: call it {database.stem}.duckdb")
        _write_database(database)
    elif output is not None:
        outputs.refuse(output, outputs.SQL)
        anew = output.resolve() == macros_file().resolve()
        with outputs.replacing(output, outputs.SQL) as path:
            outputs.write_text(path, written_macros() if anew else macros_sql())
    else:
        click.echo(macros_sql(), nl=False)


def _write_database(path: Path) -> None:
    """Write the macros into a database, and show how far it is."""
    from duckmetrics.cli.progress import bar
    from duckmetrics.macros.shipped import macros_database

    if not sys.stderr.isatty():
        click.echo("writing the macros into a database; this takes a minute or two", err=True)
        macros_database(path)
        return
    done = [0.0]
    with bar(lambda: done[0], "writing the macros"):
        macros_database(path, lambda percent: done.__setitem__(0, percent))


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, metavar="[FILE]…")
def shell(arguments: Sequence[str]) -> None:
    """Open the DuckDB shell with the macros loaded.

    A data FILE becomes a view, called as the file without its suffix. The rest goes on to the shell:
    a database file, or options such as -readonly and -c.

    \b
    duckmetrics shell
    duckmetrics shell run.parquet truth.csv
    duckmetrics shell warehouse.duckdb -readonly
    duckmetrics shell -c "FROM ndcg('run.parquet', 'truth.parquet', k := 10)"
    """
    from duckmetrics.macros.shell import run

    sys.exit(run(arguments))


COUNTS, ROWS = "COUNT COUNT… | TABLE", "ROW ROW… | TABLE"
expected_option = click.option(
    "--expected", metavar="N,N…", help="Expected counts or shares.  [default: all alike]"
)


class _Statistics(click.Group):
    """The statistics as commands, which are made when somebody asks for them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from duckmetrics.statistics.run import titles

        return sorted({*super().list_commands(ctx), *(name.replace("_", "-") for name in titles())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _statistic(cmd_name)


def _statistic(name: str) -> click.Command:
    """The command of one statistic."""
    from duckmetrics.statistics.run import expects, explained, reads_numbers

    title, _, more = explained(name).partition("\n\n")
    numbers = (COUNTS if expects(name) else ROWS) if reads_numbers(name) else None

    @click.command(name, help=f"{title}\n\n\b\n{more}", short_help=title.rstrip("."))
    @click.argument("table", nargs=-1 if numbers else 1, required=True, metavar=numbers)
    @click.option("--set", "params", multiple=True, metavar="NAME=VALUE", help="Set a parameter.")
    @click.option("--column", "columns", multiple=True, metavar="NAME=YOURS", help="Map a column of TABLE.")
    @output_and_engine
    def statistic(table: str | Sequence[str], expected: str | None = None, **options: Any) -> None:
        _run_test(name, table if isinstance(table, str) else _listed(table, expected), options)

    return expected_option(statistic) if expects(name) else statistic


def _listed(texts: Sequence[str], expected: str | None) -> Any:
    """Counts of the command line as a table, or the name of one."""
    from duckmetrics.statistics.counts import tabled

    observed = _counts(texts)
    return observed if expected is None else tabled(observed, _row(expected))


def _run_test(name: str, table: Any, options: dict[str, Any]) -> None:
    """Compute a statistic, print or write it; warnings go to stderr beside rows that cannot hold them."""
    from duckmetrics.cli.output import write_rows
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.statistics.run import run_test

    format_ = _files(options, [table] if isinstance(table, str) else [], known=False)
    engine = DuckDBEngine(*(options[name] for name in ENGINE))
    params = _switches(run_test, options["params"])
    columns = _pairs("--column", options["columns"])
    with _progress(engine):
        result = run_test(name, table, columns=columns, connection=engine, **params)
    if format_ in ("table", "json"):
        whole = json.dumps(result.to_dict(), indent=2, ensure_ascii=False, default=str)
        text = f"{whole if format_ == 'json' else result}\n"
        if options["output"]:
            with outputs.replacing(options["output"], format_) as path:
                outputs.write_text(path, text)
        else:
            click.echo(text, nl=False)
        return
    if options["output"]:
        with outputs.replacing(options["output"], format_) as path:
            write_rows(result.summary, format_, path)
    else:
        write_rows(result.summary, format_, None)
    for warning in result.warnings:
        click.echo(f"warning: {warning}", err=True)


@cli.group(cls=_Statistics)
def test() -> None:
    """Tests of significance, intervals and adjusted p-values.

    \b
    duckmetrics test paired-t per_query.parquet --set baseline=A
    duckmetrics test sample-ratio 5000 5200
    duckmetrics test chi-square 3 7
    """


@test.command(name="chi-square", context_settings={"ignore_unknown_options": True})
@click.argument("observed", nargs=-1, required=True, metavar="COUNT COUNT… | ROW ROW… | TABLE")
@expected_option
@click.option("--column", "columns", multiple=True, metavar="NAME=YOURS", help="Map a column of TABLE.")
@click.option("--statistic", default="pearson", show_default=True, help="pearson, or g for the G-test.")
@click.option("--correction", is_flag=True, help="Yates' correction of a table of 2 by 2.")
@click.option(
    "--format", "format_", type=click.Choice(("table", "json")), default="table", help="How to print."
)
@click.option("--database", metavar="FILE.duckdb", help="Database whose tables can be named (read-only).")
def chi_square(observed: Sequence[str], expected: str | None, format_: str, **options: Any) -> None:
    """Test counts against an expectation, or two attributes for independence.

    TABLE has the columns observed and maybe expected, or row and column and maybe n; without n,
    every row counts 1.

    \b
    duckmetrics test chi-square 3 7
    duckmetrics test chi-square 90,60,104 30,50,51
    duckmetrics test chi-square log.parquet --column row=variant --column column=clicked
    """
    from duckmetrics.statistics.chi_square import chi_square as compute

    result = compute(
        _counts(observed),
        None if expected is None else _row(expected),
        columns=_pairs("--column", options["columns"]),
        connection=options["database"],
        correction=options["correction"],
        statistic=options["statistic"],
    )
    click.echo(json.dumps(result.to_dict(), indent=2, ensure_ascii=False) if format_ == "json" else result)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors are one message on stderr and an exit code."""
    # Trees of SQL are many small objects: to look at them less often saves a tenth of the start.
    gc.set_threshold(RARELY)
    _open_streams()
    try:
        cli.main(args=None if arguments is None else list(arguments), standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except _ClosedPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE_CLOSED)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(BAD_INPUT)
    except (EngineError, DefinitionError) as error:
        _fail(str(error), ENGINE_FAILED)
    except (DuckmetricsError, OSError) as error:
        _fail(str(error), BAD_INPUT)
    except Exception as error:  # a bug must not end in a traceback either
        _fail(f"internal error: {type(error).__name__}: {error}; please report it", ENGINE_FAILED)


def _fail(message: str, code: int) -> None:
    click.echo(f"duckmetrics: {visible(message)}", err=True)
    sys.exit(code)


def _open_streams() -> None:
    """Stand in for streams that were closed before the start, and for characters that they cannot write."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 it is open until the process ends
    escape_what_a_stream_cannot_write()


def _files(options: dict[str, Any], inputs: Sequence[str] = (), known: bool = True) -> str:
    """Refuse files that must not be written, before anything is computed; return the format of the results.

    Args:
        inputs: tables that are not among the options.
        known: whether the columns of the results are known before.
    """
    output, asked = options["output"], options["format_"]
    if output is None and asked == "parquet":
        raise click.UsageError("--format parquet needs a file; add -o results.parquet")
    format_ = (asked or "table") if output is None else outputs.format_of(output, asked)
    files = [] if output is None else [(output, format_)]
    files += _files_beside(options)
    given = [*inputs, *_texts(value for name, value in options.items() if name not in WRITTEN)]
    for path, its_format in files:
        outputs.refuse(path, its_format, given, known or path != output)
    paths = [os.path.realpath(path) for path, _ in files if path.is_file() or not path.exists()]
    if len(set(paths)) < len(paths):
        raise click.UsageError(f"{paths[-1]}: two results would go to one file; give each its own")
    return format_


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Every text that may name a table: of NAME=TABLE also what follows the equals sign."""
    for value in values:
        if isinstance(value, str):
            yield value
            yield from [value.partition("=")[2]] if "=" in value else []
        elif isinstance(value, list | tuple):
            yield from _texts(value)


def _tables(options: dict[str, Any]) -> tuple[Any, str | None, str | dict[str, str] | None]:
    """Tell predictions, truth and systems from the arguments."""
    first, second, named = options["predictions"], options["truth"], options["truth_option"]
    systems = options["systems"]
    if second is not None and named is not None:
        raise click.UsageError("the truth is given twice; drop TRUTH or --truth")
    if not any("=" in system for system in systems):
        if len(systems) > 1:
            raise click.UsageError("one --system column at most; or NAME=TABLE for each system")
        if first is None:
            raise click.UsageError("Missing argument 'PREDICTIONS'.")
        return first, second or named, systems[0] if systems else None
    if second is not None or (first is not None and named is not None):
        raise click.UsageError("--system NAME=TABLE names the predictions; give only the truth beside it")
    return None, first or named, _pairs("--system", systems)


def _compared_tables(options: dict[str, Any]) -> tuple[Any, str | None, str | dict[str, str] | None]:
    """Tell systems and truth from the arguments of compare."""
    given, truth, systems = options["predictions"], options["truth_option"], options["systems"]
    if any("=" in system for system in systems):
        if len(given) > 1 or (given and truth is not None):
            raise click.UsageError("--system NAME=TABLE names the predictions; give only the truth beside it")
        return None, given[0] if given else truth, _pairs("--system", systems)
    if len(systems) > 1:
        raise click.UsageError("one --system column at most; or NAME=TABLE for each system")
    if not given:
        raise click.UsageError("Missing argument 'PREDICTIONS'.")
    if systems:
        if len(given) > 2 or (len(given) == 2 and truth is not None):
            raise click.UsageError(
                "--system COLUMN tells the systems of one table; give only that, and --truth"
            )
        return given[0], given[1] if len(given) == 2 else truth, systems[0]
    if len(given) == 1:
        raise click.UsageError(
            "one system only, as a folder or pattern is too; give two or more, or --system COLUMN"
        )
    names = [Path(table).stem if Path(table).suffix else table for table in given]
    if len(set(names)) < len(names):
        raise click.UsageError("two systems are called alike; name them with --system NAME=TABLE")
    return dict(zip(names, given, strict=True)), truth, None


def _engine(options: dict[str, Any]) -> Any:
    """The engine that the options ask for."""
    settings = {name: options[name] for name in ENGINE}
    if options["engine"] == "duckdb":
        if options["master"] is not None:
            raise click.UsageError("--master: is of Spark; add --engine spark")
        from duckmetrics.engines.duckdb import DuckDBEngine

        return DuckDBEngine(*settings.values())
    given = [name for name, value in settings.items() if value is not None]
    if given:
        raise click.UsageError(f"--{given[0].replace('_', '-')}: is of DuckDB; configure Spark instead")
    from duckmetrics.engines.spark import SparkEngine

    return SparkEngine(master=options["master"])


def _inference(compute: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments that evaluate and compare have in common."""
    names = ("queries", "chunks", "like", "interval", "interval_method", "cluster", "resamples", "seed")
    given = {name: options[name] for name in names if options[name] is not None}
    return {
        **given,
        "by": _groupings(options["by"], options["by_each"]),
        "columns": _pairs("--column", options["columns"]),
        **_switches(compute, options["switches"]),
    }


def _files_beside(options: dict[str, Any]) -> list[tuple[Path, str]]:
    """The files beside the results, with their formats; Spark writes the values per query itself."""
    per_query, movers = options.get("per_query"), options.get("movers")
    if per_query is not None and Path(per_query).suffix.lower() != ".parquet":
        raise click.UsageError(
            f"--per-query {per_query}: is a Parquet file; call it {Path(per_query).stem}.parquet"
        )
    if movers is not None and movers.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"--movers {movers}: end it in one of {', '.join(SUFFIXES)}")
    files = []
    if per_query is not None and options.get("engine") != "spark":
        files.append((Path(per_query), "parquet"))
    if movers is not None:
        files.append((movers, outputs.format_of(movers, None)))
    return files


def _beside(result: Any, evaluation: Any, options: dict[str, Any]) -> None:
    """Write the files that were asked for beside the results."""
    if options["per_query"]:
        evaluation.write_per_query(options["per_query"])
    if options["movers"]:
        from duckmetrics.cli.output import write_rows

        format_ = outputs.format_of(options["movers"], None)
        with outputs.replacing(options["movers"], format_) as path:
            write_rows(result.movers(baseline=options["baseline"]), format_, path)


def _exit_if(failed: Sequence[str]) -> None:
    for line in failed:
        click.echo(f"duckmetrics: {line}", err=True)
    if failed:
        sys.exit(GATE_FAILED)


def _switches(compute: Callable[..., Any], texts: Sequence[str]) -> dict[str, Any]:
    """Read --set; what is an argument of its own is no switch."""
    switches = _pairs("--set", texts)
    for name in switches:
        if name in signature(compute).parameters:
            raise click.UsageError(f"--set {name}: no switch; see the options of its own in --help")
    return switches


def _groupings(by: Sequence[str], each: Sequence[str]) -> list[Any] | None:
    columns = [column.strip() for text in by for column in text.split(",")]
    groupings = [[column.strip() for column in text.split(",")] for text in each]
    if columns and groupings:
        return [columns, *groupings]
    return columns or groupings or None


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise click.UsageError(f"{option} {text!r}: write {option} NAME=VALUE")
        if name in pairs:
            raise click.UsageError(f"{option} {name}: given twice; keep one of them")
        pairs[name.strip()] = value.strip()
    return pairs


def _counts(texts: Sequence[str]) -> str | list[float] | list[list[float]]:
    """Read counts, or rows of counts; a single argument that is neither names a table."""
    try:
        rows = [_row(text) for text in texts]
    except click.UsageError:
        if len(texts) == 1:
            return texts[0]
        raise
    return rows if any("," in text for text in texts) else [row[0] for row in rows]


def _row(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise click.UsageError(
            f"{text!r}: no counts; write 3 7, rows such as 3,7 5,5, or one table"
        ) from None


@contextmanager
def _progress(engine: Engine) -> Iterator[None]:
    """Show a bar on stderr while a query runs for long, if somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from duckmetrics.cli.progress import bar

    engine.watch()
    with bar(engine.progress):
        yield
