"""The tables of a request: what each argument means, read once, with the columns that are needed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.measure import TIME_ZONE
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.engines.duckdb_errors import unbound
from duckmetrics.engines.engine import Feature
from duckmetrics.errors import EngineError, InputError, UnsupportedError
from duckmetrics.expressions.build import everything
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classes import CLASSES, ClassTable
from duckmetrics.inputs.columns import CANONICAL, filtered, first_row, run_columns
from duckmetrics.inputs.inputs import VALUES
from duckmetrics.inputs.layout_tables import LayoutTables
from duckmetrics.inputs.slices import columns_in, depends_on_zone
from duckmetrics.inputs.sources import ROLES, SINCE, refuse_changed
from duckmetrics.inputs.systems import Attach, only_system
from duckmetrics.inputs.versions import chosen_versions
from duckmetrics.results.findings import NOTE, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.inputs.versions import Version


def needed_columns(request: Request, source: Source, role: Role) -> list[str] | None:
    """Return the columns that a request may read, None for all of them."""
    if role == VALUES:  # each column may be a metric
        return None
    wanted = set(_wanted(request, source, role))
    return [name for name in source.columns if name in wanted] or None


def _wanted(request: Request, source: Source, role: Role) -> Iterator[str]:
    """Yield the names of columns, also of some that the table does not have."""
    names = [
        request.system or "",
        *request.scores.values(),
        *(name for names in request.by for name in names),
    ]
    if request.inference is not None:
        names.append(request.inference.cluster or "")
    for expression in request.computed.values():
        names += columns_in(expression)
    for canonical in CANONICAL:
        names += [canonical, *(request.columns.given(role, canonical) or "").split("+")]
    for own in request.own_columns.get(role, ()):
        names += [own, request.columns.given(role, own) or own]
    for name in names:
        yield from _found(source, name.strip())
    yield from run_columns(source, request.columns)


def _found(source: Source, name: str) -> list[str]:
    try:
        found = source.find(name)
    except InputError:  # two columns differ in case only, which is refused where they are read
        return [column for column in source.columns if column.lower() == name.lower()]
    return [] if found is None else [found]


# The tables whose columns can be slices.
_SLICED = ("predictions", "truth", "queries", VALUES)
_ADVICE = "for another zone, write time_zone='Europe/Berlin' (--time-zone Europe/Berlin)"


class Times:
    """Finds out whether the results of a request depend on the time zone.

    Attributes:
        are_read: whether a slice or a condition over the tables so far depends on it.
    """

    def __init__(self, request: Request, engine: Engine) -> None:
        self._request = request
        self._engine = engine
        self.are_read = False

    def look(self, source: Source, role: Role) -> None:
        """Look at a table as the caller has it."""
        self.are_read |= any(depends_on_zone(one, source) for one in self._expressions(role))

    def signed(self, measures: Sequence[Measure], attach: Attach) -> Sequence[Measure]:
        """Return the measures with the zone that their results depend on."""
        for role in ROLES:
            table = self._request.tables[role]
            if table is not None and self._expressions(role):
                for one in table.values() if isinstance(table, Mapping) else (table,):
                    attach(one, role)
        if not self.are_read:
            return measures
        return [replace(measure, time_zone=self._engine.time_zone) for measure in measures]

    @property
    def notes(self) -> list[Finding]:
        """A note with the zone, if results depend on it."""
        if not self.are_read:
            return []
        message = f"times: the days and hours of slices and conditions are those of {self._engine.time_zone}"
        return [Finding(TIME_ZONE, NOTE, "", "", 0, (), f"{message}; {_ADVICE}", _ADVICE)]

    @property
    def statements(self) -> list[str]:
        """The statement that gives a session the zone that the others need, if they need one."""
        zone = literal(self._engine.time_zone).sql(self._engine.dialect)
        return [f"SET TIME ZONE {zone}"] if self.are_read else []

    def _expressions(self, role: Role) -> list[exp.Expr]:
        """Return what the caller computes from the columns of a table: slices, and a condition."""
        condition = self._request.where.get(role)
        slices = self._request.computed.values() if role in _SLICED else ()
        return [*slices, *([] if condition is None else [condition])]


@dataclass(frozen=True)
class AttachedTable:
    """A table that was attached.

    Attributes:
        table: the argument, which keeps its identity as long as this refers to it.
        original: the table as the engine found it.
        source: under its layout, with the rows that count, and the columns that were needed so far.
    """

    table: Any
    original: Source
    source: Source


class AttachedTables:
    """The tables of a request, each attached once, whatever is asked of them and however often.

    Attributes:
        found: the tables, by the identity of the argument and its role.
    """

    def __init__(self, request: Request, engine: Engine) -> None:
        self._request = request
        self._engine = engine
        self._layouts = LayoutTables(
            request, engine, lambda table, role: self.attach(table, role, request).source
        )
        self._classes = (
            None
            if request.classes is None
            else ClassTable(request.classes, request.columns, request.system, engine)
        )
        self.found: dict[tuple[int, Role], AttachedTable] = {}

    @property
    def sources(self) -> list[Source]:
        """The tables so far."""
        return [found.source for found in self.found.values()]

    @property
    def notes(self) -> Sequence[Finding]:
        """A note for each table that was read under the names of a tool, or whose scores are odd."""
        return [*self._layouts.notes, *([] if self._classes is None else self._classes.notes)]

    def described(self) -> Iterator[tuple[Role, str]]:
        """Yield the role of each table, and its name with the columns that were read."""
        for (_, role), found in self.found.items():
            yield role, f"{found.source.label}: {', '.join(found.source.columns)}"

    @contextmanager
    def restored_after_errors(self) -> Iterator[None]:
        """Forget the tables of a call that fails, because the engine drops what it kept for it."""
        before = dict(self.found)
        try:
            yield
        except BaseException:
            self.found = before
            raise

    def forget(self, role: Role) -> None:
        """Attach a table of a question anew for the next one, which may mean other rows."""
        self.found = {key: found for key, found in self.found.items() if key[1] != role}

    def refuse_changed(self) -> None:
        """Refuse to read tables again that are not those that were attached.

        Raises:
            InputError: a file is another one than before.
        """
        for source in self.sources:
            refuse_changed(source.files, SINCE)

    def attach(self, table: Any, role: Role, request: Request) -> AttachedTable:
        """Find out what a table argument means; it is read again only for columns that it lacks.

        Args:
            request: names the columns that are needed.
        """
        key = id(table), role
        known = self.found.get(key)
        if role == "predictions" and self._classes is not None:
            if known is None or not set(known.source.unread).isdisjoint(
                _wanted(request, known.original, role)
            ):
                original = self._engine.attach(table, role, self._versions(request).get(role))
                self.found[key] = AttachedTable(table, original, self._cells(original, request))
        elif known is None:
            original = self._engine.attach(table, role, self._versions(request).get(role))
            found = self._layouts.read(self._filtered(original, role), role)
            found = self._engine.once(found, needed_columns(request, found, role))
            self._refuse_nothing_left(found, role, original.empty)
            self.found[key] = AttachedTable(table, original, self._layouts.with_labels(found, role))
        elif unread := known.source.unread:
            whole = known.source.whole
            if more := [name for name in _wanted(request, whole, role) if name in unread]:
                refuse_changed(known.original.files, SINCE)
                found = self._engine.once(whole, [*known.source.columns, *more])
                self.found[key] = replace(known, source=found)
        return self.found[key]

    def _cells(self, original: Source, request: Request) -> Source:
        """Return predictions of several classes with a row for each class.

        Raises:
            UnsupportedError: another engine has them.
        """
        if original.dialect != DIALECT:
            advice = "unpivot the columns, so that each class has a row, and slice by the class"
            raise UnsupportedError(CLASSES, f"not on {DIALECTS[original.dialect].engine}", advice)
        classes = cast("ClassTable", self._classes)
        found = self._filtered(original, "predictions")
        others = needed_columns(request, found, "predictions") or []
        found = self._engine.once(found, [*others, *classes.needed(found)])
        self._refuse_nothing_left(found, "predictions", original.empty)
        return classes.cells(found, others)

    def _versions(self, request: Request) -> dict[str, Version]:
        """The versions to read, by the table.

        Raises:
            InputError: one names no table, and it is not clear which is meant.
            UnsupportedError: the engine reads no older versions.
        """
        asked = request.versions
        if asked and not self._engine.supports(Feature.VERSIONS):
            name = DIALECTS[self._engine.dialect].engine
            advice = "write SQL that names the version, such as SELECT * FROM delta.`run` VERSION AS OF 3"
            raise UnsupportedError(next(iter(asked.values())).option, f"not on {name}", advice)
        return chosen_versions(asked, request.tables, self._engine.has_versions)

    def _filtered(self, source: Source, role: Role) -> Source:
        """Leave only the rows of a table that the caller's condition keeps.

        Raises:
            InputError: the condition does not fit the columns.
        """
        condition = self._request.where.get(role)
        if condition is None:
            return source
        kept = filtered(source, condition)
        try:
            self._engine.columns(everything(kept.relation.copy()))
        except (EngineError, UnsupportedError) as error:
            said = unbound(error, source.all_columns, "fix the condition")
            raise InputError(f"where {role}", *said) from error
        return kept

    def _refuse_nothing_left(self, kept: Source, role: Role, was_empty: bool) -> None:
        """Refuse a condition that keeps no row, once the rows are here.

        Raises:
            InputError: the condition cannot be evaluated on the rows, or keeps none.
        """
        condition = self._request.where.get(role)
        if condition is None or was_empty:
            return
        try:
            is_empty = not self._engine.rows(first_row(kept))
        except EngineError as error:
            said = unbound(error, kept.all_columns, "fix the condition")
            raise InputError(f"where {role}", *said) from error
        if is_empty:
            what = f"no row is left where {condition.sql(self._engine.dialect)}"
            raise InputError(kept.label, what, "fix the condition")


def only_rows(source: Source, request: Request) -> Source:
    """Return the predictions with the rows, or the scores, of the one system that a request is for."""
    if request.alone is None:
        return source
    if request.scores:
        return replace(source, aliases={**source.aliases, "score": request.scores[request.alone]})
    return source if request.system is None else filtered(source, only_system(request.system, request.alone))
