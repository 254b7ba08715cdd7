#!/usr/bin/env bash
# Installs the package into an empty environment as a user would, and runs its tests there. The GPU tests need an adapter: the
# library's `test.sh` installs a software one.
set -euo pipefail
cd "$(dirname "$0")"

environment=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$environment"' EXIT
"${PYTHON:-python3}" -m venv "$environment"
# It takes far less of the processor than pip.
"$environment/bin/pip" install --quiet --disable-pip-version-check uv

install() {
    "$environment/bin/uv" pip install --quiet --python "$environment/bin/python" "$@"
}

# What cargo has built stays in `target`, so that only what has changed is compiled.
install '.[test]'
# Not every platform has wheels of these.
install 'ifcopenshell>=0.8' || echo "test.sh: ifcopenshell cannot be installed here: the tests of IFC models are skipped" >&2
install 'python-fcl>=0.7' || echo "test.sh: python-fcl cannot be installed here: its answers are not compared" >&2
install 'bcf-client>=0.8' || echo "test.sh: bcf-client cannot be installed here: no other program reads the BCF archives" >&2

# Many processes start below. Each module is compiled once for all of them, even where Python is told not to write what it compiles, and
# not into the source.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX="$environment/bytecode"

# Two checkers of types while the tests run, because those use one core most of the time. pyright runs in Node, which PyPI has for most
# platforms; another version finds other faults.
types() {
    "$environment/bin/python" -m mypy && "$environment/bin/python" -m mypy --config-file pyproject.toml examples/*.py benches/*.py
}
types >"$environment/mypy.txt" 2>&1 &
mypy=$!
pyright=
node=$(command -v node >/dev/null || echo '[nodejs]')
if ! "$environment/bin/python" -c 'import ifcopenshell' 2>/dev/null; then
    echo "test.sh: SKIPPED: pyright, which rejects imports of what is missing, as ifcopenshell is" >&2
elif ! install "pyright$node==1.1.414"; then
    echo "test.sh: SKIPPED: pyright, which cannot be installed here" >&2
else
    "$environment/bin/pyright" --pythonpath "$environment/bin/python" >"$environment/pyright.txt" 2>&1 &
    pyright=$!
fi

failed=0
"$environment/bin/python" -m pytest -rs "$@" || failed=$?

# Waits for a checker of types, and shows what it says if it has found faults.
ended() {
    wait "$2" || { cat "$environment/$1.txt" >&2 && failed=1; }
}
ended mypy "$mypy"
[ -z "$pyright" ] || ended pyright "$pyright"
exit "$failed"
