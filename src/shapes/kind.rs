//! The shapes that a check supports, by name.

use glam::DVec3;

use crate::base::error::Result;
use crate::base::memory;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{Bounds, Gather};
use crate::shapes::aabb::aabb_bounds_cpu;
use crate::shapes::bodies::set::{Bodies, OwnedBodies};
use crate::shapes::moving::moving_bounds_cpu;
use crate::shapes::moving::record::Moving;
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::around::Boxes64;
use crate::shapes::rescaled::{Rescaled, Rescaling};
use crate::shapes::triangle::set::{OwnedTriangles, Triangles};
use crate::shapes::triangle::triangle_bounds_cpu;
#[cfg(feature = "gpu")]
use crate::{
    geometry::kinds::{KINDS, of_first_kind},
    shapes::{bodies::set::Kind, triangle::record::Triangle},
};

/// Declares the shapes: for each, the type of a set, the type that owns one, and the bytes of its
/// largest record.
macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident($set:ty, $owned:ty): $bytes:expr;)+) => {
        /// A shape.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) enum Shape {
            $($(#[$doc])* $shape,)+
        }

        /// A set of records of one shape.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Records<'a> {
            $($shape($set),)+
        }

        impl<'a> Records<'a> {
            pub fn shape(self) -> Shape {
                match self {
                    $(Self::$shape(_) => Shape::$shape,)+
                }
            }

            pub fn len(self) -> usize {
                match self {
                    $(Self::$shape(records) => records.len(),)+
                }
            }

            /// Validates the records, fills `bounds`, which must have the same length, with their
            /// bounds, each widened by its `margin` on every side, and returns the data gathered
            /// about them.
            pub fn bounds<G: Gather>(
                self,
                margin: impl Fn(u32) -> f32 + Sync + Send,
                bounds: &mut [Bounds],
            ) -> Result<G> {
                match self {
                    $(Self::$shape(records) => RecordSet::bounds(records, margin, bounds),)+
                }
            }

            /// Returns the bodies, if the records are bodies.
            pub fn bodies(self) -> Option<Bodies<'a>> {
                match self {
                    Self::Obb(boxes) => Some(boxes.into()),
                    Self::Bodies(bodies) => Some(bodies),
                    _ => None,
                }
            }

            /// Returns the boxes, if the records are boxes.
            pub fn boxes(self) -> Option<&'a [Obb]> {
                self.bodies().and_then(|bodies| bodies.only_boxes())
            }

            /// Returns the memberships and the filter of a record, if records have them.
            pub fn groups(self, id: u32) -> Option<[u32; 2]> {
                match self {
                    Self::Obb(boxes) => Some(groups_of(&boxes[id as usize])),
                    Self::Obb64(Boxes64 { around, .. }) => Some(groups_of(&around[id as usize])),
                    Self::Bodies(bodies) => Some(bodies.at(id).groups()),
                    Self::Aabb(_) | Self::Moving(_) | Self::Triangles(_) => None,
                }
            }

            /// Copies the records at these positions, which must be ascending.
            pub fn select(self, ids: &[u32]) -> Result<Selected> {
                Ok(match self {
                    $(Self::$shape(records) => Selected::$shape(RecordSet::select(records, ids)?),)+
                })
            }

            /// Returns a rescaled copy to check instead of the records, if their numbers are tiny.
            pub fn rescaled(self) -> Result<Option<(Rescaling, Selected)>> {
                match self {
                    $(Self::$shape(records) => Ok(RecordSet::rescaled(records)?
                        .map(|(rescaling, copy)| (rescaling, Selected::$shape(copy)))),)+
                }
            }
        }

        #[cfg(feature = "gpu")]
        impl Shape {
            /// All shapes.
            #[cfg(test)]
            pub const ALL: &'static [Self] = &[$(Self::$shape),+];

            /// Returns the bytes of a record, the largest if there are several kinds.
            pub const fn record_bytes(self) -> u64 {
                match self {
                    $(Self::$shape => $bytes as u64,)+
                }
            }

            /// Returns the bytes of the given numbers of records of each kind. Shapes other than
            /// bodies have records of the first kind only.
            pub fn bytes_of(self, counts: [u64; KINDS]) -> u64 {
                match self {
                    Self::Bodies => Kind::ALL.iter().zip(counts).map(|(kind, count)| kind.record_bytes() * count).sum(),
                    _ => counts[0] * self.record_bytes(),
                }
            }
        }

        #[cfg(feature = "gpu")]
        impl<'a> Records<'a> {
            /// Returns the number of records of each kind.
            pub fn counts(self) -> [u64; KINDS] {
                match self {
                    Self::Bodies(bodies) => bodies.counts().map(|count| count as u64),
                    _ => of_first_kind(self.len() as u64),
                }
            }

            /// Returns the bytes to upload to a device, in consecutive parts.
            pub fn bytes(self) -> [&'a [u8]; KINDS] {
                match self {
                    $(Self::$shape(records) => RecordSet::bytes(records),)+
                }
            }

            /// Returns an error that names the first invalid record, if any.
            pub fn validate(self) -> Result<()> {
                match self {
                    $(Self::$shape(records) => RecordSet::validate(records),)+
                }
            }
        }

        /// Records that own their memory: a part of a set, or a rescaled copy of one.
        pub(crate) enum Selected {
            $($shape($owned),)+
        }

        impl Selected {
            pub fn records(&self) -> Records<'_> {
                match self {
                    $(Self::$shape(owned) => Records::$shape(RecordSet::of(owned)),)+
                }
            }
        }
    };
}

