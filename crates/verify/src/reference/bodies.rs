//! Classifies two bodies of any kind by bounds that hold whatever was computed. Rational arithmetic
//! decides only the cases between the bounds.
//!
//! The core of a sphere is its center, that of a capsule its segment, that of a box the box. Two
//! points of two cores are never closer than the cores are, and along no direction is the gap
//! between the projections of the cores wider than their distance. A search along a segment finds
//! two points and the direction from one to the other. If it finds the closest ones, both bounds
//! equal the distance. If it does not, the bounds are further apart, but still true, except for the
//! rounding of their own few operations.

use glam::{DMat3, DVec3};

use crate::reference::round::body_contact;
use crate::reference::separation;
use crate::reference::solid::{frame, turn};
use obbligato::{contact::Contact, shape::BodyRef};

/// Bodies whose distance differs from touching by at most this fraction of their size (the centers'
/// distance, all half extents, half lengths and radii) are decided in rational arithmetic. It
/// generously covers the rounding of projections and points, less than 1e-14 of the size; a larger
/// value only costs time.
const DOUBT: f64 = 1e-12;

/// The number of halvings of a segment, after which its parts are as fine as f64.
const HALVINGS: usize = 60;

/// A body without its radius.
enum Core {
    Segment([DVec3; 2]),
    Box {
        center: DVec3,
        frame: DMat3,
        half_extents: DVec3,
    },
}

/// A body by its core and its radius.
struct Part {
    core: Core,
    radius: f64,
}

impl Part {
    fn new(body: BodyRef<'_>, center: DVec3) -> Self {
        match body {
            BodyRef::Box(obb) => Self {
                core: Core::Box {
                    center,
                    frame: frame(obb),
                    half_extents: obb.half_extents.as_dvec3(),
                },
                radius: 0.0,
            },
            BodyRef::Capsule(capsule) => {
                let along = turn(capsule.rotation).z_axis * f64::from(capsule.half_length);
                Self {
                    core: Core::Segment([center - along, center + along]),
                    radius: capsule.radius.into(),
                }
            }
            BodyRef::Sphere(sphere) => Self {
                core: Core::Segment([center; 2]),
                radius: sphere.radius.into(),
            },
        }
    }
}

impl Core {
    /// Returns the point of the core that is closest to a given point.
    fn closest(&self, point: DVec3) -> DVec3 {
        match self {
            Self::Segment([start, end]) => {
                let way = *end - *start;
                let square = way.length_squared();
                let place = if square > 0.0 {
                    (point - *start).dot(way) / square
                } else {
                    0.0
                };
                *start + way * place.clamp(0.0, 1.0)
            }
            Self::Box {
                center,
                frame,
                half_extents,
            } => {
                let own = frame.transpose() * (point - *center);
                *center + *frame * own.max(-*half_extents).min(*half_extents)
            }
        }
    }

    /// Returns the lowest and highest projection on a direction of length 1, or 0.
    fn interval(&self, direction: DVec3) -> [f64; 2] {
        match self {
            Self::Segment(ends) => {
                let [start, end] = ends.map(|end| end.dot(direction));
                [start.min(end), start.max(end)]
            }
            Self::Box {
                center,
                frame,
                half_extents,
            } => {
                let reach = (frame.transpose() * direction).abs().dot(*half_extents);
                [center.dot(direction) - reach, center.dot(direction) + reach]
            }
        }
    }
}

