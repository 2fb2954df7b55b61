"""``duckmetrics metrics``, ``checks``, ``layouts``, ``presets``, ``dialects``: what there is, explained."""

from __future__ import annotations

import click

from duckmetrics.cli import completion


@click.command()
@click.argument("name", required=False, shell_complete=completion.tools)
@click.option("--all", "all_", is_flag=True, help="Explain all of them, as Markdown.")
def presets(name: str | None, all_: bool) -> None:
    """List the tools whose conventions can be taken with --like, or explain one."""
    from duckmetrics.presets.presets import page, pages, preset
    from duckmetrics.presets.presets import presets as every

    if all_:
        click.echo(pages(), nl=False)
    elif name is None:
        width = max(map(len, every()))
        for tool in every().values():
            click.echo(f"{tool.name:<{width}}  {tool.tool}")
        click.echo("\nduckmetrics presets NAME explains one")
    else:
        click.echo(page(preset(name)), nl=False)


@click.command()
@click.argument("name", required=False, shell_complete=completion.layouts)
@click.option("--all", "all_", is_flag=True, help="Explain all of them, as Markdown.")
def layouts(name: str | None, all_: bool) -> None:
    """List the tools whose tables are read without a mapping of columns, or explain one."""
    from duckmetrics.layouts.layouts import layout
    from duckmetrics.layouts.pages import listed, page, pages

    if all_:
        click.echo(pages(), nl=False)
    elif name is None:
        click.echo("\n".join(listed()))
    else:
        click.echo(page(layout(name)), nl=False)


@click.command()
@click.argument("name", required=False, shell_complete=completion.explained)
def metrics(name: str | None) -> None:
    """List the metrics, or explain one: formula, source, range, parameters with each value, and SQL."""
    from duckmetrics.api.catalogue import describe
    from duckmetrics.cli.output import print_catalog

    if name is None:
        print_catalog()
    else:
        click.echo(describe(name))


@click.command()
@click.argument("name", required=False, shell_complete=completion.checks)
def checks(name: str | None) -> None:
    """List the checks of data, or explain one: severity, metrics that need it, advice and SQL."""
    from duckmetrics.api.catalogue import describe
    from duckmetrics.cli.output import print_checks

    if name is None:
        print_checks()
    else:
        click.echo(describe(name))


@click.command()
@click.option("--all", "all_", is_flag=True, help="Show the engines of every metric, as Markdown.")
def dialects(all_: bool) -> None:
    """List the engines that SQL can be written for, and which of them the tests run."""
    from duckmetrics.dialects import DIALECTS

    if all_:
        from duckmetrics.cli.support import page

        click.echo(page(), nl=False)
        return
    for dialect in DIALECTS.values():
        click.echo(f"{dialect.name:<12}{dialect.engine:<20}{dialect.tested}")
