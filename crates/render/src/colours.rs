//! The colours of pictures.
//!
//! Touching and overlapping are the blue and the vermillion of Okabe and Ito ("Color Universal
//! Design", 2008), which people with any kind of colour vision can distinguish from each other and
//! from grey.

use std::sync::LazyLock;

use crate::mark::Mark;

/// A colour as stored in pictures: sRGB.
pub(super) type Rgb = [u8; 3];

/// The background.
pub(super) const BACKGROUND: Rgb = [247, 248, 250];
/// Text and lines of the legend.
#[cfg(feature = "letters")]
pub(super) const INK: Rgb = [38, 44, 52];
/// Contacts, Okabe and Ito's yellow.
const ARROW: Rgb = [240, 228, 66];

/// The opacity of a ghost.
const GHOST: f32 = 0.30;

/// The colour class of a thing in the picture, as an index into the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tint(pub u32);

impl Tint {
    pub const ARROW: Self = Self(6);
    /// The number of tints.
    pub const COUNT: usize = 7;

    pub const fn of(mark: Mark) -> Self {
        Self(mark as u32)
    }

    pub const fn of_ghost(mark: Mark) -> Self {
        Self(mark as u32 + 3)
    }
}

impl Mark {
    /// Returns its sRGB colour in pictures, before shading.
    pub const fn colour(self) -> [u8; 3] {
        match self {
            Self::Free => [184, 188, 194],
            Self::Touching => [0, 114, 178],
            Self::Overlapping => [213, 94, 0],
        }
    }
}

/// Returns the colour of each tint, linear, and its opacity.
pub(super) fn palette() -> [[f32; 4]; Tint::COUNT] {
    let with = |colour: Rgb, alpha: f32| {
        let [red, green, blue] = linear(colour);
        [red, green, blue, alpha]
    };
    let [free, touching, overlapping] = Mark::ALL.map(Mark::colour);
    [
        with(free, 1.0),
        with(touching, 1.0),
        with(overlapping, 1.0),
        with(free, GHOST),
        with(touching, GHOST),
        with(overlapping, GHOST),
        with(ARROW, 1.0),
    ]
}

/// Returns the intensities of a colour, from 0 to 1.
pub(super) fn linear(colour: Rgb) -> [f32; 3] {
    colour.map(|channel| INTENSITIES[usize::from(channel)])
}

/// Converts an intensity, which may be outside the range from 0 to 1, to its stored form.
pub(super) fn stored(intensity: f32) -> u8 {
    // A product with a power of two is exact. Where the curve is steepest, a bucket has two values.
    let bucket = (intensity.clamp(0.0, 1.0) * BUCKETS as f32) as usize;
    let mut value = FIRST[bucket];
    while LEAST.get(usize::from(value)).is_some_and(|&least| least <= intensity) {
        value += 1;
    }
    value
}

/// The intensity of each stored value. Blending asks for those of every pixel that it covers.
static INTENSITIES: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|channel| {
        let value = channel as f32 / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    })
});

/// For each stored value above 0, the least intensity that is stored as it.
static LEAST: LazyLock<[f32; 255]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let (mut below, mut at) = (0, 1.0f32.to_bits());
        while at - below > 1 {
            let middle = below + (at - below) / 2;
            match usize::from(encoded(f32::from_bits(middle))) > k {
                true => at = middle,
                false => below = middle,
            }
        }
        f32::from_bits(at)
    })
});

/// The parts of the range from 0 to 1, for each of which [`FIRST`] has an entry.
const BUCKETS: usize = 4096;

/// The stored value of the least intensity in each bucket.
static FIRST: LazyLock<[u8; BUCKETS + 1]> =
    LazyLock::new(|| std::array::from_fn(|bucket| encoded(bucket as f32 / BUCKETS as f32)));

/// The curve of sRGB (IEC 61966-2-1).
fn encoded(intensity: f32) -> u8 {
    let value = match intensity <= 0.003_130_8 {
        true => intensity * 12.92,
        false => 1.055 * intensity.powf(1.0 / 2.4) - 0.055,
    };
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_round_trip() {
        for value in 0..=255 {
            assert_eq!(stored(linear([value; 3])[0]), value);
        }
    }

    #[test]
    fn tables_are_the_curve() {
        let step = 97;
        let inside = (0..=1.0f32.to_bits() / step).map(|k| f32::from_bits(k * step));
        let outside = [-0.0, -1.0, 1.0, 1.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let borders = LEAST
            .iter()
            .flat_map(|least| [least.next_down(), *least, least.next_up()]);
        for intensity in inside.chain(outside).chain(borders) {
            assert_eq!(stored(intensity), encoded(intensity), "{intensity:e}");
        }
    }
}
