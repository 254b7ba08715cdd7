//! Twin of `shaders/shapes/moving/moving_bounds.wgsl`: conservative bounds of the regions that
//! boxes sweep, and the scene's statistics.
//!
//! Along an axis of the world the center is at `c + p s + g s²`. The extremum is at an end of the
//! step, or at the turning point of the parabola, `s = -p / 2g`. The turning point is within the
//! step if `|p| < 2 |g|` and the two have different signs; there `p s + g s² = -p² / 4g`.
//!
//! The bounds are widened for rounding, with u = 2^-23 as in `src/geometry/bounds.rs`. `p` and `g`
//! have errors of up to 3u. The end is off by 1u more. The turning point is off by 5u of `|p| / 2`
//! for its quotient and product, and by 4.5u for the rounding of `p` and `g`; with the sign of each
//! taken into account, by 5u (|p| + |g|). The widening and the reach `e` are one sum of at most six
//! positive numbers, off by 6u of itself. It is fenced, and then added to the center and the path
//! in two additions: 2u (|c| + |p| + |g| + e). The total is below 9u (e + |p| + |g|) + 2u |c|, and
//! the widening is `16u (e + |p| + |g|) + 4u |c| + 2^-100`. The last term covers numbers that a GPU
//! flushes: the quotient is not computed for a `g` below 2^-120, because it changes nothing above
//! 2^-119.

use crate::base::error::Result;
use crate::base::problem::BoxProblem;
use crate::geometry::bounds::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, Gather, size_bin};
use crate::shapes::bounds;
use crate::shapes::moving::record::Moving;

/// Widening per unit of the box's reach and of its path.
pub(crate) const SWEPT_ERROR: f32 = 1.0 / (1u32 << 19) as f32;

/// Paths that bend less than this, in the caller's unit, are treated as straight: 2^-120.
pub(crate) const LEAST_BEND: f32 = f32::from_bits((127 - 120) << 23);

/// Fills `bounds` with the bounds of the records, each widened by `margin` on every side, and
/// returns the scene's statistics.
pub(crate) fn moving_bounds<G: Gather>(
    records: &[Moving],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    bounds::fill(records, bounds, problem, |records, first, bounds, gathered: &mut G| {
        for ((id, record), place) in (first..).zip(records).zip(bounds) {
            *place = bounds_of(record, margin(id), id);
            let size = place.size();
            place.tag = size_bin(size);
            gathered.add(place, size);
        }
        true
    })
}

/// Names the first record marked as suspect. The host makes records only of valid boxes.
#[cfg(feature = "gpu")]
pub(crate) fn validate(records: &[Moving]) -> Result<()> {
    bounds::validate(records, problem)
}

fn problem(record: &Moving) -> Option<BoxProblem> {
    (record.suspect > 0).then_some(BoxProblem::NotFinite)
}

/// Returns the bounds of one record, without their tag.
pub(crate) fn bounds_of(record: &Moving, margin: f32, id: u32) -> Bounds {
    let Moving {
        around,
        path,
        bend,
        extent,
        ..
    } = *record;
    let end = path + bend;
    let mut low = end.min(glam::Vec3::ZERO);
    let mut high = end.max(glam::Vec3::ZERO);
    for axis in 0..3 {
        let (p, g) = (path[axis], bend[axis]);
        if g.abs() > LEAST_BEND && p.abs() < 2.0 * g.abs() && (p < 0.0) != (g < 0.0) {
            let back = -0.25 * p * (p / g);
            low[axis] = low[axis].min(back);
            high[axis] = high[axis].max(back);
        }
    }
    let error = SWEPT_ERROR * (extent + path.abs() + bend.abs()) + 2.0 * CENTER_ERROR * around.center.abs();
    let widened = extent + error + ABSOLUTE_ERROR + margin;
    Bounds {
        low: around.center + low - widened,
        tag: 0,
        high: around.center + high + widened,
        id,
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::shapes::moving::body::{Body, MovingCore};
    use crate::shapes::moving::motion::Motion;
    use crate::shapes::moving::swept_bounds::stored;
    use crate::shapes::obb::record::Obb;

    /// Bounds of records contain the tight ones, which have almost no rounding, and are hardly
    /// larger.
    #[test]
    fn bounds_contain_the_swept_box() {
        let mut random = SplitMix(5);
        let mut vector = |size: f64| DVec3::from_array([0; 3].map(|_| (2.0 * random.unit() - 1.0) * size)).as_vec3();
        for trial in 0..20_000 {
            let far = [1.0, 1e4][trial % 2];
            let q = stored(DQuat::from_scaled_axis(vector(3.0).as_dvec3()));
            let obb = Obb::new(vector(far), vector(1.0).abs(), q);
            let mut motion =
                Motion::linear(vector([0.0, 3.0, 100.0][trial % 3])).accelerated(vector([0.0, 9.0][trial / 2 % 2]));
            if trial % 5 == 0 {
                motion = motion.turning(vector(4.0)).uncertain(vector(1.0).x.abs());
            }
            let body = Body::new(&obb, &motion);
            let own = bounds_of(&Moving::new(&body, 0.7, 1.0), 0.0, 0);
            // The tight bounds are rounded outwards once.
            let tight = motion.swept_bounds(&obb, 0.7);
            for axis in 0..3 {
                let (low, high) = (tight.min[axis].next_up(), tight.max[axis].next_down());
                assert!(
                    own.low[axis] <= low && own.high[axis] >= high,
                    "{trial}: {own:?} {tight:?}"
                );
                let more = f64::max((tight.min - own.low)[axis].into(), (own.high - tight.max)[axis].into());
                let size = (tight.max - tight.min).max_element() + tight.max.abs().max_element();
                assert!(
                    more < 2e-5 * f64::from(size) + 2e-5 * 100.0 * f64::from(trial % 3 == 2),
                    "{trial}: {more}"
                );
            }
        }
    }

    #[test]
    fn tiny_motions_are_magnified() {
        let least = f32::from_bits(1);
        let obb = Obb::axis_aligned(Vec3::splat(3.0 * least), Vec3::splat(least));
        let motion = Motion::linear(Vec3::X * least);
        let body = |_| MovingCore::new((&obb).into(), &motion);
        let mut records = Vec::new();
        crate::shapes::moving::record::records(1, body, (0.25, 0.0), &mut records).expect("memory");
        let Moving { around, path, .. } = records[0];
        assert_eq!(around.center.x, 1.5);
        assert_eq!((around.half_extents.x, path.x), (0.5, 0.125));
    }
}
