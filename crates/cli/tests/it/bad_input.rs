//! Bad input, and the program's messages about it.

use std::fs;

use tempfile::TempDir;

use super::program::{THREE, assert_failure, names, run, run_with_stdin, text};

const HEADER: &str = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw";

fn npy(kind: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    header += &" ".repeat(64 - (11 + header.len()) % 64);
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// Returns a folder with every file that the cases below name.
fn folder_of_inputs() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).expect("it can be written");
    let good = "0,0,0,1,1,1,0,0,0,1";
    let rows = |rows: &[&str]| format!("{HEADER}\n{}\n", rows.join("\n"));
    write("three.csv", THREE.as_bytes());
    write("empty.csv", b"");
    write("words.csv", rows(&[good, "0,0,zero,1,1,1,0,0,0,1"]).as_bytes());
    write("nan.csv", rows(&[good, good, "0,NaN,0,1,1,1,0,0,0,1"]).as_bytes());
    write("infinite.csv", rows(&["0,inf,0,1,1,1,0,0,0,1"]).as_bytes());
    write("negative.csv", rows(&[good, "0,0,0,1,-1,1,0,0,0,1"]).as_bytes());
    write("rotation.csv", rows(&[good, "0,0,0,1,1,1,0,0,0,1.1"]).as_bytes());
    write("short.csv", rows(&[good, "0,0,0,1,1,1,0,0,0"]).as_bytes());
    let quoted = format!("note,{HEADER}\nwall,{good}\n\"pipe,{good}\nduct,{good}\n");
    write("quote.csv", quoted.as_bytes());
    write("columns.csv", b"cx,cy,cz,hx,hy,hz,qx,qy,qz\n0,0,0,1,1,1,0,0,0\n");
    write(
        "kite.csv",
        b"x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max\n0,0,1,0,1,1,0,1,0,1\n0,0,1,0,1,1,0,2,0,1\n0,0,1,0,1,1,0,1,1,0\n",
    );
    write("twice.csv", format!("id,{HEADER}\n4,{good}\n4,{good}\n").as_bytes());
    write("frames.csv", format!("frame,{HEADER}\n0,{good}\n1,{good}\n").as_bytes());
    write("scene.txt", THREE.as_bytes());
    write("garbage.npy", b"not an array");
    write("double.npy", &npy("<f8", "False", "(1, 10)", &[0; 80]));
    write("nine.npy", &npy("<f4", "False", "(1, 9)", &[0; 36]));
    write("fortran.npy", &npy("<f4", "True", "(2, 10)", &[0; 80]));
    write("flat.npy", &npy("<f4", "False", "(10,)", &[0; 40]));
    write("cut.npy", &npy("<f4", "False", "(2, 10)", &[0; 44]));
    write("zeros.npy", &npy("<f4", "False", "(1, 10)", &[0; 40]));
    write("huge.npy", &npy("<f4", "False", "(99999999999999999, 10)", &[0; 40]));
    fs::create_dir(folder.path().join("folder.csv")).expect("a folder");
    folder
}

/// The arguments of a check of three boxes against a room.
macro_rules! room {
    ($($argument:literal),+) => {
        ["room", "three.csv", "--out", "o.csv", $($argument),+]
    };
}

