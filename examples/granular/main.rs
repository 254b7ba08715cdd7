//! Balls of different sizes fall on a floor, in space that repeats in x and y. They push each other
//! apart as springs do, and rub: the friction of each contact remembers how far the two have slid,
//! and finds that in the previous frame by the contact's place there.
//!
//! `cargo run --release --example granular -- --count 100000 --frames 1000`
//!
//! `--picture FILE` writes a picture of the last frame as PNG. Where there is a GPU, everything
//! stays on it, for a hundred frames at a time; `--gpu` uses any adapter, also one of software.

pub mod resident;

use std::time::Instant;

use obbligato::contact::Contacts;
use obbligato::glam::{DVec3, Vec3};
use obbligato::query::{ContactQuery, InImages};
use obbligato::report::Engine;
use obbligato::tracking::previous_pairs;
use obbligato::{Checker, Config, GpuChecker, Obb, Pair, Period, Precision, Query, Sphere};
use obbligato_render::{Camera, Legend, Renderer, View};

use resident::Resident;

/// The radii of the smallest and the largest balls, in metres.
const RADII: [f32; 2] = [0.03, 0.09];

/// The duration of a frame in seconds: the shortest impact takes ten of them.
const DT: f64 = 4e-4;

/// Kilograms per cubic metre.
const DENSITY: f64 = 1000.0;

/// The stiffness of a contact per metre of radius, in pascals; and of its tangential spring,
/// relative to it.
const STIFFNESS: f64 = 1e6;
const TANGENTIAL: f64 = 0.3;

/// The damping of a contact: the fraction of the critical one.
const DAMPING: f64 = 0.2;

/// The coefficient of friction.
const FRICTION: f64 = 0.5;

/// Metres per second squared, along z.
const GRAVITY: f64 = -9.81;

/// The balls, and what they remember. All lists but the last two have an item for each ball.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// The ids, ascending. Balls may come, with greater ids, and go.
    pub ids: Vec<u32>,
    /// The balls, in metres.
    pub balls: Vec<Sphere>,
    /// The velocities, in metres per second.
    pub velocities: Vec<DVec3>,
    /// The angular velocities, in radians per second.
    pub spins: Vec<DVec3>,
    /// The box that repeats. Balls may leave it, and are in the next one then.
    pub period: Period,
    /// The pairs of the previous frame, by ids.
    pub pairs: Vec<Pair>,
    /// The way that each of these has slid, in metres.
    pub slides: Vec<DVec3>,
}

/// Sums that a simulation should keep, or lose only by friction and damping.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// The energy of motion, of height and of the springs, in joules.
    pub energy: f64,
    /// The momentum along x and y, in kilogram metres per second. A floor without friction keeps
    /// it.
    pub momentum: [f64; 2],
}

impl World {
    /// Balls in a loose stack of ten layers, with random radii and velocities.
    pub fn new(count: usize) -> Self {
        let mut random = Random(1);
        let spacing = 2.0 * RADII[1];
        let row = (count as f64 / 10.0).sqrt().ceil().max(3.0) as usize;
        let side = Some(row as f64 * f64::from(spacing));
        let ball = |k: usize| {
            let place = [k % row, k / row % row, k / row / row].map(|i| (i as f32 + 0.5) * spacing);
            Sphere::new(Vec3::from(place), RADII[0] + (RADII[1] - RADII[0]) * random.unit())
        };
        let balls = (0..count).map(ball).collect();
        let velocities = (0..count).map(|_| random.vector()).collect();
        Self {
            ids: (0..count as u32).collect(),
            balls,
            velocities,
            spins: vec![DVec3::ZERO; count],
            period: Period::new([side, side, None]),
            pairs: Vec::new(),
            slides: Vec::new(),
        }
    }

    /// Advances by a frame. Returns the totals at its start.
    pub fn advance(&mut self, checker: &mut Checker) -> obbligato::Result<Totals> {
        let (pairs, contacts) = self.contacts(checker)?;
        let named = self.named(&pairs);
        // The heart of the example: what each contact remembers is gathered from where it was in
        // the previous frame. A contact that was not there has not slid.
        let places = previous_pairs(&self.pairs, &named)?;
        let before = |&place: &u32| self.slides.get(place as usize).copied();
        let mut slides: Vec<DVec3> = places.iter().map(|place| before(place).unwrap_or_default()).collect();
        let totals = self.push(&pairs, &contacts, &mut slides);
        (self.pairs, self.slides) = (named, slides);
        Ok(totals)
    }

