"""``duckmetrics metrics``, ``checks``, ``layouts``, ``presets``, ``dialects``: what there is, explained."""

from __future__ import annotations

import sys

import click

from duckmetrics.cli import completion
from duckmetrics.cli.exit_codes import GATE_FAILED


@click.command(short_help="List the tools that --like can follow, or explain one.")
@click.argument("name", required=False, shell_complete=completion.tools)
@click.option("--all", "all_", is_flag=True, help="Explain all of them, as Markdown.")
def presets(name: str | None, all_: bool) -> None:
    """List the tools whose conventions --like can follow, or explain one.

    \b
    duckmetrics presets
    duckmetrics presets trec_eval
    """
    from duckmetrics.catalog.presets import page, pages, preset
    from duckmetrics.catalog.presets import presets as every

    if all_:
        click.echo(pages(), nl=False)
    elif name is None:
        width = max(map(len, every()))
        for tool in every().values():
            click.echo(f"{tool.name:<{width}}  {tool.tool}")
        click.echo("\nduckmetrics presets NAME explains one")
    else:
        click.echo(page(preset(name)), nl=False)


@click.command(short_help="List the tools whose tables are recognized, or explain one.")
@click.argument("name", required=False, shell_complete=completion.layouts)
@click.option("--all", "all_", is_flag=True, help="Explain all of them, as Markdown.")
def layouts(name: str | None, all_: bool) -> None:
    """List the tools whose tables are read without a mapping of columns, or explain one.

    \b
    duckmetrics layouts
    duckmetrics layouts rectools
    """
    from duckmetrics.catalog.layouts import layout, listed, page, pages

    if all_:
        click.echo(pages(), nl=False)
    elif name is None:
        click.echo("\n".join(listed()))
    else:
        click.echo(page(layout(name)), nl=False)


@click.command(short_help="List the metrics, explain one, or start your own.")
@click.argument("name", required=False, shell_complete=completion.explained)
@click.option(
    "--check", "checked", multiple=True, metavar="FILE.sql | FOLDER",
    help="Try metrics of your own on a few rows, and show the values.", shell_complete=completion.files,
)  # fmt: skip
@click.option("--new", metavar="NAME", help="Write NAME.sql, a metric of your own to start from.")
@click.option(
    "--like", default="recall", show_default=True, metavar="METRIC",
    help="With --new: the metric that the file starts as.", shell_complete=completion.explained,
)  # fmt: skip
@click.option(
    "--definitions", multiple=True, metavar="FILE.sql | FOLDER", help="Metrics of your own to list, too.",
    shell_complete=completion.files,
)  # fmt: skip
def metrics(
    name: str | None, checked: tuple[str, ...], new: str | None, like: str, definitions: tuple[str, ...]
) -> None:
    """List the metrics, or explain one: its meaning, use, formula, source, parameters and SQL.

    \b
    duckmetrics metrics
    duckmetrics metrics ndcg
    duckmetrics metrics classification.precision
    duckmetrics metrics --new revenue_hit --like recall
    duckmetrics metrics --check revenue_hit.sql
    """
    from duckmetrics.api.catalogue import describe
    from duckmetrics.api.definitions import new_definition, tried
    from duckmetrics.catalog.catalog import add
    from duckmetrics.cli.output import print_catalog

    add(definitions)
    if new is not None:
        click.echo(
            f"{new_definition(new, like)}: edit it, then try it: duckmetrics metrics --check {new}.sql"
        )
    elif checked:
        found = list(tried(checked))
        click.echo("\n".join(line for line, _ in found))
        if not all(works for _, works in found):
            sys.exit(GATE_FAILED)
    elif name is None:
        print_catalog()
    else:
        click.echo(describe(name))


@click.command(short_help="List the checks of data, or explain one.")
@click.argument("name", required=False, shell_complete=completion.checks)
def checks(name: str | None) -> None:
    """List the checks of data, or explain one: its severity, the metrics that need it, advice and SQL.

    \b
    duckmetrics checks
    duckmetrics checks tied_score
    """
    from duckmetrics.api.catalogue import describe
    from duckmetrics.cli.output import print_checks

    if name is None:
        print_checks()
    else:
        click.echo(describe(name))


@click.command(short_help="List the engines that SQL can be written for.")
@click.option("--all", "all_", is_flag=True, help="Show the engines of every metric, as Markdown.")
def dialects(all_: bool) -> None:
    """List the engines that SQL can be written for, and the engines that the tests run.

    \b
    duckmetrics dialects
    duckmetrics dialects --all
    """
    from duckmetrics.compose.dialects import DIALECTS

    if all_:
        from duckmetrics.cli.support import page

        click.echo(page(), nl=False)
        return
    for dialect in DIALECTS.values():
        click.echo(f"{dialect.name:<12}{dialect.engine:<20}{dialect.tested}")
