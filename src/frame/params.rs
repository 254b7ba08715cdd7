//! The parameters of a frame.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::base::config::{Output, Precision};
use crate::geometry::bounds::half_margin;

/// Number of candidate pairs per box that most scenes do not exceed.
pub(crate) const CANDIDATES_PER_BOX: u64 = 8;

/// The parameters of a frame: `struct Params` of `shaders/shared/common.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Params {
    /// Boxes, or bodies of any kind, in the scene.
    pub box_count: u32,
    /// The first record whose pairs are searched for.
    pub range_first: u32,
    /// Records whose pairs are searched for.
    pub range_count: u32,
    /// Candidate pairs that can be written.
    pub candidate_capacity: u32,
    /// A range with more candidate pairs is not tested. The host enlarges the lists or divides the
    /// range, and submits it again.
    pub most_candidates: u32,
    /// 1 if the pairs that fit are tested even if not all fit. This is for recorded frames, which
    /// are not repeated.
    pub partial: u32,
    /// Colliding pairs that can be written.
    pub pair_capacity: u32,
    /// Undecided pairs that can be written.
    pub undecided_capacity: u32,
    /// The requested output: [`Params::PAIRS`], [`Params::DEGREES`] or [`Params::COUNT`].
    pub output: u32,
    /// The treatment of undecided pairs: [`Precision`] as a number.
    pub exactness: u32,
    /// 1 if the range has been tested in `f32` before, so that its pairs are already counted in the
    /// degrees; else 0.
    pub again: u32,
    /// Boxes that the probe samples.
    pub probe_samples: u32,
    /// Slots of the probe's table for each size group.
    pub probe_slots: u32,
    /// 1 if undecided pairs are tested in `f64`.
    pub has_f64: u32,
    /// 1 if a pair consists of a box at rest and a mover, and the movers are the boxes with
    /// degrees. The narrow phase then has the movers in the second segment of its boxes, and the
    /// boxes at rest in the first. Else 0.
    pub movers: u32,
    /// Boxes in a full segment, if they are [`Obb`](crate::Obb)s.
    pub box_segment: u32,
    /// Bounds, or records, in a full segment.
    pub bounds_segment: u32,
    /// Flags for boxes of several worlds, [`Params::WORLDS`], or of layers,
    /// [`Params::LAYERS`]; 0 if of neither.
    pub worlds: u32,
    /// Pairs no further apart than this are searched for.
    pub margin: f32,
    /// The amount by which bounds are widened for the margin.
    pub half_margin: f32,
    /// 1 if boxes have their own margins. Each candidate pair then comes with its margin.
    pub own_margins: u32,
    /// The first record that is searched for partners.
    pub partners_first: u32,
    /// The end, exclusive, of these records.
    pub partners_end: u32,
    /// The maximum work of this range, in comparisons of bounds by the plan; 0 for no limit. Pairs
    /// are searched for only for as many records of the range as fit it. See
    /// [`Counters::walked`](crate::frame::counters::Counters).
    pub most_work: f32,
    /// 0, a value unknown to shader compilers: `fenced` in `shaders/shared/common.wgsl`.
    pub zero: u32,
    /// The end of the boxes among the bodies that a pair's `b` may refer to, and the end of the
    /// capsules, which follow. Then come the spheres.
    pub box_end: u32,
    pub capsule_end: u32,
    /// Likewise, the ends of the boxes and of the capsules among the bodies that a pair's `a` may
    /// refer to.
    pub box_end_of_a: u32,
    pub capsule_end_of_a: u32,
    /// The number of words of the list of candidate pairs before those of its queues. See
    /// [`Counters::queue_ends`](crate::frame::counters::Counters).
    pub queues_first: u32,
    /// The number of the order, or the plan, that the broad phase makes or keeps; 0 if it will not
    /// be kept.
    pub order: u32,
    /// 1 if an order is kept, or a plan may be kept.
    pub refit: u32,
    /// 1 if the caller's function is called for undecided pairs, which are then not listed.
    pub visits_undecided: u32,
    /// The number of bodies of the frame; more than `box_count` if the device has decided on more
    /// than there may be.
    pub bodies_needed: u32,
    /// The distance between an image and its place at most; 0 if there are no images.
    pub image_error: f32,
    /// The first unit of the images in the list of bodies, the position of the first image, and the
    /// end of the boxes and of the capsules among the images.
    pub images_unit: u32,
    pub images_first: u32,
    pub image_box_end: u32,
    pub image_capsule_end: u32,
}

impl Params {
    /// Number of 16-byte units in the record of a box or a capsule. A sphere is one unit.
    pub const UNITS: u64 = 3;
    pub const WORLDS: u32 = 1;
    pub const LAYERS: u32 = 2;
    pub const PAIRS: u32 = 0;
    pub const DEGREES: u32 = 1;
    pub const COUNT: u32 = 2;
    /// [`Precision::Exact`] as a number.
    pub const EXACT: u32 = 0;

