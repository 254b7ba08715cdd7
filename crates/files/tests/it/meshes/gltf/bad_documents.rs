//! Documents with a fault, and the message about it.

use serde_json::{Value, json};

use crate::meshes::gltf::{of, with};
use crate::meshes::{expect_refusal, read};

const HUGE: u64 = 1_000_000_000_000_000_000;

/// A place in the sound document, the value to put there, and words of the message.
type Fault = (&'static str, Value, &'static str);

/// Versions, extensions and scenes.
fn of_documents() -> Vec<Fault> {
    vec![
        ("/asset/version", json!("1.0"), "is glTF 1.0, but only glTF 2 is read"),
        ("/asset/version", json!("2"), "is glTF 2, but only glTF 2 is read"),
        ("/asset/version", json!("2.x"), "is glTF 2.x, but only glTF 2 is read"),
        (
            "/asset/minVersion",
            json!("2.1"),
            "needs a reader of glTF 2.1, but 2.0 is read",
        ),
        (
            "/asset/minVersion",
            json!("3.0"),
            "needs a reader of glTF 3.0, but 2.0 is read",
        ),
        (
            "/asset/minVersion",
            json!("new"),
            "needs a reader of glTF new, but 2.0 is read",
        ),
        ("/asset", json!({}), "is not a glTF 2.0 file (missing field `version`"),
        ("/scene", json!(0), "names scene 0, from 0, of 0"),
        (
            "/scenes",
            json!([{"nodes": [1]}]),
            "scene 0, from 0, names node 1, from 0, of 1",
        ),
        (
            "/extensionsRequired",
            json!(["KHR_draco_mesh_compression"]),
            "requires the extension KHR_draco_mesh_compression",
        ),
    ]
}

/// Buffers and their views.
fn of_buffers() -> Vec<Fault> {
    vec![
        // The bytes exist, but are beyond the declared length of the buffer.
        (
            "/buffers/0/byteLength",
            json!(71),
            "needs buffer view 0, which does not fit into its buffer",
        ),
        (
            "/buffers/0/byteLength",
            json!(HUGE),
            "buffer 0, from 0, is cut short: it announces 1000000000000000000 bytes",
        ),
        (
            "/buffers/0/byteLength",
            json!(-1),
            "is not a glTF 2.0 file (invalid value",
        ),
        (
            "/bufferViews/0/byteLength",
            json!(HUGE),
            "needs buffer view 0, which does not fit into its buffer",
        ),
        (
            "/bufferViews/0/byteOffset",
            json!(u64::MAX),
            "needs buffer view 0, which does not fit into its buffer",
        ),
        (
            "/bufferViews/0/byteOffset",
            json!(50),
            "needs buffer view 0, which does not fit into its buffer",
        ),
        ("/bufferViews/0/buffer", json!(1), "names buffer 1, from 0, of 1"),
        (
            "/bufferViews/0/byteStride",
            json!(8),
            "whose stride of 8 bytes is too small",
        ),
        (
            "/bufferViews/0/byteStride",
            json!(u64::MAX),
            "has 6 elements, which need",
        ),
    ]
}

/// Places and counts of accessors.
fn of_accessor_ranges() -> Vec<Fault> {
    vec![
        (
            "/accessors/0/count",
            json!(HUGE),
            "which has 1000000000000000000 elements, which need 12000000000000000000 bytes",
        ),
        (
            "/accessors/0/count",
            json!(7),
            "which has 7 elements, which need 84 bytes of buffer view 0, but there are 72",
        ),
        (
            "/accessors/0/count",
            json!(5),
            "node 0, from 0, has triangles of 5 corners, which leaves some over",
        ),
        (
            "/accessors/0/count",
            json!(1e18),
            "is not a glTF 2.0 file (invalid type: floating point",
        ),
        (
            "/accessors/0/byteOffset",
            json!(4),
            "which has 6 elements, which need 76 bytes",
        ),
        (
            "/accessors/0/byteOffset",
            json!(u64::MAX),
            "which has 6 elements, which need",
        ),
        ("/accessors/0/bufferView", json!(9), "names buffer view 9, from 0, of 4"),
    ]
}

/// Types of accessors.
fn of_accessor_types() -> Vec<Fault> {
    vec![
        (
            "/accessors/0/componentType",
            json!(5130),
            "names the component type 5130",
        ),
        (
            "/accessors/0/componentType",
            json!(5125),
            "is not of the type that is needed, VEC3",
        ),
        (
            "/accessors/0/type",
            json!("VEC2"),
            "is not of the type that is needed, VEC3",
        ),
        (
            "/accessors/0/normalized",
            json!(true),
            "is not of the type that is needed, VEC3",
        ),
        (
            "/accessors/0",
            json!({"componentType": 5126, "count": HUGE, "type": "VEC3"}),
            "announces 1000000000000000000 elements without bytes",
        ),
    ]
}

