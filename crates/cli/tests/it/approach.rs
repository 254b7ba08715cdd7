//! `obbligato sweep --approach`.

use std::fs;

use super::program::{assert_failure, json, run, run_with_stdin, succeed, text};

/// People who walk: 7 and 5 towards each other, half a meter beside; 30 into a wall, 2; and one
/// who stands far away.
const CROWD: &str = "id,shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius,vx,vy
7,sphere,-4,0,0,,,,,,,,.25,1,0
5,sphere,4,1,0,,,,,,,,.25,-1,0
30,sphere,0,20,0,,,,,,,,.5,0,2
2,box,0,25,0,8,.5,1,0,0,0,1,,,
9,sphere,100,0,0,,,,,,,,.5,,
";

/// Asserts that a table has these pairs, at these times and distances up to the promised error.
fn expect_rows(table: &str, expected: &[(&str, f64, f64)]) {
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("a,b,time,distance"));
    for (pair, time, distance) in expected {
        let line = lines.next().unwrap_or_default();
        let numbers = line
            .strip_prefix(&format!("{pair},"))
            .and_then(|rest| rest.split_once(','));
        let (at, near) = numbers.unwrap_or_else(|| panic!("{pair} is not first in {line}"));
        let is_about = |text: &str, wanted: f64| (text.parse::<f64>().expect("a number") - wanted).abs() <= 8e-9;
        assert!(is_about(at, *time) && is_about(near, *distance), "{line}");
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn c5_approaches_are_listed_by_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("c.csv"), CROWD).expect("it can be written");
    let sweep = ["sweep", "c.csv", "--dt", "8", "--margin", ".5", "--approach", "n.csv"];
    for backend in ["cpu", "gpu"] {
        let report = json(
            here,
            &[&sweep[..], &["--backend", backend, "--json", "-", "--impacts", "i.csv"]].concat(),
        );
        assert_eq!((&report["approaches"], &report["impacts"]), (&2.into(), &1.into()));
        let near = fs::read_to_string(here.join("n.csv")).expect("the file is there");
        // A distance of exactly the margin counts; whoever meets has the time of the contact.
        expect_rows(&near, &[("2,30", 2.0, 0.0), ("5,7", 4.0, 0.5)]);
    }
    let summary = succeed(here, &sweep);
    assert!(summary.contains("\napproaches       2\n"), "{summary}");
    let less = [
        "sweep",
        "-",
        "--dt",
        "8",
        "--margin",
        ".4999",
        "--approach",
        "-",
        "--backend",
        "cpu",
    ];
    let output = run_with_stdin(here, &less, CROWD);
    expect_rows(text(&output.stdout), &[("2,30", 2.0, 0.0)]);
}

#[test]
fn bad_distances_and_halves_of_the_pair_of_options_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("c.csv"), CROWD).expect("it can be written");
    let cases: [(&[&str], &str); 6] = [
        (
            &["--margin", "-1", "--approach", "n.csv"],
            "expected a distance: a finite number from 0",
        ),
        (
            &["--margin", "nan", "--approach", "n.csv"],
            "expected a distance: a finite number from 0",
        ),
        (&["--margin", "1e300", "--approach", "n.csv"], "is not a valid distance"),
        (&["--margin", "1"], "--approach"),
        (&["--approach", "n.csv"], "--margin"),
        (&["--margin", "1", "--approach", "n.npy"], "approaches"),
    ];
    for (more, words) in cases {
        let arguments = [&["sweep", "c.csv", "--dt", "1", "--backend", "cpu"], more].concat();
        assert_failure(&format!("{more:?}"), &run(here, &arguments), 2, words);
        assert!(!here.join("n.csv").exists(), "{more:?}");
    }
}
