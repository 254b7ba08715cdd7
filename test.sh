#!/usr/bin/env bash
# Runs all tests. The GPU tests need an adapter: where a Linux machine has none, a software one (Mesa's lavapipe) is
# installed first. macOS and Windows bring their own.
#
# Without arguments, those in SECOND_DRIVER run once more with another Vulkan driver, if it is available: SwiftShader, which comes
# with Chromium. It has subgroups of 4 and no f64. OBBLIGATO_SWIFTSHADER names its vk_swiftshader_icd.json, if it is somewhere else;
# "none" leaves it out.
# OBBLIGATO_PROFILE names another profile of `Cargo.toml` than `release`, and OBBLIGATO_PACKAGES others than all crates but the
# packages for Python and npm, in options of cargo.
set -euo pipefail
cd "$(dirname "$0")"

profile=${OBBLIGATO_PROFILE:-release}
packages=${OBBLIGATO_PACKAGES:---workspace --exclude obbligato-python --exclude obbligato-web}

run_tests() {
    # Several words.
    # shellcheck disable=SC2086
    cargo test --profile "$profile" $packages "$@"
}

has_adapter() {
    "${CARGO_TARGET_DIR:-target}/$profile/obbligato" devices >/dev/null 2>&1
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
            apt-get -o DPkg::Lock::Timeout=600 install -qq -y --no-install-recommends libvulkan1 mesa-vulkan-drivers
    elif command -v dnf >/dev/null; then
        as_root dnf install -q -y vulkan-loader mesa-vulkan-drivers
    elif command -v pacman >/dev/null; then
        as_root pacman -Sy --noconfirm --needed vulkan-icd-loader vulkan-swrast
    else
        echo "test.sh: no apt-get, dnf or pacman here: install the Vulkan loader and Mesa's lavapipe yourself" >&2
        return 1
    fi
}

# The tests that run on the second driver: every kernel, in all its forms, against the CPU. The rest asks little more of a driver. Of lbvh:: two
# tests are left out that take more than ten minutes there: all scenes, and all rules.
SECOND_DRIVER=(
    bodies_gpu::contacts bounds_within:: contacts_gpu:: exact_gpu:: five_axes:: flaws:: gpu_vs_cpu:: in_plane::recorded lbvh::a_frame lbvh::bounds lbvh::every lbvh::loops
    lbvh::movers lbvh::only lbvh::recorded lbvh::thousands made_up_frames:: margin:: nearest_rows:: own_margins::
    periodic::counted:: periodic::followed:: periodic::recorded::c1_recorded_images periodic::ruled:: prepared::
    refit:: resident:: resident_contacts:: resident_forms:: resident_overlaps:: resident_rules:: segments::other segments::recorded triangles_gpu::
)

swiftshader() {
    local places=(
        /usr/lib/chromium/vk_swiftshader_icd.json
        /usr/lib/chromium-browser/vk_swiftshader_icd.json
        /usr/lib64/chromium-browser/vk_swiftshader_icd.json
        /opt/google/chrome/vk_swiftshader_icd.json
    )
    for place in ${OBBLIGATO_SWIFTSHADER:-"${places[@]}"}; do
        if [ -f "$place" ]; then
            echo "$place"
            return
        fi
    done
    return 1
}

# Debian's package has it; Ubuntu's of this name installs a snap, which has it nowhere.
install_swiftshader() {
    command -v apt-get >/dev/null && grep -qs '^ID=debian' /etc/os-release && as_root apt-get update -qq &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -qq -y --no-install-recommends chromium-common >/dev/null
}

skip_second_driver() {
    echo "test.sh: SKIPPED: the GPU tests on a second driver, SwiftShader: $*" >&2
}

test_second_driver() {
    if [ "$(uname -s)" != Linux ]; then
        return
    fi
    if [ "${OBBLIGATO_SWIFTSHADER:-}" = none ]; then
        skip_second_driver "OBBLIGATO_SWIFTSHADER=none"
        return
    fi
    local driver
    if ! driver=$(swiftshader); then
        [ -n "${OBBLIGATO_SWIFTSHADER:-}" ] || install_swiftshader || true
        if ! driver=$(swiftshader); then
            skip_second_driver "it is not here and cannot be installed; OBBLIGATO_SWIFTSHADER may name its ICD file"
            return
        fi
    fi
    # Both names: the second is that of older loaders.
    export VK_DRIVER_FILES=$driver VK_ICD_FILENAMES=$driver
    if ! has_adapter; then
        skip_second_driver "no adapter with $driver"
        return
    fi
    echo "test.sh: the GPU tests once more, with $driver" >&2
    # This one is the CPU's alone, and slow.
    run_tests --test it -- "${SECOND_DRIVER[@]}" --skip margin::pairs_undecided_in_f64
}

# Examples are left out: clippy checks that they compile, and tests run those that assert something.
# This builds the program too, with the very dependencies that the tests use.
run_tests --tests --no-run
if ! has_adapter; then
    if [ "$(uname -s)" = Linux ]; then
        echo "test.sh: no GPU adapter here, installing a software one" >&2
        install_software_adapter
    fi
    has_adapter || { echo "test.sh: there is still no GPU adapter; \`obbligato devices\` lists them" >&2; exit 1; }
fi
if [ $# -gt 0 ]; then
    run_tests "$@"
    exit
fi
run_tests --tests
run_tests --doc
test_second_driver
