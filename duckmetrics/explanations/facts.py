"""The facts of an explanation: the items of one query, or groups of items, of one system or of two."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.errors import MetricError, suggestion
from duckmetrics.expressions.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

# The columns of an item in the list of one system; those of the baseline begin with baseline_.
OF_SYSTEM = ("rank", "gain", "contribution", "tied")
BASELINE = "baseline_"
# How to group by several columns.
COMBINE = "combine several in an expression, such as by=\"country || ' ' || device AS both\""
# How to name the system to explain: in the method of a result, the function, and the command.
NAME_IT = "system= (duckmetrics.explain: of=, --of)"


@dataclass(frozen=True)
class Side:
    """One system in an explanation.

    Attributes:
        system: its name, None if there is only one.
        value: of the metric for the query, or its mean over all queries.
        by_policy: the switch and value behind it, such as ``missing=zero``, if no item is behind it.
        n_items: the number of items it returned for the query.
    """

    system: str | None
    value: float | None
    by_policy: str | None = None
    n_items: int = 0


@dataclass(frozen=True)
class Place:
    """The place of a difference among those of all queries.

    Attributes:
        place: 1 for the largest gain, or loss.
        is_gain: whether the value of the system is larger.
        of: the number of queries with values of both systems.
    """

    place: int
    is_gain: bool
    of: int


class Sizes(NamedTuple):
    """How many groups raise and lower a value: see sql/relations/explanations/contribution_sizes.sql."""

    n_groups: int
    n_up: int
    up: float
    n_down: int
    down: float
    n_largest: int
    share: float | None


class Values:
    """The values of one system, or of two, which the rows of an explanation add up to."""

    metric: str
    side: Side
    baseline_side: Side | None
    n_metrics: int

    @property
    def metric_notes(self) -> list[str]:
        """Which metric is explained, if none of several was named."""
        if self.n_metrics < 2:
            return []
        what = f"{visible(self.metric)} is the first of {self.n_metrics} metrics that can be explained"
        return [f"{what}; name another with metric= (-m)"]

    @property
    def value(self) -> float | None:
        """The value of the system: of the query, or the mean."""
        return self.side.value

    @property
    def baseline_value(self) -> float | None:
        """The value of the baseline: of the query, or the mean."""
        return None if self.baseline_side is None else self.baseline_side.value

    @property
    def delta(self) -> float | None:
        """The difference of the values; the differences of the rows add up to it."""
        if self.value is None or self.baseline_value is None:
            return None
        return self.value - self.baseline_value


@dataclass(frozen=True, repr=False)
class QueryFacts(Values):
    """The contribution of each item to the value of one query, of one system or of two side by side.

    Attributes:
        metric: as typed.
        query: the id of the query.
        rows: one dictionary per item that a system returned or that is relevant: item_id, the columns of
            ``show``, relevance (the grade, None if the item is not judged), is_relevant; rank (None if the
            item was not returned), gain (the term of the sum in the metric) and contribution of the system,
            tied (whether items of other grades have the same score) of the system; the same of the baseline,
            as baseline_rank and so on; and difference, of the contributions.
        side: the system.
        baseline_side: the baseline, None if one system is explained.
        place: of the difference among all queries, None if there is none.
        cutoff: the last rank that counts, None for all.
        show: the columns of the items that are shown.
        n: the largest number of ranks that are shown.
        potential: item -> what it would add at rank 1 of the system, for relevant items that add nothing.
        formula: of the metric, from its file.
        ties: the convention that orders equal scores, as in ``ties=item_asc``.
        schema: of the rows in Arrow.
        n_metrics: how many metrics could be explained, if none was named.
    """

    metric: str
    query: Any
    rows: tuple[dict[str, Any], ...]
    side: Side
    baseline_side: Side | None = None
    place: Place | None = None
    cutoff: int | None = None
    show: tuple[str, ...] = ()
    n: int = 10
    potential: tuple[tuple[int, float], ...] = ()
    formula: str = ""
    ties: str = ""
    schema: pa.Schema = field(default=None, repr=False, compare=False)
    n_metrics: int = 1

    @property
    def ideal(self) -> list[dict[str, Any]]:
        """The relevant items in the best order, each with item_id and relevance."""
        relevant = [row for row in self.rows if row["is_relevant"]]
        once = {key_text(row["item_id"]): row for row in relevant}
        return [
            {"item_id": row["item_id"], "relevance": row["relevance"]}
            for row in sorted(once.values(), key=lambda row: (-row["relevance"], str(row["item_id"])))
        ]


@dataclass(frozen=True, repr=False)
class GroupFacts(Values):
    """The contribution of each group of items to the mean of a metric, of one system or of two.

    Attributes:
        metric: as typed.
        by: the grouping, as given.
        rows: one dictionary per group, the largest difference first: kind (``group``; ``others``, all
            groups that have no row of their own; ``policy``, the queries whose value comes from a policy
            such as missing=zero; ``constant``, what a metric of rows is without any row), the group under
            the name of `by`, n_groups, n (the number of items that count, or of rows), baseline_n,
            contribution, baseline_contribution, difference, share (of the whole difference; of one
            system, of the value), and the details. The contributions add up to the values.
        side, baseline_side: the systems, with the means or values of the metric.
        schema: of the rows in Arrow.
        noun: what the groups consist of: item, or row of a classifier.
        details: further columns of groups of one row: label, score, baseline_score, and those of ``show``.
        sizes: how many groups of rows raise and lower the value; None for items.
        lower_is_better: whether a lower value is better.
        target: the best value, if values closest to it are better.
        n_metrics: how many metrics could be explained, if none was named.
    """

    metric: str
    by: str
    rows: tuple[dict[str, Any], ...]
    side: Side
    baseline_side: Side | None = None
    schema: pa.Schema = field(default=None, repr=False, compare=False)
    noun: str = "item"
    details: tuple[str, ...] = ()
    sizes: Sizes | None = None
    lower_is_better: bool = False
    target: float | None = None
    n_metrics: int = 1


def key_text(item: Any) -> str:
    """Return an item id as text that distinguishes it from others."""
    return f"{type(item).__name__} {item!r}"


def chosen_systems(
    known: Sequence[str | None], system: str | None, baseline: str | None, first: str | None
) -> tuple[str | None, str | None]:
    """Return the system to explain and the baseline; of two systems, both are compared by default.

    Args:
        known: the names of the systems; None for the only one.
        first: the baseline if there are two systems and none is named.

    Raises:
        MetricError: no such system, or several of them and none is named.
    """
    names = list(map(str, known))
    for given in (system, baseline):
        if given is not None and given not in known:
            found = suggestion(given, names) if known != [None] else "leave it out, as there is one system"
            raise MetricError(f"system {given!r}", "not evaluated", found)
    if len(known) == 1 or (system is not None and baseline is None):
        return system if len(known) > 1 else known[0], None
    before = baseline if baseline is not None else first if first in known else known[0]
    others = [name for name in known if name != before]
    if system is None and len(others) > 1:
        raise MetricError("explain", "several systems", f"name one of {', '.join(names)} with {NAME_IT}")
    after = others[0] if system is None else system
    if after == before:
        raise MetricError("explain", f"{after} is the system and the baseline", "name two systems")
    return after, before


def paired(
    rows: Sequence[dict[str, Any]],
    baseline: Sequence[dict[str, Any]] | None = None,
    *,
    show: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Put the items of two systems side by side, those of the system by rank, then the other ones.

    A copy of an item that is returned several times is paired with the copy of the same number.

    Args:
        rows: of the system: item_id, relevance, relevant, rank, gain, contribution, tied and `show`.
        baseline: the same of the baseline, None if there is none.
    """
    ours, theirs = _numbered(rows), _numbered(baseline or ())
    found = []
    for key in dict.fromkeys((*ours, *theirs)):
        one, other = ours.get(key), theirs.get(key)
        known = one or other or {}
        row = {"item_id": known["item_id"], **{name: known[name] for name in show}}
        row |= {"relevance": known["relevance"], "is_relevant": bool(known["relevant"])}
        for start, side in ((BASELINE, other), ("", one)):
            row |= {f"{start}{name}": None if side is None else side[name] for name in OF_SYSTEM}
        row["difference"] = None if baseline is None else _difference(row)
        found.append(row)
    return found


