//! Scenes as binary glTF 2.0, for other programs.
//!
//! Everything of one colour is one primitive with its own positions, normals and indices. Positions
//! are relative to the middle of the scene, which a node adds in the JSON's `f64`. The same node
//! rotates z, which is up here, to y, which is up in glTF.

use glam::{DVec3, Quat, Vec3};
use serde_json::{Value, json};

use crate::camera::each_part;
use crate::colours::{Tint, palette};
use crate::error::{Error, Result};
use crate::mark::Mark;
use crate::view::View;
use obbligato::{
    Bodies,
    shape::{BodyRef, Triangle},
};
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the glTF file";

/// The sides of a sphere around its axis, and its rings from pole to pole; an even number of rings,
/// because a capsule is a sphere cut in two.
const SIDES: u32 = 20;
const RINGS: u32 = 10;

/// The names of the materials, by their tints.
const NAMES: [&str; Tint::COUNT] = [
    "free",
    "touching",
    "overlapping",
    "free ghost",
    "touching ghost",
    "overlapping ghost",
    "contact",
];

/// The codes of glTF.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY: u32 = 34962;
const ELEMENTS: u32 = 34963;

/// Returns a view as a binary glTF file: bodies as triangles, with a material for each mark.
/// Contacts are left out. O(n).
///
/// A box takes 720 bytes, a sphere 11 kB.
///
/// # Errors
/// [`Error::MissingMarks`] as for a picture,
/// [`Error::LimitExceeded`](obbligato::Error::LimitExceeded) beyond 4 GiB, the limit of such files,
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
pub fn glb(view: &View<'_>) -> Result<Vec<u8>> {
    view.validate()?;
    let middle = middle(view);
    let from = middle - view.origin;
    let mut parts: [Part; Tint::COUNT] = Default::default();
    add_bodies(&mut parts, view.bodies, view.marks, Tint::of, from)?;
    add_bodies(&mut parts, view.ghosts, view.ghost_marks, Tint::of_ghost, from)?;
    add_triangles(&mut parts, (view.triangles, view.triangle_marks), Tint::of, from)?;
    let ghosts = (view.ghost_triangles, view.ghost_triangle_marks);
    add_triangles(&mut parts, ghosts, Tint::of_ghost, from)?;
    file(&parts, middle)
}

fn add_triangles(
    parts: &mut [Part],
    (triangles, marks): (&[Triangle], &[Mark]),
    tint: fn(Mark) -> Tint,
    middle: DVec3,
) -> Result<()> {
    for (k, triangle) in triangles.iter().enumerate() {
        let mark = marks.get(k).copied().unwrap_or_default();
        let corners = triangle.corners.map(|corner| (corner.as_dvec3() - middle).as_vec3());
        parts[tint(mark).0 as usize].face(&corners)?;
    }
    Ok(())
}

/// Returns the middle of the scene, in the world.
fn middle(view: &View<'_>) -> DVec3 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    each_part(view, |center, _| (low, high) = (low.min(center), high.max(center)));
    let middle = 0.5 * (low + high);
    if middle.is_finite() { middle } else { DVec3::ZERO }
}

fn add_bodies(
    parts: &mut [Part],
    bodies: Bodies<'_>,
    marks: &[Mark],
    tint: fn(Mark) -> Tint,
    middle: DVec3,
) -> Result<()> {
    for id in 0..bodies.len() as u32 {
        let mark = marks.get(id as usize).copied().unwrap_or_default();
        let part = &mut parts[tint(mark).0 as usize];
        let body = bodies.at(id);
        let center = (body.center().as_dvec3() - middle).as_vec3();
        match body {
            BodyRef::Box(obb) => part.cuboid(center, obb.rotation.normalize(), obb.half_extents)?,
            BodyRef::Sphere(sphere) => part.round(center, Quat::IDENTITY, sphere.radius, 0.0)?,
            BodyRef::Capsule(capsule) => {
                part.round(
                    center,
                    capsule.rotation.normalize(),
                    capsule.radius,
                    capsule.half_length,
                )?;
            }
        }
    }
    Ok(())
}

