//! Distances, closest points and contacts of boxes, capsules and spheres: against rational
//! arithmetic, against the overlap along a direction, against parry, and against their own
//! symmetries.

mod by_hand;
mod lists;
mod parry;

use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use obbligato::{Capsule, Obb, Sphere, contact::Feature, shape::BodyRef};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{body_contact, body_distance};

/// The error that `BodyRef::distance` promises, per unit of the bodies' size.
const PROMISED: f64 = 2e-14;

/// The tolerances that `BodyRef::manifold` promises: the slop, in units of the smaller body, and
/// the preference for faces, as a fraction.
const SLOP: f64 = 1e-4;
const PREFERENCE: f64 = 0.01;

/// A body of any kind.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    Box(Obb),
    Capsule(Capsule),
    Sphere(Sphere),
}

impl Body {
    pub fn of(&self) -> BodyRef<'_> {
        match self {
            Self::Box(obb) => obb.into(),
            Self::Capsule(capsule) => capsule.into(),
            Self::Sphere(sphere) => sphere.into(),
        }
    }

    pub fn is_box(&self) -> bool {
        matches!(self, Self::Box(_))
    }

    pub fn center(&self) -> DVec3 {
        match self {
            Self::Box(obb) => obb.center,
            Self::Capsule(capsule) => capsule.center,
            Self::Sphere(sphere) => sphere.center,
        }
        .as_dvec3()
    }

    /// The vectors from the center whose signed sums are the corners of the core; and the radius.
    fn halves(&self) -> ([DVec3; 3], f64) {
        match self {
            Self::Box(obb) => {
                let turn = exact(obb.rotation);
                let half = obb.half_extents.as_dvec3();
                ([0, 1, 2].map(|k| turn * DVec3::AXES[k] * half[k]), 0.0)
            }
            Self::Capsule(capsule) => {
                let half = exact(capsule.rotation) * DVec3::Z * f64::from(capsule.half_length);
                ([half, DVec3::ZERO, DVec3::ZERO], capsule.radius.into())
            }
            Self::Sphere(sphere) => ([DVec3::ZERO; 3], sphere.radius.into()),
        }
    }

    /// The reach from its center in a direction of unit length.
    fn reach(&self, along: DVec3) -> f64 {
        let (halves, radius) = self.halves();
        reach(&halves, radius, along)
    }

    /// The distance of a point from the body, 0 if it is inside.
    pub fn outside(&self, point: DVec3) -> f64 {
        let (halves, radius) = self.halves();
        let mut rest = point - self.center();
        // The half vectors are perpendicular to one another.
        for half in halves {
            if half != DVec3::ZERO {
                rest -= half * (rest.dot(half) / half.length_squared()).clamp(-1.0, 1.0);
            }
        }
        (rest.length() - radius).max(0.0)
    }

    /// The sum of all lengths.
    pub fn lengths(&self) -> f64 {
        let (halves, radius) = self.halves();
        halves.iter().map(|half| half.length()).sum::<f64>() + radius
    }

    /// The length that the slop is proportional to.
    pub fn size(&self) -> f64 {
        match self {
            Self::Box(obb) => obb.half_extents.max_element().into(),
            Self::Capsule(capsule) => f64::from(capsule.half_length) + f64::from(capsule.radius),
            Self::Sphere(sphere) => sphere.radius.into(),
        }
    }

    /// The body, moved, and then scaled by a power of two about the origin.
    pub fn mapped(mut self, offset: Vec3, factor: f32) -> Self {
        match &mut self {
            Self::Box(obb) => {
                obb.center = (obb.center + offset) * factor;
                obb.half_extents *= factor;
            }
            Self::Capsule(capsule) => {
                capsule.center = (capsule.center + offset) * factor;
                capsule.half_length *= factor;
                capsule.radius *= factor;
            }
            Self::Sphere(sphere) => {
                sphere.center = (sphere.center + offset) * factor;
                sphere.radius *= factor;
            }
        }
        self
    }
}