/// Returns the point of a segment closest to a core, up to rounding. The squared distance is a
/// convex function along the segment, whose slope changes its sign once.
fn closest_of_segment([start, end]: [DVec3; 2], core: &Core) -> DVec3 {
    let way = end - start;
    let slope = |place: f64| {
        let point = start + way * place;
        way.dot(point - core.closest(point))
    };
    if slope(0.0) >= 0.0 {
        return start;
    }
    if slope(1.0) <= 0.0 {
        return end;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        match slope(middle) < 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    start + way * low
}

/// Bounds on the distance of two bodies, at least one of them round: negative if the cores are
/// closer than the sum of the radii. `doubt` bounds the effect of rounding on them.
struct Apart {
    least: f64,
    most: f64,
    doubt: f64,
}

fn apart(a: BodyRef<'_>, b: BodyRef<'_>) -> Apart {
    // Place both bodies about the midpoint of their centers, so that no digits are lost far from
    // the origin.
    let half_way = (center(b) - center(a)) / 2.0;
    let [a_part, b_part] = [Part::new(a, -half_way), Part::new(b, half_way)];
    let (on_a, on_b) = match (&a_part.core, &b_part.core) {
        (Core::Segment(ends), other) => {
            let on_a = closest_of_segment(*ends, other);
            (on_a, other.closest(on_a))
        }
        (other, Core::Segment(ends)) => {
            let on_b = closest_of_segment(*ends, other);
            (other.closest(on_b), on_b)
        }
        // Two boxes have a test of their own.
        (Core::Box { .. }, Core::Box { .. }) => (-half_way, half_way),
    };
    let direction = (on_b - on_a).normalize_or_zero();
    let [[_, end], [begin, _]] = [a_part.core.interval(direction), b_part.core.interval(direction)];
    let radii = a_part.radius + b_part.radius;
    Apart {
        least: begin - end - radii,
        most: on_a.distance(on_b) - radii,
        doubt: DOUBT * (2.0 * half_way.length() + reach(a) + reach(b)),
    }
}

fn center(body: BodyRef<'_>) -> DVec3 {
    match body {
        BodyRef::Box(obb) => obb.center.as_dvec3(),
        BodyRef::Capsule(capsule) => capsule.center.as_dvec3(),
        BodyRef::Sphere(sphere) => sphere.center.as_dvec3(),
    }
}

/// Returns an upper bound on the distance of the body's points from its center.
fn reach(body: BodyRef<'_>) -> f64 {
    match body {
        BodyRef::Box(obb) => obb.half_extents.as_dvec3().element_sum(),
        BodyRef::Capsule(capsule) => f64::from(capsule.half_length) + f64::from(capsule.radius),
        BodyRef::Sphere(sphere) => sphere.radius.into(),
    }
}

/// Classifies the contact of two bodies exactly. Ignores groups.
pub(super) fn contact(a: BodyRef<'_>, b: BodyRef<'_>) -> Contact {
    if let (BodyRef::Box(a), BodyRef::Box(b)) = (a, b) {
        return separation::contact(a, b);
    }
    match apart(a, b) {
        Apart { least, doubt, .. } if least > doubt => Contact::Separated,
        Apart { most, doubt, .. } if most < -doubt => Contact::Overlapping,
        _ => body_contact(a, b, 0.0),
    }
}

/// Returns `true` if two bodies share a point and the groups of their records meet.
pub(super) fn collides(a: BodyRef<'_>, b: BodyRef<'_>) -> bool {
    a.groups_meet(b) && contact(a, b).collides()
}

/// Returns the distance of two bodies: of boxes their [`separation`](separation::separation),
/// otherwise the distance of the cores minus the radii.
pub(crate) fn separation_of(a: BodyRef<'_>, b: BodyRef<'_>) -> f64 {
    match (a, b) {
        (BodyRef::Box(a), BodyRef::Box(b)) => separation::separation(a, b),
        _ => apart(a, b).most,
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use obbligato::{Bodies, Capsule, Obb, Sphere};
    use obbligato_support::split_mix::SplitMix;

    /// Returns bodies of small integers, or of arbitrary numbers.
    fn random(random: &mut SplitMix, whole: bool) -> (Obb, Capsule, Sphere) {
        let mut number = |size: f64| {
            let number = size * random.unit();
            (if whole { number.round() } else { number }) as f32
        };
        let mut vector = |size: f64| Vec3::from([0; 3].map(|_| number(size)));
        let [at_box, at_capsule, at_sphere, half, lengths] = [8.0, 8.0, 8.0, 3.0, 3.0].map(&mut vector);
        let [x, y, z] = vector(3.0).to_array();
        let turns = [
            Quat::IDENTITY,
            Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            Quat::from_xyzw(0.0, 0.6, 0.0, 0.8),
        ];
        let rotation = if whole {
            turns[x as usize % 3]
        } else {
            Quat::from_xyzw(x, y, z, 1.0).normalize()
        };
        (
            Obb::new(at_box, half, rotation),
            Capsule::new(at_capsule, lengths.x, rotation, lengths.y),
            Sphere::new(at_sphere, lengths.z),
        )
    }

    #[test]
    fn bounds_agree_with_fractions_and_usually_suffice() {
        let mut generator = SplitMix(5);
        let (mut found, mut decided) = ([0; 3], [0; 2]);
        for case in 0..2000 {
            let whole = case % 2 == 0;
            let [one, other] = [(); 2].map(|()| random(&mut generator, whole));
            let lists = [&one, &other].map(|(obb, capsule, sphere)| ([*obb], [*capsule], [*sphere]));
            let [first, second] = [0, 1].map(|k| Bodies {
                boxes: &lists[k].0,
                capsules: &lists[k].1,
                spheres: &lists[k].2,
            });
            for (a, b) in (0..9).map(|k| (k / 3, k % 3)).filter(|pair| *pair != (0, 0)) {
                let (a, b) = (first.at(a), second.at(b));
                let truth = body_contact(a, b, 0.0);
                assert_eq!(contact(a, b), truth, "{a:?} {b:?}");
                found[truth as usize] += 1;
                let Apart { least, most, doubt } = apart(a, b);
                assert!(least <= most + doubt, "{a:?} {b:?}");
                decided[usize::from(least > doubt || most < -doubt)] += 1;
            }
        }
        assert!(found.iter().all(|&number| number > 200), "{found:?}");
        assert!(decided[0] < 3 * found[1], "{decided:?} of {found:?}");
    }
}
