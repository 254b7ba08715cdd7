//! A crowd of discs in the plane goes through a door. After each step, people who overlap move
//! apart by their contacts, and stay out of the walls.
//!
//! `cargo run --release --example flatland -- 400`: with the number of people.

use obbligato::glam::{DVec2, Vec2};
use obbligato::query::ContactQuery;
use obbligato::shape::yaw;
use obbligato::{Backend, Bodies, Checker, Config, Obb, Query, Rules, Set, Sphere};

/// Half the width of the door, in metres; it is in a wall along x, through the origin.
const DOOR: f32 = 0.8;

/// The speed in metres per second, and the duration of a step in seconds.
const SPEED: f32 = 1.4;
const DT: f32 = 0.05;

/// The number of times that contacts move people apart in a step.
const ROUNDS: usize = 12;

/// The outcome of the simulation.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The number of people who have got through.
    pub through: usize,
    /// The number of steps.
    pub steps: usize,
    /// The number of contacts, in all rounds of all steps.
    pub contacts: u64,
    /// The largest depth of two people, or of one in a wall, at the end of a step, in metres.
    pub deepest: f64,
}

/// The wall on both sides of the door, and two planks that lead to it.
fn walls() -> Vec<Obb> {
    [-1.0, 1.0]
        .into_iter()
        .flat_map(|side: f32| {
            let wall = Obb::in_plane(Vec2::new(side * (DOOR + 20.0), 0.0), Vec2::new(20.0, 0.2), yaw(0.0));
            let plank = Obb::in_plane(
                Vec2::new(side * 2.6, -1.8),
                Vec2::new(2.4, 0.1),
                yaw(f64::from(-0.8 * side)),
            );
            [wall, plank]
        })
        .collect()
}

/// People in rows before the door, of different sizes.
fn people(count: usize) -> Vec<Sphere> {
    let person = |k: usize| {
        let place = Vec2::new((k % 12) as f32 - 5.5, -5.0 - (k / 12) as f32);
        Sphere::new(place.extend(0.0), 0.2 + 0.02 * (k * 7 % 6) as f32)
    };
    (0..count).map(person).collect()
}

/// Returns the way of a person: to the door, and straight on behind it.
fn way(person: &Sphere) -> Vec2 {
    let place = person.center.truncate();
    let target = match place.y < 0.0 {
        true => Vec2::new(place.x.clamp(-0.3, 0.3), 0.5),
        false => Vec2::new(place.x, place.y + 1.0),
    };
    (target - place).normalize_or(Vec2::Y)
}

/// Sends this many people through the door, in at most `most_steps` steps.
pub fn run(count: usize, most_steps: usize) -> obbligato::Result<Outcome> {
    let walls = walls();
    let mut people = people(count);
    let statics: Vec<bool> = (0..walls.len() + count).map(|id| id < walls.len()).collect();
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    let mut outcome = Outcome::default();
    while outcome.steps < most_steps && outcome.through < count {
        for person in &mut people {
            person.center += (way(person) * SPEED * DT).extend(0.0);
        }
        let mut deepest = 0.0;
        for _ in 0..ROUNDS {
            let bodies = Bodies {
                boxes: &walls,
                spheres: &people,
                ..Bodies::default()
            };
            let rules = Rules {
                statics: Some(&statics),
                ..Rules::default()
            };
            let pairs = checker
                .check(Query::from(Set::from(bodies).with(rules)).in_plane())?
                .into_pairs()?;
            let contacts = checker.check(ContactQuery::within(bodies, &pairs).in_plane())?;
            let mut moves = vec![DVec2::ZERO; count];
            deepest = 0.0;
            for (pair, found) in pairs.iter().zip(contacts.penetrations()) {
                let Some(found) = found else { continue };
                outcome.contacts += 1;
                deepest = f64::max(deepest, found.depth);
                let push = found.normal.truncate() * found.depth;
                // A wall, which comes first, does not move.
                match (pair.a as usize).checked_sub(walls.len()) {
                    Some(a) => {
                        moves[a] -= 0.5 * push;
                        moves[pair.b as usize - walls.len()] += 0.5 * push;
                    }
                    None => moves[pair.b as usize - walls.len()] += push,
                }
            }
            for (person, step) in people.iter_mut().zip(moves) {
                person.center += step.as_vec2().extend(0.0);
            }
        }
        outcome.deepest = outcome.deepest.max(deepest);
        outcome.steps += 1;
        outcome.through = people.iter().filter(|person| person.center.y > 0.5).count();
    }
    Ok(outcome)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = std::env::args().nth(1).map_or(Ok(200), |text| text.parse())?;
    let outcome = run(count, 100_000)?;
    println!(
        "{} of {count} are through after {:.1} s, with {} contacts; at the end of a step the deepest was {:.3} m",
        outcome.through,
        outcome.steps as f32 * DT,
        outcome.contacts,
        outcome.deepest
    );
    Ok(())
}
