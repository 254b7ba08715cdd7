//! Draws pictures on the CPU: tile by tile, testing each ray against the things that the tile may
//! show.
//!
//! 1. Each thing goes into the bins of the tiles that its bounds meet in the picture ([`bins`]).
//! 2. Each tile keeps the depth and the number of the nearest thing, at four points in each pixel.
//!    It processes the nearest things first: a thing behind all of a block of pixels is skipped at
//!    once ([`tile`]).
//! 3. The visible things are shaded, ghosts are blended over them, and the four points of a pixel
//!    become its colour.
//!
//! Tiles are independent, so threads share nothing, and the picture does not depend on their
//! number.

mod bins;
mod layer;
mod tile;

use crate::cpu::bins::{Bins, Outline};
use crate::cpu::layer::{Layer, TILE};
use crate::cpu::tile::{Scene, Tile};
use crate::drawing::Drawing;
use crate::error::Result;
use crate::lens::Lens;
use crate::picture::Picture;
use obbligato_support::{memory, parallel};

/// Draws the picture of a drawing.
pub(super) fn draw(drawing: &Drawing, lens: &Lens) -> Result<Picture> {
    let size = lens.size;
    let mut picture = Picture::blank(size)?;
    let record = lens.record(drawing.depths, [0, 0], size);
    let opaque = Layer {
        solids: &drawing.solids,
        facets: &drawing.facets,
    };
    let ghosts = Layer {
        solids: &drawing.ghosts,
        facets: &drawing.ghost_facets,
    };
    let arrows = Layer {
        solids: &[],
        facets: &drawing.arrows,
    };
    let outline = Outline::new(lens);
    let scene = Scene {
        bins: [
            Bins::new(&opaque, &outline, size)?,
            Bins::new(&ghosts, &outline, size)?,
            Bins::new(&arrows, &outline, size)?,
        ],
        outline,
        lens: record,
        size,
        opaque,
        ghosts,
        arrows,
    };
    let tiles = size.map(|pixels| pixels.div_ceil(TILE));
    // A row of tiles is a contiguous part of the picture.
    let row_bytes = size[0] as usize * 4 * TILE as usize;
    let mut jobs = Vec::new();
    memory::reserve(&mut jobs, (tiles[0] * tiles[1]) as usize, "the tiles of the picture")?;
    for (y, band) in (0..).zip(picture.pixels.chunks_mut(row_bytes)) {
        let mut rows: Vec<&mut [u8]> = band.chunks_exact_mut(size[0] as usize * 4).collect();
        for x in 0..tiles[0] {
            let pixels = (TILE.min(size[0] - x * TILE) * 4) as usize;
            let mut parts = Vec::with_capacity(rows.len());
            for row in &mut rows {
                let (part, rest) = std::mem::take(row).split_at_mut(pixels);
                parts.push(part);
                *row = rest;
            }
            jobs.push(Job {
                at: [x, y],
                rows: parts,
            });
        }
    }
    parallel::for_each(jobs, |job| {
        let mut tile = Tile::new(&scene, job.at);
        tile.draw();
        tile.store(job.rows);
    });
    Ok(picture)
}

/// A tile, and its parts of the picture's rows.
struct Job<'a> {
    at: [u32; 2],
    rows: Vec<&'a mut [u8]>,
}
