"""Files of charts: only outputs of ours are replaced."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import duckmetrics
from duckmetrics import InputError

if TYPE_CHECKING:
    from pathlib import Path

CLICKS = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}


@pytest.fixture(scope="module")
def chart() -> duckmetrics.Chart:
    return duckmetrics.evaluate(CLICKS, metrics="auc").chart("roc_curve")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.svg", "<svg><text>Chart written by duckmetrics, edited by me</text></svg>"),
        ("mine.svg", "<svg><g/><!-- written by duckmetrics --></svg>"),
        ("mine.html", "<p>a page, not written by duckmetrics</p>"),
    ],
)
def test_a_file_of_the_users_is_kept(chart: duckmetrics.Chart, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError):
        chart.save(tmp_path / name)
    assert (tmp_path / name).read_text() == text


@pytest.mark.parametrize("name", ["ours.svg", "ours.html"])
def test_a_chart_replaces_a_chart(chart: duckmetrics.Chart, tmp_path: Path, name: str) -> None:
    chart.save(tmp_path / name)
    first = (tmp_path / name).read_bytes()
    chart.save(tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


def test_a_chart_of_nobody_replaces_nothing(chart: duckmetrics.Chart, tmp_path: Path) -> None:
    own = replace(chart, _write=None)
    own.save(tmp_path / "new.svg")
    with pytest.raises(InputError, match="exists already"):
        own.save(tmp_path / "new.svg")
