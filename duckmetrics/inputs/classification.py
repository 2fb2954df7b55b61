"""The canonical input of classification: rows with a label, a score, a weight, a group, and a segment.

A segment is a number: 0 is all rows of a system, the others are the slices asked for, listed in a
small table of their own. A row takes part in its segment of every grouping, in one scan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import is_wide, quoted, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classes import ACTUAL, CLASS, CLASSES, HOW_TO_NAME, PLACE, ROW
from duckmetrics.inputs.columns import (
    WEIGHT,
    ColumnMap,
    columns_of_own,
    common_types,
    exact_number,
    grade_expression,
    key_expression,
    key_of,
    missing_column,
    number_expression,
    same_kind,
    selected,
)
from duckmetrics.inputs.inputs import CLUSTER, Inputs
from duckmetrics.inputs.slices import advice_without, attribute, lacking, slicing_columns
from duckmetrics.inputs.systems import ONE_SYSTEM, Attach, Systems, refuse_unknown_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.inputs.columns import Key
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Source


Keep = Callable[[str, exp.Query], str]
OVERALL = 0
WEIGHTED = "weighted"
GROUP = "group_id"
UNIT = "unit"
_ROW = "row_of_the_table"


def observe(request: Request, measures: Sequence[Measure], attach: Attach, keep: Keep) -> Inputs:
    """Attach the predictions and write the canonical query of their rows.

    Args:
        measures: the measures asked for; a group or weight is looked for if one of them needs it.
        keep: stores the rows of a query as a table and returns its name.

    Raises:
        InputError: a table or column is missing, or of a type that cannot be used.
    """
    return _Observing(request, measures, attach).inputs(keep)


class _Observing:
    def __init__(self, request: Request, measures: Sequence[Measure], attach: Attach) -> None:
        self.request = request
        self.columns = request.columns
        self.systems = Systems(request.predictions, request.system, attach, request.scores)
        sources = list(self.systems.sources.values())
        known = [attach(request.truth, "truth")] if request.truth is not None else []
        refuse_unknown_names(self.columns, [*sources, *known])
        declared = {column for measure in measures for column in measure.metric.inputs["predictions"]}
        self.own = dict(request.own_columns.get("predictions", {}))
        if request.classes is not None:
            self.own |= dict.fromkeys((CLASS, PLACE, ACTUAL), CLASSES)
        elif CLASS in declared:
            raise InputError(self.systems.label, "no classes are named", HOW_TO_NAME)
        self.weights = [self.columns.find(source, "predictions", WEIGHT) for source in sources]
        self.weighted = self._weighted(measures)
        self.groups = {name: self._group(s) for name, s in self.systems} if GROUP in declared else {}
        for key in self.groups.values():
            same_kind(next(iter(self.groups.values())), key, GROUP)
        self.clusters = self._clusters(request)
        self.shares_rows = False
        scores = [self._names(source)["score"] for source in sources]
        self.wide_scores = any(is_wide(s.columns[n]) for s, n in zip(sources, scores, strict=True))
        self.names = {f"predictions.{c}": n for c, n in self._names(self.systems.first).items()}
        # A finding may be about the scores of any system.
        self.names["predictions.score"] = " or ".join(dict.fromkeys(scores))
        self.names["predictions.system"] = request.system or "system"
        if self.groups:
            self.names[f"predictions.{GROUP}"] = "+".join(next(iter(self.groups.values())).parts)
        self.by = {name: f"by_{i}" for i, name in enumerate(self._by(sources), start=1)}

    def _weighted(self, measures: Sequence[Measure]) -> bool:
        """Return whether weights count: if the predictions have them, unless no measure wants them."""
        asked = {measure.values.get(WEIGHTED, False) for measure in measures}
        asked |= {True for one in measures if one.metric.is_own and _reads_weights(one)}
        self.is_asked = True in asked
        if True in asked and None in self.weights:
            raise missing_column(self.systems.first, WEIGHT, "predictions")
        if asked == {False}:
            return False
        if None in self.weights and any(self.weights):
            raise InputError(
                self.systems.label, f"only some tables have a column {WEIGHT!r}", "give it to all"
            )
        return None not in self.weights

    def _unasked(self) -> tuple[tuple[str, str, bool], ...]:
        """Return the column of weights that is taken for its name only."""
        if not self.weighted or self.is_asked or self.columns.given("predictions", WEIGHT) is not None:
            return ()
        return (("predictions", str(self.weights[0]), True),)

    def _names(self, source: Source) -> dict[str, str]:
        """Return canonical column -> the user's column, for those that are read."""
        names = {}
        for column in ("label", "score", *([WEIGHT] if self.weighted else [])):
            found = self.columns.find(source, "predictions", column)
            if found is None:
                raise missing_column(source, column, "predictions")
            names[column] = found
        return names

    def _group(self, source: Source) -> Key:
        """Return the columns that identify groups: the group_id, or the query_id if there is none."""
        for column in (GROUP, "query_id"):
            mapped = self.columns.given("predictions", column)
            if mapped is not None or source.find(column) is not None:
                return key_of(source, self.columns, "predictions", column)
        raise missing_column(source, GROUP, "predictions")

    def _clusters(self, request: Request) -> dict[str, Key]:
        """Return the columns that identify clusters, for intervals: those asked for, or those of the groups.

        If there are none, every row is a separate unit.
        """
        if request.inference is None:
            return {}
        found: dict[str, Key] = {}
        for name, source in self.systems:
            key = self._cluster(source, request.inference.cluster)
            if key is not None:
                same_kind(next(iter(found.values()), key), key, CLUSTER)
                found[name] = key
        if 0 < len(found) < len(self.systems.sources):
            raise InputError(
                self.systems.label, "only some tables identify clusters", "give the column to all"
            )
        return found

    def _cluster(self, source: Source, asked: str | None) -> Key | None:
        columns = self.columns if asked is None else ColumnMap({**self.columns.names, CLUSTER: asked})
        alone = [] if self.request.classes is None else [ROW]
        for column in (CLUSTER, GROUP, "query_id", *alone):
            if columns.given("predictions", column) is not None or source.find(column) is not None:
                return key_of(source, columns, "predictions", column)
        return None

    def _by(self, sources: Sequence[Source]) -> list[str]:
        wanted = slicing_columns(self.request.by)
        for name in wanted:
            for source in sources:
                if missing := lacking(source, name, self.request.computed):
                    raise InputError(
                        "by",
                        f"{source.label} has no column {missing[0]!r}; found {', '.join(source.all_columns)}",
                        advice_without(
                            missing, suggestion(name, source.all_columns, "slice by one of these")
                        ),
                    )
        computed = self.request.computed
        found = (name if name in computed else sources[0].find(name) or name for name in wanted)
        return list(dict.fromkeys(found))

    def inputs(self, keep: Keep) -> Inputs:
        """Return the rows with the number of their segment."""
        folded = {name.lower(): name for name in self.by}
        by = tuple(tuple(folded[name.lower()] for name in grouping) for grouping in self.request.by)
        rows = self._kept_rows(keep, by_row=self.request.inference is not None and not self.clusters)
        if not by:
            return self._inputs({"predictions": rows}, {"segment": OVERALL})
        sliced = self._sliced(rows, by)
        slices = exp.select(exp.Star()).from_(keep("slices", self._slices(sliced)))
        queries: dict[str, exp.Query] = {"slices": slices, "predictions": self._segmented(sliced, slices)}
        return replace(self._inputs(queries, {}), by=by, rows=rows)

    def attributed(self, keep: Keep, by_row: bool) -> Inputs:
        """Return the rows of the overall segment, with the columns asked for as by_1, by_2, ...

        Args:
            by_row: whether each row is a unit of its own.
        """
        inputs = self._inputs({"predictions": self._kept_rows(keep, by_row)}, {"segment": OVERALL})
        return replace(inputs, by=tuple((name,) for name in self.by))

    def _kept_rows(self, keep: Keep, by_row: bool) -> exp.Query:
        """Return the rows of all systems."""
        if by_row and self.request.scores:
            self._share_rows(keep)
        rows = stacked(self._rows(source, name) for name, source in self.systems)
        if by_row and not self.shares_rows:
            # Kept, because what is read twice may come in another order.
            numbered = _numbered(rows)
            return exp.select(*numbered.named_selects).from_(keep("rows", numbered))
        return rows

    def _inputs(self, queries: dict[str, exp.Query], constants: dict[str, str | int]) -> Inputs:
        if self.systems.only:
            constants = {"system": ONE_SYSTEM, **constants}
        systems = self.systems.query()
        if systems is not None:
            queries["systems"] = systems
        return Inputs(
            queries=queries,
            labels={"predictions": self.systems.label},
            words={"predictions": self.systems.first.words},
            one_system=self.systems.only,
            systems=self.systems.names,
            truth_lists=False,
            by=(),
            by_source="predictions",
            names=self.names,
            constants=constants,
            weighted=self.weighted,
            weight=next(filter(None, self.weights), None),
            unasked=self._unasked(),
            wide_scores=self.wide_scores,
            cluster="+".join(next(iter(self.clusters.values())).parts) if self.clusters else None,
            shares_rows=self.shares_rows,
            own_columns=tuple(self.own),
        )

    def _share_rows(self, keep: Keep) -> None:
        """Number the rows of the one table once, so that each is the same unit for all systems."""
        number = exp.Window(this=exp.RowNumber()).as_(_ROW)
        table = keep("rows", exp.select(exp.Star(), number).from_(self.systems.first.relation.copy()))
        self.systems.read_from(exp.to_table(table))
        self.shares_rows = True

    def _rows(self, source: Source, name: str) -> exp.Select:
        """Return the rows of one table under canonical names; all of them are in segment 0."""
        names = self._names(source)
        group: exp.Expr = exp.null()
        if self.groups:
            types = common_types(list(self.groups.values()))
            parts = next(iter(self.groups.values())).parts
            group = key_expression(self.groups[name], types, parts)
        weight = number_expression(source, names[WEIGHT]) if self.weighted else literal(1.0)
        return selected(source, {
            "system": self.systems.expression(source, name),
            "segment": literal(OVERALL),
            "label": grade_expression(source, names["label"], "label"),
            "score": number_expression(source, names["score"]),
            **self._exact(source, names["score"]),
            WEIGHT: weight,
            GROUP: group,
            UNIT: self._unit(name),
            **columns_of_own(source, self.columns, "predictions", self.own),
            **{
                alias: attribute(source, by, self.request.computed) or quoted(by)
                for by, alias in self.by.items()
            },
        })  # fmt: skip

    def _exact(self, source: Source, name: str) -> dict[str, exp.Expr]:
        """Return the scores as they are written, if a DOUBLE may lose digits of them; otherwise nothing."""
        if not self.wide_scores:
            return {}
        return {"exact_score": exact_number(quoted(name), source.columns[name])}

    def _unit(self, name: str) -> exp.Expr:
        if self.shares_rows:
            return exp.column(_ROW)
        if not self.clusters:
            return exp.null()
        first = next(iter(self.clusters.values()))
        types = common_types(list(self.clusters.values()))
        return key_expression(self.clusters[name], types, first.parts)

    def _sliced(self, rows: exp.Query, by: Sequence[Sequence[str]]) -> exp.Select:
        """Return every row once per grouping; the columns not in force are NULL."""
        number = exp.column("slice_number")
        columns = []
        for name, alias in self.by.items():
            forces = [literal(i) for i, grouping in enumerate(by, start=1) if name in grouping]
            condition = exp.In(this=number.copy(), expressions=forces)
            columns.append(exp.Case().when(condition, exp.column(alias)).as_(alias))
        numbers = sqlglot.parse_one("SELECT 1 FROM range($n) AS numbers(slice_number)", dialect=DIALECT)
        for placeholder in list(numbers.find_all(exp.Placeholder)):
            placeholder.replace(literal(len(by) + 1))
        kept = ("system", "label", "score", WEIGHT, GROUP, UNIT, *self.own)
        sliced = exp.select(*kept, number, *columns).from_(rows.subquery("rows"))
        return sliced.join(numbers.args["from_"].this, join_type="cross")

    def _slices(self, sliced: exp.Select) -> exp.Select:
        """Return one row per segment: its number, that of its grouping, and the columns in force."""
        keys = [exp.column("slice_number"), *(exp.column(alias) for alias in self.by.values())]
        distinct = exp.select(*(key.copy() for key in keys)).distinct().from_(sliced.subquery("sliced"))
        ordered = exp.Window(
            this=exp.RowNumber(), order=exp.Order(expressions=[exp.Ordered(this=k, desc=False) for k in keys])
        )
        number = exp.Sub(this=ordered, expression=literal(1))
        return exp.select(number.as_("segment"), *(k.copy() for k in keys)).from_(distinct.subquery("found"))

    def _segmented(self, sliced: exp.Select, slices: exp.Query) -> exp.Select:
        """Return the rows with the number of their segment; a slice may be NULL."""
        same = [
            exp.NullSafeEQ(this=exp.column(key, "sliced"), expression=exp.column(key, "slices"))
            for key in ("slice_number", *self.by.values())
        ]
        kept = [exp.column(c, "sliced") for c in ("system", "label", "score", WEIGHT, GROUP, UNIT, *self.own)]
        return (
            exp.select(exp.column("segment", "slices"), *kept)
            .from_(sliced.subquery("sliced"))
            .join(slices.subquery("slices"), on=exp.and_(*same))
        )


