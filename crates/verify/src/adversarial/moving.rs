//! Seeded pairs of boxes in motion that are hard to judge, and the comparison of answers for them
//! with [`substeps`](crate::reference::substeps).

mod families;

use glam::{DQuat, DVec3, Vec3};

use crate::adversarial::Random;
use crate::reference::substeps;
use obbligato::{
    Obb,
    motion::{ImpactState, Motion, Step, TimeOfImpact, time_of_impact},
};
use obbligato_support::split_mix::{SplitMix, mix};

/// The kinds of pairs, in the order in which [`MovingPair::new`] cycles through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovingFamily {
    /// Boxes of similar sizes that fly towards each other and may miss, turning by up to a radian.
    Passing,
    /// As `Passing`, at high speed, turning several times.
    Spinning,
    /// As `Passing`, on parabolas, with or without turning.
    Thrown,
    /// As `Passing`, known only within bounds.
    Uncertain,
    /// Long rods that turn up to fifty times within reach of each other.
    Rods,
    /// Bullets of a centimetre at 1,000 m/s against a plate of a millimetre, at 60 steps per
    /// second, from any side, with spin.
    Bullets,
    /// The hard pairs at rest of [`pair`](super::pair), nearly in contact, at some time of their
    /// motion.
    Planned,
    /// As `Planned`, a little apart or deeper, with slow motion relative to each other.
    Grazing,
    /// A box that rests on a face of another, about the tolerance above it, slides and turns on it,
    /// or turns with it.
    Resting,
    /// Plates, rods and points.
    Flat,
    /// Boxes around a common center.
    Concentric,
    /// Boxes far from the origin.
    Far,
    /// A small box near a large plate that turns, and sizes that differ by a factor of a thousand.
    Turntable,
}

/// All families.
pub const MOVING_FAMILIES: [MovingFamily; 13] = [
    MovingFamily::Passing,
    MovingFamily::Spinning,
    MovingFamily::Thrown,
    MovingFamily::Uncertain,
    MovingFamily::Rods,
    MovingFamily::Bullets,
    MovingFamily::Planned,
    MovingFamily::Grazing,
    MovingFamily::Resting,
    MovingFamily::Flat,
    MovingFamily::Concentric,
    MovingFamily::Far,
    MovingFamily::Turntable,
];

/// Two boxes in motion, and the length of the step.
#[derive(Clone, Copy, Debug)]
pub struct MovingPair {
    /// Their initial placements.
    pub boxes: [Obb; 2],
    /// Their motions.
    pub motions: [Motion; 2],
    /// The length of the step in seconds.
    pub dt: f64,
}

/// The observations of [`MovingPair::audit`].
#[derive(Clone, Copy, Debug)]
pub struct MovingAudit {
    /// The engine's answer.
    pub impact: Option<TimeOfImpact>,
    /// The first time at which sub-steps find a contact.
    pub found: Option<f64>,
}

/// Placements at a time of the step, which determine the start.
struct Plan {
    boxes: [Obb; 2],
    motions: [Motion; 2],
    dt: f64,
    time: f64,
}

impl Plan {
    /// Returns the pair that reaches the planned placements, up to rounding.
    fn pair(self) -> MovingPair {
        let Self {
            boxes,
            motions,
            dt,
            time,
        } = self;
        let start = |k: usize| {
            let (obb, motion) = (boxes[k], motions[k]);
            let way = motion.velocity.as_dvec3() * time + motion.acceleration.as_dvec3() * (0.5 * time * time);
            let back = DQuat::from_scaled_axis(motion.angular_velocity.as_dvec3() * -time);
            let rotation = match motion.angular_velocity == Vec3::ZERO {
                true => obb.rotation,
                false => (back * obb.rotation.as_dquat()).normalize().as_quat(),
            };
            Obb {
                center: (obb.center.as_dvec3() - way).as_vec3(),
                rotation,
                ..obb
            }
        };
        MovingPair {
            boxes: [start(0), start(1)],
            motions,
            dt,
        }
    }
}

