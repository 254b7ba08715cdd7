//! Destinations of results: links are followed, pipes and devices written to, and places that
//! accept no file reported before the work.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::program::{THREE, assert_failure, names, run, succeed};
use crate::processes::{ended, output_of};

const PAIRS: &str = "a,b\n5,70\n";

#[test]
fn impossible_file_names_are_refused_before_the_work() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("file"), "").expect("it can be written");
    let long = "x".repeat(300);
    let within = "x".repeat(245);
    let cases = [
        ("--json", format!("{long}.json")),
        ("--pairs", format!("{long}.csv")),
        ("--marks", format!("{long}.npy")),
        // Valid alone, but not with the appended extensions.
        ("--rows", within.clone()),
        ("--json", "file/j.json".to_owned()),
    ];
    for (option, name) in cases {
        // The missing input would be noticed first if the work had begun.
        let output = run(here, &["check", "none.csv", option, &name]);
        assert_failure(option, &output, 2, &name[..4]);
        assert_failure(option, &output, 2, "folder");
    }
    let output = run(here, &["bench", "--count", "10", "--csv", &format!("{long}.csv")]);
    assert_failure("bench", &output, 2, "cannot be written");
    // Temporary names are short: a name may be as long as the system takes.
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    let json = format!("{within}.json");
    succeed(here, &["check", "three.csv", "--backend", "cpu", "--json", &json]);
    assert_eq!(names(here), ["file", "three.csv", &json].map(String::from).into());
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_folders_are_refused_before_the_work() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Nobody can create a file there, not even the superuser.
    let outputs = [
        ["--json", "/sys/j.json"],
        ["--pairs", "/sys/p.csv"],
        ["--marks", "/sys/m.npy"],
        ["--contacts", "/sys/c.csv"],
        ["--rows", "/sys/r"],
    ];
    for output in outputs {
        let failed = run(folder.path(), &[&["check", "none.csv"], &output[..]].concat());
        assert_failure(output[0], &failed, 2, "/sys/");
        assert_failure(output[0], &failed, 2, "cannot be written");
    }
    let generate = ["generate", "uniform", "--count", "4G", "--out", "/sys/s.npy"];
    assert_failure(
        "generate",
        &run(folder.path(), &generate),
        2,
        "/sys/s.npy: cannot be written",
    );
    let room = [
        "room",
        "none.csv",
        "--min",
        "0,0,0",
        "--max",
        "1,1,1",
        "--out",
        "/sys/w.csv",
    ];
    assert_failure("room", &run(folder.path(), &room), 2, "/sys/w.csv: cannot be written");
    let verify = ["verify", "none.csv", "--replay-out", "/sys/r.csv"];
    assert_failure(
        "verify",
        &run(folder.path(), &verify),
        2,
        "/sys/r.csv: cannot be written",
    );
}

/// Runs a command of the system.
#[cfg(unix)]
fn system(folder: &Path, words: &[&str]) {
    let output = output_of(Command::new(words[0]).args(&words[1..]).current_dir(folder));
    assert!(output.status.success(), "{words:?}");
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    fs::create_dir(here.join("results")).expect("a folder");
    fs::write(here.join("results/old.csv"), "old").expect("it can be written");
    for (link, to) in [
        ("chain.csv", "link.csv"),
        ("link.csv", "results/old.csv"),
        ("new.csv", "results/new.csv"),
        ("j.json", "results/j.json"),
        ("null.csv", "/dev/null"),
        ("none.csv", "none/none.csv"),
        ("circle.csv", "circle.csv"),
    ] {
        std::os::unix::fs::symlink(to, here.join(link)).expect("a link");
    }
    let before = names(here);
    let check = ["check", "three.csv", "--backend", "cpu"];
    let outputs = [
        "--pairs",
        "chain.csv",
        "--marks",
        "new.csv",
        "--json",
        "j.json",
        "--contacts",
        "null.csv",
    ];
    succeed(here, &[&check[..], &outputs].concat());
    assert_eq!(names(here), before);
    for link in &before {
        let is_link = here.join(link).is_symlink();
        assert_eq!(is_link, !["three.csv", "results"].contains(&link.as_str()), "{link}");
    }
    let written = |name: &str| fs::read_to_string(here.join("results").join(name)).expect("the file is there");
    assert_eq!(written("old.csv"), PAIRS);
    assert_eq!(written("new.csv"), "id,degree\n70,1\n5,1\n9,0\n");
    assert!(written("j.json").starts_with('{'));
    assert_eq!(names(&here.join("results")).len(), 3);

    for (outputs, words) in [
        (
            &["--pairs", "none.csv"][..],
            "none.csv: is in a folder that does not exist",
        ),
        (&["--pairs", "circle.csv"], "circle.csv: cannot be written"),
        (&["--pairs", "new.csv", "--marks", "results/new.csv"], "two outputs"),
        (&["--pairs", "link.csv", "--marks", "chain.csv"], "two outputs"),
    ] {
        assert_failure(words, &run(here, &[&check[..], outputs].concat()), 2, words);
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_written_to() {
    use std::os::unix::fs::FileTypeExt;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    system(here, &["mkfifo", "pipe.csv"]);
    std::os::unix::fs::symlink("pipe.csv", here.join("link.csv")).expect("a link");
    for pipe in ["pipe.csv", "link.csv"] {
        let mut reader = Command::new("cat")
            .arg("pipe.csv")
            .current_dir(here)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a reader");
        let output = run(here, &["check", "three.csv", "--backend", "cpu", "--pairs", pipe]);
        let is_pipe = fs::metadata(here.join(pipe)).is_ok_and(|found| found.file_type().is_fifo());
        if !is_pipe {
            // It would wait for ever.
            reader.kill().expect("it runs");
        }
        let read = ended(reader);
        assert!(is_pipe && output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&read.stdout), PAIRS);
    }
    assert_eq!(
        names(here),
        ["link.csv", "pipe.csv", "three.csv"].map(String::from).into()
    );
}

/// An output replaces the file of its name, however the name is spelled, and keeps its permissions.
#[cfg(target_os = "linux")]
#[test]
fn a_longer_file_is_replaced_under_any_spelling_of_its_name() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    fs::create_dir(here.join("sub")).expect("a folder");
    std::os::unix::fs::symlink("long.csv", here.join("link.csv")).expect("a link");
    std::os::unix::fs::symlink(".", here.join("7")).expect("a link");
    let absolute = here.join("long.csv").display().to_string();
    let spellings = [
        "long.csv",
        "./long.csv",
        "sub/../long.csv",
        "link.csv",
        "7/long.csv",
        &absolute,
        &format!("/{absolute}"),
        "/proc/self/cwd/long.csv",
        "/proc/self/cwd/link.csv",
        "/proc/self/cwd/7/7/long.csv",
        "//proc//self/./cwd/long.csv",
        "/proc/../proc/self/cwd/sub/../long.csv",
        "/proc/thread-self/cwd/long.csv",
        &format!("/proc/self/root{absolute}"),
    ];
    for mode in [0o600, 0o640, 0o644, 0o755, 0o444] {
        for name in spellings {
            fs::remove_file(here.join("long.csv")).ok();
            fs::write(here.join("long.csv"), "old,line\n".repeat(2000)).expect("it can be written");
            fs::set_permissions(here.join("long.csv"), fs::Permissions::from_mode(mode)).expect("it is ours");
            let check = ["check", "three.csv", "--backend", "cpu", "--pairs", name];
            succeed(here, &check);
            assert_eq!(
                fs::read_to_string(here.join("long.csv")).expect("there"),
                PAIRS,
                "{name}"
            );
            let found = fs::metadata(here.join("long.csv")).expect("there").permissions().mode();
            assert_eq!(found & 0o7777, mode, "{name}");
            let again = run(here, &[&check[..], &["--marks", "long.csv"]].concat());
            assert_failure(name, &again, 2, "is named for two outputs");
        }
    }
    let left = ["three.csv", "sub", "link.csv", "7", "long.csv"];
    assert_eq!(names(here), left.map(String::from).into());
}

