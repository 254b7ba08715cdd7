//! Random histories: boxes that move, rotate, jump, appear, disappear, and give their ids to
//! others.

use std::collections::BTreeSet;

use obbligato::glam::{Quat, Vec3};
use obbligato::{Obb, Pair};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::colliding_pairs;
use proptest::prelude::*;

use crate::tracking::{ALL, expect_frame, tracker};

/// A change between two frames.
#[derive(Clone, Debug)]
enum Change {
    /// Some boxes move by small steps on a lattice, on which boxes touch.
    Drift(u64),
    /// Some boxes rotate and move a little.
    Turn(u64),
    Jump(usize, u64),
    Resize(usize),
    Regroup(usize),
    Add(u32, u64),
    Remove(usize),
    /// A box disappears, and another one elsewhere gets its id.
    Reuse(usize, u64),
    Shuffle(u64),
    Rest,
}

fn change() -> impl Strategy<Value = Change> {
    let ids = prop_oneof![0..60u32, Just(u32::MAX), Just(u32::MAX - 1)];
    prop_oneof![
        6 => any::<u64>().prop_map(Change::Drift),
        3 => any::<u64>().prop_map(Change::Turn),
        2 => (any::<usize>(), any::<u64>()).prop_map(|(k, seed)| Change::Jump(k, seed)),
        1 => any::<usize>().prop_map(Change::Resize),
        1 => any::<usize>().prop_map(Change::Regroup),
        2 => (ids, any::<u64>()).prop_map(|(id, seed)| Change::Add(id, seed)),
        1 => any::<usize>().prop_map(Change::Remove),
        1 => (any::<usize>(), any::<u64>()).prop_map(|(k, seed)| Change::Reuse(k, seed)),
        1 => any::<u64>().prop_map(Change::Shuffle),
        1 => Just(Change::Rest),
    ]
}

/// Boxes with their ids.
#[derive(Clone, Debug, Default)]
struct World {
    ids: Vec<u32>,
    boxes: Vec<Obb>,
}

/// An integer from `-most` to `most`.
fn whole(random: &mut SplitMix, most: i32) -> f32 {
    (random.next() % (2 * most as u64 + 1)) as f32 - most as f32
}

fn whole_vector(random: &mut SplitMix, most: i32) -> Vec3 {
    Vec3::new(whole(random, most), whole(random, most), whole(random, most))
}

fn somewhere(seed: u64) -> Obb {
    let mut random = SplitMix(seed);
    let center = whole_vector(&mut random, 6) * 0.5;
    let turn = match random.next() % 3 {
        0 => Quat::from_scaled_axis(whole_vector(&mut random, 3) * 0.7),
        _ => Quat::IDENTITY,
    };
    Obb::new(center, Vec3::splat(0.5), turn)
}

impl World {
    fn apply(&mut self, change: &Change) {
        let count = self.boxes.len().max(1);
        match *change {
            Change::Drift(seed) => {
                let mut random = SplitMix(seed);
                for obb in &mut self.boxes {
                    if random.next().is_multiple_of(3) {
                        obb.center += whole_vector(&mut random, 1) / 32.0;
                    }
                }
            }
            Change::Turn(seed) => {
                let mut random = SplitMix(seed);
                for obb in &mut self.boxes {
                    if random.next().is_multiple_of(3) {
                        let turn = Quat::from_scaled_axis(whole_vector(&mut random, 9) * 0.004);
                        obb.rotation = (turn * obb.rotation).normalize();
                        obb.center += whole_vector(&mut random, 9) * 0.002;
                    }
                }
            }
            Change::Jump(k, seed) | Change::Reuse(k, seed) => {
                if let Some(obb) = self.boxes.get_mut(k % count) {
                    *obb = somewhere(seed);
                }
            }
            Change::Resize(k) => {
                if let Some(obb) = self.boxes.get_mut(k % count) {
                    obb.half_extents.x = if obb.half_extents.x == 0.5 { 1.0 } else { 0.5 };
                }
            }
            Change::Regroup(k) => {
                if let Some(obb) = self.boxes.get_mut(k % count) {
                    obb.filter = if obb.filter == 0 { u32::MAX } else { 0 };
                }
            }
            Change::Add(id, seed) => {
                if !self.ids.contains(&id) {
                    self.ids.push(id);
                    self.boxes.push(somewhere(seed));
                }
            }
            Change::Remove(k) => {
                if !self.ids.is_empty() {
                    self.ids.swap_remove(k % count);
                    self.boxes.swap_remove(k % count);
                }
            }
            Change::Shuffle(seed) => {
                let mut random = SplitMix(seed);
                for k in (1..self.ids.len()).rev() {
                    let other = (random.next() % (k as u64 + 1)) as usize;
                    self.ids.swap(k, other);
                    self.boxes.swap(k, other);
                }
            }
            Change::Rest => {}
        }
    }

    fn pairs(&self) -> BTreeSet<Pair> {
        let named = |pair: Pair| Pair::new(self.ids[pair.a as usize], self.ids[pair.b as usize]);
        colliding_pairs(&self.boxes).into_iter().map(named).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn m8_any_history_gives_the_pairs_of_the_reference(
        seeds in prop::collection::vec(any::<u64>(), 0..90),
        changes in prop::collection::vec(change(), 1..40),
        which in 0..4usize,
        persisting in any::<bool>(),
        at_once in 1..4usize,
    ) {
        let mut world = World::default();
        for (id, seed) in (0..).zip(seeds) {
            world.apply(&Change::Add(id, seed));
        }
        let mut tracker = tracker(ALL[which], persisting);
        let mut before = BTreeSet::new();
        // One of several simultaneous changes may cancel another: a box disappears and another
        // appears, and their number is unchanged.
        for (k, changes) in changes.chunks(at_once).enumerate() {
            let frame = tracker.update(&world.ids, &world.boxes).expect("valid boxes");
            let now = world.pairs();
            expect_frame(&format!("{:?}, frame {k}", ALL[which]), &frame, &before, &now, persisting);
            before = now;
            changes.iter().for_each(|change| world.apply(change));
        }
    }
}
