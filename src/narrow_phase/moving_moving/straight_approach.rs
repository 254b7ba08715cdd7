//! Two bodies that neither turn nor accelerate: the time at which they are nearest.
//!
//! # Method
//!
//! Let `w` denote the vector from a point of A to a closest point of B at a time, and `v` the
//! relative velocity. The distance `|w|` is a convex function of time, and `w·v` has the sign of
//! its derivative: it never decreases, and is linear while the same features are closest. So the
//! search brackets its zero, and halves the bracket or cuts it where the line through its ends is
//! zero.
//!
//! The direction of `w` is only known to about 1e-8, because a small shift of the closest points to
//! the side does not change their distance. So the last step does not use it. With `n = w / |w|`,
//! the bodies are nearest where they share a face perpendicular to n after one is moved by `w`: the
//! edges along which the points of both may slide are those perpendicular to n, and so is `v`
//! unless the nearest time is an end of the step. These edges and `v` determine n, as the cross
//! product of two of them if there are two in different directions. Within the plane perpendicular
//! to n, B moves along `v`, and the two faces share a point during an interval of time, found by
//! separating axes. Its start is the answer. It is accepted if the bodies are as near then as they
//! are at the time that the search found.

use glam::DVec3;

use crate::narrow_phase::obb_obb::frame::Frame;
use crate::shapes::moving::body::MovingCore;
use crate::shapes::obb::parts::rotation;

/// The maximum number of cuts of the bracket.
const MOST_CUTS: usize = 100;

/// The width of the bracket, as a fraction of the step, at which the search ends.
const FINEST: f64 = 1.0 / (1u64 << 40) as f64;

/// The cosine of an angle to the normal below which a direction counts as perpendicular to it: more
/// than the error of the normal.
const PERPENDICULAR: f64 = 1e-7;

/// The sine of an angle above which the cross product of two directions is precise.
const CROSSING: f64 = 1e-4;

/// The relative error of distances, with room.
const ERROR: f64 = 1e-13;

/// The maximum number of tangents followed to a contact.
const MOST_TANGENTS: usize = 64;

/// Two cores in the frame of the first.
pub(super) struct Straight {
    frame: Frame,
    /// The vector between the centers at time 0, and the relative velocity.
    offset: DVec3,
    velocity: DVec3,
    /// The sum of the radii.
    reach: f64,
    dt: f64,
}

impl Straight {
    pub fn new([a, b]: &[MovingCore; 2], dt: f64) -> Self {
        let to_a = rotation(&a.core.obb).transpose();
        let velocity = b.motion.velocity.as_dvec3() - a.motion.velocity.as_dvec3();
        let frame = Frame::apart(&a.core.obb, &b.core.obb, a.body().to(&b.body()));
        Self {
            offset: frame.t,
            frame,
            velocity: to_a * velocity,
            reach: f64::from(a.core.radius) + f64::from(b.core.radius),
            dt,
        }
    }

    /// Returns the vector from a point of A's core to a closest one of B's at a time at which the
    /// cores are apart.
    fn way(&self, time: f64) -> DVec3 {
        let t = self.offset + self.velocity * time;
        let Frame { axes, c, h_a, h_b, .. } = self.frame;
        let [on_a, on_b] = Frame::of(axes, t, c, [h_a, h_b]).closest_points();
        on_b - on_a
    }

    /// Returns the length that rounding errors are relative to.
    fn size(&self) -> f64 {
        (self.offset.abs() + self.velocity.abs() * self.dt + self.frame.h_a + self.frame.h_b).element_sum() + self.reach
    }

    /// Returns the time of the first contact of bodies that meet, given a time shortly before. The
    /// distance is convex, so tangents of it lead to the contact from before (Newton's method).
    pub fn meeting_from(&self, mut time: f64) -> f64 {
        let error = ERROR * self.size();
        let mut closing = 0.0;
        for _ in 0..MOST_TANGENTS {
            let way = self.way(time);
            let distance = way.length();
            let gap = distance - self.reach;
            let is_near = gap <= error;
            if !is_near {
                closing = -way.dot(self.velocity) / distance;
            }
            // The direction of a tiny way is not known: the last one still holds.
            let later = time + gap / closing;
            // NaN also ends the loop.
            if !(closing > 0.0 && later > time && later <= self.dt) {
                break;
            }
            time = later;
            if is_near {
                break;
            }
        }
        time
    }

    /// Returns the first time at which bodies that do not meet are nearest, and their distance.
    pub fn nearest(&self) -> (f64, f64) {
        let time = self.search();
        let found = self.way(time);
        let near = |way: DVec3| way.length() - self.reach;
        if let Some(first) = self.first_in_plane(found, time) {
            let way = self.way(first);
            if way.length() <= found.length() + ERROR * self.size() {
                return (first, near(way));
            }
        }
        (time, near(found))
    }

