//! The generator behind the scenes, and the few functions that must round identically everywhere.
//!
//! IEEE 754 defines `+ - * /` and `sqrt` to the last bit; `sin`, `exp`, `ln`, `cbrt` and `powf`
//! differ between platforms and library versions. Nothing here calls the latter, and everything is
//! computed in `f64` and rounded once to `f32`.

use glam::{Quat, Vec3};

use obbligato_support::split_mix::SplitMix;

pub(super) struct Random(SplitMix);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(SplitMix(seed))
    }

    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Returns a uniform number in [low, high].
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a uniform integer in 0..bound; the bias is below bound / 2^64.
    ///
    /// Lemire, "Fast Random Integer Generation in an Interval", 2019, without its rejection step.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next()) * bound as u128) >> 64) as usize
    }

    /// Returns a log-uniform number between `low` and `low * e^span`.
    pub(super) fn log_uniform(&mut self, low: f64, span: f64) -> f64 {
        low * exp(span * self.unit())
    }

    /// Returns a number of mean 0, standard deviation 1, within +-6: a sum of twelve uniform
    /// numbers (the Irwin-Hall distribution), which needs neither logarithm nor sine.
    pub(super) fn gaussian(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// Returns a uniform point in the cube with this edge around the origin.
    pub(super) fn point(&mut self, edge: f64) -> [f64; 3] {
        [0; 3].map(|_| self.between(-0.5 * edge, 0.5 * edge))
    }

    /// Returns a rotation, uniform over all rotations: Marsaglia, "Choosing a Point from the
    /// Surface of a Sphere", 1972.
    pub(super) fn rotation(&mut self) -> Quat {
        let (x, y, square) = self.disc();
        let (z, w, other) = self.disc();
        let scale = ((1.0 - square) / other).sqrt();
        Quat::from_xyzw(x as f32, y as f32, (z * scale) as f32, (w * scale) as f32)
    }

    /// Returns a rotation, uniform over all rotations about z.
    pub(super) fn yaw(&mut self) -> Quat {
        let (z, w, square) = self.disc();
        let length = square.sqrt();
        Quat::from_xyzw(0.0, 0.0, (z / length) as f32, (w / length) as f32)
    }

    /// Returns a uniform point in the unit disc without its center, and its squared distance from
    /// the center.
    fn disc(&mut self) -> (f64, f64, f64) {
        loop {
            let (x, y) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return (x, y, square);
            }
        }
    }

    /// Makes every order equally likely: Fisher and Yates, from the end.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// Rounds a point to `f32`.
pub(super) fn vec3([x, y, z]: [f64; 3]) -> Vec3 {
    Vec3::new(x as f32, y as f32, z as f32)
}

/// Returns e^x for x in [0, 8], to about 1e-14: the Taylor series at x / 64, squared six times.
fn exp(x: f64) -> f64 {
    let small = x / 64.0;
    let series = (1..=12).rev().fold(1.0, |sum, n| 1.0 + sum * small / f64::from(n));
    (0..6).fold(series, |power, _| power * power)
}

/// Returns the cube root of a number >= 0, by Newton's method.
pub(super) fn cube_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut root = 1.0;
    while root * root * root < x {
        root *= 2.0;
    }
    // Converges quadratically from at most twice the root; numbers below 1 take one more step per
    // power of 1.5.
    for _ in 0..64 {
        root = (2.0 * root + x / (root * root)) / 3.0;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_match_the_standard_library() {
        for i in 0..=800 {
            let x = f64::from(i) / 100.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-13, "exp({x})");
        }
        for x in [1e-3, 0.5, 1.0, 2.0, 27.0, 1e9, 1e15] {
            assert!((cube_root(x) / x.cbrt() - 1.0).abs() < 1e-14, "cube_root({x})");
        }
        assert_eq!(cube_root(0.0), 0.0);
    }

    #[test]
    fn rotations_are_unit_and_unbiased() {
        let mut random = Random::new(7);
        let mut sums = [0.0; 4];
        for _ in 0..10_000 {
            let rotation = random.rotation();
            assert!((rotation.length() - 1.0).abs() < 1e-6);
            for (sum, x) in sums.iter_mut().zip(rotation.to_array()) {
                *sum += f64::from(x * x) / 10_000.0;
            }
        }
        // Each of the four squares has mean 1/4 and standard deviation 0.22.
        assert!(sums.iter().all(|sum| (sum - 0.25).abs() < 0.01), "{sums:?}");
    }

    #[test]
    fn gaussian_has_its_moments() {
        let mut random = Random::new(7);
        let numbers: Vec<f64> = (0..20_000).map(|_| random.gaussian()).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }

    #[test]
    fn shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..1000).collect();
        Random::new(7).shuffle(&mut items);
        assert!(items.iter().enumerate().filter(|&(i, &item)| i as u32 == item).count() < 10);
        items.sort_unstable();
        assert!(items.iter().enumerate().all(|(i, &item)| i as u32 == item));
    }
}
