//! Tables in memory: those of the same CSV file.

use std::io::Cursor;
use std::path::Path;

use obbligato_files::{ReadOptions, SceneFile, Value, read_scene_from, read_scene_rows};

use super::HEADER;

/// Both readers' answers about rows with an owner, and with columns of one more name.
fn both(columns: &str, rows: &[Vec<Value>]) -> [Result<SceneFile, String>; 2] {
    let columns = format!("{columns}{HEADER},owner");
    let texts = rows.iter().map(|row| {
        let fields = row.iter().map(|value| match value {
            Value::Nothing => String::new(),
            Value::Single(number) => number.to_string(),
            Value::Double(number) => number.to_string(),
            Value::Whole(number) => number.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::Text(text) => text.clone(),
        });
        fields.collect::<Vec<_>>().join(",")
    });
    let text = [columns.clone()]
        .into_iter()
        .chain(texts)
        .collect::<Vec<_>>()
        .join("\n");
    let options = ReadOptions::default();
    let names = columns.split(',').map(str::to_owned).collect();
    let typed = read_scene_rows(Path::new("t.csv"), names, rows.iter().cloned(), &options);
    let read = read_scene_from(Path::new("t.csv"), Cursor::new(text.into_bytes()), &options);
    [typed, read].map(|read| read.map_err(|error| error.to_string()))
}

fn row(first: Value, owner: Value) -> Vec<Value> {
    let mut row = vec![Value::Single(0.1); 11];
    row[0] = first;
    row[6..9].fill(Value::Whole(0));
    row[9] = Value::Double(1.0);
    row[10] = owner;
    row
}

#[test]
fn rows_are_those_of_a_file() {
    let rows = [
        row(Value::Double(1e-3), Value::Whole(3)),
        row(Value::Text("-7.5".into()), Value::Nothing),
        row(Value::Whole(1 << 24), Value::Text("4".into())),
    ];
    let [typed, read] = both("", &rows);
    assert_eq!(typed, read);
    let scene = typed.expect("it is sound");
    assert_eq!(scene.boxes[1].center.x, -7.5);
    assert_eq!(scene.owners.as_deref(), Some(&[3, u32::MAX, 4][..]));
}

#[test]
fn errors_name_the_row() {
    let bad = |value: Value| {
        let [typed, read] = both(
            "",
            &[row(Value::Single(0.0), Value::Nothing), row(value, Value::Nothing)],
        );
        let typed = typed.expect_err("a bad row");
        let read = read.expect_err("a bad row");
        assert_eq!(
            typed
                .split_once(" row 1 ")
                .map(|(name, rest)| (name, rest.rsplit_once(" (1").map(|(_, end)| end))),
            read.split_once(" line 3 ")
                .map(|(name, rest)| (name, rest.rsplit_once(" (1").map(|(_, end)| end))),
            "{typed}; {read}"
        );
        typed
    };
    assert!(bad(Value::Nothing).contains("row 1 has nothing in column cx instead of a number"));
    assert!(bad(Value::Text("a".into())).contains("row 1 has \"a\" in column cx instead of a number"));
    assert!(bad(Value::Flag(true)).contains("row 1 has true in column cx instead of a number"));
    assert!(bad(Value::Double(f64::NAN)).contains("row 1"));
    let [typed, read] = both("cx,", &[]);
    assert_eq!(typed, read);
    assert_eq!(typed.unwrap_err(), "t.csv: has two columns cx: rename or remove one");
    let short = read_scene_rows(
        Path::new("t"),
        HEADER.split(',').map(str::to_owned).collect(),
        [vec![Value::Nothing]].into_iter(),
        &ReadOptions::default(),
    );
    let short = short.unwrap_err().to_string();
    assert!(short.contains("row 0 has 1 column but the header has 10"), "{short}");
}
