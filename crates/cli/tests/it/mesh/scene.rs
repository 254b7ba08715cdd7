//! Tests `mesh --scene`: the elements of mesh files.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{assert_failure, json, run, succeed, text};

/// A cuboid as OBJ, whose vertices follow `before` others.
pub fn cuboid(name: &str, low: [f64; 3], high: [f64; 3], before: usize) -> String {
    let mut rows = format!("{name}\n");
    for corner in 0..8usize {
        let at = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
        rows += &format!("v {} {} {}\n", at(0), at(1), at(2));
    }
    for face in [
        [1, 3, 4, 2],
        [5, 6, 8, 7],
        [1, 2, 6, 5],
        [3, 7, 8, 4],
        [1, 5, 7, 3],
        [2, 4, 8, 6],
    ] {
        let corners = face.map(|corner| (corner + before).to_string());
        rows += &format!("f {}\n", corners.join(" "));
    }
    rows
}

/// A glTF file with these nodes, whose mesh 0 is a triangle from the origin along x and y.
pub fn gltf(nodes: &str) -> String {
    let base64 = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{nodes}],\"meshes\":[{{\"primitives\":[{{\"attributes\":\
         {{\"POSITION\":0}}}}]}}],\"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":36}}],\"buffers\":[{{\"byteLength\":36,\"uri\":\
         \"data:application/octet-stream;base64,{base64}\"}}]}}"
    )
}

/// A wall, a pipe through it, a box in the wall, a slab that it stands on, and a lamp above it.
fn write(here: &Path) {
    let model = [
        cuboid("o wall", [0.0, 0.0, 0.0], [4.0, 0.5, 3.0], 0),
        cuboid("o pipe", [1.0, -1.0, 1.0], [1.25, 2.0, 1.25], 8),
        cuboid("o box", [3.0, 0.125, 1.0], [3.5, 0.375, 2.0], 16),
        cuboid("o slab", [-1.0, -1.0, -0.5], [5.0, 5.0, 0.0], 24),
    ];
    fs::write(here.join("model.obj"), model.concat()).expect("it can be written");
    let lamp = cuboid("g lamp", [1.0, 0.0, 3.25], [2.0, 0.5, 3.5], 0);
    fs::write(here.join("lamps.obj"), lamp).expect("it can be written");
}

const HEADER: &str = "a,b,kind,inner,distance,triangle_a,triangle_b";

/// The rows of `--clashes` without their triangles.
fn rows(here: &Path, arguments: &[&str]) -> Vec<String> {
    let table = succeed(
        here,
        &[&["mesh", "--scene"], arguments, &["--backend", "cpu", "--clashes", "-"]].concat(),
    );
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some(HEADER));
    let fields = lines.map(|line| line.split(',').take(5).collect::<Vec<_>>().join(","));
    fields.collect()
}

#[test]
fn a5_elements_of_meshes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here);
    let expected = ["box,wall,contain,a,", "pipe,wall,overlap,,0.0", "slab,wall,touch,,0.0"];
    assert_eq!(rows(here, &["model.obj"]), expected);
    let files = ["model.obj", "lamps.obj"];
    let both = expected.map(|row| {
        row.replace("box,", "model:box,")
            .replace("pipe,", "model:pipe,")
            .replace("slab,", "model:slab,")
            .replace("wall,", "model:wall,")
    });
    assert_eq!(rows(here, &files), both);
    let near = rows(here, &[&files[..], &["--clearance", "0.25"]].concat());
    assert_eq!(
        near,
        [&["lamps:lamp,model:wall,near,,0.25".to_owned()], &both[..]].concat()
    );
    assert_eq!(rows(here, &[&files[..], &["--clearance", "0.2499"]].concat()), both);
    let report = json(
        here,
        &[
            "mesh",
            "--scene",
            "model.obj",
            "lamps.obj",
            "--clearance",
            "0.25",
            "--json",
            "-",
        ],
    );
    assert_eq!(report["elements"], 5);
    assert_eq!(report["triangles"], json!([48, 12]));
    let kinds = ["overlap", "touch", "contain", "near"].map(|kind| report[kind].as_u64());
    assert_eq!(kinds, [Some(1); 4]);
    // Triangles are those of the file.
    let table = succeed(here, &["mesh", "--scene", "model.obj", "--clashes", "-"]);
    let touch = table.lines().find(|line| line.contains("touch")).expect("a row");
    let triangles: Vec<usize> = touch
        .split(',')
        .skip(5)
        .map(|field| field.parse().expect("a number"))
        .collect();
    assert!((36..48).contains(&triangles[0]) && triangles[1] < 12, "{touch}");
    assert!(text(&run(here, &["mesh", "--scene", "model.obj"]).stdout).contains("4, 0 of them open"));
}

