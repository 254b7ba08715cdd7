//! The steps of a run, in order, and their outcomes.

use obbligato_verify::scenes::Scene;
use serde_json::Value;

use crate::table::grouped;

/// The subject of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// Pairs that are hard to judge.
    Adversarial(usize),
    /// The GPU's pairs, the CPU's and the reference's.
    Verify(Scene, usize),
    /// The peak rates of the device's memory.
    Rates,
    /// Frames that stay on the device, and their kernels.
    Resident(Scene, usize),
    /// Calls that upload and read back.
    Check(Scene, usize),
    /// Contacts of the pairs of frames that stay on the device.
    Contacts(Scene, usize),
    /// Distances of the pairs of frames that stay on the device.
    Distances(Scene, usize),
    /// The creation of a checker, with and without a pipeline cache.
    StartUp,
}

impl Step {
    /// Returns all steps, in order.
    pub fn all(count: usize) -> Vec<Self> {
        let (more, most) = (count.saturating_mul(10), count.saturating_mul(100));
        let others = [Scene::Mixed, Scene::Clusters, Scene::Crowd, Scene::Bricks];
        let mut all = vec![Self::Adversarial(count)];
        all.extend(Scene::ALL.into_iter().map(|scene| Self::Verify(scene, count)));
        all.push(Self::Rates);
        for (scene, count) in [(Scene::Uniform, count), (Scene::Uniform, more), (Scene::Dense, more)] {
            all.extend([Self::Resident(scene, count), Self::Check(scene, count)]);
        }
        all.extend(others.into_iter().map(|scene| Self::Resident(scene, more)));
        for scene in [Scene::Uniform, Scene::Dense] {
            all.extend([Self::Contacts(scene, count), Self::Distances(scene, count)]);
        }
        all.extend([Self::StartUp, Self::Resident(Scene::Uniform, most)]);
        all
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Adversarial(_) => "adversarial",
            Self::Verify(..) => "verify",
            Self::Rates => "rates",
            Self::Resident(..) => "resident",
            Self::Check(..) => "check",
            Self::Contacts(..) => "contacts",
            Self::Distances(..) => "distances",
            Self::StartUp => "start-up",
        }
    }

    /// Returns the scene and the number of boxes.
    pub const fn subject(self) -> Option<(Scene, usize)> {
        match self {
            Self::Adversarial(_) | Self::Rates | Self::StartUp => None,
            Self::Verify(scene, count)
            | Self::Resident(scene, count)
            | Self::Check(scene, count)
            | Self::Contacts(scene, count)
            | Self::Distances(scene, count) => Some((scene, count)),
        }
    }

    pub fn title(self) -> String {
        match (self, self.subject()) {
            (Self::Adversarial(pairs), _) => format!("{} {}", self.name(), grouped(pairs as u64)),
            (_, Some((scene, count))) => format!("{} {scene} {}", self.name(), grouped(count as u64)),
            _ => self.name().to_owned(),
        }
    }

    /// Returns the approximate duration relative to other steps of its kind: the number of boxes,
    /// weighted by their partners.
    pub fn effort(self) -> f64 {
        let Some((scene, count)) = self.subject() else {
            return 1.0;
        };
        let of_box = match scene {
            Scene::Dense | Scene::Bricks => 6.0,
            Scene::Mixed | Scene::Clusters | Scene::Crowd => 2.0,
            _ => 1.0,
        };
        count as f64 * of_box
    }
}

/// The outcome of a step.
pub(super) struct Outcome {
    pub json: Value,
    pub text: String,
    /// The difference of two results that should agree.
    pub difference: Option<String>,
}
