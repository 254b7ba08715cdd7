//! Cubes that fly and spin in a closed room and bounce off its walls and each other. They keep
//! their energy, none escapes, and no two overlap at the end of a step.
//!
//! `cargo run --release --example bouncing -- bouncing.png`: with a file name, writes a picture of
//! the final state.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::response::{Advance, Mass, Partner, advance, bounce, kinetic_energy};
use obbligato::{Backend, Checker, Config, Obb, Rules, motion::Motion};
use obbligato_render::{Camera, Legend, Mark, Renderer, View, poses};

/// The distance of the walls from the origin along all three axes, in metres.
const ROOM: f32 = 2.0;

/// The walls are thicker than the distance a cube moves in a step: a cube that enters one is
/// detected there.
const WALL: f32 = 0.5;

/// The duration of a step in seconds.
const DT: f64 = 1.0 / 60.0;

/// The outcome of the simulation.
#[derive(Default)]
pub struct Outcome {
    /// The largest difference from the energy at the start, relative to it.
    pub drift: f64,
    /// The most cubes whose centers were outside the room at the end of a step.
    pub escaped: usize,
    /// The most pairs that shared a point at the end of a step.
    pub overlapping: usize,
    /// The total number of impacts.
    pub impacts: usize,
    /// The total number of seconds omitted because a step had too many impacts.
    pub left: f64,
    /// The final cubes and their motions.
    pub cubes: (Vec<Obb>, Vec<Motion>),
}

/// The walls first, then the cubes.
struct World {
    boxes: Vec<Obb>,
    motions: Vec<Motion>,
    masses: Vec<Mass>,
    statics: Vec<bool>,
}

impl World {
    fn new(cubes: usize) -> Self {
        let mut world = Self {
            boxes: Vec::new(),
            motions: Vec::new(),
            masses: Vec::new(),
            statics: Vec::new(),
        };
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for side in [-1.0, 1.0] {
                let half = Vec3::splat(ROOM + 2.0 * WALL) * (Vec3::ONE - axis) + axis * WALL;
                let wall = Obb::axis_aligned(axis * side * (ROOM + WALL), half);
                world.add(wall, Motion::REST, Mass::FIXED);
            }
        }
        let mut random = Random(1);
        let row = (cubes as f64).cbrt().ceil() as usize;
        let spacing = 2.0 * ROOM / row as f32;
        for k in 0..cubes {
            let place = [k % row, k / row % row, k / row / row].map(|i| (i as f32 + 0.5) * spacing - ROOM);
            // With any rotation, a cube stays in its part of the room.
            let half = Vec3::splat(spacing * (0.1 + 0.15 * random.unit()));
            let [x, y, z, w] = [0; 4].map(|_| random.signed());
            let rotation = Quat::from_xyzw(x, y, z, w + 1.5).normalize();
            let cube = Obb::new(place.into(), half, rotation);
            let motion = Motion::linear(2.0 * random.vector()).turning(5.0 * random.vector());
            world.add(cube, motion, Mass::of(&cube, f64::from(1000.0 * 8.0 * half.x.powi(3))));
        }
        world
    }

    fn add(&mut self, obb: Obb, motion: Motion, mass: Mass) {
        self.boxes.push(obb);
        self.motions.push(motion);
        self.masses.push(mass);
        self.statics.push(mass == Mass::FIXED);
    }

    fn energy(&self) -> f64 {
        let partner = |k: usize| Partner {
            body: (&self.boxes[k]).into(),
            motion: &self.motions[k],
            mass: &self.masses[k],
        };
        (0..self.boxes.len()).map(|k| kinetic_energy(&partner(k))).sum()
    }

    fn escaped(&self) -> usize {
        let outside = |obb: &&Obb| obb.center.abs().max_element() > ROOM;
        self.boxes[6..].iter().filter(outside).count()
    }
}

/// Simulates this many cubes for this many steps, and prints the state every `every` steps.
pub fn run(cubes: usize, steps: usize, every: usize) -> obbligato::Result<Outcome> {
    let mut world = World::new(cubes);
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    let at_first = world.energy();
    let mut outcome = Outcome::default();
    for step in 1..=steps {
        let World {
            boxes,
            motions,
            masses,
            statics,
        } = &mut world;
        let rules = Rules {
            statics: Some(&*statics),
            ..Rules::default()
        };
        let how = Advance {
            dt: DT,
            skin: 1e-4,
            limit: 1000,
            rules,
        };
        let done = advance(&mut checker, boxes, motions, &how, |impact, partners| {
            let ids = [impact.pair.a as usize, impact.pair.b as usize];
            let partner = |k: usize| Partner {
                body: partners[k].0.into(),
                motion: partners[k].1,
                mass: &masses[ids[k]],
            };
            bounce([partner(0), partner(1)], &impact.first, 1.0)
        })?;
        let report = checker.check(obbligato::Set::from(&*boxes).with(rules))?;
        let overlapping = report.pairs()?.len();
        let drift = world.energy() / at_first - 1.0;
        outcome.drift = outcome.drift.max(drift.abs());
        outcome.escaped = outcome.escaped.max(world.escaped());
        outcome.overlapping = outcome.overlapping.max(overlapping);
        outcome.impacts += done.impacts;
        outcome.left += done.left;
        if step.is_multiple_of(every) {
            println!(
                "step {step}: impacts {}, sweeps {}, shortened {}; energy {:+.1e}; in each other {overlapping}, outside {}",
                done.impacts,
                done.sweeps,
                done.shortened,
                drift,
                world.escaped()
            );
        }
    }
    outcome.cubes = (world.boxes.split_off(6), world.motions.split_off(6));
    Ok(outcome)
}

/// Draws the cubes in their room, and their positions within the next twentieth of a second, as
/// PNG.
fn picture((cubes, motions): &(Vec<Obb>, Vec<Motion>)) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (mut ghosts, _) = poses(cubes.into(), motions, 0.05, 2)?;
    let mut ghost_marks = vec![Mark::Touching; ghosts.boxes.len()];
    ghosts.boxes.push(Obb::axis_aligned(Vec3::ZERO, Vec3::splat(ROOM)));
    ghost_marks.push(Mark::Free);
    let view = View {
        bodies: cubes.into(),
        ghosts: ghosts.all(),
        ghost_marks: &ghost_marks,
        legend: Legend::Hidden,
        caption: "blue: the next twentieth of a second",
        ..View::default()
    };
    let camera = Camera::new(DVec3::new(-6.7, -11.7, 4.5), DVec3::new(0.0, 0.0, 0.12));
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    Ok(Renderer::new(&config)?.draw(&view, &camera, [448, 300])?.png()?)
}

/// Deterministic pseudorandom numbers: Steele, Lea and Flood's SplitMix64.
struct Random(u64);

impl Random {
    /// A number from 0 to 1.
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 40) as f32 / (1 << 24) as f32
    }

    fn signed(&mut self) -> f32 {
        2.0 * self.unit() - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.signed()))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let outcome = run(100, 300, 20)?;
    println!(
        "{} impacts; energy within {:.1e} of what it was; at most {} outside and {} pairs in each other; {} s left out",
        outcome.impacts, outcome.drift, outcome.escaped, outcome.overlapping, outcome.left
    );
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(&file, picture(&outcome.cubes)?)?;
    }
    Ok(())
}
