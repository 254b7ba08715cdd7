//! Runs every command in the documents: blocks of `sh` in the README and on the pages, in a folder
//! with the files that they name.
//!
//! The `cargo` of that folder shortens long commands. For commands of `cargo` other than running
//! the program, it only checks that their targets exist.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use super::program::text;
use crate::processes::output_of;

/// Replaces `cargo`: runs the program with fewer boxes; for benches, examples and tests it only
/// checks that they exist.
const CARGO: &str = r#"#!/usr/bin/env bash
set -euo pipefail
words="$*"
case "$words" in
"run --release")
    exec "$OBBLIGATO" bench --scene uniform --count 1k --frames 1 ;;
"run --release -- "*)
    words=${words#run --release -- }
    # One box of a thousand will do.
    shift 3
    arguments=()
    for word in "$@"; do
        case "$word" in
        1M | 100k | 10k,100k,1M) word=2k ;;
        results) words="hardware" ;;
        esac
        arguments+=("$word")
    done
    case "$words" in
    hardware) arguments=(bench --help) ;;
    "bench --json"*) arguments+=(--scene uniform --count 1k --frames 1) ;;
    "bench --backend gpu" | "bench --backend gpu --resident" | "bench --csv"*) arguments+=(--scene uniform --count 1k --frames 1) ;;
    bench*) arguments+=(--frames 1) ;;
    "verify --determinism"*)
        export OBBLIGATO_LANES=4
        arguments=(verify --determinism --runs 1 --backend cpu) ;;
    soak*) arguments=(soak --frames 100 --large 2k) ;;
    esac
    status=0
    "$OBBLIGATO" "${arguments[@]}" || status=$?
    # Times of so few boxes are longer by chance.
    if [[ "$words" == *--compare* && $status == 1 ]]; then status=0; fi
    exit $status ;;
"bench --bench "*) test -f "$PROJECT/benches/$3.rs" ;;
"run --release --example "*) test -f "$PROJECT/examples/$4.rs" || test -f "$PROJECT/examples/$4/main.rs" ;;
"test --release --test "* | "test --doc" | "doc --open" | "test --release --lib"*) ;;
*) echo "no such cargo: $words" >&2; exit 9 ;;
esac
"#;

/// Replaces `python` and `pip`, which the tests of the Python package run: checks that their
/// targets exist.
const PYTHON: &str = r#"#!/usr/bin/env bash
# A crate from a registry comes without the package.
test -d "$PROJECT/python" || exit 0
case "$*" in
"-m obbligato.cluster check "*) test -f "$PROJECT/python/python/obbligato/cluster/__main__.py" ;;
"-m obbligato.ifc "*) test -f "$PROJECT/python/python/obbligato/ifc/__main__.py" ;;
"python/"*) test -f "$PROJECT/$1" ;;
"install "*) test -f "$PROJECT/python/pyproject.toml" ;;
*) echo "no such python: $*" >&2; exit 9 ;;
esac
"#;

const TRIANGLE: &str = "solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid one\n";

/// A tetrahedron.
const CLOSED: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n\
    property list uchar int vertex_indices\nend_header\n0 0 0\n4 0 0\n0 4 0\n0 0 4\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";

const POINTS: &str = "id,x,y,z\n1,0,0,0\n1,1,0,0\n1,0,1,0\n1,0,0,1\n2,0.2,0.2,0.2\n2,3,3,3\n2,0,3,1\n";

const MOVING: &str =
    "frame,id,guid,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,vx\n0,1,a,0,0,0,1,1,1,0,0,0,1,9\n0,2,b,3,0,0,1,1,1,0,0,0,1,\n";

