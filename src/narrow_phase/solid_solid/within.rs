//! The exact test of solids that do not collide against a margin: the true answer for the stored
//! numbers, the margin an `f64`.
//!
//! 1. The [distance](super::gjk) in `f64` decides wherever it differs from the margin by more than
//!    it can err. What is left are mostly solids whose gap is meant to be the margin.
//! 2. The same search goes on where that one ended, without rounding: in `f64` that know what was
//!    rounded away, and if that does not suffice in whole numbers. Nothing is divided: in place of
//!    the point of a simplex that is nearest to the origin, which is a quotient, it has a vector
//!    that points there.
//!
//! The search without rounding ends with a proof: a simplex with a point within the margin, or a
//! plane beyond the margin that has all differences behind it. Each step but the last brings in a
//! difference that is less far along the vector than the simplex is, so the nearest point comes
//! closer, no simplex comes twice, and there are finitely many.

use crate::base::arrays::Mapped;
use std::cmp::Ordering;

use crate::narrow_phase::obb_obb::exact::scale::Grain64;
use crate::narrow_phase::round::real::{Near, Real, Vector, cross, dot, minus, plus, whole64, with_words};
use crate::narrow_phase::solid_solid::gjk::{CERTIFIED, WarmStart};
use crate::narrow_phase::solid_solid::pair::Pair;
use crate::shapes::solid::record::Solid;

/// The error of a distance besides [`CERTIFIED`] of itself, as a part of the size of the pair: ten
/// times what twice the digits leave.
const LEFT: f64 = 1e-26;

/// The most corners of a simplex.
const MOST: usize = 4;

/// Returns `true` if two solids that do not collide are at most `margin` apart; never if it is 0.
pub(crate) fn within(a: &Solid, b: &Solid, margin: f64) -> bool {
    if margin <= 0.0 {
        return false;
    }
    let mut search = WarmStart::default();
    let distance = a.closest_points_from(b, &mut search).distance;
    let excess = distance - margin;
    if excess.abs() > 2.0 * CERTIFIED * distance + LEFT * Pair::new(a, b).size {
        return excess < 0.0;
    }
    exactly([a, b], margin, search.vertices())
}

/// [`within`] without rounding, by a search that begins with the differences of these vertices.
fn exactly(solids: [&Solid; 2], margin: f64, start: impl Iterator<Item = [u32; 2]>) -> bool {
    let mut first: Vec<[u32; 2]> = start.take(MOST).collect();
    if first.is_empty() {
        first.push([0; 2]);
    }
    let place = |side: usize, vertex: u32| coordinates(solids[side], vertex).mapped(Near::exact);
    let near = search(place, counts(solids), Near::exact(margin), &first);
    near.unwrap_or_else(|| {
        let all = solids.iter().flat_map(|solid| solid.vertices());
        let numbers = all.flat_map(|vertex| vertex.as_dvec3().to_array());
        let grain = Grain64::of(numbers.chain([margin]));
        // The square of a product of a difference with a vector of degree three, and a few bits for
        // the sums.
        with_words!(
            8 * (grain.bits() + 4) + 4,
            in_whole_numbers(grain, solids, margin, &first)
        )
    })
}

fn in_whole_numbers<const N: usize>(grain: Grain64, solids: [&Solid; 2], margin: f64, first: &[[u32; 2]]) -> bool {
    let place = |side: usize, vertex: u32| whole64::<3, N>(grain, coordinates(solids[side], vertex));
    let [margin] = whole64::<1, N>(grain, [margin]);
    search(place, counts(solids), margin, first).unwrap_or(true)
}

fn coordinates(solid: &Solid, vertex: u32) -> [f64; 3] {
    solid.vertices()[vertex as usize].as_dvec3().to_array()
}

fn counts(solids: [&Solid; 2]) -> [u32; 2] {
    solids.mapped(|solid| solid.vertices().len() as u32)
}

