//! Triangles of which many pairs are hard to decide.

use glam::Vec3;

use obbligato::shape::Triangle;
use obbligato_support::split_mix::SplitMix;

/// A kind of triangles around one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriangleFamily {
    /// Random corners.
    Random,
    /// Corners on a grid of 3 x 3 x 3: exact contacts everywhere, and equal, straight and flat
    /// triangles.
    SmallGrid,
    /// Corners on a grid of 9 x 9 x 9.
    Grid,
    /// Corners on a grid of 65 in one plane, upright or oblique.
    Flat,
    /// Corners on a grid that are equal or on one line.
    Degenerate,
    /// Corners on a grid of subnormal numbers, 2^-149 apart.
    Tiny,
    /// Corners on a grid up to the largest coordinate.
    Huge,
    /// Random corners, far from the origin, whose differences have few digits left.
    FarAway,
    /// Corners on a grid, some off by a unit in the last place.
    Nudged,
    /// Long and thin, nearly in one plane.
    Slivers,
    /// Coordinates of all sizes, subnormal ones among them.
    Extreme,
}

/// All families.
pub const TRIANGLE_FAMILIES: [TriangleFamily; 11] = [
    TriangleFamily::Random,
    TriangleFamily::SmallGrid,
    TriangleFamily::Grid,
    TriangleFamily::Flat,
    TriangleFamily::Degenerate,
    TriangleFamily::Tiny,
    TriangleFamily::Huge,
    TriangleFamily::FarAway,
    TriangleFamily::Nudged,
    TriangleFamily::Slivers,
    TriangleFamily::Extreme,
];

impl TriangleFamily {
    /// Returns `count` triangles of this kind. The same seed gives the same ones.
    pub fn triangles(self, count: usize, seed: u64) -> Vec<Triangle> {
        let mut random = SplitMix(seed ^ (self as u64) << 56);
        (0..count).map(|_| self.triangle(&mut random)).collect()
    }

    fn triangle(self, random: &mut SplitMix) -> Triangle {
        let corners = match self {
            Self::Random => corners(random, |random| random.unit() as f32),
            Self::SmallGrid => corners(random, |random| below(random, 3)),
            Self::Grid => corners(random, |random| below(random, 9)),
            Self::Flat => {
                let oblique = below(random, 2);
                corners(random, |random| below(random, 65)).map(|p| Vec3::new(p.x, p.y, oblique * (p.x + 2.0 * p.y)))
            }
            Self::Degenerate => {
                let [p, q, _] = corners(random, |random| 2.0 * below(random, 4));
                let third = [p, q, (p + q) / 2.0, 2.0 * p - q][below(random, 4) as usize];
                if below(random, 8) == 0.0 { [p; 3] } else { [p, third, q] }
            }
            Self::Tiny => corners(random, |random| f32::from_bits(below(random, 6) as u32)),
            Self::Huge => corners(random, |random| (below(random, 9) - 4.0) * 2f32.powi(58)),
            Self::FarAway => corners(random, |random| 2f32.powi(22) + 8.0 * random.unit() as f32),
            Self::Nudged => corners(random, |random| {
                let number = 1.0 + below(random, 4);
                match below(random, 6) as u32 {
                    0 => number.next_up(),
                    1 => number.next_down(),
                    _ => number,
                }
            }),
            Self::Slivers => {
                let [p, q, r] = corners(random, |random| random.unit() as f32);
                let flat = |p: Vec3, scale: f32| Vec3::new(p.x, p.y, p.x + scale * p.z);
                [flat(p, 1e-7), flat(q, 1e-7), flat(p + 1e-4 * r, 1e-7)]
            }
            Self::Extreme => corners(random, |random| {
                let number = (random.unit() as f32 - 0.5) * 2f32.powi(61);
                let power = below(random, 210) as i32;
                let [first, second] = [-power / 2, -(power - power / 2)].map(|power| 2f32.powi(power));
                if below(random, 4) == 0.0 {
                    0.0
                } else {
                    number * first * second
                }
            }),
        };
        Triangle { corners }
    }
}

fn corners(random: &mut SplitMix, number: impl Fn(&mut SplitMix) -> f32) -> [Vec3; 3] {
    [0; 3].map(|_| Vec3::from([0; 3].map(|_| number(random))))
}

fn below(random: &mut SplitMix, most: u64) -> f32 {
    (random.next() % most) as f32
}
