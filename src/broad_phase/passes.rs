//! Broad phases on a GPU: the declarations that the pipeline runs. There is one folder for each
//! broad phase; this file lists them.

use crate::base::config;
use crate::base::stage::Stage;
use crate::broad_phase::grid::grid_plan::PLAN;
use crate::broad_phase::grid::layout::{Plan, probe_size};
use crate::broad_phase::grid::{grid_build, grid_pairs, grid_plan, grid_probe, grid_query};
use crate::broad_phase::lbvh::lbvh_keys::{ORDER, SORTED_KEYS};
use crate::broad_phase::lbvh::lbvh_sort::{BY_SUBGROUPS, BY_WORKGROUPS, DIGIT, SORTED, UNSORTED, digit};
use crate::broad_phase::lbvh::{lbvh_bounds, lbvh_keys, lbvh_pairs, lbvh_query, lbvh_refit, lbvh_sort, lbvh_tree};
use crate::device::buffers::{Owned, Slot};
use crate::device::context::Context;
use crate::device::kernel::Kernel;
use crate::device::limits::{DeviceLimits, MOST_ROUNDS};
use crate::frame::counters::Counters;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::geometry::bounds::Bounds;

/// A broad phase, from bounds to candidate pairs.
pub(crate) struct BroadPhase {
    /// The buffers it owns.
    pub buffers: &'static [&'static [Owned<Room>]],
    /// The buffers among these that are cleared at the start of a frame, unless their contents may
    /// be kept.
    pub cleared: &'static [&'static Slot],
    /// The data of the previous frame that a recorded frame can keep.
    pub keeps: Keeps,
    /// The passes that sort the bounds, and any others before the search for pairs.
    pub sort: &'static [Pass],
    /// The kernel that finds the candidate pairs of a range of records.
    pub pairs: &'static Kernel<Params>,
    /// The kernel that finds the candidate pairs of movers and sorted records at rest.
    pub against: &'static Kernel<Params>,
    /// The buffers that a scene at rest keeps.
    pub at_rest: &'static [AtRest],
    /// The plan of the grid, if it has one.
    pub plan: Option<&'static Slot>,
    /// The average work of a record's walk, in comparisons, given the counters of the first
    /// submission.
    pub work_of_each: fn(&Counters, &Plan, u64) -> f64,
    /// The number of bytes that its stages must move before any pair is found.
    pub bytes: fn(&Params, &Plan) -> Vec<(Stage, u64)>,
    /// The maximum number of boxes at once.
    pub most_boxes: fn(&DeviceLimits) -> u64,
}

/// The data of the previous frame that a recorded frame can keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// The order of the records, if the caller requests it.
    Order,
    /// The plan, as long as the boxes fit it.
    Plan,
}

/// Steps of a stage, one after the other.
pub(crate) struct Pass {
    pub stage: Stage,
    pub steps: &'static [Step],
}

/// Kernels that run one after the other.
pub(crate) struct Step {
    /// The kernels on adapters with subgroup operations.
    pub kernels: &'static [&'static Kernel<Params>],
    /// The kernels on all others.
    pub portable: &'static [&'static Kernel<Params>],
    /// The bindings of some slots in this step.
    pub bound: &'static [(&'static Slot, What)],
    /// Returns `true` if the step has work to do.
    pub when: fn(&Params) -> bool,
}

/// The binding of a slot in one step.
#[derive(Clone, Copy)]
pub(crate) enum What {
    /// The buffer of another slot.
    Buffer(&'static Slot),
    /// A uniform with these numbers.
    Numbers([u32; 4]),
}

/// A buffer that a scene at rest copies.
pub(crate) struct AtRest {
    /// The slot where it is sorted.
    pub from: &'static Slot,
    /// The slot where movers find the copy.
    pub at: &'static Slot,
    /// Returns the number of its records for this many boxes.
    pub records: fn(u64) -> u64,
}

impl Step {
    /// Returns the kernels on an adapter.
    pub fn on(&self, context: &Context) -> &'static [&'static Kernel<Params>] {
        match context.sorts_by_subgroups {
            true => self.kernels,
            false => self.portable,
        }
    }

    const fn of(kernels: &'static [&'static Kernel<Params>]) -> Self {
        Self {
            kernels,
            portable: kernels,
            bound: &[],
            when: |_| true,
        }
    }
}

/// All broad phases.
#[cfg(test)]
pub(crate) static ALL: [&BroadPhase; 2] = [&GRID, &LBVH];

/// Returns the configured broad phase: the grid unless another is requested.
pub(crate) fn chosen(broad_phase: config::BroadPhase) -> &'static BroadPhase {
    match broad_phase {
        config::BroadPhase::Lbvh => &LBVH,
        _ => &GRID,
    }
}

