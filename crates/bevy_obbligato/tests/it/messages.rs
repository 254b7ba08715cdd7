//! The messages of a thousand updates lead to the pairs of brute force.

use std::collections::BTreeMap;

use bevy_app::App;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::Entity;
use bevy_math::{Quat, Vec3};
use bevy_obbligato::Contact;
use bevy_obbligato::prelude::*;
use bevy_transform::components::Transform;
use parry3d::math::Pose3;
use parry3d::shape::{Ball, Capsule, Cuboid, Shape};

use crate::support::{Followed, Pairs, Random, Reader, app, pair};

const UPDATES: usize = 1000;

/// A collider as the test knows it.
#[derive(Clone, Copy)]
struct Model {
    collider: Collider,
    local: Transform,
    parent: Option<usize>,
    groups: CollisionGroups,
    is_static: bool,
}

/// The contact of each pair, its normal away from the first.
type Touches = BTreeMap<[Entity; 2], Contact>;

fn touch(a: Entity, b: Entity, mut contact: Contact) -> ([Entity; 2], Contact) {
    if b < a {
        contact.normal = -contact.normal;
    }
    (pair(a, b), contact)
}

impl Model {
    fn spawn(&self, app: &mut App, parents: &[Entity]) -> Entity {
        let mut entity = app.world_mut().spawn((self.collider, self.local));
        if self.groups != CollisionGroups::ALL {
            entity.insert(self.groups);
        }
        if self.is_static {
            entity.insert(StaticCollider);
        }
        if let Some(parent) = self.parent {
            entity.insert(ChildOf(parents[parent]));
        }
        entity.id()
    }

    fn may_meet(&self, other: &Self) -> bool {
        let [a, b] = [self.groups, other.groups];
        !(self.is_static && other.is_static) && a.memberships & b.filter != 0 && b.memberships & a.filter != 0
    }

    /// Parry's shape and pose.
    fn peer(&self, parents: &[(Entity, Transform)]) -> (Box<dyn Shape>, Pose3) {
        let Transform {
            mut translation,
            mut rotation,
            mut scale,
        } = self.local;
        if let Some(parent) = self.parent {
            let parent = &parents[parent].1;
            translation = parent.translation + parent.rotation * (parent.scale * translation);
            rotation = parent.rotation * rotation;
            scale *= parent.scale;
        }
        let pose = Pose3::from_parts(translation, rotation.normalize());
        let uniform = scale.x.abs();
        let shape: Box<dyn Shape> = match self.collider {
            Collider::Cuboid { half_size } => Box::new(Cuboid::new(half_size * scale.abs())),
            Collider::Capsule { radius, half_length } => {
                Box::new(Capsule::new_y(half_length * uniform, radius * uniform))
            }
            Collider::Sphere { radius } => Box::new(Ball::new(radius * uniform)),
        };
        (shape, pose)
    }
}

struct Scene {
    app: App,
    random: Random,
    models: BTreeMap<Entity, Model>,
    parents: Vec<(Entity, Transform)>,
}

impl Scene {
    fn new() -> Self {
        let (mut app, mut random) = (app(), Random(7));
        let parents = [1.0, -0.5, 2.0].map(|scale| {
            let transform = random.transform(2.0).with_scale(Vec3::splat(scale));
            (app.world_mut().spawn(transform).id(), transform)
        });
        let mut scene = Self {
            app,
            random,
            models: BTreeMap::new(),
            parents: parents.into(),
        };
        (0..70).for_each(|_| scene.spawn());
        scene
    }

    fn spawn(&mut self) {
        let random = &mut self.random;
        let collider = random.collider();
        let mut local = random.transform(4.0);
        local.scale = match collider {
            Collider::Cuboid { .. } => Vec3::new(1.0, random.between(0.5, 2.0), -1.5),
            _ => Vec3::splat(random.between(0.5, 1.5)),
        };
        let parent = random.chance(30).then(|| random.below(self.parents.len()));
        let groups = match random.chance(70) {
            true => CollisionGroups::ALL,
            false => CollisionGroups::new(1 << random.below(3), 0b11 << random.below(2)),
        };
        let is_static = random.chance(20);
        let model = Model {
            collider,
            local,
            parent,
            groups,
            is_static,
        };
        let parents: Vec<Entity> = self.parents.iter().map(|(parent, _)| *parent).collect();
        let entity = model.spawn(&mut self.app, &parents);
        self.models.insert(entity, model);
    }

