//! Lists of the contacts, and of the closest points, of many pairs.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::geometry::period::Image;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::manifold::{ContactPoint, MOST_POINTS, Penetration, touch64};
use crate::narrow_phase::partners::{Partners, Repeating};
use crate::narrow_phase::round::manifold::touch;
use crate::shapes::any::Shapes;
use crate::shapes::bodies::set::{Bodies, BodyRef};
#[cfg(doc)]
use crate::shapes::obb64::record::Obb64;

/// Label for out-of-memory errors.
const WHAT: &str = "the contacts of pairs";
const CLOSEST_POINTS: &str = "the closest points of pairs";

/// The contact manifolds of a list of pairs: offsets and points.
///
/// The points of pair k are those from `offsets()[k]` to `offsets()[k + 1]`. Pairs that do not
/// collide have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    penetrations: Vec<Option<Penetration>>,
    offsets: Vec<usize>,
    points: Vec<ContactPoint>,
}

impl Default for Contacts {
    /// Returns the contacts of no pairs.
    fn default() -> Self {
        Self {
            penetrations: Vec::new(),
            offsets: vec![0],
            points: Vec::new(),
        }
    }
}

impl Contacts {
    /// Returns the penetration of every pair, in order; `None` if the bodies do not collide.
    pub fn penetrations(&self) -> &[Option<Penetration>] {
        &self.penetrations
    }

