//! The images that the bodies of a scene are in, if space repeats.

use crate::base::arrays::Mapped;
use crate::geometry::period::{Image, Period};

/// The images of the bodies of a scene.
pub(super) struct Repeated<'a> {
    pub period: Period,
    /// The image of each body that may be `a`, and `b`, of a pair and that is in its place; empty
    /// if all are where they are given.
    pub images: [&'a [Image]; 2],
    /// Set if some bodies may meet in several images.
    pub several: bool,
}

impl Repeated<'_> {
    /// Returns `true` if pairs may need more than the test of an open scene.
    pub fn is_special(&self) -> bool {
        self.several || self.images.iter().any(|images| !images.is_empty())
    }

    /// Returns the image that moves `b` as seen from `a`, if in their places it is this one.
    pub fn between(&self, a: u32, b: u32, image: Image) -> Image {
        let of = |set: usize, id: u32| self.images[set].get(id as usize).copied().unwrap_or_default();
        let (a, b) = (of(0, a), of(1, b));
        [0, 1, 2].mapped(|k| image[k] + b[k] - a[k])
    }
}
