//! Submissions that the host waits for, and the data read with them.

use std::mem::offset_of;

use bytemuck::Zeroable;

use crate::base::clock::Instant;
use crate::base::config::Config;
use crate::base::error::Result;
use crate::base::stage::Stage;
use crate::broad_phase::grid::layout::Plan;
use crate::device::context::Context;
use crate::device::timestamps::Stopwatch;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::pipeline::findings::{Expected, Found, READ_FIRST, Summary, left};
use crate::engine::gpu::pipeline::frame::{Frame, OnDevice, Steps};
use crate::engine::gpu::trace::{Trace, add};
use crate::frame::counters::Counters;
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, PAIRS, STATS, UNDECIDED};
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::SceneStats;

/// Maximum number of pairs read together with a summary, 8 MiB of them: beyond that, one more wait
/// is insignificant.
const MOST_EXPECTED: u32 = 1 << 20;

impl Pipeline {
    /// Runs the pipeline over the uploaded boxes, starting with a given step, and reads its
    /// findings.
    pub(crate) async fn submit(
        &mut self,
        context: &Context,
        params: &Params,
        (steps, config): (Steps, &Config),
        trace: &mut Trace,
    ) -> Result<Found> {
        let start = Instant::now();
        let expected = self.expected(params);
        let bytes = READ_FIRST + size_of::<Pair>() as u64 * u64::from(expected.pairs + expected.left);
        self.staging.reserve(context, bytes)?;
        let mut watch = std::mem::replace(&mut self.stopwatch, Stopwatch::off());
        let (subject, params_buffer) = (self.subject.clone(), self.params.clone());
        let frame = Frame {
            subject: &subject,
            boxes: None,
            params: *params,
            params_buffer: &params_buffer,
            steps,
            config,
            on_device: OnDevice::default(),
        };
        let mut encoder = context.encoder("obbligato check")?;
        context.scoped("the recording", 0, || -> Result<()> {
            let bytes = bytemuck::bytes_of(params);
            context.queue.write_buffer(&params_buffer, 0, bytes);
            watch.open(&mut encoder)?;
            self.encode(context, &mut encoder, &frame, &mut watch)?;
            self.copy_findings(&mut encoder, expected)?;
            watch.close(&mut encoder);
            let stamps = (&self.staging.buffer, size_of::<Summary>() as u64);
            watch.resolve(&mut encoder, Some(stamps));
            Ok(())
        })??;
        let has_plan = self.broad_phase.plan.is_some();
        let (found, times) = context
            .submit_and_read(encoder, &self.staging.buffer, bytes, |bytes| {
                let (first, pairs) = bytes.split_at(READ_FIRST as usize);
                let (summary, times) = first.split_at(size_of::<Summary>());
                let mut summary: Summary = bytemuck::pod_read_unaligned(summary);
                if !has_plan {
                    summary.plan = Plan::zeroed();
                }
                let (pairs, others) = bytemuck::cast_slice(pairs).split_at(expected.pairs as usize);
                let part = |pairs: &[Pair], count: u32| pairs[..pairs.len().min(count as usize)].to_vec();
                let found = Found {
                    pairs: part(pairs, summary.counters.pairs.min(params.pair_capacity)),
                    left: part(others, left(params, &summary.counters)),
                    summary,
                };
                (found, watch.times(&bytemuck::pod_collect_to_vec(times)).1)
            })
            .await?;
        self.stopwatch = watch;
        for times in times {
            for (name, time) in &times.laps {
                add(&mut trace.timings.gpu, name.stage, *time);
            }
            add(&mut trace.timings.gpu, Stage::Other, times.other());
        }
        trace.add_wall(Stage::Gpu, start);
        Ok(found)
    }

    /// Stores the number of findings of a range as a hint for the next one.
    pub(crate) fn expect(&mut self, params: &Params, counters: &Counters) {
        let more = |count: u32| count.saturating_add(count / 8 + 64);
        self.expected = Expected {
            pairs: more(counters.pairs),
            left: more(left(params, counters)),
        };
    }

    /// Returns the number of pairs to read together with the summary: at most the capacity, and 0
    /// if such pairs are not wanted.
    fn expected(&self, params: &Params) -> Expected {
        let room = |wanted: bool, capacity: u32| if wanted { capacity.min(MOST_EXPECTED) } else { 0 };
        Expected {
            pairs: (self.expected.pairs).min(room(params.output == Params::PAIRS, params.pair_capacity)),
            left: (self.expected.left).min(room(params.exactness == Params::EXACT, params.undecided_capacity)),
        }
    }

    fn copy_findings(&self, encoder: &mut wgpu::CommandEncoder, expected: Expected) -> Result<()> {
        let staging = &self.staging.buffer;
        let pair_bytes = |count: u32| size_of::<Pair>() as u64 * u64::from(count);
        let suspects = offset_of!(SceneStats, suspects) as u64;
        let after_pairs = READ_FIRST + pair_bytes(expected.pairs);
        let plan = self
            .broad_phase
            .plan
            .map(|slot| (slot, 0, offset_of!(Summary, plan) as u64, size_of::<Plan>() as u64));
        let others = [
            (&CANDIDATES, 0, 0, size_of::<Counters>() as u64),
            (&STATS, suspects, offset_of!(Summary, suspects) as u64, 4),
            (&PAIRS, 0, READ_FIRST, pair_bytes(expected.pairs)),
            (&UNDECIDED, 0, after_pairs, pair_bytes(expected.left)),
        ];
        for (slot, from, to, bytes) in others.into_iter().chain(plan) {
            if bytes > 0 {
                encoder.copy_buffer_to_buffer(self.arena.buffer(slot)?, from, staging, to, bytes);
            }
        }
        Ok(())
    }
}
