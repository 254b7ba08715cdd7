"""The table of what Python has of each feature, against the package."""

import importlib.util
import inspect
import re
from pathlib import Path

import obbligato
import obbligato.robots
import obbligato.trimesh

TEXT = (Path(__file__).parents[2] / "docs" / "src" / "status.md").read_text(encoding="utf-8")
FEATURES, PYTHON = TEXT.split("## In Python")


def rows(text):
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    return {row[0]: row[1:] for row in cells if re.fullmatch(r"[A-Z]\d+", row[0])}


def found(name):
    value = obbligato
    for part in name.split("."):
        value = getattr(value, part, None)
    return value is not None or importlib.util.find_spec(f"obbligato.{name.partition('.')[0]}") is not None


def test_every_feature_says_yes_or_why_not():
    assert list(rows(PYTHON)) == list(rows(FEATURES)) and len(rows(PYTHON)) > 60
    for code, (text,) in rows(PYTHON).items():
        assert re.match(r"(yes: `|no: .{5})", text), code


def test_what_is_named_exists():
    settings = {*inspect.signature(obbligato.Checker).parameters, *inspect.signature(obbligato.check).parameters}
    for code, (text,) in rows(PYTHON).items():
        for name in re.findall(r"`([^`]*)`", text) if text.startswith("yes") else []:
            assert found(name) or name in settings or name.startswith("obbligato "), f"{code}: {name}"


def test_all_questions_are_in_the_table():
    questions = [f"Checker.{name}" for name in vars(obbligato.Checker) if not name.startswith("_")]
    besides = {f"Checker.{name}" for name in ("adapter", "backend", "choice", "check_pairs", "memory_estimate", "warnings")}
    for name in questions:
        assert name in besides or f"`{name}`" in PYTHON, name
