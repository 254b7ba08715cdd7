//! Bodies of several kinds with consecutive positions.

use std::ops::Range;

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::geometry::bounds::{Bounds, Gather};
use crate::geometry::kinds::KINDS;
use crate::shapes::bounds::validate;
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;
use crate::shapes::rescaled::{Lengths, Rescaling};
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::round_bounds_cpu::{capsule_bounds, sphere_bounds};
use crate::shapes::round::sphere::Sphere;

/// The kind of a body, in the order of the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Box,
    Capsule,
    Ball,
}

#[cfg(feature = "gpu")]
impl Kind {
    /// All kinds, in the order of the positions.
    pub const ALL: [Self; KINDS] = [Self::Box, Self::Capsule, Self::Ball];

    /// Returns the kind of all bodies, given the number of each kind; `None` if they are of several
    /// kinds, or if there are none.
    pub fn only(counts: [u64; KINDS]) -> Option<Self> {
        let mut present = Self::ALL.into_iter().filter(|kind| counts[*kind as usize] > 0);
        present.next().filter(|_| present.next().is_none())
    }

    /// Returns the number of bodies of each kind, if all are of this one.
    pub fn counts(self, count: u64) -> [u64; KINDS] {
        Self::ALL.map(|kind| if kind == self { count } else { 0 })
    }

    /// Returns the bytes of a record.
    pub const fn record_bytes(self) -> u64 {
        match self {
            Self::Box => size_of::<Obb>() as u64,
            Self::Capsule => size_of::<Capsule>() as u64,
            Self::Ball => size_of::<Sphere>() as u64,
        }
    }
}

/// The boxes, capsules and spheres of one scene.
///
/// They are numbered consecutively: first the boxes, then the capsules, then the spheres. The
/// position of sphere k in a [`Pair`](crate::Pair), in [`Rules`](crate::Rules) and in errors is
/// therefore `boxes.len() + capsules.len() + k`, and the kind of a body is known from its position
/// alone.
///
/// Functions that take bodies also take a slice, an array or a vector of one kind.
///
/// ```
/// use obbligato::{Backend, Bodies, Checker, Config, Obb, Pair, Sphere, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let floor = [Obb::axis_aligned(Vec3::ZERO, Vec3::new(9.0, 9.0, 1.0))];
/// let balls = [4.0, 1.5].map(|z| Sphere::new(Vec3::new(0.0, 0.0, z), 0.75));
/// let bodies = Bodies { boxes: &floor, spheres: &balls, ..Bodies::default() };
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// assert_eq!(checker.check(bodies)?.pairs()?, [Pair::new(0, 2)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Bodies<'a> {
    /// The boxes.
    pub boxes: &'a [Obb],
    /// The capsules.
    pub capsules: &'a [Capsule],
    /// The spheres.
    pub spheres: &'a [Sphere],
}

/// A reference to one of several [`Bodies`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyRef<'a> {
    /// A box.
    Box(&'a Obb),
    /// A capsule.
    Capsule(&'a Capsule),
    /// A sphere.
    Sphere(&'a Sphere),
}

/// Names in errors of the bodies other than boxes.
const CAPSULE: &str = "capsule";
const SPHERE: &str = "sphere";

/// Maps the error of an invalid body to one with its kind and its position among all bodies.
fn named<T>(kind: &'static str, first: u32, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        Error::InvalidBox { index, problem, count } => Error::InvalidBody {
            index: index + first as usize,
            kind,
            problem,
            count,
        },
        other => other,
    })
}

impl<'a> BodyRef<'a> {
    /// Returns the box, if it is one.
    #[inline]
    pub(crate) fn as_box(self) -> Option<&'a Obb> {
        match self {
            Self::Box(obb) => Some(obb),
            _ => None,
        }
    }

    /// Returns the sphere, if it is one.
    #[inline]
    pub(crate) fn as_sphere(self) -> Option<&'a Sphere> {
        match self {
            Self::Sphere(sphere) => Some(sphere),
            _ => None,
        }
    }

    /// Returns the center in the world, which is a point of the body.
    pub fn center(self) -> Vec3 {
        match self {
            Self::Box(obb) => obb.center,
            Self::Capsule(capsule) => capsule.center,
            Self::Sphere(sphere) => sphere.center,
        }
    }

    /// Returns `true` if the groups of both allow the pair. Spheres are in all groups, and can
    /// collide with all.
    pub fn groups_meet(self, other: BodyRef<'_>) -> bool {
        let ([of_a, a_meets], [of_b, b_meets]) = (self.groups(), other.groups());
        of_a & b_meets != 0 && of_b & a_meets != 0
    }

    /// Returns its groups, and the groups that it can collide with: memberships and filter.
    pub fn groups(self) -> [u32; 2] {
        match self {
            Self::Box(obb) => [obb.memberships, obb.filter],
            Self::Capsule(capsule) => [capsule.memberships, capsule.filter],
            Self::Sphere(_) => [u32::MAX; 2],
        }
    }
}

