//! Result forms that stay on the GPU: recorded after a frame, made of the pairs it leaves.

use crate::base::error::{Error, Result};
use crate::device::buffers::GrowingBuffer;
use crate::device::context::Context;
use crate::engine::gpu::GpuChecker;
use crate::engine::gpu::resident::Recorded;
use crate::engine::gpu::shape::Shape;
use crate::geometry::pair::Pair;
use crate::outputs::adjacency::{AdjacencyBindings, AdjacencyBuffers, FindAdjacency, Rows};
use crate::outputs::adjacency_cpu::Direction;
use crate::outputs::sort_pairs::{Digit, SortPairs, SortPass, most_pairs};
use crate::outputs::{BOTH_OF_TWO_SETS, WITHOUT_PAIRS};

/// Where [`GpuChecker::record_adjacency`] leaves every box's partners. The buffers can be bound as storage buffers and
/// copied from.
///
/// As those of [`Recorded`], they belong to the checker, and the next one writes into them again.
#[derive(Clone, Debug)]
pub struct RecordedAdjacency {
    /// Where each row begins in `neighbours`, and where the last ends, as `u32`: one more than there are rows. The buffer may
    /// be longer.
    pub offsets: wgpu::Buffer,
    /// The partners of all boxes, as `u32`: those of box `i` are at `offsets[i]..offsets[i + 1]`, ascending.
    pub neighbours: wgpu::Buffer,
    /// How many rows there are.
    pub rows: u32,
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
    pub fn of(shape: &Shape, count: u32) -> Self {
        let at_rest = shape.at_rest().map(|scene| scene.count);
        Self {
            sizes: [at_rest.unwrap_or(count), count],
            same: at_rest.is_none(),
        }
    }
}

impl GpuChecker {
    /// Records what sorts the pairs of a frame by (a, b): the same pairs, where they are, in [`Recorded::pairs`].
    ///
    /// Goes into the encoder after the frame, and before the next one. Nothing is submitted or waited for. The pairs that are
    /// stored are sorted, also if there was not room for all; those that are undecided stay in their list. Takes as much
    /// memory again as the pairs, and 2 MiB; kernels and memory are made by the first call, and kept.
    ///
    /// A radix sort: its time grows with the pairs that there are, and with the digits of the number of boxes, six passes
    /// for a million.
    ///
    /// # Errors
    /// [`Error::Unavailable`] without [`Output::Pairs`](crate::Output::Pairs); [`Error::LimitExceeded`] beyond the device's
    /// limits, [`Error::OutOfDeviceMemory`] beyond its memory.
    pub fn record_sort(&mut self, encoder: &mut wgpu::CommandEncoder, recorded: &Recorded) -> Result<()> {
        let sets = recorded.sets.ok_or(Error::Unavailable {
            what: "the order of pairs",
            hint: WITHOUT_PAIRS,
        })?;
        self.record_form(encoder, recorded, sets, None).map(drop)
    }

    /// Records what finds every box's partners among the pairs of a frame. It sorts the pairs first, as
    /// [`GpuChecker::record_sort`] does.
    ///
    /// Of a frame of [`GpuChecker::record_against`], [`Direction::AToB`] gives a row to each box at rest, [`Direction::BToA`] one
    /// to each mover. How many partners a box has is where its row ends less where it begins, so that pairs, marks and degrees
    /// can be had from one frame. If there was not room for all pairs, which [`Outcome::complete`](super::Outcome::complete) tells, the
    /// rows hold those that are stored.
    ///
    /// Takes 8 bytes a pair there is room for and 8 a row, beside what sorting takes. The partners of box 7, in WGSL:
    ///
    /// ```wgsl
    /// for (var k = offsets[7]; k < offsets[8]; k++) { meet(7u, neighbours[k]); }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unavailable`] without [`Output::Pairs`](crate::Output::Pairs), and for [`Direction::Both`] if the pairs are of
    /// two sets; [`Error::LimitExceeded`] beyond the device's limits, [`Error::OutOfDeviceMemory`] beyond its memory.
    pub fn record_adjacency(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        direction: Direction,
    ) -> Result<RecordedAdjacency> {
        let sets = recorded.sets.ok_or(Error::Unavailable {
            what: "the adjacency",
            hint: WITHOUT_PAIRS,
        })?;
        let count = match direction {
            Direction::Both if !sets.same => return Err(BOTH_OF_TWO_SETS),
            Direction::Both | Direction::AToB => sets.sizes[0],
            Direction::BToA => sets.sizes[1],
        };
        let rows = Rows::new(count, direction);
        let forms = self.record_form(encoder, recorded, sets, Some(rows))?;
        Ok(RecordedAdjacency {
            offsets: (*forms.offsets).clone(),
            neighbours: (*forms.neighbours).clone(),
            rows: count,
        })
    }

