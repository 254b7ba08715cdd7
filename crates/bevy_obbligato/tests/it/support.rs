//! An app with nothing but transforms and the plugin, and random numbers.

use std::collections::BTreeSet;

use bevy_app::App;
use bevy_ecs::message::MessageCursor;
use bevy_ecs::prelude::{Entity, Message, Messages};
use bevy_math::{Quat, Vec3};
use bevy_obbligato::prelude::*;
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;

pub type Pairs = BTreeSet<[Entity; 2]>;

pub fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TransformPlugin, CollisionPlugin::default()));
    app.insert_resource(CollisionSettings { persisting: true });
    app
}

/// A pair in ascending order.
pub fn pair(a: Entity, b: Entity) -> [Entity; 2] {
    if a < b { [a, b] } else { [b, a] }
}

/// Reads each message of a kind once.
pub struct Reader<M: Message>(MessageCursor<M>);

impl<M: Message + Copy> Reader<M> {
    pub fn new() -> Self {
        Self(MessageCursor::default())
    }

    pub fn read(&mut self, app: &App) -> Vec<M> {
        let messages = app.world().resource::<Messages<M>>();
        self.0.read(messages).copied().collect()
    }
}

/// The pairs that the messages of all updates lead to.
pub struct Followed {
    began: Reader<CollisionBegan>,
    persisted: Reader<CollisionPersisted>,
    ended: Reader<CollisionEnded>,
    pub pairs: Pairs,
}

impl Followed {
    pub fn new() -> Self {
        Self {
            began: Reader::new(),
            persisted: Reader::new(),
            ended: Reader::new(),
            pairs: Pairs::new(),
        }
    }

    /// Applies the messages of an update, none of which may be for nothing or missing.
    pub fn read(&mut self, app: &App) {
        for CollisionEnded { a, b } in self.ended.read(app) {
            assert!(self.pairs.remove(&pair(a, b)), "{a} and {b} ended without a begin");
        }
        let persisted: Vec<_> = self
            .persisted
            .read(app)
            .iter()
            .map(|found| pair(found.a, found.b))
            .collect();
        assert_eq!(persisted.len(), self.pairs.len());
        assert_eq!(persisted.into_iter().collect::<Pairs>(), self.pairs);
        for found in self.began.read(app) {
            assert!(
                self.pairs.insert(pair(found.a, found.b)),
                "{} and {} began twice",
                found.a,
                found.b
            );
        }
        assert_eq!(app.world().resource::<CollisionWorld>().len(), self.pairs.len());
    }
}

/// Random numbers: xorshift (G. Marsaglia, "Xorshift RNGs", 2003).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() >> 16) as usize % count
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// From 0 to 1.
    pub fn part(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + self.part() * (high - low)
    }

    pub fn vector(&mut self, largest: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.between(-largest, largest)))
    }

    pub fn rotation(&mut self) -> Quat {
        Quat::from_scaled_axis(self.vector(3.0))
    }

    pub fn collider(&mut self) -> Collider {
        let size = self.between(0.2, 0.8);
        match self.below(3) {
            0 => Collider::cuboid(size, 2.0 * size, self.between(0.1, 1.0)),
            1 => Collider::capsule(size, self.between(0.0, 1.5)),
            _ => Collider::sphere(size),
        }
    }

    pub fn transform(&mut self, largest: f32) -> Transform {
        Transform::from_translation(self.vector(largest)).with_rotation(self.rotation())
    }
}
