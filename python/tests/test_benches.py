"""The comparison with other libraries runs, in small, and its answers agree, as far as those libraries are installed."""

import importlib
import re
from pathlib import Path

import pytest

BENCHES = Path(__file__).parents[1] / "benches"
# What agrees: equal pairs, flags none of which differ, small differences. coal shows only the number of pairs.
AGREES = r"\d+ pairs, the same|(\d+) and \1 pairs|\d+ of \d+, 0 differ|differ by at most (0\.0e\+00|\d\.\de-(0[4-9]|[1-9]\d))"


@pytest.fixture(scope="module")
def peers():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHES))
        yield importlib.import_module("peers")


JOBS = ["boxes", "trimesh", "meshes", "spheres", "neighbours", "overlaps", "arm", "mesh-arm", "distances"]


def test_all_jobs_are_run(peers):
    assert list(peers.JOBS) == JOBS


@pytest.mark.parametrize("name", JOBS)
def test_answers_agree(peers, name):
    (_, _, own), *others = peers.JOBS[name](True)
    assert len(own) > 50
    for library, _, answer in others:
        said = peers.agreement(own, answer)
        assert re.fullmatch(AGREES, said), f"{library}: {said}"


def test_building_models_are_compared(peers, tmp_path, monkeypatch, capsys):
    pytest.importorskip("ifcopenshell", reason="ifcopenshell is not installed: pip install 'obbligato[ifc]'")
    from building import Building

    monkeypatch.syspath_prepend(str(BENCHES))
    models = importlib.import_module("ifc_peers")
    # Without openings, whose meshes take long.
    Building(lambda kind: kind in ("IfcColumn", "IfcDuctSegment")).file.write(str(tmp_path / "model.ifc"))
    monkeypatch.setattr("sys.argv", ["ifc_peers.py", "--rounds", "1", str(tmp_path / "model.ifc")])
    models.main()
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| model.ifc")]
    assert len(rows) >= 9
    figures = [figure.removesuffix(" |") for row in rows for figure in row[2:]]
    # A small model may take no time that is seen.
    assert len(figures) == 4 * len(rows) and all(re.fullmatch(r"\d+\.\d{3}", figure) for figure in figures)