    /// The pairs in contact, by the positions of their balls, and the contacts.
    pub fn contacts(&self, checker: &mut Checker) -> obbligato::Result<(Vec<Pair>, InImages<Contacts>)> {
        let pairs = checker
            .check(Query::from(&self.balls).periodic(self.period))?
            .into_pairs()?;
        let contacts = checker.check(ContactQuery::within(&self.balls, &pairs).periodic(self.period))?;
        Ok((pairs, contacts))
    }

    /// Returns pairs by ids. As these ascend, the pairs stay sorted.
    pub fn named(&self, pairs: &[Pair]) -> Vec<Pair> {
        let id = |position: u32| self.ids[position as usize];
        pairs.iter().map(|pair| Pair::new(id(pair.a), id(pair.b))).collect()
    }

    /// Applies the forces of all contacts, of the floor and of gravity for a frame, and lets the
    /// contacts slide.
    pub fn push(&mut self, pairs: &[Pair], contacts: &InImages<Contacts>, slides: &mut [DVec3]) -> Totals {
        let mut forces = vec![DVec3::ZERO; self.balls.len()];
        let mut torques = forces.clone();
        let mut energy = 0.0;
        for ((pair, found), slide) in pairs.iter().zip(contacts.found.penetrations()).zip(slides) {
            let Some(found) = found else { continue };
            let [a, b] = [pair.a as usize, pair.b as usize];
            let [ra, rb] = [a, b].map(|k| f64::from(self.balls[k].radius));
            let mean = ra * rb / (ra + rb);
            let (stiffness, damping) = contact([mass(ra), mass(rb)], mean);
            // The velocity of b's surface relative to that of a.
            let turning = (ra * self.spins[a] + rb * self.spins[b]).cross(found.normal);
            let relative = self.velocities[b] - self.velocities[a] - turning;
            let along = relative.dot(found.normal);
            let across = relative - along * found.normal;
            let normal = (stiffness * found.depth - damping * along).max(0.0);
            // The contact turns with the balls, so its slide stays across the normal.
            *slide = slide.reject_from_normalized(found.normal) + across * DT;
            let held = -TANGENTIAL * stiffness * *slide - damping * across;
            // Coulomb's law: beyond it the contact slips, and its spring gets no longer.
            let tangential = held.clamp_length_max(FRICTION * normal);
            if tangential != held {
                *slide = -tangential / (TANGENTIAL * stiffness);
            }
            let force = normal * found.normal + tangential;
            forces[a] -= force;
            forces[b] += force;
            torques[a] -= ra * found.normal.cross(tangential);
            torques[b] -= rb * found.normal.cross(tangential);
            energy += 0.5 * stiffness * (found.depth.powi(2) + TANGENTIAL * slide.length_squared());
        }
        let mut totals = self.totals();
        totals.energy += energy;
        self.apply(&forces, &torques);
        totals
    }

    /// The totals without the springs between balls.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for ((ball, velocity), spin) in self.balls.iter().zip(&self.velocities).zip(&self.spins) {
            let (radius, height) = (f64::from(ball.radius), f64::from(ball.center.z));
            let (mass, depth) = (mass(radius), (radius - height).max(0.0));
            let (stiffness, _) = contact([mass, f64::INFINITY], radius);
            let inertia = 0.4 * mass * radius * radius;
            totals.energy += 0.5 * (mass * velocity.length_squared() + inertia * spin.length_squared());
            totals.energy += 0.5 * stiffness * depth * depth - mass * GRAVITY * height;
            totals.momentum[0] += mass * velocity.x;
            totals.momentum[1] += mass * velocity.y;
        }
        totals
    }

    /// Moves all balls for a frame by these forces, those of the floor and gravity.
    fn apply(&mut self, forces: &[DVec3], torques: &[DVec3]) {
        for (k, ball) in self.balls.iter_mut().enumerate() {
            let radius = f64::from(ball.radius);
            let (mass, height) = (mass(radius), f64::from(ball.center.z));
            let (velocity, spin) = (&mut self.velocities[k], &mut self.spins[k]);
            // The floor is a plane at height 0, and smooth.
            let (stiffness, damping) = contact([mass, f64::INFINITY], radius);
            let depth = (radius - height).max(0.0);
            let floor = match depth > 0.0 {
                true => (stiffness * depth - damping * velocity.z).max(0.0),
                false => 0.0,
            };
            let inertia = 0.4 * mass * radius * radius;
            *velocity += (forces[k] / mass + DVec3::Z * (floor / mass + GRAVITY)) * DT;
            *spin += torques[k] / inertia * DT;
            ball.center = (ball.center.as_dvec3() + *velocity * DT).as_vec3();
        }
    }
}

