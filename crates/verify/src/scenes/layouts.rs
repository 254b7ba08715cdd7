//! The positions of each scene's boxes.
//!
//! Densities are boxes per unit of volume, from measured partner counts at 100,000 boxes; see
//! [`Scene`](super::Scene) for the counts and `tests/it/scenes.rs` for the measurement.

use glam::Vec3;

use crate::scenes::random::{Random, cube_root, vec3};
use obbligato::Obb;

/// The boxes of a scene, one after the other.
pub(super) type Boxes = Box<dyn Iterator<Item = Obb> + Send>;

const UNIFORM_DENSITY: f64 = 0.0216;
const DENSE_DENSITY: f64 = 0.216;
const MIXED_DENSITY: f64 = 0.0024;
const CLUSTERS_DENSITY: f64 = 0.0014;
const STICKS_DENSITY: f64 = 0.57;

/// Returns the edge of a cube that holds `count` boxes at this density.
pub(super) fn world_edge(count: usize, density: f64) -> f64 {
    cube_root(count as f64 / density)
}

/// Returns the box of most scenes: half extents in [0.5, 1], any rotation.
pub(super) fn block(random: &mut Random, center: [f64; 3]) -> Obb {
    scaled_block(random, center, 1.0)
}

/// Returns a box of half extents in [0.5, 1] times `size`, any rotation.
fn scaled_block(random: &mut Random, center: [f64; 3], size: f64) -> Obb {
    let half_extents = [0; 3].map(|_| size * random.between(0.5, 1.0));
    Obb::new(vec3(center), vec3(half_extents), random.rotation())
}

/// Returns a block anywhere in a cube with this edge.
fn block_anywhere(random: &mut Random, edge: f64) -> Obb {
    let center = random.point(edge);
    block(random, center)
}

/// Returns `count` such blocks.
fn blocks(count: usize, edge: f64, mut random: Random) -> Boxes {
    Box::new((0..count).map(move |_| block_anywhere(&mut random, edge)))
}

pub(super) fn uniform(count: usize, random: Random) -> Boxes {
    blocks(count, world_edge(count, UNIFORM_DENSITY), random)
}

pub(super) fn dense(count: usize, random: Random) -> Boxes {
    blocks(count, world_edge(count, DENSE_DENSITY), random)
}

/// Returns `uniform`, with the rounding of positions that far from the origin: 1/16 in x.
pub(super) fn far(count: usize, random: Random) -> Boxes {
    let shifted = |obb: Obb| Obb {
        center: obb.center + Vec3::new(1e6, 0.0, 0.0),
        ..obb
    };
    Box::new(uniform(count, random).map(shifted))
}

/// Returns boxes with one size each, from 0.02 to 10, so that half extents are from 0.01 to 10.
pub(super) fn mixed(count: usize, mut random: Random) -> Boxes {
    const LN_500: f64 = 6.214_608_098_422_191;
    let edge = world_edge(count, MIXED_DENSITY);
    let mixed_block = move |_| {
        let center = random.point(edge);
        let size = random.log_uniform(0.02, LN_500);
        scaled_block(&mut random, center, size)
    };
    Box::new((0..count).map(mixed_block))
}

pub(super) fn giants(count: usize, mut random: Random) -> Boxes {
    let giants = count.min(8);
    let edge = world_edge(count, UNIFORM_DENSITY);
    let random = &mut random;
    let mut boxes: Vec<Obb> = (giants..count).map(|_| block_anywhere(random, edge)).collect();
    for _ in 0..giants {
        let center = vec3(random.point(edge));
        let half_extents = Vec3::splat((edge / 20.0) as f32);
        boxes.push(Obb::new(center, half_extents, random.rotation()));
    }
    scatter_tail(&mut boxes, giants, random);
    Box::new(boxes.into_iter())
}

/// Returns uniform boxes, except for 1,000 at the center of the world.
pub(super) fn coincident(count: usize, mut random: Random) -> Boxes {
    let stacked = count.min(1000);
    let (edge, random) = (world_edge(count, UNIFORM_DENSITY), &mut random);
    let mut boxes: Vec<Obb> = (stacked..count).map(|_| block_anywhere(random, edge)).collect();
    boxes.extend((0..stacked).map(|_| block(random, [0.0; 3])));
    scatter_tail(&mut boxes, stacked, random);
    Box::new(boxes.into_iter())
}

