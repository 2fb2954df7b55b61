"""Evaluation metrics of rankings and classifiers, defined as SQL files and run by DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.errors import (
    DefinitionError,
    DuckmetricsError,
    EngineError,
    InputError,
    MetricError,
    UnsupportedError,
)
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from duckmetrics.api import curve, describe, evaluate, metrics
    from duckmetrics.results import Evaluation
    from duckmetrics.significance import ChiSquare, chi_square

_LAZY = {
    "curve": "api",
    "describe": "api",
    "evaluate": "api",
    "macros_database": "api",
    "macros_sql": "api",
    "metrics": "api",
    "Evaluation": "results",
    "ChiSquare": "significance",
    "chi_square": "significance",
}

__all__ = [
    "ChiSquare",
    "DefinitionError",
    "DuckmetricsError",
    "EngineError",
    "Evaluation",
    "InputError",
    "MetricError",
    "UnsupportedError",
    "__version__",
    "chi_square",
    "curve",
    "describe",
    "evaluate",
    "macros_database",
    "macros_sql",
    "metrics",
]


def __getattr__(name: str) -> Any:
    """Import the database and the parser only when somebody evaluates."""
    if name not in _LAZY:
        raise AttributeError(f"module 'duckmetrics' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"duckmetrics.{_LAZY[name]}"), name)
