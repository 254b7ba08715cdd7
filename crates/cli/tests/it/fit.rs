//! `obbligato fit`.

use std::fs;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Obb, Sphere};
use obbligato_files::{Ids, ReadOptions, read_points, read_scene, read_scene_with};

use super::program::{assert_failure, names, run, run_with_stdin, succeed, text};

/// Returns the corners of boxes, shuffled, among other columns.
fn points_of(boxes: &[(&str, Obb)]) -> String {
    let mut rows = Vec::new();
    for (id, obb) in boxes {
        let corners = obb.corners().map(|corner| corner.as_vec3());
        rows.extend(corners.map(|Vec3 { x, y, z }| format!("{z},note,{id},{x},{y}\n")));
    }
    let count = rows.len();
    let shuffled = (0..count).map(|k| rows[(k * 11 + 3) % count].clone());
    std::iter::once("z,remark,id,x,y\n".to_owned())
        .chain(shuffled)
        .collect()
}

#[test]
fn fit_writes_a_scene() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let turned = |k: f32| Quat::from_axis_angle(Vec3::new(1.0, k, 2.0).normalize(), 0.3 + k);
    let boxes: Vec<(String, Obb)> = (0..20)
        .map(|k| {
            let half = Vec3::new(1.0, 0.2 + 0.1 * k as f32, 3.0);
            (
                format!("IfcWall-{k}"),
                Obb::new(Vec3::splat(1.5 * k as f32), half, turned(k as f32)),
            )
        })
        .collect();
    let named: Vec<(&str, Obb)> = boxes.iter().map(|(id, obb)| (id.as_str(), *obb)).collect();
    fs::write(here.join("points.csv"), points_of(&named)).expect("it can be written");
    let summary = succeed(here, &["fit", "points.csv", "--out", "boxes.csv"]);
    assert!(
        summary.starts_with("points           160\nboxes            20\nvolume           "),
        "{summary}"
    );
    assert_eq!(
        names(here),
        ["boxes.csv", "points.csv"].map(String::from).into(),
        "no partial files stay"
    );

    let scene = read_scene(&here.join("boxes.csv"), None).expect("a scene");
    let groups = read_points(&here.join("points.csv"), None).expect("points");
    assert_eq!((scene.boxes.len(), groups.len()), (20, 20));
    assert_eq!(scene.ids.as_ref(), Some(&groups.ids));
    for (k, obb) in scene.boxes.iter().enumerate() {
        let id = scene.id_of(k).to_string();
        let (_, original) = boxes.iter().find(|(name, _)| *name == id).expect("its id");
        let volume = |obb: &Obb| obb.half_extents.as_dvec3().element_product();
        assert!(volume(obb) <= volume(original) * 1.02, "{id}: {obb:?}");
        assert_eq!(groups.get(k).len(), 8);
        for point in groups.get(k) {
            assert!(
                Sphere::new(*point, 0.0).contact_box(obb).collides(),
                "{point:?} {obb:?}"
            );
        }
    }
    let checked = succeed(here, &["check", "boxes.csv", "--backend", "cpu"]);
    assert!(checked.contains("boxes            20"), "{checked}");
}

#[test]
fn groups_of_any_size_and_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let rows = "id;x;y;z\n7;1;2;3\n3;0;0;0\n7;1;2;3\n\n3;2;0;0\n12;0;0;5\n3;1;0;4\n3;0;0;4\n3;2;0;4\n";
    let expected = "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw
7,1.0,2.0,3.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0
3,1.0,0.0,2.0,1.0,0.0,2.0,0.0,0.0,0.0,1.0
12,0.0,0.0,5.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0
";
    let output = run_with_stdin(here, &["fit", "-", "--out", "-"], rows);
    assert_eq!((text(&output.stdout), text(&output.stderr)), (expected, ""));
    let output = run_with_stdin(here, &["fit", "-", "--out", "o.csv", "--quiet"], rows);
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("", ""));
    assert_eq!(
        fs::read_to_string(here.join("o.csv")).expect("the file is there"),
        expected
    );
    // Other ids: one of them is a text, so all are.
    let output = run_with_stdin(
        here,
        &["fit", "-", "--out", "-", "--id-column", "part"],
        "part,x,y,z\n7,1,1,1\nb,2,2,2\n07,3,3,3\n",
    );
    let ids: Vec<&str> = text(&output.stdout)
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .collect();
    assert_eq!(ids, ["7", "b", "07"]);
    let output = run_with_stdin(here, &["fit", "-", "--out", "-"], "id,x,y,z\n");
    assert_eq!(text(&output.stdout), "id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n");
    let groups = read_points(&here.join("o.csv"), None)
        .expect_err("a scene has no points")
        .to_string();
    assert!(groups.contains("has no column x: it has id, cx"), "{groups}");
}

