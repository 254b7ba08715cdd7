//! Nanoseconds per pair for each way to decide a pair. One thread, then all.
mod common {
    pub mod clock;
}

use obbligato::glam::{Mat3, Quat, Vec3};
use obbligato::unstable::exact::{Tally, classify, classify_all};
use obbligato::unstable::separating_axes::{self, Decision};
use obbligato::{Obb, Pair};
use obbligato_verify::adversarial::{self, Family};

use common::clock::least;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--test");
    let turned = Quat::from_xyzw(40.0, 40.0, 24.0, 18.0) / 64.0;
    let quarter = Quat::from_xyzw(0.0, 0.0, 0.707_106_77, 0.707_106_77);
    let cases = [
        ("aligned, touching", wall(Quat::IDENTITY)),
        ("quarter turn, touching", wall(quarter)),
        ("equal rotations, touching", wall(turned)),
        ("random, decided by f64", family(Family::Random)),
        ("near contact, mostly f64", family(Family::NearContact)),
        ("exact contact, any axis", family(Family::ExactContact)),
        ("nearly parallel", family(Family::NearlyParallel)),
        ("far away", family(Family::FarAway)),
        ("extreme numbers", family(Family::Extreme)),
    ];
    println!(
        "{:28} {:>9} {:>9}   decided as aligned / in f64 / in integers",
        "ns/pair", "classify", "f64 alone"
    );
    for (name, pairs) in cases {
        let exact = nanoseconds(quick, pairs.len(), || {
            pairs.iter().filter(|(a, b)| classify(a, b).collides()).count()
        });
        let f64_alone = nanoseconds(quick, pairs.len(), || {
            let unclear = |(a, b): &&(Obb, Obb)| matches!(separating_axes::classify(a, b), Decision::Unclear(_));
            pairs.iter().filter(unclear).count()
        });
        let Tally { aligned, f64, wide } = batch(&pairs).1;
        println!("{name:28} {exact:9.1} {f64_alone:9.1}   {aligned} / {f64} / {wide}");
    }
    let pairs = wall(Quat::IDENTITY);
    let all = nanoseconds(quick, pairs.len(), || batch(&pairs).0);
    println!("aligned, touching, as a batch on all cores: {all:.1} ns per pair (including copies of the boxes)");
}

fn batch(pairs: &[(Obb, Obb)]) -> (usize, Tally) {
    let boxes: Vec<Obb> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    let numbers: Vec<Pair> = (0..pairs.len() as u32).map(|i| Pair::new(2 * i, 2 * i + 1)).collect();
    let (contacts, tally) = classify_all(&boxes, &numbers);
    (contacts.iter().filter(|contact| contact.collides()).count(), tally)
}

/// Boxes and their neighbours in a wall, in exact contact: `|q|²` and `M(q)` have few bits.
fn wall(rotation: Quat) -> Vec<(Obb, Obb)> {
    let norm = rotation.length_squared();
    let unscaled = Mat3::from_quat(rotation.normalize());
    let axes = [unscaled.x_axis, unscaled.y_axis, unscaled.z_axis].map(|axis| (axis * norm * 4096.0).round() / 4096.0);
    let half = Vec3::new(0.5, 0.25, 0.125);
    let place = |s: Vec3| axes[0] * s.x + axes[1] * s.y + axes[2] * s.z;
    let steps = [Vec3::X, Vec3::new(0.5, 0.5, 0.0), Vec3::new(0.25, 0.0, 0.25)];
    let pair = |i: u16| {
        let at = Vec3::from([i % 10, i / 10 % 10, i / 100].map(f32::from)) * half * 2.0;
        let next = at + steps[usize::from(i % 3)];
        [at, next].map(|at| Obb::new(place(at), half * norm, rotation)).into()
    };
    (0..1_000).map(pair).collect()
}

fn family(family: Family) -> Vec<(Obb, Obb)> {
    let all = (0..).map(|index| (adversarial::family(index), adversarial::pair(index, 1)));
    all.filter(|&(of, _)| of == family)
        .map(|(_, pair)| pair)
        .take(1_000)
        .collect()
}

/// Nanoseconds per pair in the fastest of several rounds.
fn nanoseconds(quick: bool, pairs: usize, run: impl FnMut() -> usize) -> f64 {
    let rounds = if quick { 1 } else { 200 };
    1e9 * least(rounds, run).0 / pairs as f64
}
