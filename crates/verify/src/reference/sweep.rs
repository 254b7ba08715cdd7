//! Divide and sweep: it saves the reference from comparing every box with every other.
//!
//! Each box is enclosed in three intervals, one along each axis of the world: from the lowest to
//! the highest coordinate of its corners. For a capsule or a sphere, the interval is that of the
//! ends of its core, extended by its radius at both ends. Boxes with two disjoint intervals are
//! apart. The remaining question is the same for all axes at once: which triples of intervals
//! overlap?
//!
//! - **Divide.** A plane across an axis cuts a part of space in two. Each half takes the boxes that
//!   reach into it, so a box across the plane is in both. Halving continues as long as it leaves
//!   fewer pairs to compare.
//! - **Sweep.** The boxes of a part that is not halved are sorted by their lower ends along one
//!   axis. The partners of a box follow it there, up to the first that begins behind its upper end.
//!
//! Two boxes may meet in several parts. Their common lower corner, the higher of both lower ends
//! along each axis, is in both boxes and in a single part: the pair belongs there.
//!
//! The work is that of sorting, plus work proportional to the number of pairs whose intervals
//! overlap along all axes. It never exceeds a few times that of comparing every box with every
//! other.

use glam::{DVec3, Vec3};

use crate::reference::solid::{corners, frame, turn};
use obbligato::{Bodies, Obb, Obb64, Pair, shape::BodyRef};
use obbligato_support::parallel;

/// Parts with at most this number of boxes are swept: there, comparing all pairs takes no longer
/// than halving.
const SMALL: usize = 64;

/// Intervals are widened by this fraction of the center's coordinate, the sum of the half extents,
/// and the widening.
///
/// A coordinate of a computed corner is off by less than 2^-53 times the center's coordinate and
/// 12 x 2^-53 times the sum: the entries of the frame, at most 1, are sums of four exact products,
/// divided once (7 x 2^-53); three products of one with a half extent are added up (3 x 2^-53), and
/// then the center. The slack is 32 x 2^-53, so it covers its own rounding too, and an interval
/// certainly encloses its box.
const SLACK: f64 = 1.0 / (1u64 << 48) as f64;

/// Returns the results of `test` for pairs of bodies that may be no further apart than `margin`,
/// sorted by pair.
///
/// Every pair is tested at most once, as positions `a < b`, and none within the margin is left out.
pub(super) fn sweep<T: Send>(
    bodies: Bodies<'_>,
    margin: f64,
    test: impl Fn(Pair) -> Option<T> + Sync,
) -> Vec<(Pair, T)> {
    sweep_extents(
        bodies.len(),
        |id| Extent::around(bodies.at(id as u32), margin / 2.0),
        test,
    )
}

/// Sweeps boxes with centers in `f64`, without a margin; see [`sweep`].
pub(super) fn sweep64<T: Send>(boxes: &[Obb64], test: impl Fn(Pair) -> Option<T> + Sync) -> Vec<(Pair, T)> {
    let extent = |id: usize| Extent::of_box(&boxes[id].centered_at(Vec3::ZERO), boxes[id].center, 0.0);
    sweep_extents(boxes.len(), extent, test)
}

fn sweep_extents<T: Send>(
    count: usize,
    extent: impl Fn(usize) -> Extent + Sync + Send,
    test: impl Fn(Pair) -> Option<T> + Sync,
) -> Vec<(Pair, T)> {
    let extents = parallel::map_ranges(count, |range| range.map(&extent).collect::<Vec<_>>()).concat();
    let mut found: Vec<(Pair, T)> = parallel::map(parts(&extents), |part| part.sweep(&extents, &test))
        .into_iter()
        .flatten()
        .collect();
    found.sort_unstable_by_key(|(pair, _)| *pair);
    found
}

/// The enclosure of a body: its lowest and highest coordinates.
#[derive(Clone, Copy)]
struct Extent {
    low: [f64; 3],
    high: [f64; 3],
}

impl Extent {
    /// Returns the extent of a body whose surface is moved outwards by `widening`.
    fn around(body: BodyRef<'_>, widening: f64) -> Self {
        match body {
            BodyRef::Box(obb) => Self::of_box(obb, obb.center.as_dvec3(), widening),
            BodyRef::Capsule(capsule) => {
                let (center, radius) = (capsule.center.as_dvec3(), f64::from(capsule.radius));
                let half_length = f64::from(capsule.half_length);
                let along = turn(capsule.rotation).z_axis * half_length;
                let ends = [center - along, center + along];
                Self::of_points(&ends, center, half_length, widening + radius)
            }
            BodyRef::Sphere(sphere) => {
                let center = sphere.center.as_dvec3();
                Self::of_points(&[center], center, 0.0, widening + f64::from(sphere.radius))
            }
        }
    }

    /// Returns the extent of a box with this center.
    fn of_box(obb: &Obb, center: DVec3, widening: f64) -> Self {
        let corners = corners(obb, &frame(obb), center);
        Self::of_points(&corners, center, obb.half_extents.as_dvec3().element_sum(), widening)
    }

    /// Returns the extent of points no further than `lengths` from a center, moved outwards.
    fn of_points(points: &[DVec3], center: DVec3, lengths: f64, widening: f64) -> Self {
        let slack = widening + SLACK * (center.abs() + lengths + widening);
        let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min) - slack;
        let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max) + slack;
        Self {
            low: low.to_array(),
            high: high.to_array(),
        }
    }

    /// Returns `true` if the two share a point.
    fn meets(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }
}

