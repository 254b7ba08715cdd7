//! Cameras.

use obbligato::Obb;
use obbligato::glam::{DQuat, DVec3, Vec3};
use obbligato_render::{Camera, View};
use proptest::collection::vec;

use crate::random;

/// The position of a point in a picture of this size, as documented: in pixels, and the distance in
/// front of the camera.
fn projected(camera: &Camera, size: [u32; 2], point: DVec3) -> [f64; 3] {
    let [width, height] = size.map(f64::from);
    let scale = (camera.target - camera.position).length();
    let forward = (camera.target - camera.position) / scale;
    let right = forward.cross(camera.up).normalize();
    let up = right.cross(forward);
    let seen = (point - camera.position) / scale;
    let depth = seen.dot(forward);
    let pixel = 2.0 * (0.5 * camera.field_of_view).tan() / height;
    let place = |across: DVec3| seen.dot(across) / depth / pixel;
    [0.5 * width + place(right), 0.5 * height - place(up), depth]
}

#[test]
fn cameras_have_all_corners_in_the_picture() {
    let coordinate = -10.0..10.0_f64;
    let place = (coordinate.clone(), coordinate.clone(), coordinate);
    let half = (0.0..1.0_f32, 0.0..1.0_f32, 0.0..1.0_f32);
    let solids = vec((place, half, random::rotation()), 50);
    for (case, (exponent, solids)) in random::samples((-98.0..58.0_f64, solids), 300).enumerate() {
        let scale = exponent.exp2();
        let center = [0.0, 1e3, 1e6][case % 3];
        let count = [1, 2, 50][case % 3];
        let solids = solids.into_iter().take(count).map(|(place, half, rotation)| {
            let place = DVec3::from(place) + DVec3::X * center;
            let flat = if case % 4 == 0 { 0.0 } else { 1.0 };
            let half = Vec3::from(half) * Vec3::new(1.0, 1.0, flat);
            Obb::new((place * scale).as_vec3(), (half.as_dvec3() * scale).as_vec3(), rotation)
        });
        let boxes: Vec<Obb> = solids.collect();
        let view = View {
            bodies: (&boxes).into(),
            ..View::default()
        };
        let size = [[320, 200], [200, 320], [1000, 100]][case / 3 % 3];
        let camera = Camera::around(&view, size);
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for obb in &boxes {
            for k in 0..8 {
                let side = |bit: u32| f64::from(k >> bit & 1) * 2.0 - 1.0;
                let own = obb.half_extents.as_dvec3() * DVec3::new(side(0), side(1), side(2));
                let rotation: DQuat = obb.rotation.as_dquat().normalize();
                let [x, y, depth] = projected(&camera, size, obb.center.as_dvec3() + rotation * own);
                assert!(depth > 0.0, "{case}: behind the camera");
                for (axis, place) in [x, y].into_iter().enumerate() {
                    assert!(
                        (0.0..=f64::from(size[axis])).contains(&place),
                        "{case}: {x}, {y}, {camera:?}"
                    );
                    low[axis] = low[axis].min(place);
                    high[axis] = high[axis].max(place);
                }
            }
        }
        // The camera is no further away than necessary.
        let filled = (0..2).map(|axis| (high[axis] - low[axis]) / f64::from(size[axis]));
        let filled = filled.fold(0.0, f64::max);
        assert!(count < 50 || filled > 0.7, "{case}: {filled}");
    }
}
