//! The system parameter for queries: rays, shapes that move, the nearest, overlaps.

use bevy_ecs::entity::Entity;
use bevy_ecs::system::{Res, SystemParam};
use bevy_math::{Dir3, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};
use obbligato::error::MotionProblem;
use obbligato::motion::{Motion, Step, TimeOfImpact, time_of_impact};
use obbligato::shape::{Aabb, BodyRef};
use obbligato::tree::{Bvh, BvhBuild, Ray};
use obbligato::{Error, Sphere};

use crate::collider::{Body, Collider, ColliderProblem};
use crate::world::CollisionWorld;

/// Queries about all colliders where they were in the last update, in a system.
///
/// Each takes a function that decides which entities it may find; `|_| true` means all. Groups are
/// ignored: let that function read them. The first query after an update builds a tree, O(n log n);
/// the others take O(log n) and what they find.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_math::{Dir3, Vec3};
/// use bevy_obbligato::prelude::*;
/// use bevy_transform::prelude::*;
///
/// fn look(eye: Single<(Entity, &GlobalTransform), With<Camera>>, query: SpatialQuery) -> Result {
///     let (me, at) = *eye;
///     if let Some(hit) = query.cast_ray(at.translation(), at.forward(), 100.0, |entity| entity != me)? {
///         println!("sees {} at {} m", hit.entity, hit.distance);
///     }
///     let around = query.overlapping(&Collider::sphere(5.0), &Transform::from(*at), |_| true)?;
///     println!("{} colliders are near", around.len());
///     Ok(())
/// }
/// # #[derive(Component)] struct Camera;
/// # bevy_ecs::system::assert_is_system::<(), (), _>(look);
/// ```
#[derive(SystemParam)]
pub struct SpatialQuery<'w> {
    pub(crate) world: Res<'w, CollisionWorld>,
}

/// The first collider that a ray or a moving shape meets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CastHit {
    /// The collider.
    pub entity: Entity,
    /// The distance that the ray or the shape goes until then; 0 if they share a point at the
    /// start.
    pub distance: f32,
    /// A point of the collider where they meet, in the world.
    pub point: Vec3,
    /// The unit normal of the collider there, outwards. At a distance of 0, the direction in which
    /// to leave it.
    pub normal: Vec3,
}

/// The collider nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearestCollider {
    /// The collider.
    pub entity: Entity,
    /// Its distance; 0 if the point is inside.
    pub distance: f32,
    /// The point of the collider nearest to the given one, in the world.
    pub point: Vec3,
}

/// The reason why a query has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The shape of the query, or its transform, is invalid.
    #[error("the shape of the query: {0}")]
    Shape(ColliderProblem),
    /// A number of the query is infinite, not a number, or negative.
    #[error("the {what} of the query, {value}: it must be {wanted}")]
    Number {
        /// The name of the number.
        what: &'static str,
        /// The number.
        value: f32,
        /// The condition that it breaks.
        wanted: &'static str,
    },
    /// The motion of a collider is invalid.
    #[error("the motion of entity {entity} {problem}")]
    Motion {
        /// The collider.
        entity: Entity,
        /// The problem.
        problem: MotionProblem,
    },
    /// The motion of the shape of the query is invalid.
    #[error("the motion of the shape of the query {0}")]
    ShapeMotion(MotionProblem),
    /// Memory ran out, or a coordinate is beyond 2^60.
    #[error(transparent)]
    Search(#[from] Error),
}