#[test]
fn points_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let cases = [
        ("", "is empty: start with a header row such as id,x,y,z"),
        (
            "x,y,z\n1,2,3\n",
            "has no column id: it has x, y, z; add it, or rename one",
        ),
        ("id,x,z\n1,2,3\n", "has no column y"),
        ("id,x,y,y,z\n1,2,3,4,5\n", "has two columns y"),
        (
            "id,x,y,z\n1,2,3,4\n1,NaN,3,4\n1,2,3,inf\n",
            "line 3 has a number that is NaN or infinite (2 bad rows in all)",
        ),
        ("id,x,y,z\n1,2,3,1e19\n", "line 2 has a coordinate beyond"),
        ("id,x,y,z\n1,,,\n", "line 2 has \"\" in column x instead of a number"),
        ("id,x,y,z\n,1,2,3\n", "line 2 has no id in column id"),
        ("id,x,y,z\n1,2,3\n", "line 2 has 3 columns but the header has 4"),
        ("id,x,y,z\n1,2,\"3,4\n", "opens a quote"),
    ];
    for (content, words) in cases {
        fs::write(here.join("points.csv"), content).expect("it can be written");
        let output = run(here, &["fit", "points.csv", "--out", "boxes.csv"]);
        assert_failure(content, &output, 2, words);
        assert_eq!(
            names(here),
            ["points.csv".to_owned()].into(),
            "{content:?} leaves files"
        );
    }
    fs::write(here.join("points.csv"), "id,x,y,z\n1,2,3,4\n").expect("it can be written");
    for (arguments, words) in [
        (&["fit", "points.csv"][..], "--out"),
        (&["fit", "points.csv", "--out", "o.npy"], "cannot hold the ids"),
        (&["fit", "points.csv", "--out", "./points.csv"], "input"),
        (&["fit", "points.csv", "--out", "none/o.csv"], "folder"),
        (&["fit", "none.csv", "--out", "o.csv"], "none.csv"),
        (&["fit", "points.npy", "--out", "o.csv"], "is an NPY file"),
        (
            &["fit", "points.csv", "--out", "o.csv", "--id-column", "part"],
            "has no column part",
        ),
    ] {
        assert_failure(&format!("{arguments:?}"), &run(here, arguments), 2, words);
        assert_eq!(
            names(here),
            ["points.csv".to_owned()].into(),
            "{arguments:?} leaves files"
        );
    }
    assert!(
        matches!(read_points(&here.join("points.csv"), None).expect("points").ids, Ids::Numbers(ids) if ids == [1])
    );
}

/// Far from the origin of coordinates, boxes are as tight as near it, and contain the points of the
/// file.
#[test]
fn coordinates_of_a_map() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let mut rows = String::from("id,x,y,z\n");
    let mut points = Vec::new();
    for wall in 0..30 {
        for corner in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|axis| f64::from(corner >> axis & 1));
            let point = [
                441_871.6 + 3.3 * f64::from(wall) + 0.2 * x,
                6_329_700.7 + 4.0 * y,
                0.3 + 2.5 * z,
            ];
            let words = point.map(|number| format!("{number:.1}"));
            rows += &format!("{wall},{}\n", words.join(","));
            points.push((wall, words.map(|word| word.parse::<f64>().expect("a number"))));
        }
    }
    fs::write(here.join("points.csv"), rows).expect("it can be written");
    let output = run(here, &["fit", "points.csv", "--out", "boxes.csv"]);
    let said = text(&output.stderr);
    assert!(said.contains("boxes.csv: centers are f64"), "{said}");
    let options = ReadOptions {
        f64: true,
        ..ReadOptions::default()
    };
    let scene = read_scene_with(&here.join("boxes.csv"), &options).expect("a scene");
    let boxes = scene.boxes64().expect("memory");
    assert_eq!(boxes.len(), 30);
    for obb in &boxes {
        let mut half = obb.half_extents.to_array();
        half.sort_by(f32::total_cmp);
        for (half, expected) in half.into_iter().zip([0.1, 1.25, 2.0]) {
            assert!((half - expected).abs() < 1e-5, "{obb:?}");
        }
    }
    for (wall, point) in points {
        let obb = &boxes[wall as usize];
        let local = obb.rotation.as_dquat().inverse() * (DVec3::from(point) - obb.center);
        let over = local.abs() - obb.half_extents.as_dvec3();
        assert!(over.max_element() <= 1e-9, "{wall}: {over}");
    }
    // Near the origin there is no message, and centers are f32.
    fs::write(here.join("near.csv"), "id,x,y,z\n7,0.1,0.2,0.3\n7,1.1,0.2,0.3\n").expect("it can be written");
    let output = run(here, &["fit", "near.csv", "--out", "near_boxes.csv"]);
    assert_eq!(text(&output.stderr), "");
}
