//! Seeded pairs of bodies in motion, at least one of which is a capsule or a sphere, made of pairs
//! of boxes.

use glam::Vec3;

use crate::adversarial::Random;
use crate::adversarial::moving::{Asked, MovingAudit, MovingFamily, MovingPair};
use crate::adversarial::straight::straight_pair;
use obbligato::{
    Capsule, Obb, Sphere,
    motion::{Motion, Step, TimeOfImpact, time_of_impact},
    shape::BodyRef,
};
use obbligato_support::split_mix::{SplitMix, mix};

/// A body by value.
#[derive(Clone, Copy, Debug)]
pub enum OwnedBody {
    /// A box.
    Box(Obb),
    /// A capsule.
    Capsule(Capsule),
    /// A sphere.
    Sphere(Sphere),
}

impl OwnedBody {
    /// The body.
    pub fn body(&self) -> BodyRef<'_> {
        match self {
            Self::Box(obb) => obb.into(),
            Self::Capsule(capsule) => capsule.into(),
            Self::Sphere(sphere) => sphere.into(),
        }
    }

    /// Returns a body that roughly fits into a box.
    fn within(obb: &Obb, kind: u32) -> Self {
        let half = obb.half_extents;
        match kind {
            0 => Self::Box(*obb),
            1 => Self::Capsule(Capsule::new(obb.center, half.z, obb.rotation, half.x.min(half.y))),
            2 => Self::Capsule(Capsule::new(
                obb.center,
                half.max_element(),
                obb.rotation,
                half.min_element(),
            )),
            _ => Self::Sphere(Sphere::new(obb.center, half.x)),
        }
    }
}

/// Two bodies in motion, not both boxes, and the length of the step.
#[derive(Clone, Copy, Debug)]
pub struct MovingRound {
    /// The bodies at the start of the step.
    pub bodies: [OwnedBody; 2],
    /// Their motions.
    pub motions: [Motion; 2],
    /// The length of the step in seconds.
    pub dt: f64,
}

/// Two bodies made of two boxes: the kinds of the pair in turn.
fn made_of(boxes: &[Obb; 2], random: &mut Random) -> [OwnedBody; 2] {
    let kinds = random.pick([
        [0, 1],
        [1, 0],
        [0, 3],
        [3, 0],
        [1, 1],
        [1, 3],
        [3, 1],
        [3, 3],
        [2, 0],
        [2, 2],
    ]);
    [0, 1].map(|k| OwnedBody::within(&boxes[k], kinds[k]))
}

/// The box, segment or point of a body, and the radius around it.
fn core(body: BodyRef<'_>) -> (Obb, f32) {
    match body {
        BodyRef::Box(obb) => (*obb, 0.0),
        BodyRef::Capsule(&Capsule {
            center,
            rotation,
            half_length,
            radius,
            ..
        }) => (Obb::new(center, Vec3::new(0.0, 0.0, half_length), rotation), radius),
        BodyRef::Sphere(sphere) => (Obb::axis_aligned(sphere.center, Vec3::ZERO), sphere.radius),
    }
}

impl MovingRound {
    /// Returns the family of pair `index`.
    pub const fn family(index: u64) -> MovingFamily {
        MovingPair::family(index)
    }

    /// Returns pair `index` of the endless sequence for `seed`, always the same; like
    /// [`MovingPair::new`], most turn or accelerate.
    pub fn new(index: u64, seed: u64) -> Self {
        let MovingPair { boxes, motions, dt } = MovingPair::new(index, seed);
        let mut random = Random(SplitMix(seed ^ mix(index ^ 0xba11)));
        Self {
            bodies: made_of(&boxes, &mut random),
            motions,
            dt,
        }
    }

    /// Returns pair `index` of those that move straight; see [`straight_pair`].
    pub fn straight(index: u64, seed: u64) -> Self {
        let made = straight_pair(index, seed);
        let mut random = Random(SplitMix(seed ^ mix(index ^ 0xba12)));
        let spin = random.pick([0.0, 0.0, 3.0]);
        let bodies = made_of(&made.boxes, &mut random);
        // The rotation of a sphere has no effect.
        let motion = |k: usize| {
            let straight = Motion::linear(made.velocities[k]);
            match bodies[k] {
                OwnedBody::Sphere(_) => straight.turning(Vec3::X * spin),
                _ => straight,
            }
        };
        Self {
            bodies,
            motions: [motion(0), motion(1)],
            dt: made.dt,
        }
    }

