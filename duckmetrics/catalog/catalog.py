"""The definitions under sql/: what each file declares, and how they build on each other."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, cast

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

from duckmetrics.catalog.header import body, read_header
from duckmetrics.errors import DefinitionError, MetricError, unknown
from duckmetrics.expressions.folding import Value, bind, constant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

DIALECT = "duckdb"
RANKING, CLASSIFICATION = "ranking", "classification"
METRIC_FAMILIES = (RANKING, CLASSIFICATION)
# What every metric of a family passes through: the relation that applies its policies.
POLICIES = {RANKING: "evaluated", CLASSIFICATION: "defined"}

_TABLE = re.compile(r"(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_ALIAS = re.compile(r"(\w+)(?:\s*\(([^()]*)\))?")
_TYPES: dict[str, type[int] | type[float] | type[str] | type[bool]] = {
    "INT": int,
    "DOUBLE": float,
    "VARCHAR": str,
    "TEXT": str,
    "BOOLEAN": bool,
}


@dataclass(frozen=True)
class Param:
    """A parameter as the header declares it, in the words of a SQL column."""

    name: str
    type: type[int] | type[float] | type[str] | type[bool]
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
    """One file: a named query over inputs, relations and ``$parameters``."""

    path: Path
    family: str
    header: Mapping[str, str] = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.header["name"]

    @property
    def title(self) -> str:
        return self.header["title"]

    @property
    def is_table(self) -> bool:
        """Whether it yields rows, such as the points of a curve, and not one value each."""
        return self.family in METRIC_FAMILIES and "range" not in self.header

    @cached_property
    def text(self) -> str:
        """The file as it stands."""
        return self.path.read_text("utf-8")

    @cached_property
    def query(self) -> exp.Query:
        """The parsed query, its ``$parameters`` still open."""
        try:
            tree = sqlglot.parse_one(body(self.text), dialect=DIALECT)
        except (sqlglot.ParseError, sqlglot.TokenError) as error:
            raise DefinitionError(f"{self.path}: {error}; mend the query") from error
        if not isinstance(tree, exp.Query):
            raise DefinitionError(f"{self.path}: found {tree.key.upper()}; write a bare SELECT")
        return tree

    @cached_property
    def tables(self) -> frozenset[str]:
        """The names this query reads and does not define itself."""
        return frozenset(
            source.name
            for scope in traverse_scope(self.query)
            for source in scope.sources.values()
            if isinstance(source, exp.Table) and source.name
        )

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
        return {
            name.strip(): cast("Value", constant(sqlglot.parse_one(value, dialect=DIALECT)))
            for name, value in pairs
        }

    @cached_property
    def requires(self) -> dict[str, exp.Expr]:
        """What the metric asks of every row of an input: table -> condition."""
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
    def idle(self) -> dict[str, exp.Expr]:
        """The conditions under which a parameter changes nothing, by its name."""
        found = {}
        for said in filter(None, self.header.get("idle", "").split("; ")):
            name, _, condition = said.partition(" WHEN ")
            found[name.strip()] = sqlglot.parse_one(condition, dialect=DIALECT)
        return found

    def depth(self, values: Mapping[str, Value]) -> int | None:
        """Return the deepest rank the metric looks at, None when it needs all of them."""
        if "depth" not in self.header:
            return None
        tree = sqlglot.parse_one(self.header["depth"], dialect=DIALECT)
        return cast("int | None", constant(substituted(tree, values)))

    def aliases(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the other names of the metric with the parameters they bind."""
        for name, bound in _ALIAS.findall(self.header.get("alias", "")):
            pairs = (pair.split("=") for pair in bound.split(",") if pair)
            yield name, {key.strip(): value.strip() for key, value in pairs}

    @cached_property
    def macros(self) -> dict[str, str]:
        """What the file says about names in the DuckDB shell: name of the macro by the name it stands for."""
        words = (entry.split(" for ") for entry in re.split(r",\s*", self.header.get("macro", "")) if entry)
        return {entry[-1]: entry[0] for entry in words}

    def _declared(self, key: str) -> dict[str, Param]:
        text = self.header.get(key)
        if text is None:
            return {}
        try:
            table = sqlglot.parse_one(f"CREATE TABLE params ({text})", dialect=DIALECT)
            params = [_param(column) for column in table.this.expressions]
        except (sqlglot.ParseError, KeyError, AttributeError) as error:
            raise DefinitionError(
                f"{self.path}: cannot read {key} {text!r}; write 'name TYPE DEFAULT value CHECK (condition)'"
            ) from error
        return {param.name: param for param in params}


