//! Coordinates as files have them, and their rounding to `f32`.
//!
//! Near the origin, `f32` is precise enough for the numbers of a file. Far from it, as in map
//! coordinates, steps of `f32` are wide: 0.5 at 6,329,700. Coordinates that are not `f32` numbers
//! are therefore kept in `f64` and rounded relative to an origin within the extent of all of them.
//! The origin of an axis is 0 if another one gains nothing: if all coordinates are already `f32`
//! numbers, or if none is further from 0 than [`NEAR`] times the extent, so that steps are below a
//! millionth of the extent.
//!
//! Otherwise the origin is a multiple of the largest power of two within the extent. Then an `f32`
//! number minus the origin is an `f32` number again: all coordinates are at least 15 times the
//! extent away from 0, which bounds their steps from below, and the difference is at most twice the
//! extent.

use std::str::FromStr;

use glam::{DVec3, Vec3};

use crate::error::Result;
use crate::table::cell::{Cell, Number};
use obbligato_support::memory;

/// The largest coordinate, in extents, that is rounded without an origin: 2^-24 of it is less than
/// [`ROUGH`] of the extent.
const NEAR: f64 = 16.0;

/// Rounding by more than this fraction of the extent is reported.
const ROUGH: f64 = 1e-6;

/// A number of a text or of a typed field: the nearest `f64`, adjusted so that rounding it to `f32`
/// gives the `f32` nearest to the text.
///
/// The nearest `f64` may lie halfway between two `f32` numbers when the text does not. Then it is
/// replaced by the next `f64` on the side of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coordinate(pub f64);

impl FromStr for Coordinate {
    type Err = std::num::ParseFloatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wide: f64 = text.parse()?;
        let narrow = wide as f32;
        let beyond = if f64::from(narrow) < wide {
            narrow.next_up()
        } else {
            narrow.next_down()
        };
        let is_halfway = f64::from(narrow) + f64::from(beyond) == 2.0 * wide && f64::from(narrow) != wide;
        if !is_halfway {
            return Ok(Self(wide));
        }
        let nearest: f32 = text.parse()?;
        Ok(Self(match nearest == narrow {
            true => wide,
            false if f64::from(nearest) < wide => wide.next_down(),
            false => wide.next_up(),
        }))
    }
}

impl Number for Coordinate {
    fn of_typed(cell: Cell<'_>) -> Option<Self> {
        f64::of_typed(cell).map(Self)
    }
}

/// A list of points, in groups of `N`: in `f32` as long as all are `f32` numbers, else in `f64`.
#[derive(Debug)]
pub(crate) enum Places<const N: usize> {
    Single(Vec<[Vec3; N]>),
    Double(Vec<[DVec3; N]>),
}

impl<const N: usize> Default for Places<N> {
    fn default() -> Self {
        Self::Single(Vec::new())
    }
}

impl<const N: usize> Places<N> {
    pub fn len(&self) -> usize {
        match self {
            Self::Single(list) => list.len(),
            Self::Double(list) => list.len(),
        }
    }

    /// Adds a group of points. `what` is the label of an out-of-memory error.
    pub fn push(&mut self, places: [DVec3; N], what: &'static str) -> Result<()> {
        if let Self::Single(list) = self {
            let single = places.map(|place| place.as_vec3());
            if places
                .iter()
                .zip(&single)
                .all(|(place, single)| single.as_dvec3() == *place)
            {
                return Ok(memory::push(list, single, what)?);
            }
            let doubles = list.iter().map(|places| places.map(|place| place.as_dvec3()));
            *self = Self::Double(memory::collect(doubles, what)?);
        }
        match self {
            Self::Double(list) => memory::push(list, places, what)?,
            Self::Single(_) => {}
        }
        Ok(())
    }

