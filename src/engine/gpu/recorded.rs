//! What recorded frames are about, and where they leave their results.

use std::num::NonZeroU64;

use crate::base::error::{Error, Result};
use crate::device::buffers::segments_of;
use crate::device::context::Context;
use crate::engine::gpu::frame_rules::FrameRules;
use crate::engine::gpu::records::bound;
use crate::engine::gpu::scene::SceneAtRest;
use crate::engine::gpu::subject::FrameSubject;
use crate::engine::gpu::timer::FrameTimer;
use crate::engine::prepared::PreparedScene;
use crate::frame::slots::TESTED;
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::bodies::set::KINDS;
use crate::shapes::triangle::set::Neighbours;

/// What [`GpuChecker::record`](crate::GpuChecker::record) is asked: a check of the first records in a buffer of the caller's.
///
/// The buffer has the usage `STORAGE`.
#[derive(Clone, Copy, Debug)]
pub struct FrameQuery<'a> {
    pub(super) kind: FrameKind<'a>,
    pub(super) records: &'a wgpu::Buffer,
    pub(super) counts: BodyCounts,
    pub(super) rules: Option<&'a FrameRules>,
    pub(super) timer: Option<&'a FrameTimer>,
    pub(super) refit: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FrameKind<'a> {
    Bodies,
    Bounds,
    Triangles { neighbours: Neighbours },
    Against(&'a PreparedScene),
}

