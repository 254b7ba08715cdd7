#!/usr/bin/env bash
# Tests the npm package in Node, and package and page in headless browsers. What this machine cannot
# install is skipped, and reported; the status is 3 if the package itself cannot be built.
# `--short` compiles without optimisation and leaves out most of what drives the page: all checksums stay.
# OBBLIGATO_PROFILE names another profile of `Cargo.toml` than `release` for native programs, and
# OBBLIGATO_PACKAGES packages, in options of cargo, with which they share dependencies.
set -euo pipefail
cd "$(dirname "$0")/../.."
native=${OBBLIGATO_PROFILE:-release}

skip() {
    echo "--- skipped: $*" >&2
}

# Names the program of a browser, whose packages Debian's package manager installs if it may.
browser() {
    local program=$1
    shift
    if ! command -v "$program" >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@"; } >&2 || true
    fi
    command -v "$program"
}

for program in node npm; do
    if ! command -v "$program" >/dev/null; then
        skip "the npm package: there is no $program"
        exit 3
    fi
done

root=$PWD package=$PWD/target/web/package site=$PWD/target/web/site
tests=$PWD/target/web/tests pictures=$PWD/target/web/pictures
if [ "${1:-}" = --short ]; then
    # Browsers check larger scenes.
    export FRAMES=20 SIZES=1000 ONLY="checksums|a link"
    options=()
    for crate in obbligato obbligato-files obbligato-render obbligato-support obbligato-verify; do
        options+=(--config "profile.ci.package.$crate.opt-level=0")
    done
    # Clippy's compiler, which checks what it compiles. With the package of features, macros are those of the workspace.
    driver=$(rustup which clippy-driver || command -v clippy-driver)
    RUSTC_WORKSPACE_WRAPPER=$driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ OBBLIGATO_WEB_PROFILE=ci \
        crates/web/build --package obbligato-features "${options[@]}"
else
    export MILLION=1
    crates/web/build
    most=1200000
    size=$(gzip -9 -c "$package/engine_bg.wasm" | wc -c)
    if [ "$size" -gt "$most" ]; then
        echo "engine_bg.wasm has $size bytes compressed, more than $most" >&2
        exit 1
    fi
fi

rm -rf "$tests" "$pictures"
mkdir -p "$tests" "$pictures"
cp crates/web/tests/* "$tests"
cp -r crates/files/tests/parquet "$tests"

# Not generated in the browser: their sines and powers differ in the last bits from machine to machine.
# shellcheck disable=SC2086
cargo build --profile "$native" ${OBBLIGATO_PACKAGES:--p obbligato-verify} --example adversarial_pairs
"${CARGO_TARGET_DIR:-target}/$native/examples/adversarial_pairs" "$tests/adversarial.f32" 100000 >"$tests/adversarial.txt"
if [ "${1:-}" != --short ]; then
    cargo run --quiet --profile "$native" -- generate crowd --count 5000 --out "$tests/crowd.parquet" >/dev/null
fi

# An empty project, into which the tarball is installed as others would.
(cd "$package" && npm pack --silent --pack-destination "$tests" >/dev/null)
cd "$tests"
if ! npm install --silent --no-audit --no-fund; then
    skip "the npm package: npm cannot install what its tests need"
    exit 3
fi
npm install --silent --no-audit --no-fund --no-save ./obbligato-*.tgz

[ "$(node ten_lines.mjs)" = "0 and 1 collide" ]
npx tsc --strict --target es2022 --module nodenext --noEmit types.ts
NATIVE=$site/native.json node --test node.test.mjs

if CHROMIUM=$(browser chromium chromium); then
    CHROMIUM=$CHROMIUM node browser.mjs "$site" "$pictures"
else
    skip "Chromium, which cannot be installed here"
fi
if FIREFOX=$(browser firefox-esr firefox-esr); then
    FIREFOX=$FIREFOX node firefox.mjs "$site" "$pictures"
else
    skip "Firefox, which cannot be installed here"
fi
if [ "${1:-}" = --short ]; then
    exit
fi
# It has no headless form, so there is a display that nobody sees.
if WEBKIT_DRIVER=$(browser WebKitWebDriver webkit2gtk-driver xvfb xauth) && command -v xvfb-run >/dev/null; then
    WEBKIT_DRIVER=$WEBKIT_DRIVER xvfb-run --auto-servernum node webkit.mjs "$site" "$pictures"
else
    skip "WebKit, which cannot be installed here"
fi

# The form with threads, which needs another compiler.
threads=0
"$root/crates/web/build" --threads || threads=$?
case $threads in
    0) ;;
    3)
        skip "threads, for which there is no compiler here"
        exit
        ;;
    *) exit "$threads" ;;
esac
(cd "$package" && npm pack --silent --pack-destination "$tests" >/dev/null)
npm install --silent --no-audit --no-fund --no-save --force ./obbligato-*.tgz
THREADS=1 NATIVE=$site/native.json node --test --test-name-pattern=threads node.test.mjs
# Those that could be installed.
CHROMIUM=$CHROMIUM FIREFOX=$FIREFOX node threads.mjs "$site" "$root/crates/web/server.py" "$pictures"
