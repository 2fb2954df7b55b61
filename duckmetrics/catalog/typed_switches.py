"""Write `duckmetrics/switches.py`: the switches and parameters of calls as types, for editors and mypy.

``python -m duckmetrics.catalog.typed_switches`` prints the module. Every name, type and choice comes from the
headers of the files under sql/.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from textwrap import indent
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import RANKING, Param
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.signature import AGGREGATION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition

# The choice that means: a table, which the caller gives in place of a word.
A_TABLE = "table"
FEW = 4
INDENT = " " * 4
LONGEST = 106
_TOP = '''\
"""The switches and parameters of calls, as types.

Written by ``python -m duckmetrics.catalog.typed_switches`` from the files under sql/; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence


'''


@dataclass(frozen=True)
class Switch:
    """One name, and what the files that declare it say about it.

    Attributes:
        owners: the names of what takes it, such as metrics.
        everybody: who takes it, in words, if all of a family do; else empty.
    """

    name: str
    params: tuple[Param, ...]
    owners: tuple[str, ...]
    everybody: str = ""

    def annotation(self, several: bool = False) -> str:
        """Return the type: a union of what all files allow.

        Args:
            several: whether a list of values is allowed, too.
        """
        choices = dict.fromkeys(choice for param in self.params for choice in param.choices)
        words = [f'"{choice}"' for choice in choices if choice != A_TABLE]
        types = [_literal(words)] if words else []
        types += dict.fromkeys(param.type.__name__ for param in self.params if not param.choices)
        none = ["None"] if any(p.default is None and not p.required for p in self.params) else []
        lists = [f"Sequence[{' | '.join([*types, *none])}]"] if several else []
        tables = ["Any"] if A_TABLE in choices else []
        return " | ".join([*types, *tables, *lists, *none])

    @property
    def meaning(self) -> str:
        """Who takes it, and its default where there is only one."""
        few = self.owners if len(self.owners) <= FEW else (*self.owners[: FEW - 1], "and others")
        who = f"Taken by {self.everybody or ', '.join(few)}."
        defaults = {repr(param.default) for param in self.params if not param.required}
        return f"{who} Default: {defaults.pop()}." if len(defaults) == 1 else who

    def text(self, several: bool) -> str:
        """Return the annotation and the docstring of a field."""
        annotated = f"{self.name}: {self.annotation(several)}"
        if len(annotated) > LONGEST:
            annotated = annotated.replace("[", "[\n    ").replace(", ", ",\n    ").replace("]", ",\n]")
        return indent(f'{annotated}\n"""{self.meaning}"""\n', INDENT)


def switches_module(catalog: Catalog) -> str:
    """Return the text of the module."""
    of_metrics = _switches(catalog, catalog.metrics.values(), required=False)
    of_tables = _switches(catalog, catalog.tables.values())
    known = {switch.name for switch in of_metrics}
    further = [switch for switch in of_tables if switch.name not in known]
    of_statistics = _switches(catalog, catalog.statistics.values())
    return _TOP + "\n\n".join([
        _class("Switches", "The switches of a call: conventions, and parameters of its metrics.",
               [_aggregation(catalog), *of_metrics]),
        _class("SqlSwitches", "The switches of a call that writes SQL of metrics, or of a table.",
               further, "Switches"),
        _class("TableParameters", "The parameters of tables, such as curves; a list gives the rows of each.",
               of_tables, several=True),
        _class("StatisticParameters", "The parameters of statistical tests.", of_statistics),
    ])  # fmt: skip


def _switches(catalog: Catalog, takers: Iterable[Definition], required: bool = True) -> list[Switch]:
    """Return what some metrics, tables or statistics take, by name.

    Args:
        required: also what has no default; of a metric only a spec can give that.
    """
    params: dict[str, list[Param]] = defaultdict(list)
    owners: dict[str, list[Definition]] = defaultdict(list)
    every = sorted(takers, key=lambda taker: (taker.family, taker.name))
    for taker in every:
        for name, param in catalog.params(taker).items():
            if required or not param.required:
                params[name].append(param)
                owners[name].append(taker)
    return [
        Switch(name, _widest_first(params[name]), tuple(dict.fromkeys(o.name for o in owners[name])),
               _everybody(owners[name], every))
        for name in sorted(params)
    ]  # fmt: skip


def _widest_first(params: Iterable[Param]) -> tuple[Param, ...]:
    """Sort declarations so that the choices stand in the order of the longest list."""
    return tuple(sorted(params, key=lambda param: -len(param.choices)))


def _everybody(owners: list[Definition], every: list[Definition]) -> str:
    """Say which families take a switch as a whole; empty if one of its owners is of another family."""
    members: Mapping[str, list[Definition]] = {
        family: [taker for taker in every if taker.family == family] for family in {o.family for o in owners}
    }
    if sum(map(len, members.values())) > len(owners) or len(owners) <= FEW:
        return ""
    return " and ".join(f"all of {family}" for family in sorted(members))


def _aggregation(catalog: Catalog) -> Switch:
    """Return the switch that says how values of queries become one number."""
    names = [exp.Literal.string(name) for name in catalog.aggregation_names]
    choices = exp.In(this=exp.column(AGGREGATION), expressions=names)
    param = Param(AGGREGATION, str, DEFAULT_AGGREGATION, required=False, checks=(choices,))
    return Switch(AGGREGATION, (param,), (), f"all of {RANKING}")


def _literal(words: list[str]) -> str:
    return f"Literal[{', '.join(words)}]"


def _class(
    name: str, doc: str, switches: list[Switch], base: str = "TypedDict", several: bool = False
) -> str:
    fields = "\n".join(switch.text(several) for switch in switches)
    return f'class {name}({base}, total=False):\n    """{doc}"""\n\n{fields}'


if __name__ == "__main__":
    sys.stdout.write(switches_module(catalog()))