/// Returns a vector of this length in any direction.
fn any_way(random: &mut Random, length: f64) -> DVec3 {
    random.vector(1.0).try_normalize().unwrap_or(DVec3::X) * length
}

/// Returns a box of extents up to `size`.
fn solid(random: &mut Random, size: f64) -> Obb {
    let extents = DVec3::from_array([0; 3].map(|_| size * (0.1 + 0.9 * random.unit())));
    Obb::new(Vec3::ZERO, extents.as_vec3(), random.rotation())
}

fn largest(boxes: &[Obb; 2]) -> f64 {
    let [a, b] = boxes.map(|obb| f64::from(obb.half_extents.max_element()));
    a.max(b)
}

/// Returns a motion by about `way` and `turn` radians during the step, some with acceleration.
fn motion(random: &mut Random, dt: f64, way: f64, turn: f64, thrown: bool) -> Motion {
    let [way, turn] = [way, turn].map(|most| most * random.unit());
    let motion = Motion::linear((any_way(random, way) / dt).as_vec3()).turning((any_way(random, turn) / dt).as_vec3());
    match thrown {
        true => motion.accelerated((any_way(random, way) * (2.0 / (dt * dt))).as_vec3()),
        false => motion,
    }
}

/// Plans boxes that come as close as `miss` times their size at some time.
fn meeting(random: &mut Random, boxes: [Obb; 2], miss: f64, dt: f64, motions: [Motion; 2]) -> Plan {
    let [mut a, mut b] = boxes;
    let size = largest(&boxes);
    let distance = miss * size * random.unit();
    a.center = random.vector(1.0).as_vec3() * size as f32;
    b.center = a.center + any_way(random, distance).as_vec3();
    Plan {
        boxes: [a, b],
        motions,
        dt,
        time: dt * random.unit(),
    }
}

impl MovingPair {
    /// Returns the family of pair `index`.
    pub const fn family(index: u64) -> MovingFamily {
        MOVING_FAMILIES[(index % MOVING_FAMILIES.len() as u64) as usize]
    }

    /// Returns pair `index` of the endless sequence for `seed`, always the same; of valid boxes in
    /// valid motion.
    pub fn new(index: u64, seed: u64) -> Self {
        let mut random = Random(SplitMix(seed ^ mix(index)));
        let pair = Self::make(Self::family(index), &mut random, index, seed);
        match pair.is_valid() {
            true => pair,
            false => Self::make(MovingFamily::Passing, &mut random, index, seed),
        }
    }

    fn is_valid(&self) -> bool {
        !self.motions.iter().all(Motion::is_straight)
            && (0..2).all(|k| {
                let (obb, motion) = (&self.boxes[k], &self.motions[k]);
                obb.problem().is_none() && motion.problem(obb, self.dt).is_none()
            })
    }

    /// Returns the engine's answer.
    pub fn impact(&self) -> Option<TimeOfImpact> {
        let ([a, b], [m, n]) = (&self.boxes, &self.motions);
        time_of_impact([a, b], [m, n], &Step::new(self.dt))
    }

    /// Returns the tolerance of the pair, by its definition.
    pub fn tolerance(&self) -> f64 {
        let [a, b] = self.boxes.map(|obb| f64::from(obb.half_extents.max_element()));
        1e-4 * if a.min(b) > 0.0 { a.min(b) } else { a.max(b) }
    }

    /// Compares an answer with `samples` sub-steps. The error describes the problem with it.
    pub fn audit(&self, impact: Option<TimeOfImpact>, samples: u32) -> Result<MovingAudit, String> {
        let asked = Asked {
            pair: self,
            radii: [0.0; 2],
            tolerance: self.tolerance(),
            starts: self.boxes[0].contact(&self.boxes[1]).collides(),
        };
        asked.audit(impact, samples)
    }
}

