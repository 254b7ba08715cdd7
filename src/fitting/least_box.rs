//! The smallest box around the convex hull of points.
//!
//! In a smallest box, two neighbouring faces each have an edge of the hull in their plane
//! (O'Rourke, "Finding Minimal Enclosing Boxes", 1985). So the normal of one of them, called the
//! axis here, is perpendicular to an edge at which the hull has a supporting plane of that normal:
//! it lies on the arc from the outward normal of one face at the edge to that of the other. The
//! axis determines the box: the height of the hull along it, times the smallest rectangle around
//! the hull's shadow, which has a side along an edge of the shadow (Freeman and Shapira, 1975).
//!
//! It remains to minimize a function on the arcs: they are sampled, from face to face, and the best
//! samples are refined. Jylänki ("An Exact Algorithm for Finding Minimum Oriented Bounding
//! Boxes", 2015) solves for the edges that meet instead, in more time. Tests compare the volumes
//! with a search over all pairs of edges.
//!
//! O(v) per sample for v corners, of which the shadow has about 2√v, and O(v) samples.

use glam::{DMat3, DVec3, Vec3};

use crate::base::error::Result;
use crate::shapes::solid::faces::{Edge, edges};
use crate::shapes::solid::hull::Hull;

/// The largest step between samples along an arc, in radians.
const STEP: f64 = 0.25;
/// The number of minima of the samples that are refined, and the width in radians to which they are
/// narrowed: many a little, and the best of those further.
const ROUNDS: [(usize, f64); 3] = [(12, 1e-2), (3, 1e-4), (1, 1e-8)];
/// The factor by which a minimum may exceed the best volume and still be refined.
const WORTH: f64 = 1.4;
/// The factor by which a box may exceed the hull's volume and still not be improved.
const PERFECT: f64 = 1.0 + 1e-6;
/// The factor by which the best box at a face may exceed the hull's volume and still not be
/// improved by samples.
const GOOD: f64 = 1.0005;
/// The ratio of the golden section.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// A box given by its axes, which are right-handed and of length 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Oriented {
    pub axes: DMat3,
    /// The volume, with each width increased by the possible effect of rounding: so flat boxes are
    /// compared by their areas, and straight ones by their lengths.
    pub volume: f64,
}

/// Returns the smallest box around points, of which there must be at least one.
pub(super) fn least_box(points: &[Vec3], rounding: f64) -> Result<Oriented> {
    let hull = Hull::of(points)?;
    let at = |k: u32| points[k as usize].as_dvec3();
    Ok(match hull.dimension {
        0 => Oriented {
            axes: DMat3::IDENTITY,
            volume: rounding.powi(3),
        },
        1 => along(at(hull.vertices[1]) - at(hull.vertices[0]), rounding),
        _ => Search::new(points, hull, rounding).least(),
    })
}

/// Returns the box around a segment, rotated from the nearest axis of the world by the shortest
/// rotation.
fn along(way: DVec3, rounding: f64) -> Oriented {
    let largest = way.abs().max_position();
    let x = way.normalize() * way[largest].signum();
    let from = DMat3::IDENTITY.col(largest);
    Oriented {
        axes: DMat3::from_quat(glam::DQuat::from_rotation_arc(from, x)),
        volume: (way.length() + rounding) * rounding * rounding,
    }
}

/// The hull, and the state of the search.
struct Search {
    /// The corners relative to the first of them, so that few digits are lost.
    corners: Vec<DVec3>,
    /// The outward unit normals; 0 for faces that are too narrow to have one.
    normals: Vec<DVec3>,
    edges: Vec<Edge>,
    is_flat: bool,
    /// The volume of the hull; no box is smaller.
    volume_of_hull: f64,
    rounding: f64,
    best: Oriented,
    /// The shadow along an axis: for each edge of its outline one end, and the vector to the other.
    shadow: Vec<[[f64; 2]; 2]>,
    /// Set for each face that looks along the axis.
    is_front: Vec<bool>,
}

