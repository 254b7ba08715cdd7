//! GPU times: recording of timestamps, and their evaluation.

use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::device::context::Context;

/// Bytes of the timestamps of a whole, as [`Stopwatch::resolve`] writes them, unless each kernel
/// has its own.
pub(crate) const BYTES: u64 = Detail::Passes.bytes();
/// The maximum number of timestamps of one stopwatch, the number that WebGPU guarantees in a set.
const MOST_OF_ALL: u32 = 4096;

// Timestamps are copied to multiples of this offset in a buffer.
const _: () = {
    let alignment = wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT;
    assert!(BYTES.is_multiple_of(alignment) && Detail::Kernels.bytes().is_multiple_of(alignment));
};

/// The units that are timed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The whole.
    Whole,
    /// Each compute pass.
    Passes,
    /// Each kernel, in a pass of its own.
    Kernels,
}

impl Detail {
    /// Returns the maximum number of timestamps between [`Stopwatch::open`] and
    /// [`Stopwatch::close`]: two for each pass, plus two. A pass has a stage, or a kernel; the
    /// linear tree has the most kernels, about 75 with worlds.
    const fn most(self) -> u32 {
        match self {
            Self::Whole | Self::Passes => 64,
            Self::Kernels => 192,
        }
    }

    /// Returns the bytes of that number of timestamps.
    const fn bytes(self) -> u64 {
        8 * self.most() as u64
    }
}

/// The name of a timed pass: its stage, and its first kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Name {
    pub stage: Stage,
    pub kernel: &'static str,
}

/// Measures the time of recorded commands, if the device has timestamps.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    queries: Option<Queries>,
    detail: Detail,
    /// The wholes, each from [`Stopwatch::open`] to [`Stopwatch::close`], limited by the capacity.
    wholes: Vec<Whole>,
}

#[derive(Debug)]
struct Queries {
    set: wgpu::QuerySet,
    /// The target of [`Stopwatch::resolve`].
    buffer: wgpu::Buffer,
    /// The maximum number of wholes.
    most: u32,
    /// Set if timestamps can be written between passes.
    between_passes: bool,
    nanoseconds_per_tick: f32,
}

/// Timestamps from an opening to a closing.
#[derive(Debug, Default)]
struct Whole {
    /// The number of timestamps.
    stamps: u32,
    /// The name of each timed pass, and the index of the timestamp before it; the one after it
    /// follows.
    laps: Vec<(Name, u32)>,
}

/// The measured times, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Times {
    /// From the first timestamp to the last.
    pub total: f64,
    /// The time of each lap, without its overlap with earlier ones.
    pub laps: Vec<(Name, f64)>,
}

impl Times {
    /// Returns the time outside all laps: fills, copies and gaps.
    pub fn other(&self) -> f64 {
        (self.total - self.laps.iter().map(|(_, time)| time).sum::<f64>()).max(0.0)
    }
}

