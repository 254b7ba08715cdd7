//! Rooms on the GPU: runs `enclosure.wgsl` and `round_enclosure.wgsl`, each over the bodies of its
//! kind.

use std::num::NonZeroU64;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::device::buffers::{Arena, Resources, Staging, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::device::kernel::Kernel;
use crate::geometry::kinds::KINDS;
use crate::regions::enclosure::OF_BOXES;
use crate::regions::enclosure_cpu::enclosure_of;
use crate::regions::frame::Frame;
use crate::regions::room::{Enclosure, Room};
use crate::regions::room_frame::{BODIES_IN_ROOM, ENCLOSURES, ROOM, RoomFrame};
use crate::regions::round_enclosure::{OF_BALLS, OF_CAPSULES};
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::obb::record::Obb;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;

/// The number of bodies uploaded at a time, 48 MiB for boxes: more would take memory and save
/// nothing.
const MOST_AT_ONCE: u64 = 1 << 20;

/// The kernel for each kind of body, and the bytes of one body.
static KINDS_IN_ROOM: [(&Kernel<RoomFrame>, u64); KINDS] = [
    (&OF_BOXES, size_of::<Obb>() as u64),
    (&OF_CAPSULES, size_of::<Capsule>() as u64),
    (&OF_BALLS, size_of::<Sphere>() as u64),
];

/// The bytes of the largest body.
const LARGEST: u64 = size_of::<Obb>() as u64;

/// The alignment of bindings, in records of any size, valid on every device: multiples of 256
/// bytes.
const BINDING_STEP: u64 = 16;

/// The kernels and their working memory.
pub(crate) struct Enclosures {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
    staging: Staging,
}

/// The bodies of one kind in a dispatch.
#[derive(Debug, PartialEq)]
struct Piece {
    kind: usize,
    /// The position of the first among all bodies.
    first: u64,
    count: u64,
    /// The offset of the binding, and the number of records of this kind's size in it before the
    /// first body.
    offset: u64,
    skipped: u64,
}

/// Returns the pieces of bodies of all kinds, which are one after the other in a buffer of which
/// `most_bytes` can be bound.
fn pieces(counts: [u64; KINDS], most_bytes: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    for (kind, ((_, record), count)) in KINDS_IN_ROOM.iter().zip(counts).enumerate() {
        let most = (most_bytes / record / BINDING_STEP * BINDING_STEP).max(BINDING_STEP);
        // Counted in records of this kind: a box or a capsule is as large as three spheres.
        let begin = bytes / record;
        let mut at = begin;
        while at < begin + count {
            let binding = at / BINDING_STEP * BINDING_STEP;
            let end = (binding + most).min(begin + count);
            pieces.push(Piece {
                kind,
                first: first + (at - begin),
                count: end - at,
                offset: binding * record,
                skipped: at - binding,
            });
            at = end;
        }
        first += count;
        bytes += count * record;
    }
    pieces
}

impl Enclosures {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            kernels: Kernels::default(),
            arena: Arena::new(context, [&BODIES_IN_ROOM, &ENCLOSURES])?,
            uniforms: Uniforms::default(),
            staging: Staging::new(context)?,
        })
    }

    /// Returns the true answer for every body: the GPU's, or the CPU's if `f32` cannot decide.
    pub async fn run(&mut self, context: &Context, room: &Room, bodies: Bodies<'_>) -> Result<Vec<Enclosure>> {
        let frame = Frame::new(room);
        let most = (context.max_buffer_bytes / LARGEST).clamp(1, MOST_AT_ONCE) as usize;
        let mut all = memory::filled(bodies.len(), Enclosure::default(), "a finding for each body")?;
        for (k, found) in all.chunks_mut(most).enumerate() {
            let chunk = bodies.part(k * most..k * most + found.len());
            let bits = self.look_at(context, &frame, chunk).await?;
            if bits.iter().any(|bits| bits & Enclosure::INVALID != 0) {
                bodies.validate()?;
            }
            parallel::fill(found, |i| match bits[i] & (Enclosure::UNDECIDED | Enclosure::INVALID) {
                0 => Enclosure::from_bits(bits[i]),
                _ => enclosure_of(room, &frame, chunk.at(i as u32)),
            });
        }
        Ok(all)
    }

    /// Returns the answers of the GPU about some bodies.
    async fn look_at(&mut self, context: &Context, frame: &Frame, bodies: Bodies<'_>) -> Result<Vec<u32>> {
        let bytes: u64 = bodies.bytes().iter().map(|part| part.len() as u64).sum();
        if self
            .arena
            .reserve(context, &BODIES_IN_ROOM, bytes / BODIES_IN_ROOM.record)?
        {
            self.kernels.forget_bindings();
        }
        let own = self.arena.buffer(&BODIES_IN_ROOM)?.clone();
        context.scoped("the upload", bytes, || {
            let mut offset = 0;
            for part in bodies.bytes() {
                context.queue.write_buffer(&own, offset, part);
                offset += part.len() as u64;
            }
        })?;
        let mut encoder = context.encoder("the enclosures")?;
        let found = self.record(context, &mut encoder, frame, &own, bodies.into())?;
        self.staging.read(context, encoder, &found, bodies.len()).await
    }

    /// Records the kernels for bodies in a buffer, as many at a time as can be bound, and returns
    /// the buffer that receives a `u32` for each.
    pub fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        bodies: &wgpu::Buffer,
        counts: BodyCounts,
    ) -> Result<wgpu::Buffer> {
        if self.arena.reserve(context, &ENCLOSURES, counts.total() as u64)? {
            self.kernels.forget_bindings();
        }
        for piece in pieces(counts.in_order(), context.max_buffer_bytes) {
            let (kernel, record) = KINDS_IN_ROOM[piece.kind];
            let room = RoomFrame::new(frame, piece.first as u32, piece.count as u32, piece.skipped as u32);
            let uniform = self.uniforms.with(context, "room", &room)?;
            let bodies = wgpu::BufferBinding {
                buffer: bodies,
                offset: piece.offset,
                size: NonZeroU64::new(record * (piece.skipped + piece.count)),
            };
            let resources = Resources::new(&self.arena)
                .with_buffer(&ROOM, &uniform)
                .with(&BODIES_IN_ROOM, vec![bodies]);
            let run = Run {
                context,
                resources: &resources,
                constants: &[],
                work: &room,
                guest: None,
                sizes: None,
            };
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.run(&mut pass, kernel, &run)?;
        }
        Ok(self.arena.buffer(&ENCLOSURES)?.clone())
    }
}

