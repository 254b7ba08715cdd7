//! A robot in its cell: finds the free postures, and a path from the table into the machine that
//! keeps clear of everything.
//!
//! `cargo run --release --example robot_cell -- cell.png`: with a file name, writes a picture of
//! the path.

use std::f32::consts::{FRAC_PI_2, PI};

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Backend, Bodies, Capsule, Checker, Config, Obb, PreparedScene, Query, Rules, Set};
use obbligato_render::{Camera, Legend, Mark, Renderer, View};

/// The angles of the joints, in radians.
pub type Posture = [f32; LINKS];

/// A joint rotates about an axis of the previous link. Its link extends along z for `length`
/// metres, with this radius.
struct Joint {
    axis: Vec3,
    length: f32,
    radius: f32,
}

const fn joint(axis: Vec3, length: f32, radius: f32) -> Joint {
    Joint { axis, length, radius }
}

/// The number of links of the robot.
pub const LINKS: usize = 6;

const JOINTS: [Joint; LINKS] = [
    joint(Vec3::Z, 0.30, 0.10),
    joint(Vec3::Y, 0.60, 0.08),
    joint(Vec3::Y, 0.35, 0.07),
    joint(Vec3::Z, 0.25, 0.06),
    joint(Vec3::Y, 0.12, 0.05),
    joint(Vec3::Z, 0.15, 0.04),
];

/// The start of the first link, in metres above the floor.
const BASE: Vec3 = Vec3::new(0.0, 0.0, 0.25);

/// The minimum distance from the robot to everything else at a tested posture, in metres.
const CLEARANCE: f32 = 0.04;

/// With the hand above the table, and inside the machine.
const AT_TABLE: Posture = [-FRAC_PI_2, 0.75, 1.05, 0.0, 1.05, 0.0];
const IN_MACHINE: Posture = [0.0, 0.583, 1.512, 0.0, -0.525, 0.0];

/// The outcome of the search.
pub struct Outcome {
    /// The number of random postures that keep clear of the cell and of the robot itself.
    pub free: usize,
    /// The total number of postures tested on all paths.
    pub looked_at: usize,
    /// The postures along the path; the direct one is blocked.
    pub way: Vec<Posture>,
}

/// A table, a machine with a window, and a fence.
pub fn cell() -> Vec<Obb> {
    let wall = |center: [f32; 3], half_extents: [f32; 3]| Obb::axis_aligned(center.into(), half_extents.into());
    vec![
        wall([0.0, 0.0, -0.05], [3.0, 3.0, 0.05]),
        // The table.
        wall([0.0, -0.8, 0.35], [0.5, 0.3, 0.03]),
        wall([-0.4, -0.8, 0.16], [0.04, 0.25, 0.16]),
        wall([0.4, -0.8, 0.16], [0.04, 0.25, 0.16]),
        // The machine: below and above its window, beside it, and its back.
        wall([1.0, 0.0, 0.2], [0.3, 0.5, 0.2]),
        wall([1.0, 0.0, 1.3], [0.3, 0.5, 0.2]),
        wall([1.0, -0.45, 0.75], [0.3, 0.05, 0.35]),
        wall([1.0, 0.45, 0.75], [0.3, 0.05, 0.35]),
        wall([1.28, 0.0, 0.75], [0.02, 0.4, 0.35]),
        // A pillar between the two.
        Obb::new(
            Vec3::new(0.55, -0.55, 1.0),
            Vec3::new(0.06, 0.06, 1.0),
            Quat::from_rotation_z(0.6),
        ),
        // The fence.
        wall([-1.6, 0.0, 1.0], [0.02, 1.6, 1.0]),
        wall([0.0, 1.6, 1.0], [1.6, 0.02, 1.0]),
        wall([0.0, -1.6, 1.0], [1.6, 0.02, 1.0]),
    ]
}

/// The links of a robot in a posture.
pub fn links(posture: &Posture) -> [Capsule; LINKS] {
    let (mut start, mut rotation) = (BASE, Quat::IDENTITY);
    std::array::from_fn(|k| {
        let Joint { axis, length, radius } = JOINTS[k];
        rotation = (rotation * Quat::from_axis_angle(axis, posture[k])).normalize();
        let end = start + rotation * Vec3::Z * length;
        let link = Capsule::new(0.5 * (start + end), 0.5 * length, rotation, radius);
        start = end;
        // A link is in group k, and may come near the next two on either side, which the joints
        // keep away from it.
        link.with_groups(1 << k, !(0b11111 << k >> 2))
    })
}

/// Returns `true` for each posture at which nothing is within the checker's margin: all of them in
/// two calls.
pub fn free(checker: &mut Checker, cell: &PreparedScene, postures: &[Posture]) -> obbligato::Result<Vec<bool>> {
    let links: Vec<Capsule> = postures.iter().flat_map(links).collect();
    let mut free = vec![true; postures.len()];
    for pair in checker.check(Query::against(cell, &links))?.pairs()? {
        free[pair.b as usize / LINKS] = false;
    }
    // Each posture is a world of its own.
    let worlds: Vec<u32> = (0..links.len()).map(|k| (k / LINKS) as u32).collect();
    let rules = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    for pair in checker.check(Set::from(&links).with(rules))?.pairs()? {
        free[pair.a as usize / LINKS] = false;
    }
    Ok(free)
}

