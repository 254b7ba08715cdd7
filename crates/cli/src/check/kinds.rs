//! The kinds of clashes: how two bodies that collide lie relative to each other.
//!
//! Whether they only touch is exact. The rest is decided in `f64`, and lengths that differ by less
//! than [`TOLERANCE`] of the bodies' sizes and distance are equal: a box whose face lies in that of
//! a larger one is contained.

use obbligato::{
    Obb, Obb64,
    glam::{DQuat, DVec2, DVec3, Quat, Vec3},
    shape::BodyRef,
};
use obbligato_files::Kind;

/// The largest difference of equal lengths, in units of the bodies' sizes and distance: 2^-40.
const TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// The smallest sine of an angle between two edges that are not parallel.
const PARALLEL: f64 = 1e-9;

/// All points within `radius` of a box; a capsule has a box without width, a sphere a point.
#[derive(Clone, Copy, Debug)]
pub struct Rounded {
    core: Obb64,
    axes: [DVec3; 3],
    half: [f64; 3],
    radius: f64,
}

impl From<&Obb64> for Rounded {
    fn from(core: &Obb64) -> Self {
        let [x, y, z, w] = core.rotation.to_array().map(f64::from);
        let turn = DQuat::from_xyzw(x, y, z, w).normalize();
        Self {
            core: *core,
            axes: DVec3::AXES.map(|axis| turn * axis),
            half: core.half_extents.as_dvec3().to_array(),
            radius: 0.0,
        }
    }
}

impl From<BodyRef<'_>> for Rounded {
    fn from(body: BodyRef<'_>) -> Self {
        let around = |center: Vec3, half: Vec3, rotation: Quat, radius: f32| Self {
            radius: radius.into(),
            ..Self::from(&Obb64::from(Obb::new(center, half, rotation)))
        };
        match body {
            BodyRef::Box(obb) => around(obb.center, obb.half_extents, obb.rotation, 0.0),
            BodyRef::Capsule(capsule) => around(
                capsule.center,
                Vec3::Z * capsule.half_length,
                capsule.rotation,
                capsule.radius,
            ),
            BodyRef::Sphere(sphere) => around(sphere.center, Vec3::ZERO, Quat::IDENTITY, sphere.radius),
        }
    }
}

impl Rounded {
    /// Returns the body moved by a vector.
    pub fn moved(mut self, by: DVec3) -> Self {
        self.core.center += by;
        self
    }

    fn size(&self) -> f64 {
        self.half.iter().sum::<f64>() + self.radius
    }

    /// Returns the vector to the center of another body.
    fn to(&self, other: &Self) -> DVec3 {
        other.core.center - self.core.center
    }

    /// Returns the largest distance of a point of the core from its center along a direction.
    fn reach(&self, direction: DVec3) -> f64 {
        let along = |(half, axis): (f64, DVec3)| half * axis.dot(direction).abs();
        self.half.into_iter().zip(self.axes).map(along).sum()
    }

    /// Returns the corners of the core relative to its center.
    fn corners(&self) -> impl Iterator<Item = DVec3> {
        let [x, y, z] = [0, 1, 2].map(|k| self.axes[k] * self.half[k]);
        (0..8u8).map(move |corner| {
            let sign = |k: u8| if corner >> k & 1 == 0 { -1.0 } else { 1.0 };
            x * sign(0) + y * sign(1) + z * sign(2)
        })
    }

    /// Returns `true` if the body contains another one.
    fn contains(&self, other: &Self, tolerance: f64) -> bool {
        let center = self.to(other);
        if self.radius == 0.0 {
            return (0..3).all(|k| {
                let reach = other.reach(self.axes[k]) + other.radius;
                center.dot(self.axes[k]).abs() + reach <= self.half[k] + tolerance
            });
        }
        let along = self.axes[2] * self.half[2];
        other.corners().all(|corner| {
            let distance = (center + corner).distance(nearest(center + corner, along));
            distance + other.radius <= self.radius + tolerance
        })
    }

    /// Returns `true` if another body passes through this one: it has two opposite faces (a
    /// capsule's are the balls at its ends) that this body does not meet, and every line from one
    /// to the other meets it.
    fn is_pierced_by(&self, other: &Self, tolerance: f64) -> bool {
        let directions = (0..3).filter(|&k| other.half[k] > 0.0);
        directions
            .into_iter()
            .any(|k| self.shades(other, k, tolerance) && other.ends(k).all(|end| self.is_off(&end, tolerance)))
    }

