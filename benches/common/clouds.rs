//! Clouds of points to put boxes around.

use obbligato::Obb;
use obbligato::glam::{DQuat, DVec3, Vec3};
use obbligato_support::split_mix::SplitMix;

/// The distribution of the points of a cloud.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Uniform in a cube.
    Random,
    /// Densest in the middle, with a different spread along each axis.
    Gaussian,
    /// The corners of a box, each many times, slightly displaced.
    NoisyBox,
    /// On a sphere.
    Sphere,
    /// Uniform in a rod, 100 times as long as wide.
    Stick,
    /// Uniform in a plate, 300 times as wide as thick.
    Plate,
    /// On a ring, like the vertices of a mesh.
    Mesh,
    /// The corners of stacked boxes.
    Building,
    /// At a few integer positions, many at the same one.
    Lattice,
    /// On the surface of a stone.
    Stone,
}

impl Kind {
    pub const ALL: [Self; 10] = [
        Self::Random,
        Self::Gaussian,
        Self::NoisyBox,
        Self::Sphere,
        Self::Stick,
        Self::Plate,
        Self::Mesh,
        Self::Building,
        Self::Lattice,
        Self::Stone,
    ];

    /// This many points, with a random rotation, translation and scale.
    pub fn cloud(self, count: usize, seed: u64) -> Vec<Vec3> {
        let mut random = Random(SplitMix(seed));
        let turn = random.rotation();
        let size = 10f64.powf(2.0 * random.side());
        let place = random.cube() * 3.0 * size;
        let widths = DVec3::new(1.0, 0.1 + 0.9 * random.0.unit(), 0.1 + 0.9 * random.0.unit());
        (0..count)
            .map(|k| (place + turn * (size * self.point(k, widths, &mut random))).as_vec3())
            .collect()
    }

    fn point(self, k: usize, widths: DVec3, random: &mut Random) -> DVec3 {
        let corner = DVec3::from_array([0, 1, 2].map(|bit| if k >> bit & 1 == 0 { -1.0 } else { 1.0 }));
        match self {
            Self::Random => random.cube(),
            Self::Gaussian => random.gaussian() * widths,
            Self::NoisyBox => corner * widths + random.gaussian() * 0.02,
            Self::Sphere => random.direction(),
            Self::Stick => random.cube() * DVec3::new(1.0, 0.01, 0.01),
            Self::Plate => random.cube() * DVec3::new(1.0, 0.7, 0.003),
            Self::Mesh => {
                let [around, along] = [0; 2].map(|_| random.side() * std::f64::consts::PI);
                let radius = 1.0 + 0.4 * along.cos();
                DVec3::new(radius * around.cos(), radius * around.sin(), 0.4 * along.sin()) * widths
            }
            Self::Building => match k % 3 {
                0 => corner * widths * DVec3::new(0.5, 0.4, 1.3),
                _ => corner * widths,
            },
            Self::Lattice => DVec3::from_array([5, 4, 3].map(|places| (random.0.next() % places) as f64)),
            Self::Stone => {
                let direction = random.direction();
                direction * widths * (1.0 + 0.3 * (3.0 * direction.x).sin())
            }
        }
    }
}

/// The corners of a box with any sizes and rotation.
pub fn corners(seed: u64) -> (Obb, Vec<Vec3>) {
    let mut random = Random(SplitMix(seed));
    let half = DVec3::from_array([0; 3].map(|_| 10f64.powf(1.5 * random.side())));
    let obb = Obb::new(
        (random.cube() * 5.0).as_vec3(),
        half.as_vec3(),
        random.rotation().as_quat(),
    );
    (obb, obb.corners().map(|corner| corner.as_vec3()).to_vec())
}

/// Random numbers of many distributions.
pub struct Random(pub SplitMix);

impl Random {
    /// From -1 to 1.
    pub fn side(&mut self) -> f64 {
        2.0 * self.0.unit() - 1.0
    }

    /// In the cube of these half extents.
    pub fn cube(&mut self) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.side()))
    }

    pub fn gaussian(&mut self) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| (0..12).map(|_| self.0.unit()).sum::<f64>() - 6.0))
    }

    /// Uniform over the sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let place = self.cube();
            if (1e-3..1.0).contains(&place.length_squared()) {
                return place.normalize();
            }
        }
    }

    /// Uniform over all rotations.
    pub fn rotation(&mut self) -> DQuat {
        let (a, b) = (self.gaussian(), self.gaussian());
        DQuat::from_xyzw(a.x, a.y, a.z, b.x).normalize()
    }
}
