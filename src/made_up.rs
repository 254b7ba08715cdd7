//! Scenes and pairs that are hard to judge, for unit tests.
//!
//! They come from `obbligato-verify`, which depends on this library as its users build it. That is
//! a second compilation of the same source, whose types differ from the ones here. The records are
//! plain bytes, so they are cast.

use bytemuck::Pod;
use bytemuck::allocation::cast_vec;
pub(crate) use obbligato_verify::scenes::{BodyScene, Scene};
use obbligato_verify::{adversarial, reference::substeps};

use crate::shapes::bodies::set::{BodyRef, OwnedBodies};
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::record::Obb;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;

fn cast<const N: usize, T: Pod, U: Pod>(records: [T; N]) -> [U; N] {
    records.map(bytemuck::cast)
}

/// Returns the boxes of a scene.
pub(crate) fn boxes(scene: Scene, count: usize, seed: u64) -> Vec<Obb> {
    cast_vec(scene.generate(count, seed))
}

/// Returns the bodies of a scene.
pub(crate) fn bodies(scene: BodyScene, count: usize, seed: u64) -> OwnedBodies {
    let made = scene.bodies(count, seed);
    OwnedBodies {
        boxes: cast_vec(made.boxes),
        capsules: cast_vec(made.capsules),
        spheres: cast_vec(made.spheres),
    }
}

/// Returns a pair of boxes that is hard to judge.
pub(crate) fn pair(index: u64, seed: u64) -> (Obb, Obb) {
    let (a, b) = adversarial::pair(index, seed);
    (bytemuck::cast(a), bytemuck::cast(b))
}

/// Two boxes in straight motion.
pub(crate) struct StraightPair {
    pub boxes: [Obb; 2],
    pub velocities: [glam::Vec3; 2],
    pub dt: f64,
}

/// Returns a pair of boxes in straight motion that is hard to judge.
pub(crate) fn straight_pair(index: u64, seed: u64) -> StraightPair {
    let made = adversarial::straight_pair(index, seed);
    StraightPair {
        boxes: cast(made.boxes),
        velocities: made.velocities,
        dt: made.dt,
    }
}

/// Two boxes in motion.
#[derive(Debug)]
pub(crate) struct MovingPair {
    pub boxes: [Obb; 2],
    pub motions: [Motion; 2],
    pub dt: f64,
}

/// Returns a pair of boxes in motion that is hard to judge.
pub(crate) fn moving_pair(index: u64, seed: u64) -> MovingPair {
    let made = adversarial::MovingPair::new(index, seed);
    MovingPair {
        boxes: cast(made.boxes),
        motions: cast(made.motions),
        dt: made.dt,
    }
}

/// Returns the gap between two boxes in motion along a direction at a time, by the reference.
pub(crate) fn gap_along(pair: &MovingPair, time: f64, direction: glam::DVec3) -> f64 {
    let (boxes, motions) = (cast(pair.boxes), cast(pair.motions));
    substeps::gap_along(boxes.each_ref(), motions.each_ref(), time, direction)
}

/// A body that owns its record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OwnedBody {
    Box(Obb),
    Capsule(Capsule),
    Sphere(Sphere),
}

impl OwnedBody {
    pub fn body(&self) -> BodyRef<'_> {
        match self {
            Self::Box(obb) => obb.into(),
            Self::Capsule(capsule) => capsule.into(),
            Self::Sphere(sphere) => sphere.into(),
        }
    }
}

/// Two bodies in straight motion, not both boxes.
#[derive(Debug)]
pub(crate) struct MovingRound {
    pub bodies: [OwnedBody; 2],
    pub motions: [Motion; 2],
    pub dt: f64,
}

/// Returns a pair of bodies in straight motion that is hard to judge.
pub(crate) fn straight_round(index: u64, seed: u64) -> MovingRound {
    use adversarial::OwnedBody as Made;
    let made = adversarial::MovingRound::straight(index, seed);
    MovingRound {
        bodies: made.bodies.map(|body| match body {
            Made::Box(obb) => OwnedBody::Box(bytemuck::cast(obb)),
            Made::Capsule(capsule) => OwnedBody::Capsule(bytemuck::cast(capsule)),
            Made::Sphere(sphere) => OwnedBody::Sphere(bytemuck::cast(sphere)),
        }),
        motions: cast(made.motions),
        dt: made.dt,
    }
}
