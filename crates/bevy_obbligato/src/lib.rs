#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod bodies;
mod collider;
mod collisions;
#[cfg(feature = "gizmos")]
mod gizmos;
mod messages;
mod plugin;
mod spatial_query;
mod sweeps;
mod world;

pub use collider::{Collider, ColliderProblem, CollisionGroups, Sensor, StaticCollider};
pub use collisions::Collisions;
#[cfg(feature = "gizmos")]
pub use gizmos::{CollisionGizmos, CollisionGizmosPlugin};
pub use messages::{ColliderRefused, CollisionBegan, CollisionEnded, CollisionPersisted, Contact};
pub use obbligato;
pub use plugin::{CollisionPlugin, CollisionPlugins, CollisionSettings, CollisionSystems};
pub use spatial_query::{CastHit, NearestCollider, QueryError, SpatialQuery};
pub use sweeps::{Meeting, MovingHit};
pub use world::{Collision, CollisionWorld};

/// The examples of the page for those who come from other plugins, as documentation tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/src/guide/migrating.md")]
    struct Migrating;
}

/// The names that most apps use: `use bevy_obbligato::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Collider, ColliderRefused, Collision, CollisionBegan, CollisionEnded, CollisionGroups, CollisionPersisted,
        CollisionPlugin, CollisionPlugins, CollisionSettings, CollisionSystems, CollisionWorld, Collisions, Sensor,
        SpatialQuery, StaticCollider,
    };
    #[cfg(feature = "gizmos")]
    pub use crate::{CollisionGizmos, CollisionGizmosPlugin};
}
