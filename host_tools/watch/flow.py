"""Pieces of text side by side, as many to a line as there is room for."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

INDENT = "  "


def padded(text: str, cells: int) -> str:
    """`text` with blanks behind it up to so many cells; a Chinese character takes two."""
    return text + " " * (cells - cell_len(text))


class Flow:
    """Pieces with `gap` cells between them; a line breaks between pieces, and within one only if it is too long for a
    line of its own. Lines after the first are indented."""

    def __init__(self, pieces: Sequence[Text], gap: int = 1) -> None:
        self.pieces, self._gap = pieces, gap

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line = Text()
        for piece in self.pieces:
            if line.cell_len and line.cell_len + self._gap + piece.cell_len > options.max_width:
                yield line
                line = Text(INDENT)
            elif line.cell_len:
                line.append(" " * self._gap)
            line.append_text(piece)
        yield line
