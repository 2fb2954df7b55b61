"""The macro that splits the message of an error into parts, so that a page or script can use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.macro_queries.checks import in_the_shell
from duckmetrics.macro_queries.macro import Argument, Macro, Overload, without_with
from duckmetrics.macro_queries.query import shown, whole
from duckmetrics.macro_queries.shell_files import query_of
from duckmetrics.macros.findings import table_of
from duckmetrics.results.findings import ERROR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.catalog import Catalog

NAME = "duckmetrics_problem"
KNOWN = "known_problems"


def problem_macro(catalog: Catalog) -> Macro:
    """Return the macro that finds the check behind a message, by the words that its file has."""
    definition = catalog.shell[NAME]
    arguments = tuple(Argument(name, required=True) for name in definition.own_params)
    result, steps = without_with(query_of(catalog, NAME, {}))
    known = table_of(definition.inputs[KNOWN], [*_known(catalog)])
    body = shown(whole(catalog, result, [(KNOWN, known), *steps]))
    return Macro(NAME, (Overload(arguments, body),), definition.title, definition)


def _known(catalog: Catalog) -> Iterator[tuple[str | None, ...]]:
    """Yield the checks that refuse data: code, column, title, advice, and the switch that settles them.

    The macros of rows give the advice in the words of the file, the others in those of the shell.
    """
    shelves = catalog.checks, catalog.count_checks, catalog.statistic_checks
    for check in (check for shelf in shelves for check in shelf.values()):
        header = check.header
        if header["severity"] == ERROR:
            switch, _, value = header.get("settles", "").partition("=")
            for advice in dict.fromkeys((in_the_shell(header["advice"]), header["advice"])):
                column = header.get("column", "")
                yield check.reported, column, check.title, advice, switch or None, value or None