/// A minimum among the samples: on the arc of an edge, between two angles.
struct Minimum {
    volume: f64,
    edge: usize,
    between: [f64; 2],
}

impl Search {
    fn new(points: &[Vec3], hull: Hull, rounding: f64) -> Self {
        let Hull {
            vertices,
            faces,
            dimension,
            ..
        } = hull;
        let place = |position: u32| vertices.binary_search(&position).unwrap_or_default() as u32;
        let faces = faces.renamed(place);
        let first = points[vertices[0] as usize].as_dvec3();
        let corners: Vec<DVec3> = vertices
            .iter()
            .map(|&k| points[k as usize].as_dvec3() - first)
            .collect();
        let (mut normals, mut volume) = (Vec::with_capacity(faces.len()), 0.0);
        for face in faces.iter() {
            let at = |k: usize| corners[face[k] as usize];
            let fan = (2..face.len()).map(|k| (at(k - 1) - at(0)).cross(at(k) - at(0)));
            let area: DVec3 = fan.sum();
            volume += at(0).dot(area) / 6.0;
            normals.push(area.normalize_or_zero());
        }
        Self {
            edges: edges(faces.iter()).unwrap_or_default(),
            corners,
            normals,
            is_flat: dimension < 3,
            volume_of_hull: volume,
            rounding,
            best: Oriented {
                axes: DMat3::IDENTITY,
                volume: f64::INFINITY,
            },
            shadow: Vec::new(),
            is_front: Vec::new(),
        }
    }

    fn least(mut self) -> Oriented {
        let mut at_faces = Vec::with_capacity(self.normals.len());
        for face in 0..self.normals.len() {
            at_faces.push(self.volume(self.normals[face]));
            if self.best.volume <= self.volume_of_hull * PERFECT {
                return self.best;
            }
        }
        // The plane of a flat hull is a side of its box.
        if self.is_flat || self.best.volume <= self.volume_of_hull * GOOD {
            return self.best;
        }
        let mut minima = self.sampled(&at_faces);
        for (count, width) in ROUNDS {
            minima.sort_by(|a, b| a.volume.total_cmp(&b.volume));
            minima.truncate(count);
            for minimum in &mut minima {
                if minimum.volume <= self.best.volume * WORTH {
                    self.refine(minimum, width);
                }
            }
        }
        self.best
    }

    /// Returns the minima among samples of all arcs; the volumes at their ends are known.
    fn sampled(&mut self, at_faces: &[f64]) -> Vec<Minimum> {
        let mut minima = Vec::new();
        let mut volumes = Vec::new();
        for edge in 0..self.edges.len() {
            let arc = self.arc(edge);
            let parts = (arc.angle / STEP).ceil().max(1.0) as usize;
            let step = arc.angle / parts as f64;
            let [from, to] = self.edges[edge].faces.map(|face| at_faces[face as usize]);
            volumes.clear();
            volumes.push(from);
            volumes.extend((1..parts).map(|k| self.volume(arc.at(step * k as f64))));
            volumes.push(to);
            for (k, &volume) in volumes.iter().enumerate() {
                let [before, after] = [k.saturating_sub(1), (k + 1).min(parts)];
                if volume <= volumes[before] && volume <= volumes[after] && volume.is_finite() {
                    let between = [before, after].map(|k| step * k as f64);
                    minima.push(Minimum { volume, edge, between });
                }
            }
        }
        minima
    }

    /// Narrows a minimum to a range of angles (Kiefer, "Sequential Minimax Search for a Maximum",
    /// 1953).
    fn refine(&mut self, minimum: &mut Minimum, width: f64) {
        let arc = self.arc(minimum.edge);
        let [mut low, mut high] = minimum.between;
        let mut inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
        let mut volumes = inner.map(|angle| self.volume(arc.at(angle)));
        while high - low > width {
            if volumes[0] < volumes[1] {
                high = inner[1];
                (inner[1], volumes[1]) = (inner[0], volumes[0]);
                inner[0] = high - GOLDEN * (high - low);
                volumes[0] = self.volume(arc.at(inner[0]));
            } else {
                low = inner[0];
                (inner[0], volumes[0]) = (inner[1], volumes[1]);
                inner[1] = low + GOLDEN * (high - low);
                volumes[1] = self.volume(arc.at(inner[1]));
            }
        }
        minimum.volume = minimum.volume.min(volumes[0]).min(volumes[1]);
        minimum.between = [low, high];
    }

