//! Boxes that rest, in the memory of a device: what a check leaves in its buffers up to the search for pairs, kept.

use std::mem::offset_of;
use std::sync::Arc;

use wgpu::BufferUsages as Usages;

use crate::base::error::Result;
use crate::broad_phase::passes::AtRest;
use crate::device::buffers::{Arena, Slot};
use crate::device::context::Context;
use crate::engine::gpu::records::uploaded;
use crate::frame::slots::{BOXES, STATS};
use crate::geometry::scene_stats::SceneStats;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::list;
use crate::shapes::bodies::set::KINDS;
use crate::shapes::kind::Records;

/// Boxes and what the broad phase has made of them, a segment each. Clones are the same buffers.
#[derive(Clone)]
pub(crate) struct SceneAtRest {
    /// Tells it from all other scenes; devices and buffers of different instances may be taken for equal.
    pub identity: Arc<()>,
    /// Tells its device from all others.
    pub context: Arc<()>,
    /// Bodies of each kind in the scene.
    pub counts: [u64; KINDS],
    /// Their records, in the caller's order.
    pub boxes: wgpu::Buffer,
    /// 1 if some of them are turned otherwise than about z, else 0: [`SceneStats::tilted`].
    pub tilted: wgpu::Buffer,
    /// What the broad phase has sorted, each at its slot.
    pub sorted: Vec<(&'static Slot, wgpu::Buffer)>,
    /// The work of a walk, in comparisons: that of a box at rest.
    pub work_of_each: f64,
    /// The list of rules about the boxes; see `rules/list.rs`.
    pub rules: wgpu::Buffer,
    /// The list of rules about movers without any, if there are rules about the boxes.
    pub without_rules_of_movers: Option<wgpu::Buffer>,
    /// The largest margin of a box's own, by which movers are widened.
    pub largest_margin: f32,
    pub own_margins: bool,
}

impl PartialEq for SceneAtRest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.identity, &other.identity)
    }
}

impl SceneAtRest {
    /// Copies of what the last submission over these bodies has left in the pipeline's buffers, and the rules about them.
    pub fn copied_from(
        context: &Context,
        arena: &Arena,
        bodies: Records<'_>,
        rules: &SetRules<'_>,
        (at_rest, work_of_each): (&[AtRest], f64),
    ) -> Result<Self> {
        // Excluded pairs go with the movers.
        let none = SetRules::default();
        let of_movers = list::list_of_pairs(&PairRules::of_any_movers(rules, &none))?;
        let rules_usage = Usages::STORAGE | Usages::COPY_DST;
        let without_rules_of_movers = match rules.is_empty() && rules.margins.is_none() {
            true => None,
            false => {
                let list = bytemuck::cast_slice(&of_movers);
                Some(context.buffer_with("rules of movers: none", list, rules_usage)?)
            }
        };
        let list = list::list_of_set(rules, None)?;
        let n = bodies.len() as u64;
        // A copy of the beginning of a buffer: bindings are at least as large as a record.
        let mut copies = Vec::new();
        let mut copy = |slot: &'static Slot, label, records: u64, usage| -> Result<wgpu::Buffer> {
            let bytes = records * slot.record;
            let buffer = context.buffer(label, bytes.max(64), usage)?;
            copies.push((arena.buffer(slot)?, buffer.clone(), bytes));
            Ok(buffer)
        };
        let usage = Usages::STORAGE | Usages::COPY_DST;
        let mut sorted = Vec::with_capacity(at_rest.len());
        for AtRest { from, at, records } in at_rest {
            sorted.push((*at, copy(from, at.label, records(n), at.usage)?));
        }
        let scene = Self {
            identity: Arc::default(),
            counts: bodies.counts(),
            context: context.identity.clone(),
            boxes: copy(
                &BOXES,
                "boxes at rest",
                uploaded(bodies.shape(), bodies.counts()),
                usage,
            )?,
            tilted: context.buffer("tilt flags of boxes at rest", 4, Usages::COPY_SRC | Usages::COPY_DST)?,
            sorted,
            work_of_each,
            without_rules_of_movers,
            rules: context.buffer_with("rules at rest", bytemuck::cast_slice(&list), rules_usage)?,
            largest_margin: rules.largest_margin(),
            own_margins: rules.margins.is_some(),
        };
        let stats = arena.buffer(&STATS)?;
        context.scoped("the copy of the scene", 0, || {
            let mut encoder = context.device.create_command_encoder(&Default::default());
            let tilted = offset_of!(SceneStats, tilted) as u64;
            encoder.copy_buffer_to_buffer(stats, tilted, &scene.tilted, 0, 4);
            for (from, to, bytes) in &copies {
                if *bytes > 0 {
                    encoder.copy_buffer_to_buffer(from, 0, to, 0, *bytes);
                }
            }
            context.queue.submit([encoder.finish()]);
        })?;
        Ok(scene)
    }
}
