//! `obbligato track`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use obbligato_support::split_mix::SplitMix;
use serde_json::Value;

use super::program::{assert_failure, json, names, run, run_with_stdin, succeed, text};

const HEADER: &str = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw";

/// Two boxes that meet in frame 20 and stay; one that leaves. The frames are unsorted.
const MEETING: &str = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
30,5,0,0,0,1,1,1,0,0,0,1
-7,5,0,0,0,1,1,1,0,0,0,1
20,70,2,0,0,1,1,1,0,0,0,1
-7,70,5,0,0,1,1,1,0,0,0,1
-7,12,0,2,0,1,1,1,0,0,0,1
20,5,0,0,0,1,1,1,0,0,0,1
30,70,1,0,0,1,1,1,0,0,0,1
20,9,0,50,0,1,1,1,0,0,0,1
";

fn report(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file is there")).expect("it is JSON")
}

#[test]
fn pairs_begin_persist_and_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("m.csv"), MEETING).expect("it can be written");
    let track = ["track", "m.csv", "--backend", "cpu", "--events", "e.csv"];
    let summary = succeed(here, &[&track[..], &["--json", "j.json"]].concat());
    assert!(
        summary.contains("\nframes           3\n") && summary.contains("\nbegin            2\n"),
        "{summary}"
    );
    let events = || fs::read_to_string(here.join("e.csv")).expect("the file is there");
    // Pairs that exist at the end do not end.
    let changes = "frame,event,a,b\n-7,begin,5,12\n20,end,5,12\n20,begin,5,70\n";
    assert_eq!(events(), changes);
    let found = report(&here.join("j.json"));
    for (key, number) in [("frames", 3), ("begin", 2), ("end", 1), ("persist", 1), ("pairs", 3)] {
        assert_eq!(found[key], number, "{key}");
    }
    assert_eq!(found["backend"], "cpu");
    assert!(
        found["timings_ms"]["total"].is_f64() && found["checksum"].is_string(),
        "{found}"
    );
    succeed(here, &[&track[..], &["--persist"]].concat());
    assert_eq!(events(), [changes, "30,persist,5,70\n"].concat());
    assert_eq!(names(here), ["e.csv", "j.json", "m.csv"].map(String::from).into());

    let arguments = ["track", "-", "--backend", "cpu", "--events", "-"];
    let output = run_with_stdin(here, &arguments, MEETING);
    assert_eq!(text(&output.stdout), changes, "{}", text(&output.stderr));
}

/// Returns boxes that wander, come and go, with ids that `name` makes of numbers.
fn wandering(name: impl Fn(usize) -> String) -> String {
    let mut random = SplitMix(3);
    let mut unit = move || random.unit() as f32;
    let mut places: Vec<[f32; 2]> = (0..60).map(|_| [unit() * 12.0, unit() * 12.0]).collect();
    let mut table = format!("{HEADER}\n");
    for frame in 0..12 {
        for (number, [x, y]) in places.iter_mut().enumerate() {
            *x += unit() - 0.5;
            *y += unit() - 0.5;
            if unit() > 0.1 {
                table += &format!("{},{},{x},{y},0,.6,.5,.5,0,0,.6,.8\n", 3 * frame - 7, name(number));
            }
        }
    }
    table
}

