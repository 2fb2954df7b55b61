"""Findings about whole tables and columns, which `evaluate` would refuse before it looks at rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import InputError
from duckmetrics.expressions.build import quoted, try_cast
from duckmetrics.expressions.folding import literal
from duckmetrics.results.findings import ERROR, EXAMPLES, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.sources import Role, Source


class Refusals:
    """Collects the findings, and the columns that the checks of rows cannot rely on.

    Args:
        has_truth: whether there is a truth table; if not, the truth comes from the predictions.

    Attributes:
        findings: in the order in which they were found, each once.
        doubtful: (table, column) of each column that cannot be relied on.
    """

    def __init__(self, engine: Engine, has_truth: bool) -> None:
        self.findings: list[Finding] = []
        self.doubtful: set[tuple[str, str]] = set()
        self._engine = engine
        self._has_truth = has_truth

    def add(
        self,
        check: str,
        error: InputError,
        table: str = "",
        column: str = "",
        count: int = 1,
        examples: tuple[str, ...] = (),
    ) -> None:
        """Add an error as a finding, unless there is one with the same message."""
        shown = f" ({'; '.join(examples)})" if examples else ""
        message = str(InputError(error.where, f"{error.what}{shown}", error.advice))
        found = Finding(check, ERROR, table, column, count, examples, message, error.advice)
        if all(finding.message != found.message for finding in self.findings):
            self.findings.append(found)

    def add_column(
        self,
        check: str,
        source: Source,
        role: Role,
        column: str,
        error: InputError,
        name: str | None = None,
        doubtful: bool = True,
        sides: Sequence[tuple[Source, str]] = (),
    ) -> None:
        """Add a finding about a column, the first one about it, with some of its values.

        Args:
            column: the canonical column.
            name: the user's column, if it has values.
            doubtful: whether the column cannot be relied on even after it was fixed.
            sides: the columns with values, where these are of several tables.
        """
        is_news = (role, column) not in self.doubtful
        if doubtful:
            self._doubt(role, column)
        if not is_news:
            return
        sides = sides or ([(source, name)] if name else [])
        examples = tuple(example for at, of in sides for example in self._examples(at, of))
        rows = exp.select(exp.Count(this=exp.Star())).from_(source.relation.copy())
        (count,) = self._engine.rows(rows)[0]
        self.add(check, error, source.label, name or column, count, examples)

    def _doubt(self, role: Role, column: str) -> None:
        self.doubtful.add((role, column))
        if role == "predictions" and not self._has_truth:
            self.doubtful.add(("truth", {"label": "relevance"}.get(column, column)))

    def _examples(self, source: Source, name: str) -> list[str]:
        """Return three values of a column, first those that are not numbers."""
        value = quoted(name)
        number = try_cast(exp.cast(value.copy(), "VARCHAR"), "DOUBLE")
        is_number = exp.not_(exp.Is(this=number, expression=exp.null()))
        known = exp.select(value.as_("v"), is_number.as_("is_number")).distinct()
        known = known.from_(source.relation.copy()).where(exp.column("v").is_(exp.null()).not_())
        query = exp.select("v").from_(known.subquery("known")).order_by("is_number", "v")
        values = [row[0] for row in self._engine.rows(query.limit(literal(EXAMPLES)))]
        return [f"{name}={v!r}" if isinstance(v, str) else f"{name}={v}" for v in values]


def refusal(attempt: Callable[..., object], *arguments: object) -> InputError | None:
    """Return the error that refuses a reading of the tables, None if there is none."""
    try:
        attempt(*arguments)
    except InputError as error:
        return error
    return None