    /// Adds a group of points that are `f32` numbers.
    pub fn push_single(&mut self, places: [Vec3; N], what: &'static str) -> Result<()> {
        match self {
            Self::Single(list) => memory::push(list, places, what)?,
            Self::Double(list) => memory::push(list, places.map(|place| place.as_dvec3()), what)?,
        }
        Ok(())
    }

    /// Returns `true` if all points are `f32` numbers.
    pub fn are_single(&self) -> bool {
        matches!(self, Self::Single(_))
    }

    /// Returns the group of points at an index.
    pub fn get(&self, position: usize) -> [DVec3; N] {
        match self {
            Self::Single(list) => list[position].map(|place| place.as_dvec3()),
            Self::Double(list) => list[position],
        }
    }

    /// Returns the extent of all points.
    pub fn extent(&self) -> Extent {
        Extent::of((0..self.len()).flat_map(|position| self.get(position)))
    }

    /// Returns all points relative to an origin.
    pub fn relative_to(self, origin: DVec3, what: &'static str) -> Result<Vec<[Vec3; N]>> {
        match self {
            Self::Single(list) if origin == DVec3::ZERO => Ok(list),
            places => {
                let all = (0..places.len()).map(|position| places.get(position).map(|place| relative(place, origin)));
                Ok(memory::collect(all, what)?)
            }
        }
    }
}

/// Returns a point relative to an origin.
pub(crate) fn relative(place: DVec3, origin: DVec3) -> Vec3 {
    (place - origin).as_vec3()
}

/// Returns the largest distance, over the three axes, by which rounding moves a point.
pub(crate) fn moved(place: DVec3, origin: DVec3) -> f64 {
    (place - origin - relative(place, origin).as_dvec3())
        .abs()
        .max_element()
}

/// The bounding box of points, and the axes along which all their coordinates are `f32` numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    low: DVec3,
    high: DVec3,
    are_single: [bool; 3],
}

impl Extent {
    /// The extent of no points.
    pub const NONE: Self = Self {
        low: DVec3::INFINITY,
        high: DVec3::NEG_INFINITY,
        are_single: [true; 3],
    };

    pub fn of(places: impl IntoIterator<Item = DVec3>) -> Self {
        places.into_iter().fold(Self::NONE, |mut all, place| {
            all.low = all.low.min(place);
            all.high = all.high.max(place);
            for axis in 0..3 {
                all.are_single[axis] &= f64::from(place[axis] as f32) == place[axis];
            }
            all
        })
    }

