//! Scenes larger than the device's limits. They are cut into parts that fit, and each pair belongs
//! to exactly one part.
//!
//! The regions of a k-d tree cover space without overlap. A part is a region and the boxes whose
//! bounds meet it, so a box on a border is in several parts, and a pair may be found in several. It
//! counts in one of them: the part whose region contains the low corner of the intersection of the
//! two bounds, the *reference point* (J.-P. Dittrich and B. Seeger, "Data Redundancy and Duplicate
//! Detection in Spatial Join Processing", 2000). The point lies in both bounds, so both boxes are
//! in that part. Duplicates are dropped without remembering any pairs.
//!
//! All of this uses bounds computed on the host, which contain the boxes despite rounding. The
//! boxes of a pair that collides therefore have a reference point, which is the same in every part.
//! The bounds that a GPU computes are irrelevant here.

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// Label for out-of-memory errors.
const WHAT: &str = "the parts of the scene";

/// The points `p` with `low <= p < high` in every coordinate.
#[derive(Clone, Copy, Debug)]
struct Region {
    low: Vec3,
    high: Vec3,
}

impl Region {
    const EVERYWHERE: Self = Self {
        low: Vec3::NEG_INFINITY,
        high: Vec3::INFINITY,
    };

    fn contains(&self, point: Vec3) -> bool {
        point.cmpge(self.low).all() && point.cmplt(self.high).all()
    }
}

/// A region, and the boxes whose bounds meet it.
pub(crate) struct Part {
    region: Region,
    /// Positions of the boxes in the scene, ascending.
    pub ids: Vec<u32>,
}

impl Part {
    /// Returns those of `found` that belong to this part, as pairs of the scene. `found` names
    /// boxes by their positions in the part.
    pub fn own_pairs(&self, bounds: &[Bounds], found: &[Pair]) -> Result<Vec<Vec<Pair>>> {
        let to_scene = |pair: &Pair| Pair::new(self.ids[pair.a as usize], self.ids[pair.b as usize]);
        let low = |id: u32| bounds[id as usize].low;
        let is_own = |pair: &Pair| self.region.contains(low(pair.a).max(low(pair.b)));
        let of_ranges = parallel::map_ranges(found.len(), |range| {
            let mut own = Vec::new();
            memory::reserve(&mut own, range.len(), WHAT)?;
            own.extend(found[range].iter().map(to_scene).filter(is_own));
            Ok(own)
        });
        of_ranges.into_iter().collect()
    }

    /// Cuts this part in two, the first of which gets about `share` of the boxes, across the axis
    /// with the fewest boxes on the border. Returns `None` if no axis makes both smaller.
    fn cut(&self, bounds: &[Bounds], share: f64) -> Result<Option<[Self; 2]>> {
        let cuts = Vec3::from_array([0, 1, 2].map(|axis| self.quantile(bounds, axis, share)));
        let sides = self.count_sides(bounds, cuts);
        let best = sides
            .iter()
            .enumerate()
            .filter(|(_, sides)| sides.iter().all(|&side| side < self.ids.len()))
            .min_by_key(|(_, [below, above])| below + above);
        let Some((axis, &[below, above])) = best else {
            return Ok(None);
        };
        let (mut low, mut high) = (self.region, self.region);
        low.high[axis] = cuts[axis];
        high.low[axis] = cuts[axis];
        Ok(Some([
            self.those(low, below, |id| bounds[id as usize].low[axis] < cuts[axis])?,
            self.those(high, above, |id| bounds[id as usize].high[axis] >= cuts[axis])?,
        ]))
    }

    /// Returns a coordinate below which about `share` of the boxes lie, measured by the middle of
    /// each box's portion inside the region. It is estimated from a sample of the boxes.
    fn quantile(&self, bounds: &[Bounds], axis: usize, share: f64) -> f32 {
        const SAMPLES: usize = 1 << 14;
        let middle = |&id: &u32| {
            let b = &bounds[id as usize];
            0.5 * b.low[axis].max(self.region.low[axis]) + 0.5 * b.high[axis].min(self.region.high[axis])
        };
        let stride = self.ids.len().div_ceil(SAMPLES);
        let mut middles: Vec<f32> = self.ids.iter().step_by(stride).map(middle).collect();
        let place = (middles.len() as f64 * share) as usize;
        *middles.select_nth_unstable_by(place, f32::total_cmp).1
    }

    /// Returns the number of boxes below and above a cut in each axis.
    fn count_sides(&self, bounds: &[Bounds], cuts: Vec3) -> [[usize; 2]; 3] {
        let of_ranges = parallel::map_ranges(self.ids.len(), |range| {
            let mut sides = [[0; 2]; 3];
            for &id in &self.ids[range] {
                let b = &bounds[id as usize];
                let (below, above) = (b.low.cmplt(cuts), b.high.cmpge(cuts));
                for (axis, sides) in sides.iter_mut().enumerate() {
                    sides[0] += usize::from(below.test(axis));
                    sides[1] += usize::from(above.test(axis));
                }
            }
            sides
        });
        let sum = |axis: usize, side: usize| of_ranges.iter().map(|sides| sides[axis][side]).sum();
        std::array::from_fn(|axis| [sum(axis, 0), sum(axis, 1)])
    }

    /// Returns the part of `region` with the `count` boxes that `keep` selects.
    fn those(&self, region: Region, count: usize, keep: impl Fn(u32) -> bool + Sync + Send) -> Result<Self> {
        let of_ranges = parallel::map_ranges(self.ids.len(), |range| -> Result<_> {
            let mut kept = Vec::new();
            memory::reserve(&mut kept, range.len(), WHAT)?;
            kept.extend(self.ids[range].iter().copied().filter(|&id| keep(id)));
            Ok(kept)
        });
        let mut ids = Vec::new();
        memory::reserve(&mut ids, count, WHAT)?;
        for kept in of_ranges {
            ids.extend_from_slice(&kept?);
        }
        Ok(Self { region, ids })
    }
}