#[test]
fn pieces_are_bound_at_valid_offsets_and_leave_nothing_out() {
    for (counts, most_bytes) in [
        ([0, 0, 0], 4800),
        ([1, 0, 0], 4800),
        ([1200, 0, 0], 4800),
        ([0, 17, 1], 4800),
        ([5, 1001, 77], 4800),
        ([33, 0, 2000], 4800),
        ([7, 7, 7], 1),
        ([u64::from(u32::MAX) / 2, 3, 5], 1 << 31),
    ] {
        let all = pieces(counts, most_bytes);
        let (mut first, mut bytes) = (0, 0);
        for piece in &all {
            let record = KINDS_IN_ROOM[piece.kind].1;
            assert_eq!(piece.first, first, "{piece:?}");
            assert_eq!(piece.offset + record * piece.skipped, bytes, "{piece:?}");
            assert!(piece.offset.is_multiple_of(256) && piece.count > 0, "{piece:?}");
            let bound = record * (piece.skipped + piece.count);
            assert!(bound <= most_bytes.max(BINDING_STEP * record), "{piece:?}");
            (first, bytes) = (first + piece.count, bytes + record * piece.count);
        }
        for (kind, count) in counts.into_iter().enumerate() {
            let own = all.iter().filter(|piece| piece.kind == kind);
            assert_eq!(own.map(|piece| piece.count).sum::<u64>(), count, "{counts:?}");
        }
    }
    assert_eq!(pieces([1200, 0, 0], 4800).len(), 13);
    assert_eq!(pieces([0, 0, 1200], 4800).len(), 5);
}