/// The rotation that a stored quaternion represents.
fn exact(rotation: Quat) -> DQuat {
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// A generator of random bodies of several kinds, hard in different ways in turn.
pub struct Random {
    numbers: SplitMix,
    case: u64,
}

impl Random {
    pub fn new(case: u64) -> Self {
        Self {
            numbers: SplitMix(case.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            case,
        }
    }

    pub fn unit(&mut self) -> f64 {
        self.numbers.unit()
    }

    /// Returns `true` if all numbers are small integers, so that many bodies touch.
    fn is_whole(&self) -> bool {
        self.case % 4 < 2
    }

    fn number(&mut self, low: f64, high: f64) -> f32 {
        let number = low + (high - low) * self.unit();
        (if self.is_whole() { number.round() } else { number }) as f32
    }

    fn length(&mut self, high: f64) -> f32 {
        match self.numbers.next() % 6 {
            0 => 0.0,
            _ => self.number(0.0, high),
        }
    }

    pub fn vector(&mut self, reach: f64) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.number(-reach, reach)))
    }

    pub fn rotation(&mut self) -> Quat {
        match self.numbers.next() % 5 {
            0 => Quat::IDENTITY,
            1 => Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            2 => Quat::from_xyzw(0.5, -0.5, 0.5, 0.5),
            // A rotation whose matrix has entries of 3/5 and 4/5, up to rounding.
            3 if self.is_whole() => Quat::from_xyzw(0.447_213_6, 0.0, 0.0, 0.894_427_2),
            3 => Quat::from_rotation_y(1e-7 * self.unit() as f32),
            _ => {
                let [x, y, z, w] = [0; 4].map(|_| self.unit() as f32 - 0.4);
                Quat::from_xyzw(x, y, z, w).normalize()
            }
        }
    }

    pub fn body(&mut self) -> Body {
        let center = self.vector(3.0);
        match self.numbers.next() % 3 {
            0 => {
                let half = Vec3::from([0; 3].map(|_| self.length(3.0)));
                Body::Box(Obb::new(center, half, self.rotation()))
            }
            1 => {
                let (half_length, radius) = (self.length(4.0), self.length(2.0));
                Body::Capsule(Capsule::new(center, half_length, self.rotation(), radius))
            }
            _ => Body::Sphere(Sphere::new(center, self.length(3.0))),
        }
    }

    /// Two bodies, one of which is round.
    pub fn pair(&mut self) -> [Body; 2] {
        loop {
            let [a, mut b] = [self.body(), self.body()];
            if a.is_box() && b.is_box() {
                continue;
            }
            match self.numbers.next() % 8 {
                // About the same center.
                0 => b = b.mapped((a.center() - b.center()).as_vec3(), 1.0),
                // Parallel.
                1 => {
                    if let (Body::Capsule(a), Body::Capsule(b)) = (&a, &mut b) {
                        b.rotation = a.rotation;
                    }
                }
                _ => {}
            }
            let offset = match self.case % 5 {
                0 => Vec3::new(4096.0, -8192.0, 1024.0) * self.number(0.0, 100.0).round(),
                _ => Vec3::ZERO,
            };
            let factor = match self.case % 7 {
                0 => 2f32.powi(-120),
                1 => 2f32.powi(40),
                _ => 1.0,
            };
            return [a, b].map(|body| body.mapped(offset, factor));
        }
    }
}

/// The distance of the centers plus all lengths of both bodies.
pub fn size(a: &Body, b: &Body) -> f64 {
    a.center().distance(b.center()) + a.lengths() + b.lengths()
}

/// The rounding error of coordinates in the world.
pub fn of_coordinates(a: &Body, b: &Body) -> f64 {
    1e-15 * a.center().abs().max(b.center().abs()).max_element()
}

#[test]
fn distances_match_exact_fractions() {
    let mut tally = [0; 2];
    for case in 0..15_000 {
        let [a, b] = Random::new(case).pair();
        let closest = a.of().closest_points(b.of());
        let context = || format!("{case}: {closest:?}\n{a:?}\n{b:?}");
        let tolerance = PROMISED * size(&a, &b);
        let distance = closest.distance;
        assert_eq!(distance, a.of().distance(b.of()), "{}", context());
        let expected = body_distance(a.of(), b.of());
        assert!((distance - expected).abs() <= tolerance, "{expected}: {}", context());
        let collide = body_contact(a.of(), b.of(), 0.0).collides();
        assert_eq!(distance == 0.0, collide, "{}", context());
        tally[usize::from(collide)] += 1;

        let in_world = tolerance + of_coordinates(&a, &b);
        assert!(a.outside(closest.on_a) <= in_world, "on A: {}", context());
        assert!(b.outside(closest.on_b) <= in_world, "on B: {}", context());
        let apart = closest.on_a.distance(closest.on_b);
        assert!((apart - distance).abs() <= in_world, "{apart} apart: {}", context());
        assert!(!collide || closest.on_a == closest.on_b, "{}", context());
        assert_eq!(b.of().closest_points(a.of()), closest.swapped(), "{}", context());
    }
    assert!(tally.iter().all(|&count| count > 4_000), "{tally:?}");
}

