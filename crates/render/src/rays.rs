//! Intersects rays from the eye with solids and triangles: the twin of
//! `crates/render/shaders/rays.wgsl`.
//!
//! Everything is relative to the eye, so a ray is its direction `d`, and the parameter of a point
//! on it is its depth. A ray leaves a body that contains the eye where the opposite ray, `-d`,
//! would enter it, so one set of formulas serves both sides.
//!
//! Round bodies are intersected at the closest point of the ray to their centers, minus a distance
//! by Pythagoras' theorem. Squares of small distances are then never differences of squares of
//! large ones, so `f32` is enough however small a body is.

use glam::{Quat, Vec2, Vec3};

use crate::lens::LensRecord;
use crate::records::{BALL, BOX, Facet, Solid};

/// The point where a ray meets something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hit {
    pub depth: f32,
    /// The surface's normal, of length 1, towards the eye.
    pub normal: Vec3,
    /// The darkness of a line here, from 0 to 1.
    pub line: f32,
}

/// A solid, prepared for rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// Its own axes in the world.
    axes: [Vec3; 3],
    /// The eye in its frame.
    eye: Vec3,
    half_extents: Vec3,
    shape: u32,
    /// The factor of rays: 1, or -1 if the eye is in the solid.
    sense: f32,
}

impl Target {
    pub fn new(solid: &Solid) -> Self {
        let rotation = Quat::from_array(solid.rotation);
        let axes = [rotation * Vec3::X, rotation * Vec3::Y, rotation * Vec3::Z];
        let own = |v: Vec3| Vec3::new(axes[0].dot(v), axes[1].dot(v), axes[2].dot(v));
        Self {
            axes,
            eye: -own(solid.center),
            half_extents: solid.half_extents,
            shape: solid.shape(),
            sense: if solid.is_around_eye() { -1.0 } else { 1.0 },
        }
    }

    fn own(&self, v: Vec3) -> Vec3 {
        Vec3::new(self.axes[0].dot(v), self.axes[1].dot(v), self.axes[2].dot(v))
    }

    fn world(&self, v: Vec3) -> Vec3 {
        self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z
    }

    /// Returns the depth at which a ray meets it, if it does.
    pub fn depth(&self, ray: Vec3) -> Option<f32> {
        let ray = self.own(ray) * self.sense;
        let enters = match self.shape {
            BOX => {
                let [near, far] = self.slabs(ray);
                let (enters, leaves) = (near.max_element(), far.min_element());
                (enters <= leaves).then_some(enters)
            }
            BALL => ball(self.eye, ray, self.half_extents.x),
            _ => self.capsule(ray).map(|(enters, _)| enters),
        };
        enters.map(|enters| enters * self.sense).filter(|depth| *depth > 0.0)
    }

    /// Returns the depths at which the ray enters and leaves the slabs between opposite faces.
    fn slabs(&self, ray: Vec3) -> [Vec3; 2] {
        let inverse = ray.recip();
        let a = (-self.half_extents - self.eye) * inverse;
        let b = (self.half_extents - self.eye) * inverse;
        [a.min(b), a.max(b)]
    }

    /// Returns the point where a ray meets it. A box is met where the ray enters the plane of a
    /// face even if that is outside the face, as at the middle of a pixel that shows the box only
    /// in a corner.
    pub fn hit(&self, ray: Vec3, lens: &LensRecord) -> Option<Hit> {
        let own = self.own(ray) * self.sense;
        let hit = match self.shape {
            BOX => self.hit_box(own, lens),
            BALL => {
                let enters = ball(self.eye, own, self.half_extents.x)?;
                self.round(enters, self.eye + own * enters)
            }
            _ => {
                let (enters, from_core) = self.capsule(own)?;
                self.round(enters, from_core)
            }
        };
        let depth = hit.depth * self.sense;
        (self.shape == BOX || depth > 0.0).then_some(Hit {
            depth,
            normal: hit.normal * self.sense,
            ..hit
        })
    }