/// Everything of one colour.
#[derive(Default)]
struct Part {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    indices: Vec<u32>,
}

impl Part {
    /// Adds a flat, convex face, with its corners counter-clockwise.
    fn face(&mut self, corners: &[Vec3]) -> Result<()> {
        let first = self.begin(corners.len(), 3 * (corners.len() - 2))?;
        let normal = (corners[1] - corners[0])
            .cross(corners[2] - corners[0])
            .normalize_or(Vec3::Z);
        self.positions.extend_from_slice(corners);
        self.normals.extend(corners.iter().map(|_| normal));
        for k in 2..corners.len() as u32 {
            self.indices.extend([first, first + k - 1, first + k]);
        }
        Ok(())
    }

    /// Adds a box. All faces take their corners from one list, because the same sum in another
    /// order may be rounded differently; so the surface is closed.
    fn cuboid(&mut self, center: Vec3, rotation: Quat, half: Vec3) -> Result<()> {
        // The bits of a corner's number are 1 on the far side of each axis.
        let corners: [Vec3; 8] = std::array::from_fn(|number| {
            let signs = [0, 1, 2].map(|axis| if number >> axis & 1 == 1 { 1.0 } else { -1.0 });
            center + rotation * (Vec3::from(signs) * half)
        });
        for axis in 0..3 {
            let [right, up] = [1, 2].map(|k| 1 << ((axis + k) % 3));
            let far = 1 << axis;
            for numbers in [
                [far, far | right, far | right | up, far | up],
                [right, 0, up, right | up],
            ] {
                self.face(&numbers.map(|number: usize| corners[number]))?;
            }
        }
        Ok(())
    }

    /// Adds a sphere, cut into two halves at this distance from its center.
    fn round(&mut self, center: Vec3, rotation: Quat, radius: f32, half_length: f32) -> Result<()> {
        use std::f32::consts::{PI, TAU};
        // The ring at the equator occurs twice, once for each half.
        let rings = (0..=RINGS / 2).chain(RINGS / 2..=RINGS);
        let count = RINGS + 2;
        let first = self.begin((count * SIDES) as usize, (6 * (count - 1) * SIDES) as usize)?;
        for (k, ring) in rings.enumerate() {
            // A pole is one point. The sine of the rounded π would open a hole there.
            let (sine, cosine) = match ring {
                RINGS => (0.0, -1.0),
                _ => (PI * ring as f32 / RINGS as f32).sin_cos(),
            };
            let half = if k <= RINGS as usize / 2 {
                half_length
            } else {
                -half_length
            };
            for side in 0..SIDES {
                let (y, x) = (TAU * side as f32 / SIDES as f32).sin_cos();
                let normal = rotation * Vec3::new(x * sine, y * sine, cosine);
                self.positions
                    .push(center + normal * radius + rotation * (Vec3::Z * half));
                self.normals.push(normal);
            }
        }
        for ring in 0..count - 1 {
            for side in 0..SIDES {
                let at = |ring: u32, side: u32| first + ring * SIDES + side % SIDES;
                let [a, b] = [at(ring, side), at(ring + 1, side)];
                let [c, d] = [at(ring + 1, side + 1), at(ring, side + 1)];
                self.indices.extend([a, b, c, a, c, d]);
            }
        }
        Ok(())
    }

    /// Reserves memory, and returns the number of the next vertex.
    fn begin(&mut self, vertices: usize, indices: usize) -> Result<u32> {
        memory::reserve(&mut self.positions, vertices, WHAT)?;
        memory::reserve(&mut self.normals, vertices, WHAT)?;
        memory::reserve(&mut self.indices, indices, WHAT)?;
        let first = self.positions.len();
        // The vertices take 4 GiB long before their numbers exceed 32 bits.
        u32::try_from(first + vertices).map_err(|_| too_large(first as u64 * 24))?;
        Ok(first as u32)
    }
}

