//! Uploads from the host to the device: boxes, rules, and given pairs.

use crate::base::config::{Config, Output};
use crate::base::error::Result;
use crate::device::context::Context;
use crate::engine::gpu::input::bytes_of;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::subject::FrameSubject;
use crate::engine::query::resolved::Subject;
use crate::frame::counters::Counters;
use crate::frame::slots::{BOXES, CANDIDATES, DEGREES, RULES_B};
use crate::geometry::pair::Pair;
use crate::rules::filter::PairRules;
use crate::rules::list;

impl Pipeline {
    /// Uploads the boxes to the device, and clears the data that is summed over all ranges.
    pub(crate) fn upload(
        &mut self,
        context: &Context,
        input: Subject<'_>,
        rules: Option<&PairRules<'_>>,
        config: &Config,
    ) -> Result<()> {
        let list = rules.map(list::list_of_pairs).transpose()?;
        let words = list.as_ref().map_or(0, |list| list.len() as u64);
        let new = self.arena.reserve(context, &RULES_B, words)?;
        self.unbind_if(new);
        self.subject = FrameSubject {
            shape: input.shape(),
            counts: input.records().counts(),
            at_rest: match input {
                Subject::Movers { scene, .. } => Some(scene.on_device(context)?.clone()),
                Subject::Set(_) => None,
            },
            rules: match list {
                Some(_) => Some(self.arena.buffer(&RULES_B)?.clone()),
                None => None,
            },
            worlds: rules.is_some_and(|rules| rules.sets[1].worlds.is_some()),
            layers: rules.is_some_and(|rules| rules.sets[1].layers.any()),
            asks: rules.is_some_and(|rules| rules.to_ask().is_some()),
            own_margins: rules.is_some_and(PairRules::have_margins),
            neighbours: input.neighbours(),
            rounded: false,
            images: None,
        };
        let degrees = self.arena.buffer(&DEGREES)?;
        let parts = bytes_of(input);
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        context.scoped("the upload", bytes, || {
            if let (Some(list), Some(buffer)) = (&list, &self.subject.rules) {
                context.queue.write_buffer(buffer, 0, bytemuck::cast_slice(list));
            }
            let full = (context.numbered_bytes() / BOXES.unit * BOXES.unit).max(1) as usize;
            let segments: Vec<_> = self.arena.segments(&BOXES).collect();
            let mut place = 0;
            for mut part in parts {
                while !part.is_empty() {
                    let (segment, offset) = (place / full, place % full);
                    let (bytes, rest) = part.split_at(part.len().min(full - offset));
                    context.queue.write_buffer(segments[segment], offset as u64, bytes);
                    place += bytes.len();
                    part = rest;
                }
            }
            if config.output == Output::Degrees {
                let mut encoder = context.device.create_command_encoder(&Default::default());
                encoder.clear_buffer(degrees, 0, None);
                context.queue.submit([encoder.finish()]);
            }
        })
    }

    /// Uploads candidate pairs to the device, in place of those that the broad phase would find,
    /// and a margin for each if boxes have their own margins. The data computed for the boxes
    /// stays.
    pub(crate) fn upload_pairs(&mut self, context: &Context, pairs: &[Pair], margins: Option<&[f32]>) -> Result<()> {
        let candidates = self.arena.buffer(&CANDIDATES)?;
        let after_pairs = CANDIDATES.header + CANDIDATES.record * u64::from(self.candidate_capacity());
        let counted = Counters {
            candidates: pairs.len() as u32,
            ..Counters::default()
        };
        context.scoped("the upload of pairs", size_of_val(pairs) as u64, || {
            let write = |offset, bytes: &[u8]| context.queue.write_buffer(candidates, offset, bytes);
            write(CANDIDATES.header, bytemuck::cast_slice(pairs));
            write(
                Counters::OF_RANGE,
                &bytemuck::bytes_of(&counted)[Counters::OF_RANGE as usize..],
            );
            if let Some(margins) = margins {
                write(after_pairs, bytemuck::cast_slice(margins));
            }
        })
    }
}