    fn record_form(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        sets: Sets,
        rows: Option<Rows>,
    ) -> Result<&Forms> {
        self.context.check_trouble()?;
        let context = &self.context;
        // Of a call that fails nothing is kept: it may have lost buffers that others are tied to.
        let forms = self.forms.take();
        let forms = pollster::block_on(async {
            let mut forms = match forms {
                Some(forms) => forms,
                None => Box::new(Forms::new(context).await?),
            };
            forms.reserve(context, recorded, rows).await?;
            forms.record(context, encoder, recorded, sets, rows).await?;
            Ok(forms)
        })?;
        Ok(self.forms.insert(forms))
    }
}

/// Pairs that the buffer of a frame can hold.
fn capacity(recorded: &Recorded) -> u64 {
    recorded.pairs.size() / size_of::<Pair>() as u64
}

/// The kernels and the memory of both forms.
pub(super) struct Forms {
    sort: SortPairs,
    /// Made when it is first needed.
    adjacency: Option<FindAdjacency>,
    /// As long as the pairs, which go to and fro between the two.
    scratch: GrowingBuffer,
    offsets: GrowingBuffer,
    offsets_of_a: GrowingBuffer,
    neighbours: GrowingBuffer,
    /// What has been recorded of late.
    bound: Vec<Bound>,
}

/// Frames in turn whose bindings are kept.
const BOUND: usize = 8;

/// What ties the kernels to a frame.
struct Bound {
    pairs: wgpu::Buffer,
    outcome: wgpu::Buffer,
    sets: Sets,
    rows: Option<Rows>,
    passes: Vec<SortPass>,
    adjacency: Option<AdjacencyBindings>,
}

impl Forms {
    async fn new(context: &Context) -> Result<Self> {
        let growing = async |label| GrowingBuffer::new(context, label).await;
        Ok(Self {
            sort: SortPairs::new(context).await?,
            adjacency: None,
            scratch: growing("pairs being sorted").await?,
            offsets: growing("offsets").await?,
            offsets_of_a: growing("offsets of the smaller boxes").await?,
            neighbours: growing("neighbours").await?,
            bound: Vec::new(),
        })
    }

