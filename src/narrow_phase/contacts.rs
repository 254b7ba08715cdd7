//! The contacts of many pairs, in one list.

use std::ops::Range;

use super::manifold::{ContactPoint, Penetration, touch};
use crate::{Obb, Pair, parallel};

/// The contact manifolds of a list of pairs: offsets and points.
///
/// The points of pair k are those from `offsets()[k]` to `offsets()[k + 1]`; a pair that does not collide has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    penetrations: Vec<Option<Penetration>>,
    offsets: Vec<usize>,
    points: Vec<ContactPoint>,
}

impl Contacts {
    /// The way apart of every pair, in their order; `None` if the boxes do not collide.
    pub fn penetrations(&self) -> &[Option<Penetration>] {
        &self.penetrations
    }

    /// Where the points of each pair begin, and where the last ends: one more than there are pairs.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The points of all pairs, one after the other.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points
    }

    /// The points of the pair at a position of the list.
    ///
    /// # Panics
    /// If there are not so many pairs.
    pub fn points_of(&self, pair: usize) -> &[ContactPoint] {
        &self.points[self.offsets[pair]..self.offsets[pair + 1]]
    }
}

/// [`Obb::manifold`] of many pairs, in their order, on all cores (feature `rayon`).
///
/// In a pair, `a` is a position in the first set and `b` one in the second: the same boxes twice, or those of
/// [`Checker::check_between`](crate::Checker::check_between). Normals are from a to b. 56 bytes a pair and 64 a point.
///
/// ```
/// use obbligato::{Backend, Checker, Config, Obb, contacts, glam::{DVec3, Vec3}};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [0.0, 1.75, 9.0].map(|z| Obb::axis_aligned(Vec3::new(0.0, 0.0, z), Vec3::ONE));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let report = checker.check(&boxes)?;
/// let contacts = contacts([&boxes, &boxes], report.pairs());
/// assert_eq!(contacts.penetrations()[0].map(|found| (found.normal, found.depth)), Some((DVec3::Z, 0.25)));
/// assert_eq!(contacts.points_of(0).len(), 4);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// If a pair names a box that is not there.
pub fn contacts([a, b]: [&[Obb]; 2], pairs: &[Pair]) -> Contacts {
    let mut parts = parallel::map_ranges(pairs.len(), |range: Range<usize>| {
        let mut part = Part::with_room_for(range.len());
        pairs[range]
            .iter()
            .for_each(|pair| part.add(&a[pair.a as usize], &b[pair.b as usize]));
        part
    })
    .into_iter();
    // The others follow in the memory of the first.
    let mut all = parts.next().unwrap_or_else(|| Part::with_room_for(0));
    let rest = |of: fn(&Part) -> usize| parts.as_slice().iter().map(of).sum();
    all.penetrations.reserve_exact(rest(|part| part.penetrations.len()));
    all.offsets.reserve_exact(rest(|part| part.penetrations.len()));
    all.points.reserve_exact(rest(|part| part.points.len()));
    for part in parts {
        let before = all.points.len();
        all.penetrations.extend(part.penetrations);
        all.offsets.extend(part.offsets[1..].iter().map(|offset| before + offset));
        all.points.extend(part.points);
    }
    Contacts {
        penetrations: all.penetrations,
        offsets: all.offsets,
        points: all.points,
    }
}

/// The contacts of some of the pairs.
struct Part {
    penetrations: Vec<Option<Penetration>>,
    offsets: Vec<usize>,
    points: Vec<ContactPoint>,
}

impl Part {
    /// With memory for so many pairs, which have four points each, or more with yet more memory.
    fn with_room_for(pairs: usize) -> Self {
        let mut offsets = Vec::with_capacity(pairs + 1);
        offsets.push(0);
        Self {
            penetrations: Vec::with_capacity(pairs),
            offsets,
            points: Vec::with_capacity(4 * pairs),
        }
    }

    fn add(&mut self, a: &Obb, b: &Obb) {
        let penetration = touch(a, b, |point| self.points.push(point));
        self.penetrations.push(penetration);
        self.offsets.push(self.points.len());
    }
}
