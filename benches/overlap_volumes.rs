//! Overlap volumes of boxes: millions of overlapping pairs per second.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench overlap_volumes -- [--count N]
//! ```
//!
//! Prints, for each kind of pairs that overlap, nanoseconds per pair of `Obb::overlap` one by one,
//! and of `overlaps` for a list. The rounds alternate, and the minimum counts.
mod common {
    pub mod arguments;
    pub mod each;
    pub mod turns;
}

use std::hint::black_box;

use obbligato::contact::overlaps;
use obbligato::glam::{Quat, Vec3};
use obbligato::{Obb, Pair};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;

use common::{arguments, each::each, turns::least_in_turn};

const ROUNDS: usize = 20;

/// Returns a number in [-1, 1).
fn signed(random: &mut SplitMix) -> f32 {
    (random.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}

fn vector(random: &mut SplitMix) -> Vec3 {
    Vec3::new(signed(random), signed(random), signed(random))
}

fn turn(random: &mut SplitMix) -> Quat {
    loop {
        let turn = Quat::from_xyzw(signed(random), signed(random), signed(random), signed(random));
        if (0.1..1.0).contains(&turn.length()) {
            return turn.normalize();
        }
    }
}

/// A way to make one of the two boxes of a pair, given a rotation that both have in common.
type Kind = fn(&mut SplitMix, Quat) -> Obb;

fn half(random: &mut SplitMix) -> Vec3 {
    Vec3::splat(0.75) + 0.25 * vector(random)
}

const KINDS: [(&str, Kind); 6] = [
    ("any rotations", |random, _| {
        Obb::new(vector(random), half(random), turn(random))
    }),
    ("rods", |random, _| {
        Obb::new(0.1 * vector(random), Vec3::new(0.05, 0.05, 1.0), turn(random))
    }),
    ("upright", |random, _| {
        Obb::new(
            vector(random),
            half(random),
            Quat::from_rotation_z(3.0 * signed(random)),
        )
    }),
    ("equal rotations", |random, common| {
        Obb::new(vector(random), half(random), common)
    }),
    ("no rotations", |random, _| {
        Obb::axis_aligned(vector(random), half(random))
    }),
    ("nearly aligned", |random, common| {
        let turn = Quat::from_scaled_axis(1e-6 * vector(random));
        Obb::new(vector(random), half(random), (common * turn).normalize())
    }),
];

fn main() -> Result<(), String> {
    let (count, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?.unwrap_or(50_000);
        Ok(if arguments.timed { (count, ROUNDS) } else { (100, 1) })
    })?;
    println!("{:<16} {:>10} {:>10} {:>8}", "ns/pair", "one by one", "list", "M/s");
    for (name, kind) in KINDS {
        let mut random = SplitMix(1);
        let mut boxes = Vec::new();
        while boxes.len() < 2 * count {
            let common = turn(&mut random);
            let pair = [kind(&mut random, common), kind(&mut random, common)];
            if pair[0].overlap(&pair[1]).volume > 0.0 {
                boxes.extend(pair);
            }
        }
        let pairs: Vec<Pair> = (0..count as u32).map(|k| Pair::new(2 * k, 2 * k + 1)).collect();
        let mut single = || each(boxes.chunks(2), |pair| pair[0].overlap(&pair[1]));
        let mut list = || _ = black_box(overlaps([&boxes, &boxes], &pairs));
        let times = least_in_turn(rounds, [&mut single, &mut list]).map(|time| 1e9 * time / count as f64);
        println!(
            "{name:<16} {:>10.1} {:>10.1} {:>8.2}",
            times[0],
            times[1],
            1e3 / times[1]
        );
    }
    Ok(())
}