def _numbered(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
    """Return rows by their item and the number of the copy."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    counts: dict[str, int] = {}
    for row in rows:
        key = key_text(row["item_id"])
        counts[key] = counts.get(key, 0) + 1
        found[key, counts[key]] = row
    return found


def _difference(row: dict[str, Any]) -> float:
    """Return the difference of the contributions; an item of one list only adds nothing to the other."""
    return (row["contribution"] or 0.0) - (row[f"{BASELINE}contribution"] or 0.0)


def items_schema(found: pa.Schema, show: Sequence[str]) -> pa.Schema:
    """Return the types of the rows of an explanation.

    Args:
        found: the types of the rows of the database, which have item_id and `show`.
    """
    import pyarrow as pa

    types = {name: found.field(name).type for name in ("item_id", *show)}
    types |= {"relevance": pa.float64(), "is_relevant": pa.bool_()}
    of_system = dict(zip(OF_SYSTEM, (pa.int64(), pa.float64(), pa.float64(), pa.bool_()), strict=True))
    types |= {f"{start}{name}": type_ for start in (BASELINE, "") for name, type_ in of_system.items()}
    types["difference"] = pa.float64()
    return pa.schema(list(types.items()))


def groups_schema(by: str, type_: pa.DataType) -> pa.Schema:
    """Return the types of the rows of groups.

    Args:
        type_: of the groups.
    """
    import pyarrow as pa

    types = {"kind": pa.string(), by: type_, **dict.fromkeys(("n_groups", "n", f"{BASELINE}n"), pa.int64())}
    numbers = ("contribution", f"{BASELINE}contribution", "difference", "share")
    return pa.schema(list((types | dict.fromkeys(numbers, pa.float64())).items()))
