"""Pictures that the command drew."""

from __future__ import annotations

import shutil
import webbrowser
from pathlib import Path
from typing import Any, Optional


class Picture:
    """A picture, which a notebook shows. `svg` is its text, `path` its file."""

    def __init__(self, path: Path, keep: Any = None) -> None:
        self.path = path
        self._keep = keep  # the temporary directory is there as long as the picture is

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return self.path.read_text(encoding="utf-8")

    @property
    def png(self) -> Optional[bytes]:
        """The picture as PNG at twice the screen's resolution, if there is one."""
        path = self.path.with_suffix(".png")
        return path.read_bytes() if path.exists() else None

    def save(self, path: Any) -> None:
        """Writes the picture to a file, whose name ends in .svg or .png."""
        path = Path(path)
        source = self.path.with_suffix(path.suffix)
        if path.suffix not in (".svg", ".png") or not source.exists():
            raise ValueError(f"{path}: this picture is saved as .svg"
                             + (" or .png" if self.png is not None else "")
                             + "; run(…, picture='FILE.pdf') draws PDF")
        shutil.copyfile(source, path)

    def show(self) -> None:
        """Opens the picture in a browser, from outside a notebook."""
        webbrowser.open(self.path.resolve().as_uri())

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<picture {self.path}>"
