"""The pages of the checks of data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.api.catalogue import RUN_BY, SEVERITIES, TESTS, family_of
from pages.definition_parts import sql_section
from pages.markdown import facts, front, paragraphs, sentence

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

FAMILIES = {
    "ranking": "rankings",
    "classification": "rows with a label",
    "counts": "counts",
    "statistics": "tests",
}

SEE_ALSO = (
    "[Check the data before you trust a number](../howto/check-data.md) shows how to run the checks "
    "and how to read their findings."
)


def path(check: Definition) -> str:
    return f"checks/{family_of(check)}-{check.name.replace('_', '-')}"


def page(check: Definition) -> str:
    """Write the page of a check from its header."""
    title = check.header["title"].replace("*", "\\*")
    description = f"A check of {FAMILIES[family_of(check)]}: {check.header['title']}."
    file = f"sql/{'/'.join(check.path.parts[-3:])}"
    text = f"`{file}`. Its rows are the offenders: a finding counts them and shows examples."
    lines = [
        *front(f"`{check.reported}`", description),
        *paragraphs(f"This check finds {title}."),
        *facts(_facts(check)),
        *paragraphs(SEE_ALSO),
        *sql_section("The SQL", text, check),
    ]
    return "\n".join(lines)


def _facts(check: Definition) -> dict[str, str]:
    header, is_data = check.header, family_of(check) in ("ranking", "classification")
    severity = header["severity"]
    return {
        "Severity": f"{severity}: {SEVERITIES[severity]}",
        "Why": sentence(header.get("why", "")),
        "What to do": sentence(header.get("advice", "")),
        "Settled by": _code(header.get("settles")),
        "It looks at": _code(header.get("column")),
        "Run by": RUN_BY[check.path.parts[-3]] if is_data else TESTS,
    }


def _code(text: str | None) -> str:
    return "" if text is None else f"`{text}`"
