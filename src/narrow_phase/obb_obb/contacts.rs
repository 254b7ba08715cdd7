//! The contacts of many pairs, in one list.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::{Pair, validate_pairs_of};
use crate::narrow_phase::obb_obb::manifold::{ContactPoint, MOST_POINTS, Penetration, touch};
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;

/// What memory is for.
const WHAT: &str = "the contacts of pairs";

/// The contact manifolds of a list of pairs: offsets and points.
///
/// The points of pair k are those from `offsets()[k]` to `offsets()[k + 1]`; pairs that do not collide have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    penetrations: Vec<Option<Penetration>>,
    offsets: Vec<usize>,
    points: Vec<ContactPoint>,
}

impl Default for Contacts {
    /// The contacts of no pairs.
    fn default() -> Self {
        Self {
            penetrations: Vec::new(),
            offsets: vec![0],
            points: Vec::new(),
        }
    }
}

impl Contacts {
    /// The penetration of every pair, in order; `None` if the boxes do not collide.
    pub fn penetrations(&self) -> &[Option<Penetration>] {
        &self.penetrations
    }

    /// Where the points of each pair begin, and where the last pair's end: one entry more than there are pairs.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The points of all pairs, concatenated.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points
    }

    /// The points of the pair at a position in the list.
    ///
    /// # Panics
    /// If `pair` is out of range.
    pub fn points_of(&self, pair: usize) -> &[ContactPoint] {
        &self.points[self.offsets[pair]..self.offsets[pair + 1]]
    }

    /// Replaces these with the contacts of other pairs, like [`contacts`], but reuses the memory: allocating it anew
    /// may take a quarter of a call's time.
    ///
    /// # Errors
    /// [`Error::InvalidPair`](crate::Error::InvalidPair) if a pair names a box that does not exist,
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory). These contacts are then those of some of the pairs, or of none.
    pub fn update(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<()> {
        validate_pairs_of(sets.map(<[Obb]>::len), pairs)?;
        let [a, b] = sets;
        self.penetrations.clear();
        self.offsets.truncate(1);
        self.points.clear();
        let add = |contacts: &mut Self, pairs: &[Pair]| {
            contacts.reserve(pairs.len(), 4 * pairs.len())?;
            pairs
                .iter()
                .try_for_each(|pair| contacts.add(&a[pair.a as usize], &b[pair.b as usize]))
        };
        if parallel::threads() == 1 || pairs.len() <= parallel::GRAIN {
            return add(self, pairs);
        }
        let parts = parallel::map_ranges(pairs.len(), |range: Range<usize>| {
            let mut part = Self::default();
            add(&mut part, &pairs[range]).map(|()| part)
        });
        self.append(parts.into_iter().collect::<Result<_>>()?)
    }

    /// Joins the contacts of consecutive runs of pairs.
    pub(crate) fn joined(parts: Vec<Self>) -> Result<Self> {
        let mut all = Self::default();
        all.append(parts)?;
        Ok(all)
    }

    fn append(&mut self, parts: Vec<Self>) -> Result<()> {
        let pairs = parts.iter().map(|part| part.penetrations.len()).sum();
        self.reserve(pairs, parts.iter().map(|part| part.points.len()).sum())?;
        for part in parts {
            let before = self.points.len();
            self.penetrations.extend_from_slice(&part.penetrations);
            self.offsets
                .extend(part.offsets[1..].iter().map(|offset| before + offset));
            self.points.extend_from_slice(&part.points);
        }
        Ok(())
    }

    fn reserve(&mut self, pairs: usize, points: usize) -> Result<()> {
        memory::reserve(&mut self.penetrations, pairs, WHAT)?;
        memory::reserve(&mut self.offsets, pairs, WHAT)?;
        memory::reserve(&mut self.points, points, WHAT)
    }

    /// Adds the next pair's penetration and its points.
    pub(crate) fn push(
        &mut self,
        penetration: Option<Penetration>,
        points: impl ExactSizeIterator<Item = ContactPoint>,
    ) -> Result<()> {
        self.reserve(1, points.len())?;
        self.penetrations.push(penetration);
        self.points.extend(points);
        self.offsets.push(self.points.len());
        Ok(())
    }

    /// Adds the contacts of the next pair.
    pub(crate) fn add(&mut self, a: &Obb, b: &Obb) -> Result<()> {
        self.reserve(1, MOST_POINTS)?;
        let penetration = touch(a, b, |point| self.points.push(point));
        self.penetrations.push(penetration);
        self.offsets.push(self.points.len());
        Ok(())
    }
}

/// [`Obb::manifold`] of many pairs, in order, on all cores (feature `rayon`).
///
/// In a pair, `a` is a position in the first set and `b` one in the second: the same boxes twice, or those of
/// [`Query::between`](crate::Query::between). Normals point from a to b. 48 bytes per pair and 64 per
/// point.
///
/// ```
/// use obbligato::{Backend, Checker, Config, Obb, contacts, glam::{DVec3, Vec3}};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [0.0, 1.75, 9.0].map(|z| Obb::axis_aligned(Vec3::new(0.0, 0.0, z), Vec3::ONE));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let report = checker.check(&boxes)?;
/// let contacts = contacts([&boxes, &boxes], report.pairs()?)?;
/// assert_eq!(contacts.penetrations()[0].map(|found| (found.normal, found.depth)), Some((DVec3::Z, 0.25)));
/// assert_eq!(contacts.points_of(0).len(), 4);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::InvalidPair`](crate::Error::InvalidPair) if a pair names a box that does not exist,
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn contacts(sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Contacts> {
    let mut contacts = Contacts::default();
    contacts.update(sets, pairs)?;
    Ok(contacts)
}

/// Returns an error if a pair names a box missing from its set, or if a box is invalid.
pub(crate) fn validate(sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<()> {
    validate_pairs_of(sets.map(<[Obb]>::len), pairs)?;
    let [a, b] = sets;
    obb_bounds_cpu::validate(a)?;
    match std::ptr::eq(a, b) {
        true => Ok(()),
        false => obb_bounds_cpu::validate(b),
    }
}