/// The search, given where the vertices are and how many there are of each solid; `None` if a sign
/// is not certain.
fn search<T: Real>(
    place: impl Fn(usize, u32) -> Vector<T>,
    counts: [u32; 2],
    margin: T,
    first: &[[u32; 2]],
) -> Option<bool> {
    let reach = margin * margin;
    let difference = |[a, b]: [u32; 2]| minus(place(0, a), place(1, b));
    // The vertex that is farthest on one side.
    let farthest = |side: usize, sought: Ordering, towards: Vector<T>| {
        let mut best = (0, dot(towards, place(side, 0)));
        for vertex in 1..counts[side] {
            let far = dot(towards, place(side, vertex));
            if far.compare(best.1)? == sought {
                best = (vertex, far);
            }
        }
        Some(best.0)
    };
    let mut simplex: Vec<Vector<T>> = first.iter().map(|&pair| difference(pair)).collect();
    loop {
        // Around the origin, which is so for solids that collide.
        let Some(nearest) = Nearest::of(&simplex)? else {
            return Some(true);
        };
        let limit = nearest.over.map_or(reach, |over| reach * over);
        if nearest.square.compare(limit)?.is_le() {
            return Some(true);
        }
        let towards = nearest.towards;
        let a = farthest(0, Ordering::Less, towards)?;
        let b = farthest(1, Ordering::Greater, towards)?;
        let lowest = difference([a, b]);
        let height = dot(towards, lowest);
        if height.sign()?.is_gt() && (height * height).compare(reach * dot(towards, towards))?.is_gt() {
            return Some(false);
        }
        simplex = nearest.corners;
        simplex.push(lowest);
    }
}

/// The part of a simplex that has the point nearest to the origin inside.
struct Nearest<T> {
    corners: Vec<Vector<T>>,
    /// From the origin to that point, times some positive number.
    towards: Vector<T>,
    /// The square of the distance, times `over` if that is given, which is positive.
    square: T,
    over: Option<T>,
}

impl<T: Real> Nearest<T> {
    /// The part of a simplex of up to four corners: the one that has no corner before the plane
    /// through its nearest point. `Some(None)` if the origin is inside the simplex.
    fn of(simplex: &[Vector<T>]) -> Option<Option<Self>> {
        for bits in 1u32..1 << simplex.len() {
            let of_part = |(k, _): &(usize, &Vector<T>)| bits >> k & 1 > 0;
            let corners: Vec<Vector<T>> = simplex
                .iter()
                .enumerate()
                .filter(of_part)
                .map(|(_, corner)| *corner)
                .collect();
            let Some(part) = Self::inside(corners)? else { continue };
            let others = simplex.iter().enumerate().filter(|other| !of_part(other));
            let mut is_nearest = true;
            for (_, other) in others {
                is_nearest &= dot(part.towards, minus(*other, part.corners[0])).sign()?.is_ge();
            }
            if is_nearest {
                return Some(Some(part));
            }
        }
        Some(None)
    }

    /// A corner, an edge or a triangle, if the nearest point of its line or plane is inside it.
    fn inside(corners: Vec<Vector<T>>) -> Option<Option<Self>> {
        let positive = |number: T| Some(number.sign()?.is_gt());
        let (towards, square, over) = match corners[..] {
            [at] => (at, dot(at, at), None),
            [from, to] => {
                let edge = minus(to, from);
                let (part, whole) = (-dot(from, edge), dot(edge, edge));
                if !positive(part)? || !positive(whole - part)? {
                    return Some(None);
                }
                let across = cross(from, edge);
                let towards = plus(from.mapped(|x| x * whole), edge.mapped(|x| x * part));
                (towards, dot(across, across), Some(whole))
            }
            [from, second, third] => {
                let (u, v) = (minus(second, from), minus(third, from));
                let normal = cross(u, v);
                let whole = dot(normal, normal);
                let turned = cross(normal, from);
                let (of_second, of_third) = (-dot(v, turned), dot(u, turned));
                for weight in [of_second, of_third, whole - of_second - of_third] {
                    if !positive(weight)? {
                        return Some(None);
                    }
                }
                let height = dot(normal, from);
                let towards = if height.sign()?.is_lt() {
                    normal.mapped(|x| -x)
                } else {
                    normal
                };
                (towards, height * height, Some(whole))
            }
            _ => return Some(None),
        };
        Some(Some(Self {
            corners,
            towards,
            square,
            over,
        }))
    }
}
