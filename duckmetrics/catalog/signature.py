"""Signatures: every convention behind a number, in one line that can be read back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from duckmetrics.errors import MetricError

AGGREGATION, VERSION = "agg", "v"
TIME_ZONE = "time_zone"
# The parts that are common to a call, and so belong to no spec.
_OF_CALL = ("population", TIME_ZONE)
_NAME = re.compile(r"(?P<metric>\w+(?:\.\w+)?)(?:@(?P<k>\d+))?")
_PART = re.compile(r"(?P<name>\w+):(?P<value>'(?:[^']|'')*'|[^|']*)")


@dataclass(frozen=True)
class Signature:
    """The conventions behind a number: ``ndcg@10|discount:log2|gain:linear|...|agg:mean|v:0.1.0``.

    Two numbers with equal signatures from equal data are equal.

    Attributes:
        metric: its name, with the family where the name alone is ambiguous.
        k: the cut-off.
        params: name and value of every other parameter and switch, as a spec has them; and the time zone of
            the call, if a slice or condition depends on it.
        aggregation: from values per query to one number; None for metrics of rows.
        version: of duckmetrics.
    """

    metric: str
    k: int | None
    params: tuple[tuple[str, str], ...]
    aggregation: str | None
    version: str

    def __str__(self) -> str:
        cutoff = "" if self.k is None else f"@{self.k}"
        parts = [f"{name}:{value}" for name, value in self.params]
        aggregated = [f"{AGGREGATION}:{self.aggregation}"] if self.aggregation else []
        return "|".join([f"{self.metric}{cutoff}", *parts, *aggregated, f"{VERSION}:{self.version}"])

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature; the inverse of ``str``.

        Raises:
            MetricError: the text is not a signature.
        """
        head, _, rest = text.partition("|")
        name = _NAME.fullmatch(head)
        parts = [(part["name"], part["value"]) for part in _PART.finditer(rest)]
        values = dict(parts)
        whole = "|".join(f"{n}:{v}" for n, v in parts)
        if name is None or whole != rest or VERSION not in values or len(values) < len(parts):
            raise MetricError(
                f"signature {text!r}",
                "cannot be read",
                "write it as a result shows it, such as 'ndcg@10|gain:linear|...|v:0.1.0'",
            )
        params = tuple((n, v) for n, v in parts if n not in (AGGREGATION, VERSION))
        k = None if name["k"] is None else int(name["k"])
        return cls(name["metric"], k, params, values.get(AGGREGATION), values[VERSION])

    @property
    def spec(self) -> str:
        """A spec with every parameter, except those that are common to a call."""
        arguments = [f"{n}={v}" for n, v in self.params if n not in _OF_CALL]
        arguments += [f"{AGGREGATION}={self.aggregation}"] if self.aggregation else []
        written = f"({', '.join(arguments)})" if arguments else ""
        return f"{self.metric}{written}{'' if self.k is None else f'@{self.k}'}"

    def differences(self, other: Signature) -> dict[str, tuple[str | None, str | None]]:
        """Return the differences: name -> the value here and the value there.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            ev = duckmetrics.evaluate(clicks, metrics=["precision", "precision(threshold=0.7)"])
            here, there = [duckmetrics.Signature.parse(row["signature"]) for row in ev.rows]
            here.differences(there)  # {'threshold': ('0.5', '0.7')}
        """
        here, there = self._parts(), other._parts()
        names = dict.fromkeys([*here, *there])
        return {n: (here.get(n), there.get(n)) for n in names if here.get(n) != there.get(n)}

    def _parts(self) -> dict[str, str | None]:
        k = None if self.k is None else str(self.k)
        return {
            "metric": self.metric, "k": k, **dict(self.params),
            AGGREGATION: self.aggregation, "version": self.version,
        }  # fmt: skip