shapes! {
    /// [`Obb`]s.
    #[default]
    Obb(&'a [Obb], Vec<Obb>): size_of::<Obb>();
    /// [`Aabb`]s, without further information.
    Aabb(&'a [Aabb], Vec<Aabb>): size_of::<Aabb>();
    /// Boxes in motion: the region that each sweeps during a step.
    Moving(&'a [Moving], Vec<Moving>): size_of::<Moving>();
    /// Boxes, capsules and spheres, unless all are boxes.
    Bodies(Bodies<'a>, OwnedBodies): size_of::<Obb>();
    /// [`Obb64`](crate::Obb64)s, with a box in `f32` around each, which is what a device gets.
    Obb64(Boxes64<'a>, Vec<Obb>): size_of::<Obb>();
    /// [`Triangle`]s.
    Triangles(Triangles<'a>, OwnedTriangles): size_of::<Triangle>();
}

/// Returns the memberships and the filter of a box.
fn groups_of(obb: &Obb) -> [u32; 2] {
    [obb.memberships, obb.filter]
}

/// The operations on a set of records.
trait RecordSet<'a>: Copy {
    /// A set that owns its memory.
    type Owned;

    fn of(owned: &'a Self::Owned) -> Self;

    fn bounds<G: Gather>(self, margin: impl Fn(u32) -> f32 + Sync + Send, bounds: &mut [Bounds]) -> Result<G>;

    fn rescaled(self) -> Result<Option<(Rescaling, Self::Owned)>>;

    #[cfg(feature = "gpu")]
    fn bytes(self) -> [&'a [u8]; KINDS];

    #[cfg(feature = "gpu")]
    fn validate(self) -> Result<()>;

    fn select(self, ids: &[u32]) -> Result<Self::Owned>;
}

/// Implements `RecordSet` for slices of one kind of record, with the functions that compute bounds
/// and validate.
macro_rules! slices {
    ($($record:ty: $bounds:path, $validate:path;)+) => {$(
        impl<'a> RecordSet<'a> for &'a [$record] {
            type Owned = Vec<$record>;

            fn of(owned: &'a Vec<$record>) -> Self {
                owned
            }

            fn bounds<G: Gather>(self, margin: impl Fn(u32) -> f32 + Sync + Send, bounds: &mut [Bounds]) -> Result<G> {
                $bounds(self, margin, bounds)
            }

            fn rescaled(self) -> Result<Option<(Rescaling, Vec<$record>)>> {
                <$record>::rescaled(self)
            }

            #[cfg(feature = "gpu")]
            fn bytes(self) -> [&'a [u8]; KINDS] {
                of_first_kind(bytemuck::cast_slice(self))
            }

            #[cfg(feature = "gpu")]
            fn validate(self) -> Result<()> {
                $validate(self)
            }

            fn select(self, ids: &[u32]) -> Result<Vec<$record>> {
                Ok(memory::collect(ids.iter().map(|&id| self[id as usize]), "a part of the scene")?)
            }
        }
    )+};
}

slices! {
    Obb: obb_bounds_cpu::obb_bounds, obb_bounds_cpu::validate;
    Aabb: aabb_bounds_cpu::aabb_bounds, aabb_bounds_cpu::validate;
    Moving: moving_bounds_cpu::moving_bounds, moving_bounds_cpu::validate;
}

impl<'a> RecordSet<'a> for Bodies<'a> {
    type Owned = OwnedBodies;

    fn of(owned: &'a OwnedBodies) -> Self {
        owned.all()
    }

    fn bounds<G: Gather>(self, margin: impl Fn(u32) -> f32 + Sync + Send, bounds: &mut [Bounds]) -> Result<G> {
        self.bounds(margin, bounds)
    }

    fn rescaled(self) -> Result<Option<(Rescaling, OwnedBodies)>> {
        self.rescaled()
    }

    #[cfg(feature = "gpu")]
    fn bytes(self) -> [&'a [u8]; KINDS] {
        Bodies::bytes(&self)
    }

    #[cfg(feature = "gpu")]
    fn validate(self) -> Result<()> {
        self.validate()
    }

    fn select(self, ids: &[u32]) -> Result<OwnedBodies> {
        self.select(ids)
    }
}

impl<'a> RecordSet<'a> for Boxes64<'a> {
    type Owned = Vec<Obb>;

    fn of(around: &'a Vec<Obb>) -> Self {
        Self {
            boxes: &[],
            around,
            origin: DVec3::ZERO,
        }
    }

    fn bounds<G: Gather>(self, margin: impl Fn(u32) -> f32 + Sync + Send, bounds: &mut [Bounds]) -> Result<G> {
        self.bounds(margin, bounds)
    }

    /// The `around` boxes are rescaled when they are made.
    fn rescaled(self) -> Result<Option<(Rescaling, Vec<Obb>)>> {
        Ok(None)
    }

    #[cfg(feature = "gpu")]
    fn bytes(self) -> [&'a [u8]; KINDS] {
        RecordSet::bytes(self.around)
    }

    #[cfg(feature = "gpu")]
    fn validate(self) -> Result<()> {
        self.validate()
    }

    fn select(self, ids: &[u32]) -> Result<Vec<Obb>> {
        RecordSet::select(self.around, ids)
    }
}

impl<'a> RecordSet<'a> for Triangles<'a> {
    type Owned = OwnedTriangles;

    fn of(owned: &'a OwnedTriangles) -> Self {
        owned.all()
    }

    /// Ignores the margin: triangles have none.
    fn bounds<G: Gather>(self, _: impl Fn(u32) -> f32 + Sync + Send, bounds: &mut [Bounds]) -> Result<G> {
        triangle_bounds_cpu::triangle_bounds(self.list, bounds)
    }

    fn rescaled(self) -> Result<Option<(Rescaling, OwnedTriangles)>> {
        self.rescaled()
    }

    #[cfg(feature = "gpu")]
    fn bytes(self) -> [&'a [u8]; KINDS] {
        of_first_kind(bytemuck::cast_slice(self.list))
    }

    #[cfg(feature = "gpu")]
    fn validate(self) -> Result<()> {
        triangle_bounds_cpu::validate(self.list)
    }

    fn select(self, ids: &[u32]) -> Result<OwnedTriangles> {
        self.select(ids)
    }
}

impl<'a> From<Bodies<'a>> for Records<'a> {
    fn from(bodies: Bodies<'a>) -> Self {
        match bodies.only_boxes() {
            Some(boxes) => Self::Obb(boxes),
            None => Self::Bodies(bodies),
        }
    }
}