impl<'a> Bodies<'a> {
    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.counts().into_iter().fold(0, usize::saturating_add)
    }

    /// Returns `true` if there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the body at a position.
    ///
    /// # Panics
    /// Panics if there is no body at this position.
    pub fn at(&self, id: u32) -> BodyRef<'a> {
        let id = id as usize;
        let [boxes, round] = [self.boxes.len(), self.boxes.len() + self.capsules.len()];
        if id < boxes {
            BodyRef::Box(&self.boxes[id])
        } else if id < round {
            BodyRef::Capsule(&self.capsules[id - boxes])
        } else {
            BodyRef::Sphere(&self.spheres[id - round])
        }
    }

    /// Returns the kind of the body at a position.
    pub(crate) fn kind(&self, id: u32) -> Kind {
        let id = id as usize;
        match id.checked_sub(self.boxes.len()) {
            None => Kind::Box,
            Some(round) if round < self.capsules.len() => Kind::Capsule,
            Some(_) => Kind::Ball,
        }
    }

    /// Returns the number of bodies of each kind, in the order of the positions.
    pub(crate) fn counts(&self) -> [usize; KINDS] {
        [self.boxes.len(), self.capsules.len(), self.spheres.len()]
    }

    /// Returns the position at which each kind ends.
    pub(crate) fn ends(&self) -> [u32; KINDS] {
        let mut end = 0;
        self.counts().map(|count| {
            end += count as u32;
            end
        })
    }

    /// The boxes, or `None` if there are bodies of other shapes.
    pub fn only_boxes(&self) -> Option<&'a [Obb]> {
        (self.capsules.is_empty() && self.spheres.is_empty()).then_some(self.boxes)
    }

    /// Returns the spheres, if there are no other bodies.
    pub(crate) fn only_spheres(&self) -> Option<&'a [Sphere]> {
        (self.boxes.is_empty() && self.capsules.is_empty()).then_some(self.spheres)
    }

    /// Returns the bytes of the records, in their order in a buffer.
    #[cfg(feature = "gpu")]
    pub(crate) fn bytes(&self) -> [&'a [u8]; KINDS] {
        [
            bytemuck::cast_slice(self.boxes),
            bytemuck::cast_slice(self.capsules),
            bytemuck::cast_slice(self.spheres),
        ]
    }

    /// Validates the bodies, fills `bounds`, which must have the same length, with their bounds,
    /// each widened by its `margin` on every side, and returns the data gathered about them.
    pub(crate) fn bounds<G: Gather>(
        self,
        margin: impl Fn(u32) -> f32 + Sync + Send,
        bounds: &mut [Bounds],
    ) -> Result<G> {
        let [boxes, round, _] = self.ends();
        let (of_boxes, others) = bounds.split_at_mut(self.boxes.len());
        let (of_capsules, of_spheres) = others.split_at_mut(self.capsules.len());
        let gathered: G = obb_bounds_cpu::obb_bounds(self.boxes, &margin, of_boxes)?;
        let capsules: G = named(
            CAPSULE,
            boxes,
            capsule_bounds(self.capsules, boxes, &margin, of_capsules),
        )?;
        let spheres: G = named(SPHERE, round, sphere_bounds(self.spheres, round, &margin, of_spheres))?;
        Ok(gathered.merge(capsules).merge(spheres))
    }

    /// Returns an error that names the first invalid body, if any.
    pub(crate) fn validate(self) -> Result<()> {
        let [boxes, round, _] = self.ends();
        obb_bounds_cpu::validate(self.boxes)?;
        named(CAPSULE, boxes, validate(self.capsules, Capsule::problem))?;
        named(SPHERE, round, validate(self.spheres, Sphere::problem))
    }

    /// Returns the bodies in a range of positions.
    #[cfg(feature = "gpu")]
    pub(crate) fn part(self, positions: Range<usize>) -> Self {
        let mut end = 0;
        let [boxes, capsules, spheres] = self.counts().map(|count| {
            let first = end;
            end += count;
            positions.start.clamp(first, end) - first..positions.end.clamp(first, end) - first
        });
        Self {
            boxes: &self.boxes[boxes],
            capsules: &self.capsules[capsules],
            spheres: &self.spheres[spheres],
        }
    }

    /// Copies the bodies at these positions, which must be ascending.
    pub(crate) fn select(self, ids: &[u32]) -> Result<OwnedBodies> {
        const WHAT: &str = "a part of the scene";
        let [boxes, round, _] = self.ends();
        let [of_boxes, of_round] = [boxes, round].map(|end| ids.partition_point(|&id| id < end));
        let own = |range: Range<usize>, first: u32| ids[range].iter().map(move |id| (id - first) as usize);
        Ok(OwnedBodies {
            boxes: memory::collect(own(0..of_boxes, 0).map(|k| self.boxes[k]), WHAT)?,
            capsules: memory::collect(own(of_boxes..of_round, boxes).map(|k| self.capsules[k]), WHAT)?,
            spheres: memory::collect(own(of_round..ids.len(), round).map(|k| self.spheres[k]), WHAT)?,
        })
    }

    /// Returns a rescaled copy to check instead of the bodies, if their numbers are tiny.
    pub(crate) fn rescaled(self) -> Result<Option<(Rescaling, OwnedBodies)>> {
        let [boxes, capsules, spheres] = self.counts();
        let largest = |k: usize| {
            if k < boxes {
                Rescaling::largest(&self.boxes[k])
            } else if k < boxes + capsules {
                Rescaling::largest(&self.capsules[k - boxes])
            } else {
                Rescaling::largest(&self.spheres[k - boxes - capsules])
            }
        };
        let Some(rescaling) = Rescaling::by_largest(boxes + capsules + spheres, largest) else {
            return Ok(None);
        };
        Ok(Some((
            rescaling,
            OwnedBodies {
                boxes: rescaling.copy(self.boxes)?,
                capsules: rescaling.copy(self.capsules)?,
                spheres: rescaling.copy(self.spheres)?,
            },
        )))
    }
}