def required(text: str) -> dict[str, exp.Expr]:
    """Read ``truth (relevance <= 1)``: table -> condition."""
    found: dict[str, exp.Expr] = {}
    for table, said in _TABLE.findall(text):
        condition = sqlglot.parse_one(said, dialect=DIALECT)
        found[table] = exp.and_(found[table], condition) if table in found else condition
    return found


def conditions_of(header: Mapping[str, str]) -> tuple[exp.Expr, ...]:
    """The conditions in the line ``when`` of a header."""
    if not header.get("when"):
        return ()
    when = sqlglot.parse_one(header["when"], dialect=DIALECT)
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


@dataclass(frozen=True)
class Alias:
    """Another name of a metric, with the parameters it binds."""

    metric: Definition
    bound: Mapping[str, str]


class Catalog:
    """Every definition under sql/: metrics and tables by (family, name), the others by name."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.metrics: dict[tuple[str, str], Definition] = {}
        self.tables: dict[tuple[str, str], Definition] = {}
        self.relations: dict[str, Definition] = {}
        self.aggregations: dict[str, Definition] = {}
        self.checks: dict[str, Definition] = {}
        self.inspections: dict[str, Definition] = {}
        self.functions: dict[str, Definition] = {}
        self.statistics: dict[str, Definition] = {}
        self.count_checks: dict[str, Definition] = {}
        self.aggregates: dict[str, Definition] = {}
        self.shell: dict[str, Definition] = {}
        self.sampling: dict[str, Definition] = {}
        self._placeholders: dict[Path, frozenset[str]] = {}
        shelves = {
            "relations": self.relations,
            "aggregations": self.aggregations,
            "checks": self.checks,
            "inspections": self.inspections,
            "functions": self.functions,
            "statistics": self.statistics,
            "count_checks": self.count_checks,
            "aggregates": self.aggregates,
            "shell": self.shell,
            "sampling": self.sampling,
        }
        for definition in definitions:
            if definition.is_table:
                self.tables[definition.family, definition.name] = definition
                self.relations[definition.name] = definition
            elif definition.family in METRIC_FAMILIES:
                self.metrics[definition.family, definition.name] = definition
            elif definition.family in shelves:
                shelves[definition.family][definition.name] = definition

    @classmethod
    def read(cls, root: Path | None = None) -> Catalog:
        """Read the headers under `root`; a query is parsed when it is first used."""
        return cls(
            Definition(path, path.parent.name, read_header(path))
            for path in sorted((root or sql_root()).glob("*/*.sql"))
        )

    @cached_property
    def names(self) -> dict[tuple[str, str], Alias]:
        """Every way to name a metric: (family, name or alias)."""
        names = {key: Alias(metric, {}) for key, metric in self.metrics.items()}
        for (family, _), metric in self.metrics.items():
            for name, bound in metric.aliases():
                if (family, name) in names:
                    raise DefinitionError(
                        f"{metric.path}: alias {name!r} is taken by "
                        f"{names[family, name].metric.path}; choose another"
                    )
                names[family, name] = Alias(metric, bound)
        return names

    @cached_property
    def aggregation_names(self) -> dict[str, Alias]:
        """Every way to name an aggregation."""
        names = {name: Alias(definition, {}) for name, definition in self.aggregations.items()}
        for definition in self.aggregations.values():
            names |= {name: Alias(definition, bound) for name, bound in definition.aliases()}
        return {
            name: alias for name, alias in names.items()
            if alias.bound or not any(p.required for p in alias.metric.own_params.values())
        }  # fmt: skip

    def find(
        self, name: str, family: str | None = None, meant: Callable[[], str | None] = lambda: None
    ) -> Alias:
        """Return the metric called `name`, whatever the case of its letters.

        Args:
            meant: asked for the family where a name belongs to several.
        Raises:
            MetricError: no such metric, or one of each family and none is meant.
        """
        for spelling in (name, name.lower()):
            found = {f: a for (f, n), a in self.names.items() if n == spelling and family in (None, f)}
            if len(found) == 1:
                return next(iter(found.values()))
            if found:
                if (chosen := meant()) in found:
                    return found[chosen]
                spellings = " or ".join(f"{f}.{spelling}" for f in found)
                raise MetricError(f"{name!r} means two metrics; write {spellings}")
        if any(n == name.lower() and family in (None, f) for f, n in self.tables):
            raise MetricError(
                f"{name!r} is a table, not one number; read it with .table({name!r}), or "
                f"'duckmetrics curve {name}' on the command line"
            )
        known = {n for f, n in self.names if family in (None, f)}
        raise MetricError(unknown("metric", name, known))

    def find_table(self, name: str, family: str | None = None) -> Definition:
        """Return the table called `name`, whatever the case of its letters.

        Raises:
            MetricError: no such table.
        """
        for (known_family, known), definition in self.tables.items():
            if known == name.lower() and family in (None, known_family):
                return definition
        names = {f"{f}.{n}" if family else n for f, n in self.tables}
        raise MetricError(unknown("table", f"{family}.{name}" if family else name, names))

    @cached_property
    def statistic_names(self) -> dict[str, Alias]:
        """Every way to name a statistic."""
        names = {name: Alias(definition, {}) for name, definition in self.statistics.items()}
        for definition in self.statistics.values():
            for name, bound in definition.aliases():
                if name in names:
                    raise DefinitionError(
                        f"{definition.path}: alias {name!r} is taken by {names[name].metric.path}; "
                        "choose another"
                    )
                names[name] = Alias(definition, bound)
        return names

    def find_statistic(self, name: str) -> Alias:
        """Return the statistic called `name`, whatever the case of its letters; a dash is an underscore.

        Raises:
            MetricError: no such statistic.
        """
        found = self.statistic_names.get(name.strip().lower().replace("-", "_"))
        if found is None:
            bare = name.strip().lower().replace("-", "").replace("_", "")
            if bare in ("t", "ttest", "student", "studentt"):
                several = [known for known in self.statistic_names if known.endswith("_t")]
                raise MetricError(
                    f"unknown statistic {name!r}; did you mean {' or '.join(map(repr, several))}?"
                )
            raise MetricError(unknown("statistic", name, self.statistic_names))
        return found

    def sources(self, definition: Definition) -> Iterator[Definition]:
        """Yield the relations and metrics of the same family that a definition reads itself."""
        for table in sorted(definition.tables):
            if table in self.relations:
                yield self.relations[table]
            elif (definition.family, table) in self.metrics:
                yield self.metrics[definition.family, table]

    def usual(self, family: str) -> str:
        """Return the spec that stands for a family where nobody names a metric."""
        return next(
            d.header["usual"] for d in self.metrics.values() if d.family == family and "usual" in d.header
        )

    def foundations(self, definition: Definition) -> Iterator[Definition]:
        """Yield everything a definition builds on, each once, nearest first."""
        seen = {definition.path}
        queue = [definition]
        while queue:
            for source in self.sources(queue.pop(0)):
                if source.path not in seen:
                    seen.add(source.path)
                    queue.append(source)
                    yield source

    def placeholders(self, definition: Definition) -> frozenset[str]:
        """Return every ``$parameter`` that decides what a definition yields."""
        if definition.path not in self._placeholders:
            every = (definition, *self.foundations(definition))
            self._placeholders[definition.path] = frozenset().union(*(d.placeholders for d in every))
        return self._placeholders[definition.path]

    def idle(self, metric: Definition) -> dict[str, exp.Expr]:
        """Return when a parameter changes nothing, by its name: the metric and its relations say so."""
        relations = (d for d in self.foundations(metric) if d.name in self.relations)
        found: dict[str, exp.Expr] = {}
        for definition in (metric, *relations):
            for name, condition in definition.idle.items():
                known = found.get(name, condition)
                always = exp.true() in (known, condition)
                found[name] = (
                    exp.true() if always else condition if known == condition else known.or_(condition)
                )
        return found

    def params(self, metric: Definition) -> dict[str, Param]:
        """Return all parameters of a metric: its own, then every switch by name."""
        switches = dict(metric.switches)
        outer = None if metric.is_table else self.relations.get(POLICIES.get(metric.family, ""))
        around = () if outer is None else (outer, *self.foundations(outer))
        for source in (*self.foundations(metric), *around):
            for name, param in source.switches.items():
                switches.setdefault(name, param)
        return {**metric.own_params, **dict(sorted(switches.items()))}


def definition(family: str, name: str) -> Definition:
    """Read one file under sql/."""
    path = sql_root() / family / f"{name}.sql"
    return Definition(path, family, read_header(path))


def sql_root() -> Path:
    """Where the definitions are: inside the installed package, or beside it in a checkout."""
    packaged = Path(str(files("duckmetrics"))) / "sql"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "sql"