    /// Returns a time at which they are nearest, up to the error of directions.
    fn search(&self) -> f64 {
        let slope = |time: f64| self.way(time).dot(self.velocity);
        let (mut low, mut high) = (0.0, self.dt);
        let (mut at_low, mut at_high) = (slope(low), slope(high));
        if at_low >= 0.0 || self.dt == 0.0 {
            return low;
        }
        if at_high <= 0.0 {
            return high;
        }
        for cut in 0..MOST_CUTS {
            // Every third cut halves the bracket, however the slope runs.
            let part = if cut % 3 == 2 { 0.5 } else { at_low / (at_low - at_high) };
            let time = low + (high - low) * part;
            if !(time > low && time < high) || high - low < FINEST * self.dt {
                break;
            }
            let at_time = slope(time);
            if at_time < 0.0 {
                (low, at_low) = (time, at_time);
            } else {
                (high, at_high) = (time, at_time);
            }
        }
        if -at_low < at_high { low } else { high }
    }

    /// Returns when faces perpendicular to the way, which slide over each other, first share a
    /// point; `None` if nothing slides, or if rounding hides it.
    fn first_in_plane(&self, way: DVec3, time: f64) -> Option<f64> {
        let (v, n) = (self.velocity, way / way.length());
        if v.dot(n).abs() > PERPENDICULAR * v.length() || !n.is_finite() {
            return None;
        }
        let slides = Slides::new(&self.frame, n);
        let n = slides.normal(v, self.offset + v * time)?;
        let base = slides.rest(self.offset);
        let mut first = f64::NEG_INFINITY;
        let mut last = f64::INFINITY;
        for axis in slides.axes(n, v) {
            let (at_start, speed) = (axis.dot(base), axis.dot(v));
            if speed.abs() <= PERPENDICULAR * axis.length() * v.length() {
                continue;
            }
            let radius: f64 = slides.edges().map(|edge| axis.dot(edge).abs()).sum();
            let middle = -at_start / speed;
            let half = radius / speed.abs();
            first = first.max(middle - half);
            last = last.min(middle + half);
        }
        let is_known = first.is_finite() && first <= last + ERROR * self.dt.max(first.abs());
        is_known.then(|| first.clamp(0.0, self.dt))
    }
}

/// The edges of two boxes along which their closest points may slide.
struct Slides {
    /// Half edges; zero for those along which nothing slides.
    edges: [DVec3; 6],
    /// The vector from the corner of A where the other edges end to that of B, less that between
    /// the centers.
    corners: DVec3,
}

impl Slides {
    /// Finds the edges perpendicular to a direction, given up to its error.
    fn new(frame: &Frame, n: DVec3) -> Self {
        let mut slides = Self {
            edges: [DVec3::ZERO; 6],
            corners: DVec3::ZERO,
        };
        for k in 0..6 {
            let edge = match k {
                0..3 => DVec3::AXES[k] * frame.h_a[k],
                _ => frame.c.col(k - 3) * frame.h_b[k - 3],
            };
            let along = edge.dot(n);
            match along.abs() <= PERPENDICULAR * edge.length() {
                true => slides.edges[k] = edge,
                // A's corner is the farthest along n, B's the least far.
                false => slides.corners -= edge * along.signum(),
            }
        }
        slides
    }

    fn edges(&self) -> impl Iterator<Item = DVec3> {
        self.edges.into_iter().filter(|edge| *edge != DVec3::ZERO)
    }

    /// Returns the vector between the corners at time 0.
    fn rest(&self, offset: DVec3) -> DVec3 {
        offset + self.corners
    }

    /// Returns the unit normal of the plane in which everything slides, given the vector between
    /// the centers at a time at which the bodies are nearest.
    fn normal(&self, v: DVec3, offset: DVec3) -> Option<DVec3> {
        let along = v.normalize();
        let mut best = DVec3::ZERO;
        for edge in self.edges() {
            let product = along.cross(edge.normalize());
            if product.length_squared() > best.length_squared() {
                best = product;
            }
        }
        let normal = match best.length() > CROSSING {
            true => best.normalize(),
            // Everything slides along one line: the rest is perpendicular to it.
            false if self.edges().next().is_none() || best.length() < PERPENDICULAR => {
                let rest = self.rest(offset);
                (rest - along * rest.dot(along)).normalize()
            }
            false => return None,
        };
        normal.is_finite().then_some(normal)
    }

    /// Returns the axes in the plane along which the sliding faces may be apart.
    fn axes(&self, n: DVec3, v: DVec3) -> impl Iterator<Item = DVec3> {
        let of_edges: Vec<DVec3> = self.edges().map(|edge| n.cross(edge.normalize())).collect();
        let is_line = of_edges
            .windows(2)
            .all(|two| two[0].cross(two[1]).length() <= PERPENDICULAR);
        // Without two directions, the faces are a line or a point, whose ends count too.
        let ends = is_line.then(|| match self.edges().next() {
            Some(edge) => edge.normalize(),
            None => v.normalize(),
        });
        of_edges.into_iter().chain(ends)
    }
}
