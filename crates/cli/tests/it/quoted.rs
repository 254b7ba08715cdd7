//! Text in quotes is kept unchanged, including blanks at its ends.

use std::fs;
use std::path::Path;

use obbligato_files::{ReadOptions, read_scene_with};
use serde_json::Value;

use super::program::{json, run, succeed};

/// Returns a scene of cubes in one place with these fields in column `t`, after a number in quotes.
fn scene(fields: &[&str], separator: char) -> String {
    let header = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,t\n".to_owned();
    let row = |(id, field): (usize, &&str)| format!("{id},\" 0 \",0,0,1,1,1,0,0,0,1,{field}\n");
    let rows: String = fields.iter().enumerate().map(row).collect();
    (header + &rows).replace(',', &separator.to_string())
}

fn texts(path: &Path, column: &str) -> Vec<String> {
    let options = ReadOptions {
        columns: vec![column.into()],
        ..ReadOptions::default()
    };
    let scene = read_scene_with(path, &options).expect("a sound scene");
    let column = scene.column(column).expect("it was asked for");
    (0..scene.len()).map(|row| column.get(row).to_owned()).collect()
}

/// Fields in the form of a file, and their texts.
const FIELDS: [(&str, &str); 14] = [
    ("pad", "pad"),
    (" pad\t", "pad"),
    ("", ""),
    ("  ", ""),
    ("\"pad\"", "pad"),
    ("\" pad\"", " pad"),
    ("\"pad \"", "pad "),
    ("\"\tpad\u{c}\" ", "\tpad\u{c}"),
    ("\" \"", " "),
    ("\"\"", ""),
    ("\"a \"\" b\"", "a \" b"),
    ("\"\n pad\n\"", "\n pad\n"),
    ("\"pad\r\"", "pad\r"),
    ("\" ü \"", " ü "),
];

#[test]
fn fields_are_read_verbatim() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("s.csv");
    let (fields, expected): (Vec<&str>, Vec<&str>) = FIELDS.into_iter().unzip();
    for separator in [',', ';'] {
        fs::write(&path, scene(&fields, separator)).expect("it can be written");
        assert_eq!(texts(&path, "t"), expected);
        let with_marks = scene(&fields, separator)
            .replace('\n', "\r\n")
            .replace("\"\r\n pad\r\n\"", "\"\n pad\n\"");
        fs::write(&path, format!("\u{feff}{with_marks}")).expect("it can be written");
        assert_eq!(texts(&path, "t"), expected);
    }
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("s.csv");
    for byte in 0xF8..=0xFFu8 {
        let mut bytes = scene(&["X"], ',').into_bytes();
        let at = bytes.iter().rposition(|&byte| byte == b'X').expect("it is there");
        bytes[at] = byte;
        fs::write(&path, bytes).expect("it can be written");
        let options = ReadOptions {
            columns: vec!["t".into()],
            ..ReadOptions::default()
        };
        let error = read_scene_with(&path, &options).expect_err("no UTF-8").to_string();
        assert!(error.contains("line 2 ") && error.contains("not UTF-8 text"), "{error}");
        // Unless that column is not requested.
        assert_eq!(
            read_scene_with(&path, &ReadOptions::default())
                .expect("a sound scene")
                .len(),
            1
        );
    }
}

#[test]
fn quoted_ids_and_conditions_may_contain_blanks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let (fields, expected): (Vec<&str>, Vec<&str>) =
        FIELDS.into_iter().filter(|(_, text)| text.contains("pad")).unzip();
    fs::write(here.join("s.csv"), scene(&fields, ',')).expect("it can be written");
    for text in [" pad", "pad ", "pad", "\tpad\u{c}"] {
        let count = expected.iter().filter(|&&own| own == text).count();
        let pairs = count * (count - 1) / 2 + count * (expected.len() - count);
        let condition = format!("a.t='{text}'");
        let words = [
            "check",
            "s.csv",
            "--backend",
            "cpu",
            "--where",
            &condition,
            "--json",
            "-",
        ];
        assert_eq!(json(here, &words)["colliding_pairs"], pairs, "{text:?}");
    }
    // Ids, which are written so that they read back.
    let ids = ["\" a\"", "\"a\"", "\"a \"", "b"];
    let header = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n".to_owned();
    let rows: String = ids.iter().map(|id| format!("{id},0,0,0,1,1,1,0,0,0,1\n")).collect();
    fs::write(here.join("ids.csv"), header + &rows).expect("it can be written");
    succeed(here, &["check", "ids.csv", "--backend", "cpu", "--pairs", "p.csv"]);
    let pairs = fs::read_to_string(here.join("p.csv")).expect("it is there");
    assert_eq!(
        pairs,
        "a,b\n\" a\",a\n\" a\",\"a \"\n\" a\",b\na,\"a \"\na,b\n\"a \",b\n"
    );
    let words = [
        "check",
        "ids.csv",
        "--backend",
        "cpu",
        "--baseline",
        "p.csv",
        "--json",
        "-",
    ];
    // The changes are also reported on stderr.
    let output = run(here, &words);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&report["new"], &report["gone"], &report["kept"]),
        (&0.into(), &0.into(), &6.into()),
        "{report}"
    );
}
