//! The cell of a scene in space that repeats, and the images of its bodies in that cell.
//!
//! # Why every pair of images is found exactly once
//!
//! Each body has one place: where it is given, or moved into the cell by whole periods if the scene
//! does not fit a cell as it is. The bounds there contain the body, whatever the rounding, and so
//! do the bounds moved by any image. A pair of bodies, and the image by which one is moved as seen
//! from the other, is found in one of three ways:
//!
//! - *The image is 0.* The broad phase finds the pair, as in an open scene.
//! - *Otherwise* let x be the first axis along which it is not 0, and name the bodies so that B is
//!   moved by `s >= 1` along x. Let o be a number, `F <= o + L` another. If the bounds overlap,
//!   then `B.low + s L <= A.high`. Therefore `A.high >= F`, or else
//!   `B.low <= A.high - s L < F - L <= o`. In the first case A *sticks out above*, in the second B
//!   *sticks out below*. This holds for any o; with the faces of the cell as o and F, few bodies
//!   stick out.
//! - *B sticks out below.* B, moved by the image, is looked up among the bodies in their places,
//!   and finds A.
//! - *B does not, so A sticks out above.* A, moved by the opposite image, is looked up, and finds
//!   B, while bodies that stick out below are passed over.
//!
//! The theorems `image_found` and `image_found_once` of `proofs` prove this. So only bodies that
//! stick out of the cell are looked up again: those on its surface, however large others are. An
//! image is looked up only if it reaches the bounds of the whole scene (`image_is_tried`).

use glam::{DVec3, Vec3};

use crate::base::arrays::Mapped;
use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::engine::query::resolved::Wanted;
use crate::geometry::bounds::{Bounds, Gather};
use crate::geometry::period::{Image, Period};
use crate::geometry::rounding::{above, exact_sum_of_four};
use crate::narrow_phase::images::{ROUNDING, radius};
use crate::narrow_phase::width::too_wide;
use crate::shapes::bodies::set::OwnedBodies;
use crate::shapes::kind::Records;
use crate::shapes::obb64::around::{Boxes64, Surrounded};
use crate::shapes::obb64::record::Obb64;

/// Label for out-of-memory errors.
const WHAT: &str = "the cells of bodies";

/// The most periods from the origin to a cell that is placed where the bodies are: bounds there are
/// finer than 2^-12 of the period.
const NEAR: f64 = 1024.0;

/// The most periods over which the bounds of a scene may reach: those of a margin of 16, of the
/// cell and of bodies on both sides.
const MOST_REACHED: u64 = 19;

/// The bodies of a scene, in their places.
pub(super) struct Cells<'a> {
    pub period: Period,
    set: Records<'a>,
    /// The bodies moved into the cell, if they are not there.
    moved: Option<Moved>,
    /// The image of each body that is in its place; empty if all are where they are given.
    pub images: Vec<Image>,
    /// The widening of bounds for the rounding of moved centers.
    pub rounding: f32,
    /// The faces o and F, as corners in `f32` compare with them: the largest number not above o and
    /// the smallest not below F. Infinite along axes that do not repeat.
    faces: [[f32; 2]; 3],
    /// No body has points further from its center.
    pub largest_radius: f64,
}

/// Bodies moved by whole periods, up to rounding.
enum Moved {
    Bodies(OwnedBodies),
    Boxes64(Surrounded<'static>),
}

/// The least and the greatest coordinates of centers, and the square of the largest radius.
#[derive(Clone, Copy)]
struct Survey<T> {
    low: [T; 3],
    high: [T; 3],
    square: f64,
}

impl<'a> Cells<'a> {
    /// Places the bodies of a check.
    ///
    /// # Errors
    /// [`Error::OutOfPeriod`], errors about invalid bodies if these must be moved, or if memory
    /// runs out.
    pub fn new(set: Records<'a>, period: Period, config: &Wanted<'_>) -> Result<Self> {
        let cells = Self::of_any(set, period)?;
        if !config.are_candidates {
            cells.expect_narrow()?;
        }
        Ok(cells)
    }

