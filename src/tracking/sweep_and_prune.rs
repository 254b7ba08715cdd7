//! Tracking of overlaps of axis-aligned boxes from frame to frame: pairs that begin to overlap, and
//! pairs that end.

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::Pair;
use crate::shapes::aabb::aabb_bounds_cpu::{aabb_bounds, validate};
use crate::tracking::sweep_lists::{ABSENT, MOST_BOXES, SweepLists};

/// Sort and sweep with coherence: the ends of all boxes on all three axes stay sorted from frame to
/// frame, and boxes that move little change few places (Cohen, Lin, Manocha and Ponamgi,
/// "I-COLLIDE", 1995).
///
/// Boxes are identified by their positions in the slice. Nothing is widened or rounded: boxes that
/// touch overlap. A frame takes O(n + m), where m is the number of passages of one end past
/// another, on up to three threads. That is little for thousands of boxes, or for many boxes of
/// which few move. If many boxes move far, m grows with their square. Passages are therefore
/// counted, and from about 64 per box everything is sorted from scratch, which takes O(n log n)
/// plus the sweep, as [`SweepChanges`] reports. For oriented boxes and other shapes use the
/// [`Tracker`](crate::tracking::Tracker).
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::{shape::Aabb, tracking::SweepAndPrune, Pair};
/// # fn main() -> obbligato::Result<()> {
/// let cube = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let mut sweep = SweepAndPrune::new();
/// let mut boxes = vec![cube(0.0), cube(1.0), cube(5.0)];
/// assert_eq!(sweep.update(&boxes)?.begun, [Pair { a: 0, b: 1 }]);
/// boxes[1] = cube(4.5);
/// let changes = sweep.update(&boxes)?;
/// assert_eq!((changes.begun, changes.ended), (&[Pair { a: 1, b: 2 }][..], &[Pair { a: 0, b: 1 }][..]));
/// sweep.remove(2)?;
/// assert_eq!(sweep.update(&boxes)?.ended, [Pair { a: 1, b: 2 }]);
/// assert!(sweep.pairs().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct SweepAndPrune {
    lists: SweepLists,
    /// By position; boxes beyond the end of this list are not removed.
    removed: Vec<bool>,
}

/// The changes from one frame to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepChanges<'a> {
    /// The pairs that overlap and did not before, sorted.
    pub begun: &'a [Pair],
    /// The pairs that overlapped and no longer do, sorted.
    pub ended: &'a [Pair],
    /// The number of passages of one end past another, on all axes together; 0 if everything was
    /// sorted from scratch.
    pub passages: usize,
    /// `true` if everything was sorted from scratch: in the first frame, or because too many boxes
    /// moved, were added or were removed.
    pub sorted_anew: bool,
}