    /// Returns the two faces at the ends of an axis; of a capsule the balls.
    fn ends(&self, axis: usize) -> impl Iterator<Item = Self> {
        let mut half = self.half;
        half[axis] = 0.0;
        [-1.0, 1.0].into_iter().map(move |sign| {
            let mut end = self.moved(self.axes[axis] * (sign * self.half[axis]));
            end.core.half_extents[axis] = 0.0;
            Self { half, ..end }
        })
    }

    /// Returns `true` if two bodies do not meet.
    fn is_off(&self, other: &Self, tolerance: f64) -> bool {
        self.core.distance(&other.core) > self.radius + other.radius + tolerance
    }

    /// Returns `true` if all lines through another body along one of its axes meet this one: if the
    /// shadow of this body contains that of the other, in parallel light along the axis.
    fn shades(&self, other: &Self, axis: usize, tolerance: f64) -> bool {
        let light = other.axes[axis];
        let center = self.to(other);
        if self.radius == 0.0 {
            // The shadow of a box is bounded by those of its edges.
            let edges = self.axes.map(|edge| light.cross(edge)).into_iter();
            return edges.filter(|across| across.length() > PARALLEL).all(|across| {
                let across = across.normalize();
                center.dot(across).abs() + other.reach(across) + other.radius <= self.reach(across) + tolerance
            });
        }
        let [u, v] = [1, 2].map(|k| other.axes[(axis + k) % 3]);
        let shadow = |point: DVec3| DVec2::new(point.dot(u), point.dot(v)).extend(0.0);
        let along = shadow(self.axes[2] * self.half[2]);
        other.corners().all(|corner| {
            let corner = shadow(center + corner);
            corner.distance(nearest(corner, along)) + other.radius <= self.radius + tolerance
        })
    }
}

/// Returns the point nearest to `point` on the segment from `-along` to `along`.
fn nearest(point: DVec3, along: DVec3) -> DVec3 {
    match along.length_squared() {
        0.0 => DVec3::ZERO,
        length => along * (point.dot(along) / length).clamp(-1.0, 1.0),
    }
}

/// Returns the kind of a clash of two bodies that collide.
pub fn kind(a: &Rounded, b: &Rounded, touching: bool) -> Kind {
    let tolerance = TOLERANCE * (a.size() + b.size() + a.to(b).length());
    match [a.contains(b, tolerance), b.contains(a, tolerance)] {
        [true, true] => Kind::Duplicate,
        _ if touching => Kind::Touch,
        [true, _] | [_, true] => Kind::Contain,
        _ if a.is_pierced_by(b, tolerance) || b.is_pierced_by(a, tolerance) => Kind::Pierce,
        _ => Kind::Overlap,
    }
}

#[cfg(test)]
mod tests {
    use obbligato::{Capsule, Sphere};

    use super::*;

    fn cuboid(center: [f32; 3], half: [f32; 3]) -> Obb {
        Obb::axis_aligned(Vec3::from(center), Vec3::from(half))
    }

