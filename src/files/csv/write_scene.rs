//! Writing scenes.

use std::io::{self, Write};

use crate::engine::query::BoxSet;
use crate::files::csv::fields::Fields;
use crate::files::csv::form::{COLUMNS, numbers_of};
use crate::files::ids::Ids;
use crate::files::scene::has_groups;
use crate::rules::model::{NO_OWNER, Rules};

/// Writes a scene with the columns that it needs. Numbers are the shortest that read back exactly.
pub(crate) fn write_scene(out: &mut dyn Write, set: &BoxSet, ids: Option<&Ids>) -> io::Result<()> {
    let grouped = has_groups(set.boxes);
    let Rules {
        owners,
        worlds,
        statics,
        ..
    } = set.rules;
    let columns = [
        (ids.is_some(), "id,"),
        (true, &COLUMNS.join(",")),
        (grouped, ",memberships,filter"),
        (owners.is_some(), ",owner"),
        (worlds.is_some(), ",world"),
        (statics.is_some(), ",static"),
    ];
    for (_, names) in columns.iter().filter(|(is_there, _)| *is_there) {
        out.write_all(names.as_bytes())?;
    }
    out.write_all(b"\n")?;
    let mut row = Fields::new(out);
    for (position, obb) in set.boxes.iter().enumerate() {
        if let Some(ids) = ids {
            row.id(ids.get(position));
        }
        row.decimals(numbers_of(obb));
        if grouped {
            row.whole(obb.memberships);
            row.whole(obb.filter);
        }
        match owners.map(|owners| owners[position]) {
            Some(NO_OWNER) => row.nothing(),
            Some(owner) => row.whole(owner),
            None => {}
        }
        if let Some(worlds) = worlds {
            row.whole(worlds[position]);
        }
        if let Some(statics) = statics {
            row.whole(u8::from(statics[position]));
        }
        row.end()?;
    }
    Ok(())
}
