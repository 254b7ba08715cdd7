//! What a check on the GPU is about.

use crate::base::error::Result;
use crate::engine::prepared::PreparedScene;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::Bounds;
use crate::outputs::report::Named;
use crate::shapes::aabb::aabb_bounds_cpu;
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;

/// What is uploaded, and what the positions in a pair name.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// Two of these boxes.
    Boxes(&'a [Obb]),
    /// A box of the scene and a mover. The movers are uploaded.
    Movers {
        scene: &'a PreparedScene,
        movers: &'a [Obb],
    },
    /// Two of these bounds, of which no more is known.
    Bounds(&'a [Aabb]),
}

impl<'a> Input<'a> {
    /// The boxes that a pair's `a` and `b` name.
    pub fn sets(self) -> Option<[&'a [Obb]; 2]> {
        match self {
            Self::Boxes(boxes) => Some([boxes, boxes]),
            Self::Movers { scene, movers } => Some([&scene.boxes, movers]),
            Self::Bounds(_) => None,
        }
    }

    /// What the positions in a pair are of.
    pub fn named(self) -> Named {
        match self {
            Self::Movers { scene, .. } => Named::Movers {
                at_rest: scene.boxes.len(),
            },
            Self::Boxes(_) | Self::Bounds(_) => Named::Boxes,
        }
    }

    /// How many are uploaded, and have degrees.
    pub fn count(self) -> usize {
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => boxes.len(),
            Self::Bounds(bounds) => bounds.len(),
        }
    }

    /// Those that are uploaded, as the device gets them.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => bytemuck::cast_slice(boxes),
            Self::Bounds(bounds) => bytemuck::cast_slice(bounds),
        }
    }

    /// An error that names the first of them that is not valid, if any is.
    pub fn validate(self) -> Result<()> {
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => obb_bounds_cpu::validate(boxes),
            Self::Bounds(bounds) => aabb_bounds_cpu::validate(bounds),
        }
    }

    /// Their bounds, if they are valid, wider by `margin` of each on every side.
    pub fn bounds(self, margin: impl Fn(u32) -> f32 + Sync + Send) -> Result<Vec<Bounds>> {
        let mut bounds = Vec::new();
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => {
                obb_bounds_cpu::obb_bounds::<()>(boxes, margin, &mut bounds)?
            }
            Self::Bounds(boxes) => aabb_bounds_cpu::aabb_bounds::<()>(boxes, margin, &mut bounds)?,
        };
        Ok(bounds)
    }
}
