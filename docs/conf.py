"""Settings of the documentation; ``sphinx-build -W docs docs/_build/html`` builds it."""

import sys
from pathlib import Path

from duckmetrics import __version__

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "_ext")]

project = "duckmetrics"
author = "the authors of duckmetrics"
copyright = "the authors of duckmetrics, Apache-2.0"  # noqa: A001, the name that Sphinx reads
release = __version__

extensions = [
    "myst_parser", "sphinx_design", "sphinx_copybutton", "generated", "lexer", "mathml", "copies", "try_page",
]  # fmt: skip
exclude_patterns = ["_build", "try", "pages", "_ext", "home-bars.md"]
source_suffix = {".md": "markdown"}

# With --fail-on-warning, a broken link, anchor, image or an orphan page ends the build.
nitpicky = True
smartquotes = False  # they would turn --option into a dash
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "attrs_inline", "attrs_block", "fieldlist"]
myst_heading_anchors = 3  # without it, links to headings cannot be checked
myst_dmath_double_inline = True
html_math_renderer = "mathml"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
# No button on output.
copybutton_selector = "div:not(.highlight-text):not(.highlight-console) > div.highlight > pre"

html_title = "duckmetrics"
html_baseurl = ""
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["custom.css"]
html_search_scorer = str(HERE / "_ext/scorer.js")
html_show_search_summary = False  # the summary needs a server, and the pages also work from a folder
html_copy_source = False  # the Markdown copies replace it
html_show_sourcelink = False
copies_summary = (
    "Evaluation metrics of recommenders, search ranking and CTR models, "
    "as SQL that DuckDB runs where the data are."
)

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "show_toc_level": 1,
    "navigation_with_keys": False,
    "navbar_persistent": ["search-button"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"index": [], "**": ["page-toc", "markdown-copy"]},
    "back_to_top_button": False,
}
html_sidebars = {"index": []}