    /// Returns the union of two extents.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            are_single: [0, 1, 2].map(|axis| self.are_single[axis] && other.are_single[axis]),
        }
    }

    /// Returns this extent, marked as if it also held points that are rounded about the same
    /// origin.
    #[must_use]
    pub fn about(self, others: Self) -> Self {
        Self {
            are_single: self.with(others).are_single,
            ..self
        }
    }

    /// Returns the longest side; 0 if empty.
    pub fn size(&self) -> f64 {
        (self.high - self.low).max_element().max(0.0)
    }

    /// Returns the origin to round the points about; 0 if they all coincide.
    pub fn origin(&self) -> DVec3 {
        let size = self.size();
        let grain = 2f64.powi(size.log2().floor() as i32);
        DVec3::from([0, 1, 2].map(|axis| {
            let (low, high) = (self.low[axis], self.high[axis]);
            let is_near = size == 0.0 || low.abs().max(high.abs()) <= NEAR * size;
            match self.are_single[axis] || is_near {
                true => 0.0,
                false => ((0.5 * low + 0.5 * high) / grain).round() * grain,
            }
        }))
    }

    /// Returns `true` if moving a point by this distance is a rough approximation.
    pub fn is_rough(&self, moved: f64) -> bool {
        moved > ROUGH * self.size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use obbligato_support::split_mix::SplitMix;

    #[test]
    fn texts_are_rounded_once() {
        let mut random = SplitMix(3);
        let mut halfway = 0;
        for _ in 0..20_000 {
            let narrow = f32::from_bits((random.next() % 0x7f00_0000) as u32);
            let middle = 0.5 * f64::from(narrow) + 0.5 * f64::from(narrow.next_up());
            // The exact midpoint, and a text slightly to one side of it.
            let text = format!("{middle:.160}");
            for text in [
                text.clone(),
                format!("{text}1"),
                format!("-{text}1"),
                format!("{narrow:e}"),
            ] {
                let Coordinate(wide) = text.parse().expect("a number");
                let nearest: f32 = text.parse().expect("a number");
                assert_eq!((wide as f32).to_bits(), nearest.to_bits(), "{text}");
                let plain: f64 = text.parse().expect("a number");
                halfway += usize::from(plain != wide);
            }
        }
        assert!(halfway > 1000, "{halfway}");
        let words = [
            "inf",
            "-inf",
            "1e39",
            "-0",
            "0",
            "340282356779733661637539395458142568448",
        ];
        for text in words {
            let Coordinate(wide) = text.parse().expect("a number");
            assert_eq!(
                (wide as f32).to_bits(),
                text.parse::<f32>().expect("a number").to_bits(),
                "{text}"
            );
        }
        assert!("nan".parse::<Coordinate>().expect("a number").0.is_nan());
        assert!("1,5".parse::<Coordinate>().is_err());
    }

    #[test]
    fn single_precision_numbers_stay_unchanged() {
        let mut random = SplitMix(8);
        for round in 0..2_000 {
            let middle = DVec3::from([(); 3].map(|()| 1e7 * (random.unit() - 0.5)));
            let size = (random.unit() * 20.0 - 4.0).exp2();
            let places: Vec<DVec3> = (0..10)
                .map(|k| {
                    let place = middle + DVec3::from([(); 3].map(|()| size * (random.unit() - 0.5)));
                    if k % 2 == round % 3 {
                        place.as_vec3().as_dvec3()
                    } else {
                        place
                    }
                })
                .collect();
            let extent = Extent::of(places.iter().copied());
            let origin = extent.origin();
            for place in places {
                let moved_by = moved(place, origin);
                let is_single = place.as_vec3().as_dvec3() == place;
                assert!(
                    moved_by <= if is_single { 0.0 } else { 1e-6 * extent.size() },
                    "{place} {origin}"
                );
            }
        }
    }

    #[test]
    fn only_distant_coordinates_have_an_origin() {
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        let origin = |places: &[DVec3]| Extent::of(places.iter().copied()).origin();
        assert_eq!(origin(&[]), DVec3::ZERO);
        assert_eq!(origin(&[at(0.1, 0.2, 0.3), at(1.1, 7.7, 2.0)]), DVec3::ZERO);
        // Far from the origin, but integers.
        assert_eq!(
            origin(&[at(441_871.0, 6_329_700.5, 0.0), at(441_872.0, 6_329_701.0, 3.0)]),
            DVec3::ZERO
        );
        let map = origin(&[at(441_871.6, 6_329_700.7, 0.1), at(441_875.6, 6_329_705.7, 3.1)]);
        assert_eq!(map, at(441_872.0, 6_329_704.0, 0.0));
        assert_eq!(origin(&[at(441_871.6, 6_329_700.7, 0.1); 2]), DVec3::ZERO);
    }

    #[test]
    fn places_are_kept_in_f64_once_one_needs_it() {
        let mut places: Places<1> = Places::default();
        for place in [DVec3::ONE, DVec3::splat(0.5), DVec3::splat(0.1), DVec3::splat(3.0)] {
            places.push([place], "a test").expect("memory");
        }
        assert!(matches!(places, Places::Double(_)));
        assert_eq!(
            (places.len(), places.get(0), places.get(2)),
            (4, [DVec3::ONE], [DVec3::splat(0.1)])
        );
        let rounded = places.relative_to(DVec3::splat(3.0), "a test").expect("memory");
        assert_eq!(rounded[2], [DVec3::splat(0.1 - 3.0).as_vec3()]);
    }
}
