//! A game in lockstep: peers send each other only inputs, and each computes the same world. This
//! works only if all find the same collisions on any hardware. Here the peers are backends of one
//! machine, and compare their worlds after every tick.
//!
//! `cargo run --release --example lockstep -- lockstep.png`: with a file name, writes a picture of
//! the final world.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Backend, BroadPhase, Checker, Config, Obb, Pair, report::Engine};
use obbligato_render::{Camera, Renderer, View, marks};

/// Units in a metre. Positions are integers, so moving involves no rounding, and `f32` holds them
/// exactly.
const METRE: i32 = 1 << 10;

/// Half the length, width and height of a tank, in metres.
const TANK: Vec3 = Vec3::new(1.5, 0.75, 0.5);

/// A tank: its position, its destination, and its heading in 64ths of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tank {
    place: [i32; 2],
    aim: [i32; 2],
    heading: i32,
}

/// A participant that computes the world by itself.
pub struct Peer {
    /// Its method of finding collisions.
    pub name: String,
    checker: Checker,
    tanks: Vec<Tank>,
}

/// The outcome of a game.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    /// The tick after which the peers' worlds differ, if they do.
    pub desync: Option<u32>,
    /// The number of pairs that collided, over all ticks.
    pub collisions: usize,
    /// The checksum of the first peer's final world.
    pub checksum: u64,
}

/// The peers: methods of finding collisions that have little in common, and a GPU if there is one.
pub fn peers(tanks: usize) -> obbligato::Result<Vec<Peer>> {
    let mut peers = Vec::new();
    let cpu = [BroadPhase::Grid, BroadPhase::Sweep, BroadPhase::Tree];
    let ways = cpu.map(|broad_phase| (Backend::Cpu, broad_phase));
    for (backend, broad_phase) in ways.into_iter().chain([(Backend::Auto, BroadPhase::Auto)]) {
        let checker = Checker::new(Config {
            backend,
            broad_phase,
            ..Config::default()
        })?;
        peers.push(Peer {
            name: match checker.engine() {
                Engine::Gpu { adapter, .. } => format!("{adapter}, {broad_phase}"),
                Engine::Cpu { .. } => format!("the CPU, {broad_phase}"),
            },
            checker,
            tanks: start(tanks),
        });
    }
    Ok(peers)
}

/// Two armies in rows, each with the other's side as its destination.
fn start(tanks: usize) -> Vec<Tank> {
    let tank = |k: usize| {
        let (side, file, row) = ((k % 2) as i32 * 2 - 1, (k / 2 % 40) as i32, (k / 80) as i32);
        let place = [side * (20 + 4 * row) * METRE, (file - 20) * 3 * METRE + row * 517];
        Tank {
            place,
            aim: [-place[0], place[1]],
            heading: if side < 0 { 0 } else { 32 },
        }
    };
    (0..tanks).map(tank).collect()
}

impl Tank {
    /// The box of a tank, with the same bits on every machine: it uses only additions,
    /// multiplications and divisions, in a fixed order.
    fn solid(&self) -> Obb {
        const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;
        // Quarters of a turn, and at most an eighth in addition, by the tangent of a quarter of its
        // angle.
        let (quarters, rest) = ((self.heading + 8).div_euclid(16), (self.heading + 8).rem_euclid(16) - 8);
        let t = rest as f32 / 40.0;
        let (z, w) = (2.0 * t / (1.0 + t * t), (1.0 - t * t) / (1.0 + t * t));
        let (in_z, in_w) = [(0.0, 1.0), (HALF, HALF), (1.0, 0.0), (HALF, -HALF)][quarters.rem_euclid(4) as usize];
        let rotation = Quat::from_xyzw(0.0, 0.0, in_z * w + in_w * z, in_w * w - in_z * z);
        let [x, y] = self.place.map(|place| place as f32 / METRE as f32);
        Obb::new(Vec3::new(x, y, TANK.z), TANK, rotation)
    }