impl Stopwatch {
    /// Creates a stopwatch with capacity for `wholes` wholes.
    pub fn new(context: &Context, detail: Detail, wholes: u32) -> Result<Self> {
        let most = wholes.min(MOST_OF_ALL / detail.most());
        let queries = if context.timestamps {
            let descriptor = wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: most * detail.most(),
            };
            let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
            Some(Queries {
                set: context.scoped("timestamps", 0, || context.device.create_query_set(&descriptor))?,
                buffer: context.buffer("timestamps", u64::from(most) * detail.bytes(), usage)?,
                most,
                between_passes: context.timestamps_between_passes,
                nanoseconds_per_tick: context.queue.get_timestamp_period(),
            })
        } else {
            None
        };
        Ok(Self {
            queries,
            detail,
            wholes: Vec::new(),
        })
    }

    /// Creates a stopwatch that measures nothing.
    pub const fn off() -> Self {
        Self {
            queries: None,
            detail: Detail::Whole,
            wholes: Vec::new(),
        }
    }

    /// The maximum number of wholes; fewer if each kernel is timed.
    pub const MOST_WHOLES: u32 = MOST_OF_ALL / Detail::Whole.most();

    /// Begins a whole.
    pub fn open(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        if let Some(queries) = &self.queries {
            if self.wholes.len() as u32 == queries.most {
                return Err(Error::LimitExceeded {
                    what: "the frames of a timer".to_owned(),
                    needed: u64::from(queries.most) + 1,
                    available: queries.most.into(),
                    hint: "read its timings first, or make another timer",
                });
            }
            self.wholes.push(Whole::default());
            self.stamp(encoder);
        }
        Ok(())
    }

    /// Ends the whole.
    pub fn close(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.stamp(encoder);
    }

    /// Writes a timestamp between passes, if the device supports it. Otherwise the first and last
    /// pass delimit the whole.
    fn stamp(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let number = self.wholes.len() as u32;
        if let (Some(queries), Some(whole)) = (&self.queries, self.wholes.last_mut())
            && queries.between_passes
            && whole.stamps < self.detail.most()
        {
            encoder.write_timestamp(&queries.set, (number - 1) * self.detail.most() + whole.stamps);
            whole.stamps += 1;
        }
    }

    /// Returns the number of kernels of a stage that go into one pass.
    pub fn kernels_a_pass(&self) -> usize {
        match (&self.queries, self.detail) {
            (Some(_), Detail::Kernels) => 1,
            _ => usize::MAX,
        }
    }

    /// Begins a compute pass.
    pub fn begin<'a>(&mut self, encoder: &'a mut wgpu::CommandEncoder, name: Name) -> wgpu::ComputePass<'a> {
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(name.stage.name()),
            timestamp_writes: self.around(name),
        })
    }

    /// Returns the timestamps around a pass.
    fn around(&mut self, name: Name) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let number = self.wholes.len() as u32;
        let (queries, whole) = (self.queries.as_ref()?, self.wholes.last_mut()?);
        let needed = self.detail != Detail::Whole || !queries.between_passes;
        // One is left for the closing.
        if !needed || whole.stamps + 2 >= self.detail.most() {
            return None;
        }
        let first = (number - 1) * self.detail.most() + whole.stamps;
        if self.detail != Detail::Whole {
            whole.laps.push((name, whole.stamps));
        }
        whole.stamps += 2;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &queries.set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Copies the timestamps of the last whole to the stopwatch's buffer, and to `target` if given.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, target: Option<(&wgpu::Buffer, u64)>) {
        let number = self.wholes.len() as u32;
        if let (Some(queries), Some(whole)) = (&self.queries, self.wholes.last())
            && whole.stamps > 0
        {
            let (most, bytes) = (self.detail.most(), self.detail.bytes());
            let (first, from) = ((number - 1) * most, u64::from(number - 1) * bytes);
            encoder.resolve_query_set(&queries.set, first..first + whole.stamps, &queries.buffer, from);
            if let Some((target, offset)) = target {
                encoder.copy_buffer_to_buffer(&queries.buffer, from, target, offset, 8 * u64::from(whole.stamps));
            }
        }
    }

    /// Returns the buffer with the timestamps, and the number of its leading entries that are
    /// valid.
    pub fn stamps(&self) -> Option<(wgpu::Buffer, u32)> {
        let queries = self.queries.as_ref()?;
        Some((queries.buffer.clone(), self.wholes.len() as u32 * self.detail.most()))
    }

    /// Evaluates the timestamps that [`Stopwatch::resolve`] copied: returns the time from the first
    /// to the last of all, and the times of each whole. Recording then starts again from an empty
    /// state.
    pub fn times(&mut self, stamps: &[u64]) -> (f64, Vec<Times>) {
        let tick = f64::from(
            self.queries
                .as_ref()
                .map_or(0.0, |queries| queries.nanoseconds_per_tick),
        ) * 1e-6;
        let wholes = std::mem::take(&mut self.wholes);
        let most = self.detail.most() as usize;
        let parts = || wholes.iter().zip(stamps.chunks(most));
        let written = parts().flat_map(|(whole, stamps)| &stamps[..stamps.len().min(whole.stamps as usize)]);
        let total = span(written.copied()) as f64 * tick;
        (
            total,
            parts().map(|(whole, stamps)| whole.times(stamps, tick)).collect(),
        )
    }
}

impl Whole {
    /// Evaluates the timestamps. Passes may overlap on some devices; overlap counts for the first,
    /// so that no lap is negative and their sum does not exceed the whole.
    fn times(&self, stamps: &[u64], tick: f64) -> Times {
        let stamps = &stamps[..stamps.len().min(self.stamps as usize)];
        let mut done = 0;
        let lap = |&(name, at): &(Name, u32)| {
            let (start, end) = (stamps.get(at as usize)?, stamps.get(at as usize + 1)?);
            let time = end.saturating_sub(done.max(*start));
            done = done.max(*end);
            Some((name, time as f64 * tick))
        };
        Times {
            laps: self.laps.iter().filter_map(lap).collect(),
            total: span(stamps.iter().copied()) as f64 * tick,
        }
    }
}

/// Returns the difference between the smallest and the largest.
fn span(stamps: impl Iterator<Item = u64> + Clone) -> u64 {
    let (first, last) = (stamps.clone().min(), stamps.max());
    last.unwrap_or(0) - first.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole_and_none_is_negative() {
        let name = |stage, kernel| Name { stage, kernel };
        let (a, b, c) = (
            name(Stage::Bounds, "a"),
            name(Stage::Sort, "b"),
            name(Stage::Pairs, "c"),
        );
        let whole = Whole {
            stamps: 8,
            laps: vec![(a, 1), (b, 3), (c, 5)],
        };
        for (stamps, laps, other) in [
            // A gap before each.
            ([100, 110, 120, 125, 145, 150, 180, 200], [10.0, 20.0, 30.0], 40.0),
            // The second begins before the first ends, and the third lies within it.
            ([100, 100, 120, 110, 150, 130, 140, 150], [20.0, 30.0, 0.0], 0.0),
            // A clock that has been set back.
            ([100, 110, 105, 120, 130, 140, 150, 160], [0.0, 10.0, 10.0], 40.0),
        ] {
            let times = whole.times(&stamps, 1.0);
            assert_eq!(times.laps, [a, b, c].into_iter().zip(laps).collect::<Vec<_>>());
            assert_eq!(times.other(), other, "{stamps:?}");
            assert_eq!(times.total, laps.iter().sum::<f64>() + other);
        }
        // A whole that was never submitted.
        assert_eq!(whole.times(&[0; 8], 1.0).total, 0.0);
        assert_eq!(whole.times(&[], 1.0).laps, []);
    }
}