#[test]
fn every_frame_has_the_pairs_of_its_check() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for (what, table) in [
        ("numbers", wandering(|number| (number * 37 % 101).to_string())),
        ("texts", wandering(|number| format!("n{}", number * 37 % 101))),
    ] {
        fs::write(here.join("w.csv"), table).expect("it can be written");
        let track = [
            "track",
            "w.csv",
            "--backend",
            "cpu",
            "--events",
            "e.csv",
            "--persist",
            "--json",
            "-",
        ];
        let tracked = json(here, &track);
        let check = [
            "check",
            "w.csv",
            "--frame",
            "all",
            "--backend",
            "cpu",
            "--pairs",
            "p.csv",
            "--json",
            "-",
        ];
        let checked = json(here, &check);
        assert_eq!(tracked["pairs"], checked["colliding_pairs"], "{what}");
        assert_eq!(tracked["checksum"], checked["checksum"], "{what}");
        assert_eq!(tracked["frames"], 12);

        let expected = expected_events(&fs::read_to_string(here.join("p.csv")).expect("the file is there"));
        let events = fs::read_to_string(here.join("e.csv")).expect("the file is there");
        let events: Vec<&str> = events.lines().skip(1).collect();
        assert!(
            events.len() > 100 && expected.len() == events.len(),
            "{what}: {}",
            events.len()
        );
        assert!(events.iter().all(|event| expected.contains(*event)), "{what}");
        expect_sorted(&events, what == "numbers");
        let count = |kind: &str| events.iter().filter(|event| event.contains(kind)).count();
        for kind in ["begin", "persist", "end"] {
            assert_eq!(tracked[kind], count(kind), "{what}");
        }
    }
}

const CONTACTS: &str = "frame,a,b,feature_a,feature_b,age,previous";

/// The contacts of a frame, without the frame, with their ages.
type Contacts = Vec<(String, u32)>;

/// The rows that follow from the contacts of each frame's check.
fn expected_contacts(checked: &str) -> Vec<String> {
    let mut expected = vec![CONTACTS.to_owned()];
    let (mut before, mut now) = (Contacts::new(), Contacts::new());
    let mut frame = -7;
    for line in checked.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [of, a, b, .., feature_a, feature_b] = fields[..] else {
            panic!("{line}");
        };
        while frame < of.parse::<i64>().expect("a number") {
            before = std::mem::take(&mut now);
            frame += 3;
        }
        let key = [a, b, feature_a, feature_b].join(",");
        let order = now.iter().filter(|(other, _)| *other == key).count();
        let mut same = before.iter().enumerate().filter(|(_, (other, _))| *other == key);
        let (age, previous) = match same.nth(order) {
            Some((row, (_, age))) => (age + 1, row.to_string()),
            None => (0, String::new()),
        };
        expected.push(format!("{of},{key},{age},{previous}"));
        now.push((key, age));
    }
    expected
}

/// The contacts are those of each frame's check, and the ages and rows those that follow from them.
#[test]
fn c3_contacts_are_found_again_in_the_previous_frame() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let command = |words: &str| succeed(here, &words.split(' ').collect::<Vec<_>>());
    for (what, table) in [
        ("numbers", wandering(|number| (number * 37 % 101).to_string())),
        ("texts", wandering(|number| format!("n{}", number * 37 % 101))),
    ] {
        fs::write(here.join("w.csv"), table).expect("it can be written");
        command("track w.csv --backend cpu --contacts t.csv --events e.csv");
        command("check w.csv --frame all --backend cpu --contacts c.csv");
        let read = |name: &str| fs::read_to_string(here.join(name)).expect("the file is there");
        let (tracked, expected) = (read("t.csv"), expected_contacts(&read("c.csv")));
        assert!(expected.len() > 300, "{what}");
        let lasts = |row: &String| !row.ends_with(",0,");
        assert!(expected.iter().skip(1).any(lasts), "{what}: nothing lasts");
        assert!(tracked.lines().eq(expected.iter().map(String::as_str)), "{what}");
    }
    let twice = run(here, &["track", "w.csv", "--contacts", "t.csv", "--events", "t.csv"]);
    assert_failure("one file", &twice, 2, "two outputs");
    let numbers = run(here, &["track", "w.csv", "--contacts", "t.npy"]);
    assert_failure("NPY", &numbers, 2, "contacts");
}

