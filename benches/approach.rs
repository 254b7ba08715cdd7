//! Anticipation in a crowd: when discs that walk are nearest to each other.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench approach -- [--count N]
//! ```
//!
//! Prints nanoseconds per candidate pair of `closest_approach`, of the same for capsules without
//! length, which have no closed form, and of `Sphere::impact`, beside the formula written out in
//! `f32`, which has no bound of its error; and the time of a whole `ApproachQuery`, in `f64` and in
//! `f32`. The candidates are the pairs whose swept bounds come within the distance. The rounds
//! alternate, and the minimum counts.
mod common {
    pub mod arguments;
    pub mod each;
    pub mod turns;
}

use std::hint::black_box;

use obbligato::glam::{Quat, Vec3};
use obbligato::motion::{Motion, MovingSet, Step, closest_approach};
use obbligato::query::ApproachQuery;
use obbligato::{Backend, Capsule, Checker, Config, Pair, Precision, Sphere};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;

use common::{arguments, each::each, turns::least_in_turn};

const ROUNDS: usize = 20;

/// The time that people look ahead, in seconds.
const HORIZON: f64 = 2.0;

/// The distance within which others count as near, in meters.
const COMFORT: f64 = 0.3;

/// Returns when two discs are nearest within the horizon, and how near, as a user writes it first.
fn in_f32([a, b]: [&Sphere; 2], [v, w]: [Vec3; 2]) -> (f32, f32) {
    let (apart, velocity) = (b.center - a.center, w - v);
    let time = (-apart.dot(velocity) / velocity.length_squared().max(1e-12)).clamp(0.0, HORIZON as f32);
    (time, (apart + velocity * time).length() - a.radius - b.radius)
}

/// People who walk in a square: discs, their velocities, and their motions.
struct Crowd {
    people: Vec<Sphere>,
    velocities: Vec<Vec3>,
    motions: Vec<Motion>,
}

impl Crowd {
    fn new(count: usize) -> Self {
        let mut random = SplitMix(1);
        let side = (2.0 * count as f64).sqrt();
        let mut signed = move |size: f64| ((2.0 * random.unit() - 1.0) * size) as f32;
        let people = (0..count).map(|_| Sphere::new(Vec3::new(signed(side), signed(side), 0.0), 0.25));
        let people = people.collect();
        let velocities: Vec<Vec3> = (0..count).map(|_| Vec3::new(signed(1.4), signed(1.4), 0.0)).collect();
        Self {
            people,
            motions: velocities.iter().copied().map(Motion::linear).collect(),
            velocities,
        }
    }

    /// The pairs whose swept bounds come within the distance.
    fn candidates(&self, checker: &mut Checker) -> obbligato::Result<Vec<Pair>> {
        let around = |(person, velocity): (&Sphere, &Vec3)| {
            let half = 0.5 * HORIZON as f32;
            let radius = person.radius + velocity.length() * half + 0.5 * COMFORT as f32;
            Sphere::new(person.center + *velocity * half, radius)
        };
        let around: Vec<Sphere> = self.people.iter().zip(&self.velocities).map(around).collect();
        checker.check(&around)?.into_pairs()
    }
}

fn checker(precision: Precision) -> Result<Checker, String> {
    let config = Config {
        backend: Backend::Cpu,
        precision,
        ..Config::default()
    };
    Checker::new(config).map_err(|error| error.to_string())
}

fn main() -> Result<(), String> {
    let (count, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?.unwrap_or(50_000);
        Ok(if arguments.timed { (count, ROUNDS) } else { (500, 1) })
    })?;
    let mut exact_checker = checker(Precision::Exact)?;
    let crowd = Crowd::new(count);
    let pairs = crowd
        .candidates(&mut exact_checker)
        .map_err(|error| error.to_string())?;
    let (people, velocities, motions) = (crowd.people, crowd.velocities, crowd.motions);
    let step = Step::new(HORIZON);
    let capsules: Vec<Capsule> = people
        .iter()
        .map(|person| Capsule::new(person.center, 0.0, Quat::IDENTITY, person.radius))
        .collect();

    let of = |pair: &Pair| [pair.a as usize, pair.b as usize];
    let balls = |pair: &Pair| of(pair).map(|id| &people[id]);
    let motions_of = |pair: &Pair| of(pair).map(|id| &motions[id]);
    let velocities_of = |pair: &Pair| of(pair).map(|id| velocities[id]);
    let mut formula = || each(&pairs, |pair| in_f32(balls(pair), velocities_of(pair)));
    let mut nearest = || each(&pairs, |pair| closest_approach(balls(pair), motions_of(pair), &step));
    let mut others = || {
        each(&pairs, |pair| {
            closest_approach(of(pair).map(|id| &capsules[id]), motions_of(pair), &step)
        });
    };
    let mut impact = || {
        each(&pairs, |pair| {
            let [a, b] = balls(pair);
            a.impact(b, velocities_of(pair), HORIZON)
        });
    };
    let set = MovingSet::new(&people, &motions);
    let mut fast_checker = checker(Precision::Fast)?;
    let mut query = || _ = black_box(exact_checker.check(ApproachQuery::new(set, &step, COMFORT)));
    let mut fast = || _ = black_box(fast_checker.check(ApproachQuery::new(set, &step, COMFORT)));
    let works: [&mut dyn FnMut(); 6] = [
        &mut formula,
        &mut nearest,
        &mut others,
        &mut impact,
        &mut query,
        &mut fast,
    ];
    let times = least_in_turn(rounds, works);
    println!("{count} discs, {} pairs", pairs.len());
    let whats = [
        "the formula in f32",
        "closest_approach",
        "of capsules",
        "Sphere::impact",
    ];
    for (what, time) in whats.iter().zip(times) {
        println!("{what:<20} {:>8.1} ns/pair", 1e9 * time / pairs.len() as f64);
    }
    for (what, time) in ["ApproachQuery", "with Precision::Fast"].iter().zip(&times[4..]) {
        println!("{what:<20} {:>8.1} ms", 1e3 * time);
    }
    Ok(())
}
