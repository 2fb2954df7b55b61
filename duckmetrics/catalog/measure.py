"""A measure: a metric with a value for every parameter, its signature, and the facts about parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import Definition, Param, required, substituted
from duckmetrics.errors import DefinitionError, MetricError, UnsupportedError, suggestion
from duckmetrics.expressions.folding import Value, constant
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.presets import NameSet


_DIGITS = re.compile(r"-?[0-9]+")

_WORD = re.compile(r"[A-Za-z_][\w.-]*")

CUTOFF = "k"
# The parameters that all metrics of a call have in common.
PER_CALL = ("population",)


def typed_value(where: str, param: Param, value: object, others: Iterable[Param] = ()) -> Value:
    """Read a value as the type that the parameter declares.

    Args:
        others: the parameters of the metric; one of them may take a list where this one does not.

    Raises:
        MetricError: the value is of another type.
    """
    if param.default is None and not param.required and (
        value is None or str(value).lower() in ("null", "none")
    ):  # fmt: skip
        return None
    try:
        return _READERS[param.type](value)
    except (ValueError, TypeError, OverflowError, KeyError):
        wanted = {int: "a whole number", float: "a number", bool: "true or false", tuple: "a list of numbers"}
        raise MetricError(
            where,
            f"{param.name} must be {wanted.get(param.type, 'a word')}, got {value!r}",
            f"write {_sample_of_list(value, others) or _sample(param)}",
        ) from None


def _sample_of_list(value: object, others: Iterable[Param]) -> str | None:
    """Return the parameter that takes a list, with the list if it is allowed; None if there is no list."""
    try:
        listed = _numbers(value)
    except (ValueError, TypeError):
        return None
    taking = (param for param in others if param.type is tuple)
    return next((_sample(param, {param.name: listed}) for param in taking), None)


def _sample(param: Param, others: Mapping[str, Value] | None = None) -> str:
    """Write a value that is allowed, next to those of the other parameters."""
    if param.name == CUTOFF:
        return "a positive number after @, such as @10"
    given = (others or {}).get(param.name)
    # The ends 0 and 1, and an order, are what most lists lack.
    repaired = tuple(sorted({0.0, *given, 1.0})) if isinstance(given, tuple) else None
    tried = [value for value in (param.default, repaired, *_SAMPLES[param.type]) if value is not None]
    allowed = (
        value for value in tried
        if not any(is_violated(check, {**(others or {}), param.name: value}) for check in param.checks)
    )  # fmt: skip
    return f"{param.name}={written(next(allowed, tried[0]))}"


def _whole(value: object) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise ValueError
    return int(value if isinstance(value, int | float) else str(value))


def _real(value: object) -> float:
    number = float(value if isinstance(value, int | float) else str(value))
    if isinstance(value, bool) or not math.isfinite(number):
        raise ValueError
    return number


def _numbers(value: object) -> tuple[float, ...]:
    """Read a sequence of numbers, such as a list or an array, or the text of one in brackets."""
    if isinstance(value, str):
        text = value.strip()
        if text[:1] != "[" or text[-1:] != "]":
            raise ValueError
        value = [part.strip() for part in text[1:-1].split(",")]
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise TypeError
    return tuple(_real(one if isinstance(one, str | bool) else float(one)) for one in value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value[1:-1].replace("''", "'") if value[:1] == "'" else value


def _flag(value: object) -> bool:
    return {"true": True, "false": False, "True": True, "False": False}[str(value)]


def is_violated(check: exp.Expr, values: Mapping[str, Value]) -> bool:
    """Return whether a CHECK is violated, which means that it is false; NULL passes, as in SQL."""
    return constant(substituted(check, values)) is False


def check_value(spec: str, param: Param, values: Mapping[str, Value]) -> None:
    value = values[param.name]
    for check in param.checks:
        if not is_violated(check, values):
            continue
        if isinstance(check, exp.In):
            options = [str(choice) for choice in param.choices]
            given = "" if value is None else str(value)
            hint = suggestion(given, options, f"choose {' or '.join(options)}")
            raise MetricError(spec, f"{param.name} cannot be {str(value)!r}", hint)
        if (needed := _needs(check)) is not None:
            raise MetricError(spec, f"{param.name}={written(value)} needs {needed}", "write it as in @10")
        raise MetricError(
            spec,
            f"{param.name} is {written(value)}, but must {condition_in_words(check)}",
            _share_of(param, value) or f"write {_sample(param, values)}",
        )


# Conditions on a list in words; {} is the number in the condition.
_OF_LISTS = {
    "LIST_EXTRACT(name, 1) = ": "begin with {}",
    "LIST_EXTRACT(name, -1) = ": "end with {}",
    "LIST_SORT(LIST_DISTINCT(name)) = name": "rise without repeating a value",
    "LENGTH(name) > ": "have more than {} values",
}


def condition_in_words(check: exp.Expr) -> str:
    """Return what a CHECK requires, to stand after "must"; a condition that is not of a list is SQL."""
    text = check.sql(dialect="duckdb")
    column = check.find(exp.Column)
    shape = text.replace(column.name, "name") if column else text
    for known, words in _OF_LISTS.items():
        if shape.startswith(known):
            return words.format(shape.removeprefix(known))
    return f"satisfy {text}"


def is_share(param: Param) -> bool:
    """Return whether a parameter is above 0 and at most 1, so that people may think of percent."""
    checks = {check.sql() for check in param.checks}
    ends = {f"{param.name} < 1", f"{param.name} <= 1"}
    return f"{param.name} > 0" in checks and bool(ends & checks) and param.type is float


def _share_of(param: Param, value: Value) -> str | None:
    """Return advice to write a percentage as a share, None if the value does not look like a percentage."""
    if not is_share(param) or not isinstance(value, int | float) or not 2 <= value <= 100:
        return None
    share = value / 100
    return None if any(is_violated(c, {param.name: share}) for c in param.checks) else f"write {share:.15g}"


def _needs(check: exp.Expr) -> str | None:
    """Read ``norm <> 'k' OR k IS NOT NULL``: the value needs another parameter."""
    if isinstance(check, exp.Paren):
        return _needs(check.this)
    if isinstance(check, exp.Or) and isinstance(check.expression, exp.Not):
        columns = [column.name for column in check.expression.find_all(exp.Column)]
        return columns[0] if columns else None
    return None


def written(value: Value) -> str:
    """Write a value the way a spec has it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(written, value))}]"
    text = str(value)
    return (
        text if isinstance(value, int) or _WORD.fullmatch(text) else f"'{text.replace(chr(39), 2 * chr(39))}'"
    )


