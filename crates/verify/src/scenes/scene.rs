//! Scenes of boxes.

use std::fmt;

use crate::scenes::layouts;
use crate::scenes::random::Random;
use obbligato::Obb;

/// A scene generator by name.
///
/// The *partners* of a box are the other boxes whose AABBs overlap its own: twice the candidate
/// pairs per box. The world grows with the count, so that the number of partners stays the same
/// except at the surface, where boxes have fewer. The figures are means over all boxes, with
/// 20,000 | 100,000 boxes and seed 1, measured by `measure` in `tests/it/scenes.rs`.
///
/// Boxes are in no spatial order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scene {
    /// Half extents in [0.5, 1], any rotation, anywhere in a cube around the origin. Partners: 1.95
    /// | 1.97.
    Uniform,
    /// `Uniform` in a tenth of the volume. Partners: 18.6 | 19.2.
    Dense,
    /// Half extents from 0.01 to 10, log-uniform in a box's size, any rotation. Partners: 4.7 |
    /// 5.0.
    Mixed,
    /// `Uniform` with 8 cubes among its boxes whose edge is a tenth of the world's. Partners:
    /// 2.03 | 2.03.
    Giants,
    /// Upright people, half extents 0.3 x 0.3 x 0.9, rotated about z only, standing on the plane z
    /// = 0 in Gaussian groups of about 250. Partners: 4.2 | 4.2.
    Crowd,
    /// Axis-aligned bricks of 2 x 1 x 1 in one solid block of running bond: each touches 20 others,
    /// fewer at the surface, and overlaps none. Partners: 18.6 | 19.2.
    Bricks,
    /// The boxes of `Uniform`, nine in ten of them in eight cubes that fill 1% of the world.
    /// Partners: 9.2 | 9.7.
    Clusters,
    /// Rods with half extents 0.05 x 0.05 x 1, any rotation. Partners: 4.9 | 5.0.
    Sticks,
    /// Cubes of edge 0.1, any rotation, packed until they nearly touch. Partners: 5.7 | 5.9.
    Particles,
    /// `Uniform` shifted by 1e6 in x, where adjacent `f32` values are 1/16 apart. Partners: 1.97 |
    /// 2.00.
    Far,
    /// `Uniform`, but 1,000 boxes (or all, if fewer) share one center, each with its own size and
    /// rotation. Partners: 52 | 12, and at least 999 in the stack.
    Coincident,
}

impl Scene {
    /// Every scene.
    pub const ALL: [Self; 11] = [
        Self::Uniform,
        Self::Dense,
        Self::Mixed,
        Self::Giants,
        Self::Crowd,
        Self::Bricks,
        Self::Clusters,
        Self::Sticks,
        Self::Particles,
        Self::Far,
        Self::Coincident,
    ];

    /// Returns the scene's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Dense => "dense",
            Self::Mixed => "mixed",
            Self::Giants => "giants",
            Self::Crowd => "crowd",
            Self::Bricks => "bricks",
            Self::Clusters => "clusters",
            Self::Sticks => "sticks",
            Self::Particles => "particles",
            Self::Far => "far",
            Self::Coincident => "coincident",
        }
    }

    /// Returns a one-line description.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Uniform => "half extents in [0.5, 1], any rotation, about 2 AABB partners per box",
            Self::Dense => "half extents in [0.5, 1], any rotation, about 20 partners per box",
            Self::Mixed => "half extents log-uniform over 0.01..10, about 5 partners per box",
            Self::Giants => "uniform, with 8 boxes that each span a tenth of the world",
            Self::Crowd => "upright people with half extents 0.3 x 0.3 x 0.9, in Gaussian groups on a plane",
            Self::Bricks => "axis-aligned bricks in running bond, each exactly touching about 20 others",
            Self::Clusters => "90% of the boxes in 1% of the volume, about 10 partners per box",
            Self::Sticks => "rods with half extents 0.05 x 0.05 x 1, any rotation, about 5 partners per box",
            Self::Particles => "small cubes near contact, about 6 partners per box",
            Self::Far => "uniform shifted by 1e6 in x",
            Self::Coincident => "uniform, with 1,000 boxes at one point",
        }
    }

    /// Generates `count` boxes of the scene; the same seed gives the same boxes on every machine.
    /// O(count).
    ///
    /// ```
    /// use obbligato_verify::scenes::Scene;
    /// let boxes = Scene::Crowd.generate(1000, 7);
    /// assert_eq!(boxes, Scene::Crowd.generate(1000, 7));
    /// ```
    ///
    /// # Panics
    /// If there is not enough memory for `count` boxes, as `Vec` does.
    pub fn generate(self, count: usize, seed: u64) -> Vec<Obb> {
        let mut boxes = Vec::with_capacity(count);
        boxes.extend(self.boxes(count, seed));
        boxes
    }

    /// Returns `true` if the boxes are shuffled, and so must be made all at once.
    pub const fn is_shuffled(self) -> bool {
        matches!(self, Self::Giants | Self::Bricks | Self::Particles | Self::Coincident)
    }

    /// Returns the boxes that [`Scene::generate`] makes, one after the other, for scenes larger
    /// than memory: unless they are [shuffled](Scene::is_shuffled), they need none.
    ///
    /// ```
    /// use obbligato_verify::scenes::Scene;
    /// assert!(Scene::Crowd.boxes(1000, 7).eq(Scene::Crowd.generate(1000, 7)));
    /// ```
    pub fn boxes(self, count: usize, seed: u64) -> Box<dyn Iterator<Item = Obb> + Send> {
        let layout = match self {
            Self::Uniform => layouts::uniform,
            Self::Dense => layouts::dense,
            Self::Mixed => layouts::mixed,
            Self::Giants => layouts::giants,
            Self::Crowd => layouts::crowd,
            Self::Bricks => layouts::bricks,
            Self::Clusters => layouts::clusters,
            Self::Sticks => layouts::sticks,
            Self::Particles => layouts::particles,
            Self::Far => layouts::far,
            Self::Coincident => layouts::coincident,
        };
        layout(count, Random::new(seed))
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Scene {
    type Err = String;

    /// Finds a scene by its name; the error lists all names.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|scene| scene.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|scene| scene.name()).collect();
            format!("no scene is named {name}: choose one of {}", names.join(", "))
        })
    }
}
