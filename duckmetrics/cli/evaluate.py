"""``duckmetrics evaluate``, ``curve`` and ``chart``: metrics, tables such as the ROC curve, and pictures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import answer_of, engine_of, pairs_of, read_options, tables_of
from duckmetrics.cli.exit_codes import GATE_FAILED
from duckmetrics.cli.files import checked_files, checked_picture, write_beside, write_to
from duckmetrics.cli.options import (
    AS_OF,
    ATTACH,
    BY,
    BY_EACH,
    CHUNKS,
    CLASSES,
    CLUSTER,
    CONFIG,
    DATABASE,
    DEFINITIONS,
    ENGINE,
    INIT,
    INPUTS,
    INTERVAL,
    INTERVAL_METHOD,
    LAYOUT,
    LIKE,
    MASTER,
    MEMORY_LIMIT,
    METRIC,
    OUTPUT_AND_ENGINE,
    POSITIVE,
    QUERIES,
    RESAMPLES,
    SCORE,
    SEED,
    SIDE_TABLES,
    SLICES_AND_INFERENCE,
    SNAPSHOT,
    TABLES,
    TEMP_DIRECTORY,
    THREADS,
    TIME_ZONE,
    VERSION,
    WHERE,
    WIDE,
    with_options,
)
from duckmetrics.cli.places import publish
from duckmetrics.cli.runs import asked_gates, exit_by, gate_outcomes
from duckmetrics.engines import targets
from duckmetrics.inputs.interval_options import LEVEL

if TYPE_CHECKING:
    from duckmetrics.pages.chart import Chart

# The charts that show intervals, also if the caller names no level.
WITH_INTERVALS = ("intervals", "slices", "calibration_by_slice")


@click.command(short_help="Compute metrics of rankings or classifiers.")
@with_options(*TABLES, METRIC, *INPUTS, POSITIVE, SCORE, CLASSES, LIKE, *SLICES_AND_INFERENCE)
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
    from duckmetrics.api.functions import evaluate as compute
    from duckmetrics.cli.output import write

    format_ = checked_files(options)
    if options["baseline"] is not None and options["movers"] is None:
        raise click.UsageError("--baseline: is for --movers; 'duckmetrics compare' compares with a baseline")
    tables = tables_of(options)
    gates = asked_gates(options)
    engine = engine_of(options)
    result = answer_of(compute, options, engine, tables)
    told = gate_outcomes(gates, result, result, options)
    also = write_beside(result, result, options, engine)
    write_to(options, format_, lambda path: write(result, format_, path, options["wide"]), engine, also)
    publish(options, lambda: result.shown(options["wide"], every=False), result.checks, told, result)
    if not all(verification.agrees for verification in result.verified):
        sys.exit(GATE_FAILED)
    exit_by(told)


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
@with_options(DEFINITIONS, LAYOUT, POSITIVE, SCORE, CLASSES, WHERE, VERSION, AS_OF)
@click.option(
    "--set",
    "--param",
    "params",
    multiple=True,
    metavar="PARAM=VALUE[,VALUE…]",
    help="Set a parameter: points=200, threshold=0.3,0.5, edges=[0,0.01,0.2,1].",
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
    from duckmetrics.api.functions import curve as compute
    from duckmetrics.cli.output import shown_rows, write_rows

    format_ = checked_files(options, known=False)
    engine = engine_of(options)
    pairs = pairs_of("--set", options["params"])
    params: dict[str, Any] = {
        name: text.split(",") if "," in text and text[:1] != "[" else text for name, text in pairs.items()
    }
    rows = compute(
        options["predictions"],
        options["curve"],
        system=options["system"],
        engine=engine,
        **read_options(compute, options),
        **params,
    )
    write_to(options, format_, lambda path: write_rows(rows, format_, path, "curve"), engine)
    publish(options, lambda: shown_rows(rows))


@click.command(short_help="Draw a result as SVG or HTML.")
@click.argument("chart", metavar="CHART", shell_complete=completion.charts)
@with_options(*TABLES, METRIC, *INPUTS, POSITIVE, SCORE, CLASSES, LIKE)
@click.option(
    "--baseline", metavar="SYSTEM",
    help="Compare with this system: intervals and slices show changes with a verdict, and curves draw it "
    "dashed.",
)  # fmt: skip
@click.option(
    "--of", "shown", metavar="SYSTEM", help="The system of a chart that shows one, with --baseline."
)
@click.option("--k", "cutoffs", metavar="K[,K…]", help="The cut-offs of at_k, at most 50, such as 1,5,10.")
@click.option(
    "--param", "params", multiple=True, metavar="PARAM=VALUE",
    help="Set a parameter of the table behind a curve: bins=20, binning=width.",
)  # fmt: skip
@with_options(BY, BY_EACH, QUERIES, *SIDE_TABLES, INTERVAL, INTERVAL_METHOD, CLUSTER, RESAMPLES, SEED, CHUNKS)
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE",
    help=f"The picture, FILE.svg, or a page, FILE.html. {targets.RULE}",
)  # fmt: skip
@with_options(THREADS, MEMORY_LIMIT, TEMP_DIRECTORY, DATABASE, INIT, ATTACH, SNAPSHOT, TIME_ZONE, CONFIG)
def chart(**options: Any) -> None:
    """Draw CHART of PREDICTIONS, and print its title, which says what is seen.

    Of classifiers: roc_curve, pr_curve, gains_curve, calibration_curve, ecce_curve, corp_curve,
    score_histogram, calibration_by_slice. Of several classes: confusion_matrix. Of rankings: at_k, and with
    --baseline differences. Of all: intervals, all metrics, and slices. With --baseline, intervals and slices
    show the change and its verdict.

    \b
    duckmetrics chart roc_curve ctr.parquet --column label=clicked -o roc.svg
    duckmetrics chart at_k run.parquet truth.parquet -m ndcg --k 1,5,10,20 -o ndcg.svg
    duckmetrics chart intervals --system A=a.parquet --system B=b.parquet truth.parquet \\
        --baseline A -m ndcg@10,mrr -o change.svg
    """
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.pages.pictures import DIFFERENCES, known_name, names_of_comparisons

    known_name(options["chart"], names_of_comparisons(catalog().charts))
    format_ = checked_picture(options)
    if options["chart"] in catalog().charts:
        _refuse_unread(options)
    if options["baseline"] is None and options["chart"] == DIFFERENCES:
        raise click.UsageError("differences are to a baseline; add --baseline SYSTEM")
    if options["baseline"] is None and options["shown"] is not None:
        raise click.UsageError("--of: is for comparisons; add --baseline SYSTEM")
    drawn = _chart(options)
    with targets.replacing(options["output"], format_) as draft:
        targets.write_text(draft, drawn.page() if format_ == "html" else drawn.svg())
    click.echo(repr(drawn))


def _refuse_unread(options: dict[str, Any]) -> None:
    """Refuse options that a curve does not read, and that would seem to change it."""
    for name, option in {"metrics": "-m", "interval": "--interval", "cluster": "--cluster"}.items():
        if options[name] not in (None, ()):
            raise click.UsageError(f"{options['chart']}: takes no {option}; leave it out")
    if options["by"] or options["by_each"]:
        advice = "draw the rows of a slice with --where; the command curve has the points of all slices"
        raise click.UsageError(f"{options['chart']}: takes no slices; {advice}")


def _chart(options: dict[str, Any]) -> Chart:
    """Compute the result that a chart shows, and draw it."""
    from duckmetrics.api.functions import compare, evaluate

    tables, engine = tables_of(options), engine_of(options)
    params: dict[str, Any] = pairs_of("--param", options["params"])
    cutoffs = None if options["cutoffs"] is None else cutoffs_of(options["cutoffs"])
    if options["baseline"] is not None:
        result: Any = answer_of(compare, options, engine, tables)
        params["system"] = options["shown"]
    else:
        level = LEVEL if options["interval"] is None and options["chart"] in WITH_INTERVALS else None
        result = answer_of(
            evaluate, options if level is None else {**options, "interval": level}, engine, tables
        )
    drawn: Chart = result.chart(options["chart"], k=cutoffs, **params)
    for note in result.lines_below():
        click.echo(note, err=True)
    return drawn


def cutoffs_of(text: str) -> list[int]:
    """Read --k."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--k {text!r}: write cut-offs, such as --k 1,5,10") from None
