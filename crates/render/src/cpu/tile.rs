//! A tile of the picture.

use std::ops::Range;

use glam::Vec3;

use crate::colours::{linear, stored};
use crate::cpu::bins::{Bins, Entry, Outline};
use crate::cpu::layer::{Layer, TILE};
use crate::lens::LensRecord;
use crate::rays::{Hit, Plane, Target};
use crate::shading::shade;

/// The side of a block in pixels.
const BLOCK: u32 = 8;
const BLOCKS: usize = (TILE / BLOCK) as usize;

/// The positions of the four sample points in a pixel, as on GPUs.
const POINTS: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// The number of points of a tile.
const ALL: usize = (TILE * TILE) as usize * POINTS.len();

/// The number that stands for no thing.
const NOTHING: u32 = u32::MAX;

/// The input of all tiles.
pub(super) struct Scene<'a> {
    pub lens: LensRecord,
    pub size: [u32; 2],
    pub opaque: Layer<'a>,
    pub ghosts: Layer<'a>,
    pub arrows: Layer<'a>,
    pub outline: Outline,
    pub bins: [Bins; 3],
}

/// A tile that is being drawn.
pub(super) struct Tile<'a> {
    scene: &'a Scene<'a>,
    at: [u32; 2],
    /// Its first pixel.
    corner: [u32; 2],
    /// Its size, which is smaller at the picture's borders.
    size: [u32; 2],
    depths: Vec<f32>,
    ids: Vec<u32>,
    colours: Vec<Vec3>,
    /// The largest depth in each block.
    furthest: [[f32; BLOCKS]; BLOCKS],
}

/// A solid or a triangle, prepared for rays.
enum Seen {
    Solid(Target),
    Facet(Plane),
}

impl Seen {
    fn depth(&self, ray: Vec3) -> Option<f32> {
        match self {
            Self::Solid(target) => target.depth(ray),
            Self::Facet(plane) => plane.depth(ray),
        }
    }

    /// Returns `true` if no ray between these meets it.
    fn is_missed(&self, rays: &[Vec3; 4]) -> bool {
        match self {
            Self::Solid(_) => false,
            Self::Facet(plane) => plane.is_missed(rays),
        }
    }

    fn hit(&self, ray: Vec3, lens: &LensRecord) -> Option<Hit> {
        match self {
            Self::Solid(target) => target.hit(ray, lens),
            Self::Facet(plane) => Some(plane.hit(ray, lens)),
        }
    }
}

impl Layer<'_> {
    /// Returns the thing of this number, its tint, and its lift.
    fn seen(&self, id: u32) -> Option<(Seen, u32, f32)> {
        let id = id as usize;
        match self.solids.get(id) {
            Some(solid) => Some((Seen::Solid(Target::new(solid)), solid.tint(), solid.lift)),
            None => {
                let facet = &self.facets[id - self.solids.len()];
                Some((Seen::Facet(Plane::new(facet)?), facet.tint, facet.lift))
            }
        }
    }
}

impl<'a> Tile<'a> {
    pub fn new(scene: &'a Scene<'a>, at: [u32; 2]) -> Self {
        let corner = at.map(|place| place * TILE);
        let size = [0, 1].map(|axis| TILE.min(scene.size[axis] - corner[axis]));
        Self {
            scene,
            at,
            corner,
            size,
            depths: vec![f32::INFINITY; ALL],
            ids: vec![NOTHING; ALL],
            colours: vec![scene.lens.background; ALL],
            furthest: nothing_yet(size),
        }
    }

    /// Draws everything.
    pub fn draw(&mut self) {
        let scene = self.scene;
        let [opaque, ghosts, arrows] = &scene.bins;
        self.find_nearest(&scene.opaque, opaque);
        self.shade(&scene.opaque);
        self.blend(&scene.ghosts, ghosts);
        if !arrows.of_tile(self.at).is_empty() {
            self.depths.fill(f32::INFINITY);
            self.ids.fill(NOTHING);
            self.furthest = nothing_yet(self.size);
            self.find_nearest(&scene.arrows, arrows);
            self.shade(&scene.arrows);
        }
    }

