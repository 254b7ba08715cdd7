//! Disks that are full at any write of any output: an error of one line, and no file, whole or in
//! part. Files that were there stay as they are.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::program::{COMMANDS, assert_failure, command, names, succeed, text};
use crate::processes::output_of;

/// Commands with every output in every format.
const WRITERS: [&str; 48] = [
    "check s.csv --pairs o.csv",
    "check s.csv --pairs o.npy",
    "check s.csv --pairs o.parquet",
    "check s.csv --marks o.csv",
    "check s.csv --marks o.npy",
    "check s.csv --marks o.parquet",
    "check s.csv --rows o",
    "check s.csv --contacts o.csv",
    "check s.csv --margin 1 --distances o.csv",
    "check s.csv --clashes o.csv",
    "check s.csv --volumes o.csv",
    "check s.csv --html o.html",
    "check s.csv --json o.json",
    "check few.csv --id-column guid --bcf o.bcf",
    "check few.csv --id-column guid --bcf old.bcf",
    "sweep s.csv --dt 1 --impacts o.csv",
    "sweep s.csv --dt 1 --margin 1 --approach o.csv",
    "sweep s.csv --dt 1 --json o.json",
    "track f.csv --events o.csv",
    "track f.csv --contacts o.csv",
    "track f.csv --json o.json",
    "neighbours s.csv --k 3 --out o.csv",
    "neighbours s.csv --k 3 --out o.npy",
    "room s.csv --min 0,0,0 --max 9,9,9 --out o.csv",
    "fit points.csv --out o.csv",
    "solids points.csv --pairs o.csv",
    "solids points.csv --pairs o.npy",
    "solids points.csv --margin 1 --distances o.csv",
    "solids points.csv --json o.json",
    "mesh m.obj --pairs o.csv",
    "mesh m.obj --pairs o.npy",
    "mesh m.obj --pairs o.parquet",
    "mesh m.obj --json o.json",
    "mesh m.obj --inside list.csv --out o.csv",
    "mesh --scene m.obj --clashes o.csv",
    "mesh --scene m.obj --bcf o.bcf",
    "render s.csv --size 640x480 --out o.png",
    "render s.csv --out o.glb",
    "generate dense --count 400 --out o.csv",
    "generate dense --count 400 --out o.npy",
    "generate dense --count 400 --out o.parquet",
    "verify s.csv --json o.json",
    "verify s.csv --html o.html",
    "bench s.csv --frames 2 --no-verify --json o.json",
    "bench s.csv --frames 2 --no-verify --html o.html",
    "bench s.csv --frames 2 --no-verify --csv o.csv",
    "bench s.csv --frames 2 --no-verify --samples o.csv",
    "bench s.csv --frames 2 --no-verify --plot o.svg",
];

/// An output that takes too long for this test.
const OTHER: &str = "soak --json";

/// Runs the program with files of at most this many blocks.
pub fn limited(here: &Path, blocks: u32, words: &str) -> Output {
    let mut command = Command::new("sh");
    let script = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_obbligato")])
        .args(words.split(' '));
    let without_backend = ["generate", "fit"];
    if !without_backend.iter().any(|name| words.starts_with(name)) {
        command.args(["--backend", "cpu"]);
    }
    output_of(command.arg("--quiet").current_dir(here))
}

