//! The distance and closest points of two convex solids, given by their points (Gilbert, Johnson
//! and Keerthi, "A fast procedure for computing the distance between complex objects in
//! three-dimensional space", 1988).
//!
//! The distance is that of the origin from the differences of points of A and points of B (the
//! Minkowski difference), which are convex, too. The search walks over simplices of such
//! differences. From the point `v` of a simplex that is [nearest](super::simplex) to the origin, it
//! adds the difference `w` that is least far along `v`, and drops the corners that `v` does not
//! need. `|v|` is never less than the distance, and `v · w / |v|` never more: when the two are
//! equal, both are the distance.
//!
//! The search for a distance begins with the difference of the centers and the difference that is
//! least far along it. If the origin is between them, the solids may overlap, and both are corners
//! of the first simplex: if the solids overlap deeply, two more corners complete a tetrahedron
//! around the origin.
//!
//! # Stages
//!
//! 1. **f64.** The search ends when the bounds meet, when they are as close as rounding allows, or
//!    when a step no longer improves them because of rounding. Its answer counts if the bounds,
//!    with the errors of all numbers, are within [`CERTIFIED`] of each other, or if all four signs
//!    certify that the origin is in a simplex.
//! 2. **Exact.** `f64` cannot decide for solids that touch or nearly touch, solids in one plane,
//!    and simplices so thin that their normals have few correct digits. The caller's decision
//!    without rounding determines whether they collide.
//! 3. **Twice the digits.** If they do not, the same search runs in numbers of 100 bits, from where
//!    the first one ended. The differences are exact there.
//!
//! # Error
//!
//! In the following, u is 2^-52 and Z the size of the pair: the distance of the middles of both
//! bounds plus both radii about them. A difference is off by less than 4 u Z, and so is that of the
//! centers; its product with a direction of length 1 is off by 4 u Z more, and so is that of a
//! point that would have been furthest. `v` is a combination of a few of them by weights that sum
//! up to 1. So the bounds are off by less than [`ERROR`] u Z, which is added to their difference.
//! In twice the digits, u is 2^-100.
//!
//! The bounds limit the error of the distance to [`CERTIFIED`] of itself. It is usually far
//! smaller, because an error of the direction of `v` changes the lower bound by as much, but the
//! distance only by its square. In twice the digits the bounds are not checked: distances are off
//! by about 1e-27 Z, less than 1e-9 of themselves from 1e-18 Z on. Only solids whose coordinates
//! differ by more than 30 powers of two can be closer and yet apart.
//!
//! # Termination
//!
//! A step that does not shorten `v` ends the search, and there are finitely many numbers. The limit
//! of steps, [`MOST`], is for cases that have never been observed.

use glam::DVec3;

use crate::base::lanes::{self, Simd, dispatch};
use crate::geometry::double::Double;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::solid_solid::pair::{CENTERS, Pair};
use crate::narrow_phase::solid_solid::simplex::{Corner, Nearest, Real, Simplex, Vector, dot};
use crate::shapes::solid::record::Solid;

/// The greatest distance between the bounds of an answer in `f64`, relative to it.
pub(super) const CERTIFIED: f64 = 1e-9;

/// The error of the bounds, in units of u Z. See the [module](self).
pub(super) const ERROR: f64 = 32.0;

/// The error of six times the volume of a simplex, in units of u Z³: four products of three lengths
/// of at most 2 Z each, with about ten roundings each.
const VOLUME_ERROR: f64 = 512.0;

/// The distance of the centers, relative to the size, below which their difference is not a corner
/// of a simplex: the origin would be too close to it for certain signs.
const CENTRAL: f64 = 1e-6;

/// The maximum number of steps of a search: pairs of solids with thousands of points take about
/// thirty.
const MOST: usize = 1000;

/// The simplex of the relevant points that a search for the distance or the depth of two solids
/// leaves for the next one.
///
/// If two solids have moved only a little, their closest points are at the same places, and the
/// next search ends after one step, for solids that are apart or overlap. The answer does not
/// depend on where the search begins, up to its error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarmStart {
    pairs: [[u32; 2]; 4],
    len: u8,
}

