"""Explanations: the facts, sentences from templates, the lists side by side, and groups of items."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.errors import MetricError, suggestion
from duckmetrics.words.lists import counted, four_decimals, ordinal
from duckmetrics.words.rounding import ROUNDING
from duckmetrics.words.visible import visible, visible_key

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
class DifferencePlace:
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


class ExplainedValues:
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
class QueryFacts(ExplainedValues):
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
    place: DifferencePlace | None = None
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
class GroupFacts(ExplainedValues):
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


# The number of sentences about single items, and of items that a list in a sentence names.
MOST_SENTENCES, MOST_NAMED = 6, 5
# The mark of an item without a judgment, and of no value.
UNJUDGED, NOTHING = "?", "-"


class TextTable(NamedTuple):
    """A table in text, with the columns that are aligned to the right."""

    header: list[str]
    cells: list[list[str]]
    numeric: list[str]


def name_of(side: Side) -> str:
    """Return the name of a system for a reader."""
    return "the system" if side.system is None else visible(side.system)


def number(value: float | None, sign: str = "") -> str:
    """Write a value with four digits; a small one keeps its size."""
    if value is None:
        return "NULL"
    if abs(value) <= ROUNDING:
        return f"{0.0:.4f}"
    return four_decimals(value, sign)


def heading(found: QueryFacts) -> str:
    """Return the values of the query and their difference."""
    return f"query {visible_query(found.query)}, {visible(found.metric)}: {values_text(found)}"


def values_text(found: ExplainedValues) -> str:
    """Write the values of both systems and their difference."""
    if found.baseline_side is None:
        name = "" if found.side.system is None else f"{name_of(found.side)} "
        return f"{name}{number(found.value)}"
    values = f"{name_of(found.side)} {number(found.value)}, {name_of(found.baseline_side)} "
    delta = "" if found.delta is None else f" ({number(found.delta, '+')})"
    return f"{values}{number(found.baseline_value)}{delta}"


def place_lines(found: QueryFacts) -> list[str]:
    """Return the place of the difference among those of all queries, if it is known."""
    if found.place is None:
        return []
    what = "gain" if found.place.is_gain else "loss"
    of = counted(found.place.of, "query", "queries")
    which = "largest" if found.place.place == 1 else f"{ordinal(found.place.place)} largest"
    return [f"the {which} {what} of {of}"]


def visible_query(query: Any) -> str:
    """Return the id of a query; of a composite one, its parts."""
    if isinstance(query, dict):
        return "+".join(visible(str(part)) for part in query.values())
    return visible(str(query))


def item_text(row: dict[str, Any], show: Sequence[str]) -> str:
    """Return an item with the columns that the caller wants to see."""
    shown = [visible(str(row[name])) for name in show if row.get(name) is not None]
    return " ".join([_item(row), *shown])


def _item(row: dict[str, Any]) -> str:
    item = row["item_id"]
    return "+".join(visible(str(p)) for p in item.values()) if isinstance(item, dict) else visible(str(item))


def grade_text(relevance: float | None) -> str:
    """Return the grade of an item."""
    return UNJUDGED if relevance is None else f"{relevance:g}"


# --- sentences ---------------------------------------------------------------------------------------


def sentences_of(found: QueryFacts) -> list[str]:
    """Return what explains the value, or the difference: the largest part first."""
    policies = [_policy(side) for side in (found.side, found.baseline_side) if side is not None]
    sentences = [text for text in policies if text]
    if found.baseline_side is not None:
        sentences += _changes(found)
    return [*sentences, *_unjudged(found), *_ties(found), *_not_found(found)]


def _policy(side: Side) -> str:
    if side.by_policy is None:
        return ""
    value = "it has no value" if side.value is None else f"its value is {number(side.value)}"
    if side.by_policy.startswith("missing"):
        return f"{name_of(side)} returned nothing for this query; {value} by {side.by_policy}"
    return f"the query has no relevant item; {value} for {name_of(side)} by {side.by_policy}"


def _changes(found: QueryFacts) -> list[str]:
    """Return a sentence for each of the items that make the largest differences, and one for the others."""
    rows = [row for row in found.rows if abs(row["difference"]) > ROUNDING]
    rows.sort(key=lambda row: -abs(row["difference"]))
    told = [
        f"{item_text(row, found.show)} ({_grade(row)}) {_movement(found, row)}: "
        f"{number(row['difference'], '+')}"
        for row in rows[:MOST_SENTENCES]
    ]
    rest = rows[MOST_SENTENCES:]
    if rest:
        total = sum(row["difference"] for row in rest)
        told.append(f"{counted(len(rest), 'more item')}: {number(total, '+')}")
    return told


def _grade(row: dict[str, Any]) -> str:
    return "not judged" if row["relevance"] is None else f"grade {grade_text(row['relevance'])}"


def _movement(found: QueryFacts, row: dict[str, Any]) -> str:
    """Return how an item moved from the list of the baseline to that of the system."""
    before, after = row[f"{BASELINE}rank"], row["rank"]
    beyond = f", below the cut-off at {found.cutoff}" if found.cutoff else ""
    if before is None:
        return f"was found, at rank {after}"
    if after is None:
        return f"was lost, from rank {before}"
    if after == before:
        return f"stayed at rank {after}, and counts differently as other items moved"
    if found.cutoff and after > found.cutoff >= before:
        return f"fell from rank {before} to rank {after}{beyond}"
    if found.cutoff and before > found.cutoff >= after:
        return f"rose from rank {before}{beyond}, to rank {after}"
    return f"{'rose' if after < before else 'fell'} from rank {before} to rank {after}"


def _unjudged(found: QueryFacts) -> list[str]:
    """Return how many of the items that could count are not judged."""
    last = found.cutoff or found.n

    def count(rank: str, other: str) -> tuple[int, int]:
        inside = [r for r in found.rows if r["relevance"] is None and r[rank] is not None and r[rank] <= last]
        return len(inside), sum(r[other] is None or r[other] > last for r in inside)

    if found.baseline_side is None:
        ours, _ = count("rank", "rank")
        return [f"{counted(ours, 'item')} of the first {last} not judged"] if ours else []
    ours, came = count("rank", f"{BASELINE}rank")
    theirs, _ = count(f"{BASELINE}rank", "rank")
    if not ours and not theirs:
        return []
    told = f"not judged among the first {last}: {ours} ({name_of(found.baseline_side)} {theirs})"
    return [f"{told}; {counted(came, 'unjudged item')} came in" if came else told]


def _ties(found: QueryFacts) -> list[str]:
    """Return a sentence for each system whose equal scores decide ranks that count."""
    told = []
    for start, side in (("", found.side), (BASELINE, found.baseline_side)):
        last = found.cutoff or found.n
        tied = [r[f"{start}rank"] for r in found.rows if r[f"{start}tied"] and r[f"{start}rank"] is not None]
        ranks = sorted(rank for rank in tied if rank <= last)
        if side is not None and ranks and found.ties:
            named = ", ".join(map(str, ranks[:MOST_NAMED])) + (", …" if len(ranks) > MOST_NAMED else "")
            where = f"{'rank' if len(ranks) == 1 else 'ranks'} {named}"
            order = f"{found.ties} orders them"
            told.append(f"{name_of(side)} has equal scores for items of other grades at {where}; {order}")
    return told


def _not_found(found: QueryFacts) -> list[str]:
    """Return the relevant items that add nothing, with what they could add."""
    value = {place: added for place, added in found.potential if added > ROUNDING}
    rows = [
        (place, row) for place, row in enumerate(found.rows)
        if row["is_relevant"] and not row["contribution"] and not row[f"{BASELINE}contribution"]
    ]  # fmt: skip
    if not rows:
        return []
    rows.sort(key=lambda one: -one[1]["relevance"])
    named = [
        f"{item_text(row, found.show)} ({grade_text(row['relevance'])}"
        + (f", at rank 1 {number(value[place], '+')})" if place in value else ")")
        for place, row in rows[:MOST_NAMED]
    ]
    more = f", and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    who = "" if found.baseline_side is None else " for either system"
    return [f"relevant items that add nothing{who}: {', '.join(named)}{more}"]


# --- lists -------------------------------------------------------------------------------------------


def list_tables(found: QueryFacts, together: bool) -> list[TextTable]:
    """Return the lists of the systems.

    Args:
        together: in one table, side by side.
    """
    sides = [("", found.side)]
    if found.baseline_side is not None:
        sides.insert(0, (BASELINE, found.baseline_side))
    return [_lists(found, sides)] if together else [_lists(found, [side]) for side in sides]


def _lists(found: QueryFacts, sides: Sequence[tuple[str, Side]]) -> TextTable:
    """Return a line for each rank, and the sums that the columns add up to."""
    header, numeric = ["rank"], ["rank"]
    columns: list[list[list[str]]] = []
    lists = [_ranked(found, start) for start, _ in sides]
    last = max((max(ranked, default=0) for ranked in lists), default=0)
    ranks = range(1, min(found.n, found.cutoff or last, last) + 1)
    for (start, side), ranked in zip(sides, lists, strict=True):
        name = "item" if side.system is None else visible(side.system)
        # A space at the end distinguishes equal names of columns.
        number_of = " " * sides.index((start, side))
        header += [f"{name}{number_of}", f"grade{number_of}", f"adds{number_of}"]
        numeric += [f"grade{number_of}", f"adds{number_of}"]
        columns.append(_list_cells(found, start, side, ranked, ranks))
    labels = [*map(str, ranks), "", ""]
    cells = [[label, *(c for column in columns for c in column[i])] for i, label in enumerate(labels)]
    return TextTable(header, [line for line in cells if any(c for c in line)], numeric)


def _ranked(found: QueryFacts, start: str) -> dict[int, dict[str, Any]]:
    """Return the items of a list by rank."""
    return {row[f"{start}rank"]: row for row in found.rows if row[f"{start}rank"] is not None}


def _list_cells(
    found: QueryFacts, start: str, side: Side, ranked: dict[int, dict[str, Any]], ranks: range
) -> list[list[str]]:
    """Return item, grade and contribution of each rank, then those of all lower ranks, and the sum."""
    cells = []
    for rank in ranks:
        row = ranked.get(rank)
        if row is None:
            cells.append([NOTHING if ranked and rank < max(ranked) else "", "", ""])
        else:
            added = row[f"{start}contribution"]
            text = NOTHING if added is None else number(added) if abs(added) > ROUNDING else "0"
            cells.append([item_text(row, found.show), grade_text(row["relevance"]), text])
    below = [row for rank, row in ranked.items() if rank not in ranks]
    added = sum(row[f"{start}contribution"] or 0.0 for row in below)
    told = f"ranks after {ranks[-1] if ranks else 0}"
    cells.append([told, "", number(added)] if abs(added) > ROUNDING else ["", "", ""])
    total = side.by_policy if side.by_policy and not any(
        row[f"{start}contribution"] for row in found.rows
    ) else "sum"  # fmt: skip
    cells.append([total, "", number(side.value)])
    return cells


def closing_lines(found: QueryFacts, width: int) -> list[str]:
    """Return the formula, the best order and the sentences, in lines of a width; 0 for any."""
    lines = [f"{visible(found.metric)} = {found.formula}"] if found.formula else []
    ideal = found.ideal
    if ideal:
        named = ", ".join(f"{_item(one)} ({grade_text(one['relevance'])})" for one in ideal[: found.n])
        more = f", and {len(ideal) - found.n} more" if len(ideal) > found.n else ""
        lines.append(f"best order: {named}{more}")
    lines += [*place_lines(found), *sentences_of(found), *found.metric_notes]
    return wrapped(lines, width)


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """Return lines that fit a width, the rest of a long one indented; 0 for any width."""
    if width <= 0:
        return list(lines)
    return [
        part for line in lines for part in wrap(line, width, subsequent_indent="  ", break_long_words=False)
    ]


PARTS = "each row is a part: the columns add up to the values above"


def total_line(found: GroupFacts) -> str:
    """Return the values that the groups add up to."""
    better = ", lower is better" if found.lower_is_better else ""
    if found.target is not None:
        better = f", aims at {found.target:g}"
    return f"{visible(found.metric)} by {visible(found.by)}: {values_text(found)}{better}"


def group_table(found: GroupFacts) -> TextTable:
    """Return a line for each group: its contributions, their difference and its share."""
    compared = found.baseline_side is not None
    header = [visible(found.by)]
    if found.baseline_side is not None:
        header += [visible(str(found.baseline_side.system)), visible(str(found.side.system)), "difference"]
    else:
        header += ["adds" if found.side.system is None else visible(found.side.system)]
    header += ["share", *(_detail_names(found) or [f"{found.noun}s"])]
    cells = []
    for row in found.rows:
        values = [row[f"{BASELINE}contribution"], row["contribution"]] if compared else [row["contribution"]]
        line = [_group_text(found, row), *map(number, values)]
        if compared:
            line.append(number(row["difference"], "+"))
        share = "" if row["share"] is None else f"{row['share']:z.1%}"
        cells.append([*line, share, *(_details(found, row) if found.details else [_count_of(row, compared)])])
    return TextTable(header, cells, header[1:])


def _count_of(row: dict[str, Any], compared: bool) -> str:
    """Return the number of items, rows or queries of a group, in both systems where they differ."""
    text = f"{row['n']:,}"
    if compared and row["baseline_n"] != row["n"]:
        text = f"{row['baseline_n']:,} → {text}"
    if row["kind"] == "policy":
        return f"{text} {'query' if text == '1' else 'queries'}"
    return text


def _detail_names(found: GroupFacts) -> list[str]:
    """Return the heads of the columns of groups of one row."""
    return [visible(name) for name in found.details if name != f"{BASELINE}score"]


def _details(found: GroupFacts, row: dict[str, Any]) -> list[str]:
    """Return the label and score of the one row of a group, and the columns that the caller wants to see."""
    if row["kind"] != "group":
        counted_rows = f"{counted(row['n'], found.noun)}" if row["kind"] == "others" else ""
        return [counted_rows, *[""] * (len(_detail_names(found)) - 1)]
    cells = []
    for name in found.details:
        value = row[name]
        if name == "score":
            scores = [row[n] for n in (f"{BASELINE}score", name) if n in found.details]
            cells.append(" → ".join(map(number, scores)))
        elif name != f"{BASELINE}score":
            text = grade_text(value) if name == "label" else visible_key(value)
            cells.append("" if value is None else text)
    return cells


def closing_notes(found: GroupFacts) -> list[str]:
    """Return the lines below the table of groups."""
    return [*([PARTS] if found.rows else []), *group_lines(found), *found.metric_notes]


def group_lines(found: GroupFacts) -> list[str]:
    """Return in words how many groups raise and lower a value, and how much the largest of them make."""
    sizes = found.sizes
    if sizes is None or sizes.n_groups <= len(found.rows):
        return []
    kind = f"{found.noun}s" if found.details else f"groups of {visible(found.by)}"
    groups = f"{sizes.n_groups:,} {kind}"
    lines = []
    if found.baseline_side is not None:
        up = _group_movement(sizes.n_up, "raise", "the value", sizes.up)
        down = _group_movement(sizes.n_down, "lower", "it", -sizes.down)
        lines.append(f"of {groups}, {up}, and {down}")
    if sizes.share is not None:
        whole = "all changes" if found.baseline_side is not None else "the value"
        largest = "largest makes" if sizes.n_largest == 1 else f"{sizes.n_largest:,} largest make"
        lines.append(f"the {largest} {sizes.share:.1%} of {whole}")
    return lines


def _group_movement(n: int, verb: str, what: str, by: float) -> str:
    """Write how many groups move a value, and how far."""
    many = "none" if n == 0 else f"{n:,}"
    return f"{many} {verb}{'s' if n < 2 else ''} {what}" + (f" by {number(by)}" if n else "")


def _group_text(found: GroupFacts, row: dict[str, Any]) -> str:
    if row["kind"] == "policy":
        return "(queries by policy)"
    if row["kind"] == "constant":
        return "(constant)"
    if row["kind"] == "others":
        return f"({counted(row['n_groups'], 'other')})"
    value = row[found.by]
    if value is None:
        return "(not judged)" if found.by == "grade" else "(NULL)"
    if isinstance(value, float):
        return f"{value:g}"
    return visible_key(value)
