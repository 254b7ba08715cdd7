//! The parts of a glTF file that are drawn, and their positions: scenes, hidden nodes, instances,
//! skins and morphs.

use obbligato::glam::Vec3;
use obbligato::shape::Triangle;
use obbligato_files::{MeshFile, NoteKind};
use serde_json::{Value, json};

use super::{change, mesh_with, of, pack, sample, with};
use crate::meshes::{counts, expect_refusal, read};

/// The two triangles of the sample, with their corners moved.
fn placed(place: impl Fn(Vec3) -> Vec3) -> Vec<Triangle> {
    let own = [of([0, 1, 2]), of([3, 4, 5])];
    let moved = own.map(|triangle| Triangle {
        corners: triangle.corners.map(&place),
    });
    moved.to_vec()
}

fn moved(x: f32) -> Vec<Triangle> {
    placed(|corner| corner + Vec3::new(x, 0.0, 0.0))
}

/// The sample with additional accessors, from number 4 on, given in the sample's form (type,
/// component type, count, bytes).
fn with_accessors(more: &[(&str, u32, usize, Vec<u8>)], changes: &[(&str, Value)]) -> Vec<u8> {
    let (mut document, mut bytes) = sample();
    for (kind, component, count, content) in more {
        let view = document["bufferViews"].as_array().expect("a list").len();
        let added = json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": content.len()});
        document["bufferViews"].as_array_mut().expect("a list").push(added);
        let added = json!({"bufferView": view, "componentType": component, "count": count, "type": kind});
        document["accessors"].as_array_mut().expect("a list").push(added);
        bytes.extend(content);
    }
    document["buffers"][0]["byteLength"] = json!(bytes.len());
    change(&mut document, changes);
    pack(&document, &bytes)
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[track_caller]
fn sound(file: Vec<u8>) -> MeshFile {
    read("a.glb", file).expect("it is sound")
}

#[test]
fn nodes_of_the_default_scene_are_drawn() {
    let nodes = json!([
        {"mesh": 0, "translation": [10, 0, 0]},
        {"children": [2], "translation": [20, 0, 0]},
        {"mesh": 0},
        {"mesh": 0, "translation": [30, 0, 0]},
    ]);
    let scenes = json!([{"nodes": [0]}, {"nodes": [1]}, {}]);
    let drawn = |scene: Value, scenes: &Value| {
        mesh_with(&[
            ("/nodes", nodes.clone()),
            ("/scenes", scenes.clone()),
            ("/scene", scene),
        ])
    };
    for (scene, expected) in [
        (json!(null), moved(10.0)),
        (json!(0), moved(10.0)),
        (json!(1), moved(20.0)),
        (json!(2), Vec::new()),
    ] {
        let mesh = drawn(scene.clone(), &scenes);
        let left_out = 3 - mesh.triangles.len() as u64 / 2;
        assert_eq!(mesh.triangles, expected, "{scene}");
        assert_eq!(counts(&mesh), [(NoteKind::OutsideScene, left_out)], "{scene}");
    }
    // Without scenes all nodes are drawn.
    let mesh = drawn(json!(null), &json!([]));
    assert_eq!(mesh.triangles, [moved(10.0), moved(20.0), moved(30.0)].concat());
    assert_eq!(counts(&mesh), []);
}

#[test]
fn hidden_nodes_are_left_out() {
    let hidden = |visible: bool| json!({"KHR_node_visibility": {"visible": visible}});
    let mesh = mesh_with(&[
        ("/extensionsRequired", json!(["KHR_node_visibility"])),
        (
            "/nodes",
            json!([
                {"mesh": 0, "extensions": hidden(false)},
                {"mesh": 0, "extensions": hidden(true), "translation": [1, 0, 0]},
                {"mesh": 0, "extensions": {"KHR_node_visibility": {}}, "translation": [2, 0, 0]},
                {"children": [4], "extensions": hidden(false)},
                {"children": [5], "extensions": hidden(true)},
                {"mesh": 0},
            ]),
        ),
    ]);
    assert_eq!(mesh.triangles, [moved(1.0), moved(2.0)].concat());
    assert_eq!(counts(&mesh), [(NoteKind::Hidden, 2)]);
}

#[test]
fn coarser_copies_are_left_out() {
    // In the scene, below a node of the scene, and elsewhere.
    let mesh = mesh_with(&[
        ("/extensionsRequired", json!(["MSFT_lod"])),
        (
            "/nodes",
            json!([
                {"mesh": 0, "extensions": {"MSFT_lod": {"ids": [1, 2, 4]}}, "children": [2]},
                {"mesh": 0},
                {"children": [3]},
                {"mesh": 0},
                {"mesh": 0},
            ]),
        ),
        ("/scenes", json!([{"nodes": [0, 1]}])),
    ]);
    assert_eq!(mesh.triangles, moved(0.0));
    assert_eq!(counts(&mesh), [(NoteKind::CoarserCopies, 3)]);
    let none = [("/nodes/0/extensions", json!({"MSFT_lod": {"ids": [7]}}))];
    expect_refusal("bad.glb", with(&none), "node 0, from 0, names node 7, from 0, of 1");
}

#[test]
fn instances_are_drawn() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let accessors = [
        ("VEC3", 5126, 2, floats(&[10.0, 0.0, 0.0, 0.0, 20.0, 0.0])),
        ("VEC4", 5126, 2, floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half])),
        ("VEC3", 5126, 2, floats(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0])),
        ("SCALAR", 5126, 3, floats(&[0.0; 3])),
    ];
    let file = |attributes: Value, more: &[(&str, Value)]| {
        let extension = json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}});
        let changes = [
            ("/nodes/0/extensions", extension),
            ("/nodes/0/translation", json!([100, 0, 0])),
        ];
        with_accessors(&accessors, &[&changes[..], more].concat())
    };
    for required in [json!([]), json!(["EXT_mesh_gpu_instancing"])] {
        let more = [("/extensionsRequired", required)];
        let mesh = sound(file(json!({"TRANSLATION": 4}), &more));
        let up = placed(|corner| corner + Vec3::new(100.0, 20.0, 0.0));
        assert_eq!(mesh.triangles, [moved(110.0), up].concat());
        assert_eq!(counts(&mesh), []);
    }
    let mesh = sound(file(json!({"TRANSLATION": 4, "ROTATION": 5, "SCALE": 6}), &[]));
    let turned = placed(|Vec3 { x, y, z }| Vec3::new(100.0 - 2.0 * y, 20.0 + 2.0 * x, 2.0 * z));
    assert_eq!(mesh.triangles, [moved(110.0), turned].concat());
    // Other attributes determine the number of instances, too.
    let mesh = sound(file(json!({"_ID": 4}), &[]));
    assert_eq!(mesh.triangles, [moved(100.0), moved(100.0)].concat());
    // Lines are drawn once per instance.
    let mesh = sound(file(json!({"_ID": 4}), &[("/meshes/0/primitives/0/mode", json!(1))]));
    assert_eq!(counts(&mesh), [(NoteKind::Lines, 6)]);
    for (attributes, words) in [
        (json!({}), "node 0, from 0, has instances without attributes"),
        (json!({"SCALE": 4, "_ID": 7}), "has attributes of 2 and of 3 instances"),
        (json!({"SCALE": 9}), "names accessor 9, from 0, of 8"),
        (
            json!({"TRANSLATION": 5}),
            "uses accessor 5, which is not of the type that is needed, VEC3",
        ),
    ] {
        expect_refusal("bad.glb", file(attributes, &[]), words);
    }
    let skinned = [("/skins", json!([{"joints": [0]}])), ("/nodes/0/skin", json!(0))];
    expect_refusal("bad.glb", file(json!({"_ID": 4}), &skinned), "has a skin and instances");
}

