//! The rules, implemented literally.

use obbligato::{Pair, Rules, query::NO_OWNER};

/// Returns `true` if the rules of one set of bodies allow a pair to be reported, literally as
/// [`Rules`] states them. The caller handles the excluded pairs.
///
/// # Panics
/// If a list has no entry for a body of the pair.
pub fn allowed(rules: &Rules, Pair { a, b }: Pair) -> bool {
    let (a, b) = (a as usize, b as usize);
    let one_owner = |owners: &[u32]| owners[a] == owners[b] && owners[a] != NO_OWNER;
    let two_worlds = |worlds: &[u32]| worlds[a] != worlds[b];
    let both_static = |statics: &[bool]| statics[a] && statics[b];
    let none_active = |active: &[bool]| !active[a] && !active[b];
    let no_groups = |groups: &[[u32; 2]]| groups[a][0] & groups[b][1] == 0 || groups[b][0] & groups[a][1] == 0;
    !(rules.owners.is_some_and(one_owner)
        || rules.worlds.is_some_and(two_worlds)
        || rules.statics.is_some_and(both_static)
        || rules.active.is_some_and(none_active)
        || rules.groups.is_some_and(no_groups))
}