impl SweepAndPrune {
    /// Creates an instance without boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Advances to the next frame: all boxes, at the same positions as before. Positions beyond
    /// those of the last frame are new boxes; if there are fewer, the last ones are gone. The
    /// values of [removed](Self::remove) boxes are ignored, but must be valid.
    ///
    /// # Errors
    ///
    /// If a box is invalid, or there are more than 2^31; then nothing has changed. If memory runs
    /// out, the state is discarded, and in the next frame all pairs begin.
    pub fn update(&mut self, boxes: &[Aabb]) -> Result<SweepChanges<'_>> {
        if boxes.len() > MOST_BOXES {
            return Err(Error::TooManyBoxes {
                boxes: boxes.len(),
                limit: MOST_BOXES,
            });
        }
        validate(boxes)?;
        let removed = &self.removed;
        let swept = self.lists.advance(boxes.len(), false, |bounds| {
            let () = aabb_bounds(boxes, |_| 0.0, bounds)?;
            for (bounds, _) in bounds.iter_mut().zip(removed).filter(|(_, removed)| **removed) {
                *bounds = ABSENT;
            }
            Ok(())
        });
        let swept = swept.inspect_err(|_| self.lists = SweepLists::default())?;
        let [begun, ended] = self.lists.changes();
        Ok(SweepChanges {
            begun,
            ended,
            passages: swept.passages,
            sorted_anew: swept.anew,
        })
    }

    /// Removes a box: from the next frame on it overlaps nothing, until it is [added](Self::add)
    /// again. Its position stays reserved, so that others keep theirs.
    ///
    /// # Errors
    ///
    /// If memory runs out.
    pub fn remove(&mut self, place: u32) -> Result<()> {
        let place = place as usize;
        if self.removed.len() <= place {
            memory::resize(&mut self.removed, place + 1, false, "the boxes that are removed")?;
        }
        self.removed[place] = true;
        Ok(())
    }

    /// Adds a removed box again, from the next frame on.
    pub fn add(&mut self, place: u32) {
        if let Some(removed) = self.removed.get_mut(place as usize) {
            *removed = false;
        }
    }

    /// Returns the pairs that overlap in the last frame, sorted.
    pub fn pairs(&self) -> &[Pair] {
        self.lists.pairs()
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;

    fn vec(random: &mut SplitMix) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|_| random.unit() as f32))
    }

    /// Returns the overlapping pairs of the boxes present, by brute force.
    fn plain(boxes: &[Aabb], removed: &[bool]) -> Vec<Pair> {
        let there = |k: &usize| !removed.get(*k).copied().unwrap_or(false);
        let mut pairs = Vec::new();
        for a in (0..boxes.len()).filter(there) {
            let others = (a + 1..boxes.len()).filter(there);
            pairs.extend(
                others
                    .filter(|&b| boxes[a].overlaps(&boxes[b]))
                    .map(|b| Pair::new(a as u32, b as u32)),
            );
        }
        pairs
    }

    fn without(pairs: &[Pair], others: &[Pair]) -> Vec<Pair> {
        pairs
            .iter()
            .copied()
            .filter(|pair| others.binary_search(pair).is_err())
            .collect()
    }

    /// Advances a frame and compares it with all pairs before and after. Returns the number of
    /// passages, `None` if everything was sorted from scratch.
    fn frame(sweep: &mut SweepAndPrune, boxes: &[Aabb], removed: &[bool], what: &str) -> Option<usize> {
        let before = sweep.pairs().to_vec();
        let now = plain(boxes, removed);
        let changes = sweep.update(boxes).expect("valid boxes");
        assert_eq!(changes.begun, without(&now, &before), "{what}: begun");
        assert_eq!(changes.ended, without(&before, &now), "{what}: ended");
        let passages = (!changes.sorted_anew).then_some(changes.passages);
        assert_eq!(sweep.pairs(), now, "{what}");
        passages
    }

    #[test]
    fn frames_report_all_changes() {
        let mut random = SplitMix(11);
        let mut sweep = SweepAndPrune::new();
        let (mut followed, mut anew) = (0, 0);
        let mut boxes: Vec<Aabb> = Vec::new();
        let mut removed = vec![false; 2000];
        for number in 0..120 {
            let what = format!("frame {number}");
            // Some frames move everything anywhere, most move it a little, some not at all, and
            // some by whole units so that ends coincide.
            let step = match number % 12 {
                3 => 10.0,
                5 => 0.0,
                _ => 0.05,
            };
            for aabb in &mut boxes {
                let way = step * (2.0 * vec(&mut random) - 1.0);
                let way = if number % 12 >= 8 { (20.0 * way).round() } else { way };
                (aabb.min, aabb.max) = (aabb.min + way, aabb.max + way);
            }
            let come = if number == 0 { 400 } else { random.next() as usize % 30 };
            boxes.extend((0..come).map(|_| {
                let low = (10.0 * vec(&mut random)).floor();
                Aabb::new(low, low + (2.0 * vec(&mut random)).round())
            }));
            if number % 4 == 1 {
                boxes.truncate(boxes.len() - random.next() as usize % 30);
            }
            for _ in 0..random.next() % 20 {
                let place = random.next() as usize % boxes.len();
                if removed[place] {
                    sweep.add(place as u32);
                } else {
                    sweep.remove(place as u32).expect("enough memory");
                }
                removed[place] = !removed[place];
            }
            match frame(&mut sweep, &boxes, &removed, &what) {
                Some(_) => followed += 1,
                None => anew += 1,
            }
        }
        assert!(followed > 60 && anew > 5, "{followed} {anew}");
        frame(&mut sweep, &[], &removed, "no box");
        frame(&mut sweep, &boxes, &removed, "all again");
    }

    /// Many boxes that all move anywhere are sorted from scratch, and the result reports it; boxes
    /// at rest cause no passages.
    #[test]
    fn large_motion_is_detected() {
        let mut random = SplitMix(12);
        let mut scene = || -> Vec<Aabb> {
            (0..1500)
                .map(|_| {
                    let low = 20.0 * vec(&mut random);
                    Aabb::new(low, low + 1.0)
                })
                .collect()
        };
        let (one, other) = (scene(), scene());
        let mut sweep = SweepAndPrune::new();
        assert_eq!(frame(&mut sweep, &one, &[], "the first"), None);
        assert_eq!(frame(&mut sweep, &one, &[], "at rest"), Some(0));
        assert_eq!(frame(&mut sweep, &other, &[], "another"), None);
        let mut few = other.clone();
        few[..9].copy_from_slice(&one[..9]);
        assert!(frame(&mut sweep, &few, &[], "few").is_some_and(|passages| passages > 0));
    }

    #[test]
    fn invalid_boxes_change_nothing() {
        let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let mut sweep = SweepAndPrune::new();
        frame(&mut sweep, &[cube; 3], &[], "valid");
        let bad = Aabb::new(Vec3::NAN, Vec3::ONE);
        let error = sweep
            .update(&[cube, bad])
            .map(drop)
            .expect_err("not a number")
            .to_string();
        assert!(error.starts_with("box 1 "), "{error}");
        assert_eq!(sweep.pairs().len(), 3);
        assert_eq!(frame(&mut sweep, &[cube; 3], &[], "valid again"), Some(0));
    }
}
