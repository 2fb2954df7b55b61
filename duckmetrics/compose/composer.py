"""Composition: many measures, one query, every shared step computed once.

A metric file reads relations; a relation file reads relations and inputs. `Composer` binds each
file to the parameters of a measure and keeps the outcome as a named step. Two measures that need
the same relation under the same parameters arrive at the same SQL text, and so share the step.
Metrics that aggregate the same step by the same columns become one aggregate, side by side.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, POLICIES, Definition
from duckmetrics.compose.blocks import Block
from duckmetrics.compose.inlining import drop_constants, inline, step_read_by
from duckmetrics.compose.optimizer import SORTED, depth_of, prune, without
from duckmetrics.compose.policies import PerQuery, defined
from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.folding import Value, bind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.blocks import Columns

# Families whose relations may have the grain of a metric already, so that no grouping is needed.
UNGROUPED = (CLASSIFICATION,)
Binding = tuple[Path, tuple[tuple[str, Value], ...]]


class Composer:
    """Builds the query of several measures from the files of a catalog.

    Args:
        catalog: the definitions.
        inputs: canonical queries by input name; an input that is not listed is left as a table
            of that name. A relation of the same name is replaced by the input.
        constants: the columns that are the same in every row, as the system is when there is one,
            with their value; they are not needed to distinguish rows.
        facts: the known facts about the inputs, as values of parameters: by_rank.
    """

    def __init__(
        self,
        catalog: Catalog,
        inputs: Mapping[str, exp.Query] | None = None,
        constants: Mapping[str, Value] | None = None,
        facts: Mapping[str, Value] | None = None,
    ) -> None:
        self.catalog = catalog
        self.inputs = dict(inputs or {})
        self.constants = dict(constants or {})
        self.facts = dict(facts or {})
        self.steps: dict[str, exp.Query] = {}
        self.blocks: list[Block] = []
        self._names: dict[str, str] = {}
        self._relations: dict[Binding, str] = {}
        self._grains: dict[str, tuple[str, ...]] = {}
        self._values: dict[tuple[Path, tuple[tuple[str, Value], ...], str], exp.Expr | None] = {}

    def per_query(self, measures: Sequence[Measure], plan: str = SORTED) -> tuple[exp.Select, list[Columns]]:
        """Return the query of one row per system and query, and the columns of each measure.

        Args:
            plan: how the ranks are found, see `optimizer.ranking_plan`.
        """
        query, names = self.values_per_query(measures, plan)
        return self.assemble(query), names

    def values_per_query(
        self, measures: Sequence[Measure], plan: str, *, all_ranks: bool = False
    ) -> tuple[exp.Select, list[Columns]]:
        """Return the query that `per_query` assembles, perhaps with the ranks below cut-offs, and columns."""
        depth = None if all_ranks else depth_of(measures)
        outer = PerQuery(self.relation, self.blocks)
        names: list[Columns] = []
        for measure in measures:
            values: dict[str, Value] = {**measure.values, "depth": depth, "plan": plan}
            known, policies = self._policies(measure.metric, values)
            value = self._value(measure.metric, values)
            names.append(outer.add(measure.family, policies, known, value))
        return outer.query(), names

    def assemble(self, query: exp.Select) -> exp.Select:
        """Write the whole query once all values are known: blocks, pruning, steps in front."""
        self.settle()
        needed = _steps_of(query, self.steps)
        self.steps = {n: s.copy() for n, s in self.steps.items() if n in needed}
        computed = {n: s for n, s in self.steps.items() if n not in self.inputs}
        prune(computed, query, self._grains)
        return self.complete(query)

    def settle(self) -> None:
        """Make a step of each block that is known so far, so that later steps can read it."""
        for block in self.blocks:
            self.steps[block.name] = block.query()

    def complete(self, query: exp.Query) -> exp.Select:
        """Put the steps that a query needs in front of it, in the order they build on each other."""
        whole = cast("exp.Select", query.copy())
        needed = _steps_of(query, self.steps)
        for name, step in self.steps.items():
            if name in needed:
                scanned_again = False if name in self.inputs else None
                whole = whole.with_(
                    name, as_=self._final(step), materialized=scanned_again, dialect=DIALECT, copy=False
                )
        return cast("exp.Select", with_directions(self._final(whole)))

    def relation(self, name: str, values: Mapping[str, Value]) -> str:
        """Make a relation under these parameters a step and return the step's name."""
        if name in self.inputs or name not in self.catalog.relations:
            return self._input(name)
        definition = self.catalog.relations[name]
        binding = self.binding(definition, values)
        if binding not in self._relations:
            step = self.step(name, self.resolved(definition, values))
            self._relations[binding] = step
            self._grains[step] = definition.grain
        return self._relations[binding]

    def stand_in(self, name: str, values: Mapping[str, Value], other: str) -> None:
        """Let another relation, or an input, stand for a relation under these parameters."""
        self._relations[self.binding(self.catalog.relations[name], values)] = self.relation(other, values)

    def binding(self, definition: Definition, values: Mapping[str, Value]) -> Binding:
        """Return a key that is equal for equal queries of a definition: the values of its parameters."""
        used = self.catalog.placeholders(definition)
        return definition.path, tuple((name, values[name]) for name in sorted(used & values.keys()))

    def known(self, definition: Definition, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return the values, with the defaults of the file if a parameter has no value."""
        known = {**self.facts, **values}
        if not self.catalog.placeholders(definition) <= known.keys():
            declared = {**definition.own_params, **definition.switches}
            known = {name: param.default for name, param in declared.items()} | known
        return known

    def resolved(self, definition: Definition, values: Mapping[str, Value]) -> exp.Query:
        """Bind a file to parameters; its tables become steps, its own CTEs too."""
        known = self.known(definition, values)
        return self.resolved_query(cast("exp.Query", bind(definition.query, known)), known)

    def resolved_query(self, query: exp.Query, known: Mapping[str, Value]) -> exp.Query:
        """Make the tables and CTEs of a bound query steps, in place."""
        local: dict[str, str] = {}
        with_ = query.args.get("with_")
        if with_ is not None and with_.args.get("recursive"):
            return self._linked(query, known, {cte.alias: cte.alias for cte in query.ctes})
        ctes = query.ctes
        query.set("with_", None)
        for cte in ctes:
            step = self._linked(cast("exp.Query", cte.this.pop()), known, local)
            local[cte.alias] = self.step(cte.alias, step)
        return self._linked(query, known, local)

    def linked(self, query: exp.Query, values: Mapping[str, Value]) -> exp.Query:
        """Make steps of the tables that a query of no file reads."""
        return self._linked(query.copy(), values, {})

    def _linked(self, query: exp.Query, values: Mapping[str, Value], local: Mapping[str, str]) -> exp.Query:
        """Replace the tables that a query reads by the steps they mean."""
        found = list(query.find_all(exp.Table, exp.Select))
        for table in found:
            if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
                continue
            name = table.name
            step = local[name] if name in local else self.relation(name, values)
            if step != name:
                alias = table.alias or name
                table.replace(exp.to_table(step).as_(alias, table=True))
        for select in found:
            if isinstance(select, exp.Select) and not (
                query.args.get("with_") and _read_from(select) in local
            ):
                read = step_read_by(select)
                inline(select, None if read is None or read in self.inputs else self.steps.get(read))
                drop_constants(select, {**self.inputs, **self.steps})
        return query

    def step(self, name: str, query: exp.Query) -> str:
        """Keep a query as a step of about this name, unless it is there already; return its name."""
        text = query.sql(DIALECT)
        if text not in self._names:
            self._names[text] = self._free(name)
            self.steps[self._names[text]] = query
        return self._names[text]

    def _input(self, name: str) -> str:
        if name in self.inputs and name not in self.steps:
            self.steps[name] = self.inputs[name]
        return name

    def _free(self, name: str) -> str:
        taken = {*self.steps, *self.inputs, *(block.name for block in self.blocks)}
        candidates = (name if i == 1 else f"{name}_{i}" for i in range(1, len(taken) + 2))
        return next(c for c in candidates if c not in taken)

    def value(
        self, metric: Definition, values: Mapping[str, Value], column: str = "value"
    ) -> exp.Expr | None:
        """Return a metric as an expression over block columns, adding what the blocks lack.

        Args:
            column: the projection of the file.

        Returns:
            None if the file has no such projection, or if it is NULL under these parameters.
        """
        binding = (*self.binding(metric, values), column)
        if binding not in self._values:
            self._values[binding] = self._new_value(metric, values, column)
        known = self._values[binding]
        return None if known is None else known.copy()

    def defined(
        self, metric: Definition, values: Mapping[str, Value], value: exp.Expr, n: exp.Expr
    ) -> exp.Expr:
        """Replace a value that is not defined as the relation `defined` says.

        Args:
            n: the number of rows that take part.
        """
        return defined(self._policies(metric, values)[1], value, n)

    def _policies(
        self, metric: Definition, values: Mapping[str, Value]
    ) -> tuple[dict[str, Value], exp.Select]:
        """Bind the file that says which values of a metric count; return its parameters and the query."""
        definition = self.catalog.relations[POLICIES[metric.family]]
        known = self.known(definition, values)
        return known, cast("exp.Select", bind(definition.query, known))

    def _value(self, metric: Definition, values: Mapping[str, Value]) -> exp.Expr:
        value = self.value(metric, values)
        if value is None:
            raise DefinitionError(metric.path, "no column 'value'", "name the result so")
        return value

    def _new_value(self, metric: Definition, values: Mapping[str, Value], column: str) -> exp.Expr | None:
        parts = self.catalog.parts(metric)
        if parts:
            return self._value_of_parts(metric, parts, values, column)
        query = self.resolved(metric, values)
        keys = metric.grain
        if not isinstance(query, exp.Select) or not (query.args.get("group") or metric.family in UNGROUPED):
            raise DefinitionError(metric.path, "no GROUP BY", f"aggregate by {', '.join(keys)}")
        value = next((p.unalias() for p in query.expressions if p.alias_or_name == column), None)
        if value is None or isinstance(value, exp.Null):
            return None
        known = {p.alias_or_name: p for p in query.expressions}
        source = query.copy()
        source.set("expressions", [])
        block = next((b for b in self.blocks if b.source == source), None)
        if block is None:
            name = f"per_{keys[-1].removesuffix('_id')}_of_{_read_from(source)}"
            block = Block(self._free(name), source, {key: known[key] for key in keys})
            self.blocks.append(block)
        return exp.column(block.add(value), block.name)

    def values_of_part(
        self, metric: Definition, part: Definition, values: Mapping[str, Value]
    ) -> dict[str, Value]:
        """Return the parameters of a metric that another metric is made of."""
        declared = self.catalog.params(metric)
        plan = {name: value for name, value in values.items() if name not in declared}
        passed = {n: values.get(n, p.default) for n, p in self.catalog.params(part).items()}
        return {**passed, **plan}

    def _value_of_parts(
        self, metric: Definition, parts: Iterable[Definition], values: Mapping[str, Value], column: str
    ) -> exp.Expr | None:
        """Write a metric of other metrics of the same grain as an expression over their values."""
        inner = {part.name: self._value(part, self.values_of_part(metric, part, values)) for part in parts}
        query = cast("exp.Select", bind(metric.query, values))
        value = next((p for p in query.expressions if p.alias_or_name == column), None)
        if value is None:
            return None
        for reference in list(value.find_all(exp.Column)):
            if reference.table in inner and reference.name == "value":
                part_value = inner[reference.table].copy()
                reference.replace(exp.paren(part_value) if isinstance(part_value, exp.Binary) else part_value)
        return cast("exp.Expr", value.unalias())

    def _final(self, step: exp.Query) -> exp.Query:
        return without(step, self.constants) if self.constants else step


def with_directions(query: exp.Query) -> exp.Query:
    """Write ASC out wherever it is meant: a connection may have another default order."""
    for order in query.find_all(exp.Order):
        keys = (k if isinstance(k, exp.Ordered) else exp.Ordered(this=k) for k in order.expressions)
        order.set("expressions", list(keys))
    for key in query.find_all(exp.Ordered):
        key.set("desc", bool(key.args.get("desc")))
    return query


def _steps_of(query: exp.Expr, steps: Mapping[str, exp.Query]) -> set[str]:
    """Return the names of the steps that a query reads, or that these read."""
    needed: set[str] = set()
    pending = [query]
    while pending:
        for table in pending.pop().find_all(exp.Table):
            if table.name in steps and table.name not in needed:
                needed.add(table.name)
                pending.append(steps[table.name])
    return needed


def _read_from(query: exp.Select) -> str:
    """Return the name of the step that a query reads first, empty if there is none."""
    source = query.args.get("from_")
    return str(source.this.name) if source is not None else ""
