"""What an index of packages shows of the wheel, and what it and the source distribution carry."""

import importlib.metadata
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import obbligato

HERE = Path(__file__).parents[1]
METADATA = importlib.metadata.metadata("obbligato")


def test_metadata_names_authors_and_licences():
    assert "The obbligato developers" in (METADATA["Author"] or METADATA["Author-email"])
    assert METADATA["License-Expression"] == "MIT OR Apache-2.0"
    classifiers = METADATA.get_all("Classifier")
    for wanted in ["Development Status", "Intended Audience", "Operating System", "Programming Language :: Python :: 3.13"]:
        assert any(one.startswith(wanted) for one in classifiers), wanted
    assert METADATA["Version"] == obbligato.__version__ and "__version__" in obbligato.__all__


def test_the_package_contains_the_licences():
    files = {path.name: path for path in importlib.metadata.files("obbligato")}
    for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
        assert files[name].parts[-2] == "licenses"
        assert files[name].read_text() == (HERE / name).read_text() == (HERE.parent / name).read_text()


def test_links_are_absolute():
    addresses = [line.split(", ")[1] for line in METADATA.get_all("Project-URL")]
    text = METADATA.get_payload()
    assert "pip install obbligato\n" in text
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    addresses += re.findall(r"\]\(([^)]*)\)", prose)
    assert len(addresses) >= 3
    for address in addresses:
        assert address.startswith("https://"), f"{address} leads nowhere from an index of packages"


def test_the_source_distribution_has_the_workspace(tmp_path):
    """Its `pyproject.toml` is moved to the top, where the library has files of the same names."""
    command = [sys.executable, "-m", "maturin", "sdist", "--manifest-path", HERE / "Cargo.toml", "--out", tmp_path]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    [path] = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2]: name for name in archive.getnames()}
        readme, project = (archive.extractfile(names[name]).read().decode() for name in ("python/README.md", "pyproject.toml"))
    assert readme == (HERE / "README.md").read_text(encoding="utf-8") and 'readme = "python/README.md"' in project
    needed = ["Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "src/lib.rs", "python/src/lib.rs", "python/obbligato/_native.pyi"]
    needed += [f"crates/{crate}/Cargo.toml" for crate in ("files", "support", "verify")]
    assert set(needed) <= set(names)
