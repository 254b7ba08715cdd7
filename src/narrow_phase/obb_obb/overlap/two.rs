//! Two boxes whose overlap is computed: which of them is A, and their numbers in the frame of A.

use glam::Vec3;

use crate::geometry::rotation::{matrix, relative};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::Tally;
use crate::narrow_phase::obb_obb::exact::apart::{Apart, classify_apart};
use crate::narrow_phase::obb_obb::overlap::float::Float;
use crate::shapes::obb::record::Obb;

/// The space in which sizes are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Volumes.
    Volume,
    /// Areas of rectangles in the plane z = 0.
    Area,
}

impl Measure {
    /// Returns the axes of a box in this space.
    pub(super) fn axes(self) -> &'static [usize] {
        match self {
            Self::Volume => &[0, 1, 2],
            Self::Area => &[0, 1],
        }
    }

    /// Returns the volume or area of a box: rounded once, because the product of two numbers of
    /// `f32` is exact in `f64`, and so the same for the same extents in another order.
    fn of(self, obb: &Obb) -> f64 {
        let h = obb.half_extents.as_dvec3();
        match self {
            Self::Volume => 8.0 * (h.x * h.y * h.z),
            Self::Area => 4.0 * (h.x * h.y),
        }
    }
}

/// Two boxes. A, the first, is not larger than B.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Two {
    boxes: [Obb; 2],
    /// The vector from the center of A to that of B.
    apart: Apart,
    /// The volumes or areas of A and B.
    pub(super) sizes: [f64; 2],
    pub(super) measure: Measure,
}

impl Two {
    /// Orders two boxes, by their numbers alone, so that the result does not depend on which comes
    /// first. `apart` is the vector from the center of the first to that of the second, whatever
    /// those in the records.
    pub fn new(boxes: [&Obb; 2], apart: Apart, measure: Measure) -> Self {
        let sizes = boxes.map(|obb| measure.of(obb));
        let key = |k: usize| {
            let half = boxes[k].half_extents.to_array().map(f32::to_bits);
            let rotation = boxes[k].rotation.to_array().map(f32::to_bits);
            (sizes[k].to_bits(), half, rotation)
        };
        // Boxes with equal keys have equal rotations: their overlap depends on distances alone.
        let ([a, b], apart, sizes) = match key(0) <= key(1) {
            true => (boxes, apart, sizes),
            false => ([boxes[1], boxes[0]], apart.reversed(), [sizes[1], sizes[0]]),
        };
        Self {
            boxes: [a, b].map(|obb| Obb {
                center: Vec3::ZERO,
                ..*obb
            }),
            apart,
            sizes,
            measure,
        }
    }

    /// Returns `true` if their interiors meet, exactly.
    pub(super) fn overlap(&self) -> bool {
        let [a, b] = &self.boxes;
        classify_apart([a, b], &self.apart, &mut Tally::default()) == Contact::Overlapping
    }

    /// Returns the quaternions, the vector between the centers, rounded to `f64`, and the half
    /// extents.
    pub(super) fn numbers(&self) -> ([[f64; 4]; 2], [f64; 3], [[f64; 3]; 2]) {
        let [a, b] = &self.boxes;
        let turns = [a, b].map(|obb| obb.rotation.to_array().map(f64::from));
        let half = [a, b].map(|obb| obb.half_extents.to_array().map(f64::from));
        (turns, self.apart.rounded().to_array(), half)
    }

    /// Returns the axes of A that are axes of B too.
    pub(super) fn common(&self) -> Common {
        let ([a, b], ..) = self.numbers();
        let [x, y, z, _] = relative(a, b);
        match [x == 0.0, y == 0.0, z == 0.0] {
            [true, true, true] => Common::All,
            [false, true, true] => Common::One(0),
            [true, false, true] => Common::One(1),
            [true, true, false] => Common::One(2),
            _ => Common::Few,
        }
    }

    /// Converts the pair to the frame of A.
    pub(super) fn placed<T: Float>(&self) -> Placed<T> {
        let (turns, _, half) = self.numbers();
        let [turn, other] = turns.map(|turn| turn.map(T::from));
        let (rows, length) = matrix(turn);
        let apart = [0, 1, 2].map(|k| {
            let parts = self.apart.parts().iter().map(|part| T::from(part[k]));
            parts.fold(T::from(0.0), |sum, part| sum + part)
        });
        let along = |k: usize| rows[0][k] * apart[0] + rows[1][k] * apart[1] + rows[2][k] * apart[2];
        let (c, scale) = matrix(relative(turn, other));
        Placed {
            t: [0, 1, 2].map(|k| along(k) / length),
            c: c.map(|row| row.map(|entry| entry / scale)),
            half: half.map(|half| half.map(T::from)),
        }
    }
}

/// The axes of A that are exactly parallel to axes of B of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Common {
    /// The rotations are equal.
    All,
    /// B is A rotated about this axis, and moved.
    One(usize),
    /// None that is certain.
    Few,
}

/// Two boxes in the frame of A.
pub(super) struct Placed<T> {
    /// The center of B.
    pub t: [T; 3],
    /// The rotation of B, by rows.
    pub c: [[T; 3]; 3],
    /// The half extents of A and B.
    pub half: [[T; 3]; 2],
}

impl<T: Float> Placed<T> {
    /// Returns the sum of the coordinates and half extents along these axes, and the sum of 1 / h
    /// of A.
    pub fn spread(&self, axes: &[usize]) -> [f64; 2] {
        let [a, b] = &self.half;
        let size = |&k: &usize| (self.t[k].size() + a[k] + b[k]).rounded();
        [
            axes.iter().map(size).sum(),
            axes.iter().map(|&k| 1.0 / a[k].rounded()).sum(),
        ]
    }
}
