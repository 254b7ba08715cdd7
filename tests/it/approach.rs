//! Closest approaches against sampled times, closed forms, and all pairs.

mod in_f32;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::motion::{ClosestApproach, Motion, MovingSet, Step, closest_approach};
use obbligato::query::ApproachQuery;
use obbligato::shape::{BodyRef, OwnedBodies};
use obbligato::{Bodies, Capsule, Checker, Config, Error, Obb, Pair, Sphere};
use obbligato_support::split_mix::SplitMix;

use crate::support::gpu::{cpu, gpu};

/// A body of any kind.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Box(Obb),
    Capsule(Capsule),
    Ball(Sphere),
}

impl Shape {
    fn body(&self) -> BodyRef<'_> {
        match self {
            Self::Box(obb) => BodyRef::Box(obb),
            Self::Capsule(capsule) => BodyRef::Capsule(capsule),
            Self::Ball(ball) => BodyRef::Sphere(ball),
        }
    }

    /// The body at a time, with its numbers rounded.
    fn at(&self, motion: &Motion, time: f64) -> Self {
        let (v, a) = (motion.velocity.as_dvec3(), motion.acceleration.as_dvec3());
        let moved = |center: Vec3| (center.as_dvec3() + v * time + a * (0.5 * time * time)).as_vec3();
        let w = motion.angular_velocity.as_dvec3() * time;
        let turned = |turn: Quat| match w == DVec3::ZERO {
            true => turn,
            false => (obbligato::glam::DQuat::from_scaled_axis(w) * turn.as_dquat()).as_quat(),
        };
        match *self {
            Self::Box(obb) => Self::Box(Obb {
                center: moved(obb.center),
                rotation: turned(obb.rotation),
                ..obb
            }),
            Self::Capsule(Capsule {
                center,
                half_length,
                rotation,
                radius,
                ..
            }) => Self::Capsule(Capsule::new(moved(center), half_length, turned(rotation), radius)),
            Self::Ball(ball) => Self::Ball(Sphere {
                center: moved(ball.center),
                ..ball
            }),
        }
    }
}

/// Random bodies with whole multiples of an eighth as places and velocities, so that bodies at
/// sampled times have exact numbers.
struct Made(SplitMix);

impl Made {
    fn eighths(&mut self, most: i32) -> Vec3 {
        Vec3::from([0; 3].map(|_| ((self.0.next() % (2 * most as u64 + 1)) as i32 - most) as f32 / 8.0))
    }

    fn shape(&mut self) -> Shape {
        let center = self.eighths(40);
        let turn = match self.0.next() % 3 {
            0 => Quat::IDENTITY,
            1 => Quat::from_rotation_z(std::f32::consts::FRAC_PI_2),
            _ => Quat::from_scaled_axis(self.eighths(16)),
        };
        let half = self.eighths(8).abs();
        match self.0.next() % 4 {
            0 => Shape::Capsule(Capsule::new(center, half.x, turn, half.y)),
            1 => Shape::Ball(Sphere::new(center, half.x)),
            _ => Shape::Box(Obb::new(center, half, turn)),
        }
    }
}

fn nearest(shapes: [&Shape; 2], motions: [&Motion; 2], step: &Step) -> ClosestApproach {
    closest_approach(shapes.map(Shape::body), motions, step)
}