impl<'a> FrameQuery<'a> {
    /// All pairs of the first `count` boxes in `boxes`: [`Obb`](crate::Obb) records of 48 bytes, in WGSL
    /// [`Obb::WGSL`](crate::Obb::WGSL).
    pub fn boxes(boxes: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            kind: FrameKind::Bodies,
            records: boxes,
            counts: BodyCounts::of_boxes(count),
            rules: None,
            timer: None,
            refit: false,
        }
    }

    /// All pairs of boxes, capsules and balls, numbered as [`Bodies`](crate::Bodies) are: `bodies` holds so many
    /// [`Obb`](crate::Obb)s, then so many [`Capsule`](crate::Capsule)s, then so many [`Sphere`](crate::Sphere)s, without gaps. Unless all
    /// are balls it has a multiple of 48 bytes, or more: up to 32 are behind the last ball.
    ///
    /// Pairs that `f32` cannot decide are [`Recorded::undecided`]; [`BodyRef::contact`](crate::BodyRef::contact) decides them on the host.
    pub fn bodies(bodies: &'a wgpu::Buffer, counts: BodyCounts) -> Self {
        Self {
            counts,
            ..Self::boxes(bodies, 0)
        }
    }

    /// Bodies against a scene that this checker has prepared; see [`FrameQuery::against`].
    pub fn bodies_against(scene: &'a PreparedScene, movers: &'a wgpu::Buffer, counts: BodyCounts) -> Self {
        Self {
            counts,
            ..Self::against(scene, movers, 0)
        }
    }

    /// The broad phase alone: the pairs among the first `count` AABBs in `bounds` that share a point, as
    /// [`Query::bounds`](crate::Query::bounds) has them.
    ///
    /// `bounds` holds [`Aabb`](crate::Aabb) records: six `f32`, minimum and maximum, without padding. The pairs are in
    /// [`Recorded::pairs`], for a narrow phase of the caller's that is dispatched with
    /// [`Outcome::workgroups`](crate::gpu::Outcome::workgroups).
    pub fn bounds(bounds: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            kind: FrameKind::Bounds,
            ..Self::boxes(bounds, count)
        }
    }

    /// All pairs of the first `count` triangles in `triangles` that share a point, as [`Query::triangles`](crate::Query::triangles) has
    /// them: [`Triangle`](crate::Triangle) records, nine `f32` without padding.
    ///
    /// Pairs that `f32` cannot decide are [`Recorded::undecided`], whatever the precision; [`Triangle::meets`](crate::Triangle::meets) decides
    /// them on the host. There are no margins.
    pub fn triangles(triangles: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            kind: FrameKind::Triangles {
                neighbours: Neighbours::All,
            },
            ..Self::boxes(triangles, count)
        }
    }

    /// Where a mesh meets itself, as [`Query::mesh`](crate::Query::mesh) has it: neighbours count if they
    /// share more than the corner or edge they have in common.
    ///
    /// As [`FrameQuery::triangles`], but
    /// [`Triangle::meets_in_mesh`](crate::Triangle::meets_in_mesh) decides what is undecided.
    pub fn mesh(triangles: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            kind: FrameKind::Triangles {
                neighbours: Neighbours::Crossing,
            },
            ..Self::boxes(triangles, count)
        }
    }

    /// Where a mesh meets itself, without its neighbours, as
    /// [`Query::mesh_without_neighbours`](crate::Query::mesh_without_neighbours) has it.
    pub fn mesh_without_neighbours(triangles: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            kind: FrameKind::Triangles {
                neighbours: Neighbours::None,
            },
            ..Self::boxes(triangles, count)
        }
    }

    /// The first `count` boxes in `movers` against a scene that this checker has prepared, as
    /// [`Query::against`](crate::Query::against) has them: `a` is the position in the scene, `b` that among the movers, and
    /// degrees are those of the movers.
    pub fn against(scene: &'a PreparedScene, movers: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            kind: FrameKind::Against(scene),
            ..Self::boxes(movers, count)
        }
    }

    /// The same with rules, from [`GpuChecker::upload_rules`](crate::GpuChecker::upload_rules).
    #[must_use]
    pub fn with(self, rules: &'a FrameRules) -> Self {
        Self {
            rules: Some(rules),
            ..self
        }
    }

    /// The same in the order of the frame recorded before it, for boxes that have moved little since. It finds the same pairs.
    ///
    /// With [`BroadPhase::Lbvh`](crate::BroadPhase::Lbvh) such a frame sorts nothing: the tree stays as it is, and its bounds are
    /// made anew. That saves 34 dispatches, and more than half of the bytes that a frame moves before it looks for pairs. As boxes move on, nodes grow and overlap, and looking for
    /// pairs takes longer, so make a frame without it now and then: at the latest when boxes have changed places with their neighbours.
    ///
    /// The frame before must have as many records, and worlds, if there are any, by the same [`FrameRules`]. If it has not, if there is none,
    /// if a buffer has had to grow, if something else was checked in between, or if the broad phase is the grid, which keeps no order, the frame is
    /// one like any other; [`Recorded::refitted`] says so. Frames must run in the order in which they were recorded: one
    /// whose order is not there looks for no pairs, and [`Outcome::stale`](crate::gpu::Outcome::stale) says so.
    #[must_use]
    pub fn refit(self) -> Self {
        Self { refit: true, ..self }
    }

    /// The same with its time taken, by a timer of [`GpuChecker::timer`](crate::GpuChecker::timer).
    #[must_use]
    pub fn timed(self, timer: &'a FrameTimer) -> Self {
        Self {
            timer: Some(timer),
            ..self
        }
    }
}

/// Room in the buffers of recorded frames; see [`GpuChecker::reserve`](crate::GpuChecker::reserve).
///
/// In `u32`, as whatever is counted on a device: what [`Outcome`](crate::gpu::Outcome) says was needed can be reserved as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Boxes of a frame.
    pub boxes: u32,
    /// Pairs whose bounds overlap.
    pub candidates: u32,
    /// Colliding pairs.
    pub pairs: u32,
    /// Pairs that `f32` cannot decide.
    pub undecided: u32,
}

