//! Tests `check --clash-rules`, `--ignore` and the table of types.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::program::{assert_failure, json, run, succeed, text};
use super::shell::columns;

/// A wall; a pipe in it, 0.125 deep; a pipe 0.25 beside it, one exactly 0.5 beside it and one just
/// further; and a duct that touches it.
const MODEL: &str = "id,type,name,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
w,Wall,north,0,0,0,4,0.5,4,0,0,0,1
p1,Pipe,inner,-3,0.625,0,0.25,0.25,0.25,0,0,0,1
p2,Pipe,near,-1,1,0,0.25,0.25,0.25,0,0,0,1
p3,Pipe,edge,1,1.25,0,0.25,0.25,0.25,0,0,0,1
p4,Pipe,far,3,1.2500001,0,0.25,0.25,0.25,0,0,0,1
d1,Duct,air,0,-0.75,0,0.25,0.25,0.25,0,0,0,1
";

const RULES: &str = "min_depth = 0.01

[[rule]]
name = \"pipes <near> walls\"
where = \"a.type=Pipe b.type=Wall\"
clearance = 0.5

[[rule]]
name = \"ducts\"
where = \"a.type=Duct\"
ignore = true
";

fn folder(rules: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [("model.csv", MODEL), ("rules.toml", rules)] {
        fs::write(folder.path().join(name), text).expect("it can be written");
    }
    folder
}

const CHECK: [&str; 6] = ["check", "model.csv", "--backend", "cpu", "--clash-rules", "rules.toml"];

fn clashes(here: &Path, more: &[&str], names: &[&str]) -> Vec<String> {
    columns(&succeed(here, &[&CHECK[..], more, &["--clashes", "-"]].concat()), names)
}

#[test]
fn a5_rules_decide_by_their_own_limits() {
    let folder = folder(RULES);
    let here = folder.path();
    let expected = [
        "p1 w 0.125 0.0 overlap pipes <near> walls",
        "p2 w 0.0 0.25 near pipes <near> walls",
        "p3 w 0.0 0.5 near pipes <near> walls",
    ];
    let names = ["a", "b", "depth", "distance", "kind", "rule"];
    assert_eq!(clashes(here, &[], &names), expected);
    assert_eq!(clashes(here, &["--f64"], &names), expected);
    assert_eq!(
        clashes(here, &[], &["nx", "ny", "nz", "y", "touching"])[1],
        "0.0 -1.0 0.0 0.625 0"
    );
    let report = json(here, &[&CHECK[..], &["--json", "-"]].concat());
    assert_eq!(report["colliding_pairs"], 3);
    assert_eq!(report["near_pairs"], 2);
    assert_eq!(report["margin"], 0.5);
    assert_eq!(
        report["rules"],
        json!([
            { "name": "pipes <near> walls", "clashes": 3, "left_out": 0 },
            { "name": "ducts", "clashes": 0, "left_out": 1 },
            { "name": null, "clashes": 0, "left_out": 0 },
        ])
    );
    let plain = json(here, &["check", "model.csv", "--json", "-"]);
    assert_eq!(
        [&plain["rules"], &plain["ignored"], &plain["matrix"]],
        [&Value::Null; 3]
    );
    assert_eq!(plain["colliding_pairs"], 2);
}

