//! What candidate pairs name.

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

/// What candidate pairs name, and how the caller wants them named.
#[derive(Clone, Copy)]
pub(super) enum Tested<'a> {
    /// Two boxes from this list.
    Boxes(&'a [Obb]),
    /// Two records, by position. The boxes are in the same order.
    Records { records: Sorted<'a>, boxes: &'a [Obb] },
    /// Two boxes in motion, by position, in the order of the records.
    Moving { records: Sorted<'a>, boxes: &'a [Moving] },
    /// Two records of these, which are in the caller's order, and which `narrow_phase/table.rs` tests one by one.
    Others { records: Sorted<'a>, set: Records<'a> },
    /// A box of the scene and a mover.
    Movers { scene: &'a [Obb], movers: &'a [Obb] },
    /// Two balls, by position. The caller's order is that of `balls`.
    Balls { records: &'a [Ball], balls: &'a [Sphere] },
    /// Two bodies, not all boxes nor all balls, likewise. The caller's order is that of `bodies`.
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
    /// The boxes that a candidate pair's `a` and `b` name.
    pub fn sets(self) -> Option<[&'a [Obb]; 2]> {
        match self {
            Self::Boxes(boxes) | Self::Records { boxes, .. } => Some([boxes, boxes]),
            Self::Movers { scene, movers } => Some([scene, movers]),
            _ => None,
        }
    }

    /// What given pairs name.
    pub fn given(bodies: Bodies<'a>) -> Self {
        bodies.only_boxes().map_or(Self::GivenBodies(bodies), Self::Boxes)
    }

    /// What pairs of a body at rest and a mover name.
    pub fn movers(scene: Bodies<'a>, movers: Bodies<'a>) -> Self {
        match (scene.only_boxes(), movers.only_boxes()) {
            (Some(scene), Some(movers)) => Self::Movers { scene, movers },
            _ => Self::MovingBodies { scene, movers },
        }
    }

    /// The bodies that a candidate pair's `a` and `b` name once they are [`placed`](Self::placed), if they are not bounds or in motion.
    pub fn bodies(self) -> Option<[Bodies<'a>; 2]> {
        match self {
            Self::Balls { balls, .. } => Some([balls.into(); 2]),
            Self::Bodies { bodies, .. } | Self::GivenBodies(bodies) => Some([bodies; 2]),
            Self::MovingBodies { scene, movers } => Some([scene, movers]),
            _ => self.sets().map(|sets| sets.map(Bodies::from)),
        }
    }

    /// Whether an exact stage tells how the two lie relative to each other.
    pub fn is_exact(self) -> bool {
        self.bodies().is_some() || matches!(self, Self::Boxes64 { .. })
    }

    /// A candidate pair by the positions of its bodies in the lists of [`bodies`](Self::bodies).
    pub fn placed(self, pair: Pair) -> Pair {
        match self {
            Self::Balls { .. } | Self::Bodies { .. } => self.named(pair),
            _ => pair,
        }
    }

    /// The number of boxes the check is about: those with degrees.
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

    /// The number of boxes that may be the first of a pair, in the caller's numbering.
    pub fn firsts(self) -> usize {
        match self {
            Self::Movers { scene, .. } => scene.len(),
            Self::MovingBodies { scene, .. } => scene.len(),
            _ => self.count(),
        }
    }

    /// A candidate pair in the caller's numbering.
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

    /// Which of the caller's boxes count as members of a pair, in the caller's numbering.
    pub fn counted(self, Pair { a, b }: Pair) -> impl Iterator<Item = usize> {
        let in_scene = matches!(self, Self::Movers { .. } | Self::MovingBodies { .. });
        [a, b].into_iter().skip(usize::from(in_scene)).map(|id| id as usize)
    }
}