impl WarmStart {
    #[inline(always)]
    pub(super) fn of<T: Real>(simplex: &Simplex<T>) -> Self {
        Self::of_corners(simplex.corners())
    }

    /// Keeps the points of at most four corners.
    #[inline(always)]
    pub(super) fn of_corners<'a, T: Real + 'a>(corners: impl IntoIterator<Item = &'a Corner<T>>) -> Self {
        let mut start = Self::default();
        corners.into_iter().for_each(|corner| start.push(corner.pair));
        start
    }

    /// Adds a corner, if there are fewer than four.
    #[inline(always)]
    pub(super) fn push(&mut self, pair: [u32; 2]) {
        if let Some(place) = self.pairs.get_mut(usize::from(self.len)) {
            *place = pair;
            self.len += 1;
        }
    }

    /// The vertices of its corners, except the centers.
    pub(super) fn vertices(&self) -> impl Iterator<Item = [u32; 2]> {
        let pairs = self.pairs.into_iter().take(usize::from(self.len));
        pairs.filter(|pair| *pair != CENTERS)
    }

    /// Returns the simplex at the current places, if both solids have these points; with the
    /// difference of the centers if `centers`.
    #[inline(always)]
    fn simplex(&self, pair: &Pair, centers: bool) -> Option<Simplex<f64>> {
        let [most_a, most_b] = [pair.a, pair.b].map(|solid| solid.vertices().len() as u32);
        let mut simplex: Option<Simplex<f64>> = None;
        for &[a, b] in &self.pairs[..usize::from(self.len)] {
            if [a, b] == CENTERS {
                if !centers {
                    continue;
                }
            } else if a >= most_a || b >= most_b {
                return None;
            }
            let corner = pair.corner([a, b]);
            match &mut simplex {
                None => simplex = Some(Simplex::new(corner)),
                Some(simplex) => _ = simplex.push(corner),
            }
        }
        simplex
    }
}

/// The end of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descent<T> {
    pub simplex: Simplex<T>,
    pub nearest: Nearest<T>,
    /// A lower bound of the products of all differences with the nearest point; 0 if it is not
    /// known.
    lower: T,
}

/// The certain conclusion of a search in `f64`.
pub(super) enum Said {
    Apart,
    Collide,
    /// No conclusion is certain.
    Unsure,
}

impl<T: Real> Descent<T> {
    /// Searches from a simplex, with differences of at most `size`. `lowest` finds the difference
    /// that is least far along a vector, and `find` [the nearest point](Simplex::nearest). With
    /// `SIDE`, the search ends as soon as the solids are certainly apart.
    #[inline(always)]
    pub fn new<const SIDE: bool>(
        mut simplex: Simplex<T>,
        size: f64,
        lowest: impl Fn(Vector<T>) -> Corner<T>,
        find: impl Fn(&Simplex<T>, u8, T) -> Nearest<T>,
    ) -> Self {
        let volume = T::from(VOLUME_ERROR * T::EPSILON * size * size * size);
        let error = ERROR * T::EPSILON * size;
        let enough = T::from(error * error);
        let mut nearest = simplex.nearest(0, volume);
        simplex.reduce(&nearest);
        let mut lower = T::from(0.0);
        for _ in 0..MOST {
            // The side of the origin on which a point this close to it lies is unknown.
            if nearest.is_origin() || nearest.square <= enough {
                break;
            }
            let corner = lowest(nearest.point);
            lower = dot(corner.place, nearest.point);
            let gap = nearest.square - lower;
            let closed = gap * gap <= enough * nearest.square;
            let is_apart = SIDE && is_beyond(lower, enough * nearest.square);
            if closed || is_apart || simplex.has(corner.pair) {
                break;
            }
            let last = simplex.push(corner);
            let next = find(&simplex, last, volume);
            if next.square >= nearest.square {
                simplex.drop(last);
                break;
            }
            simplex.reduce(&next);
            nearest = next;
            // No bound is known for the new point yet.
            lower = T::from(0.0);
        }
        Self {
            simplex,
            nearest,
            lower,
        }
    }

