"""One test over many values: it fails with the list of all failing values, not with the first of them."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def each(
    name: str, values: Iterable[Any] | Callable[[], Iterable[Any]], label: Callable[[Any], str] = str
) -> Callable[..., Any]:
    """Run a test for each value of an argument.

    This is for short tests that only read: the overhead of a thousand tests exceeds their work.

    Args:
        name: the argument.
        values: of the argument, or a function that returns them if it takes long to find them.
        label: the name of a value in the list of failures.
    """
    given = values if callable(values) else list(values)

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def loop(**fixtures: Any) -> None:
            known = list(given() if callable(given) else given)
            failures = []
            for value in known:
                try:
                    test(**{name: value}, **fixtures)
                except pytest.skip.Exception:
                    continue
                except Exception as error:
                    failures.append(f"{label(value)}: {type(error).__name__}: {error}")
            assert known, f"no {name} to test"
            if failures:
                pytest.fail(f"{len(failures)} of {len(known)}:\n" + "\n".join(failures), pytrace=False)

        signature = inspect.signature(test)
        others = [p for p in signature.parameters.values() if p.name != name]
        loop.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        del loop.__wrapped__  # type: ignore[attr-defined]
        return loop

    return decorated
