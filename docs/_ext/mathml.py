"""Formulas as MathML, made by docutils at build time: the pages need no script and no font of another host.

A formula that docutils cannot read is a warning, and ends a strict build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

_LOG = logging.getLogger(__name__)


def _mathml(node: Element, as_block: bool) -> str:
    tex: str = node.astext()
    if tex.count("{") != tex.count("}"):  # which docutils does not notice
        _LOG.warning("formula with unbalanced braces: %s", tex, location=node)
    try:
        markup: str = latex2mathml.tex2mathml(tex, as_block=as_block)
    except MathError as error:
        _LOG.warning("formula that cannot be read: %s: %s", error, tex, location=node)
        return ""
    return markup


def _inline(translator: HTML5Translator, node: Element) -> None:
    translator.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _display(translator: HTML5Translator, node: Element) -> None:
    # It can be scrolled on a phone, and so must be reachable by keyboard.
    translator.body.append(f'<div class="math" tabindex="0">{_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