    /// Returns `true` if bounds and records are in more than one segment.
    pub fn is_split(&self) -> bool {
        self.box_count > self.bounds_segment
    }

    /// Returns `true` if distances decide, and not the separating-axis test.
    pub fn has_margin(&self) -> bool {
        self.margin > 0.0 || self.own_margins > 0
    }

    /// Returns the number of items for a kernel over pairs whose number is known only to the
    /// device: the usual maximum, or the capacity if that is smaller. Kernels loop if there are
    /// more.
    pub fn mostly(&self, room: u32, for_each_box: u64) -> u64 {
        match self.movers {
            0 => u64::from(room).min(for_each_box * u64::from(self.box_count)),
            // A few movers may have any number of pairs.
            _ => u64::from(room),
        }
    }

    /// Returns the parameters for the first `count` of these bodies, which are decided by the
    /// device: `of_first` of `shaders/engine/count_bodies.wgsl`.
    ///
    /// If some of them may be images, this is for the sizes of dispatches: `count` is the number of
    /// bodies and images, and as many may be bodies, or images, as there are of them.
    pub fn of_first(&self, count: u32) -> Self {
        let [box_end, capsule_end] = [self.box_end, self.capsule_end].map(|end| end.min(count));
        let of_a = match self.movers {
            0 => [box_end, capsule_end],
            _ => [self.box_end_of_a, self.capsule_end_of_a],
        };
        Self {
            box_count: count,
            range_count: count,
            probe_samples: self.probe_samples.min(count),
            box_end,
            capsule_end,
            box_end_of_a: of_a[0],
            capsule_end_of_a: of_a[1],
            images_first: self.images_first.min(count),
            image_box_end: self.image_box_end.min(count),
            image_capsule_end: self.image_capsule_end.min(count),
            ..*self
        }
    }

    /// Returns the parameters for bodies of which the last `most` are images, no further than
    /// `error` from their places. Their records begin with this unit.
    pub fn with_images(self, most: u32, unit: u32, error: f32) -> Self {
        let of_kinds = |end: u32| if end > 0 { most } else { 0 };
        Self {
            image_error: error,
            images_unit: unit,
            images_first: self.box_count - most,
            image_box_end: of_kinds(self.box_end),
            image_capsule_end: of_kinds(self.capsule_end),
            half_margin: half_margin(self.margin + 2.0 * error),
            ..self
        }
    }

    /// Returns the range of the boxes in a list of bodies, from those of bodies to those of images.
    pub fn boxes(&self) -> Range<u64> {
        let end = u64::from(self.box_end);
        let images = u64::from(self.images_unit) / Self::UNITS + u64::from(self.image_box_end);
        0..self.end_with_images(0..end, images)
    }

    /// Returns the range of the capsules in the same way, in the same units.
    pub fn capsules(&self) -> Range<u64> {
        let own = u64::from(self.box_end)..u64::from(self.capsule_end);
        let images = u64::from(self.images_unit) / Self::UNITS + u64::from(self.image_capsule_end);
        own.start..self.end_with_images(own, images)
    }

    /// Returns the range of the spheres in the same way, in spheres.
    pub fn spheres(&self) -> Range<u64> {
        let bodies = if self.has_images() {
            self.images_first
        } else {
            self.box_count
        };
        let first = Self::UNITS * u64::from(self.capsule_end);
        let own = first..first + u64::from(bodies - self.capsule_end);
        let images = u64::from(self.images_unit) + 2 * u64::from(self.image_capsule_end) + u64::from(self.box_count);
        first..self.end_with_images(own, images)
    }

    /// Returns the end of the records of a kind, given the range of those of bodies, and the end of
    /// those of images if there are any of that kind.
    fn end_with_images(&self, own: Range<u64>, images: u64) -> u64 {
        match self.has_images() && !own.is_empty() {
            true => own.end.max(images),
            false => own.end,
        }
    }

    /// Returns `true` if some of the bodies are images.
    pub fn has_images(&self) -> bool {
        self.image_error > 0.0
    }

    /// Returns the number of an output in the shaders.
    pub const fn output_of(output: Output) -> u32 {
        match output {
            Output::Pairs => Self::PAIRS,
            Output::Degrees => Self::DEGREES,
            Output::Count => Self::COUNT,
        }
    }

    /// Returns the number of a precision in the shaders.
    pub const fn exactness_of(precision: Precision) -> u32 {
        match precision {
            Precision::Exact => Self::EXACT,
            Precision::Fast => 1,
            Precision::Conservative => 2,
        }
    }
}