/// The distance is a convex function of time, so it has its minimum next to the least sample.
#[test]
fn c5_straight_approaches_agree_with_samples() {
    const SAMPLES: u32 = 256;
    let mut made = Made(SplitMix(11));
    let (mut inside, mut meet) = (0, 0);
    for index in 0..4_000 {
        let shapes = [made.shape(), made.shape()];
        let motions = [0; 2].map(|_| Motion::linear(made.eighths(16)));
        let step = Step::new(4.0);
        let found = nearest([&shapes[0], &shapes[1]], [&motions[0], &motions[1]], &step);
        let what = format!("{index}: {found:?} {shapes:?} {motions:?}");
        let spacing = step.dt / f64::from(SAMPLES);
        let distance = |k: u32| {
            let [a, b] = [0, 1].map(|body| shapes[body].at(&motions[body], f64::from(k) * spacing));
            a.body().distance(b.body())
        };
        let samples: Vec<f64> = (0..=SAMPLES).map(distance).collect();
        let least = samples.iter().copied().fold(f64::INFINITY, f64::min);
        let first = samples
            .iter()
            .position(|&sample| sample <= least + 1e-12)
            .expect("a sample") as f64;
        let speed = (motions[1].velocity - motions[0].velocity).as_dvec3().length();
        assert!(found.distance <= least + 1e-10, "{what}: {least}");
        assert!(
            found.distance >= least - 0.5 * speed * spacing - 1e-10,
            "{what}: {least}"
        );
        assert!((found.time / spacing - first).abs() <= 1.0 + 1e-6, "{what}: {first}");
        assert!(found.is_resolved);
        inside += usize::from(found.distance > 0.0 && found.time > 0.0 && found.time < step.dt);
        meet += usize::from(found.distance == 0.0);
        let swapped = nearest([&shapes[1], &shapes[0]], [&motions[1], &motions[0]], &step);
        assert!(
            (swapped.time - found.time).abs() <= 1e-9 * step.dt,
            "{what}: {swapped:?}"
        );
        assert!(
            (swapped.distance - found.distance).abs() <= 1e-10,
            "{what}: {swapped:?}"
        );
    }
    assert!(
        inside > 500 && meet > 100,
        "{inside} nearest within the step, {meet} meet"
    );
}

/// A sphere and a box, whose distance has a derivative in closed form.
#[test]
fn straight_approaches_are_as_precise_as_promised() {
    let mut random = SplitMix(7);
    let mut vector = move |size: f64| Vec3::from([0; 3].map(|_| (size * (2.0 * random.unit() - 1.0)) as f32));
    let (mut inside, mut meet, mut reach) = (0, 0, 0);
    for index in 0..20_000 {
        let half = vector(2.0).abs();
        let obb = Obb::axis_aligned(Vec3::ZERO, half);
        let ball = Sphere::new(vector(6.0), vector(0.5).x.abs());
        let motion = Motion::linear(vector(8.0));
        let step = Step::new(1.5);
        let found = closest_approach(
            [BodyRef::Sphere(&ball), BodyRef::Box(&obb)],
            [&motion, &Motion::REST],
            &step,
        );
        let (center, v, half) = (ball.center.as_dvec3(), motion.velocity.as_dvec3(), half.as_dvec3());
        let way = |t: f64| {
            let p = center + v * t;
            p - p.clamp(-half, half)
        };
        let bisect = |is_before: &dyn Fn(f64) -> bool, mut low: f64, mut high: f64| {
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if is_before(middle) { low = middle } else { high = middle }
            }
            high
        };
        let mut time = match way(step.dt).dot(v) <= 0.0 {
            true => step.dt,
            false if way(0.0).dot(v) >= 0.0 => 0.0,
            false => bisect(&|t| way(t).dot(v) < 0.0, 0.0, step.dt),
        };
        let radius = f64::from(ball.radius);
        let mut distance = way(time).length() - radius;
        if distance <= 0.0 {
            time = if way(0.0).length() <= radius {
                0.0
            } else {
                bisect(&|t| way(t).length() > radius, 0.0, time)
            };
            distance = 0.0;
        }
        let what = format!("{index}: {found:?}, expected {time} {distance}");
        // Near a tangent, the time of a contact is the square root of a small number.
        let is_tangent = -way(time).normalize_or_zero().dot(v) < 1e-2 * v.length();
        let precise = if distance == 0.0 && is_tangent { 1e-7 } else { 1e-9 };
        assert!((found.time - time).abs() <= precise * step.dt, "{what}");
        assert!((found.distance - distance).abs() <= 1e-12, "{what}");
        reach += usize::from(distance == 0.0 && time > 0.0 && !is_tangent);
        inside += usize::from(found.distance > 0.0 && found.time > 0.0 && found.time < step.dt);
        meet += usize::from(found.distance == 0.0);
    }
    assert!(
        inside > 5_000 && meet > 500 && reach > 200,
        "{inside} nearest within the step, {meet} meet, {reach} of them later"
    );
}