/// A file that is already open is written at its current position: at its end if it appends.
#[cfg(target_os = "linux")]
#[test]
fn open_files_are_written_at_their_position() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    let program = env!("CARGO_BIN_EXE_obbligato");
    for descriptor in ["/dev/fd/3", "/proc/self/fd/3", "/proc/thread-self/fd/3", "//dev/./fd/3"] {
        let words = format!("'{program}' check three.csv --backend cpu --pairs {descriptor}");
        for (script, expected) in [
            (format!("{words} 3> f.csv"), PAIRS.to_owned()),
            (format!("{words} 3>> f.csv"), format!("before\n{PAIRS}")),
            (
                format!("( echo first >&3; {words}; echo last >&3 ) 3> f.csv"),
                format!("first\n{PAIRS}last\n"),
            ),
        ] {
            fs::write(here.join("f.csv"), "before\n").expect("it can be written");
            system(here, &["sh", "-c", &script]);
            assert_eq!(
                fs::read_to_string(here.join("f.csv")).expect("there"),
                expected,
                "{script}"
            );
        }
    }
    let output = run(
        here,
        &["check", "three.csv", "--backend", "cpu", "--pairs", "/dev/fd/987"],
    );
    assert_failure("none is open", &output, 2, "/dev/fd/987: cannot be written");
}

/// All files of a call differ, including those that it keeps for itself.
#[test]
fn a_pipeline_cache_is_a_separate_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("x.csv"), THREE).expect("it can be written");
    fs::create_dir(here.join("sub")).expect("a folder");
    let commands: [(&str, &[&str]); 12] = [
        ("bench --count 10", &["--json", "--csv"]),
        (
            "check x.csv",
            &["--pairs", "--marks", "--contacts", "--clashes", "--json", "--html"],
        ),
        ("check x.npy --memory 1GB", &["--pairs", "--json"]),
        ("mesh x.obj", &["--pairs", "--json"]),
        ("mesh x.obj --inside p.csv", &["--out"]),
        ("render x.csv", &["--out"]),
        ("room x.csv --min 0,0,0 --max 1,1,1", &["--out"]),
        ("solids x.csv", &["--pairs", "--json"]),
        ("sweep x.csv --dt 1", &["--impacts", "--json"]),
        ("track x.csv", &["--events", "--json"]),
        ("verify x.csv", &["--replay-out", "--json", "--html"]),
        ("verify --scene uniform --count 10", &["--json"]),
    ];
    for (words, outputs) in commands {
        let words: Vec<&str> = words.split(' ').collect();
        for output in outputs {
            let cached = |cache: &str| {
                let files = [*output, "out.csv", "--pipeline-cache", cache];
                run(here, &[&words[..], &files].concat())
            };
            for cache in ["out.csv", "./out.csv", "sub/../out.csv"] {
                let name = format!("{words:?} {output} {cache}");
                assert_failure(&name, &cached(cache), 2, "out.csv: is also the pipeline cache");
            }
        }
    }
    let output = run(here, &["check", "x.csv", "--pipeline-cache", "sub/../x.csv"]);
    assert_failure("the input", &output, 2, "is both an input and the pipeline cache");
    assert_eq!(fs::read_to_string(here.join("x.csv")).expect("there"), THREE);
    assert_eq!(names(here), ["x.csv", "sub"].map(String::from).into());
}
