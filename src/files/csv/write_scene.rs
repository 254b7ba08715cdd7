//! Writing scenes.

use std::io::{self, Write};

use crate::engine::sweep::MovingSet;
use crate::files::csv::fields::Fields;
use crate::files::csv::form::{COLUMNS, MOTION_COLUMNS, numbers_of, numbers_of_motion};
use crate::files::ids::Ids;
use crate::files::scene::{has_accelerations, has_groups};
use crate::rules::model::{NO_OWNER, Rules};

/// Writes a scene with the columns that it needs; `set` has a motion for each box or none at all. Numbers are the shortest that read back exactly.
pub(crate) fn write_scene(out: &mut dyn Write, set: &MovingSet, ids: Option<&Ids>) -> io::Result<()> {
    let grouped = has_groups(set.bodies.boxes);
    let Rules {
        owners,
        worlds,
        statics,
        ..
    } = set.rules;
    let motion_columns = match (set.motions.is_empty(), has_accelerations(set.motions)) {
        (true, _) => 0,
        (false, false) => 6,
        (false, true) => 9,
    };
    let columns = [
        (ids.is_some(), "id,"),
        (true, &COLUMNS.join(",")),
        (grouped, ",memberships,filter"),
        (owners.is_some(), ",owner"),
        (worlds.is_some(), ",world"),
        (statics.is_some(), ",static"),
        (
            motion_columns > 0,
            &[",", &MOTION_COLUMNS[..motion_columns].join(",")].concat(),
        ),
    ];
    for (_, names) in columns.iter().filter(|(is_there, _)| *is_there) {
        out.write_all(names.as_bytes())?;
    }
    out.write_all(b"\n")?;
    let mut row = Fields::new(out);
    for (position, obb) in set.bodies.boxes.iter().enumerate() {
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
        if let Some(motion) = set.motions.get(position) {
            row.decimals(numbers_of_motion(motion).into_iter().take(motion_columns));
        }
        row.end()?;
    }
    Ok(())
}
