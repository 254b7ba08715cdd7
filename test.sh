#!/usr/bin/env bash
# Runs all tests. The GPU tests need an adapter: where a Linux machine has none, a software one (Mesa's lavapipe) is
# installed first. macOS and Windows bring their own.
set -euo pipefail
cd "$(dirname "$0")"

has_adapter() {
    "${CARGO_TARGET_DIR:-target}/release/obbligato" devices >/dev/null 2>&1
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "test.sh: not root and no sudo here: run as root: $*" >&2
        return 1
    fi
}

install_software_adapter() {
    if command -v apt-get >/dev/null; then
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq -y --no-install-recommends libvulkan1 mesa-vulkan-drivers
    elif command -v dnf >/dev/null; then
        as_root dnf install -q -y vulkan-loader mesa-vulkan-drivers
    elif command -v pacman >/dev/null; then
        as_root pacman -Sy --noconfirm --needed vulkan-icd-loader vulkan-swrast
    else
        echo "test.sh: no apt-get, dnf or pacman here: install the Vulkan loader and Mesa's lavapipe yourself" >&2
        return 1
    fi
}

# This builds the program too, with the very dependencies that the tests use.
cargo test --release --no-run
if ! has_adapter; then
    if [ "$(uname -s)" = Linux ]; then
        echo "test.sh: no GPU adapter here, installing a software one" >&2
        install_software_adapter
    fi
    has_adapter || { echo "test.sh: there is still no GPU adapter; \`obbligato devices\` lists them" >&2; exit 1; }
fi
exec cargo test --release "$@"
