//! 20,000 people and 200 walls who push apart, without a window: prints the time of a frame.
//!
//! `cargo run --release -p bevy_obbligato --example agents`

use std::f32::consts::TAU;
use std::time::Instant;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_obbligato::prelude::*;
use bevy_transform::prelude::*;

pub(crate) const PEOPLE: u32 = 20_000;
pub(crate) const WALLS: u32 = 200;
/// The width of the square, in meters: two square meters a person.
const WIDTH: f32 = 200.0;
const FRAMES: u32 = 200;

#[derive(Component)]
struct Walk(Vec3);

/// Walks on, and apart from whom or what the last update found in the way.
fn walk(collisions: Collisions, mut people: Query<(Entity, &Walk, &mut Transform)>, walls: Query<&StaticCollider>) {
    people.par_iter_mut().for_each(|(person, walk, mut transform)| {
        transform.translation += walk.0 / 60.0;
        for collision in collisions.of(person) {
            // From a wall all of the way, from another person half of it.
            let share = if walls.contains(collision.b) { 1.0 } else { 0.5 };
            let push = share * collision.depth * collision.normal;
            transform.translation -= Vec3::new(push.x, 0.0, push.z);
        }
    });
}

/// A number from 0 to 1 that looks random: the fractional part of multiples of an irrational
/// number.
fn spread(k: u32, seed: f64) -> f32 {
    (f64::from(k) * seed).fract() as f32
}

/// The app, before its first update.
pub(crate) fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TransformPlugin, CollisionPlugin::default()))
        .add_systems(Update, walk);
    let at = |k, height| {
        let [x, z] = [0.754_877_666, 0.569_840_291].map(|seed| (spread(k, seed) - 0.5) * WIDTH);
        Transform::from_xyz(x, height, z)
    };
    for k in 0..PEOPLE {
        let way = Quat::from_rotation_y(TAU * spread(k, 0.618_033_989)) * Vec3::X;
        app.world_mut()
            .spawn((Collider::capsule(0.3, 1.2), at(k, 0.9), Walk(1.4 * way)));
    }
    for k in 0..WALLS {
        let turn = Quat::from_rotation_y(TAU * spread(k, 0.618_033_989));
        let wall = at(7 * k + 3, 1.5).with_rotation(turn);
        app.world_mut()
            .spawn((Collider::cuboid(8.0, 3.0, 0.2), wall, StaticCollider));
    }
    app
}

fn main() {
    let mut app = app();
    let (mut best, mut pairs) = (f64::INFINITY, 0);
    let start = Instant::now();
    for _ in 0..FRAMES {
        let frame = Instant::now();
        app.update();
        best = best.min(frame.elapsed().as_secs_f64());
        pairs += app.world().resource::<CollisionWorld>().len();
    }
    let mean = start.elapsed().as_secs_f64() / f64::from(FRAMES);
    println!(
        "{PEOPLE} people, {WALLS} walls: {:.2} ms per frame, {:.2} ms at best, {} pairs",
        1e3 * mean,
        1e3 * best,
        pairs / FRAMES as usize
    );
}
