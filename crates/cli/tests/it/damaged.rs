//! A table of damaged input: every command that reads a file, with files of every format that are
//! wrong in every way below. Each kind ends with exit code 2 and one line that names the file and
//! says what to do, in little memory and without output, or is read after all.

pub mod samples;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use super::program::{THREE, assert_failure, names, text};
use crate::processes::output_of;
use samples::samples;

/// The address space of a run in KiB. Every sample is smaller than 4 KB.
const ADDRESSES: u64 = 400_000;

/// Commands by the formats that they read; F is the file.
const COMMANDS: [(&[&str], &[&str]); 4] = [
    (
        &["csv", "csv.gz", "npy", "parquet"],
        &[
            "check F --pairs o.csv",
            "check three.csv --against F",
            "verify F",
            "room F --min 0,0,0 --max 1,1,1 --out o.csv",
            "sweep F --dt 1 --impacts o.csv",
            "neighbours F --k 1 --out o.csv",
            "render F --size 32x32 --out o.png",
            "bench F --frames 1 --no-verify --json o.json",
            "track F --events o.csv",
        ],
    ),
    (
        &["csv", "csv.gz", "parquet"],
        &[
            "solids F --pairs o.csv",
            "fit F --out o.csv",
            "mesh a.obj --inside F --out o.csv",
            "check three.csv --baseline F",
        ],
    ),
    (
        &["npy", "parquet"],
        &["check F --memory 300MB --work work --pairs o.csv"],
    ),
    (
        &["obj", "stl", "ply", "glb", "gltf"],
        &[
            "mesh F --pairs o.csv",
            "mesh a.obj F --pairs o.csv",
            "render F --size 32x32 --out o.png",
            "mesh F --inside list.csv --out o.csv",
        ],
    ),
];

/// A file, and the words of a command that reads it.
struct Kind {
    name: String,
    words: Vec<String>,
    file: String,
}

/// Returns wrong contents, by what is wrong with them.
fn damages(format: &str, samples: &BTreeMap<&'static str, Vec<u8>>) -> Vec<(String, Vec<u8>)> {
    let sound = &samples[format];
    let cuts = (0..8).map(|part| {
        (
            format!("cut after {part} eighths"),
            sound[..sound.len() * part / 8].to_vec(),
        )
    });
    let others = samples.iter().filter(|(other, _)| **other != format);
    let others = others.map(|(other, content)| (format!("really {other}"), content.clone()));
    let with = |place: usize, bytes: &[u8]| [&sound[..place], bytes, &sound[place..]].concat();
    let wide = |text: &[u8]| text.iter().flat_map(|&byte| [byte, 0]).collect::<Vec<u8>>();
    let texts = [
        ("not UTF-8", with(20, b"\xff\xfe")),
        ("UTF-16", [b"\xff\xfe".to_vec(), wide(sound)].concat()),
        ("zeros within", with(30, &[0; 4])),
        ("escapes", with(sound.len() / 2, b"\x1b[2J\x07")),
        ("zeros", vec![0; 1000]),
        ("ones", vec![0xff; 1000]),
        ("twice", [&sound[..], sound].concat()),
        ("a mark of bytes", with(0, b"\xef\xbb\xbf")),
    ];
    let texts = texts.map(|(name, content)| (name.to_owned(), content));
    cuts.chain(others).chain(texts).collect()
}

/// Returns contents with one byte changed, at places of a header and a footer.
fn changed_bytes(sound: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> + '_ {
    let all = 0..sound.len();
    let places = all.clone().take(128).step_by(3).chain(all.rev().take(500).step_by(11));
    places.map(|place| {
        let mut content = sound.to_vec();
        content[place] ^= [0x01, 0x80, 0xff][place % 3];
        (format!("byte {place}"), content)
    })
}

/// Bad values of a field, and those that only some columns take.
const VALUES: [&str; 10] = [
    "nan",
    "-inf",
    "1e39",
    "1e30",
    "-1",
    "",
    "x",
    "0x1",
    "\u{1b}[2J",
    "1_000",
];

/// Tables with a row of good fields, and commands that read them.
const TABLES: [(&str, &str, &[&str]); 4] = [
    (
        "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,vx,wy,az,owner,world,static,memberships,id,frame,shape,radius",
        "0,0,0,1,1,1,0,0,0,1,0,0,0,0,0,1,1,5,0,capsule,1",
        &["check F --pairs o.csv", "sweep F --dt 1 --impacts o.csv"],
    ),
    ("id,x,y,z", "1,0,0,0", &["solids F --pairs o.csv", "fit F --out o.csv"]),
    (
        "x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max",
        "0,0,1,0,1,1,0,1,0,1",
        &["check F --pairs o.csv"],
    ),
    ("id,cx,cy,hx,hy,yaw", "1,0,0,1,1,0", &["check F --pairs o.csv"]),
];

