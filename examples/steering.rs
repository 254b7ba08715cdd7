//! Agents in the plane walk to and fro among walls. Each looks ahead for whom it will come near,
//! and steps aside or slows down in time. No two are in each other at the end of a frame, and
//! nobody is in a wall.
//!
//! `cargo run --release --example steering -- --count 50000 --frames 100`
//!
//! `--picture FILE` writes a picture of the last frame as PNG.

use std::time::Instant;

use obbligato::glam::{DVec3, Vec2};
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::query::{ApproachQuery, NeighbourQuery};
use obbligato::response::roll_back_bodies;
use obbligato::shape::{OwnedBodies, yaw};
use obbligato::{Checker, Config, Obb, Rules, Set, Sphere};
use obbligato_render::{Camera, Legend, Mark, Renderer, View};

/// The duration of a frame, and how far ahead everyone looks, in seconds.
const DT: f32 = 0.1;
const HORIZON: f64 = 2.0;

/// The speed of walking in metres per second.
const SPEED: f32 = 1.4;

/// The gap that people want to keep between them, in metres.
const COMFORT: f64 = 0.15;

/// The distance between two places in the rows in which people start, in metres.
const SPACING: f32 = 1.5;

/// The outcome of the simulation.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The most pairs that shared a point at the end of a frame.
    pub overlapping: usize,
    /// The number of times that somebody could not go and stood for a frame.
    pub stood: usize,
    /// The mean progress in the directions that people want, as a fraction of their speed.
    pub progress: f64,
    /// The number of approaches that were looked at, in all frames.
    pub approaches: usize,
}

/// The walls, which come first, and the people.
pub struct World {
    bodies: OwnedBodies,
    /// The direction that each person wants to go, and the present velocity.
    ways: Vec<Vec2>,
    velocities: Vec<Vec2>,
    /// `true` for a wall.
    statics: Vec<bool>,
    /// The distance of the borders from the origin. Whoever gets there turns back.
    border: f32,
}

impl World {
    /// People in rows; every ninth place has a wall instead, and every other row walks across.
    pub fn new(count: usize) -> Self {
        let row = (count as f32 * 9.0 / 8.0).sqrt().ceil() as usize;
        let border = 0.5 * SPACING * row as f32;
        let mut bodies = OwnedBodies::default();
        let mut ways = Vec::new();
        for k in 0.. {
            if ways.len() == count {
                break;
            }
            let [column, line] = [k % row, k / row];
            let place = SPACING * (Vec2::new(column as f32, line as f32) + 0.5) - border;
            if column % 3 == 1 && line % 3 == 1 {
                let half = [Vec2::new(0.7, 0.15), Vec2::new(0.15, 0.7)][(column + line) / 3 % 2];
                bodies.boxes.push(Obb::in_plane(place, half, yaw(0.0)));
            } else {
                let radius = 0.2 + 0.02 * (k * 7 % 6) as f32;
                bodies.spheres.push(Sphere::new(place.extend(0.0), radius));
                ways.push([Vec2::X, Vec2::Y, -Vec2::X, -Vec2::Y][(column + 2 * line) % 4]);
            }
        }
        let walls = bodies.boxes.len();
        Self {
            statics: (0..walls + count).map(|id| id < walls).collect(),
            velocities: ways.iter().map(|way| SPEED * *way).collect(),
            bodies,
            ways,
            border,
        }
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            statics: Some(&self.statics),
            ..Rules::default()
        }
    }

    /// Advances by a frame.
    pub fn advance(&mut self, checker: &mut Checker, outcome: &mut Outcome) -> obbligato::Result<()> {
        let walls = self.bodies.boxes.len();
        let mut steering = self.anticipate(checker, outcome)?;
        self.keep_apart(checker, &mut steering)?;
        let mut wanted = self.bodies.clone();
        for (k, person) in wanted.spheres.iter_mut().enumerate() {
            // Nobody turns at once: a part of the present velocity stays.
            let velocity = (SPEED * self.ways[k] + steering[k]).clamp_length_max(SPEED);
            self.velocities[k] = self.velocities[k].lerp(velocity, 0.4);
            person.center += (self.velocities[k] * DT).extend(0.0);
        }
        // Anticipation is polite, not safe. Whoever would be in somebody now stays instead, and
        // so do those who would be in someone who stays.
        let stay = roll_back_bodies(checker, self.rules(), self.bodies.all(), &mut wanted)?;
        let mut progress = 0.0;
        for (k, stays) in stay[walls..].iter().enumerate() {
            if *stays {
                self.velocities[k] = Vec2::ZERO;
                outcome.stood += 1;
            }
            progress += f64::from(self.velocities[k].dot(self.ways[k]) / SPEED);
            let place = wanted.spheres[k].center.truncate();
            // Back at the border.
            if place.dot(self.ways[k]) > self.border {
                self.ways[k] = -self.ways[k];
            }
        }
        outcome.progress += progress / self.ways.len() as f64;
        self.bodies = wanted;
        let report = checker.check(Set::from(self.bodies.all()).with(self.rules()))?;
        outcome.overlapping = outcome.overlapping.max(report.pairs()?.len());
        Ok(())
    }

    /// Returns how each person changes the velocity because of those who will come near.
    fn anticipate(&self, checker: &mut Checker, outcome: &mut Outcome) -> obbligato::Result<Vec<Vec2>> {
        let walls = self.bodies.boxes.len();
        let mut motions = vec![Motion::REST; walls];
        motions.extend(
            self.velocities
                .iter()
                .map(|velocity| Motion::linear(velocity.extend(0.0))),
        );
        let moving = MovingSet::new(self.bodies.all(), &motions).with(self.rules());
        let found = checker.check(ApproachQuery::new(moving, &Step::new(HORIZON), COMFORT))?;
        outcome.approaches += found.approaches.len();
        let mut steering = vec![Vec2::ZERO; self.ways.len()];
        for approach in &found.approaches {
            let (time, [a, b]) = (approach.nearest.time as f32, [approach.pair.a, approach.pair.b]);
            // Where both are when they are nearest.
            let place = |id: usize| match id.checked_sub(walls) {
                Some(k) => self.bodies.spheres[k].center.truncate() + time * self.velocities[k],
                None => self.bodies.boxes[id].center.truncate(),
            };
            for [me, other] in [[a, b], [b, a]].map(|ids| ids.map(|id| id as usize)) {
                let Some(k) = me.checked_sub(walls) else { continue };
                let (ahead, way) = (place(other) - place(me), self.ways[k]);
                // Step aside, away from the other; to the right if it is straight ahead.
                let right = -way.perp();
                let side = if right.dot(ahead) > 0.1 { -right } else { right };
                let urgency = SPEED * (1.0 - time / HORIZON as f32);
                // Slow down for who is in front, not for who comes from behind.
                let brake = way * f32::from(u8::from(way.dot(ahead) > 0.0));
                steering[k] += urgency * (side - 0.5 * brake);
            }
        }
        Ok(steering)
    }

    /// Adds the wish to be further from the nearest people.
    fn keep_apart(&self, checker: &mut Checker, steering: &mut [Vec2]) -> obbligato::Result<()> {
        let people = &self.bodies.spheres;
        let near = checker.check(NeighbourQuery::of(people).nearest_within(4, 1.0))?;
        for (k, change) in steering.iter_mut().enumerate() {
            for (&other, &distance) in near.row(k).iter().zip(near.distances_of(k)) {
                let away = (people[k].center - people[other as usize].center).truncate();
                *change += 0.5 * (1.0 - distance as f32) * away.normalize_or_zero();
            }
        }
        Ok(())
    }
}

