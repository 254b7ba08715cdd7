//! The collisions of the last update.

use std::fmt;
use std::sync::OnceLock;

use bevy_ecs::entity::Entity;
use bevy_ecs::prelude::Resource;
use bevy_math::Vec3;
use obbligato::contact::{Contacts, Penetration};
use obbligato::tracking::{EventKind, Tracker, TrackerConfig};
use obbligato::tree::Bvh;
use obbligato::{Backend, Checker, Config, Error, Pair};

use crate::bodies::Bodies;
use crate::messages::Contact;

/// The colliders and collisions of the last update. Systems read them through
/// [`Collisions`](crate::Collisions) and [`SpatialQuery`](crate::SpatialQuery).
#[derive(Resource, Default)]
pub struct CollisionWorld {
    pub(crate) bodies: Bodies,
    tracker: Option<Tracker>,
    error: Option<Error>,
    /// The colliding pairs by ids, a < b, sorted; and for each whether it is new, its contact, and
    /// what most systems ask of it, in one place.
    pairs: Vec<Pair>,
    is_new: Vec<bool>,
    contacts: Contacts,
    summaries: Vec<Summary>,
    ended: Vec<[Entity; 2]>,
    partners: Partners,
    /// The pairs by positions.
    places: Vec<Pair>,
    /// A tree over the bounds of all bodies, by position; built by the first query that needs it.
    pub(crate) tree: OnceLock<Bvh>,
}

/// A collision without its points.
#[derive(Clone, Copy)]
struct Summary {
    entities: [Entity; 2],
    normal: Vec3,
    depth: f32,
    is_sensor: bool,
}

/// The pairs of each id: those from `ends[id - 1]` to `ends[id]`, as places in the list of pairs.
#[derive(Default)]
struct Partners {
    ends: Vec<u32>,
    pairs: Vec<u32>,
}

impl Partners {
    fn update(&mut self, ids: usize, pairs: &[Pair]) {
        self.ends.clear();
        self.ends.resize(ids + 1, 0);
        for pair in pairs {
            self.ends[pair.a as usize + 1] += 1;
            self.ends[pair.b as usize + 1] += 1;
        }
        for id in 1..=ids {
            self.ends[id] += self.ends[id - 1];
        }
        // Each start moves up to its end, which is the start of the next.
        self.pairs.clear();
        self.pairs.resize(2 * pairs.len(), 0);
        for (k, pair) in (0..).zip(pairs) {
            for id in [pair.a, pair.b] {
                let next = &mut self.ends[id as usize];
                self.pairs[*next as usize] = k;
                *next += 1;
            }
        }
    }

    fn of(&self, id: u32) -> &[u32] {
        let id = id as usize;
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends
            .get(id)
            .map_or(&[], |end| &self.pairs[start as usize..*end as usize])
    }
}

impl CollisionWorld {
    /// Returns the number of colliding pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns `true` if no colliders collide.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the error of the last update, which then has no pairs and wrote no messages: memory
    /// ran out. Invalid colliders are not an error: they are left out, and reported as
    /// [`ColliderRefused`](crate::ColliderRefused).
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Finds the collisions of the bodies.
    pub(crate) fn update(&mut self) {
        self.bodies.end();
        self.tree = OnceLock::new();
        self.error = self.check().err();
        if self.error.is_some() {
            self.pairs.clear();
            self.is_new.clear();
            self.ended.clear();
            self.contacts = Contacts::default();
            self.summaries.clear();
        } else {
            // The tracker has seen that their colliders have gone.
            self.bodies.release();
        }
        self.partners.update(self.bodies.id_count(), &self.pairs);
    }

    /// Lets later updates find pairs on a device of the app, such as that of Bevy's renderer,
    /// instead of the CPU: with the feature `gpu`. The pairs are the same. Contacts are computed on
    /// the CPU as before, for which each update waits for the device.
    ///
    /// Entities that collide go on to do so: no message begins or ends with the change.
    ///
    /// ```
    /// use bevy_obbligato::{CollisionWorld, obbligato};
    ///
    /// // With `device.wgpu_device()` of Bevy's `RenderDevice`, and the `wgpu::Queue` in its
    /// // `RenderQueue`, in a system of `Startup`.
    /// fn share(
    ///     world: &mut CollisionWorld,
    ///     device: &obbligato::wgpu::Device,
    ///     queue: &obbligato::wgpu::Queue,
    /// ) -> obbligato::Result<()> {
    ///     world.use_device(device, queue)
    /// }
    /// # let _ = share;
    /// ```
    ///
    /// # Errors
    /// [`Error::Device`] if the device cannot run the checks: the CPU goes on with them.
    #[cfg(feature = "gpu")]
    pub fn use_device(
        &mut self,
        device: &obbligato::wgpu::Device,
        queue: &obbligato::wgpu::Queue,
    ) -> Result<(), Error> {
        let mut on_device = obbligato::GpuChecker::new(device, queue, Config::default())?;
        std::mem::swap(tracker_in(&mut self.tracker)?.checker_mut(), on_device.checker());
        Ok(())
    }

