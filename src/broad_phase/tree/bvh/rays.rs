//! Queries by rays: the boxes, and the objects in them, that a ray meets.

use crate::base::error::Result;
use crate::base::lanes::{self, dispatch};
use crate::base::{memory, parallel};
use crate::broad_phase::tree::bvh::{Bvh, RayHit, of_each};
use crate::broad_phase::tree::hit::along;
use crate::broad_phase::tree::lists::{FOUND, Lists, answer_each};
use crate::broad_phase::tree::node::Extent;
use crate::broad_phase::tree::ray::Ray;

impl Bvh {
    /// Finds the first box that a ray meets, and the `t` at which it enters. Of boxes that it
    /// enters at the same `t`, computed in `f64`, the one with the smallest position is returned.
    ///
    /// The test if the ray meets a box is exact: it does if some point of the ray, in real numbers
    /// and within its limit, is in the box. The ray may thus touch a corner, run along a face, or
    /// meet boxes without extent. `t` is rounded from a number in `f64` with a relative error of at
    /// most 2^-51.
    ///
    /// # Errors
    /// If the ray is invalid ([`Ray::problem`]).
    pub fn first_hit(&self, ray: &Ray) -> Result<Option<RayHit>> {
        ray.validate(0)?;
        Ok(self.first_of(ray))
    }

    /// Performs [`first_hit`](Self::first_hit) for many rays, on all cores with the feature
    /// `rayon`.
    ///
    /// # Errors
    /// If a ray is invalid, or memory runs out.
    pub fn first_hits(&self, rays: &[Ray]) -> Result<Vec<Option<RayHit>>> {
        (0..).zip(rays).try_for_each(|(index, ray)| ray.validate(index))?;
        of_each(rays, |ray| self.first_of(ray))
    }

    fn first_of(&self, ray: &Ray) -> Option<RayHit> {
        let mut best = (f64::INFINITY, u32::MAX);
        let found = |record: usize, extent: Extent| {
            let entry = ray.enters(extent).filter(|entry| *entry <= best.0)?;
            let here = (entry, self.records[record].id);
            if here < best {
                best = here;
            }
            Some((best.0 as f32).next_up())
        };
        dispatch!(lanes::level(), simd => along(simd, &self.nodes, ray, found));
        let (t, index) = best;
        t.is_finite().then_some(RayHit { index, t: t as f32 })
    }

    /// Finds all boxes that a ray meets, in the order in which it enters them, as exactly as
    /// [`first_hit`](Self::first_hit).
    ///
    /// # Errors
    /// If the ray is invalid, or memory runs out.
    pub fn all_hits(&self, ray: &Ray) -> Result<Vec<RayHit>> {
        ray.validate(0)?;
        let mut hits = Vec::new();
        self.add_hits(ray, &mut Vec::new(), &mut hits)?;
        Ok(hits)
    }

    /// Performs [`all_hits`](Self::all_hits) for many rays, on all cores with the feature `rayon`.
    ///
    /// # Errors
    /// If a ray is invalid, or memory runs out.
    pub fn all_hits_each(&self, rays: &[Ray]) -> Result<Lists<RayHit>> {
        (0..).zip(rays).try_for_each(|(index, ray)| ray.validate(index))?;
        let answer =
            |entries: &mut Vec<(f64, u32)>, k: usize, hits: &mut Vec<RayHit>| self.add_hits(&rays[k], entries, hits);
        answer_each(&self.nodes, rays.len(), |k| rays[k].origin, answer)
    }

    /// Appends all boxes that a ray meets. `entries` provides memory for the values of `t` at which
    /// it enters them.
    fn add_hits(&self, ray: &Ray, entries: &mut Vec<(f64, u32)>, hits: &mut Vec<RayHit>) -> Result<()> {
        entries.clear();
        let mut outcome = Ok(());
        let found = |record: usize, extent: Extent| {
            let entry = ray.enters(extent)?;
            if outcome.is_ok() {
                outcome = memory::push(entries, (entry, self.records[record].id), FOUND);
            }
            None
        };
        dispatch!(lanes::level(), simd => along(simd, &self.nodes, ray, found));
        outcome?;
        entries.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        memory::reserve(hits, entries.len(), FOUND)?;
        hits.extend(entries.iter().map(|&(t, index)| RayHit { index, t: t as f32 }));
        Ok(())
    }

    /// Finds the first object that a ray meets, with one object per box, as decided by `hit`. This
    /// function gets the position of a box that the ray may meet, and returns the `t` at which the
    /// ray meets the object in the box, or `None` if it does not.
    ///
    /// `hit` is called for boxes approximately in the order in which the ray enters them, and not
    /// for those that begin behind the best `t` so far. It is called for every box that the ray
    /// enters before that, and possibly for some that the ray misses by a rounding error. A `t`
    /// that is below 0, beyond the ray's limit or not a number counts as `None`. Of objects at the
    /// same `t`, the one whose box has the smallest position is returned.
    ///
    /// ```
    /// use obbligato::glam::Vec3;
    /// use obbligato::{shape::Aabb, tree::{Bvh, Ray}, Sphere};
    ///
    /// # fn main() -> obbligato::Result<()> {
    /// let balls = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::X * 5.0, 2.0)];
    /// let around = |ball: &Sphere| Aabb::new(ball.center - ball.radius, ball.center + ball.radius);
    /// let tree = Bvh::new(&balls.map(|ball| around(&ball)))?;
    /// let ray = Ray::new(Vec3::new(-9.0, 0.9, 0.9), Vec3::X);
    /// let hit = tree.cast(&ray, |index| {
    ///     let ball = &balls[index as usize];
    ///     let (to, along) = (ball.center - ray.origin, ray.direction);
    ///     let middle = to.dot(along);
    ///     let inside = ball.radius * ball.radius - (to - middle * along).length_squared();
    ///     (inside >= 0.0).then(|| middle - inside.sqrt())
    /// })?;
    /// // It goes through a corner of the first box, beside the ball.
    /// assert_eq!(hit.expect("a ball").index, 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the ray is invalid.
    pub fn cast(&self, ray: &Ray, hit: impl FnMut(u32) -> Option<f32>) -> Result<Option<RayHit>> {
        ray.validate(0)?;
        Ok(self.cast_of(ray, hit))
    }

    /// Performs [`cast`](Self::cast) for many rays, on all cores with the feature `rayon`. `hit`
    /// also gets the position of the ray.
    ///
    /// # Errors
    /// If a ray is invalid, or memory runs out.
    pub fn cast_each(
        &self,
        rays: &[Ray],
        hit: impl Fn(usize, u32) -> Option<f32> + Sync + Send,
    ) -> Result<Vec<Option<RayHit>>> {
        (0..).zip(rays).try_for_each(|(index, ray)| ray.validate(index))?;
        Ok(parallel::collect(rays.len(), FOUND, |k| {
            self.cast_of(&rays[k], |index| hit(k, index))
        })?)
    }

    fn cast_of(&self, ray: &Ray, mut hit: impl FnMut(u32) -> Option<f32>) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        let found = |record: usize, _: Extent| {
            let index = self.records[record].id;
            let t = hit(index).filter(|t| (0.0..=ray.limit).contains(t))?;
            if best.is_none_or(|best| (t, index) < (best.t, best.index)) {
                best = Some(RayHit { index, t });
            }
            best.map(|best| best.t)
        };
        dispatch!(lanes::level(), simd => along(simd, &self.nodes, ray, found));
        best
    }
}
