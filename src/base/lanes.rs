//! Vector lanes of this machine: loops that are compiled for several vector instruction sets use
//! the widest available.
//!
//! Such a loop is generic over [`Simd`], and all of it is inlined into [`dispatch`], once for each
//! set. One call processes many items. No loop fuses a product with a sum or adds across lanes, so
//! every set gives the same bits.

use fearless_simd::Level;
pub(crate) use fearless_simd::{Simd, dispatch};

/// Returns the widest instruction set of this machine.
#[inline]
pub(crate) fn level() -> Level {
    #[cfg(feature = "unstable")]
    return limit::level();
    #[cfg(not(feature = "unstable"))]
    Level::new()
}

/// A limit on the instruction set, for tests.
#[cfg(feature = "unstable")]
pub(crate) mod limit {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use fearless_simd::prelude::*;

    use super::{Level, Simd, dispatch};

    static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

    /// Limits all loops of the process to this many lanes of `f32`, or to the fewest that the
    /// machine supports. Returns the number that they use.
    pub fn set_most(lanes: usize) -> usize {
        MOST.store(lanes, Relaxed);
        dispatch!(level(), simd => width(simd))
    }

    fn width<S: Simd>(_: S) -> usize {
        S::f32s::LEN
    }

    #[inline]
    pub(super) fn level() -> Level {
        let level = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        return match MOST.load(Relaxed) {
            16.. => level,
            8..16 => level.as_avx2().map_or(level, Simd::level),
            _ => level.as_sse2().map_or(level, Simd::level),
        };
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        level
    }
}
