"""``duckmetrics chart``: a picture of a result, as SVG or HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import engine_of, pairs_of, shared_arguments, tables_of
from duckmetrics.cli.files import checked_picture
from duckmetrics.cli.options import (
    ATTACH,
    BY,
    BY_EACH,
    CHUNKS,
    CLUSTER,
    CONFIG,
    DATABASE,
    INIT,
    INPUTS,
    INTERVAL,
    INTERVAL_METHOD,
    LIKE,
    MEMORY_LIMIT,
    OPTIONAL_METRIC,
    POSITIVE,
    QUERIES,
    RESAMPLES,
    SCORE,
    SEED,
    SNAPSHOT,
    TABLES,
    TEMP_DIRECTORY,
    THREADS,
    with_options,
)
from duckmetrics.engines import outputs

if TYPE_CHECKING:
    from duckmetrics.charts.chart import Chart

# The level of the intervals that a chart shows, if the caller names none.
LEVEL = 0.95
WITH_INTERVALS = ("intervals", "slices", "calibration_by_slice")


@click.command(short_help="Draw a result as SVG or HTML.")
@click.argument("chart", metavar="CHART", shell_complete=completion.charts)
@with_options(*TABLES, OPTIONAL_METRIC, *INPUTS, POSITIVE, SCORE, LIKE)
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
@with_options(BY, BY_EACH, QUERIES, INTERVAL, INTERVAL_METHOD, CLUSTER, RESAMPLES, SEED, CHUNKS)
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE",
    help=f"The picture, FILE.svg, or a page, FILE.html. {outputs.RULE}",
)  # fmt: skip
@with_options(THREADS, MEMORY_LIMIT, TEMP_DIRECTORY, DATABASE, INIT, ATTACH, SNAPSHOT, CONFIG)
def chart(**options: Any) -> None:
    """Draw CHART of PREDICTIONS, and print its title, which says what is seen.

    Of classifiers: roc_curve, pr_curve, gains_curve, calibration_curve, score_histogram,
    calibration_by_slice. Of rankings: at_k, and with --baseline differences. Of both: intervals, all
    metrics, and slices. With --baseline, intervals and slices show the change and its verdict.

    \b
    duckmetrics chart roc_curve ctr.parquet --column label=clicked -o roc.svg
    duckmetrics chart at_k run.parquet truth.parquet -m ndcg --k 1,5,10,20 -o ndcg.svg
    duckmetrics chart intervals --system A=a.parquet --system B=b.parquet truth.parquet \\
        --baseline A -m ndcg@10,mrr -o change.svg
    """
    from duckmetrics.pictures.of_comparisons import DIFFERENCES, OF_COMPARISONS
    from duckmetrics.pictures.of_evaluations import known_name

    known_name(options["chart"], OF_COMPARISONS)
    format_ = checked_picture(options)
    if options["baseline"] is None and options["chart"] == DIFFERENCES:
        raise click.UsageError("differences are to a baseline; add --baseline SYSTEM")
    if options["baseline"] is None and options["shown"] is not None:
        raise click.UsageError("--of: is for comparisons; add --baseline SYSTEM")
    drawn = _chart(options)
    with outputs.replacing(options["output"], format_) as draft:
        outputs.write_text(draft, drawn.page() if format_ == "html" else drawn.svg())
    click.echo(repr(drawn))


def _chart(options: dict[str, Any]) -> Chart:
    """Compute the result that a chart shows, and draw it."""
    from duckmetrics.api.compare import compare
    from duckmetrics.api.evaluate import evaluate

    predictions, truth, system = tables_of(options)
    engine, metrics = engine_of(options), options["metrics"] or None
    params: dict[str, Any] = pairs_of("--param", options["params"])
    cutoffs = None if options["cutoffs"] is None else cutoffs_of(options["cutoffs"])
    if options["baseline"] is not None:
        result: Any = compare(
            predictions, truth, metrics, system=system, connection=engine, baseline=options["baseline"],
            **shared_arguments(compare, options),
        )  # fmt: skip
        params["system"] = options["shown"]
    else:
        level = LEVEL if options["interval"] is None and options["chart"] in WITH_INTERVALS else None
        given = options if level is None else {**options, "interval": level}
        result = evaluate(
            predictions, truth, metrics, system=system, engine=engine, **shared_arguments(evaluate, given)
        )
    drawn: Chart = result.chart(options["chart"], k=cutoffs, **params)
    for note in result.notes():
        click.echo(note, err=True)
    return drawn


def cutoffs_of(text: str) -> list[int]:
    """Read --k."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--k {text!r}: write cut-offs, such as --k 1,5,10") from None
