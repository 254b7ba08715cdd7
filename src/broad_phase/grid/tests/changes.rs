//! Changes of a scene from one check to the next, after which its plan may or may not be kept.

use glam::Vec3;

use crate::base::split_mix::SplitMix;
use crate::geometry::aabb::Aabb;

/// The number of boxes of the scene.
pub const COUNT: usize = 1500;

/// Returns boxes with an edge length of about 1, one box per volume of 2.
pub fn uniform(count: usize) -> Vec<Aabb> {
    let mut random = SplitMix(count as u64);
    let side = (2.0 * count as f32).cbrt();
    let mut number = || random.unit() as f32;
    (0..count)
        .map(|_| {
            let low = Vec3::new(number(), number(), number()) * side;
            Aabb::new(low, low + 0.8 + 0.2 * Vec3::new(number(), number(), number()))
        })
        .collect()
}

fn scaled(b: &Aabb, by: f32) -> Aabb {
    Aabb::new(b.min, b.min + by * (b.max - b.min))
}

fn moved(b: &Aabb, by: Vec3) -> Aabb {
    Aabb::new(b.min + by, b.max + by)
}

/// A change of a scene, and `true` if a plan may be kept after it.
pub type Change = (&'static str, bool, fn(&mut Vec<Aabb>));

pub const CHANGES: &[Change] = &[
    ("nothing", true, |_| {}),
    ("all move", true, |all| {
        all.iter_mut()
            .enumerate()
            .for_each(|(k, b)| *b = moved(b, Vec3::splat(0.1 * (k % 7) as f32)));
    }),
    ("all grow by a hundredth", true, |all| {
        all.iter_mut().for_each(|b| *b = scaled(b, 1.01))
    }),
    ("all grow", false, |all| {
        all.iter_mut().for_each(|b| *b = scaled(b, 1.1))
    }),
    ("one grows", false, |all| all[77] = scaled(&all[77], 1.5)),
    ("it stays so", true, |_| {}),
    ("some leave the world", true, |all| {
        all[..50].iter_mut().for_each(|b| *b = moved(b, Vec3::splat(-1.0)))
    }),
    ("one goes far away", false, |all| {
        all[5] = moved(&all[5], Vec3::new(1e4, 0.0, -1e4))
    }),
    ("another goes with it", true, |all| {
        all[6] = moved(&all[5], Vec3::splat(0.1))
    }),
    ("they come back", false, |all| (all[5], all[6]) = (all[7], all[8])),
    ("all go elsewhere", false, |all| {
        all.iter_mut().for_each(|b| *b = moved(b, Vec3::splat(40.0)))
    }),
    ("giants appear", false, |all| {
        all[..4].iter_mut().for_each(|b| *b = scaled(b, 12.0))
    }),
    ("all move among giants", true, |all| all.reverse()),
    ("one shrinks", true, |all| all[9] = scaled(&all[9], 0.01)),
    ("giants vanish", false, |all| *all = uniform(COUNT)),
    ("all shrink", false, |all| {
        all.iter_mut().for_each(|b| *b = scaled(b, 0.1))
    }),
    ("all are in one place", false, |all| {
        all.iter_mut()
            .for_each(|b| *b = scaled(&Aabb::new(b.min * 0.1, b.max * 0.1), 5.0))
    }),
    ("and come apart", false, |all| *all = uniform(COUNT)),
    ("they are points", false, |all| {
        all.iter_mut().for_each(|b| b.max = b.min)
    }),
    ("and plates as wide as the world", false, |all| {
        all.iter_mut().for_each(|b| b.max.x = 20.0)
    }),
];
