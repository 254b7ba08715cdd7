//! Bounds of the region that a box sweeps during a step. Along a direction the center is at
//! `c + p s + g s²`, where s goes from 0 to 1, and the box extends to both sides of it by its
//! greatest reach at any time of its rotation.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use crate::geometry::aabb::Aabb;
use crate::geometry::rounding::above;
use crate::shapes::moving::arc::Arc;
use crate::shapes::moving::body::Body;
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::parts::rotation;
use crate::shapes::obb::record::Obb;

/// Bound on the rounding error in `f64` of a bound, per unit of the numbers that it is computed
/// from.
const ROUNDING: f64 = 1e-14;

impl Motion {
    /// Returns axis-aligned bounds of the region that a box sweeps during a step of `dt` seconds.
    /// They contain it despite rounding.
    ///
    /// If the box does not turn, the bounds are the tightest, up to the rounding of their numbers,
    /// and take into account where an accelerated path turns back. If it does turn, the path of its
    /// center and the rotation about it are bounded separately, each tightly. With an
    /// [`uncertainty`](Motion::uncertainty) the bounds contain all possible motions.
    ///
    /// The bounds are arbitrary if the box, the motion or the step is invalid.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, motion::Motion, Obb};
    /// // Up with 3 m/s and down again: 0.45 m high after 0.3 s.
    /// let thrown = Motion::linear(Vec3::new(1.0, 0.0, 3.0)).accelerated(Vec3::new(0.0, 0.0, -10.0));
    /// let bounds = thrown.swept_bounds(&Obb::axis_aligned(Vec3::ZERO, Vec3::ONE), 0.6);
    /// assert!((bounds.max - Vec3::new(1.6, 1.0, 1.45)).abs().max_element() < 1e-6);
    /// assert!((bounds.min - Vec3::new(-1.0, -1.0, -1.0)).abs().max_element() < 1e-6);
    /// ```
    pub fn swept_bounds(&self, obb: &Obb, dt: f64) -> Aabb {
        let sweep = Sweep::new(&Body::new(obb, self), dt);
        let intervals = DMat3::IDENTITY
            .to_cols_array_2d()
            .map(|axis| sweep.interval(axis.into()));
        Aabb {
            min: Vec3::from_array(intervals.map(|[low, _]| -above(-low))),
            max: Vec3::from_array(intervals.map(|[_, high]| above(high))),
        }
    }

    /// Returns an oriented box around the region that a box sweeps during a step of `dt` seconds.
    /// Its first axis is along the velocity at the middle of the step, which is the direction from
    /// start to end. It contains the region despite rounding, and has the groups of the box.
    ///
    /// For a long path it is far smaller than [`Motion::swept_bounds`]: a curve bulges to only one
    /// side of its chord, the direction of the second axis of the box. Its numbers may be a few
    /// times larger than [`COORDINATE_LIMIT`](crate::shape::COORDINATE_LIMIT) if those of the
    /// motion come close to that.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, motion::Motion, Obb};
    /// let ball = Obb::axis_aligned(Vec3::ZERO, Vec3::splat(0.1));
    /// let swept = Motion::linear(Vec3::splat(10.0)).swept_box(&ball, 1.0);
    /// let half = swept.half_extents;
    /// assert!((half.x - 8.83).abs() < 0.01 && half.y < 0.18 && half.z < 0.18);
    /// ```
    #[must_use]
    pub fn swept_box(&self, obb: &Obb, dt: f64) -> Obb {
        let sweep = Sweep::new(&Body::new(obb, self), dt);
        let rotation = stored(frame_along(sweep.path + sweep.bend, sweep.bend, &rotation(obb)));
        sweep.around(obb, rotation)
    }
}

/// A box with its path and rotation during a step.
pub(crate) struct Sweep {
    center: DVec3,
    /// `v dt`
    pub path: DVec3,
    /// `a dt² / 2`
    pub bend: DVec3,
    /// `e dt² / 2`
    pub spread: f64,
    pub arc: Arc,
}

impl Sweep {
    /// Returns the sweep of a body during a step of `dt`. This order of factors keeps zero at zero,
    /// however long the step.
    pub fn new(body: &Body, dt: f64) -> Self {
        let motion = body.motion;
        Self {
            center: body.obb.center.as_dvec3(),
            path: motion.velocity.as_dvec3() * dt,
            bend: motion.acceleration.as_dvec3() * 0.5 * dt * dt,
            spread: f64::from(motion.uncertainty) * 0.5 * dt * dt,
            arc: Arc::new(body, dt),
        }
    }