/// Boxes along the axes meet when the last of their intervals do.
#[test]
fn boxes_meet_at_the_time_that_is_promised() {
    let mut random = SplitMix(8);
    let mut vector = move |size: f64| Vec3::from([0; 3].map(|_| (size * (2.0 * random.unit() - 1.0)) as f32));
    let (step, mut meet) = (Step::new(1.5), 0);
    for index in 0..20_000 {
        let boxes = [Vec3::ZERO, vector(6.0)].map(|center| Obb::axis_aligned(center, vector(2.0).abs()));
        let motion = Motion::linear(vector(8.0));
        let (apart, v) = (boxes[1].center.as_dvec3(), motion.velocity.as_dvec3());
        let reach = boxes[0].half_extents.as_dvec3() + boxes[1].half_extents.as_dvec3();
        let ends = [-1.0, 1.0].map(|side| (side * reach - apart) / v);
        let (entry, exit) = (ends[0].min(ends[1]).max_element(), ends[0].max(ends[1]).min_element());
        if !(entry > 0.0 && entry < exit && entry < step.dt) {
            continue;
        }
        let found = closest_approach([&boxes[0], &boxes[1]], [&Motion::REST, &motion], &step);
        let what = format!("{index}: {found:?}, expected {entry}");
        assert_eq!(found.distance, 0.0, "{what}");
        // Where they only graze each other, a rounded distance decides.
        let precise = if exit - entry < 1e-3 { 1e-5 } else { 1e-9 };
        assert!((found.time - entry).abs() <= precise * step.dt, "{what}");
        meet += 1;
    }
    assert!(meet > 500, "{meet}");
}

/// The closed form of spheres agrees with the search that serves capsules without a length: for
/// fast and slow ones, short steps, far from the origin, at rest, grazing, and overlapping.
#[test]
fn spheres_agree_with_capsules_without_length() {
    let mut random = SplitMix(11);
    let mut vector = move |size: f64| Vec3::from([0; 3].map(|_| (size * (2.0 * random.unit() - 1.0)) as f32));
    let (mut inside, mut meet) = (0, 0);
    for index in 0..20_000 {
        let scale = f64::exp2(f64::from(index % 40) - 20.0);
        let speed = [0.0, 1e-6, 1.0, 8.0][index as usize / 40 % 4] * scale;
        let center = vector(scale) + vector(1.0).round() * (scale * 1e4) as f32;
        let balls = [Sphere::new(center, (0.5 * scale) as f32), {
            Sphere::new(center + vector(2.0 * scale), vector(0.5 * scale).x.abs())
        }];
        let motions = [Motion::linear(vector(speed)), Motion::linear(vector(speed))];
        let step = Step::new([0.0, 1e-3, 1.5][index as usize % 3]);
        let capsules = balls.map(|ball| Capsule::new(ball.center, 0.0, Quat::IDENTITY, ball.radius));
        let found = closest_approach([&balls[0], &balls[1]], motions.each_ref(), &step);
        let expected = closest_approach([&capsules[0], &capsules[1]], motions.each_ref(), &step);
        let what = format!("{index}: {balls:?} {motions:?}: {found:?}, expected {expected:?}");
        assert_eq!(found.distance == 0.0, expected.distance == 0.0, "{what}");
        let path = (motions[1].velocity - motions[0].velocity).length() * step.dt as f32;
        let lengths = f64::from(balls[0].radius + balls[1].radius + path);
        assert!((found.distance - expected.distance).abs() <= 1e-9 * lengths, "{what}");
        // Near a tangent, the time of a contact is the square root of a small number; where the
        // distance hardly changes, so is the time at which it is least.
        let precise = if f64::from(path) < 1e-3 * scale { 1.0 } else { 1e-6 };
        assert!((found.time - expected.time).abs() <= precise * step.dt, "{what}");
        inside += usize::from(found.distance > 0.0 && found.time > 0.0 && found.time < step.dt);
        meet += usize::from(found.distance == 0.0);
    }
    assert!(
        inside > 1_000 && meet > 500,
        "{inside} nearest within the step, {meet} meet"
    );
}

