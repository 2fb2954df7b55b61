"""Views of data files, so that the shell can name them by their stem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.sources import exact_path, file_format
from duckmetrics.macro_queries.shell_files import query_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog


def views(catalog: Catalog, files: Sequence[str]) -> str:
    """Write statements that make a temporary view of each data file, called by its stem.

    Raises:
        InputError: a file is not there, or two have one stem.
    """
    found: dict[str, str] = {}
    for file in files:
        name = Path(file).name.split(".")[0]
        if not Path(file).is_file():
            raise InputError(file, "no such file")
        if name in found:
            raise InputError(file, f"{found[name]} is called {name!r} too", "rename one, or open it alone")
        found[name] = file
    return "".join(_view(catalog, name, file) for name, file in found.items())


def _view(catalog: Catalog, name: str, file: str) -> str:
    view = exp.Create(
        this=exp.Table(this=exp.to_identifier(name, quoted=True)),
        kind="VIEW",
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=_read(catalog, file),
    )
    return view.sql(DIALECT) + ";\n"


def _read(catalog: Catalog, file: str) -> exp.Query:
    format_ = file_format(file)
    if format_ == "trec":
        reader = "read_trec_qrels" if ".qrel" in file.lower() else "read_trec_run"
        return query_of(catalog, reader, {"path": literal(exact_path(file))})
    function = exp.Anonymous(this=f"read_{format_}", expressions=[literal(exact_path(file))])
    return exp.select("*").from_(exp.Table(this=function))
