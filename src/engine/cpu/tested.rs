//! The bodies that candidate pairs refer to.

use crate::broad_phase::bounds_lanes::Sorted;
use crate::geometry::pair::Pair;
use crate::narrow_phase::round::grid_balls::Ball;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::bodies::slot::Slot;
use crate::shapes::kind::Records;
use crate::shapes::moving::record::Moving;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;
use crate::shapes::round::sphere::Sphere;
use crate::shapes::triangle::set::Triangles;

/// The bodies that candidate pairs refer to, and the names that the caller expects for them.
#[derive(Clone, Copy)]
pub(super) enum Tested<'a> {
    /// Two boxes from this list.
    Boxes(&'a [Obb]),
    /// Two records, by position. The boxes are in the same order.
    Records { records: Sorted<'a>, boxes: &'a [Obb] },
    /// Two moving boxes, by position, in the order of the records.
    Moving { records: Sorted<'a>, boxes: &'a [Moving] },
    /// Two of these records, by position in the records. The set is in the caller's order, and
    /// `narrow_phase/table.rs` tests its pairs one by one.
    Others { records: Sorted<'a>, set: Records<'a> },
    /// A box of the scene and a mover.
    Movers { scene: &'a [Obb], movers: &'a [Obb] },
    /// Two spheres, by position. `balls` is in the caller's order.
    Balls { records: &'a [Ball], balls: &'a [Sphere] },
    /// Two bodies, not all boxes or all spheres, by position. `bodies` is in the caller's order.
    Bodies {
        records: Sorted<'a>,
        slots: &'a [Slot],
        bodies: Bodies<'a>,
    },
    /// Two triangles, by position, in the order of the records.
    Triangles {
        records: Sorted<'a>,
        triangles: Triangles<'a>,
    },
    /// Two records of the boxes around these, which are in the caller's order.
    Boxes64 { records: Sorted<'a>, boxes: &'a [Obb64] },
    /// Two of these bodies.
    GivenBodies(Bodies<'a>),
    /// A body of the scene and a mover.
    MovingBodies { scene: Bodies<'a>, movers: Bodies<'a> },
}

impl<'a> Tested<'a> {
    /// Returns the boxes that `a` and `b` of a candidate pair refer to.
    pub fn sets(self) -> Option<[&'a [Obb]; 2]> {
        match self {
            Self::Boxes(boxes) | Self::Records { boxes, .. } => Some([boxes, boxes]),
            Self::Movers { scene, movers } => Some([scene, movers]),
            _ => None,
        }
    }

    /// Returns the bodies that given pairs refer to.
    pub fn given(bodies: Bodies<'a>) -> Self {
        bodies.only_boxes().map_or(Self::GivenBodies(bodies), Self::Boxes)
    }

    /// Returns the bodies that pairs of a body at rest and a mover refer to.
    pub fn movers(scene: Bodies<'a>, movers: Bodies<'a>) -> Self {
        match (scene.only_boxes(), movers.only_boxes()) {
            (Some(scene), Some(movers)) => Self::Movers { scene, movers },
            _ => Self::MovingBodies { scene, movers },
        }
    }

    /// Returns the bodies that `a` and `b` of a candidate pair refer to once they are
    /// [`placed`](Self::placed), unless they are bounds or moving.
    pub fn bodies(self) -> Option<[Bodies<'a>; 2]> {
        match self {
            Self::Balls { balls, .. } => Some([balls.into(); 2]),
            Self::Bodies { bodies, .. } | Self::GivenBodies(bodies) => Some([bodies; 2]),
            Self::MovingBodies { scene, movers } => Some([scene, movers]),
            _ => self.sets().map(|sets| sets.map(Bodies::from)),
        }
    }

    /// Returns `true` if an exact stage determines the relation of the two.
    pub fn is_exact(self) -> bool {
        self.bodies().is_some() || matches!(self, Self::Boxes64 { .. })
    }

    /// Converts a candidate pair to positions in the lists of [`bodies`](Self::bodies).
    pub fn placed(self, pair: Pair) -> Pair {
        match self {
            Self::Balls { .. } | Self::Bodies { .. } => self.named(pair),
            _ => pair,
        }
    }

    /// Returns the number of boxes that the check counts and that have degrees.
    pub fn count(self) -> usize {
        match self {
            Self::Boxes(boxes) | Self::Records { boxes, .. } | Self::Movers { movers: boxes, .. } => boxes.len(),
            Self::Moving { boxes, .. } => boxes.len(),
            Self::Others { set, .. } => set.len(),
            Self::Triangles { triangles, .. } => triangles.list.len(),
            Self::Boxes64 { boxes, .. } => boxes.len(),
            Self::Bodies { slots, .. } => slots.len(),
            Self::Balls { balls, .. } => balls.len(),
            Self::GivenBodies(bodies) | Self::MovingBodies { movers: bodies, .. } => bodies.len(),
        }
    }

    /// Returns the number of boxes that may be the first of a pair, in the caller's numbering.
    pub fn firsts(self) -> usize {
        match self {
            Self::Movers { scene, .. } => scene.len(),
            Self::MovingBodies { scene, .. } => scene.len(),
            _ => self.count(),
        }
    }

    /// Converts a candidate pair to the caller's numbering.
    #[inline(always)]
    pub fn named(self, pair: Pair) -> Pair {
        match self {
            Self::Boxes(_) | Self::Movers { .. } | Self::GivenBodies(_) | Self::MovingBodies { .. } => pair,
            Self::Records { records, .. }
            | Self::Moving { records, .. }
            | Self::Others { records, .. }
            | Self::Triangles { records, .. }
            | Self::Boxes64 { records, .. }
            | Self::Bodies { records, .. } => Pair::new(records.id(pair.a as usize), records.id(pair.b as usize)),
            Self::Balls { records, .. } => Pair::new(records[pair.a as usize].id, records[pair.b as usize].id),
        }
    }

    /// Returns the boxes that count as members of a pair. Both the pair and the boxes are in the
    /// caller's numbering.
    pub fn counted(self, Pair { a, b }: Pair) -> impl Iterator<Item = usize> {
        let in_scene = matches!(self, Self::Movers { .. } | Self::MovingBodies { .. });
        [a, b].into_iter().skip(usize::from(in_scene)).map(|id| id as usize)
    }
}
