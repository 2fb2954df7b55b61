"""The pages of the checks of data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.api.catalogue import RUN_BY, SEVERITIES, TESTS, family_of
from duckmetrics.catalog.header import body
from pages.markdown import facts, fenced, front, sentence

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

FAMILIES = {
    "ranking": "rankings",
    "classification": "rows with a label",
    "counts": "counts",
    "statistics": "tests",
}


def path(check: Definition) -> str:
    return f"checks/{family_of(check)}-{check.name.replace('_', '-')}"


def page(check: Definition) -> str:
    """Write the page of a check from its header."""
    header = check.header
    severity = header["severity"]
    file = f"sql/{'/'.join(check.path.parts[-3:])}"
    folder = check.path.parts[-3]
    run_by = RUN_BY[folder] if family_of(check) in ("ranking", "classification") else TESTS
    title = header["title"].replace("*", "\\*")
    lines = [
        *front(f"`{check.reported}`: {title}", f"A check of {FAMILIES[family_of(check)]}: {header['title']}."),
        f"This check finds {title}.", "",
        *facts({
            "Severity": f"{severity}: {SEVERITIES[severity]}",
            "Why": sentence(header["why"]) if header.get("why") else "",
            "What to do": sentence(header["advice"]) if header.get("advice") else "",
            "Settled by": f"`{header['settles']}`" if "settles" in header else "",
            "It looks at": f"`{header['column']}`" if "column" in header else "",
            "For": f"`{header['for']}`" if "for" in header else "",
            "Run by": f"{run_by}",
        }),
        "## The SQL", "",
        f"`{file}`. Its rows are the offenders: a finding counts them and shows examples.", "",
        "<!-- not run: it reads the tables of other files -->", *fenced("sql", body(check.text).strip()), "",
    ]  # fmt: skip
    return "\n".join(lines)
