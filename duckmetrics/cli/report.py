"""``duckmetrics report``: one HTML page to mail, of an evaluation or a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from duckmetrics.cli.arguments import engine_of, pairs_of, shared_arguments, tables_of
from duckmetrics.cli.files import checked_files
from duckmetrics.cli.options import (
    ATTACH,
    BASELINE,
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
from duckmetrics.engines.outputs import RULE
from duckmetrics.errors import InputError

SLICES = (BY, BY_EACH, QUERIES, INTERVAL, INTERVAL_METHOD, CLUSTER, RESAMPLES, SEED, BASELINE, CHUNKS)
LIMITS = (THREADS, MEMORY_LIMIT, TEMP_DIRECTORY, DATABASE, INIT, ATTACH, SNAPSHOT, CONFIG)
# The level of intervals if none is given: a report shows how sure a value is.
LEVEL = 0.95
HTML = "html"
SUFFIXES = (".html", ".htm")
# The options of files that a report does not write.
NO_FILES = dict.fromkeys(("per_query", "per_query_table", "movers", "output_table", "run_id"))


@click.command(short_help="Write a report of one page: verdict, slices, charts, findings.")
@with_options(*TABLES, OPTIONAL_METRIC, *INPUTS, POSITIVE, SCORE, LIKE, *SLICES)
@click.option(
    "--test", metavar="TEST", help="The test of differences, as for 'compare'.  [default: paired t]"
)
@click.option("--adjust", metavar="METHOD", help="The correction of p, as for 'compare'.  [default: holm]")
@click.option("--alpha", type=float, help="A verdict needs an adjusted p below this.  [default: 0.05]")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE.html", default=Path("report.html"),
    show_default=True, help=f"The file of the report. {RULE}",
)  # fmt: skip
@click.option("--title", metavar="TEXT", help="The title of the page.")
@click.option("--no-ids", is_flag=True, help="Leave the ids of queries and items out of the page.")
@click.option(
    "--otherwise", multiple=True, metavar="SWITCH=VALUE[,…]",
    help="Recount the verdict under other conventions: unjudged=skip, ties=pessimistic.",
)  # fmt: skip
@with_options(*LIMITS)
def report(**options: Any) -> None:
    """Write a report of PREDICTIONS against TRUTH, or against their own labels, as one HTML file.

    The page has the verdict first, then every metric and slice with its interval, charts, the findings
    of all checks, the conventions and the SQL. It loads nothing and runs no script: mail it, print it.
    Several systems are compared with --baseline, by default the first of --system NAME=TABLE.

    \b
    duckmetrics report run.parquet truth.parquet -m ndcg@10,mrr
    duckmetrics report truth.parquet --system old=a.parquet --system new=b.parquet -m ndcg@10 --by country
    duckmetrics report runs.parquet truth.parquet --system model --baseline bm25 -m ndcg@10 -o bm25.html
    """
    output: Path = options["output"]
    if output.suffix.lower() not in SUFFIXES:
        raise InputError(output, "a report is a page of HTML", f"call it {output.stem or 'report'}.html")
    checked_files({**options, **NO_FILES, "format_": HTML})
    predictions, truth, system = tables_of(options)
    engine = engine_of(options)
    shown = {"title": options["title"], "ids": not options["no_ids"]}
    asked = {"metrics": options["metrics"] or None, "system": system, "connection": engine}
    if _is_comparison(options, system):
        made = _compared(predictions, truth, asked, options, shown)
    else:
        made = _evaluated(predictions, truth, asked, options, shown)
    click.echo(f"{output}: {made.verdict}")


def _is_comparison(options: dict[str, Any], system: str | dict[str, str] | None) -> bool:
    """Return whether there are several systems."""
    several = isinstance(system, str) or (system is not None and len(system) > 1)
    return several or len(options["scores"]) > 1 or options["baseline"] is not None


def _compared(predictions: Any, truth: Any, asked: Any, options: dict[str, Any], shown: Any) -> Any:
    from duckmetrics.api.compare import compare as compute

    names = ("baseline", "test", "adjust", "alpha")
    chosen = {name: options[name] for name in names if options[name] is not None}
    result = compute(predictions, truth, **asked, **chosen, **shared_arguments(compute, options))
    others = [dict(pairs_of("--otherwise", text.split(","))) for text in options["otherwise"]]
    return result.report(options["output"], otherwise=others or None, **shown)


def _evaluated(predictions: Any, truth: Any, asked: Any, options: dict[str, Any], shown: Any) -> Any:
    from duckmetrics.api.evaluate import evaluate as compute

    for name in ("test", "adjust", "alpha", "otherwise"):
        if options[name]:
            raise click.UsageError(f"--{name}: is for several systems; name them with --system")
    shared = {"interval": LEVEL, **shared_arguments(compute, options)}
    result = compute(predictions, truth, **asked, **shared)
    return result.report(options["output"], **shown)
