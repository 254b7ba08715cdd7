//! Arrays of numbers, mapped in little code.
//!
//! `[T; N]::map` and `std::array::from_fn` drop what they have made where a closure panics, in code
//! that is compiled for each closure. In the exact tests, which exist for many lengths of integers,
//! that was a tenth of all that the engine gave the compiler. Numbers have nothing to drop.

/// Maps an array of numbers as `[T; N]::map` does.
pub(crate) trait Mapped<T, const N: usize> {
    /// Returns the results of a function of each number, in order.
    fn mapped<U: Copy>(self, map: impl FnMut(T) -> U) -> [U; N];
}

impl<T: Copy, const N: usize> Mapped<T, N> for [T; N] {
    #[inline]
    fn mapped<U: Copy>(self, mut map: impl FnMut(T) -> U) -> [U; N] {
        let mut results = [map(self[0]); N];
        let mut k = 1;
        while k < N {
            results[k] = map(self[k]);
            k += 1;
        }
        results
    }
}

/// Returns the results of a function of each index, in order, as `std::array::from_fn` does.
#[inline]
pub(crate) fn by_index<U: Copy, const N: usize>(mut make: impl FnMut(usize) -> U) -> [U; N] {
    let mut results = [make(0); N];
    let mut k = 1;
    while k < N {
        results[k] = make(k);
        k += 1;
    }
    results
}
