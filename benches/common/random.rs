//! Random numbers, vectors and rotations.

use obbligato::glam::{Quat, Vec3};
use obbligato_support::split_mix::SplitMix;

pub struct Random(pub SplitMix);

impl Random {
    pub fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.0.unit() as f32
    }

    pub fn vector(&mut self, size: f32) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.within(-size, size)))
    }

    pub fn rotation(&mut self) -> Quat {
        loop {
            let q = Quat::from_array([0; 4].map(|_| self.within(-1.0, 1.0)));
            if (0.01..=1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }
}
