"""``duckmetrics ab``: is the treated variant better than the control?"""

from __future__ import annotations

from typing import Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import engine_of, pairs_of
from duckmetrics.cli.files import checked_files, write_to
from duckmetrics.cli.options import OUTPUT_AND_ENGINE, with_options
from duckmetrics.expressions.visible import visible


@click.command()
@click.argument("data", metavar="TABLE", shell_complete=completion.files)
@click.option(
    "--variant", metavar="COLUMN", required=True, help="The column that names the variant of a unit."
)
@click.option("--control", metavar="NAME", help="The variant that the others are compared with.")
@click.option(
    "-m", "--metric", "metrics", multiple=True, required=True, metavar="COLUMN | COLUMN/COLUMN[,…]",
    help="Means or proportions (a column), and ratios of sums (numerator/denominator).",
)  # fmt: skip
@click.option(
    "--shares", multiple=True, metavar="NAME=SHARE[,…]", help="Planned shares.  [default: all equal]"
)
@click.option(
    "--pre", multiple=True, metavar="METRIC=COLUMN",
    help="The same quantity from before the experiment; CUPED removes the variance that it explains.",
)  # fmt: skip
@click.option("--lower-is-better", multiple=True, metavar="METRIC[,…]", help="Metrics where lower is better.")
@click.option(
    "--adjust", default="holm", show_default=True, metavar="METHOD",
    help="holm, benjamini_hochberg, bonferroni, …, or none; over all comparisons.",
)  # fmt: skip
@click.option("--interval", type=float, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="A verdict needs an adjusted p below this."
)
@with_options(*OUTPUT_AND_ENGINE)
def ab(**options: Any) -> None:
    """Compare the variants of an experiment with the control.

    Each row of TABLE is one unit that was assigned to a variant, such as a user. The numbers of units are
    checked first (sample ratio). Then, for every metric and treated variant: both values, the change with
    its interval, the relative change, p adjusted for the number of comparisons, and a verdict; below, the
    smallest change that the test would probably find. --format plain has all columns. A column is a mean
    (Welch's t-test), one of only 0 and 1 a proportion (z-test), numerator/denominator a ratio of sums
    (jackknife over units).

    \b
    duckmetrics ab users.parquet --variant variant --control A -m revenue,clicks/sessions,converted
    duckmetrics ab users.parquet --variant variant --control A -m revenue --pre revenue=revenue_before
    duckmetrics ab users.parquet --variant variant --control A -m errors --lower-is-better errors
    """
    from duckmetrics.api.ab import ab as compute
    from duckmetrics.cli.output import write_experiment

    format_ = checked_files(options)
    shares = [part for text in options["shares"] for part in text.split(",")]
    names = ("variant", "control", "metrics", "lower_is_better", "adjust", "interval", "alpha")
    engine = engine_of(options)
    result = compute(
        options["data"],
        connection=engine,
        shares=pairs_of("--shares", shares) or None,
        pre=pairs_of("--pre", options["pre"]),
        **{name: options[name] for name in names},
    )
    write_to(options, format_, lambda path: write_experiment(result, format_, path), engine)
    # On the screen they stand below the table.
    if options["output"] is not None or format_ in ("csv", "json", "plain"):
        for warning in result.warnings:
            click.echo(visible(f"warning: {warning}"), err=True)