    /// Returns the points of both solids whose difference is the nearest point, relative to the
    /// middles of their bounds.
    #[inline(always)]
    pub fn points(&self, pair: &Pair) -> [DVec3; 2] {
        let mut points = [DVec3::ZERO; 2];
        for (weight, corner) in self.simplex.weights() {
            let [a, b] = pair.places(corner.pair);
            points[0] += weight.rounded() * a;
            points[1] += weight.rounded() * b;
        }
        points
    }
}

/// Returns `true` if a lower bound of products exceeds the root of `square`.
#[inline(always)]
fn is_beyond<T: Real>(lower: T, square: T) -> bool {
    lower > T::from(0.0) && lower * lower > square
}

impl Descent<f64> {
    /// Searches in `f64`. If `centers`, their difference may be a corner of the final simplex.
    #[inline(always)]
    pub fn search<S: Simd>(simd: S, pair: &Pair, start: &WarmStart, centers: bool) -> Self {
        let start = match start.simplex(pair, centers) {
            Some(start) => start,
            None => first(simd, pair, centers),
        };
        Self::search_from::<S, false>(simd, pair, start)
    }

    /// Searches in `f64` from a simplex.
    #[inline(always)]
    fn search_from<S: Simd, const SIDE: bool>(simd: S, pair: &Pair, start: Simplex<f64>) -> Self {
        #[rustfmt::skip]
        let descent = Self::new::<SIDE>(
            start,
            pair.size,
            #[inline(always)] |direction| pair.lowest(simd, DVec3::from_array(direction)),
            #[inline(always)] |simplex, last, volume| simplex.nearest_in_lanes(simd, last, volume),
        );
        descent
    }

    /// Returns the certain conclusion, given the points whose difference is the nearest point.
    #[inline(always)]
    pub fn said(&self, pair: &Pair, [on_a, on_b]: [DVec3; 2]) -> Said {
        if self.nearest.is_origin() {
            return Said::Collide;
        }
        let length = self.nearest.square.sqrt();
        let between = on_a - on_b + pair.apart;
        // The distance of the points covers the case that the normal of a thin triangle is wrong.
        let upper = length.max(between.length());
        let gap = upper - self.lower / length + ERROR * f64::EPSILON * pair.size;
        match gap <= CERTIFIED * length {
            true => Said::Apart,
            false => Said::Unsure,
        }
    }
}

impl Solid {
    /// Returns the distance of the two solids, in the caller's unit: 0 if and only if they collide
    /// ([`Solid::contact`]).
    ///
    /// The error is less than 1e-9 of the distance, and typically about 1e-15 of it, however close
    /// the solids are. It may be greater only for distances below 1e-18 of the sum of their sizes.
    /// Takes time proportional to the vertices, a few times.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Solid};
    /// # fn main() -> obbligato::Result<()> {
    /// let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let moved = |by: Vec3| Solid::from_points(&corner.map(|point| point + by));
    /// let solid = moved(Vec3::ZERO)?;
    /// assert_eq!(solid.distance(&moved(Vec3::X)?), 0.0);
    /// assert!((solid.distance(&moved(Vec3::ONE)?) - 2.0 / 3f64.sqrt()).abs() < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    pub fn distance(&self, other: &Self) -> f64 {
        self.closest_points(other).distance
    }

    /// Returns the [distance](Solid::distance) of the two solids, and a closest point of each.
    ///
    /// Both points are in their solids, and as far apart as the distance, up to the rounding of
    /// their coordinates. If faces or edges are parallel there are many such points, and rounding
    /// determines which are returned. If the solids collide, both are one point that they share, up
    /// to rounding.
    ///
    /// ```
    /// use obbligato::{glam::{DVec3, Vec3}, shape::Solid};
    /// # fn main() -> obbligato::Result<()> {
    /// let rod = Solid::from_points(&[Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 3.0, 0.0)])?;
    /// let other = Solid::from_points(&[Vec3::new(-2.0, 1.0, 5.0), Vec3::new(2.0, 1.0, 5.0)])?;
    /// let closest = rod.closest_points(&other);
    /// assert_eq!(closest.distance, 5.0);
    /// assert_eq!((closest.on_a, closest.on_b), (DVec3::Y, DVec3::new(0.0, 1.0, 5.0)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn closest_points(&self, other: &Self) -> ClosestPoints {
        self.closest_points_from(other, &mut WarmStart::default())
    }

    /// Returns the closest points of solids that were searched before, such as those of the last
    /// frame. The search begins where the last one ended, and takes a fraction of the time if the
    /// solids have moved only a little.
    ///
    /// ```
    /// use obbligato::{contact::WarmStart, glam::Vec3, shape::Solid};
    /// # fn main() -> obbligato::Result<()> {
    /// let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let mut warm = WarmStart::default();
    /// let solid = Solid::from_points(&corner)?;
    /// for step in 0..10 {
    ///     let height = 3.0 - 0.1 * step as f32;
    ///     let other = Solid::from_points(&corner.map(|point| point + height * Vec3::Z))?;
    ///     let closest = solid.closest_points_from(&other, &mut warm);
    ///     assert!((closest.distance - f64::from(height - 1.0)).abs() < 1e-6);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn closest_points_from(&self, other: &Self, warm: &mut WarmStart) -> ClosestPoints {
        let pair = Pair::new(self, other);
        let (said, distance, points, simplex) = dispatch!(lanes::level(), simd => {
            let descent = Descent::search(simd, &pair, warm, true);
            let points = descent.points(&pair);
            (descent.said(&pair, points), descent.nearest.square.sqrt(), points, descent.simplex)
        });
        *warm = WarmStart::of(&simplex);
        let (distance, [on_a, on_b]) = match said {
            Said::Apart => (distance, points),
            Said::Collide => (0.0, points),
            Said::Unsure if self.exact_contact(other).collides() => (0.0, points),
            Said::Unsure => search_exactly(&pair, &simplex, warm),
        };
        ClosestPoints {
            distance,
            on_a: self.support().middle() + on_a,
            on_b: other.support().middle() + on_b,
        }
    }
}

