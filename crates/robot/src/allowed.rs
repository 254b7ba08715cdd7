//! Pairs of links that need no check, found by random configurations.

use std::f64::consts::{PI, TAU};

use obbligato_support::split_mix::SplitMix;

use crate::error::{Error, JointProblem, Result};
use crate::model::Joint;
use crate::robot::Robot;

/// The number of random configurations that are checked at once.
const BATCH: usize = 2000;

/// Two links that need no check, from [`Robot::allowed_pairs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AllowedPair {
    /// Positions in [`Robot::links`], the smaller one first.
    pub links: [usize; 2],
    /// The reason.
    pub reason: AllowedReason,
}

/// The reasons why two links need no check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllowedReason {
    /// They collide in none of the random configurations.
    Never,
    /// They collide in all of them.
    Always,
}

impl Robot {
    /// Returns the pairs of links that collide in none, or in all, of a number of random
    /// configurations within the limits of the joints, as the setup assistant of MoveIt looks for
    /// them. Pairs that are disabled already are left out. Continuous joints take a whole turn.
    ///
    /// "Never" is an observation, not a proof: a pair that collides in one configuration of a
    /// million is likely to be among them after 10,000. [`Robot::with_allowed`] disables pairs.
    ///
    /// # Errors
    /// [`Error::Joint`] for a joint that slides without limits, and as [`Robot::check`].
    pub fn allowed_pairs(&mut self, samples: usize, seed: u64) -> Result<Vec<AllowedPair>> {
        let count = self.model.links.len();
        let mut random = SplitMix(seed);
        let mut hits = vec![0; count * count];
        for start in (0..samples).step_by(BATCH) {
            let some: Vec<Vec<f64>> = (start..samples.min(start + BATCH))
                .map(|_| self.random(&mut random))
                .collect::<Result<_>>()?;
            for pair in self.check(&some, None)?.self_pairs {
                hits[pair.links[0] * count + pair.links[1]] += 1;
            }
        }
        let has_bodies = |link| self.parts.extents().iter().any(|extent| extent.link == link);
        let links: Vec<usize> = (0..count).filter(|&link| has_bodies(link)).collect();
        let mut allowed = Vec::new();
        for (k, &a) in links.iter().enumerate() {
            for &b in links[k + 1..].iter().filter(|&&b| self.pairs.may_collide(a, b)) {
                let reason = match hits[a * count + b] {
                    0 => AllowedReason::Never,
                    hits if hits == samples => AllowedReason::Always,
                    _ => continue,
                };
                allowed.push(AllowedPair { links: [a, b], reason });
            }
        }
        Ok(if samples == 0 { Vec::new() } else { allowed })
    }

    /// Returns random configurations within the limits of the joints.
    ///
    /// # Errors
    /// [`Error::Joint`] for a joint that slides without limits.
    pub fn random_configurations(&self, count: usize, seed: u64) -> Result<Vec<Vec<f64>>> {
        let mut random = SplitMix(seed);
        (0..count).map(|_| self.random(&mut random)).collect()
    }

    fn random(&self, random: &mut SplitMix) -> Result<Vec<f64>> {
        self.model
            .joints
            .iter()
            .enumerate()
            .map(|(column, joint)| {
                let [low, high] = self.sampled(column, joint)?;
                Ok(low + random.unit() * (high - low))
            })
            .collect()
    }

    /// Returns the limits between which values of a joint are drawn.
    fn sampled(&self, column: usize, joint: &Joint) -> Result<[f64; 2]> {
        let [low, high] = joint.limits;
        if low.is_finite() && high.is_finite() {
            return Ok(joint.limits);
        }
        let drives = |one: &&crate::model::TreeJoint| one.drive.is_some_and(|drive| drive.column == column);
        if self.model.tree.iter().find(drives).is_some_and(|one| one.slides) {
            return Err(Error::Joint {
                joint: joint.name.clone(),
                problem: JointProblem::Unlimited,
            });
        }
        Ok(match (low.is_finite(), high.is_finite()) {
            (true, _) => [low, low + TAU],
            (_, true) => [high - TAU, high],
            _ => [-PI, PI],
        })
    }
}
