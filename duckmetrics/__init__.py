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
    from duckmetrics.comparison import compare
    from duckmetrics.comparison_results import Comparison
    from duckmetrics.findings import Findings, check
    from duckmetrics.results import Evaluation
    from duckmetrics.sampling import sampled
    from duckmetrics.sampling_results import SampledEvaluation
    from duckmetrics.significance import ChiSquare, chi_square
    from duckmetrics.statistical_tests import TestResult, run_test
    from duckmetrics.verification import Verification

_LAZY = {
    "Signature": "signature",
    "TieReport": "tie_report",
    "ToolComparison": "tools",
    "Findings": "findings",
    "check": "findings",
    "conventions": "tools",
    "ties": "tie_report",
    "curve": "api",
    "describe": "api",
    "evaluate": "api",
    "macros_database": "api",
    "macros_sql": "api",
    "metrics": "api",
    "Evaluation": "results",
    "SampledEvaluation": "sampling_results",
    "sampled": "sampling",
    "Comparison": "comparison_results",
    "compare": "comparison",
    "ChiSquare": "significance",
    "chi_square": "significance",
    "TestResult": "statistical_tests",
    "run_test": "statistical_tests",
    "Verification": "verification",
}

__all__ = [
    "ChiSquare",
    "Comparison",
    "DefinitionError",
    "DuckmetricsError",
    "EngineError",
    "Evaluation",
    "Findings",
    "InputError",
    "MetricError",
    "SampledEvaluation",
    "Signature",
    "TestResult",
    "TieReport",
    "ToolComparison",
    "UnsupportedError",
    "Verification",
    "__version__",
    "check",
    "chi_square",
    "compare",
    "conventions",
    "curve",
    "describe",
    "evaluate",
    "macros_database",
    "macros_sql",
    "metrics",
    "run_test",
    "sampled",
    "ties",
]


def __getattr__(name: str) -> Any:
    """Import the database and the parser only when somebody evaluates."""
    if name not in _LAZY:
        raise AttributeError(f"module 'duckmetrics' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"duckmetrics.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    """List the public names, so that tab completion offers those that are not imported yet."""
    return sorted(__all__)