/// A mesh with a skin, whose vertices have these weights, on two joints; with more changes.
fn skinned(weights_of: [f32; 4], skin: Value, more: &[(&str, Value)]) -> Vec<u8> {
    let joints = ("VEC4", 5121, 6, [0u8, 1, 0, 0].repeat(6));
    let weights = |numbers: [f32; 4]| ("VEC4", 5126, 6, floats(&numbers.repeat(6)));
    let matrices = |scale: f32| {
        let columns = |x: f32| {
            [
                [scale, 0.0, 0.0, 0.0],
                [0.0, scale, 0.0, 0.0],
                [0.0, 0.0, scale, 0.0],
                [x, 0.0, 0.0, 1.0],
            ]
        };
        (
            "MAT4",
            5126,
            2,
            floats([columns(0.0), columns(5.0)].as_flattened().as_flattened()),
        )
    };
    let attributes = json!({"POSITION": 0, "JOINTS_0": 4, "WEIGHTS_0": 5});
    // An armature scaled by a hundredth, as programs make it from centimetres, with two joints.
    let nodes = json!([
        {"mesh": 0, "skin": 0},
        {"children": [0, 2, 3], "scale": [0.01, 0.01, 0.01]},
        {"scale": [100, 100, 100]},
        {"scale": [100, 100, 100], "translation": [1000, 0, 0]},
    ]);
    let changes = [
        ("/meshes/0/primitives/0/attributes", attributes),
        ("/nodes", nodes),
        ("/skins", json!([skin])),
    ];
    let accessors = [joints.clone(), weights(weights_of), matrices(1.0), matrices(100.0)];
    with_accessors(&accessors, &[&changes[..], more].concat())
}