/// Where a recorded frame leaves its results. The buffers can be bound as storage buffers and copied from.
///
/// They belong to the checker: the next frame writes into them again. Commands that use them go between the two, in
/// the same encoder or in one that is submitted in between. Clones of a buffer stay valid when the checker makes a larger
/// one, but no frame recorded afterwards writes to them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// One [`Outcome`](crate::gpu::Outcome); also the arguments of an indirect dispatch.
    pub outcome: wgpu::Buffer,
    /// The [`Pair`](crate::Pair)s, as two `u32` each, in any order; empty unless [`Output::Pairs`](crate::Output::Pairs) is asked for.
    /// [`GpuChecker::record_sort`](crate::GpuChecker::record_sort) puts them in order, [`GpuChecker::record_adjacency`](crate::GpuChecker::record_adjacency) makes every box's row of them.
    pub pairs: wgpu::Buffer,
    /// The pairs that neither `f32` nor the GPU's `f64` could decide, likewise. They touch or nearly do. Only with
    /// [`Precision::Exact`](crate::Precision::Exact): [`Obb::contact`](crate::Obb::contact) or [`BodyRef::contact`](crate::BodyRef::contact)
    /// decides them on the host.
    pub undecided: wgpu::Buffer,
    /// For every box the number of boxes it collides with, as `u32`; of use only if [`Output::Degrees`](crate::Output::Degrees) is asked for.
    /// Beside pairs they can be had from [`GpuChecker::record_adjacency`](crate::GpuChecker::record_adjacency).
    pub degrees: wgpu::Buffer,
    /// The frame keeps the order of the one before it, as [`FrameQuery::refit`] asks for where it can.
    pub refitted: bool,
    /// What the pairs name; `None` if they are not listed.
    pub(super) sets: Option<Sets>,
    /// Their bodies; `None` if they are of something else.
    pub(super) bodies: Option<PairBodies>,
}

/// A frame as if recorded, with its [`Outcome`](crate::gpu::Outcome) and pairs in these buffers, between sets of these sizes; of one
/// set if they are the same.
#[cfg(feature = "unstable")]
pub fn recorded(outcome: &wgpu::Buffer, pairs: &wgpu::Buffer, sizes: [u32; 2], same: bool) -> Recorded {
    Recorded {
        outcome: outcome.clone(),
        pairs: pairs.clone(),
        undecided: pairs.clone(),
        degrees: pairs.clone(),
        refitted: false,
        sets: Some(Sets { sizes, same }),
        bodies: None,
    }
}

/// In which order the pairs of the last frame are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum PairsOrder {
    /// That in which they were found.
    #[default]
    AsFound,
    /// The same, and contacts or closest points have been recorded for the pairs in this buffer.
    Named(wgpu::Buffer),
    /// The pairs in this buffer are sorted.
    Sorted(wgpu::Buffer),
}

impl PairsOrder {
    /// Notes that these pairs are sorted from now on.
    ///
    /// # Errors
    /// If what was recorded for them would belong to other pairs then.
    pub fn sort(&mut self, pairs: &wgpu::Buffer) -> Result<()> {
        if *self == Self::Named(pairs.clone()) {
            return Err(Error::Unavailable {
                what: "the pairs in another order",
                hint: "contacts or closest points have been recorded for them: record the sort or the adjacency before those",
            });
        }
        *self = Self::Sorted(pairs.clone());
        Ok(())
    }

    /// Notes that something has been recorded for these pairs.
    pub fn name(&mut self, pairs: &wgpu::Buffer) {
        if *self != Self::Sorted(pairs.clone()) {
            *self = Self::Named(pairs.clone());
        }
    }
}

/// What the pairs of a recorded frame name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sets {
    /// `a` and `b` are below these.
    pub sizes: [u32; 2],
    /// Both name the same boxes.
    pub same: bool,
}

impl Sets {
    /// What the pairs of a frame of so many records name.
    pub fn of(at_rest: Option<&SceneAtRest>, count: u32) -> Self {
        let at_rest = at_rest.map(|scene| scene.counts.iter().sum::<u64>() as u32);
        Self {
            sizes: [at_rest.unwrap_or(count), count],
            same: at_rest.is_none(),
        }
    }
}