    fn check(&mut self) -> Result<(), Error> {
        let tracker = tracker_in(&mut self.tracker)?;
        let bodies = &self.bodies;
        let frame = tracker.update(bodies.ids(), bodies.shapes().with(bodies.rules()))?;
        self.pairs.clear();
        self.pairs.extend_from_slice(frame.pairs);
        self.is_new.clear();
        let mut begun = frame
            .events
            .iter()
            .filter(|event| event.kind == EventKind::Begin)
            .peekable();
        let is_new = |pair: &Pair| begun.next_if(|event| event.pair == *pair).is_some();
        self.is_new.extend(frame.pairs.iter().map(is_new));
        self.ended.clear();
        let ended = frame.events.iter().filter(|event| event.kind == EventKind::End);
        self.ended
            .extend(ended.map(|event| [event.pair.a, event.pair.b].map(|id| bodies.entity(id))));

        let position = |id| bodies.position(id);
        let places = frame.pairs.iter().map(|pair| Pair {
            a: position(pair.a),
            b: position(pair.b),
        });
        self.places.clear();
        self.places.extend(places);
        self.contacts.update([bodies.shapes(); 2], &self.places)?;
        let summary = |(pair, found): (&Pair, &Option<Penetration>)| {
            let ids = [pair.a, pair.b];
            // Pairs that collide have a penetration.
            let (normal, depth) = match found {
                Some(found) => (found.normal.as_vec3(), found.depth as f32),
                None => (Vec3::ZERO, 0.0),
            };
            Summary {
                entities: ids.map(|id| bodies.entity(id)),
                normal,
                depth,
                is_sensor: ids.iter().any(|id| bodies.given(*id).is_sensor),
            }
        };
        self.summaries.clear();
        self.summaries
            .extend(frame.pairs.iter().zip(self.contacts.penetrations()).map(summary));
        Ok(())
    }

    /// Returns the pairs that have ended.
    pub(crate) fn ended(&self) -> impl Iterator<Item = (Entity, Entity)> {
        self.ended.iter().map(|&[a, b]| (a, b))
    }

    /// Returns the collisions that have begun and, if asked for, the others, each with `true` if it
    /// has begun.
    pub(crate) fn collisions_with_news(&self, all: bool) -> impl Iterator<Item = (Collision<'_>, bool)> {
        let wanted = self
            .is_new
            .iter()
            .copied()
            .enumerate()
            .filter(move |(_, is_new)| all || *is_new);
        wanted.map(|(k, is_new)| (self.collision(k, false), is_new))
    }

    pub(crate) fn collisions(&self) -> impl Iterator<Item = Collision<'_>> {
        (0..self.pairs.len()).map(|k| self.collision(k, false))
    }

    pub(crate) fn collisions_of(&self, entity: Entity) -> impl Iterator<Item = Collision<'_>> {
        let id = self.bodies.id_of(entity);
        let pairs = id.map_or(&[][..], |id| self.partners.of(id));
        let is_second = move |k: usize| Some(self.pairs[k].b) == id;
        pairs
            .iter()
            .map(move |&k| self.collision(k as usize, is_second(k as usize)))
    }

    pub(crate) fn collision_between(&self, a: Entity, b: Entity) -> Option<Collision<'_>> {
        let (a, b) = (self.bodies.id_of(a)?, self.bodies.id_of(b)?);
        let k = self.pairs.binary_search(&Pair::new(a, b)).ok()?;
        Some(self.collision(k, a > b))
    }

    /// Returns a collision, with its colliders in the order of the ids or in the other.
    fn collision(&self, k: usize, is_swapped: bool) -> Collision<'_> {
        let Summary {
            entities: [a, b],
            normal,
            depth,
            is_sensor,
        } = self.summaries[k];
        let (a, b, normal) = if is_swapped { (b, a, -normal) } else { (a, b, normal) };
        Collision {
            a,
            b,
            normal,
            depth,
            is_sensor,
            points: Points {
                contacts: &self.contacts,
                pair: k,
            },
        }
    }
}

/// Returns the tracker, which the first update creates.
fn tracker_in(place: &mut Option<Tracker>) -> Result<&mut Tracker, Error> {
    let tracker = match place.take() {
        Some(tracker) => tracker,
        None => {
            let config = Config {
                backend: Backend::Cpu,
                ..Config::default()
            };
            Tracker::new(Checker::new(config)?, TrackerConfig::default())
        }
    };
    Ok(place.insert(tracker))
}

/// Two colliders that share a point.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Collision<'w> {
    /// The first collider.
    pub a: Entity,
    /// The second collider.
    pub b: Entity,
    /// The direction in which to move `b` to separate the two: a unit vector from `a` to `b`, in
    /// the world.
    pub normal: Vec3,
    /// The distance to move it, in the unit of the world; 0 if they only touch.
    pub depth: f32,
    /// `true` if one of the two is a [`Sensor`](crate::Sensor).
    pub is_sensor: bool,
    points: Points<'w>,
}

/// The contact points of a pair. They are looked up only on request.
#[derive(Clone, Copy)]
struct Points<'w> {
    contacts: &'w Contacts,
    pair: usize,
}

impl fmt::Debug for Points<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.contacts.points_of(self.pair).fmt(f)
    }
}

impl Collision<'_> {
    /// Returns the contact points, one to eight: each with the normal of the collision and the
    /// depth at that point.
    pub fn points(&self) -> impl ExactSizeIterator<Item = Contact> {
        let normal = self.normal;
        let points = self.points.contacts.points_of(self.points.pair);
        points.iter().map(move |point| Contact {
            normal,
            depth: point.depth as f32,
            point: (0.5 * (point.on_a + point.on_b)).as_vec3(),
        })
    }

    /// Returns the contact: normal, depth and the deepest point.
    pub fn contact(&self) -> Contact {
        let deepest = self.points().max_by(|a, b| a.depth.total_cmp(&b.depth));
        Contact {
            normal: self.normal,
            depth: self.depth,
            point: deepest.map_or(Vec3::ZERO, |deepest| deepest.point),
        }
    }
}
