//! Scenes with bodies other than boxes.

use std::fmt;

use glam::Vec3;

use crate::scenes::layouts::{block, world_edge};
use crate::scenes::random::{Random, cube_root, vec3};
use crate::scenes::scene::Scene;
use obbligato::{Capsule, Sphere, shape::OwnedBodies};

/// The number of spheres per unit of volume: as many collide as boxes in [`Scene::Uniform`].
const SPHERES_DENSITY: f64 = 0.0537;
/// The numbers of bodies per unit of volume: as many collide as boxes in [`Scene::Uniform`].
const CAPSULES_DENSITY: f64 = 0.0808;
const MIXED_KINDS_DENSITY: f64 = 0.0412;

/// A generator of bodies by name: a [`Scene`], or one of other shapes.
///
/// The same count and seed give the same bodies on every machine. They are in no spatial order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BodyScene {
    /// Boxes.
    Boxes(Scene),
    /// Spheres of radii in [0.5, 1], anywhere in a cube around the origin, with as many pairs as
    /// `uniform`.
    Spheres,
    /// Spheres of radius 1/2 on a cubic lattice: each touches six others, fewer at the surface, and
    /// overlaps none.
    Lattice,
    /// Capsules of half lengths in [0.5, 1] and radii in [0.25, 0.5], any rotation, with as many
    /// pairs as `uniform`.
    Capsules,
    /// A third each of the boxes of `uniform`, of those capsules and of those spheres, in one cube,
    /// with as many pairs.
    MixedKinds,
}

impl BodyScene {
    /// The scenes with bodies other than boxes.
    pub const OTHERS: [Self; 4] = [Self::Spheres, Self::Lattice, Self::Capsules, Self::MixedKinds];

    /// Returns every scene: first those of boxes.
    pub fn all() -> impl Iterator<Item = Self> {
        Scene::ALL.into_iter().map(Self::Boxes).chain(Self::OTHERS)
    }

    /// Returns the scene's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boxes(scene) => scene.name(),
            Self::Spheres => "spheres",
            Self::Lattice => "lattice",
            Self::Capsules => "capsules",
            Self::MixedKinds => "mixed-kinds",
        }
    }

    /// Returns a one-line description.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Boxes(scene) => scene.describe(),
            Self::Spheres => "spheres with radii in [0.5, 1], as many pairs as uniform",
            Self::Lattice => "spheres on a cubic lattice, each exactly touching 6 others",
            Self::Capsules => "capsules with half lengths in [0.5, 1] and radii in [0.25, 0.5], any rotation",
            Self::MixedKinds => "boxes, capsules and spheres, one third each",
        }
    }

    /// Generates `count` bodies of the scene. O(count).
    ///
    /// ```
    /// use obbligato_verify::scenes::BodyScene;
    /// let owned = BodyScene::MixedKinds.bodies(1000, 7);
    /// assert_eq!(owned.all().len(), 1000);
    /// ```
    ///
    /// # Panics
    /// If there is not enough memory for `count` bodies, as `Vec` does.
    pub fn bodies(self, count: usize, seed: u64) -> OwnedBodies {
        let random = &mut Random::new(seed);
        match self {
            Self::Boxes(scene) => OwnedBodies {
                boxes: scene.generate(count, seed),
                ..OwnedBodies::default()
            },
            Self::Spheres => anywhere([0, 0, count], world_edge(count, SPHERES_DENSITY), random),
            Self::Capsules => anywhere([0, count, 0], world_edge(count, CAPSULES_DENSITY), random),
            Self::MixedKinds => {
                let third = count / 3;
                let counts = [count - 2 * third, third, third];
                anywhere(counts, world_edge(count, MIXED_KINDS_DENSITY), random)
            }
            Self::Lattice => OwnedBodies {
                spheres: lattice(count, random),
                ..OwnedBodies::default()
            },
        }
    }
}

/// Returns these numbers of boxes, capsules and spheres in a cube with this edge.
fn anywhere([boxes, capsules, spheres]: [usize; 3], edge: f64, random: &mut Random) -> OwnedBodies {
    let center = |random: &mut Random| random.point(edge);
    let boxes = (0..boxes).map(|_| {
        let center = center(random);
        block(random, center)
    });
    let boxes = boxes.collect();
    let capsules = (0..capsules).map(|_| {
        let center = vec3(center(random));
        let (half_length, radius) = (random.between(0.5, 1.0), random.between(0.25, 0.5));
        Capsule::new(center, half_length as f32, random.rotation(), radius as f32)
    });
    let capsules = capsules.collect();
    let spheres = (0..spheres).map(|_| {
        let center = vec3(center(random));
        Sphere::new(center, random.between(0.5, 1.0) as f32)
    });
    let spheres = spheres.collect();
    OwnedBodies {
        boxes,
        capsules,
        spheres,
    }
}

/// Returns a cube of spheres, the top layer possibly incomplete, at integer coordinates.
fn lattice(count: usize, random: &mut Random) -> Vec<Sphere> {
    let row = cube_root(count as f64).ceil().max(1.0) as usize;
    let ball = |i: usize| {
        let [x, y, z] = [i % row, i / row % row, i / row / row].map(|place| place as f32);
        Sphere::new(Vec3::new(x, y, z), 0.5)
    };
    let mut balls: Vec<Sphere> = (0..count).map(ball).collect();
    random.shuffle(&mut balls);
    balls
}

impl From<Scene> for BodyScene {
    fn from(scene: Scene) -> Self {
        Self::Boxes(scene)
    }
}

impl fmt::Display for BodyScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for BodyScene {
    type Err = String;

    /// Finds a scene by its name; the error lists all names.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::all().find(|scene| scene.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::all().map(Self::name).collect();
            format!("no scene is named {name}: choose one of {}", names.join(", "))
        })
    }
}
