//! The boxes that are active in a region: exactly for solids, conservatively for frusta.

use obbligato::glam::camera::rh::{proj::directx as proj, view};
use obbligato::glam::{DMat3, DVec3, Mat4, Quat, Vec3, Vec4};
use obbligato::{
    Bodies, Error, Obb,
    error::{BoxProblem, RegionProblem},
    region::{EnclosureState, Frustum, Region, Room},
    shape::Aabb,
};
use obbligato_verify::reference;
use obbligato_verify::scenes::Scene;

use crate::support::cases::Numbers;
use crate::support::rooms::{ROOMS, boxes_about, oracle, unit};

#[test]
fn m9_solids_are_exact() {
    let (mut active, mut inactive) = (0, 0);
    for (name, known) in ROOMS.iter() {
        let boxes = boxes_about(known, 300, 6);
        let found = Region::from(known.room).active(&boxes).expect("the boxes are valid");
        for (obb, found) in boxes.iter().zip(found) {
            let outside = oracle(known, obb).state == EnclosureState::Outside;
            assert_eq!(found, !outside, "{name}: {obb:?}");
            *if found { &mut active } else { &mut inactive } += 1;
        }
    }
    assert!(active > 1000 && inactive > 1000, "{active} and {inactive}");

    // Boxes as regions, against the reference; also flat ones, which are not valid rooms.
    let boxes = Scene::Crowd.generate(2_000, 3);
    let mut numbers = Numbers::new(3);
    for _ in 0..20 {
        let other = boxes[(numbers.part() * 2e3) as usize];
        let half = numbers.point().abs() * Vec3::new(3.0, 2.0, 0.0);
        let turned = Obb::new(other.center, half, numbers.rotation());
        let found = Region::from(turned).active(&boxes).expect("the boxes are valid");
        let expected = boxes.iter().map(|obb| reference::contact(obb, &turned).collides());
        assert!(found.into_iter().eq(expected), "{turned:?}");

        let bounds = Aabb::new(other.center, other.center + half);
        let found = Region::from(bounds).active(&boxes).expect("the boxes are valid");
        // Exact in f64; as a box this one would have a rounded center.
        let touches = |obb: &Obb| bounds.overlaps_obb(obb);
        assert!(found.into_iter().eq(boxes.iter().map(touches)), "{bounds:?}");
    }
    let touching = Region::from(Aabb::new(Vec3::ZERO, Vec3::X));
    let next =
        [1.0, 1.0f32.next_up()].map(|x| Obb::axis_aligned(Vec3::new(x + 2.0, 0.0, 0.0), Vec3::new(2.0, 1.0, 1.0)));
    assert_eq!(touching.active(&next[..1]).expect("valid boxes"), [true]);
    let beyond = Obb::axis_aligned(Vec3::new(3.0f32.next_up(), 0.0, 0.0), Vec3::new(2.0, 1.0, 1.0));
    assert_eq!(touching.active(&[beyond]).expect("valid boxes"), [false]);
}

/// Points of a box: its corners, and some inside.
fn points(obb: &Obb, numbers: &mut Numbers) -> Vec<DVec3> {
    let axes = DMat3::from_quat(unit(obb));
    let half = obb.half_extents.as_dvec3();
    let corner = |k: usize| DVec3::from([0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -1.0 } else { 1.0 }));
    let mut all: Vec<DVec3> = (0..8).map(corner).collect();
    all.extend((0..40).map(|_| numbers.point().as_dvec3()));
    all.into_iter()
        .map(|s| obb.center.as_dvec3() + axes * (s * half))
        .collect()
}

