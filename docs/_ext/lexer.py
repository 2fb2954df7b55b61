"""The colors of SQL, with the ``$parameters`` of DuckDB and the commands of its shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygments.lexer import inherit
from pygments.lexers.sql import SqlLexer
from pygments.token import Comment, Name, Number

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class DuckDBLexer(SqlLexer):
    """SQL as DuckDB reads it."""

    tokens = {  # noqa: RUF012
        "root": [
            (r"\$\w+", Name.Variable),
            (r"^\.\w+.*$", Comment.Preproc),
            (r"\b(system|position|value|rank)\b", Name),
            (r"\d+(\.\d+)?[eE][+-]?\d+", Number.Float),
            inherit,
        ]
    }


def setup(app: Sphinx) -> dict[str, Any]:
    """Take the lexer for the language ``sql``."""
    app.add_lexer("sql", DuckDBLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
