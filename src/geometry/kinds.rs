//! The kinds of bodies by number. `shapes/bodies/set.rs` has them by name.

/// The number of kinds of bodies, which are stored one after the other in every numbering.
pub(crate) const KINDS: usize = 3;

/// Returns this for the first kind, and nothing for the others: the counts of boxes alone, or of
/// records that have no kinds.
pub(crate) fn of_first_kind<T: Default>(value: T) -> [T; KINDS] {
    let mut all = <[T; KINDS]>::default();
    all[0] = value;
    all
}