#[test]
fn m9_frusta_keep_visible_boxes_and_drop_those_beyond_a_plane() {
    let eye = Vec3::new(-30.0, 4.0, 10.0);
    let view = view::look_at_mat4(eye, Vec3::ZERO, Vec3::Z);
    let boxes = Scene::Uniform.generate(3_000, 4);
    let mut numbers = Numbers::new(4);
    for (name, projection) in [
        ("perspective", proj::perspective(0.8, 1.5, 2.0, 45.0)),
        ("reversed", proj::perspective(0.8, 1.5, 45.0, 2.0)),
        ("infinite", proj::perspective_infinite(0.8, 1.5, 2.0)),
        ("infinite, reversed", proj::perspective_infinite_reverse(0.8, 1.5, 2.0)),
        ("orthographic", proj::orthographic(-9.0, 8.0, -7.0, 6.0, 5.0, 40.0)),
    ] {
        let matrix = projection * view;
        let region = Region::from(Frustum::from_view_projection(matrix).expect("a frustum"));
        let found = region.active(&boxes).expect("the boxes are valid");
        let matrix = matrix.as_dmat4();
        let [mut seen, mut dropped] = [0, 0];
        for (obb, found) in boxes.iter().zip(found) {
            let clipped: Vec<[f64; 6]> = points(obb, &mut numbers)
                .into_iter()
                .map(|point| {
                    let p = matrix * point.extend(1.0);
                    [p.w + p.x, p.w - p.x, p.w + p.y, p.w - p.y, p.z, p.w - p.z]
                })
                .collect();
            if clipped.iter().any(|inner| inner.iter().all(|&inner| inner >= 0.0)) {
                seen += 1;
                assert!(found, "{name}: a point of {obb:?} is seen");
            }
            // The corners come first.
            let beyond = (0..6).any(|plane| clipped[..8].iter().all(|inner| inner[plane] < -1e-9));
            if beyond {
                dropped += 1;
            }
            assert_eq!(found, !beyond, "{name}: {obb:?}");
        }
        assert!(seen > 50 && dropped > 500, "{name}: {seen} seen, {dropped} beyond");
    }
}

#[test]
fn boxes_that_touch_a_plane_are_kept() {
    // Three planes: x >= 0, x <= 2 with a long normal, z <= 1.
    let none = Vec4::ZERO;
    let planes = [
        Vec4::new(1.0, 0.0, 0.0, 0.0),
        Vec4::new(-100.0, 0.0, 0.0, 200.0),
        Vec4::new(0.0, 0.0, -0.5, 0.5),
        none,
        none,
        Vec4::W,
    ];
    let region = Region::from(Frustum::from_planes(planes).expect("a frustum"));
    let at = |x: f32, z: f32| {
        Obb::new(
            Vec3::new(x, 7.0, z),
            Vec3::ONE,
            Quat::from_rotation_z(std::f32::consts::PI),
        )
    };
    let boxes = [
        at(-1.0, 0.0),
        at(-1.001, 0.0),
        at(3.0, 0.0),
        at(3.001, 0.0),
        at(1.0, 2.0),
        at(1.0, 2.001),
    ];
    let found = region.active(&boxes).expect("the boxes are valid");
    assert_eq!(found, [true, false, true, false, true, false]);
}

#[test]
fn invalid_regions_are_errors() {
    let boxes = Scene::Uniform.generate(10, 1);
    let problem = |result: Result<Vec<bool>, Error>| match result {
        Err(Error::InvalidRegion { problem, .. }) => problem,
        other => panic!("{other:?}"),
    };
    let inverted = Region::from(Aabb::new(Vec3::ONE, Vec3::ZERO));
    assert_eq!(
        problem(inverted.active(&boxes)),
        RegionProblem::Solid(BoxProblem::Inverted)
    );
    let long = Region::from(Obb::new(Vec3::ONE, Vec3::ONE, Quat::IDENTITY * 2.0));
    assert_eq!(problem(long.active(&boxes)), RegionProblem::Solid(BoxProblem::Rotation));

    let plane = |plane| Frustum::from_planes([Vec4::W, plane, Vec4::W, Vec4::W, Vec4::W, Vec4::W]);
    for (plane, expected) in [
        (plane(Vec4::new(1.0, f32::NAN, 0.0, 0.0)), RegionProblem::NotFinite(1)),
        (
            plane(Vec4::new(0.0, 0.0, 0.0, f32::INFINITY)),
            RegionProblem::NotFinite(1),
        ),
        (plane(-Vec4::W), RegionProblem::Empty(1)),
    ] {
        match plane {
            Err(Error::InvalidRegion {
                what: "frustum",
                problem,
            }) => assert_eq!(problem, expected),
            other => panic!("{other:?}"),
        }
    }
    assert!(Frustum::from_view_projection(Mat4::NAN).is_err());

    let mut bad = boxes.clone();
    bad[7].half_extents.x = f32::NAN;
    bad[9].half_extents.x = -1.0;
    let room = Room::new(Vec3::ZERO, Vec3::ONE).expect("a room");
    let frustum = Frustum::from_planes([Vec4::W; 6]).expect("a frustum");
    for region in [Region::from(room), Region::from(frustum)] {
        match region.active(&bad) {
            Err(Error::InvalidBox {
                index: 7,
                problem: BoxProblem::NotFinite,
                count: 2,
            }) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(region.active(Bodies::default()).expect("no boxes"), [false; 0]);
    }
}
