//! Tests `--html`: the pages are well-formed, fetch nothing, agree with the other results, and show
//! foreign text as text.

mod page;
mod reports;

use std::fs;
use std::path::Path;

use serde_json::Value;

use self::page::Page;
use crate::program::{THREE, assert_failure, names, run, run_with_stdin, succeed, text};

/// The model of a building.
const BUILDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/building.csv");

/// Formats a count as the program prints it.
fn grouped(number: &Value) -> String {
    let digits = number.to_string();
    let digits = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = digits.map(text).collect();
    groups.join("_")
}

#[test]
fn a_page_of_a_check_agrees_with_its_other_results() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let check = [
        "check",
        BUILDING,
        "--id-column",
        "guid",
        "--keep",
        "type,name",
        "--backend",
        "cpu",
    ];
    succeed(
        here,
        &[
            &check[..],
            &["--clashes", "c.csv", "--json", "c.json", "--html", "c.html"],
        ]
        .concat(),
    );
    assert_eq!(names(here), ["c.csv", "c.html", "c.json"].map(String::from).into());
    let page = Page::read(&here.join("c.html"));
    let json: Value =
        serde_json::from_str(&fs::read_to_string(here.join("c.json")).expect("the file is there")).expect("it is JSON");

    expect_facts(&page, &json);
    expect_clashes(&page, &here.join("c.csv"));
}

/// Asserts that a page has all clashes, with the same numbers in the same order.
fn expect_clashes(page: &Page, csv: &Path) {
    let table = page.table("pairs-table");
    assert_eq!(
        table.headings,
        [
            "a", "b", "depth", "kind", "a_type", "b_type", "a_name", "b_name", "x", "y", "z", "picture"
        ]
    );
    let mut csv = csv::Reader::from_path(csv).expect("the file is there");
    let clashes: Vec<csv::StringRecord> = csv.records().collect::<Result<_, _>>().expect("it is CSV");
    assert_eq!(clashes.len(), 481);
    let number = |text: &str| text.parse::<f64>().expect("a number");
    for (row, clash) in table.rows.iter().zip(&clashes) {
        assert_eq!([&row[0], &row[1], &row[3]], [&clash[0], &clash[1], &clash[14]]);
        assert_eq!(&clash[3] == "1", &clash[14] == "touch");
        assert_eq!([4, 5, 6, 7].map(|k| &*row[k]), [10, 11, 12, 13].map(|k| &clash[k]));
        assert_eq!(
            [2, 8, 9, 10].map(|k| number(&row[k])),
            [2, 7, 8, 9].map(|k| number(&clash[k]))
        );
    }
    assert_eq!(table.rows.len(), clashes.len());
    assert!(page.text("#pairs").contains("All of them: 481 pairs"));
    // The scene, and the deepest pairs, to which the first rows link.
    assert_eq!(page.count("img"), 1 + 24);
    assert_eq!(page.count("a"), 24);
    for (number, row) in (1..).zip(&table.rows[..24]) {
        let words = page.text(&format!("#pair-{number}"));
        assert!(
            words.starts_with(&format!("{number}: {} and {}, ", row[0], row[1])),
            "{words}"
        );
        assert_eq!(row[11], number.to_string());
    }
    assert_eq!(table.rows[24][11], "");
}

/// Asserts that the facts and the times of a page are those of the report.
fn expect_facts(page: &Page, json: &Value) {
    let facts = page.facts();
    let fact = |name: &str| facts.get(name).unwrap_or_else(|| panic!("{name} in {facts:?}"));
    assert!(fact("boxes").starts_with(&format!("{}, ", grouped(&json["boxes"]))));
    assert_eq!(*fact("candidate pairs"), grouped(&json["candidate_pairs"]));
    let colliding = [&json["colliding_pairs"], &json["touching_pairs"]].map(grouped);
    assert_eq!(
        *fact("colliding pairs"),
        format!("{}, {} of them only touch", colliding[0], colliding[1])
    );
    assert_eq!(*fact("checksum"), json["checksum"].as_str().expect("a text"));
    assert!(fact("broad phase").contains(json["broad_phase"]["why"].as_str().expect("a text")));
    assert!(
        page.text("p.verdict")
            .starts_with(&format!("{} pairs collide among", colliding[0]))
    );
    let time = page.text("#time");
    for step in ["load", "broad", "narrow"] {
        let wanted = format!("{:.3} ms", json["timings_ms"][step].as_f64().expect("a time"));
        assert!(time.contains(&wanted), "{step}: {wanted} in {time}");
    }
    assert!(
        page.text("#depths")
            .contains(&format!("{} pairs by depth", colliding[0]))
    );
}

