"""trimesh's own tests of its collision manager, with ours in its place.

They come with the source of trimesh's release, which pip fetches. Of the models that they read, only a cube is needed, and
is made here; the test that needs another one is left out.
"""

import importlib.util
import logging
import subprocess
import sys
import tarfile
import types
import unittest

import numpy
import pytest
import trimesh

import obbligato.trimesh

# What the tests import from their own folder, as far as they use it.
GENERIC = {
    "np": numpy,
    "log": logging.getLogger("trimesh"),
    "unittest": unittest,
    "random": numpy.random.default_rng(0).random,
    "get_mesh": lambda name: {"unit_cube.STL": trimesh.creation.box([1, 1, 1])}[name],
    "trimesh": types.SimpleNamespace(creation=trimesh.creation, Scene=trimesh.Scene, collision=obbligato.trimesh),
}
WITH_MODELS = {"test_scene"}


@pytest.fixture(scope="module")
def tests(tmp_path_factory):
    """The class of trimesh's tests."""
    folder = tmp_path_factory.mktemp("trimesh")
    wanted = [f"trimesh=={trimesh.__version__}", "--no-deps", "--no-binary", "trimesh", "--no-build-isolation"]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *wanted, "--dest", str(folder)], check=True)
    with tarfile.open(next(folder.glob("trimesh-*.tar.gz"))) as source:
        text = source.extractfile(f"trimesh-{trimesh.__version__}/tests/test_collision.py").read()
    (folder / "test_collision.py").write_bytes(text)
    spec = importlib.util.spec_from_file_location("trimesh_test_collision", folder / "test_collision.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        generic = types.ModuleType("generic")
        vars(generic).update(GENERIC)
        patch.setitem(sys.modules, "generic", generic)
        # They run only if python-fcl is there, which the manager under test does not need.
        patch.setitem(sys.modules, "fcl", types.ModuleType("fcl"))
        spec.loader.exec_module(module)
    return module.CollisionTest


def test_the_tests_of_trimesh_pass(tests):
    names = [name for name in unittest.TestLoader().getTestCaseNames(tests) if name not in WITH_MODELS]
    assert len(names) >= 4, names
    suite = unittest.TestSuite(map(tests, names))
    result = unittest.TestResult()
    suite.run(result)
    problems = [text for _, text in result.errors + result.failures]
    assert not problems and not result.skipped and result.testsRun == len(names), "\n".join(problems)
