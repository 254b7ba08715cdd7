//! Declares `shaders/outputs/adjacency.wgsl`, which finds every box's partners in sorted pairs.

use bytemuck::{Pod, Zeroable};

use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::outcome::OUTCOME;
use crate::geometry::pair::Pair;
use crate::outputs::adjacency_cpu::Direction;

/// The rows of an adjacency: `struct Rows` of `shaders/outputs/adjacency.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Rows {
    pub count: u32,
    /// 1 if pairs are in the rows of their `a`.
    pub of_a: u32,
    /// 1 if pairs are in the rows of their `b`.
    pub of_b: u32,
    pub unused: u32,
}

impl Rows {
    pub fn new(count: u32, direction: Direction) -> Self {
        let [of_a, of_b] = direction.rows_of().map(u32::from);
        Self {
            count,
            of_a,
            of_b,
            unused: 0,
        }
    }
}

/// [`Rows`].
pub(crate) static ROWS: Slot = Slot::of::<Rows>("rows", "rows");

/// The pairs sorted by (a, b), and those sorted by (b, a) if pairs are in the rows of their `b`.
pub(crate) static BY_A: Slot = Slot::of::<Pair>("by_a", "sorted pairs");
pub(crate) static BY_B: Slot = Slot::of::<Pair>("by_b", "turned sorted pairs");

/// The start of each row, and the end of the last.
pub(crate) static OFFSETS: Slot = Slot::of::<u32>("offsets", "offsets");
pub(crate) static OFFSETS_OF_A: Slot = Slot::of::<u32>("offsets_of_a", "offsets of the smaller boxes");

/// The partners of all boxes: as many as there are pairs, or twice as many.
pub(crate) static NEIGHBOURS: Slot = Slot::of::<u32>("neighbours", "neighbours");

/// The position of each partner's pair among those sorted by (a, b). As long as [`NEIGHBOURS`].
pub(crate) static NUMBERS: Slot = Slot::of::<u32>("numbers", "numbers of the neighbours' pairs");

/// The work of the adjacency kernels.
pub(crate) struct AdjacencyWork {
    pub rows: Rows,
    pub most_pairs: u64,
}

const SOURCE: Source = Source::of(files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/outcome.wgsl",
    "outputs/adjacency.wgsl"
]);

const SLOTS: &[At] = &[
    At::new(0, &ROWS),
    At::new(1, &OUTCOME),
    At::new(2, &BY_A),
    At::new(3, &BY_B),
    At::new(4, &OFFSETS),
    At::new(5, &OFFSETS_OF_A),
];

pub(crate) static FIND_ROWS: Kernel<AdjacencyWork> = Kernel {
    code: Code {
        entry: "find_rows",
        workgroup: 256,
        source: SOURCE,
        slots: [SLOTS, &[]],
        overrides: &[],
    },
    size: Size::Each(|work| u64::from(work.rows.count) + 1),
};

pub(crate) static PLACE_NEIGHBOURS: Kernel<AdjacencyWork> = Kernel {
    code: Code {
        entry: "place_neighbours",
        workgroup: 256,
        source: SOURCE,
        slots: [SLOTS, &[At::new(6, &NEIGHBOURS), At::new(7, &NUMBERS)]],
        overrides: &[],
    },
    size: Size::Looping(|work| work.most_pairs),
};