    /// Bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        let growing = [&self.scratch, &self.offsets, &self.offsets_of_a, &self.neighbours];
        self.sort.bytes() + growing.iter().map(|buffer| buffer.size()).sum::<u64>()
    }

    /// Makes room, and kernels, for the forms of a frame.
    async fn reserve(&mut self, context: &Context, recorded: &Recorded, rows: Option<Rows>) -> Result<()> {
        let (needed, available) = (capacity(recorded), most_pairs(context.max_workgroups));
        if needed > available {
            return Err(Error::LimitExceeded {
                what: "a sort of the pairs there is room for".to_owned(),
                needed,
                available,
                hint: "raise `GpuConfig::max_workgroups_per_dimension`, or make room for fewer pairs",
            });
        }
        let mut grown = self.scratch.reserve(context, recorded.pairs.size()).await?;
        if let Some(rows) = rows {
            let ends = (u64::from(rows.count) + 1) * size_of::<u32>() as u64;
            grown |= self.offsets.reserve(context, ends).await?;
            grown |= self.offsets_of_a.reserve(context, ends).await?;
            // Two neighbours a pair are as long as a pair.
            grown |= self.neighbours.reserve(context, recorded.pairs.size()).await?;
            if self.adjacency.is_none() {
                self.adjacency = Some(FindAdjacency::new(context).await?);
            }
        }
        if grown {
            self.bound.clear();
        }
        Ok(())
    }

    async fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        sets: Sets,
        rows: Option<Rows>,
    ) -> Result<()> {
        let known = |bound: &Bound| {
            (&bound.pairs, &bound.outcome) == (&recorded.pairs, &recorded.outcome)
                && (bound.sets, bound.rows) == (sets, rows)
        };
        let place = match self.bound.iter().position(known) {
            Some(place) => place,
            None => {
                if self.bound.len() == BOUND {
                    self.bound.remove(0);
                }
                self.bound.push(self.bind(context, recorded, sets, rows).await?);
                self.bound.len() - 1
            }
        };
        let bound = &self.bound[place];
        let most_pairs = capacity(recorded);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("obbligato result forms"),
            timestamp_writes: None,
        });
        for bindings in &bound.passes {
            self.sort.record(&mut pass, bindings, most_pairs);
        }
        if let (Some(kernels), Some(bindings)) = (&self.adjacency, &bound.adjacency) {
            kernels.record(&mut pass, bindings, most_pairs);
        }
        Ok(())
    }

    async fn bind(&self, context: &Context, recorded: &Recorded, sets: Sets, rows: Option<Rows>) -> Result<Bound> {
        let (pairs, outcome): (&wgpu::Buffer, _) = (&recorded.pairs, &recorded.outcome);
        let scratch: &wgpu::Buffer = &self.scratch;
        let mut passes = Vec::new();
        for (k, digit) in Digit::of_pairs(sets.sizes).into_iter().enumerate() {
            let way = if k % 2 == 0 { [pairs, scratch] } else { [scratch, pairs] };
            passes.push(self.sort.bind(context, outcome, digit, way).await?);
        }
        let turned = rows.is_some_and(|rows| rows.of_b > 0);
        if turned {
            // They stay where they are, too. Neighbours come last, so until then there is room for pairs.
            let digits = Digit::of_b(sets.sizes[1]);
            let mut from = pairs;
            for (left, digit) in (0..digits.len()).rev().zip(digits) {
                let to = if left % 2 == 0 { scratch } else { &self.neighbours };
                passes.push(self.sort.bind(context, outcome, digit, [from, to]).await?);
                from = to;
            }
        }
        let adjacency = match (rows, &self.adjacency) {
            (Some(rows), Some(kernels)) => {
                let buffers = AdjacencyBuffers {
                    outcome,
                    by_a: pairs,
                    by_b: if turned { scratch } else { pairs },
                    offsets: &self.offsets,
                    offsets_of_a: &self.offsets_of_a,
                    neighbours: &self.neighbours,
                };
                Some(kernels.bind(context, rows, &buffers).await?)
            }
            _ => None,
        };
        Ok(Bound {
            pairs: pairs.clone(),
            outcome: outcome.clone(),
            sets,
            rows,
            passes,
            adjacency,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::checker;
    use super::*;
    use crate::base::config::{Config, GpuConfig};
    use crate::engine::gpu::resident::Outcome;
    use crate::outputs::adjacency_cpu::Adjacency;

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
            pollster::block_on(made).expect("a buffer")
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
        mut encoder: wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
        count: usize,
    ) -> Vec<T> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let bytes = (count * size_of::<T>()) as u64;
        pollster::block_on(async {
            let staging = context.buffer("read-back", bytes.max(16), usage).await?;
            encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
            context
                .submit_and_read(encoder, &staging, bytes.max(16), |read| {
                    bytemuck::pod_collect_to_vec(&read[..bytes as usize])
                })
                .await
        })
        .expect("a working device")
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
    fn expect_forms(checker: &mut GpuChecker, what: &str, pairs: &[Pair], sets: Sets) {
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
