//! Writes pairs of boxes that are hard to decide to a file, for tests of other programs: ten
//! little-endian `f32` for each box (center, half extents, quaternion), in which boxes 2k and
//! 2k + 1 are a pair. Prints the number of pairs that collide by the reference, and their checksum.
//!
//! `cargo run --release -p obbligato-verify --example adversarial_pairs -- pairs.f32 100000`

use std::fs::File;
use std::io::{BufWriter, Write};

use obbligato::{Obb, Pair, report::checksum};
use obbligato_verify::{adversarial, reference};

const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, count] = &arguments[..] else {
        return Err("give a file and the number of pairs".into());
    };
    let count: u32 = count.parse()?;
    let mut file = BufWriter::new(File::create(path)?);
    let mut colliding = Vec::new();
    for index in 0..count {
        let (a, b) = adversarial::pair(u64::from(index), SEED);
        for number in [a, b].iter().flat_map(numbers) {
            file.write_all(&number.to_le_bytes())?;
        }
        if reference::collides(&a, &b) {
            colliding.push(Pair::new(2 * index, 2 * index + 1));
        }
    }
    file.flush()?;
    println!("{} {:016x}", colliding.len(), checksum(&colliding));
    Ok(())
}

/// The numbers of a box in the order of the file.
fn numbers(one: &Obb) -> [f32; 10] {
    let ([cx, cy, cz], [hx, hy, hz]) = (one.center.to_array(), one.half_extents.to_array());
    let [qx, qy, qz, qw] = one.rotation.to_array();
    [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]
}
