//! A region of space, and the pairs that it owns.

use glam::Vec3;

use crate::geometry::aabb::Aabb;
use crate::shapes::obb::record::Obb;

/// A half-open region of space: the points `p` with `low <= p < high` in every coordinate. Either
/// side may be infinite.
///
/// A pair of boxes belongs to the tile that contains the low corner of the intersection of their
/// [`Obb::bounds`](crate::Obb::bounds): the larger of the two low corners, in each coordinate. If
/// tiles cover space without overlap, each pair belongs to exactly one of them, and both boxes
/// [meet](Tile::meets) it. Tiles that each receive all boxes that meet them therefore find every
/// pair exactly once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Tile {
    /// The corner with the smallest coordinates, which belongs to the tile; may be `-inf`.
    pub low: Vec3,
    /// The corner with the largest coordinates, which does not belong to the tile; may be `inf`.
    pub high: Vec3,
}

impl Tile {
    /// All of space.
    pub const EVERYTHING: Self = Self {
        low: Vec3::NEG_INFINITY,
        high: Vec3::INFINITY,
    };

    /// Returns `true` if a point is in the tile.
    pub fn contains(&self, point: Vec3) -> bool {
        self.low.cmple(point).all() && point.cmplt(self.high).all()
    }

    /// Returns `true` if bounds share a point with the tile. The tile needs the boxes with such
    /// bounds.
    pub fn meets(&self, bounds: &Aabb) -> bool {
        self.low.cmple(bounds.max).all() && bounds.min.cmplt(self.high).all()
    }

    /// Returns `true` if the tile owns a pair with these bounds, which overlap.
    pub fn owns(&self, a: &Aabb, b: &Aabb) -> bool {
        self.contains(a.min.max(b.min))
    }

    /// Returns `true` if the low corner of a box's [`widened`] bounds is certainly in the tile.
    /// Takes a tenth of the time of computing the bounds. If both corners of a pair are in the
    /// tile, the tile owns the pair.
    pub(crate) fn certainly_has_low_corner(&self, obb: &Obb, margin: f64) -> bool {
        let center = obb.center.as_dvec3();
        // Bounds extend at most by the sum of the half extents, for any rotation of the box; the
        // rest is many times their rounding.
        let reach = 1.001 * obb.half_extents.as_dvec3().element_sum() + margin + 1e-30;
        let lowest = center - reach - 1e-5 * center.abs();
        self.low.as_dvec3().cmple(lowest).all() && center.cmplt(self.high.as_dvec3()).all()
    }

    /// Splits the tile into the part below a coordinate, and the part from that coordinate on.
    #[must_use]
    pub fn split(&self, axis: usize, at: f32) -> [Self; 2] {
        let (mut below, mut above) = (*self, *self);
        below.high[axis] = at;
        above.low[axis] = at;
        [below, above]
    }
}

/// Widens bounds by half of a margin, and by the rounding. The results for two boxes that are
/// within the margin of each other overlap.
pub fn widened(bounds: Aabb, margin: f64) -> Aabb {
    if margin == 0.0 {
        return bounds;
    }
    let half = 0.5 * margin;
    let low = bounds.min.as_dvec3() - half;
    let high = bounds.max.as_dvec3() + half;
    Aabb {
        min: Vec3::from_array(low.as_vec3().to_array().map(f32::next_down)),
        max: Vec3::from_array(high.as_vec3().to_array().map(f32::next_up)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::{self, Scene};
    use crate::tiles::tiling::Tiling;

    fn bounds(low: f32, high: f32) -> Aabb {
        Aabb::new(Vec3::splat(low), Vec3::splat(high))
    }

    #[test]
    fn borders_belong_to_one_side() {
        let [left, right] = Tile::EVERYTHING.split(0, 2.0);
        let border = Vec3::new(2.0, 0.0, 0.0);
        assert!(!left.contains(border) && right.contains(border));
        assert!(left.contains(Vec3::new(2.0f32.next_down(), 9.0, -9.0)));
        // A box that ends at the border touches one that begins there.
        assert!(left.meets(&bounds(1.0, 2.0)) && right.meets(&bounds(1.0, 2.0)));
        assert!(!left.meets(&bounds(2.0, 3.0)) && right.meets(&bounds(2.0, 3.0)));
        assert!(right.owns(&bounds(1.0, 2.0), &bounds(2.0, 3.0)));
        assert!(!left.owns(&bounds(1.0, 2.0), &bounds(2.0, 3.0)));
        assert!(left.owns(&bounds(0.0, 5.0), &bounds(1.0, 9.0)));
    }

    #[test]
    fn certain_low_corners_are_in_their_tile() {
        let mut certain = 0;
        let mut there = 0;
        for scene in Scene::ALL {
            let boxes = made_up::boxes(scene, 1000, 5);
            for &Tile { low, high } in &Tiling::of_sample(&boxes, 5).expect("the scene is sound").tiles() {
                for (margin, scale) in [(0.0, 1.0), (0.3, 1.0), (1e-35, 1e-30), (0.0, 1e15)] {
                    let tile = Tile {
                        low: low * scale,
                        high: high * scale,
                    };
                    for obb in &boxes {
                        let obb = Obb::new(obb.center * scale, obb.half_extents * scale, obb.rotation);
                        let corner = widened(obb.bounds(), margin).min;
                        // The hardest case: a border at the corner, or next to it.
                        let at = Tile { low: corner, ..tile };
                        let above = corner.to_array().map(f32::next_up);
                        let beside = Tile {
                            low: Vec3::from_array(above),
                            ..tile
                        };
                        for tile in [tile, at, beside] {
                            let is_there = tile.contains(corner);
                            let is_certain = tile.certainly_has_low_corner(&obb, margin);
                            assert!(is_there || !is_certain, "{scene}, {tile:?}, {obb:?}");
                            certain += u32::from(is_certain);
                            there += u32::from(is_there);
                        }
                    }
                }
            }
        }
        assert!(certain > there / 8, "{certain} of {there}");
    }

    #[test]
    fn widened_bounds_overlap_across_a_margin() {
        for margin in [1e-30, 0.1, 3.0, 1e9] {
            for gap in [margin, 0.999 * margin] {
                let (a, b) = (bounds(-1.0, 1.0), bounds((1.0 + gap) as f32, (2.0 + gap) as f32));
                if f64::from(b.min.x) - f64::from(a.max.x) <= margin {
                    assert!(widened(a, margin).overlaps(&widened(b, margin)), "{margin} {gap}");
                }
            }
        }
        assert_eq!(widened(bounds(1.0, 2.0), 0.0), bounds(1.0, 2.0));
    }
}
