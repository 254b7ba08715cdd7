//! The colours of pictures.
//!
//! Touching and overlapping are the blue and the vermillion of Okabe and Ito ("Color Universal Design", 2008), which people with any
//! kind of colour vision tell from each other and from grey.

use crate::mark::Mark;

/// A colour as it is stored in pictures: sRGB.
pub(super) type Rgb = [u8; 3];

/// Behind everything.
pub(super) const BACKGROUND: Rgb = [247, 248, 250];
/// Text and lines of the legend.
pub(super) const INK: Rgb = [38, 44, 52];
/// Contacts, Okabe and Ito's yellow.
const ARROW: Rgb = [240, 228, 66];

/// How much of what is behind a ghost it hides.
const GHOST: f32 = 0.30;

/// What a thing in the picture is, and so its colour: an index into the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tint(pub u32);

impl Tint {
    pub const ARROW: Self = Self(6);
    /// How many there are.
    pub const COUNT: usize = 7;

    pub const fn of(mark: Mark) -> Self {
        Self(mark as u32)
    }

    pub const fn of_ghost(mark: Mark) -> Self {
        Self(mark as u32 + 3)
    }
}

impl Mark {
    /// Its colour in pictures: sRGB. It is shaded there.
    pub const fn colour(self) -> [u8; 3] {
        match self {
            Self::Free => [184, 188, 194],
            Self::Touching => [0, 114, 178],
            Self::Overlapping => [213, 94, 0],
        }
    }
}

/// The colour of each tint, linear, and how much of what is behind it is hidden.
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

/// The intensities of a colour, from 0 to 1.
pub(super) fn linear(colour: Rgb) -> [f32; 3] {
    colour.map(|channel| {
        let value = f32::from(channel) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    })
}

/// The stored form of an intensity, which need not be in the range from 0 to 1.
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
    fn colours_come_back() {
        for value in 0..=255 {
            assert_eq!(stored(linear([value; 3])[0]), value);
        }
    }
}
