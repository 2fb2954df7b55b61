"""Files of users: a folder to write them in, after which their metrics are forgotten."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duckmetrics.catalog import catalog as own
from duckmetrics.catalog.catalog import catalog

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in an empty folder, and forget the metrics of a test at its end."""
    monkeypatch.chdir(tmp_path)
    with forgotten():
        yield tmp_path


@contextmanager
def forgotten() -> Iterator[None]:
    """Forget the metrics of users that become known meanwhile."""
    known = catalog()
    before = dict(known.files), dict(known.metrics)
    try:
        yield
    finally:
        known.files, known.metrics = before
        known.has_own = False
        known.__dict__.pop("names", None)
        known._placeholders.clear()
        known._foundations.clear()
        own.known_everywhere.cache_clear()


def write(name: str, text: str | bytes) -> str:
    Path(f"{name}.sql").write_bytes(text if isinstance(text, bytes) else text.encode())
    return f"{name}.sql"
