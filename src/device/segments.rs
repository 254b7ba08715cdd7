//! Arrays over several bindings, as one holds only so many bytes: all *segments* but the last in use are full.
//!
//! A segment of our own is a buffer, as a buffer, too, holds only so many bytes. The segments of a caller's boxes are parts of
//! one buffer. Kernels find an item by its index (`boxes.wgsl`, `bounds.wgsl` and `new_bounds.wgsl` in `shaders/shared/`), by
//! the lengths of a full segment in the frame's parameters. What is not in use is bound too, as little as there is of it.

/// How many of so many bytes are in each of `count` segments. The last has what is too much.
pub(crate) fn divide(bytes: u64, full: u64, count: usize) -> impl Iterator<Item = u64> {
    (1..=count).scan(bytes, move |left, k| {
        let own = if k < count { full.min(*left) } else { *left };
        *left -= own;
        Some(own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_full_but_for_the_last() {
        let of = |bytes| divide(bytes, 10, 3).collect::<Vec<_>>();
        assert_eq!(of(0), [0, 0, 0]);
        assert_eq!(of(10), [10, 0, 0]);
        assert_eq!(of(11), [10, 1, 0]);
        assert_eq!(of(20), [10, 10, 0]);
        assert_eq!(of(30), [10, 10, 10]);
        // Too much for any: whoever makes the buffer says so.
        assert_eq!(of(31), [10, 10, 11]);
    }
}