#[test]
fn foreign_text_is_shown_as_text() {
    const HOSTILE: [&str; 4] = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</style></table>&lt;b&gt;",
        "' onclick='alert(1)",
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut scene = format!("id,{},cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n", quoted("<b>kind"));
    for id in HOSTILE {
        scene += &format!("{},{},0,0,0,1,1,1,0,0,0,1\n", quoted(id), quoted(&format!("{id}!")));
    }
    let file = if cfg!(windows) {
        "a&amp;b.csv"
    } else {
        "<img src=x onerror=alert(2)>&amp;.csv"
    };
    fs::write(here.join(file), scene).expect("it can be written");

    let check = [
        "check",
        file,
        "--backend",
        "cpu",
        "--keep",
        "<b>kind",
        "--html",
        "c.html",
    ];
    succeed(here, &check);
    let page = Page::read(&here.join("c.html"));
    assert_eq!(page.title(), format!("Collisions in {file}"));
    let table = page.table("pairs-table");
    assert_eq!(table.headings[4..6], ["a_<b>kind", "b_<b>kind"]);
    assert_eq!(table.rows.len(), 6);
    for row in &table.rows {
        assert!(HOSTILE.contains(&&*row[0]) && HOSTILE.contains(&&*row[1]), "{row:?}");
        assert_eq!([&row[4], &row[5]], [&format!("{}!", row[0]), &format!("{}!", row[1])]);
    }

    succeed(here, &["verify", file, "--backend", "cpu", "--html", "v.html"]);
    assert_eq!(
        Page::read(&here.join("v.html")).title(),
        format!("Verification of {file}")
    );
    let bench = ["bench", file, "--backend", "cpu", "--frames", "1", "--html", "b.html"];
    succeed(here, &bench);
    let page = Page::read(&here.join("b.html"));
    assert_eq!(page.table("rows-table").rows[0][0], file);
    assert!(page.text("#scaling").contains(file), "the plot names the scene");
}

#[test]
fn a_page_reports_its_omissions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let generate = |scene: &str, count: &str| {
        succeed(here, &["generate", scene, "--count", count, "--out", "s.npy"]);
    };
    generate("dense", "2k");
    let check = |more: &[&str]| {
        let arguments = ["check", "s.npy", "--backend", "cpu", "--html", "c.html"];
        succeed(here, &[&arguments[..], more].concat());
        Page::read(&here.join("c.html"))
    };
    let page = check(&["--json", "c.json"]);
    let json: Value =
        serde_json::from_str(&fs::read_to_string(here.join("c.json")).expect("the file is there")).expect("it is JSON");
    let all = grouped(&json["colliding_pairs"]);
    assert!(json["colliding_pairs"].as_u64() > Some(2_000), "{json}");
    let said = page.text("#pairs");
    assert!(said.contains(&format!("The deepest 2_000 of {all} pairs.")), "{said}");
    assert!(said.contains("--clashes FILE"), "{said}");
    let deepest = page.table("pairs-table");
    assert_eq!(deepest.rows.len(), 2_000);
    let depths: Vec<f64> = deepest
        .rows
        .iter()
        .map(|row| row[2].parse().expect("a depth"))
        .collect();
    assert!(depths.is_sorted_by(|one, other| one >= other));

    let said = check(&["--clashes", "all.csv"]).text("#pairs");
    assert!(said.contains("The whole list is in all.csv."), "{said}");
    let of_f64 = check(&["--f64", "--pairs", "all.csv"]);
    assert_eq!(of_f64.table("pairs-table").headings, deepest.headings);
    assert_eq!(of_f64.table("pairs-table").rows, deepest.rows);

    // A thousand boxes on one spot have half a million pairs.
    generate("coincident", "1k");
    let page = check(&[]);
    let said = page.text("#pairs");
    assert!(said.contains("takes long for that many"), "{said}");
    assert_eq!(page.table("pairs-table").rows.len(), 2_000);
    // If requested, they are there.
    assert!(
        check(&["--clashes", "all.csv"])
            .text("#pairs")
            .contains("The deepest 2_000 of")
    );
}

