"""Pictures: their pixels, read by a decoder of the standard library's zlib, and the counts of bodies of each colour."""

import struct
import zlib

import numpy
import pytest
from conftest import cubes, row

import obbligato

# The camera looks along y, so that x is to the right and z up.
FRONT = {"camera": (0, -40, 0), "target": (0, 0, 0), "size": (300, 200)}


def pixels(png):
    """The pixels of a PNG file of 8-bit RGB without interlacing, (height, width, 3)."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, data, size = 8, b"", (0, 0)
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        chunk = png[place + 8 : place + 8 + length]
        assert zlib.crc32(kind + chunk) == struct.unpack(">I", png[place + 8 + length : place + 12 + length])[0]
        if kind == b"IHDR":
            *size, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert (depth, colours, interlaced) == (8, 2, 0)
        data += chunk if kind == b"IDAT" else b""
        place += 12 + length
    width, height = size
    lines = numpy.frombuffer(zlib.decompress(data), numpy.uint8).reshape(height, 1 + 3 * width)
    rows = numpy.zeros((height + 1, width + 1, 3), int)
    for y, (rule, *line) in enumerate(lines.tolist()):
        raw = numpy.array(line).reshape(width, 3)
        for x in range(width):
            left, above, corner = rows[y + 1, x], rows[y, x + 1], rows[y, x]
            rows[y + 1, x + 1] = (raw[x] + predicted(rule, left, above, corner)) % 256
    return rows[1:, 1:]


def predicted(rule, left, above, corner):
    """What a filter of PNG expects of a pixel."""
    if rule < 4:
        return (0, left, above, (left + above) // 2)[rule]
    near = [abs(left + above - corner - one) for one in (left, above, corner)]
    return numpy.where((near[0] <= near[1]) & (near[0] <= near[2]), left, numpy.where(near[1] <= near[2], above, corner))


def hue(colour):
    """The word for a colour."""
    red, green, blue = (int(part) for part in colour)
    if red > blue + 40:
        return "vermillion"
    return "blue" if blue > red + 40 else "grey"


def at(picture, x, z):
    """The colour in the plane y = 0: the field of view is 30 degrees, the camera 40 away."""
    scale = picture.height / 2 / (40 * numpy.tan(numpy.radians(15)))
    return pixels(picture.png)[round(picture.height / 2 - z * scale), round(picture.width / 2 + x * scale)]


def test_x2_colours_of_boxes():
    # Overlapping, free, and touching.
    boxes = cubes((-8, 0, 3), (-7, 0, 3), (0, 0, 3), (6, 0, 3), (8, 0, 3))
    picture = obbligato.render(boxes, **FRONT)
    assert (picture.width, picture.height) == (300, 200)
    assert (picture.free, picture.touching, picture.overlapping) == (1, 2, 2)
    shown = pixels(picture.png)
    assert shown.shape == (200, 300, 3)
    assert [hue(at(picture, x, 3)) for x in (-8, 0, 6, 8)] == ["vermillion", "grey", "blue", "blue"]
    background = at(picture, 0, 8)
    assert (at(picture, 3, 3) == background).all() and (at(picture, 0, 3) != background).any()


def test_x2_the_camera_sees_everything_unless_it_is_placed():
    boxes = cubes((500, 500, 500), (501.5, 500, 500), (503, 500, 500))
    where = {"size": (320, 180), "camera": (501.5, 480, 500)}

    def hues(**options):
        """The hues in a row through the middle, right of the legend."""
        return {hue(colour) for colour in pixels(obbligato.render(boxes, **options).png)[90, 140:]}

    # By itself it looks at the middle of everything, from anywhere.
    assert "vermillion" in hues(size=(320, 180)) and "vermillion" in hues(**where)
    assert "vermillion" in hues(**where, target=(501.5, 900, 500))
    assert hues(**where, target=(501.5, 0, 500)) == {"grey"}


def test_x2_all_shapes_rules_and_spaces():
    def counts(*given, **options):
        picture = obbligato.render(*given, size=(64, 36), **options)
        return [picture.free, picture.touching, picture.overlapping]

    boxes = row(0, 1, 9)
    assert counts(boxes) == [1, 0, 2]
    assert counts(boxes, owners=[0, 0, 1]) == [3, 0, 0]
    assert counts(obbligato.BoxSet(boxes, active=[False, False, True])) == [3, 0, 0]
    assert counts(boxes, period=[10, None, None]) == [0, 0, 3]
    mixed = obbligato.Bodies(boxes, [[0, 0, 5, 1, 0, 0, 0, 1, 1]], [[0, 0, 8, 1], [0, 0, 20, 1]])
    assert counts(mixed) == [2, 2, 2]
    flat = obbligato.Bodies.in_plane(rectangles=[[0, 0, 2, 1, 0.5]], disks=[[2, 1, 0.5]])
    assert counts(flat, in_plane=True) == [0, 0, 2]
    walls = obbligato.Uprights([[0, 0, 4, 0, 4, 0.2, 0, 0.2, 0, 3], [2, 0, 2.2, 0, 2.2, 4, 2, 4, 0, 3]])
    assert counts(walls) == [0, 0, 2]
    square = obbligato.Triangles.of([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    assert counts(square) == [2, 0, 0]
    crossing = [[[0, 0, 0], [2, 0, 0], [0, 2, 0]], [[0.5, 0.5, -1], [0.5, 0.5, 1], [9, 9, 0]]]
    assert counts(obbligato.Triangles(crossing)) == [0, 0, 2]
    assert counts([]) == [0, 0, 0]


def test_x2_counts_are_those_of_a_check(crowd):
    picture = obbligato.render(crowd, size=(64, 36))
    report = obbligato.check(crowd, backend="cpu", list_touching=True)
    touching = {tuple(pair) for pair in report.touching.tolist()}
    overlapping = {body for pair in report.pairs.tolist() if tuple(pair) not in touching for body in pair}
    assert picture.overlapping == len(overlapping) > 0
    assert picture.touching == report.marks().sum() - len(overlapping)
    assert picture.free == len(crowd) - report.marks().sum()


def test_notebooks_show_it_and_files_hold_it(tmp_path):
    picture = obbligato.render(row(0, 1), size=(64, 36))
    assert picture._repr_png_() == picture.png
    for path in (tmp_path / "a.png", str(tmp_path / "b.PNG")):
        picture.save(path)
        picture.save(path)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.PNG").read_bytes() == picture.png
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.png", "b.PNG"]
    assert obbligato.render(row(0, 1), size=(64, 36)).png == picture.png
    with pytest.raises(obbligato.FileError, match="name it .png"):
        picture.save(tmp_path / "a.jpg")
    with pytest.raises(obbligato.FileError, match="create the folder first"):
        picture.save(tmp_path / "none" / "a.png")
