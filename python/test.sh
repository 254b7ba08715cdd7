#!/usr/bin/env bash
# Installs the package into an empty environment as a user would, and runs its tests there. The GPU tests need an adapter: the
# library's `test.sh` installs a software one.
set -euo pipefail
cd "$(dirname "$0")"

environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
"${PYTHON:-python3}" -m venv "$environment"
# What cargo has built stays in `target`, so that only what has changed is compiled.
"$environment/bin/pip" install --quiet --disable-pip-version-check '.[test]'
# Not every platform has a wheel of it.
"$environment/bin/pip" install --quiet --disable-pip-version-check 'ifcopenshell>=0.8' ||
    echo "test.sh: ifcopenshell cannot be installed here: the tests of IFC models are skipped" >&2
"$environment/bin/python" -m mypy
"$environment/bin/python" -m mypy --config-file pyproject.toml examples/*.py benches/*.py
"$environment/bin/python" -m pytest -rs "$@"
