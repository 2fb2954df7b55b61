"""``duckmetrics compare``, ``leaderboard`` and ``report``: which system is better, and which is the best?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import answer_of, compared_tables, engine_of, pairs_of, tables_of
from duckmetrics.cli.config import Several
from duckmetrics.cli.files import checked_files, write_beside, write_to
from duckmetrics.cli.options import (
    ADJUST,
    ALLOW_DIFFERENT,
    ALPHA,
    ATTACH,
    BASELINE,
    CHUNKS,
    CLASSES,
    CONFIG,
    DATABASE,
    ENGINE,
    INIT,
    INPUTS,
    LIKE,
    LOGGED,
    MARGIN,
    MASTER,
    MEMORY_LIMIT,
    METRIC,
    OUTPUT_AND_ENGINE,
    POSITIVE,
    SCORE,
    SLICES,
    SLICES_AND_INFERENCE,
    SNAPSHOT,
    TABLES,
    TEMP_DIRECTORY,
    TEST,
    THREADS,
    TIME_ZONE,
    UNPAIRED,
    VALUES,
    WHOLE,
    with_options,
)
from duckmetrics.cli.places import publish
from duckmetrics.cli.runs import asked_gates, exit_by, gate_outcomes
from duckmetrics.engines.targets import RULE, WITH_PICTURES, page_file
from duckmetrics.inputs.interval_options import LEVEL

# The options of a report, which writes one file.
LIMITS = (THREADS, MEMORY_LIMIT, TEMP_DIRECTORY, DATABASE, INIT, ATTACH, SNAPSHOT, TIME_ZONE, CONFIG)
HTML = "html"
# The options of files that a report does not write.
NO_FILES = dict.fromkeys(("per_query", "per_query_table", "movers", "output_table", "run_id"))


@click.command(short_help="Compare systems with a baseline and test each difference.")
@click.argument("predictions", nargs=-1, cls=Several, shell_complete=completion.files)
@with_options(METRIC, *INPUTS, POSITIVE, SCORE, CLASSES, LIKE, *SLICES_AND_INFERENCE)
@with_options(TEST, ADJUST, ALPHA)
@click.option("--power", type=float, default=0.8, show_default=True, help="The power of the column mde.")
@with_options(MARGIN, ALLOW_DIFFERENT)
@with_options(UNPAIRED)
@click.option(
    "--pairs/--no-pairs", "pairs", default=None,
    help="Compare every pair of systems; the letters after a value name the systems that it beats.  "
    "[default: --pairs with --test tukey]",
)  # fmt: skip
@click.option(
    "--planned", type=click.IntRange(min=1), metavar="N",
    help="With --test always_valid: the number of queries or clusters at which its intervals are the "
    "tightest.  [default: 1000]",
)  # fmt: skip
@with_options(WHOLE, ENGINE, MASTER, *OUTPUT_AND_ENGINE)
def compare(**options: Any) -> None:
    """Compare systems with a baseline: which differences are larger than chance explains?

    Each of PREDICTIONS is a system, named after its file. If one table holds all systems, use --system
    COLUMN. To name each system, use --system NAME=TABLE. Without -m, rankings are compared by ndcg@10 and
    classifiers by auc.

    The first line is the verdict. Then, every system and metric has a row: both values, the change with its
    interval, a drawing of the interval, and a verdict. A verdict is ▲ better, ▼ worse, ○ unclear, ◆ different
    or – not tested; with --margin also ≈ equivalent, △ not worse or ◇ inconclusive. With --by, the slices of
    the first metric follow, the worst first.

    --format plain and files have all columns: effect size, wins, ties and losses, p adjusted for the number
    of comparisons, and the smallest difference that the test can detect (mde). -o FILE.html writes the
    report of one page.

    \b
    duckmetrics compare old.parquet new.parquet --truth truth.parquet -m ndcg@10,mrr
    duckmetrics compare old.parquet new.parquet --truth truth.parquet -m ndcg@10 --margin 1%
    duckmetrics compare runs.parquet --system model --baseline bm25 --truth truth.parquet -m ndcg@10
    duckmetrics compare runs.parquet --system model --pairs --truth truth.parquet -m ndcg@10,mrr
    duckmetrics compare --system A=a.parquet --system B=b.parquet -m auc,log_loss --cluster user_id
    duckmetrics compare log.parquet --system country --baseline US -m auc --cluster user_id --unpaired
    duckmetrics compare old.parquet new.parquet --truth truth.parquet -m ndcg@10 \\
        --fail-if "ndcg@10 delta_lower < -0.005" --movers movers.csv
    """
    from duckmetrics.api.functions import compare as compute
    from duckmetrics.cli.output import print_findings, write_comparison

    format_ = checked_files(options)
    predictions, truth, system = compared_tables(options)
    gates = asked_gates(options)
    if isinstance(system, str) and options["baseline"] is None and (gates or options["movers"]):
        raise click.UsageError(
            "--fail-if and --movers look at differences to a baseline; add --baseline SYSTEM"
        )
    if options["unpaired"] and options["movers"]:
        raise click.UsageError("--movers compares each query with itself; leave it or --unpaired out")
    engine = engine_of(options)
    result = answer_of(compute, options, engine, (predictions, truth, system))
    told = gate_outcomes(gates, result, result.evaluation, options)
    also = write_beside(result, result.evaluation, options, engine)
    write_to(
        options,
        format_,
        lambda path: write_comparison(result, format_, path, options["whole"]),
        engine,
        also,
    )
    print_findings(result.checks, format_)
    publish(options, lambda: result.shown(options["whole"], every=False), result.checks, told, result)
    exit_by(told)


@click.command(short_help="Rank all systems, and show which of them no test distinguishes.")
@click.argument("predictions", nargs=-1, cls=Several, shell_complete=completion.files)
@with_options(METRIC, *INPUTS, POSITIVE, SCORE, CLASSES, LIKE, *SLICES, *LOGGED, *VALUES, CHUNKS)
@with_options(TEST, ADJUST, ALPHA, MARGIN, ALLOW_DIFFERENT, WHOLE, ENGINE, MASTER, *OUTPUT_AND_ENGINE)
def leaderboard(**options: Any) -> None:
    """Rank all systems, the best first, and test every pair of them.

    Each of PREDICTIONS is a system, named after its file. If one table holds all systems, use --system
    COLUMN. To name each system, use --system NAME=TABLE. Systems that share a letter cannot be
    distinguished. Every system and metric has a row: the value with its interval, the range of the true
    rank, the difference to the best system with p adjusted for the number of pairs, and the chance to be
    the best. With --margin, the verdicts also show which systems are equivalent to the best one.
    -o FILE.svg writes a chart of the first metric, and -o FILE.html a report of one page.

    \b
    duckmetrics leaderboard a.parquet b.parquet c.parquet --truth truth.parquet -m ndcg@10,map
    duckmetrics leaderboard runs.parquet --system model --truth truth.parquet -m ndcg@10 --format latex
    duckmetrics leaderboard --system A=a.parquet --system B=b.parquet -m auc --cluster user_id
    """
    from duckmetrics.api.functions import leaderboard as compute
    from duckmetrics.cli.output import print_findings, write_leaderboard

    format_ = checked_files(options, suffixes=WITH_PICTURES)
    tables, engine = compared_tables(options), engine_of(options)
    result = answer_of(compute, options, engine, tables)
    also = write_beside(result, result.evaluation, {**options, "movers": None}, engine)
    whole = options["whole"]
    write_to(options, format_, lambda path: write_leaderboard(result, format_, path, whole), engine, also)
    print_findings(result.checks, format_)
    publish(options, lambda: result.shown(whole), result.checks)


@click.command(short_help="Write a report of one page: verdict, slices, charts, findings.")
@with_options(*TABLES, METRIC, *INPUTS, POSITIVE, SCORE, CLASSES, LIKE, *SLICES)
@with_options(BASELINE, CHUNKS, TEST, ADJUST, ALPHA, MARGIN, ALLOW_DIFFERENT, UNPAIRED)
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
@click.option(
    "--trend", type=click.Path(path_type=Path), metavar="FILE.duckdb | FOLDER",
    help="Show how the metrics developed over the runs of this log.", shell_complete=completion.files,
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
    output = page_file(options["output"])
    checked_files({**options, **NO_FILES, "format_": HTML})
    tables, engine = tables_of(options), engine_of(options)
    answer = _compared if _is_comparison(options, tables[2]) else _evaluated
    shown = {"title": options["title"], "ids": not options["no_ids"], "trend": _trend(options["trend"])}
    made = answer(tables, engine, options, shown)
    click.echo(f"{output}: {made.verdict}")


def _trend(log: Path | None) -> Any:
    """Return the trend over a log; None if none is asked for."""
    if log is None:
        return None
    from duckmetrics.api.runs import trend

    return trend(log)


def _is_comparison(options: dict[str, Any], system: str | dict[str, str] | None) -> bool:
    """Return whether there are several systems."""
    several = isinstance(system, str) or (system is not None and len(system) > 1)
    return several or len(options["scores"]) > 1 or options["baseline"] is not None


def _compared(tables: tuple[Any, ...], engine: Any, options: dict[str, Any], shown: dict[str, Any]) -> Any:
    from duckmetrics.api.functions import compare as compute

    result = answer_of(compute, options, engine, tables)
    others = [dict(pairs_of("--otherwise", text.split(","))) for text in options["otherwise"]]
    return result.report(options["output"], otherwise=others or None, **shown)


def _evaluated(tables: tuple[Any, ...], engine: Any, options: dict[str, Any], shown: dict[str, Any]) -> Any:
    from duckmetrics.api.functions import evaluate as compute

    for name in ("test", "adjust", "otherwise", "margin", "allow_different", "unpaired"):
        if options[name]:
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option}: is for several systems; name them with --system")
    level = LEVEL if options["interval"] is None else options["interval"]
    result = answer_of(compute, options, engine, tables, interval=level)
    return result.report(options["output"], **shown)
