//! `obbligato render`.

use std::fs;
use std::path::Path;

use super::program::{THREE, assert_failure, names, run, run_with_stdin, succeed, text};

/// Returns the size of a PNG, and `true` if it is animated.
fn png(bytes: &[u8]) -> ([u32; 2], bool) {
    let reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .expect("a PNG");
    let info = reader.info();
    ([info.width, info.height], info.is_animated())
}

fn read(here: &Path, name: &str) -> Vec<u8> {
    fs::read(here.join(name)).expect("the file is there")
}

#[test]
fn a_picture_on_each_backend() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    for backend in ["cpu", "gpu"] {
        let shown = succeed(
            here,
            &[
                "render",
                "three.csv",
                "--out",
                "p.png",
                "--size",
                "160x120",
                "--backend",
                backend,
            ],
        );
        for line in [
            "free             1\n",
            "touching         0\n",
            "overlapping      2\n",
            "picture          p.png, 160 x 120\n",
        ] {
            assert!(shown.contains(line), "{shown}");
        }
        assert_eq!(png(&read(here, "p.png")), ([160, 120], false));
    }
    let size = ["--size", "64x48", "--backend", "cpu"];
    // A camera that faces away sees nothing.
    let camera = ["--camera", "0,0,-50", "--target", "0,0,-60"];
    let arguments = [&["render", "three.csv", "--out", "away.png"], &size[..], &camera].concat();
    succeed(here, &arguments);
    succeed(
        here,
        &[&["render", "three.csv", "--out", "there.png"][..], &size].concat(),
    );
    assert!(read(here, "away.png").len() < read(here, "there.png").len());

    // Through pipes, to which nothing else is written.
    let output = run_with_stdin(here, &[&["render", "-", "--out", "-"][..], &size].concat(), THREE);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(output.stdout, read(here, "there.png"));

    // An empty scene has a picture, too.
    let empty = THREE.lines().next().expect("a header");
    let output = run_with_stdin(
        here,
        &[&["render", "-", "--out", "empty.png"][..], &size].concat(),
        empty,
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(png(&read(here, "empty.png")), ([64, 48], false));
}

#[test]
fn rules_apply_as_in_check() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let ruled = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,world\n0,0,0,1,1,1,0,0,0,1,0\n1,0,0,1,1,1,0,0,0,1,1\n";
    fs::write(here.join("ruled.csv"), ruled).expect("it can be written");
    let shown = succeed(here, &["render", "ruled.csv", "--out", "p.png", "--size", "64x48"]);
    assert!(shown.contains("free             2\n"), "{shown}");
}

#[test]
fn frames_motions_contacts_and_meshes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let frames = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,vx
1,1,0,0,0,1,1,1,0,0,0,1,8
1,2,4,0,0,1,1,1,0,0,0,1,
2,1,1,0,0,1,1,1,0,0,0,1,8
2,2,3,0,0,1,1,1,0,0,0,1,\n";
    fs::write(here.join("frames.csv"), frames).expect("it can be written");
    let size = ["--size", "96x64", "--backend", "cpu"];
    let renders = |more: &[&str]| succeed(here, &[&["render"], more, &size[..]].concat());

    let shown = renders(&["frames.csv", "--frame", "all", "--out", "all.png"]);
    assert!(
        shown.contains("frames           2\n") && shown.contains("touching         2\n"),
        "{shown}"
    );
    assert_eq!(png(&read(here, "all.png")), ([96, 64], true));

    renders(&["frames.csv", "--frame", "1", "--out", "rest.png"]);
    renders(&["frames.csv", "--frame", "1", "--dt", "0.5", "--out", "moves.png"]);
    assert_ne!(read(here, "rest.png"), read(here, "moves.png"));

    renders(&["frames.csv", "--frame", "2", "--out", "plain.png"]);
    renders(&["frames.csv", "--frame", "2", "--contacts", "--out", "contacts.png"]);
    assert_ne!(read(here, "plain.png"), read(here, "contacts.png"));

    let mesh = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 -1\nv 1 1 1\nv 2 1 1\nf 1 2 3\nf 4 5 6\n";
    fs::write(here.join("mesh.obj"), mesh).expect("it can be written");
    let shown = renders(&["mesh.obj", "--out", "mesh.png"]);
    // Overlapping and touching are not distinguished.
    assert!(
        shown.contains("colliding        2\n") && !shown.contains("overlapping"),
        "{shown}"
    );

    // A scene has a size in bytes, and none in pixels.
    let shown = renders(&["frames.csv", "--frame", "1", "--out", "scene.glb"]);
    let bytes = read(here, "scene.glb").len();
    let said = format!(
        "scene            scene.glb, {}_{:03} bytes\n",
        bytes / 1000,
        bytes % 1000
    );
    assert!(shown.contains(&said) && !shown.contains("96 x 64"), "{shown}");
    let shown = succeed(here, &["mesh", "scene.glb", "--backend", "cpu"]);
    assert!(shown.contains("triangles        24\n"), "{shown}");
}

