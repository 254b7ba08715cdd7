//! The queries of recorded frames, and the buffers with their results.

use std::num::NonZeroU64;

use crate::base::error::{Error, Result};
use crate::device::buffers::segments_of;
use crate::device::context::Context;
use crate::engine::gpu::frame_rules::FrameRules;
use crate::engine::gpu::image_results::RecordedImages;
use crate::engine::gpu::records::are_boxes;
use crate::engine::gpu::scene::SceneAtRest;
use crate::engine::gpu::subject::FrameSubject;
use crate::engine::gpu::timer::FrameTimer;
use crate::engine::prepared::PreparedScene;
use crate::frame::slots::TESTED;
use crate::frame::visitor::FrameVisitor;
use crate::geometry::kinds::KINDS;
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::kind::Shape;
use crate::shapes::triangle::set::Neighbours;

/// The query of [`GpuChecker::record`](crate::GpuChecker::record): a check of the first records in
/// a buffer of the caller.
///
/// The buffer must have the usage `STORAGE`.
#[derive(Clone, Copy, Debug)]
pub struct FrameQuery<'a> {
    pub(super) shape: Shape,
    pub(super) neighbours: Neighbours,
    pub(super) scene: Option<&'a PreparedScene>,
    pub(super) records: &'a wgpu::Buffer,
    pub(super) counts: BodyCounts,
    pub(super) rules: Option<&'a FrameRules>,
    pub(super) timer: Option<&'a FrameTimer>,
    pub(super) refit: bool,
    pub(super) visitor: Option<&'a FrameVisitor>,
    pub(super) counted: Option<&'a wgpu::Buffer>,
    pub(super) active: Option<&'a wgpu::Buffer>,
    pub(super) images: Option<&'a RecordedImages>,
}

