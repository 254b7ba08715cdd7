//! Distances, closest points and contacts of boxes, capsules and spheres: against rational
//! arithmetic, against the overlap along a direction, against parry, and against their own
//! symmetries.

use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use obbligato::query::{ContactQuery, DistanceQuery};
use obbligato::{
    Backend, Bodies, Capsule, Checker, Config, Error, Obb, Pair, Sphere,
    contact::{Feature, Side, closest_points, contacts},
    shape::BodyRef,
};
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
        halves.iter().map(|half| half.dot(along).abs()).sum::<f64>() + radius
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

/// The least overlap found by a search around a direction with decreasing steps.
fn least_about(a: &Body, b: &Body, start: DVec3, random: &mut Random) -> f64 {
    let (mut best, mut least, mut step) = (start, overlap(a, b, start), 1.0);
    for _ in 0..120 {
        let aside = DVec3::from([0; 3].map(|_| random.unit() - 0.5));
        let along = (best + step * aside).normalize_or(best);
        match overlap(a, b, along) {
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
    let (halves_a, halves_b) = (a.halves().0, b.halves().0);
    starts.extend(halves_a.iter().chain(&halves_b));
    starts.extend(halves_a.iter().map(|half| half.cross(halves_b[0])));
    starts.extend(halves_b.iter().map(|half| half.cross(halves_a[0])));
    let starts = starts.into_iter().filter_map(DVec3::try_normalize);
    starts
        .flat_map(|start| [start, -start])
        .map(|start| least_about(a, b, start, random))
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

/// The expected contact: normal, depth, and for each point its position on A and the features.
type Known = (DVec3, f64, Vec<(DVec3, [Feature; 2])>);

#[test]
fn contacts_by_hand() {
    const LYING: Quat = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    use Feature::{Corner, Edge, Face, Round};
    let cube = Body::Box(Obb::axis_aligned(Vec3::ZERO, Vec3::ONE));
    let floor = Body::Box(Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 1.0)));
    let plate = Body::Box(Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 0.0)));
    let ball = |x, y, z, radius| Body::Sphere(Sphere::new(Vec3::new(x, y, z), radius));
    let standing = |x, y, z| Body::Capsule(Capsule::new(Vec3::new(x, y, z), 2.0, Quat::IDENTITY, 0.5));
    let lying = |x, y, z| Body::Capsule(Capsule::new(Vec3::new(x, y, z), 2.0, LYING, 0.5));
    let at = DVec3::new;
    let cases: Vec<(&str, Body, Body, Known)> = vec![
        (
            "balls",
            ball(0.0, 0.0, 0.0, 2.0),
            ball(3.0, 0.0, 0.0, 1.5),
            (DVec3::X, 0.5, vec![(at(2.0, 0.0, 0.0), [Round(0); 2])]),
        ),
        (
            "a ball on a face",
            cube,
            ball(0.5, 0.0, 1.25, 0.5),
            (DVec3::Z, 0.25, vec![(at(0.5, 0.0, 1.0), [Face(5), Round(0)])]),
        ),
        (
            "a ball at an edge",
            cube,
            ball(4.0, 0.0, 5.0, 5.0),
            (at(0.6, 0.0, 0.8), 0.0, vec![(at(1.0, 0.0, 1.0), [Edge(7), Round(0)])]),
        ),
        (
            "a ball at a corner",
            cube,
            ball(2.0, 3.0, 3.0, 3.5),
            (
                at(1.0, 2.0, 2.0) / 3.0,
                0.5,
                vec![(at(1.0, 1.0, 1.0), [Corner(7), Round(0)])],
            ),
        ),
        (
            "a center in a box",
            cube,
            ball(0.25, -0.75, 0.5, 0.5),
            (-DVec3::Y, 0.75, vec![(at(0.25, -1.0, 0.5), [Face(2), Round(0)])]),
        ),
        (
            "a ball on a plate",
            plate,
            ball(1.0, 0.0, 0.5, 0.5),
            (DVec3::Z, 0.0, vec![(at(1.0, 0.0, 0.0), [Face(5), Round(0)])]),
        ),
        (
            "a ball in a plate",
            plate,
            ball(1.0, 0.0, 0.0, 0.5),
            (DVec3::Z, 0.5, vec![(at(1.0, 0.0, 0.0), [Face(5), Round(0)])]),
        ),
        (
            "standing on the floor",
            floor,
            standing(1.0, 0.0, 3.25),
            (DVec3::Z, 0.25, vec![(at(1.0, 0.0, 1.0), [Face(5), Round(1)])]),
        ),
        (
            "lying on the floor",
            floor,
            lying(1.0, 0.0, 1.25),
            (
                DVec3::Z,
                0.25,
                vec![
                    (at(-1.0, 0.0, 1.0), [Face(5), Round(1)]),
                    (at(3.0, 0.0, 1.0), [Face(5), Round(2)]),
                ],
            ),
        ),
        (
            "lying across the cube",
            cube,
            lying(0.5, 0.0, 1.5),
            (
                DVec3::Z,
                0.0,
                vec![
                    (at(-1.0, 0.0, 1.0), [Edge(5), Round(0)]),
                    (at(1.0, 0.0, 1.0), [Edge(7), Round(0)]),
                ],
            ),
        ),
        (
            "through the floor",
            floor,
            standing(2.0, 0.0, 0.5),
            (DVec3::Z, 3.0, vec![(at(2.0, 0.0, 1.0), [Face(5), Round(1)])]),
        ),
        (
            "through the cube's side",
            cube,
            standing(0.75, 0.0, 0.0),
            (
                DVec3::X,
                0.75,
                vec![
                    (at(1.0, 0.0, -1.0), [Edge(6), Round(0)]),
                    (at(1.0, 0.0, 1.0), [Edge(7), Round(0)]),
                ],
            ),
        ),
        (
            "side by side",
            standing(0.0, 0.0, 0.0),
            standing(0.75, 0.0, 1.0),
            (
                DVec3::X,
                0.25,
                vec![
                    (at(0.5, 0.0, -1.0), [Round(0), Round(1)]),
                    (at(0.5, 0.0, 2.0), [Round(2), Round(0)]),
                ],
            ),
        ),
        (
            "end to end",
            standing(0.0, 0.0, 0.0),
            standing(0.0, 0.0, 4.75),
            (DVec3::Z, 0.25, vec![(at(0.0, 0.0, 2.5), [Round(2), Round(1)])]),
        ),
        (
            "crossing",
            standing(0.0, 0.0, 0.0),
            lying(1.0, 0.75, 1.0),
            (DVec3::Y, 0.25, vec![(at(0.0, 0.5, 1.0), [Round(0); 2])]),
        ),
        (
            "an end on a side",
            standing(0.0, 0.0, 0.0),
            lying(2.75, 0.0, 1.0),
            (DVec3::X, 0.25, vec![(at(0.5, 0.0, 1.0), [Round(0), Round(1)])]),
        ),
        (
            "a ball at a side",
            standing(0.0, 0.0, 0.0),
            ball(0.0, 1.25, -1.0, 1.0),
            (DVec3::Y, 0.25, vec![(at(0.0, 0.5, -1.0), [Round(0); 2])]),
        ),
    ];
    for (name, a, b, (normal, depth, points)) in cases {
        let manifold = a.of().manifold(b.of()).expect(name);
        let found = manifold.penetration();
        assert!(
            found.normal.distance(normal) < 1e-12 && (found.depth - depth).abs() < 1e-12,
            "{name}: {manifold:?}"
        );
        let found: Vec<_> = manifold
            .points()
            .iter()
            .map(|point| [point.feature_a, point.feature_b])
            .collect();
        let expected: Vec<_> = points.iter().map(|(_, features)| *features).collect();
        assert_eq!(found, expected, "{name}");
        for (point, (on_a, _)) in manifold.points().iter().zip(&points) {
            assert!(point.on_a.distance(*on_a) < 1e-12, "{name}: {manifold:?}");
        }
    }
    // Faces have a side, and round bodies have none.
    let lying_on = floor.of().manifold(lying(1.0, 0.0, 1.25).of()).expect("they collide");
    assert_eq!(lying_on.penetration().reference, Some(Side::A));
    assert_eq!(lying_on.swapped().penetration().reference, Some(Side::B));
    let crossing = standing(0.0, 0.0, 0.0)
        .of()
        .manifold(lying(1.0, 0.75, 1.0).of())
        .expect("they collide");
    assert_eq!(crossing.penetration().reference, None);
}