fn mass(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * DENSITY * radius.powi(3)
}

/// The stiffness and the damping of a contact of two masses with this mean radius.
fn contact([a, b]: [f64; 2], mean: f64) -> (f64, f64) {
    let (stiffness, reduced) = (STIFFNESS * mean, 1.0 / (1.0 / a + 1.0 / b));
    (stiffness, DAMPING * 2.0 * (stiffness * reduced).sqrt())
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

    fn vector(&mut self) -> DVec3 {
        DVec3::from([0; 3].map(|_| f64::from(2.0 * self.unit() - 1.0)))
    }
}

/// Draws the balls on their floor.
fn picture(world: &World) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let side = world.period.lengths[0].unwrap_or(1.0);
    // Each ball is drawn in the box that repeats, wherever it is.
    let within = |ball: &Sphere| {
        let place = ball.center.as_dvec3().rem_euclid(DVec3::new(side, side, 1e6));
        Sphere::new(place.as_vec3(), ball.radius)
    };
    let balls: Vec<Sphere> = world.balls.iter().map(within).collect();
    let half = 0.5 * side as f32;
    let floor = [Obb::axis_aligned(
        Vec3::new(half, half, -0.02),
        Vec3::new(half, half, 0.02),
    )];
    let bodies = obbligato::Bodies {
        boxes: &floor,
        spheres: &balls,
        ..Default::default()
    };
    let view = View {
        bodies,
        legend: Legend::Hidden,
        ..View::default()
    };
    let target = DVec3::new(0.5 * side, 0.5 * side, 0.2);
    let camera = Camera::new(target + side * DVec3::new(-0.75, -1.5, 0.75), target);
    Ok(Renderer::new(&Config::default())?
        .draw(&view, &camera, [560, 320])?
        .png()?)
}

/// Returns the value of an option, if it is given.
fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn print(
    frame: usize,
    contacts: usize,
    Totals {
        energy,
        momentum: [x, y],
    }: Totals,
) {
    println!("frame {frame}: {contacts} contacts, energy {energy:.3} J, momentum {x:.6}, {y:.6} kg m/s");
}

/// Advances by frames on the CPU.
fn advance(world: &mut World, checker: &mut Checker, frames: usize) -> obbligato::Result<()> {
    for frame in 0..frames {
        let totals = world.advance(checker)?;
        if frame % 100 == 0 || frame + 1 == frames {
            print(frame, world.pairs.len(), totals);
        }
    }
    Ok(())
}

/// Advances by frames on a GPU.
fn advance_resident(world: &mut World, frames: usize) -> obbligato::Result<()> {
    // Balls that merely touch exert no force, so pairs may be decided either way.
    let checker = GpuChecker::open(Config {
        precision: Precision::Fast,
        ..Config::default()
    })?;
    let mut resident = Resident::new(checker, world)?;
    let mut done = 0;
    while done < frames {
        let next = (frames - done).min(100);
        let outcome = resident.advance(next)?;
        done += next;
        if let Some(outcome) = outcome {
            let (totals, contacts) = resident.read(world, &outcome)?;
            print(done - 1, contacts as usize, totals);
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = option("--count").map_or(Ok(100_000), |text| text.parse())?;
    let frames = option("--frames").map_or(Ok(1000), |text| text.parse())?;
    let mut world = World::new(count);
    let mut checker = Checker::new(Config::default())?;
    let is_resident = matches!(checker.engine(), Engine::Gpu { .. }) || std::env::args().any(|flag| flag == "--gpu");
    println!(
        "{count} balls; {}",
        if is_resident { "on the GPU" } else { "on the CPU" }
    );
    let start = Instant::now();
    match is_resident {
        true => advance_resident(&mut world, frames)?,
        false => advance(&mut world, &mut checker, frames)?,
    }
    println!(
        "{:.1} ms per frame",
        1e3 * start.elapsed().as_secs_f64() / frames as f64
    );
    if let Some(file) = option("--picture") {
        std::fs::write(&file, picture(&world)?)?;
    }
    Ok(())
}
