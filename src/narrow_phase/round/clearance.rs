//! The clearance of two bodies, one of them round: the distance they may move before they can
//! begin, or cease, to collide.
//!
//! D is the distance of the cores, and R the sum of the radii. The bodies are `D - R` apart, or
//! else they overlap by at least `R - D` along every direction, because the cores have no gap wider
//! than D along any. This remains so while both together have moved less than that, by the argument
//! of [`clearance_cpu`](crate::narrow_phase::obb_obb::clearance_cpu). D is that of
//! [`closest`](super::closest), with its error.

use crate::narrow_phase::round::closest::ERROR;
use crate::narrow_phase::round::distance::{Balls, OnBox, Rounds, Two};
use crate::shapes::bodies::set::BodyRef;

/// More than the relative error of rounding to `f32`.
const ROUNDING: f64 = 1e-6;

/// Returns a clearance. Above 0 the bodies are apart, below 0 they overlap, and this remains so
/// until both together have moved that far. 0 says nothing. Groups are ignored.
pub(crate) fn clearance([a, b]: [BodyRef<'_>; 2]) -> f32 {
    let (gap, error) = match Two::of(a, b) {
        // Two boxes have a test of their own.
        Two::Boxes(..) => return 0.0,
        Two::Balls(a, b) => {
            let balls = Balls::new([a, b]);
            let reach = balls.radii[0] + balls.radii[1];
            (balls.length - reach, ERROR * (balls.length + reach))
        }
        Two::Rounds(bodies, _) => {
            let rounds = Rounds::new(&bodies);
            let reach = rounds.radii[0] + rounds.radii[1];
            (rounds.closest().way().length() - reach, rounds.error())
        }
        Two::OnBox(obb, round, _) => {
            let on_box = OnBox::new(obb, &round);
            (on_box.closest().way().length() - on_box.radius, on_box.error())
        }
    };
    let certain = (gap.abs() - error) * (1.0 - ROUNDING);
    match certain > 0.0 {
        true => certain.copysign(gap) as f32,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::shapes::obb::record::Obb;
    use crate::shapes::round::capsule::Capsule;
    use crate::shapes::round::sphere::Sphere;

    #[test]
    fn contacts_do_not_change_within_the_clearance() {
        let mut random = SplitMix(6);
        let mut vector = |size: f64| Vec3::from([0; 3].map(|_| ((2.0 * random.unit() - 1.0) * size) as f32));
        let (mut apart, mut overlapping) = (0, 0);
        for trial in 0..6_000 {
            let turn = Quat::from_scaled_axis(vector(3.0));
            let obb = Obb::new(vector(2.0), vector(1.0).abs(), turn);
            let capsule = Capsule::new(vector(2.0), vector(1.0).x.abs(), turn.inverse(), 0.5);
            let ball = Sphere::new(vector(2.0), vector(1.0).x.abs());
            let other = Sphere::new(Vec3::ZERO, ball.radius);
            let [a, b]: [BodyRef; 2] = match trial % 4 {
                0 => [(&obb).into(), (&capsule).into()],
                1 => [(&ball).into(), (&obb).into()],
                2 => [(&capsule).into(), (&ball).into()],
                _ => [(&ball).into(), (&other).into()],
            };
            let clearance = clearance([a, b]);
            assert_eq!(clearance < 0.0, a.contact(b).collides(), "{a:?} {b:?}");
            // One of them moves by the clearance, in any direction.
            let way = vector(1.0).normalize_or_zero() * (clearance.abs() * 0.999_999);
            let moved = |body: BodyRef<'_>, other: BodyRef<'_>| match body {
                BodyRef::Box(obb) => BodyRef::Box(&Obb {
                    center: obb.center + way,
                    ..*obb
                })
                .contact(other),
                BodyRef::Sphere(ball) => BodyRef::Sphere(&Sphere {
                    center: ball.center + way,
                    ..*ball
                })
                .contact(other),
                BodyRef::Capsule(capsule) => {
                    let mut moved = *capsule;
                    moved.center += way;
                    BodyRef::Capsule(&moved).contact(other)
                }
            };
            assert_eq!(moved(a, b).collides(), clearance < 0.0, "{a:?} {b:?} {clearance}");
            apart += usize::from(clearance > 0.0);
            overlapping += usize::from(clearance < 0.0);
        }
        assert!(apart > 1_000 && overlapping > 300, "{apart} {overlapping}");
    }
}
