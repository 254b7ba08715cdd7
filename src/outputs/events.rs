//! Declares `shaders/outputs/events.wgsl`, which finds the changes between the sorted pairs of two
//! frames.

use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages as Usages;

use crate::base::shader::shader;
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::outcome::{OUTCOME, Outcome};
use crate::geometry::pair::Pair;
use crate::outputs::events_cpu::{Event, EventKind};

/// An event of a pair, on a device.
///
/// In WGSL, [`EventRecord::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("outputs/event_record.wgsl"), "```")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct EventRecord {
    /// The smaller position, or that of the box at rest.
    pub a: u32,
    /// The larger position, or that of the mover.
    pub b: u32,
    /// [`EventRecord::BEGIN`], [`EventRecord::PERSIST`] or [`EventRecord::END`].
    pub kind: u32,
}

impl EventRecord {
    /// The record in WGSL, to be prepended to a shader that reads events. See
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("outputs/event_record.wgsl");
    /// The `kind` of [`EventKind::Begin`].
    pub const BEGIN: u32 = 0;
    /// The `kind` of [`EventKind::Persist`].
    pub const PERSIST: u32 = 1;
    /// The `kind` of [`EventKind::End`].
    pub const END: u32 = 2;

    /// Converts the record to an [`Event`].
    pub const fn event(&self) -> Event {
        let kind = match self.kind {
            Self::BEGIN => EventKind::Begin,
            Self::PERSIST => EventKind::Persist,
            _ => EventKind::End,
        };
        let pair = Pair { a: self.a, b: self.b };
        Event { pair, kind }
    }
}

/// The number of events of each kind, on a device: four `u32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct EventCounts {
    /// Pairs that begin.
    pub begin: u32,
    /// Pairs that persist, listed or not.
    pub persist: u32,
    /// Pairs that end.
    pub end: u32,
    /// Listed events.
    pub listed: u32,
}

/// The wanted events: `struct Wanted` of `shaders/outputs/events.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Wanted {
    /// 1 if pairs that persist are listed, too.
    pub persisting: u32,
    pub unused_a: u32,
    pub unused_b: u32,
    pub unused_c: u32,
}

/// [`Wanted`].
pub(crate) static WANTED: Slot = Slot::of::<Wanted>("wanted", "wanted events");

/// The sorted pairs of this frame, and those of the last frame with its [`Outcome`].
pub(crate) static NOW: Slot = Slot::of::<Pair>("now", "sorted pairs");
pub(crate) static BEFORE: Slot = Slot::of::<Pair>("before", "sorted pairs of the last frame");
pub(crate) static OUTCOME_BEFORE: Slot = Slot::of::<Outcome>("outcome_before", "outcome of the last frame");

const RESULT: Usages = Usages::STORAGE.union(Usages::COPY_DST).union(Usages::COPY_SRC);

/// At most as many as both frames have pairs together.
pub(crate) static EVENTS: Slot = Slot::of::<EventRecord>("events", "events").used(RESULT);
pub(crate) static EVENT_COUNTS: Slot = Slot::of::<EventCounts>("counts", "counts of events").used(RESULT);

/// The position of each pair in the last frame, or [`NEW`](crate::tracking::NEW).
pub(crate) static PREVIOUS_PAIRS: Slot =
    Slot::of::<u32>("previous_pairs", "places of pairs in the last frame").used(RESULT);

/// The work of the kernel.
pub(crate) struct EventWork {
    pub most_pairs: u64,
}

pub(crate) static FIND_EVENTS: Kernel<EventWork> = Kernel {
    code: Code {
        entry: "find_events",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "outputs/event_record.wgsl",
            "outputs/events.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &WANTED),
                At::new(1, &OUTCOME),
                At::new(2, &OUTCOME_BEFORE),
                At::new(3, &NOW),
                At::new(4, &BEFORE),
                At::new(5, &EVENTS),
                At::new(6, &EVENT_COUNTS),
                At::new(7, &PREVIOUS_PAIRS),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Looping(|work| work.most_pairs),
};
