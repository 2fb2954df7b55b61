"""Write `duckmetrics/switches.py`: the switches and parameters of calls as types, for editors and mypy.

``python -m duckmetrics.catalog.typed_switches`` prints the module. Every name, type and choice comes from the
headers of the files under sql/.
"""

from __future__ import annotations

import sys
from textwrap import indent
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.measure import CUTOFF
from duckmetrics.catalog.switches import aggregation_switch, switches_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.switches import Switch

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


def switches_module(catalog: Catalog) -> str:
    """Return the text of the module."""
    of_metrics = switches_of(catalog, catalog.metrics.values(), required=False)
    of_tables = switches_of(catalog, catalog.tables.values())
    known = {switch.name for switch in of_metrics}
    further = [switch for switch in of_tables if switch.name not in known]
    of_statistics = switches_of(catalog, catalog.statistics.values())
    return _TOP + "\n\n".join([
        _class("Switches", "The switches of a call: conventions, and parameters of its metrics.",
               [aggregation_switch(catalog), *of_metrics]),
        _class("SqlSwitches", "The switches of a call that writes SQL of metrics, or of a table.",
               further, "Switches"),
        _class("TableParameters", "The parameters of tables, such as curves; a list gives the rows of each.",
               of_tables, several=True),
        _class("StatisticParameters", "The parameters of statistical tests.", of_statistics),
    ])  # fmt: skip


def _field(switch: Switch, several: bool) -> str:
    """Return the annotation and the docstring of a field."""
    annotated = f"{switch.name}: {_annotation(switch, several)}"
    if len(annotated) > LONGEST:
        annotated = annotated.replace("[", "[\n    ").replace(", ", ",\n    ").replace("]", ",\n]")
    return indent(f'{annotated}\n"""{switch.meaning}"""\n', INDENT)


def _annotation(switch: Switch, several: bool) -> str:
    """Return the type: a union of what all files allow.

    Args:
        several: whether a list of values is allowed as well.
    """
    words = ", ".join(f'"{choice}"' for choice in switch.choices)
    types = [f"Literal[{words}]"] if words else []
    types += dict.fromkeys(
        "Sequence[float]" if param.type is tuple else param.type.__name__
        for param in switch.params if not param.choices
    )  # fmt: skip
    none = ["None"] if switch.takes_none else []
    is_listed = several or switch.name == CUTOFF
    lists = [f"Sequence[{' | '.join([*types, *none])}]"] if is_listed else []
    return " | ".join([*types, *(["Any"] if switch.takes_table else []), *lists, *none])


def _class(
    name: str, doc: str, switches: Sequence[Switch], base: str = "TypedDict", several: bool = False
) -> str:
    fields = "\n".join(_field(switch, several) for switch in switches)
    return f'class {name}({base}, total=False):\n    """{doc}"""\n\n{fields}'


if __name__ == "__main__":
    sys.stdout.write(switches_module(catalog()))
