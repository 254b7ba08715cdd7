//! Rules in the form that the device gets: one list of words for a set of boxes, which begins with
//! the position of each rule's entries.
//!
//! | words | contents |
//! |---|---|
//! | 0 to 19 | the header; the constants `OWNERS` to `RUN_ENDS` of `shaders/rules/lists.wgsl` name its words |
//! | then | owners, one word per box |
//! | then | worlds, one word per box |
//! | then | static boxes, one bit per box, the lowest bit first |
//! | then | active boxes, in the same form |
//! | then | own margins of boxes, one number per box |
//! | then | groups: for each body those it is in and those it can collide with, one word each |
//! | then | layers, two bits per body, the lowest first |
//! | then | the table of excluded pairs, two words per slot: `ExcludedPairs` |
//! | then | room for the records of images, four words each, the first of which is a body's position |
//!
//! Absent rules take no words.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::rules::filter::{PairRules, SetRules, Sides};
use crate::rules::joint::RUNS;
use crate::rules::layers::LAYER_BITS;
use crate::rules::model::ExcludedPairs;

/// Number of words before the entries.
const HEADER: usize = RUN_ENDS + RUNS;

/// Positions in the header: twins of the constants in `shaders/rules/lists.wgsl`.
pub(crate) const OWNERS: usize = 0;
pub(crate) const WORLDS: usize = 1;
pub(crate) const STATICS: usize = 2;
pub(crate) const ACTIVE: usize = 3;
pub(crate) const EXCLUDED: usize = 4;
pub(crate) const EXCLUDED_LAST: usize = 5;
pub(crate) const EXCLUDED_TURNED: usize = 6;
pub(crate) const SECOND_SET: usize = 7;
pub(crate) const MARGINS: usize = 8;
pub(crate) const GROUPS: usize = 9;
pub(crate) const LAYERS: usize = 10;
pub(crate) const LAYER_COUNT: usize = 11;
pub(crate) const LAYERS_THAT_MEET: usize = 12;
pub(crate) const IMAGES: usize = 13;
pub(crate) const RUN_ENDS: usize = 14;

/// Number of words of the record of an image.
pub(crate) const WORDS_OF_IMAGE: usize = 4;

/// Appends room for this many images to the list for a set of bodies. Returns its position.
pub(crate) fn append_images(list: &mut Vec<u32>, images: usize) -> Result<usize> {
    let first = list.len();
    let words = images.max(1) * WORDS_OF_IMAGE;
    memory::reserve(list, words, "the rules for the GPU")?;
    list.resize(first + words, 0);
    list[IMAGES] = first as u32;
    // The body of an image may be that with the smaller position.
    list[EXCLUDED_TURNED] = u32::from(list[EXCLUDED] > 0 && list[SECOND_SET] == 0);
    Ok(first)
}

/// Returns the number of bytes that the excluded pairs take.
pub(crate) fn bytes_of_excluded(rules: &PairRules) -> u64 {
    rules
        .excluded
        .as_ref()
        .map_or(0, |pairs| size_of_val(pairs.slots()) as u64)
}

/// Returns the list for the set of a pair's `b`, including the rules about both sets.
pub(crate) fn list_of_pairs(rules: &PairRules) -> Result<Vec<u32>> {
    let mut list = list_of_set(rules.sets[1], rules.excluded.as_ref())?;
    if let Sides::Joined(joint) = rules.sides {
        list[SECOND_SET] = 1;
        list[RUN_ENDS..][..RUNS].copy_from_slice(&joint.ends);
    }
    let turned = matches!(rules.sides, Sides::OneSet) && rules.excluded.as_ref().is_some_and(ExcludedPairs::unordered);
    list[EXCLUDED_TURNED] = u32::from(turned);
    Ok(list)
}

