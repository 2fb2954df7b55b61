"""The result of an evaluation over sampled candidates: the methods side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import MetricError, unknown
from duckmetrics.results.document import document
from duckmetrics.results.findings import Examined
from duckmetrics.results.notebook import readable
from duckmetrics.results.tabular import Printed, Shown

if TYPE_CHECKING:
    import pyarrow as pa

    from duckmetrics.results.findings import Finding


@dataclass(frozen=True, repr=False)
class SampledEvaluation(Examined, Printed):
    """The values of metrics over sampled candidates, as they are and corrected.

    Attributes:
        rows: one dictionary per system, metric and method: system, metric, method, value, n (the queries
            whose value entered), n_items, n_negatives, gamma (of the method bv) and signature (the
            conventions behind the ranks).
        methods: those asked for.
        checks: warnings and notes about the data.
        sql: the SQL that ran.
    """

    command = "sampled"

    rows: tuple[dict[str, Any], ...]
    methods: tuple[str, ...]
    checks: tuple[Finding, ...]
    sql: str = field(compare=False)

    @property
    def summary(self) -> pa.Table:
        """One row per system, metric and method."""
        import pyarrow as pa

        types = {"value": pa.float64(), "gamma": pa.float64()}
        types |= {name: pa.int64() for name in ("n", "n_items", "n_negatives")}
        names = list(self.rows[0])
        schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
        return readable(pa.Table.from_pylist(list(self.rows), schema))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics sampled`` prints it in JSON, see docs/reference/json.md."""
        return document(self.command, self.summary.to_pylist(), self.checks)

    def value(self, metric: str, method: str, system: str | None = None) -> float | None:
        """Return one value.

        Raises:
            MetricError: no such metric, method or system, or several systems and none named.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.sampled(run, qrels, "mrr", n_items=100, methods="naive")
            result.value("mrr", method="naive")  # 0.75
        """
        asked = {"metric": metric, "method": method, **({} if system is None else {"system": system})}
        for name, wanted in asked.items():
            known = dict.fromkeys(str(row[name]) for row in self.rows)
            if wanted not in known:
                raise MetricError("value", *unknown(name, wanted, known))
        found = [row["value"] for row in self.rows if all(row[k] == v for k, v in asked.items())]
        if len(found) > 1:
            raise MetricError(metric, f"evaluated for {len(found)} systems", "name one with system=")
        value: float | None = found[0]
        return value

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns of `cells` that hold numbers."""
        return (*self.methods, "n")

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the columns and cells for a reader: the methods side by side."""
        keys = ["system", "metric"] if any(row["system"] is not None for row in self.rows) else ["metric"]
        lines: dict[tuple[str, ...], dict[str, str]] = {}
        for row in self.rows:
            line = lines.setdefault(tuple(str(row[key]) for key in keys), {})
            line[row["method"]] = "NULL" if row["value"] is None else f"{row['value']:.4f}"
            line["n"] = str(row["n"])
        return [*keys, *self.numeric], [
            [*key, *(line[name] for name in self.numeric)] for key, line in lines.items()
        ]

    @property
    def assumption(self) -> str:
        """The sampling of the candidates, in a line."""
        first = self.rows[0]
        gamma = next((row["gamma"] for row in self.rows if row["gamma"] is not None), None)
        return (
            f"one relevant item, and {first['n_negatives']} drawn uniformly from {first['n_items']} items"
            + ("" if gamma is None else f"; bv: gamma={gamma:g}")
        )

    def shown(self) -> Shown:
        """Return the methods side by side, with the assumption and the findings below."""
        found = (f"{finding.severity}: {finding.message}" for finding in self.checks)
        return Shown(*self.cells(), self.numeric, notes=[self.assumption, *found])