/// Faces and edges that slide past each other are nearest during an interval: its start counts.
#[test]
fn the_first_of_many_nearest_times_counts() {
    let cube = |x: f32, y: f32| Obb::axis_aligned(Vec3::new(x, y, 0.0), Vec3::ONE);
    let right = Motion::linear(Vec3::X);
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    let diamond = Obb::new(Vec3::new(-9.0, 4.0, 0.0), Vec3::ONE, quarter);
    let capsule = |x: f32, y: f32| {
        Capsule::new(
            Vec3::new(x, y, 0.0),
            2.0,
            Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
            0.5,
        )
    };
    let rod = |x: f32, y: f32| Obb::axis_aligned(Vec3::new(x, y, 0.0), Vec3::new(2.0, 0.0, 0.0));
    let cases: [(Shape, Shape, f64, f64); 6] = [
        (Shape::Box(cube(-10.0, 3.0)), Shape::Box(cube(0.0, 0.0)), 8.0, 1.0),
        (Shape::Box(diamond), Shape::Box(cube(0.0, 0.0)), 8.0, 3.0 - 2f64.sqrt()),
        (
            Shape::Capsule(capsule(-9.0, 3.0)),
            Shape::Capsule(capsule(0.0, 0.0)),
            5.0,
            2.0,
        ),
        (Shape::Box(rod(-9.0, 1.0)), Shape::Box(rod(0.0, 0.0)), 5.0, 1.0),
        (
            Shape::Ball(Sphere::new(Vec3::new(-9.0, 3.0, 0.0), 1.0)),
            Shape::Box(cube(0.0, 0.0)),
            8.0,
            1.0,
        ),
        // Already over each other at the start.
        (Shape::Box(cube(-1.0, 3.0)), Shape::Box(cube(0.0, 0.0)), 0.0, 1.0),
    ];
    for (a, b, time, distance) in cases {
        for (found, what) in [
            (
                nearest([&a, &b], [&right, &Motion::REST], &Step::new(20.0)),
                "it slides",
            ),
            (
                nearest([&b, &a], [&Motion::linear(-Vec3::X), &Motion::REST], &Step::new(20.0)),
                "the other slides",
            ),
        ] {
            assert!((found.time - time).abs() < 2e-8 * 20.0, "{what}: {found:?} {a:?}");
            assert!((found.distance - distance).abs() < 1e-7, "{what}: {found:?} {a:?}");
        }
    }
}

#[test]
fn bodies_that_turn_or_accelerate_agree_with_samples() {
    const SAMPLES: u32 = 2_000;
    let mut made = Made(SplitMix(23));
    let (mut apart, mut meet) = (0, 0);
    for index in 0..150 {
        let shapes = [made.shape(), made.shape()];
        let motions = [0; 2].map(|_| {
            let turning = Motion::linear(made.eighths(16)).turning(made.eighths(24));
            turning.accelerated(made.eighths(if index % 2 == 0 { 8 } else { 0 }))
        });
        let step = Step::new(2.0).with_tolerance(1e-3);
        let found = nearest([&shapes[0], &shapes[1]], [&motions[0], &motions[1]], &step);
        let distance = |time: f64| {
            let [a, b] = [0, 1].map(|body| shapes[body].at(&motions[body], time));
            a.body().distance(b.body())
        };
        let spacing = step.dt / f64::from(SAMPLES);
        let least = (0..=SAMPLES)
            .map(|k| distance(f64::from(k) * spacing))
            .fold(f64::INFINITY, f64::min);
        let what = format!("{index}: {found:?}, sampled {least}, {shapes:?} {motions:?}");
        assert!(found.is_resolved, "{what}");
        assert!(found.distance <= least + 1e-3 + 1e-5, "{what}");
        assert!((distance(found.time) - found.distance).abs() <= 1e-3 + 1e-5, "{what}");
        apart += usize::from(found.distance > 0.0);
        meet += usize::from(found.distance == 0.0);
    }
    assert!(apart > 40 && meet > 4, "{apart} apart, {meet} meet");
}

