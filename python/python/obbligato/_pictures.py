"""Pictures of scenes."""

from __future__ import annotations

import os
from dataclasses import dataclass

from obbligato import _native
from obbligato._errors import FileError
from obbligato._files import path_of


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture of a scene, from `render`. As the last value of a cell, notebooks show it."""

    png: bytes
    """The picture as a PNG file."""
    width: int
    """The number of pixels in a row."""
    height: int
    """The number of rows."""
    free: int
    """The number of bodies that share no point with another: grey."""
    touching: int
    """The number of bodies that touch others and overlap none: blue. 0 for triangles."""
    overlapping: int
    """The number of bodies that overlap others, and of triangles that collide: vermillion."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture as a file, .png, whole or not at all. Errors are a `FileError`.

        >>> import obbligato, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "crowd.png"
        >>> obbligato.render(obbligato.scene("crowd", 100), size=(160, 90)).save(path)
        >>> path.read_bytes()[1:4]
        b'PNG'
        """
        given = path_of(path)
        if given.suffix.lower() != ".png":
            raise FileError(f"{given}: has an extension other than .png: name it .png", "File")
        _native.write_bytes(given, self.png)

    def _repr_png_(self) -> bytes:
        """For notebooks."""
        return self.png

    def __repr__(self) -> str:
        return (
            f"<Picture: {self.width} x {self.height}, {self.free} free, {self.touching} touching, {self.overlapping} overlapping>"
        )
