"""One definition: a file under sql/, the keys of its header, its range and its query."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import sqlglot
from sqlglot import exp

from duckmetrics.errors import DefinitionError, unknown
from duckmetrics.expressions.folding import Value, bind, constant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


_ENDS = re.compile(r"[\[(](-?[\d.]+|-inf), (-?[\d.]+|inf)[\])]")
_BETTER = re.compile(r"(?:closest to (?P<target>[\d.]+)|(?P<way>higher|lower)) is better")


class ValueRange(NamedTuple):
    """``[0, 1], higher is better``.

    Attributes:
        low, high: infinite if the header names no number.
        better: "higher" or "lower"; None if neither is, or if there is a target.
        target: the best value, if values closest to it are better; else None.
    """

    low: float = -math.inf
    high: float = math.inf
    better: str | None = None
    target: float | None = None

    @property
    def direction(self) -> str | None:
        """The text of the column `better`: higher, lower, target, or None."""
        return self.better if self.target is None else "target"

    def middle(self) -> float | None:
        """Return the middle of the range; None if one of them is infinite."""
        middle = (self.low + self.high) / 2
        return middle if math.isfinite(middle) else None

    def gain(self, value: float, other: float) -> float | None:
        """Return how much better a value is than another; None if the header does not say which is better."""
        if self.target is not None:
            return abs(other - self.target) - abs(value - self.target)
        if self.better is None:
            return None
        return value - other if self.better == "higher" else other - value


def read_range(declared: str) -> ValueRange:
    """Read the header key ``range``; without it, the range is unknown."""
    ends, said = _ENDS.match(declared), _BETTER.search(declared)
    low, high = (float(ends[1]), float(ends[2])) if ends else (-math.inf, math.inf)
    if said is None:
        return ValueRange(low, high)
    return ValueRange(low, high, said["way"], None if said["target"] is None else float(said["target"]))


KEYS = {
    "name": "the name of the file without .sql",
    "alias": "other names in the literature; a name may set parameters: f1 (beta = 1)",
    "macro": "names of macros in the DuckDB shell; x for y: the macro is x, because DuckDB uses the name y",
    "title": "a noun phrase",
    "group": "the topic below which lists show a metric; absent: its family has no topics",
    "meaning": "one or two sentences: what the metric shows a user about the predictions",
    "use": "when to use it: when only the first relevant item matters",
    "beware": "the most common way to be misled by it",
    "reading": "what extreme or typical values mean, one line each: 1: every ranking is perfect",
    "tex": "the formula in TeX",
    "symbols": "the meaning of each symbol of tex, one line each: k: the cut-off",
    "worked": (
        "the value of the example by hand, as an expression of numbers in SQL; for rankings one line for "
        "each query: q1: (2 + 0) / 3 = 0.6667; or none, and why"
    ),
    "related": "other metrics to look at, separated by commas",
    "inputs": "the input tables that the file or its relations read, with the columns that they read",
    "optional": "input columns that may be missing, each with its default value: expected = 1",
    "params": "parameters, written as SQL column definitions with DEFAULT and CHECK",
    "switches": "parameters that every metric that reads this file inherits",
    "values": (
        "what each value of a parameter does to the number, one line each: ties=item_asc: sentence; of a "
        "parameter without choices: k: sentence; or a file that says it: k: as in recall"
    ),
    "requires": "a condition that every row of an input must satisfy: truth (relevance <= max_grade)",
    "idle": (
        "parameters that do not change the value, and when: rel WHEN gain <> 'binary'; ties WHEN k IS NULL"
    ),
    "facts": "facts about the metrics that read this file, and when they hold: positions WHEN ties = 'input'",
    "depth": "the deepest rank that a metric or check reads, as a formula of parameters; absent: all ranks",
    "sampled": (
        "consistent: sampled candidates give the same expected value as all items; absent: they do not"
    ),
    "chart": (
        "of a table: its drawing in pages/tables.py, with the parameters that keep the chart small: "
        "roc (points = 80)"
    ),
    "grain": "the columns that identify a row of the result",
    "range": "the interval that contains the values, and which direction is better",
    "formula": "the formula in one line of plain text",
    "source": "author, venue, year, DOI",
    "oracle": "the tool that confirms the values, in addition to the plain-Python reference",
    "reference": (
        "of a metric of the user: the function in plain Python that verify= computes the values with, "
        "module:function"
    ),
    "example": "a call and its value on the case tests/data/ranking/sample.sql",
    "portable": (
        "no, and why; no, except spark: and why the others cannot; or with which parameters: "
        "with plan = sorted; absent: every engine can run it"
    ),
    "influence": (
        "the relation that computes the influence function of a metric that is not a function of sums, one "
        "value per unit (query or cluster); of a metric of all lists, the relation of its change with each "
        "list that has an item; none: the metric estimates nothing and has no interval"
    ),
    "contribution": (
        "the contribution of a row that the metric reads to the value, if the value is not written as a sum "
        "over rows; of a metric of classifiers, the relation that computes it; or none, and why; absent: the "
        "terms of the sum"
    ),
    "interval": (
        "the method of an interval: logit, or proportion for Wilson's; absent: mean -+ t * se; or none, and "
        "why the bootstrap samples give no interval; of an aggregation, quantile for order statistics, or "
        "log for the mean of logarithms"
    ),
    "usual": "the spec that is computed if the caller names no metric; one metric of each family has it",
    "few": "the relation of the systems and slices whose values chance moves, as they have too few lists",
    "alone": "the spec that stands for the usual one where there is no truth",
    "undefined": "why the value is NULL although both classes are present",
    "infinite": "why the value can be infinite; absent: an infinite value is an overflow",
    "for": (
        "of a check: the family, relation, metric or table (history, items, reference) that it protects, or "
        "weight; or the check that it explains"
    ),
    "reported": "of a check: its name in findings; absent: the name of the file",
    "severity": "of a check: error, warning or note",
    "why": "of a check: what would be wrong with a number, or with reading it",
    "column": "of a check: the column that it examines, table.column",
    "when": "of a check: the condition under which its rows are findings; absent: they always are",
    "advice": "of a check: what the user can do next",
    "settles": "of a check: a switch with the value under which its rows are not findings: duplicates=first",
    "slice": (
        "of a relation of queries whose column of the same name slices results: the groups of queries; the "
        "history has to be given"
    ),
    "warning": "a warning that every result of a statistic shows",
    "small": "of a statistic: why few units need no warning",
    "categorical": "of a statistic of numbers: the one that compares a column of text",
    "note": "a convention that the reader must know",
}

# Keys in which every line is an entry.
_LISTS = ("values", "reading", "symbols", "worked")
_FIELD = re.compile(r"-- (?P<key>[a-z]+): +(?P<value>\S.*)")
_CONTINUATION = re.compile(r"-- {4,}(?P<value>\S.*)")


def read_header(path: Path) -> dict[str, str]:
    """Read the header of a definition; an error names the file and the line."""
    header: dict[str, str] = {}
    key = ""
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(map(str.rstrip, lines), start=1):
            where = f"{path}:{number}"
            if not line.startswith("--"):
                break
            if field := _FIELD.fullmatch(line):
                key = field["key"]
                if key not in KEYS:
                    raise DefinitionError(where, *unknown("key", key, KEYS))
                if key in header:
                    raise DefinitionError(where, f"{key!r} is declared twice", "keep one of them")
                header[key] = field["value"]
            elif key and (more := _CONTINUATION.fullmatch(line)):
                header[key] += ("\n" if key in _LISTS else " ") + more["value"]
            else:
                raise DefinitionError(
                    where,
                    f"{line!r} is not a header line",
                    "write '-- key: value', or indent a continuation by four spaces or more",
                )
    if header.get("name") != path.stem:
        what = f"the name must be {path.stem!r}, as the file is called"
        raise DefinitionError(f"{path}:1", what, f"begin the file with -- name: {path.stem}")
    return header


def body(text: str) -> str:
    """Blank out the header, so that the query keeps its line numbers."""
    lines = text.splitlines(keepends=True)
    end = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return "\n" * end + "".join(lines[end:])


DIALECT = "duckdb"
RANKING, CLASSIFICATION, MULTICLASS = "ranking", "classification", "multiclass"
METRIC_FAMILIES = (RANKING, CLASSIFICATION, MULTICLASS)
# The topic of metrics of the user that name none.
OWN = "Your metrics"
# The inputs that every call has; without a table, the population comes from the two others.
EVERY_CALL = frozenset({"predictions", "truth", "population"})
# The grain of a metric that has one value for all lists of a system in a slice.
SYSTEM_GRAIN = ("system", "segment")
# The relation that applies the policies of a family; every metric of the family reads it.
POLICIES = {RANKING: "evaluated", CLASSIFICATION: "defined", MULTICLASS: "defined"}
_TABLE = re.compile(r"(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_ALIAS = re.compile(r"(\w+)(?:\s*\(([^()]*)\))?")
_TYPES: dict[str, type[Any]] = {
    "INT": int,
    "DOUBLE": float,
    "VARCHAR": str,
    "TEXT": str,
    "BOOLEAN": bool,
    "ARRAY": tuple,  # of numbers
}


@dataclass(frozen=True)
class Param:
    """A parameter as the header declares it, in the words of a SQL column.

    Attributes:
        type: int, float, str, bool, or tuple for a list of numbers.
    """

    name: str
    type: type[Any]
    default: Value
    required: bool
    checks: tuple[exp.Expr, ...] = field(repr=False, compare=False)

    @property
    def choices(self) -> tuple[Value, ...]:
        """The values that a ``CHECK (name IN (...))`` lists; empty when there is no such list."""
        for check in self.checks:
            if isinstance(check, exp.In) and check.this.name == self.name:
                return tuple(cast("Value", constant(option)) for option in check.expressions)
        return ()


@dataclass(frozen=True)
class Definition:
    """One file: a named query over inputs, relations and ``$parameters``.

    Attributes:
        is_own: whether it is a file of the user, and did not ship with the package.
        digest: of the text of a user's file, which may change while the process runs.
    """

    path: Path
    family: str
    is_own: bool = False
    digest: str = ""

    @cached_property
    def header(self) -> Mapping[str, str]:
        """The declarations of the file, by key; those that a user's file leaves out have defaults."""
        header = read_header(self.path)
        return {**self._usual, **header} if self.is_own else header

    @property
    def _usual(self) -> dict[str, str]:
        grain = "system, query_id" if self.family == RANKING else "system, segment"
        title = self.path.stem.replace("_", " ").capitalize()
        return {"title": title, "group": OWN, "grain": grain, "formula": "", "source": ""}

    @cached_property
    def name(self) -> str:
        """The name of the file, without its ending."""
        return self.path.stem

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Of a check: families, relations and metrics, and checks that it explains."""
        return frozenset(self.header["for"].split(", "))

    @property
    def reported(self) -> str:
        """The name in findings."""
        return self.header.get("reported", self.name)

    @property
    def title(self) -> str:
        return self.header["title"]

    @property
    def group(self) -> str:
        """The topic below which lists show a metric; empty if its family has no topics."""
        return self.header.get("group", "")

    @property
    def is_table(self) -> bool:
        """Whether it yields rows, such as the points of a curve, and not one value each."""
        return self.family in METRIC_FAMILIES and "range" not in self.header

    @cached_property
    def range(self) -> ValueRange:
        """The ends of the values, and which way is better."""
        return read_range(self.header.get("range", ""))

    @cached_property
    def text(self) -> str:
        """The file as it stands."""
        return self.path.read_text("utf-8-sig")

    def place(self, key: str) -> str:
        """Return the file with the line of a key of the header, or with its first line."""
        lines = enumerate(self.text.splitlines(), start=1)
        return f"{self.path}:{next((n for n, line in lines if line.startswith(f'-- {key}:')), 1)}"

    @cached_property
    def query(self) -> exp.Query:
        """The parsed query, its ``$parameters`` still open."""
        try:
            tree = sqlglot.parse_one(body(self.text), dialect=DIALECT)
        except sqlglot.ParseError as error:
            found = error.errors[0] if error.errors else {}
            where = f"{self.path}:{found['line']}" if "line" in found else self.path
            if "line" not in found:
                raise DefinitionError(
                    where, "there is no query", "write a SELECT below the header"
                ) from error
            near = f" near {found['highlight']!r}" if found.get("highlight") else ""
            what = f"the query cannot be read{near}: {found.get('description', error)}"
            raise DefinitionError(where, what, "fix the query") from error
        except sqlglot.TokenError as error:
            lines = enumerate(self.text.splitlines(), start=1)
            open_ = next((n for n, line in lines if line.count("'") % 2 or line.count('"') % 2), 1)
            what = "the query cannot be read: a quote or comment does not end"
            raise DefinitionError(f"{self.path}:{open_}", what, "fix the query") from error
        if not isinstance(tree, exp.Query):
            found_ = "several statements" if isinstance(tree, exp.Block) else tree.key.upper()
            raise DefinitionError(
                self.path, f"found {found_}", "write a bare SELECT, with one semicolon at most"
            )
        _forget_positions(tree)
        return tree

    @cached_property
    def tables(self) -> frozenset[str]:
        """The names this query reads and does not define itself; no step has the name of such a table."""
        steps = {step.alias for step in self.query.find_all(exp.CTE)}
        return frozenset(table.name for table in self.query.find_all(exp.Table) if table.name) - steps

    @cached_property
    def placeholders(self) -> frozenset[str]:
        """The ``$parameters`` that stand in the query."""
        return frozenset(node.name for node in self.query.find_all(exp.Placeholder))

    @cached_property
    def inputs(self) -> dict[str, tuple[str, ...]]:
        """The external tables and their columns, as declared."""
        declared = _TABLE.findall(self.header.get("inputs", ""))
        return {table: tuple(re.split(r",\s*", columns)) for table, columns in declared}

    @cached_property
    def optional(self) -> dict[str, Value]:
        """The columns of the input that may be missing, with the value that stands for them."""
        pairs = (pair.split("=") for pair in self.header.get("optional", "").split(",") if pair)
        return {name.strip(): cast("Value", constant(_parsed(value))) for name, value in pairs}

    @cached_property
    def requires(self) -> dict[str, exp.Expr]:
        """The condition that every row of an input must satisfy: table -> condition."""
        return required(self.header.get("requires", ""))

    @cached_property
    def conditions(self) -> tuple[exp.Expr, ...]:
        """The conditions under which the rows of a check are findings; all of them must hold."""
        return conditions_of(self.header)

    @cached_property
    def own_params(self) -> dict[str, Param]:
        """The parameters that belong to this file alone."""
        return self._declared("params")

    @cached_property
    def switches(self) -> dict[str, Param]:
        """The parameters that every metric built on this file takes over."""
        return self._declared("switches")

    @cached_property
    def grain(self) -> tuple[str, ...]:
        return tuple(re.split(r",\s*", self.header["grain"]))

    @cached_property
    def further_inputs(self) -> frozenset[str]:
        """The inputs of a metric that only some calls have, such as a history; none of other files."""
        return frozenset(self.inputs) - EVERY_CALL if self.family in METRIC_FAMILIES else frozenset()

    @property
    def is_of_systems(self) -> bool:
        """Whether it is a metric of rankings with one value for all lists of a system, and none per query."""
        return self.family == RANKING and self.grain == SYSTEM_GRAIN

    @cached_property
    def idle(self) -> dict[str, exp.Expr]:
        """The conditions under which a parameter changes nothing, by its name."""
        return self._conditions("idle")

    @cached_property
    def facts(self) -> dict[str, exp.Expr]:
        """The conditions under which a fact holds for the metrics that build on this file, by its name."""
        return self._conditions("facts")

    def depth(self, values: Mapping[str, Value]) -> int | None:
        """Return the deepest rank the metric looks at, None when it needs all of them."""
        if self._depth is None:
            return None
        return cast("int | None", constant(substituted(self._depth, values)))

    @cached_property
    def _depth(self) -> exp.Expr | None:
        return _parsed(self.header["depth"]) if "depth" in self.header else None

    def aliases(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Return the other names of the metric with the parameters they bind."""
        return _named(self.header.get("alias", ""))

    @cached_property
    def chart(self) -> tuple[str, dict[str, str]] | None:
        """The drawing of a table, with the parameters that keep it small; None if nothing draws it."""
        return next(_named(self.header.get("chart", "")), None)

    @cached_property
    def macros(self) -> dict[str, str]:
        """The names of macros in the DuckDB shell, as the file gives them: name -> name of its macro."""
        words = (entry.split(" for ") for entry in re.split(r",\s*", self.header.get("macro", "")) if entry)
        return {entry[-1]: entry[0] for entry in words}

    def _conditions(self, key: str) -> dict[str, exp.Expr]:
        """Read ``name WHEN condition; name WHEN condition``."""
        found = {}
        for said in filter(None, self.header.get(key, "").split("; ")):
            name, _, condition = said.partition(" WHEN ")
            found[name.strip()] = _parsed(condition)
        return found

    def _declared(self, key: str) -> dict[str, Param]:
        text = self.header.get(key)
        if text is None:
            return {}
        try:
            table = sqlglot.parse_one(f"CREATE TABLE params ({text})", dialect=DIALECT)
            params = [_param(column) for column in table.this.expressions]
        except (sqlglot.ParseError, KeyError, AttributeError) as error:
            raise DefinitionError(
                self.place(key),
                f"cannot read {key} {text!r}",
                "write 'name TYPE DEFAULT value CHECK (condition)'",
            ) from error
        return {param.name: param for param in params}