/// Legends of the same bodies have the same width in every frame, whatever their numbers, so that
/// they do not jump.
#[test]
fn legends_of_all_frames_have_the_same_width() {
    const BORDER: [u8; 3] = [205, 209, 215];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let mut frames = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n".to_owned();
    for (frame, step) in [(9, 9), (10, 1)] {
        for id in 0..10 {
            // In the second frame, four overlap one another.
            let x = if id < 4 { step * id } else { 9 * id };
            frames += &format!("{frame},{id},{x},0,0,1,1,1,0,0,0,1\n");
        }
    }
    fs::write(here.join("frames.csv"), frames).expect("it can be written");
    let render = ["render", "frames.csv", "--frame", "all", "--out", "all.png"];
    let shown = succeed(
        here,
        &[&render[..], &["--size", "320x200", "--backend", "cpu"]].concat(),
    );
    assert!(
        shown.contains("free             16\n") && shown.contains("overlapping      4\n"),
        "{shown}"
    );
    let file = read(here, "all.png");
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .expect("a PNG");
    let widths = [9, 10].map(|_| {
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut bytes).expect("a frame");
        let (pixels, _) = bytes.as_chunks::<3>();
        let columns = (0..pixels.len()).filter(|&k| pixels[k] == BORDER).map(|k| k % 320);
        columns.max().expect("a legend")
    });
    assert_eq!(widths[0], widths[1]);
}

#[test]
fn invalid_arguments_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("three.csv"), THREE).expect("it can be written");
    fs::write(here.join("mesh.obj"), "v 0 0 0\n").expect("it can be written");
    let cases: [(&[&str], &str); 11] = [
        (&["three.csv"], "--out"),
        (&["three.csv", "--out", "p.jpg"], "p.jpg: has an unknown extension"),
        (&["three.csv", "--out", "three.csv"], "is also the input"),
        (&["three.csv", "--out", "p.png", "--size", "0x9"], "expected pixels"),
        (&["three.csv", "--out", "p.png", "--target", "1,2,3"], "--camera"),
        (
            &["three.csv", "--out", "p.png", "--camera", "1,2"],
            "expected 3 finite numbers",
        ),
        (
            &["three.csv", "--out", "p.png", "--camera", "4,5,6", "--target", "4,5,6"],
            "the camera has its target at its own position: move it, or give it another target",
        ),
        (
            &[
                "three.csv",
                "--out",
                "p.png",
                "--camera",
                "-1e308,0,0",
                "--target",
                "1e308,0,0",
            ],
            "infinite or too large",
        ),
        (
            &["three.csv", "--out", "p.glb", "--frame", "all"],
            "has room for one frame",
        ),
        (&["mesh.obj", "--out", "p.png", "--dt", "1"], "--dt is for scenes"),
        (&["none.csv", "--out", "p.png"], "none.csv"),
    ];
    for (arguments, said) in cases {
        let output = run(here, &[&["render"], arguments].concat());
        assert_failure(said, &output, 2, said);
    }
    let output = run(
        here,
        &["render", "three.csv", "--out", "p.png", "--adapter", "no such adapter"],
    );
    assert_failure("adapter", &output, 3, "no such adapter");
    assert_eq!(names(here), ["mesh.obj", "three.csv"].map(String::from).into());
}
