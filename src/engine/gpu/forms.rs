//! Result forms that stay on the GPU: made of the pairs that a recorded frame leaves.

use crate::base::error::{Error, Result};
use crate::device::buffers::{Arena, Resources, Slot, Uniforms};
use crate::device::context::Context;
use crate::device::kernel::{Kernels, Run};
use crate::engine::gpu::recorded::{Recorded, RecordedAdjacency, Sets};
use crate::frame::outcome::OUTCOME;
use crate::geometry::pair::Pair;
use crate::outputs::adjacency::{
    AdjacencyWork, BY_A, BY_B, FIND_ROWS, NEIGHBOURS, OFFSETS, OFFSETS_OF_A, PLACE_NEIGHBOURS, ROWS, Rows,
};
use crate::outputs::sort_pairs::{
    self, COUNT_DIGITS, DIGIT, Digit, PLACE_BY_SUBGROUPS, PLACE_BY_WORKGROUPS, SCAN_BLOCKS, SCAN_TOTALS, SORTED,
    SortWork, UNSORTED, most_pairs,
};

/// Pairs that the buffer of a frame can hold.
fn capacity(recorded: &Recorded) -> u64 {
    recorded.pairs.size() / size_of::<Pair>() as u64
}

/// The kernels and the memory of both forms.
pub(super) struct Forms {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
}

/// As long as the pairs, which go to and fro between the two.
static SCRATCH: Slot = Slot::of::<Pair>("pairs", "pairs being sorted");

impl Forms {
    pub fn new(context: &Context) -> Result<Self> {
        let own = [&SCRATCH, &OFFSETS, &OFFSETS_OF_A, &NEIGHBOURS];
        let of_sort = sort_pairs::BUFFERS.iter().map(|owned| owned.slot);
        let mut arena = Arena::new(context, own.into_iter().chain(of_sort))?;
        arena.reserve_all(context, sort_pairs::BUFFERS, &())?;
        Ok(Self {
            kernels: Kernels::default(),
            arena,
            uniforms: Uniforms::default(),
        })
    }

    /// Where an adjacency of so many rows is.
    pub fn adjacency(&self, rows: u32) -> Result<RecordedAdjacency> {
        Ok(RecordedAdjacency {
            offsets: self.arena.buffer(&OFFSETS)?.clone(),
            neighbours: self.arena.buffer(&NEIGHBOURS)?.clone(),
            rows,
        })
    }