#[test]
fn skins_override_the_transform_of_the_node() {
    let skin = json!({"joints": [2, 3]});
    for (weights, x) in [
        ([1.0, 0.0, 0.0, 0.0], 0.0),
        ([0.0, 1.0, 0.0, 0.0], 10.0),
        ([0.5, 0.5, 0.0, 0.0], 5.0),
        // Rounded weights add up to less than 1.
        ([0.25, 0.0, 0.25, 0.0], 0.0),
    ] {
        let mesh = sound(skinned(weights, skin.clone(), &[]));
        let near = |a: Vec3, b: Vec3| (a - b).abs().max_element() < 1e-6;
        for (found, expected) in mesh.triangles.iter().zip(moved(x)) {
            for (a, b) in found.corners.iter().zip(expected.corners) {
                assert!(near(*a, b), "{weights:?}: {a} {b}");
            }
        }
        assert_eq!((mesh.triangles.len(), counts(&mesh)), (2, Vec::new()));
    }
    let bound = json!({"joints": [2, 3], "inverseBindMatrices": 6});
    let mesh = sound(skinned([0.0, 1.0, 0.0, 0.0], bound, &[]));
    assert_eq!(mesh.triangles, moved(15.0));
    let small = json!({"joints": [1, 1], "inverseBindMatrices": 7});
    let mesh = sound(skinned([1.0, 0.0, 0.0, 0.0], small, &[]));
    assert_eq!(mesh.triangles, moved(0.0));
    expect_bad_skins(&skin);
}

/// Asserts the messages about bad skins and weights.
fn expect_bad_skins(skin: &Value) {
    for (weights, skin, more, words) in [
        (
            [0.0; 4],
            skin,
            &[][..],
            "has vertex 0, from 0, whose weights add up to 0",
        ),
        ([f32::NAN; 4], skin, &[], "whose weights add up to NaN"),
        ([1.0; 4], &json!({"joints": [2]}), &[], "names joint 1, from 0, of 1"),
        ([1.0; 4], &json!({"joints": [9]}), &[], "names node 9, from 0, of 4"),
        (
            [1.0; 4],
            &json!({"joints": [1, 2, 3], "inverseBindMatrices": 6}),
            &[],
            "has a skin of 3 joints and fewer inverse bind matrices",
        ),
        (
            [1.0; 4],
            skin,
            &[("/nodes/0/skin", json!(1))],
            "names skin 1, from 0, of 1",
        ),
        (
            [1.0; 4],
            skin,
            &[("/meshes/0/primitives/0/attributes", json!({"POSITION": 0}))],
            "has a skin, but a primitive without JOINTS_0 and WEIGHTS_0",
        ),
        (
            [1.0; 4],
            skin,
            &[("/accessors/4/count", json!(5))],
            "has joints that are not whole numbers, or not of each vertex",
        ),
        (
            [1.0; 4],
            skin,
            &[("/meshes/0/primitives/0/attributes/JOINTS_0", json!(5))],
            "has joints that are not whole numbers",
        ),
    ] {
        expect_refusal("bad.glb", skinned(weights, skin.clone(), more), words);
    }
}

