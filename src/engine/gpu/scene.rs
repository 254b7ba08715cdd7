//! Boxes that rest, in the memory of a device: what a check leaves in its buffers up to the walk over the grid, kept.

use std::sync::Arc;

use crate::base::error::Result;
use crate::device::buffers::{Counters, GrowingBuffer};
use crate::device::context::Context;
use crate::engine::gpu::pipeline::Pipeline;
use crate::rules::filter::{PairRules, SetRules};

/// Boxes and the grid of them, a segment each. Clones are the same buffers.
#[derive(Clone)]
pub(crate) struct SceneAtRest {
    /// Tells it from all other scenes; devices and buffers of different instances may be taken for equal.
    pub identity: Arc<()>,
    /// Tells its device from all others.
    pub context: Arc<()>,
    /// Boxes in the scene.
    pub count: u32,
    /// [`Obb`](crate::Obb)s, in the caller's order.
    pub boxes: wgpu::Buffer,
    /// 1 if some of them are turned otherwise than about z, else 0: [`Counters::tilted`].
    pub tilted: wgpu::Buffer,
    /// [`Plan`](crate::broad_phase::grid::Plan).
    pub plan: wgpu::Buffer,
    /// [`Bounds`](crate::bounds::Bounds), sorted by slot.
    pub records: wgpu::Buffer,
    /// Where each slot's records begin, and where each block's end.
    pub slot_starts: wgpu::Buffer,
    /// The list of rules about the boxes; see `rule_lists.rs`.
    pub rules: wgpu::Buffer,
    /// The list of rules about movers without any, if there are rules about the boxes.
    pub without_rules_of_movers: Option<wgpu::Buffer>,
}

impl PartialEq for SceneAtRest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.identity, &other.identity)
    }
}

impl SceneAtRest {
    /// Copies of what the last submission over so many boxes has left in the pipeline's buffers, and the rules about them.
    pub async fn copied_from(
        context: &Context,
        pipeline: &Pipeline,
        boxes: usize,
        rules: &SetRules<'_>,
    ) -> Result<Self> {
        // Excluded pairs go with the movers.
        let none = SetRules::default();
        let of_movers = crate::rules::list::list_of_pairs(&PairRules::of_any_movers(rules, &none))?;
        let without_rules_of_movers = match rules.is_empty() {
            true => None,
            false => {
                let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
                let list = bytemuck::cast_slice(&of_movers);
                Some(context.buffer_with("rules of movers without any", list, usage).await?)
            }
        };
        let rules = crate::rules::list::list_of_set(rules, None)?;
        let buffers = &pipeline.buffers;
        let needed = crate::device::buffers::sorted_bytes(boxes);
        let new = async |label, bytes: u64| context.storage_buffer(label, bytes.max(GrowingBuffer::LEAST)).await;
        let scene = Self {
            identity: Arc::default(),
            count: boxes as u32,
            context: context.identity.clone(),
            boxes: new("boxes at rest", needed.boxes).await?,
            tilted: new("whether boxes at rest are tilted", Counters::EACH).await?,
            plan: new("plan at rest", buffers.plan.size()).await?,
            records: new("records at rest", needed.records).await?,
            slot_starts: new("slot starts at rest", needed.slot_starts).await?,
            without_rules_of_movers,
            rules: new("rules at rest", size_of_val(&rules[..]) as u64).await?,
        };
        context
            .scoped("the copy of the scene", 0, || {
                let mut encoder = context.device.create_command_encoder(&Default::default());
                encoder.copy_buffer_to_buffer(&buffers.counters, Counters::TILTED, &scene.tilted, 0, Counters::EACH);
                for (from, to, bytes) in [
                    (&*buffers.boxes[0], &scene.boxes, needed.boxes),
                    (&buffers.plan, &scene.plan, buffers.plan.size()),
                    (&*buffers.records[0], &scene.records, needed.records),
                    (&*buffers.slot_starts, &scene.slot_starts, needed.slot_starts),
                ] {
                    if bytes > 0 {
                        encoder.copy_buffer_to_buffer(from, 0, to, 0, bytes);
                    }
                }
                context
                    .queue
                    .write_buffer(&scene.rules, 0, bytemuck::cast_slice(&rules));
                context.queue.submit([encoder.finish()]);
            })
            .await?;
        Ok(scene)
    }
}
