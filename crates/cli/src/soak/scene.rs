//! The moving scenes, each a function of the seed and the number of its frame.

use obbligato::{
    Checker, Obb, Obb64, Pair, Period, Query, Set,
    glam::{DVec3, Vec3},
    motion::{Motion, MovingSet, Step},
    query::{SolidQuery, Sweep},
    shape::{BodyCounts, OwnedBodies, Solid, Triangle},
};
use obbligato_support::split_mix::{SplitMix, mix};
use obbligato_verify::{
    reference,
    scenes::{BodyScene, Scene},
};

use super::rules::OwnedRules;

/// The frames of a scene, in which its bodies move.
pub const STEPS: u64 = 50;

/// The seconds of a sweep.
const DT: f64 = 0.1;

/// The largest distance per frame along an axis.
const SPEED: f32 = 0.02;

/// The bodies of a scene in its first frame.
pub enum Bodies {
    /// Boxes, capsules and spheres, with rules.
    Mixed(OwnedBodies, OwnedRules),
    /// Boxes with centers in `f64`.
    Boxes64(Vec<Obb64>),
    /// Boxes, capsules and spheres in space that repeats.
    Periodic(OwnedBodies, Period),
    /// The points of convex solids.
    Solids(Vec<Vec<Vec3>>),
    /// The triangles of one mesh.
    Mesh(Vec<Triangle>),
    /// Boxes that a sweep moves.
    Swept(Vec<Obb>),
    /// A scene too large for a comparison of all bodies.
    Large(OwnedBodies),
}

/// The number of kinds that small scenes have.
const KINDS: u64 = 6;

/// A scene, and the velocities of its bodies.
pub struct Moving {
    pub bodies: Bodies,
    velocities: Vec<Vec3>,
}

impl Moving {
    /// Returns a small scene.
    pub fn small(seed: u64, number: u64) -> Self {
        let mut random = SplitMix(mix(seed) ^ mix(!number));
        let kind = random.next() % KINDS;
        let bodies = match kind {
            0 => {
                let count = count(&mut random, 400);
                let bodies = any_scene(&mut random).bodies(count, random.next());
                Bodies::Mixed(bodies, OwnedRules::random(&mut random, count))
            }
            1 => {
                let count = count(&mut random, 150);
                let far = DVec3::splat(random.unit() * 1e7);
                let boxes = any_scene(&mut random).bodies(count, random.next()).boxes.into_iter();
                let moved = |obb: Obb| {
                    let mut obb = Obb64::from(obb);
                    obb.center += far;
                    obb
                };
                Bodies::Boxes64(boxes.map(moved).collect())
            }
            2 => {
                let bodies = BodyScene::MixedKinds.bodies(count(&mut random, 90), random.next());
                let length = random.next().is_multiple_of(2).then_some(11.5);
                Bodies::Periodic(bodies, Period::new([Some(12.0), length, None]))
            }
            3 => Bodies::Solids(solids(&mut random)),
            4 => Bodies::Mesh(mesh(&mut random)),
            _ => Bodies::Swept(Scene::Dense.generate(count(&mut random, 60), random.next())),
        };
        Self::with_velocities(bodies, random)
    }

    /// Returns a large scene, of up to `most` bodies.
    pub fn large(seed: u64, number: u64, most: usize) -> Self {
        let mut random = SplitMix(mix(seed) ^ mix(!number) ^ 1);
        let count = most - (random.unit() * 0.5 * most as f64) as usize;
        let bodies = BodyScene::MixedKinds.bodies(count, random.next());
        Self {
            bodies: Bodies::Large(bodies),
            velocities: Vec::new(),
        }
    }

    fn with_velocities(bodies: Bodies, mut random: SplitMix) -> Self {
        let count = bodies.len();
        let velocity = |_| Vec3::from([0; 3].map(|_| (2.0 * random.unit() as f32 - 1.0) * SPEED));
        Self {
            velocities: (0..count).map(velocity).collect(),
            bodies,
        }
    }