def _parsed(text: str) -> exp.Expr:
    """Parse an expression of a header."""
    tree = sqlglot.parse_one(text, dialect=DIALECT)
    _forget_positions(tree)
    return tree


def _forget_positions(tree: exp.Expr) -> None:
    """Forget the positions in the text, which every copy of the tree would copy."""
    for node in tree.walk():
        node._meta = None


def _named(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Read ``name (parameter = value), name``: each name with its parameters."""
    for name, bound in _ALIAS.findall(text):
        pairs = (pair.split("=") for pair in bound.split(",") if pair)
        yield name, {key.strip(): value.strip() for key, value in pairs}


def required(text: str) -> dict[str, exp.Expr]:
    """Read ``truth (relevance <= 1)``: table -> condition."""
    found: dict[str, exp.Expr] = {}
    for table, said in _TABLE.findall(text):
        condition = _parsed(said)
        found[table] = exp.and_(found[table], condition) if table in found else condition
    return found


def conditions_of(header: Mapping[str, str]) -> tuple[exp.Expr, ...]:
    """Return the conditions in the line ``when`` of a header."""
    if not header.get("when"):
        return ()
    when = _parsed(header["when"])
    return tuple(when.flatten()) if isinstance(when, exp.And) else (when,)


def _param(column: exp.Expr) -> Param:
    default = column.find(exp.DefaultColumnConstraint)
    check = column.find(exp.CheckColumnConstraint)
    kind = _TYPES[column.args["kind"].this.name]
    value = cast("Value", constant(default.this)) if default else None
    return Param(
        name=column.name,
        type=kind,
        default=float(value) if kind is float and isinstance(value, int) else value,
        required=default is None,
        checks=tuple(check.this.flatten()) if check and isinstance(check.this, exp.And)
        else (check.this,) if check else (),
    )  # fmt: skip


def substituted(condition: exp.Expr, values: Mapping[str, Value]) -> exp.Expr:
    """Fold a condition over parameter names once their values are known."""
    return bind(condition, values, exp.Column)
