"""``duckmetrics check``, ``explain``, ``ties``, ``conventions`` and ``sampled``: about a number."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import answer_of, engine_of, tables_of
from duckmetrics.cli.exit_codes import GATE_FAILED
from duckmetrics.cli.files import checked_files, write_to
from duckmetrics.cli.options import (
    BY,
    CLASSES,
    ENGINE,
    INPUTS,
    LIKE,
    MASTER,
    METRIC,
    OUTPUT_AND_ENGINE,
    POSITIVE,
    QUERIES,
    SCORE,
    SIDE_TABLES,
    TABLES,
    with_options,
)
from duckmetrics.cli.places import has_screen, publish

if TYPE_CHECKING:
    from collections.abc import Callable


@click.command(short_help="Compute metrics under the conventions of every tool.")
@with_options(*TABLES, METRIC, *INPUTS, POSITIVE, SCORE, CLASSES)
@click.option(
    "--like",
    multiple=True,
    metavar="TOOL[,TOOL…]",
    help="These tools only.  [default: all]",
    shell_complete=completion.tools,
)
@with_options(*SIDE_TABLES, *OUTPUT_AND_ENGINE)
def conventions(**options: Any) -> None:
    """Compute metrics under the conventions of every tool, and show why each number differs.

    \b
    duckmetrics conventions run.parquet truth.parquet -m map@10
    duckmetrics conventions run.parquet truth.parquet -m ndcg@10 --like trec_eval,sklearn
    duckmetrics conventions run.parquet --history train.parquet -m gini@10
    """
    from duckmetrics.api.functions import conventions as compute

    _report_rows(compute, options)


@click.command(short_help="Show the effect of the order of equal scores on metrics.")
@with_options(*TABLES, METRIC, *INPUTS, POSITIVE, SCORE, CLASSES, LIKE, *OUTPUT_AND_ENGINE)
def ties(**options: Any) -> None:
    """Show the effect of the order of equal scores on metrics.

    For every metric, the table shows the value, the values with the relevant items last and first among
    equal scores, the standard deviation (sd) of the mean if that order is random, and the share of the
    queries whose value depends on it. A note names the metrics whose ties could change which system is best.

    \b
    duckmetrics ties run.parquet truth.parquet -m ndcg@10,mrr
    """
    from duckmetrics.api.functions import ties as compute

    _report_rows(compute, options)


@click.command(short_help="Look for problems in the data before computing any metric.")
@with_options(
    *TABLES,
    METRIC,
    *INPUTS,
    POSITIVE,
    SCORE,
    CLASSES,
    LIKE,
    BY,
    QUERIES,
    *SIDE_TABLES,
    ENGINE,
    MASTER,
    *OUTPUT_AND_ENGINE,
)
def check(**options: Any) -> None:
    """Look for problems in PREDICTIONS and TRUTH before computing any metric.

    Each finding has a severity, a place, a problem, the number of its occurrences, and advice.
    The exit code is 1 if there is an error, because 'duckmetrics evaluate' would refuse the data.
    Without -m, rankings are checked for ndcg@10 and classifiers for auc. Next to --history, --items or
    --reference, no TRUTH is needed.

    \b
    duckmetrics check run.parquet truth.parquet -m ndcg@10,map@100
    duckmetrics check ctr.parquet --column label=clicked --format json
    duckmetrics check s3a://lake/run s3a://lake/truth --engine spark
    """
    from duckmetrics.api.functions import check as compute

    result = _report_rows(compute, options)
    if options["output"] or options["format_"] not in (None, "table"):
        click.echo(result.verdict, err=True)
    if result.errors:
        sys.exit(GATE_FAILED)


def _report_rows(compute: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Run a command whose result has a summary, print or write it, and return the result."""
    from duckmetrics.cli.output import write_result
    from duckmetrics.results.findings import Finding

    format_ = checked_files(options)
    tables, engine = tables_of(options), engine_of(options)
    result = answer_of(compute, options, engine, tables)
    if format_ != "table" or options["output"]:
        write_to(options, format_, lambda path: write_result(result, format_, path), engine)
        for finding in getattr(result, "checks", ()):
            click.echo(finding.line, err=True)
    elif has_screen(options):
        click.echo(repr(result))
    told = (*getattr(result, "checks", ()), *result.rows)
    publish(options, result.shown, [one for one in told if isinstance(one, Finding)])
    return result