    /// Returns the pairs that an app which has seen no other frame finds in this one.
    fn afresh(&self) -> Touches {
        let mut app = app();
        let parents = self
            .parents
            .iter()
            .map(|(_, transform)| app.world_mut().spawn(*transform).id());
        let parents: Vec<Entity> = parents.collect();
        let names = self
            .models
            .iter()
            .map(|(entity, model)| (model.spawn(&mut app, &parents), *entity));
        let names: BTreeMap<Entity, Entity> = names.collect();
        app.update();
        let mut began = Reader::<CollisionBegan>::new();
        let found = began.read(&app).into_iter();
        found
            .map(|found| touch(names[&found.a], names[&found.b], found.contact))
            .collect()
    }

    fn any(&mut self) -> Entity {
        let place = self.random.below(self.models.len());
        *self.models.keys().nth(place).expect("a collider")
    }

    fn step(&mut self) {
        for _ in 0..self.random.below(3) {
            let gone = self.any();
            self.models.remove(&gone);
            self.app.world_mut().despawn(gone);
            // Bevy gives the place of the one that has gone to the next.
            self.spawn();
        }
        if self.random.chance(5) {
            let changed = self.any();
            let collider = Collider::sphere(self.random.between(0.2, 0.8));
            let model = self.models.get_mut(&changed).expect("a collider");
            model.local.scale = Vec3::ONE;
            model.collider = collider;
            model.is_static = !model.is_static;
            let Model { is_static, local, .. } = *model;
            let mut entity = self.app.world_mut().entity_mut(changed);
            entity.insert((collider, local));
            match is_static {
                true => entity.insert(StaticCollider),
                false => entity.remove::<StaticCollider>(),
            };
        }
        for (entity, model) in &mut self.models {
            if self.random.chance(40) {
                continue;
            }
            model.local.translation += self.random.vector(0.05);
            model.local.rotation = (model.local.rotation * Quat::from_rotation_y(0.05)).normalize();
            if self.random.chance(2) {
                model.local.translation = self.random.vector(4.0);
            }
            *self.app.world_mut().get_mut::<Transform>(*entity).expect("a transform") = model.local;
        }
        for (entity, transform) in &mut self.parents {
            transform.rotation = (transform.rotation * Quat::from_rotation_x(0.01)).normalize();
            *self.app.world_mut().get_mut::<Transform>(*entity).expect("a transform") = *transform;
        }
    }

    /// The pairs that surely collide, and those that are too close to a touch for Parry's `f32`.
    fn expected(&self) -> [Pairs; 2] {
        let peers: Vec<_> = self
            .models
            .iter()
            .map(|(id, model)| (*id, model, model.peer(&self.parents)))
            .collect();
        let mut found = [Pairs::new(), Pairs::new()];
        for (k, (a, model_a, (shape_a, pose_a))) in peers.iter().enumerate() {
            for (b, model_b, (shape_b, pose_b)) in &peers[..k] {
                if !model_a.may_meet(model_b) {
                    continue;
                }
                // Of the two, each errs now and then: neither is believed alone.
                let apart = parry3d::query::distance(pose_a, &**shape_a, pose_b, &**shape_b).expect("known shapes");
                let contact = parry3d::query::contact(pose_a, &**shape_a, pose_b, &**shape_b, 0.01);
                match contact.expect("known shapes") {
                    _ if apart.distance > 1e-3 => continue,
                    Some(contact) if contact.dist < -1e-3 && apart.distance == 0.0 => found[0].insert(pair(*a, *b)),
                    _ => found[1].insert(pair(*a, *b)),
                };
            }
        }
        found
    }
}

