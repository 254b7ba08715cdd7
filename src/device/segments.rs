//! Arrays over several bindings, because one holds a limited number of bytes: all *segments* except
//! the last one in use are full.
//!
//! A segment owned by the engine is a buffer, because a buffer also holds a limited number of
//! bytes. The segments of a caller's boxes are parts of one buffer. Kernels find an item by its
//! index (`boxes.wgsl`, `bounds.wgsl` and `new_bounds.wgsl` in `shaders/shared/`), using the length
//! of a full segment in the frame's parameters. Unused segments are bound too, with minimal size.

/// Divides `bytes` among `count` segments. The last segment takes any excess.
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
    fn all_segments_but_the_last_are_full() {
        let of = |bytes| divide(bytes, 10, 3).collect::<Vec<_>>();
        assert_eq!(of(0), [0, 0, 0]);
        assert_eq!(of(10), [10, 0, 0]);
        assert_eq!(of(11), [10, 1, 0]);
        assert_eq!(of(20), [10, 10, 0]);
        assert_eq!(of(30), [10, 10, 10]);
        // Too much for the segments: the code that creates the buffer reports the error.
        assert_eq!(of(31), [10, 10, 11]);
    }
}
