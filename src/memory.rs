//! Memory that grows with the scene: where there is none, an error and no abort.

use bytemuck::Zeroable;

use crate::{Error, Result};

/// So many zeros.
pub(crate) fn zeroed<T: Zeroable>(len: usize, what: &'static str) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| out_of_memory::<T>(len, what))
}

/// Gives `list` this length. What is in it then is not specified.
pub(crate) fn resize<T: Zeroable + Copy>(list: &mut Vec<T>, len: usize, what: &'static str) -> Result<()> {
    if list.capacity() < len {
        // What is given back first need not be there twice.
        *list = Vec::new();
        *list = zeroed(len, what)?;
    }
    list.resize(len, T::zeroed());
    Ok(())
}

/// Appends `more` to `list`.
pub(crate) fn extend<T: Copy>(list: &mut Vec<T>, more: &[T], what: &'static str) -> Result<()> {
    let len = list.len() + more.len();
    list.try_reserve(more.len())
        .map_err(|_| out_of_memory::<T>(len, what))?;
    list.extend_from_slice(more);
    Ok(())
}

/// The error that so many items do not fit.
pub(crate) fn out_of_memory<T>(len: usize, what: &'static str) -> Error {
    Error::OutOfMemory {
        what,
        needed: (size_of::<T>() as u64).saturating_mul(len as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_an_error() {
        // More than an address space.
        const MANY: usize = usize::MAX / 16;
        let refused = |result: Result<()>| {
            assert!(
                matches!(result, Err(Error::OutOfMemory { what: "tests", needed }) if needed == 8 * MANY as u64),
                "{result:?}"
            );
        };
        refused(zeroed::<u64>(MANY, "tests").map(drop));
        refused(resize(&mut vec![1u64], MANY, "tests"));
    }

    #[test]
    fn a_list_is_resized_either_way() {
        let mut list = vec![7u32; 10];
        for len in [3, 0, 20, 5] {
            resize(&mut list, len, "tests").expect("memory");
            assert_eq!(list.len(), len);
        }
    }
}
