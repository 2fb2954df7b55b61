"""The colors of SQL, with the ``$parameters`` of DuckDB and the commands of its shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygments.lexer import inherit
from pygments.lexers.sql import SqlLexer
from pygments.token import Comment, Name

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class DuckDBLexer(SqlLexer):
    """SQL as DuckDB reads it."""

    tokens = {"root": [(r"\$\w+", Name.Variable), (r"^\.\w+.*$", Comment.Preproc), inherit]}  # noqa: RUF012


def setup(app: Sphinx) -> dict[str, Any]:
    """Take the lexer for the language ``sql``."""
    app.add_lexer("sql", DuckDBLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
