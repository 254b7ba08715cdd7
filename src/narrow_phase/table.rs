//! The table of narrow-phase kernels by shape. Each kernel's comment names the CPU function with
//! the same purpose.

use crate::geometry::pair::Pair;
use crate::narrow_phase::aabb_aabb::aabb_within_cpu::aabb_within;
use crate::narrow_phase::moving_moving::moving_sat_cpu::may_meet;
use crate::narrow_phase::obb_obb::exact::classify;
use crate::narrow_phase::obb_obb::within::within;
use crate::shapes::kind::Records;
use crate::shapes::obb64::around::Boxes64;

#[cfg(feature = "gpu")]
pub(crate) mod kernels {
    use crate::device::kernel::Kernel;
    use crate::frame::params::Params;
    use crate::narrow_phase::aabb_aabb::aabb_within::AABB_WITHIN;
    use crate::narrow_phase::moving_moving::moving_sat::MOVING_SAT;
    use crate::narrow_phase::obb_obb::narrow_plan::NARROW_PLAN;
    use crate::narrow_phase::obb_obb::obb_distance::OBB_DISTANCE_PAIRS;
    use crate::narrow_phase::obb_obb::obb_sat::OBB_SAT_PAIRS;
    use crate::narrow_phase::obb_obb::obb_sat_f64::OBB_SAT_F64_PAIRS;
    use crate::narrow_phase::obb_obb::upright_sat::UPRIGHT_SAT_PAIRS;
    use crate::narrow_phase::round::box_round::BOX_ROUND_PAIRS;
    use crate::narrow_phase::round::round_round::ROUND_ROUND_PAIRS;
    use crate::narrow_phase::round::sort_by_kinds::{COUNT_KINDS, FILL_QUEUES};
    use crate::narrow_phase::round::sphere_sphere::SPHERE_SPHERE_PAIRS;
    use crate::narrow_phase::triangle_triangle::triangle_pairs::TRIANGLE_PAIRS;
    use crate::shapes::bodies::set::Kind;
    use crate::shapes::kind::Shape;

    /// The kernels that test candidate pairs.
    pub(crate) struct NarrowPhase {
        /// The tests in `f32`, in order of execution.
        pub tests: &'static [&'static Kernel<Params>],
        /// The test in `f64` of pairs that `tests` leave undecided. Pairs that it leaves undecided
        /// go to the host; so do all undecided pairs if there is no such test.
        pub f64: Option<&'static Kernel<Params>>,
        /// `true` if candidate pairs are first sorted into queues by the kinds of their bodies.
        pub queued: bool,
    }

    /// Collision of two oriented boxes. The device runs one of the two tests. On the CPU:
    /// `obb_sat_cpu::obb_sat`.
    static OBB_OBB: NarrowPhase = NarrowPhase {
        tests: &[&NARROW_PLAN, &OBB_SAT_PAIRS, &UPRIGHT_SAT_PAIRS],
        f64: Some(&OBB_SAT_F64_PAIRS),
        queued: false,
    };

    /// Two oriented boxes within a margin. On the CPU: `obb_distance_cpu::nearness`, and
    /// `distance::within` for undecided pairs.
    static OBB_OBB_WITHIN: NarrowPhase = NarrowPhase {
        tests: &[&NARROW_PLAN, &OBB_DISTANCE_PAIRS],
        f64: None,
        queued: false,
    };

    /// Two bounds without an exact stage, with or without a margin. A device may flush small
    /// numbers to zero, and so report pairs that do not meet. On the CPU:
    /// `aabb_within_cpu::aabb_within`.
    static AABB_AABB: NarrowPhase = NarrowPhase {
        tests: &[&AABB_WITHIN],
        f64: None,
        queued: false,
    };

    /// Possible contact of two moving boxes during the step, without a margin. On the CPU:
    /// `moving_sat_cpu::moving_sat`. The host decides whether and when they meet:
    /// `impact::impact_of`.
    static MOVING_MOVING: NarrowPhase = NarrowPhase {
        tests: &[&MOVING_SAT],
        f64: None,
        queued: false,
    };

    /// Two spheres, with or without a margin.
    static SPHERES: NarrowPhase = NarrowPhase {
        tests: &[&NARROW_PLAN, &SPHERE_SPHERE_PAIRS],
        f64: None,
        queued: false,
    };

    /// Two capsules, with or without a margin.
    static CAPSULES: NarrowPhase = NarrowPhase {
        tests: &[&NARROW_PLAN, &ROUND_ROUND_PAIRS],
        f64: None,
        queued: false,
    };

    /// Intersection of two triangles, without a margin. On the CPU, undecided pairs:
    /// `Triangles::meet`.
    static TRIANGLES: NarrowPhase = NarrowPhase {
        tests: &[&TRIANGLE_PAIRS],
        f64: None,
        queued: false,
    };

    /// Bodies of several kinds. Undecided pairs go directly to the host, pairs of boxes too.
    static BODIES: NarrowPhase = NarrowPhase {
        tests: &[
            &COUNT_KINDS,
            &NARROW_PLAN,
            &FILL_QUEUES,
            &OBB_SAT_PAIRS,
            &UPRIGHT_SAT_PAIRS,
            &BOX_ROUND_PAIRS,
            &ROUND_ROUND_PAIRS,
            &SPHERE_SPHERE_PAIRS,
        ],
        f64: None,
        queued: true,
    };

    /// Bodies of several kinds within a margin.
    static BODIES_WITHIN: NarrowPhase = NarrowPhase {
        tests: &[
            &COUNT_KINDS,
            &NARROW_PLAN,
            &FILL_QUEUES,
            &OBB_DISTANCE_PAIRS,
            &BOX_ROUND_PAIRS,
            &ROUND_ROUND_PAIRS,
            &SPHERE_SPHERE_PAIRS,
        ],
        f64: None,
        queued: true,
    };

    /// Returns the kernels for two of these shapes, with or without a margin. For bodies, `only` is
    /// their kind if all are of one kind.
    pub(crate) fn narrow_phase(shape: Shape, only: Option<Kind>, has_margin: bool) -> &'static NarrowPhase {
        match (shape, has_margin) {
            (Shape::Obb | Shape::Obb64, false) => &OBB_OBB,
            (Shape::Obb | Shape::Obb64, true) => &OBB_OBB_WITHIN,
            (Shape::Aabb, _) => &AABB_AABB,
            (Shape::Moving, _) => &MOVING_MOVING,
            (Shape::Triangles, _) => &TRIANGLES,
            (Shape::Bodies, has_margin) => match (only, has_margin) {
                (Some(Kind::Capsule), _) => &CAPSULES,
                (Some(Kind::Ball), _) => &SPHERES,
                (Some(Kind::Box) | None, false) => &BODIES,
                (Some(Kind::Box) | None, true) => &BODIES_WITHIN,
            },
        }
    }
}