    /// Like [`new`](Self::new), for bodies of any width.
    pub fn of_any(set: Records<'a>, period: Period) -> Result<Self> {
        let survey = survey(set);
        let mut cells = Self {
            period,
            set,
            moved: None,
            images: Vec::new(),
            rounding: 0.0,
            faces: [[f32::NEG_INFINITY, f32::INFINITY]; 3],
            largest_radius: survey.square.sqrt() * (1.0 + ROUNDING),
        };
        let (mut first, mut is_moved, mut mean) = ([0.0; 3], [false; 3], None);
        for axis in 0..3 {
            let Some(length) = period.along(axis) else {
                continue;
            };
            let [low, high] = [survey.low[axis], survey.high[axis]];
            is_moved[axis] = high - low >= length || low.abs().max(high.abs()) > NEAR * length;
            first[axis] = low;
            if is_moved[axis] {
                let around_mean = mean.get_or_insert_with(|| mean_center(set))[axis] - 0.5 * length;
                first[axis] = match around_mean.abs() <= NEAR * length {
                    true => around_mean,
                    false => -0.5 * length,
                };
            }
        }
        if is_moved.contains(&true) {
            cells.move_all(first, is_moved)?;
        }
        let origin = match cells.placed() {
            Records::Obb64(boxes) => boxes.origin,
            _ => DVec3::ZERO,
        };
        for axis in 0..3 {
            if let Some(length) = period.along(axis) {
                let low = first[axis] - origin[axis];
                let high = (low + length).next_down().next_down();
                cells.faces[axis] = [-above(-low), above(high)];
            }
        }
        Ok(cells)
    }

    /// Returns `true` if all bodies are where they are given.
    pub fn are_in_place(&self) -> bool {
        self.moved.is_none()
    }

    /// Returns the bodies in their places.
    pub fn placed(&self) -> Records<'_> {
        match &self.moved {
            None => self.set,
            Some(Moved::Bodies(bodies)) => bodies.all().into(),
            Some(Moved::Boxes64(boxes)) => Records::Obb64(boxes.all()),
        }
    }

    /// Fills `bounds` with those of the bodies in their places, each widened by `margin` and the
    /// rounding, and returns the data gathered about them.
    pub fn bounds<G: Gather>(&self, margin: impl Fn(u32) -> f32 + Sync + Send, bounds: &mut [Bounds]) -> Result<G> {
        let widening = |id: u32| match self.rounding {
            0.0 => margin(id),
            rounding => (margin(id) + rounding).next_up(),
        };
        self.placed().bounds(widening, bounds)
    }

    /// Returns copies of these bodies, ascending, in their places: the boxes in `f32` around those
    /// with centers in `f64`, relative to the origin of these.
    pub fn copies(&self, ids: &[u32]) -> Result<OwnedBodies> {
        let set = match self.placed() {
            Records::Obb64(Boxes64 { around, .. }) => Records::Obb(around),
            set => set,
        };
        let selected = set.select(ids)?;
        OwnedBodies::joined(&[selected.records().bodies().unwrap_or_default()], WHAT)
    }

    /// Returns [`copies`](Self::copies) of these bodies, each moved by a vector, and the largest
    /// coordinate of their centers.
    pub fn moved_copies(&self, ids: &[u32], ways: impl Iterator<Item = DVec3>) -> Result<(OwnedBodies, f64)> {
        let (mut copies, mut farthest) = (self.copies(ids)?, 0.0);
        for (center, way) in centers_of(&mut copies).zip(ways) {
            *center = (center.as_dvec3() + way).as_vec3();
            farthest = f64::from(center.abs().max_element()).max(farthest);
        }
        Ok((copies, farthest))
    }