    /// Moves towards its destination.
    fn drive(&mut self) {
        for (place, aim) in self.place.iter_mut().zip(self.aim) {
            *place += (aim - *place).clamp(-METRE / 8, METRE / 8);
        }
    }

    /// Gives way to another.
    fn avoid(&mut self, other: &Self, right: i32) {
        let away = |axis: usize| (self.place[axis] - other.place[axis]).signum() * METRE / 5;
        self.place = [self.place[0] + away(0), self.place[1] + away(1) + right * METRE / 16];
        self.heading += right;
    }
}

impl Peer {
    /// One tick of the game. The order of the pairs matters, and is the same everywhere: sorted.
    fn tick(&mut self) -> obbligato::Result<usize> {
        self.tanks.iter_mut().for_each(Tank::drive);
        let pairs = self.checker.check(&self.solids())?.into_pairs()?;
        for &Pair { a, b } in &pairs {
            let [one, other] = [a, b].map(|id| self.tanks[id as usize]);
            self.tanks[a as usize].avoid(&other, 1);
            self.tanks[b as usize].avoid(&one, -1);
        }
        Ok(pairs.len())
    }

    fn solids(&self) -> Vec<Obb> {
        self.tanks.iter().map(Tank::solid).collect()
    }

    /// The world as one number, for comparison: FNV-1a by Fowler, Noll and Vo.
    fn checksum(&self) -> u64 {
        let numbers = self
            .tanks
            .iter()
            .flat_map(|tank| [tank.place[0], tank.place[1], tank.heading]);
        let mix = |sum: u64, number: i32| (sum ^ u64::from(number as u32)).wrapping_mul(0x0100_0000_01B3);
        numbers.fold(0xCBF2_9CE4_8422_2325, mix)
    }

    /// Moves a tank by the smallest possible distance, as a rounding error would.
    pub fn disturb(&mut self) {
        self.tanks[0].place[1] += 1;
    }
}

/// Plays this many ticks, or until two worlds differ.
pub fn run(peers: &mut [Peer], ticks: u32) -> obbligato::Result<Outcome> {
    let mut outcome = Outcome {
        desync: None,
        collisions: 0,
        checksum: 0,
    };
    for tick in 0..ticks {
        let mut checksums = Vec::new();
        for peer in peers.iter_mut() {
            outcome.collisions += peer.tick()?;
            checksums.push(peer.checksum());
        }
        outcome.checksum = checksums[0];
        if checksums.iter().any(|&checksum| checksum != checksums[0]) {
            outcome.desync = Some(tick);
            break;
        }
    }
    outcome.collisions /= peers.len();
    Ok(outcome)
}

/// A picture of a peer's world, PNG.
fn picture(peer: &Peer) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let config = Config {
        backend: Backend::Cpu,
        list_touching: true,
        ..Config::default()
    };
    let tanks = peer.solids();
    let marks = marks(&Checker::new(config.clone())?.check(&tanks)?)?;
    let view = View {
        bodies: (&tanks).into(),
        marks: &marks,
        ..View::default()
    };
    let camera = Camera::new(DVec3::new(-12.0, -88.0, 42.0), DVec3::new(-2.0, -48.0, 0.0));
    Ok(Renderer::new(&config)?.draw(&view, &camera, [448, 280])?.png()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const TICKS: u32 = 300;
    let mut peers = peers(1_000)?;
    for peer in &peers {
        println!("a peer on {}", peer.name);
    }
    let outcome = run(&mut peers, TICKS)?;
    match outcome.desync {
        None => println!(
            "after {TICKS} ticks and {} collisions all have the same world, {:016x}",
            outcome.collisions, outcome.checksum
        ),
        Some(tick) => println!("the worlds differ after tick {tick}"),
    }
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(&file, picture(&peers[0])?)?;
    }
    Ok(())
}