    /// Returns the bodies in a frame of the scene.
    pub fn at(&self, step: u64) -> Bodies {
        let shifts = self.velocities.iter().map(|velocity| *velocity * step as f32);
        match &self.bodies {
            Bodies::Mixed(bodies, rules) => Bodies::Mixed(moved(bodies, shifts), rules.clone()),
            Bodies::Periodic(bodies, period) => Bodies::Periodic(moved(bodies, shifts), *period),
            Bodies::Large(bodies) => Bodies::Large(moved(bodies, shifts)),
            Bodies::Boxes64(boxes) => {
                let mut boxes = boxes.clone();
                for (obb, shift) in boxes.iter_mut().zip(shifts) {
                    obb.center += shift.as_dvec3();
                }
                Bodies::Boxes64(boxes)
            }
            Bodies::Solids(solids) => {
                let solids = solids.iter().zip(shifts);
                let solid = |(points, shift): (&Vec<Vec3>, Vec3)| points.iter().map(|point| *point + shift).collect();
                Bodies::Solids(solids.map(solid).collect())
            }
            Bodies::Mesh(triangles) => {
                let triangles = triangles.iter().zip(shifts);
                let triangle = |(triangle, shift): (&Triangle, Vec3)| {
                    let [a, b, c] = triangle.corners.map(|corner| corner + shift);
                    Triangle::new(a, b, c)
                };
                Bodies::Mesh(triangles.map(triangle).collect())
            }
            Bodies::Swept(boxes) => {
                let mut boxes = boxes.clone();
                for (obb, shift) in boxes.iter_mut().zip(shifts) {
                    obb.center += shift;
                }
                Bodies::Swept(boxes)
            }
        }
    }

    /// Returns the motions of a sweep.
    fn motions(&self) -> Vec<Motion> {
        let faster = SPEED / DT as f32 * 50.0;
        let motions = self
            .velocities
            .iter()
            .map(|velocity| Motion::linear(*velocity * faster));
        motions.collect()
    }

    /// Returns the pairs that a checker finds.
    pub fn found(&self, bodies: &Bodies, checker: &mut Checker) -> obbligato::Result<Vec<Pair>> {
        match bodies {
            Bodies::Mixed(bodies, rules) => checker.check(bodies.all().with(rules.get()))?.into_pairs(),
            Bodies::Boxes64(boxes) => checker.check(boxes)?.into_pairs(),
            Bodies::Periodic(bodies, period) => {
                let query = Query::from(Set::from(bodies.all())).periodic(*period);
                checker.check(query)?.into_pairs()
            }
            Bodies::Solids(solids) => {
                let solids: Result<Vec<Solid>, _> = solids.iter().map(|points| Solid::from_points(points)).collect();
                checker.check(SolidQuery::new(&solids?))?.into_pairs()
            }
            Bodies::Mesh(triangles) => checker.check(Query::mesh(triangles))?.into_pairs(),
            Bodies::Swept(boxes) => {
                let (motions, step) = (self.motions(), Step::new(DT));
                let impacts = checker
                    .check(Sweep::new(MovingSet::new(boxes, &motions), &step))?
                    .impacts;
                let mut pairs: Vec<Pair> = impacts.iter().map(|impact| impact.pair).collect();
                pairs.sort_unstable();
                Ok(pairs)
            }
            Bodies::Large(bodies) => checker.check(bodies.all())?.into_pairs(),
        }
    }

    /// Returns the pairs of the reference. The caller compares large scenes.
    pub fn expected(&self, bodies: &Bodies) -> Vec<Pair> {
        match bodies {
            Bodies::Mixed(bodies, rules) => rules.allow(reference::colliding_pairs(bodies.all())),
            Bodies::Boxes64(boxes) => first_of(reference::contacts64(boxes)),
            Bodies::Periodic(bodies, period) => first_of(reference::periodic_pairs(bodies.all(), period.lengths, 0.0)),
            Bodies::Solids(solids) => all_pairs(solids.len(), |a, b| {
                reference::solids_contact(&solids[a], &solids[b]).collides()
            }),
            Bodies::Mesh(triangles) => all_pairs(triangles.len(), |a, b| {
                reference::triangles_meet_in_mesh(&triangles[a], &triangles[b])
            }),
            Bodies::Swept(boxes) => {
                let motions = self.motions();
                all_pairs(boxes.len(), |a, b| {
                    let velocities = [a, b].map(|k| motions[k].velocity);
                    reference::first_contact([&boxes[a], &boxes[b]], velocities, DT).is_some()
                })
            }
            Bodies::Large(bodies) => reference::colliding_pairs(bodies.all()),
        }
    }
}

