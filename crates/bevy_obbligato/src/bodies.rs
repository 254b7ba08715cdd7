//! The colliders of an update as lists of bodies, and their ids.
//!
//! An id is the number of an entity for as long as it is a collider, whatever its place in the
//! lists. One that is no longer needed is given away again only after the next check, which still
//! names the collider that has gone.

use bevy_ecs::change_detection::{DetectChanges, Ref};
use bevy_ecs::entity::Entity;
use bevy_math::Mat3A;
use bevy_transform::components::GlobalTransform;
use obbligato::Rules;
use obbligato::shape::OwnedBodies;

use crate::collider::{Body, Collider, ColliderProblem, CollisionGroups};

/// No id.
const NONE: u32 = u32::MAX;

/// The components of a collider other than its shape.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    pub groups: CollisionGroups,
    pub is_static: bool,
    pub is_sensor: bool,
}

/// A collider and its body.
struct Known {
    /// `true` until it is gone.
    is_here: bool,
    /// The number of the update that last saw it.
    seen: u32,
    body: Result<Body, ColliderProblem>,
    /// The rotation and the scale of the body.
    axes: Mat3A,
}

/// All colliders. Positions are those in [`obbligato::Bodies`].
#[derive(Default)]
pub(crate) struct Bodies {
    update: u32,
    /// The colliders, by id. An id that is free keeps the last one that had it.
    known: Vec<Known>,
    /// Their entities and other components, and the positions of their bodies in the lists.
    entities: Vec<Entity>,
    given: Vec<Given>,
    positions: Vec<u32>,
    /// The id of the collider at each index of an entity, or [`NONE`].
    ids_of_entities: Vec<u32>,
    /// Ids that are free, and those that are after the next check.
    free: Vec<u32>,
    retired: Vec<u32>,
    lists: OwnedBodies,
    /// The ids of the boxes, of the capsules and of the spheres.
    ids_of_kinds: [Vec<u32>; 3],
    /// The id, the mark and the groups of each body, by position.
    ids: Vec<u32>,
    statics: Vec<bool>,
    groups: Vec<[u32; 2]>,
    /// Colliders that are here, and those of them that the update has seen.
    here: usize,
    seen: usize,
}

impl Bodies {
    /// Begins an update, in which all colliders are added.
    pub fn begin(&mut self) {
        self.update = self.update.wrapping_add(1);
        self.seen = 0;
        self.lists.boxes.clear();
        self.lists.capsules.clear();
        self.lists.spheres.clear();
        self.ids_of_kinds.iter_mut().for_each(Vec::clear);
    }

    /// Adds a collider. Returns the problem for which it is left out, if it was not before.
    pub fn add(
        &mut self,
        entity: Entity,
        given: Given,
        collider: &Ref<'_, Collider>,
        transform: &Ref<'_, GlobalTransform>,
    ) -> Option<ColliderProblem> {
        let (id, problem) = match self.id_of(entity) {
            Some(id) => (id, self.known[id as usize].follow(collider, transform)),
            None => {
                let body = collider.placed(transform);
                let known = Known {
                    is_here: true,
                    seen: 0,
                    body,
                    axes: transform.affine().matrix3,
                };
                (self.enter(entity, known), body.err())
            }
        };
        self.given[id as usize] = given;
        self.seen += 1;
        let known = &mut self.known[id as usize];
        known.seen = self.update;
        let kind = match known.body {
            Ok(Body::Box(obb)) => {
                self.lists.boxes.push(obb);
                0
            }
            Ok(Body::Capsule(capsule)) => {
                self.lists.capsules.push(capsule);
                1
            }
            Ok(Body::Sphere(sphere)) => {
                self.lists.spheres.push(sphere);
                2
            }
            Err(_) => return problem,
        };
        self.ids_of_kinds[kind].push(id);
        problem
    }

