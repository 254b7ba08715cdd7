//! Non-maximum suppression: of the boxes that a detector proposes for one object, keeps the one
//! with the highest score.
//!
//! `cargo run --release --example nms -- 100000`: with the number of proposals.
//!
//! Proposals are taken by descending score, and of equal scores the first in the list. Each that is
//! not yet suppressed is kept, and suppresses all later ones of its class in its scene whose
//! intersection over union with it exceeds a threshold. Only boxes that collide can overlap, so the
//! pairs come from one check of all scenes and classes at once: each is a world of its own.

use obbligato::contact::overlaps;
use obbligato::glam::{Quat, Vec3};
use obbligato::report::{Adjacency, Direction};
use obbligato::{Backend, Checker, Config, Obb, Rules, Set};

/// The proposals of a detector, in lists of equal length.
#[derive(Clone, Debug, Default)]
pub struct Proposals {
    /// The boxes.
    pub boxes: Vec<Obb>,
    /// Their scores: the higher the better.
    pub scores: Vec<f32>,
    /// The scene and class of each, as one number: only equal ones suppress each other.
    pub groups: Vec<u32>,
}

/// Returns the positions of the proposals that are kept, by descending score.
pub fn suppress(checker: &mut Checker, proposals: &Proposals, threshold: f64) -> obbligato::Result<Vec<u32>> {
    let Proposals { boxes, scores, groups } = proposals;
    let rules = Rules {
        worlds: Some(groups),
        ..Rules::default()
    };
    let pairs = checker.check(Set::from(boxes).with(rules))?.into_pairs()?;
    let overlaps = overlaps([boxes, boxes], &pairs)?;
    let too_near = pairs.iter().zip(&overlaps).filter(|(_, found)| found.iou > threshold);
    let too_near: Vec<_> = too_near.map(|(pair, _)| *pair).collect();
    let neighbours = Adjacency::new(boxes.len(), &too_near, Direction::Both)?;

    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
    let mut suppressed = vec![false; boxes.len()];
    order.retain(|&id| {
        let keeps = !suppressed[id as usize];
        if keeps {
            for &other in neighbours.row(id) {
                suppressed[other as usize] = true;
            }
        }
        keeps
    });
    Ok(order)
}

/// Returns proposals for objects of three classes, several for each object.
pub fn made_up(count: usize, seed: u64) -> Proposals {
    let mut state = seed;
    let mut unit = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let side = 6.0 * (count as f32 / 8.0).sqrt();
    let mut proposals = Proposals::default();
    while proposals.boxes.len() < count {
        let (place, yaw, class) = (Vec3::new(side * unit(), side * unit(), 0.8), 6.0 * unit(), unit());
        for _ in 0..(count - proposals.boxes.len()).min(8) {
            let noise = 0.3 * (Vec3::new(unit(), unit(), unit()) - 0.5);
            let half = Vec3::new(2.2, 0.9, 0.8) * (0.9 + 0.2 * unit());
            let turn = Quat::from_rotation_z(yaw + 0.2 * unit());
            proposals.boxes.push(Obb::new(place + noise, half, turn));
            // Few digits, so that some scores are equal.
            proposals.scores.push((100.0 * unit()).floor() / 100.0);
            proposals.groups.push((3.0 * class) as u32);
        }
    }
    proposals
}

fn main() -> obbligato::Result<()> {
    let count = std::env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(100_000);
    let proposals = made_up(count, 1);
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    let start = std::time::Instant::now();
    let kept = suppress(&mut checker, &proposals, 0.25)?;
    println!(
        "{} of {count} proposals kept in {:.3} s",
        kept.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