    /// Returns the index of the first point of each pair, followed by the total number of points:
    /// one entry more than there are pairs.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Returns the points of all pairs, concatenated.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points
    }

    /// Returns the points of the pair at index `pair`.
    ///
    /// # Panics
    /// If `pair` is out of range.
    pub fn points_of(&self, pair: usize) -> &[ContactPoint] {
        &self.points[self.offsets[pair]..self.offsets[pair + 1]]
    }

    /// Replaces these with the contacts of other pairs, like [`contacts`], but reuses the memory:
    /// allocating it again may take a quarter of a call's time.
    ///
    /// # Errors
    /// As [`contacts`]. After [`Error::OutOfMemory`](crate::Error::OutOfMemory), these are the
    /// contacts of some of the pairs, or of none.
    pub fn update<'a>(&mut self, sets: [impl Into<Shapes<'a>>; 2], pairs: &[Pair]) -> Result<()> {
        self.update_with(&Partners::new(sets.map(Into::into))?, pairs)
    }

    pub(crate) fn update_with(&mut self, partners: &Partners<'_>, pairs: &[Pair]) -> Result<()> {
        partners.expect_pairs(pairs)?;
        match partners {
            Partners::Bodies([a, b]) => {
                let (a, b) = (a.all(), b.all());
                self.update_by(pairs, |contacts, pair| contacts.add(a.at(pair.a), b.at(pair.b)))
            }
            Partners::Boxes64([a, b]) => self.update_by(pairs, |contacts, pair| {
                let [a, b] = [&a[pair.a as usize], &b[pair.b as usize]];
                contacts.add_by(|points| touch64(a, b, |point| points.push(point)))
            }),
        }
    }

    /// Replaces these with the contacts of pairs with an image of each.
    pub(crate) fn update_in_images(
        &mut self,
        partners: &Partners<'_>,
        pairs: &[Pair],
        space: Repeating<'_>,
        images: &[Image],
    ) -> Result<()> {
        let parts = parallel::map_ranges(pairs.len(), |range: Range<usize>| {
            let mut part = Self::default();
            for k in range {
                partners.periodic(pairs[k], space, |pair| {
                    part.add_by(|points| pair.touch(images[k], |point| points.push(point)))
                })?;
            }
            Ok(part)
        });
        *self = Self::joined(parts.into_iter().collect::<Result<_>>()?)?;
        Ok(())
    }

    /// Replaces these with the contacts of pairs in the plane.
    pub(crate) fn update_in_plane(&mut self, partners: &Partners<'_>, pairs: &[Pair]) -> Result<()> {
        self.update_by(pairs, |contacts, pair| {
            partners.in_plane(pair, |pair| {
                contacts.add_by(|points| pair.touch(|point| points.push(point)))
            })
        })
    }

    /// Replaces these with the contacts that `add_one` adds for each pair, on all cores.
    fn update_by(&mut self, pairs: &[Pair], add_one: impl Fn(&mut Self, Pair) -> Result<()> + Sync) -> Result<()> {
        self.penetrations.clear();
        self.offsets.truncate(1);
        self.points.clear();
        let add = |contacts: &mut Self, pairs: &[Pair]| {
            contacts.reserve(pairs.len(), 4 * pairs.len())?;
            pairs.iter().try_for_each(|&pair| add_one(contacts, pair))
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

    /// Concatenates the contacts of consecutive runs of pairs.
    pub(crate) fn joined(parts: Vec<Self>) -> Result<Self> {
        let mut all = Self::default();
        all.append(parts)?;
        Ok(all)
    }

    /// Merges the contacts of the two parts made by [`by_kind`] into the order of `pairs`.
    pub(crate) fn merged(parts: [Self; 2], sets: [Bodies<'_>; 2], pairs: &[Pair]) -> Result<Self> {
        let mut all = Self::default();
        all.reserve(pairs.len(), parts.iter().map(|part| part.points.len()).sum())?;
        let mut next = [0; 2];
        for &pair in pairs {
            let part = usize::from(!are_boxes(sets, pair));
            let points = parts[part].points_of(next[part]).iter().copied();
            all.push(parts[part].penetrations[next[part]], points)?;
            next[part] += 1;
        }
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
        Ok(memory::reserve(&mut self.points, points, WHAT)?)
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
    pub(crate) fn add(&mut self, a: BodyRef<'_>, b: BodyRef<'_>) -> Result<()> {
        self.add_by(|points| touch(a, b, |point| points.push(point)))
    }

    /// Adds the penetration of the next pair, which `find` returns, and its points, which `find`
    /// appends: at most [`MOST_POINTS`].
    #[inline(always)]
    fn add_by(&mut self, find: impl FnOnce(&mut Vec<ContactPoint>) -> Option<Penetration>) -> Result<()> {
        self.reserve(1, MOST_POINTS)?;
        let penetration = find(&mut self.points);
        self.penetrations.push(penetration);
        self.offsets.push(self.points.len());
        Ok(())
    }
}

/// Computes [`BodyRef::manifold`], or [`Obb64::manifold`], for many pairs, in order, on all cores
/// (feature `rayon`).
///
/// In a pair, `a` is an index into the first set and `b` one into the second: pass the same shapes
/// twice, or those of [`Query::between`](crate::Query::between). A set is a slice, array or vector
/// of one kind, or [`Bodies`]. Normals point from a to b. The result takes 48 bytes per pair and 64
/// per point.
///
/// ```
/// use obbligato::{contact::contacts, glam::{DVec3, Vec3}, Backend, Checker, Config, Obb};
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
/// Boxes with centers in `f64` meet each other and other boxes, without rounding their centers. The
/// other boxes are copied: 64 bytes each. So are upright cuboids, as boxes of 48 bytes.
///
/// ```
/// use obbligato::{contact::contacts, glam::{DVec3, Vec3}, Backend, Checker, Config, Obb64};
/// # fn main() -> obbligato::Result<()> {
/// let at = |z: f64| Obb64::axis_aligned(DVec3::new(4e6, 5.5e6, z), Vec3::ONE);
/// let boxes = [0.0, 1.999, 9.0].map(at);
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let pairs = checker.check(&boxes)?.into_pairs()?;
/// let contacts = contacts([&boxes, &boxes], &pairs)?;
/// let found = contacts.penetrations()[0].expect("a reported pair collides");
/// assert!(found.normal == DVec3::Z && (found.depth - 0.001).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::InvalidPair`](crate::Error::InvalidPair) if a pair names a shape that does not exist,
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and
/// [`Error::Unavailable`](crate::Error::Unavailable) for bounds, for triangles, and for boxes with
/// centers in `f64` together with capsules or spheres.
pub fn contacts<'a>(sets: [impl Into<Shapes<'a>>; 2], pairs: &[Pair]) -> Result<Contacts> {
    let mut contacts = Contacts::default();
    contacts.update(sets, pairs)?;
    Ok(contacts)
}

/// Computes [`BodyRef::closest_points`], or [`Obb64::closest_points`], for many pairs, in order, on
/// all cores (feature `rayon`).
///
/// Sets and pairs are as in [`contacts`]. The result takes 56 bytes per pair.
///
/// ```
/// use obbligato::contact::closest_points;
/// use obbligato::glam::Vec3;
/// use obbligato::{Backend, Bodies, Checker, Config, Obb, Sphere};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [0.0, 2.5, 1.5].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::splat(0.5)));
/// let spheres = [Sphere::new(Vec3::new(4.0, 0.0, 0.0), 0.5)];
/// let bodies = Bodies { boxes: &boxes, spheres: &spheres, ..Bodies::default() };
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, margin: 0.75, ..Config::default() })?;
/// let report = checker.check(bodies)?;
/// let distances: Vec<f64> =
///     closest_points([bodies; 2], report.pairs()?)?.iter().map(|closest| closest.distance).collect();
/// assert_eq!(distances, [0.5, 0.0, 0.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`contacts`].
pub fn closest_points<'a>(sets: [impl Into<Shapes<'a>>; 2], pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
    closest_points_of(&Partners::new(sets.map(Into::into))?, pairs)
}