#[test]
fn overlapping_cores_separate_along_the_shortest_way() {
    let ball = Sphere::new(Vec3::new(1.0, 2.0, 3.0), 0.5);
    let same = BodyRef::from(&ball).manifold((&ball).into()).expect("they collide");
    assert_eq!(
        (same.penetration().depth, same.penetration().normal.length()),
        (1.0, 1.0)
    );
    let turn = |angle: f32| Quat::from_rotation_x(angle);
    let capsule = |angle| Capsule::new(ball.center, 2.0, turn(angle), 0.25);
    for angle in [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1.5] {
        let (a, b) = (Body::Capsule(capsule(0.0)), Body::Capsule(capsule(angle)));
        let crossing = a.of().manifold(b.of()).expect("they collide");
        let found = crossing.penetration();
        assert!((found.depth - 0.5).abs() < 1e-14, "{angle}: {crossing:?}");
        assert!(
            (overlap(&a, &b, found.normal) - 0.5).abs() < 1e-12,
            "{angle}: {crossing:?}"
        );
        let on_core = BodyRef::from(&ball).manifold(b.of()).expect("they collide");
        let found = on_core.penetration();
        let axis = exact(turn(angle)) * DVec3::Z;
        assert!(
            found.normal.dot(axis).abs() < 1e-14 && found.depth == 0.75,
            "{angle}: {on_core:?}"
        );
    }
    // Two capsules that are parallel up to the slop have two points, others one.
    for (angle, points) in [(0.0, 2), (1e-6, 2), (0.01, 1)] {
        let mut beside = capsule(angle);
        beside.center.x += 0.4;
        let manifold = BodyRef::from(&capsule(0.0))
            .manifold((&beside).into())
            .expect("they collide");
        assert_eq!(manifold.points().len(), points, "{angle}: {manifold:?}");
    }
    // A capsule that lies on a floor, up to noise, and also one that extends over its edge.
    let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 1.0));
    for (y, angle) in [(0.0, 0.0), (0.0, 1e-6), (0.0, -1e-6), (4.0, 1e-6), (4.0, -1e-6)] {
        let lying = turn(std::f32::consts::FRAC_PI_2 + angle);
        let capsule = Capsule::new(Vec3::new(0.0, y, 1.499_99), 2.0, lying, 0.5);
        let manifold = BodyRef::from(&floor).manifold((&capsule).into()).expect("they collide");
        assert_eq!(manifold.points().len(), 2, "{y} {angle}: {manifold:?}");
        assert_eq!(manifold.penetration().normal, DVec3::Z, "{y} {angle}");
    }
}

