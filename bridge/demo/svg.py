"""Writes a picture as SVG."""

from __future__ import annotations

from html import escape

from bridge.demo.picture import Picture
from bridge.demo.shapes import Shape

__all__ = ["SVG_END", "svg_shape", "svg_start"]


def svg_start(picture: Picture, scale: int) -> bytes:
    """Return what comes before the shapes."""
    width, height = picture.width, picture.height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale}" '
        f'height="{height * scale}" viewBox="0 0 {width} {height}">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
    ).encode()


SVG_END = b"</svg>\n"


def svg_shape(shape: Shape) -> bytes:
    """Return one element, as a line."""
    stroke = f'stroke="{shape.stroke or "none"}" stroke-width="{shape.stroke_width}"'
    paint = f'fill="{shape.fill or "none"}" {stroke}'
    match shape.kind:
        case "rectangle":
            size = f'width="{shape.width}" height="{shape.height}"'
            element = f'<rect x="{shape.x}" y="{shape.y}" {size} {paint}/>'
        case "ellipse":
            rx, ry = shape.width / 2, shape.height / 2
            element = (
                f'<ellipse cx="{shape.x + rx:g}" cy="{shape.y + ry:g}" rx="{rx:g}" ry="{ry:g}" '
                f"{paint}/>"
            )
        case "line":
            ends = f'x1="{shape.x}" y1="{shape.y}" x2="{shape.x2}" y2="{shape.y2}"'
            element = f"<line {ends} {stroke}/>"
        case "path":
            points = " ".join(f"{x},{y}" for x, y in shape.points)
            name = "polygon" if shape.closed else "polyline"
            fill = shape.fill if shape.closed else None
            paint = f'fill="{fill or "none"}" fill-rule="evenodd" {stroke}'
            element = f'<{name} points="{points}" {paint}/>'
        case "text":
            # Two characters that a drawing's text may hold and XML may not.
            text = escape(shape.text.translate({0xFFFE: None, 0xFFFF: None}))
            # Its place is the upper left corner; the letters stand on a line below.
            element = (
                f'<text x="{shape.x}" y="{shape.y + shape.size}" font-family="sans-serif" '
                f'font-size="{shape.size}" fill="{shape.fill or "#000000"}">'
                f"{text}</text>"
            )
    return f"{element}\n".encode()