fn too_large(needed: u64) -> Error {
    Error::Engine(obbligato::Error::LimitExceeded {
        what: WHAT.to_owned(),
        needed,
        available: u64::from(u32::MAX),
        hint: "write fewer bodies",
    })
}

/// Returns the file of some parts.
fn file(parts: &[Part], middle: DVec3) -> Result<Vec<u8>> {
    let mut offset = 0;
    let [mut views, mut accessors, mut primitives] = [const { Vec::<Value>::new() }; 3];
    for (material, part) in parts.iter().enumerate().filter(|(_, part)| !part.indices.is_empty()) {
        let first = accessors.len();
        let lists = [
            (size_of_val(&part.positions[..]), ARRAY),
            (size_of_val(&part.normals[..]), ARRAY),
            (size_of_val(&part.indices[..]), ELEMENTS),
        ];
        for (bytes, target) in lists {
            views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes, "target": target }));
            offset += bytes as u64;
        }
        let low = part.positions.iter().copied().reduce(Vec3::min).unwrap_or_default();
        let high = part.positions.iter().copied().reduce(Vec3::max).unwrap_or_default();
        let vectors = |view: usize| json!({ "bufferView": view, "componentType": FLOAT, "count": part.positions.len(), "type": "VEC3" });
        let mut positions = vectors(first);
        positions["min"] = json!(low.to_array());
        positions["max"] = json!(high.to_array());
        accessors.extend([positions, vectors(first + 1)]);
        accessors.push(json!({
            "bufferView": first + 2, "componentType": UNSIGNED_INT, "count": part.indices.len(), "type": "SCALAR"
        }));
        primitives.push(json!({
            "attributes": { "POSITION": first, "NORMAL": first + 1 }, "indices": first + 2, "material": material
        }));
    }
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "obbligato" },
        "scene": 0,
        "scenes": [{ "nodes": [] }],
    });
    if !primitives.is_empty() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        document["scenes"] = json!([{ "nodes": [0] }]);
        document["nodes"] = json!([
            { "name": "z up", "rotation": [-half, 0.0, 0.0, half], "children": [1] },
            { "name": "middle", "translation": middle.to_array(), "mesh": 0 },
        ]);
        document["meshes"] = json!([{ "primitives": primitives }]);
        document["materials"] = materials();
        document["accessors"] = json!(accessors);
        document["bufferViews"] = json!(views);
        document["buffers"] = json!([{ "byteLength": offset }]);
    }
    pack(document.to_string(), parts, offset)
}

fn materials() -> Value {
    let material = |(name, colour): (&str, [f32; 4])| {
        let mut material = json!({
            "name": name,
            "pbrMetallicRoughness": { "baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.8 },
            "doubleSided": true,
        });
        if colour[3] < 1.0 {
            material["alphaMode"] = json!("BLEND");
        }
        material
    };
    NAMES.into_iter().zip(palette()).map(material).collect()
}

/// Returns the two chunks of the file, each padded to a multiple of four bytes.
fn pack(mut json: String, parts: &[Part], bytes: u64) -> Result<Vec<u8>> {
    const HEADER: u64 = 12;
    const CHUNK: u64 = 8;
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let binary = if bytes > 0 { CHUNK + bytes } else { 0 };
    let length = HEADER + CHUNK + json.len() as u64 + binary;
    let stated = u32::try_from(length).map_err(|_| too_large(length))?;
    let mut file = Vec::new();
    memory::reserve(&mut file, length as usize, WHAT)?;
    file.extend(b"glTF");
    file.extend([2_u32, stated, json.len() as u32].map(u32::to_le_bytes).concat());
    file.extend(b"JSON");
    file.extend(json.as_bytes());
    if bytes > 0 {
        file.extend((bytes as u32).to_le_bytes());
        file.extend(b"BIN\0");
        for part in parts {
            for vector in part.positions.iter().chain(&part.normals) {
                file.extend(vector.to_array().map(f32::to_le_bytes).as_flattened());
            }
            for index in &part.indices {
                file.extend(index.to_le_bytes());
            }
        }
    }
    Ok(file)
}
