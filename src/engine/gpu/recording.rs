//! Frames that stay on the GPU. They are recorded into the caller's encoder, read from a buffer of
//! the caller, and leave their results in buffers. Nothing here waits, except for read-backs.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::config::{Config, Output};
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::broad_phase::passes;
use crate::device::buffers::Staging;
use crate::device::context::Context;
use crate::device::timestamps::Stopwatch;
use crate::engine::gpu::contact_results::{ContactResults, FoundPairs, RecordedContacts};
use crate::engine::gpu::count_bodies::COUNTED;
use crate::engine::gpu::engine::{GpuEngine, expect_room, take, with};
use crate::engine::gpu::event_results::{EventResults, Frame, RecordedEvents};
use crate::engine::gpu::frame_rules::FrameRules;
use crate::engine::gpu::image_results::{ImageResults, Imaged, RecordedImages};
use crate::engine::gpu::limits::WORDS;
use crate::engine::gpu::nearest_results::{NearestResults, RecordedNearest};
use crate::engine::gpu::pair_results::{PairResults, RecordedAdjacency};
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::pipeline::frame::Asked;
use crate::engine::gpu::ranges;
use crate::engine::gpu::recorded::{Capacity, FrameQuery, PairBodies, PairImages, PairsOrder, Recorded, Sets};
use crate::engine::gpu::records::{are_boxes, bound, only_kind};
use crate::engine::gpu::subject::FrameSubject;
use crate::engine::gpu::timer::{FrameTimer, FrameTimings, TimedBy};
use crate::engine::query::check_count;
use crate::engine::query::lists::TRIANGLES_WITH_MARGIN;
use crate::frame::outcome::OUTCOME;
use crate::frame::room::Room;
use crate::frame::slots::{DEGREES, PAIRS, UNDECIDED};
use crate::geometry::rounding::above;
use crate::outputs::adjacency::Rows;
use crate::outputs::adjacency_cpu::Direction;
use crate::outputs::{BOTH_OF_TWO_SETS, WITHOUT_PAIRS};
use crate::regions::enclosures::Enclosures;
use crate::regions::frame::Frame as RoomFrame;
use crate::regions::room;
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::kind::{Records, Shape};