/// The first rule that fits decides, and each clearance is exact whatever the greatest one.
#[test]
fn a5_the_first_rule_that_fits_decides() {
    let one = "[[rule]]\nname = \"edge\"\nwhere = \"a.name=edge b.type=Wall\"\nclearance = 0.4999999\n";
    let folder = folder(&[one, &RULES.replace("min_depth = 0.01", "")].concat());
    let here = folder.path();
    let names = ["a", "b", "rule"];
    assert_eq!(
        clashes(here, &[], &names),
        ["p1 w pipes <near> walls", "p2 w pipes <near> walls"]
    );
    // Pairs of two files are in the order of the files.
    fs::write(
        here.join("rules.toml"),
        RULES.replace("a.type=Pipe b.type=Wall", "a.type=Wall b.type=Pipe"),
    )
    .expect("it can be written");
    let against = clashes(here, &["--against", "model.csv"], &["a", "b", "rule"]);
    let by_rule: Vec<&String> = against.iter().filter(|row| row.ends_with("walls")).collect();
    let [p1, p2, p3] = ["p1", "p2", "p3"].map(|pipe| format!("w {pipe} pipes <near> walls"));
    assert_eq!(by_rule, [&p1, &p2, &p3]);
    // Without a rule that fits, the number at the top decides: all are their own clashes here.
    fs::write(here.join("rules.toml"), "only = true").expect("it can be written");
    assert!(clashes(here, &[], &["a"]).is_empty());
    fs::write(here.join("rules.toml"), "min_depth = 0.01").expect("it can be written");
    assert_eq!(clashes(here, &[], &["a", "rule"]), ["p1 "]);
    fs::write(here.join("rules.toml"), "").expect("it can be written");
    assert_eq!(clashes(here, &[], &["a"]), ["p1", "d1"]);
}

#[test]
fn a5_faulty_rules_are_refused() {
    let folder = folder(RULES);
    let here = folder.path();
    for (rules, words) in [
        (
            "[[rule]]\nname = \"n\"\nwhere = \"a.storey=1\"",
            "rules.toml: rule 1, \"n\", fits no pair: model.csv: has no column storey",
        ),
        (
            "clearance = -1",
            "rules.toml: line 1: clearance of the file is not a length: write a finite number",
        ),
        (
            "[[rule]]\nname = \"n\"\nwhere = \"a.type=x\"\nmargin = 1",
            "line 4: rule 1 has a key margin",
        ),
        ("[[rule", "rules.toml: line 1: "),
    ] {
        fs::write(here.join("rules.toml"), rules).expect("it can be written");
        assert_failure(words, &run(here, &CHECK), 2, words);
    }
    for (more, words) in [
        (&["--margin", "1"][..], "--margin"),
        (&["--min-depth", "1"], "--min-depth"),
        (&["--memory", "1GB"], "--memory"),
        (&["--clashes", "rules.toml"], "rules.toml"),
    ] {
        assert_failure(words, &run(here, &[&CHECK[..], more].concat()), 2, words);
    }
    let missing = ["check", "model.csv", "--clash-rules", "none.toml"];
    assert_failure("none", &run(here, &missing), 2, "none.toml: cannot be read");
    // A column that the rules and --where compare is that of --where in the error of --where alone.
    let unknown = ["check", "model.csv", "--where", "a.storey=1"];
    assert_failure("where", &run(here, &unknown), 2, "model.csv: has no column storey");
}

#[test]
fn a5_ignored_pairs_are_left_out() {
    let folder = folder(RULES);
    let here = folder.path();
    let list = "b,reason,a,by\nw,\"sleeve <b>, agreed\",p1,Ann\nd1,,w,\np4,old,w,\ngone,,w,\n";
    fs::write(here.join("accepted.csv"), list).expect("it can be written");
    let output = run(here, &["check", "model.csv", "--ignore", "accepted.csv", "--json", "-"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["ignored"], &report["colliding_pairs"]), (&json!(2), &json!(0)));
    let stderr = text(&output.stderr);
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(
        lines,
        [
            "obbligato: note: accepted.csv: this column is not read: by",
            "obbligato: note: accepted.csv: 2 pairs do not clash any more, the first of them w,p4: remove their rows",
        ]
    );
    // Pairs that --where leaves out are not ignored ones, but they still clash.
    let output = run(
        here,
        &[
            "check",
            "model.csv",
            "--ignore",
            "accepted.csv",
            "--where",
            "a.type=Duct",
            "--json",
            "-",
        ],
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["ignored"], &report["filtered_pairs"]), (&json!(1), &json!(1)));
    assert!(text(&output.stderr).contains("2 pairs do not clash"));
}

