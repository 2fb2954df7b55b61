"""The SQL of Apache DataFusion, which sqlglot does not know: that of PostgreSQL; see also `rewrites`."""

from __future__ import annotations

from sqlglot.dialects.postgres import Postgres


class DataFusion(Postgres):
    """Registered as "datafusion" by being defined; the names of its table functions are lower-case."""

    NORMALIZE_FUNCTIONS = "lower"