    /// Returns the outward directions in which the hull reaches no farther than an edge.
    fn arc(&self, edge: usize) -> Arc {
        let Edge { ends, faces } = self.edges[edge];
        let [from, to] = ends.map(|corner| self.corners[corner as usize]);
        let [start, end] = faces.map(|face| self.normals[face as usize]);
        let aside = (to - from).cross(start).normalize_or_zero();
        let (along, across) = (start.dot(end), aside.dot(end));
        Arc {
            start,
            aside: aside * if across < 0.0 { -1.0 } else { 1.0 },
            angle: across.abs().atan2(along),
        }
    }

    /// Returns the volume of the smallest box with this axis, infinite if there is none. Keeps the
    /// smallest box of all.
    fn volume(&mut self, axis: DVec3) -> f64 {
        let axis = axis.normalize_or_zero();
        if axis == DVec3::ZERO {
            return f64::INFINITY;
        }
        let (u, v) = axis.any_orthonormal_pair();
        let height = width(self.corners.iter().map(|corner| corner.dot(axis))) + self.rounding;
        self.cast_shadow(axis, u, v);
        let (area, [x, y]) = least_rectangle(&self.shadow, self.rounding);
        let volume = height * area;
        if volume < self.best.volume {
            let first = u * x + v * y;
            self.best = Oriented {
                axes: DMat3::from_cols(axis, first, axis.cross(first)),
                volume,
            };
        }
        volume
    }

    /// Computes the outline of the hull along an axis: the edges between a face that looks along it
    /// and one that does not.
    fn cast_shadow(&mut self, axis: DVec3, u: DVec3, v: DVec3) {
        self.is_front.clear();
        self.is_front
            .extend(self.normals.iter().map(|normal| normal.dot(axis) > 0.0));
        self.shadow.clear();
        for edge in &self.edges {
            let [left, right] = edge.faces.map(|face| self.is_front[face as usize]);
            if left != right {
                // Directed along the outline, so that each corner begins one edge.
                let [a, b] = edge.ends.map(|corner| self.corners[corner as usize]);
                let (from, way) = if left { (a, b - a) } else { (b, a - b) };
                self.shadow.push([from, way].map(|w| [w.dot(u), w.dot(v)]));
            }
        }
    }
}

/// An arc of a great circle.
struct Arc {
    start: DVec3,
    aside: DVec3,
    angle: f64,
}

impl Arc {
    fn at(&self, angle: f64) -> DVec3 {
        self.start * angle.cos() + self.aside * angle.sin()
    }
}

/// Returns the area of the smallest rectangle around an outline, and the direction of one of its
/// sides.
fn least_rectangle(outline: &[[[f64; 2]; 2]], rounding: f64) -> (f64, [f64; 2]) {
    let mut least = (f64::INFINITY, [1.0, 0.0]);
    for &[_, way] in outline {
        let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
        let [x, y] = way.map(|part| part / length);
        // An edge along the axis has a shadow without direction.
        if !(x.is_finite() && y.is_finite()) {
            continue;
        }
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for &[[p, q], _] in outline {
            for (k, place) in [p * x + q * y, q * x - p * y].into_iter().enumerate() {
                low[k] = if place < low[k] { place } else { low[k] };
                high[k] = if place > high[k] { place } else { high[k] };
            }
        }
        let area = (high[0] - low[0] + rounding) * (high[1] - low[1] + rounding);
        if area < least.0 {
            least = (area, [x, y]);
        }
    }
    least
}

/// Returns the distance from the smallest to the largest of some positions.
fn width(places: impl Iterator<Item = f64>) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for place in places {
        low = if place < low { place } else { low };
        high = if place > high { place } else { high };
    }
    high - low
}
