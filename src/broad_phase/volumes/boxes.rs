//! Boxes, oriented like their parts or like the body, and the separating-axis test with all fifteen
//! axes (Gottschalk, Lin and Manocha, "OBBTree", 1996).

use glam::{DMat3, DVec3, Mat3, Mat3A, Vec3, Vec3A, Vec3Swizzles};

use crate::broad_phase::volumes::volume::{Between, HOLDS, Volume};
use crate::geometry::eigenvectors::{Spread, eigenvectors};
use crate::geometry::rounding::above;

/// A box around parts, oriented by their spread: the points `center + axes * s` with
/// `|s| <= half_extents` in every coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OrientedBox {
    /// Its center, in the frame of the body.
    pub center: Vec3,
    /// Half of its extents along its axes.
    pub half_extents: Vec3,
    /// Its axes in the frame of the body, by columns: unit vectors at right angles, rounded.
    pub axes: Mat3,
}

/// A box around parts along the axes of the body: `|p - center| <= half_extents` in every
/// coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AlignedBox {
    /// Its center, in the frame of the body.
    pub center: Vec3,
    /// Half of its extents.
    pub half_extents: Vec3,
}

impl OrientedBox {
    /// Returns the box along these axes.
    fn along(axes: DMat3, points: &[DVec3]) -> Self {
        let axes = axes.as_mat3();
        let back = axes.as_dmat3().inverse();
        // Relative to one of the points, so that no precision is lost far from the origin.
        let first = points[0];
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for point in points {
            let place = back * (*point - first);
            (low, high) = (low.min(place), high.max(place));
        }
        let center = (first + axes.as_dmat3() * (0.5 * (low + high))).as_vec3();
        let (mut reach, mut farthest) = (DVec3::ZERO, 0.0f64);
        for point in points {
            let way = *point - center.as_dvec3();
            reach = reach.max((back * way).abs());
            farthest = farthest.max(way.abs().element_sum());
        }
        let half = reach + HOLDS * farthest;
        Self {
            center,
            half_extents: half.to_array().map(above).into(),
            axes,
        }
    }

    /// Returns a measure of the probability that another volume meets the box.
    fn area(&self) -> f32 {
        let [x, y, z] = self.half_extents.to_array();
        x * y + y * z + z * x
    }
}

impl Volume for OrientedBox {
    /// Returns the box along the principal axes of the points, or along the axes of the body if
    /// that is smaller.
    fn around(points: &[DVec3]) -> Self {
        let mut spread = Spread::default();
        for point in points {
            spread.add(*point - points[0]);
        }
        let principal = Self::along(eigenvectors(spread.covariance()), points);
        let aligned = Self::along(DMat3::IDENTITY, points);
        match principal.area() < aligned.area() {
            true => principal,
            false => aligned,
        }
    }

    #[inline(always)]
    fn is_apart(&self, other: &Self, between: &Between) -> bool {
        let [centers, half] = [[self.center, other.center], [self.half_extents, other.half_extents]];
        let back = Mat3A::from(self.axes).transpose();
        let frames = Frames {
            way: back * between.way(centers[0].into(), centers[1].into()),
            rotation: back * (between.rotation() * Mat3A::from(other.axes)),
            half: half.map(Vec3A::from),
            slack: slack(between, centers, half),
        };
        frames.are_apart()
    }

    fn size(&self) -> f32 {
        self.half_extents.length_squared()
    }

    fn holds(&self, point: DVec3) -> bool {
        let place = self.axes.as_dmat3().inverse() * (point - self.center.as_dvec3());
        place.abs().cmple(self.half_extents.as_dvec3()).all()
    }
}

impl Volume for AlignedBox {
    fn around(points: &[DVec3]) -> Self {
        let low = points.iter().copied().fold(points[0], DVec3::min);
        let high = points.iter().copied().fold(points[0], DVec3::max);
        let center = (0.5 * (low + high)).as_vec3();
        let half = (high - center.as_dvec3()).max(center.as_dvec3() - low);
        Self {
            center,
            half_extents: (half * (1.0 + HOLDS)).to_array().map(above).into(),
        }
    }

    #[inline(always)]
    fn is_apart(&self, other: &Self, between: &Between) -> bool {
        let [centers, half] = [[self.center, other.center], [self.half_extents, other.half_extents]];
        let frames = Frames {
            way: between.way(centers[0].into(), centers[1].into()),
            rotation: between.rotation(),
            half: half.map(Vec3A::from),
            slack: slack(between, centers, half),
        };
        frames.are_apart()
    }

    fn size(&self) -> f32 {
        self.half_extents.length_squared()
    }

    fn holds(&self, point: DVec3) -> bool {
        let way = (point - self.center.as_dvec3()).abs();
        way.cmple(self.half_extents.as_dvec3()).all()
    }
}

#[inline(always)]
fn slack(between: &Between, centers: [Vec3; 2], half: [Vec3; 2]) -> f32 {
    between.slack(centers.map(Vec3A::from), (half[0] + half[1]).into())
}

/// Two boxes in the frame of the first.
struct Frames {
    /// The vector from the center of the first to that of the second.
    way: Vec3A,
    /// The axes of the second, by columns.
    rotation: Mat3A,
    half: [Vec3A; 2],
    slack: f32,
}

impl Frames {
    /// Returns `true` if an axis separates the two: an axis of either, or one perpendicular to an
    /// axis of each.
    #[inline(always)]
    fn are_apart(&self) -> bool {
        let Self {
            way,
            rotation,
            half: [a, b],
            slack,
        } = *self;
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        let lengths = columns.map(Vec3A::abs);
        let [x, y, z] = lengths;
        if way.abs().cmpgt(a + (x * b.x + y * b.y + z * b.z) + slack).any() {
            return true;
        }
        let along = |axes: [Vec3A; 3], v: Vec3A| Vec3A::new(axes[0].dot(v), axes[1].dot(v), axes[2].dot(v));
        if along(columns, way).abs().cmpgt(b + along(lengths, a) + slack).any() {
            return true;
        }
        // The axes perpendicular to axis `j` of the second and, in the lanes, to each axis of the
        // first.
        (0..3).any(|j| {
            let [k, l] = [(j + 1) % 3, (j + 2) % 3];
            let own = rotate(a) * rotate_back(lengths[j]) + rotate_back(a) * rotate(lengths[j]);
            let others = lengths[k] * b[l] + lengths[l] * b[k];
            columns[j].cross(way).abs().cmpgt(own + others + slack).any()
        })
    }
}

/// Returns (y, z, x).
#[inline(always)]
fn rotate(v: Vec3A) -> Vec3A {
    v.yzx()
}

/// Returns (z, x, y).
#[inline(always)]
fn rotate_back(v: Vec3A) -> Vec3A {
    v.zxy()
}
