"""Topics of BCF: read by the package that IfcOpenShell's own tools use, and held against what is known of the building."""

import io
import json
import os
import re
import zipfile

import numpy
import pytest

Image = pytest.importorskip("PIL.Image")
ifcopenshell = pytest.importorskip("ifcopenshell", reason="ifcopenshell is not installed: pip install 'obbligato[ifc]'")

import building  # noqa: E402
from building import CELLS, Building, expected  # noqa: E402

import obbligato  # noqa: E402
import obbligato.ifc  # noqa: E402
from obbligato.ifc import Rules, __main__ as program  # noqa: E402

CLEARANCE = 0.15001
PRIORITIES = {"touch": "Low", "near": "Low", "duplicate": "High", "pierce": "High", "contain": "High", "overlap": "High"}
ORANGE, BLUE = "D55E00", "0072B2"


@pytest.fixture(scope="module")
def built():
    return Building()


@pytest.fixture(scope="module")
def path(built, tmp_path_factory):
    file = tmp_path_factory.mktemp("bcf") / "building.ifc"
    built.file.write(str(file))
    return file


def some():
    """A building with few clashes, because the picture of each takes a tenth of a second."""
    return Building(only=lambda kind: kind in ("IfcWall", "IfcPipeSegment"))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    file = tmp_path_factory.mktemp("bcf") / "small.ifc"
    some().file.write(str(file))
    return file


@pytest.fixture(scope="module")
def archive(path, tmp_path_factory):
    """An archive of all clashes, and the counts of the run that wrote it."""
    folder = tmp_path_factory.mktemp("archive")
    return folder / "clashes.bcf", run(path, folder / "clashes.bcf", "--clearance", str(CLEARANCE))


def run(model, out, *words):
    report = out.with_suffix(".json")
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = "1767225600"
    try:
        assert program.main([str(model), "--bcf", str(out), "--json", str(report), *words]) == 0
    finally:
        os.environ.pop("SOURCE_DATE_EPOCH") if before is None else os.environ.update(SOURCE_DATE_EPOCH=before)
    return json.loads(report.read_text())


def files(archive):
    with zipfile.ZipFile(archive) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


def folders(all_files):
    """The files of each topic, by its folder."""
    found: dict[str, dict[str, bytes]] = {}
    for name, data in all_files.items():
        if "/" in name:
            folder, file = name.split("/")
            found.setdefault(folder, {})[file] = data
    return found


def pixels(png):
    """The pixels of a PNG, (height, width, 3)."""
    return numpy.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(float)


def share(picture, colour):
    """The share of a picture that has about the hue of a colour, whatever the light."""
    wanted = numpy.array([int(colour[k : k + 2], 16) for k in (0, 2, 4)], float)
    strong = picture - picture.min(axis=2, keepdims=True)
    wanted = wanted - wanted.min()
    length = numpy.linalg.norm(strong, axis=2) * numpy.linalg.norm(wanted)
    alike = numpy.divide((strong * wanted).sum(axis=2), length, out=numpy.zeros(length.shape), where=length > 0)
    return float(((alike > 0.97) & (numpy.linalg.norm(strong, axis=2) > 60)).mean())


def test_a5_a_topic_for_each_clash(archive, built):
    file, counts = archive
    wanted = {frozenset((built.guids[cell, a], built.guids[cell, b])): kind for (cell, a, b), (kind, *_) in expected(CLEARANCE).items()}
    assert counts["topics"] == {"new": len(wanted), "changed": 0, "unchanged": 0, "closed": 0}
    found = folders(files(file))
    assert len(found) == len(wanted)
    for folder in found.values():
        markup, view = folder["markup.bcf"].decode(), folder["viewpoint.bcfv"].decode()
        both = frozenset(re.findall(r'IfcGuid="(.{22})"', view.split("</Selection>")[0]))
        kind = wanted.pop(both)
        assert f"<Labels>{kind}</Labels>" in markup and 'TopicType="Clash"' in markup
        assert PRIORITIES[kind] in markup or "Critical" in markup or "Normal" in markup
        colour = BLUE if kind in ("touch", "near") else ORANGE
        assert colour in view
        cell = next(cell for cell, key in built.guids if built.guids[cell, key] in both)
        assert f"{cell}: " in markup.split("</Title>")[0]
        # The camera is at the clash, in metres, on the site that is far away.
        place = [float(value) for value in re.findall(r"<[XYZ]>([^<]*)</[XYZ]>", view.split("<CameraDirection>")[0])]
        assert len(place) == 3 and numpy.linalg.norm(numpy.subtract(place, building.PLACE)) < 80
        assert 0.002 < share(pixels(folder["snapshot.png"]), colour) < 0.9, cell
    assert not wanted


