//! The side of the plane of a triangle on which something lies.

use glam::Vec3;

use crate::regions::bsp::boxes::BoxFrame;
use crate::regions::bsp::tree::Split;
use crate::shapes::obb::record::Obb;
use crate::shapes::triangle::record::Triangle;

/// The side of a plane, or of the surface of a solid, on which something lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PlaneSide {
    /// Entirely on the side from which the triangle is seen counter-clockwise, or outside; it may
    /// touch a plane.
    Front,
    /// Entirely on the other side, or inside; it may touch a plane.
    Behind,
    /// On both sides.
    Across,
    /// Entirely in the plane, or on the surface.
    On,
}

impl Triangle {
    /// Returns the side of this triangle's plane on which a point, a segment or a polygon lies,
    /// given by its corners; exact. An object that touches the plane and lies on one side is on
    /// that side. For a triangle whose corners are on one line, everything is [`PlaneSide::On`].
    ///
    /// ```
    /// use obbligato::{glam::Vec3, region::PlaneSide, shape::Triangle};
    /// let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    /// assert_eq!(floor.side_of(&[Vec3::Z]), PlaneSide::Front);
    /// assert_eq!(floor.side_of(&[Vec3::ZERO, -Vec3::Z]), PlaneSide::Behind);
    /// assert_eq!(floor.side_of(&[Vec3::Z, Vec3::X, -Vec3::Z]), PlaneSide::Across);
    /// ```
    pub fn side_of(&self, points: &[Vec3]) -> PlaneSide {
        let split = Split::Plane(self.corners);
        let mut sides = [false; 2];
        for &point in points {
            let height = split.height(point);
            sides = [sides[0] || height > 0.0, sides[1] || height < 0.0];
        }
        match sides {
            [true, true] => PlaneSide::Across,
            [true, false] => PlaneSide::Front,
            [false, true] => PlaneSide::Behind,
            [false, false] => PlaneSide::On,
        }
    }

    /// Returns the side of this triangle's plane on which a box lies, conservatively:
    /// [`PlaneSide::Across`] is the answer for a box that touches the plane, and possibly for one
    /// that is apart from it by less than about 1e-12 of its size and distance.
    pub fn side_of_box(&self, obb: &Obb) -> PlaneSide {
        match BoxFrame::new(obb).reaches(&Split::Plane(self.corners)) {
            [true, false] => PlaneSide::Front,
            [false, true] => PlaneSide::Behind,
            _ => PlaneSide::Across,
        }
    }

    /// Splits a polygon into triangles, each of its first corner and two consecutive corners. A
    /// point or a segment gives one triangle, which is degenerate.
    pub fn fan(polygon: &[Vec3]) -> impl Iterator<Item = Self> + '_ {
        let few = match *polygon {
            [point] => Some(Self::new(point, point, point)),
            [from, to] => Some(Self::new(from, to, to)),
            _ => None,
        };
        let many = polygon.windows(2).skip(1).filter(move |_| polygon.len() > 2);
        few.into_iter()
            .chain(many.map(|ends| Self::new(polygon[0], ends[0], ends[1])))
    }
}
