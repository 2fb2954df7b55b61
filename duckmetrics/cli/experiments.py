"""``duckmetrics plan`` and ``ab``: plan the units of a comparison, and analyze an A/B test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import (
    answer_of,
    compared_tables,
    engine_of,
    groupings_of,
    one_or_pairs,
    pairs_of,
)
from duckmetrics.cli.config import Several
from duckmetrics.cli.files import checked_files, write_to
from duckmetrics.cli.options import (
    ALLOW_DIFFERENT,
    BASELINE,
    BY,
    BY_EACH,
    CLASSES,
    CLUSTER,
    GIVEN,
    INPUTS,
    JUNIT,
    LIKE,
    LOWER,
    METRIC,
    OUTPUT_AND_ENGINE,
    POSITIVE,
    QUERIES,
    SCORE,
    SIDE_TABLES,
    with_options,
)
from duckmetrics.cli.places import publish
from duckmetrics.cli.runs import exit_by
from duckmetrics.engines.targets import WITH_PICTURES
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence


# The options of a plan that are arguments as they are.
@click.command()
@click.argument("data", metavar="TABLE", shell_complete=completion.files)
@click.option(
    "--variant", metavar="COLUMN", required=True, help="The column that names the variant of a unit."
)
@click.option("--control", metavar="NAME", help="The variant that the others are compared with.")
@click.option(
    "-m", "--metric", "metrics", multiple=True, required=True, metavar="COLUMN | RATIO | QUANTILE[,…]",
    help="Means or proportions (a column), ratios of sums (numerator/denominator), and quantiles: "
    "median(latency), p90(latency).",
)  # fmt: skip
@click.option(
    "--unit", metavar="COLUMN",
    help="The column that identifies a unit, such as user_id: the rows of a unit are summed first.",
)  # fmt: skip
@click.option(
    "--per-unit", multiple=True, metavar="FUNCTION | METRIC=FUNCTION",
    help="With --unit: sum, mean or max of the rows of a unit, for all metrics or for each.  [default: sum]",
)  # fmt: skip
@click.option(
    "--shared-units", type=click.Choice(["error", "drop"]), default="error", show_default=True,
    help="With --unit: refuse units that are in several variants, or leave them out with a warning.",
)  # fmt: skip
@click.option(
    "--shares", multiple=True, metavar="NAME=SHARE[,…]", help="Planned shares.  [default: all equal]"
)
@click.option(
    "--pre", multiple=True, metavar="METRIC=COLUMN",
    help="The same quantity from before the experiment; CUPED removes the variance that it explains.",
)  # fmt: skip
@click.option(
    "--before", metavar="TABLE", shell_complete=completion.files,
    help="With --unit: rows of the same units from before the experiment. CUPED takes the columns of the "
    "metrics, or those of --pre, from there.",
)  # fmt: skip
@click.option(
    "--cap", multiple=True, metavar="METRIC=CAP[,…]",
    help="Values above count as the cap: revenue=99% (a percentile of all units), revenue=500, or both ends: "
    "revenue=1%:99%.",
)  # fmt: skip
@with_options(BY, BY_EACH)
@click.option("--lower-is-better", multiple=True, metavar="METRIC[,…]", help="Metrics where lower is better.")
@click.option(
    "--adjust", default="holm", show_default=True, metavar="METHOD",
    help="holm, benjamini_hochberg, bonferroni, …, or none, for all comparisons together.",
)  # fmt: skip
@click.option("--interval", type=float, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="A verdict needs an adjusted p below this."
)
@click.option(
    "--sequential", is_flag=True,
    help="p, intervals and sample ratio hold at every look: you may look every day, and stop at any time.",
)  # fmt: skip
@click.option(
    "--planned", type=click.IntRange(min=1), metavar="N",
    help="With --sequential: the number of units at which the intervals are the tightest.  [default: 5000]",
)  # fmt: skip
@click.option(
    "--fail-if", "gates", multiple=True, metavar="CONDITION",
    help="Exit code 1 if it holds: 'revenue verdict = worse', 'revenue change < -1%', 'revenue delta_lower < "
    "-0.5'; in a slice: 'revenue verdict by country = worse'. It also fails without a result to trust.",
)  # fmt: skip
@with_options(JUNIT, *OUTPUT_AND_ENGINE)
def ab(**options: Any) -> None:
    """Compare the variants of an experiment with the control.

    Each row of TABLE is one unit that was assigned to a variant, such as a user; with --unit, the rows of a
    unit are summed first. A metric is a column or a ratio. A column is compared by its mean (Welch's t-test).
    If it holds only 0 and 1, it is a proportion (z-test). numerator/denominator is a ratio of sums (jackknife
    over units). median(column) and p90(column) are quantiles (order statistics); with --unit, of all rows. If
    a column such as user_id has several rows per value, or values in several variants, no
    verdict is given without --unit.

    The numbers of units are checked first (sample ratio). Then, every metric and treated variant has a row:
    both values, the change with its interval, the relative change, p adjusted for the number of
    comparisons, and a verdict. A line below shows the smallest change that the test would probably find.
    With --by, the slices of the first metric follow, and a test whether the slices differ. --format plain has
    all columns. -o FILE.html writes a report of one page, and -o FILE.svg the chart of all changes.

    \b
    duckmetrics ab users.parquet --variant variant --control A -m revenue,clicks/sessions,converted
    duckmetrics ab users.parquet --variant variant --control A -m revenue --pre revenue=revenue_before
    duckmetrics ab sessions.parquet --variant variant --control A -m revenue --unit user_id
    duckmetrics ab orders.parquet --variant variant --control A -m revenue --unit user_id --before may.parquet
    duckmetrics ab users.parquet --variant variant --control A -m errors --lower-is-better errors
    duckmetrics ab users.parquet --variant variant --control A -m revenue --by country --cap revenue=99%
    duckmetrics ab users.parquet --variant variant --control A -m revenue --fail-if "revenue verdict = worse"
    duckmetrics ab users.parquet --variant variant --control A -m revenue --sequential --planned 20000
    duckmetrics ab users.parquet --variant variant --control A -m revenue --by country -o report.html
    """
    from duckmetrics.api.ab import ab as compute
    from duckmetrics.cli.output import write_experiment
    from duckmetrics.results.experiment import experiment_gates

    format_ = checked_files(options, suffixes=WITH_PICTURES)
    gates = experiment_gates(options["gates"])
    names = (
        "variant", "control", "metrics", "lower_is_better", "adjust", "interval", "alpha", "sequential",
        "planned", "unit", "shared_units", "before",
    )  # fmt: skip
    engine = engine_of(options)
    result = compute(
        options["data"],
        connection=engine,
        shares=pairs_of("--shares", _parts(options["shares"])) or None,
        pre=pairs_of("--pre", options["pre"]) or None,
        by=groupings_of(options["by"], options["by_each"]),
        cap=pairs_of("--cap", _parts(options["cap"]), "METRIC=CAP") or None,
        per_unit=one_or_pairs("--per-unit", _parts(options["per_unit"]), "METRIC=FUNCTION"),
        **{name: options[name] for name in names},
    )
    told = result.gate_outcomes(gates)
    write_to(options, format_, lambda path: write_experiment(result, format_, path), engine)
    publish(options, result.shown, told=told, warnings=result.warnings)
    # On the screen they stand below the table.
    if options["output"] is not None or format_ in ("csv", "json", "plain"):
        for warning in result.warnings:
            click.echo(visible(f"warning: {warning}"), err=True)
    exit_by(told)


def _parts(texts: Sequence[str]) -> list[str]:
    """Return the parts of options between commas."""
    return [part for text in texts for part in text.split(",")]


@click.command(short_help="Count the queries or users that a comparison needs.")
@click.argument("predictions", nargs=-1, cls=Several, shell_complete=completion.files)
@click.option("--difference", metavar="D", help="The difference to find: 0.005, -0.005, or 1% of the value.")
@click.option(
    "--units",
    type=int,
    metavar="N",
    help="Compute mde and power for N units.  [default: the units in the data]",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="The probability to find the difference."
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="The error rate of all comparisons."
)
@click.option(
    "--comparisons", type=int, metavar="N", help="Number of comparisons.  [default: systems times metrics]"
)
@click.option("--adjust", metavar="METHOD", help="holm, bonferroni, max_t or none.  [default: holm]")
@click.option("--margin", metavar="D", help="Plan a one-sided test that a system is not worse by D.")
@click.option("--unpaired", is_flag=True, help="Plan two arms with different units, as in an A/B test.")
@click.option(
    "--share",
    type=float,
    metavar="S",
    help="With --unpaired or --rate: the share of the control arm.  [default: 0.5]",
)
@click.option("--sd", type=float, metavar="SD", help="Plan from this standard deviation instead of data.")
@click.option("--rate", type=float, metavar="P", help="Plan from this proportion instead of data.")
@click.option(
    "--past", metavar="TABLE", shell_complete=completion.files,
    help="Plan an experiment from units before it: -m names columns and ratios, as for ab; the rows of a "
    "--cluster are summed first.",
)  # fmt: skip
@with_options(
    METRIC, *INPUTS, POSITIVE, SCORE, CLASSES, LIKE, QUERIES, *SIDE_TABLES, GIVEN, LOWER, CLUSTER, BASELINE
)
@with_options(ALLOW_DIFFERENT, *OUTPUT_AND_ENGINE)
def plan(**options: Any) -> None:
    """Count the queries or users that a comparison needs to find a difference.

    Each of PREDICTIONS is a system, as for compare. The plan uses the standard deviation of their
    differences. With one system, it uses the standard deviation of the values, and plans two arms with
    different units. Without predictions, give --sd, --rate, or --past and the metrics of an experiment.

    \b
    duckmetrics plan runs.parquet --system model --baseline A --truth truth.parquet \\
        -m ndcg@10,mrr --difference 0.005
    duckmetrics plan old.parquet new.parquet --truth truth.parquet -m ndcg@10 --difference 1%
    duckmetrics plan clicks.parquet -m ctr --cluster user_id --difference 2%
    duckmetrics plan --sd 0.2 --difference 0.005
    duckmetrics plan --rate 0.03 --difference -2% --share 0.9
    duckmetrics plan --past users.parquet -m revenue/sessions --difference 2%
    """
    from duckmetrics.api.functions import plan as compute
    from duckmetrics.cli.output import write_printed

    format_ = checked_files(options)
    engine = engine_of(options)
    result = answer_of(compute, options, engine, _tables(options))
    write_to(options, format_, lambda path: write_printed(result, format_, path), engine)
    publish(options, result.shown)


def _tables(options: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return predictions, truth and systems; one table is one system, and numbers need none."""
    given = options["predictions"]
    if not given and not options["systems"]:
        return None, options["truth_option"], None
    if len(given) == 1 and not options["systems"] and not options["scores"]:
        return given[0], options["truth_option"], None
    return compared_tables(options)
