//! Details of listed pairs: contact points, penetration depths and distances.

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::checker::Checker;
#[cfg(doc)]
use crate::engine::query::Query;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contacts::{self, Contacts};
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::shapes::bodies::set::Bodies;

impl Checker {
    /// Computes the contact manifolds of a list of pairs, in their order:
    /// [`BodyRef::manifold`](crate::BodyRef::manifold). Manifolds of two boxes are computed on the
    /// GPU if this checker runs there.
    ///
    /// In a pair, `a` is a position in the first set and `b` a position in the second. The sets are
    /// the same bodies twice, or those of [`Query::between`] or [`Query::against`]; each is a
    /// slice, an array or a vector of one kind, or [`Bodies`]. Normals point from a to b. Pairs
    /// that do not collide have no manifold, exactly so on every backend. For one set, use
    /// [`Checker::contacts_within`].
    ///
    /// Pairs with a capsule or a sphere are computed in `f64` on the host. For two boxes, a GPU
    /// computes in `f32`: lengths and the tolerance of the manifold are off by about 2e-6 of the
    /// sum of the centers' distance and all half extents, and the depth is off by a 4,000th of that
    /// sum if edges are nearly parallel. The host computes the pairs that the GPU cannot decide,
    /// mostly pairs that only touch. [`contacts()`](crate::contacts()) computes everything in
    /// `f64`. To keep contacts on the device, see
    /// [`GpuChecker::record_contacts`](crate::GpuChecker::record_contacts).
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, glam::{DVec3, Vec3}};
    /// # fn main() -> obbligato::Result<()> {
    /// let boxes = [0.0, 1.75, 9.0].map(|z| Obb::axis_aligned(Vec3::new(0.0, 0.0, z), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let pairs = checker.check(&boxes)?.into_pairs()?;
    /// let contacts = checker.contacts_within(&boxes, &pairs)?;
    /// assert_eq!(contacts.penetrations()[0].map(|found| (found.normal, found.depth)), Some((DVec3::Z, 0.25)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidPair`] if a pair names a body that does not exist, [`Error::InvalidBox`] for
    /// invalid bodies of either set; [`Error::OutOfMemory`], [`Error::OutOfDeviceMemory`],
    /// [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if memory runs out or the
    /// device fails.
    pub fn contacts<'a>(&mut self, sets: [impl Into<Bodies<'a>>; 2], pairs: &[Pair]) -> Result<Contacts> {
        pollster::block_on(self.contacts_of(sets.map(Into::into), pairs, Waiting::Blocking))
    }

    /// Performs [`Checker::contacts`] without blocking the thread while a GPU works. The CPU
    /// backend computes while it is polled.
    pub async fn contacts_async<'a>(&mut self, sets: [impl Into<Bodies<'a>>; 2], pairs: &[Pair]) -> Result<Contacts> {
        self.contacts_of(sets.map(Into::into), pairs, Waiting::Background).await
    }

    /// Performs [`Checker::contacts`] for pairs within one set, such as those found by a check of
    /// that set.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let boxes = [0.0, 1.75, 9.0].map(|z| Obb::axis_aligned(Vec3::new(0.0, 0.0, z), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let report = checker.check(&boxes)?;
    /// let contacts = checker.contacts_within(&boxes, report.pairs()?)?;
    /// assert_eq!(contacts.points_of(0).len(), 4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::contacts`].
    pub fn contacts_within<'a>(&mut self, bodies: impl Into<Bodies<'a>>, pairs: &[Pair]) -> Result<Contacts> {
        self.contacts([bodies.into(); 2], pairs)
    }

    async fn contacts_of(&mut self, sets: [Bodies<'_>; 2], pairs: &[Pair], waiting: Waiting) -> Result<Contacts> {
        let Some(gpu) = self.gpu_for(pairs.len()).await else {
            contacts::validate(sets, pairs)?;
            return contacts::contacts(sets, pairs);
        };
        let (gpu, boxes) = (gpu.waiting(waiting), sets.map(|set| set.boxes));
        if sets.iter().all(|set| set.only_boxes().is_some()) {
            return gpu.contacts(boxes, pairs).await;
        }
        contacts::validate(sets, pairs)?;
        let [of_boxes, others] = contacts::by_kind(sets, pairs)?;
        let on_gpu = gpu.contacts(boxes, &of_boxes).await?;
        Contacts::merged([on_gpu, contacts::contacts(sets, &others)?], sets, pairs)
    }

    /// Computes the distances and closest points of a list of pairs, in their order:
    /// [`BodyRef::closest_points`](crate::BodyRef::closest_points). Pairs of two boxes are computed
    /// on the GPU if this checker runs there.
    ///
    /// Sets and pairs are as in [`Checker::contacts`], as is the division of work between GPU and
    /// host. A GPU computes in `f32`, with errors below 1.6e-5, and typically about 1e-7, of the
    /// sum of the centers' distance and all half extents. The decision whether a distance is 0 is
    /// exact on every backend. [`closest_points()`](crate::closest_points()) computes everything in
    /// `f64`. To keep distances on the device, see
    /// [`GpuChecker::record_closest_points`](crate::GpuChecker::record_closest_points).
    ///
    /// # Errors
    /// As [`Checker::contacts`].
    pub fn closest_points<'a>(
        &mut self,
        sets: [impl Into<Bodies<'a>>; 2],
        pairs: &[Pair],
    ) -> Result<Vec<ClosestPoints>> {
        pollster::block_on(self.closest_points_of(sets.map(Into::into), pairs, Waiting::Blocking))
    }

    /// Performs [`Checker::closest_points`] without blocking the thread while a GPU works. The CPU
    /// backend computes while it is polled.
    pub async fn closest_points_async<'a>(
        &mut self,
        sets: [impl Into<Bodies<'a>>; 2],
        pairs: &[Pair],
    ) -> Result<Vec<ClosestPoints>> {
        self.closest_points_of(sets.map(Into::into), pairs, Waiting::Background)
            .await
    }

    /// Performs [`Checker::closest_points`] for pairs within one set.
    ///
    /// # Errors
    /// As [`Checker::contacts`].
    pub fn closest_points_within<'a>(
        &mut self,
        bodies: impl Into<Bodies<'a>>,
        pairs: &[Pair],
    ) -> Result<Vec<ClosestPoints>> {
        self.closest_points([bodies.into(); 2], pairs)
    }

    async fn closest_points_of(
        &mut self,
        sets: [Bodies<'_>; 2],
        pairs: &[Pair],
        waiting: Waiting,
    ) -> Result<Vec<ClosestPoints>> {
        let Some(gpu) = self.gpu_for(pairs.len()).await else {
            contacts::validate(sets, pairs)?;
            return contacts::closest_points(sets, pairs);
        };
        let (gpu, boxes) = (gpu.waiting(waiting), sets.map(|set| set.boxes));
        if sets.iter().all(|set| set.only_boxes().is_some()) {
            return gpu.closest_points(boxes, pairs).await;
        }
        contacts::validate(sets, pairs)?;
        let [of_boxes, others] = contacts::by_kind(sets, pairs)?;
        let on_gpu = gpu.closest_points(boxes, &of_boxes).await?;
        contacts::merged_points([on_gpu, contacts::closest_points(sets, &others)?], sets, pairs)
    }
}
