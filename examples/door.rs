//! A crowd goes through a door: a person about to run into somebody stops there and goes around.
//! Everyone gets through, and no two overlap at the end of a step.
//!
//! `cargo run --release --example door -- door.png`: with a file name, writes a picture of the
//! crowd when half of it is through.

use obbligato::glam::{DVec3, Vec2, Vec3};
use obbligato::response::{Advance, advance, stop};
use obbligato::{Backend, Checker, Config, Obb, Rules, Set, motion::Motion};
use obbligato_render::{Camera, Legend, Mark, Renderer, View};

/// Half the width of the door, in metres; it is in a wall along x, through the origin.
const DOOR: f32 = 0.6;

/// Half the width, breadth and height of a person.
const PERSON: Vec3 = Vec3::new(0.25, 0.25, 0.9);

/// The speed in metres per second.
const SPEED: f32 = 1.4;

/// The duration of a step in seconds.
const DT: f64 = 0.1;

/// Half the width of the lane through the door: a person in it does not touch the wall.
const LANE: f32 = DOOR - PERSON.x - 0.05;

/// The outcome of the simulation.
#[derive(Default)]
pub struct Outcome {
    /// The number of people who have got through.
    pub through: usize,
    /// The number of steps.
    pub steps: usize,
    /// The most pairs that shared a point at the end of a step.
    pub overlapping: usize,
    /// The number of times that somebody stopped.
    pub stops: usize,
    /// The wall and the people when half of them were through; `true` for those who were blocked.
    pub midway: Vec<(Obb, bool)>,
}

/// The two parts of the wall, then the people in rows before it.
fn crowd(people: usize, random: &mut Random) -> Vec<Obb> {
    let wall = |side: f32| Obb::axis_aligned(Vec3::new(side * (DOOR + 10.0), 0.0, 1.5), Vec3::new(10.0, 0.1, 1.5));
    let mut boxes = vec![wall(-1.0), wall(1.0)];
    boxes.extend((0..people).map(|k| {
        let (column, row) = ((k % 8) as f32, (k / 8) as f32);
        let place = Vec3::new(column - 3.5, -1.5 - row, PERSON.z);
        Obb::axis_aligned(place + 0.2 * Vec3::new(random.signed(), random.signed(), 0.0), PERSON)
    }));
    boxes
}

/// Sends this many people through the door, in at most `most_steps` steps, and prints the state
/// every `every` steps.
pub fn run(people: usize, most_steps: usize, every: usize) -> obbligato::Result<Outcome> {
    let mut random = Random(1);
    let mut boxes = crowd(people, &mut random);
    let statics: Vec<bool> = (0..boxes.len()).map(|k| k < 2).collect();
    let rules = Rules {
        statics: Some(&statics),
        ..Rules::default()
    };
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    let mut walkers = vec![Walker::default(); people];
    let mut outcome = Outcome::default();
    while outcome.through < people && outcome.steps < most_steps {
        let mut motions = vec![Motion::REST; boxes.len()];
        for ((walker, motion), obb) in walkers.iter_mut().zip(&mut motions[2..]).zip(&boxes[2..]) {
            let velocity = SPEED * walker.direction(obb.center.truncate(), &mut random);
            *motion = Motion::linear(velocity.extend(0.0));
        }
        let how = Advance {
            dt: DT,
            skin: 1e-3,
            limit: 4 * people,
            rules,
        };
        let before = boxes.clone();
        let done = advance(&mut checker, &mut boxes, &mut motions, &how, |impact, partners| {
            stop(partners, &impact.first)
        })?;
        for ((walker, old), new) in walkers.iter_mut().zip(&before[2..]).zip(&boxes[2..]) {
            walker.is_blocked = old.center.distance(new.center) < 0.2 * SPEED * DT as f32;
        }
        let report = checker.check(Set::from(&boxes).with(rules))?;
        outcome.overlapping = outcome.overlapping.max(report.pairs()?.len());
        outcome.stops += done.impacts;
        outcome.steps += 1;
        outcome.through = boxes[2..].iter().filter(|obb| obb.center.y > 1.0).count();
        if outcome.midway.is_empty() && 2 * outcome.through >= people {
            let blocked = walkers.iter().map(|walker| walker.is_blocked);
            outcome.midway = boxes
                .iter()
                .copied()
                .zip([false; 2].into_iter().chain(blocked))
                .collect();
        }
        if outcome.steps.is_multiple_of(every) {
            println!(
                "{:.1} s: {} of {people} are through; stops {}, sweeps {}, pairs in each other {}",
                outcome.steps as f64 * DT,
                outcome.through,
                done.impacts,
                done.sweeps,
                report.pairs()?.len()
            );
        }
    }
    Ok(outcome)
}

/// The intentions of a person.
#[derive(Clone, Copy, Default)]
struct Walker {
    /// `true` if the last step made almost no progress.
    is_blocked: bool,
    /// A detour, and its remaining steps.
    detour: Vec2,
    steps: u32,
}

impl Walker {
    /// The direction from a place: to the door, through it, and away; or out of the way of others
    /// for a while.
    fn direction(&mut self, place: Vec2, random: &mut Random) -> Vec2 {
        if self.is_blocked && self.steps == 0 && random.unit() < 0.3 {
            (self.detour, self.steps) = (Vec2::new(random.signed(), random.signed() - 0.3), 4);
        }
        if self.steps > 0 {
            self.steps -= 1;
            return self.detour.normalize_or_zero();
        }
        let aim = match place {
            // In the doorway, in front of it, or beyond it.
            Vec2 { x, y } if x.abs() <= LANE || y > 0.5 => Vec2::new(1.5 * x, y + 3.0),
            Vec2 { x, .. } => Vec2::new(0.5 * LANE * x.signum(), -0.5),
        };
        (aim - place).normalize_or_zero()
    }
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
}

/// A picture of the crowd, PNG.
fn picture(midway: &[(Obb, bool)]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mark = |is_blocked| if is_blocked { Mark::Touching } else { Mark::Free };
    let (boxes, marks): (Vec<Obb>, Vec<Mark>) = midway.iter().map(|&(obb, is_blocked)| (obb, mark(is_blocked))).unzip();
    // The wall is transparent, so that the people behind it are visible.
    let (walls, people) = boxes.split_at(2);
    let view = View {
        bodies: people.into(),
        marks: &marks[2..],
        ghosts: walls.into(),
        legend: Legend::Hidden,
        caption: "blue: no way on in this step",
        ..View::default()
    };
    let camera = Camera::new(DVec3::new(-5.4, -9.6, 7.6), DVec3::new(0.2, -0.6, 0.4));
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    Ok(Renderer::new(&config)?.draw(&view, &camera, [480, 270])?.png()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let outcome = run(60, 5_000, 20)?;
    println!(
        "{} people are through after {:.1} s and {} stops; at most {} pairs in each other",
        outcome.through,
        outcome.steps as f64 * DT,
        outcome.stops,
        outcome.overlapping
    );
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(&file, picture(&outcome.midway)?)?;
    }
    Ok(())
}
