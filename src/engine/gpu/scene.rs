//! Boxes at rest in the memory of a device: copies of the buffers that a check leaves before the
//! search for pairs.

use std::mem::offset_of;
use std::sync::Arc;

use wgpu::BufferUsages as Usages;

use crate::base::error::Result;
use crate::broad_phase::passes::AtRest;
use crate::device::buffers::{Arena, Slot};
use crate::device::context::Context;
use crate::engine::gpu::records::uploaded;
use crate::frame::slots::{BOXES, STATS};
use crate::geometry::kinds::KINDS;
use crate::geometry::scene_stats::SceneStats;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::list;
use crate::shapes::kind::Records;

/// Boxes and the broad phase's sorted data, one segment each. Clones share the same buffers.
#[derive(Clone)]
pub(crate) struct SceneAtRest {
    /// Distinguishes the scene from all others, because devices and buffers of different instances
    /// may compare equal.
    pub identity: Arc<()>,
    /// Distinguishes its device from all others.
    pub context: Arc<()>,
    /// The number of bodies of each kind in the scene.
    pub counts: [u64; KINDS],
    /// The records, in the caller's order.
    pub boxes: wgpu::Buffer,
    /// 1 if some of the boxes are rotated about an axis other than z, else 0:
    /// [`SceneStats::tilted`].
    pub tilted: wgpu::Buffer,
    /// The data sorted by the broad phase, each at its slot.
    pub sorted: Vec<(&'static Slot, wgpu::Buffer)>,
    /// The work of one walk, in comparisons, which equals that of a box at rest.
    pub work_of_each: f64,
    /// The list of rules for the boxes. See `rules/list.rs`.
    pub rules: wgpu::Buffer,
    /// The list of rules for movers without any, if there are rules for the boxes.
    pub without_rules_of_movers: Option<wgpu::Buffer>,
    /// The largest own margin of a box, by which movers are widened.
    pub largest_margin: f32,
    pub own_margins: bool,
}

impl PartialEq for SceneAtRest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.identity, &other.identity)
    }
}

impl SceneAtRest {
    /// Copies the buffers that the last submission over these bodies has left in the pipeline, and
    /// adds the rules for them.
    pub fn copied_from(
        context: &Context,
        arena: &Arena,
        bodies: Records<'_>,
        rules: &SetRules<'_>,
        (at_rest, work_of_each): (&[AtRest], f64),
    ) -> Result<Self> {
        // Excluded pairs are part of the movers' rules.
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
        // Copies the beginning of a buffer. Bindings are at least as large as a record.
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