/// Returns `true` if a candidate pair collides or is within a margin, on the CPU. For shapes
/// without an exact stage this is the whole answer.
pub(crate) fn meet_on_cpu(records: Records<'_>, Pair { a, b }: Pair, margin: f64) -> bool {
    let (a, b) = (a as usize, b as usize);
    match records {
        Records::Obb(boxes) => {
            let (a, b) = (&boxes[a], &boxes[b]);
            a.groups_meet(b) && (classify(a, b).collides() || within(a, b, margin))
        }
        Records::Obb64(Boxes64 { boxes, .. }) => {
            let (a, b) = (&boxes[a], &boxes[b]);
            a.groups_meet(b) && (a.contact(b).collides() || a.within(b, margin))
        }
        Records::Aabb(bounds) => aabb_within(&bounds[a], &bounds[b], margin),
        Records::Bodies(bodies) => {
            let (a, b) = (bodies.at(a as u32), bodies.at(b as u32));
            a.groups_meet(b) && (a.contact(b).collides() || a.within(b, margin))
        }
        Records::Triangles(triangles) => triangles.meet(a, b),
        Records::Moving(records) => may_meet(&records[a], &records[b]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::aabb::Aabb;
    use crate::shapes::obb::record::Obb;
    use glam::Vec3;

    #[test]
    fn pairs_meet_within_the_margin_and_by_their_groups() {
        let cube = |x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::splat(0.5));
        let mut boxes = [cube(0.0), cube(1.0), cube(2.5)];
        let pairs = [Pair::new(0, 1), Pair::new(1, 2), Pair::new(0, 2)];
        let meet = |boxes: &[Obb], margin| pairs.map(|pair| meet_on_cpu(Records::Obb(boxes), pair, margin));
        assert_eq!(meet(&boxes, 0.0), [true, false, false]);
        assert_eq!(meet(&boxes, 0.5), [true, true, false]);
        boxes[1].memberships = 0;
        assert_eq!(meet(&boxes, 9.0), [false, false, true]);
        let bounds = [Aabb::new(Vec3::ZERO, Vec3::ONE); 2];
        assert!(meet_on_cpu(Records::Aabb(&bounds), Pair::new(0, 1), 0.0));
    }
}
