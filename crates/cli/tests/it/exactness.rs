//! Precision, touching pairs and adversarial pairs on the command line.

use std::fs;

use obbligato_verify::scenes::Scene;

use super::program::{assert_failure, json, names, run, succeed, text};

/// A cube, one that touches it, one that overlaps both, and one that misses it by an ulp.
const ROW: &str = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
0,0,0,1,1,1,0,0,0,1
2,0,0,1,1,1,0,0,0,1
1,0,0,1,1,1,0,0,0,1
-2.0000002,0,0,1,1,1,0,0,0,1
";

#[test]
fn check_reports_touching_pairs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("row.csv"), ROW).expect("it can be written");
    let check = ["check", "row.csv", "--backend", "cpu"];
    let summary = succeed(here, &check);
    assert!(summary.contains("3, 1 of them only touch"), "{summary}");
    for (precision, colliding) in [("exact", Some(3)), ("fast", None), ("conservative", Some(4))] {
        let report = json(here, &[&check[..], &["--precision", precision, "--json", "-"]].concat());
        assert_eq!(report["precision"], precision);
        if let Some(colliding) = colliding {
            assert_eq!(report["colliding_pairs"], colliding, "{report}");
        }
        if precision == "exact" {
            assert_eq!(report["touching_pairs"], 1, "{report}");
            assert_eq!(report["undecided_pairs"], 2, "{report}");
            assert!(report["undecided_after_f64"].is_u64(), "{report}");
        } else {
            assert!(report["touching_pairs"].is_null(), "{report}");
            assert_eq!(report["undecided_pairs"], 0, "{report}");
        }
    }
    let output = run(here, &[&check[..], &["--precision", "double"]].concat());
    assert_failure("unknown precision", &output, 2, "--precision");
}

#[test]
fn bench_reports_undecided_pairs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let bench = [
        "--backend",
        "cpu",
        "--scene",
        "bricks",
        "--count",
        "1k",
        "--frames",
        "1",
    ];
    let bench = |precision| json(here, &[&bench[..], &["--precision", precision, "--json", "-"]].concat());
    let exact = &bench("exact")[0];
    assert_eq!(exact["touching_pairs"], exact["colliding_pairs"], "{exact}");
    assert!(exact["undecided_rate"].as_f64() > Some(0.5), "{exact}");
    assert_eq!(exact["verified"]["passed"], true, "{exact}");
    let conservative = &bench("conservative")[0];
    assert!(conservative["undecided_rate"].is_null(), "{conservative}");
    assert_eq!(conservative["verified"]["passed"], true, "{conservative}");
    assert!(bench("fast")[0]["verified"].is_null());
}

#[test]
fn verify_counts_touching_pairs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = ["verify", "--backend", "cpu", "--scene", "bricks", "--count", "2k"];
    let report = succeed(folder.path(), &scene);
    let touching = obbligato_verify::reference::contacts(&Scene::Bricks.generate(2_000, 1)).len();
    assert!(
        report.contains(&format!("touching: {touching} expected, {touching} found")),
        "{report}"
    );
}

#[test]
fn adversarial_pairs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let verify = ["verify", "--backend", "cpu", "--adversarial"];
    let report = succeed(here, &[&verify[..], &["20k", "--seed", "3"]].concat());
    assert!(report.contains("20_000 adversarial pairs (seed 3)"), "{report}");
    assert!(report.ends_with("passed: 0 wrong answers\n"), "{report}");
    for word in ["NearlyParallel", "touching", "f32", "checker", "reference"] {
        assert!(report.contains(word), "{word} in {report}");
    }
    assert_ne!(report, succeed(here, &[&verify[..], &["20k"]].concat()), "another seed");
    assert!(succeed(here, &[&verify[..], &["0"]].concat()).contains("passed"));
    assert!(names(here).is_empty());
    for more in [
        &["--scene", "uniform", "--count", "10"][..],
        &["row.csv"],
        &["--inject-fault"],
    ] {
        let output = run(here, &[&verify[..], &["10"], more].concat());
        assert_failure(&more.concat(), &output, 2, "--adversarial");
        assert_eq!(text(&output.stdout), "");
    }
}

/// A cube, one a quarter beside it, one that touches it, and one beyond the margin; the ids are
/// unsorted.
const GAPS: &str = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
7,0,0,0,1,1,1,0,0,0,1
3,2.25,0.5,0,1,1,1,0,0,0,1
9,0,2,0,1,1,1,0,0,0,1
4,-2.5,0,0,1,1,1,0,0,0,1
";

