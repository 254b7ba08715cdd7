//! A machine with too little memory: the program ends with an error, and is not killed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::damaged::samples::samples;
use super::program::{THREE, assert_failure, names, succeed, text};
use crate::processes::{ended, output_of};

/// Returns a command that runs the program with an address space of `bytes` bytes.
fn limited(folder: &Path, bytes: u64, arguments: &[&str]) -> Command {
    let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", bytes / 1024);
    let mut command = Command::new("sh");
    command
        .args(["-c", &limited, env!("CARGO_BIN_EXE_obbligato")])
        .args(arguments)
        .env("RAYON_NUM_THREADS", "2")
        .current_dir(folder);
    command
}

/// Runs the program with an address space of `bytes` bytes.
fn run_in(folder: &Path, bytes: u64, arguments: &[&str]) -> Output {
    output_of(&mut limited(folder, bytes, arguments))
}

#[test]
fn boxes_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = [
        "bench",
        "--scene",
        "uniform",
        "--count",
        "3M",
        "--backend",
        "cpu",
        "--frames",
        "1",
        "--no-verify",
    ];
    // There is room for 144 MB of boxes, but not for 300 MB of grid.
    let output = run_in(folder.path(), 500 << 20, &arguments);
    assert_failure("boxes", &output, 3, "bytes for the broad phase");
}

#[test]
fn pairs_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // All boxes meet all others: 72 million pairs, 576 MB.
    let mut rows = String::from("cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n");
    for i in 0..12_000 {
        writeln!(rows, "{},0,0,100,100,100,0,0,0,1", f64::from(i) / 1000.0).expect("a string");
    }
    fs::write(folder.path().join("stack.csv"), rows).expect("a file");
    let output = run_in(
        folder.path(),
        400 << 20,
        &["check", "stack.csv", "--backend", "cpu", "--pairs", "pairs.npy"],
    );
    assert_failure("pairs", &output, 3, "bytes for the pairs");
    // Results that list no pair need no memory for them.
    for output in [&[][..], &["--json", "stack.json"], &["--marks", "stack.npy"]] {
        let arguments = [&["check", "stack.csv", "--backend", "cpu"], output].concat();
        let counted = run_in(folder.path(), 200 << 20, &arguments);
        assert_eq!(
            (counted.status.code(), text(&counted.stderr)),
            (Some(0), ""),
            "{output:?}"
        );
        assert!(text(&counted.stdout).contains("71_994_000"), "{output:?}: {counted:?}");
    }
}

#[test]
fn tables_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = "0,0,0,1,1,1,0,0,0,1\n".repeat(2000);
    let scene = format!("cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n{rows}");
    fs::write(folder.path().join("spot.csv"), scene).expect("a file");
    // The two million pairs fit, but not the results about each.
    for table in ["--distances", "--contacts"] {
        let arguments = [
            "check",
            "spot.csv",
            "--backend",
            "cpu",
            "--margin",
            "1",
            table,
            "table.csv",
        ];
        let output = run_in(folder.path(), 200 << 20, &arguments);
        assert_failure(table, &output, 3, "cannot allocate");
        assert!(!folder.path().join("table.csv").exists(), "{table}");
    }
}

#[test]
fn files_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = "0,0,0,1,1,1,0,0,0,1\n".repeat(1_000_000);
    let scene = format!("cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n{rows}");
    fs::write(folder.path().join("many.csv"), scene).expect("a file");
    let output = run_in(folder.path(), 50 << 20, &["check", "many.csv", "--backend", "cpu"]);
    assert_failure("rows", &output, 3, "bytes for the rows of a table");
}

/// A file of 1,844 bytes with dictionaries of hundreds of millions of values, by their headers.
#[test]
fn pages_that_announce_more_than_they_have_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let collected = include_bytes!("../../../../fuzz/corpus/parquet/3ecb52dc784f");
    fs::write(folder.path().join("s.parquet"), collected).expect("a file");
    let output = run_in(folder.path(), 400 << 20, &["check", "s.parquet", "--backend", "cpu"]);
    assert_failure("a dictionary", &output, 2, "s.parquet: cannot be read as Parquet");
    let errors = text(&output.stderr);
    assert!(errors.contains(" bytes announces "), "{errors}");
}