#[test]
fn a1_messages_lead_to_the_pairs_of_parry() {
    let mut scene = Scene::new();
    let mut followed = Followed::new();
    let (mut colliding, mut undecided) = (0, 0);
    for update in 0..UPDATES {
        scene.app.update();
        followed.read(&scene.app);
        let [surely, maybe] = scene.expected();
        let missing: Vec<_> = surely.difference(&followed.pairs).collect();
        let added = followed
            .pairs
            .iter()
            .filter(|pair| !surely.contains(*pair) && !maybe.contains(*pair));
        let added: Vec<_> = added.collect();
        assert!(
            missing.is_empty() && added.is_empty(),
            "update {update}: missing {missing:?}, added {added:?}"
        );
        colliding += surely.len();
        undecided += maybe.len();
        scene.step();
    }
    assert!(colliding > 5 * UPDATES, "{colliding}");
    assert!(undecided * 50 < colliding, "{undecided} of {colliding}");
}

/// Pairs and contacts of the messages are those of an app that begins with the frame.
#[test]
fn a1_messages_are_those_of_fresh_checks() {
    let mut scene = Scene::new();
    let (mut began, mut persisted) = (Reader::<CollisionBegan>::new(), Reader::<CollisionPersisted>::new());
    let mut compared = 0;
    for update in 0..UPDATES {
        scene.app.update();
        let new = began.read(&scene.app).into_iter();
        let old = persisted.read(&scene.app).into_iter();
        let new = new.map(|found| touch(found.a, found.b, found.contact));
        let old = old.map(|found| touch(found.a, found.b, found.contact));
        let found: Touches = new.chain(old).collect();
        let expected = scene.afresh();
        assert!(
            found.keys().eq(expected.keys()),
            "update {update}: {found:?}, {expected:?}"
        );
        for (pair, contact) in &found {
            // The ids decide which of the two is first, and so how it is rounded.
            let other = &expected[pair];
            assert!(
                (contact.depth - other.depth).abs() < 1e-5,
                "update {update}: {contact:?}, {other:?}"
            );
            compared += 1;
        }
        scene.step();
    }
    assert!(compared > 5 * UPDATES, "{compared}");
}

/// Cubes on the corners of a grid, of its width: most pairs only touch, and all of it is exact.
#[test]
fn messages_lead_to_the_pairs_of_exact_arithmetic() {
    let (mut app, mut random, mut followed) = (app(), Random(11), Followed::new());
    let mut cubes: BTreeMap<Entity, [i32; 3]> = BTreeMap::new();
    let corner = |random: &mut Random| [(); 3].map(|()| random.below(8) as i32);
    let at = |cube: [i32; 3]| Transform::from_xyz(cube[0] as f32, cube[1] as f32, cube[2] as f32);
    for update in 0..UPDATES {
        let count = if update == 0 { 80 } else { random.below(4) };
        for _ in 0..count {
            if update > 0 {
                let gone = *cubes.keys().nth(random.below(cubes.len())).expect("a cube");
                cubes.remove(&gone);
                app.world_mut().despawn(gone);
            }
            let cube = corner(&mut random);
            cubes.insert(
                app.world_mut().spawn((Collider::cuboid(1.0, 1.0, 1.0), at(cube))).id(),
                cube,
            );
        }
        for (entity, cube) in &mut cubes {
            if random.chance(10) {
                *cube = corner(&mut random);
            } else if random.chance(20) {
                cube[random.below(3)] += random.below(3) as i32 - 1;
            }
            app.world_mut()
                .get_mut::<Transform>(*entity)
                .expect("a transform")
                .translation = at(*cube).translation;
        }
        app.update();
        followed.read(&app);
        let mut expected = Pairs::new();
        for (a, of_a) in &cubes {
            for (b, of_b) in cubes.range(..a) {
                if of_a.iter().zip(of_b).all(|(x, y)| (x - y).abs() <= 1) {
                    expected.insert(pair(*a, *b));
                }
            }
        }
        assert_eq!(followed.pairs, expected, "update {update}");
    }
}