    /// Finds the nearest thing at each point.
    fn find_nearest(&mut self, layer: &Layer<'_>, bins: &Bins) {
        let mut entries: Vec<Entry> = bins.of_tile(self.at).to_vec();
        entries.sort_unstable_by(|a, b| a.nearest.total_cmp(&b.nearest).then(a.id.cmp(&b.id)));
        let outline = &self.scene.outline;
        for (k, Entry { nearest, id }) in entries.into_iter().enumerate() {
            // All further things are behind everything, however they are lifted.
            if k % 16 == 0 && 0.9999 * nearest > self.furthest_anywhere() {
                break;
            }
            if let Some((seen, _, lift)) = layer.seen(id)
                && let Some(pixels) = self.pixels(layer, id, outline)
            {
                let nearer = 1.0 / lift;
                self.each_block(&seen, pixels, |tile, block, [columns, rows]| {
                    let furthest = &mut tile.furthest[block[1]][block[0]];
                    if nearest * nearer > *furthest {
                        return;
                    }
                    if tile.compare(&seen, id, nearer, columns, rows) {
                        tile.furthest[block[1]][block[0]] = tile.furthest_of(block);
                    }
                });
            }
        }
    }

    /// Returns the pixels of this tile that may show a thing.
    fn pixels(&self, layer: &Layer<'_>, id: u32, outline: &Outline) -> Option<[Range<u32>; 2]> {
        let bounds = match layer.solids.get(id as usize) {
            Some(solid) => outline.of_solid(solid),
            None => outline.of_facet(&layer.facets[id as usize - layer.solids.len()]),
        };
        let ranges = bounds.pixels(self.scene.size)?;
        let own = |axis: usize| {
            let first = self.corner[axis];
            let Range { start, end } = ranges[axis];
            start.max(first) - first..end.min(first + self.size[axis]).max(first) - first
        };
        Some([own(0), own(1)])
    }

    /// Calls `work` with each block that has some of these pixels, and those pixels. Of blocks
    /// beside a side of a long triangle, none shows it.
    fn each_block(
        &mut self,
        seen: &Seen,
        [columns, rows]: [Range<u32>; 2],
        mut work: impl FnMut(&mut Self, [usize; 2], [Range<u32>; 2]),
    ) {
        let blocks = |pixels: &Range<u32>| pixels.start / BLOCK..pixels.end.div_ceil(BLOCK);
        let part =
            |pixels: &Range<u32>, block: u32| pixels.start.max(block * BLOCK)..pixels.end.min((block + 1) * BLOCK);
        for y in blocks(&rows) {
            for x in blocks(&columns) {
                let pixels = [part(&columns, x), part(&rows, y)];
                if !seen.is_missed(&self.rays_around(&pixels)) {
                    work(self, [x as usize, y as usize], pixels);
                }
            }
        }
    }

    /// Returns four rays, between which all of these pixels are, and a pixel more, for rounding.
    fn rays_around(&self, [columns, rows]: &[Range<u32>; 2]) -> [Vec3; 4] {
        let ends = |axis: usize, pixels: &Range<u32>| {
            let first = self.corner[axis] as f32;
            [first + pixels.start as f32 - 1.0, first + pixels.end as f32 + 1.0]
        };
        let ([left, right], [top, bottom]) = (ends(0, columns), ends(1, rows));
        [[left, top], [right, top], [left, bottom], [right, bottom]].map(|[x, y]| self.scene.lens.ray(x, y))
    }

    /// Keeps a thing wherever it is nearest. Returns `true` if it is nearest anywhere.
    fn compare(&mut self, seen: &Seen, id: u32, nearer: f32, columns: Range<u32>, rows: Range<u32>) -> bool {
        let mut is_seen = false;
        for y in rows {
            for x in columns.clone() {
                let first = point_at(x, y, 0);
                for (k, point) in (first..).zip(POINTS) {
                    let Some(depth) = seen.depth(self.ray(x, y, point)) else {
                        continue;
                    };
                    let depth = depth * nearer;
                    if depth < self.depths[k] {
                        (self.depths[k], self.ids[k]) = (depth, id);
                        is_seen = true;
                    }
                }
            }
        }
        is_seen
    }

    fn furthest_anywhere(&self) -> f32 {
        self.furthest.iter().flatten().copied().fold(0.0, f32::max)
    }

    fn furthest_of(&self, block: [usize; 2]) -> f32 {
        let mut furthest = 0.0_f32;
        let [x, y] = block.map(|block| block as u32 * BLOCK);
        for y in y..(y + BLOCK).min(self.size[1]) {
            let last = (x + BLOCK).min(self.size[0]);
            for depth in &self.depths[point_at(x, y, 0)..point_at(last, y, 0)] {
                furthest = furthest.max(*depth);
            }
        }
        furthest
    }