/// Arguments, exit code, and words that the one line on stderr must contain.
const BAD: &[(&[&str], i32, &str)] = &[
    // The words on the command line.
    (&["frobnicate"], 2, "frobnicate"),
    (&["--frobnicate"], 2, "--frobnicate"),
    (&["check"], 2, "<FILE>"),
    (&["check", "three.csv", "three.csv"], 2, "three.csv"),
    (&["check", "three.csv", "--pairs"], 2, "--pairs"),
    (&["check", "three.csv", "--margin", "near"], 2, "--margin"),
    (
        &["check", "three.csv", "--margin", "-inf"],
        2,
        "the margin -inf is not a valid distance",
    ),
    (&["check", "three.csv", "--margin", "-nan"], 2, "margin"),
    (&["check", "three.csv", "--frame", "-x"], 2, "'-x' for '--frame <K>'"),
    (&["bench", "--frames", "-inf"], 2, "'-inf' for '--frames <K>'"),
    (&["verify", "--scene", "uniform", "--count", "-inf"], 2, "whole number"),
    (&["verify", "three.csv", "--determinism"], 2, "cannot be used with"),
    (&["verify", "three.csv", "--runs", "3"], 2, "cannot be used with"),
    (
        &["verify", "--determinism", "--runs", "0"],
        2,
        "a number of runs from 1",
    ),
    (&["soak", "--minutes", "inf"], 2, "a number of minutes above 0"),
    (&["soak", "--minutes", "1", "--large", "-1"], 2, "--large"),
    (&["check", "three.csv", "--against"], 2, "--against"),
    (&["check", "three.csv", "--precision", "double"], 2, "--precision"),
    (&["bench", "--plot"], 2, "--plot"),
    (&["room", "three.csv"], 2, "--min"),
    (&["check", "three.csv", "--backend", "tpu"], 2, "tpu"),
    (
        &["check", "three.csv", "--backend", "cpu", "--adapter", "x"],
        2,
        "--adapter",
    ),
    (&["check", "three.csv", "--frame", "first"], 2, "first"),
    (&["devices", "all"], 2, "all"),
    (&["generate", "uniform", "--count", "5"], 2, "--out"),
    (&["generate", "unicorn", "--count", "5", "--out", "o.csv"], 2, "unicorn"),
    (
        &["generate", "uniform", "--count", "5", "--seed", "-1", "--out", "o.csv"],
        2,
        "--seed",
    ),
    (
        &["generate", "uniform", "--count", "ten", "--out", "o.csv"],
        2,
        "whole number",
    ),
    (&["generate", "uniform", "--count", "", "--out", "o.csv"], 2, "--count"),
    (
        &["generate", "uniform", "--count", "1.5", "--out", "o.csv"],
        2,
        "whole number",
    ),
    (
        &["generate", "uniform", "--count", "-5", "--out", "o.csv"],
        2,
        "whole number",
    ),
    (
        &["generate", "uniform", "--count", "5\n\u{7}6", "--out", "o.csv"],
        2,
        "whole number",
    ),
    (
        &["generate", "uniform", "--count", "4294967296", "--out", "o.csv"],
        2,
        "at most",
    ),
    (
        &[
            "generate",
            "uniform",
            "--count",
            "9999999999999999999G",
            "--out",
            "o.csv",
        ],
        2,
        "at most",
    ),
    (&["bench", "--frames", "0"], 2, "--frames"),
    (&["bench", "--frames", "1.5"], 2, "--frames"),
    (&["bench", "--scene", "uniform,unicorn"], 2, "unicorn"),
    (&["--count", "10k", "check", "three.csv"], 2, "check"),
    (&["verify"], 2, "<FILE"),
    (&["verify", "--scene", "uniform"], 2, "--count"),
    (&["verify", "--count", "10"], 2, "--scene"),
    (
        &["verify", "three.csv", "--scene", "uniform", "--count", "10"],
        2,
        "--scene",
    ),
    (&["verify", "three.csv", "--seed", "1"], 2, "--seed"),
    (
        &["verify", "--scene", "uniform", "--count", "10", "--frame", "1"],
        2,
        "cannot be used with '--frame <K>'",
    ),
    (
        &["verify", "--adversarial", "10", "--frame", "1"],
        2,
        "cannot be used with '--frame <K>'",
    ),
    (
        &["verify", "--adversarial", "10", "--count", "3"],
        2,
        "cannot be used with '--count <N>'",
    ),
    // Destinations of results.
    (&["generate", "uniform", "--count", "5", "--out", "o.txt"], 2, "o.txt"),
    (&["generate", "uniform", "--count", "5", "--out", "o"], 2, "o: "),
    (
        &["generate", "uniform", "--count", "5", "--out", "none/o.csv"],
        2,
        "folder",
    ),
    (
        &["generate", "uniform", "--count", "5", "--out", "folder.csv"],
        2,
        "folder",
    ),
    (&["check", "three.csv", "--pairs", "p.json"], 2, "p.json"),
    (&["check", "three.csv", "--marks", "none/m.csv"], 2, "none/m.csv"),
    (&["check", "three.csv", "--rows", "none/r"], 2, "none/r"),
    (&["check", "three.csv", "--json", "none/j.json"], 2, "none/j.json"),
    (&["check", "three.csv", "--json", "folder.csv"], 2, "folder.csv"),
    (&["check", "three.csv", "--json", ""], 2, "--json"),
    (&["check", "three.csv", "--pairs", "./three.csv"], 2, "input"),
    (
        &["check", "three.csv", "--pairs", "o.csv", "--marks", "./o.csv"],
        2,
        "two outputs",
    ),
    (
        &["check", "three.csv", "--marks", "r.offsets.npy", "--rows", "r"],
        2,
        "two outputs",
    ),
    (&["bench", "--count", "10", "--csv", "none/b.csv"], 2, "none/b.csv"),
    (
        &["bench", "--count", "10", "--csv", "b", "--json", "b"],
        2,
        "two outputs",
    ),
    (&["bench", "--count", "10", "--plot", "none/p.svg"], 2, "none/p.svg"),
    (&["bench", "--count", "10", "--plot", "p.png"], 2, "p.png"),
    (&["bench", "--count", "10", "--plot", "folder.csv"], 2, "folder"),
    (
        &["bench", "--count", "10", "--plot", "p.svg", "--csv", "./p.svg"],
        2,
        "two outputs",
    ),
    (&["verify", "three.csv", "--replay-out", "r.txt"], 2, "r.txt"),
    (&room!("--min", "0,0", "--max", "1,1,1"), 2, "three numbers"),
    (&room!("--min", "0,0,x", "--max", "1,1,1"), 2, "3 numbers"),
    (&room!("--min", "0,0,0", "--max", "1,1,-1"), 2, "min above its max"),
    (&room!("--min", "0,0,0", "--max", "1,1,0"), 2, "no extent"),
    (&room!("--min", "0,nan,0", "--max", "1,1,1"), 2, "NaN"),
    (&room!("--min", "-1e19,0,0", "--max", "1,1,1"), 2, "beyond"),
    (
        &room!("--min", "0,0,0", "--max", "1,1,1", "--rotation", "0,0,1"),
        2,
        "4 numbers",
    ),
    (
        &room!("--min", "0,0,0", "--max", "1,1,1", "--rotation", "0,0,1,1"),
        2,
        "--rotation: the room has a rotation",
    ),
    (&room!("--min", "0,0,0", "--max", "1,1,1", "--frame", "3"), 2, "--frame"),
    (
        &[
            "room",
            "three.csv",
            "--min",
            "0,0,0",
            "--max",
            "1,1,1",
            "--out",
            "o.npy",
        ],
        2,
        "name it .csv",
    ),
    (
        &[
            "room",
            "three.csv",
            "--min",
            "0,0,0",
            "--max",
            "1,1,1",
            "--out",
            "three.csv",
        ],
        2,
        "input",
    ),
    (
        &["room", "nan.csv", "--min", "0,0,0", "--max", "1,1,1", "--out", "o.csv"],
        2,
        "line 4",
    ),
    // Contents of files.
    (&["check", "none.csv"], 2, "none.csv"),
    (&["check", "none.npy"], 2, "none.npy"),
    (&["check", "folder.csv"], 2, "folder.csv"),
    (&["check", "scene.txt"], 2, "scene.txt"),
    (&["check", "empty.csv"], 2, "empty.csv"),
    (&["check", "words.csv"], 2, "words.csv"),
    (
        &["check", "nan.csv", "--pairs", "p.csv", "--json", "j.json"],
        2,
        "line 4",
    ),
    (&["check", "infinite.csv"], 2, "infinite.csv"),
    (&["check", "negative.csv"], 2, "line 3"),
    (&["check", "rotation.csv"], 2, "line 3"),
    (&["check", "short.csv"], 2, "short.csv"),
    (&["check", "columns.csv"], 2, "qw"),
    (
        &["check", "kite.csv"],
        2,
        "line 3 has corners that do not form a rectangle",
    ),
    (&["check", "kite.csv"], 2, "(2 bad rows in all)"),
    (&["check", "twice.csv"], 2, "twice.csv"),
    (&["check", "frames.csv", "--frame", "7"], 2, "frames.csv"),
    (&["check", "garbage.npy"], 2, "garbage.npy"),
    (&["check", "double.npy"], 2, "double.npy"),
    (&["check", "nine.npy"], 2, "nine.npy"),
    (&["check", "fortran.npy"], 2, "fortran.npy"),
    (&["check", "flat.npy"], 2, "flat.npy"),
    (&["check", "cut.npy"], 2, "cut.npy"),
    (&["check", "zeros.npy"], 2, "row 0"),
    (&["check", "huge.npy"], 2, "huge.npy"),
    (&["verify", "nan.csv"], 2, "nan.csv"),
    (&["check", "quote.csv"], 2, "quote.csv: line 3 opens a quote"),
    (&["check", "three.csv", "--against", "quote.csv"], 2, "line 3 opens"),
    (&["verify", "quote.csv"], 2, "line 3 opens"),
    (
        &[
            "room",
            "quote.csv",
            "--min",
            "0,0,0",
            "--max",
            "1,1,1",
            "--out",
            "o.csv",
        ],
        2,
        "line 3 opens",
    ),
];

