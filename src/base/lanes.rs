//! Vector lanes of this machine: loops that are compiled for several vector instruction sets use
//! the widest available.
//!
//! Such a loop is generic over [`Simd`], and all of it is inlined into [`dispatch`], once for each
//! set. One call processes many items. No loop fuses a product with a sum or adds across lanes, so
//! every set gives the same bits.

use fearless_simd::Level;
pub(crate) use fearless_simd::Simd;

/// Evaluates an expression with the token of the level, compiled for each of a few instruction
/// sets: on x86-64 for AVX-512, AVX2 and SSE2. Each set adds to the code to compile, so SSE4.2 is
/// left out: it has no wider lanes than SSE2, and processors without AVX2 are rare.
#[cfg(target_arch = "x86_64")]
macro_rules! dispatch {
    ($level:expr, $simd:pat => $op:expr) => {
        match $level {
            fearless_simd::Level::Avx512(token) => $crate::base::lanes::with_token!(token, $simd => $op),
            fearless_simd::Level::Avx2(token) => $crate::base::lanes::with_token!(token, $simd => $op),
            level => {
                let token = level.as_sse2().expect("SSE2, which x86-64 always has");
                $crate::base::lanes::with_token!(token, $simd => $op)
            }
        }
    };
}

/// Evaluates an expression with the instructions of a token.
#[cfg(target_arch = "x86_64")]
macro_rules! with_token {
    ($token:expr, $simd:pat => $op:expr) => {{
        let token = $token;
        let $simd = $crate::base::lanes::of_any_set(token);
        $crate::base::lanes::Simd::vectorize(
            token,
            #[inline(always)]
            || $op,
        )
    }};
}

/// Hides which token it is, so that the expression compiles for all of them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn of_any_set<S: Simd>(token: S) -> impl Simd {
    token
}

#[cfg(target_arch = "x86_64")]
pub(crate) use {dispatch, with_token};

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use fearless_simd::dispatch;

/// The values of a term for the three axes. This is a macro because all code on a machine's lanes
/// must be inlined where they are known, and the compiler does not inline some closures.
macro_rules! axes {
    (|$axis:ident| $term:expr) => {
        [
            {
                let $axis = 0;
                $term
            },
            {
                let $axis = 1;
                $term
            },
            {
                let $axis = 2;
                $term
            },
        ]
    };
}

pub(crate) use axes;

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

    use super::{Level, Simd};

    static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

    /// Limits all loops of the process to this many lanes of `f32`, or to the fewest that the
    /// machine supports. Returns the number that they use.
    pub fn set_most(lanes: usize) -> usize {
        MOST.store(lanes, Relaxed);
        super::dispatch!(level(), simd => width(simd))
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
