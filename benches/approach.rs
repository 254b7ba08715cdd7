//! Anticipation in a crowd: when discs that walk are nearest to each other.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench approach -- [--count N]
//! ```
//!
//! Prints nanoseconds per candidate pair of `closest_approach`, of the same for capsules without
//! length, which have no closed form, and of `Sphere::impact`, beside the formula written out in
//! `f32`, which has no bound of its error; and the time of a whole `ApproachQuery`. The candidates
//! are the pairs whose swept bounds come within the distance. The rounds alternate, and the minimum
//! counts.
mod common {
    pub mod arguments;
    pub mod each;
    pub mod turns;
}

use std::hint::black_box;

use obbligato::glam::{Quat, Vec3};
use obbligato::motion::{Motion, MovingSet, Step, closest_approach};
use obbligato::query::ApproachQuery;
use obbligato::{Backend, Capsule, Checker, Config, Pair, Sphere};
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

fn main() -> Result<(), String> {
    let (count, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?.unwrap_or(50_000);
        Ok(if arguments.timed { (count, ROUNDS) } else { (500, 1) })
    })?;
    let mut random = SplitMix(1);
    let side = (2.0 * count as f64).sqrt();
    let mut signed = move |size: f64| ((2.0 * random.unit() - 1.0) * size) as f32;
    let people: Vec<Sphere> = (0..count)
        .map(|_| Sphere::new(Vec3::new(signed(side), signed(side), 0.0), 0.25))
        .collect();
    let velocities: Vec<Vec3> = (0..count).map(|_| Vec3::new(signed(1.4), signed(1.4), 0.0)).collect();
    let motions: Vec<Motion> = velocities.iter().copied().map(Motion::linear).collect();
    let step = Step::new(HORIZON);
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let mut checker = Checker::new(config).map_err(|error| error.to_string())?;
    let around: Vec<Sphere> = people
        .iter()
        .zip(&velocities)
        .map(|(person, velocity)| Sphere {
            center: person.center + *velocity * (0.5 * HORIZON as f32),
            radius: person.radius + velocity.length() * (0.5 * HORIZON as f32) + 0.5 * COMFORT as f32,
            ..*person
        })
        .collect();
    let pairs = checker.check(&around).and_then(|report| report.into_pairs());
    let pairs: Vec<Pair> = pairs.map_err(|error| error.to_string())?;

    let of = |pair: &Pair| [pair.a as usize, pair.b as usize];
    let balls = |ids: [usize; 2]| ids.map(|id| &people[id]);
    let mut formula = || {
        each(&pairs, |pair| {
            in_f32(balls(of(pair)), of(pair).map(|id| velocities[id]))
        })
    };
    let mut nearest = || {
        each(&pairs, |pair| {
            closest_approach(balls(of(pair)), of(pair).map(|id| &motions[id]), &step)
        });
    };
    let capsules: Vec<Capsule> = people
        .iter()
        .map(|person| Capsule::new(person.center, 0.0, Quat::IDENTITY, person.radius))
        .collect();
    let mut others = || {
        each(&pairs, |pair| {
            let bodies = of(pair).map(|id| &capsules[id]);
            closest_approach(bodies, of(pair).map(|id| &motions[id]), &step)
        });
    };
    let mut impact = || {
        each(&pairs, |pair| {
            let [a, b] = balls(of(pair));
            a.impact(b, of(pair).map(|id| velocities[id]), HORIZON)
        });
    };
    let set = MovingSet::new(&people, &motions);
    let mut query = || _ = black_box(checker.check(ApproachQuery::new(set, &step, COMFORT)));
    let times = least_in_turn(
        rounds,
        [&mut formula, &mut nearest, &mut others, &mut impact, &mut query],
    );
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
    println!("{:<20} {:>8.1} ms", "ApproachQuery", 1e3 * times[4]);
    Ok(())
}