/// The postures on the way from one to another. Between two of them no point of the robot moves
/// further than the clearance, so every point is always within half of it of its position in one of
/// the two: if these keep clear, so does everything between them.
pub fn leg(from: &Posture, to: &Posture) -> Vec<Posture> {
    let mut reach = 0.0;
    let mut travel = 0.0;
    for k in (0..LINKS).rev() {
        reach += JOINTS[k].length + JOINTS[k].radius;
        travel += (to[k] - from[k]).abs() * reach;
    }
    let steps = (travel / CLEARANCE).ceil().max(1.0);
    let at = |t: f32| std::array::from_fn(|k| from[k] + t * (to[k] - from[k]));
    (0..=steps as u32).map(|step| at(step as f32 / steps)).collect()
}

/// Tests this many random postures, and searches for a path through one of the free ones.
pub fn run(postures: usize) -> obbligato::Result<Outcome> {
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        margin: CLEARANCE.into(),
        ..Config::default()
    })?;
    let cell = checker.prepare(&cell())?;
    let mut random = Random(7);
    let all: Vec<Posture> = (0..postures).map(|_| random.posture()).collect();
    let are_free = free(&mut checker, &cell, &all)?;
    let vias: Vec<Posture> = all
        .into_iter()
        .zip(are_free)
        .filter_map(|(via, free)| free.then_some(via))
        .collect();

    let mut ways = vec![vec![AT_TABLE, IN_MACHINE]];
    ways.extend(vias.iter().map(|&via| vec![AT_TABLE, via, IN_MACHINE]));
    let mut outcome = Outcome {
        free: vias.len(),
        looked_at: 0,
        way: Vec::new(),
    };
    // Up to 200 paths at a time, the direct one on its own.
    let (direct, others) = ways.split_at(1);
    for some in std::iter::once(direct).chain(others.chunks(200)) {
        let legs = |way: &Vec<Posture>| way.windows(2).flat_map(|ends| leg(&ends[0], &ends[1])).collect();
        let sampled: Vec<Vec<Posture>> = some.iter().map(legs).collect();
        let mut are_free = free(&mut checker, &cell, &sampled.concat())?.into_iter();
        outcome.looked_at += are_free.len();
        let is_free = |samples: &Vec<Posture>| are_free.by_ref().take(samples.len()).filter(|free| !free).count() == 0;
        let found: Vec<bool> = sampled.iter().map(is_free).collect();
        let free_ways = some.iter().zip(found).filter(|(_, free)| *free);
        let shortest = free_ways
            .map(|(way, _)| way)
            .min_by_key(|way| way.windows(2).map(|ends| leg(&ends[0], &ends[1]).len()).sum::<usize>());
        if let Some(way) = shortest {
            outcome.way.clone_from(way);
            break;
        }
    }
    Ok(outcome)
}

/// Deterministic pseudorandom numbers: Steele, Lea and Flood's SplitMix64.
struct Random(u64);

impl Random {
    /// A number from -1 to 1.
    fn signed(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn posture(&mut self) -> Posture {
        [PI, 1.6, 2.4, PI, 2.0, PI].map(|most| most * self.signed())
    }
}

/// A picture of the cell and of the robot on its way, PNG.
fn picture(way: &[Posture]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    const SIZE: [u32; 2] = [720, 450];
    // Without the fence, which would hide the rest.
    let boxes = &cell()[..10];
    let last = way.last().map(links);
    let all: Vec<Posture> = way.windows(2).flat_map(|ends| leg(&ends[0], &ends[1])).collect();
    // About a dozen of all postures.
    let some = all.iter().step_by(all.len() / 12 + 1);
    let on_the_way: Vec<Capsule> = some.flat_map(links).collect();
    let capsules = last.as_ref().map_or(&[][..], |links| &links[..]);
    let view = View {
        bodies: Bodies {
            boxes,
            capsules,
            ..Bodies::default()
        },
        ghosts: (&on_the_way).into(),
        ghost_marks: &vec![Mark::Touching; on_the_way.len()],
        legend: Legend::Hidden,
        caption: "the way from the table into the machine",
        ..View::default()
    };
    let camera = Camera::new(DVec3::new(-3.9, -1.75, 2.4), DVec3::new(0.35, -0.35, 0.72));
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    Ok(Renderer::new(&config)?.draw(&view, &camera, SIZE)?.png()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const POSTURES: usize = 20_000;
    let start = std::time::Instant::now();
    let outcome = run(POSTURES)?;
    println!("{} of {POSTURES} random postures are free", outcome.free);
    match outcome.way.len() {
        0 => println!("no way was found among {} postures", outcome.looked_at),
        by => println!(
            "a way by {by} postures was found, among {} that were looked at",
            outcome.looked_at
        ),
    }
    for posture in &outcome.way {
        println!("  {posture:.2?}");
    }
    println!("{} ms in all", start.elapsed().as_millis());
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(&file, picture(&outcome.way)?)?;
    }
    Ok(())
}
