"""The SQL of Apache DataFusion, which sqlglot does not know: that of PostgreSQL, but for a few functions."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres


class DataFusion(Postgres):
    """Registered as "datafusion" by being defined; the names of its table functions are lower-case."""

    NORMALIZE_FUNCTIONS = "lower"

    class Generator(Postgres.Generator):  # type: ignore[misc, valid-type]
        TRANSFORMS: ClassVar = {
            **Postgres.Generator.TRANSFORMS,
            exp.IsNan: lambda self, e: self.func("isnan", e.this),
        }
