//! The shells of a mesh: the sets of triangles that common corners connect.

use std::collections::HashMap;

use glam::Vec3;

use crate::base::error::Result;
use crate::base::memory;
use crate::shapes::triangle::record::Triangle;

/// Label for out-of-memory errors.
const SHELLS: &str = "the shells of a mesh";

/// Returns a corner of each shell.
pub(super) fn shells(triangles: &[Triangle]) -> Result<Vec<Vec3>> {
    let mut numbers: HashMap<[u32; 3], u32> = HashMap::new();
    // There are that many if the triangles share none.
    let most = 3 * triangles.len();
    let bytes = (most * size_of::<([u32; 3], u32)>()) as u64;
    memory::grow(bytes, SHELLS, || numbers.try_reserve(most).is_ok())?;
    // A forest of corners: each has a parent in its shell, or is a root.
    let (mut parents, mut corners) = (Vec::new(), Vec::new());
    for triangle in triangles {
        let mut first = None;
        for &corner in &triangle.corners {
            // The sum turns -0 into 0.
            let key = (corner + Vec3::ZERO).to_array().map(f32::to_bits);
            let next = corners.len() as u32;
            let number = *numbers.entry(key).or_insert(next);
            if number == next {
                memory::push(&mut parents, next, SHELLS)?;
                memory::push(&mut corners, corner, SHELLS)?;
            }
            let first = *first.get_or_insert(number);
            let [a, b] = [root(&mut parents, first), root(&mut parents, number)];
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    let mut shells = Vec::new();
    for (number, &corner) in corners.iter().enumerate() {
        if parents[number] as usize == number {
            memory::push(&mut shells, corner, SHELLS)?;
        }
    }
    Ok(shells)
}

/// Returns the root of a corner, and shortens its path.
fn root(parents: &mut [u32], mut number: u32) -> u32 {
    while parents[number as usize] != number {
        parents[number as usize] = parents[parents[number as usize] as usize];
        number = parents[number as usize];
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_connected_by_corners() {
        let at = |x: f32| Triangle::new(Vec3::X * x, Vec3::X * (x + 1.0), Vec3::new(x, 1.0, 0.0));
        // The third connects the first two, and 0 is -0.
        let all = [
            at(0.0),
            at(2.0),
            at(1.0),
            at(9.0),
            Triangle::new(-Vec3::ZERO, Vec3::Z, -Vec3::Z),
        ];
        assert_eq!(shells(&all).expect("memory"), [Vec3::ZERO, Vec3::X * 9.0]);
        assert_eq!(shells(&[]).expect("memory"), []);
    }
}
