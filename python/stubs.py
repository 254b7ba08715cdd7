"""Copies the documentation of the native module to its stubs, where editors look for it: `python stubs.py`.

A test compares the two.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any

import obbligato

STUBS = Path(__file__).parent / "python" / "obbligato" / "_native.pyi"


def documented(text: str) -> str:
    """Returns the text of the stubs with all available documentation."""
    lines = text.splitlines()
    # From the last to the first, so that line numbers stay valid.
    for node, value, depth in reversed(list(_members(ast.parse(text)))):
        doc = inspect.getdoc(value)
        if not doc:
            continue
        first = node.body[0]
        quoted = f'"""{doc}"""' if "\n" not in doc else f'"""{doc}\n"""'
        block = textwrap.indent(quoted, "    " * (depth + 1)).splitlines()
        if isinstance(node, ast.ClassDef):
            place = first.lineno - 1 - len(getattr(first, "decorator_list", []))
            if _is_text(first):
                lines[place : first.end_lineno] = block
            else:
                lines[place:place] = [*block, ""] if len(block) > 1 else block
        elif _is_text(first):
            lines[first.lineno - 1 : first.end_lineno] = block
        else:
            assert first.end_lineno is not None
            row = lines[first.lineno - 1]
            lines[first.lineno - 1 : first.end_lineno] = [row[: first.col_offset].rstrip(), *block]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _members(tree: ast.Module) -> Any:
    """Yields the functions and classes of the stubs with the objects that they describe, in order."""
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            value = getattr(obbligato._native, node.name)
            yield node, value, 0
            for member in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    found = inspect.getattr_static(value, member.name)
                    yield member, getattr(found, "__func__", found), 1


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


if __name__ == "__main__":
    STUBS.write_text(documented(STUBS.read_text(encoding="utf-8")), encoding="utf-8")