    /// Gives an id to a new collider.
    fn enter(&mut self, entity: Entity, known: Known) -> u32 {
        let index = entity.index_u32() as usize;
        if index >= self.ids_of_entities.len() {
            self.ids_of_entities.resize(index + 1, NONE);
        }
        self.here += 1;
        if let Some(id) = self.free.pop() {
            (self.known[id as usize], self.entities[id as usize]) = (known, entity);
            self.ids_of_entities[index] = id;
            return id;
        }
        let id = self.known.len() as u32;
        self.ids_of_entities[index] = id;
        self.known.push(known);
        self.entities.push(entity);
        self.given.push(Given::default());
        self.positions.push(0);
        id
    }

    /// Ends an update: colliders that were not added are gone.
    pub fn end(&mut self) {
        if self.seen < self.here {
            for (id, known) in (0..).zip(&mut self.known) {
                if known.is_here && known.seen != self.update {
                    known.is_here = false;
                    self.retired.push(id);
                    // Another entity may have come at its index.
                    let entity = self.entities[id as usize];
                    let place = &mut self.ids_of_entities[entity.index_u32() as usize];
                    if *place == id {
                        *place = NONE;
                    }
                }
            }
            self.here = self.seen;
        }
        self.ids.clear();
        for ids in &self.ids_of_kinds {
            self.ids.extend_from_slice(ids);
        }
        self.statics.clear();
        self.groups.clear();
        for (position, &id) in (0..).zip(&self.ids) {
            let given = &self.given[id as usize];
            self.positions[id as usize] = position;
            self.statics.push(given.is_static);
            self.groups.push([given.groups.memberships, given.groups.filter]);
        }
    }

    /// Allows that the ids of colliders that have gone are given away again.
    pub fn release(&mut self) {
        self.free.append(&mut self.retired);
    }

    /// Returns the ids, by position.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns the shapes.
    pub fn shapes(&self) -> obbligato::Bodies<'_> {
        self.lists.all()
    }

    /// Returns the rules of the shapes.
    pub fn rules(&self) -> Rules<'_> {
        let has_groups = self.groups.iter().any(|groups| *groups != [u32::MAX; 2]);
        Rules {
            statics: self.statics.contains(&true).then_some(&*self.statics),
            groups: has_groups.then_some(&*self.groups),
            ..Rules::default()
        }
    }

    /// Returns the number of ids that are or were in use.
    pub fn id_count(&self) -> usize {
        self.known.len()
    }

    /// Returns the id of an entity, if it is a collider.
    pub fn id_of(&self, entity: Entity) -> Option<u32> {
        let id = *self.ids_of_entities.get(entity.index_u32() as usize)?;
        (id != NONE && self.entity(id) == entity).then_some(id)
    }

    /// Returns the entity with an id, or the last one that had it.
    pub fn entity(&self, id: u32) -> Entity {
        self.entities[id as usize]
    }

    /// Returns the other components of an entity, by its id.
    pub fn given(&self, id: u32) -> &Given {
        &self.given[id as usize]
    }

    /// Returns the position in the lists of an id.
    pub fn position(&self, id: u32) -> u32 {
        self.positions[id as usize]
    }
}

impl Known {
    /// Places the body again if the collider has changed. Returns the problem for which it is left
    /// out, if it was not before.
    fn follow(
        &mut self,
        collider: &Ref<'_, Collider>,
        transform: &Ref<'_, GlobalTransform>,
    ) -> Option<ColliderProblem> {
        if !collider.is_changed() && !transform.is_changed() {
            return None;
        }
        let affine = transform.affine();
        let body = match &mut self.body {
            // Most only move.
            Ok(body) if !collider.is_changed() && affine.matrix3 == self.axes => {
                match body.move_to(affine.translation.into()) {
                    Ok(()) => return None,
                    Err(problem) => Err(problem),
                }
            }
            _ => collider.placed(transform),
        };
        let problem = body.err().filter(|now| self.body.err() != Some(*now));
        (self.body, self.axes) = (body, affine.matrix3);
        problem
    }
}
