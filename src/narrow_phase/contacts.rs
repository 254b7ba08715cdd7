//! The contacts of many pairs, in one list.

use std::ops::Range;

use super::manifold::{ContactPoint, Penetration, touch};
use crate::{Obb, Pair, parallel};

/// The contact manifolds of a list of pairs: offsets and points.
///
/// The points of pair k are those from `offsets()[k]` to `offsets()[k + 1]`; a pair that does not collide has none.
#[derive(Clone, Debug, Default, PartialEq)]
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

    /// Makes these the contacts of other pairs, as [`contacts`] does, in the same memory.
    ///
    /// New memory costs a third of the time of a call, so keep the `Contacts` from frame to frame.
    ///
    /// # Panics
    /// If a pair names a box that is not there.
    pub fn update(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) {
        self.penetrations.clear();
        self.offsets.clear();
        self.points.clear();
        if parallel::threads() == 1 || pairs.len() <= parallel::GRAIN {
            return append(self, sets, pairs);
        }
        let parts = parallel::map_ranges(pairs.len(), |range: Range<usize>| {
            let mut part = Self::default();
            append(&mut part, sets, &pairs[range]);
            part
        });
        self.offsets.push(0);
        self.penetrations.reserve(pairs.len());
        self.offsets.reserve(pairs.len());
        self.points.reserve(parts.iter().map(|part| part.points.len()).sum());
        for part in parts {
            let before = self.points.len();
            self.penetrations.extend_from_slice(&part.penetrations);
            self.offsets.extend(part.offsets[1..].iter().map(|offset| before + offset));
            self.points.extend_from_slice(&part.points);
        }
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
pub fn contacts(sets: [&[Obb]; 2], pairs: &[Pair]) -> Contacts {
    let mut contacts = Contacts::default();
    contacts.update(sets, pairs);
    contacts
}

/// The contacts of some of the pairs, added to those of the pairs before.
fn append(all: &mut Contacts, [a, b]: [&[Obb]; 2], pairs: &[Pair]) {
    all.penetrations.reserve(pairs.len());
    all.offsets.reserve(pairs.len() + 1);
    // Most have no more than four.
    all.points.reserve(4 * pairs.len());
    if all.offsets.is_empty() {
        all.offsets.push(0);
    }
    for pair in pairs {
        let (a, b) = (&a[pair.a as usize], &b[pair.b as usize]);
        let penetration = touch(a, b, |point| all.points.push(point));
        all.penetrations.push(penetration);
        all.offsets.push(all.points.len());
    }
}
