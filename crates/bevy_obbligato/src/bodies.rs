//! The colliders of an update as lists of bodies, and their ids.
//!
//! An id is the number of an entity for as long as it is a collider, whatever its place in the
//! lists. One that is no longer needed is given away again only after the next check, which still
//! names the collider that has gone.

use bevy_ecs::entity::{Entity, EntityHashMap};
use obbligato::Rules;
use obbligato::shape::OwnedBodies;

use crate::collider::{Body, ColliderProblem, CollisionGroups};

/// The components of a collider other than its shape.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    pub groups: CollisionGroups,
    pub is_static: bool,
    pub is_sensor: bool,
}

/// A collider of the last update.
struct Known {
    id: u32,
    /// The number of the update that last saw it.
    seen: u32,
    body: Result<Body, ColliderProblem>,
}

/// All colliders. Positions are those in [`obbligato::Bodies`].
#[derive(Default)]
pub(crate) struct Bodies {
    update: u32,
    known: EntityHashMap<Known>,
    /// Ids that are free, and those that are after the next check.
    free: Vec<u32>,
    retired: Vec<u32>,
    /// The entity and its other components, by id.
    entities: Vec<Entity>,
    given: Vec<Given>,
    /// The position of each id in the lists.
    positions: Vec<u32>,
    lists: OwnedBodies,
    /// The ids of the boxes, of the capsules and of the spheres.
    ids_of_kinds: [Vec<u32>; 3],
    /// The id, the mark and the groups of each body, by position.
    ids: Vec<u32>,
    statics: Vec<bool>,
    groups: Vec<[u32; 2]>,
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

    /// Adds a collider. `place` is called if it is new or has changed. Returns the problem for
    /// which it is left out, if it was not before.
    pub fn add(
        &mut self,
        entity: Entity,
        given: Given,
        is_changed: bool,
        place: impl FnOnce() -> Result<Body, ColliderProblem>,
    ) -> Option<ColliderProblem> {
        let mut problem = None;
        let known = match self.known.get_mut(&entity) {
            Some(known) => {
                if is_changed {
                    let body = place();
                    problem = body.err().filter(|now| known.body.err() != Some(*now));
                    known.body = body;
                }
                known
            }
            None => {
                let id = self.free.pop().unwrap_or(self.entities.len() as u32);
                if id as usize == self.entities.len() {
                    self.entities.push(entity);
                    self.given.push(given);
                    self.positions.push(0);
                }
                self.entities[id as usize] = entity;
                let body = place();
                problem = body.err();
                self.known.entry(entity).or_insert(Known { id, seen: 0, body })
            }
        };
        known.seen = self.update;
        self.seen += 1;
        self.given[known.id as usize] = given;
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
        self.ids_of_kinds[kind].push(known.id);
        problem
    }

    /// Ends an update: colliders that were not added are gone.
    pub fn end(&mut self) {
        if self.seen < self.known.len() {
            let (update, retired) = (self.update, &mut self.retired);
            self.known.retain(|_, known| {
                let is_here = known.seen == update;
                if !is_here {
                    retired.push(known.id);
                }
                is_here
            });
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
        self.entities.len()
    }

    /// Returns the id of an entity, if it is a collider.
    pub fn id_of(&self, entity: Entity) -> Option<u32> {
        self.known.get(&entity).map(|known| known.id)
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