    fn round(&self, depth: f32, from_core: Vec3) -> Hit {
        Hit {
            depth,
            normal: self.world(from_core.normalize_or_zero()),
            line: 0.0,
        }
    }

    fn hit_box(&self, ray: Vec3, lens: &LensRecord) -> Hit {
        let [near, _] = self.slabs(ray);
        let depth = near.max_element();
        let face = match () {
            () if near.x == depth => 0,
            () if near.y == depth => 1,
            () => 2,
        };
        let point = self.eye + ray * depth;
        // The displacement of the point in the plane of the face from pixel to pixel.
        let [right, down] = [lens.step_right, lens.step_down].map(|step| {
            let step = self.own(step);
            (step - ray * (step[face] / ray[face])) * depth
        });
        let mut line = 0.0_f32;
        let mut least = f32::INFINITY;
        for axis in [(face + 1) % 3, (face + 2) % 3] {
            let pixel = Vec2::new(right[axis], down[axis]).length();
            let half = self.half_extents[axis];
            line = line.max(stroke((half - point[axis].abs()) / pixel));
            least = least.min(2.0 * half / pixel);
        }
        Hit {
            depth,
            normal: self.axes[face] * -ray[face].signum(),
            line: line * boldness(least),
        }
    }

    /// Returns the depth at which a ray enters, and the point there relative to the closest point
    /// of the core, in the own frame.
    fn capsule(&self, ray: Vec3) -> Option<(f32, Vec3)> {
        let radius = self.half_extents.x;
        let half_length = self.half_extents.z - radius;
        let [across, eye] = [ray, self.eye].map(Vec3::truncate);
        let squared = across.length_squared();
        // Along the axis, a ray enters by the nearer cap.
        let mut end = -ray.z.signum();
        if squared > 1e-12 * ray.length_squared() {
            let closest = -eye.dot(across) / squared;
            let apart = eye + across * closest;
            let inside = radius * radius - apart.length_squared();
            if inside < 0.0 {
                return None;
            }
            let depth = closest - (inside / squared).sqrt();
            let point = self.eye + ray * depth;
            if point.z.abs() <= half_length {
                return Some((depth, point.truncate().extend(0.0)));
            }
            end = point.z.signum();
        }
        let cap = Vec3::Z * (end * half_length);
        let depth = ball(self.eye - cap, ray, radius)?;
        Some((depth, self.eye - cap + ray * depth))
    }
}

/// Returns the depth at which a ray enters a sphere from whose center the eye is at `eye`.
fn ball(eye: Vec3, ray: Vec3, radius: f32) -> Option<f32> {
    let squared = ray.length_squared();
    let closest = -eye.dot(ray) / squared;
    let apart = eye + ray * closest;
    let inside = radius * radius - apart.length_squared();
    if inside < 0.0 {
        return None;
    }
    Some(closest - (inside / squared).sqrt())
}

/// A triangle, prepared for rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    a: Vec3,
    normal: Vec3,
    /// `normal · a`.
    offset: f32,
    /// The vectors whose products with `p - a` are the shares of corners b and c at a point p.
    shares: [Vec3; 2],
    /// The vectors whose products with a ray have the signs of the shares of the three corners
    /// where the ray meets the plane, if that is ahead.
    sides: [Vec3; 3],
    edged: bool,
}

impl Plane {
    /// Returns `None` if all corners are on one line.
    pub fn new(facet: &Facet) -> Option<Self> {
        let [u, v] = [facet.b - facet.a, facet.c - facet.a];
        let normal = u.cross(v);
        let squared = normal.length_squared();
        let shares = [v.cross(normal) / squared, normal.cross(u) / squared];
        let unit = normal.normalize_or_zero();
        let offset = unit.dot(facet.a);
        // The shares times the product of the ray and the normal, which has the sign of the offset.
        let [b, c] = shares.map(|share| (share * offset - unit * share.dot(facet.a)) * offset.signum());
        (shares.iter().all(|share| share.is_finite()) && unit != Vec3::ZERO).then(|| Self {
            a: facet.a,
            normal: unit,
            offset,
            shares,
            sides: [unit * offset.signum() - b - c, b, c],
            edged: facet.edged == 1,
        })
    }

