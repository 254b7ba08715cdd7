//! Bodies that contain the camera.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Backend, Bodies, Capsule, Obb, Sphere};
use obbligato_render::{Camera, Legend, Mark, Picture, View};

use super::compared::{difference, is_alike};
use super::draw_from;

/// The position of the camera.
const EYE: DVec3 = DVec3::new(0.2, -0.3, 0.1);

/// Draws ghosts of bodies and boxes behind them, in a direction from the camera.
fn draw(backend: Backend, bodies: Bodies<'_>, behind: &[Obb], towards: DVec3) -> Picture {
    let marks = vec![Mark::Overlapping; behind.len()];
    let view = View {
        bodies: behind.into(),
        marks: &marks,
        ghosts: bodies,
        legend: Legend::Hidden,
        ..View::default()
    };
    draw_from(backend, &view, &Camera::new(EYE, EYE + towards), [80, 60])
}

/// In every view direction, a body around the camera is visible, on both backends, and does not
/// hide the outside.
#[test]
fn bodies_around_the_camera_are_transparent() {
    let boxes = [Obb::new(
        Vec3::new(0.5, 0.0, 0.0),
        Vec3::new(2.0, 1.0, 3.0),
        Quat::from_rotation_x(0.7),
    )];
    let capsules = [Capsule::new(
        Vec3::new(0.0, 0.5, 0.0),
        1.5,
        Quat::from_rotation_y(1.0),
        1.2,
    )];
    let spheres = [Sphere::new(Vec3::new(0.3, 0.2, 0.4), 1.5)];
    let around: [Bodies<'_>; 3] = [(&boxes).into(), (&capsules).into(), (&spheres).into()];
    let behind = [Obb::axis_aligned(Vec3::new(0.5, 12.0, 0.5), Vec3::splat(1.5))];
    let blank = draw(Backend::Cpu, Bodies::default(), &[], DVec3::X);
    let shown = |picture: &Picture| {
        let pixels = picture.pixels.chunks_exact(4).zip(blank.pixels.chunks_exact(4));
        pixels.filter(|(found, blank)| found != blank).count()
    };
    for bodies in around {
        for towards in [
            DVec3::X,
            DVec3::Y,
            DVec3::Z,
            -DVec3::X,
            -DVec3::Y,
            -DVec3::Z,
            DVec3::ONE,
        ] {
            let [cpu, gpu] = [Backend::Cpu, Backend::Gpu].map(|backend| draw(backend, bodies, &[], towards));
            assert_eq!([shown(&cpu), shown(&gpu)], [80 * 60; 2], "{bodies:?}, {towards}");
            assert!(
                is_alike(&cpu, &gpu),
                "{bodies:?}, {towards}: {:?}",
                difference(&cpu, &gpu)
            );
        }
        expect_glass(bodies, &behind);
    }
    // From outside, facing away from them, nothing is visible.
    for bodies in around {
        let view = View {
            bodies,
            legend: Legend::Hidden,
            ..View::default()
        };
        let away = Camera::new(DVec3::new(0.0, 9.0, 0.0), DVec3::new(0.0, 20.0, 0.0));
        for backend in [Backend::Cpu, Backend::Gpu] {
            assert_eq!(
                shown(&draw_from(backend, &view, &away, [80, 60])),
                0,
                "{bodies:?}, {backend:?}"
            );
        }
    }
}

/// Asserts that a solid body around the camera is drawn as glass, like its ghost.
fn expect_glass(bodies: Bodies<'_>, behind: &[Obb]) {
    let solid = View {
        bodies,
        legend: Legend::Hidden,
        ..View::default()
    };
    let camera = Camera::new(EYE, EYE + DVec3::Y);
    for backend in [Backend::Cpu, Backend::Gpu] {
        let ghost = draw(backend, bodies, &[], DVec3::Y);
        assert!(
            draw_from(backend, &solid, &camera, [80, 60]) == ghost,
            "{bodies:?}, {backend:?}"
        );
        assert!(
            draw(backend, bodies, behind, DVec3::Y) != ghost,
            "{bodies:?}, {backend:?}"
        );
    }
}
