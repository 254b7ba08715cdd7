//! Tests `check --contacts`: the contact points of boxes as a table.

use std::fs;

use super::program::{assert_failure, run, succeed};

const HEADER: &str = "a,b,point,nx,ny,nz,depth,pax,pay,paz,pbx,pby,pbz,feature_a,feature_b";

/// A floor, a box that penetrates it by a quarter, one that touches that box, and one apart; the
/// ids are unsorted.
const BOXES: &str = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
7,0,0,0,5,5,1,0,0,0,1
3,1,1,1.25,0.5,0.5,0.5,0,0,0,1
9,1,1,2,0.25,0.25,0.25,0,0,0,1
4,50,0,0,1,1,1,0,0,0,1
";

fn rows(text: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], HEADER);
    lines[1..]
        .iter()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

#[test]
fn contacts_have_one_row_per_point() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("boxes.csv"), BOXES).expect("it can be written");
    let check = ["check", "boxes.csv", "--backend", "cpu", "--contacts"];
    // Pairs that are only within the margin have no contacts.
    for margin in ["0", "100"] {
        succeed(here, &[&check[..], &["c.csv", "--margin", margin]].concat());
        let found = rows(&fs::read_to_string(here.join("c.csv")).expect("it is there"));
        assert_eq!(found.len(), 8, "{found:?}");
        for (k, row) in found.iter().enumerate() {
            // From box 3 down to the floor, and up to box 9.
            let (b, normal, depth, on_a, on_b) = match k < 4 {
                true => ("7", "-1.0", "0.25", "0.75", "1.0"),
                false => ("9", "1.0", "0.0", "1.75", "1.75"),
            };
            assert_eq!(
                (row[0].as_str(), row[1].as_str(), &row[2]),
                ("3", b, &(k % 4).to_string())
            );
            assert_eq!(
                [&row[5], &row[6], &row[9], &row[12]],
                [normal, depth, on_a, on_b],
                "{row:?}"
            );
            assert_eq!(row.len(), 15);
        }
        let features: Vec<_> = found.iter().map(|row| (row[13].as_str(), row[14].as_str())).collect();
        assert!(
            features.contains(&("c0", "f5")) && features.contains(&("f5", "c0")),
            "{features:?}"
        );
    }

    // The floor against the rest, which has other numbers in its file.
    fs::write(
        here.join("floor.csv"),
        "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n8,1,1,-1,9,9,1.125,0,0,0,1\n",
    )
    .expect("it can be written");
    succeed(here, &[&check[..], &["d.csv", "--against", "floor.csv"]].concat());
    let found = rows(&fs::read_to_string(here.join("d.csv")).expect("it is there"));
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|row| row[..2] == ["7", "8"]), "{found:?}");
}

#[test]
fn contacts_need_a_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("boxes.csv"), BOXES).expect("it can be written");
    for (out, words) in [("c.npy", "name it .csv"), ("boxes.csv", "is also the input")] {
        let output = run(here, &["check", "boxes.csv", "--contacts", out]);
        assert_failure("check", &output, 2, words);
    }
}
