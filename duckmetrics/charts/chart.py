"""A chart: a title that says what is seen, a description, a drawing, and the aggregated numbers behind it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from duckmetrics.charts.documents import WRITTEN_BY, document, title_height
from duckmetrics.charts.figures import Ids
from duckmetrics.charts.marks import text_of
from duckmetrics.charts.style import style
from duckmetrics.errors import InputError
from duckmetrics.expressions.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from duckmetrics.charts.documents import Block

    Write = Callable[[Path, str, str], None]

# The formats of a picture, by the suffix of the file.
FORMATS = {".svg": "svg", ".html": "html"}
_PAGE = (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)
# The style of a page that holds one chart alone.
_BODY = (
    "body.dm{margin:0 auto;max-width:1080px;padding:16px;background:var(--paper);color:var(--ink);"
    'font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}'
)


class Drawing(Protocol):
    """Draws the shapes of a chart, with a title and a description that it is given."""

    @property
    def width(self) -> int:
        """The width of a standalone picture."""
        ...

    def html(self, ids: Ids, title: str, said: str) -> str:
        """Return a fragment of HTML that fills any width."""
        ...

    def standalone(self, top: float) -> Block:
        """Return the shapes of a picture of a fixed width, which begin at `top`."""
        ...


@dataclass(frozen=True, repr=False)
class Chart:
    """A picture of aggregated numbers, as SVG or HTML.

    Attributes:
        title: what is seen, with numbers.
        description: the numbers in words, for those who cannot see the picture.
        data: the numbers that are drawn, as an Arrow table; take them to draw the chart in another way.
    """

    title: str
    description: str
    data: pa.Table
    drawing: Drawing = field(repr=False)
    _write: Write | None = field(default=None, repr=False)

    def svg(self) -> str:
        """Return an SVG document of a fixed size, with its own style for light and dark screens.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            chart = duckmetrics.evaluate(clicks, metrics="auc").chart("roc_curve")
            chart.svg()[:4]  # '<svg'
        """
        width = self.drawing.width
        top = title_height(self.title, width)
        return document(self.title, self.description, width, self.drawing.standalone(top), top)

    def html(self, with_style: bool = True) -> str:
        """Return a fragment of HTML that fills any width and follows the colors of the screen.

        Several fragments can stand in one page.

        Args:
            with_style: whether the fragment brings its style along; a page needs it once.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            chart = duckmetrics.evaluate(clicks, metrics="auc").chart("roc_curve")
            chart.html()[:16]  # '<div class="dm">'
        """
        plain = self.drawing.html(Ids(), self.title, self.description)
        # Another chart on the page has other ids, and the same chart the same ids in every run.
        prefix = f"dm{sha256(plain.encode()).hexdigest()[:8]}-"
        own = self.drawing.html(Ids(prefix), self.title, self.description)
        css = f"<style>{style()}</style>" if with_style else ""
        return f'<div class="dm">{css}{own}</div>'

    def page(self) -> str:
        """Return a whole page of HTML that loads nothing."""
        fragment = self.drawing.html(Ids(), self.title, self.description)
        return (
            f'{WRITTEN_BY}<!doctype html><html lang="en"><head>{_PAGE}<title>{text_of(self.title)}</title>'
            f'<style>{style()}{_BODY}</style></head><body class="dm">{fragment}</body></html>\n'
        )

    def save(self, path: str | Path) -> None:
        """Write the picture to a file: SVG or a page of HTML, as the suffix says.

        Raises:
            InputError: the suffix is another one, or the file exists and is not an output of duckmetrics.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            chart = duckmetrics.evaluate(clicks, metrics="auc").chart("roc_curve")
            chart.save(folder / "roc.svg")
        """
        file = Path(path)
        format_ = format_of_picture(file)
        text = self.page() if format_ == "html" else self.svg()
        if self._write is not None:
            self._write(file, format_, text)
            return
        try:
            with file.open("x", encoding="utf-8", newline="\n") as new:
                new.write(text)
        except FileExistsError:
            raise InputError(file, "exists already", "choose another name") from None

    def __repr__(self) -> str:
        return visible(self.title)

    def _repr_html_(self) -> str:
        return self.image()

    def image(self) -> str:
        """Return the picture as an image in HTML: an untrusted notebook removes inline SVG and styles."""
        encoded = b64encode(self.svg().encode()).decode()
        alt = text_of(f"{self.title}. {self.description}")
        return f'<img src="data:image/svg+xml;base64,{encoded}" alt="{alt}" style="max-width:100%">'


def format_of_picture(path: Path) -> str:
    """Return the format of a file that a picture goes to: ``svg`` or ``html``.

    Raises:
        InputError: the suffix is another one.
    """
    format_ = FORMATS.get(path.suffix.lower())
    if format_ is None:
        name = path.stem or "chart"
        raise InputError(
            path,
            "a chart is written as SVG or HTML",
            f"call it {name}.svg or {name}.html; a browser or Inkscape converts SVG to PNG",
        )
    return format_