def test_a5_an_archive_is_updated(small, tmp_path):
    out = tmp_path / "clashes.bcf"
    first = run(small, out)["topics"]["new"]
    assert first >= 5
    before = files(out)
    again = run(small, out)["topics"]
    assert again == {"new": 0, "changed": 0, "unchanged": first, "closed": 0} and files(out) == before
    # People comment on a topic, and a pipe is moved away.
    moved = some()
    guids = [moved.guids["pipe through a wall", key] for key in "wp"]
    topic = next(name for name, one in folders(before).items() if all(guid in one["viewpoint.bcfv"].decode() for guid in guids))
    comment = '<Comment Guid="3a1e9c6c-6c1f-4c7a-9f3e-0c9a6a3c1d11"><Date>2026-02-01T08:00:00Z</Date><Author>me</Author><Comment>soon</Comment></Comment>'
    said = {**before, f"{topic}/markup.bcf": before[f"{topic}/markup.bcf"].replace(b"</Topic>", b"</Topic>" + comment.encode())}
    with zipfile.ZipFile(out, "w") as written:
        for name, data in said.items():
            written.writestr(name, data)
    pipe = moved.file.by_guid(guids[1])
    pipe.ObjectPlacement.RelativePlacement.Location.Coordinates = [3500.0, 0.0, 1500.0]
    moved.file.write(str(tmp_path / "moved.ifc"))
    counts = run(tmp_path / "moved.ifc", out)["topics"]
    assert counts == {"new": 0, "changed": 0, "unchanged": first - 1, "closed": 1}
    closed = files(out)[f"{topic}/markup.bcf"].decode()
    assert 'TopicStatus="Closed"' in closed and "<Comment>soon</Comment>" in closed
    assert {name: data for name, data in files(out).items() if not name.startswith(topic)} == {
        name: data for name, data in before.items() if not name.startswith(topic)
    }
    # Far away it moves the origin of the check: only where two ways out are equally long, the other one may be found.
    pipe.ObjectPlacement.RelativePlacement.Location.Coordinates = [3500.0, 0.0, 50_000.0]
    moved.file.write(str(tmp_path / "far.ifc"))
    counts = run(tmp_path / "far.ifc", out)["topics"]
    assert counts["new"] == counts["closed"] == 0 and counts["changed"] <= 1
    # Back again.
    counts = run(small, out)["topics"]
    assert counts["new"] == counts["closed"] == 0 and 1 <= counts["changed"] <= 2
    opened = files(out)[f"{topic}/markup.bcf"].decode()
    assert 'TopicStatus="Open"' in opened and "<Comment>soon</Comment>" in opened


@pytest.mark.parametrize("version", ["2.1", "3.0"])
def test_a5_the_package_of_ifcopenshell_reads_it(version, archive, small, built, tmp_path):
    reader = pytest.importorskip("bcf.bcfxml", reason="bcf-client is not installed: pip install bcf-client")
    out, counts = archive
    if version != "2.1":
        out = tmp_path / "clashes.bcf"
        counts = run(small, out, "--bcf-version", version)
    new = counts["topics"]["new"]
    opened = reader.load(out)
    try:
        assert opened.version.version_id == version and len(opened.topics) == new
        names = {guid: key for key, guid in built.guids.items()}
        for topic in opened.topics.values():
            (view,) = topic.viewpoints.values()
            selected = view.visualization_info.components.selection.component
            cells = {names[one.ifc_guid][0] for one in selected}
            assert len(selected) == 2 and len(cells) == 1 and cells <= set(CELLS)
            camera = view.visualization_info.perspective_camera
            direction = camera.camera_direction
            assert abs(numpy.linalg.norm([direction.x, direction.y, direction.z]) - 1) < 1e-9
            assert view.snapshot[:4] == b"\x89PNG"
    finally:
        opened.close()


def test_elements_of_both_models_are_one_topic(tmp_path):
    Building(only=lambda kind: kind == "IfcDuctSegment").file.write(str(tmp_path / "some.ifc"))
    model = obbligato.ifc.read(tmp_path / "some.ifc")
    report = obbligato.ifc.check(model, model, Rules())
    counts = report.write_bcf(tmp_path / "both.bcf")
    pairs = {frozenset(pair) for pair in report.guids()}
    assert counts["new"] == len(pairs) < len(report.clashes) and any(len(pair) == 2 for pair in pairs)


def test_wrong_archives(small, tmp_path, capsys):
    model = obbligato.ifc.read(small)
    report = obbligato.ifc.check(model, rules=Rules())
    with pytest.raises(obbligato.InvalidInput, match="give one of 2.1, 3.0"):
        report.write_bcf(tmp_path / "a.bcf", "4")
    (tmp_path / "text.bcf").write_text("no archive")
    for name, message in (("a.zip", "unknown extension"), ("text.bcf", "is not a BCF archive"), ("no/a.bcf", "does not exist")):
        assert program.main([str(small), "--bcf", str(tmp_path / name)]) == 2
        shown = capsys.readouterr().err
        assert message in shown and len(shown.splitlines()) == 1
    report.elements[:] = [obbligato.ifc.Element("short", one.type, one.name, one.storey, one.model) for one in report.elements]
    with pytest.raises(obbligato.InvalidInput, match="needs IFC GUIDs"):
        report.write_bcf(tmp_path / "a.bcf")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["text.bcf"]
