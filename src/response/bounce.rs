//! Bouncing: one impulse along the normal, without friction (B. Mirtich, "Impulse-based dynamic
//! simulation of rigid body systems", 1996, section 2.3).

use glam::DVec3;

use crate::narrow_phase::moving_moving::time_of_impact::TimeOfImpact;
use crate::response::mass::Partner;
use crate::shapes::moving::motion::Motion;

/// Returns the motions of two bodies after they bounce off each other. The bodies are where they
/// are at the impact, and the motions are from there on.
///
/// The points that meet part along the normal at `restitution` times the speed at which they met: 1
/// keeps the kinetic energy, 0 takes as much of it as such an impulse can. Momentum and angular
/// momentum are kept; a [fixed](crate::response::Mass::FIXED) body takes any amount. Bodies that do
/// not approach each other there, or that are both fixed, move on as before. Everything is computed
/// in `f64`, and the velocities are rounded once to `f32`.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::response::{Mass, Partner, bounce};
/// use obbligato::{motion::{time_of_impact, Motion, Step}, Obb};
/// let boxes = [-2.0, 2.0].map(|x| Obb::axis_aligned(Vec3::X * x, Vec3::ONE));
/// let motions = [Motion::linear(Vec3::X), Motion::REST];
/// let impact = time_of_impact([&boxes[0], &boxes[1]], [&motions[0], &motions[1]], &Step::new(9.0)).expect("they meet");
/// let mass = Mass::unturned(1.0);
/// let partners = [0, 1].map(|k| Partner { body: (&boxes[k]).into(), motion: &motions[k], mass: &mass });
/// assert_eq!(bounce(partners, &impact, 1.0), [Motion::REST, Motion::linear(Vec3::X)]);
/// ```
pub fn bounce([a, b]: [Partner<'_>; 2], impact: &TimeOfImpact, restitution: f64) -> [Motion; 2] {
    let normal = impact.normal;
    let arms = [a, b].map(|partner| partner.arm(impact.point));
    let closing = (a.velocity(arms[0]) - b.velocity(arms[1])).dot(normal);
    // The speed at which a unit of impulse along the normal moves the two points apart.
    let give: f64 = [(a, arms[0]), (b, arms[1])]
        .map(|(partner, arm)| {
            let turned = partner.turned_by(arm.cross(normal));
            partner.mass.inverse + normal.dot(turned.cross(arm))
        })
        .iter()
        .sum();
    if closing <= 0.0 || give <= 0.0 {
        return [*a.motion, *b.motion];
    }
    let impulse = normal * ((1.0 + restitution) * closing / give);
    [pushed(&a, arms[0], -impulse), pushed(&b, arms[1], impulse)]
}

/// Returns the motion after an impulse at `arm` from the center.
fn pushed(partner: &Partner<'_>, arm: DVec3, impulse: DVec3) -> Motion {
    let motion = partner.motion;
    let velocity = motion.velocity.as_dvec3() + impulse * partner.mass.inverse;
    let angular_velocity = motion.angular_velocity.as_dvec3() + partner.turned_by(arm.cross(impulse));
    Motion {
        velocity: velocity.as_vec3(),
        angular_velocity: angular_velocity.as_vec3(),
        ..*motion
    }
}

/// Returns the kinetic energy of a body, `m v² / 2 + w I w / 2`; 0 for fixed bodies, and about axes
/// about which nothing turns the body.
pub fn kinetic_energy(partner: &Partner<'_>) -> f64 {
    let Partner { motion, mass, .. } = partner;
    let turning = (partner.axes().transpose() * motion.angular_velocity.as_dvec3()).powf(2.0);
    let over = |square: f64, inverse: f64| if inverse > 0.0 { square / inverse } else { 0.0 };
    let moving = over(motion.velocity.as_dvec3().length_squared(), mass.inverse);
    let inertia = mass.inverse_inertia;
    0.5 * (moving + over(turning.x, inertia.x) + over(turning.y, inertia.y) + over(turning.z, inertia.z))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::made_up::{self, BodyScene};
    use crate::narrow_phase::moving_moving::time_of_impact::ImpactState;
    use crate::response::mass::Mass;
    use crate::shapes::bodies::set::BodyRef;

    fn vector(random: &mut SplitMix) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| 2.0 * random.unit() - 1.0))
    }

    /// Returns the momentum, and the angular momentum about the origin.
    fn momenta(partners: &[Partner; 2]) -> [DVec3; 2] {
        let of = |partner: &Partner| {
            let axes = partner.axes();
            let momentum = partner.motion.velocity.as_dvec3() / partner.mass.inverse;
            let spin = axes.transpose() * partner.motion.angular_velocity.as_dvec3();
            let turning = axes * (spin / partner.mass.inverse_inertia);
            [momentum, partner.body.center().as_dvec3().cross(momentum) + turning]
        };
        let [a, b] = partners.each_ref().map(of);
        [a[0] + b[0], a[1] + b[1]]
    }

    #[test]
    fn momentum_is_conserved_and_points_separate() {
        let mut random = SplitMix(5);
        // A box and a capsule, a box and a sphere, a capsule and a sphere.
        let owned = made_up::bodies(BodyScene::MixedKinds, 2_000, 1);
        let mut met = 0;
        for pair in (0..1_000).map(|id| [id, id + 1_000].map(|id| owned.all().at(id))) {
            let masses = pair.map(|body| Mass::of(body, 0.5 + 3.0 * random.unit()));
            let motions =
                [0; 2].map(|_| Motion::linear(vector(&mut random).as_vec3()).turning(vector(&mut random).as_vec3()));
            let impact = TimeOfImpact {
                time: 0.0,
                state: ImpactState::Impact,
                normal: vector(&mut random).normalize(),
                point: pair[0].center().as_dvec3() + vector(&mut random),
                is_resolved: true,
            };
            let restitution = random.unit();
            let with = |motions: &[Motion; 2], check: &dyn Fn(&[Partner; 2])| {
                check(&[0, 1].map(|k| Partner {
                    body: pair[k],
                    motion: &motions[k],
                    mass: &masses[k],
                }));
            };
            let closing = |partners: &[Partner; 2]| {
                let [u, v] = partners.map(|partner| partner.velocity(partner.arm(impact.point)));
                (u - v).dot(impact.normal)
            };
            let near = |u: DVec3, v: DVec3| (u - v).length() < 1e-4 * (1.0 + u.length());
            with(&motions, &|before| {
                let speed = closing(before);
                let energy: f64 = before.iter().map(kinetic_energy).sum();
                for restitution in [restitution, 1.0] {
                    let after = bounce(*before, &impact, restitution);
                    if speed <= 0.0 {
                        assert_eq!(after, motions);
                        continue;
                    }
                    with(&after, &|after| {
                        assert!((closing(after) + restitution * speed).abs() < 1e-4, "{speed}");
                        let (old, new) = (momenta(before), momenta(after));
                        assert!(near(old[0], new[0]) && near(old[1], new[1]), "{old:?} {new:?}");
                        let kept: f64 = after.iter().map(kinetic_energy).sum();
                        assert!(kept <= energy * (1.0 + 1e-6), "{energy} {kept}");
                        assert!(
                            restitution < 1.0 || (kept - energy).abs() < 1e-6 * energy,
                            "{energy} {kept}"
                        );
                    });
                }
            });
            met += u32::from(with_closing(&motions, pair, &impact));
        }
        assert!(met > 300, "{met}");
    }

    fn with_closing(motions: &[Motion; 2], pair: [BodyRef; 2], impact: &TimeOfImpact) -> bool {
        let speed = |k: usize| {
            let arm = impact.point - pair[k].center().as_dvec3();
            crate::response::mass::velocity_of(&motions[k], arm).dot(impact.normal)
        };
        speed(0) > speed(1)
    }

    #[test]
    fn fixed_bodies_stay_fixed() {
        let wall = crate::shapes::obb::record::Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
        let ball = crate::shapes::obb::record::Obb::axis_aligned(Vec3::X * 2.0, Vec3::ONE);
        let impact = TimeOfImpact {
            time: 0.0,
            state: ImpactState::Impact,
            normal: DVec3::X,
            point: DVec3::X,
            is_resolved: true,
        };
        let (light, fall) = (Mass::of(&ball, 1e-3), Motion::linear(Vec3::new(-2.0, 1.0, 0.0)));
        let partners = |mass| {
            let fixed = Partner {
                body: BodyRef::Box(&wall),
                motion: &Motion::REST,
                mass: &Mass::FIXED,
            };
            [
                fixed,
                Partner {
                    body: BodyRef::Box(&ball),
                    motion: &fall,
                    mass,
                },
            ]
        };
        let [still, back] = bounce(partners(&light), &impact, 0.5);
        assert_eq!((still, back), (Motion::REST, Motion::linear(Vec3::new(1.0, 1.0, 0.0))));
        assert_eq!(bounce(partners(&Mass::FIXED), &impact, 0.5), [Motion::REST, fall]);
    }
}
