//! Joining the rules of two sets that are joined in one list.

use std::borrow::Cow;

use crate::base::error::Result;
use crate::base::memory;
use crate::rules::filter::{ALL_GROUPS, SetRules, both};
use crate::rules::joint::Joint;
use crate::rules::layers::Layers;
use crate::rules::model::NO_OWNER;

impl SetRules<'_> {
    /// Joins the rules of two sets that are joined in one list.
    pub fn joined([first, second]: [&Self; 2], joint: &Joint) -> Result<SetRules<'static>> {
        let lists = [first, second];
        Ok(SetRules {
            owners: join(lists.map(|rules| rules.owners.as_deref()), joint, NO_OWNER)?,
            worlds: join(lists.map(|rules| rules.worlds.as_deref()), joint, 0)?,
            statics: join(lists.map(|rules| rules.statics.as_deref()), joint, false)?,
            active: join(lists.map(|rules| rules.active.as_deref()), joint, true)?,
            margins: join(lists.map(|rules| rules.margins.as_deref()), joint, 0.0)?,
            groups: join(lists.map(|rules| rules.groups.as_deref()), joint, ALL_GROUPS)?,
            excluded: both(lists)?,
            layers: Layers::default(),
        })
    }
}

/// Joins two lists, with `absent` for each entry of a missing one.
fn join<T: Copy>(lists: [Option<&[T]>; 2], joint: &Joint, absent: T) -> Result<Option<Cow<'static, [T]>>> {
    if lists.iter().all(Option::is_none) {
        return Ok(None);
    }
    let mut all = Vec::new();
    memory::reserve(&mut all, joint.len() as usize, "the rules of both sets")?;
    for (set, range) in joint.runs() {
        match lists[set] {
            Some(list) => all.extend_from_slice(&list[range]),
            None => all.resize(all.len() + range.len(), absent),
        }
    }
    Ok(Some(Cow::Owned(all)))
}