#[test]
fn endless_input_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let child = limited(folder.path(), 400 << 20, &["check", "-", "--backend", "cpu"])
        .stdin(fs::File::open("/dev/zero").expect("zeros"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let output = ended(child.expect("a shell starts"));
    assert_failure(
        "zeros",
        &output,
        2,
        "stdin: line 1 begins a row that is longer than 16 MiB",
    );
}

/// Runs the program with a limit that may be too little at any point, and returns its exit code, if
/// it has begun.
fn ends_orderly(here: &Path, kilobytes: u64, arguments: &[&str]) -> Option<i32> {
    let what = format!("{kilobytes} KB, {arguments:?}");
    let output = run_in(here, kilobytes << 10, arguments);
    let (code, errors) = (output.status.code(), String::from_utf8_lossy(&output.stderr));
    // Before the program has begun, its loader and the C library end it in this way, or the
    // standard library, whose first allocation is for the stack of the main thread's signals. Both
    // libraries also do so where a thread begins.
    let signal_stack = errors.contains("thread 'main'") && errors.contains("failed to allocate an alternative stack");
    let by_libraries = [
        "error while loading shared libraries",
        "Fatal glibc error",
        "memory allocation of ",
    ];
    if signal_stack || by_libraries.iter().any(|words| errors.contains(words)) {
        return None;
    }
    if output.status.signal() == Some(libc::SIGSEGV) {
        // The system has too little memory for loading the program. Next to the limit that depends
        // on the addresses, which differ from run to run.
        let is_killed = |_| {
            let version = run_in(here, kilobytes << 10, &["--version"]);
            version.status.signal() == Some(libc::SIGSEGV)
        };
        assert!((0..30).any(is_killed), "{what}: {errors}");
        return None;
    }
    assert_eq!(output.status.signal(), None, "{what}: {errors}");
    assert_ne!(code, Some(101), "{what}: {errors}");
    if code == Some(3) {
        assert_failure(&what, &output, 3, "cannot allocate");
    }
    code
}

/// Returns the number of kilobytes with which the program begins: it depends on its size.
fn enough_to_begin(here: &Path) -> u64 {
    let begins = |&kilobytes: &u64| run_in(here, kilobytes << 10, &["--version"]).status.success();
    (10_000..200_000).step_by(500).find(begins).expect("it begins")
}

#[test]
fn no_memory_limit_causes_a_panic() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("three.csv"), THREE).expect("a file");
    // From too little for loading the program to enough: memory may run out at any point in
    // between.
    let check = ["check", "three.csv", "--backend", "cpu"];
    let limits = (10_000..44_000).step_by(100);
    let ended: Vec<i32> = limits
        .filter_map(|kilobytes| ends_orderly(folder.path(), kilobytes, &check))
        .collect();
    assert!(ended.contains(&3) && ended.last() == Some(&0), "{ended:?}");
}

/// Commands with files and outputs of all formats.
const COMMANDS: [&str; 16] = [
    "check s.csv.gz --backend cpu --pairs o.csv --rows o --html o.html",
    "check s.csv --backend cpu --contacts o.csv --clashes o2.csv --group near --volumes o3.csv",
    "check s.csv --backend cpu --id-column guid --bcf o.bcf --where a.guid!=b.guid",
    "check s.npy --backend cpu --pairs o.npy --marks o2.npy",
    "check s.parquet --backend cpu --pairs o.csv",
    "check s.npy --backend cpu --memory 256MB --work o --pairs o.csv --quiet",
    "sweep s.csv --backend cpu --dt 1 --impacts o.csv",
    "neighbours s.csv --backend cpu --k 2 --out o.csv",
    "mesh s.obj --backend cpu --pairs o.csv",
    "mesh s.stl s.ply --backend cpu --pairs o.parquet",
    "mesh s.glb --backend cpu --inside list.csv --out o.csv",
    "mesh s.gltf --backend cpu --json o.json",
    "render s.csv --backend cpu --size 64x64 --out o.png",
    "render s.obj --backend cpu --out o.glb",
    "solids points.csv --backend cpu --margin 1 --distances o.csv",
    "fit points.csv --out o.csv",
];

#[test]
fn no_memory_limit_causes_a_panic_of_other_commands() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for (format, content) in samples(here) {
        fs::write(here.join(format!("s.{format}")), content).expect("a file");
    }
    let named = THREE.replace("id,", "guid,").lines().fold(String::new(), |text, line| {
        let (id, rest) = line.split_once(',').expect("columns");
        let digits = if id == "guid" {
            id.to_owned()
        } else {
            format!("{id:0>22}")
        };
        text + &format!("{digits},{rest}\n")
    });
    fs::write(here.join("s.csv"), named).expect("a file");
    fs::write(
        here.join("points.csv"),
        "id,x,y,z\n1,0,0,0\n1,1,0,0\n2,0.5,0,0\n2,0,1,2\n",
    )
    .expect("a file");
    let inputs = names(here);
    let (begins, mut refused, mut unfinished) = (enough_to_begin(here), 0, BTreeSet::new());
    for (k, words) in COMMANDS.iter().enumerate() {
        let words: Vec<&str> = words.split(' ').collect();
        let limits = (begins + 30 * k as u64..begins + 8000).step_by(500);
        for kilobytes in limits {
            let code = ends_orderly(here, kilobytes, &words);
            assert!(
                matches!(code, None | Some(0 | 3)),
                "{kilobytes} KB, {words:?}: {code:?}"
            );
            refused += usize::from(code == Some(3));
            let left: Vec<String> = names(here).difference(&inputs).cloned().collect();
            let is_unfinished = |name: &String| name.ends_with(".tmp");
            unfinished.extend(left.iter().filter(|name| is_unfinished(name)).cloned());
            // The work of a check from disk stays. Unfinished files are for the last run.
            for name in left.iter().filter(|name| name.as_str() != "o" && !is_unfinished(name)) {
                fs::remove_file(here.join(name)).expect("it is ours");
            }
        }
    }
    // A file cannot be removed while the list of such files is in use.
    assert!(
        refused > 20 && unfinished.len() * 10 < refused,
        "{refused} refused, {unfinished:?}"
    );
    succeed(here, &["check", "s.csv", "--backend", "cpu", "--pairs", "o.csv"]);
    let left: Vec<String> = names(here).into_iter().filter(|name| name.ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn checks_run_without_threads_that_cannot_start() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("three.csv"), THREE).expect("a file");
    // There is no room for one more thread, for a few of them, and for half of them.
    for megabytes in [60, 400, 5000] {
        let check = ["check", "three.csv", "--backend", "cpu"];
        let mut command = limited(folder.path(), megabytes << 20, &check);
        let output = output_of(command.env("RAYON_NUM_THREADS", "64"));
        let errors = text(&output.stderr);
        assert_eq!((output.status.code(), errors), (Some(0), ""), "{megabytes} MB");
        assert!(
            text(&output.stdout).contains("colliding pairs  1"),
            "{megabytes} MB: {output:?}"
        );
    }
}
