"""Pictures: their pixels, the counts of bodies of each colour, animations, and glTF files."""

import io
import json
import struct

import numpy
import pytest
from conftest import cubes, row
from PIL import Image

import obbligato

# The camera looks along y, so that x is to the right and z up.
FRONT = {"camera": (0, -40, 0), "target": (0, 0, 0), "size": (300, 200)}
FAR = numpy.array([4_500_000, 5_000_000, 0.0])


def opened(png):
    image = Image.open(io.BytesIO(png))
    assert (image.format, image.mode) == ("PNG", "RGB")
    return image


def pixels(png):
    """The pixels of a PNG file, (height, width, 3)."""
    return numpy.asarray(opened(png)).astype(int)


def hue(colour):
    """The word for a colour."""
    red, green, blue = (int(part) for part in colour)
    if red > blue + 40:
        return "vermillion"
    return "blue" if blue > red + 40 else "grey"


def place(x, z):
    """The row and the column of a point in the plane y = 0: the field of view is 30 degrees, the camera 40 away."""
    width, height = FRONT["size"]
    scale = height / 2 / (40 * numpy.tan(numpy.radians(15)))
    return round(height / 2 - z * scale), round(width / 2 + x * scale)


def at(picture, x, z):
    return pixels(picture.png)[place(x, z)]


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


def test_x2_centers_in_float64():
    # The smallest step of float32 is half a metre there.
    near = cubes((-8, 0, 3), (-7, 0, 3), (0, 0, 3), (6, 0, 3), (8, 0, 3)).astype(float)
    near[:, :6] /= 64
    far = near.copy()
    far[:, :3] += FAR
    eye = numpy.array(FRONT["camera"]) / 64
    pictures = [
        obbligato.render(boxes, camera=origin + eye, target=origin, size=FRONT["size"])
        for boxes, origin in ((near.astype(numpy.float32), 0 * FAR), (near, 0 * FAR), (far, FAR))
    ]
    for picture in pictures:
        assert (picture.free, picture.touching, picture.overlapping) == (1, 2, 2)
        assert [hue(at(picture, x, 3)) for x in (-8, 0, 6, 8)] == ["vermillion", "grey", "blue", "blue"]
        assert (pixels(picture.png) != pixels(pictures[0].png)).mean() < 0.01
    assert obbligato.render(far, size=FRONT["size"]).overlapping == 2


def test_x2_contacts_are_arrows():
    boxes = row(-1, 0.5)
    plain, shown = (pixels(obbligato.render(boxes, contacts=given, **FRONT).png) for given in (False, True))
    differ = (plain != shown).any(axis=2)
    # Four points in the middle of what the boxes share, at its corners, with the normal along x; of a pair that only is near, none.
    tall, wide = zip(*(place(x, z) for x, z in ((-0.6, 1.4), (1.5, -1.4))))
    assert differ[tall[0] : tall[1], wide[0] : wide[1]].sum() == differ.sum() > 20
    for z in (1, -1):
        line, first = place(-0.25, z)
        assert differ[line - 3 : line + 4, first : first + 8].any()
    apart = row(-2, 1)
    assert obbligato.render(apart, contacts=True, **FRONT).png == obbligato.render(apart, **FRONT).png
    # In space that repeats, with an image.
    periodic = {"period": [10, None, None], **FRONT}
    ends = row(-4, 4.5)
    assert obbligato.render(ends, contacts=True, **periodic).png != obbligato.render(ends, **periodic).png
    double = ends.astype(float)
    assert obbligato.render(double, contacts=True, **periodic).png == obbligato.render(ends, contacts=True, **periodic).png


def test_x2_motions_leave_ghosts():
    # One ball goes through a plate, below it one passes nothing, and a third is at rest.
    balls = [[-8, 0, 3, 0.5], [-8, 0, -3, 0.5], [-8, 0, 0, 0.5]]
    scene = obbligato.Bodies(cubes((0.5, 0, 3), half=0.25), spheres=balls)
    motions = [[0, 0, 0], [4, 0, 0], [4, 0, 0], [0, 0, 0]]
    still, moving = obbligato.render(scene, **FRONT), obbligato.render(scene, motions=motions, dt=3, **FRONT)
    assert (moving.free, moving.touching, moving.overlapping) == (4, 0, 0)
    differ = (pixels(still.png) != pixels(moving.png)).any(axis=2)
    for time in (0.75, 1.5, 2.25, 3):
        x = -8 + 4 * time
        assert differ[place(x, 3)] and differ[place(x, -3)] and not differ[place(x, 0)]
        redness = [int(red) - int(blue) for red, _, blue in (at(moving, x, z) for z in (3, -3))]
        assert redness[0] > redness[1] + 10
    assert not differ[place(-6.5, 3)]