/// Returns the folder of the whole project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Creates the files that the documents assume, in this folder.
fn furnish(here: &Path) {
    let project = project();
    std::os::unix::fs::symlink(project.join("tests"), here.join("tests")).expect("a link");
    let write = |name: &str, content: &[u8]| fs::write(here.join(name), content).expect("it can be written");
    let script = |name: &str, content: &str| {
        write(name, content.as_bytes());
        fs::set_permissions(here.join(name), fs::Permissions::from_mode(0o755)).expect("it is ours");
    };
    script("cargo", CARGO);
    script("python", PYTHON);
    script("pip", PYTHON);
    script("test.sh", "#!/bin/sh\n");
    for folder in [".ci", ".local/share/bash-completion/completions"] {
        fs::create_dir_all(here.join(folder)).expect("a folder");
    }
    script("man", "#!/bin/sh\ntest -f .local/share/man/man1/$1.1\n");
    script(".ci/run", "#!/bin/sh\n");
    script(
        "peer",
        "#!/bin/sh\necho '{\"tool\":\"peer\",\"boxes\":2000,\"pairs\":5,\"gpu_total_ms\":2.5}'\n",
    );
    write("hull.stl", TRIANGLE.as_bytes());
    write("hull.ply", CLOSED.as_bytes());
    write("points.csv", POINTS.as_bytes());
    write(
        "rules.toml",
        b"[[rule]]\nname = \"doors\"\nwhere = \"a.type=IfcDoor\"\nclearance = 0.02\n",
    );
    write("accepted.csv", b"a,b,reason\nx,y,agreed\n");
    for name in ["moving.csv", "tracks.csv", "map.csv", "old.csv", "new.csv"] {
        let one_frame = name != "tracks.csv";
        let text = if one_frame {
            MOVING.replace("frame,", "column,")
        } else {
            MOVING.to_owned()
        };
        write(name, text.as_bytes());
    }
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, MOVING.as_bytes()).expect("memory");
    write("tracks.csv.gz", &gz.finish().expect("memory"));
    // A mesh without triangles is valid.
    let json = br#"{"asset":{"version":"2.0"}}"#;
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    let padded = json.len().next_multiple_of(4);
    for number in [20 + padded as u32, padded as u32] {
        glb.extend(number.to_le_bytes());
    }
    glb.extend(b"JSON");
    glb.extend(json);
    glb.resize(20 + padded, b' ');
    write("deck.glb", &glb);
}

/// Returns the blocks of `sh` on a page, and the lines where they begin.
fn blocks(page: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (number, line) in page.lines().enumerate() {
        match line.trim() {
            "```sh" => {
                inside = true;
                blocks.push((number + 2, String::new()));
            }
            "```" => inside = false,
            line if inside => {
                let (_, block) = blocks.last_mut().expect("it has begun");
                block.push_str(line);
                block.push('\n');
            }
            _ => (),
        }
    }
    blocks
}

#[test]
fn every_documented_command_runs() {
    let project = project();
    let mut pages = vec![project.join("README.md"), project.join("CONTRIBUTING.md")];
    for folder in ["docs/src", "docs/src/guide"] {
        let entries = fs::read_dir(project.join(folder)).expect("the pages are there");
        let paths = entries.map(|entry| entry.expect("a page").path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    furnish(here);
    let path = format!("{}:{}", here.display(), env::var("PATH").expect("a path"));
    let mut count = 0;
    let mut failures = String::new();
    for page in pages {
        let content = fs::read_to_string(&page).expect("a page");
        for (line, block) in blocks(&content) {
            let mut bash = Command::new("bash");
            bash.args(["-euo", "pipefail", "-c", &block])
                .current_dir(here)
                .env("PATH", &path)
                .env("HOME", here)
                .env("OBBLIGATO", env!("CARGO_BIN_EXE_obbligato"))
                .env("PROJECT", &project);
            let output = output_of(&mut bash);
            if !output.status.success() {
                let complaint = text(&output.stderr);
                failures += &format!("{}:{line}: {}\n{block}{complaint}\n", page.display(), output.status);
            }
            count += 1;
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(count > 25, "{count}");
}