# Values to try for a parameter without a default; one of them is allowed.
_SAMPLES: dict[type, tuple[Value, ...]] = {
    int: (1, 2, 10), float: (1, 0.5, 0.1, 10), str: ("word",), bool: (True, False),
    tuple: ((0.0, 0.1, 0.5, 1.0),),
}  # fmt: skip
_READERS: dict[type, Callable[[object], Value]] = {
    int: _whole, float: _real, str: _text, bool: _flag, tuple: _numbers
}  # fmt: skip


AGGREGATION, VERSION = "agg", "v"
TIME_ZONE = "time_zone"
# The part of values that were computed elsewhere.
GIVEN_VALUES = "values"
# The part of metrics whose queries count by a weight.
WEIGHTS, OF_QUERIES = "weights", "queries"
# The parts that are common to a call, and so belong to no spec.
# The digest of a file of the user is no argument either.
DIGEST = "sql"
_OF_CALL = ("population", TIME_ZONE, DIGEST, WEIGHTS)
_NAME = re.compile(r"(?P<metric>\w+(?:\.\w+)?)(?:@(?P<k>\d+))?")
_PART = re.compile(r"(?P<name>\w+):(?P<value>'(?:[^']|'')*'|[^|']*)")


@dataclass(frozen=True)
class Signature:
    """The conventions behind a number: ``ndcg@10|discount:log2|gain:linear|...|agg:mean|v:0.1.0``.

    Two numbers with equal signatures from equal data are equal.

    Attributes:
        metric: its name, with the family where the name alone is ambiguous.
        k: the cut-off.
        params: name and value of every other parameter and switch, as a spec has them; the time zone of the
            call, if a slice or condition depends on it; and whether queries count by a weight.
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
        is_given = (GIVEN_VALUES, "given") in parts
        is_unnamed = name is None and not (is_given and head)
        if is_unnamed or whole != rest or VERSION not in values or len(values) < len(parts):
            raise MetricError(
                f"signature {text!r}",
                "cannot be read",
                "write it as a result shows it, such as 'ndcg@10|gain:linear|...|v:0.1.0'",
            )
        params = tuple((n, v) for n, v in parts if n not in (AGGREGATION, VERSION))
        k = None if is_given or name is None or name["k"] is None else int(name["k"])
        metric = head if is_given or name is None else name["metric"]
        return cls(metric, k, params, values.get(AGGREGATION), values[VERSION])

    @property
    def spec(self) -> str:
        """A spec with every parameter, except those that are common to a call."""
        arguments = [f"{n}={v}" for n, v in self.params if n not in _OF_CALL]
        arguments += [f"{AGGREGATION}={self.aggregation}"] if self.aggregation else []
        written = f"({', '.join(arguments)})" if arguments else ""
        return f"{self.metric}{written}{'' if self.k is None else f'@{self.k}'}"

    @property
    def of_call(self) -> dict[str, str]:
        """The parameters that a spec does not have, because they are common to a call."""
        return {name: value for name, value in self.params if name in _OF_CALL}

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


DEFAULT_AGGREGATION = "mean"


@dataclass(frozen=True)
class Measure:
    """The meaning of ``ndcg@10``: a metric, a value for each parameter, and an aggregation.

    Attributes:
        text: the measure as typed; results show it.
        name: the metric, with its family where the name alone is ambiguous.
        params: name and value of every parameter, the switches included, in a fixed order.
        aggregation: from per-query values to one number; None where a metric is one number already.
        needed: the condition of a preset on the rows, ``predictions (score > 0)``.
        untied: whether a preset requires that no scores of a query are equal.
        tools: the presets of the tools that use this text as a name; empty for our own names.
        member_of: the set that the text is a member of, if the set was asked for.
        given: the parameters that the text fixes, so that a switch of the call does not change them.
        without_effect: the switches of the call that change nothing, in words, which a preset allows.
        time_zone: the zone that a slice or condition depends on, empty if none does.
        weighted: whether queries count by a weight.
    """

    metric: Definition
    text: str
    name: str
    params: tuple[tuple[str, Value], ...]
    aggregation: str | None
    declared: tuple[Param, ...]
    needed: str = ""
    untied: bool = False
    tools: tuple[str, ...] = ()
    member_of: NameSet | None = None
    given: frozenset[str] = field(default=frozenset(), compare=False)
    without_effect: tuple[str, ...] = field(default=(), compare=False)
    time_zone: str = ""
    weighted: bool = False

    @property
    def family(self) -> str:
        return self.metric.family

    @property
    def values(self) -> dict[str, Value]:
        return dict(self.params)

    @property
    def requires(self) -> Mapping[str, exp.Expr]:
        """The condition of the metric and the preset on every row of an input: table -> condition."""
        needed, own = required(self.needed), self.metric.requires
        both = {table: exp.and_(needed[table], own[table]) for table in needed.keys() & own.keys()}
        return {**needed, **own, **both}

    @property
    def lower_is_better(self) -> bool:
        return self.metric.range.direction == "lower"

    @property
    def depth(self) -> int | None:
        """The deepest rank the measure looks at, None for all of them."""
        return self.metric.depth(self.values)

    def __str__(self) -> str:
        """Return the canonical text: the parameters that differ from the defaults, and the cut-off."""
        changed = [
            f"{param.name}={written(value)}"
            for param, (_, value) in zip(self.declared, self.params, strict=True)
            if param.name != CUTOFF and (param.required or value != param.default)
        ]
        if self.aggregation not in (None, DEFAULT_AGGREGATION):
            changed.append(f"{AGGREGATION}={self.aggregation}")
        arguments = f"({', '.join(changed)})" if changed else ""
        return f"{self.name}{arguments}{self._cutoff}"

    @property
    def signature(self) -> str:
        """Every convention behind the number: ``ndcg@10|gain:linear|...|agg:mean``.

        Two results with equal signatures on equal data are equal.
        """
        params = tuple((name, written(value)) for name, value in self.params if name != CUTOFF)
        params += ((TIME_ZONE, self.time_zone),) if self.time_zone else ()
        params += ((WEIGHTS, OF_QUERIES),) if self.weighted else ()
        params += ((DIGEST, self.metric.digest),) if self.metric.is_own else ()
        k = self._cutoff[1:]
        return str(Signature(self.name, int(k) if k else None, params, self.aggregation, __version__))

    @property
    def key(self) -> tuple[str, str, bool]:
        """The parts that decide about a result on given data: the signature, and what a preset requires."""
        return self.signature, self.needed, self.untied

    def differing(self, other: Measure) -> dict[str, Value]:
        """Return the parameters whose values differ from those of another measure of the same metric."""
        return {name: value for name, value in self.params if other.values[name] != value}

    def bound(self, **values: Value) -> Measure:
        """Return the measure with those of these values that it declares."""
        params = tuple((name, values.get(name, value)) for name, value in self.params)
        return replace(self, params=params)

    @property
    def _cutoff(self) -> str:
        k = self.values.get(CUTOFF)
        return "" if k is None else f"@{k}"


def refuse_weighted(measure: Measure, advice: str) -> None:
    """Refuse a mean of queries that count by a weight, where nothing reads the weights.

    Raises:
        UnsupportedError: it is one.
    """
    if measure.weighted:
        raise UnsupportedError(
            measure.text, "is a mean with weights of queries, which are not read here", advice
        )


def refuse_several(measures: Sequence[Measure], names: Iterable[str]) -> None:
    """Refuse measures that are evaluated together, but differ in a parameter that is common to all.

    Raises:
        MetricError: names one measure of each value.
    """
    for name in names:
        found: dict[Value, Measure] = {}
        for measure in measures:
            if name in measure.values:
                found.setdefault(measure.values[name], measure)
        if len(found) > 1:
            usual = " and ".join(f"{name}={written(value)}" for value in found)
            raise MetricError(
                ", ".join(measure.text for measure in found.values()),
                f"need {usual}, but all metrics of a call have one {name}",
                f"ask for them separately, or choose one, such as {name}={written(next(iter(found)))}",
            )


POSITIONS, COPIED, EXPONENTIAL = "positions", "copied", "exponential"
CORRECTED, WEIGHED, ORDERED = "corrected", "weighed", "ordered"
FACTS = {
    POSITIONS: "the order of the rows in the input decides about equal scores",
    COPIED: "every copy of an item in a list counts as a separate item",
    EXPONENTIAL: "the gain of an item is two to the power of its grade",
    WEIGHED: "an item weighs as much as a power of the popularity of the most popular item over its own",
    ORDERED: "a convention decides which of two items with the same score comes first",
    CORRECTED: "ranks among all items are estimated from ranks among sampled candidates",
}


def declares(catalog: Catalog, fact: str, measure: Measure) -> bool:
    """Return whether the file of a measure, or a relation that it reads, says when a fact holds."""
    return any(fact in one.facts for one in (measure.metric, *catalog.foundations(measure.metric)))


def holds(catalog: Catalog, fact: str, measure: Measure) -> bool:
    """Return whether the file of a measure, or a relation that it reads, says that a fact holds."""
    every = (measure.metric, *catalog.foundations(measure.metric))
    conditions = [definition.facts[fact] for definition in every if fact in definition.facts]
    return any(constant(substituted(condition, measure.values)) is True for condition in conditions)


def parameter_of(catalog: Catalog, fact: str) -> str:
    """Return the name of the parameter that decides whether a fact holds.

    Raises:
        DefinitionError: no file declares the fact, or it depends on several parameters.
    """
    names = {
        column.name for one in declaring(catalog, fact) for column in one.facts[fact].find_all(exp.Column)
    }
    if len(names) != 1:
        raise DefinitionError(
            "facts", f"{fact} depends on {len(names)} parameters", "declare it with exactly one parameter"
        )
    return names.pop()


def declaring(catalog: Catalog, fact: str) -> list[Definition]:
    """Return the definitions that declare a fact."""
    every = (*catalog.metrics.values(), *catalog.relations.values())
    return [definition for definition in every if fact in definition.facts]
