"""The pages of README and docs/: their code prints what they show, and their links lead somewhere."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from support.cases import ROOT
from support.own_metrics import forgotten
from support.pages import Block, blocks, generated_pages, pages, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

sys.path.append(str(ROOT / "docs"))

from pages import computed
from pages.write import StaleNumbersError, generated, write

PAGES = pages()
README = ROOT / "README.md"
# What a newcomer reads.
FIRST_PAGES = [page for page in PAGES if page == README or page.parent.name == "tutorials"]
# A pattern that silently misses blocks would make every page right.
EXECUTED, WITH_SPARK = 399, 12
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(?:#[\w-]+)?\)")
SPEC_LINK = re.compile(r"\[`([^`]+)`\]\(\.\./metrics/(\w+)/(\w+)\.md\)")
LONGEST_README, MOST_LINKS = 95, 8


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
def all_blocks() -> list[Block]:
    return [block for page in PAGES for block in blocks(page)]


@cache
def texts() -> dict[str, str]:
    """Return the generated pages: path below docs/ -> text."""
    return generated_pages()


def test_other_tests_skip_while_the_numbers_are_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.write.kept", dict)
    with pytest.raises(StaleNumbersError, match="has changed; run python"):
        dict(generated())
    with pytest.raises(
        pytest.skip.Exception, match="test_the_numbers_of_the_pages_are_those_of_these_definitions fails"
    ):
        generated_pages()


@pytest.mark.slow
@pytest.mark.parametrize("page", FIRST_PAGES, ids=name)
def test_the_blocks_of_the_first_pages_run_and_print_what_they_show(page: Path) -> None:
    assert wrong(page) == []


@pytest.mark.some(0)
@pytest.mark.parametrize("page", [page for page in PAGES if page not in FIRST_PAGES], ids=name)
def test_the_blocks_of_a_page_run_and_print_what_it_shows(page: Path) -> None:
    with forgotten():
        assert wrong(page) == []


@pytest.mark.spark
@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(block.needs_spark for block in blocks(page))], ids=name
)
def test_the_blocks_for_spark_run(page: Path) -> None:
    assert wrong(page, spark=True) == []


@pytest.mark.some(0)
@pytest.mark.parametrize(
    ("kind", "least"),
    [("metrics/ranking", 20), ("metrics/classification", 20), ("metrics/multiclass", 13), ("statistics", 20)],
)
def test_the_blocks_of_generated_pages_run_and_print_what_they_show(
    kind: str, least: int, tmp_path: Path
) -> None:
    assert texts()
    write(tmp_path)
    found = sorted((tmp_path / kind).glob("*.md"))
    assert len(found) >= least
    assert [fault for page in found for fault in wrong(page)] == []


def test_blocks_are_found() -> None:
    runs = [block for block in all_blocks() if block.runs]
    assert len([block for block in runs if not block.needs_spark]) == EXECUTED
    assert len([block for block in runs if block.needs_spark]) == WITH_SPARK


def test_every_block_that_does_not_run_says_why() -> None:
    for block in all_blocks():
        if block.note and not block.runs:
            assert block.note.removeprefix("not run: "), (block.page, block.line)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files_or_generated_pages(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        path = (page.parent / target).resolve()
        docs = ROOT / "docs"
        is_generated = path.is_relative_to(docs) and str(path.relative_to(docs)) in texts()
        assert path.exists() or is_generated, target


def test_links_of_generated_pages_lead_somewhere() -> None:
    docs = ROOT / "docs"
    for page, text in texts().items():
        for target in LINK.findall(text):
            path = ((docs / page).parent / target).resolve()
            assert path.exists() or str(path.relative_to(docs)) in texts(), (page, target)


def test_every_metric_test_check_and_tool_has_a_page() -> None:
    kinds = [page.partition("/")[0] for page in texts()]
    from duckmetrics.api.catalogue import checks
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.presets import presets

    assert kinds.count("metrics") == len(catalog().metrics) + len(catalog().tables) + 1
    assert kinds.count("statistics") == len(catalog().statistics) + 1
    assert kinds.count("checks") == len(checks()) + 1
    assert kinds.count("presets") == len(presets()) + 1


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        ("ndcg", "grades"),
        ("average_popularity", "history"),
        ("gini", "catalogue"),
        ("serendipity", "grades history catalogue"),
        ("miscalibration", "history catalogue"),
        ("overlap", "reference"),
        ("personalization", ""),
    ],
)
def test_an_example_shows_the_tables_that_the_metric_reads(metric: str, shown: str) -> None:
    text = texts()[f"metrics/ranking/{metric}.md"]
    tables = {
        "grades": "| query | rank | item | grade |",
        "history": "| item | queries with an interaction |",
        "catalogue": "| item | categories | vector |",
        "reference": "The reference run:",
    }
    assert " ".join(name for name, head in tables.items() if head in text) == shown
    assert ("DuckDB shell" in text) == (metric in ("ndcg", "personalization"))


def test_the_pages_of_several_classes_show_what_runs_them() -> None:
    text = texts()["metrics/multiclass/f_beta.md"]
    assert "DuckDB only" in text
    assert "Python and the command line both run it" in text
    assert "DuckDB shell" not in text
    assert "| 3 | dog | **0.6** | 0.3 | 0.1 |" in text
    assert "See also: [precision](../multiclass/precision.md), [recall](../multiclass/recall.md)" in text
    assert "[classification.f_beta](../classification/f_beta.md)" in text
    assert "duckmetrics sql 'multiclass.f_beta(beta=1)'" in text


def test_the_list_of_metrics_has_a_section_for_each_group() -> None:
    from duckmetrics.catalog.catalog import catalog

    sections = {part.splitlines()[0]: part for part in texts()["metrics/index.md"].split("\n## ")[1:]}
    for (family, name), metric in catalog().metrics.items():
        if family == "ranking":
            section = sections[f"Rankings: {metric.group}"]
            assert f"[{name}](ranking/{name}.md)" in section
            assert f"\n{name} <ranking/{name}>\n" in section
    assert "Classifiers, CTR and ratings: curves and tables" in sections
    assert "[accuracy](multiclass/accuracy.md)" in sections["Several classes"]
    assert "(multiclass/confusion_matrix.md)" in sections["Several classes: curves and tables"]


def test_the_numbers_of_the_pages_are_those_of_these_definitions() -> None:
    """A definition that is new or changed needs ``python docs/pages/computed.py``; the other tests skip."""
    kept = computed.kept()
    for definition in computed.with_numbers().values():
        assert kept.get(f"{definition.family}/{definition.name}", {}).get("key") == computed.key(
            definition
        ), definition.name
    assert len(kept) == len(computed.with_numbers())


@pytest.mark.some(0)
@pytest.mark.parametrize("part", range(4))
def test_the_numbers_of_the_pages_are_computed_again(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    kept = computed.kept()
    for definition in [*computed.with_numbers().values()][part::4]:
        again = computed.compute(definition)
        stored = kept[f"{definition.family}/{definition.name}"]
        assert [*flat(again)] == [*flat(stored)], definition.name


def flat(numbers: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the leaves with their paths; numbers compare up to what engines round differently."""
    if isinstance(numbers, dict):
        for key, value in sorted(numbers.items()):
            yield from flat(value, f"{path}/{key}")
    elif isinstance(numbers, list):
        for place, value in enumerate(numbers):
            yield from flat(value, f"{path}/{place}")
    else:
        yield path, pytest.approx(numbers, abs=2e-9) if isinstance(numbers, float) else numbers


