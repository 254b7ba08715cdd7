//! The colours of pictures.
//!
//! Touching and overlapping are the blue and the vermillion of Okabe and Ito ("Color Universal
//! Design", 2008), which people with any kind of colour vision can distinguish from each other and
//! from grey.

use crate::mark::Mark;

/// A colour as stored in pictures: sRGB.
pub(super) type Rgb = [u8; 3];

/// The background.
pub(super) const BACKGROUND: Rgb = [247, 248, 250];
/// Text and lines of the legend.
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
    colour.map(|channel| {
        let value = f32::from(channel) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    })
}

/// Converts an intensity, which may be outside the range from 0 to 1, to its stored form.
pub(super) fn stored(intensity: f32) -> u8 {
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
}