impl GpuEngine {
    pub fn reserve(&mut self, capacity: Capacity) -> Result<()> {
        let Capacity {
            boxes,
            candidates,
            pairs,
            undecided,
        } = capacity;
        self.context.check_trouble()?;
        // A lost device still returns buffers, but they are invalid.
        self.context.check_presence()?;
        let limits = self.context.limits();
        let broad_phase = passes::chosen(self.config.broad_phase);
        let (boxes, most_boxes) = (boxes as usize, limits.max_boxes(broad_phase));
        expect_room("room for the boxes of recorded frames", boxes, most_boxes)?;
        for (what, count, most) in [
            ("room for candidate pairs", candidates, limits.max_candidates(WORDS)),
            ("room for colliding pairs", pairs, limits.max_pairs()),
            ("room for undecided pairs", undecided, limits.max_undecided()),
        ] {
            expect_room(what, count as usize, usize::try_from(most).unwrap_or(usize::MAX))?;
        }
        let room = Room {
            candidates: candidates.into(),
            pairs: pairs.into(),
            undecided: u64::from(undecided) << u32::from(limits.f64),
            ..ranges::room_of_frame(&limits, &self.config, boxes, WORDS)
        };
        let (context, config) = (&self.context, &self.config);
        let new = || Pipeline::new(context, config);
        with(&mut self.pipeline, new, |pipeline| pipeline.reserve(context, &room))
    }

    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, query: FrameQuery<'_>) -> Result<Recorded> {
        self.context.check_trouble()?;
        if let Some(images) = query.images {
            expect_alone(&query, images)?;
        }
        let (subject, count) = self.subject_of(&query)?;
        // Pairs with images are sorted by their bodies.
        let sets = Sets::of(
            subject.at_rest.as_ref(),
            query.images.map_or(count, |images| images.count),
        );
        self.context.recorded.store(true, Relaxed);
        self.order = PairsOrder::AsFound;
        let context = &self.context;
        let config = &match query.visitor {
            None => self.config.clone(),
            Some(_) => without_pairs(&self.config),
        };
        let mut off = Stopwatch::off();
        let mut watch = query.timer.map(|timer| timer.watch(context)).transpose()?;
        let watch = watch.as_deref_mut().unwrap_or(&mut off);
        let new = || Pipeline::new(context, &self.config);
        with(&mut self.pipeline, new, |pipeline| {
            let room = ranges::room_of_frame(&context.limits(), config, count as usize, subject.words_of_candidate());
            pipeline.reserve(context, &room)?;
            let asked = Asked {
                records: query.records,
                count,
                subject: &subject,
                refit: query.refit,
                visitor: query.visitor,
                counted: query.images.map(|images| &images.counts).or(query.counted),
                active: query.active,
                images: query.images.map(|images| &images.images),
            };
            let refitted = pipeline.record(context, encoder, &asked, config, watch)?;
            let buffer = |slot| pipeline.arena.buffer(slot).cloned();
            let images = match subject.images {
                None => None,
                Some(images) => Some(PairImages {
                    unit: images.unit,
                    params: buffer(&COUNTED)?,
                }),
            };
            Ok(Recorded {
                outcome: buffer(&OUTCOME)?,
                pairs: buffer(&PAIRS)?,
                undecided: buffer(&UNDECIDED)?,
                degrees: buffer(&DEGREES)?,
                refitted,
                sets: (config.output == Output::Pairs).then_some(sets),
                bodies: matches!(subject.shape, Shape::Obb | Shape::Bodies)
                    .then(|| PairBodies::new(context, query.records, &subject, images)),
                images: query.images.map(|images| images.images.clone()),
            })
        })
    }

    pub fn record_images(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
        bodies: &Imaged,
    ) -> Result<RecordedImages> {
        self.context.check_trouble()?;
        expect_bytes(buffer, bodies.count, bodies.bytes())?;
        if let Some(active) = &bodies.active {
            expect_record_bytes(active, bodies.count, size_of::<u32>() as u64)?;
        }
        if let Some(counted) = &bodies.counted {
            expect_record_bytes(counted, 1, size_of::<u32>() as u64)?;
        }
        bodies.check_rules(&self.context)?;
        let (context, margin) = (&self.context, above(self.config.margin));
        let new = || ImageResults::new(context);
        with(&mut self.image_results, new, |results| {
            results.record(context, encoder, (buffer, bodies), margin)
        })
    }

    /// Returns the subject of a frame, and the number of its records, if its buffers and the device
    /// have room for them.
    fn subject_of(&self, query: &FrameQuery<'_>) -> Result<(FrameSubject, u32)> {
        let (counts, images) = (query.counts.in_order(), query.images.map(|images| images.listed));
        let bodies = counts.iter().sum::<u64>();
        let count = bodies.saturating_add(images.map_or(0, |images| images.most.into())) as usize;
        check_count(count)?;
        let at_rest = query.scene.map(|scene| scene.on_device(&self.context).cloned());
        let at_rest = at_rest.transpose()?;
        let of_a = at_rest.as_ref().map_or(counts, |scene| scene.counts);
        let only_boxes = are_boxes(of_a) && are_boxes(counts);
        let shape = match query.shape {
            Shape::Bodies if only_boxes => Shape::Obb,
            shape => shape,
        };
        let (limits, broad_phase) = (self.context.limits(), passes::chosen(self.config.broad_phase));
        let most = match at_rest {
            None => limits.max_boxes(broad_phase),
            Some(_) => limits.max_boxes_of_query(broad_phase),
        };
        expect_room("a recorded frame", count, most)?;
        let count = count as u32;
        if let Some(counted) = query.counted {
            expect_record_bytes(counted, 1, size_of::<u32>() as u64)?;
        }
        // Images have no rules and no flags of their own.
        if let Some(active) = query.active {
            expect_record_bytes(active, bodies as u32, size_of::<u32>() as u64)?;
        }
        let ruled = (counts, bodies);
        let mut subject = FrameRules::subject(query.rules, &self.context, (shape, at_rest), ruled)?;
        subject.neighbours = query.neighbours;
        subject.images = images;
        expect_bytes(query.records, count, subject.bound())?;
        if shape == Shape::Triangles && (self.config.margin > 0.0 || subject.own_margins) {
            return Err(TRIANGLES_WITH_MARGIN);
        }
        Ok((subject, count))
    }

    pub fn record_sort(&mut self, encoder: &mut wgpu::CommandEncoder, recorded: &Recorded) -> Result<&PairResults> {
        let sets = recorded.sets.ok_or(Error::Unavailable {
            what: "the sorted pairs",
            hint: WITHOUT_PAIRS,
        })?;
        self.record_form(encoder, recorded, sets, None)
    }

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
        self.record_form(encoder, recorded, sets, Some(rows))?.adjacency(count)
    }

    /// Records the nearest partners of every body, after the adjacency and the closest points that
    /// they follow from.
    pub fn record_nearest(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        direction: Direction,
        width: u32,
    ) -> Result<RecordedNearest> {
        if width == 0 {
            return Err(Error::Unavailable {
                what: "rows without places",
                hint: "give a width of at least 1",
            });
        }
        let adjacency = self.record_adjacency(encoder, recorded, direction)?;
        let closest = self.record_closest_points(encoder, recorded)?;
        let context = &self.context;
        let new = || NearestResults::new(context);
        with(&mut self.nearest_results, new, |results| {
            results.record(context, encoder, &adjacency, &closest, width)
        })
    }

    pub fn record_events(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        frame: (&Recorded, Option<&RecordedContacts>),
        persisting: bool,
    ) -> Result<RecordedEvents> {
        let (recorded, contacts) = frame;
        let sorted = self.record_sort(encoder, recorded)?;
        let frame = Frame {
            recorded,
            contacts,
            pairs: sorted.pairs_of_bodies(recorded)?,
            turned: sorted.turned(recorded)?,
        };
        let context = &self.context;
        let new = || EventResults::new(context);
        with(&mut self.event_results, new, |results| {
            results.record(context, encoder, &frame, persisting)
        })
    }

    fn record_form(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        sets: Sets,
        rows: Option<Rows>,
    ) -> Result<&PairResults> {
        self.context.check_trouble()?;
        let context = &self.context;
        let unsorted = self.order.sort(&recorded.pairs)?;
        let formed = take(&mut self.pair_results, || PairResults::new(context)).and_then(|mut results| {
            results.reserve(context, recorded, rows)?;
            results.record(context, encoder, (recorded, sets), unsorted, rows)?;
            Ok(results)
        });
        match formed {
            Ok(results) => Ok(self.pair_results.insert(results)),
            Err(error) => {
                // The memory of sorted pairs is lost, so the next form sorts again.
                self.order = PairsOrder::AsFound;
                Err(error)
            }
        }
    }

    pub fn record_contacts(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        max_points: u32,
        in_plane: bool,
    ) -> Result<RecordedContacts> {
        let found = FoundPairs::of(recorded, "contacts")?;
        self.detailed(recorded, |results, context| {
            results.record_contacts(context, encoder, &found, max_points, in_plane)
        })
    }

    pub fn record_closest_points(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
    ) -> Result<wgpu::Buffer> {
        let found = FoundPairs::of(recorded, "closest points")?;
        self.detailed(recorded, |results, context| {
            results.record_closest(context, encoder, &found)
        })
    }

    pub fn record_overlaps(&mut self, encoder: &mut wgpu::CommandEncoder, recorded: &Recorded) -> Result<wgpu::Buffer> {
        let found = FoundPairs::of_boxes(recorded, "overlap volumes")?;
        self.detailed(recorded, |results, context| {
            results.record_overlaps(context, encoder, &found)
        })
    }

    /// Records details of the pairs of a frame, which keep their order from now on.
    fn detailed<T>(
        &mut self,
        recorded: &Recorded,
        record: impl FnOnce(&mut ContactResults, &Context) -> Result<T>,
    ) -> Result<T> {
        self.context.check_trouble()?;
        self.order.name(&recorded.pairs);
        self.context.recorded.store(true, Relaxed);
        let context = &self.context;
        let new = || ContactResults::new(context);
        with(&mut self.contact_results, new, |results| record(results, context))
    }

    pub fn record_enclosures(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        room: &room::Room,
        bodies: &wgpu::Buffer,
        counts: BodyCounts,
    ) -> Result<wgpu::Buffer> {
        self.context.check_trouble()?;
        let (count, of_kinds) = (counts.total(), counts.in_order());
        check_count(count)?;
        let needed = bound(Shape::Bodies, only_kind(of_kinds, of_kinds), of_kinds);
        expect_bytes(bodies, count as u32, needed)?;
        self.context.recorded.store(true, Relaxed);
        let (context, frame) = (&self.context, RoomFrame::new(room));
        let new = || Enclosures::new(context);
        with(&mut self.rooms, new, |rooms| {
            rooms.record(context, encoder, &frame, bodies, counts)
        })
    }
}