    /// Returns `true` if no ray between these meets the triangle: all are beyond one side.
    pub fn is_missed(&self, rays: &[Vec3; 4]) -> bool {
        let is_beyond = |side: &Vec3| rays.iter().all(|ray| side.dot(*ray) < 0.0);
        self.sides.iter().any(is_beyond)
    }

    /// Returns the depth at which a ray meets the plane, and the shares of the three corners there.
    fn meet(&self, ray: Vec3) -> (f32, [f32; 3]) {
        let depth = self.offset / self.normal.dot(ray);
        let from_a = ray * depth - self.a;
        let [b, c] = self.shares.map(|share| share.dot(from_a));
        (depth, [1.0 - b - c, b, c])
    }

    /// Returns the depth at which a ray meets it, if it does.
    pub fn depth(&self, ray: Vec3) -> Option<f32> {
        let (depth, shares) = self.meet(ray);
        (depth > 0.0 && shares.iter().all(|&share| share >= 0.0)).then_some(depth)
    }

    /// Returns the point where a ray meets its plane.
    pub fn hit(&self, ray: Vec3, lens: &LensRecord) -> Hit {
        let (depth, shares) = self.meet(ray);
        let slope = self.normal.dot(ray);
        let mut line = 0.0_f32;
        let mut least = f32::INFINITY;
        if self.edged {
            let [right, down] =
                [lens.step_right, lens.step_down].map(|step| (step - ray * (self.normal.dot(step) / slope)) * depth);
            let [b, c] = self.shares;
            for (share, gradient) in shares.into_iter().zip([-b - c, b, c]) {
                let change = Vec2::new(gradient.dot(right), gradient.dot(down)).length();
                line = line.max(stroke(share / change));
                least = least.min(1.0 / change);
            }
        }
        Hit {
            depth,
            normal: self.normal * -slope.signum(),
            line: line * boldness(least),
        }
    }
}

/// Returns the darkness of the line along an edge at this distance from it, in pixels.
fn stroke(distance: f32) -> f32 {
    (1.5 - distance).clamp(0.0, 1.0)
}

/// Returns the darkness of lines around a face whose smallest extent is this number of pixels:
/// lines would hide small faces.
fn boldness(least: f32) -> f32 {
    ((least - 3.0) / 13.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use obbligato_support::split_mix::SplitMix;

    use super::*;

    #[test]
    fn no_ray_between_four_that_miss_a_triangle_meets_it() {
        let mut random = SplitMix(3);
        let mut number = |least: f64, most: f64| (least + random.unit() * (most - least)) as f32;
        let [mut missed, mut met] = [0, 0];
        for _ in 0..20_000 {
            // Some are behind the eye, at least in part.
            let [a, b, c] = [0; 3].map(|_| Vec3::new(number(-4.0, 4.0), number(-4.0, 4.0), number(-2.0, 8.0)));
            let facet = Facet {
                a,
                tint: 0,
                b,
                edged: 0,
                c,
                lift: 1.0,
            };
            let Some(plane) = Plane::new(&facet) else { continue };
            let (x, y) = (number(-1.0, 1.0), number(-1.0, 1.0));
            let ray = |s: f32, t: f32| Vec3::new(x + 0.1 * s, y + 0.1 * t, 1.0);
            let rays = [ray(0.0, 0.0), ray(1.0, 0.0), ray(0.0, 1.0), ray(1.0, 1.0)];
            let is_missed = plane.is_missed(&rays);
            let places = [0.1, 0.3, 0.5, 0.7, 0.9];
            let mut between = places.iter().flat_map(|&s| places.map(|t| ray(s, t)));
            let is_met = between.any(|ray| plane.depth(ray).is_some());
            assert!(!(is_missed && is_met), "{facet:?} {rays:?}");
            missed += u32::from(is_missed);
            met += u32::from(is_met);
        }
        assert!(missed > 5000 && met > 500, "{missed} {met}");
    }
}