/// Where [`GpuChecker::record_adjacency`](crate::GpuChecker::record_adjacency) leaves every box's partners. The buffers can be bound as storage buffers and
/// copied from.
///
/// As those of [`Recorded`], they belong to the checker, and the next one writes into them again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedAdjacency {
    /// Where each row begins in `neighbours`, and where the last ends, as `u32`: one more than there are rows. The buffer may
    /// be longer.
    pub offsets: wgpu::Buffer,
    /// The partners of all boxes, as `u32`: those of box `i` are at `offsets[i]..offsets[i + 1]`, ascending.
    pub neighbours: wgpu::Buffer,
    /// For each of `neighbours` the place of the pair in [`Recorded::pairs`], as `u32`: by it a box finds its own contacts and
    /// closest points, if they are recorded after the adjacency.
    pub pairs: wgpu::Buffer,
    /// How many rows there are.
    pub rows: u32,
}

/// Where [`GpuChecker::record_events`](crate::GpuChecker::record_events) leaves what has changed since the frame before. The buffers can be
/// bound as storage buffers and copied from.
///
/// As those of [`Recorded`], they belong to the checker, and the next one writes into them again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedEvents {
    /// The [`EventRecord`](crate::gpu::EventRecord)s, in any order: each pair once.
    pub events: wgpu::Buffer,
    /// [`EventCounts`](crate::gpu::EventCounts): how many there are.
    pub counts: wgpu::Buffer,
}

/// Where [`GpuChecker::record_contacts`](crate::GpuChecker::record_contacts) leaves the contact manifolds of a frame. The buffers can be bound as storage buffers and
/// copied from.
///
/// As those of [`Recorded`], they belong to the checker, and the next one writes into them again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedContacts {
    /// A [`ManifoldRecord`](crate::gpu::ManifoldRecord) for each stored pair, in the order of [`Recorded::pairs`].
    pub manifolds: wgpu::Buffer,
    /// The [`PointRecord`](crate::gpu::PointRecord)s of all manifolds. Those of one stand together; which comes first differs from run to run.
    pub points: wgpu::Buffer,
    /// How many points the manifolds have, whether or not there was room for them, as a `u32` at offset 0.
    pub counts: wgpu::Buffer,
}

/// The bodies that pairs name, in segments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairBodies {
    pub segments: Vec<(wgpu::Buffer, u64, Option<NonZeroU64>)>,
    pub segment: u32,
    pub movers: bool,
    /// How many there are of each kind of what a pair's `a` names, and of what its `b` does.
    pub counts: [[u64; KINDS]; 2],
}

impl PairBodies {
    /// The first bodies in a buffer of the caller's; or these as movers, and those at rest.
    pub fn new(context: &Context, buffer: &wgpu::Buffer, subject: &FrameSubject) -> Self {
        let bytes = bound(subject.shape, subject.only_kind(), subject.counts);
        let mut bindings = segments_of(context, &TESTED, buffer, bytes);
        if let Some(scene) = &subject.at_rest {
            bindings.rotate_right(1);
            bindings[0] = scene.boxes.as_entire_buffer_binding();
        }
        Self {
            segments: bindings
                .iter()
                .map(|binding| (binding.buffer.clone(), binding.offset, binding.size))
                .collect(),
            segment: context.limits().box_segment(),
            movers: subject.at_rest.is_some(),
            counts: [subject.counts_of_a(), subject.counts],
        }
    }

    pub fn bindings(&self) -> Vec<wgpu::BufferBinding<'_>> {
        self.segments
            .iter()
            .map(|(buffer, offset, size)| wgpu::BufferBinding {
                buffer,
                offset: *offset,
                size: *size,
            })
            .collect()
    }

    /// Whether a pair may be one of two boxes.
    pub fn have_boxes(&self) -> bool {
        self.counts.iter().all(|[boxes, ..]| *boxes > 0)
    }

    /// Whether a pair may have a capsule or a ball.
    pub fn have_round(&self) -> bool {
        self.counts.iter().any(|[_, capsules, balls]| capsules + balls > 0)
    }
}
