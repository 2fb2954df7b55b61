"""Options of commands from a TOML file: those at its top are for all commands, a table is for one."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from duckmetrics.catalog.spec_paths import SUFFIX, path_of
from duckmetrics.catalog.spec_text import split_files
from duckmetrics.engines.targets import DATABASE_SUFFIXES, SUFFIXES, url_of
from duckmetrics.errors import InputError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

# The parameters whose values are paths, those of results first.
_WRITTEN = ("output", "per_query", "movers")
_PATHS = (*_WRITTEN, "junit", "database", "temp_directory", "init", "definitions")
# The parameters whose values may be paths, names of tables or SQL.
_TABLES = ("predictions", "truth_option", "queries", "history", "items", "reference", "data")
# The parameters of pairs NAME=VALUE; a table of TOML may hold the pairs. The values of some may name tables.
_PAIRS = (
    "attach", "where", "version", "as_of", "columns", "layouts", "scores", "switches", "params", "systems",
    "shares", "pre", "margin",
)  # fmt: skip
_PAIRS_OF_TABLES = ("systems", "switches")
# The parameters whose values are specs, which may name files.
_SPECS = ("metrics", "specs")
# The switch whose value may be a table.
_POPULATION = "population"


class Several(click.Argument):
    """An argument for any number of values, which the file gives if the command line has none."""

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        given = {name: value for name, value in opts.items() if name != self.name or value}
        return super().consume_value(ctx, given)


def read(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Make the options of a file the defaults of the command.

    Raises:
        InputError: the file cannot be read, or sets a key that is not an option of the command.
    """
    if path is None or ctx.resilient_parsing:
        return
    known = _keys(ctx.command)
    found = dict(_chosen(ctx, path, _document(path), known))
    ctx.default_map = {
        str(known[key].name): _Value(path, key, known[key]).read(value) for key, value in found.items()
    }


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", "check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, f"is not TOML: {error}", "fix it") from error


def _chosen(
    ctx: click.Context, path: Path, document: Mapping[str, Any], known: Mapping[str, click.Parameter]
) -> Iterator[tuple[str, Any]]:
    """Yield the options for a command, those of its own table last.

    Raises:
        InputError: a key names neither an option nor a command.
    """
    level, where = document, "at the top"
    for context in _chain(ctx):
        below = context.command
        for key, value in level.items():
            if isinstance(value, dict) and _reads_files(context, key):
                continue
            if key in known:
                yield key, value
            elif below is ctx.command or not any(key in _keys(one) for one in _leaves(context)):
                what, advice = unknown("option", key, [*known, *_commands(context)])
                raise InputError(path, f"{what} {where}", advice)
        name = next((c.info_name for c in _chain(ctx) if c.parent is context), None)
        level, where = level.get(str(name), {}), f"of [{name}]"
        if not isinstance(level, dict):
            return


def _chain(ctx: click.Context) -> list[click.Context]:
    """Return the contexts from the program to the command."""
    return [*(_chain(ctx.parent) if ctx.parent is not None else []), ctx]


def _commands(ctx: click.Context) -> list[str]:
    """Return the commands of a group that a file can have options for."""
    names = ctx.command.list_commands(ctx) if isinstance(ctx.command, click.Group) else []
    return [name for name in names if _reads_files(ctx, name)]


def _command(ctx: click.Context, name: str) -> click.Command | None:
    group = ctx.command
    if not isinstance(group, click.Group) or name not in group.list_commands(ctx):
        return None
    return group.get_command(ctx, name)


def _reads_files(ctx: click.Context, name: str) -> bool:
    """Return whether there is a command of that name, and a file can have options for it."""
    command = _command(ctx, name)
    return isinstance(command, click.Group) or "config" in (p.name for p in getattr(command, "params", ()))


def _leaves(ctx: click.Context) -> Iterator[click.Command]:
    """Yield every command of a group, and those of its groups."""
    for name in _commands(ctx):
        command = _command(ctx, name)
        if isinstance(command, click.Group):
            yield from _leaves(click.Context(command, ctx, name))
        elif command is not None:
            yield command


