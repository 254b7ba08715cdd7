"""The examples of the documents run, and the types are those of the code."""

import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import obbligato
from obbligato._options import DEFAULTS, Options, Rules, Settings

HERE = Path(__file__).parents[1]


def members():
    """Everything public with its documentation, down to the members of classes."""
    yield "obbligato", obbligato
    for name in obbligato.__all__:
        value = getattr(obbligato, name)
        if callable(value):
            yield name, value
        if inspect.isclass(value) and value.__module__.startswith("obbligato"):
            for own, member in vars(value).items():
                if not own.startswith("_") and (callable(member) or inspect.isdatadescriptor(member)):
                    yield f"{name}.{own}", member


MEMBERS = dict(members())


@pytest.mark.parametrize("name", MEMBERS)
def test_everything_is_documented(name):
    assert inspect.getdoc(MEMBERS[name])


EXAMPLES = [name for name, member in MEMBERS.items() if ">>>" in (inspect.getdoc(member) or "")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(MEMBERS[name]), vars(obbligato).copy(), name, None, 0)
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.failures == 0 and len(example.examples) > 0


def test_there_are_examples():
    for name in ["obbligato", "check", "contacts", "distances", "sweep", "track", "Checker", "Checker.check", "Tracker"]:
        assert name in EXAMPLES


GUIDE = HERE.parent / "docs" / "src" / "guide"
DOCUMENTS = [HERE / "README.md", GUIDE / "python.md", GUIDE / "cluster.md"]


