//! The hashes of cells and worlds.

use glam::UVec3;

/// Computes a hash of a world; it maps 0 to 0.
#[inline]
pub(super) fn world_hash(world: u32) -> u32 {
    fold_hash(UVec3::new(world, 0, 0))
}

/// Computes a multiplicative hash, finished as in C. Wellons, "Prospecting for Hash Functions"
/// (2018); it maps (0, 0, 0) to 0.
#[inline]
pub(super) fn fold_hash(fold: UVec3) -> u32 {
    let hash = (fold.x.wrapping_mul(0x9E37_79B1))
        .wrapping_add(fold.y.wrapping_mul(0x85EB_CA77))
        .wrapping_add(fold.z.wrapping_mul(0xC2B2_AE3D));
    let hash = (hash ^ hash >> 16).wrapping_mul(0x7FEB_352D);
    hash ^ hash >> 15
}