def test_the_readme_is_short_and_has_both_commands() -> None:
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST_README
    assert text.count("](") <= MOST_LINKS
    demo, test = (block.text for block in blocks(README) if block.note in ("demo command", "test command"))
    for command in (demo, test):
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install")
    assert "duckmetrics evaluate" in demo
    assert test.rstrip().endswith("pytest")


@pytest.mark.slow
def test_the_picture_of_the_readme_is_what_the_command_prints() -> None:
    from pages.picture import FILE, picture

    assert FILE.read_text("utf-8") == picture()


def test_the_page_of_charts_shows_the_pictures_of_its_commands(tmp_path: Path) -> None:
    from pages.charts import FOLDER, commands, write

    assert {path.name for path in FOLDER.iterdir()} == set(commands())
    assert len(commands()) > 7
    write("scores.svg", tmp_path)
    assert (tmp_path / "scores.svg").read_bytes() == (FOLDER / "scores.svg").read_bytes()


@pytest.mark.slow
def test_the_other_pictures_of_charts_are_what_their_commands_draw(tmp_path: Path) -> None:
    from pages.charts import FOLDER, commands, write

    for file in commands():
        write(file, tmp_path)
        assert (tmp_path / file).read_bytes() == (FOLDER / file).read_bytes(), file


def test_the_page_of_choices_links_each_metric_to_its_own_page() -> None:
    """A spec that cannot be read, or an alias of another metric, would send a reader astray."""
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.catalog.specs import parse_measure, parse_table

    known = catalog()
    found = SPEC_LINK.findall((ROOT / "docs/howto/which-metric.md").read_text("utf-8"))
    assert len({spec for spec, *_ in found}) > 50
    for spec, family, page in found:
        is_table = (family, page) in known.tables
        meant = (parse_table if is_table else parse_measure)(known, f"{family}.{spec}")
        assert (meant.metric.family, meant.metric.name) == (family, page), spec


def test_twenty_questions_are_answered() -> None:
    page = (ROOT / "docs/howto/twenty-questions.md").read_text("utf-8")
    assert re.findall(r"^\*\*(\d+)\. ", page, re.MULTILINE) == [str(number) for number in range(1, 21)]


def test_the_page_of_spark_lists_what_it_lacks() -> None:
    """The table is as the code says; else, write it again: python docs/pages/spark.py."""
    from pages.spark import BEGIN, PAGE, lacking, with_table

    page = PAGE.read_text("utf-8")
    assert f"{BEGIN}\n{lacking()}" in page
    assert with_table(page) == page
    assert "`calibration_slope`" in lacking()