impl SpatialQuery<'_> {
    /// Finds the first collider that a ray meets within a distance, which may be infinite. The ray
    /// may begin inside a collider, which it then meets at 0.
    ///
    /// # Errors
    /// [`QueryError::Number`], [`QueryError::Search`].
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        may_find: impl Fn(Entity) -> bool,
    ) -> Result<Option<CastHit>, QueryError> {
        let origin = finite("origin", origin)?;
        let tree = self.tree()?;
        let Some(limit) = reach(tree, &Aabb::new(origin, origin), distance(max_distance)?) else {
            return Ok(None);
        };
        let point = Body::Sphere(Sphere::new(origin, 0.0));
        let ray = Ray::new(origin, *direction).up_to(limit);
        // The tree calls for many bodies, and keeps the first.
        let meets = |position: u32| match may_find(self.entity(position)) {
            true => self.impact(&point, *direction, limit, position),
            false => None,
        };
        let hit = tree.cast(&ray, |position| meets(position).map(|impact| impact.time as f32))?;
        let hit = hit.and_then(|hit| Some((hit.index, meets(hit.index)?)));
        Ok(hit.map(|(position, impact)| self.hit(position, &impact)))
    }

    /// Finds the first collider that a shape meets on its way in a direction, without turning,
    /// within a distance. A shape that meets one at the start meets it at 0.
    ///
    /// Tests all colliders whose bounds meet those of the whole way.
    ///
    /// # Errors
    /// [`QueryError::Shape`], [`QueryError::Number`], [`QueryError::Search`].
    pub fn cast_shape(
        &self,
        shape: &Collider,
        start: &Transform,
        direction: Dir3,
        max_distance: f32,
        may_find: impl Fn(Entity) -> bool,
    ) -> Result<Option<CastHit>, QueryError> {
        let shape = placed(shape, start)?;
        let (tree, from) = (self.tree()?, shape.bounds());
        let Some(limit) = reach(tree, &from, distance(max_distance)?) else {
            return Ok(None);
        };
        let way = *direction * limit;
        // Wider than the rounding of the way's end.
        let slack = 1e-6 * (from.min.abs().max(from.max.abs()).max_element() + limit);
        let swept = Aabb::new(
            from.min.min(from.min + way) - slack,
            from.max.max(from.max + way) + slack,
        );
        let mut first: Option<(u32, TimeOfImpact)> = None;
        for position in tree.overlapping(&swept)? {
            if may_find(self.entity(position))
                && let Some(impact) = self.impact(&shape, *direction, limit, position)
                && first.is_none_or(|(_, first)| impact.time < first.time)
            {
                first = Some((position, impact));
            }
        }
        Ok(first.map(|(position, impact)| self.hit(position, &impact)))
    }

    /// Finds the collider nearest to a point, by its surface, within a distance, which may be
    /// infinite.
    ///
    /// # Errors
    /// [`QueryError::Number`], [`QueryError::Search`].
    pub fn nearest(
        &self,
        point: Vec3,
        max_distance: f32,
        may_find: impl Fn(Entity) -> bool,
    ) -> Result<Option<NearestCollider>, QueryError> {
        let point = finite("point", point)?;
        let mut best = f64::from(distance(max_distance)?);
        let tree = self.tree()?;
        let mut nearest = None;
        let (mut done, mut count) = (0, 8);
        while done < tree.len() {
            // Their bounds are no further away than they are, in ascending order.
            let near = tree.nearest_few(point, count)?;
            for bounds in &near[done..] {
                // A distance of bounds is rounded.
                if f64::from(bounds.distance) * (1.0 - 1e-6) > best {
                    return Ok(nearest);
                }
                let entity = self.entity(bounds.index);
                if !may_find(entity) {
                    continue;
                }
                let closest = BodyRef::Sphere(&Sphere::new(point, 0.0)).closest_points(self.body(bounds.index));
                if closest.distance <= best {
                    best = closest.distance;
                    nearest = Some(NearestCollider {
                        entity,
                        distance: closest.distance as f32,
                        point: closest.on_b.as_vec3(),
                    });
                }
            }
            done = near.len();
            count *= 4;
        }
        Ok(nearest)
    }

    /// Finds all colliders that share a point with a shape, exactly, in no particular order.
    ///
    /// # Errors
    /// [`QueryError::Shape`], [`QueryError::Search`].
    pub fn overlapping(
        &self,
        shape: &Collider,
        at: &Transform,
        may_find: impl Fn(Entity) -> bool,
    ) -> Result<Vec<Entity>, QueryError> {
        let shape = placed(shape, at)?;
        let positions = self.tree()?.overlapping(&shape.bounds())?;
        let meet = |position: &u32| shape.as_ref().contact(self.body(*position)).collides();
        let entities = positions
            .iter()
            .filter(|position| meet(position))
            .map(|position| self.entity(*position));
        Ok(entities.filter(|entity| may_find(*entity)).collect())
    }

    /// Returns the tree over all bodies, and builds it if there is none.
    fn tree(&self) -> Result<&Bvh, Error> {
        let cell = &self.world.tree;
        if let Some(tree) = cell.get() {
            return Ok(tree);
        }
        let shapes = self.world.bodies.shapes();
        let boxes = shapes.boxes.iter().map(|obb| obb.bounds());
        let capsules = shapes.capsules.iter().map(|capsule| capsule.bounds());
        let spheres = shapes.spheres.iter().map(|sphere| sphere.bounds());
        let bounds: Vec<Aabb> = boxes.chain(capsules).chain(spheres).collect();
        let tree = Bvh::built(&bounds, BvhBuild::Morton)?;
        Ok(cell.get_or_init(|| tree))
    }

    fn entity(&self, position: u32) -> Entity {
        let bodies = &self.world.bodies;
        bodies.entity(bodies.ids()[position as usize])
    }

    fn body(&self, position: u32) -> BodyRef<'_> {
        self.world.bodies.shapes().at(position)
    }

    /// Returns when a shape that moves by 1 a second first meets a body.
    fn impact(&self, shape: &Body, direction: Vec3, limit: f32, position: u32) -> Option<TimeOfImpact> {
        let motions = [&Motion::linear(direction), &Motion::REST];
        time_of_impact(
            [shape.as_ref(), self.body(position)],
            motions,
            &Step::new(f64::from(limit)),
        )
    }

    fn hit(&self, position: u32, impact: &TimeOfImpact) -> CastHit {
        CastHit {
            entity: self.entity(position),
            distance: impact.time as f32,
            point: impact.point.as_vec3(),
            normal: -impact.normal.as_vec3(),
        }
    }
}

pub(crate) fn placed(shape: &Collider, at: &Transform) -> Result<Body, QueryError> {
    shape.placed(&GlobalTransform::from(*at)).map_err(QueryError::Shape)
}

fn finite(what: &'static str, vector: Vec3) -> Result<Vec3, QueryError> {
    match vector.to_array().into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(QueryError::Number {
            what,
            value,
            wanted: "finite",
        }),
        None => Ok(vector),
    }
}

fn distance(value: f32) -> Result<f32, QueryError> {
    match value >= 0.0 {
        true => Ok(value),
        false => Err(QueryError::Number {
            what: "distance",
            value,
            wanted: "not negative",
        }),
    }
}

/// Returns a finite distance beyond which what begins within these bounds meets nothing, if there
/// is anything to meet.
fn reach(tree: &Bvh, from: &Aabb, max_distance: f32) -> Option<f32> {
    let bounds = tree.bounds()?;
    let farthest = (bounds.max - from.min).abs().max((bounds.min - from.max).abs());
    // Twice as far, so that no rounding matters.
    Some(max_distance.min(2.0 * farthest.length()))
}
