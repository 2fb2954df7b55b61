"""``duckmetrics metrics``, ``checks``, ``layouts``, ``presets``, ``dialects``: what there is, explained."""

from __future__ import annotations

import click

from duckmetrics.cli import completion


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


@click.command(short_help="List the metrics, or explain one.")
@click.argument("name", required=False, shell_complete=completion.explained)
def metrics(name: str | None) -> None:
    """List the metrics, or explain one: its meaning, use, formula, source, parameters and SQL.

    \b
    duckmetrics metrics
    duckmetrics metrics ndcg
    duckmetrics metrics classification.precision
    """
    from duckmetrics.api.catalogue import describe
    from duckmetrics.cli.output import print_catalog

    if name is None:
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