def blocks(language):
    """The blocks of all documents, with where they are."""
    for document in DOCUMENTS:
        found = re.findall(rf"```{language}\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)
        yield from ((f"{document.name}, block {number}", block) for number, block in enumerate(found))


BLOCKS = dict(blocks("python"))


@pytest.mark.parametrize("name", BLOCKS)
def test_the_examples_of_documents(name, capsys):
    exec(compile(BLOCKS[name], name, "exec"), {})
    expected = re.findall(r"^# -> (.*)$", BLOCKS[name], re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == expected


def test_there_are_such_examples():
    assert len(BLOCKS) >= 6


def commands():
    """The commands of the documents that are this package's own."""
    for _, block in blocks("sh"):
        yield from (line.split("  #")[0] for line in block.splitlines() if line.startswith("python "))


def test_stubs_match_the_code():
    command = [sys.executable, "-m", "mypy.stubtest", "obbligato._native", "--mypy-config-file", HERE / "pyproject.toml"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_stubs_have_the_documentation():
    """`python stubs.py` writes it."""
    sys.path.insert(0, str(HERE))
    try:
        import stubs
    finally:
        sys.path.remove(str(HERE))
    text = stubs.STUBS.read_text(encoding="utf-8")
    assert stubs.documented(text) == text
    assert text.count('"""') > 150


SPACE = ["period", "in_plane"]
SIGNATURES = {
    "check": ["boxes", "against", *SPACE, *Options.__annotations__],
    "contacts": ["boxes", "pairs", "against", *SPACE, *Settings.__annotations__],
    "distances": ["boxes", "pairs", "against", *SPACE, *Settings.__annotations__],
    "overlaps": ["boxes", "pairs", "against", *SPACE, *Settings.__annotations__],
    "iou_matrix": ["boxes", "against", "in_plane", "threads", "progress", *Rules.__annotations__],
    "sweep": ["boxes", "motions", "dt", "tolerance", "against", "against_motions", *SPACE, *Options.__annotations__],
    "track": ["frames", *Settings.__annotations__],
    "BoxSet": ["boxes", *Rules.__annotations__],
    "Checker": [*Settings.__annotations__],
    "Tracker": ["coherence", *Settings.__annotations__],
    "Checker.check": ["self", "boxes", "against", *SPACE, *Rules.__annotations__],
    "Checker.check_tile": ["self", "tile", "boxes", *Rules.__annotations__],
    "Checker.check_pairs": ["self", "boxes", "pairs", *Rules.__annotations__],
    "Checker.prepare": ["self", "boxes", *Rules.__annotations__],
    "Checker.check_movers": ["self", "scene", "movers", *Rules.__annotations__],
    "Checker.sweep": ["self", "boxes", "motions", "dt", "tolerance", "against", "against_motions", *SPACE, *Rules.__annotations__],
    "Checker.contacts": ["self", "boxes", "pairs", "against", *SPACE],
    "Checker.distances": ["self", "boxes", "pairs", "against", *SPACE],
    "Checker.overlaps": ["self", "boxes", "pairs", "against", *SPACE],
    "Checker.neighbours": ["self", "boxes", "around", "nearest", "within", "by_surface", "period", *Rules.__annotations__],
    "Checker.approaches": [
        *["self", "boxes", "motions", "dt", "within", "tolerance", "against", "against_motions", "period"],
        *Rules.__annotations__,
    ],
    "Checker.mesh_scene": ["self", "meshes", "poses", "pairs", *Rules.__annotations__],
    "Checker.check_mesh": ["self", "triangles", "without_neighbours", *Rules.__annotations__],
    "Checker.sweep_movers": ["self", "scene", "movers", "motions", "dt", "tolerance", *Rules.__annotations__],
    "Checker.advance": ["self", "boxes", "motions", "dt", "skin", "masses", "restitution", "limit", *Rules.__annotations__],
    "Checker.roll_back": ["self", "safe", "wanted", *Rules.__annotations__],
    "render": ["boxes", "size", "camera", "target", "contacts", "motions", "dt", *SPACE, *Rules.__annotations__],
    "animation": ["frames", "milliseconds", "size", "camera", "target", "contacts", *SPACE],
    "glb": ["boxes", "motions", "dt", *SPACE, *Rules.__annotations__],
    "Tracker.update": ["self", "boxes", "ids", *Rules.__annotations__],
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_have_names(name):
    value = obbligato
    for part in name.split("."):
        value = getattr(value, part)
    parameters = inspect.signature(value).parameters
    assert list(parameters) == SIGNATURES[name]
    for one in parameters.values():
        if one.name in Options.__annotations__:
            assert one.kind is inspect.Parameter.KEYWORD_ONLY and one.default == DEFAULTS.get(one.name)


def test_no_signature_hides_names():
    for name, value in MEMBERS.items():
        if callable(value) and not (inspect.isclass(value) and issubclass(value, Exception)):
            try:
                parameters = inspect.signature(value).parameters.values()
            except ValueError:
                assert inspect.isclass(value), f"{name} has no signature"
                continue
            assert not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters), name


def test_defaults_match_the_library():
    plain, asked = obbligato.Checker(backend="cpu"), obbligato.Checker(**DEFAULTS | {"backend": "cpu"})
    boxes = obbligato.scene("crowd", 1000)
    assert plain.check(boxes).checksum == asked.check(boxes).checksum
    for name, default in DEFAULTS.items():
        words = {str: repr(default), bool: str(default), int: str(default), float: str(default)}.get(type(default), "None")
        assert f"{name}={words}" in obbligato.Checker.__text_signature__


def test_types_are_strict(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy\nfrom numpy.typing import NDArray\n\nimport obbligato\n\n"
        "boxes = obbligato.scene('crowd', 10)\n"
        "report = obbligato.check(boxes, margin=0.5, owners=[0] * 10, precision='exact')\n"
        "pairs: NDArray[numpy.uint32] = report.pairs\n"
        "obbligato.Checker(backend='cpu').check(obbligato.BoxSet(boxes, worlds=[0] * 10), against=boxes)\n"
        "for frame in obbligato.track([(boxes, range(10))]):\n    print(frame.begin.shape)\n"
        "obbligato.check({'cx': [0.0]}, threads=2)\n"
    )
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import obbligato\nobbligato.Checker(precision='perfect')\n")
    # With the configuration that the package is checked with, whose cache it shares.
    command = [sys.executable, "-m", "mypy", "--config-file", HERE / "pyproject.toml", program, wrong]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=HERE)
    assert ended.returncode == 1 and re.findall(r"(\w+)\.py:\d+: error: .*(precision)", ended.stdout) == [("wrong", "precision")]
    assert "Found 1 error in 1 file (checked 2 source files)" in ended.stdout