#[test]
fn distances_without_a_margin_list_colliding_pairs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("gaps.csv"), GAPS).expect("it can be written");
    succeed(here, &["check", "gaps.csv", "--backend", "cpu", "--distances", "d.csv"]);
    let rows = fs::read_to_string(here.join("d.csv")).expect("it is there");
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines.len(), 2, "{rows}");
    assert!(lines[1].starts_with("7,9,0.0,"), "{rows}");
    fs::write(here.join("points.csv"), "id,x,y,z\n1,0,0,0\n2,0,0,0\n3,1,0,0\n").expect("it can be written");
    let words = ["solids", "points.csv", "--backend", "cpu", "--distances", "-"];
    assert_eq!(
        succeed(here, &words),
        "a,b,distance,pax,pay,paz,pbx,pby,pbz\n1,2,0.0,0.0,0.0,0.0,0.0,0.0,0.0\n"
    );
}

/// Cubes at distances with digits that no `f32` has: the margin is exactly the number that is
/// written.
#[test]
fn a_margin_keeps_its_decimal_value() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for (gap, margin, near) in [
        ("0.69999999", "0.7", 1),
        ("0.70000001", "0.7", 0),
        ("0.09999999999", "0.1", 1),
        ("0.10000000099", "0.1", 0),
    ] {
        let digits = gap.strip_prefix("0.").expect("a gap below 1");
        let scene = format!("cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n0,0,0,1,1,1,0,0,0,1\n2.{digits},0,0,1,1,1,0,0,0,1\n");
        fs::write(here.join("two.csv"), scene).expect("it can be written");
        for backend in ["cpu", "gpu"] {
            let words = [
                "check",
                "two.csv",
                "--f64",
                "--margin",
                margin,
                "--backend",
                backend,
                "--json",
                "-",
            ];
            let report = json(here, &words);
            assert_eq!(report["near_pairs"], near, "{gap}, {margin}, {backend}: {report}");
            assert_eq!(report["margin"].to_string(), margin);
        }
    }
    // The nearest f32 to 0.7 is below it, that to 0.1 above.
    let singles = [
        (0.7f32, "0.7", 1),
        (0.1f32, "0.1", 0),
        (0.1f32.next_down(), "0.1", 1),
        (0.7f32.next_up(), "0.7", 0),
    ];
    for (gap, margin, near) in singles {
        let points = format!("id,x,y,z\n1,-1,0,0\n1,0,0,0\n2,{gap},0,0\n2,2,0,0\n");
        fs::write(here.join("points.csv"), points).expect("it can be written");
        let words = [
            "solids",
            "points.csv",
            "--margin",
            margin,
            "--backend",
            "cpu",
            "--json",
            "-",
        ];
        let report = json(here, &words);
        assert_eq!(report["near_pairs"], near, "{gap}, {margin}: {report}");
        assert_eq!(report["margin"].to_string(), margin);
    }
}

#[test]
fn check_finds_pairs_within_a_margin() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("gaps.csv"), GAPS).expect("it can be written");
    let check = ["check", "gaps.csv", "--backend", "cpu", "--margin", "0.25"];
    let summary = succeed(
        here,
        &[&check[..], &["--distances", "near.csv", "--pairs", "pairs.csv"]].concat(),
    );
    assert!(
        summary.contains("3, 1 of them only touch, 2 of them only within 0.25"),
        "{summary}"
    );
    let read = |name: &str| fs::read_to_string(here.join(name)).expect("it is there");
    assert_eq!(read("pairs.csv"), "a,b\n3,7\n3,9\n7,9\n");
    let distances = read("near.csv");
    let lines: Vec<&str> = distances.lines().collect();
    assert_eq!(lines[0], "a,b,distance,pax,pay,paz,pbx,pby,pbz");
    assert!(lines[1].starts_with("3,7,0.25,1.25,"), "{distances}");
    assert!(lines[2].starts_with("3,9,0.25,1.25,"), "{distances}");
    assert!(lines[3].starts_with("7,9,0.0,"), "{distances}");
    assert_eq!(lines.len(), 4);

    let report = json(here, &[&check[..], &["--json", "-"]].concat());
    assert_eq!(report["near_pairs"], 2, "{report}");
    assert_eq!(
        (&report["touching_pairs"], &report["colliding_pairs"]),
        (&1.into(), &3.into())
    );
    assert_eq!(report["margin"], 0.25);
    let report = json(here, &["check", "gaps.csv", "--backend", "cpu", "--json", "-"]);
    assert_eq!(
        (&report["near_pairs"], &report["colliding_pairs"]),
        (&0.into(), &1.into())
    );

    for (arguments, words) in [
        (vec!["--margin", "-1"], "the margin -1 is not a valid distance"),
        (vec!["--margin", "nan"], "the margin NaN is not a valid distance"),
        (vec!["--margin", "near"], "--margin"),
        (vec!["--margin", "1", "--distances", "near.npy"], "name it .csv"),
        (vec!["--margin", "1", "--distances", "gaps.csv"], "is also the input"),
    ] {
        let output = run(
            here,
            &[&["check", "gaps.csv", "--backend", "cpu"], &arguments[..]].concat(),
        );
        assert_failure(&arguments.join(" "), &output, 2, words);
    }
}
