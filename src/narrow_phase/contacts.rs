//! The contacts of many pairs, in one list.

use std::ops::Range;

use super::manifold::{ContactPoint, Penetration};
use crate::bounds::obb_bounds_cpu;
use crate::{Error, Obb, Pair, Result, parallel};

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

    /// Those of pairs that are one after the other.
    pub(crate) fn joined(parts: Vec<Part>) -> Self {
        let count = parts.iter().map(|part| part.ends.len()).sum();
        let mut all = Self {
            penetrations: Vec::with_capacity(count),
            offsets: Vec::with_capacity(count + 1),
            points: Vec::with_capacity(parts.iter().map(|part| part.points.len()).sum()),
        };
        all.offsets.push(0);
        for part in parts {
            let before = all.points.len();
            all.penetrations.extend(part.penetrations);
            all.offsets.extend(part.ends.iter().map(|end| before + end));
            all.points.extend(part.points);
        }
        all
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
    let parts = parallel::map_ranges(pairs.len(), |range: Range<usize>| {
        let mut part = Part::default();
        pairs[range]
            .iter()
            .for_each(|pair| part.add(&a[pair.a as usize], &b[pair.b as usize]));
        part
    });
    Contacts::joined(parts)
}

/// An error if a pair names a box that is not in its set, or if a box is not valid.
pub(crate) fn validate([a, b]: [&[Obb]; 2], pairs: &[Pair]) -> Result<()> {
    for (set, named) in [(a, (|pair| pair.a) as fn(&Pair) -> u32), (b, |pair| pair.b)] {
        let missing = |pair: &Pair| named(pair) as usize >= set.len();
        if let Some(index) = pairs.iter().position(missing) {
            return Err(Error::InvalidPair {
                index,
                named: named(&pairs[index]),
                boxes: set.len(),
            });
        }
    }
    obb_bounds_cpu::validate(a)?;
    match std::ptr::eq(a, b) {
        true => Ok(()),
        false => obb_bounds_cpu::validate(b),
    }
}

/// The contacts of some of the pairs.
#[derive(Default)]
pub(crate) struct Part {
    penetrations: Vec<Option<Penetration>>,
    /// Where the points of each pair end.
    ends: Vec<usize>,
    points: Vec<ContactPoint>,
}

impl Part {
    /// The way apart of the next pair, and its points.
    pub fn push(&mut self, penetration: Option<Penetration>, points: impl IntoIterator<Item = ContactPoint>) {
        self.penetrations.push(penetration);
        self.points.extend(points);
        self.ends.push(self.points.len());
    }

    /// The contacts of the next pair.
    pub fn add(&mut self, a: &Obb, b: &Obb) {
        let manifold = a.manifold(b);
        self.penetrations.push(manifold.map(|manifold| *manifold.penetration()));
        if let Some(manifold) = &manifold {
            self.points.extend_from_slice(manifold.points());
        }
        self.ends.push(self.points.len());
    }
}