def _reads_weights(measure: Measure) -> bool:
    """Return whether a metric of the user reads the weights, and not only where there are some."""
    return WEIGHTED not in measure.values and WEIGHT in measure.metric.inputs["predictions"]


def _numbered(rows: exp.Query) -> exp.Select:
    """Return the rows, each as a separate unit."""
    number = exp.Window(this=exp.RowNumber()).as_(UNIT)
    named = [exp.column(name) for name in rows.named_selects if name != UNIT]
    return exp.select(*named, number).from_(rows.subquery("rows"))


def classification_inputs(
    request: Request, measures: Sequence[Measure], attach: Attach, keep: Keep
) -> tuple[Inputs, list[Measure]]:
    """Return the canonical rows, and the measures with the parameters that these rows decide."""
    inputs = observe(request, measures, attach, keep)
    return inputs, _decided(measures, inputs)


def attributed_rows(
    request: Request, measures: Sequence[Measure], attach: Attach, keep: Keep, by_row: bool
) -> tuple[Inputs, list[Measure]]:
    """Return the canonical rows with the columns of `request.by`, unsliced, as by_1, by_2, ...

    Args:
        by_row: whether each row is a unit of its own; otherwise rows have no unit.
    """
    inputs = _Observing(replace(request, inference=None), measures, attach).attributed(keep, by_row)
    return inputs, _decided(measures, inputs)


def unit_rows(request: Request, measures: Sequence[Measure], attach: Attach, keep: Keep) -> Inputs:
    """Return the canonical rows with their units, unsliced, and the columns of `request.by` as by_1, ..."""
    observing = _Observing(request, measures, attach)
    return observing.attributed(keep, by_row=not observing.clusters)


def _decided(measures: Sequence[Measure], inputs: Inputs) -> list[Measure]:
    return [
        measure.bound(**{WEIGHTED: inputs.weighted})
        if measure.values.get(WEIGHTED, False) is None
        else measure
        for measure in measures
    ]
