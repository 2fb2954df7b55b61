"""Values of parameters: read as the declared type, checked against the conditions, written."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import Param, substituted
from duckmetrics.errors import MetricError, suggestion
from duckmetrics.expressions.folding import Value, constant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DIGITS = re.compile(r"-?[0-9]+")

_WORD = re.compile(r"[A-Za-z_][\w.-]*")

CUTOFF = "k"
# The parameters that all metrics of a call have in common.
PER_CALL = ("population",)


def typed_value(where: str, param: Param, value: object) -> Value:
    """Read a value as the type that the parameter declares."""
    if param.default is None and not param.required and (
        value is None or str(value).lower() in ("null", "none")
    ):  # fmt: skip
        return None
    try:
        return _READERS[param.type](value)
    except (ValueError, TypeError, OverflowError, KeyError):
        wanted = {int: "a whole number", float: "a number", bool: "true or false"}
        raise MetricError(
            where,
            f"{param.name} must be {wanted.get(param.type, 'a word')}, got {value!r}",
            f"write {_sample(param)}",
        ) from None


def _sample(param: Param, others: Mapping[str, Value] | None = None) -> str:
    """Write a value that is allowed, next to those of the other parameters."""
    if param.name == CUTOFF:
        return "a positive number after @, such as @10"
    tried = [value for value in (param.default, *_SAMPLES[param.type]) if value is not None]
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
            f"{param.name} is {written(value)}, but must satisfy {check.sql(dialect='duckdb')}",
            _share_of(param, value) or f"write {_sample(param, values)}",
        )


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
    text = str(value)
    return (
        text if isinstance(value, int) or _WORD.fullmatch(text) else f"'{text.replace(chr(39), 2 * chr(39))}'"
    )


# Values to try for a parameter without a default; one of them is allowed.
_SAMPLES: dict[type, tuple[Value, ...]] = {
    int: (1, 2, 10), float: (1, 0.5, 0.1, 10), str: ("word",), bool: (True, False)
}  # fmt: skip
_READERS: dict[type, Callable[[object], Value]] = {int: _whole, float: _real, str: _text, bool: _flag}