    /// Returns an error if a margin is too large.
    pub fn expect_reach(&self, margin: f64) -> Result<()> {
        expect_reach(((2.0 * self.largest_radius + margin) / self.period.shortest()) as u64)
    }

    /// Returns `true` if a record sticks out of the cell.
    #[inline]
    pub fn sticks_out(&self, record: &Bounds) -> bool {
        // Without branches: nearly all records are inside.
        (0..3).fold(false, |so_far, axis| {
            so_far | self.sticks_out_below(record, axis) | self.sticks_out_above(record, axis)
        })
    }

    /// Returns `true` if a record sticks out of the cell below along an axis.
    pub fn sticks_out_below(&self, record: &Bounds, axis: usize) -> bool {
        record.low[axis] <= self.faces[axis][0]
    }

    /// Returns `true` if a record sticks out of the cell above along an axis.
    pub fn sticks_out_above(&self, record: &Bounds, axis: usize) -> bool {
        record.high[axis] >= self.faces[axis][1]
    }

    /// Moves all bodies into the cell that begins at `first`, along these axes.
    fn move_all(&mut self, first: [f64; 3], is_moved: [bool; 3]) -> Result<()> {
        let period = self.period;
        let along = |axis: usize| period.along(axis).filter(|_| is_moved[axis]);
        let (set, count) = (self.set, self.set.len());
        let image = |center: DVec3| {
            [0, 1, 2]
                .map(|axis| along(axis).map_or(0, |length| -((center[axis] - first[axis]) / length).floor() as i64))
        };
        match set {
            Records::Obb64(_) => {}
            _ => set.bodies().unwrap_or_default().validate()?,
        }
        Period::expect_none(count, |id| period.problem(center(set, id)))?;
        self.images = parallel::collect(count, WHAT, |id| image(center(set, id)))?;
        let places = parallel::collect(count, WHAT, |id| {
            let (center, moved) = (center(set, id), period.moved(self.images[id]));
            DVec3::from_array([0, 1, 2].map(|k| exact_sum_of_four([center[k], moved[k].0, moved[k].1, 0.0])[0]))
        })?;
        let largest = (0..3).filter_map(|axis| Some(first[axis].abs() + 2.0 * along(axis)?));
        let largest = largest.fold(0.0, f64::max);
        self.rounding = above(largest * f64::from(f32::EPSILON));
        self.moved = Some(match set {
            Records::Obb64(Boxes64 { boxes, .. }) => {
                let moved = |id: usize| Obb64 {
                    center: places[id],
                    ..boxes[id]
                };
                let moved: Vec<Obb64> = parallel::collect(count, WHAT, moved)?;
                self.rounding = above(largest * f64::EPSILON);
                Moved::Boxes64(Surrounded::new(moved.into(), true)?)
            }
            _ => {
                let mut moved = OwnedBodies::joined(&[set.bodies().unwrap_or_default()], WHAT)?;
                for (center, place) in centers_of(&mut moved).zip(&places) {
                    *center = place.as_vec3();
                }
                Moved::Bodies(moved)
            }
        });
        Ok(())
    }

    /// Returns an error if a body is as wide as the period.
    pub fn expect_narrow(&self) -> Result<()> {
        if 2.0 * self.largest_radius < self.period.shortest() {
            return Ok(());
        }
        Period::expect_none(self.set.len(), |id| match self.set {
            Records::Obb64(Boxes64 { boxes, .. }) => {
                too_wide((&boxes[id].centered_at(Vec3::ZERO)).into(), &self.period)
            }
            set => too_wide(set.bodies().unwrap_or_default().at(id as u32), &self.period),
        })
    }
}

/// Returns the centers of all bodies.
fn centers_of(bodies: &mut OwnedBodies) -> impl Iterator<Item = &mut Vec3> {
    let centers = bodies.boxes.iter_mut().map(|obb| &mut obb.center);
    let centers = centers.chain(bodies.capsules.iter_mut().map(|capsule| &mut capsule.center));
    centers.chain(bodies.spheres.iter_mut().map(|sphere| &mut sphere.center))
}