    /// Returns the interval that the points of the body cover along a unit vector.
    fn interval(&self, direction: DVec3) -> [f64; 2] {
        let [center, path, bend] = [self.center, self.path, self.bend].map(|vector| vector.dot(direction));
        let [back, ahead] = way(path, bend);
        let reach = self.arc.reach(direction) + self.spread;
        let size = self.center.abs().dot(direction.abs()) + self.path.length() + self.bend.length() + self.spread;
        let reach = reach + ROUNDING * size;
        [center + back - reach, center + ahead + reach]
    }

    /// Returns a box with this rotation around the whole sweep, with the groups of `obb`.
    fn around(&self, obb: &Obb, quaternion: Quat) -> Obb {
        let mut around = Obb {
            rotation: quaternion,
            ..*obb
        };
        // The axes as they are stored.
        let axes = rotation(&around);
        let intervals = axes.to_cols_array_2d().map(|axis| self.interval(axis.into()));
        let middle = axes * DVec3::from_array(intervals.map(|[low, high]| 0.5 * (low + high)));
        around.center = middle.as_vec3();
        let center = around.center.as_dvec3();
        let rounding = ROUNDING * center.length();
        let half = std::array::from_fn(|k| {
            let (own, [low, high]) = (axes.col(k).dot(center), intervals[k]);
            above(f64::max(high - own, own - low) + rounding)
        });
        around.half_extents = Vec3::from_array(half);
        around
    }
}

/// Returns the range of `p s + g s²` as s goes from 0 to 1.
fn way(p: f64, g: f64) -> [f64; 2] {
    let end = p + g;
    // The turning point is at s = -p / 2g.
    let back = match p.abs() < 2.0 * g.abs() && p * g < 0.0 {
        true => -0.25 * p * (p / g),
        false => 0.0,
    };
    [end.min(back).min(0.0), end.max(back).max(0.0)]
}

/// Returns the frame whose first axis has the direction `along`, and whose second is as close as
/// possible to `aside`; otherwise the frame most similar to `other`.
fn frame_along(along: DVec3, aside: DVec3, other: &DMat3) -> DQuat {
    let Some(x) = along.try_normalize() else {
        return DQuat::from_mat3(other);
    };
    let across = |v: DVec3| v - x * v.dot(x);
    let candidates = [other.x_axis, other.y_axis, other.z_axis].map(across);
    let widest = candidates.into_iter().fold(DVec3::ZERO, |widest, candidate| {
        match candidate.length_squared() > widest.length_squared() {
            true => candidate,
            false => widest,
        }
    });
    let bent = across(aside);
    let y = match bent.length() > 1e-9 * along.length() {
        true => bent.normalize(),
        false => widest.normalize(),
    };
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
}