/// Writes the files that the commands read.
fn write_inputs(here: &Path) {
    let write = |name: &str, content: String| fs::write(here.join(name), content).expect("it can be written");
    succeed(here, &["generate", "dense", "--count", "400", "--out", "s.csv"]);
    let scene = fs::read_to_string(here.join("s.csv")).expect("it is there");
    let (header, rows) = scene.split_once('\n').expect("rows");
    let (mut named, mut frames) = (format!("guid,{header}\n"), format!("frame,id,{header}\n"));
    let (mut points, mut list) = ("id,x,y,z\n".to_owned(), "x,y,z\n".to_owned());
    let mut mesh = String::new();
    for (k, row) in rows.lines().enumerate() {
        let _ = writeln!(named, "{k:0>22},{row}");
        let _ = writeln!(frames, "{},{k},{row}", k % 2);
        let _ = writeln!(list, "{k},0.5,0.5");
        let at = 0.4 * k as f32;
        let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
        for [x, y, z] in corners {
            let _ = writeln!(points, "{k},{},{y},{z}", at + x as f32);
        }
        // A picture for each clash takes time.
        if k >= 60 {
            continue;
        }
        let _ = writeln!(mesh, "o {k:0>22}");
        for [x, y, z] in corners {
            let _ = writeln!(mesh, "v {} {y} {z}", at + x as f32);
        }
        for [a, b, c] in [[1, 3, 2], [1, 2, 4], [2, 3, 4], [1, 4, 3]] {
            let _ = writeln!(mesh, "f {} {} {}", 4 * k + a, 4 * k + b, 4 * k + c);
        }
    }
    for (name, count) in [("few.csv", 80), ("fewer.csv", 40)] {
        let few: Vec<&str> = named.lines().take(count).collect();
        write(name, few.join("\n"));
    }
    write("f.csv", frames);
    write("points.csv", points);
    write("list.csv", list);
    write("m.obj", mesh);
    let archive = "check fewer.csv --id-column guid --backend cpu --bcf old.bcf";
    succeed(here, &archive.split(' ').collect::<Vec<&str>>());
}

#[test]
fn a_disk_that_is_full_at_any_write_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write_inputs(here);
    let before = names(here);
    let old = fs::read(here.join("old.bcf")).expect("it is there");
    let mut full = 0;
    for words in WRITERS {
        let mut filled = 0;
        for blocks in [0, 1, 8, 100_000] {
            let output = limited(here, blocks, words);
            if output.status.code() == Some(0) {
                assert_eq!(text(&output.stderr), "", "{words}, {blocks}");
                let written = names(here).into_iter().filter(|name| !before.contains(name));
                for name in written {
                    fs::remove_file(here.join(name)).expect("it is ours");
                }
                fs::write(here.join("old.bcf"), &old).expect("it can be written");
                continue;
            }
            filled += 1;
            assert!(blocks < 100_000, "{words}: {}", text(&output.stderr));
            assert_failure(&format!("{words}, {blocks}"), &output, 2, "cannot be written");
            assert_eq!(names(here), before, "{words}, {blocks}");
            assert!(fs::read(here.join("old.bcf")).is_ok_and(|now| now == old), "{words}");
        }
        assert!(filled > 0, "{words}: no disk was full");
        full += filled;
    }
    println!("{full} full disks");
}

/// Returns the options of a command that write a file, from its help.
fn outputs_of(help: &str) -> Vec<&str> {
    let mut lines = help.lines().peekable();
    let mut outputs = Vec::new();
    while let Some(line) = lines.next() {
        let Some(option) = line.trim_start().strip_prefix("--") else {
            continue;
        };
        let Some((name, rest)) = option.split_once(" <") else {
            continue;
        };
        let described = rest.split_once('>').map_or("", |(_, after)| after.trim());
        let described = match described {
            "" => lines.peek().map_or("", |next| next.trim()),
            described => described,
        };
        if described.starts_with("Write ") || described.contains(" to write") {
            outputs.push(name);
        }
    }
    outputs
}

#[test]
fn every_output_is_written_to_a_full_disk() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut missing = BTreeSet::new();
    let mut outputs = 0;
    for name in COMMANDS {
        let help = output_of(&mut command(folder.path(), &[name, "--help"]));
        for option in outputs_of(text(&help.stdout)) {
            outputs += 1;
            let is_written = WRITERS
                .iter()
                .any(|words| words.starts_with(name) && words.contains(&format!(" --{option} ")));
            let named = format!("{name} --{option}");
            if !is_written && named != OTHER {
                missing.insert(named);
            }
        }
    }
    assert!(missing.is_empty(), "not in the table: {missing:?}");
    assert!(outputs > 35, "only {outputs} outputs are in the help");
}
