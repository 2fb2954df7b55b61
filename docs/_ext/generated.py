"""Write the generated pages before Sphinx looks for pages, and the report that pages show after the build."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pages import report
from pages.write import StaleNumbersError, write
from sphinx.errors import ExtensionError

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def _write(app: Sphinx) -> None:
    try:
        write(Path(app.srcdir))
    except StaleNumbersError as error:
        raise ExtensionError(str(error)) from error


def _report(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        report.write(Path(app.outdir) / "_static/report.html")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("builder-inited", _write)
    app.connect("build-finished", _report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
