//! Writes scenes.

use std::io::{self, Write};

use glam::DVec3;

use crate::csv::fields::Fields;
use crate::scene::Content;
use crate::scene_rows::body::shape_of;
use crate::scene_rows::form::{COLUMNS, MOTION_COLUMNS, fields_of, numbers_of, numbers_of_motion};
use obbligato::{Obb, Rules, query::NO_OWNER, shape::BodyRef};

/// Writes the header row of boxes.
pub(crate) fn begin_boxes(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))
}

/// Writes rows of boxes.
pub(crate) fn write_more_boxes(out: &mut dyn Write, boxes: &[Obb]) -> io::Result<()> {
    let mut row = Fields::new(out);
    boxes.iter().try_for_each(|obb| {
        row.decimals(numbers_of(obb));
        row.end()
    })
}

/// Writes a scene with the columns that it needs. Numbers are the shortest that read back exactly.
pub(crate) fn write_scene(out: &mut dyn Write, content: &Content) -> io::Result<()> {
    let Content {
        bodies,
        rules,
        motions,
        ids,
        ..
    } = *content;
    let Rules {
        owners,
        worlds,
        statics,
        groups,
        ..
    } = rules;
    let shaped = bodies.only_boxes().is_none();
    let grouped = content.has_groups();
    let motion_columns = match (motions.is_empty(), content.has_accelerations()) {
        (true, _) => 0,
        (false, false) => 6,
        (false, true) => 9,
    };
    write_header(out, content, motion_columns)?;
    let mut row = Fields::new(out);
    for place in 0..bodies.len() {
        let position = content.by_rows.map_or(place, |bodies| bodies[place] as usize);
        let body = bodies.at(position as u32);
        if let Some(ids) = ids {
            row.id(ids.get(position));
        }
        write_numbers(&mut row, body, content.centers.map(|centers| centers[position]), shaped);
        if grouped {
            let [memberships, filter] = body.groups();
            let listed = groups.map_or([u32::MAX; 2], |groups| groups[position]);
            row.whole(memberships & listed[0]);
            row.whole(filter & listed[1]);
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
        if let Some(motion) = motions.get(position) {
            row.decimals(numbers_of_motion(motion).into_iter().take(motion_columns));
        }
        row.end()?;
    }
    Ok(())
}

/// Writes the header row of a scene whose motions have this many columns.
fn write_header(out: &mut dyn Write, content: &Content, motion_columns: usize) -> io::Result<()> {
    let Rules {
        owners,
        worlds,
        statics,
        ..
    } = content.rules;
    let shaped = content.bodies.only_boxes().is_none();
    let columns = [
        (content.ids.is_some(), "id,"),
        (shaped, "shape,"),
        (true, &COLUMNS.join(",")),
        (shaped, ",radius"),
        (content.has_groups(), ",memberships,filter"),
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
    out.write_all(b"\n")
}

/// Writes the columns of a body's shape, with its center in `f64` if there is one.
fn write_numbers(row: &mut Fields<'_>, body: BodyRef<'_>, center: Option<DVec3>, shaped: bool) {
    match (shaped, body) {
        (false, BodyRef::Box(obb)) => {
            let numbers = numbers_of(obb);
            match center {
                Some(center) => row.decimals(center.to_array()),
                None => row.decimals(numbers[..3].iter().copied()),
            }
            row.decimals(numbers[3..].iter().copied());
        }
        _ => {
            let (numbers, radius) = fields_of(body);
            row.text(shape_of(body).name());
            numbers.into_iter().chain([radius]).for_each(|number| match number {
                Some(number) => row.decimal(number),
                None => row.nothing(),
            });
        }
    }
}
