//! Contacts of listed pairs.

use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contacts::{self, Contacts};
use crate::narrow_phase::partners::Partners;
use crate::questions::question::Question;
use crate::shapes::any::Shapes;
#[cfg(doc)]
use crate::shapes::bodies::set::Bodies;
#[cfg(doc)]
use crate::{base::error::Error, engine::query::Query};

/// The contact manifolds of a list of pairs, in their order:
/// [`BodyRef::manifold`](crate::shape::BodyRef::manifold). Manifolds of two boxes are computed on
/// the GPU if this checker runs there.
///
/// In a pair, `a` is a position in the first set and `b` a position in the second. The sets are
/// the same bodies twice, or those of [`Query::between`] or [`Query::against`]; each is a
/// slice, an array or a vector of one kind, or [`Bodies`]. Normals point from a to b. Pairs
/// that do not collide have no manifold, exactly so on every backend. For one set, use
/// [`ContactQuery::within`](crate::query::ContactQuery::within).
///
/// Pairs with a capsule or a sphere, and boxes with centers in `f64`, are computed in `f64` on the
/// host. For two boxes, a GPU computes in `f32`: lengths and the tolerance of the manifold are off
/// by about 2e-6 of the sum of the centers' distance and all half extents, and the depth is off by
/// a 4,000th of that sum if edges are nearly parallel. The host computes the pairs that the GPU
/// cannot decide, mostly pairs that only touch. [`contacts()`](crate::contact::contacts()) computes
/// everything in `f64`. To keep contacts on the device, see [`ContactsOf`](crate::gpu::ContactsOf).
///
/// ```
/// use obbligato::query::ContactQuery;
/// use obbligato::{Backend, Checker, Config, Obb, glam::{DVec3, Vec3}};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [0.0, 1.75, 9.0].map(|z| Obb::axis_aligned(Vec3::new(0.0, 0.0, z), Vec3::ONE));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let pairs = checker.check(&boxes)?.into_pairs()?;
/// let contacts = checker.check(ContactQuery::within(&boxes, &pairs))?;
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
#[derive(Clone, Copy, Debug)]
pub struct ContactQuery<'a> {
    pub(crate) sets: [Shapes<'a>; 2],
    pub(crate) pairs: &'a [Pair],
}

impl<'a> ContactQuery<'a> {
    /// The contacts of pairs of a body of each set.
    pub fn new(sets: [impl Into<Shapes<'a>>; 2], pairs: &'a [Pair]) -> Self {
        Self {
            sets: sets.map(Into::into),
            pairs,
        }
    }

    /// The contacts of pairs within one set, such as those found by a check of that set.
    pub fn within(shapes: impl Into<Shapes<'a>>, pairs: &'a [Pair]) -> Self {
        Self {
            sets: [shapes.into(); 2],
            pairs,
        }
    }
}

impl<'a> Question<'a> for ContactQuery<'a> {
    type Answer = Contacts;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Contacts> {
        let pairs = self.pairs;
        let partners = Partners::new(self.sets)?;
        let on_host = |pairs: &[Pair]| {
            let mut contacts = Contacts::default();
            contacts.update_with(&partners, pairs).map(|()| contacts)
        };
        let (Partners::Bodies([a, b]), Some(gpu)) = (&partners, backends.gpu_for(pairs.len()).await) else {
            partners.validate(pairs)?;
            return on_host(pairs);
        };
        let sets = [a.all(), b.all()];
        let (gpu, boxes) = (gpu.waiting(waiting), sets.map(|set| set.boxes));
        if sets.iter().all(|set| set.only_boxes().is_some()) {
            return gpu.contacts(boxes, pairs).await;
        }
        partners.validate(pairs)?;
        let [of_boxes, others] = contacts::by_kind(sets, pairs)?;
        let on_gpu = gpu.contacts(boxes, &of_boxes).await?;
        Contacts::merged([on_gpu, on_host(&others)?], sets, pairs)
    }
}