const BOUNDS: u64 = size_of::<Bounds>() as u64;

/// The hierarchical uniform grid.
pub(crate) static GRID: BroadPhase = BroadPhase {
    buffers: &[grid_plan::BUFFERS, grid_probe::BUFFERS, grid_build::BUFFERS],
    cleared: &[&grid_probe::PROBE_TABLE],
    keeps: Keeps::Plan,
    sort: &[
        Pass {
            stage: Stage::Plan,
            steps: &[
                Step {
                    when: |params| params.worlds & Params::LAYERS > 0,
                    ..Step::of(&[&grid_plan::GATHER_LAYERS])
                },
                Step::of(&[&grid_plan::GROUP_SIZES]),
                Step {
                    when: |params| params.refit > 0,
                    ..Step::of(&[&grid_build::DISCARD_COUNTS])
                },
                Step::of(&[&grid_probe::GRID_PROBE, &grid_plan::CHOOSE_LEVELS]),
            ],
        },
        Pass {
            stage: Stage::Sort,
            steps: &[Step::of(&[
                &grid_build::COUNT_SLOTS,
                &grid_build::ALLOCATE_RUNS,
                &grid_build::PLACE_RECORDS,
            ])],
        },
    ],
    pairs: &grid_pairs::GRID_PAIRS,
    against: &grid_query::GRID_QUERY,
    at_rest: &[
        AtRest {
            from: &PLAN,
            at: &grid_query::PLAN_AT_REST,
            records: |_| 1,
        },
        AtRest {
            from: &grid_build::RECORDS,
            at: &grid_query::RECORDS_AT_REST,
            records: |boxes| boxes,
        },
        AtRest {
            from: &grid_build::SLOT_STARTS,
            at: &grid_query::STARTS_AT_REST,
            records: grid_build::slot_starts,
        },
    ],
    plan: Some(&PLAN),
    work_of_each: |_, plan, boxes| {
        let work: f64 = plan.levels().iter().map(|level| f64::from(level.cost)).sum();
        (work / boxes.max(1) as f64).max(1.0)
    },
    bytes: |params, plan| {
        /// Size of a count or a start of a slot.
        const SLOT: u64 = 4;
        /// Size of a tag and a rank.
        const COUNTED: u64 = 8;
        let (n, slots) = (u64::from(params.box_count), u64::from(plan.slots));
        let (samples, _) = probe_size(n as usize, u64::MAX);
        // If the plan is kept, bounds are counted as they are computed.
        let (probe, count) = match params.refit {
            0 => (u64::from(samples) * BOUNDS, n * (BOUNDS + COUNTED)),
            _ => (0, 0),
        };
        // Layers are looked at before the plan is made, and boxes are counted once they are known.
        let (probe, count) = match params.worlds & Params::LAYERS {
            0 => (probe, count),
            _ => (probe + n * BOUNDS, n * (BOUNDS + COUNTED)),
        };
        let count = count + 2 * slots * SLOT;
        let allocate = 3 * slots * SLOT;
        let place = n * 2 * BOUNDS + slots * SLOT;
        vec![
            (Stage::Plan, probe),
            (Stage::Sort, count + allocate + place),
            // The walk reads each start of a run once, in some range.
            (Stage::Pairs, slots * SLOT),
        ]
    },
    most_boxes: grid_build::most_boxes,
};

/// A pass of the sort by one digit, with the given buffers as [`UNSORTED`] and [`SORTED`].
macro_rules! by_digit {
    ($number:literal, $from:ident, $to:ident, $when:expr) => {
        Step {
            kernels: BY_SUBGROUPS,
            portable: BY_WORKGROUPS,
            bound: &[
                (&DIGIT, What::Numbers(digit($number))),
                (&UNSORTED, What::Buffer(&$from)),
                (&SORTED, What::Buffer(&$to)),
            ],
            when: $when,
        }
    };
}

/// A step that computes the blocks of one level, unless there are too few records for any.
macro_rules! blocks {
    ($level:literal) => {
        Step {
            bound: &[(&lbvh_bounds::LEVEL, What::Numbers([$level, 0, 0, 0]))],
            when: |params| params.box_count >> (3 * $level) > 0,
            ..Step::of(&[&lbvh_bounds::UNITE_BLOCKS])
        }
    };
}

const SORTS: fn(&Params) -> bool = |params| params.refit == 0;
const SORTS_WORLDS: fn(&Params) -> bool = |params| params.refit == 0 && params.worlds > 0;