    /// Bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes()
    }

    /// Makes room for the forms of a frame.
    pub fn reserve(&mut self, context: &Context, recorded: &Recorded, rows: Option<Rows>) -> Result<()> {
        let (needed, available) = (capacity(recorded), most_pairs(context.max_workgroups));
        if needed > available {
            return Err(Error::LimitExceeded {
                what: "a sort of the reserved pairs".to_owned(),
                needed,
                available,
                hint: "raise `GpuConfig::max_workgroups_per_dimension`, or reserve fewer pairs",
            });
        }
        let mut new = self.arena.reserve(context, &SCRATCH, needed)?;
        if let Some(rows) = rows {
            let ends = u64::from(rows.count) + 1;
            new |= self.arena.reserve(context, &OFFSETS, ends)?;
            new |= self.arena.reserve(context, &OFFSETS_OF_A, ends)?;
            // Two neighbours a pair are as long as a pair: until they come, there is room for pairs.
            new |= self.arena.reserve(context, &NEIGHBOURS, 2 * needed)?;
        }
        if new {
            self.kernels.forget_bindings();
        }
        Ok(())
    }

    pub fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        sets: Sets,
        rows: Option<Rows>,
    ) -> Result<()> {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("obbligato result forms"),
            timestamp_writes: None,
        });
        let most_pairs = capacity(recorded);
        let (scratch, spare) = (
            self.arena.buffer(&SCRATCH)?.clone(),
            self.arena.buffer(&NEIGHBOURS)?.clone(),
        );
        for (k, digit) in Digit::of_pairs(sets.sizes).into_iter().enumerate() {
            let way = match k % 2 {
                0 => [&recorded.pairs, &scratch],
                _ => [&scratch, &recorded.pairs],
            };
            self.sort(
                context,
                &mut pass,
                &recorded.outcome,
                SortWork { digit, most_pairs },
                way,
            )?;
        }
        let Some(rows) = rows else {
            return Ok(());
        };
        let turned = rows.of_b > 0;
        if turned {
            // They stay where they are, too. Neighbours come last, so until then there is room for pairs.
            let digits = Digit::of_b(sets.sizes[1]);
            let mut from = &recorded.pairs;
            for (left, digit) in (0..digits.len()).rev().zip(digits) {
                let to = if left % 2 == 0 { &scratch } else { &spare };
                let work = SortWork { digit, most_pairs };
                self.sort(context, &mut pass, &recorded.outcome, work, [from, to])?;
                from = to;
            }
        }
        let rows_buffer = self.uniforms.with(context, ROWS.label, &rows)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&ROWS, &rows_buffer)
            .with_buffer(&OUTCOME, &recorded.outcome)
            .with_buffer(&BY_A, &recorded.pairs)
            .with_buffer(&BY_B, if turned { &scratch } else { &recorded.pairs });
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &AdjacencyWork { rows, most_pairs },
        };
        self.kernels.run(&mut pass, &FIND_ROWS, &run)?;
        self.kernels.run(&mut pass, &PLACE_NEIGHBOURS, &run)
    }

    /// Records a pass of the sort, from one buffer to another.
    fn sort(
        &mut self,
        context: &Context,
        pass: &mut wgpu::ComputePass,
        outcome: &wgpu::Buffer,
        work: SortWork,
        [from, to]: [&wgpu::Buffer; 2],
    ) -> Result<()> {
        let digit = self.uniforms.with(context, DIGIT.label, &work.digit)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&DIGIT, &digit)
            .with_buffer(&OUTCOME, outcome)
            .with_buffer(&UNSORTED, from)
            .with_buffer(&SORTED, to);
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &work,
        };
        let place = match context.subgroups {
            true => &PLACE_BY_SUBGROUPS,
            false => &PLACE_BY_WORKGROUPS,
        };
        for kernel in [&COUNT_DIGITS, &SCAN_BLOCKS, &SCAN_TOTALS, place] {
            self.kernels.run(pass, kernel, &run)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::{Config, GpuConfig};
    use crate::device::buffers::Staging;
    use crate::engine::gpu::engine::GpuEngine;
    use crate::engine::gpu::tests::checker;
    use crate::frame::outcome::Outcome;
    use crate::outputs::adjacency_cpu::Adjacency;
    use crate::outputs::adjacency_cpu::Direction;

    /// A frame that has left these pairs.
    fn recorded(context: &Context, pairs: &[Pair], sets: Sets) -> Recorded {
        let outcome = Outcome {
            pairs: pairs.len() as u32,
            ..Outcome::default()
        };
        // A buffer has some room more than there are pairs, with pairs in it that do not count.
        let mut stored = pairs.to_vec();
        stored.extend([Pair { a: 0, b: 0 }; 5]);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let buffer = |contents: &[u8]| {
            let made = context.buffer_with("left by a frame", contents, usage);
            made.expect("a buffer")
        };
        Recorded {
            outcome: buffer(bytemuck::bytes_of(&outcome)),
            pairs: buffer(bytemuck::cast_slice(&stored)),
            undecided: buffer(&[0; 16]),
            degrees: buffer(&[0; 16]),
            sets: Some(sets),
            boxes: None,
        }
    }

    /// Runs what has been recorded, and reads the beginning of a buffer.
    fn read<T: bytemuck::Pod>(
        context: &Context,
        encoder: wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
        count: usize,
    ) -> Vec<T> {
        let mut staging = Staging::new(context).expect("memory");
        pollster::block_on(staging.read(context, encoder, buffer, count)).expect("a working device")
    }

    fn encoder(context: &Context) -> wgpu::CommandEncoder {
        context.device.create_command_encoder(&Default::default())
    }

    /// So many pairs, in any order, some twice.
    fn random_pairs(count: usize, [a, b]: [u32; 2], same: bool) -> Vec<Pair> {
        let mut state = count as u64 + 1;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (((state >> 32) * u64::from(below)) >> 32) as u32
        };
        let pairs = (0..count).map(|_| match (random(a), random(b)) {
            (a, b) if same && a == b => Pair::new(a, (b + 1) % 2),
            (a, b) if same => Pair::new(a, b),
            (a, b) => Pair { a, b },
        });
        pairs.collect()
    }

    /// Holds sorted pairs, and the adjacency in every direction that there is, against the CPU's.
    #[track_caller]
    fn expect_forms(checker: &mut GpuEngine, what: &str, pairs: &[Pair], sets: Sets) {
        let mut sorted = pairs.to_vec();
        sorted.sort();
        let frame = recorded(&checker.context, pairs, sets);
        let mut commands = encoder(&checker.context);
        checker.record_sort(&mut commands, &frame).expect("a sort");
        let found: Vec<Pair> = read(&checker.context, commands, &frame.pairs, pairs.len());
        assert!(found == sorted, "{what}: {} sorted pairs", pairs.len());

        // Numbers that have no boxes in these tests.
        if sets.sizes.into_iter().max() > Some(1 << 22) {
            return;
        }
        for direction in [Direction::Both, Direction::AToB, Direction::BToA] {
            if direction == Direction::Both && !sets.same {
                continue;
            }
            let what = format!("{what}, {} pairs, {direction:?}", pairs.len());
            let frame = recorded(&checker.context, pairs, sets);
            let mut commands = encoder(&checker.context);
            let found = checker
                .record_adjacency(&mut commands, &frame, direction)
                .expect("an adjacency");
            let expected = Adjacency::new(found.rows as usize, &sorted, direction).expect("memory");
            let offsets: Vec<u32> = read(&checker.context, commands, &found.offsets, expected.len() + 1);
            assert!(
                offsets
                    .iter()
                    .map(|&offset| u64::from(offset))
                    .eq(expected.offsets().iter().copied()),
                "{what}"
            );
            let commands = encoder(&checker.context);
            let count = expected.neighbours().len();
            let neighbours: Vec<u32> = read(&checker.context, commands, &found.neighbours, count);
            assert!(neighbours == expected.neighbours(), "{what}");
            let commands = encoder(&checker.context);
            let left: Vec<Pair> = read(&checker.context, commands, &frame.pairs, pairs.len());
            assert!(left == sorted, "{what}: the pairs are sorted too");
        }
    }

    fn one_set(boxes: u32) -> Sets {
        Sets {
            sizes: [boxes; 2],
            same: true,
        }
    }

    fn two_sets(a: u32, b: u32) -> Sets {
        Sets {
            sizes: [a, b],
            same: false,
        }
    }

    #[test]
    fn pairs_of_any_number_are_put_in_order() {
        let few = GpuConfig {
            max_workgroups_per_dimension: Some(3),
            ..GpuConfig::default()
        };
        let checked = GpuConfig {
            shader_checks: true,
            subgroups: false,
            ..GpuConfig::default()
        };
        for (what, gpu) in [("default", GpuConfig::default()), ("few", few), ("checked", checked)] {
            let mut checker = checker(Config {
                gpu,
                ..Config::default()
            });
            for (count, boxes) in [
                (0, 0),
                (0, 10),
                (1, 2),
                (2, 300),
                (255, 20),
                (256, 256),
                (257, 257),
                (1024, 40),
                (1025, 100_000),
                (30_000, 3000),
                (3000, u32::MAX),
            ] {
                expect_forms(
                    &mut checker,
                    what,
                    &random_pairs(count, [boxes; 2], true),
                    one_set(boxes),
                );
            }
            for (count, a, b) in [(1, 1, 1), (5000, 70_000, 3), (5000, 3, 70_000), (2000, 1, 1000)] {
                expect_forms(&mut checker, what, &random_pairs(count, [a, b], false), two_sets(a, b));
            }
        }
    }

    #[test]
    fn long_rows_are_rows_like_others() {
        let mut checker = checker(Config::default());
        // More pairs than the blocks have at least, of one box, and more than llvmpipe lets a loop take rounds.
        let last = 150_000;
        let fan = |hub: u32| {
            (0..=last)
                .filter(move |&other| other != hub)
                .map(move |other| Pair::new(hub, other))
        };
        for hubs in [&[0][..], &[last], &[0, 77_777, last]] {
            let pairs: Vec<Pair> = hubs.iter().flat_map(|&hub| fan(hub)).rev().collect();
            expect_forms(&mut checker, &format!("hubs {hubs:?}"), &pairs, one_set(last + 1));
        }
        // All pairs of boxes on one spot, and boxes without any pair before and after two that have one.
        let crowd: Vec<Pair> = (0..500u32).flat_map(|b| (0..b).map(move |a| Pair { a, b })).collect();
        expect_forms(&mut checker, "one spot", &crowd, one_set(500));
        expect_forms(&mut checker, "lonely", &[Pair::new(100_000, 100_001)], one_set(last));
    }

    #[test]
    fn forms_allocate_nothing_twice() {
        let mut checker = checker(Config::default());
        let frames =
            [3000, 2000].map(|count| recorded(&checker.context, &random_pairs(count, [900; 2], true), one_set(900)));
        let mut made = None;
        for round in 0..5 {
            let mut commands = encoder(&checker.context);
            for frame in &frames {
                checker.record_sort(&mut commands, frame).expect("a sort");
                checker
                    .record_adjacency(&mut commands, frame, Direction::Both)
                    .expect("an adjacency");
            }
            checker.context.queue.submit([commands.finish()]);
            let now = checker.context.buffers_made.load(std::sync::atomic::Ordering::Relaxed);
            if round > 0 {
                assert_eq!(*made.get_or_insert(now), now, "round {round}");
            }
        }
        let held = checker.forms.as_ref().expect("forms").bytes();
        let expected = 4 * (256 * 2048 + 256) + 2 * 8 * 3005 + 2 * 4 * 901;
        assert!(
            (expected..expected + 200).contains(&held),
            "{held} bytes, not {expected}"
        );
    }
}