impl Lengths for Capsule {
    fn lengths(&self) -> [glam::Vec3; 2] {
        [self.center, glam::Vec3::new(self.half_length, self.radius, 0.0)]
    }

    fn with_lengths(mut self, [center, lengths]: [glam::Vec3; 2]) -> Self {
        self.center = center;
        (self.half_length, self.radius) = (lengths.x, lengths.y);
        self
    }
}

impl Lengths for Sphere {
    fn lengths(&self) -> [glam::Vec3; 2] {
        [self.center, glam::Vec3::splat(self.radius)]
    }

    fn with_lengths(self, [center, radius]: [glam::Vec3; 2]) -> Self {
        Self {
            center,
            radius: radius.x,
        }
    }
}

/// [`Bodies`] that own their memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnedBodies {
    /// The boxes.
    pub boxes: Vec<Obb>,
    /// The capsules.
    pub capsules: Vec<Capsule>,
    /// The spheres.
    pub spheres: Vec<Sphere>,
}

impl OwnedBodies {
    /// Returns all bodies.
    pub fn all(&self) -> Bodies<'_> {
        Bodies {
            boxes: &self.boxes,
            capsules: &self.capsules,
            spheres: &self.spheres,
        }
    }

    /// Copies and concatenates the bodies of several sets, kind by kind.
    pub(crate) fn joined(sets: &[Bodies<'_>], what: &'static str) -> Result<Self> {
        fn join<T: Copy>(lists: impl Iterator<Item = impl AsRef<[T]>> + Clone, what: &'static str) -> Result<Vec<T>> {
            let mut all = Vec::new();
            memory::reserve(&mut all, lists.clone().map(|list| list.as_ref().len()).sum(), what)?;
            lists.for_each(|list| all.extend_from_slice(list.as_ref()));
            Ok(all)
        }
        Ok(Self {
            boxes: join(sets.iter().map(|set| set.boxes), what)?,
            capsules: join(sets.iter().map(|set| set.capsules), what)?,
            spheres: join(sets.iter().map(|set| set.spheres), what)?,
        })
    }
}

/// Converts lists of one kind into bodies, and a record of that kind into a body.
macro_rules! kinds {
    ($($record:ty: $list:ident, $body:ident;)+) => {$(
        impl<'a> From<&'a [$record]> for Bodies<'a> {
            fn from($list: &'a [$record]) -> Self {
                Self {
                    $list,
                    ..Self::default()
                }
            }
        }

        impl<'a> From<&'a Vec<$record>> for Bodies<'a> {
            fn from(records: &'a Vec<$record>) -> Self {
                records.as_slice().into()
            }
        }

        impl<'a, const N: usize> From<&'a [$record; N]> for Bodies<'a> {
            fn from(records: &'a [$record; N]) -> Self {
                records.as_slice().into()
            }
        }

        impl<'a> From<&'a $record> for BodyRef<'a> {
            fn from(record: &'a $record) -> Self {
                Self::$body(record)
            }
        }
    )+};
}

kinds! {
    Obb: boxes, Box;
    Capsule: capsules, Capsule;
    Sphere: spheres, Sphere;
}