/// Returns an error if bodies, with the margin, reach over too many periods.
pub(super) fn expect_reach(periods: u64) -> Result<()> {
    match periods <= MOST_REACHED {
        true => Ok(()),
        false => Err(Error::Unavailable {
            what: "pairs within a margin of more than 16 periods",
            hint: "give a smaller margin or a longer period",
        }),
    }
}

/// Returns the center of a body.
fn center(set: Records<'_>, id: usize) -> DVec3 {
    match set {
        Records::Obb(boxes) => boxes[id].center.as_dvec3(),
        Records::Obb64(Boxes64 { boxes, .. }) => boxes[id].center,
        _ => set.bodies().unwrap_or_default().at(id as u32).center().as_dvec3(),
    }
}

/// Returns the mean of the centers.
fn mean_center(set: Records<'_>) -> DVec3 {
    let sums = parallel::map_ranges(set.len(), |range| range.map(|id| center(set, id)).sum::<DVec3>());
    sums.into_iter().sum::<DVec3>() / set.len() as f64
}

/// Surveys all bodies.
fn survey(set: Records<'_>) -> Survey<f64> {
    let square = |half: Vec3| half.as_dvec3().length_squared();
    if let Records::Obb64(Boxes64 { boxes, .. }) = set {
        return survey_of(boxes, |obb| (obb.center.to_array(), square(obb.half_extents)));
    }
    if let Records::Obb(boxes) = set {
        return survey_of(boxes, |obb| (obb.center.to_array(), square(obb.half_extents)));
    }
    let bodies = set.bodies().unwrap_or_default();
    let boxes = survey_of(bodies.boxes, |obb| (obb.center.to_array(), square(obb.half_extents)));
    let capsules = survey_of(bodies.capsules, |capsule| {
        (capsule.center.to_array(), radius(capsule.into()).powi(2))
    });
    let spheres = survey_of(bodies.spheres, |sphere| {
        (sphere.center.to_array(), f64::from(sphere.radius).powi(2))
    });
    boxes.with(capsules).with(spheres)
}

/// Surveys bodies, given their centers and the squares of their radii. Coordinates are compared as
/// they are stored: those in `f32` are half the work.
fn survey_of<B: Sync, T>(bodies: &[B], of: impl Fn(&B) -> ([T; 3], f64) + Sync + Send) -> Survey<f64>
where
    T: Copy + PartialOrd + From<f32> + Into<f64> + Send,
{
    let parts = parallel::map_ranges(bodies.len(), |range| {
        let each = bodies[range].iter().map(|body| {
            let (center, square) = of(body);
            Survey {
                low: center,
                high: center,
                square,
            }
        });
        each.fold(Survey::nothing(), Survey::with)
    });
    let Survey { low, high, square } = parts.into_iter().fold(Survey::nothing(), Survey::with);
    Survey {
        low: low.map(T::into),
        high: high.map(T::into),
        square,
    }
}

impl<T: Copy + PartialOrd + From<f32>> Survey<T> {
    fn nothing() -> Self {
        Self {
            low: [f32::INFINITY.into(); 3],
            high: [f32::NEG_INFINITY.into(); 3],
            square: 0.0,
        }
    }

    fn with(self, other: Self) -> Self {
        let least = |k: usize| {
            if other.low[k] < self.low[k] {
                other.low[k]
            } else {
                self.low[k]
            }
        };
        let most = |k: usize| {
            if other.high[k] > self.high[k] {
                other.high[k]
            } else {
                self.high[k]
            }
        };
        Self {
            low: [0, 1, 2].mapped(least),
            high: [0, 1, 2].mapped(most),
            square: self.square.max(other.square),
        }
    }
}