#[test]
fn morphs_have_their_default_weights() {
    let along = |axis: usize| {
        let mut all = [0.0; 18];
        all.iter_mut().skip(axis).step_by(3).for_each(|number| *number = 4.0);
        ("VEC3", 5126, 6, floats(&all))
    };
    let accessors = [along(0), along(1)];
    let targets = json!([{"POSITION": 4, "NORMAL": 9}, {"POSITION": 5}, {"NORMAL": 9}]);
    let file = |mesh: Value, node: Value, more: &[(&str, Value)]| {
        let changes = [
            ("/meshes/0/primitives/0/targets", targets.clone()),
            ("/meshes/0/weights", mesh),
            ("/nodes/0/weights", node),
        ];
        with_accessors(&accessors, &[&changes[..], more].concat())
    };
    for (mesh, node, x, y) in [
        (json!(null), json!(null), 0.0, 0.0),
        (json!([0, 0, 0]), json!(null), 0.0, 0.0),
        (json!([1, 0.5, 1]), json!(null), 4.0, 2.0),
        (json!([1, 0.5, 1]), json!([0, -1, 0]), 0.0, -4.0),
        (json!(null), json!([0.25, 0, 0]), 1.0, 0.0),
    ] {
        let read = sound(file(mesh.clone(), node.clone(), &[]));
        let expected = placed(|corner| corner + Vec3::new(x, y, 0.0));
        assert_eq!(read.triangles, expected, "{mesh} {node}");
        assert_eq!(counts(&read), []);
    }
    expect_refusal(
        "bad.glb",
        file(json!([1]), json!(null), &[]),
        "node 0, from 0, has 1 weights for 3 morph targets",
    );
    expect_refusal(
        "bad.glb",
        file(json!([1, 0, 0]), json!(null), &[("/accessors/4/count", json!(5))]),
        "has a morph target that is not of each vertex",
    );
}

#[test]
fn unread_elements_are_reported() {
    let unknown = |name: &str| json!({name: {"deep": [{}]}});
    let mesh = mesh_with(&[
        ("/animations", json!([{"channels": []}, {}])),
        ("/nodes/0/extensions", unknown("EXT_unheard_of")),
        ("/meshes/0/extensions", unknown("KHR_materials_variants")),
        ("/meshes/0/primitives/0/extensions", unknown("EXT_unheard_of")),
    ]);
    assert_eq!(mesh.triangles, moved(0.0));
    let unheard = NoteKind::Extension("EXT_unheard_of".to_owned());
    assert_eq!(counts(&mesh), [(NoteKind::Animations, 2), (unheard, 2)]);
    let said: Vec<String> = mesh.notes.iter().map(|note| note.to_string()).collect();
    assert_eq!(said[1], "2 uses of an extension that is not read: EXT_unheard_of");
    // Compressed positions may also be present uncompressed.
    let draco = [(
        "/meshes/0/primitives/0/extensions",
        unknown("KHR_draco_mesh_compression"),
    )];
    assert_eq!(counts(&mesh_with(&draco)), []);
    let bare = json!({"componentType": 5126, "count": 6, "type": "VEC3"});
    expect_refusal(
        "bad.glb",
        with(&[draco[0].clone(), ("/accessors/0", bare)]),
        "is compressed by KHR_draco_mesh_compression, which is not read",
    );
}