/// Returns a rotation as a box stores it.
pub(crate) fn stored(rotation: DQuat) -> Quat {
    Quat::from_array(rotation.normalize().to_array().map(|x| x as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;

    fn vector(random: &mut SplitMix, size: f64) -> Vec3 {
        DVec3::from_array([0; 3].map(|_| (2.0 * random.unit() - 1.0) * size)).as_vec3()
    }

    /// Returns a box and its motion; the bits of `kind` select the parts of the motion.
    fn body(random: &mut SplitMix, kind: u32) -> (Obb, Motion) {
        let q = DQuat::from_scaled_axis(vector(random, 3.0).as_dvec3());
        let far = [1.0, 10.0, 1e6][(random.next() % 3) as usize];
        let obb = Obb::new(vector(random, far), vector(random, 1.0).abs(), stored(q));
        let when = |bit: u32, value: Vec3| if kind >> bit & 1 == 1 { value } else { Vec3::ZERO };
        let turn = [0.1, 1.0, 4.0, 30.0][(random.next() % 4) as usize];
        let motion = Motion::linear(when(0, vector(random, 5.0)))
            .turning(when(1, vector(random, turn)))
            .accelerated(when(2, vector(random, 8.0)))
            .uncertain(when(3, Vec3::splat(random.unit() as f32)).x);
        (obb, motion)
    }

    /// Returns the center at a time, and the corners relative to it.
    fn placed(obb: &Obb, motion: &Motion, t: f64) -> (DVec3, [DVec3; 8]) {
        let turn = DQuat::from_scaled_axis(motion.angular_velocity.as_dvec3() * t);
        let at_center = Obb {
            center: Vec3::ZERO,
            ..*obb
        };
        let center =
            obb.center.as_dvec3() + motion.velocity.as_dvec3() * t + motion.acceleration.as_dvec3() * 0.5 * t * t;
        (center, at_center.corners().map(|corner| turn * corner))
    }

    /// Returns the greatest distance by which a sampled point is outside the bounds or the oriented
    /// box.
    fn outside(obb: &Obb, motion: &Motion, dt: f64, bounds: &Aabb, swept: &Obb) -> f64 {
        let axes = rotation(swept);
        let mut most = f64::NEG_INFINITY;
        for k in 0..=200 {
            let t = dt * f64::from(k) / 200.0;
            let (center, corners) = placed(obb, motion, t);
            let off = 0.5 * f64::from(motion.uncertainty) * t * t;
            for corner in corners {
                let p = center + corner;
                let beyond = (bounds.min.as_dvec3() - p).max(p - bounds.max.as_dvec3()) + off;
                let local = axes.transpose() * (p - swept.center.as_dvec3());
                let beyond_box = local.abs() - swept.half_extents.as_dvec3() + off;
                most = most.max(beyond.max_element()).max(beyond_box.max_element());
            }
        }
        most
    }

    #[test]
    fn bounds_contain_dense_samples_of_the_motion() {
        let mut random = SplitMix(7);
        for trial in 0..1600 {
            let (obb, motion) = body(&mut random, trial % 16);
            let dt = [0.1, 1.0][(trial / 16 % 2) as usize];
            let (bounds, swept) = (motion.swept_bounds(&obb, dt), motion.swept_box(&obb, dt));
            // The samples are themselves rounded.
            let rounding = 1e-14 * (1.0 + obb.center.length() as f64 + swept.half_extents.length() as f64);
            let outside = outside(&obb, &motion, dt, &bounds, &swept);
            assert!(outside <= rounding, "{trial}: {outside:e} outside, {obb:?}, {motion:?}");
        }
    }

    #[test]
    fn bounds_without_rotation_are_tight() {
        let mut random = SplitMix(8);
        for trial in 0..2000u32 {
            let (obb, motion) = body(&mut random, [0, 1, 4, 5][(trial % 4) as usize]);
            let dt = 2.0 * random.unit();
            let bounds = motion.swept_bounds(&obb, dt);
            // The greatest coordinate of each corner: at the ends of the step, or where its
            // velocity is 0.
            let mut high = DVec3::NEG_INFINITY;
            let mut low = DVec3::INFINITY;
            for axis in 0..3 {
                let still = -f64::from(motion.velocity[axis]) / f64::from(motion.acceleration[axis]);
                let still = if still.is_finite() { still.clamp(0.0, dt) } else { 0.0 };
                for t in [0.0, still, dt] {
                    let (center, corners) = placed(&obb, &motion, t);
                    for corner in corners {
                        let at = center[axis] + corner[axis];
                        (low[axis], high[axis]) = (low[axis].min(at), high[axis].max(at));
                    }
                }
            }
            for axis in 0..3 {
                for (bound, exact) in [(bounds.max[axis], high[axis]), (-bounds.min[axis], -low[axis])] {
                    let ulp = f64::from(bound.next_up()) - f64::from(bound);
                    let over = f64::from(bound) - exact;
                    let slack = 1e-13 * (1.0 + obb.center.length() as f64);
                    assert!(
                        (-slack..2.0 * ulp + slack).contains(&over),
                        "{trial}: {over:e}, {obb:?}, {motion:?}"
                    );
                }
            }
        }
    }

    /// Samples come close to the bounds of a box that turns in place: the bounds are not those of
    /// the sphere around it.
    #[test]
    fn bounds_of_a_rotation_reach_the_farthest_points() {
        let mut random = SplitMix(9);
        for trial in 0..400 {
            let (obb, motion) = body(&mut random, 2);
            let obb = Obb {
                center: Vec3::ZERO,
                ..obb
            };
            let bounds = motion.swept_bounds(&obb, 1.0);
            let mut high = DVec3::ZERO;
            for k in 0..=4000 {
                let (_, corners) = placed(&obb, &motion, f64::from(k) / 4000.0);
                high = corners.into_iter().fold(high, DVec3::max);
            }
            let loose = (bounds.max.as_dvec3() - high).max_element();
            assert!(loose < 1e-4, "{trial}: {loose:e}, {obb:?}, {motion:?}");
        }
    }
}