#[test]
fn equal_checks_give_equal_pages_except_for_times() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let page = |name: &str| {
        succeed(
            here,
            &[
                "check",
                BUILDING,
                "--id-column",
                "guid",
                "--backend",
                "cpu",
                "--html",
                name,
            ],
        );
        Page::read(&here.join(name)).without(&["#time", "time"])
    };
    let [one, other] = ["1.html", "2.html"].map(page);
    assert!(one.contains("pairs-table") && !one.contains("Milliseconds"));
    assert!(one == other);
}

/// The pictures of pairs show other bodies whose bounds reach into theirs: of either file, and the
/// smallest six.
#[test]
fn close_ups_show_the_surroundings() {
    const HEADER: &str = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n";
    // Two pairs. In the bounds of the first there is space beside its first box, which is rotated
    // by an eighth of a turn.
    const ONES: [&str; 2] = ["1,0,0,0,1,1,1,0,0,0.38268343,0.92387953\n", "3,90,0,0,1,1,1,0,0,0,1\n"];
    const OTHERS: [&str; 2] = ["2,1.9,0,0,1,1,1,0,0,0,1\n", "4,91.6,0,0,1,1,1,0,0,0,1\n"];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let body = |id: u32, x: f32, y: f32, half: f32| format!("{id},{x},{y},0,{half},{half},{half},0,0,0,1\n");
    let pictures = |bystanders: &str, in_two: bool| {
        let (ones, others) = (ONES.concat(), OTHERS.concat());
        let (file, against) = match in_two {
            true => (format!("{HEADER}{ones}"), format!("{HEADER}{others}{bystanders}")),
            false => (format!("{HEADER}{ones}{others}{bystanders}"), String::new()),
        };
        fs::write(here.join("a.csv"), file).expect("it can be written");
        fs::write(here.join("b.csv"), against).expect("it can be written");
        let check = ["check", "a.csv", "--backend", "cpu", "--html", "c.html"];
        let against = if in_two { &["--against", "b.csv"][..] } else { &[] };
        succeed(here, &[&check[..], against].concat());
        let page = Page::read(&here.join("c.html"));
        assert_eq!(page.count("img"), 1 + 2);
        ["pair-1", "pair-2"].map(|id| page.picture(id))
    };
    for in_two in [false, true] {
        let far = pictures(&body(9, 50.0, 0.0, 0.1), in_two);
        let near = pictures(&body(9, -1.2, -1.2, 0.1), in_two);
        assert!(far[0] != near[0] && far[1] == near[1], "{in_two}");

        let small = |count: u32| (0..count).map(|k| body(10 + k, -1.35 + 0.02 * k as f32, -1.35, 0.008));
        let large = body(9, -1.2, 1.2, 0.1);
        let [five, six] = [5, 6].map(|count| small(count).collect::<String>());
        // It comes first in the file, and is still left out.
        assert!(
            pictures(&(large.clone() + &six), in_two) == pictures(&six, in_two),
            "{in_two}"
        );
        assert!(
            pictures(&(large + &five), in_two) != pictures(&five, in_two),
            "{in_two}"
        );
    }
}