def _keys(command: click.Command) -> dict[str, click.Parameter]:
    """Return the parameters by their keys: the long names of options, and the names of arguments."""
    arguments = {str(param.name): param for param in command.params if isinstance(param, click.Argument)}
    options = {
        opt[2:]: param
        for param in command.params
        for opt in (*param.opts, *param.secondary_opts)
        if opt.startswith("--") and not param.is_eager  # --config, --help and --version of the program are
    }
    return {**arguments, **options}


class _Value:
    """The value of one option, as the command line would have it."""

    def __init__(self, path: Path, key: str, param: click.Parameter) -> None:
        self._path = path
        self._key = key
        self._param = param

    def read(self, value: Any) -> Any:
        """Return the value for click.

        Raises:
            InputError: it is of a kind that the option does not take.
        """
        name = str(self._param.name)
        if isinstance(self._param, click.Option) and self._param.is_flag:
            if not isinstance(value, bool):
                raise self._error(value, "write true or false")
            return not value if f"--{self._key}" in self._param.secondary_opts else value
        if isinstance(value, dict) and name in _PAIRS:
            return [self._pair(name, key, one) for key, one in value.items()]
        if self._param.multiple or self._param.nargs == -1:
            return [self._text(one) for one in (value if isinstance(value, list) else [value])]
        if isinstance(value, bool):
            raise self._error(value, "write a value")
        return self._text(value)

    def _pair(self, name: str, key: str, value: Any) -> str:
        text = self._scalar(value)
        if name == "columns":
            doubled = text.replace('"', '""')
            return f'{key}="{doubled}"'
        return self._text(f"{key}={text}")

    def _text(self, value: Any) -> str:
        """Return a value as text; a path starts at the folder of the file."""
        text, name = self._scalar(value), str(self._param.name)
        if name in _PATHS:
            return text if name in _WRITTEN and self._is_reached(text) else self._placed(text)
        if name in _SPECS and SUFFIX in text:
            return ",".join(map(self._spec, split_files(text, str(self._path.parent))))
        if name in _PAIRS_OF_TABLES and "=" in text:
            key, _, table = text.partition("=")
            return f"{key}={self._table(table)}" if name == "systems" or key.strip() == _POPULATION else text
        return self._table(text) if name in _TABLES else text

    def _spec(self, spec: str) -> str:
        path, rest = path_of(spec)
        return f"{self._placed(path)}{rest}" if path else spec

    def _is_reached(self, text: str) -> bool:
        """Return whether results go to an object of a store, or to a table of an attached database."""
        suffix = os.path.splitext(text)[1].lower()
        is_file = "/" in text or suffix in ("", *SUFFIXES, *DATABASE_SUFFIXES)
        return url_of(text) is not None or not is_file

    def _scalar(self, value: Any) -> str:
        if isinstance(value, dict | list):
            raise self._error(value, "write one value, as on the command line")
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _table(self, text: str) -> str:
        from duckmetrics.inputs.sources import kind_of_text

        if kind_of_text(text) != "file" or "://" in text:
            return text
        prefix = "file:" if text.startswith("file:") else ""
        if not prefix and "/" not in text and not os.path.exists(self._placed(text)):
            return text  # such as shop.run, a table of a database
        return prefix + self._placed(text.removeprefix("file:"))

    def _placed(self, text: str) -> str:
        return text if text.startswith("~") else os.path.join(self._path.parent, text)

    def _error(self, value: Any, advice: str) -> InputError:
        return InputError(self._path, f"{self._key} = {value!r} is of the wrong kind", advice)


def from_file(name: str) -> bool:
    """Return whether the value of a parameter comes from a file."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP


def without_overridden(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options without tables of the file if the command line names these tables another way."""
    ctx = click.get_current_context()
    chosen = dict(options)

    def typed(name: str) -> bool:
        return bool(options.get(name)) and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE

    named = any("=" in system for system in options["systems"])
    if named and typed("systems") and not typed("predictions"):
        chosen["predictions"] = () if isinstance(options["predictions"], tuple) else None
    if named and not typed("systems") and _several(options["predictions"]):
        chosen["systems"] = ()
    elif named and typed("predictions") and not typed("truth_option"):
        chosen["truth_option"] = None  # the argument is the truth then
    if typed("truth") and not typed("truth_option"):
        chosen["truth_option"] = None
    return chosen


def _several(predictions: str | Sequence[str] | None) -> bool:
    return isinstance(predictions, tuple) and len(predictions) > 1
