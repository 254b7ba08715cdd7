//! Contacts, distances and overlaps of listed pairs in the plane z = 0 of space that repeats.

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::geometry::period::Period;
use crate::narrow_phase::contacts::Contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::overlap::Overlap;
use crate::narrow_phase::partners::Repeating;
use crate::questions::contacts::ContactQuery;
use crate::questions::distances::DistanceQuery;
use crate::questions::in_plane::InPlane;
use crate::questions::overlaps::OverlapQuery;
use crate::questions::periodic::{InImages, Periodic, contacts, distances, overlaps};
use crate::questions::question::Question;

impl Periodic<ContactQuery<'_>> {
    /// Asks the same about bodies in the plane z = 0: normals and points have z = 0, and the image
    /// is the one that is deepest within the plane. A length of the period along z is ignored.
    ///
    /// ```
    /// use obbligato::glam::{DVec3, Vec2};
    /// use obbligato::query::ContactQuery;
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, Period, shape::yaw};
    /// # fn main() -> obbligato::Result<()> {
    /// let squares = [1.0, 9.25].map(|x| Obb::in_plane(Vec2::new(x, 0.0), Vec2::ONE, yaw(0.0)));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let period = Period::new([Some(10.0), Some(10.0), None]);
    /// let pairs = [Pair::new(0, 1)];
    /// let asked = ContactQuery::within(&squares, &pairs).periodic(period);
    /// let contacts = checker.check(asked.in_plane())?;
    /// assert_eq!(contacts.images, [[-1, 0, 0]]);
    /// let touch = contacts.found.penetrations()[0].map(|found| (found.normal, found.depth));
    /// assert_eq!(touch, Some((-DVec3::X, 0.25)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`ContactQuery::periodic`]; [`Error::NotInPlane`].
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl Periodic<DistanceQuery<'_>> {
    /// Asks the same about bodies in the plane z = 0: the points have z = 0. A length of the period
    /// along z is ignored.
    ///
    /// # Errors
    /// As [`DistanceQuery::periodic`]; [`Error::NotInPlane`].
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl Periodic<OverlapQuery<'_>> {
    /// Asks the same about rectangles in the plane z = 0: volumes are areas. A length of the period
    /// along z is ignored.
    ///
    /// # Errors
    /// As [`OverlapQuery::periodic`]; [`Error::NotInPlane`].
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl<'a> Question<'a> for InPlane<Periodic<ContactQuery<'a>>> {
    type Answer = InImages<Contacts>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Self::Answer> {
        let Periodic { question, period } = self.question;
        in_plane(period, |space| contacts(question, space))
    }
}

impl<'a> Question<'a> for InPlane<Periodic<DistanceQuery<'a>>> {
    type Answer = InImages<Vec<ClosestPoints>>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Self::Answer> {
        let Periodic { question, period } = self.question;
        in_plane(period, |space| distances(question, space))
    }
}

impl<'a> Question<'a> for InPlane<Periodic<OverlapQuery<'a>>> {
    type Answer = InImages<Vec<Overlap>>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Self::Answer> {
        let Periodic { question, period } = self.question;
        in_plane(period, |space| overlaps(question, space))
    }
}

/// Returns the answer in the plane of space that repeats.
fn in_plane<T>(period: Period, answer: impl FnOnce(Repeating<'_>) -> Result<T>) -> Result<T> {
    period.validate()?;
    let [x, y, _] = period.lengths;
    answer(Repeating {
        period: &Period::new([x, y, None]),
        in_plane: true,
    })
}