/// Returns the planned number of boxes in a part. Boxes on borders count twice: with this margin,
/// few parts turn out too large and must be cut again.
fn planned(most: usize) -> usize {
    (most - most / 16).max(1)
}

/// Estimates the number of parts of a scene of this many boxes.
pub(crate) fn estimate(boxes: usize, most: usize) -> u64 {
    if boxes <= most {
        1
    } else {
        boxes.div_ceil(planned(most)) as u64
    }
}

/// Returns the number of host bytes that a check in parts takes: bounds of all boxes, their
/// positions in parts, and one part's pairs and records, each of `record_bytes` bytes.
pub(crate) fn bytes_for(boxes: usize, (part_boxes, record_bytes): (usize, u64), part_pairs: u64) -> u64 {
    let all = boxes as u64 * (size_of::<Bounds>() + 2 * size_of::<u32>()) as u64;
    let part = part_boxes as u64 * record_bytes;
    let pairs = part_pairs.saturating_mul(3 * size_of::<Pair>() as u64);
    pairs.saturating_add(all + part)
}

/// Cuts a scene into parts of at most `most` boxes.
///
/// Takes time n log n for n boxes. Fails if more than `most` boxes lie so close together that no
/// cut separates them.
pub(crate) fn parts(bounds: &[Bounds], most: usize) -> Result<Vec<Part>> {
    let planned = planned(most);
    let mut parts = Vec::new();
    let mut pending = vec![Part {
        region: Region::EVERYWHERE,
        ids: parallel::collect(bounds.len(), WHAT, |id| id as u32)?,
    }];
    while let Some(part) = pending.pop() {
        if part.ids.len() <= most {
            parts.push(part);
            continue;
        }
        let wanted = part.ids.len().div_ceil(planned).max(2);
        match part.cut(bounds, (wanted / 2) as f64 / wanted as f64)? {
            Some([below, above]) => pending.extend([above, below]),
            None => {
                return Err(Error::LimitExceeded {
                    what: "a cluster of overlapping boxes".to_owned(),
                    needed: part.ids.len() as u64,
                    available: most as u64,
                    hint: "raise the limits in `GpuConfig`, or use the CPU backend",
                });
            }
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;
    use crate::made_up::{self, Scene};
    use crate::shapes::obb::obb_bounds_cpu::obb_bounds;

    /// Cuts a scene, and returns the number of parts and the total number of boxes in them.
    fn expect_each_pair_in_one_part(name: &str, bounds: &[Bounds], most: usize) -> (usize, usize) {
        let parts = parts(bounds, most).expect("parts");
        let mut found = Vec::new();
        for part in &parts {
            assert!(part.ids.len() <= most, "{name}: {} boxes in a part", part.ids.len());
            assert!(part.ids.is_sorted(), "{name}: the order of boxes");
            let own: Vec<Bounds> = part.ids.iter().map(|&id| bounds[id as usize]).collect();
            found.extend(
                part.own_pairs(bounds, &overlapping(&own))
                    .expect("memory")
                    .into_iter()
                    .flatten(),
            );
        }
        found.sort_unstable();
        assert!(found == overlapping(bounds), "{name}, parts of {most}: pairs");
        (parts.len(), parts.iter().map(|part| part.ids.len()).sum())
    }

    fn overlapping(bounds: &[Bounds]) -> Vec<Pair> {
        let of = |a: usize| {
            let meets = move |&b: &usize| bounds[a].overlaps(&bounds[b]);
            (a + 1..bounds.len())
                .filter(meets)
                .map(move |b| Pair::new(a as u32, b as u32))
        };
        (0..bounds.len()).flat_map(of).collect()
    }

    #[test]
    fn each_pair_belongs_to_one_part() {
        for scene in [Scene::Dense, Scene::Mixed, Scene::Giants, Scene::Bricks, Scene::Far] {
            let boxes = made_up::boxes(scene, 3000, 1);
            let mut bounds = vec![Bounds::zeroed(); boxes.len()];
            obb_bounds::<()>(&boxes, |_| 0.0, &mut bounds).expect("valid boxes");
            for most in [3000, 1800, 700] {
                expect_each_pair_in_one_part(scene.name(), &bounds, most);
            }
        }
    }

    #[test]
    fn shared_corners_belong_to_one_part() {
        // A lattice of boxes two cells wide, without any widening. Their middles are corners of
        // others, so cuts pass through reference points.
        let cell = |id: u32| {
            let low = Vec3::new((id % 12) as f32, (id / 12 % 12) as f32, (id / 144) as f32);
            Bounds {
                low,
                tag: 0,
                high: low + 2.0,
                id,
            }
        };
        let bounds: Vec<Bounds> = (0..12 * 12 * 12).map(cell).collect();
        for most in [1000, 400, 150] {
            expect_each_pair_in_one_part("cells", &bounds, most);
        }
    }

    #[test]
    fn parts_are_few_and_full() {
        let boxes = made_up::boxes(Scene::Uniform, 200_000, 1);
        let mut bounds = vec![Bounds::zeroed(); boxes.len()];
        obb_bounds::<()>(&boxes, |_| 0.0, &mut bounds).expect("valid boxes");
        let parts = parts(&bounds, 45_000).expect("parts");
        let boxes_in_parts: usize = parts.iter().map(|part| part.ids.len()).sum();
        assert_eq!(parts.len(), 5);
        assert!(boxes_in_parts < 212_000, "{boxes_in_parts} boxes in parts");
    }
}
