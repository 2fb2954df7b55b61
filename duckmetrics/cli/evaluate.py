"""``duckmetrics evaluate`` and ``curve``: metrics, and tables such as the ROC curve."""

from __future__ import annotations

import sys
from typing import Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import (
    columns_of,
    engine_of,
    groupings_of,
    pairs_of,
    readings_of,
    shared_arguments,
    tables_of,
)
from duckmetrics.cli.exit_codes import GATE_FAILED, exit_if
from duckmetrics.cli.files import checked_files, write_beside, write_to
from duckmetrics.cli.options import (
    ENGINE,
    INPUTS,
    LAYOUT,
    LIKE,
    MASTER,
    METRIC,
    OUTPUT_AND_ENGINE,
    POSITIVE,
    SCORE,
    SLICES_AND_INFERENCE,
    TABLES,
    WIDE,
    with_options,
)


@click.command(short_help="Compute metrics of rankings or classifiers.")
@with_options(*TABLES, METRIC, *INPUTS, POSITIVE, SCORE, LIKE, *SLICES_AND_INFERENCE)
@click.option(
    "--verify",
    type=click.IntRange(min=1),
    metavar="N",
    help="Recompute N queries, or 50 N rows, in plain Python; exit code 1 if a number differs.",
)
@with_options(ENGINE, MASTER, WIDE, *OUTPUT_AND_ENGINE)
def evaluate(**options: Any) -> None:
    """Compute metrics of PREDICTIONS against TRUTH, or against their own labels.

    Tables are Parquet, CSV, JSON or TREC files, folders and patterns of them, names of tables of
    --database, or SQL. For rankings, PREDICTIONS has query_id, item_id and score (or rank), and TRUTH
    query_id, item_id and relevance; without TRUTH, PREDICTIONS has a column label. For classifiers,
    PREDICTIONS has label and score, and optionally weight and group_id.

    \b
    duckmetrics evaluate run.parquet truth.parquet -m ndcg@10,map@100
    duckmetrics evaluate truth.parquet --system A=a.parquet --system B=b.parquet -m mrr
    duckmetrics evaluate ctr.parquet -m auc,log_loss --column label=clicked --by country
    """
    from duckmetrics.api.evaluate import evaluate as compute
    from duckmetrics.cli.output import write
    from duckmetrics.results.gates import failures, read_gates

    format_ = checked_files(options)
    if options["baseline"] is not None and options["movers"] is None:
        raise click.UsageError("--baseline: is for --movers; 'duckmetrics compare' compares with a baseline")
    predictions, truth, system = tables_of(options)
    gates = read_gates(options["gates"])
    engine = engine_of(options)
    result = compute(
        predictions,
        truth,
        options["metrics"],
        system=system,
        engine=engine,
        verify=options["verify"],
        **shared_arguments(compute, options),
    )
    failed = failures(gates, result.rows, result.canonical)
    also = write_beside(result, result, options)
    write_to(options, format_, lambda path: write(result, format_, path, options["wide"]), engine, also)
    if not all(verification.agrees for verification in result.verified):
        sys.exit(GATE_FAILED)
    exit_if(failed)


@click.command(short_help="Print a table of a classifier, such as its ROC curve.")
@click.argument("curve", metavar="TABLE", shell_complete=completion.tables)
@click.argument("predictions", shell_complete=completion.files)
@click.option("--by", multiple=True, metavar="COLUMN", help="A curve for each combination of these columns.")
@click.option("--system", metavar="COLUMN", help="The column that names the system.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME=YOURS",
    help="Map a column: label=clicked, score=pctr.",
)
@with_options(LAYOUT, POSITIVE)
@click.option(
    "--set",
    "params",
    multiple=True,
    metavar="PARAM=VALUE[,VALUE…]",
    help="Set a parameter: points=200, threshold=0.3,0.5.",
    shell_complete=completion.table_parameters,
)
@with_options(ENGINE, MASTER, *OUTPUT_AND_ENGINE)
def curve(**options: Any) -> None:
    """Print the rows of TABLE, such as roc_curve, of the classifier that made PREDICTIONS.

    PREDICTIONS has the columns label and score; 'duckmetrics metrics' lists the tables.

    \b
    duckmetrics curve roc_curve ctr.parquet --column label=clicked -o roc.parquet
    duckmetrics curve "calibration_curve(bins=20)" ctr.parquet --by country
    """
    from duckmetrics.api.evaluate import curve as compute
    from duckmetrics.cli.output import write_rows

    format_ = checked_files(options, known=False)
    engine = engine_of(options)
    pairs = pairs_of("--set", options["params"])
    params: dict[str, Any] = {name: text.split(",") if "," in text else text for name, text in pairs.items()}
    rows = compute(
        options["predictions"],
        options["curve"],
        system=options["system"],
        by=groupings_of(options["by"], ()),
        columns=columns_of(options["columns"]),
        **readings_of(options),
        engine=engine,
        **params,
    )
    write_to(options, format_, lambda path: write_rows(rows, format_, path, "curve"), engine)
