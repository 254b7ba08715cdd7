//! The memory that a check on a GPU needs: the sum over the same declarations that create the
//! buffers.

use crate::base::config::{Config, Output};
use crate::broad_phase::passes;
use crate::device::adapters::AdapterSummary;
use crate::device::buffers::{bytes_of, grown};
use crate::device::limits::DeviceLimits;
use crate::engine::findings::Findings;
use crate::engine::gpu::limits::WORDS;
use crate::engine::gpu::pipeline::buffers;
use crate::engine::gpu::records::uploaded;
use crate::engine::gpu::{parts, ranges};
use crate::engine::memory_estimate::MemoryEstimate;
use crate::engine::sweep;
use crate::frame::room::Room;
use crate::geometry::kinds::of_first_kind;
use crate::geometry::pair::{MAX_BOXES, Pair};
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::bodies::set::Kind;
use crate::shapes::kind::Shape;
use crate::shapes::obb::record::Obb;

/// Number of candidate pairs per colliding pair in most scenes: the bounds have two and a half
/// times the volume of the boxes.
const CANDIDATES_PER_PAIR: u64 = 3;

/// Approximate size in bytes of the read-back buffer that a first check starts with.
const STAGING_BYTES: u64 = 16 << 10;

impl MemoryEstimate {
    /// Estimates the memory that a check on an adapter needs. See
    /// [`Checker::memory_estimate`](crate::Checker::memory_estimate).
    pub fn on_gpu(adapter: &AdapterSummary, config: &Config, bodies: impl Into<BodyCounts>, pairs: usize) -> Self {
        memory_estimate(
            &DeviceLimits::of_adapter(adapter, &config.gpu),
            config,
            bodies.into(),
            false,
            pairs as u64,
        )
    }
}

/// Estimates the memory of a check of `bodies` with `pairs` colliding pairs, or of a sweep with
/// `pairs` impacts if they are `moving`. On the device this is the initial size of the buffers and
/// their growth for the results. On the host it is the results and the memory that wgpu uploads
/// from.
pub(crate) fn memory_estimate(
    limits: &DeviceLimits,
    config: &Config,
    bodies: BodyCounts,
    moving: bool,
    pairs: u64,
) -> MemoryEstimate {
    let boxes = bodies.total().min(MAX_BOXES);
    // A part has as many records as bodies, of any kind, unless all are spheres.
    let records = |count: usize| match (moving, bodies.are_balls()) {
        (true, _) => uploaded(Shape::Moving, of_first_kind(count as u64)),
        (false, true) => uploaded(Shape::Bodies, Kind::Ball.counts(count as u64)),
        (false, false) => count as u64,
    };
    let record_bytes = if moving { Shape::Moving } else { Shape::Obb }.record_bytes();
    let broad_phase = passes::chosen(config.broad_phase);
    let most = limits.max_records(broad_phase, record_bytes);
    let parts = parts::estimate(boxes, most);
    let part_boxes = boxes.min(most);
    let (part_config, part_pairs) = of_part(config, parts, pairs);
    let stored = match part_config.output {
        Output::Pairs => part_config
            .max_pairs
            .map_or(part_pairs, |most| part_pairs.min(most as u64)),
        Output::Degrees | Output::Count => 0,
    };
    let first = ranges::room(limits, &part_config, part_boxes, records(part_boxes), WORDS);
    let then = Room {
        candidates: part_pairs
            .saturating_mul(CANDIDATES_PER_PAIR)
            .min(limits.max_candidates(WORDS)),
        pairs: stored.min(limits.max_pairs()),
        ..first
    };
    let mut device: Vec<u64> = buffers(broad_phase)
        .flat_map(|owned| bytes_of(owned, &[first, then], limits.max_buffer_bytes, limits.numbered_bytes()))
        .collect();
    let pair_bytes = then.pairs.max(1) * size_of::<Pair>() as u64;
    let degrees = if first.degrees { 4 * part_boxes as u64 } else { 0 };
    device.push(grown(STAGING_BYTES, (pair_bytes * 3 / 2).max(degrees), u64::MAX));

    let upload = records(part_boxes) * size_of::<Obb>() as u64;
    let in_parts = match parts {
        1 => 0,
        _ => parts::bytes_for(boxes, (part_boxes, record_bytes), part_pairs),
    };
    let of_motion = if moving {
        sweep::bytes_for(boxes as u64, pairs)
    } else {
        0
    };
    MemoryEstimate {
        host_bytes: Findings::bytes_for(config, boxes as u64, pairs)
            .saturating_add(in_parts)
            .saturating_add(of_motion)
            .saturating_add(upload),
        device_bytes: device.iter().sum::<u64>(),
        largest_buffer_bytes: device.into_iter().max().unwrap_or(0),
        parts,
    }
}

/// Returns the configuration of one of `parts` parts, and the number of pairs that it finds.
fn of_part(config: &Config, parts: u64, pairs: u64) -> (Config, u64) {
    // A part also finds pairs that belong to other parts, and passes all of them to the host.
    match parts {
        1 => (config.clone(), pairs),
        _ => (
            Config {
                output: Output::Pairs,
                max_pairs: None,
                ..config.clone()
            },
            // A quarter more than an even share.
            pairs.div_ceil(parts).saturating_add(pairs.div_ceil(parts) / 4),
        ),
    }
}
