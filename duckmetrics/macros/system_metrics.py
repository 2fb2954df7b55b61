"""The query of a macro of a metric of all lists of a system, which has no values of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.build import picked
from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries.forms import IN_SLICES
from duckmetrics.macro_queries.query import COUNTS
from duckmetrics.macro_queries.ranking_results import PER_QUERY, Overall
from duckmetrics.macro_queries.ranking_steps import RankingSteps
from duckmetrics.macro_queries.ranking_text import OF_METRICS
from duckmetrics.macro_queries.shell_files import query_of
from duckmetrics.macro_queries.template import chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.macro_queries.forms import Composed, Entry, Form
    from duckmetrics.macro_queries.template import Part

PER_SLICE = "per_slice"
POPULATION, MISSING = "n_population", "n_missing"


class SystemSteps(RankingSteps):
    """Writes the steps up to the row of each slice with the values of the metrics asked for."""

    def steps(self, form: Form) -> list[Part]:
        """Return the steps up to the row of each slice with its values."""
        composed = self.of.composed(form)
        listed = self.population() if form.is_open else []
        for name in composed.steps:
            step: Part = self.step(composed, name)
            if name == IN_SLICES:
                step = chosen(self.of.has_slices, self._in_slices(), [step])
            listed.append(step)
        return [*listed, *self._per_slice(composed), ", "]

    def slices(self) -> list[Part]:
        """Return nothing: the values need the slices before."""
        return []

    def _in_slices(self) -> list[Part]:
        """Return the steps with every query in the slices that it belongs to."""
        queries = self.text.cte(PER_QUERY, picked("queries", "system", "query_id", "missing"))
        numbered = self.text.cte(IN_SLICES, query_of(self.catalog, IN_SLICES, {}))
        return [queries, ", ", *self.sliced(), numbered, ", "]

    def _per_slice(self, composed: Composed) -> list[Part]:
        outer = composed.outer.copy()
        outer.set("expressions", [*(k.copy() for k in composed.keys().values()), exp.var(OF_METRICS)])
        outer.set("joins", None)
        head = self.text.cte(PER_SLICE, outer).removesuffix(")")
        joins = [
            "".join(f" {self.text.text(composed.joins[n]).strip()}" for n, read in found.items() if read)
            for found in composed.aggregates
        ]
        joined = self.text.template.piece(self.of_entries(composed, joins))
        return [*self.text.of_metrics(head, self.values_of_entries(composed)), joined, ")"]


class SystemResults(Overall):
    """One row for every system, slice and cut-off."""

    whole = sliced = PER_SLICE

    def numbers(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metric in every system and slice."""
        n_population, n_missing = (
            exp.func("coalesce", exp.column(name), literal(0)) for name in (POPULATION, MISSING)
        )
        known = {"n": exp.Sub(this=n_population, expression=n_missing), MISSING: n_missing.copy()}
        told = {
            "v": exp.column("value"), POPULATION: n_population.copy(),
            **{name: known.get(name, literal(0)) for name in COUNTS},
        }  # fmt: skip
        query = exp.select(*keys, exp.var(f"unnest([{OF_METRICS}], recursive := true)"))
        return self.of_systems(query, keys, self.told(told))

    def aggregated(self, entry: Entry) -> list[str | exp.Expr]:
        """Return nothing: no values of queries are aggregated."""
        return []
