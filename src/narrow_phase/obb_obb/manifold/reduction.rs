//! Reduction of a manifold to four points.

use crate::narrow_phase::obb_obb::manifold::Manifold;

/// The fraction by which an area must be larger to be preferred when a manifold is reduced, so that
/// noise does not choose.
const LARGER: f64 = 1e-3;

impl Manifold {
    /// Keeps at most four of the points: the deepest, and the three with which it spans the largest
    /// area across the normal.
    /// They support a resting box as well as all points do.
    ///
    /// Among equally deep points, and areas equal up to a thousandth, the first wins.
    #[must_use]
    pub fn reduced(mut self) -> Self {
        let points = self.points();
        if points.len() <= 4 {
            return self;
        }
        let deeper = |best: usize, k: usize| if points[k].depth > points[best].depth { k } else { best };
        let deepest = (1..points.len()).fold(0, deeper);
        let mut best = ([0; 4], -1.0);
        let count = points.len();
        for i in 0..count {
            for j in i + 1..count {
                for k in j + 1..count {
                    for l in k + 1..count {
                        let four = [i, j, k, l];
                        let area = self.area(four);
                        if four.contains(&deepest) && area > best.1 * (1.0 + LARGER) {
                            best = (four, area);
                        }
                    }
                }
            }
        }
        let kept = best.0.map(|k| self.points[k]);
        self.points[..4].copy_from_slice(&kept);
        self.len = 4;
        self
    }

    /// Returns the area, across the normal, of the quadrangle with these four corners in order.
    fn area(&self, four: [usize; 4]) -> f64 {
        let [a, b, c, d] = four.map(|k| self.points[k].on_a);
        0.5 * self.penetration.normal.dot((c - a).cross(d - b)).abs()
    }
}
