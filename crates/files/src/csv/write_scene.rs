//! Writes scenes.

use std::io::{self, Write};

use glam::DVec3;

use crate::csv::fields::Fields;
use crate::scene::Content;
use crate::scene_rows::body::shape_of;
use crate::scene_rows::form::{COLUMNS, MOTION_COLUMNS, numbers_of, numbers_of_motion};
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
    let grouped = content.has_groups();
    let motion_columns = content.motion_columns();
    write_header(out, content)?;
    let mut row = Fields::new(out);
    for place in 0..bodies.len() {
        let position = content.by_rows.map_or(place, |bodies| bodies[place] as usize);
        let body = bodies.at(position as u32);
        if let Some(ids) = ids {
            row.id(ids.get(position));
        }
        let center = content.centers.map(|centers| centers[position]);
        write_numbers(&mut row, content, body, center);
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
            let numbers = numbers_of_motion(motion);
            row.decimals(motion_columns.iter().map(|&k| numbers[k]));
        }
        row.end()?;
    }
    Ok(())
}

/// Writes the header row of a scene.
fn write_header(out: &mut dyn Write, content: &Content) -> io::Result<()> {
    let Rules {
        owners,
        worlds,
        statics,
        ..
    } = content.rules;
    let shaped = content.bodies.only_boxes().is_none();
    let motions = content.motion_columns().iter().map(|&k| MOTION_COLUMNS[k]);
    let motions: Vec<&str> = motions.collect();
    let columns = [
        (content.ids.is_some(), "id,"),
        (shaped, "shape,"),
        (true, &content.columns().join(",")),
        (shaped, ",radius"),
        (content.has_groups(), ",memberships,filter"),
        (owners.is_some(), ",owner"),
        (worlds.is_some(), ",world"),
        (statics.is_some(), ",static"),
        (!motions.is_empty(), &[",", &motions.join(",")].concat()),
    ];
    for (_, names) in columns.iter().filter(|(is_there, _)| *is_there) {
        out.write_all(names.as_bytes())?;
    }
    out.write_all(b"\n")
}

/// Writes the columns of a body's shape, with its center in `f64` if there is one.
fn write_numbers(row: &mut Fields<'_>, content: &Content, body: BodyRef<'_>, center: Option<DVec3>) {
    let (numbers, radius) = content.fields(body);
    let numbers = &numbers[..content.columns().len()];
    let coordinates = if content.in_plane { 2 } else { 3 };
    let shaped = content.bodies.only_boxes().is_none();
    if shaped {
        row.text(shape_of(body).name());
    }
    if let Some(center) = center {
        row.decimals(center.to_array().into_iter().take(coordinates));
    }
    let rest = &numbers[if center.is_some() { coordinates } else { 0 }..];
    let radius = [radius];
    let last: &[Option<f32>] = if shaped { &radius } else { &[] };
    rest.iter().chain(last).for_each(|number| match number {
        Some(number) => row.decimal(*number),
        None => row.nothing(),
    });
}
