#!/usr/bin/env bash
# Installs the package into an empty environment as a user would, and runs its tests there. The GPU tests need an adapter: the
# library's `test.sh` installs a software one.
set -euo pipefail
cd "$(dirname "$0")"

environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
"${PYTHON:-python3}" -m venv "$environment"
# It takes far less of the processor than pip.
"$environment/bin/pip" install --quiet --disable-pip-version-check uv

install() {
    "$environment/bin/uv" pip install --quiet --python "$environment/bin/python" "$@"
}

# What cargo has built stays in `target`, so that only what has changed is compiled.
install '.[test]'
# Not every platform has a wheel of it.
install 'ifcopenshell>=0.8' || echo "test.sh: ifcopenshell cannot be installed here: the tests of IFC models are skipped" >&2
install 'bcf-client>=0.8' || echo "test.sh: bcf-client cannot be installed here: no other program reads the BCF archives" >&2

# Many processes start below. Each module is compiled once for all of them, even where Python is told not to write what it compiles, and
# not into the source.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX="$environment/bytecode"

# Both checkers of types at once. pyright runs in Node, which PyPI has for most platforms; another version finds other faults.
pyright=
node=$(command -v node >/dev/null || echo '[nodejs]')
if ! "$environment/bin/python" -c 'import ifcopenshell' 2>/dev/null; then
    echo "test.sh: SKIPPED: pyright, which rejects imports of what is missing, as ifcopenshell is" >&2
elif ! install "pyright$node==1.1.414"; then
    echo "test.sh: SKIPPED: pyright, which cannot be installed here" >&2
else
    "$environment/bin/pyright" --pythonpath "$environment/bin/python" >"$environment/pyright.txt" &
    pyright=$!
fi
"$environment/bin/python" -m mypy
"$environment/bin/python" -m mypy --config-file pyproject.toml examples/*.py benches/*.py
if [ -n "$pyright" ] && ! wait "$pyright"; then
    cat "$environment/pyright.txt" >&2
    exit 1
fi
"$environment/bin/python" -m pytest -rs "$@"
