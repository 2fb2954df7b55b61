"""After the build: a Markdown copy next to each page, and llms.txt, which lists them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# What only this site understands, and its plain form.
_PLAIN = [
    (re.compile(r"\A---\n.*?\n---\n", re.DOTALL), ""),
    (re.compile(r"```\{(raw|toctree|include|try-page)\}.*?```\n?", re.DOTALL), ""),
    (re.compile(r"^<!-- .* -->\n", re.MULTILINE), ""),
    (re.compile(r"^:::+\{(?:tab-item|dropdown|grid-item-card)\} (.*)$", re.MULTILINE), r"**\1**"),
    (re.compile(r"^:::+.*\n", re.MULTILINE), ""),
    (re.compile(r"^:[\w-]+:.*\n", re.MULTILINE), ""),
    (re.compile(r"^\([\w-]+\)=\n", re.MULTILINE), ""),
    (re.compile(r"^```\{div\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL), r"\1"),
    (re.compile(r"^```+\{py:\w+\} (.*)$", re.MULTILINE), r"`\1`"),
    (re.compile(r"\{py:obj\}`([\w.]+) <.*?>`"), r"`\1`"),
    (re.compile(r"\]\((.*?)\)\{\.\w+\}"), r"](\1)"),
    (re.compile(r"&lt;"), "<"),
    (re.compile(r"\n{3,}"), "\n\n"),
]
_FACTS = re.compile(r"```\{list-table\}\n+(.*?)```", re.DOTALL)
_FACT = re.compile(r"^\* - (.*)\n  - (.*)$", re.MULTILINE)


def plain(text: str) -> str:
    """Return a page as Markdown that any reader understands."""
    text = _FACTS.sub(lambda facts: _FACT.sub(r"- **\1**: \2", facts[1]), text)
    for pattern, replacement in _PLAIN:
        text = pattern.sub(replacement, text)
    return text.strip() + "\n"


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    lines = [f"# {app.config.project}", "", f"> {app.config.copies_summary}", ""]
    for name in sorted(app.env.found_docs):
        copy = out / f"{name}.md"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(plain(Path(app.env.doc2path(name)).read_text("utf-8")), "utf-8")
        lines.append(f"- [{app.env.titles[name].astext()}]({app.config.html_baseurl}{name}.md)")
    (out / "llms.txt").write_text("\n".join(lines) + "\n", "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension and its setting."""
    app.add_config_value("copies_summary", "", "env")
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