/// Compares the pairs of a box and another body with those of all pairs.
fn expect_between(
    checker: &mut Checker,
    all: Bodies<'_>,
    motions: &[Motion],
    (step, within): (&Step, f64),
    expected: &[(Pair, ClosestApproach)],
) {
    let split = all.boxes.len();
    let boxes = MovingSet::new(all.boxes, &motions[..split]);
    let others = MovingSet::new(Bodies { boxes: &[], ..all }, &motions[split..]);
    let between = checker
        .check(ApproachQuery::between(boxes, others, step, within))
        .expect("valid sets");
    let near = between.approaches.iter().filter(|one| one.nearest.distance <= within);
    let mut found: Vec<Pair> = near.map(|one| one.pair).collect();
    found.sort_unstable();
    let across = |pair: &Pair| (pair.a as usize) < split && pair.b as usize >= split;
    let wanted = expected.iter().map(|one| one.0).filter(across).map(|pair| Pair {
        a: pair.a,
        b: pair.b - split as u32,
    });
    let mut wanted: Vec<Pair> = wanted.collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted, "within {within}");
}

/// The pairs of a scene are those of all pairs, on both backends.
#[test]
fn queries_find_every_pair_that_comes_near() {
    let mut made = Made(SplitMix(3));
    let shapes: Vec<Shape> = (0..120).map(|_| made.shape()).collect();
    let mut bodies = OwnedBodies::default();
    for shape in &shapes {
        match shape {
            Shape::Box(obb) => bodies.boxes.push(*obb),
            Shape::Capsule(capsule) => bodies.capsules.push(*capsule),
            Shape::Ball(ball) => bodies.spheres.push(*ball),
        }
    }
    let motions: Vec<Motion> = (0..120)
        .map(|k| Motion::linear(made.eighths(8)).turning(if k % 3 == 0 { made.eighths(8) } else { Vec3::ZERO }))
        .collect();
    let (all, step) = (bodies.all(), Step::new(1.0));
    for within in [0.0, 0.25, 3.0] {
        let mut expected = Vec::new();
        for b in 0..120u32 {
            for a in 0..b {
                let pair = [a, b].map(|id| all.at(id));
                let found = closest_approach(pair, [&motions[a as usize], &motions[b as usize]], &step);
                if found.distance <= within {
                    expected.push((Pair::new(a, b), found));
                }
            }
        }
        expected.sort_by(|x, y| x.1.time.total_cmp(&y.1.time).then(x.0.cmp(&y.0)));
        for mut checker in [cpu(Config::default()), gpu(Config::default())] {
            let query = ApproachQuery::new(MovingSet::new(all, &motions), &step, within);
            let found = checker.check(query).expect("a valid scene");
            // Those that miss by less than the tolerance may be there, too.
            let near = found.approaches.iter().filter(|one| one.nearest.distance <= within);
            assert!(
                near.map(|one| (one.pair, one.nearest)).eq(expected.iter().copied()),
                "within {within}: {} of {}",
                found.approaches.len(),
                expected.len()
            );
            assert!(found.approaches.len() < expected.len() + 20);

            expect_between(&mut checker, all, &motions, (&step, within), &expected);
        }
        assert!(expected.len() > 20, "{}", expected.len());
    }
}

#[test]
fn a_distance_of_exactly_the_limit_counts_and_bad_ones_are_refused() {
    let balls = [
        Sphere::new(Vec3::new(-8.0, 4.0, 0.0), 1.0),
        Sphere::new(Vec3::ZERO, 1.0),
    ];
    let motions = [Motion::linear(Vec3::X), Motion::REST];
    let mut checker = cpu(Config::default());
    let mut ask = |within: f64| {
        let query = ApproachQuery::new(MovingSet::new(&balls, &motions), &Step::new(16.0), within);
        checker.check(query).map(|found| found.approaches)
    };
    let found = ask(2.0).expect("a valid distance");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].nearest.time, found[0].nearest.distance), (8.0, 2.0));
    // Only what misses by less than the error of the distance, about 1e-12, is there, too.
    assert!(ask(2.0 - 1e-10).expect("a valid distance").is_empty());
    for wrong in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(matches!(ask(wrong), Err(Error::InvalidMargin { .. })), "{wrong}");
    }
    let query = ApproachQuery::new(MovingSet::new(&balls, &motions[..1]), &Step::new(1.0), 1.0);
    assert!(matches!(checker.check(query), Err(Error::MissingMotions { .. })));
}