/// The problem to which an answer about two bodies in motion belongs.
pub(super) struct Asked<'a> {
    /// The boxes, or the cores of round bodies.
    pub pair: &'a MovingPair,
    pub radii: [f64; 2],
    pub tolerance: f64,
    /// `true` if they share a point at the start.
    pub starts: bool,
}

impl Asked<'_> {
    pub fn audit(&self, impact: Option<TimeOfImpact>, samples: u32) -> Result<MovingAudit, String> {
        let Self {
            pair, radii, starts, ..
        } = *self;
        let (boxes, motions, dt) = (pair.boxes.each_ref(), pair.motions.each_ref(), pair.dt);
        let reach = radii[0] + radii[1];
        let found = substeps::first_within(boxes, reach, motions, dt, samples);
        let audit = MovingAudit { impact, found };
        let Some(answer) = impact else {
            return match found {
                Some(time) => Err(format!("missed: they meet at {time}")),
                None => Ok(audit),
            };
        };
        let wrong = |what: String| Err(format!("{what}: {answer:?}"));
        let t = answer.time;
        if !(0.0..=dt).contains(&t) {
            return wrong("no time of the step".to_owned());
        }
        if found.is_some_and(|time| time < t) {
            return wrong(format!("late, they meet at {found:?}"));
        }
        if (answer.state == ImpactState::Start) != starts || starts && t != 0.0 {
            return wrong("the wrong state".to_owned());
        }
        if (answer.normal.length() - 1.0).abs() > 1e-12 {
            return wrong("a normal that is not of length 1".to_owned());
        }
        if !answer.is_resolved {
            return Ok(audit);
        }
        let paths = (0..2).map(|k| {
            let (obb, motion) = (boxes[k], motions[k]);
            let [v, a] = [motion.velocity, motion.acceleration].map(|vector| vector.as_dvec3().length());
            let turned = 1.0 + motion.angular_velocity.as_dvec3().length() * dt;
            (v + a * dt) * dt + obb.half_extents.as_dvec3().length() * turned + radii[k]
        });
        let apart = (boxes[1].center.as_dvec3() - boxes[0].center.as_dvec3()).length();
        let slack = 1e-12 * (paths.sum::<f64>() + apart);
        let tolerance = self.tolerance + slack;
        let deviations = motions.map(|motion| 0.5 * f64::from(motion.uncertainty) * t * t);
        if !starts {
            let distance = substeps::distance_at(boxes, motions, t) - reach;
            if distance > tolerance + deviations[0] + deviations[1] {
                return wrong(format!("{distance} apart, where {tolerance} is tolerated"));
            }
            let gap = substeps::gap_along(boxes, motions, t, answer.normal) - reach;
            if gap < -tolerance + (deviations[0] + deviations[1]) * (1.0 - 1e-12) {
                return wrong(format!("along the normal the gap is {gap}"));
            }
        }
        let rounding = 1e-15 * boxes[0].center.as_dvec3().length();
        let distances = substeps::distances_of_point(boxes, motions, t, answer.point);
        for k in 0..2 {
            if distances[k] > radii[k] + tolerance + deviations[k] + rounding {
                return wrong(format!("the point is {} from box {k}", distances[k]));
            }
        }
        Ok(audit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_hits_and_misses() {
        for (k, family) in (0..).zip(MOVING_FAMILIES) {
            let pairs = (0..200).map(|n| MovingPair::new(k + n * MOVING_FAMILIES.len() as u64, 1));
            let met = pairs.filter(|pair| pair.impact().is_some()).count();
            assert!((10..200).contains(&met), "{family:?}: {met}");
        }
    }

    #[test]
    fn every_answer_is_correct() {
        for index in 0..6_500 {
            let pair = MovingPair::new(index, 8);
            if let Err(what) = pair.audit(pair.impact(), 40) {
                panic!("{index} {:?}: {what}\n{pair:?}", MovingPair::family(index));
            }
        }
    }
}