/// Returns the certain relation of two solids. Ends as soon as they are certainly apart, however
/// far.
pub(super) fn relation(a: &Solid, b: &Solid) -> Said {
    let pair = Pair::new(a, b);
    let descent = dispatch!(lanes::level(), simd => {
        let start = first(simd, &pair, true);
        Descent::search_from::<_, true>(simd, &pair, start)
    });
    let error = ERROR * f64::EPSILON * pair.size;
    match descent.nearest.is_origin() {
        true => Said::Collide,
        false if is_beyond(descent.lower, error * error * descent.nearest.square) => Said::Apart,
        false => Said::Unsure,
    }
}

/// Returns the first simplex of a search without a warm start.
#[inline(always)]
fn first<S: Simd>(simd: S, pair: &Pair, centers: bool) -> Simplex<f64> {
    let inside = pair.corner(CENTERS);
    let near = CENTRAL * pair.size;
    if !centers || dot(inside.place, inside.place) <= near * near {
        return Simplex::new(pair.lowest(simd, pair.towards()));
    }
    let lowest = pair.lowest(simd, DVec3::from_array(inside.place));
    let mut simplex = Simplex::new(lowest);
    if dot(lowest.place, inside.place) <= 0.0 {
        simplex.push(inside);
    }
    simplex
}

/// Searches in twice the digits, for two solids that do not collide. Returns their distance, and
/// points of both relative to their middles.
#[cold]
pub(super) fn search_exactly(pair: &Pair, start: &Simplex<f64>, warm: &mut WarmStart) -> (f64, [DVec3; 2]) {
    let vertices = start.corners().filter(|corner| corner.pair != CENTERS);
    let mut corners = vertices.map(|corner| pair.exact_corner(corner.pair));
    let mut simplex = Simplex::new(corners.next().unwrap_or_else(|| pair.exact_corner([0; 2])));
    corners.for_each(|corner| {
        simplex.push(corner);
    });
    let lowest = |direction: Vector<Double>| pair.lowest_exact(direction);
    let descent = Descent::new::<false>(simplex, pair.size, lowest, Simplex::nearest);
    *warm = WarmStart::of(&descent.simplex);
    let distance = descent.nearest.square.rounded().sqrt();
    (distance.max(f64::MIN_POSITIVE), descent.points(pair))
}
