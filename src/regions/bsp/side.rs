//! On which side of the plane of a triangle something is.

use glam::Vec3;

use crate::regions::bsp::boxes::BoxFrame;
use crate::regions::bsp::tree::Split;
use crate::shapes::obb::record::Obb;
use crate::shapes::triangle::record::Triangle;

/// On which side of a plane, or of the surface of a solid, something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PlaneSide {
    /// All of it on the side from which the triangle is seen counter-clockwise, or outside; it may touch a plane.
    Front,
    /// All of it on the other side, or inside; it may touch a plane.
    Behind,
    /// On both sides.
    Across,
    /// All of it in the plane, or on the surface.
    On,
}

impl Triangle {
    /// On which side of the plane of this triangle a point, a segment or a polygon is, given by its corners; exactly. What touches the plane and is on one side is on that side. Of a triangle whose corners are on
    /// one line everything is [`PlaneSide::On`].
    ///
    /// ```
    /// use obbligato::{PlaneSide, Triangle, glam::Vec3};
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

    /// On which side of the plane of this triangle a box is, conservatively: [`PlaneSide::Across`] may be said of a box that is apart from the plane by less than some
    /// 1e-12 of its size and distance, and is of one that touches it.
    pub fn side_of_box(&self, obb: &Obb) -> PlaneSide {
        match BoxFrame::new(obb).reaches(&Split::Plane(self.corners)) {
            [true, false] => PlaneSide::Front,
            [false, true] => PlaneSide::Behind,
            _ => PlaneSide::Across,
        }
    }

    /// A polygon as triangles, each of its first corner and two corners that follow each other. A point or a segment is one triangle, which is no more than that.
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
