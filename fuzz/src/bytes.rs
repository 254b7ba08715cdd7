//! Numbers from the bytes of an input, mostly of the kinds that are hard: small whole numbers,
//! which touch, and any bits.

use obbligato::glam::{Quat, Vec3};
use obbligato::{Capsule, Obb, Sphere};

/// The rest of an input. At its end it is all zeros.
pub struct Bytes<'a>(pub &'a [u8]);

/// Numbers at the limits of their kind.
const LIMITS: [f32; 12] = [
    0.0,
    -0.0,
    f32::MIN_POSITIVE,
    1e-45,
    f32::EPSILON,
    1e-30,
    1.152_921_5e18,
    -1.152_921_5e18,
    1e18,
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
];

/// Rotations whose matrices have only whole numbers, or fifths.
const TURNS: [[f32; 4]; 6] = [
    [0.0, 0.0, 0.0, 1.0],
    [0.5, 0.5, 0.5, 0.5],
    [0.5, -0.5, 0.5, 0.5],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, -0.0, 0.0, -1.0],
    [1.0, 0.0, 0.0, 0.0],
];

impl Bytes<'_> {
    /// Returns `true` if there are no more.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes([0; 4].map(|_| self.byte()))
    }

    /// Returns `true` for half of all bytes.
    pub fn coin(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Returns any number; mostly a small multiple of a quarter.
    pub fn number(&mut self) -> f32 {
        match self.byte() {
            kind @ 0..=199 => (f32::from(kind) - 100.0) / 4.0,
            200..=219 => f32::from(self.word() as i16) / 256.0,
            220..=229 => f32::from(self.byte()) / 255.0,
            230..=249 => f32::from_bits(self.word()),
            kind => LIMITS[usize::from(kind - 250) * 2 + self.below(2)],
        }
    }

    /// Returns any number that is not negative, unless it is NaN.
    pub fn size(&mut self) -> f32 {
        self.number().abs()
    }

    pub fn point(&mut self) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.number()))
    }

    /// Returns a rotation, mostly a valid one.
    pub fn turn(&mut self) -> Quat {
        match self.byte() {
            kind @ 0..=159 => Quat::from_array(TURNS[usize::from(kind) % TURNS.len()]),
            160..=249 => {
                let [x, y, z, w] = [0; 4].map(|_| f32::from(self.byte()) - 128.0);
                let turn = Quat::from_xyzw(x, y, z, w);
                if turn.length() > 0.0 {
                    turn.normalize()
                } else {
                    Quat::IDENTITY
                }
            }
            _ => Quat::from_array([0; 4].map(|_| self.number())),
        }
    }

    pub fn obb(&mut self) -> Obb {
        let half = Vec3::from([0; 3].map(|_| self.size()));
        let obb = Obb::new(self.point(), half, self.turn());
        match self.byte() {
            255 => obb.with_groups(self.word(), self.word()),
            _ => obb,
        }
    }

    pub fn capsule(&mut self) -> Capsule {
        Capsule::new(self.point(), self.size(), self.turn(), self.size())
    }

    pub fn sphere(&mut self) -> Sphere {
        Sphere::new(self.point(), self.size())
    }

    /// Returns up to `most` items.
    pub fn list<T>(&mut self, most: usize, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| item(self)).collect()
    }
}