#[test]
fn a5_ignored_pairs_are_listed_on_the_page() {
    let folder = folder(RULES);
    let here = folder.path();
    let list = "a,b,reason\np1,w,\"sleeve <b>, agreed\"\nd1,w,\n";
    fs::write(here.join("accepted.csv"), list).expect("it can be written");
    let output = run(
        here,
        &[
            &CHECK[..],
            &[
                "--ignore",
                "accepted.csv",
                "--pairs",
                "pairs.csv",
                "--html",
                "page.html",
            ],
        ]
        .concat(),
    );
    assert!(
        text(&output.stdout).contains("2 by --ignore, 0 by --clash-rules"),
        "{}",
        text(&output.stdout)
    );
    let pairs = fs::read_to_string(here.join("pairs.csv")).expect("pairs");
    assert_eq!(pairs, "a,b\np2,w\np3,w\n");
    let page = fs::read_to_string(here.join("page.html")).expect("a page");
    for word in [
        "id=\"ignored\"",
        "sleeve &lt;b&gt;, agreed",
        "pipes &lt;near&gt; walls",
        "are within 0.5",
        "apart",
    ] {
        assert!(page.contains(word), "{word}");
    }
    fs::write(here.join("accepted.csv"), "x,y\n1,2\n").expect("it can be written");
    let columns = ["check", "model.csv", "--ignore", "accepted.csv"];
    assert_failure("columns", &run(here, &columns), 2, "accepted.csv: has no column a");
}

#[test]
fn a5_types_against_types() {
    let folder = folder("clearance = 1.0");
    let here = folder.path();
    let more = ["--group", "type", "--html", "page.html", "--json", "-"];
    let report = json(here, &[&CHECK[..], &more].concat());
    let cells = report["matrix"].as_array().expect("a list");
    let counts: Vec<(&Value, &Value, &Value)> = cells
        .iter()
        .map(|cell| (&cell["a"], &cell["b"], &cell["clashes"]))
        .collect();
    assert_eq!(counts[0], (&json!("Pipe"), &json!("Wall"), &json!(4)));
    assert_eq!(counts[1], (&json!("Duct"), &json!("Wall"), &json!(1)));
    assert_eq!(cells[0]["deepest"], 0.125);
    let page = fs::read_to_string(here.join("page.html")).expect("a page");
    let table = page
        .split("id=\"types-table\"")
        .nth(1)
        .and_then(|rest| rest.split("</table>").next());
    let table = table.expect("a table of types");
    // Every type has a row and a column, and both halves of the table are filled.
    assert_eq!(table.matches(">4<").count(), 2, "{table}");
    assert_eq!(table.matches("<tr>").count(), 1 + 3);
}

#[test]
fn a5_rules_are_labels_of_topics() {
    let folder = folder(RULES);
    let here = folder.path();
    let guid = |number: usize| format!("0ABCDEFGHIJKLMNOPQRST{number}");
    let mut model = MODEL.to_owned();
    for (number, id) in ["w", "p1", "p2", "p3", "p4", "d1"].iter().enumerate() {
        model = model.replace(&format!("\n{id},"), &format!("\n{},", guid(number)));
    }
    fs::write(here.join("model.csv"), model).expect("it can be written");
    let check = [&CHECK[..], &["--bcf", "c.bcf", "--json", "-"]].concat();
    assert_eq!(json(here, &check)["topics"]["new"], 3);
    let labels = |here: &Path| {
        let files = super::bcf::read(here);
        let markups = files.iter().filter(|(name, _)| name.ends_with("/markup.bcf"));
        let mut labels: Vec<String> = markups
            .flat_map(|(_, bytes)| {
                roxmltree::Document::parse(text(bytes))
                    .expect("XML")
                    .descendants()
                    .filter(|node| node.has_tag_name("Labels"))
                    .filter_map(|node| node.text().map(str::to_owned))
                    .collect::<Vec<_>>()
            })
            .collect();
        labels.sort_unstable();
        labels
    };
    let rule = "rule: pipes <near> walls";
    assert_eq!(labels(here), ["near", "near", "overlap", rule, rule, rule]);
    assert_eq!(json(here, &check)["topics"]["unchanged"], 3);
    fs::write(here.join("rules.toml"), RULES.replace("pipes <near> walls", "pipes")).expect("it can be written");
    assert_eq!(json(here, &check)["topics"]["changed"], 3);
    assert_eq!(
        labels(here),
        ["near", "near", "overlap", "rule: pipes", "rule: pipes", "rule: pipes"]
    );
}
