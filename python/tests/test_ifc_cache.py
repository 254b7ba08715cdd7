"""Caches of building models: a cached model is that of its file, and whatever is wrong with a cache is told."""

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy
import pytest

ifcopenshell = pytest.importorskip("ifcopenshell", reason="ifcopenshell is not installed: pip install 'obbligato[ifc]'")

from building import Building  # noqa: E402

import obbligato  # noqa: E402
import obbligato.ifc  # noqa: E402
from obbligato.ifc import CacheWarning, Rules, __main__ as program, _cache, reading  # noqa: E402

KINDS = ["IfcDuctSegment", "IfcColumn", "IfcBeam"]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A model without openings, which take ifcopenshell most of its time."""
    file = tmp_path_factory.mktemp("ifc") / "model.ifc"
    Building(lambda kind: kind in KINDS).file.write(str(file))
    return file.read_bytes()


@pytest.fixture
def path(content, tmp_path):
    file = tmp_path / "model.ifc"
    file.write_bytes(content)
    return file


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def meshed(monkeypatch):
    """The models that are meshed, as they are."""
    calls = []
    made = reading._made
    monkeypatch.setattr(reading, "_made", lambda path, *others: calls.append(os.path.basename(path)) or made(path, *others))
    return calls


def same(one, other):
    """Tests whether models are the same, bit for bit."""
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if field.name in ("vertices", "faces", "frames"):
            assert len(a) == len(b)
            assert all(x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in zip(a, b))
        else:
            assert a == b, field.name
    return True


def clashes_of(model):
    found = obbligato.ifc.check(model, rules=Rules(clearance=0.2), backend="cpu")
    return found.guids(), [getattr(found.clashes, field.name).tobytes() for field in fields(found.clashes)]


def test_a_cached_model_is_that_of_its_file(path, folder, meshed):
    plain = obbligato.ifc.read(path)
    models = [obbligato.ifc.read(path, cache=folder) for _ in range(3)]
    assert meshed == ["model.ifc"] * 2 and len(os.listdir(folder)) == 1
    assert all(same(plain, model) for model in models) and len(plain) > 50 and plain.bare
    assert all(clashes_of(model) == clashes_of(plain) for model in models) and len(clashes_of(plain)[0]) > 2
    # Any program can read the arrays.
    (file,) = folder.iterdir()
    with numpy.load(file, allow_pickle=False) as parts:
        assert len(parts["points"]) == sum(map(len, plain.vertices))


def test_other_names_of_the_same_content(path, folder, meshed):
    obbligato.ifc.read(path, cache=folder)
    other = path.with_name("other.ifc")
    path.rename(other)
    model = obbligato.ifc.read(other, cache=folder)
    assert meshed == ["model.ifc"] and {model.name, *(one.model for one in model.elements + model.bare)} == {"other.ifc"}


def test_empty_models(tmp_path, folder, meshed):
    Building(lambda kind: False).file.write(str(tmp_path / "empty.ifc"))
    models = [obbligato.ifc.read(tmp_path / "empty.ifc", cache=folder) for _ in range(2)]
    assert meshed == ["empty.ifc"] and same(*models) and len(models[0]) == 0


def test_whatever_changes_is_read_again(path, folder, meshed, content, monkeypatch):
    first = obbligato.ifc.read(path, cache=folder)
    # As long as before, and of the same time.
    times = os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns
    name = first.elements[0].name.encode()
    path.write_bytes(content.replace(name, name[::-1]))
    os.utime(path, ns=times)
    edited = obbligato.ifc.read(path, cache=folder)
    assert len(meshed) == 2 and edited.elements[0].name == first.elements[0].name[::-1]
    path.write_bytes(content)
    obbligato.ifc.read(path, cache=folder, kernel="cgal-simple")
    assert len(meshed) == 3
    with monkeypatch.context() as patch:
        patch.setattr(_cache, "FORMAT", _cache.FORMAT + 1)
        obbligato.ifc.read(path, cache=folder)
    with monkeypatch.context() as patch:
        patch.setattr(_cache, "__version__", "0.0")
        obbligato.ifc.read(path, cache=folder)
    with monkeypatch.context() as patch:
        patch.setattr(_cache, "_version", lambda: "0.0")
        obbligato.ifc.read(path, cache=folder)
    assert len(meshed) == 6 and len(os.listdir(folder)) == 6
    assert same(obbligato.ifc.read(path, cache=folder), first) and len(meshed) == 6


def test_the_release_of_ifcopenshell():
    """It is known without importing the package, and the same with it."""
    code = "from obbligato.ifc import _cache; import sys; print(_cache._version(), 'ifcopenshell' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600).stdout
    assert said.split() == [ifcopenshell.version, "False"]


def test_cached_models_do_without_ifcopenshell(path, folder):
    obbligato.ifc.read(path, cache=folder)
    code = "import sys; from obbligato.ifc import __main__; __main__.main(sys.argv[1:]); print('ifcopenshell' in sys.modules)"
    words = [str(path), "--cache", str(folder), "--types", "IfcColumn,*", "--backend", "cpu"]
    said = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, timeout=600)
    assert said.stdout.splitlines()[-1] == "False" and said.stderr == ""


def test_a_file_that_changes_while_it_is_read(path, folder, content, monkeypatch):
    made = reading._made

    def edited(*words):
        model = made(*words)
        path.write_bytes(content + b"\n")
        return model

    with monkeypatch.context() as patch:
        patch.setattr(reading, "_made", edited)
        obbligato.ifc.read(path, cache=folder)
    assert os.listdir(folder) == []


def damaged(whole):
    """Yields files that begin as a cached one, and files in which a byte is wrong."""
    random = numpy.random.default_rng(11)
    for length in [0, 1, 2, 30, *random.integers(0, len(whole), 40), len(whole) - 22, len(whole) - 1]:
        yield whole[:length]
    for place in random.integers(0, len(whole), 60):
        yield whole[:place] + bytes([whole[place] ^ 1 << int(random.integers(0, 8))]) + whole[place + 1 :]
    yield b"\x93NUMPY" + whole[6:]


def test_damaged_files_are_told_and_replaced(path, folder, meshed):
    first = obbligato.ifc.read(path, cache=folder)
    (file,) = folder.iterdir()
    whole, rebuilt = file.read_bytes(), 0
    key, said = _cache.key_of(path, "opencascade"), []
    stored = _cache.Cache(folder, said.append)
    for number, bad in enumerate(damaged(whole)):
        file.write_bytes(bad)
        found = stored.load(key, "model.ifc")
        # zipfile ignores some bytes, such as times: then the model is still that of the file.
        assert len(said) == rebuilt + 1 if found is None else same(found, first), number
        rebuilt = len(said)
        assert file.read_bytes() == bad
    assert rebuilt > 80 and all(f"{file}: not used as a cached model (" in one and "the file replaced" in one for one in said)
    with pytest.warns(CacheWarning, match="not used as a cached model"):
        file.write_bytes(whole[: len(whole) // 2])
        assert same(obbligato.ifc.read(path, cache=folder), first)
    assert file.read_bytes() == whole and len(meshed) == 2


def test_files_of_other_models_and_programs(path, folder, meshed, capsys):
    first = obbligato.ifc.read(path, cache=folder)
    (file,) = folder.iterdir()
    key = _cache.key_of(path, "opencascade")
    whole, said = file.read_bytes(), []
    stored = _cache.Cache(folder, said.append)
    other = {**key, "kernel": "cgal-simple"}
    Path(stored.path(other)).write_bytes(whole)
    assert stored.load(other, "model.ifc") is None and "it is of another model" in said.pop()
    with numpy.load(file) as parts:
        arrays = dict(parts)
    numpy.savez(file, **{**arrays, "points": arrays["points"] + 1})
    assert stored.load(key, "model.ifc") is None and "its digest is wrong" in said.pop()
    numpy.savez(file, points=numpy.zeros(3))
    assert stored.load(key, "model.ifc") is None and said.pop()
    numpy.savez(file, **{**arrays, "texts": numpy.array([{}], object)})
    assert stored.load(key, "model.ifc") is None and "pickle" in said.pop()
    notes = folder / "notes.txt"
    notes.write_text("mine\n")
    # The program says it once, and the result is the same.
    assert program.main([str(path), "--cache", str(folder), "--pairs", "-"]) == 0
    shown = capsys.readouterr()
    assert shown.err.splitlines()[0].startswith(f"obbligato.ifc: warning: {file}: not used as a cached model (")
    assert program.main([str(path), "--cache", str(folder), "--pairs", "-"]) == 0
    again = capsys.readouterr()
    assert again.out == shown.out and "warning" not in again.err and len(again.out.splitlines()) > 2
    assert notes.read_text() == "mine\n" and same(obbligato.ifc.read(path, cache=folder), first) and len(meshed) == 2


def test_a_folder_in_place_of_a_file(path, folder):
    """It is not removed, and the model is read without the cache."""
    key = _cache.key_of(path, "opencascade")
    Path(_cache.Cache(folder, print).path(key)).mkdir()
    with pytest.warns(CacheWarning) as told:
        model = obbligato.ifc.read(path, cache=folder)
    said = [str(one.message) for one in told]
    assert len(model) > 50 and len(said) == 2 and "not used as a cached model" in said[0] and "model.ifc is not cached" in said[1]
    assert len(os.listdir(folder)) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that nobody can write to")
def test_a_folder_that_cannot_be_written_to(path, capsys):
    with pytest.warns(CacheWarning, match="model.ifc is not cached .*: give a folder that can be written to"):
        assert len(obbligato.ifc.read(path, cache="/proc/self")) > 50
    assert program.main([str(path), "--cache", "/proc/self", "--pairs", "-"]) == 0
    assert "obbligato.ifc: warning: /proc/self/obbligato-ifc-" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_in_place_of_the_folder(path, tmp_path, place, meshed, capsys):
    (tmp_path / "file").write_text("mine\n")
    with pytest.raises(obbligato.FileError, match="is not a folder: give a folder that can be made"):
        obbligato.ifc.read(path, cache=tmp_path / place)
    assert program.main([str(path), "--cache", str(tmp_path / place), "--pairs", "-"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and len(shown.err.splitlines()) == 1 and "is not a folder" in shown.err
    assert meshed == [] and (tmp_path / "file").read_text() == "mine\n"


def test_what_is_not_read_is_not_cached(path, folder, content):
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(obbligato.FileError, match="cut short"):
        obbligato.ifc.read(path, cache=folder)
    with pytest.raises(obbligato.FileError, match="no such file"):
        obbligato.ifc.read(path.with_name("none.ifc"), cache=folder)
    assert not folder.exists() or os.listdir(folder) == []


def test_progress_of_cached_models(path, folder):
    said = []
    for _ in range(2):
        said.append([])
        obbligato.ifc.read(path, cache=folder, progress=lambda *one: said[-1].append(one))
    assert said[1] == said[0][-1:] and len(said[0]) > 50


def test_several_programs_at_once(path, folder):
    code = "import sys, obbligato.ifc; print(len(obbligato.ifc.read(sys.argv[1], cache=sys.argv[2])))"
    words = [sys.executable, "-W", "error", "-c", code, str(path), str(folder)]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = {one.communicate(timeout=600)[0] for one in running}
    assert [one.returncode for one in running] == [0] * 4 and len(said) == 1
    assert len(os.listdir(folder)) == 1 and same(obbligato.ifc.read(path, cache=folder), obbligato.ifc.read(path))