#[test]
fn parry_agrees_about_bodies() {
    use parry3d::math::{Pose, Rotation, Vector};
    use parry3d::query;
    use parry3d::shape::{Ball, Cuboid, Shape};
    let shape = |body: &Body| -> (Pose, Box<dyn Shape>) {
        let vector = |v: Vec3| Vector::from_array(v.to_array());
        let turn = |rotation: Quat| Rotation::from_array(rotation.normalize().to_array());
        match body {
            Body::Box(obb) => (
                Pose::from_parts(vector(obb.center), turn(obb.rotation)),
                Box::new(Cuboid::new(vector(obb.half_extents))),
            ),
            Body::Capsule(capsule) => (
                Pose::from_parts(vector(capsule.center), turn(capsule.rotation)),
                Box::new(parry3d::shape::Capsule::new_z(capsule.half_length, capsule.radius)),
            ),
            Body::Sphere(sphere) => (
                Pose::from_parts(vector(sphere.center), Rotation::IDENTITY),
                Box::new(Ball::new(sphere.radius)),
            ),
        }
    };
    let (mut apart, mut touching, mut wrong) = (0, 0, 0);
    for case in 0..10_000 {
        // Without tiny, huge or distant bodies: parry computes in f32 with absolute tolerances, and
        // misclassifies short capsules.
        let case = 35 * case + [2, 3, 4, 9, 11, 12, 16, 17, 18, 19][case as usize % 10];
        let [a, b] = Random::new(case).pair();
        let is_short = |body: &Body| matches!(body, Body::Capsule(capsule) if capsule.half_length < 0.1);
        if a.size().min(b.size()) < 0.1 || is_short(&a) || is_short(&b) {
            continue;
        }
        let ((pose_a, shape_a), (pose_b, shape_b)) = (shape(&a), shape(&b));
        let tolerance = 1e-3 * size(&a, &b);
        let ours = a.of().distance(b.of());
        let theirs = query::distance(&pose_a, &*shape_a, &pose_b, &*shape_b).expect("known shapes");
        let theirs = theirs.distance;
        assert!(
            (ours - f64::from(theirs)).abs() <= tolerance,
            "{case}: {theirs}, {ours} {a:?} {b:?}"
        );
        apart += usize::from(ours > tolerance);
        let Some(manifold) = a.of().manifold(b.of()) else {
            continue;
        };
        let Ok(Some(theirs)) = query::contact(&pose_a, &*shape_a, &pose_b, &*shape_b, 0.01) else {
            continue;
        };
        // Their normal need not be the direction of least depth; and it does not separate the
        // bodies if they overlap more along it.
        let depth = manifold.penetration().depth;
        let normal = DVec3::from_array(theirs.normal1.to_array().map(f64::from));
        let deepest = f64::from(-theirs.dist);
        if overlap(&a, &b, normal) > deepest + tolerance {
            wrong += 1;
            continue;
        }
        assert!(
            deepest >= depth * (1.0 - PREFERENCE) - tolerance,
            "{case}: {theirs:?}, {manifold:?} {a:?} {b:?}"
        );
        touching += 1;
    }
    assert!(
        apart > 1_000 && touching > 1_000 && wrong < touching / 10,
        "{apart} {touching} {wrong}"
    );
}