#[test]
fn a5_folders_of_meshes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here);
    fs::create_dir(here.join("all")).expect("a folder");
    let refused = run(here, &["mesh", "--scene", "all"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("all: is a folder without meshes"));
    for file in ["model.obj", "lamps.obj"] {
        fs::copy(here.join(file), here.join("all").join(file)).expect("a copy");
    }
    fs::write(here.join("all/notes.txt"), "no mesh").expect("it can be written");
    let listed = rows(here, &["lamps.obj", "model.obj", "--clearance", "0.25"]);
    assert_eq!(rows(here, &["all", "--clearance", "0.25"]), listed);
    assert_eq!(listed.len(), 4);
    // One that cannot be read is named, and nothing is written.
    fs::write(here.join("all/a.stl"), "solid a\nfacet").expect("it can be written");
    let refused = run(here, &["mesh", "--scene", "all", "--clashes", "c.csv"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("a.stl"), "{}", text(&refused.stderr));
    assert!(!here.join("c.csv").exists());
}

#[test]
fn a5_elements_without_triangles_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here);
    fs::write(here.join("empty.obj"), "# nothing\n").expect("it can be written");
    let scene = ["mesh", "--scene", "model.obj", "empty.obj"];
    let told = run(here, &scene);
    assert!(text(&told.stderr).contains("empty has no triangles and meets nothing (1 such in all)"));
    assert!(text(&told.stdout).contains("5, 0 of them open, 1 without triangles"));
    let told = run(here, &[&scene[..], &["--json", "-"]].concat());
    let report: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let counts = ["elements", "open_elements", "empty_elements", "overlap"].map(|name| report[name].as_u64());
    assert_eq!(counts, [Some(5), Some(0), Some(1), Some(1)]);
}

/// Names that occur twice are distinguished, except the pieces of an object of an OBJ file.
#[test]
fn a5_names_of_elements() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let pieces = [
        cuboid("o one", [0.0; 3], [1.0; 3], 0),
        cuboid("o two", [3.0; 3], [4.0; 3], 8),
        cuboid("o one", [1.5; 3], [3.0; 3], 16),
    ];
    fs::write(here.join("pieces.obj"), pieces.concat()).expect("it can be written");
    assert_eq!(rows(here, &["pieces.obj"]), ["one,two,touch,,0.0"]);
    let cube = cuboid("# no name", [0.0; 3], [1.0; 3], 0);
    fs::create_dir(here.join("more")).expect("a folder");
    for file in ["cube.obj", "more/cube.obj"] {
        fs::write(here.join(file), &cube).expect("it can be written");
    }
    assert_eq!(
        rows(here, &["cube.obj", "more/cube.obj"]),
        ["cube,cube (2),overlap,,0.0"]
    );
    // The nodes of glTF share a mesh, a triangle; one has no name.
    let nodes = "{\"mesh\":0,\"name\":\"a\"},{\"mesh\":0,\"name\":\"a\",\"translation\":[0.25,0,0]},\
                 {\"mesh\":0,\"translation\":[1,0,0]}";
    let gltf = gltf(nodes);
    fs::write(here.join("nodes.gltf"), gltf).expect("it can be written");
    assert_eq!(
        rows(here, &["nodes.gltf"]),
        ["a,a (2),touch,,0.0", "a,node 2,touch,,0.0", "a (2),node 2,touch,,0.0"]
    );
}

#[test]
fn a5_options_of_scenes_of_meshes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here);
    for (more, words) in [
        (&["model.obj", "--clashes", "c.csv"][..], "--scene"),
        (&["model.obj", "lamps.obj", "model.obj"], "--scene"),
        (&["--scene", "model.obj", "--pairs", "p.csv"], "--pairs"),
        (&["--scene", "model.obj", "--clearance", "-1"], "expected a distance"),
        (&["--scene", "model.obj", "--clashes", "c.npy"], "cannot hold clashes"),
        (&["--scene", "model.obj", "none.obj"], "none.obj: cannot be read"),
    ] {
        assert_failure(words, &run(here, &[&["mesh"], more].concat()), 2, words);
    }
}