impl<'a> FrameQuery<'a> {
    /// Creates a query for all pairs of the first `count` boxes in `boxes`: [`Obb`](crate::Obb)
    /// records of 48 bytes, in WGSL [`Obb::WGSL`](crate::Obb::WGSL).
    pub fn boxes(boxes: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            shape: Shape::Bodies,
            neighbours: Neighbours::default(),
            scene: None,
            records: boxes,
            counts: BodyCounts::of_boxes(count),
            rules: None,
            timer: None,
            refit: false,
            visitor: None,
            counted: None,
            active: None,
            images: None,
        }
    }

    /// Creates a query for all pairs of boxes, capsules and spheres, numbered as in
    /// [`Bodies`](crate::Bodies): `bodies` holds the [`Obb`](crate::Obb)s, then the
    /// [`Capsule`](crate::Capsule)s, then the [`Sphere`](crate::Sphere)s, as many as `counts`
    /// gives, without gaps. Unless all are spheres, the size of the buffer must be at least the
    /// next multiple of 48 bytes: up to 32 bytes follow the last sphere.
    ///
    /// [`Recorded::undecided`] are the pairs that `f32` cannot decide;
    /// [`BodyRef::contact`](crate::shape::BodyRef::contact) decides them on the host.
    pub fn bodies(bodies: &'a wgpu::Buffer, counts: BodyCounts) -> Self {
        Self {
            counts,
            ..Self::boxes(bodies, 0)
        }
    }

    /// Creates a query for all pairs of bodies in space that repeats, of which
    /// [`ImagesOf`](crate::gpu::ImagesOf) has listed the images.
    ///
    /// In a pair (a, b), `a` is the position of a body, and `b` that of another body or, from
    /// [`Outcome::first_image`](crate::gpu::Outcome::first_image) on, of an image: position 0 of
    /// [`RecordedImages::images`] is the first. A pair that meets in several images is listed once
    /// for each.
    ///
    /// The centers of images are rounded. [`Recorded::undecided`] has the pairs whose decision may
    /// depend on that, whatever the device can do in `f64`;
    /// [`Query::pairs`](crate::Query::pairs) with [`Query::periodic`](crate::Query::periodic)
    /// decides them on the host. With another [`Precision`](crate::Precision) than `Exact`, they
    /// are decided as if images were larger by up to 1e-6 of the longest period.
    ///
    /// Rules, flags of active bodies and a number that the device decides are those of
    /// [`ImagesOf`](crate::gpu::ImagesOf). Degrees count a partner once for each image in which it
    /// is met.
    pub fn images(images: &'a RecordedImages) -> Self {
        Self {
            images: Some(images),
            active: images.active.as_ref(),
            rules: images.rules.as_ref(),
            ..Self::bodies(&images.bodies, images.of_kinds)
        }
    }

    /// Creates a query for pairs of bodies and a scene that this checker has prepared. See
    /// [`FrameQuery::against`].
    pub fn bodies_against(scene: &'a PreparedScene, movers: &'a wgpu::Buffer, counts: BodyCounts) -> Self {
        Self {
            counts,
            ..Self::against(scene, movers, 0)
        }
    }

    /// Creates a query for the pairs among the first `count` AABBs in `bounds` that share a point,
    /// as in a check of [`Aabb`](crate::shape::Aabb)s: the broad phase alone.
    ///
    /// `bounds` holds [`Aabb`](crate::shape::Aabb) records: six `f32`, minimum and maximum, without
    /// padding. The pairs are in [`Recorded::pairs`], for the caller's narrow phase, which can be
    /// dispatched with [`Outcome::workgroups`](crate::gpu::Outcome::workgroups).
    pub fn bounds(bounds: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            shape: Shape::Aabb,
            ..Self::boxes(bounds, count)
        }
    }

    /// Creates a query for all pairs of the first `count` triangles in `triangles` that share a
    /// point, as in a check of [`Triangle`](crate::shape::Triangle)s. The buffer holds records of
    /// these, nine `f32` without padding.
    ///
    /// [`Recorded::undecided`] are the pairs that `f32` cannot decide, regardless of the precision;
    /// [`Triangle::meets`](crate::shape::Triangle::meets) decides them on the
    /// host. There are no margins.
    pub fn triangles(triangles: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            shape: Shape::Triangles,
            neighbours: Neighbours::All,
            ..Self::boxes(triangles, count)
        }
    }

    /// Creates a query for the self-intersections of a mesh, as in
    /// [`Query::mesh`](crate::Query::mesh): neighbours count if they share more than their common
    /// corner or edge.
    ///
    /// Like [`FrameQuery::triangles`], but
    /// [`Triangle::meets_in_mesh`](crate::shape::Triangle::meets_in_mesh) decides the undecided
    /// pairs.
    pub fn mesh(triangles: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            neighbours: Neighbours::Crossing,
            ..Self::triangles(triangles, count)
        }
    }

    /// Creates a query for the self-intersections of a mesh, without neighbours, as in
    /// [`Query::mesh_without_neighbours`](crate::Query::mesh_without_neighbours).
    pub fn mesh_without_neighbours(triangles: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            neighbours: Neighbours::None,
            ..Self::triangles(triangles, count)
        }
    }

    /// Creates a query for the pairs of the first `count` boxes in `movers` and a scene that this
    /// checker has prepared, as in [`Query::against`](crate::Query::against): `a` is the position
    /// in the scene, `b` that among the movers, and degrees are those of the movers.
    pub fn against(scene: &'a PreparedScene, movers: &'a wgpu::Buffer, count: u32) -> Self {
        Self {
            scene: Some(scene),
            ..Self::boxes(movers, count)
        }
    }

    /// Adds rules from [`GpuChecker::upload_rules`](crate::GpuChecker::upload_rules).
    #[must_use]
    pub fn with(self, rules: &'a FrameRules) -> Self {
        Self {
            rules: Some(rules),
            ..self
        }
    }

    /// Reuses the order of the previous recorded frame, for boxes that have moved little since. It
    /// finds the same pairs.
    ///
    /// With [`BroadPhase::Lbvh`](crate::BroadPhase::Lbvh) such a frame sorts nothing: the tree
    /// stays as it is, and only its bounds are recomputed. That saves 34 dispatches, and more than
    /// half of the bytes that a frame moves before it searches for pairs. As boxes move on, nodes
    /// grow and overlap, and the search takes longer. Record a frame without refit occasionally, at
    /// the latest when boxes have changed places with their neighbours.
    ///
    /// The previous frame must have the same number of records, and, if there are worlds, the same
    /// [`FrameRules`]. The frame is an ordinary one if the previous one does not match or does not
    /// exist, if a buffer had to grow, if another check came in between, or if the broad phase is
    /// the grid, which keeps no order. [`Recorded::refitted`] is then `false`. Frames must run in
    /// the order in which they were recorded. A frame whose order is missing searches for no pairs
    /// and sets [`Outcome::stale`](crate::gpu::Outcome::stale).
    #[must_use]
    pub fn refit(self) -> Self {
        Self { refit: true, ..self }
    }

    /// Visits the pairs with the caller's function, in the kernels that find them, in place of
    /// listing them. [`Config::output`](crate::Config::output) does not apply:
    /// [`Recorded::pairs`] and [`Recorded::degrees`] are empty, and
    /// [`Outcome::pairs_needed`](crate::gpu::Outcome::pairs_needed) is the number of pairs visited
    /// that collide.
    #[must_use]
    pub fn visit(self, visitor: &'a FrameVisitor) -> Self {
        Self {
            visitor: Some(visitor),
            ..self
        }
    }

    /// Checks as many bodies as the device decides: the `u32` at offset 0 of `count`, which has the
    /// usage `STORAGE`. The number given to the query is then the maximum, for which there is room.
    ///
    /// These are the first bodies in the buffer, of whatever kind; no others are read. Dispatches
    /// are as large as the number requires, up to twice that. If it exceeds the maximum, the first
    /// ones are checked, [`Outcome::bodies_needed`](crate::gpu::Outcome::bodies_needed) has the
    /// number and [`Outcome::fits`](crate::gpu::Outcome::fits) is 0. Such a frame keeps no order:
    /// [`FrameQuery::refit`] does not apply. Between two sets, it is the number of both together.
    #[must_use]
    pub fn counted(self, count: &'a wgpu::Buffer) -> Self {
        Self {
            counted: Some(count),
            ..self
        }
    }

    /// Checks the active bodies alone: those whose `u32` in `active` is not 0. The buffer has the
    /// usage `STORAGE` and an entry for each body.
    ///
    /// Bodies that are not active collide with nothing, and keep their positions. They take as long
    /// as bodies far from all others, and must be valid: with [`FrameQuery::counted`], those after
    /// the last are not read.
    #[must_use]
    pub fn active(self, active: &'a wgpu::Buffer) -> Self {
        Self {
            active: Some(active),
            ..self
        }
    }

    /// Measures the time of the frame, with a timer of
    /// [`GpuChecker::timer`](crate::GpuChecker::timer).
    #[must_use]
    pub fn timed(self, timer: &'a FrameTimer) -> Self {
        Self {
            timer: Some(timer),
            ..self
        }
    }
}

