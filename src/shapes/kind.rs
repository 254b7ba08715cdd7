//! The shapes that a check knows, by name.

use crate::base::error::Result;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{Bounds, Gather};
use crate::shapes::aabb::aabb_bounds_cpu;
use crate::shapes::magnified::{Magnification, Magnified};
use crate::shapes::moving::moving_bounds_cpu;
use crate::shapes::moving::record::Moving;
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;
#[cfg(feature = "gpu")]
use crate::{
    base::memory,
    device::kernel::Kernel,
    frame::{hook::BoundsHook, params::Params},
    shapes::{aabb::aabb_bounds::aabb_bounds, moving::moving_bounds::moving_bounds, obb::obb_bounds::obb_bounds},
};

/// Declares the shapes: for each its record, the kernel that makes its bounds, and its twin and validation on the CPU.
macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident($record:ty): $kernel:path, $bounds:path, $validate:path;)+) => {
        /// A shape.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) enum Shape {
            $($(#[$doc])* $shape,)+
        }

        /// A set of records of one shape.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Records<'a> {
            $($shape(&'a [$record]),)+
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

            /// Fills `bounds`, which are as many, with theirs if they are valid, wider by `margin` of each on every side, and
            /// returns what is gathered about them.
            pub fn bounds<G: Gather>(
                self,
                margin: impl Fn(u32) -> f32 + Sync + Send,
                bounds: &mut [Bounds],
            ) -> Result<G> {
                match self {
                    $(Self::$shape(records) => $bounds(records, margin, bounds),)+
                }
            }
        }

        impl<'a> Records<'a> {
            /// A copy that is checked in their place, if their numbers are tiny.
            pub fn magnified(self) -> Result<Option<(Magnification, Selected)>> {
                match self {
                    $(Self::$shape(records) => Ok(<$record>::magnified(records)?
                        .map(|(magnification, copy)| (magnification, Selected::$shape(copy)))),)+
                }
            }
        }

        #[cfg(feature = "gpu")]
        impl Shape {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$shape),+];
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// Bytes of a record.
            pub const fn record_bytes(self) -> u64 {
                match self {
                    $(Self::$shape => size_of::<$record>() as u64,)+
                }
            }
        }

        /// The kernels that make bounds, in the order of the shapes, with what a broad phase hooks into them.
        #[cfg(feature = "gpu")]
        pub(crate) const fn bounds_kernels(hook: &'static BoundsHook) -> [Kernel<Params>; Shape::COUNT] {
            [$($kernel(hook)),+]
        }

        #[cfg(feature = "gpu")]
        impl<'a> Records<'a> {
            /// As a device gets them.
            pub fn bytes(self) -> &'a [u8] {
                match self {
                    $(Self::$shape(records) => bytemuck::cast_slice(records),)+
                }
            }

            /// An error that names the first that is not valid, if any is.
            pub fn validate(self) -> Result<()> {
                match self {
                    $(Self::$shape(records) => $validate(records),)+
                }
            }

            /// Works on those at these positions.
            pub fn select(self, ids: &[u32]) -> Result<Selected> {
                Ok(match self {
                    $(Self::$shape(records) => {
                        let selected = ids.iter().map(|&id| records[id as usize]);
                        Selected::$shape(memory::collect(selected, "a part of the scene")?)
                    })+
                })
            }
        }

        /// Records of a part of a set, or copies of it.
        pub(crate) enum Selected {
            $($shape(Vec<$record>),)+
        }

        impl Selected {
            pub fn records(&self) -> Records<'_> {
                match self {
                    $(Self::$shape(records) => Records::$shape(records),)+
                }
            }
        }
    };
}

shapes! {
    /// [`Obb`]s.
    #[default]
    Obb(Obb): obb_bounds, obb_bounds_cpu::obb_bounds, obb_bounds_cpu::validate;
    /// [`Aabb`]s, of which nothing more is known.
    Aabb(Aabb): aabb_bounds, aabb_bounds_cpu::aabb_bounds, aabb_bounds_cpu::validate;
    /// Boxes in motion: what each sweeps during a step.
    Moving(Moving): moving_bounds, moving_bounds_cpu::moving_bounds, moving_bounds_cpu::validate;
}
