//! Queries about colliders that move: which of them meet, and when.

use bevy_ecs::entity::Entity;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use obbligato::motion::{Impact, Motion, MovingSet, Step, TimeOfImpact};
use obbligato::query::Sweep;
use obbligato::shape::OwnedBodies;
use obbligato::{Backend, Checker, Config, Error, Rules};

use crate::collider::{Body, Collider};
use crate::spatial_query::{QueryError, SpatialQuery, placed};

/// Two colliders that meet while they move.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Meeting {
    /// The first collider.
    pub a: Entity,
    /// The second collider.
    pub b: Entity,
    /// The time until then, in seconds; 0 if they share a point at the start.
    pub time: f32,
    /// A point where they meet, in the world.
    pub point: Vec3,
    /// A unit vector from `a` to `b` that separates the two at that time. At time 0, the direction
    /// in which to move `b`.
    pub normal: Vec3,
    /// `false` if the search gave up while the two were close to each other: they do not meet
    /// before `time`, and may not meet at all. Motions that neither turn nor accelerate are always
    /// resolved.
    pub is_resolved: bool,
}

/// The first collider that a moving shape meets, while the colliders move too.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MovingHit {
    /// The collider.
    pub entity: Entity,
    /// As in [`Meeting::time`].
    pub time: f32,
    /// As in [`Meeting::point`].
    pub point: Vec3,
    /// The unit normal of the collider there, outwards. At time 0, the direction in which to leave
    /// it.
    pub normal: Vec3,
    /// As in [`Meeting::is_resolved`].
    pub is_resolved: bool,
}

impl SpatialQuery<'_> {
    /// Finds all pairs of colliders that meet within this many seconds, if each goes on from where
    /// it was in the last update with the motion that a function returns: sorted by time. Nothing
    /// passes through anything, however fast. Groups and [`StaticCollider`](crate::StaticCollider)
    /// apply. O(n log n).
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_math::Vec3;
    /// use bevy_obbligato::obbligato::motion::Motion;
    /// use bevy_obbligato::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Velocity(Vec3);
    ///
    /// /// Warns of what happens within a second.
    /// fn look_ahead(query: SpatialQuery, velocities: Query<&Velocity>) -> Result {
    ///     let motion = |entity| velocities.get(entity).map_or(Motion::REST, |velocity| Motion::linear(velocity.0));
    ///     for meeting in query.sweep(1.0, motion)? {
    ///         println!("{} meets {} in {} s", meeting.a, meeting.b, meeting.time);
    ///     }
    ///     Ok(())
    /// }
    /// # bevy_ecs::system::assert_is_system::<(), (), _>(look_ahead);
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Number`], [`QueryError::Motion`], [`QueryError::Search`].
    pub fn sweep(&self, seconds: f32, motion_of: impl Fn(Entity) -> Motion) -> Result<Vec<Meeting>, QueryError> {
        let step = step(seconds)?;
        let bodies = &self.world.bodies;
        let entities: Vec<Entity> = bodies.ids().iter().map(|id| bodies.entity(*id)).collect();
        let motions: Vec<Motion> = entities.iter().map(|entity| motion_of(*entity)).collect();
        let set = MovingSet::new(bodies.shapes(), &motions).with(bodies.rules());
        let found = ask(&Sweep::new(set, &step), &|index| entities.get(index).copied())?;
        let meeting = |Impact { pair, first }: &Impact| Meeting {
            a: entities[pair.a as usize],
            b: entities[pair.b as usize],
            time: first.time as f32,
            point: first.point.as_vec3(),
            normal: first.normal.as_vec3(),
            is_resolved: first.is_resolved,
        };
        Ok(found.iter().map(meeting).collect())
    }

    /// Finds the first collider that a shape meets within this many seconds, while it moves, and
    /// the colliders move with the motions that a function returns: `None` for those that are not
    /// looked for. Groups are ignored. O(n).
    ///
    /// # Errors
    /// [`QueryError::Shape`], [`QueryError::Number`], [`QueryError::Motion`],
    /// [`QueryError::ShapeMotion`], [`QueryError::Search`].
    pub fn cast_moving(
        &self,
        shape: &Collider,
        start: &Transform,
        motion: Motion,
        seconds: f32,
        motion_of: impl Fn(Entity) -> Option<Motion>,
    ) -> Result<Option<MovingHit>, QueryError> {
        let (step, mut mover) = (step(seconds)?, OwnedBodies::default());
        match placed(shape, start)? {
            Body::Box(obb) => mover.boxes.push(obb),
            Body::Capsule(capsule) => mover.capsules.push(capsule),
            Body::Sphere(sphere) => mover.spheres.push(sphere),
        }
        let bodies = &self.world.bodies;
        let entities: Vec<Entity> = bodies.ids().iter().map(|id| bodies.entity(*id)).collect();
        let motions: Vec<Option<Motion>> = entities.iter().map(|entity| motion_of(*entity)).collect();
        // No group is shared with those that are not looked for.
        let groups: Vec<[u32; 2]> = motions.iter().map(|motion| [u32::from(motion.is_some()); 2]).collect();
        let motions: Vec<Motion> = motions.into_iter().map(Option::unwrap_or_default).collect();
        let rules = Rules {
            groups: Some(&groups),
            ..Rules::default()
        };
        let mine = Rules {
            groups: Some(&[[1, 1]]),
            ..Rules::default()
        };
        let sets = [
            MovingSet::new(bodies.shapes(), &motions).with(rules),
            MovingSet::new(mover.all(), std::slice::from_ref(&motion)).with(mine),
        ];
        let found = ask(&Sweep::between(sets[0], sets[1], &step), &|index| {
            entities.get(index).copied()
        })?;
        let hit = |Impact { pair, first }: &Impact| {
            let TimeOfImpact {
                time, point, normal, ..
            } = *first;
            MovingHit {
                entity: entities[pair.a as usize],
                time: time as f32,
                point: point.as_vec3(),
                normal: normal.as_vec3(),
                is_resolved: first.is_resolved,
            }
        };
        Ok(found.first().map(hit))
    }
}

/// Returns the impacts in order of time. `entity` returns the owner of a motion, if it is not the
/// shape of a query.
fn ask(sweep: &Sweep<'_>, entity: &dyn Fn(usize) -> Option<Entity>) -> Result<Vec<Impact>, QueryError> {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    match Checker::new(config)?.check(*sweep) {
        Ok(found) => Ok(found.impacts),
        Err(Error::InvalidMotion { index, problem, .. }) => Err(match entity(index) {
            Some(entity) => QueryError::Motion { entity, problem },
            None => QueryError::ShapeMotion(problem),
        }),
        Err(error) => Err(error.into()),
    }
}

fn step(seconds: f32) -> Result<Step, QueryError> {
    match seconds.is_finite() && seconds >= 0.0 {
        true => Ok(Step::new(f64::from(seconds))),
        false => Err(QueryError::Number {
            what: "number of seconds",
            value: seconds,
            wanted: "finite and not negative",
        }),
    }
}
