//! Changes that do not affect a picture: the order of bodies, the scale, the parts that it is drawn
//! in, and the owner of the device.

use obbligato::glam::{DVec3, Vec3};
use obbligato::{Backend, Config, GpuChecker, Obb, shape::Triangle};
use obbligato_render::{Arrow, Camera, Legend, Mark, Renderer, View};

use super::compared::{difference, is_alike};
use super::{SIZE, draw, draw_from, few, marks_of};

/// Bodies in front hide those behind, in any order.
#[test]
fn pictures_do_not_depend_on_the_order() {
    let boxes = few();
    let marks = marks_of(&boxes);
    let reversed: Vec<Obb> = boxes.iter().copied().rev().collect();
    let reversed_marks: Vec<Mark> = marks.iter().copied().rev().collect();
    for backend in [Backend::Cpu, Backend::Gpu] {
        let [a, b] = [(&boxes, &marks), (&reversed, &reversed_marks)].map(|(boxes, marks)| {
            let view = View {
                bodies: boxes.into(),
                marks,
                ..View::default()
            };
            draw(backend, &view, SIZE)
        });
        assert_eq!(a.pixels, b.pixels, "{backend:?}");
    }
}

/// Scaling by powers of two changes nothing, and moving far from the origin changes little.
#[test]
fn pictures_are_the_same_at_every_scale() {
    let boxes = few();
    let marks = marks_of(&boxes);
    let view = |boxes: &[Obb]| {
        let view = View {
            bodies: boxes.into(),
            marks: &marks,
            ..View::default()
        };
        [Backend::Cpu, Backend::Gpu].map(|backend| draw(backend, &view, SIZE))
    };
    let expected = view(&boxes);
    for exponent in [-100, -20, 57] {
        let scale = 2.0_f32.powi(exponent);
        let scaled: Vec<Obb> = boxes
            .iter()
            .map(|obb| Obb::new(obb.center * scale, obb.half_extents * scale, obb.rotation))
            .collect();
        assert!(view(&scaled) == expected, "2^{exponent}");
    }
    let offset = Vec3::new(1024.0, -2048.0, 512.0);
    let moved: Vec<Obb> = boxes
        .iter()
        .map(|obb| Obb::new(obb.center + offset, obb.half_extents, obb.rotation))
        .collect();
    for (found, expected) in view(&moved).iter().zip(&expected) {
        assert!(is_alike(found, expected), "{:?}", difference(found, expected));
    }
}

/// A view whose coordinates are relative to a far origin looks like one at the origin of the world.
/// Contacts, ghosts and triangles are moved too, and so is a camera in the world.
#[test]
fn pictures_are_the_same_around_every_origin() {
    let boxes = few();
    let marks = marks_of(&boxes);
    let ghosts = [Obb::axis_aligned(Vec3::new(-3.0, 1.0, 2.0), Vec3::splat(0.5))];
    let [a, b, c] = [[-1.0, 0.0, 3.0], [1.0, 0.5, 3.0], [0.0, 1.0, 4.0]].map(Vec3::from);
    let triangles = [Triangle::new(a, b, c)];
    let arrows = [Arrow {
        point: Vec3::new(-1.5, -0.5, 1.0),
        normal: Vec3::X,
        depth: 0.5,
    }];
    let at = |origin: DVec3| View {
        bodies: (&boxes).into(),
        marks: &marks,
        triangles: &triangles,
        ghosts: (&ghosts).into(),
        arrows: &arrows,
        origin,
        ..View::default()
    };
    let origin = DVec3::new(4_500_000.25, -9_000_000.5, 30.0);
    let eye = DVec3::new(-6.0, -9.0, 7.0);
    for backend in [Backend::Cpu, Backend::Gpu] {
        let from = |origin: DVec3| draw_from(backend, &at(origin), &Camera::new(origin + eye, origin), SIZE);
        let [near, far] = [DVec3::ZERO, origin].map(|origin| [draw(backend, &at(origin), SIZE), from(origin)]);
        for (found, expected) in far.iter().zip(&near) {
            assert!(is_alike(found, expected), "{:?}", difference(found, expected));
        }
    }
}

/// Nothing, a point, a plate seen from its side: something is drawn, unless there is nothing.
#[test]
fn even_points_and_plates_are_drawn() {
    let point = [Obb::axis_aligned(Vec3::new(1e6, 0.0, -3.0), Vec3::ZERO)];
    let tiny = [Obb::axis_aligned(Vec3::splat(1e-30), Vec3::splat(1e-32))];
    let far = [Obb::axis_aligned(Vec3::splat(1e18), Vec3::ONE)];
    for backend in [Backend::Cpu, Backend::Gpu] {
        let is_blank = |boxes: &[Obb]| {
            let view = View {
                bodies: boxes.into(),
                legend: Legend::Hidden,
                ..View::default()
            };
            let picture = draw(backend, &view, [64, 48]);
            picture
                .pixels
                .chunks_exact(4)
                .all(|pixel| pixel == &picture.pixels[..4])
        };
        assert!(is_blank(&[]));
        for boxes in [&point, &tiny, &far] {
            assert!(!is_blank(boxes), "{backend:?}, {boxes:?}");
        }
    }
}

/// Pictures drawn in parts are the same as those that are not.
#[test]
fn pictures_in_parts() {
    let boxes = few();
    let marks = marks_of(&boxes);
    let view = View {
        bodies: (&boxes).into(),
        marks: &marks,
        legend: Legend::Hidden,
        ..View::default()
    };
    let size = [2500, 120];
    let [cpu, gpu] = [Backend::Cpu, Backend::Gpu].map(|backend| draw(backend, &view, size));
    assert!(is_alike(&cpu, &gpu), "{:?}", difference(&cpu, &gpu));
}

/// Pictures on the application's own device are those of a device that the renderer has opened.
#[test]
fn pictures_on_the_callers_device() {
    let boxes = few();
    let marks = marks_of(&boxes);
    let view = View {
        bodies: (&boxes).into(),
        marks: &marks,
        ..View::default()
    };
    let mut checker = GpuChecker::open(Config::default()).expect("an adapter");
    let mut renderer = Renderer::with_device(checker.device(), checker.queue()).expect("a renderer");
    let own = renderer.draw(&view, &Camera::around(&view, SIZE), SIZE);
    assert!(own.expect("a picture") == draw(Backend::Gpu, &view, SIZE));
    // The device goes on.
    let found = checker.checker().check(&boxes);
    assert_eq!(found.expect("valid boxes").colliding_pairs, 2);
}