def parsed(file):
    """The JSON of a binary glTF file."""
    magic, version, length, size, kind = struct.unpack_from("<4sII I4s", file)
    assert (magic, version, length, kind) == (b"glTF", 2, len(file), b"JSON")
    return json.loads(file[20 : 20 + size])


def colours(file):
    """The names of the materials that are used, and the number of triangles of each."""
    document = parsed(file)
    names = [material["name"] for material in document.get("materials", [])]
    parts = [part for mesh in document.get("meshes", []) for part in mesh["primitives"]]
    return {names[part["material"]]: document["accessors"][part["indices"]]["count"] // 3 for part in parts}


def test_x2_scenes_as_gltf(tmp_path):
    boxes = cubes((-8, 0, 3), (-7, 0, 3), (0, 0, 3), (6, 0, 3), (8, 0, 3))
    file = obbligato.glb(boxes)
    assert colours(file) == {"free": 12, "touching": 24, "overlapping": 24}
    assert colours(obbligato.glb(boxes, owners=[0] * 5)) == {"free": 60}
    assert colours(obbligato.glb(boxes, motions=[[0, 0, 1]] + [[0, 0, 0]] * 4, dt=1)) == {
        **{"free": 12, "touching": 24, "overlapping": 24},
        "overlapping ghost": 48,
    }
    crossing = [[[0, 0, 0], [2, 0, 0], [0, 2, 0]], [[0.5, 0.5, -1], [0.5, 0.5, 1], [9, 9, 0]], [[9, 0, 0], [9, 1, 0], [9, 0, 1]]]
    assert colours(obbligato.glb(obbligato.Triangles(crossing))) == {"free": 1, "overlapping": 2}
    assert colours(obbligato.glb([])) == {}
    # y is up there.
    (tmp_path / "scene.glb").write_bytes(file)
    corners = obbligato.read(tmp_path / "scene.glb").corners.reshape(-1, 3)
    assert numpy.allclose([corners.min(axis=0), corners.max(axis=0)], [[-9, 2, -1], [9, 4, 1]])
    # Far from the origin only the place of the whole scene differs, in float64.
    far = boxes.astype(float)
    far[:, :3] += FAR
    moved = parsed(obbligato.glb(far))
    assert [node.pop("translation", None) for node in moved["nodes"]] == [None, [4_500_000, 5_000_000, 3]]
    near = parsed(file)
    assert [node.pop("translation", None) for node in near["nodes"]] == [None, [0, 0, 3]]
    assert moved == near


def test_x2_animations():
    frames = [obbligato.Spheres([[0, 0, 0, 1], [x, 0, 0, 1]]) for x in (3, 2, 1)]
    frames.append(obbligato.BoxSet(row(0, 1), owners=[0, 0]))
    shown = obbligato.animation((frame for frame in frames), milliseconds=40, **FRONT)
    assert (shown.width, shown.height, shown.free, shown.touching, shown.overlapping) == (300, 200, 4, 2, 2)
    image = opened(shown.png)
    assert (image.n_frames, image.info["loop"]) == (4, 0)
    hues = []
    for number in range(4):
        image.seek(number)
        assert image.info["duration"] == 40
        hues.append(hue(numpy.asarray(image.convert("RGB")).astype(int)[place(-0.5, 0)]))
    assert hues == ["grey", "blue", "vermillion", "grey"]
    # Without a camera, every frame is in the picture.
    assert opened(obbligato.animation(frames, size=(64, 36)).png).n_frames == 4
    moving = [row(0, 1.5).astype(float) + numpy.array([*FAR, *[0] * 7]) for _ in range(2)]
    assert obbligato.animation(moving, contacts=True, size=(64, 36)).overlapping == 4


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