/// The tree along a Morton curve.
pub(crate) static LBVH: BroadPhase = BroadPhase {
    buffers: &[
        lbvh_keys::BUFFERS,
        lbvh_sort::BUFFERS,
        lbvh_tree::BUFFERS,
        lbvh_bounds::BUFFERS,
    ],
    cleared: &[&lbvh_keys::COUNT],
    keeps: Keeps::Order,
    sort: &[
        Pass {
            stage: Stage::Sort,
            steps: &[
                Step {
                    when: |params| params.refit > 0,
                    ..Step::of(&[&lbvh_refit::LBVH_REFIT])
                },
                Step {
                    when: SORTS,
                    ..Step::of(&[&lbvh_keys::MAKE_KEYS])
                },
                by_digit!(0, ORDER, SORTED_KEYS, SORTS),
                by_digit!(1, SORTED_KEYS, ORDER, SORTS),
                by_digit!(2, ORDER, SORTED_KEYS, SORTS),
                by_digit!(3, SORTED_KEYS, ORDER, SORTS),
                Step {
                    when: SORTS,
                    ..Step::of(&[&lbvh_keys::TAKE_HIGH_HALVES])
                },
                by_digit!(0, ORDER, SORTED_KEYS, SORTS),
                by_digit!(1, SORTED_KEYS, ORDER, SORTS),
                by_digit!(2, ORDER, SORTED_KEYS, SORTS),
                by_digit!(3, SORTED_KEYS, ORDER, SORTS),
                Step {
                    when: SORTS_WORLDS,
                    ..Step::of(&[&lbvh_keys::TAKE_WORLDS])
                },
                by_digit!(0, ORDER, SORTED_KEYS, SORTS_WORLDS),
                by_digit!(1, SORTED_KEYS, ORDER, SORTS_WORLDS),
                by_digit!(2, ORDER, SORTED_KEYS, SORTS_WORLDS),
                by_digit!(3, SORTED_KEYS, ORDER, SORTS_WORLDS),
                Step {
                    when: SORTS,
                    ..Step::of(&[&lbvh_keys::GATHER_KEYS])
                },
                Step::of(&[
                    &lbvh_tree::PLACE_LEAVES,
                    &lbvh_tree::LINK_NODES,
                    &lbvh_bounds::UNITE_RECORDS,
                ]),
                blocks!(2),
                blocks!(3),
                blocks!(4),
                blocks!(5),
                blocks!(6),
                blocks!(7),
                blocks!(8),
                blocks!(9),
                blocks!(10),
                Step::of(&[&lbvh_bounds::BOUND_NODES]),
            ],
        },
        Pass {
            stage: Stage::Plan,
            steps: &[Step::of(&[&lbvh_pairs::LBVH_PROBE])],
        },
    ],
    pairs: &lbvh_pairs::LBVH_PAIRS,
    against: &lbvh_query::LBVH_QUERY,
    at_rest: &[
        AtRest {
            from: &lbvh_keys::COUNT,
            at: &lbvh_query::COUNT_AT_REST,
            records: |_| 1,
        },
        AtRest {
            from: &lbvh_tree::RECORDS,
            at: &lbvh_query::RECORDS_AT_REST,
            records: |boxes| boxes,
        },
        AtRest {
            from: &lbvh_tree::NODES,
            at: &lbvh_query::NODES_AT_REST,
            records: |boxes| boxes,
        },
    ],
    plan: None,
    work_of_each: |counters, _, boxes| {
        let samples = boxes.clamp(1, u64::from(lbvh_pairs::SAMPLES));
        (f64::from(counters.placed) / samples as f64).max(1.0)
    },
    bytes: |params, _| {
        /// Size of a key, or of a word and its box.
        const ENTRY: u64 = 8;
        const BLOCK: u64 = lbvh_bounds::BLOCK;
        let (n, worlds) = (u64::from(params.box_count), u64::from(params.worlds.min(1)));
        // A digit is counted and placed; the words of the next half, or the worlds, take the place
        // of the last ones.
        let passes = (2 + worlds) * 4 * 3 * ENTRY + (1 + worlds) * 2 * ENTRY;
        let keys = BOUNDS + 2 * ENTRY + passes + 3 * ENTRY;
        let leaves = ENTRY + ENTRY + 2 * BOUNDS;
        let nodes = ENTRY + 3 * BOUNDS + BOUNDS;
        let blocks = n * BOUNDS + 2 * (n / (BLOCK - 1)) * BOUNDS;
        vec![
            (Stage::Sort, n * (keys + leaves + nodes) + blocks),
            // Each node is read once.
            (Stage::Pairs, n * BOUNDS),
        ]
    },
    most_boxes: |limits| {
        /// Maximum number of rounds of the loops that link or bound a node.
        const ROUNDS: u64 = 160;
        let by_loops = u64::from(limits.looping_workgroups) * 256 * (MOST_ROUNDS / ROUNDS);
        lbvh_sort::most_keys(limits).min(by_loops)
    },
};
