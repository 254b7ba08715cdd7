//! Distances and closest points of listed pairs.

use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::partners::Partners;
#[cfg(doc)]
use crate::questions::contacts::ContactQuery;
use crate::questions::question::Question;
use crate::shapes::any::Shapes;

/// The distances and closest points of a list of pairs, in their order:
/// [`BodyRef::closest_points`](crate::shape::BodyRef::closest_points). Pairs of two boxes are
/// computed on the GPU if this checker runs there.
///
/// Sets and pairs are as in [`ContactQuery`](crate::query::ContactQuery), as is the division of
/// work between GPU and host. A GPU computes in `f32`, with errors below 1.6e-5, and typically
/// about 1e-7, of the sum of the centers' distance and all half extents. The decision whether a
/// distance is 0 is exact on every backend. [`closest_points()`](crate::contact::closest_points())
/// computes everything in `f64`. To keep distances on the device, see
/// [`ClosestPointsOf`](crate::gpu::ClosestPointsOf).
///
/// # Errors
/// As [`ContactQuery`](crate::query::ContactQuery).
#[derive(Clone, Copy, Debug)]
pub struct DistanceQuery<'a> {
    pub(crate) sets: [Shapes<'a>; 2],
    pub(crate) pairs: &'a [Pair],
}

impl<'a> DistanceQuery<'a> {
    /// The distances of pairs of a body of each set.
    pub fn new(sets: [impl Into<Shapes<'a>>; 2], pairs: &'a [Pair]) -> Self {
        Self {
            sets: sets.map(Into::into),
            pairs,
        }
    }

    /// The distances of pairs within one set.
    pub fn within(shapes: impl Into<Shapes<'a>>, pairs: &'a [Pair]) -> Self {
        Self {
            sets: [shapes.into(); 2],
            pairs,
        }
    }
}

impl<'a> Question<'a> for DistanceQuery<'a> {
    type Answer = Vec<ClosestPoints>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Vec<ClosestPoints>> {
        let pairs = self.pairs;
        let partners = Partners::new(self.sets)?;
        let (Partners::Bodies([a, b]), Some(gpu)) = (&partners, backends.gpu_for(pairs.len()).await) else {
            partners.validate(pairs)?;
            return contacts::closest_points_of(&partners, pairs);
        };
        let sets = [a.all(), b.all()];
        let (gpu, boxes) = (gpu.waiting(waiting), sets.map(|set| set.boxes));
        if sets.iter().all(|set| set.only_boxes().is_some()) {
            return gpu.closest_points(boxes, pairs).await;
        }
        partners.validate(pairs)?;
        let [of_boxes, others] = contacts::by_kind(sets, pairs)?;
        let on_gpu = gpu.closest_points(boxes, &of_boxes).await?;
        let on_host = contacts::closest_points_of(&partners, &others)?;
        contacts::merged_points([on_gpu, on_host], sets, pairs)
    }
}
