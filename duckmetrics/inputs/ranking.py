"""The canonical inputs of one evaluation, put together from the tables a user names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.errors import InputError
from duckmetrics.expressions.build import quoted, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs import values
from duckmetrics.inputs.column_types import is_wide
from duckmetrics.inputs.columns import CANONICAL, ColumnMap, is_name, selected
from duckmetrics.inputs.ids import Key, common_types, key_expression, key_of, same_kind
from duckmetrics.inputs.lists import elements, items_of, judged_lists, list_column, list_places, list_size
from duckmetrics.inputs.request import CLUSTER, Extremes, Inputs, Request
from duckmetrics.inputs.slices import slicing_columns
from duckmetrics.inputs.systems import ONE_SYSTEM, Attach, Systems, refuse_unknown_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.inputs.sources import Role, Source

    pass

INTEGER_MIN, INTEGER_MAX = -(2**31), 2**31 - 1


def gather(request: Request, attach: Attach, extremes: Extremes) -> Inputs:
    """Attach the tables of a request and write the canonical query of each input.

    Raises:
        InputError: a table or column is missing, or of a type that cannot be used.
    """
    return _Gathering(request, attach, extremes).inputs()


class _Gathering:
    def __init__(self, request: Request, attach: Attach, extremes: Extremes) -> None:
        self.request = request
        self.extremes = extremes
        self.by = request.by
        self.cluster: str | None = None
        self.columns = request.columns
        self.systems = Systems(request.predictions, request.system, attach)
        self.predictions = self.systems.sources
        self.truth = None if request.truth is None else attach(request.truth, "truth")
        self.extra: dict[Role, Source] = {}
        if request.queries is not None:
            self.extra["queries"] = attach(request.queries, "queries")
        if request.population is not None:
            try:
                self.extra["population"] = attach(request.population, "population")
            except InputError as error:
                raise InputError(f"population: {error}; or choose truth, predictions or both") from error
        truth = [self.truth] if self.truth is not None else []
        for source in (*truth, *(s for role, s in self.extra.items() if role == "population")):
            if source.empty:
                raise InputError(f"{source.label}: no rows; check how it was exported")
        refuse_unknown_names(self.columns, [*self.predictions.values(), *self.extra.values(), *truth])

    def inputs(self) -> Inputs:
        self._keys()
        queries: dict[str, exp.Query] = {"predictions": self._predictions(), "truth": self._truth()}
        if "population" in self.extra:
            source, key = self.extra["population"], self.query_keys["population"]
            queries["population"] = selected(source, {"query_id": self._query_id(key)})
        systems = self.systems.query()
        answered = self._answered()
        if answered is not None:
            queries["answers"] = answered
            systems = systems or exp.select("system").distinct().from_(answered.copy().subquery("answers"))
        if systems is not None:
            queries["systems"] = systems
        by_source = self._attributes(queries)
        return Inputs(
            queries=queries,
            labels=self._labels(),
            one_system=self.systems.only,
            systems=self.systems.names,
            truth_lists=self.truth_list is not None,
            by=self.by,
            by_source=by_source,
            names=self._names(),
            query_type=self.query_type,
            query_parts=self.names,
            item_kinds=self.item_kinds,
            constants={"system": ONE_SYSTEM} if self.systems.only else {},
            by_rank=self._by_rank(),
            cluster=self.cluster,
            wide_scores=self._has_wide_scores(),
            runs=tuple(dict.fromkeys(n for source in self.predictions.values() for n in self._runs(source))),
            leftovers=self._leftovers(),
            text_ids=frozenset(
                name for name, keys in (("query_id", self.query_keys), ("item_id", self.item_keys))
                if any("text" in key.kinds for key in keys.values())
            ),
        )  # fmt: skip

    def _by_rank(self) -> bool:
        """Say whether the tables give ranks.

        Raises:
            InputError: some do and others give scores.
        """
        by_rank = {name: self._gives_ranks(name) for name in self.predictions}
        if len(set(by_rank.values())) > 1:
            ranks, scores = (
                next(self.predictions[n].label for n, given in by_rank.items() if given is wanted)
                for wanted in (True, False)
            )
            raise InputError(
                f"predictions: {ranks} gives ranks and {scores} gives scores, and a rank is taken as it is; "
                "give both of all systems, or number the others with row_number() AS rank"
            )
        return all(by_rank.values())

    def _gives_ranks(self, name: str) -> bool:
        """Say whether a table gives ranks; the place in a list without scores is one."""
        source = self.predictions[name]
        if self.lists[name] is not None:
            return list_column(source, self.columns, "predictions", "scores") is None
        return isinstance(values.score_expression(source, self.columns), exp.Neg)

    def _score_type(self, name: str) -> str | None:
        """The type of the scores of a table; None where it gives ranks, of which another check tells."""
        source = self.predictions[name]
        if self._gives_ranks(name):
            return None
        if self.lists[name] is not None:
            scores = list_column(source, self.columns, "predictions", "scores")
            return None if scores is None else items_of(source, scores).columns[scores]
        score = self.columns.find(source, "predictions", "score")
        return None if score is None else source.columns[score]

    def _has_wide_scores(self) -> bool:
        return any(is_wide(self._score_type(name) or "") for name in self.predictions)

    def _exact(self, name: str, score: exp.Expr) -> dict[str, exp.Expr]:
        """The scores as they are written, where a table has such that a DOUBLE may not keep."""
        if not self._has_wide_scores():
            return {}
        return {"exact_score": values.exact_number(score, self._score_type(name) or "")}

    def _runs(self, source: Source) -> list[str]:
        """The columns of a table that may tell several systems apart, where none was named."""
        if self.request.system is not None:
            return []
        asked = [*slicing_columns(self.request.by), *filter(None, [self._cluster()])]
        return values.run_columns(source, self.columns, asked)

    def _names(self) -> dict[str, str]:
        """Canonical column, with its table, -> the user's column."""
        first, source = next(iter(self.predictions.items()))
        label = f"predictions {first}"
        names = {
            "predictions.query_id": "+".join(self.query_keys[label].parts),
            "predictions.item_id": "+".join(self.item_keys[label].parts),
            "predictions.system": self.request.system or "system",
            "predictions.run": ", ".join(self._runs(source)),
        }
        listed = self.lists[first]
        for order in ("scores",) if listed else ("rank", "score"):
            known = self.columns.find(source, "predictions", order)
            names["predictions.score"] = known or names.get("predictions.score", listed or order)
        truth, role = (self.truth, "truth") if self.truth is not None else (source, "predictions")
        for key, keys in (("query_id", self.query_keys), ("item_id", self.item_keys)):
            names[f"truth.{key}"] = "+".join(keys["truth" if self.truth is not None else label].parts)
        for grade in ("label", "relevance"):
            found = self.columns.find(truth, cast("Role", role), grade)
            names["truth.relevance"] = found or names.get("truth.relevance", grade)
        return names

    def _keys(self) -> None:
        """Find the ids of every table and the types that they have in common."""
        self.lists = {
            name: list_column(source, self.columns, "predictions", "items")
            for name, source in self.predictions.items()
        }  # fmt: skip
        self.truth_list = None
        if self.truth is not None:
            self.truth_list = list_column(self.truth, self.columns, "truth", "relevant")
        self.query_keys: dict[str, Key] = {}
        item_keys: dict[str, Key] = {}
        for name, source in self.predictions.items():
            label = f"predictions {name}"
            self.query_keys[label] = key_of(source, self.columns, "predictions", "query_id")
            item_keys[label] = self._item_key(source, "predictions", self.lists[name])
        if self.truth is not None:
            self.query_keys["truth"] = key_of(self.truth, self.columns, "truth", "query_id")
            item_keys["truth"] = self._item_key(self.truth, "truth", self.truth_list)
        for role, source in self.extra.items():
            self.query_keys[role] = key_of(source, self.columns, role, "query_id")
        for column, keys in (("query_id", self.query_keys), ("item_id", item_keys)):
            first, *others = keys.values()
            for other in others:
                same_kind(first, other, column)
        self.item_keys = item_keys
        self.query_type = self._type_of(self.query_keys)
        self.query_types = self._narrowed(self.query_keys)
        self.item_types = self._narrowed(item_keys)
        self.names = next(iter(self.query_keys.values())).parts
        self.item_names = next(iter(item_keys.values())).parts
        self.item_kinds = next(iter(item_keys.values())).kinds

    def _type_of(self, keys: Mapping[str, Key]) -> str | None:
        """The type in which a simple id is shown, None for a composite one."""
        first = next(iter(keys.values()))
        types = common_types(list(keys.values()))
        return (types[0] or first.types[0]) if len(first.parts) == 1 else None

    def _narrowed(self, keys: Mapping[str, Key]) -> tuple[str | None, ...]:
        """Plan rule: ids of 64 bits whose values fit into 32 are sorted and joined as such.

        The values stay the same, so nothing else changes; the extremes come from the statistics
        of Parquet files and tables, and where there are none, nothing is narrowed.
        """
        types = common_types(list(keys.values()))
        if self._type_of(keys) not in ("BIGINT", "UBIGINT", "HUGEINT", "UINTEGER"):
            return types
        sources = {f"predictions {name}": source for name, source in self.predictions.items()}
        sources.update({str(role): source for role, source in self.extra.items()})
        if self.truth is not None:
            sources["truth"] = self.truth
        for label, key in keys.items():
            source = sources[label]
            if not values.narrow(key, source) or key.parts[0] not in source.columns:
                return types
            if source.columns[key.parts[0]] != key.types[0]:
                return types
            low, high = self.extremes(source, key.parts[0])
            if low is None or low < INTEGER_MIN or high > INTEGER_MAX:
                return types
        return ("INTEGER",)

    def _item_key(self, source: Source, role: Role, list_column: str | None) -> Key:
        if list_column is None:
            return key_of(source, self.columns, role, "item_id")
        elements = items_of(source, list_column)
        return key_of(elements, ColumnMap({"item_id": list_column}), role, "item_id")

    def _query_id(self, key: Key) -> exp.Expr:
        return key_expression(key, self.query_types, self.names)

    def _item_id(self, key: Key) -> exp.Expr:
        return key_expression(key, self.item_types, self.item_names)

    def _predictions(self) -> exp.Query:
        return stacked(self._predictions_of(name) for name in self.predictions)

    def _answered(self) -> exp.Query | None:
        """The input `answers` where there are lists: an empty one is an answer, and leaves no prediction."""
        if not any(self.lists.values()):
            return None
        parts = [self._answered_by(name, source) for name, source in self.predictions.items()]
        number = exp.cast(exp.Sum(this=exp.column("n")), "BIGINT").as_("n_predicted")
        rows = stacked(parts).subquery("answered")
        return exp.select("system", "query_id", number).from_(rows).group_by("system", "query_id")

    def _answered_by(self, name: str, source: Source) -> exp.Select:
        """The queries of one table; a list that is NULL is no answer."""
        listed, key = self.lists[name], self.query_keys[f"predictions {name}"]
        size = literal(1) if listed is None else list_size(source, listed)
        answered = selected(source, {
            "system": self.systems.expression(source, name), "query_id": self._query_id(key), "n": size,
        })  # fmt: skip
        return answered if listed is None else answered.where(quoted(listed).is_(exp.null()).not_())

    def _predictions_of(self, name: str) -> exp.Select:
        source, listed = self.predictions[name], self.lists[name]
        label = f"predictions {name}"
        query_id = self._query_id(self.query_keys[label])
        shared = {"system": self.systems.expression(source, name), "query_id": query_id}
        if listed is None:
            return selected(source, {
                **shared,
                "item_id": self._item_id(self.item_keys[label]),
                "score": values.score_expression(source, self.columns),
                **self._exact(name, quoted(self.columns.find(source, "predictions", "score") or "")),
                "position": values.position_expression(
                    source, self.columns, self.request.positions and not self._gives_ranks(name)
                ),
                "run": values.run_expression(self._runs(source)),
            })  # fmt: skip
        scores = list_column(source, self.columns, "predictions", "scores")
        if scores is not None:
            values.number_expression(items_of(source, scores), scores)
        place = list_places(source, listed)
        unnested = selected(source, {
            **shared,
            "item_id": elements(source, listed),
            "score": elements(source, scores) if scores else exp.Neg(this=place.copy()),
            "position": place,
            "run": values.run_expression(self._runs(source)),
        })  # fmt: skip
        return exp.select(
            "system", "query_id",
            _cast("item_id", self.item_types[0]), _cast("score", "DOUBLE"),
            *(e.as_(n) for n, e in self._exact(name, exp.column("score")).items()), "position", "run",
        ).from_(unnested.subquery("unnested"))  # fmt: skip

    def _leftovers(self) -> exp.Query | None:
        """The ids with the columns that could be names of systems, as text."""
        if not self.systems.only or any(self.lists.values()):
            return None
        ((name, source),) = self.predictions.items()
        known = (column for key, column in self._names().items() if key != "predictions.run")
        used = {part for column in known for part in column.split("+")}
        label = f"predictions {name}"
        others = [
            exp.cast(quoted(column), "VARCHAR").as_(column, quoted=True)
            for column, type_ in source.columns.items()
            if column not in used and column.lower() not in CANONICAL and is_name(type_)
        ]
        if not others:
            return None
        ids = {
            "query_id": self._query_id(self.query_keys[label]),
            "item_id": self._item_id(self.item_keys[label]),
        }
        return selected(source, ids).select(*others, copy=False)

    def _truth(self) -> exp.Query:
        if self.truth is None:
            return self._truth_of_logs()
        query_id = self._query_id(self.query_keys["truth"])
        if self.truth_list is not None:
            items, grade = judged_lists(self.truth, self.truth_list)
            unnested = selected(self.truth, {"query_id": query_id, "item_id": items, "relevance": grade})
            return exp.select("query_id", _cast("item_id", self.item_types[0]), "relevance").from_(
                unnested.subquery("unnested")
            )
        name = self.columns.find(self.truth, "truth", "relevance")
        if name is None:
            name = self.columns.find(self.truth, "truth", "label")
        return selected(self.truth, {
            "query_id": query_id,
            "item_id": self._item_id(self.item_keys["truth"]),
            "relevance": values.grade_expression(self.truth, name),
        })  # fmt: skip

    def _truth_of_logs(self) -> exp.Query:
        """One table with labels: the ideal list is the query's own rows."""
        parts = []
        for name, source in self.predictions.items():
            grade = self.columns.find(source, "predictions", "label")
            if grade is None:
                grade = self.columns.find(source, "predictions", "relevance")
            if grade is None:
                raise InputError(
                    f"{source.label}: no truth table and no column 'label'; "
                    f"found {', '.join(source.columns)}; give a truth table or map "
                    "columns={'label': ...}"
                )
            if self.lists[name] is not None:
                raise InputError(f"{source.label}: lists carry no labels; give a truth table")
            label = f"predictions {name}"
            parts.append(selected(source, {
                "query_id": self._query_id(self.query_keys[label]),
                "item_id": self._item_id(self.item_keys[label]),
                "relevance": values.grade_expression(source, grade),
            }))  # fmt: skip
        if self.systems.only:
            return parts[0]
        rows = stacked(parts).subquery("labels")
        return exp.select("query_id", "item_id", "relevance").distinct().from_(rows)

    def _labels(self) -> dict[str, str]:
        labels = {"predictions": self.systems.label, "truth": self.systems.label}
        if self.truth is not None:
            labels["truth"] = self.truth.label
        return labels | {role: source.label for role, source in self.extra.items()}

    def _attributes(self, queries: dict[str, exp.Query]) -> str | None:
        """Write the input `attributes`: one row per query with the slicing columns."""
        cluster = self._cluster()
        wanted = list(dict.fromkeys([*slicing_columns(self.request.by), *([cluster] if cluster else [])]))
        if not wanted:
            return None
        candidates: list[tuple[str, list[tuple[Source, Key]]]] = []
        if "queries" in self.extra:
            candidates.append(("queries", [(self.extra["queries"], self.query_keys["queries"])]))
        else:
            if self.truth is not None:
                candidates.append(("truth", [(self.truth, self.query_keys["truth"])]))
            rows = [(s, self.query_keys[f"predictions {n}"]) for n, s in self.predictions.items()]
            candidates.append(("predictions", rows))
        for role, sources in candidates:
            having = [(s, key) for s, key in sources if all(s.find(name) is not None for name in wanted)]
            if having:
                known = {name: having[0][0].find(name) or name for name in wanted}
                by = (tuple(dict.fromkeys(known[n] for n in g)) for g in self.request.by)
                self.by = tuple(dict.fromkeys(by))
                self.cluster = known[cluster] if cluster else None
                queries["attributes"] = self._attributes_of(having, list(dict.fromkeys(known.values())))
                return role
        asked = "by" if self.request.by else "cluster"
        found = {c: None for _, sources in candidates for s, _ in sources for c in s.columns}
        missing = [n for n in wanted if not any(n.lower() == c.lower() for c in found)] or wanted
        raise InputError(
            f"{asked}: no column {', '.join(map(repr, missing))} in one table; "
            f"found {', '.join(found)}; give the attributes of the queries with queries="
        )

    def _cluster(self) -> str | None:
        """The attribute of the queries that intervals take as the unit, if it is not the query itself."""
        if self.request.inference is None:
            return None
        return self.request.inference.cluster or self.columns.names.get(CLUSTER)

    def _attributes_of(self, sources: Sequence[tuple[Source, Key]], wanted: Sequence[str]) -> exp.Query:
        return stacked(
            selected(source, {
                "query_id": self._query_id(key),
                **{name: quoted(source.find(name) or name) for name in wanted},
            })
            for source, key in sources
        )  # fmt: skip


def _cast(name: str, type_: str | None) -> exp.Expr:
    column = exp.column(name)
    return exp.cast(column, type_).as_(name) if type_ else column