impl Bodies {
    /// Returns the name of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Mixed(..) => "boxes, capsules and spheres with rules",
            Self::Boxes64(_) => "boxes in f64",
            Self::Periodic(..) => "bodies in space that repeats",
            Self::Solids(_) => "convex solids",
            Self::Mesh(_) => "triangles of a mesh",
            Self::Swept(_) => "moving boxes",
            Self::Large(_) => "a large scene",
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Mixed(bodies, _) | Self::Periodic(bodies, _) | Self::Large(bodies) => bodies.all().len(),
            Self::Boxes64(boxes) => boxes.len(),
            Self::Solids(solids) => solids.len(),
            Self::Mesh(triangles) => triangles.len(),
            Self::Swept(boxes) => boxes.len(),
        }
    }

    /// Returns the number of bodies, for estimates of memory.
    pub fn counts(&self) -> BodyCounts {
        match self {
            Self::Mixed(bodies, _) | Self::Periodic(bodies, _) | Self::Large(bodies) => bodies.all().into(),
            _ => self.len().into(),
        }
    }
}

fn count(random: &mut SplitMix, most: u64) -> usize {
    (1 + random.next() % most) as usize
}

fn any_scene(random: &mut SplitMix) -> BodyScene {
    let scenes: Vec<BodyScene> = BodyScene::all().collect();
    scenes[(random.next() % scenes.len() as u64) as usize]
}

/// Returns bodies that have moved; without a shift they stay.
fn moved(bodies: &OwnedBodies, mut shifts: impl Iterator<Item = Vec3>) -> OwnedBodies {
    let mut bodies = bodies.clone();
    let mut shift = || shifts.next().unwrap_or(Vec3::ZERO);
    bodies.boxes.iter_mut().for_each(|obb| obb.center += shift());
    bodies.capsules.iter_mut().for_each(|capsule| capsule.center += shift());
    bodies.spheres.iter_mut().for_each(|sphere| sphere.center += shift());
    bodies
}

fn point(random: &mut SplitMix, edge: f64) -> Vec3 {
    Vec3::from([0; 3].map(|_| (edge * random.unit()) as f32))
}

fn solids(random: &mut SplitMix) -> Vec<Vec<Vec3>> {
    let solids = count(random, 16);
    let solid = |_| {
        let (center, points) = (point(random, 3.0), count(random, 12));
        (0..points).map(|_| center + point(random, 1.0)).collect()
    };
    (0..solids).map(solid).collect()
}

/// Returns triangles, some of which share corners with the previous one.
fn mesh(random: &mut SplitMix) -> Vec<Triangle> {
    let count = count(random, 60);
    let mut triangles: Vec<Triangle> = Vec::new();
    for _ in 0..count {
        let center = point(random, 3.0);
        let mut corners = [0; 3].map(|_| center + point(random, 1.0));
        if let Some(last) = triangles.last() {
            let shared = (random.next() % 4) as usize;
            corners[..shared.min(2)].copy_from_slice(&last.corners[..shared.min(2)]);
        }
        let [a, b, c] = corners;
        triangles.push(Triangle::new(a, b, c));
    }
    triangles
}

fn first_of<T>(pairs: Vec<(Pair, T)>) -> Vec<Pair> {
    pairs.into_iter().map(|(pair, _)| pair).collect()
}

/// Returns all pairs of `count` bodies for which `meet` returns `true`.
fn all_pairs(count: usize, meet: impl Fn(usize, usize) -> bool) -> Vec<Pair> {
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let pairs = pairs.filter(|&(a, b)| meet(a, b));
    pairs.map(|(a, b)| Pair::new(a as u32, b as u32)).collect()
}
