//! Declares `shaders/outputs/image_pairs.wgsl`, which names the bodies of sorted pairs of bodies
//! and images.

use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::outcome::OUTCOME;
use crate::geometry::pair::Pair;
use crate::outputs::events::PREVIOUS_PAIRS;

/// The sorted pairs of bodies and images.
pub(crate) static IMAGE_PAIRS: Slot = Slot::of::<Pair>("pairs", "pairs of bodies and images");

/// The images, as [`ImageRecord`](crate::gpu::ImageRecord)s.
pub(crate) static IMAGES_OF_PAIRS: Slot = Slot::of::<[u32; 4]>("images", "images in pairs");

/// The positions of both bodies of each pair, the smaller one first.
pub(crate) static OF_BODIES: Slot = Slot::of::<Pair>("of_bodies", "bodies of pairs");

/// [`RecordedEvents::TURNED`](crate::gpu::RecordedEvents::TURNED) for each pair whose first body is
/// the one with the greater position, or 0; and the same for the last frame.
pub(crate) static TURNED_PAIRS: Slot = Slot::of::<u32>("turned", "turned pairs");
pub(crate) static TURNED_BEFORE: Slot = Slot::of::<u32>("turned_before", "turned pairs of the last frame");

/// The work of the kernels.
pub(crate) struct ImagePairWork {
    pub most_pairs: u64,
}

const fn kernel(entry: &'static str, slots: &'static [At]) -> Kernel<ImagePairWork> {
    Kernel {
        code: Code {
            entry,
            workgroup: 256,
            source: Source::of(files![
                "shared/pair.wgsl",
                "shared/common.wgsl",
                "shared/outcome.wgsl",
                "engine/image_record.wgsl",
                "outputs/image_pairs.wgsl"
            ]),
            slots: [slots, &[]],
            overrides: &[],
        },
        size: Size::Looping(|work| work.most_pairs),
    }
}

pub(crate) static NAME_BODIES: Kernel<ImagePairWork> = kernel(
    "name_bodies",
    &[
        At::new(0, &OUTCOME),
        At::new(1, &IMAGE_PAIRS),
        At::new(2, &IMAGES_OF_PAIRS),
        At::new(3, &OF_BODIES),
        At::new(4, &TURNED_PAIRS),
    ],
);

pub(crate) static MARK_TURNED: Kernel<ImagePairWork> = kernel(
    "mark_turned",
    &[
        At::new(0, &OUTCOME),
        At::new(4, &TURNED_PAIRS),
        At::new(5, &TURNED_BEFORE),
        At::new(6, &PREVIOUS_PAIRS),
    ],
);
