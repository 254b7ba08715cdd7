//! Faults in files and arguments, each with the line that a user sees.

use std::path::Path;

use obbligato_robot::{Error, Robot};

use crate::support::{ARM, arm, config};

fn refused(text: &str) -> String {
    let error = Robot::from_urdf_text(text, "", config()).expect_err("a fault");
    let line = error.to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

/// The arm with one text replaced by another.
fn with(from: &str, to: &str) -> String {
    assert!(ARM.contains(from), "{from}");
    ARM.replacen(from, to, 1)
}

/// Checks that each text is refused with a line that contains the other.
fn expect_refused<const N: usize>(cases: [(String, &str); N]) {
    for (text, expected) in cases {
        let line = refused(&text);
        assert!(line.contains(expected), "{line}\n{expected}");
    }
}

#[test]
fn a4_faulty_joints_are_named() {
    expect_refused([
        (
            with(r#"<parent link="base"/>"#, r#"<parent link="bse"/>"#),
            "joint \"pan\" names the link \"bse\"",
        ),
        (
            with(r#"<link name="tool"/>"#, r#"<link name="hand"/>"#),
            "two links are named \"hand\"",
        ),
        (
            with(r#"joint name="grip""#, r#"joint name="pan""#),
            "two joints are named \"pan\"",
        ),
        (
            with(r#"mimic joint="grip""#, r#"mimic joint="flange""#),
            "joint \"follower\" mimics \"flange\"",
        ),
        (
            with(r#"mimic joint="grip""#, r#"mimic joint="follower""#),
            "joint \"follower\" mimics \"follower\"",
        ),
        (
            with(r#"<axis xyz="0 2 0"/>"#, r#"<axis xyz="0 0 0"/>"#),
            "joint \"shoulder\" has an axis of length 0",
        ),
        (
            with(r#"<axis xyz="0 2 0"/>"#, r#"<axis xyz="0 inf 0"/>"#),
            "joint \"shoulder\" has a number that is not",
        ),
        (
            with(r#"xyz="0 0.1 0.16""#, r#"xyz="0 NaN 0.16""#),
            "joint \"shoulder\" has a number that is not",
        ),
        (
            with(r#"lower="-3" upper="3""#, r#"lower="3" upper="-3""#),
            "joint \"pan\" has limits that contain no",
        ),
        (
            with(r#"type="continuous""#, r#"type="floating""#),
            "joint \"wrist_roll\" is floating",
        ),
    ]);
}

#[test]
fn a4_faulty_bodies_and_trees_are_named() {
    expect_refused([
        (
            with(r#"radius="0.12""#, r#"radius="-0.12""#),
            "link \"turret\": collision element 0 (a sphere)",
        ),
        (
            with(r#"radius="0.07""#, r#"radius="NaN""#),
            "link \"upper_arm\": collision element 0 (a capsule)",
        ),
        (
            with(r#"size="0.16 0.12 0.1""#, r#"size="0.16 inf 0.1""#),
            "link \"upper_arm\": collision element 1 (a box)",
        ),
        (
            with(r#"<sphere radius="0.12"/>"#, r#"<mesh filename="no.stl"/>"#),
            "link \"turret\": mesh \"no.stl\":",
        ),
        (
            with(r#"<child link="turret"/>"#, r#"<child link="hand"/>"#),
            "its child has another parent already",
        ),
        (
            with(r#"<parent link="base"/>"#, r#"<parent link="hand"/>"#),
            "it is its own ancestor",
        ),
        (with("</robot>", ""), "the text: not read as URDF"),
        (String::new(), "the text: not read as URDF"),
        (
            r#"<robot name="empty"/>"#.to_owned(),
            "the text: the robot has no links: name another file",
        ),
        (with("sphere radius", "cone radius"), "the text: not read as URDF"),
    ]);
}

#[test]
fn a4_missing_files_are_named() {
    let line = Robot::from_urdf("no/arm.urdf", config())
        .expect_err("no file")
        .to_string();
    assert!(
        line.starts_with("no/arm.urdf: not read (") && line.ends_with("check the path of the URDF file"),
        "{line}"
    );
    let line = arm().with_srdf(Path::new("no.srdf")).expect_err("no file").to_string();
    assert!(
        line.starts_with("no.srdf: not read (") && line.ends_with("check the path of the SRDF file"),
        "{line}"
    );
    let srdf = r#"<robot><disable_collisions link1="base" link2="bse"/></robot>"#;
    let line = arm().with_srdf_text(srdf).expect_err("no link").to_string();
    assert_eq!(
        line,
        "the text names the link \"bse\", which the robot does not have: fix the name"
    );
    assert!(matches!(
        arm().with_srdf_text("<robot>"),
        Err(Error::Parse { kind: "SRDF", .. })
    ));
    assert!(matches!(arm().with_allowed([[0, 99]]), Err(Error::UnknownLink { .. })));
}

#[test]
fn a4_faults_of_configurations_are_named() {
    let mut robot = arm();
    let (good, mut bad) = ([0.05; 7], [0.05; 7]);
    let line = robot
        .check(&[&good[..], &good[..6]], None)
        .expect_err("too few")
        .to_string();
    assert!(
        line.starts_with("configuration 1 has 6 values: give 7, one for each of [\"pan\", "),
        "{line}"
    );
    bad[3] = f64::NAN;
    let line = robot.free(&[good, bad], None).expect_err("not finite").to_string();
    assert!(
        line.starts_with("configuration 1 has NaN for joint \"elbow_bend\""),
        "{line}"
    );
    let scene = robot
        .prepare(&[] as &[obbligato_robot::obbligato::Sphere])
        .expect("valid");
    for within in [f64::NAN, -1.0, f64::INFINITY] {
        let error = robot.distances(&[good], &scene, within).expect_err("no distance");
        assert!(error.to_string().starts_with("within is "), "{error}");
    }
    for tolerance in [f64::NAN, 0.0, f64::INFINITY] {
        let error = robot
            .check_motions(&[[good, good]], None, tolerance)
            .expect_err("no tolerance");
        assert!(error.to_string().starts_with("tolerance is "), "{error}");
    }
    let unlimited = with(r#"lower="0.01" upper="0.08""#, r#"lower="0.01" upper="inf""#);
    let mut robot = Robot::from_urdf_text(&unlimited, "", config()).expect("a robot");
    let line = robot.allowed_pairs(10, 0).expect_err("no limit").to_string();
    assert_eq!(
        line,
        "joint \"grip\" slides without limits: give it a lower and an upper limit"
    );
}

/// A mesh is its bounding box, scaled and where it belongs; `package://` is found above the file.
#[test]
fn a4_meshes_become_boxes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (urdf, meshes) = (folder.path().join("urdf"), folder.path().join("meshes"));
    for folder in [&urdf, &meshes] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let corners = "v 0 0 0\nv 2 0 0\nv 0 4 0\nv 0 0 6\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
    std::fs::write(meshes.join("part.obj"), corners).expect("a file");
    for name in ["../meshes/part.obj", "package://arm/meshes/part.obj"] {
        let mesh = format!(r#"<mesh filename="{name}" scale="0.1 0.1 -0.1"/>"#);
        std::fs::write(urdf.join("arm.urdf"), with(r#"<box size="0.3 0.3 0.2"/>"#, &mesh)).expect("a file");
        let robot = Robot::from_urdf(urdf.join("arm.urdf"), config()).expect("a robot");
        let base = robot.bodies(&[0.0; 7]).expect("valid").boxes[0];
        assert!((base.center - obbligato_robot::obbligato::glam::Vec3::new(0.1, 0.2, -0.2)).length() < 1e-6);
        let half_extents = obbligato_robot::obbligato::glam::Vec3::new(0.1, 0.2, 0.3);
        assert!((base.half_extents - half_extents).abs().max_element() < 1e-6);
        assert!(base.half_extents.cmpge(half_extents).all());
    }
}