pub(crate) fn closest_points_of(partners: &Partners<'_>, pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
    partners.expect_pairs(pairs)?;
    Ok(match partners {
        Partners::Bodies([a, b]) => {
            let (a, b) = (a.all(), b.all());
            parallel::collect(pairs.len(), CLOSEST_POINTS, |k| {
                a.at(pairs[k].a).closest_points(b.at(pairs[k].b))
            })?
        }
        Partners::Boxes64([a, b]) => parallel::collect(pairs.len(), CLOSEST_POINTS, |k| {
            a[pairs[k].a as usize].closest_points(&b[pairs[k].b as usize])
        })?,
    })
}

/// Returns `true` if both bodies of a pair are boxes.
fn are_boxes([a, b]: [Bodies<'_>; 2], pair: Pair) -> bool {
    (pair.a as usize) < a.boxes.len() && (pair.b as usize) < b.boxes.len()
}

/// Splits pairs into those of two boxes and all others, both in order.
pub(crate) fn by_kind(sets: [Bodies<'_>; 2], pairs: &[Pair]) -> Result<[Vec<Pair>; 2]> {
    let count = pairs.iter().filter(|&&pair| are_boxes(sets, pair)).count();
    let [mut of_boxes, mut others] = [Vec::new(), Vec::new()];
    memory::reserve(&mut of_boxes, count, WHAT)?;
    memory::reserve(&mut others, pairs.len() - count, WHAT)?;
    for &pair in pairs {
        match are_boxes(sets, pair) {
            true => of_boxes.push(pair),
            false => others.push(pair),
        }
    }
    Ok([of_boxes, others])
}

/// Merges the closest points of the two parts made by [`by_kind`] into the order of `pairs`.
pub(crate) fn merged_points(
    parts: [Vec<ClosestPoints>; 2],
    sets: [Bodies<'_>; 2],
    pairs: &[Pair],
) -> Result<Vec<ClosestPoints>> {
    let mut all = Vec::new();
    memory::reserve(&mut all, pairs.len(), CLOSEST_POINTS)?;
    let mut next = parts.map(Vec::into_iter);
    all.extend(
        pairs
            .iter()
            .filter_map(|&pair| next[usize::from(!are_boxes(sets, pair))].next()),
    );
    Ok(all)
}