/// The capacities of the buffers of recorded frames. See
/// [`GpuChecker::reserve`](crate::GpuChecker::reserve).
///
/// They are `u32`, like all counts on a device, so the needed sizes in
/// [`Outcome`](crate::gpu::Outcome) can be reserved directly.
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

/// The results of a recorded frame. The buffers can be bound as storage buffers and copied from.
///
/// They belong to the checker, and the next frame overwrites them. Commands that use them go
/// between the two frames, in the same encoder or in one that is submitted in between. Clones of a
/// buffer stay valid when the checker creates a larger one, but no frame recorded afterwards writes
/// to them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// One [`Outcome`](crate::gpu::Outcome); also the arguments of an indirect dispatch.
    pub outcome: wgpu::Buffer,
    /// The [`Pair`](crate::Pair)s, as two `u32` each, in any order. Empty unless the output is
    /// [`Output::Pairs`](crate::Output::Pairs).
    /// [`SortPairs`](crate::gpu::SortPairs) sorts them, and
    /// [`AdjacencyOf`](crate::gpu::AdjacencyOf) computes every box's
    /// row from them.
    pub pairs: wgpu::Buffer,
    /// The pairs that neither `f32` nor the GPU's `f64` could decide, in the same form. They touch
    /// or nearly do. Filled only with [`Precision::Exact`](crate::Precision::Exact):
    /// [`Obb::contact`](crate::Obb::contact) or
    /// [`BodyRef::contact`](crate::shape::BodyRef::contact) decides them on the host.
    pub undecided: wgpu::Buffer,
    /// The number of boxes that each box collides with, as `u32`. Valid only if the output is
    /// [`Output::Degrees`](crate::Output::Degrees). To get both degrees and pairs, use
    /// [`AdjacencyOf`](crate::gpu::AdjacencyOf).
    pub degrees: wgpu::Buffer,
    /// Set if the frame keeps the order of the previous one, as requested by [`FrameQuery::refit`].
    pub refitted: bool,
    /// The sets that the pairs refer to; `None` if pairs are not listed.
    pub(super) sets: Option<Sets>,
    /// The bodies that the pairs refer to; `None` for other records.
    pub(super) bodies: Option<PairBodies>,
    /// The records of the images that the pairs may refer to.
    pub(super) images: Option<wgpu::Buffer>,
}

