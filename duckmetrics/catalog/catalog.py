"""The definitions under sql/: what each file declares, and how they build on each other."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import (
    CLASSIFICATION,
    METRIC_FAMILIES,
    MULTICLASS,
    POLICIES,
    RANKING,
    Definition,
    Param,
    read_header,
)
from duckmetrics.catalog.own_text import line_of, refuse_foreign, refuse_unfit, tables_read
from duckmetrics.catalog.spec_paths import path_of
from duckmetrics.errors import DefinitionError, MetricError, UnknownNameError, suggestion, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence


# Folders within a folder that hold something else; the others only separate the families.
KINDS = {
    "checks/counts": "count_checks",
    "checks/statistics": "statistic_checks",
    "macros/aggregates": "aggregates",
}

# The kinds whose files look for rows that a finding names.
CHECKED = ("checks", "inspections")
# The list of the metrics is too long for a message.
LISTED = "'duckmetrics metrics' lists all metrics, in Python duckmetrics.metrics()"
# Usual names of a t-test, without blanks.
_T_TESTS = ("t", "ttest", "student", "studentt")


@dataclass(frozen=True)
class Alias:
    """Another name of a metric, with the parameters it binds."""

    metric: Definition
    bound: Mapping[str, str]


class Catalog:
    """Every definition under sql/: those of a family by (family, name), the others by name.

    Attributes:
        has_own: whether there are metrics of the user, too.
        generation: how often a metric of the user was read.
    """

    has_own = False
    generation = 0

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.files: dict[Path, Definition] = {}
        self.metrics: dict[tuple[str, str], Definition] = {}
        self.tables: dict[tuple[str, str], Definition] = {}
        self.relations: dict[str, Definition] = {}
        self.aggregations: dict[str, Definition] = {}
        self.checks: dict[tuple[str, str], Definition] = {}
        self.inspections: dict[tuple[str, str], Definition] = {}
        self.functions: dict[str, Definition] = {}
        self.statistics: dict[str, Definition] = {}
        self.count_checks: dict[str, Definition] = {}
        self.statistic_checks: dict[str, Definition] = {}
        self.aggregates: dict[str, Definition] = {}
        self.shell: dict[str, Definition] = {}
        self.sampling: dict[str, Definition] = {}
        self._placeholders: dict[Path, frozenset[str]] = {}
        self._foundations: dict[Path, tuple[Definition, ...]] = {}
        of_families = dict(zip(CHECKED, (self.checks, self.inspections), strict=True))
        shelves = {
            "relations": self.relations,
            "aggregations": self.aggregations,
            "functions": self.functions,
            "answers": self.functions,
            "statistics": self.statistics,
            "count_checks": self.count_checks,
            "statistic_checks": self.statistic_checks,
            "aggregates": self.aggregates,
            "macros": self.shell,
            "sampling": self.sampling,
        }
        for definition in definitions:
            self.files[definition.path] = definition
            if definition.is_table:
                self.tables[definition.family, definition.name] = definition
                self.relations[definition.name] = definition
            elif definition.family in METRIC_FAMILIES:
                self.metrics[definition.family, definition.name] = definition
            elif definition.family in of_families:
                of_families[definition.family][definition.path.parent.name, definition.name] = definition
            elif definition.family in shelves:
                shelves[definition.family][definition.name] = definition

    def add(self, metric: Definition) -> None:
        """Add a metric of the user, or read it again."""
        self.has_own = True
        self.generation += self.files.get(metric.path) != metric
        self.files[metric.path] = metric
        self.metrics[metric.family, metric.name] = metric
        self.__dict__.pop("names", None)
        self._placeholders.clear()
        self._foundations.clear()

    @classmethod
    def read(cls, root: Path | None = None) -> Catalog:
        """Find the files under `root`; a header is read, and a query is parsed, when it is first used."""
        top = root or sql_root()
        found = (
            Definition(folder / name, kind)
            for place, _, names in os.walk(top)
            if (folder := Path(place)) != top
            for kind in (_kind_of(folder.relative_to(top)),)
            for name in names
            if name.endswith(".sql")
        )
        return cls(sorted(found, key=_order))

    @cached_property
    def names(self) -> dict[tuple[str, str], Alias]:
        """Every way to name a metric: (family, name or alias)."""
        names = {key: Alias(metric, {}) for key, metric in self.metrics.items()}
        for (family, _), metric in self.metrics.items():
            for name, bound in metric.aliases():
                if (family, name) in names:
                    raise DefinitionError(
                        metric.path,
                        f"alias {name!r} is taken by {names[family, name].metric.path}",
                        "choose another",
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
            meant: returns the family if a name belongs to several; metrics of several classes are meant only
                where their family is named.
        Raises:
            MetricError: no such metric, or one in each family and none is meant.
        """
        for spelling in (name, name.lower()):
            found = {f: a for (f, n), a in self.names.items() if n == spelling and family in (None, f)}
            if len(found) > 1:
                found.pop(MULTICLASS, None)
            if len(found) == 1:
                return next(iter(found.values()))
            if found:
                if (chosen := meant()) in found:
                    return found[chosen]
                spellings = " or ".join(f"{f}.{spelling}" for f in found)
                raise MetricError("", f"{name!r} means two metrics", f"write {spellings}")
        if any(n == name.lower() and family in (None, f) for f, n in self.tables):
            raise MetricError(
                "",
                f"{name!r} is a table, not one number",
                f"read it with .table({name!r}), or 'duckmetrics curve {name}' on the command line",
            )
        if name.lower() not in {n for _, n in self.names} and name.lower() in known_everywhere():
            return self.find(name.lower(), family, meant)
        known = {n for f, n in self.names if family in (None, f)}
        raise UnknownNameError("", *unknown("metric", name, known, LISTED))

    def find_table(self, name: str, family: str | None = None) -> Definition:
        """Return the table called `name`, whatever the case of its letters.

        Raises:
            MetricError: no such table.
        """
        for (known_family, known), definition in self.tables.items():
            if known == name.lower() and family in (None, known_family):
                return definition
        if any(n == name.lower() and family in (None, f) for f, n in self.names):
            raise UnknownNameError(
                "",
                f"{name!r} is a metric, not a table",
                f"ask for it with 'duckmetrics evaluate ... -m {name}', or evaluate(..., metrics={name!r})",
            )
        names = {f"{f}.{n}" if family else n for f, n in self.tables}
        raise UnknownNameError("", *unknown("table", f"{family}.{name}" if family else name, names))

    @cached_property
    def slices(self) -> dict[str, Definition]:
        """The relations that slice results by a column that no table has to have."""
        return {name: relation for name, relation in self.relations.items() if "slice" in relation.header}

    @cached_property
    def statistic_names(self) -> dict[str, Alias]:
        """Every way to name a statistic."""
        names = {name: Alias(definition, {}) for name, definition in self.statistics.items()}
        for definition in self.statistics.values():
            for name, bound in definition.aliases():
                if name in names:
                    raise DefinitionError(
                        definition.path,
                        f"alias {name!r} is taken by {names[name].metric.path}",
                        "choose another",
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
            raise UnknownNameError("", *unknown_test("statistic", name, self.statistic_names))
        return found

    def sources(self, definition: Definition) -> Iterator[Definition]:
        """Yield the relations and metrics of the same family that a definition reads directly."""
        for table in sorted(definition.tables):
            if table in self.relations:
                yield self.relations[table]
            elif (definition.family, table) in self.metrics:
                yield self.metrics[definition.family, table]

    def parts(self, metric: Definition) -> list[Definition]:
        """Return the metrics that a metric is made of; none if it reads relations."""
        return [d for d in self.sources(metric) if d.family == metric.family and not d.is_table]

    def usual(self, family: str, *, has_truth: bool = True) -> str:
        """Return the spec of a family that is computed if the caller names no metric."""
        key = "usual" if has_truth else "alone"
        return next(d.header[key] for d in self.metrics.values() if d.family == family and key in d.header)

    @cached_property
    def charts(self) -> dict[str, tuple[str, dict[str, str]]]:
        """The tables that are drawn: name -> its drawing, and the parameters that keep it small."""
        return {name: d.chart for (_, name), d in self.tables.items() if d.chart is not None}

    def foundations(self, definition: Definition) -> tuple[Definition, ...]:
        """Return everything a definition builds on, each once, nearest first."""
        if definition.path not in self._foundations:
            found = {definition.path: definition}
            queue = [definition]
            while queue:
                for source in self.sources(queue.pop(0)):
                    if source.path not in found:
                        found[source.path] = source
                        queue.append(source)
            self._foundations[definition.path] = tuple(found.values())[1:]
        return self._foundations[definition.path]

    def placeholders(self, definition: Definition) -> frozenset[str]:
        """Return every ``$parameter`` that decides what a definition yields."""
        if definition.path not in self._placeholders:
            every = (definition, *self.foundations(definition))
            self._placeholders[definition.path] = frozenset().union(*(d.placeholders for d in every))
        return self._placeholders[definition.path]

    def idle(self, metric: Definition) -> dict[str, exp.Expr]:
        """Return the conditions under which a parameter changes nothing, of a metric and its relations."""
        relations = (d for d in self.foundations(metric) if d.name in self.relations)
        unread = metric.own_params.keys() - self.placeholders(metric) if metric.is_own else ()
        found: dict[str, exp.Expr] = {name: exp.true() for name in unread}
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
        # A file of the user may read a part of the relations only; each takes all switches of rankings.
        usual = (self.relations["relevant"],) if metric.is_own and metric.family == RANKING else ()
        of_usual = tuple(one for relation in usual for one in (relation, *self.foundations(relation)))
        for source in (*self.foundations(metric), *of_usual, *self.around(metric)):
            for name, param in source.switches.items():
                switches.setdefault(name, param)
        return {**metric.own_params, **dict(sorted(switches.items()))}

    def around(self, metric: Definition) -> tuple[Definition, ...]:
        """Return the files that apply the policies of a family to a metric; none for tables and others."""
        outer = None if metric.is_table else self.relations.get(POLICIES.get(metric.family, ""))
        return () if outer is None else (outer, *self.foundations(outer))


def unknown_test(kind: str, name: str, known: Iterable[str]) -> tuple[str, str]:
    """Return the error for an unknown test; several tests are called t-test."""
    bare = name.strip().lower().replace("-", "").replace("_", "").replace(" ", "")
    several = [one for one in known if one.endswith("_t")] if bare in _T_TESTS else []
    if several:
        return f"unknown {kind} {name!r}", f"did you mean {' or '.join(map(repr, several))}?"
    return unknown(kind, name, known)


def _kind_of(folder: Path) -> str:
    """Return the family of the metrics and tables in a folder of sql/, or the kind of other files."""
    return KINDS.get(folder.as_posix(), folder.parts[0])


def _order(one: Definition) -> tuple[str, str, Path]:
    """Sort definitions by kind and name; checks by the name in findings, which only they have."""
    return one.family, one.reported if one.family in CHECKED else one.name, one.path


def definition(folder: str, name: str) -> Definition:
    """Find one file under sql/."""
    return Definition(sql_root() / folder / f"{name}.sql", folder)


def sql_root() -> Path:
    """Return the folder of the definitions: inside the installed package, or next to it in a checkout."""
    packaged = Path(str(files("duckmetrics"))) / "sql"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "sql"


@cache
def catalog() -> Catalog:
    """Return the definitions that ship with the package."""
    return Catalog.read()


# --- metrics of users ----------------------------------------------------------------------------------

# Folders and files of metrics, as in PATH; and the entry points of packages that have some.
VARIABLE, GROUP = "DUCKMETRICS_PATH", "duckmetrics.definitions"
# What a metric of a user must declare; a file of ours declares more.
REQUIRED = {
    "name": "the name of the file without .sql",
    "inputs": "the tables and columns that it reads: predictions (query_id, item_id, score), truth (...)",
    "range": "the interval of the values and the better direction: [0, 1], higher is better",
}
# The columns of our own inputs by family; all others are columns of the user.
READ = {
    RANKING: {
        "predictions": {"system", "query_id", "item_id", "score", "position", "run"},
        "truth": {"query_id", "item_id", "relevance"},
    },
    CLASSIFICATION: {
        "predictions": {
            "system", "segment", "label", "score", "weight", "group_id", "unit", "exact_score"
        },
    },
}  # fmt: skip
TABLES = ("predictions", "truth")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LOCK = Lock()


def named(specs: Iterable[str]) -> list[str]:
    """Return specs with names in place of files, whose metrics are known from now on.

    Raises:
        MetricError: there is no such file.
        DefinitionError: it is no definition of a metric.
    """
    return [_named(spec) for spec in specs]


def _named(spec: str) -> str:
    path, rest = path_of(spec)
    if not path:
        return spec
    if Path(path).expanduser().is_dir():
        what, advice = "is a folder", "name it with definitions= (--definitions), and its metrics by name"
        raise MetricError(path, what, advice)
    (name,) = add([path])
    return f"{name}{rest}"


def add(places: Any) -> list[str]:
    """Make the metrics of files and folders known; return their names. A file that changed is read again.

    Args:
        places: a path or several.

    Raises:
        MetricError: there is no such file or folder.
        DefinitionError: a file is no definition of a metric, or another metric has its name.
    """
    given = [places] if isinstance(places, str | os.PathLike) else list(places)
    with _LOCK:
        return [_added(catalog(), path) for place in given for path in _files_of(Path(place).expanduser())]


def _files_of(place: Path) -> list[Path]:
    if place.is_dir():
        found = sorted(place.rglob("*.sql"))
        if not found:
            raise MetricError(
                str(place), "has no file .sql", "write one with: duckmetrics metrics --new NAME"
            )
        return [path.resolve() for path in found]
    if not place.is_file():
        near = [path.name for path in place.parent.glob("*.sql")] if place.parent.is_dir() else []
        raise MetricError(
            str(place), "no such file or folder of metrics", suggestion(place.name, near, "check the path")
        )
    return [place.resolve()]


def _added(known: Catalog, path: Path) -> str:
    """Add one definition to the catalog."""
    refuse_taken(known, path)
    made = read_own(path)
    taken = {one.name: one.path for one in known.files.values() if one.is_own and one.path.exists()}
    if taken.get(made.name, path) != path:
        raise DefinitionError(
            path, f"{made.name!r} is defined in {taken[made.name]} too", "rename one of them"
        )
    _refuse_unknown(known, made)
    known.add(made)
    return made.name


def refuse_taken(known: Catalog, path: Path) -> None:
    """Refuse a file whose metric would have no name of its own; the case of letters does not matter.

    Raises:
        DefinitionError: the name cannot stand in a spec, or duckmetrics has something of this name.
    """
    name = path.stem
    if _WORD.fullmatch(name) is None:
        raise DefinitionError(path, f"{name!r} is not a name", "use letters, digits and underscores")
    metrics = {taken for (_, taken), alias in known.names.items() if not alias.metric.is_own}
    for kind, names in (("metric", metrics), ("relation", {*known.relations, *TABLES})):
        if name.lower() in map(str.lower, names):
            raise DefinitionError(path, f"{name!r} is a {kind} of duckmetrics", "choose another name")


def read_own(path: Path) -> Definition:
    """Read the definition of a user's metric.

    Raises:
        DefinitionError: the file cannot be read, a line of the header is missing or wrong, or the query does
            not return a row for each query of rankings, or each segment of rows.
    """
    try:
        header = read_header(path)
        digest = sha256(path.read_bytes()).hexdigest()[:12]
    except UnicodeDecodeError as error:
        raise DefinitionError(path, "is not text in UTF-8", "save it as UTF-8") from error
    except OSError as error:
        raise DefinitionError(path, f"cannot be read: {error.strerror}", "check the path") from error
    for key, what in REQUIRED.items():
        if key not in header:
            raise DefinitionError(path, f"the header has no line {key!r}", f"write -- {key}: {what}")
    ranks = re.search(r"\b(query_id|item_id)\b", header["inputs"]) is not None
    made = Definition(path, RANKING if ranks else CLASSIFICATION, is_own=True, digest=digest)
    if "predictions" not in made.inputs:
        raise DefinitionError(
            path, f"inputs: {header['inputs']!r} has no predictions",
            "write -- inputs: predictions (query_id, item_id, score), truth (query_id, item_id, relevance)",
        )  # fmt: skip
    refuse_foreign(made)
    wanted = {*made.grain, "value"}
    if not wanted <= set(made.query.named_selects):
        found = ", ".join(made.query.named_selects) or "nothing by name"
        raise DefinitionError(
            f"{path}:{line_of(made, 'select')}", f"the query returns {found}",
            f"return {', '.join((*made.grain, 'value'))}, in any order",
        )  # fmt: skip
    return made


def _refuse_unknown(known: Catalog, made: Definition) -> None:
    """Refuse tables that no input, relation or metric is called.

    Raises:
        DefinitionError: names the file and the line.
    """
    metrics = {name for family, name in known.metrics if family == made.family and name != made.name}
    inputs = {name for one in known.metrics.values() if not one.is_own for name in one.inputs}
    for table in made.inputs.keys() - inputs:
        what, advice = unknown("table", table, inputs)
        raise DefinitionError(made.place("inputs"), f"inputs: {what}", advice)
    there = {*made.inputs, *known.relations, *metrics}
    for table in sorted(tables_read(made) - there):
        raise DefinitionError(
            f"{made.path}:{line_of(made, table)}",
            *unknown("table", table, there, "name an input or a relation"),
        )
    missing = sorted(made.placeholders - set(known.params(made)))
    if missing:
        raise DefinitionError(
            f"{made.path}:{line_of(made, missing[0])}", f"${missing[0]} is no parameter",
            f"declare it: -- params: {missing[0]} INTEGER DEFAULT NULL",
        )  # fmt: skip
    usual = [name for name, one in known.relations.items() if one.path.parent.name == made.family]
    refuse_unfit(made, usual, metrics)


def own_columns(made: Iterable[Definition], table: str) -> tuple[str, ...]:
    """Return the columns of a table that only metrics of users read."""
    declared = (
        column for one in made if one.is_own and table in READ[one.family]
        for column in one.inputs.get(table, ()) if column not in READ[one.family][table]
    )  # fmt: skip
    return tuple(dict.fromkeys(declared))


def columns_of_users(table: str) -> tuple[str, ...]:
    """Return the columns of a table that the metrics of users read."""
    known_everywhere()
    return own_columns(catalog().files.values(), table)


def catalog_with(names: Collection[str]) -> Catalog:
    """Return a catalog with our metrics and some of those of users, and what these are made of."""
    known, made = catalog(), Catalog.read()
    chosen = [one for one in known.files.values() if one.is_own and one.name in names]
    for one in chosen:
        for needed in (one, *known.foundations(one)):
            if needed.is_own:
                made.add(needed)
    return made


@cache
def known_everywhere() -> Sequence[str]:
    """Read the metrics of packages and of the environment, once in a process, and return their names."""
    from importlib.metadata import entry_points

    places = [place for place in os.environ.get(VARIABLE, "").split(os.pathsep) if place]
    for point in entry_points(group=GROUP):
        places.append(str(files(point.module).joinpath(point.attr) if point.attr else files(point.module)))
    return add(places)