/// The overlap of B with A along a direction of unit length: at least the smallest translation that
/// separates them.
pub fn overlap(a: &Body, b: &Body, along: DVec3) -> f64 {
    a.reach(along) + b.reach(along) - (b.center() - a.center()).dot(along)
}

/// The reach of a body with these halves and this radius.
fn reach(halves: &[DVec3; 3], radius: f64, along: DVec3) -> f64 {
    halves.iter().map(|half| half.dot(along).abs()).sum::<f64>() + radius
}

/// The least overlap found by a search around a direction with decreasing steps.
fn least_about(overlap: impl Fn(DVec3) -> f64, start: DVec3, random: &mut Random) -> f64 {
    let (mut best, mut least, mut step) = (start, overlap(start), 1.0);
    for _ in 0..120 {
        let aside = DVec3::from([0; 3].map(|_| random.unit() - 0.5));
        let along = (best + step * aside).normalize_or(best);
        match overlap(along) {
            found if found < least => (best, least) = (along, found),
            _ => step *= 0.85,
        }
    }
    least
}

/// The least overlap found by several searches, one of them around this direction.
pub fn least_overlap(a: &Body, b: &Body, normal: DVec3, random: &mut Random) -> f64 {
    let mut starts = vec![normal];
    starts.extend(DVec3::AXES.map(|axis| axis + 0.01));
    let ((halves_a, radius_a), (halves_b, radius_b)) = (a.halves(), b.halves());
    starts.extend(halves_a.iter().chain(&halves_b));
    starts.extend(halves_a.iter().map(|half| half.cross(halves_b[0])));
    starts.extend(halves_b.iter().map(|half| half.cross(halves_a[0])));
    let starts = starts.into_iter().filter_map(DVec3::try_normalize);
    // As `overlap`, whose rotations take longer than the rest.
    let way = b.center() - a.center();
    let overlap = |along: DVec3| reach(&halves_a, radius_a, along) + reach(&halves_b, radius_b, along) - way.dot(along);
    starts
        .flat_map(|start| [start, -start])
        .map(|start| least_about(overlap, start, random))
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn manifolds_give_the_shortest_way_out() {
    let mut tally = [0; 3];
    for case in 0..10_000 {
        let mut random = Random::new(case);
        let [a, b] = random.pair();
        let manifold = a.of().manifold(b.of());
        let collide = body_contact(a.of(), b.of(), 0.0).collides();
        assert_eq!(manifold.is_some(), collide, "{case}: {a:?} {b:?}");
        let Some(manifold) = manifold else {
            tally[0] += 1;
            continue;
        };
        let found = *manifold.penetration();
        let context = || format!("{case}: {manifold:?}\n{a:?}\n{b:?}");
        tally[manifold.points().len()] += 1;
        let (size, in_world) = (size(&a, &b), of_coordinates(&a, &b));
        let rounding = 4.0 * PROMISED * size;
        let slop = SLOP * a.size().min(b.size()) + rounding;

        assert!((found.normal.length() - 1.0).abs() < 1e-14, "{}", context());
        assert!(found.depth >= 0.0, "{}", context());
        // Moved by the depth along the normal, B only touches A.
        let along = overlap(&a, &b, found.normal);
        assert!(
            (along - found.depth).abs() <= rounding,
            "overlap {along}: {}",
            context()
        );
        // No other translation is shorter.
        let least = least_overlap(&a, &b, found.normal, &mut random);
        let allowed = match a.is_box() || b.is_box() {
            true => PREFERENCE * found.depth + slop,
            false => 0.0,
        };
        assert!(least >= found.depth - allowed - rounding, "{least}: {}", context());

        for point in manifold.points() {
            assert!((0.0..=found.depth).contains(&point.depth), "{}", context());
            let apart = (point.on_a - point.on_b - point.depth * found.normal).length();
            assert!(apart <= rounding + in_world, "{apart} aside: {}", context());
            assert!(a.outside(point.on_a) <= 4.0 * slop + in_world, "on A: {}", context());
            assert!(b.outside(point.on_b) <= 4.0 * slop + in_world, "on B: {}", context());
            for (body, feature) in [(&a, point.feature_a), (&b, point.feature_b)] {
                assert_eq!(body.is_box(), !matches!(feature, Feature::Round(_)), "{}", context());
            }
        }
        // Of spheres with equal center and radius none is the first.
        if a.center() != b.center() || a.lengths() != b.lengths() {
            let swapped = b.of().manifold(a.of()).map(|manifold| manifold.swapped());
            assert_eq!(swapped, Some(manifold), "{}", context());
        }
    }
    assert!(tally.iter().all(|&count| count > 300), "{tally:?}");
}