/// Returns the list for a set and these excluded pairs.
pub(crate) fn list_of_set(rules: &SetRules, excluded: Option<&ExcludedPairs>) -> Result<Vec<u32>> {
    let words = HEADER
        + rules.owners.as_ref().map_or(0, |list| list.len())
        + rules.worlds.as_ref().map_or(0, |list| list.len())
        + rules.statics.as_ref().map_or(0, |list| list.len().div_ceil(32))
        + rules.active.as_ref().map_or(0, |list| list.len().div_ceil(32))
        + rules.margins.as_ref().map_or(0, |list| list.len())
        + rules.groups.as_ref().map_or(0, |list| 2 * list.len())
        + rules.layers.of().len().div_ceil(LAYERS_A_WORD)
        + excluded.map_or(0, |pairs| 2 * pairs.slots().len());
    let mut list = Vec::new();
    memory::reserve(&mut list, words, "the rules for the GPU")?;
    list.resize(HEADER, 0);
    for (place, entries) in [(OWNERS, &rules.owners), (WORLDS, &rules.worlds)] {
        if let Some(entries) = entries {
            list[place] = list.len() as u32;
            list.extend_from_slice(entries);
        }
    }
    for (place, entries) in [(STATICS, &rules.statics), (ACTIVE, &rules.active)] {
        if let Some(entries) = entries {
            list[place] = list.len() as u32;
            append_bits(&mut list, entries);
        }
    }
    if let Some(margins) = &rules.margins {
        list[MARGINS] = list.len() as u32;
        // The comparison uses the bits, so -0 must become 0.
        list.extend(margins.iter().map(|margin| margin.abs().to_bits()));
    }
    if let Some(groups) = &rules.groups {
        list[GROUPS] = list.len() as u32;
        list.extend_from_slice(groups.as_flattened());
    }
    list[LAYER_COUNT] = rules.layers.count();
    list[LAYERS_THAT_MEET] = rules.layers.matrix();
    if !rules.layers.of().is_empty() {
        list[LAYERS] = list.len() as u32;
        append_layers(&mut list, rules.layers.of());
    }
    if let Some(pairs) = excluded {
        list[EXCLUDED] = list.len() as u32;
        list[EXCLUDED_LAST] = pairs.slots().len() as u32 - 1;
        list.extend_from_slice(bytemuck::cast_slice(pairs.slots()));
    }
    Ok(list)
}

/// Number of layers in a word.
const LAYERS_A_WORD: usize = (u32::BITS / LAYER_BITS) as usize;

/// Appends the bits of each layer.
fn append_layers(list: &mut Vec<u32>, layers: &[u8]) {
    let first = list.len();
    list.resize(first + layers.len().div_ceil(LAYERS_A_WORD), 0);
    parallel::fill(&mut list[first..], |word| {
        let layers = layers[word * LAYERS_A_WORD..].iter().take(LAYERS_A_WORD);
        (0..)
            .zip(layers)
            .fold(0, |bits, (k, &layer)| bits | u32::from(layer) << (k * LAYER_BITS))
    });
}

/// Appends a bit for each entry.
fn append_bits(list: &mut Vec<u32>, entries: &[bool]) {
    let first = list.len();
    list.resize(first + entries.len().div_ceil(32), 0);
    parallel::fill(&mut list[first..], |word| {
        let entries = entries[word * 32..].iter().take(32).enumerate();
        entries.fold(0, |bits, (k, &entry)| bits | u32::from(entry) << k)
    });
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::geometry::pair::Pair;

    #[test]
    fn a_list_locates_its_entries() {
        let excluded = ExcludedPairs::new(&[Pair { a: 9, b: 4 }]).expect("memory");
        let bits: Vec<bool> = (0..40).map(|i| i % 3 == 0).collect();
        let rules = SetRules {
            worlds: Some(Cow::Owned((100..140).collect())),
            active: Some(Cow::Borrowed(&bits)),
            ..SetRules::default()
        };
        let list = list_of_set(&rules, Some(&excluded)).expect("memory");
        assert_eq!([list[OWNERS], list[STATICS]], [0, 0]);
        assert_eq!(list[list[WORLDS] as usize..][..40], (100..140).collect::<Vec<u32>>());
        for (i, &bit) in bits.iter().enumerate() {
            let word = list[list[ACTIVE] as usize + i / 32];
            assert_eq!(word >> (i % 32) & 1 == 1, bit, "{i}");
        }
        let table: &[Pair] = bytemuck::cast_slice(&list[list[EXCLUDED] as usize..]);
        assert_eq!(table, excluded.slots());
        assert_eq!(list[EXCLUDED_LAST] as usize, table.len() - 1);
        assert_eq!(list_of_set(&SetRules::default(), None).expect("memory"), [0; HEADER]);
    }
}