/// Primitives of meshes.
fn of_primitives() -> Vec<Fault> {
    vec![
        (
            "/meshes/0/primitives/0/attributes",
            json!({}),
            "node 0, from 0, has a primitive without POSITION",
        ),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            json!(4),
            "names accessor 4, from 0, of 4",
        ),
        (
            "/meshes/0/primitives/0/indices",
            json!(0),
            "uses accessor 0, which is not of the type that is needed, SCALAR",
        ),
        ("/meshes/0/primitives/0/mode", json!(7), "has a primitive of mode 7"),
    ]
}

/// Nodes and their children.
fn of_nodes() -> Vec<Fault> {
    vec![
        ("/nodes/0/mesh", json!(1), "node 0, from 0, names mesh 1, from 0, of 1"),
        (
            "/nodes/0/children",
            json!([1]),
            "node 0, from 0, names node 1, from 0, of 1",
        ),
        (
            "/nodes/0/children",
            json!([0]),
            "has nodes that are children of themselves",
        ),
        (
            "/nodes",
            json!([{"children": [2]}, {"children": [2]}, {"mesh": 0}]),
            "node 2, from 0, has two parents",
        ),
        (
            "/nodes",
            json!([{"children": [2, 2]}, {}, {"mesh": 0}]),
            "node 2, from 0, has two parents",
        ),
        (
            "/nodes",
            json!([{"mesh": 0}, {"children": [2]}, {"children": [1]}]),
            "has nodes that are children of themselves",
        ),
    ]
}

/// Transforms of nodes.
fn of_transforms() -> Vec<Fault> {
    vec![
        (
            "/nodes/0/rotation",
            json!([0, 0, 0, 0]),
            "node 0, from 0, has a rotation whose length is not 1",
        ),
        (
            "/nodes/0/rotation",
            json!([0, 0, 0.1, 1]),
            "node 0, from 0, has a rotation whose length is not 1",
        ),
        (
            "/nodes/0/matrix",
            json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2]),
            "has a matrix whose last row is not 0, 0, 0, 1",
        ),
        (
            "/nodes/0/matrix",
            json!([1, 0, 0]),
            "is not a glTF 2.0 file (invalid length 3",
        ),
        (
            "/nodes/0/scale",
            json!([1e39, 1, 1]),
            "node 0, from 0, has vertex 1, from 0, which is not finite as f32",
        ),
        (
            "/nodes/0/translation",
            json!([1e308, 1, 1]),
            "node 0, from 0, has vertex 0, from 0, which is not finite as f32",
        ),
    ]
}

#[test]
fn bad_documents_are_named() {
    let cases = [
        of_documents(),
        of_buffers(),
        of_accessor_ranges(),
        of_accessor_types(),
        of_primitives(),
        of_nodes(),
        of_transforms(),
    ];
    for (path, value, words) in cases.into_iter().flatten() {
        expect_refusal("bad.glb", with(&[(path, value)]), words);
    }
    let both = [
        (
            "/nodes/0/matrix",
            json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
        ),
        ("/nodes/0/scale", json!([1, 1, 1])),
    ];
    expect_refusal("bad.glb", with(&both), "has a matrix and other transforms beside it");
    expect_bad_sparse_accessors();
    // A vertex index out of range, in the middle.
    let few = [
        ("/meshes/0/primitives/0/indices", json!(2)),
        ("/accessors/0/count", json!(5)),
    ];
    expect_refusal("bad.glb", with(&few), "node 0, from 0, names vertex 5, from 0, of 5");
}

/// Asserts the messages about sparse accessors.
fn expect_bad_sparse_accessors() {
    let sparse = |indices: usize, count: u64, offset: u64| {
        let sparse = json!({
            "count": count,
            "indices": {"bufferView": 1, "byteOffset": indices, "componentType": 5121},
            "values": {"bufferView": 0, "byteOffset": offset},
        });
        with(&[("/accessors/0/sparse", sparse), ("/accessors/0/count", json!(3))])
    };
    assert_eq!(
        read("a.glb", sparse(1, 1, 60)).expect("it is sound").triangles,
        [of([0, 5, 2])]
    );
    expect_refusal(
        "bad.glb",
        sparse(2, 2, 0),
        "has sparse indices that do not ascend, or are out of range",
    );
    expect_refusal(
        "bad.glb",
        sparse(1, 1, 61),
        "which has 1 elements, which need 73 bytes of buffer view 0",
    );
    expect_refusal("bad.glb", sparse(0, HUGE, 0), "which has 1000000000000000000 elements");
}