    /// Returns the ray through a place in a pixel.
    fn ray(&self, x: u32, y: u32, place: [f32; 2]) -> Vec3 {
        let [x, y] = [self.corner[0] + x, self.corner[1] + y].map(|pixel| pixel as f32);
        self.scene.lens.ray(x + place[0], y + place[1])
    }

    /// Colours each point by the nearest thing there. A thing is shaded once per pixel, in the
    /// pixel's middle if that shows it.
    fn shade(&mut self, layer: &Layer<'_>) {
        let lens = &self.scene.lens;
        for y in 0..self.size[1] {
            for x in 0..self.size[0] {
                let first = point_at(x, y, 0);
                let mut last = (NOTHING, Vec3::ZERO);
                for (k, point) in (first..).zip(POINTS) {
                    let id = self.ids[k];
                    if id == NOTHING {
                        continue;
                    }
                    if id != last.0 {
                        let Some((seen, tint, _)) = layer.seen(id) else {
                            continue;
                        };
                        let middle = seen.hit(self.ray(x, y, [0.5; 2]), lens);
                        let hit = middle.or_else(|| seen.hit(self.ray(x, y, point), lens));
                        let colour = Vec3::from_slice(&lens.palette[tint as usize]);
                        last = (id, rounded(shade(&hit.unwrap_or_default(), colour, lens)));
                    }
                    self.colours[k] = last.1;
                }
            }
        }
    }

    /// Blends transparent things over the colours, in their order.
    fn blend(&mut self, layer: &Layer<'_>, bins: &Bins) {
        let outline = &self.scene.outline;
        for &Entry { id, .. } in bins.of_tile(self.at) {
            let Some((seen, tint, lift)) = layer.seen(id) else {
                continue;
            };
            if let Some(pixels) = self.pixels(layer, id, outline) {
                self.each_block(&seen, pixels, |tile, _, pixels| tile.tint(&seen, tint, lift, pixels));
            }
        }
    }

    /// Blends a transparent thing over the colours of some pixels.
    fn tint(&mut self, seen: &Seen, tint: u32, lift: f32, [columns, rows]: [Range<u32>; 2]) {
        let lens = &self.scene.lens;
        let [red, green, blue, alpha] = lens.palette[tint as usize];
        for (x, y) in rows.flat_map(|y| columns.clone().map(move |x| (x, y))) {
            for (k, point) in (point_at(x, y, 0)..).zip(POINTS) {
                let ray = self.ray(x, y, point);
                let Some(depth) = seen.depth(ray).filter(|depth| *depth / lift < self.depths[k]) else {
                    continue;
                };
                let hit = seen.hit(ray, lens).unwrap_or(Hit {
                    depth,
                    ..Hit::default()
                });
                let colour = shade(&hit, Vec3::new(red, green, blue), lens);
                let colour = colour.clamp(Vec3::ZERO, Vec3::ONE);
                self.colours[k] = rounded(self.colours[k].lerp(colour, alpha));
            }
        }
    }

    /// Writes its pixels.
    pub fn store(&self, rows: Vec<&mut [u8]>) {
        for (y, row) in (0..).zip(rows) {
            for (x, pixel) in (0..).zip(row.chunks_exact_mut(4)) {
                let first = point_at(x, y, 0);
                let sum: Vec3 = self.colours[first..first + POINTS.len()].iter().sum();
                let [red, green, blue] = (sum / POINTS.len() as f32).to_array().map(stored);
                pixel.copy_from_slice(&[red, green, blue, u8::MAX]);
            }
        }
    }
}

/// Returns these intensities as a GPU's target stores them: in 8 bits after each draw over them.
fn rounded(intensities: Vec3) -> Vec3 {
    Vec3::from_array(linear(intensities.to_array().map(stored)))
}

/// Returns the initial largest depth in each block of a tile of this size.
fn nothing_yet(size: [u32; 2]) -> [[f32; BLOCKS]; BLOCKS] {
    let is_in = |axis: usize, block: usize| (block as u32 * BLOCK) < size[axis];
    let depth = |x: usize, y: usize| if is_in(0, x) && is_in(1, y) { f32::INFINITY } else { 0.0 };
    std::array::from_fn(|y| std::array::from_fn(|x| depth(x, y)))
}

/// Returns the index of a point in the lists of a tile.
fn point_at(x: u32, y: u32, point: usize) -> usize {
    (y * TILE + x) as usize * POINTS.len() + point
}
