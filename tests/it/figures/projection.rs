//! A box as drawn in the figures: from its front, slightly from the right and from above.

use obbligato::glam::{DVec2, DVec3};

use super::svg::{LINE, PALE, Svg, TINT, area, dashed};

/// The directions of the picture's axes, in pixels per half extent: x to the right, y away, z up.
const AXES: [DVec2; 3] = [DVec2::new(52.0, 10.0), DVec2::new(34.0, -30.0), DVec2::new(0.0, -50.0)];

/// The signs of the visible faces; the others are behind.
const SEEN: DVec3 = DVec3::new(1.0, -1.0, 1.0);

/// A box about a place in the figure.
#[derive(Clone, Copy)]
pub struct Shown {
    pub middle: DVec2,
}

impl Shown {
    /// The position in the figure of a point given in half extents from the center.
    pub fn place(self, point: DVec3) -> DVec2 {
        self.middle + point.x * AXES[0] + point.y * AXES[1] + point.z * AXES[2]
    }

    /// Returns `true` if a corner, an edge or a face is visible: the component along an axis is a
    /// sign if it is on a side of that axis, else 0.
    pub fn is_seen(signs: DVec3) -> bool {
        (signs * SEEN).max_element() > 0.0
    }

    /// Draws faces and edges.
    pub fn draw(self, svg: &mut Svg) {
        for (axis, shade) in [TINT, "#e2eaf2", "#f6f9fc"].into_iter().enumerate() {
            let [normal, one, other] = [0, 1, 2].map(|k| DVec3::AXES[(axis + k) % 3]);
            let normal = normal * SEEN;
            let corners = [-one - other, one - other, one + other, other - one];
            let corners = corners.map(|corner| self.place(normal + corner));
            svg.path(&corners, true, &area(shade, LINE));
        }
        // The three edges at the hidden corner.
        for axis in DVec3::AXES {
            let end = -SEEN + 2.0 * axis * SEEN;
            svg.line(self.place(-SEEN), self.place(end), &dashed(PALE));
        }
    }

    /// Draws the axes from a place.
    pub fn axes(svg: &mut Svg, from: DVec2) {
        use super::svg::{CAPTION, FAINT};
        for (axis, name) in AXES.into_iter().zip(["x", "y", "z"]) {
            let along = axis.normalize();
            svg.arrow(from, from + 30.0 * along, FAINT);
            svg.text(from + 40.0 * along, name, CAPTION);
        }
    }
}

/// The signs of all corners, edges and faces.
pub fn signs() -> impl Iterator<Item = DVec3> {
    let sign = |k: i32| f64::from(k - 1);
    let all = (0..27).map(move |k| DVec3::new(sign(k % 3), sign(k / 3 % 3), sign(k / 9)));
    all.filter(|signs| *signs != DVec3::ZERO)
}
