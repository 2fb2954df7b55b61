"""Translation of a query of DuckDB to the text of another engine.

Columns are qualified and types found first, because what sqlglot writes depends on them; the rewrites change
constructs that engines understand differently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import ErrorLevel, exp
from sqlglot.errors import OptimizeError
from sqlglot.errors import UnsupportedError as UnsupportedFeature
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.dialects import DIALECTS
from duckmetrics.dialects import datafusion as datafusion
from duckmetrics.dialects.rewrites import REWRITES
from duckmetrics.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

# Names keep their letters: those of columns are the user's.
_EXACT_NAMES = f"{DIALECT}, normalization_strategy=case_sensitive"


def translated(query: exp.Query, dialect: str, schema: Mapping[str, Mapping[str, str]]) -> str:
    """Write a query of DuckDB for another engine, so that it means the same there.

    Args:
        schema: the columns of the tables it reads, with their types in DuckDB.

    Raises:
        UnsupportedError: the other engine cannot express it.
    """
    return written(rewritten(query, dialect, schema), dialect)


def rewritten(query: exp.Query, dialect: str, schema: Mapping[str, Mapping[str, str]]) -> exp.Query:
    """Rewrite a query of DuckDB in terms that another engine understands; `written` makes it a text.

    Raises:
        UnsupportedError: the other engine cannot express it.
    """
    try:
        tree = query.copy()
        tree = qualify(
            tree, schema=_nested(schema), dialect=_EXACT_NAMES, quote_identifiers=False, identify=False
        )
        for rewrite in REWRITES:
            rewrite(tree, dialect)
        return annotate_types(tree, schema=_nested(schema), dialect=_EXACT_NAMES)
    except OptimizeError as error:
        raise UnsupportedError(DIALECTS[dialect].engine, error, "evaluate it with DuckDB") from error


def written(tree: exp.Expr, dialect: str) -> str:
    """Write a statement as text.

    Raises:
        UnsupportedError: the dialect lacks something.
    """
    try:
        return tree.sql(dialect, pretty=True, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedFeature as error:
        raise UnsupportedError(DIALECTS[dialect].engine, error, "evaluate it with DuckDB") from error


def _nested(schema: Mapping[str, Mapping[str, str]]) -> dict[str, object]:
    return {table: dict(columns) for table, columns in schema.items()}
