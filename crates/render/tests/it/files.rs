//! Animated pictures, and scenes as glTF.

use obbligato::glam::{DVec3, Vec3};
use obbligato::{Backend, Obb};
use obbligato_render::{Picture, View};

use super::draw;

#[test]
fn animations_contain_every_picture() {
    let pictures = [1.0_f32, 2.0, 3.0].map(|half| {
        let boxes = [Obb::axis_aligned(Vec3::ZERO, Vec3::new(half, 1.0, 1.0))];
        let view = View {
            bodies: (&boxes).into(),
            ..View::default()
        };
        draw(Backend::Cpu, &view, [64, 48])
    });
    let file = Picture::animation(pictures.clone().into_iter().map(Ok), 40).expect("a file");
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .expect("a PNG");
    let frames = reader.info().animation_control.expect("it is animated").num_frames;
    assert_eq!(frames, 3);
    for picture in &pictures {
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut bytes).expect("a frame");
        let (found, _) = bytes.as_chunks::<3>();
        assert!(
            picture
                .pixels
                .chunks_exact(4)
                .zip(found)
                .all(|(pixel, found)| pixel[..3] == found[..])
        );
    }
}

/// Checks that the triangles of a body form a closed surface in a file, too, so that readers can
/// tell its inside.
#[test]
fn bodies_as_gltf_are_closed() {
    use obbligato::glam::Quat;
    use obbligato::{Bodies, Capsule, Sphere, shape::open_edges};
    use obbligato_files::read_mesh;
    use obbligato_render::glb;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("body.glb");
    for k in 1..=40 {
        let step = k as f32;
        let center = Vec3::new(0.37 * step, -1.91, 7.3 / step);
        let rotation = Quat::from_rotation_z(0.31 * step) * Quat::from_rotation_x(1.7 * step);
        let boxes = [Obb::new(center, Vec3::new(0.1 * step, 1.3, 0.77), rotation)];
        let spheres = [Sphere::new(center, 0.21 * step)];
        let capsules = [Capsule::new(center, 1.1, rotation, 0.13 * step)];
        let none = Bodies::default();
        let all = [
            Bodies { boxes: &boxes, ..none },
            Bodies {
                spheres: &spheres,
                ..none
            },
            Bodies {
                capsules: &capsules,
                ..none
            },
        ];
        for bodies in all {
            let view = View {
                bodies,
                ..View::default()
            };
            std::fs::write(&path, glb(&view).expect("a file")).expect("it can be written");
            let triangles = read_mesh(&path).expect("a mesh").triangles;
            assert!(triangles.len() >= 12);
            assert_eq!(open_edges(&triangles).expect("valid triangles"), 0, "{bodies:?}");
            // Six times the volume, which is negative if faces are oriented inwards; relative to
            // the body, with y up.
            let middle = Vec3::new(center.x, center.z, -center.y);
            let volume = triangles.iter().map(|triangle| {
                let [a, b, c] = triangle.corners.map(|corner| corner - middle);
                a.dot(b.cross(c))
            });
            assert!(volume.sum::<f32>() > 0.0, "{bodies:?}");
        }
    }
}

/// A scene as glTF is read back: the corners of all boxes, with y up.
#[test]
fn scenes_as_gltf_read_back() {
    use obbligato::{Bodies, Sphere};
    use obbligato_files::read_mesh;
    use obbligato_render::{Mark, glb};

    use super::{few, marks_of};

    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("scene.glb");
    let read = |view: &View<'_>| {
        std::fs::write(&path, glb(view).expect("a file")).expect("it can be written");
        read_mesh(&path).expect("a mesh").triangles
    };
    assert!(read(&View::default()).is_empty());

    let boxes = few();
    let marks = marks_of(&boxes);
    let spheres = [Sphere::new(Vec3::new(5.0, 6.0, 7.0), 0.5)];
    let all_marks = [&marks[..], &[Mark::Free]].concat();
    let view = View {
        bodies: Bodies {
            boxes: &boxes,
            spheres: &spheres,
            ..Bodies::default()
        },
        marks: &all_marks,
        ..View::default()
    };
    let triangles = read(&view);
    // Back to z up.
    let corners: Vec<Vec3> = triangles
        .iter()
        .flat_map(|triangle| triangle.corners)
        .map(|corner| Vec3::new(corner.x, -corner.z, corner.y))
        .collect();
    for obb in &boxes {
        for k in 0..8 {
            let side = |bit: u32| (k >> bit & 1) as f32 * 2.0 - 1.0;
            let corner = obb.center + obb.rotation * (obb.half_extents * Vec3::new(side(0), side(1), side(2)));
            let near = corners.iter().filter(|other| other.distance(corner) < 1e-5).count();
            // Three faces of one or two triangles.
            assert!((3..=6).contains(&near), "{near} triangles at {corner}");
        }
    }
    let on_ball = corners
        .iter()
        .filter(|corner| (corner.distance(spheres[0].center) - 0.5).abs() < 1e-5);
    assert!(on_ball.count() > 500);
    // No triangle faces inwards.
    let of_ball = triangles
        .iter()
        .filter(|triangle| triangle.corners[0].distance(Vec3::new(5.0, 7.0, -6.0)) < 0.6);
    for triangle in of_ball {
        let [a, b, c] = triangle.corners;
        let out = (a + b + c) / 3.0 - Vec3::new(5.0, 7.0, -6.0);
        let normal = (b - a).cross(c - a);
        assert!(
            normal == Vec3::ZERO || normal.normalize_or_zero().dot(out) >= -1e-6,
            "{triangle:?}"
        );
    }
}

/// The coordinates of another origin are the same, and a node moves them, in `f64`.
#[test]
fn origins_of_gltf_are_added_in_f64() {
    use obbligato_render::glb;

    use super::few;

    let boxes = few();
    let view = View {
        bodies: (&boxes).into(),
        ..View::default()
    };
    let origin = DVec3::new(4_500_000.25, -9_000_000.5, 30.0);
    let [near, far] = [DVec3::ZERO, origin].map(|origin| {
        let file = glb(&View { origin, ..view }).expect("a file");
        let length = u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize;
        let document: serde_json::Value = serde_json::from_slice(&file[20..20 + length]).expect("JSON");
        let place = document["nodes"][1]["translation"].as_array().expect("a place").clone();
        let place = [0, 1, 2].map(|axis| place[axis].as_f64().expect("a number"));
        (DVec3::from(place), file[20 + length..].to_vec())
    });
    assert_eq!(far.0, near.0 + origin);
    assert!(far.1 == near.1);
}