/// A part of space and the boxes that reach into it.
struct Part {
    /// Its beginning and end along each axis; the beginning belongs to it, the end to the next
    /// part.
    begin: [f64; 3],
    end: [f64; 3],
    /// Positions of boxes, ascending.
    boxes: Vec<u32>,
}

/// Returns parts that fill space, none of which should be halved.
fn parts(extents: &[Extent]) -> Vec<Part> {
    let mut large = vec![Part {
        begin: [f64::NEG_INFINITY; 3],
        end: [f64::INFINITY; 3],
        boxes: (0..extents.len() as u32).collect(),
    }];
    let mut done = Vec::new();
    while !large.is_empty() {
        for outcome in parallel::map(std::mem::take(&mut large), |part| part.halved(extents)) {
            match outcome {
                Ok(halves) => large.extend(halves),
                Err(part) => done.push(part),
            }
        }
    }
    done
}

impl Part {
    /// Returns its two halves across the axis whose larger half has the fewest boxes; or itself if
    /// it is small or either half would have more than two thirds of the boxes.
    ///
    /// Two parts with two thirds of the boxes have fewer pairs than the whole: 2 x (2/3)^2 = 8/9 of
    /// them.
    fn halved(self, extents: &[Extent]) -> Result<[Self; 2], Self> {
        if self.boxes.len() <= SMALL {
            return Err(self);
        }
        let cuts = [0, 1, 2].map(|axis| Cut::through_the_middle(axis, &self.boxes, extents));
        let [mut best, others @ ..] = cuts;
        for cut in others {
            if cut.larger < best.larger {
                best = cut;
            }
        }
        if 3 * best.larger > 2 * self.boxes.len() {
            return Err(self);
        }
        let taken = |half: fn(&Cut, &Extent) -> bool| {
            let boxes = self.boxes.iter().copied();
            boxes.filter(|&own| half(&best, &extents[own as usize])).collect()
        };
        let (mut middle_end, mut middle_begin) = (self.end, self.begin);
        middle_end[best.axis] = best.at;
        middle_begin[best.axis] = best.at;
        let below = Self {
            begin: self.begin,
            end: middle_end,
            boxes: taken(Cut::is_below),
        };
        let above = Self {
            begin: middle_begin,
            end: self.end,
            boxes: taken(Cut::is_above),
        };
        Ok([below, above])
    }

    /// Returns the results of `test` for the pairs that belong here.
    fn sweep<T: Send>(&self, extents: &[Extent], test: &(impl Fn(Pair) -> Option<T> + Sync)) -> Vec<(Pair, T)> {
        let mut sorted: Vec<(Extent, u32)> = self.boxes.iter().map(|&own| (extents[own as usize], own)).collect();
        sorted.sort_unstable_by(|(a, _), (b, _)| a.low[0].total_cmp(&b.low[0]));
        let partners = |k: usize| {
            let (extent, own) = &sorted[k];
            let following = sorted[k + 1..].iter();
            following
                .take_while(|(other, _)| other.low[0] <= extent.high[0])
                .filter(|(other, _)| extent.meets(other) && self.owns(extent, other))
                .filter_map(|&(_, other)| {
                    let pair = Pair::new(*own, other);
                    Some((pair, test(pair)?))
                })
        };
        parallel::map_ranges_of(SMALL, sorted.len(), |range| {
            range.flat_map(partners).collect::<Vec<_>>()
        })
        .into_iter()
        .flatten()
        .collect()
    }

    /// Returns `true` if the common lower corner of two that meet is in this part.
    fn owns(&self, a: &Extent, b: &Extent) -> bool {
        (0..3).all(|axis| {
            let corner = a.low[axis].max(b.low[axis]);
            self.begin[axis] <= corner && corner < self.end[axis]
        })
    }
}

/// A plane across an axis.
struct Cut {
    axis: usize,
    at: f64,
    /// The number of boxes in the half that has more of them.
    larger: usize,
}

impl Cut {
    /// Returns the plane with equally many midpoints of boxes on either side.
    fn through_the_middle(axis: usize, boxes: &[u32], extents: &[Extent]) -> Self {
        let middle = |own: &u32| {
            let Extent { low, high } = extents[*own as usize];
            low[axis] / 2.0 + high[axis] / 2.0
        };
        let mut middles: Vec<f64> = boxes.iter().map(middle).collect();
        let half = middles.len() / 2;
        let (_, &mut at, _) = middles.select_nth_unstable_by(half, f64::total_cmp);
        let mut cut = Self { axis, at, larger: 0 };
        let count = |half: fn(&Self, &Extent) -> bool| {
            let taken = boxes.iter().filter(|&&own| half(&cut, &extents[own as usize]));
            taken.count()
        };
        cut.larger = count(Self::is_below).max(count(Self::is_above));
        cut
    }

    /// Returns `true` if a box reaches below the plane.
    fn is_below(&self, extent: &Extent) -> bool {
        extent.low[self.axis] < self.at
    }

    /// Returns `true` if a box reaches the plane or above it.
    fn is_above(&self, extent: &Extent) -> bool {
        extent.high[self.axis] >= self.at
    }
}