@click.command(short_help="Show which items or rows make a value, or a difference.")
@with_options(*TABLES, METRIC)
@click.option("--query", metavar="ID", help="The query to explain; of a composite id, its parts: user+day.")
@click.option(
    "--by",
    multiple=True,
    metavar="GROUPS",
    help="Explain groups instead. Rankings: grade, rank, item_id, item.COLUMN of --items, or query.COLUMN. "
    "Classifiers: a column, an expression with a name, or row.",
)
@click.option("--of", metavar="SYSTEM", help="The system to explain.  [default: the other one of two]")
@click.option(
    "--baseline", metavar="SYSTEM", help="The system to compare with.  [default: the first one of two]"
)
@click.option(
    "--items",
    metavar="TABLE",
    help="A table keyed by item_id with columns of the items.",
    shell_complete=completion.files,
)
@click.option(
    "--show",
    multiple=True,
    metavar="COLUMN[,COLUMN…]",
    help="Show these columns of --items, or of single rows.",
)
@click.option("--top", "n", type=click.IntRange(min=1), default=10, show_default=True,
              help="The number of ranks, or groups, to show.")  # fmt: skip
@with_options(*INPUTS, POSITIVE, SCORE, CLASSES, LIKE, QUERIES, ENGINE, MASTER, *OUTPUT_AND_ENGINE)
def explain(**options: Any) -> None:
    """Show which items or rows make a value, or the difference of two systems.

    What each item adds comes from the definition of the metric, and adds up to the value. With --by, groups
    of items add up to the means of all queries, and groups of rows to the value of a classifier: which of
    them cost us the difference? Without -m, ndcg@10 is explained, or auc for classifiers.

    \b
    duckmetrics explain --system A=a.parquet --system B=b.parquet --truth truth.parquet --query 4711
    duckmetrics explain run.parquet truth.parquet --query 4711 -m map@10 --items items.parquet --show title
    duckmetrics explain runs.parquet truth.parquet --system model --baseline old --by grade
    duckmetrics explain clicks.parquet -m log_loss --score old --score new --by country
    """
    from duckmetrics.api.functions import explain as compute
    from duckmetrics.cli.output import write_explanation

    format_ = checked_files(options)
    tables, engine = tables_of(options), engine_of(options)
    if len(options["by"]) > 1:
        raise click.UsageError(
            "--by is given twice; combine several columns in an expression, such as "
            "--by \"country || ' ' || device AS both\""
        )
    result = answer_of(compute, options, engine, tables, by=next(iter(options["by"]), None))
    write_to(options, format_, lambda path: write_explanation(result, format_, path), engine)
    publish(options, result.shown)


@click.command(short_help="Estimate metrics over all items from sampled candidates.")
@with_options(*TABLES, METRIC, *INPUTS, POSITIVE, SCORE, CLASSES, LIKE)
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
    help="naive, rank_estimate, bv or em.  [default: all]",
)
@click.option("--gamma", type=float, default=0.1, show_default=True, help="The weight of the variance in bv.")
@with_options(*OUTPUT_AND_ENGINE)
def sampled(**options: Any) -> None:
    """Estimate metrics over all items from one relevant item among sampled ones.

    naive treats the candidates as all items; rank_estimate, bv and em correct for the sample. They are
    valid for one relevant item per query and negatives drawn uniformly. None of them is valid for
    negatives drawn by popularity.

    \b
    duckmetrics sampled run.parquet truth.parquet -m recall@10,ndcg@10 --n-items 10000
    duckmetrics sampled run.parquet truth.parquet -m map --n-items 10000 --n-negatives 99 --gamma 0.01
    """
    from duckmetrics.api.functions import sampled as compute

    _report_rows(compute, options)
