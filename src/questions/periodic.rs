//! Contacts, distances and overlaps of listed pairs in space that repeats.

use crate::base::error::{Error, Result};
use crate::base::waiting::Waiting;
use crate::base::{memory, parallel};
use crate::engine::backends::Backends;
#[cfg(doc)]
use crate::engine::query::Query;
use crate::geometry::pair::Pair;
use crate::geometry::period::{Image, Period};
use crate::narrow_phase::contacts::Contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::overlap::Overlap;
use crate::narrow_phase::overlaps::overlaps_in_images;
use crate::narrow_phase::partners::{Partners, Repeating};
#[cfg(doc)]
use crate::questions::approach::ApproachQuery;
use crate::questions::contacts::ContactQuery;
use crate::questions::distances::DistanceQuery;
use crate::questions::in_plane::expect_lists;
use crate::questions::overlaps::OverlapQuery;
use crate::questions::question::Question;
#[cfg(doc)]
use crate::questions::sweep::Sweep;
use crate::shapes::any::Shapes;

/// Label for out-of-memory errors.
const WHAT: &str = "the images of pairs";

/// A question in space that repeats: [`ContactQuery::periodic`], [`DistanceQuery::periodic`],
/// [`OverlapQuery::periodic`], [`Sweep::periodic`] and [`ApproachQuery::periodic`] return it.
#[derive(Clone, Copy, Debug)]
pub struct Periodic<Q> {
    pub(super) question: Q,
    pub(super) period: Period,
}

/// An answer about pairs, and the image of the second body that it is about.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InImages<T> {
    /// The answer: points and normals are those of a where it is, and of b moved by the image.
    pub found: T,
    /// For each pair, in the order of the answer, the whole numbers of periods by which b is moved.
    pub images: Vec<Image>,
}

impl<'a> ContactQuery<'a> {
    /// Asks the same in space that repeats, and for the image of each pair's b with the deepest
    /// contact: of equally deep ones the first in lexicographic order. If none collides, there is
    /// no manifold, and the image is that of the nearest center.
    ///
    /// The pairs are usually those of [`Query::periodic`]. Everything is computed in `f64` on the
    /// host; see [`Query::periodic`] for the errors. Bodies may be wider than the period here.
    ///
    /// ```
    /// use obbligato::glam::{DVec3, Vec3};
    /// use obbligato::query::ContactQuery;
    /// use obbligato::{Backend, Checker, Config, Period, Query, Sphere};
    /// # fn main() -> obbligato::Result<()> {
    /// let balls = [1.0, 9.25].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 1.0));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let period = Period::new([Some(10.0), None, None]);
    /// let pairs = checker.check(Query::from(&balls).periodic(period))?.into_pairs()?;
    /// let contacts = checker.check(ContactQuery::within(&balls, &pairs).periodic(period))?;
    /// assert_eq!(contacts.images, [[-1, 0, 0]]);
    /// let touch = contacts.found.penetrations()[0].map(|found| (found.normal, found.depth));
    /// assert_eq!(touch, Some((-DVec3::X, 0.25)));
    /// assert_eq!(contacts.found.points()[0].on_b, DVec3::new(0.25, 0.0, 0.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn periodic(self, period: Period) -> Periodic<Self> {
        Periodic { question: self, period }
    }
}

impl<'a> DistanceQuery<'a> {
    /// Asks the same in space that repeats, and for the nearest image of each pair's b: of those
    /// that collide the deepest, and of equal ones the first in lexicographic order. See
    /// [`ContactQuery::periodic`].
    ///
    /// # Errors
    /// [`Error::Unavailable`] if more than a million images of a pair may be the nearest, because
    /// the bodies are far apart along an axis that does not repeat.
    pub fn periodic(self, period: Period) -> Periodic<Self> {
        Periodic { question: self, period }
    }
}

impl<'a> OverlapQuery<'a> {
    /// Asks the same in space that repeats, for the image of each pair's b that
    /// [`ContactQuery::periodic`] finds: the one with the deepest contact. Other images may overlap
    /// a too; their volume is not added.
    pub fn periodic(self, period: Period) -> Periodic<Self> {
        Periodic { question: self, period }
    }
}

impl<'a> Question<'a> for Periodic<ContactQuery<'a>> {
    type Answer = InImages<Contacts>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Self::Answer> {
        contacts(self.question, self.space())
    }
}

impl<'a> Question<'a> for Periodic<DistanceQuery<'a>> {
    type Answer = InImages<Vec<ClosestPoints>>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Self::Answer> {
        distances(self.question, self.space())
    }
}

impl<'a> Question<'a> for Periodic<OverlapQuery<'a>> {
    type Answer = InImages<Vec<Overlap>>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Self::Answer> {
        overlaps(self.question, self.space())
    }
}

impl<Q> Periodic<Q> {
    fn space(&self) -> Repeating<'_> {
        Repeating {
            period: &self.period,
            in_plane: false,
        }
    }
}

/// Answers [`ContactQuery::periodic`], or the same within the plane.
pub(super) fn contacts(
    ContactQuery { sets, pairs }: ContactQuery<'_>,
    space: Repeating<'_>,
) -> Result<InImages<Contacts>> {
    let partners = partners(sets, pairs, space)?;
    let images = parallel::collect(pairs.len(), WHAT, |k| partners.contact_image(pairs[k], space))?;
    let mut found = Contacts::default();
    found.update_in_images(&partners, pairs, space, &images)?;
    Ok(InImages { found, images })
}

/// Answers [`DistanceQuery::periodic`], or the same within the plane.
pub(super) fn distances(
    DistanceQuery { sets, pairs }: DistanceQuery<'_>,
    space: Repeating<'_>,
) -> Result<InImages<Vec<ClosestPoints>>> {
    let partners = partners(sets, pairs, space)?;
    let nearest = parallel::collect(pairs.len(), WHAT, |k| {
        partners.periodic(pairs[k], space, |pair| pair.closest())
    })?;
    let mut images: Vec<Image> = Vec::new();
    memory::reserve(&mut images, pairs.len(), WHAT)?;
    for image in nearest {
        images.push(image?);
    }
    let found = parallel::collect(pairs.len(), WHAT, |k| {
        partners.periodic(pairs[k], space, |pair| pair.closest_points(images[k]))
    })?;
    Ok(InImages { found, images })
}

/// Answers [`OverlapQuery::periodic`], or the same within the plane.
pub(super) fn overlaps(
    OverlapQuery { sets, pairs }: OverlapQuery<'_>,
    space: Repeating<'_>,
) -> Result<InImages<Vec<Overlap>>> {
    let partners = partners(sets, pairs, space)?;
    let images = parallel::collect(pairs.len(), WHAT, |k| partners.contact_image(pairs[k], space))?;
    let found = overlaps_in_images(&partners, pairs, space, &images)?;
    Ok(InImages { found, images })
}

/// Returns the two sets of listed pairs, if they are valid in this space.
fn partners<'a>(sets: [Shapes<'a>; 2], pairs: &[Pair], space: Repeating<'_>) -> Result<Partners<'a>> {
    space.period.validate()?;
    let partners = Partners::new(sets)?;
    partners.validate(pairs)?;
    if let Some((index, problem, count)) = partners.out_of_period(space.period) {
        return Err(Error::OutOfPeriod { index, problem, count });
    }
    if space.in_plane {
        expect_lists(sets.map(|shapes| Some(shapes.0)))?;
    }
    Ok(partners)
}