/// Creates the result of a frame that was not recorded, with this [`Outcome`](crate::gpu::Outcome)
/// and these pairs between sets of these sizes. `same` is set if both sets are the same.
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
        images: None,
    }
}

/// The order of the pairs of the last frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum PairsOrder {
    /// The order in which they were found.
    #[default]
    AsFound,
    /// The order in which they were found, and contacts, closest points or overlaps have been
    /// recorded for the pairs in this buffer.
    Named(wgpu::Buffer),
    /// The pairs in this buffer are sorted.
    Sorted(wgpu::Buffer),
}

impl PairsOrder {
    /// Records that these pairs are sorted from then on. Returns `false` if they already are.
    ///
    /// # Errors
    /// If results already recorded for the pairs would then belong to other pairs.
    pub fn sort(&mut self, pairs: &wgpu::Buffer) -> Result<bool> {
        if *self == Self::Named(pairs.clone()) {
            return Err(Error::Unavailable {
                what: "the pairs in another order",
                hint: "contacts, closest points or overlaps have been recorded for them: record the sort or the adjacency before those",
            });
        }
        let sorted = Self::Sorted(pairs.clone());
        let is_new = *self != sorted;
        *self = sorted;
        Ok(is_new)
    }

    /// Records that results have been recorded for these pairs.
    pub fn name(&mut self, pairs: &wgpu::Buffer) {
        if *self != Self::Sorted(pairs.clone()) {
            *self = Self::Named(pairs.clone());
        }
    }
}

/// The sets that the pairs of a recorded frame refer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sets {
    /// Upper bounds, exclusive, of `a` and `b`.
    pub sizes: [u32; 2],
    /// Set if both refer to the same boxes.
    pub same: bool,
}

impl Sets {
    /// Returns the sets that the pairs of a frame of this many records refer to.
    pub fn of(at_rest: Option<&SceneAtRest>, count: u32) -> Self {
        let at_rest = at_rest.map(|scene| scene.counts.iter().sum::<u64>() as u32);
        Self {
            sizes: [at_rest.unwrap_or(count), count],
            same: at_rest.is_none(),
        }
    }
}

/// The bodies that pairs refer to, in segments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairBodies {
    pub segments: Vec<(wgpu::Buffer, u64, Option<NonZeroU64>)>,
    pub segment: u32,
    pub movers: bool,
    /// The number of bodies of each kind that `a` of a pair may refer to, and that `b` may refer
    /// to.
    pub counts: [[u64; KINDS]; 2],
    /// The images that `b` may refer to.
    pub images: Option<PairImages>,
}

/// The images that pairs refer to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairImages {
    /// The first unit of their records.
    pub unit: u32,
    /// The parameters of the frame on the device, which has counted them.
    pub params: wgpu::Buffer,
}

impl PairBodies {
    /// Returns the first bodies in a buffer of the caller. If the subject has bodies at rest, the
    /// caller's are the movers.
    pub fn new(context: &Context, buffer: &wgpu::Buffer, subject: &FrameSubject, images: Option<PairImages>) -> Self {
        let mut bindings = segments_of(context, &TESTED, buffer, subject.bound());
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
            images,
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

    /// Returns `true` if a pair may consist of two boxes.
    pub fn have_boxes(&self) -> bool {
        self.counts.iter().all(|[boxes, ..]| *boxes > 0)
    }

    /// Returns `true` if a pair may contain a capsule or a sphere.
    pub fn have_round(&self) -> bool {
        !self.counts.into_iter().all(are_boxes)
    }
}