#[test]
fn a_page_of_all_frames_is_one_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scene = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
3,1,0,0,0,1,1,1,0,0,0,1
3,2,1.5,0,0,1,1,1,0,0,0,1
8,1,0,0,0,1,1,1,0,0,0,1
8,2,1,0,0,1,1,1,0,0,0,1
8,3,9,0,0,1,1,1,0,0,0,1
";
    fs::write(here.join("frames.csv"), scene).expect("it can be written");
    succeed(
        here,
        &[
            "check",
            "frames.csv",
            "--frame",
            "all",
            "--backend",
            "cpu",
            "--html",
            "f.html",
        ],
    );
    let page = Page::read(&here.join("f.html"));
    let frames = page.table("frames-table");
    assert_eq!(
        frames.headings[..4],
        ["frame", "boxes", "candidate pairs", "colliding pairs"]
    );
    let numbers = frames.rows.iter().map(|row| [0, 1, 3].map(|k| row[k].clone()));
    assert_eq!(
        numbers.collect::<Vec<_>>(),
        [["3", "2", "1"], ["8", "3", "1"]].map(|row| row.map(String::from))
    );
    let pairs = page.table("pairs-table");
    let rows = pairs.rows.iter().map(|row| row[..4].to_vec()).collect::<Vec<_>>();
    assert_eq!(rows, [["8", "1", "2", "1"], ["3", "1", "2", "0.5"]]);
}

#[test]
fn kinds_and_changes_have_columns_only_if_present() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let scene = "id,shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius
1,sphere,0,0,0,,,,,,,,1
2,box,1,0,0,1,1,1,0,0,0,1,
3,capsule,0,1,0,,,1,0,0,0,1,1
";
    fs::write(here.join("bodies.csv"), scene).expect("it can be written");
    fs::write(here.join("old.csv"), "a,b\n1,2\n1,9\n").expect("it can be written");
    let check = [
        "check",
        "bodies.csv",
        "--backend",
        "cpu",
        "--baseline",
        "old.csv",
        "--html",
        "c.html",
    ];
    assert_eq!(run(here, &check).status.code(), Some(0));
    let page = Page::read(&here.join("c.html"));
    let table = page.table("pairs-table");
    assert_eq!(
        table.headings[..7],
        ["a", "b", "depth", "kind", "a is", "b is", "status"]
    );
    let mut rows: Vec<_> = table
        .rows
        .iter()
        .map(|row| [0, 1, 4, 5, 6].map(|k| row[k].as_str()))
        .collect();
    rows.sort_unstable();
    assert_eq!(
        rows,
        [
            ["1", "2", "sphere", "box", "kept"],
            ["1", "3", "sphere", "capsule", "new"],
            ["2", "3", "box", "capsule", "new"],
        ]
    );
    assert!(page.text("#gone").contains("gone: 1,9"));
}

#[test]
fn a_page_may_be_the_only_output_on_stdout() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let commands = [
        &["check", "-"][..],
        &["verify", "-"],
        &["verify", "--adversarial", "100"],
        &["bench", "-", "--frames", "1"],
    ];
    for arguments in commands {
        let arguments = [arguments, &["--backend", "cpu", "--html", "-"]].concat();
        let output = run_with_stdin(here, &arguments, THREE);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        let page = text(&output.stdout);
        assert!(
            page.starts_with("<!DOCTYPE html><html") && page.ends_with("</html>"),
            "{page}"
        );
        Page::new(page);
    }
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    for arguments in [
        &["check", "three.csv"][..],
        &["verify", "three.csv"],
        &["bench", "three.csv"],
    ] {
        for (outputs, words) in [
            (["--html", "-", "--json", "-"], "is named for two outputs"),
            (["--html", "x", "--json", "x"], "is named for two outputs"),
            (["--html", "three.csv", "--json", "x"], "is also the input"),
            (["--html", "none/x.html", "--json", "x"], "a folder that does not exist"),
        ] {
            assert_failure(words, &run(here, &[arguments, &outputs].concat()), 2, words);
        }
    }
    let hardware = run(here, &["bench", "--hardware", "new", "--html", "x.html"]);
    assert_failure("hardware", &hardware, 2, "cannot be used with");
    assert_eq!(names(here), ["three.csv"].map(String::from).into());
}