/// A scene, all pairs of it, and pairs between its halves.
fn scene(count: u64) -> (Vec<Obb>, Vec<Capsule>, Vec<Sphere>, Vec<Pair>) {
    let (mut boxes, mut capsules, mut spheres) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = Random::new(2);
    for _ in 0..count {
        match random.body() {
            Body::Box(obb) => boxes.push(obb),
            Body::Capsule(capsule) => capsules.push(capsule),
            Body::Sphere(sphere) => spheres.push(sphere),
        }
    }
    let ids = 0..count as u32;
    let mut pairs: Vec<Pair> = ids
        .clone()
        .flat_map(|a| ids.clone().map(move |b| Pair { a, b }))
        .collect();
    pairs.sort_by_key(|pair| u64::from(pair.a.wrapping_mul(0x9e37_79b9) ^ pair.b.wrapping_mul(0x85eb_ca6b)));
    (boxes, capsules, spheres, pairs)
}

#[test]
fn results_keep_the_order_of_the_pairs() {
    let (boxes, capsules, spheres, pairs) = scene(60);
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        spheres: &spheres,
    };
    let of_boxes = Bodies::from(&boxes);
    let is_round = |pair: &Pair| pair.a.max(pair.b) as usize >= boxes.len();
    let two_boxes: Vec<Pair> = pairs.iter().copied().filter(|pair| !is_round(pair)).collect();
    assert!(two_boxes.len() > 100 && two_boxes.len() < pairs.len() / 2);
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut checker = Checker::new(Config {
            backend,
            ..Config::default()
        })
        .expect("a checker");
        let found = checker.check(ContactQuery::within(bodies, &pairs)).expect("contacts");
        let points = checker.check(DistanceQuery::within(bodies, &pairs)).expect("points");
        let mut of_two = checker
            .check(ContactQuery::within(of_boxes, &two_boxes))
            .expect("contacts");
        let points_of_two = checker
            .check(DistanceQuery::new([&boxes, &boxes], &two_boxes))
            .expect("points");
        assert_eq!((found.penetrations().len(), points.len()), (pairs.len(), pairs.len()));
        let mut next = 0;
        for (k, pair) in pairs.iter().enumerate() {
            let (penetration, own) = (found.penetrations()[k], found.points_of(k));
            let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
            match is_round(pair) {
                true => {
                    let expected = a.manifold(b);
                    assert_eq!(
                        penetration,
                        expected.map(|manifold| *manifold.penetration()),
                        "{pair:?}"
                    );
                    assert_eq!(
                        own,
                        expected.as_ref().map_or(&[][..], |manifold| manifold.points()),
                        "{pair:?}"
                    );
                    assert_eq!(points[k], a.closest_points(b), "{pair:?}");
                }
                false => {
                    assert_eq!(
                        (penetration, own),
                        (of_two.penetrations()[next], of_two.points_of(next)),
                        "{pair:?}"
                    );
                    assert_eq!(points[k], points_of_two[next], "{pair:?}");
                    next += 1;
                }
            }
        }
        of_two.update([bodies; 2], &pairs).expect("contacts");
        if backend == Backend::Cpu {
            assert_eq!(of_two, found);
            assert_eq!(contacts([bodies; 2], &pairs).expect("contacts"), found);
            assert_eq!(closest_points([bodies; 2], &pairs).expect("points"), points);
        }
        let [capsules_first, spheres_then] = [Bodies::from(&capsules), Bodies::from(&spheres)];
        let between = [Pair { a: 1, b: 0 }, Pair { a: 0, b: 1 }];
        let found = checker
            .check(DistanceQuery::new([capsules_first, spheres_then], &between))
            .expect("points");
        assert_eq!(
            found[0],
            BodyRef::from(&capsules[1]).closest_points((&spheres[0]).into())
        );
        assert_eq!(
            found[1],
            BodyRef::from(&capsules[0]).closest_points((&spheres[1]).into())
        );

        let missing = [Pair { a: 0, b: 60 }];
        let error = checker
            .check(ContactQuery::within(bodies, &missing))
            .expect_err("no such body");
        assert!(
            matches!(
                error,
                Error::InvalidPair {
                    named: 60,
                    boxes: 60,
                    ..
                }
            ),
            "{error}"
        );
        let mut bad = spheres.clone();
        bad[1].radius = -1.0;
        let with_bad = Bodies {
            spheres: &bad,
            ..bodies
        };
        let error = checker
            .check(DistanceQuery::new([bodies, with_bad], &pairs))
            .expect_err("a bad ball");
        let index = boxes.len() + capsules.len() + 1;
        assert!(
            matches!(error, Error::InvalidBody { index: at, kind: "sphere", count: 1, .. } if at == index),
            "{error}"
        );
    }
}
