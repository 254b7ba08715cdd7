//! PLY: text, and binary of both byte orders.
//!
//! The format: G. Turk, "The PLY Polygon File Format", Stanford University, 1994.

mod data;
mod header;

use glam::DVec3;

use crate::error::Result;
use crate::mesh::input::Input;
use crate::mesh::notes::NoteKind;
use crate::mesh::ply::data::Data;
use crate::mesh::ply::header::{Element, Header, Kind, Role};
use crate::mesh::polygons::{Named, Polygons};
use crate::mesh::raw_mesh::RawMesh;

pub(super) fn read(mut input: Input) -> Result<RawMesh> {
    let header = Header::read(&mut input)?;
    let mut mesh = RawMesh::default();
    let mut polygons = Polygons::default();
    let mut data = Data::new(input, header.encoding);
    for element in &header.elements {
        if element.name == "edge" {
            mesh.notes.add(NoteKind::Lines, element.count);
        }
        // Elements without properties take no space, however many are announced.
        if !element.properties.is_empty() {
            read_element(element, &mut data, &mut polygons)?;
        }
    }
    data.finish(&mut mesh.notes)?;
    let vertices = polygons.vertices();
    mesh.polygons = polygons.finished(|Named { vertex, place }, vertices| {
        data.problem(format!(
            "face {place} names vertex {vertex}, but there are {vertices}, both from 0"
        ))
    })?;
    if mesh.polygons.is_empty() {
        mesh.notes.add(NoteKind::VerticesWithoutFaces, vertices);
    }
    Ok(mesh)
}

fn read_element(element: &Element, data: &mut Data, polygons: &mut Polygons) -> Result<()> {
    for number in 0..element.count {
        data.begin(element, number)?;
        let mut vertex = DVec3::ZERO;
        for property in &element.properties {
            match (property.role, property.kind) {
                (Role::Coordinate(axis), Kind::Scalar(kind)) => vertex[axis] = data.coordinate(kind)?,
                (Role::Corners, Kind::List { count, item }) => {
                    let corners = data.whole(count)?;
                    for _ in 0..corners {
                        let vertex = data.whole(item)?;
                        polygons.add_corner(Named { vertex, place: number })?;
                    }
                    if corners < 3 {
                        return Err(data.wrong(format!("has a face with {corners} corners, fewer than three")));
                    }
                    polygons.end(corners)?;
                }
                (_, Kind::Scalar(kind)) => data.skip(kind, 1)?,
                (_, Kind::List { count, item }) => {
                    let items = data.whole(count)?;
                    data.skip(item, items)?;
                }
            }
        }
        data.end()?;
        if element.has_coordinates() {
            polygons.add_vertex(vertex)?;
        }
    }
    Ok(())
}
