//! Pictures of scenes, and the expectations they are compared with.

mod cameras;
mod close_ups;
mod compared;
mod files;
mod inside;
mod invariant;
mod marked;
#[path = "../../../../tests/it/support/random.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod random;
mod refused;
mod stored;

use obbligato::glam::{Quat, Vec3};
use obbligato::{Backend, Bodies, Checker, Config, Obb};
use obbligato_render::{Camera, Mark, Picture, Renderer, View, marks};

/// The size of most pictures.
const SIZE: [u32; 2] = [320, 200];

fn renderer(backend: Backend) -> Renderer {
    let config = Config {
        backend,
        ..Config::default()
    };
    Renderer::new(&config).expect("the backend is there")
}

fn draw(backend: Backend, view: &View<'_>, size: [u32; 2]) -> Picture {
    draw_from(backend, view, &Camera::around(view, size), size)
}

fn draw_from(backend: Backend, view: &View<'_>, camera: &Camera, size: [u32; 2]) -> Picture {
    renderer(backend).draw(view, camera, size).expect("a picture")
}

/// Two boxes that overlap, two that touch, and a free one behind them.
fn few() -> Vec<Obb> {
    vec![
        Obb::new(
            Vec3::new(-2.0, 0.0, 1.0),
            Vec3::new(1.0, 0.8, 1.0),
            Quat::from_rotation_z(0.3),
        ),
        Obb::new(
            Vec3::new(-0.9, -0.6, 0.7),
            Vec3::new(0.8, 0.5, 0.7),
            Quat::from_rotation_z(-0.5),
        ),
        Obb::axis_aligned(Vec3::new(2.0, 0.0, 0.5), Vec3::new(0.5, 0.5, 0.5)),
        Obb::axis_aligned(Vec3::new(2.2, 0.1, 1.25), Vec3::new(0.5, 0.4, 0.25)),
        Obb::new(
            Vec3::new(1.0, 3.0, 0.6),
            Vec3::new(1.5, 0.4, 0.6),
            Quat::from_rotation_x(0.4),
        ),
    ]
}

fn marks_of<'a>(bodies: impl Into<Bodies<'a>>) -> Vec<Mark> {
    let config = Config {
        backend: Backend::Cpu,
        list_touching: true,
        ..Config::default()
    };
    let report = Checker::new(config)
        .expect("the CPU")
        .check(bodies.into())
        .expect("valid bodies");
    marks(&report).expect("pairs and touching ones")
}