#[test]
fn bad_input_is_one_line_and_an_exit_code() {
    let folder = folder_of_inputs();
    let before = names(folder.path());
    for (arguments, code, words) in BAD {
        let name = format!("{arguments:?}");
        let output = run(folder.path(), arguments);
        assert_failure(&name, &output, *code, words);
        assert_eq!(names(folder.path()), before, "{name} leaves files");
        assert_eq!(text(&output.stdout), "", "{name}");
    }
}

#[test]
fn messages_quote_only_excerpts() {
    let folder = folder_of_inputs();
    let here = folder.path();
    let long = "9".repeat(60_000);
    let write = |name: &str, content: &[u8]| fs::write(here.join(name), content).expect("it can be written");
    write("type.npy", &npy(&long, "False", "(1, 10)", &[0; 40]));
    write("order.npy", &npy("<f4", &long, "(1, 10)", &[0; 40]));
    write(
        "shape.npy",
        &npy("<f4", "False", &format!("({}10)", "1, ".repeat(20_000)), &[0; 40]),
    );
    write("field.csv", format!("{HEADER}\n{long},0,0,1,1,1,0,0,0,1\n").as_bytes());
    write("utf8.csv", &[long.as_bytes(), b"\xff,cx\n"].concat());
    let with_ending = |ending: &str| format!("{long}.{ending}");
    let (csv, npy, svg) = (with_ending("csv"), with_ending("npy"), with_ending("svg"));
    let option = format!("--{long}");
    let room = ["room", "three.csv", "--out", "o.csv", "--max", "1,1,1", "--min", &long];
    let generate = ["generate", "uniform", "--out", "o.csv", "--count"];
    let cases: [&[&str]; 29] = [
        &[&long],
        &[&option],
        &["check", &long],
        &["check", &csv],
        &["check", &npy],
        &["check", "three.csv", &long],
        &["check", "three.csv", "--against", &csv],
        &["check", "three.csv", "--frame", &long],
        &["check", "three.csv", "--margin", &long],
        &["check", "three.csv", "--precision", &long],
        &["check", "three.csv", "--backend", &long],
        &["check", "three.csv", "--adapter", &long, "--backend", "cpu"],
        &["check", "three.csv", "--pairs", &csv],
        &["check", "three.csv", "--pairs", &long],
        &["check", "three.csv", "--rows", &long],
        &["check", "three.csv", "--json", &long],
        &["check", "type.npy"],
        &["check", "order.npy"],
        &["check", "shape.npy"],
        &["check", "field.csv"],
        &["check", "utf8.csv"],
        &[&generate[..], &[&long]].concat(),
        &["generate", &long, "--count", "5", "--out", "o.csv"],
        &["bench", "--scene", &long],
        &["bench", "--count", &long],
        &["bench", "--plot", &long],
        &["bench", "--plot", &svg],
        &["verify", "--adversarial", &long],
        &room,
    ];
    for arguments in cases {
        let name: Vec<&str> = arguments.iter().map(|word| &word[..word.len().min(20)]).collect();
        let output = run(here, arguments);
        assert_failure(&format!("{name:?}"), &output, 2, "");
        assert!(output.stderr.len() < 1000, "{name:?}: {} bytes", output.stderr.len());
    }
    let output = run(here, &["check", "three.csv", "--adapter", &long]);
    assert_failure("adapter", &output, 3, "... (59802 characters) ...9");
}

#[test]
fn a_missing_adapter_is_a_device_failure() {
    let folder = folder_of_inputs();
    let before = names(folder.path());
    let check = ["check", "three.csv", "--pairs", "p.csv"];
    let bench = ["bench", "--count", "10", "--json", "j.json"];
    let verify = ["verify", "three.csv", "--backend", "gpu"];
    let room = room!("--min", "0,0,0", "--max", "1,1,1", "--backend", "gpu");
    for arguments in [&check[..], &bench, &verify, &room] {
        let arguments = [arguments, &["--adapter", "no such adapter"]].concat();
        let output = run(folder.path(), &arguments);
        assert_failure(&format!("{arguments:?}"), &output, 3, "no such adapter");
        assert_eq!(names(folder.path()), before, "{arguments:?} leaves files");
    }
}

#[test]
fn bad_stdin_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = run_with_stdin(folder.path(), &["check", "-"], "cx,cy\n1,2\n");
    assert_failure("bad stdin", &output, 2, "stdin");
}
