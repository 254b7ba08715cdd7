//! Invalid requests for pictures.

use obbligato::Backend;
use obbligato::glam::{DVec3, Vec3};
use obbligato::shape::Triangle;
use obbligato_render::{Camera, Mark, Picture, View};
use obbligato_render::{CameraProblem, Error};

use super::{SIZE, draw, few, renderer};

#[test]
fn impossible_pictures_are_refused() {
    let boxes = few();
    let view = View {
        bodies: (&boxes).into(),
        marks: &[Mark::Free],
        ..View::default()
    };
    let camera = Camera::new(DVec3::ZERO, DVec3::X);
    let mut renderer = renderer(Backend::Cpu);
    let wrong_marks = renderer.draw(&view, &camera, SIZE);
    assert!(matches!(
        wrong_marks,
        Err(Error::MissingMarks { count: 5, marks: 1, .. })
    ));
    let view = View {
        ghost_triangles: &[Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y)],
        ghost_triangle_marks: &[Mark::Free; 2],
        ..View::default()
    };
    let wrong_marks = renderer.draw(&view, &camera, SIZE);
    assert!(matches!(
        wrong_marks,
        Err(Error::MissingMarks { count: 1, marks: 2, .. })
    ));
    for size in [[0, 9], [9, 0], [9, 40_000]] {
        let wrong = renderer.draw(&View::default(), &camera, size);
        assert!(matches!(wrong, Err(Error::InvalidPicture { .. })), "{size:?}");
    }
    let far = DVec3::splat(1e308);
    let angle = |field_of_view: f64| Camera {
        field_of_view,
        ..camera
    };
    let problems = [
        (Camera::new(far, far), CameraProblem::NoDirection),
        (Camera::new(far, -far), CameraProblem::NotFinite),
        (Camera::new(DVec3::NAN, DVec3::ZERO), CameraProblem::NotFinite),
        (Camera::new(DVec3::ZERO, DVec3::INFINITY), CameraProblem::NotFinite),
        (
            Camera {
                up: DVec3::NAN,
                ..camera
            },
            CameraProblem::NotFinite,
        ),
        (angle(0.0), CameraProblem::FieldOfView(0.0)),
        (angle(4.0), CameraProblem::FieldOfView(4.0)),
    ];
    for (wrong, expected) in problems {
        assert_eq!(wrong.problem(), Some(expected));
        let refused = renderer.draw(&View::default(), &wrong, SIZE);
        assert!(matches!(refused, Err(Error::InvalidCamera { problem }) if problem == expected));
    }
    assert!(matches!(angle(f64::NAN).problem(), Some(CameraProblem::FieldOfView(_))));
    // The up direction may be along the view, or zero.
    for up in [DVec3::X, DVec3::ZERO] {
        let upwards = Camera { up, ..camera };
        assert!(renderer.draw(&View::default(), &upwards, SIZE).is_ok(), "{up}");
    }
    let pictures = [[8, 8], [8, 9]].map(|size| draw(Backend::Cpu, &View::default(), size));
    assert!(Picture::animation(pictures.into_iter().map(Ok), 100).is_err());
    assert!(Picture::animation(std::iter::empty(), 100).is_err());
}
