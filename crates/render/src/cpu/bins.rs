//! The things that each tile may show.

use std::ops::Range;

use glam::{DVec3, Quat, UVec2, Vec2, Vec3};

use crate::cpu::layer::{Layer, TILE};
use crate::error::Result;
use crate::lens::{Lens, NEAR};
use crate::records::{BALL, Facet, Solid};
use obbligato_support::{memory, parallel};

/// Label for out-of-memory errors.
const WHAT: &str = "what the tiles of the picture show";

/// A thing in a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// A lower bound on its depth.
    pub nearest: f32,
    /// Its position among the solids or, after all solids, among the facets.
    pub id: u32,
}

/// The things of all tiles.
pub(super) struct Bins {
    /// The beginning of the entries of each tile, and the end of the last.
    offsets: Vec<usize>,
    entries: Vec<Entry>,
    columns: u32,
}

impl Bins {
    /// Sorts a layer into the tiles of a picture of this size. The order within a tile is
    /// preserved.
    pub fn new(layer: &Layer<'_>, outline: &Outline, size: [u32; 2]) -> Result<Self> {
        let [columns, rows] = size.map(|pixels| pixels.div_ceil(TILE));
        let tiles = columns as usize * rows as usize;
        let count = layer.solids.len() + layer.facets.len();
        let parts = parallel::map_ranges(count, |range| spans(layer, outline, size, range));
        let mut offsets: Vec<usize> = memory::zeroed(tiles + 1, WHAT)?;
        for span in parts.iter().flatten() {
            span.each_tile(columns, |tile| offsets[tile + 1] += 1);
        }
        for tile in 0..tiles {
            offsets[tile + 1] += offsets[tile];
        }
        let empty = Entry { nearest: 0.0, id: 0 };
        let mut entries = memory::filled(offsets[tiles], empty, WHAT)?;
        let mut next = memory::collect(offsets.iter().copied(), WHAT)?;
        for span in parts.iter().flatten() {
            span.each_tile(columns, |tile| {
                entries[next[tile]] = span.entry;
                next[tile] += 1;
            });
        }
        Ok(Self {
            offsets,
            entries,
            columns,
        })
    }

    pub fn of_tile(&self, [x, y]: [u32; 2]) -> &[Entry] {
        let tile = (y * self.columns + x) as usize;
        &self.entries[self.offsets[tile]..self.offsets[tile + 1]]
    }
}

/// A thing and the tiles that its bounds meet.
struct Span {
    entry: Entry,
    columns: Range<u32>,
    rows: Range<u32>,
}

impl Span {
    fn each_tile(&self, columns: u32, mut work: impl FnMut(usize)) {
        for row in self.rows.clone() {
            for column in self.columns.clone() {
                work((row * columns + column) as usize);
            }
        }
    }
}

fn spans(layer: &Layer<'_>, outlines: &Outline, size: [u32; 2], range: Range<usize>) -> Vec<Span> {
    let span = |k: usize| {
        let outline = match layer.solids.get(k) {
            Some(solid) => outlines.of_solid(solid),
            None => outlines.of_facet(&layer.facets[k - layer.solids.len()]),
        };
        let [columns, rows] = outline.pixels(size)?;
        let tiles = |pixels: Range<u32>| pixels.start / TILE..pixels.end.div_ceil(TILE);
        Some(Span {
            entry: Entry {
                nearest: outline.nearest,
                id: k as u32,
            },
            columns: tiles(columns),
            rows: tiles(rows),
        })
    };
    range.filter_map(span).collect()
}

/// The projection of things to the picture.
pub(super) struct Outline {
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    middle: Vec2,
}

/// The bounds of a thing in the picture, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    low: Vec2,
    high: Vec2,
    pub nearest: f32,
    furthest: f32,
}

impl Outline {
    pub fn new(lens: &Lens) -> Self {
        let in_pixels = |axis: DVec3| (axis / lens.pixel).as_vec3();
        Self {
            right: in_pixels(lens.right),
            up: in_pixels(lens.up),
            forward: lens.forward.as_vec3(),
            middle: 0.5 * UVec2::from(lens.size).as_vec2(),
        }
    }

    /// Returns the bounds of points, and of the lines between them.
    fn of_points(&self, points: impl Iterator<Item = Vec3>) -> Bounds {
        let mut bounds = Bounds {
            low: Vec2::INFINITY,
            high: Vec2::NEG_INFINITY,
            nearest: f32::INFINITY,
            furthest: f32::NEG_INFINITY,
        };
        for point in points {
            let depth = point.dot(self.forward);
            bounds.nearest = bounds.nearest.min(depth);
            bounds.furthest = bounds.furthest.max(depth);
            let inverse = depth.recip();
            let place = self.middle + Vec2::new(point.dot(self.right), -point.dot(self.up)) * inverse;
            bounds.low = bounds.low.min(place);
            bounds.high = bounds.high.max(place);
        }
        bounds
    }

    pub fn of_solid(&self, solid: &Solid) -> Bounds {
        let rotation = match solid.shape() {
            BALL => Quat::IDENTITY,
            _ => Quat::from_array(solid.rotation),
        };
        let half = solid.half_extents;
        let [x, y, z] = [
            rotation * (Vec3::X * half.x),
            rotation * (Vec3::Y * half.y),
            rotation * (Vec3::Z * half.z),
        ];
        let signs = [-1.0_f32, 1.0];
        let corners = (0..8).map(|k| solid.center + x * signs[k & 1] + y * signs[k >> 1 & 1] + z * signs[k >> 2 & 1]);
        self.of_points(corners)
    }

    pub fn of_facet(&self, facet: &Facet) -> Bounds {
        self.of_points([facet.a, facet.b, facet.c].into_iter())
    }
}

impl Bounds {
    /// Returns the columns and rows of the pixels that may show it, in a picture of this size;
    /// `None` if there are none.
    pub fn pixels(&self, size: [u32; 2]) -> Option<[Range<u32>; 2]> {
        if self.furthest <= NEAR {
            return None;
        }
        // Anything that reaches behind the eye may be anywhere.
        let crosses = self.nearest <= NEAR;
        let range = |axis: usize| {
            let end = size[axis];
            if crosses {
                return 0..end;
            }
            // Slightly larger, for rounding. NaN and numbers that are too large end at the border.
            let low = (self.low[axis] - 0.01).floor().max(0.0) as u32;
            let high = (self.high[axis] + 0.01).ceil().clamp(0.0, end as f32) as u32;
            low..high
        };
        let ranges = [range(0), range(1)];
        ranges.iter().all(|range| range.start < range.end).then_some(ranges)
    }
}