/// Moves the last `tail` boxes to random positions in the list.
fn scatter_tail(boxes: &mut [Obb], tail: usize, random: &mut Random) {
    for last in boxes.len() - tail..boxes.len() {
        boxes.swap(last, random.below(boxes.len()));
    }
}

/// Returns groups of about 250 people, each Gaussian around a point; the points are uniform on the
/// plane.
pub(super) fn crowd(count: usize, mut random: Random) -> Boxes {
    const GROUP: usize = 250;
    const GROUP_AREA: f64 = 581.0;
    const DEVIATION: f64 = 3.9;
    let groups = count.div_ceil(GROUP);
    let edge = (groups as f64 * GROUP_AREA).sqrt();
    let places: Vec<[f64; 3]> = (0..groups).map(|_| random.point(edge)).collect();
    let person = move |_| {
        let [x, y, _] = places[random.below(groups)];
        let center = [
            x + DEVIATION * random.gaussian(),
            y + DEVIATION * random.gaussian(),
            0.9,
        ];
        Obb::new(vec3(center), Vec3::new(0.3, 0.3, 0.9), random.yaw())
    };
    Box::new((0..count).map(person))
}

/// Returns a block about as wide as high, with every other course shifted by half a brick and the
/// top course possibly incomplete.
///
/// All coordinates are multiples of 1/2, so that faces touch exactly.
pub(super) fn bricks(count: usize, mut random: Random) -> Boxes {
    let courses = cube_root(2.0 * count as f64).ceil().max(1.0) as usize;
    let row = courses.div_ceil(2);
    let brick = |i: usize| {
        let (x, y, z) = (i % row, i / row % courses, i / row / courses);
        let center = [(2 * x + z % 2) as f64 + 1.0, y as f64 + 0.5, z as f64 + 0.5];
        Obb::axis_aligned(vec3(center), Vec3::new(1.0, 0.5, 0.5))
    };
    let mut boxes: Vec<Obb> = (0..count).map(brick).collect();
    random.shuffle(&mut boxes);
    Box::new(boxes.into_iter())
}

/// Returns boxes of which nine in ten are in eight cubes, one in each octant of the world, and the
/// tenth anywhere.
pub(super) fn clusters(count: usize, mut random: Random) -> Boxes {
    let edge = world_edge(count, CLUSTERS_DENSITY);
    let cluster_edge = edge * cube_root(0.01 / 8.0);
    let room = 0.5 * (edge - cluster_edge) - 0.5 * cluster_edge;
    let octant = |i: usize, random: &mut Random| -> [f64; 3] {
        let low = |axis: usize| if i >> axis & 1 == 0 { -0.5 * edge } else { 0.0 };
        [0, 1, 2].map(|axis| low(axis) + 0.5 * cluster_edge + random.between(0.0, room))
    };
    let places: Vec<[f64; 3]> = (0..8).map(|i| octant(i, &mut random)).collect();
    let clustered_block = move |_| {
        let center = if random.below(10) < 9 {
            let place = places[random.below(8)];
            let offset = random.point(cluster_edge);
            [0, 1, 2].map(|axis| place[axis] + offset[axis])
        } else {
            random.point(edge)
        };
        block(&mut random, center)
    };
    Box::new((0..count).map(clustered_block))
}

pub(super) fn sticks(count: usize, mut random: Random) -> Boxes {
    let edge = world_edge(count, STICKS_DENSITY);
    let stick = move |_| {
        let center = vec3(random.point(edge));
        Obb::new(center, Vec3::new(0.05, 0.05, 1.0), random.rotation())
    };
    Box::new((0..count).map(stick))
}

/// Returns rotated cubes of edge 0.1 on a lattice, displaced by up to a tenth of its spacing per
/// axis.
pub(super) fn particles(count: usize, mut random: Random) -> Boxes {
    const SPACING: f64 = 0.1528;
    let row = cube_root(count as f64).ceil().max(1.0) as usize;
    let particle = |i: usize| {
        let place = [i % row, i / row % row, i / row / row];
        let jitter = random.point(0.2 * SPACING);
        let center = [0, 1, 2].map(|axis| place[axis] as f64 * SPACING + jitter[axis]);
        Obb::new(vec3(center), Vec3::splat(0.05), random.rotation())
    };
    let mut boxes: Vec<Obb> = (0..count).map(particle).collect();
    random.shuffle(&mut boxes);
    Box::new(boxes.into_iter())
}