/// Asserts that events are sorted by frame and ids, as numbers or as texts.
fn expect_sorted(events: &[&str], are_numbers: bool) {
    let key = |event: &&str| {
        let fields: Vec<&str> = event.split(',').collect();
        let frame: i64 = fields[0].parse().expect("a number");
        let number = |id: &str| id.parse::<u32>().unwrap_or(0);
        match are_numbers {
            true => (
                frame,
                number(fields[2]),
                number(fields[3]),
                String::new(),
                String::new(),
            ),
            false => (frame, 0, 0, fields[2].to_owned(), fields[3].to_owned()),
        }
    };
    assert!(events.is_sorted_by_key(key), "numbers: {are_numbers}");
}

/// Returns the events that follow from the pairs of all frames.
fn expected_events(pairs: &str) -> BTreeSet<String> {
    let mut frames: BTreeMap<i64, BTreeSet<String>> = (0..12).map(|frame| (3 * frame - 7, BTreeSet::new())).collect();
    for line in pairs.lines().skip(1) {
        let (frame, pair) = line.split_once(',').expect("a frame");
        frames
            .entry(frame.parse().expect("a number"))
            .or_default()
            .insert(pair.to_owned());
    }
    let mut expected = BTreeSet::new();
    let mut before = BTreeSet::new();
    for (frame, now) in &frames {
        let kind = |pair: &String| match (before.contains(pair), now.contains(pair)) {
            (false, _) => "begin",
            (true, true) => "persist",
            (true, false) => "end",
        };
        expected.extend(before.union(now).map(|pair| format!("{frame},{},{pair}", kind(pair))));
        before.clone_from(now);
    }
    expected
}

#[test]
fn files_without_frames_or_ids_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let write = |name: &str, content: &str| fs::write(here.join(name), content).expect("it can be written");
    write("m.csv", MEETING);
    write("frames.csv", &MEETING.replace("frame,", "time,"));
    write("ids.csv", &MEETING.replace(",id,", ",track,"));
    write("bad.csv", &MEETING.replace("20,9,0,50", "20,9,nan,50"));
    write("twice.csv", &MEETING.replace("20,9,", "20,5,"));
    succeed(here, &["generate", "uniform", "--count", "5", "--out", "s.npy"]);
    let before = names(here);
    let cases: [(&[&str], &str); 7] = [
        (&["frames.csv"], "frames.csv: has no column frame: add one"),
        (&["ids.csv"], "ids.csv: has no column id: it has frame, track,"),
        (&["m.csv", "--id-column", "name"], "m.csv: has no column name"),
        (
            &["s.npy"],
            "s.npy: is an NPY file and has no frames: give the scene as .csv",
        ),
        (&["bad.csv"], "line 9 (id 9) has a number that is NaN"),
        (&["twice.csv"], "line 9 (id 5) repeats the id"),
        (&["m.csv", "--events", "e.npy"], "e.npy: cannot hold events as NPY"),
    ];
    for (arguments, words) in cases {
        let outputs: &[&str] = match arguments.contains(&"--events") {
            true => &["--json", "j.json"],
            false => &["--events", "e.csv", "--json", "j.json"],
        };
        let output = run(here, &[&["track"], arguments, outputs].concat());
        assert_failure(words, &output, 2, words);
        assert_eq!(names(here), before, "{words}");
    }
    // The ids are in another column.
    succeed(
        here,
        &[
            "track",
            "ids.csv",
            "--id-column",
            "track",
            "--backend",
            "cpu",
            "--events",
            "e.csv",
        ],
    );
    expect_no_frames(here);
}

/// Asserts that a file without rows has no frames.
fn expect_no_frames(here: &Path) {
    fs::write(here.join("none.csv"), format!("{HEADER}\n")).expect("it can be written");
    let none = json(
        here,
        &[
            "track",
            "none.csv",
            "--backend",
            "cpu",
            "--events",
            "n.csv",
            "--json",
            "-",
        ],
    );
    assert_eq!((&none["frames"], &none["pairs"]), (&0.into(), &0.into()));
    assert_eq!(
        fs::read_to_string(here.join("n.csv")).expect("the file is there"),
        "frame,event,a,b\n"
    );
}
