"""A drawing as SVG, put together shape by shape: for charts.py and drawings.py.

Text is dark on white and at least 12 pixels high, colors are those of the other figures and can be told apart without seeing red or
green, and every drawing has a title for those who cannot see it.
"""

from __future__ import annotations

from html import escape

INK, SOFT, FAINT = "#222222", "#5a5a5a", "#d9d9d9"
BLUE, ORANGE, GREEN, PINK, GRAY = "#0072b2", "#d55e00", "#009e73", "#b85c93", "#8a8a8a"


class Drawing:
    """Shapes on a white sheet. Places are pixels from the upper left corner."""

    def __init__(self, width: int, height: int, title: str) -> None:
        font = "font-family=\"'DejaVu Sans', system-ui, sans-serif\" font-size=\"13\""
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" {font} fill="{INK}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def text(self, x: float, y: float, words: str, *, color: str = INK, size: int = 13, bold: bool = False, anchor: str = "start") -> None:
        """Words that begin, end or have their middle at x, by the anchor, and stand on y."""
        weight = ' font-weight="600"' if bold else ""
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
        self.lines.append(f'<text {place} fill="{color}"{weight}>{escape(words)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, *, color: str = SOFT, width: float = 1.5, dashed: bool = False) -> None:
        """A straight line."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self.lines.append(f'<line {place} stroke="{color}" stroke-width="{width}"{dash}/>')

    def circle(self, x: float, y: float, radius: float, *, fill: str = "none", color: str = "none", dashed: bool = False) -> None:
        """A circle, filled, drawn or both."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
        self.lines.append(f'<circle {place} fill="{fill}" stroke="{color}" stroke-width="1.5"{dash}/>')

    def box(self, x: float, y: float, width: float, height: float, *, fill: str = "none", color: str = "none", round_by: float = 0) -> None:
        """A rectangle, filled, drawn or both."""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_by:g}"'
        self.lines.append(f'<rect {place} fill="{fill}" stroke="{color}" stroke-width="1.5"/>')

    def item(self, x: float, y: float, *, color: str = GRAY) -> None:
        """An item."""
        self.circle(x, y, 4, fill=color)

    def center(self, x: float, y: float, *, color: str = ORANGE, hollow: bool = False) -> None:
        """A center: a square, so that it is told from an item without its color."""
        self.box(x - 7, y - 7, 14, 14, fill="#ffffff" if hollow else color, color=color)

    def svg(self) -> str:
        """The whole drawing."""
        return "\n".join([*self.lines, "</svg>", ""])