    /// Returns the engine's answer.
    pub fn impact(&self) -> Option<TimeOfImpact> {
        let ([a, b], [m, n]) = (&self.bodies, &self.motions);
        time_of_impact([a.body(), b.body()], [m, n], &Step::new(self.dt))
    }

    /// Compares an answer with `samples` sub-steps. The error describes the problem with it.
    pub fn audit(&self, impact: Option<TimeOfImpact>, samples: u32) -> Result<MovingAudit, String> {
        let bodies = self.bodies.each_ref().map(OwnedBody::body);
        let cores = bodies.map(core);
        let sizes = cores.map(|(obb, radius)| f64::from(obb.half_extents.max_element() + radius));
        let [least, most] = [sizes[0].min(sizes[1]), sizes[0].max(sizes[1])];
        let asked = Asked {
            pair: &MovingPair {
                boxes: cores.map(|(obb, _)| obb),
                motions: self.motions,
                dt: self.dt,
            },
            radii: cores.map(|(_, radius)| f64::from(radius)),
            tolerance: 1e-4 * if least > 0.0 { least } else { most },
            starts: bodies[0].contact(bodies[1]).collides(),
        };
        asked.audit(impact, samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adversarial::moving::MOVING_FAMILIES;
    use crate::reference::bodies_meet;
    use obbligato::motion::ImpactState;

    #[test]
    fn every_family_has_hits_and_misses() {
        for (k, family) in (0..).zip(MOVING_FAMILIES) {
            let pairs = (0..200).map(|n| MovingRound::new(k + n * MOVING_FAMILIES.len() as u64, 1));
            let met = pairs.filter(|pair| pair.impact().is_some()).count();
            assert!((10..200).contains(&met), "{family:?}: {met}");
        }
    }

    #[test]
    fn every_answer_is_correct() {
        let mut unresolved = 0;
        for index in 0..13_000 {
            let pair = MovingRound::new(index, 8);
            match pair.audit(pair.impact(), 40) {
                Ok(audit) => unresolved += usize::from(audit.impact.is_some_and(|impact| !impact.is_resolved)),
                Err(what) => panic!("{index} {:?}: {what}\n{pair:?}", MovingRound::family(index)),
            }
        }
        assert!(unresolved < 20, "{unresolved} unresolved");
    }

    /// Compares pairs that do not turn with rational arithmetic: the set, the state, and the time
    /// on either side.
    #[test]
    fn straight_impacts_match_exact_fractions() {
        let (mut met, mut missed, mut start) = (0, 0, 0);
        for index in 0..1_500 {
            let pair = MovingRound::straight(index, 4);
            let bodies = pair.bodies.each_ref().map(OwnedBody::body);
            if bodies.iter().all(|body| core(*body).1 == 0.0) {
                continue;
            }
            let velocities = pair.motions.map(|motion| motion.velocity);
            let meet = |until: f64| bodies_meet(bodies, velocities, [0.0, until]);
            let Some(first) = pair.impact() else {
                assert!(!meet(pair.dt), "{index}: missed, {pair:?}");
                missed += 1;
                continue;
            };
            if first.state == ImpactState::Start {
                assert!(meet(0.0), "{index}: {pair:?}");
                start += 1;
            } else {
                let soon = first.time + pair.dt / f64::from(1 << 20);
                assert!(!meet(0.0), "{index}: {pair:?}");
                assert!(
                    first.time == 0.0 || !meet(first.time.next_down()),
                    "{index}: late, {first:?} {pair:?}"
                );
                assert!(meet(soon.min(pair.dt)), "{index}: early, {first:?} {pair:?}");
                met += 1;
            }
            if let Err(what) = pair.audit(Some(first), 20) {
                panic!("{index}: {what}\n{pair:?}");
            }
        }
        assert!(met > 100 && missed > 100 && start > 70, "{met} {missed} {start}");
    }
}
