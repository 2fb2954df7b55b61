"""Completion in the shell: each function lists what can stand at a place of the command line.

The catalogue and the presets are read only when the user presses tab.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from click.shell_completion import BashComplete, CompletionItem, add_completion_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import click

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.switches import Switch

# The characters at which bash begins another word.
BREAKS = "=@:"
REPLACED = "@"
FLAGS = ("true", "false")


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Let the shell complete the name of a file; a table can also have another name."""
    return [CompletionItem(incomplete, type="file")]


def folders(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Let the shell complete the name of a folder."""
    return [CompletionItem(incomplete, type="dir")]


def metrics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Complete the last metric of a list such as ``map@10,nd``, or the path of one of the user."""
    if "/" in incomplete and "," not in incomplete:
        return files(ctx, param, incomplete)
    _add_own(ctx)
    return _specs(_metrics("." in incomplete), incomplete)


def metrics_or_table(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """Complete a metric or a table whose SQL is asked for."""
    _add_own(ctx)
    return _specs({**_metrics("." in incomplete), **_tables()}, incomplete)


def explained(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Complete the name of a metric or table that is to be explained."""
    _add_own(ctx)
    return _listed({**_metrics("." in incomplete), **_tables()}, incomplete)


def tables(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Complete a table, and its parameters in parentheses."""
    return _specs(_tables(), incomplete)


def charts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Complete the name of a chart."""
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.pages.pictures import names_of_comparisons

    return _listed(dict.fromkeys(names_of_comparisons(catalog().charts), ""), incomplete)


def tools(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Complete a tool that has a preset, or the last one of a list."""
    from duckmetrics.catalog.presets import presets

    return _listed({name: tool.title for name, tool in presets().items()}, incomplete)


def layouts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Complete a tool that has a layout."""
    from duckmetrics.catalog.layouts import layouts as every

    return _listed({name: known.title for name, known in every().items()}, incomplete)


def checks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    from duckmetrics.api.catalogue import checks as every

    return _listed({check.reported: check.title for check in every()}, incomplete)


def dialects(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    from duckmetrics.compose.dialects import DIALECTS

    return _listed({dialect.name: dialect.engine for dialect in DIALECTS.values()}, incomplete)


def switches(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Complete ``name=value`` for the metrics before it, or for all metrics."""
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.definition import RANKING
    from duckmetrics.catalog.switches import aggregation_switch, switches_of

    takers = _asked(ctx)
    aggregated = [aggregation_switch(catalog())] if any(t.family == RANKING for t in takers) else []
    return _pairs([*aggregated, *switches_of(catalog(), takers, required=False)], incomplete)


def table_parameters(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """Complete ``name=value`` for the table before it, or for all tables."""
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.switches import switches_of

    # After an option without a value, click leaves the arguments unread.
    asked = str(ctx.params.get("curve") or next(iter(ctx.args), "")).partition("(")[0]
    every = catalog().tables
    takers = [table for (_, name), table in every.items() if name == asked] or every.values()
    return _pairs(switches_of(catalog(), takers), incomplete)


def statistic_parameters(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """Complete ``name=value`` for the statistic that names the command."""
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.switches import switches_of

    alias = catalog().find_statistic(str(ctx.info_name))
    known = switches_of(catalog(), [alias.metric])
    return _pairs([switch for switch in known if switch.name not in alias.bound], incomplete)


def _add_own(ctx: click.Context) -> None:
    """Add the metrics of the user to the catalog, but for files that cannot be read."""
    from duckmetrics.catalog.catalog import add, known_everywhere
    from duckmetrics.errors import DuckmetricsError

    with suppress(DuckmetricsError):
        known_everywhere()
    for place in ctx.params.get("definitions") or ():
        with suppress(DuckmetricsError):
            add(place)


def _metrics(by_family: bool) -> dict[str, str]:
    """Return the titles of the metrics by name, and by family and name if the user types a family."""
    from duckmetrics.catalog.catalog import catalog

    known = catalog().names.items()
    titles = {name: alias.metric.title for (_, name), alias in known}
    if by_family:
        titles |= {f"{family}.{name}": alias.metric.title for (family, name), alias in known}
    return titles


def _tables() -> dict[str, str]:
    from duckmetrics.catalog.catalog import catalog

    return {name: table.title for (_, name), table in catalog().tables.items()}


def _asked(ctx: click.Context) -> list[Definition]:
    """Return the metrics of the command line, or all if there are none that can be read."""
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.definition import RANKING
    from duckmetrics.catalog.spec_text import read_specs
    from duckmetrics.catalog.specs import is_of_table, parse_measures, parse_table
    from duckmetrics.errors import DuckmetricsError

    every = catalog()
    try:
        unread = ctx.args if "specs" in ctx.params else ()
        specs = read_specs(ctx.params.get("metrics") or ctx.params.get("specs") or unread)
        if len(specs) == 1 and is_of_table(every, specs[0]):
            return [parse_table(every, specs[0]).metric]
        return [measure.metric for measure in parse_measures(every, specs, meant=lambda: RANKING)]
    except DuckmetricsError:
        return list(every.metrics.values())


def _specs(titles: Mapping[str, str], incomplete: str) -> list[CompletionItem[Any]]:
    """Complete the last of several specs: its name, a parameter in parentheses, or the sign of a cut-off."""
    from duckmetrics.catalog.spec_text import last_spec

    before, spec = last_spec(incomplete)
    name, parenthesis, inside = spec.partition("(")
    if parenthesis:
        return _completed(
            f"{before}{name}(", _arguments(name.strip(), inside) if name.strip() in titles else []
        )
    found = _listed(titles, spec)
    if len(found) == 1 and _takes_cutoff(found[0].value):
        found.append(CompletionItem(f"{found[0].value}@", help="with a cut-off"))
    return _completed(before, found)


def _completed(before: str, found: Iterable[CompletionItem[Any]]) -> list[CompletionItem[Any]]:
    """Put the text before the last part in front of its completions."""
    return [CompletionItem(f"{before}{item.value}", item.type, item.help) for item in found]


def _arguments(name: str, inside: str) -> list[CompletionItem[Any]]:
    """Complete the text in the parentheses of a metric or table, or after them.

    Args:
        inside: the text after the first parenthesis.
    """
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.definition import RANKING
    from duckmetrics.catalog.measure import CUTOFF, PER_CALL
    from duckmetrics.catalog.spec_text import last_argument
    from duckmetrics.catalog.switches import aggregation_switch, switches_of

    before, begun = last_argument(inside)
    if begun is None:
        is_open = inside.endswith(")") and CUTOFF not in _names_in(inside) and _takes_cutoff(name)
        return [CompletionItem(f"{inside}@", help="with a cut-off")] if is_open else []
    takers = _meant(name)
    known = switches_of(catalog(), [taker for taker, _ in takers])
    known += [aggregation_switch(catalog())] * any(taker.family == RANKING for taker, _ in takers)
    taken = {*PER_CALL, *_names_in(before), *(bound for _, names in takers for bound in names)}
    found = _pairs([switch for switch in known if switch.name not in taken], begun)
    if len(found) == 1 and not found[0].value.endswith("="):
        found.append(CompletionItem(f"{found[0].value})", help="the last of the parameters"))
    return _completed(before, found)


def _names_in(arguments: str) -> set[str]:
    """Return the names of the parameters that have a value in parentheses."""
    return {argument.partition("=")[0].strip() for argument in arguments.split(",")}


def _meant(name: str) -> list[tuple[Definition, Mapping[str, str]]]:
    """Return the metrics or tables that a name stands for, with the parameters that it binds."""
    from duckmetrics.catalog.catalog import catalog

    families = {family for family, _ in catalog().names}
    family, dot, bare = name.rpartition(".")
    asked = [family] if dot else sorted(families)
    metrics = [alias for one in asked if (alias := catalog().names.get((one, bare))) is not None]
    tables = [table for one in asked if (table := catalog().tables.get((one, bare))) is not None]
    return [*((alias.metric, alias.bound) for alias in metrics), *((table, {}) for table in tables)]


def _takes_cutoff(name: str) -> bool:
    """Return whether a cut-off may follow a name."""
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.definition import RANKING
    from duckmetrics.catalog.measure import CUTOFF

    alias = catalog().names.get((RANKING, name.removeprefix(f"{RANKING}.")))
    return alias is not None and CUTOFF in catalog().params(alias.metric)


def _listed(titles: Mapping[str, str], incomplete: str) -> list[CompletionItem[Any]]:
    """Complete the last name of a list with commas."""
    start = incomplete.rfind(",") + 1
    before, begun = incomplete[:start], incomplete[start:]
    return [
        CompletionItem(f"{before}{name}", help=title)
        for name, title in sorted(titles.items()) if name.startswith(begun)
    ]  # fmt: skip


def _pairs(known: Iterable[Switch], incomplete: str) -> list[CompletionItem[Any]]:
    """Complete the name of a switch; if there is only one, also its value."""
    begun, equals, value = incomplete.partition("=")
    found = [s for s in known if (s.name == begun if equals else s.name.startswith(begun))]
    if len(found) == 1 and (words := _words(found[0])):
        return [
            CompletionItem(f"{found[0].name}={word}", help=said)
            for word, said in words.items() if word.startswith(value)
        ]  # fmt: skip
    if equals:
        return []
    return [CompletionItem(f"{switch.name}=", help=switch.meaning) for switch in found]


def _words(switch: Switch) -> dict[str, str]:
    """Return the values that a switch can have, with their meanings; none if they cannot be listed."""
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.meanings import meanings

    said: dict[str, str] = {}
    for owner in reversed(switch.owners):
        said |= meanings(catalog(), owner, catalog().params(owner)[switch.name])
    if switch.choices:
        return {str(choice): said.get(str(choice), switch.meaning) for choice in switch.choices}
    flags = FLAGS if any(param.type is bool for param in switch.params) else ()
    return dict.fromkeys(flags, said.get("", switch.meaning))


_OPEN_QUOTE = """\
    if [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *[=@] && ${COMP_WORDS[COMP_CWORD]} == [\\'\\"]* ]]; then
        COMPREPLY+=("$COMPREPLY ")
    fi

"""


class _Bash(BashComplete):
    """Completion in bash, which splits ``map@10`` and ``ties=input`` into three words each."""

    # Nothing follows a space after "name=" or "@". Bash closes the quote after one word, not after two.
    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)",
        'COMPREPLY+=("$value")\n            [[ $value == *[=@] ]] && compopt -o nospace',
    ).replace("    return 0", f"{_OPEN_QUOTE}    return 0")

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, and the one at it, put together again."""
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        glued = False
        for word in [*args, incomplete]:
            is_break = bool(word) and not word.strip(BREAKS)
            if word and words and (is_break or glued):
                words[-1] += word
            else:
                words.append(word)
            glued = is_break
        if words[-1].startswith("--") and "=" in words[-1]:
            words[-1:] = words[-1].split("=", 1)
        # The parts that bash takes for separate words are on the line already; bash replaces only an "@".
        whole = words[-1]
        self.written = len(whole) - (0 if glued else len(incomplete))
        self.written -= whole[: self.written].endswith(REPLACED)
        return words[:-1], whole

    def format_completion(self, item: CompletionItem[Any]) -> str:
        return f"{item.type},{item.value[self.written :]}"


def prepare() -> None:
    """Let click use our completion in bash."""
    add_completion_class(_Bash)
