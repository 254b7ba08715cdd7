//! The bodies that candidate pairs refer to.

use bytemuck::cast_slice_mut;

use crate::base::parallel;
use crate::broad_phase::bounds_lanes::Sorted;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::bodies::slot::Slot;
use crate::shapes::kind::Records;
use crate::shapes::moving::record::Moving;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::around::Boxes64;
use crate::shapes::obb64::record::Obb64;
use crate::shapes::round::sphere::Sphere;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::set::Triangles;

/// Returns the number of bounds whose memory holds the records of a set in another order.
pub(super) fn room_for(set: Records<'_>) -> usize {
    match set {
        Records::Obb(boxes) => room_for_boxes(boxes.len()),
        Records::Moving(boxes) => room_for_moving(boxes.len()),
        Records::Bodies(_) => room_for_boxes(set.len()),
        Records::Triangles(triangles) => room_for_triangles(triangles.len()),
        Records::Aabb(_) | Records::Obb64(_) => set.len(),
    }
}

/// Returns the number of bounds whose memory holds this many boxes, and at most one more: three
/// bounds are as long as two boxes.
pub(super) fn room_for_boxes(boxes: usize) -> usize {
    const { assert!(3 * size_of::<Bounds>() == 2 * size_of::<Obb>() && align_of::<Bounds>() >= align_of::<Obb>()) };
    3 * boxes.div_ceil(2)
}

/// Returns the number of bounds whose memory holds this many moving boxes.
pub(super) fn room_for_moving(boxes: usize) -> usize {
    const { assert!(3 * size_of::<Bounds>() == size_of::<Moving>() && align_of::<Bounds>() >= align_of::<Moving>()) };
    3 * boxes
}

/// Returns the number of bounds whose memory holds this many triangles, and at most seven more:
/// nine bounds are as long as eight triangles.
fn room_for_triangles(triangles: usize) -> usize {
    const { assert!(9 * size_of::<Bounds>() == 8 * size_of::<Triangle>() && align_of::<Bounds>() >= align_of::<Triangle>()) };
    9 * triangles.div_ceil(8)
}

/// The bodies that candidate pairs refer to, and the names that the caller expects for them.
#[derive(Clone, Copy)]
pub(super) enum Tested<'a> {
    /// Two boxes from this list.
    Boxes(&'a [Obb]),
    /// Two records, by position. The boxes are in the same order.
    Records { records: Sorted<'a>, boxes: &'a [Obb] },
    /// Two boxes, by position. `ids` are their positions in the caller's order.
    Placed { ids: &'a [u32], boxes: &'a [Obb] },
    /// Two moving boxes, by position, in the order of the records.
    Moving { records: Sorted<'a>, boxes: &'a [Moving] },
    /// Two of these records, by position in the records. The set is in the caller's order, and
    /// `narrow_phase/table.rs` tests its pairs one by one.
    Others { records: Sorted<'a>, set: Records<'a> },
    /// A box of the scene and a mover.
    Movers { scene: &'a [Obb], movers: &'a [Obb] },
    /// Two spheres, by position in `sorted`. `ids` are their positions in `balls`, which is in the
    /// caller's order.
    Balls {
        ids: &'a [u32],
        sorted: &'a [Sphere],
        balls: &'a [Sphere],
    },
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
    /// Returns what pairs of records refer to that are in the caller's order.
    pub fn few(set: Records<'a>, records: Sorted<'a>) -> Self {
        match set {
            Records::Obb(boxes) => Self::Boxes(boxes),
            Records::Moving(boxes) => Self::Moving { records, boxes },
            Records::Bodies(bodies) => Self::GivenBodies(bodies),
            Records::Triangles(triangles) => Self::Triangles { records, triangles },
            Records::Obb64(Boxes64 { boxes, .. }) => Self::Boxes64 { records, boxes },
            Records::Aabb(_) => Self::Others { records, set },
        }
    }

    /// Returns what pairs of sorted records refer to, in the order of the records. It takes the
    /// memory of the bounds, which are no longer needed: `room`, whose length is [`room_for`] the
    /// set.
    pub fn sorted(set: Records<'a>, records: Sorted<'a>, room: &'a mut [Bounds]) -> Self {
        let count = set.len();
        match set {
            Records::Obb(boxes) => {
                let places = &mut cast_slice_mut(room)[..count];
                parallel::gather(places, boxes, |k| records.id(k) as usize);
                Self::Records { records, boxes: places }
            }
            Records::Moving(boxes) => {
                let places = &mut cast_slice_mut(room)[..count];
                parallel::gather(places, boxes, |k| records.id(k) as usize);
                Self::Moving { records, boxes: places }
            }
            Records::Bodies(bodies) => {
                let slots = &mut cast_slice_mut(room)[..count];
                parallel::fill(slots, |k| Slot::from(bodies.at(records.id(k))));
                Self::Bodies { records, slots, bodies }
            }
            Records::Triangles(triangles) => {
                let places = &mut cast_slice_mut(room)[..count];
                parallel::gather(places, triangles.list, |k| records.id(k) as usize);
                let triangles = Triangles {
                    list: places,
                    ..triangles
                };
                Self::Triangles { records, triangles }
            }
            Records::Obb64(Boxes64 { boxes, .. }) => Self::Boxes64 { records, boxes },
            Records::Aabb(_) => Self::Others { records, set },
        }
    }

    /// Returns the boxes that `a` and `b` of a candidate pair refer to.
    pub fn sets(self) -> Option<[&'a [Obb]; 2]> {
        match self {
            Self::Boxes(boxes) | Self::Records { boxes, .. } | Self::Placed { boxes, .. } => Some([boxes, boxes]),
            Self::Movers { scene, movers } => Some([scene, movers]),
            _ => None,
        }
    }

    /// Returns the spheres that pairs of positions refer to, given their ids and their order.
    pub fn balls(ids: &'a [u32], sorted: &'a [Sphere], balls: &'a [Sphere]) -> Self {
        Self::Balls { ids, sorted, balls }
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
            Self::Boxes(boxes)
            | Self::Records { boxes, .. }
            | Self::Placed { boxes, .. }
            | Self::Movers { movers: boxes, .. } => boxes.len(),
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
            Self::Placed { ids, .. } => Pair::new(ids[pair.a as usize], ids[pair.b as usize]),
            Self::Balls { ids, .. } => Pair::new(ids[pair.a as usize], ids[pair.b as usize]),
        }
    }

    /// Returns the number of a body in the caller's numbering, given its position.
    #[inline(always)]
    pub fn id(self, position: u32) -> u32 {
        let both = Pair {
            a: position,
            b: position,
        };
        self.named(both).a
    }

    /// Returns `true` if all bodies are boxes.
    pub fn are_boxes(self) -> bool {
        self.sets().is_some() || matches!(self, Self::Boxes64 { .. })
    }

    /// Returns `true` if pairs are of a body of a scene and a mover.
    pub fn are_movers(self) -> bool {
        matches!(self, Self::Movers { .. } | Self::MovingBodies { .. })
    }

    /// Returns the boxes that count as members of a pair. Both the pair and the boxes are in the
    /// caller's numbering.
    pub fn counted(self, Pair { a, b }: Pair) -> impl Iterator<Item = usize> {
        [a, b]
            .into_iter()
            .skip(usize::from(self.are_movers()))
            .map(|id| id as usize)
    }
}