impl GpuEngine {
    pub fn timer(&self, by: TimedBy) -> Result<FrameTimer> {
        self.context.check_trouble()?;
        FrameTimer::new(&self.context, by)
    }

    pub async fn timings(&mut self, timer: &FrameTimer) -> Result<FrameTimings> {
        let stamps = timer.watch(&self.context)?.stamps();
        let Some((buffer, count)) = stamps else {
            return Ok(FrameTimings::default());
        };
        let stamps: Vec<u64> = self.read(&buffer, count).await?;
        let (total, frames) = timer.watch(&self.context)?.times(&stamps);
        Ok(FrameTimings::new(total, &frames))
    }

    /// Creates a buffer with the caller's records, or with the size of one record if there are
    /// none.
    pub fn upload<T: bytemuck::Pod>(&mut self, records: &[T]) -> Result<wgpu::Buffer> {
        self.context.check_trouble()?;
        let one = [T::zeroed()];
        let bytes: &[u8] = bytemuck::cast_slice(if records.is_empty() { &one } else { records });
        let (needed, available) = (bytes.len() as u64, self.context.device.limits().max_buffer_size);
        if needed > available {
            return Err(Error::LimitExceeded {
                what: "a buffer of the caller's records".to_owned(),
                needed,
                available,
                hint: "upload fewer at once",
            });
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        self.context.buffer_with("the caller's records", bytes, usage)
    }

    /// Creates a buffer with the caller's bodies, in the layout that frames and sweeps read.
    pub fn upload_bodies(&mut self, bodies: Bodies<'_>) -> Result<wgpu::Buffer> {
        let counts = Records::Bodies(bodies).counts();
        let bytes = bound(Shape::Bodies, only_kind(counts, counts), counts) as usize;
        let mut records: Vec<u8> = Vec::new();
        memory::reserve(&mut records, bytes, "the caller's bodies")?;
        bodies.bytes().iter().for_each(|part| records.extend_from_slice(part));
        records.resize(bytes, 0);
        self.upload(&records)
    }

    /// Reads the first records of a buffer of the caller, or of one with the results of a frame.
    pub async fn read<T: bytemuck::Pod>(&mut self, buffer: &wgpu::Buffer, count: u32) -> Result<Vec<T>> {
        self.context.check_trouble()?;
        let needed = size_of::<T>() as u64 * u64::from(count);
        expect_source(buffer, needed)?;
        if needed == 0 {
            return Ok(Vec::new());
        }
        let mut staging = take(&mut self.read_back, || Staging::new(&self.context))?;
        let encoder = self.context.encoder("the read-back")?;
        let records = staging.read(&self.context, encoder, buffer, count as usize).await?;
        self.read_back = Some(staging);
        Ok(records)
    }
}

/// Returns an error if a frame of images is given something that belongs to the list of images.
fn expect_alone(query: &FrameQuery<'_>, images: &RecordedImages) -> Result<()> {
    for (requested, what, hint) in [
        (
            query.counted.is_some(),
            "a number of bodies for a frame with images",
            "give it to `ImagesOf::counted`",
        ),
        (
            query.active != images.active.as_ref(),
            "flags of active bodies for a frame with images",
            "give them to `ImagesOf::active`",
        ),
        (
            query.rules.map(FrameRules::list) != images.rules.as_ref().map(FrameRules::list),
            "rules for a frame with images",
            "give them to `ImagesOf::with`",
        ),
    ] {
        if requested {
            return Err(Error::Unavailable { what, hint });
        }
    }
    Ok(())
}

/// Returns the configuration of a frame that lists no pairs.
fn without_pairs(config: &Config) -> Config {
    Config {
        output: Output::Count,
        max_pairs: Some(0),
        ..config.clone()
    }
}

/// Returns an error if this many bytes cannot be copied from a buffer.
fn expect_source(buffer: &wgpu::Buffer, needed: u64) -> Result<()> {
    let reason = if !buffer.usage().contains(wgpu::BufferUsages::COPY_SRC) {
        "it lacks the usage COPY_SRC".to_owned()
    } else if buffer.size() < needed {
        format!("it has {} bytes instead of {needed}", buffer.size())
    } else if !needed.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT) {
        format!(
            "{needed} bytes cannot be copied, because that is not a multiple of {}",
            wgpu::COPY_BUFFER_ALIGNMENT
        )
    } else {
        return Ok(());
    };
    Err(Error::InvalidBuffer { reason })
}

/// Returns an error if a buffer of the caller cannot hold `count` records of `bytes` bytes each.
pub(super) fn expect_record_bytes(records: &wgpu::Buffer, count: u32, bytes: u64) -> Result<()> {
    expect_bytes(records, count, bytes * u64::from(count.max(1)))
}

/// Returns an error if a buffer of the caller cannot hold `needed` bytes in total.
pub(super) fn expect_bytes(records: &wgpu::Buffer, count: u32, needed: u64) -> Result<()> {
    let reason = if !records.usage().contains(wgpu::BufferUsages::STORAGE) {
        "it lacks the usage STORAGE".to_owned()
    } else if records.size() < needed {
        format!(
            "it has {} bytes instead of {needed} (number of records: {count}, at least one)",
            records.size()
        )
    } else {
        return Ok(());
    };
    Err(Error::InvalidBuffer { reason })
}