/// Lets this many people walk for this many frames.
pub fn run(checker: &mut Checker, count: usize, frames: usize) -> obbligato::Result<(World, Outcome)> {
    let (mut world, mut outcome) = (World::new(count), Outcome::default());
    for _ in 0..frames {
        world.advance(checker, &mut outcome)?;
    }
    outcome.progress /= frames as f64;
    Ok((world, outcome))
}

/// Draws walls and people from above.
fn picture(world: &World) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mark = |velocity: &Vec2| [Mark::Free, Mark::Touching][usize::from(velocity.length() < 0.3 * SPEED)];
    let mut marks = vec![Mark::Overlapping; world.bodies.boxes.len()];
    marks.extend(world.velocities.iter().map(mark));
    let mut bodies = world.bodies.clone();
    // Walls in the plane have no height: give them some.
    for wall in &mut bodies.boxes {
        wall.half_extents.z = 0.25;
    }
    let view = View {
        bodies: bodies.all(),
        marks: &marks,
        legend: Legend::Hidden,
        caption: "orange: walls; blue: slow",
        ..View::default()
    };
    let camera = Camera::new(DVec3::new(0.0, -12.0, 18.0), DVec3::new(0.0, -1.0, 0.0));
    Ok(Renderer::new(&Config::default())?
        .draw(&view, &camera, [560, 360])?
        .png()?)
}

/// Returns the value of an option, if it is given.
fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = option("--count").map_or(Ok(50_000), |text| text.parse())?;
    let frames = option("--frames").map_or(Ok(100), |text| text.parse())?;
    let mut checker = Checker::new(Config::default())?;
    let start = Instant::now();
    let (world, outcome) = run(&mut checker, count, frames)?;
    let milliseconds = 1e3 * start.elapsed().as_secs_f64() / frames as f64;
    println!("{count} people, {frames} frames, {milliseconds:.1} ms each: {outcome:?}");
    assert_eq!(outcome.overlapping, 0, "somebody is in somebody");
    println!("nobody was in anybody at the end of a frame");
    if let Some(file) = option("--picture") {
        std::fs::write(&file, picture(&world)?)?;
    }
    Ok(())
}