    /// Expects the kind in either order, also when all is rotated, mirrored and far away.
    #[track_caller]
    fn expect<'a>(a: impl Into<BodyRef<'a>>, b: impl Into<BodyRef<'a>>, kind_of_both: Kind) {
        let (a, b) = (a.into(), b.into());
        let touching = a.contact(b) == obbligato::contact::Contact::Touching;
        let [a, b] = [a, b].map(Rounded::from);
        let far = DVec3::new(4096.0, -512.0, 64.0);
        for [a, b] in [[a, b], [a.moved(far), b.moved(far)]] {
            assert_eq!(kind(&a, &b, touching), kind_of_both, "{a:?} {b:?}");
            assert_eq!(kind(&b, &a, touching), kind_of_both, "{b:?} {a:?}");
        }
    }

    #[test]
    fn kinds_of_boxes() {
        let wall = cuboid([0.0; 3], [2.0, 0.125, 1.5]);
        for (other, kind) in [
            (wall, Kind::Duplicate),
            // The same box, with its axes in another order.
            (
                Obb::new(
                    Vec3::ZERO,
                    Vec3::new(0.125, 2.0, 1.5),
                    Quat::from_xyzw(0.0, 0.0, 1.0, 1.0),
                ),
                Kind::Duplicate,
            ),
            (cuboid([0.0, 0.25, 0.0], [2.0, 0.125, 1.5]), Kind::Touch),
            (cuboid([1.0, 0.0, 0.5], [0.25, 0.0625, 0.25]), Kind::Contain),
            // In the wall, flush with one of its faces.
            (cuboid([1.0, 0.0625, 0.5], [0.25, 0.0625, 0.25]), Kind::Contain),
            // A pipe through the wall, one that ends in it, one that hangs over its edge, and one
            // in it lengthwise.
            (cuboid([1.0, 0.0, 0.5], [0.0625, 1.0, 0.0625]), Kind::Pierce),
            (cuboid([1.0, 1.0, 0.5], [0.0625, 1.0, 0.0625]), Kind::Overlap),
            (cuboid([2.0, 0.0, 0.5], [0.0625, 1.0, 0.0625]), Kind::Overlap),
            (cuboid([0.0, 0.0, 0.5], [3.0, 0.0625, 0.0625]), Kind::Pierce),
            (cuboid([0.0, 0.125, 0.5], [3.0, 0.0625, 0.0625]), Kind::Overlap),
            // A plate across the wall, and another wall that crosses it over its whole height.
            (cuboid([0.0, 0.0, 1.0], [3.0, 1.0, 0.0625]), Kind::Pierce),
            (cuboid([0.0, 0.0, 0.0], [0.125, 2.0, 1.5]), Kind::Pierce),
            (cuboid([0.0, 0.0, 0.25], [0.125, 2.0, 1.5]), Kind::Overlap),
            (cuboid([2.0, 0.0, 1.5], [0.5, 0.5, 0.5]), Kind::Overlap),
        ] {
            expect(&wall, &other, kind);
        }
        let slanting = Quat::from_rotation_x(0.5);
        let pipe = |y: f32| Obb::new(Vec3::new(0.5, y, 0.25), Vec3::new(0.0625, 1.0, 0.0625), slanting);
        expect(&wall, &pipe(0.0), Kind::Pierce);
        expect(&wall, &pipe(0.9), Kind::Overlap);
    }

    #[test]
    fn kinds_of_round_bodies() {
        let wall = cuboid([0.0; 3], [2.0, 0.25, 1.5]);
        let ball = |y: f32, radius| Sphere::new(Vec3::new(0.0, y, 0.0), radius);
        expect(&wall, &ball(0.0, 0.25), Kind::Contain);
        expect(&wall, &ball(0.0, 0.5), Kind::Overlap);
        expect(&wall, &ball(1.25, 1.0), Kind::Touch);
        expect(&wall, &ball(0.0, 4.0), Kind::Contain);
        expect(&ball(0.0, 1.0), &ball(0.0, 1.0), Kind::Duplicate);
        expect(&ball(0.0, 1.0), &ball(0.5, 0.5), Kind::Contain);
        // A pipe along y.
        let across = Quat::from_xyzw(
            std::f32::consts::FRAC_1_SQRT_2,
            0.0,
            0.0,
            std::f32::consts::FRAC_1_SQRT_2,
        );
        let pipe = |x: f32, y: f32| Capsule::new(Vec3::new(x, y, 0.0), 1.0, across, 0.125);
        expect(&wall, &pipe(1.0, 0.0), Kind::Pierce);
        expect(&wall, &pipe(1.0, 1.0), Kind::Overlap);
        expect(&wall, &pipe(2.0, 0.0), Kind::Overlap);
        expect(&ball(0.0, 0.5), &pipe(0.25, 0.0), Kind::Pierce);
        expect(&ball(0.0, 0.5), &pipe(0.5, 0.0), Kind::Overlap);
        expect(&ball(0.0, 2.0), &pipe(0.5, 0.0), Kind::Contain);
        // A thin rod through a pipe, and one that passes beside its axis.
        let rod = |y: f32| cuboid([0.0, y, 0.0], [1.0, 0.03125, 0.03125]);
        expect(&pipe(0.0, 0.0), &rod(0.5), Kind::Pierce);
        expect(&pipe(0.0, 0.0), &rod(1.125), Kind::Overlap);
    }
}