/// Returns tables with a bad field, a column twice or a column missing, and their commands.
fn bad_tables() -> Vec<(String, Vec<u8>, &'static [&'static str])> {
    let mut tables = Vec::new();
    for (header, row, commands) in TABLES {
        let (columns, fields): (Vec<&str>, Vec<&str>) = (header.split(',').collect(), row.split(',').collect());
        let mut add = |what: String, columns: &[&str], fields: &[&str]| {
            let content = format!("{}\n{}\n", columns.join(","), fields.join(","));
            tables.push((what, content.into_bytes(), commands));
        };
        for k in 0..columns.len() {
            let of = |list: &[&'static str], part: &[&'static str]| [&list[..k], part, &list[k + 1..]].concat();
            for value in VALUES {
                add(format!("{} is {value:?}", columns[k]), &columns, &of(&fields, &[value]));
            }
            let twice = |list: &[&'static str]| of(list, &[list[k], list[k]]);
            add(format!("two columns {}", columns[k]), &twice(&columns), &twice(&fields));
            add(
                format!("no column {}", columns[k]),
                &of(&columns, &[]),
                &of(&fields, &[]),
            );
        }
    }
    tables
}

/// Writes all files, and returns all kinds.
fn kinds(here: &Path) -> Vec<Kind> {
    let samples = samples(here);
    let mut kinds = Vec::new();
    let mut add = |format: &str, what: &str, content: &[u8], commands: &[&str]| {
        let file = format!("{:04}.{format}", kinds.len());
        fs::write(here.join(&file), content).expect("it can be written");
        kinds.extend(commands.iter().map(|command| {
            Kind {
                name: format!("{command}, .{format}: {what}"),
                words: command
                    .split(' ')
                    .map(|word| if word == "F" { file.clone() } else { word.into() })
                    .collect(),
                file: file.clone(),
            }
        }));
    };
    for format in samples.keys() {
        let readers = COMMANDS.iter().filter(|(formats, _)| formats.contains(format));
        let commands: Vec<&str> = readers.flat_map(|(_, commands)| commands.iter().copied()).collect();
        for (k, (what, content)) in damages(format, &samples).into_iter().enumerate() {
            // Each command with some of the ways, and each way with some commands.
            let some: Vec<&str> = commands.iter().copied().skip(k % 3).step_by(3).collect();
            add(format, &what, &content, &some);
        }
        if *format != "csv" {
            changed_bytes(&samples[format]).for_each(|(what, content)| add(format, &what, &content, &commands[..1]));
        }
    }
    for (what, content, commands) in bad_tables() {
        add("csv", &what, &content, commands);
    }
    kinds
}

/// Runs a kind in a folder of its own, whose name is in the way to the file.
fn run(here: &Path, number: usize, kind: &Kind) -> bool {
    let place = here.join(format!("run{number}"));
    fs::create_dir_all(&place).expect("a folder");
    let limited = format!("ulimit -v {ADDRESSES} && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command
        .args(["-c", &limited, env!("CARGO_BIN_EXE_obbligato")])
        .current_dir(&place);
    for word in &kind.words {
        match word.ends_with(&kind.file) || ["three.csv", "a.obj", "list.csv"].contains(&word.as_str()) {
            true => command.arg(format!("../{word}")),
            false => command.arg(word),
        };
    }
    if kind.words[0] != "fit" {
        command.args(["--backend", "cpu"]);
    }
    let output = output_of(command.arg("--quiet").env("RAYON_NUM_THREADS", "1"));
    let left = names(&place);
    fs::remove_dir_all(&place).expect("it is ours");
    if output.status.code() == Some(0) {
        assert_eq!(text(&output.stderr), "", "{}", kind.name);
        return false;
    }
    assert_failure(&kind.name, &output, 2, &format!("../{}: ", kind.file));
    assert!(!text(&output.stderr).contains('\u{1b}'), "{}", kind.name);
    assert_eq!(text(&output.stdout), "", "{}", kind.name);
    let partial = left.iter().filter(|name| name.as_str() != "work");
    assert_eq!(partial.count(), 0, "{}: {left:?}", kind.name);
    true
}

#[test]
fn every_kind_of_damage_is_one_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    let kinds = kinds(here);
    let (rest, refused) = (Mutex::new(kinds.iter()), Mutex::new(0));
    thread::scope(|scope| {
        for number in 0..thread::available_parallelism().map_or(2, usize::from) {
            let (rest, refused) = (&rest, &refused);
            scope.spawn(move || {
                loop {
                    let Some(kind) = rest.lock().expect("no test fails").next() else {
                        return;
                    };
                    if run(here, number, kind) {
                        *refused.lock().expect("no test fails") += 1;
                    }
                }
            });
        }
    });
    let refused = refused.into_inner().expect("no test fails");
    println!("{} kinds of damaged input, {refused} of them refused", kinds.len());
    assert!(
        kinds.len() > 1000 && refused * 10 > kinds.len() * 7,
        "{refused} of {}",
        kinds.len()
    );
}
