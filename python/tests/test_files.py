"""Files: what is written is read back, in all formats."""

import numpy
import pytest
from conftest import cubes

import obbligato

SCENE = obbligato.Bodies(
    cubes((0, 0, 0), (5, 0, 0)), [[0, 0, 3, 1, 0, 0, 0, 1, 0.5]], [[0, 0, 1.5, 0.75]], ids=["floor", "wall", "rod", "ball"]
)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_scenes(tmp_path, ending):
    path = tmp_path / f"scene{ending}"
    motions = numpy.zeros((4, 9), numpy.float32)
    motions[3, 0] = 2
    obbligato.write(path, SCENE, motions)
    again = obbligato.read(path, motions=True)
    for name in ("boxes", "capsules", "spheres", "ids"):
        assert getattr(again, name).tolist() == getattr(SCENE, name).tolist()
    assert again.motions[:, :9].tolist() == motions.tolist() and not again.is_flat
    report = obbligato.check(again, backend="cpu")
    assert report.pair_ids.tolist() == [["floor", "ball"], ["rod", "ball"]]
    obbligato.write(tmp_path / "again.csv", again)
    assert obbligato.read(tmp_path / "again.csv", motions=True).motions.tolist() == again.motions.tolist()


def test_rules_come_along(tmp_path):
    path = tmp_path / "scene.csv"
    path.write_text("shape,cx,cy,cz,radius,owner,memberships\nsphere,0,0,0,1,7,1\nsphere,1,0,0,1,7,1\nsphere,0,1,0,1,,1\n")
    scene = obbligato.read(path)
    assert sorted(scene.rules) == ["groups", "owners"]
    assert obbligato.check(scene, backend="cpu").pairs.tolist() == [[0, 2], [1, 2]]
    obbligato.write(tmp_path / "again.csv", scene)
    again = obbligato.read(tmp_path / "again.csv")
    assert again.rules["owners"].tolist() == scene.rules["owners"].tolist()
    assert again.rules["groups"].tolist() == scene.rules["groups"].tolist()


def test_arrays_and_doubles(tmp_path, crowd):
    obbligato.write(tmp_path / "crowd.npy", crowd)
    assert (numpy.load(tmp_path / "crowd.npy") == crowd).all()
    assert (obbligato.read(tmp_path / "crowd.npy").boxes == crowd).all()
    far = crowd.astype(numpy.float64) + [1e6 + 0.1, *[0] * 9]
    obbligato.write(tmp_path / "far.csv", far)
    again = obbligato.read(tmp_path / "far.csv", double=True)
    assert (again.boxes[:, :3] == far[:, :3]).all() and again.boxes.dtype == numpy.float64
    assert obbligato.check(again, backend="cpu").checksum == obbligato.check(far, backend="cpu").checksum


def test_pairs(tmp_path, crowd):
    report = obbligato.check(crowd, backend="cpu")
    obbligato.write(tmp_path / "pairs.csv", report)
    rows = numpy.loadtxt(tmp_path / "pairs.csv", numpy.uint32, delimiter=",", skiprows=1)
    assert (rows == report.pairs).all()
    with pytest.raises(TypeError, match="the ids of the report are texts"):
        obbligato.write(tmp_path / "pairs.csv", obbligato.check(SCENE, backend="cpu"))


def test_meshes_and_the_plane(tmp_path):
    (tmp_path / "mesh.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = obbligato.read(tmp_path / "mesh.obj")
    assert mesh.corners.tolist() == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]] and mesh.origin.tolist() == [0, 0, 0]
    (tmp_path / "flat.csv").write_text("shape,cx,cy,radius\nsphere,0,0,1\nsphere,1,1,1\n")
    flat = obbligato.read(tmp_path / "flat.csv")
    assert flat.is_flat and obbligato.check(flat, in_plane=flat.is_flat, backend="cpu").colliding_pairs == 1


def test_errors_name_the_file_the_row_and_the_remedy(tmp_path):
    with pytest.raises(OSError, match="none.csv"):
        obbligato.read(tmp_path / "none.csv")
    (tmp_path / "bad.csv").write_text("cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n0,0,0,1,1,1,0,0,0,1\n0,0,x,1,1,1,0,0,0,1\n")
    with pytest.raises(obbligato.FileError, match="bad.csv: .*line 3.*cz") as caught:
        obbligato.read(tmp_path / "bad.csv")
    assert caught.value.kind == "File" and "\n" not in str(caught.value)
    with pytest.raises(obbligato.FileError, match="name it .csv"):
        obbligato.write(tmp_path / "scene.npy", SCENE)
